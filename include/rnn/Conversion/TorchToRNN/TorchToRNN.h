//===- TorchToRNN.h - convert PyTorch's recurrent layers to rnn -*- C++ -*-===//
//
// The parts of `convert-torch-to-rnn` for compilers with their own pattern driver. The pass documents the semantics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_TORCHTORNN_TORCHTORNN_H
#define RNN_CONVERSION_TORCHTORNN_TORCHTORNN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Changes the type of every value that carries a reserve space of `aten::_cudnn_rnn`, and the signatures of functions
/// that pass it, to `tensor<?xi8>`. The patterns require that type.
LogicalResult retypeTorchReserveSpaces(ModuleOp module);

/// Adds the patterns for torch-mlir's forms of `aten::lstm`, `aten::gru`, `aten::rnn_tanh`, `aten::rnn_relu`,
/// `aten::_cudnn_rnn` and its gradient. Operands and results are converted by `torch_c.to_builtin_tensor` and
/// `torch_c.from_builtin_tensor`. A pattern reports one error for an invalid op and does not change it. Use a driver
/// that visits each op once
/// (`walkAndApplyPatterns`), and check for remaining modelled ops afterwards.
void populateTorchToRNNPatterns(RewritePatternSet &patterns, PatternBenefit benefit = 1);

/// Returns true for the ops that `populateTorchToRNNPatterns` converts.
bool isModelledTorchOp(Operation *op);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_TORCHTORNN_TORCHTORNN_H
