// Memory.cpp - the pool and the entries of memory.h that need no device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Memory.h"
#include "core/BlockCache.h"
#include "core/CompiledMemory.h"
#include "core/Invocation.h"
#include "core/Sanitizer.h"
#include "core/Trace.h"

#include <cstdio>
#include <cstdlib>

using namespace rnnrt;

namespace {

/// Precedes every block.
struct alignas(RNNRT_MEMORY_ALIGNMENT) Header {
  BlockLink link;
  uint64_t magic;
  MemoryPool *pool;
  size_t rawBytes, alignment; ///< the memory of the allocator begins `alignment` bytes before the block
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

Header *headerOf(void *block) {
  return reinterpret_cast<Header *>(static_cast<char *>(block) - sizeof(Header));
}

} // namespace

//===-- Lists of blocks ------------------------------------------------------------------------------------------===//

void BlockList::add(void *block) {
  BlockLink &link = headerOf(block)->link;
  std::lock_guard<std::mutex> lock(mutex);
  link = {&end, end.previous, this};
  end.previous->next = &link;
  end.previous = &link;
}

void BlockList::remove(BlockLink &link) {
  std::lock_guard<std::mutex> lock(mutex);
  link.previous->next = link.next;
  link.next->previous = link.previous;
  link.list = nullptr;
}

void BlockList::detachAll() {
  std::lock_guard<std::mutex> lock(mutex);
  for (BlockLink *link = end.next; link != &end; link = link->next)
    link->list = nullptr;
  end.next = end.previous = &end;
}

void *BlockList::first() {
  std::lock_guard<std::mutex> lock(mutex);
  // The link is the first member of the header, which the block follows.
  return end.next == &end ? nullptr : reinterpret_cast<char *>(end.next) + sizeof(Header);
}

//===-- Pools ----------------------------------------------------------------------------------------------------===//

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
  // The memory of AddressSanitizer ends with the block.
  const bool isExact = hasAddressSanitizer() && allocator.allocate == systemAllocate;
  rawBytes = isExact ? size_t(bytes) + alignment : rawBytes & ~(alignment - 1);
  auto *raw = static_cast<char *>(allocator.allocate(allocator.user, alignment, rawBytes));
  if (!raw)
    return nullptr;
  char *block = raw + alignment;
  new (block - sizeof(Header)) Header{{}, liveMagic, this, rawBytes, alignment, bytes};

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
  Header *header = headerOf(pointer);
  if (header->magic != liveMagic || header->pool != this)
    return false;
  if (header->link.list)
    header->link.list->remove(header->link);
  Header copy = *header;
  header->magic = freedMagic;
  int64_t now = live.fetch_sub(copy.bytes, std::memory_order_relaxed) - copy.bytes;
  blocks.fetch_sub(1, std::memory_order_relaxed);
  allocator.release(allocator.user, static_cast<char *>(pointer) - copy.alignment, copy.alignment, copy.rawBytes);
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

void rnnrt::failCompiledCode(Status status, int64_t bytes) {
  if (Exit *exit = Exit::current()) {
    exit->invocation->fail(std::move(status));
    exit->leave();
  }
  if (Exit::EndKernel end = Exit::kernel()) {
    if (Exit *owner = Exit::innermost())
      owner->invocation->hasEndedKernel = true;
    end(status.take());
  }
  const char *message = rnnrt_status_message(status.get());
  if (rnnrt_memory_failure_handler_t handler = failureHandler.load())
    handler(failureUser.load(), bytes, message);
  std::fprintf(stderr, "rnn runtime: %s\n", message);
  std::abort();
}

static Status checkRequest(int64_t alignment, int64_t bytes) {
  if (bytes < 0)
    return invalidArgument("compiled code requests %lld bytes; a dimension is negative or its size overflowed",
                           (long long)bytes);
  if (alignment <= 0 || (alignment & (alignment - 1)) || alignment > (int64_t(1) << 30))
    return invalidArgument("compiled code requests an alignment of %lld, expected a power of two of at most 2^30",
                           (long long)alignment);
  return Status();
}

Status rnnrt::tryCompiledAllocate(int64_t alignment, int64_t bytes, void *&result) {
  result = nullptr;
  RNNRT_TRY(checkRequest(alignment, bytes));
  result = compiledPool().allocate(bytes, size_t(alignment));
  if (result)
    return Status();
  return resourceExhausted("not enough memory for %lld bytes; compiled code holds %lld already", (long long)bytes,
                           (long long)rnnrt_memory_live_bytes());
}

void *rnnrt::compiledAllocate(int64_t alignment, int64_t bytes) {
  Exit *exit = Exit::current(), *owner = Exit::innermost();
  // After a failure, sizes may be wrong, and no result is needed. Parts of a team do not read the call.
  if (exit && !exit->team && exit->invocation->hasFailed())
    exit->leave();
  void *pointer = nullptr;
  // failCompiledCode runs no destructors.
  if (Status status = tryCompiledAllocate(alignment, bytes, pointer); !status.ok())
    failCompiledCode(std::move(status), bytes);
  if (owner)
    owner->invocation->blocks.add(pointer);
  return pointer;
}

void rnnrt::compiledRelease(void *pointer) {
  if (compiledPool().release(pointer))
    return;
  Status status = internalError("compiled code frees memory that it did not allocate, or frees it twice");
  if (Exit *exit = Exit::current())
    exit->invocation->fail(std::move(status));
  else
    failCompiledCode(std::move(status));
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
