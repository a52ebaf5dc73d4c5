// Tiles.cpp - the tile registers of a thread and their operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tiles.h"

#include <algorithm>
#include <cstring>
#include <immintrin.h>

using namespace amx;

template <typename T, size_t size> static bool isZero(const T (&bytes)[size]) {
  return std::all_of(bytes, bytes + size, [](T byte) { return byte == 0; });
}

const char *Tiles::configure(const void *memory) {
  TileConfig next;
  std::memcpy(&next, memory, sizeof next);
  if (next.palette == 0) {
    release();
    return nullptr;
  }
  if (next.palette != 1)
    return "#GP: the palette is neither 0 nor 1";
  // Processors continue interrupted loads and stores at this row. No program sets it.
  if (next.startRow != 0)
    return "the start row is not 0, which is not emulated";
  if (!isZero(next.reserved1) || !isZero(next.reserved2) || !isZero(next.reserved3))
    return "#GP: reserved bytes are not 0";
  for (int tile = 0; tile < numTiles; ++tile) {
    if (next.rowBytes[tile] > maxBytes)
      return "#GP: a tile has more than 64 bytes per row";
    if (next.rows[tile] > maxRows)
      return "#GP: a tile has more than 16 rows";
    if ((next.rowBytes[tile] == 0) != (next.rows[tile] == 0))
      return "#GP: a tile has rows of 0 bytes, or 0 rows";
  }
  config = next;
  std::memset(tiles, 0, sizeof tiles);
  return nullptr;
}

void Tiles::storeConfig(void *memory) const {
  std::memcpy(memory, &config, sizeof config);
}

void Tiles::release() {
  std::memset(this, 0, sizeof *this);
}

const char *Tiles::check(int tile) const {
  if (config.palette == 0)
    return "#UD: tiles are not configured";
  return config.rows[tile] == 0 ? "#UD: a tile is not part of the configuration" : nullptr;
}

const char *Tiles::checkWords(int tile) const {
  if (const char *error = check(tile))
    return error;
  return config.rowBytes[tile] % 4 != 0 ? "#UD: the bytes per row of a tile are no multiple of 4" : nullptr;
}

const char *Tiles::zero(int tile) {
  if (const char *error = check(tile))
    return error;
  std::memset(&tiles[tile], 0, sizeof(Tile));
  return nullptr;
}

const char *Tiles::load(int tile, const char *memory, uint64_t stride) {
  if (const char *error = checkWords(tile))
    return error;
  zero(tile);
  for (int row = 0; row < config.rows[tile]; ++row)
    std::memcpy(tiles[tile].rows[row], memory + row * stride, config.rowBytes[tile]);
  return nullptr;
}

const char *Tiles::store(int tile, char *memory, uint64_t stride) const {
  if (const char *error = checkWords(tile))
    return error;
  for (int row = 0; row < config.rows[tile]; ++row)
    std::memcpy(memory + row * stride, tiles[tile].rows[row], config.rowBytes[tile]);
  return nullptr;
}

/// c + (sum of the even products + sum of the odd ones), each sum as a chain of FMAs that starts from zero.
__attribute__((target("avx512f"))) static void
multiplyRow(const uint32_t *a, int pairs, const uint32_t (*b)[maxBytes / 4], uint32_t *c, int columns) {
  constexpr int rounding = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  const __m512i high = _mm512_set1_epi32(static_cast<int>(0xffff0000));
  __m512 even = _mm512_setzero_ps(), odd = even;
  for (int k = 0; k < pairs; ++k) {
    __m512i left = _mm512_set1_epi32(static_cast<int>(a[k])), right = _mm512_load_si512(b[k]);
    even = _mm512_fmadd_round_ps(_mm512_castsi512_ps(_mm512_slli_epi32(left, 16)),
                                 _mm512_castsi512_ps(_mm512_slli_epi32(right, 16)), even, rounding);
    odd = _mm512_fmadd_round_ps(_mm512_castsi512_ps(_mm512_and_si512(left, high)),
                                _mm512_castsi512_ps(_mm512_and_si512(right, high)), odd, rounding);
  }
  __m512 sum = _mm512_add_round_ps(_mm512_load_ps(c), _mm512_add_round_ps(even, odd, rounding), rounding);
  // Columns that do not exist may be NaN here: zeros times infinity.
  _mm512_store_ps(c, _mm512_maskz_mov_ps(static_cast<__mmask16>((1 << columns) - 1), sum));
}

const char *Tiles::multiply(int tile, int source1, int source2) {
  for (int operand : {tile, source1, source2})
    if (const char *error = checkWords(operand))
      return error;
  if (tile == source1 || tile == source2 || source1 == source2)
    return "#UD: two operands are the same tile";
  if (config.rows[tile] != config.rows[source1])
    return "#UD: the result and the left operand have different numbers of rows";
  if (config.rowBytes[tile] != config.rowBytes[source2])
    return "#UD: the result and the right operand have different bytes per row";
  const int pairs = config.rowBytes[source1] / 4;
  if (config.rows[source2] != pairs)
    return "#UD: the right operand has not one row for each pair of the left operand";
  for (int row = 0; row < config.rows[tile]; ++row)
    multiplyRow(tiles[source1].rows[row], pairs, tiles[source2].rows, tiles[tile].rows[row], config.rowBytes[tile] / 4);
  return nullptr;
}
