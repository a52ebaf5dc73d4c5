// KernelEntries.cpp - the entries of simt.def for threads: ids, barriers, asynchronous copies, checks and messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Barriers.h"
#include "emulator/Checker.h"
#include "rnn_runtime/emulator.h"

#include <cstdio>
#include <cstring>

using namespace rnnrt::simt;

//===-- Asynchronous copies --------------------------------------------------------------------------------------===//

/// Completes the copies of groups before `group`, in the order of their issue.
static void arriveBefore(Thread &thread, uint32_t group) {
  size_t kept = 0;
  for (const AsyncCopy &copy : thread.copies) {
    if (copy.group >= group) {
      thread.copies[kept++] = copy;
      continue;
    }
    if (Checker *checker = emulator().getChecker())
      checker->copyArrived(thread, copy);
    if (copy.sourceBytes > 0) // otherwise the source may be null
      std::memcpy(copy.target, copy.source, copy.sourceBytes);
    std::memset(copy.target + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  }
  thread.copies.resize(kept);
}

//===-- printf ---------------------------------------------------------------------------------------------------===//

namespace {

/// Reads the buffer of CUDA's vprintf: each argument aligned to its size, floats as doubles.
class PackedArguments {
public:
  explicit PackedArguments(const void *data) : address(reinterpret_cast<uintptr_t>(data)) {}
  template <typename T> T next() {
    address = (address + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, reinterpret_cast<const void *>(address), sizeof(T));
    address += sizeof(T);
    return value;
  }

private:
  uintptr_t address;
};

} // namespace

/// Prints one conversion, from "%" to its letter, and advances in the arguments.
static void printConversion(const char *text, size_t length, PackedArguments &arguments) {
  char conversion[32];
  if (length >= sizeof(conversion))
    return;
  std::memcpy(conversion, text, length);
  conversion[length] = 0;
  char letter = conversion[length - 1];
  bool isWide = std::strchr(conversion, 'l') || std::strchr(conversion, 'j') || std::strchr(conversion, 'z');
  if (letter == '%')
    std::fputc('%', stdout);
  else if (std::strchr("aAeEfFgG", letter))
    std::fprintf(stdout, conversion, arguments.next<double>());
  else if (letter == 's' || letter == 'p')
    std::fprintf(stdout, conversion, arguments.next<void *>());
  else if (isWide)
    std::fprintf(stdout, conversion, arguments.next<long long>());
  else
    std::fprintf(stdout, conversion, arguments.next<int>());
}

extern "C" {

//===-- Who and where --------------------------------------------------------------------------------------------===//

int32_t rnnrt_abi_simt_thread_id(int32_t dim) {
  return int32_t(running->id[dim]);
}
int32_t rnnrt_abi_simt_block_dim(int32_t dim) {
  return int32_t(emulator().getLaunch().block[dim]);
}
int32_t rnnrt_abi_simt_block_id(int32_t dim) {
  return int32_t(running->block->id[dim]);
}
int32_t rnnrt_abi_simt_grid_dim(int32_t dim) {
  return int32_t(emulator().getLaunch().grid[dim]);
}
int32_t rnnrt_abi_simt_lane_id(void) {
  return int32_t(running->lane);
}
int32_t rnnrt_abi_simt_warp_id(void) {
  return int32_t(running->linear / warpSize);
}
void *rnnrt_abi_simt_shared_base(void) {
  return running->block->shared;
}
void *rnnrt_abi_simt_dynamic_shared(void) {
  return running->block->shared + emulator().getLaunch().staticShared;
}
int32_t rnnrt_abi_simt_shared_size(void) {
  return int32_t(emulator().getSharedBytes());
}

//===-- Barriers -------------------------------------------------------------------------------------------------===//

void rnnrt_abi_simt_barrier(int32_t id, int32_t threads, const char *site) {
  waitAtBarrier(*running, uint32_t(id), uint32_t(threads), /*predicate=*/false, site);
}

void rnnrt_abi_simt_barrier_arrive(int32_t id, int32_t threads, const char *site) {
  passBarrier(*running, uint32_t(id), uint32_t(threads), site);
}

int32_t rnnrt_abi_simt_barrier_reduce(int32_t id, int32_t threads, int32_t kind, int32_t predicate, const char *site) {
  Block &block = *running->block;
  waitAtBarrier(*running, uint32_t(id), uint32_t(threads), predicate != 0, site);
  // The barrier cannot complete again before all waiting threads have read the result.
  const Barrier &barrier = block.barriers[id];
  return kind == 0   ? int32_t(barrier.lastTrue)
         : kind == 1 ? barrier.lastTrue == barrier.lastTotal
                     : barrier.lastTrue != 0;
}

void rnnrt_abi_simt_grid_barrier(const int32_t *counter, const char *site) {
  emulator().arriveAtGridBarrier(*running, counter, site);
}

void rnnrt_abi_simt_fence(const char *) {
  if (Checker *checker = emulator().getChecker())
    checker->fence(*running);
}

void rnnrt_abi_simt_yield(const char *site) {
  emulator().yield(*running, site);
}

//===-- Asynchronous copies --------------------------------------------------------------------------------------===//

void rnnrt_abi_simt_async_copy(void *target, const void *source, int32_t bytes, int32_t source_bytes,
                               const char *site) {
  Thread &thread = *running;
  if ((reinterpret_cast<uintptr_t>(target) | reinterpret_cast<uintptr_t>(source)) % uint32_t(bytes))
    fault("misaligned access", thread, site, "an asynchronous copy of %d bytes expects addresses aligned to as much",
          bytes);
  if (source_bytes < 0 || source_bytes > bytes)
    fault("out of bounds", thread, site,
          "an asynchronous copy of %d bytes expects a source of 0 to as many, but got %d", bytes, source_bytes);
  int64_t offset = static_cast<char *>(target) - thread.block->shared;
  if (offset < 0 || offset + bytes > emulator().getSharedBytes())
    fault("out of bounds", thread, site,
          "an asynchronous copy of %d bytes to offset %lld of the block's %lld bytes of shared memory", bytes,
          (long long)offset, (long long)emulator().getSharedBytes());
  AsyncCopy copy{static_cast<char *>(target),
                 static_cast<const char *>(source),
                 uint32_t(bytes),
                 uint32_t(source_bytes),
                 thread.copyGroup,
                 site};
  if (Checker *checker = emulator().getChecker())
    checker->copyIssued(thread, copy);
  // The data arrive as late as allowed. Until then the target is NaN.
  std::memset(target, 0xff, size_t(bytes));
  thread.copies.push_back(copy);
}

void rnnrt_abi_simt_async_commit(void) {
  ++running->copyGroup;
}

void rnnrt_abi_simt_async_wait(int32_t groups, const char *) {
  Thread &thread = *running;
  if (groups < 0)
    arriveBefore(thread, thread.copyGroup + 1);
  else if (uint32_t(groups) < thread.copyGroup)
    arriveBefore(thread, thread.copyGroup - uint32_t(groups));
}

//===-- Checks and messages --------------------------------------------------------------------------------------===//

void rnnrt_abi_simt_access(const void *pointer, int64_t bytes, int32_t kind, const char *site) {
  Checker *checker = emulator().getChecker();
  if (!checker)
    return;
  checker->access(*running, pointer, bytes, kind, site);
  // Without this, a plain load in a polling loop would spin forever. Once the writer has run, it is reported as a race.
  if ((++running->history->accesses & 0xfffff) == 0)
    emulator().preempt(*running);
}

int32_t rnnrt_abi_simt_print(const char *format, const void *arguments) {
  PackedArguments packed(arguments);
  int32_t count = 0;
  while (*format) {
    size_t plain = std::strcspn(format, "%");
    std::fwrite(format, 1, plain, stdout);
    format += plain;
    if (!*format)
      break;
    size_t length = 1 + std::strcspn(format + 1, "%diouxXcspaAeEfFgG");
    if (!format[length])
      break;
    printConversion(format, length + 1, packed);
    count += format[length] != '%';
    format += length + 1;
  }
  return count;
}

void rnnrt_abi_simt_assert(const char *message, const char *site) {
  // Assertions that `generate-runtime-verification` adds: "ERROR: Runtime op verification failed\n^ WHAT\nLocation:
  // ...".
  if (const char *what = std::strstr(message, "verification failed\n^ ")) {
    what += std::strlen("verification failed\n^ ");
    fault("invalid access", *running, site, "%.*s", int(std::strcspn(what, "\n")), what);
  }
  fault("assertion failed", *running, site, "%s", message);
}

} // extern "C"
