// Tiles.h - the tile registers of a thread and their operations.
//
// Operations return nullptr, or the reason why the instruction raises an exception on a processor. The semantics are
// those of the Intel SDM, volume 2, pages of the instructions and section "AMX instruction exception classes".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_AMXEMULATOR_TILES_H
#define RNN_UNITTESTS_AMXEMULATOR_TILES_H

#include <cstdint>

namespace amx {

constexpr int numTiles = 8, maxRows = 16, maxBytes = 64;

/// The operand of ldtilecfg and sttilecfg.
struct TileConfig {
  uint8_t palette, startRow, reserved1[14];
  uint16_t rowBytes[numTiles];
  uint8_t reserved2[16], rows[numTiles], reserved3[8];
};
static_assert(sizeof(TileConfig) == 64);

class Tiles {
public:
  const char *configure(const void *memory);
  void storeConfig(void *memory) const;
  void release();
  const char *zero(int tile);
  const char *load(int tile, const char *memory, uint64_t stride);
  const char *store(int tile, char *memory, uint64_t stride) const;
  /// Requires MXCSR with round to nearest, denormals as zeros, flush to zero and all exceptions masked.
  const char *multiply(int tile, int source1, int source2);

  const TileConfig &getConfig() const { return config; }

private:
  /// Rows and bytes that the configuration excludes are zeros.
  struct Tile {
    alignas(64) uint32_t rows[maxRows][maxBytes / 4];
  };

  const char *check(int tile) const;
  /// The same for instructions that read or write the rows, which consist of words of 4 bytes.
  const char *checkWords(int tile) const;

  TileConfig config; // zeros: not configured
  Tile tiles[numTiles];
};

} // namespace amx

#endif // RNN_UNITTESTS_AMXEMULATOR_TILES_H
