//===- FoldInsertedZeros.h - ops on tensors with inserted zeros -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_FOLDINSERTEDZEROS_H
#define RNN_LIB_TRANSFORMS_FOLDINSERTEDZEROS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// If the op adds tensors of static sizes that were inserted into zeros at different places, replaces it by insertions
/// into one tensor. Each insertion has no other user.
void foldSumOfInsertions(RewriterBase &b, linalg::LinalgOp op);

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_FOLDINSERTEDZEROS_H
