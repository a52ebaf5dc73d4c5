//===- LinalgForms.h - copies, sums and products in linalg -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_LINALGFORMS_H
#define RNN_LIB_TRANSFORMS_LINALGFORMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::rnn {

/// Whether each element of the only result is an element of the only input.
inline bool isCopy(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() && llvm::hasSingleElement(*op.getBlock()) &&
         op.getBlock()->getTerminator()->getOperand(0) == op.getBlock()->getArgument(0);
}

/// Creates an op with the body of `op`, and with other operands and loops.
inline linalg::GenericOp createWithBody(OpBuilder &b, linalg::LinalgOp op, ValueRange inputs, Value output,
                                        ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators) {
  auto generic = linalg::GenericOp::create(b, op.getLoc(), TypeRange(output.getType()), inputs, ValueRange(output),
                                           maps, iterators);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  return generic;
}

/// Replaces an op with one result by one that reads other inputs, by other maps.
inline void replaceInputs(linalg::LinalgOp op, ValueRange inputs, ArrayRef<AffineMap> maps) {
  OpBuilder b(op);
  op->replaceAllUsesWith(createWithBody(b, op, inputs, op.getDpsInits().front(), maps, op.getIteratorTypesArray()));
  op->erase();
}

/// Whether the op adds products of its two inputs to its only result.
inline bool isSumOfProducts(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() || op.hasIndexSemantics())
    return false;
  return linalg::detail::isContractionBody(*op.getBlock(), [](Operation *product, Operation *sum) {
    return (isa<arith::MulFOp>(product) && isa<arith::AddFOp>(sum)) ||
           (isa<arith::MulIOp>(product) && isa<arith::AddIOp>(sum));
  });
}

/// Whether the op adds elements of its only input to its only result.
inline bool isSum(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !op.hasPureTensorSemantics() || !llvm::hasNItems(*op.getBlock(), 2))
    return false;
  Block &body = *op.getBlock();
  Operation &sum = body.front();
  return isa<arith::AddFOp, arith::AddIOp>(sum) && body.getTerminator()->getOperand(0) == sum.getResult(0) &&
         llvm::all_of(body.getArguments(),
                      [&](Value argument) { return llvm::is_contained(sum.getOperands(), argument); });
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

#endif // RNN_LIB_TRANSFORMS_LINALGFORMS_H
