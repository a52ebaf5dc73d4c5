// BlockCache.h - a cache of large freed blocks of host memory for reuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CORE_BLOCKCACHE_H
#define RNN_RUNTIME_CORE_BLOCKCACHE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rnnrt {

/// The C library returns large blocks to the system when they are freed, and each new block faults in page by page.
/// Without the cache, every call of a compiled function would pay for the page faults of its scratch. A cached block is
/// reused for requests of its size down to a quarter of it. The cache never holds more than its limit, and together
/// with the memory in use never more than one and a half times the peak of use: the buffers of the parts of a call,
/// which are in use one after the other, exceed the peak. If only the peak could be cached, gradients of cudnn ops with
/// one row would evict a block in each call that the next call needs. Thread-safe.
class BlockCache {
public:
  /// The cache of the process. RNNRT_MEMORY_CACHE sets the limit (MiB; 0: no cache).
  static BlockCache &get();

  explicit BlockCache(int64_t limit);
  ~BlockCache() { trim(); }

  /// Null if there is not enough memory.
  void *allocate(size_t alignment, size_t bytes);
  /// Frees a block of `allocate`; `alignment` and `bytes` are those of its allocation.
  void release(void *pointer, size_t alignment, size_t bytes);
  /// Returns all cached blocks to the system.
  void trim();

  int64_t getKeptBytes() const { return keptBytes.load(); }

private:
  friend struct BlockCacheLock; // of the tests

  /// The start of a block in use.
  struct Use {
    size_t bytes;
    /// Distance of the caller's memory from its least address, if the block is large enough. Rows of a step of
    /// batch-major data have the same offset in their pages if T rows fill whole pages. If all buffers also had the
    /// same offset, the rows of all of them would be in a few sets of an L1 cache.
    size_t shift;
  };
  static_assert(sizeof(Use) <= alignof(std::max_align_t), "it must fit before the caller's memory");
  /// A cached block, at the start of its own memory: a free that allocates could fail.
  struct Block {
    Use use;
    Block *older, *newer;
    Block *olderInClass, *newerInClass;
  };
  /// 16 size classes per power of two.
  static constexpr size_t classes = 1024;

  bool isCached(size_t alignment, size_t bytes) const;
  bool lock();
  void unlock() { locked.store(false, std::memory_order_release); }
  void keep(Block *block);
  void remove(Block *block);
  Block *take(size_t bytes);
  [[nodiscard]] Block *evict(int64_t target);
  static void free(Block *evicted);
  int64_t getRoom() const;
  void addLive(int64_t bytes);

  const int64_t limit;
  /// Blocks have the requested size: the redzone of AddressSanitizer follows the last byte.
  const bool isExact;
  std::atomic<bool> locked{false};
  Block *oldest = nullptr, *newest = nullptr; ///< the list of cached blocks
  std::array<Block *, classes> newestOf{};    ///< the lists of the cached blocks of each size class
  std::atomic<int64_t> keptBytes{0};
  std::atomic<size_t> shifts{0}; ///< number of blocks made
  /// Bytes in use, and their peak. Blocks that bypass the cache because the lock is busy count as well.
  std::atomic<int64_t> live{0}, most{0};
};

} // namespace rnnrt

#endif // RNN_RUNTIME_CORE_BLOCKCACHE_H
