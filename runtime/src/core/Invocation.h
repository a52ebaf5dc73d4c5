// Invocation.h - one execution of an exported function, and what it holds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_INVOCATION_H
#define RNNRT_CORE_INVOCATION_H

#include "core/Exit.h"
#include "core/Memory.h"
#include "core/Status.h"
#include "rnn_runtime/abi.h"

#include <mutex>
#include <unordered_set>
#include <vector>

namespace rnnrt {

struct PackedCopy;

/// The exported function that runs in a thread, and in the threads of its team.
class Invocation {
public:
  using Body = void (*)(rnnrt_call_t *, void *const *, void *const *);

  explicit Invocation(rnnrt_call_t &call) : call(call) {}
  Invocation(const Invocation &) = delete;

  /// Null outside of exported functions, and for the invocation of another call.
  static Invocation *of(rnnrt_call_t *call);

  /// Runs compiled code. If it is left by an exit, frees what it holds and records the failure in the call. Returns
  /// true if it returned by itself; its results then belong to the caller.
  bool run(Body body, void *const *arguments, void *const *results);

  /// Keeps the first failure. Thread-safe: parts of a team have no access to the call.
  void fail(Status status);
  /// Only in the thread of the call.
  bool hasFailed() const;

  // Device memory and packed weights, in the thread of the call only. `add` functions throw std::bad_alloc.
  void addDeviceBlock(void *pointer) { deviceBlocks.insert(pointer); }
  void removeDeviceBlock(void *pointer) { deviceBlocks.erase(pointer); }
  void reservePacking() { packing.reserve(packing.size() + 1); }
  void beginPacking(PackedCopy *copy) { packing.push_back(copy); }
  void endPacking(PackedCopy *copy);

  /// Blocks of compiled code.
  BlockList blocks;
  /// An allocation failed inside a kernel on the emulator: nothing frees what the other threads of the kernel
  /// allocated.
  bool hasEndedKernel = false;

private:
  void releaseAll();

  rnnrt_call_t &call;
  std::mutex mutex;
  Status failure;
  std::unordered_set<void *> deviceBlocks;
  std::vector<PackedCopy *> packing; ///< copies that this invocation packs
};

} // namespace rnnrt

#endif // RNNRT_CORE_INVOCATION_H
