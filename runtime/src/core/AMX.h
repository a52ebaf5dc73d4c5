// AMX.h - permission to use AMX tile registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_AMX_H
#define RNNRT_CORE_AMX_H

#include "core/Status.h"

namespace rnnrt {

/// Requests the permission to use AMX tile registers, once per process. UNAVAILABLE if the processor or the kernel has
/// no AMX, or if the kernel refuses.
Status enableAMX();

} // namespace rnnrt

#endif // RNNRT_CORE_AMX_H
