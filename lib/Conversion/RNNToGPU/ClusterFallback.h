//===- ClusterFallback.h - clusters, or something in their place -*- C++ -*-===//
//
// Only the device knows whether it can hold a cluster of blocks with their registers and shared memory, so a module that
// launches clusters also has the kernels that do without.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFALLBACK_H
#define RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFALLBACK_H

#include "Internal.h"

namespace mlir::rnn {

/// What `clusters` launches, and where the device holds no such cluster, what `otherwise` launches. Small kernels that
/// prepare something for clusters run in both cases.
void launchClustersOr(const Emitter &host, function_ref<void()> clusters, function_ref<void()> otherwise);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFALLBACK_H
