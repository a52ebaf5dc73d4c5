//===- ONNXToRNN.h - convert ONNX's recurrent layers to rnn -*- C++ -*-===//
//
// The parts of `convert-onnx-to-rnn` for compilers with their own pattern driver. The pass documents the semantics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_ONNXTORNN_ONNXTORNN_H
#define RNN_CONVERSION_ONNXTORNN_ONNXTORNN_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Adds the patterns for `onnx.LSTM`, `onnx.GRU` and `onnx.RNN`, as ops of onnx-mlir and as `torch.operator`. A pattern
/// reports one error for an invalid op and does not change it. Use a driver that visits each op once
/// (`walkAndApplyPatterns`), and check for remaining modelled ops afterwards.
void populateONNXToRNNPatterns(RewritePatternSet &patterns, PatternBenefit benefit = 1);

/// Returns true for the ops that `populateONNXToRNNPatterns` converts.
bool isModelledONNXOp(Operation *op);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_ONNXTORNN_ONNXTORNN_H
