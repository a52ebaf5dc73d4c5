//===- LinalgSums.h - linalg ops that add -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_LINALGSUMS_H
#define RNN_LIB_TRANSFORMS_LINALGSUMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::rnn {

/// Whether the op adds products of its two inputs to its only result.
inline bool isSumOfProducts(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() || op.hasIndexSemantics())
    return false;
  return linalg::detail::isContractionBody(*op.getBlock(), [](Operation *product, Operation *sum) {
    return (isa<arith::MulFOp>(product) && isa<arith::AddFOp>(sum)) ||
           (isa<arith::MulIOp>(product) && isa<arith::AddIOp>(sum));
  });
}

/// The scalar op that an elementwise op of two tensors applies to pairs of elements, or null.
inline Operation *getCombiner(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  Block &body = *op.getBlock();
  Operation &combiner = body.front();
  auto isInput = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &body && argument.getArgNumber() < 2;
  };
  bool combines = llvm::hasNItems(body, 2) && combiner.getNumOperands() == 2 && combiner.getNumResults() == 1 &&
                  body.getTerminator()->getOperand(0) == combiner.getResult(0) &&
                  llvm::all_of(combiner.getOperands(), isInput) && combiner.getOperand(0) != combiner.getOperand(1);
  return combines ? &combiner : nullptr;
}

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_LINALGSUMS_H
