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

uint64_t host::countIterations(ArrayRef<int64_t> sizes, uint64_t unknown, function_ref<bool(unsigned)> isCounted) {
  uint64_t product = 1;
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (isCounted(loop))
      product = llvm::SaturatingMultiply<uint64_t>(product, ShapedType::isDynamic(size) ? unknown : size);
  return product;
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

FailureOr<bool> host::convertOnCopies(linalg::LinalgOp op, ArrayRef<OperandOrder> orders, bool isZero,
                                      const HostVectors &vectors, cpu::KernelLibrary &library,
                                      function_ref<FailureOr<bool>(linalg::LinalgOp)> convert) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> operands(op->getOperands()), copies;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<linalg::LinalgOp> copyOps;
  Operation *last = op;
  linalg::FillOp fill;
  for (const OperandOrder &order : orders) {
    auto [operand, loops] = order;
    auto [copy, map] = allocatePermuted(b, operands[operand], maps[operand], loops);
    copies.push_back(copy);
    bool isResult = operand == op.getNumDpsInputs();
    if (isResult && isZero) {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(getElementTypeOrSelf(copy)));
      fill = linalg::FillOp::create(b, zero, copy);
    } else {
      copyOps.push_back(createCopy(b, operands[operand], maps[operand], copy, map));
    }
    if (isResult) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfter(op);
      last = copyOps.emplace_back(createCopy(b, copy, map, operands[operand], maps[operand]));
    }
    operands[operand] = copy, maps[operand] = map;
  }
  b.setInsertionPointAfter(last);
  for (Value copy : copies)
    memref::DeallocOp::create(b, copy);
  b.setInsertionPoint(op);
  linalg::LinalgOp arranged = replaceOperands(b, op, operands, maps);

  for (linalg::LinalgOp copy : copyOps)
    (void)convertToVectorLoops(copy, /*isZero=*/false, vectors, library);
  FailureOr<bool> startsFromZero = convert(arranged);
  bool isOverwritten = succeeded(startsFromZero) && *startsFromZero;
  if (!fill)
    return isOverwritten;
  // The result is zero before the copy, which overwrites it.
  if (isOverwritten)
    fill->erase();
  else
    (void)convertToVectorLoops(fill, /*isZero=*/false, vectors, library);
  return true;
}
