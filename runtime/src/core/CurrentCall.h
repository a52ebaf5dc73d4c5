// CurrentCall.h - the call that the kernels launched by this thread belong to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_CURRENTCALL_H
#define RNNRT_CORE_CURRENTCALL_H

#include "rnn_runtime/types.h"

namespace rnnrt {

/// Compiled code sets it before each launch, since upstream's launch entries (mgpu*) carry no call of ours.
void setCurrentCall(rnnrt_call_t *call);

/// Null when this thread has not set one, or when it was released.
rnnrt_call_t *currentCall();

} // namespace rnnrt

#endif // RNNRT_CORE_CURRENTCALL_H
