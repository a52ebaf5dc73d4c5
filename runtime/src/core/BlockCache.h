// BlockCache.h - large blocks of host memory that were freed, kept for the next allocation of their size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CORE_BLOCKCACHE_H
#define RNN_RUNTIME_CORE_BLOCKCACHE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnnrt {

/// The system takes large blocks back at once, and gives new ones page by page as they are touched: every call of a
/// compiled function would pay for the pages of its scratch anew. A block serves what needs no more than it has, down to
/// a quarter of that. The cache never holds more than was in use at one time, so a process does not become larger than it
/// was, and never more than its limit. Thread-safe.
class BlockCache {
public:
  /// The cache of the process, which RNNRT_MEMORY_CACHE (MiB, 0 for none) limits.
  static BlockCache &get();

  explicit BlockCache(int64_t limit) : limit(limit) {}
  ~BlockCache() { trim(); }

  /// Null when there is not enough memory.
  void *allocate(size_t alignment, size_t bytes);
  /// Takes back what `allocate` gave, with the same numbers.
  void release(void *pointer, size_t alignment, size_t bytes);
  /// Gives all that is kept to the system.
  void trim();

  int64_t getKeptBytes() const { return keptBytes.load(); }

private:
  struct Block {
    void *pointer;
    size_t bytes;
  };

  bool lock();
  void unlock() { locked.store(false, std::memory_order_release); }
  std::optional<Block> take(size_t bytes);
  void evict(int64_t target, std::vector<Block> &evicted);

  const int64_t limit;
  std::atomic<bool> locked{false};
  std::vector<Block> kept; ///< the oldest first
  std::atomic<int64_t> keptBytes{0};
  int64_t live = 0, most = 0; ///< in use now, and the most that ever was
};

} // namespace rnnrt

#endif // RNN_RUNTIME_CORE_BLOCKCACHE_H
