//===- ClusterFallback.h - launches of clusters with a fallback -*- C++ -*-===//
//
// Whether a device can hold a cluster with its registers and shared memory is known at run time only. A module that
// launches clusters therefore has kernels without them too.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFALLBACK_H
#define RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFALLBACK_H

#include "Layers.h"

namespace mlir::rnn {

/// Emits the launches of `clusters` and, for devices that cannot hold their clusters, those of `fallback`. Kernels of
/// `clusters` without clusters, such as the one that orders the weights, run on every device.
void launchClustersOr(const Emitter &host, function_ref<void()> clusters, function_ref<void()> fallback);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFALLBACK_H
