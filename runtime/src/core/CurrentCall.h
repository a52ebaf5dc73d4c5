// CurrentCall.h - the call that the kernels launched by this thread belong to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_CURRENTCALL_H
#define RNNRT_CORE_CURRENTCALL_H

#include "rnn_runtime/call.h"

#include <string>

namespace rnnrt {

/// Compiled code sets it before each launch, since upstream's launch entries (mgpu*) carry no call of ours.
void setCurrentCall(rnnrt_call_t *call);

/// Null when this thread has not set one, or when it was released.
rnnrt_call_t *currentCall();

/// RNNRT_CLUSTERS=0: no launch of clusters that code can do without.
bool clustersAreUnwanted();

/// Between rnnrt_abi_try_clusters and rnnrt_abi_clusters_ran: the launch did not happen, and a line of trace says why.
void leaveOutClusters(rnnrt_call_t &call, const std::string &launch, rnnrt_left_out_t by, const std::string &reason);
/// The same, as clustersAreUnwanted has it.
void leaveOutUnwantedClusters(rnnrt_call_t &call, const std::string &launch);

} // namespace rnnrt

#endif // RNNRT_CORE_CURRENTCALL_H
