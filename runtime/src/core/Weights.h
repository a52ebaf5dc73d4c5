// Weights.h - packed copies of weights that do not change between calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_WEIGHTS_H
#define RNNRT_CORE_WEIGHTS_H

#include "core/Status.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/memory.h"

#include <array>
#include <map>
#include <mutex>

namespace rnnrt {

class PackedWeights;

/// Precedes the bytes of a packed copy.
struct alignas(RNNRT_MEMORY_ALIGNMENT) PackedCopy {
  rnnrt_packed_t record;
  PackedWeights *owner; ///< null for scratch of one call
  bool isInModule;      ///< in memory of a module, which no handle owns
};
static_assert(sizeof(PackedCopy) == RNNRT_PACKED_HEADER, "modules reserve the bytes of a header");

/// Scratch of one call, which is not packed. Never null; see compiledAllocate.
PackedCopy *createPackedScratch(int64_t bytes);

/// The copy in `memory` of a module, which is zero at first. Null if another call packs it now. Thread-safe.
PackedCopy *beginInModule(void *memory);
void endInModule(PackedCopy *copy, bool isPacked);

/// Ends the use of a copy in a call, and frees scratch.
void endPacked(PackedCopy *copy, bool isPacked);

/// Memory that does not change, and its packed copies. Thread-safe.
class PackedWeights {
public:
  PackedWeights(const void *data, int64_t bytes);
  ~PackedWeights();

  bool contains(const void *pointer, int64_t size) const;
  /// Fails if the memory has changed and RNNRT_CHECK is 1.
  Status check() const;

  /// Identifies a copy: the form, sizes that its layout depends on, the offset of the weights and the bytes.
  using Key = std::array<int64_t, 6>;
  /// The copy with this key. If its record says that it is not packed, the caller must pack it and call `end`. Null if
  /// another call packs it now. Throws std::bad_alloc.
  PackedCopy *begin(const void *pointer, Key key, int64_t bytes);
  void end(PackedCopy *copy, bool isPacked);
  int64_t getPackedBytes() const;

  /// Of the memory's address in `Key`.
  static constexpr size_t offsetInKey = 4;

private:
  struct Entry {
    PackedCopy *copy;
    bool isBusy; ///< a call packs it
  };

  const char *const data;
  const int64_t bytes;
  const uint64_t checksum; ///< 0 without RNNRT_CHECK
  mutable std::mutex mutex;
  std::map<Key, Entry> entries;
  int64_t packedBytes = 0;
};

} // namespace rnnrt

#endif // RNNRT_CORE_WEIGHTS_H
