//===- FoldInsertedZeros.h - ops on tensors with inserted zeros -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_FOLDINSERTEDZEROS_H
#define RNN_LIB_TRANSFORMS_FOLDINSERTEDZEROS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "rnn/Transforms/ZeroTensors.h"

namespace mlir::rnn {

/// The insertion of a tensor into zeros of the same rank, at offsets and with strides that are constants, or null.
inline tensor::InsertSliceOp getInsertionIntoZeros(Value value) {
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || insert.getSourceType().getRank() != insert.getType().getRank() || !isZero(insert.getDest()) ||
      ShapedType::isDynamicShape(insert.getStaticOffsets()) || ShapedType::isDynamicShape(insert.getStaticStrides()))
    return {};
  return insert;
}

/// If the op adds two tensors that are zero except for disjoint inserted slices, replaces it by insertions of all
/// slices into one tensor. Requires static sizes, and that the insertions have no other users.
void foldSumOfInsertions(RewriterBase &b, linalg::LinalgOp op);

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_FOLDINSERTEDZEROS_H
