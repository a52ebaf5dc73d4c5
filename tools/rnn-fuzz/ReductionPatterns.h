//===- ReductionPatterns.h - smaller forms of an op -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_REDUCTIONPATTERNS_H
#define RNN_TOOLS_RNN_FUZZ_REDUCTIONPATTERNS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlir::rnn::fuzz {

/// Makes the rnn dialect provide patterns to upstream's `reduction-tree`: results become operands, arguments or zeros;
/// regions are inlined; attributes and optional operands of rnn ops are dropped; @main loses arguments and results.
void registerReductionPatterns(DialectRegistry &registry);

/// Names the arguments and results of @main by their indices (`rnn.name`), so that a reduced module still has them.
void nameArguments(ModuleOp module);

/// The original indices of the arguments, or of the results, of @main: those of the names, or all.
SmallVector<unsigned> getArgumentIndices(ModuleOp module);
SmallVector<unsigned> getResultIndices(ModuleOp module);

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_REDUCTIONPATTERNS_H
