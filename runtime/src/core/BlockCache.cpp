// BlockCache.cpp - size classes, reuse and eviction of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/BlockCache.h"
#include "core/Sanitizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
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

/// The header before the caller's memory: the size of the block.
static size_t headOf(size_t alignment) {
  return std::max(alignment, alignof(std::max_align_t));
}
static_assert(alignof(std::max_align_t) >= sizeof(size_t), "the size must fit there");

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
  if (hasAddressSanitizer())
    return 0; // a cached block would hide a use after free
  constexpr int64_t mebi = int64_t(1) << 20, usual = 1024, largest = int64_t(1) << 30;
  const char *text = std::getenv("RNNRT_MEMORY_CACHE");
  if (!text || !*text)
    return usual * mebi;
  char *end;
  long long count = std::strtoll(text, &end, 10);
  if (!*end && count >= 0 && count <= largest)
    return count * mebi;
  std::fprintf(stderr, "rnnrt,warning,RNNRT_MEMORY_CACHE expects a number of MiB from 0 to %lld and not `%s`\n",
               (long long)largest, text);
  return usual * mebi;
}

BlockCache::BlockCache(int64_t limit) : limit(limit), isExact(limit == 0 && hasAddressSanitizer()) {}

BlockCache &BlockCache::get() {
  // Never destroyed: compiled code may free memory during the exit of the process.
  static BlockCache &cache = *new BlockCache(readLimit());
  return cache;
}

/// Returns false if the lock could not be acquired in time. It is held for some hundred instructions. In the child of a
/// fork, the thread that held it may not exist; the caller then bypasses the cache.
bool BlockCache::lock() {
  for (int turn = 0; turn < 10000; ++turn)
    if (!locked.load(std::memory_order_relaxed) && !locked.exchange(true, std::memory_order_acquire))
      return true;
  return false;
}

/// Evicts the oldest blocks until at most `target` bytes are cached.
/// Removes the oldest blocks until `target` bytes are left. Returns them as a list, linked by `newer`.
BlockCache::Block *BlockCache::evict(int64_t target) {
  Block *evicted = oldest, *last = nullptr;
  int64_t bytes = keptBytes.load();
  for (; oldest && bytes > target; oldest = oldest->newer) {
    bytes -= static_cast<int64_t>(oldest->bytes);
    last = oldest;
  }
  (oldest ? oldest->older : newest) = nullptr;
  keptBytes.store(bytes);
  if (!last)
    return nullptr;
  last->newer = nullptr;
  return evicted;
}

void BlockCache::free(Block *evicted) {
  while (evicted) {
    Block *next = evicted->newer;
    std::free(evicted);
    evicted = next;
  }
}

/// Removes a block of at least `bytes` bytes; null if there is none.
BlockCache::Block *BlockCache::take(size_t bytes) {
  // The parts of a call allocate scratch of different sizes one after the other. Together these exceed the peak, to
  // which the cache is limited, so without sharing, every call would evict and fault in blocks. A small request does
  // not use up a much larger block.
  constexpr size_t mostTimes = 4;
  Block *best = nullptr;
  // The most recently freed block is the most likely one to be in a CPU cache.
  for (Block *block = newest; block; block = block->older)
    if (block->bytes >= bytes && block->bytes / mostTimes <= bytes && (!best || block->bytes < best->bytes))
      best = block;
  if (!best)
    return nullptr;
  (best->older ? best->older->newer : oldest) = best->newer;
  (best->newer ? best->newer->older : newest) = best->older;
  keptBytes.fetch_sub(static_cast<int64_t>(best->bytes));
  return best;
}

void *BlockCache::allocate(size_t alignment, size_t bytes) {
  if (isExact) {
    void *pointer = nullptr;
    return posix_memalign(&pointer, std::max(alignment, sizeof(void *)), bytes) == 0 ? pointer : nullptr;
  }
  if (!isCached(alignment, bytes))
    return std::aligned_alloc(alignment, bytes);
  size_t head = headOf(alignment);
  bytes = roundUp(bytes + head);
  Block *evicted = nullptr;
  if (lock()) {
    if (Block *found = take(bytes)) {
      live += static_cast<int64_t>(found->bytes);
      unlock();
      return reinterpret_cast<char *>(found) + head;
    }
    live += static_cast<int64_t>(bytes);
    most = std::max(most, live);
    evicted = evict(most - live);
    unlock();
  }
  free(evicted);
  void *pointer = allocateFromSystem(bytes);
  if (!pointer) {
    trim();
    pointer = allocateFromSystem(bytes);
  }
  if (!pointer && lock()) {
    live -= static_cast<int64_t>(bytes);
    unlock();
  }
  if (!pointer)
    return nullptr;
  *static_cast<size_t *>(pointer) = bytes;
  return static_cast<char *>(pointer) + head;
}

void BlockCache::release(void *pointer, size_t alignment, size_t bytes) {
  if (!isCached(alignment, bytes))
    return std::free(pointer);
  pointer = static_cast<char *>(pointer) - headOf(alignment);
  if (!lock())
    return std::free(pointer);
  Block *block = new (pointer) Block{*static_cast<size_t *>(pointer), newest, nullptr};
  live -= static_cast<int64_t>(block->bytes);
  (newest ? newest->newer : oldest) = block;
  newest = block;
  keptBytes.fetch_add(static_cast<int64_t>(block->bytes));
  Block *evicted = evict(std::min(limit, std::max<int64_t>(most - live, 0)));
  unlock();
  free(evicted);
}

void BlockCache::trim() {
  if (!lock())
    return;
  Block *evicted = evict(0);
  most = live;
  unlock();
  free(evicted);
}
