// Memory.cpp - the pool and the entries of memory.h that need no device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Memory.h"
#include "core/BlockCache.h"
#include "core/CompiledMemory.h"
#include "core/Trace.h"

#include <cstdio>
#include <cstdlib>

using namespace rnnrt;

namespace {

/// Precedes every block.
struct alignas(RNNRT_MEMORY_ALIGNMENT) Header {
  uint64_t magic;
  MemoryPool *pool;
  void *raw;
  size_t rawBytes, alignment;
  int64_t bytes;
};
static_assert(sizeof(Header) == RNNRT_MEMORY_ALIGNMENT, "the header must keep the block aligned");

constexpr uint64_t liveMagic = 0x6b636f6c42746e52, freedMagic = 0x6465657246746e52;

void *systemAllocate(void *, size_t alignment, size_t bytes) {
  return BlockCache::get().allocate(alignment, bytes);
}
void systemRelease(void *, void *pointer, size_t alignment, size_t bytes) {
  BlockCache::get().release(pointer, alignment, bytes);
}

} // namespace

MemoryPool::MemoryPool(const char *name, const rnnrt_allocator_t &given) : name(name), allocator(given) {
  if (!allocator.allocate)
    allocator = {systemAllocate, systemRelease, nullptr};
}

void *MemoryPool::allocate(int64_t bytes, size_t alignment) {
  if (alignment < RNNRT_MEMORY_ALIGNMENT)
    alignment = RNNRT_MEMORY_ALIGNMENT;
  // Room for the header (one alignment unit keeps the block aligned) and for rounding up to a multiple.
  size_t rawBytes;
  if (bytes < 0 || alignment > (size_t(1) << 30) ||
      __builtin_add_overflow(size_t(bytes), 2 * alignment - 1, &rawBytes) || rawBytes > size_t(PTRDIFF_MAX))
    return nullptr;
  rawBytes &= ~(alignment - 1);
  auto *raw = static_cast<char *>(allocator.allocate(allocator.user, alignment, rawBytes));
  if (!raw)
    return nullptr;
  char *block = raw + alignment;
  new (block - sizeof(Header)) Header{liveMagic, this, raw, rawBytes, alignment, bytes};

  int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  blocks.fetch_add(1, std::memory_order_relaxed);
  int64_t seen = peak.load(std::memory_order_relaxed);
  while (seen < now && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed))
    ;
  if (tracing(TraceKind::Memory))
    trace("rnnrt,memory,alloc,%s,%lld,%lld", name, (long long)bytes, (long long)now);
  return block;
}

bool MemoryPool::release(void *pointer) {
  if (!pointer)
    return true;
  // Pointers of a pool are aligned. The header of any other pointer may not be readable.
  if (reinterpret_cast<uintptr_t>(pointer) % RNNRT_MEMORY_ALIGNMENT)
    return false;
  auto *header = reinterpret_cast<Header *>(static_cast<char *>(pointer) - sizeof(Header));
  if (header->magic != liveMagic || header->pool != this)
    return false;
  Header copy = *header;
  header->magic = freedMagic;
  int64_t now = live.fetch_sub(copy.bytes, std::memory_order_relaxed) - copy.bytes;
  blocks.fetch_sub(1, std::memory_order_relaxed);
  allocator.release(allocator.user, copy.raw, copy.alignment, copy.rawBytes);
  if (tracing(TraceKind::Memory))
    trace("rnnrt,memory,free,%s,%lld,%lld", name, (long long)copy.bytes, (long long)now);
  return true;
}

rnnrt_memory_stats_t MemoryPool::stats() const {
  return {live.load(), peak.load(), blocks.load()};
}

//===-- Memory of compiled code ----------------------------------------------------------------------------------===//

/// Never destroyed: compiled code may free memory during the exit of the process.
static MemoryPool &compiledPool() {
  static MemoryPool &pool = *new MemoryPool("compiled", rnnrt_allocator_t{});
  return pool;
}

static std::atomic<rnnrt_memory_failure_handler_t> failureHandler{nullptr};
static std::atomic<void *> failureUser{nullptr};

[[noreturn]] static void fail(int64_t bytes, const char *message) {
  if (rnnrt_memory_failure_handler_t handler = failureHandler.load())
    handler(failureUser.load(), bytes, message);
  std::fprintf(stderr, "rnn runtime: %s\n", message);
  std::abort();
}

void *rnnrt::compiledAllocate(int64_t alignment, int64_t bytes) {
  char message[256];
  if (bytes < 0) {
    std::snprintf(message, sizeof(message),
                  "compiled code requests %lld bytes; a dimension is negative or its size overflowed",
                  (long long)bytes);
    fail(bytes, message);
  }
  if (alignment <= 0 || (alignment & (alignment - 1)) || alignment > (int64_t(1) << 30)) {
    std::snprintf(message, sizeof(message),
                  "compiled code requests an alignment of %lld, expected a power of two of at most 2^30",
                  (long long)alignment);
    fail(bytes, message);
  }
  void *pointer = compiledPool().allocate(bytes, size_t(alignment));
  if (!pointer) {
    std::snprintf(message, sizeof(message), "not enough memory for %lld bytes; compiled code holds %lld already",
                  (long long)bytes, (long long)rnnrt_memory_live_bytes());
    fail(bytes, message);
  }
  return pointer;
}

void rnnrt::compiledRelease(void *pointer) {
  if (!compiledPool().release(pointer))
    fail(0, "compiled code frees memory that it did not allocate, or frees it twice");
}

extern "C" {

int64_t rnnrt_memory_live_bytes(void) {
  return compiledPool().stats().live_bytes;
}
int64_t rnnrt_memory_peak_bytes(void) {
  return compiledPool().stats().peak_bytes;
}
void rnnrt_memory_reset_peak(void) {
  compiledPool().resetPeak();
}
int64_t rnnrt_memory_kept_bytes(void) {
  return BlockCache::get().getKeptBytes();
}
void rnnrt_memory_trim(void) {
  BlockCache::get().trim();
}
void rnnrt_memory_free_result(void *pointer) {
  compiledRelease(pointer);
}

void rnnrt_memory_set_failure_handler(rnnrt_memory_failure_handler_t handler, void *user) {
  failureUser.store(user);
  failureHandler.store(handler);
}

} // extern "C"
