//===- InitAllDialects.h - registration of our dialects for tools -*- C++ -*-===//
//
// For tools and embedders. Nothing under lib/Dialect or lib/Conversion includes it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_INITALLDIALECTS_H
#define RNN_INITALLDIALECTS_H

#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/TransformOps/RNNTransformOps.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/MemoryEffects.h"

namespace mlir::rnn {

/// Adds our dialects and their interface models to `registry`.
inline void registerAllDialects(DialectRegistry &registry) {
  registry.insert<RNNDialect, rnngpu::RNNGPUDialect, rnnrt::RNNRTDialect>();
  registerAggregatedOpInterfaceExternalModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  registerMemoryEffectExternalModels(registry);
  registerRuntimeVerifiableOpInterfaceExternalModels(registry);
  registerShardingInterfaceExternalModels(registry);
  registerTilingInterfaceExternalModels(registry);
  registerTransformDialectExtension(registry);
}

} // namespace mlir::rnn

#endif // RNN_INITALLDIALECTS_H
