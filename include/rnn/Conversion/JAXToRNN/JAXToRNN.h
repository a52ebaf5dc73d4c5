//===- JAXToRNN.h - convert JAX's cuDNN and MIOpen calls to rnn -*- C++ -*-===//
//
// The parts of `convert-jax-to-rnn` for compilers with their own pattern driver. The pass documents the semantics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_JAXTORNN_JAXTORNN_H
#define RNN_CONVERSION_JAXTORNN_JAXTORNN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Changes the type of every value that carries a reserve space of JAX's calls, and the signatures of functions that
/// pass it, to `tensor<?xi8>`. The patterns require that type.
LogicalResult retypeJAXReserveSpaces(ModuleOp module);

/// Adds the patterns for `stablehlo.custom_call` and `mhlo.custom_call`. A pattern reports one error for an invalid
/// call and does not change it. Use a driver that visits each op once (`walkAndApplyPatterns`), and check for remaining
/// calls afterwards.
void populateJAXToRNNPatterns(RewritePatternSet &patterns, PatternBenefit benefit = 1);

/// Returns true for the calls that `populateJAXToRNNPatterns` converts.
bool isModelledJAXCall(Operation *op);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_JAXTORNN_JAXTORNN_H
