//===- TFToRNN.h - TensorFlow's RNN raw ops to the rnn dialect -*- C++ -*-===//
//
// The parts of `convert-tf-to-rnn` for compilers that bring their own driver. The pass documents the semantics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_TFTORNN_TFTORNN_H
#define RNN_CONVERSION_TFTORNN_TFTORNN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Gives every value that carries a reserve space, and the functions that it passes through, the type `tensor<?xi8>`.
/// Run it before the patterns, which expect that type. Fails with an error, and changes nothing, where a reserve space
/// comes from or goes to something that cannot carry bytes.
LogicalResult retypeReserveSpaces(ModuleOp module);

/// Adds one pattern for each modelled op, and those for `tf.Const`, `tf.Identity` and `tf.NoOp`. A pattern that meets
/// an op that does not fit emits one error and leaves the op as it is, so use a driver that tries each op once
/// (`walkAndApplyPatterns`) and look for modelled ops that are left.
void populateTFToRNNPatterns(RewritePatternSet &patterns, PatternBenefit benefit = 1);

/// True for the names of the ops that `populateTFToRNNPatterns` converts to the rnn dialect.
bool isModelledTFOp(StringRef name);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_TFTORNN_TFTORNN_H
