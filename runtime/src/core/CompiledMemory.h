// CompiledMemory.h - memory of compiled code, which has no error branches: memory.h describes the handling of failures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_COMPILEDMEMORY_H
#define RNNRT_CORE_COMPILEDMEMORY_H

#include <cstdint>

namespace rnnrt {

/// Never null. The alignment is at least 64.
void *compiledAllocate(int64_t alignment, int64_t bytes);

/// Null is allowed.
void compiledRelease(void *pointer);

} // namespace rnnrt

#endif // RNNRT_CORE_COMPILEDMEMORY_H
