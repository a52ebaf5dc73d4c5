// CurrentCall.h - the call that the kernels launched by this thread belong to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_CURRENTCALL_H
#define RNNRT_CORE_CURRENTCALL_H

#include "rnn_runtime/call.h"

#include <cstdint>
#include <string>

namespace rnnrt {

/// Compiled code sets it before each launch: the launch entries have upstream's parameters, without a call.
void setCurrentCall(rnnrt_call_t *call);

/// Null if this thread has set none, or if it was released.
rnnrt_call_t *currentCall();

/// True for RNNRT_CLUSTERS=0: launches of clusters are skipped if the code has other kernels for their work.
bool clustersAreDisabled();

/// False with RNNRT_WAVEFRONT_SIGNALS=0: a kernel never goes on with the next task of a wavefront.
bool usesSignals();

/// RNNRT_RESIDENT_CLUSTERS, the most clusters that a device is assumed to hold together, or INT64_MAX.
int64_t getMostResidentClusters();

/// Records that `launch`, between rnnrt_abi_try_clusters and rnnrt_abi_clusters_ran, was skipped. Traces the reason.
void skipClusters(rnnrt_call_t &call, const std::string &launch, rnnrt_skipped_by_t by, const std::string &reason);
/// The same for clustersAreDisabled.
void skipDisabledClusters(rnnrt_call_t &call, const std::string &launch);

} // namespace rnnrt

#endif // RNNRT_CORE_CURRENTCALL_H
