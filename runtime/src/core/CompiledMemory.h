// CompiledMemory.h - memory of compiled code, which has no error branches: memory.h describes the handling of failures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_COMPILEDMEMORY_H
#define RNNRT_CORE_COMPILEDMEMORY_H

#include "core/Status.h"

#include <cstdint>

namespace rnnrt {

/// Never null: leaves compiled code if memory is insufficient (core/Invocation.h). The caller must have no destructors
/// to run. The alignment is at least 64.
void *compiledAllocate(int64_t alignment, int64_t bytes);

/// The same for the runtime itself: the block is not freed if compiled code is left.
Status tryCompiledAllocate(int64_t alignment, int64_t bytes, void *&result);

/// Null is allowed.
void compiledRelease(void *pointer);

/// Leaves compiled code with a failure, which becomes the status of the call. Without an exported function, calls the
/// failure handler, with `bytes`. The caller must have no destructors to run.
[[noreturn]] void failCompiledCode(Status status, int64_t bytes = 0);

} // namespace rnnrt

#endif // RNNRT_CORE_COMPILEDMEMORY_H
