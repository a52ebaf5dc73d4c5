// Memory.h - counted, aligned host memory: pools, and scratch that is freed at the end of its scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_MEMORY_H
#define RNNRT_CORE_MEMORY_H

#include "core/Status.h"
#include "rnn_runtime/memory.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace rnnrt {

class BlockList;

/// Makes a block a member of a list.
struct BlockLink {
  BlockLink *next, *previous;
  BlockList *list; ///< null if the block is in none
};

/// Blocks of pools that are freed together. Thread-safe; a block that is freed leaves its list.
class BlockList {
public:
  BlockList() : end{&end, &end, this} {}
  BlockList(const BlockList &) = delete;
  ~BlockList() { detachAll(); }

  void add(void *block);
  void remove(BlockLink &link);
  void detachAll();
  /// Null if the list is empty.
  void *first();

private:
  std::mutex mutex;
  BlockLink end;
};

/// Allocates through an allocator and counts the bytes. A header before each block stores its size and its owner.
/// Thread-safe; the counters are the only shared state.
class MemoryPool {
public:
  /// `name` (static) appears in traces.
  MemoryPool(const char *name, const rnnrt_allocator_t &allocator);

  /// Null if there is not enough memory or the size overflows. `alignment` is a power of two.
  void *allocate(int64_t bytes, size_t alignment = RNNRT_MEMORY_ALIGNMENT);
  /// Returns false and does nothing if `pointer` is recognized as not allocated here, or as freed.
  bool release(void *pointer);

  rnnrt_memory_stats_t stats() const;
  void resetPeak() { peak.store(live.load()); }

private:
  const char *name;
  rnnrt_allocator_t allocator;
  std::atomic<int64_t> live{0}, peak{0}, blocks{0};
};

/// Scratch of one run of a plan, freed at the end of the scope.
class Scratch {
public:
  explicit Scratch(MemoryPool &pool) : pool(pool) {}
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    for (void *block : blocks)
      pool.release(block);
  }

  /// Uninitialized elements. Throws std::bad_alloc, which `guarded` converts to RESOURCE_EXHAUSTED. Counts are sizes
  /// that the plan has checked, times a small factor, so only the multiplication by the element size is checked here.
  template <typename T> T *get(int64_t count) {
    int64_t bytes;
    if (__builtin_mul_overflow(count, int64_t(sizeof(T)), &bytes))
      throw std::bad_alloc();
    blocks.reserve(blocks.size() + 1);
    void *block = pool.allocate(bytes);
    if (!block)
      throw std::bad_alloc();
    blocks.push_back(block);
    return static_cast<T *>(block);
  }

private:
  MemoryPool &pool;
  std::vector<void *> blocks;
};

} // namespace rnnrt

#endif // RNNRT_CORE_MEMORY_H
