// BlockCache.cpp - size classes, reuse and eviction of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/BlockCache.h"
#include "core/Environment.h"
#include "core/Sanitizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <thread>
#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace rnnrt;

/// The C library allocates smaller blocks fast enough.
static constexpr size_t smallest = size_t(1) << 15;
static constexpr size_t page = 4096, hugePage = size_t(1) << 21;

/// Rounds up to one of 16 size classes per power of two, so that requests of nearly the same size share blocks.
static size_t roundUp(size_t bytes) {
  size_t step = page;
  while (step * 32 <= bytes)
    step *= 2;
  return (bytes + step - 1) / step * step;
}

/// The size class of a size of `roundUp`; of other sizes, that of the largest one below.
static size_t classOf(size_t bytes) {
  size_t doublings = 0;
  while (bytes / page >> doublings >= 32)
    ++doublings;
  return 16 * doublings + (bytes / page >> doublings);
}

/// An odd number of cache lines: 64 different shifts.
static constexpr size_t shiftStep = 9 * 64;

/// The least distance from the start of a block to the caller's memory.
static size_t headOf(size_t alignment) {
  return std::max(alignment, alignof(std::max_align_t));
}

/// The caller's memory in a block, at most a page after its start.
static void *placeIn(void *block, size_t size, size_t shift, size_t alignment, size_t bytes) {
  size_t head = headOf(alignment), spare = std::min(size - head - bytes, page - head);
  return static_cast<char *>(block) + head + std::min(shift, spare) / alignment * alignment;
}

/// The block of `placeIn`.
static void *blockOf(void *memory) {
  return reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(memory) - 1) / page * page);
}

bool BlockCache::isCached(size_t alignment, size_t bytes) const {
  return !isExact && bytes >= smallest && bytes <= size_t(PTRDIFF_MAX) / 2 && alignment <= page;
}

static void *allocateFromSystem(size_t bytes) {
  size_t alignment = bytes >= hugePage ? hugePage : page;
  void *pointer = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#ifdef __linux__
  // Weights of several MiB are read in every step: with small pages they exceed the TLB.
  if (pointer && bytes >= hugePage)
    madvise(pointer, bytes / hugePage * hugePage, MADV_HUGEPAGE);
#endif
  return pointer;
}

static int64_t readLimit() {
  constexpr int64_t mebi = int64_t(1) << 20;
  int64_t limit = readInteger("RNNRT_MEMORY_CACHE", 1024, 0, int64_t(1) << 30, "a size in MiB") * mebi;
  return hasAddressSanitizer() ? 0 : limit; // a cached block would hide a use after free
}

BlockCache::BlockCache(int64_t limit) : limit(limit), isExact(limit == 0 && hasAddressSanitizer()) {}

BlockCache &BlockCache::get() {
  // Never destroyed: compiled code may free memory during the exit of the process.
  static BlockCache &cache = *new BlockCache(readLimit());
  return cache;
}

/// Returns false if the lock could not be acquired in time. It is held for a few cache misses. In the child of a fork,
/// the thread that held it may not exist; the caller then bypasses the cache.
bool BlockCache::lock() {
  for (int turn = 0; turn < 1000; ++turn) {
    if (!locked.load(std::memory_order_relaxed) && !locked.exchange(true, std::memory_order_acquire))
      return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    // The holder may have no processor.
    if (turn % 100 == 99)
      std::this_thread::yield();
  }
  return false;
}

void BlockCache::addLive(int64_t bytes) {
  int64_t now = live.fetch_add(bytes) + bytes, seen = most.load();
  while (seen < now && !most.compare_exchange_weak(seen, now))
    ;
}

/// The bytes that may be cached now; negative if the bytes in use are already more than the bound.
int64_t BlockCache::getRoom() const {
  const int64_t peak = most.load();
  return peak + peak / 2 - live.load();
}

