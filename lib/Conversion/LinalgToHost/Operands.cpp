//===- Operands.cpp - linalg ops with copies of their operands ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::rnn;

std::pair<Value, AffineMap> host::allocatePermuted(ImplicitLocOpBuilder &b, Value operand, AffineMap map,
                                                   ArrayRef<unsigned> loops) {
  SmallVector<OpFoldResult> shape;
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : loops) {
    exprs.push_back(b.getAffineDimExpr(loop));
    shape.push_back(memref::getMixedSize(b, b.getLoc(), operand, *map.getResultPosition(exprs.back())));
  }
  auto [sizes, dynamic] = decomposeMixedValues(shape);
  auto type = MemRefType::get(sizes, cast<MemRefType>(operand.getType()).getElementType());
  Value buffer = memref::AllocOp::create(b, type, dynamic, b.getI64IntegerAttr(64));
  return {buffer, AffineMap::get(map.getNumDims(), 0, exprs, b.getContext())};
}

linalg::GenericOp host::createCopy(ImplicitLocOpBuilder &b, Value from, AffineMap fromMap, Value to, AffineMap toMap) {
  // Loops are the dimensions of `to`.
  AffineMap loops = inversePermutation(compressUnusedDims(toMap));
  SmallVector<utils::IteratorType> iterators(loops.getNumDims(), utils::IteratorType::parallel);
  AffineMap maps[] = {compressUnusedDims(fromMap).compose(loops), b.getMultiDimIdentityMap(loops.getNumDims())};
  return linalg::GenericOp::create(
      b, TypeRange(), from, to, maps, iterators,
      [](OpBuilder &b, Location loc, ValueRange values) { linalg::YieldOp::create(b, loc, values.front()); });
}

linalg::GenericOp host::replaceOperands(OpBuilder &b, linalg::LinalgOp op, ArrayRef<unsigned> loops,
                                        ValueRange operands, ArrayRef<AffineMap> maps) {
  SmallVector<utils::IteratorType> all = op.getIteratorTypesArray(), iterators;
  for (unsigned loop : loops)
    iterators.push_back(all[loop]);
  unsigned inputs = op.getNumDpsInputs();
  auto generic = linalg::GenericOp::create(b, op.getLoc(), TypeRange(), operands.take_front(inputs),
                                           operands.drop_front(inputs), maps, iterators);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  op->erase();
  return generic;
}

linalg::GenericOp host::replaceOperands(OpBuilder &b, linalg::LinalgOp op, ValueRange operands,
                                        ArrayRef<AffineMap> maps) {
  return replaceOperands(b, op, llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops())), operands, maps);
}
