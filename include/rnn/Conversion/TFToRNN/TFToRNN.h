//===- TFToRNN.h - convert TensorFlow's RNN raw ops to rnn -*- C++ -*-===//
//
// The parts of `convert-tf-to-rnn` for compilers with their own pattern driver. The pass documents the semantics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_TFTORNN_TFTORNN_H
#define RNN_CONVERSION_TFTORNN_TFTORNN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Changes the type of every value that carries a reserve space, and the signatures of functions that pass it, to
/// `tensor<?xi8>`. The patterns require that type. If an origin or use of a reserve space does not support it, the
/// function reports an error and changes nothing.
LogicalResult retypeReserveSpaces(ModuleOp module);

/// Adds one pattern for each modelled op, and those for `tf.Const`, `tf.Identity` and `tf.NoOp`. A pattern reports one
/// error for an invalid op and does not change it. Use a driver that visits each op once (`walkAndApplyPatterns`), and
/// check for remaining modelled ops afterwards.
void populateTFToRNNPatterns(RewritePatternSet &patterns, PatternBenefit benefit = 1);

/// Returns true for the names of the ops that `populateTFToRNNPatterns` converts to the rnn dialect.
bool isModelledTFOp(StringRef name);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_TFTORNN_TFTORNN_H