/// Adds a block as the newest one.
void BlockCache::keep(Block *block) {
  Block *&first = newestOf[classOf(block->use.bytes)];
  block->older = newest, block->newer = nullptr;
  block->olderInClass = first, block->newerInClass = nullptr;
  if (first)
    first->newerInClass = block;
  (newest ? newest->newer : oldest) = block;
  newest = first = block;
  keptBytes.fetch_add(static_cast<int64_t>(block->use.bytes));
}

void BlockCache::remove(Block *block) {
  (block->older ? block->older->newer : oldest) = block->newer;
  (block->newer ? block->newer->older : newest) = block->older;
  if (block->olderInClass)
    block->olderInClass->newerInClass = block->newerInClass;
  (block->newerInClass ? block->newerInClass->olderInClass : newestOf[classOf(block->use.bytes)]) = block->olderInClass;
  keptBytes.fetch_sub(static_cast<int64_t>(block->use.bytes));
}

/// Removes the oldest blocks until at most `target` bytes are cached. Returns them as a list, linked by `newer`.
BlockCache::Block *BlockCache::evict(int64_t target) {
  Block *evicted = nullptr;
  while (oldest && keptBytes.load() > target) {
    Block *block = oldest;
    remove(block);
    block->newer = evicted;
    evicted = block;
  }
  return evicted;
}

void BlockCache::free(Block *evicted) {
  while (evicted) {
    Block *next = evicted->newer;
    std::free(evicted);
    evicted = next;
  }
}

/// Removes a block of at least `bytes` bytes, which are a size of `roundUp`; null if there is none.
BlockCache::Block *BlockCache::take(size_t bytes) {
  // The parts of a call allocate scratch of different sizes one after the other. Together these exceed the peak, to
  // which the cache is limited, so without sharing, every call would evict and fault in blocks. A small request does
  // not use up a much larger block.
  constexpr size_t mostTimes = 4;
  size_t end = std::min(classOf(std::min(bytes, SIZE_MAX / mostTimes) * mostTimes) + 1, classes);
  for (size_t index = classOf(bytes); index < end; ++index)
    // The most recently freed block is the most likely one to be in a CPU cache.
    if (Block *block = newestOf[index]) {
      remove(block);
      return block;
    }
  return nullptr;
}

void *BlockCache::allocate(size_t alignment, size_t bytes) {
  if (isExact) {
    void *pointer = nullptr;
    return posix_memalign(&pointer, std::max(alignment, sizeof(void *)), bytes) == 0 ? pointer : nullptr;
  }
  if (!isCached(alignment, bytes))
    return std::aligned_alloc(alignment, bytes);
  size_t size = roundUp(bytes + headOf(alignment));
  Block *evicted = nullptr;
  if (lock()) {
    if (Block *found = take(size)) {
      addLive(static_cast<int64_t>(found->use.bytes));
      unlock();
      return placeIn(found, found->use.bytes, found->use.shift, alignment, bytes);
    }
    evicted = evict(getRoom() - static_cast<int64_t>(size));
    unlock();
  }
  free(evicted);
  void *block = allocateFromSystem(size);
  if (!block) {
    trim();
    block = allocateFromSystem(size);
  }
  if (!block)
    return nullptr;
  addLive(static_cast<int64_t>(size));
  size_t shift = shifts.fetch_add(1, std::memory_order_relaxed) * shiftStep % page;
  new (block) Use{size, shift};
  return placeIn(block, size, shift, alignment, bytes);
}

void BlockCache::release(void *pointer, size_t alignment, size_t bytes) {
  if (!isCached(alignment, bytes))
    return std::free(pointer);
  void *block = blockOf(pointer);
  Use use = *static_cast<Use *>(block);
  live.fetch_sub(static_cast<int64_t>(use.bytes));
  if (!lock())
    return std::free(block);
  keep(new (block) Block{use, nullptr, nullptr, nullptr, nullptr});
  Block *evicted = evict(std::min(limit, std::max<int64_t>(getRoom(), 0)));
  unlock();
  free(evicted);
}

void BlockCache::trim() {
  if (!lock())
    return;
  Block *evicted = evict(0);
  most.store(live.load());
  unlock();
  free(evicted);
}
