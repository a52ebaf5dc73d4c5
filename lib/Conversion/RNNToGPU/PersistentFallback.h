//===- PersistentFallback.h - persistent kernels with a fallback -*- C++ -*-===//
//
// Whether a device can hold a cluster with its registers and shared memory is known at run time only. A module that
// launches persistent kernels therefore has the per-step kernels too.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTFALLBACK_H
#define RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTFALLBACK_H

#include "Layers.h"

namespace mlir::rnn {

/// Emits the launches of `persistent` and, for devices that cannot hold their clusters, those of `fallback`. Kernels of
/// `persistent` without clusters, such as the one that orders the weights, run on every device.
void launchPersistentOr(const Emitter &host, function_ref<void()> persistent, function_ref<void()> fallback);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTFALLBACK_H
