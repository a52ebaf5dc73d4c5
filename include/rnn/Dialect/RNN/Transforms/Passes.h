//===- Passes.h - passes from rnn to rnn -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_TRANSFORMS_PASSES_H
#define RNN_DIALECT_RNN_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "rnn/Target/Options.h"

namespace mlir::rnn {

#define GEN_PASS_DECL
#include "rnn/Dialect/RNN/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rnn/Dialect/RNN/Transforms/Passes.h.inc"

/// Attaches the bufferization models of the rnn ops; one-shot bufferization does the rest.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

/// Attaches linalg's AggregatedOpInterface to the rnn ops, which decomposes them into scf, tensor and linalg ops.
void registerAggregatedOpInterfaceExternalModels(DialectRegistry &registry);

/// Attaches RuntimeVerifiableOpInterface to the rnn layers: upstream's pass generate-runtime-verification asserts the
/// sizes that the types leave open.
void registerRuntimeVerifiableOpInterfaceExternalModels(DialectRegistry &registry);

/// Attaches shard::ShardingInterface to the rnn ops on tensors: upstream's passes sharding-propagation and
/// shard-partition split the batch among processes.
void registerShardingInterfaceExternalModels(DialectRegistry &registry);

/// Attaches TilingInterface to the block ops on tensors: one parallel loop over the batch.
void registerTilingInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNN_TRANSFORMS_PASSES_H
