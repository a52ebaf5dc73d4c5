// BlockCache.h - a cache of large freed blocks of host memory for reuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CORE_BLOCKCACHE_H
#define RNN_RUNTIME_CORE_BLOCKCACHE_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rnnrt {

/// The C library returns large blocks to the system when they are freed, and each new block faults in page by page.
/// Without the cache, every call of a compiled function would pay for the page faults of its scratch. A cached block is
/// reused for requests of its size down to a quarter of it. The cache never holds more than the peak of memory in use,
/// so it does not increase the peak of the process, and never more than its limit. Thread-safe.
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
  /// A cached block, at the start of its own memory: a free that allocates could fail.
  struct Block {
    size_t bytes; ///< also the first word of a block in use
    Block *older, *newer;
  };

  bool isCached(size_t alignment, size_t bytes) const;
  bool lock();
  void unlock() { locked.store(false, std::memory_order_release); }
  Block *take(size_t bytes);
  [[nodiscard]] Block *evict(int64_t target);
  static void free(Block *evicted);

  const int64_t limit;
  /// Blocks have the requested size: the redzone of AddressSanitizer follows the last byte.
  const bool isExact;
  std::atomic<bool> locked{false};
  Block *oldest = nullptr, *newest = nullptr; ///< the list of cached blocks
  std::atomic<int64_t> keptBytes{0};
  int64_t live = 0, most = 0; ///< bytes in use, and their peak
};

} // namespace rnnrt

#endif // RNN_RUNTIME_CORE_BLOCKCACHE_H
