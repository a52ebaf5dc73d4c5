// Invocation.cpp - runs compiled code, and releases what it holds if it is left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Invocation.h"
#include "core/CompiledMemory.h"
#include "core/Device.h"

#include <algorithm>

using namespace rnnrt;

Invocation *Invocation::of(rnnrt_call_t *call) {
  Exit *exit = Exit::current();
  return exit && &exit->invocation->call == call ? exit->invocation : nullptr;
}

bool Invocation::hasFailed() const {
  return !call.first.ok();
}

void Invocation::fail(Status status) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failure.ok())
    failure = std::move(status);
}

bool Invocation::run(Body body, void *const *arguments, void *const *results) {
  Exit exit(this, nullptr);
  if (_setjmp(exit.point) == 0) {
    body(&call, arguments, results);
    if (!hasEndedKernel) {
      // The caller frees results, in any thread.
      blocks.detachAll();
      call.record(std::move(failure));
      return true;
    }
  }
  call.record(std::move(failure));
  releaseAll();
  return false;
}

void Invocation::endPacking(PackedCopy *copy) {
  packing.erase(std::remove(packing.begin(), packing.end(), copy), packing.end());
}

void Invocation::releaseAll() {
  // Tasks use the blocks.
  call.endWavefront();
  // Before the blocks: scratch copies are blocks.
  for (PackedCopy *copy : packing)
    endPacked(copy, /*isPacked=*/false);
  while (void *block = blocks.first())
    compiledRelease(block);
  for (void *pointer : deviceBlocks)
    call.record(guarded([&] { return call.device->backend->release(call.stream.get(), pointer); }));
  call.triesClusters = false;
  call.nextResets = {};
}
