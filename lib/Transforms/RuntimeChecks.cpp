//===- RuntimeChecks.cpp - shared by the passes that check sizes and indices at run time -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeChecks.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::rnn;

StringRef rnn::getSourceName(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (generic && generic.getBody()->getOperations().size() == 2)
    return generic.getBody()->front().getName().getStringRef();
  return op->getName().getStringRef();
}

ValueBoundsConstraintSet::Variable rnn::getSizeVariable(Value value, int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (type.isDynamicDim(dim))
    return {value, dim};
  return {OpFoldResult(Builder(value.getContext()).getIndexAttr(type.getDimSize(dim)))};
}

Value SizeExpression::materialize(OpBuilder &builder, Location loc) const {
  return getValueOrCreateConstantIndexOp(builder, loc, affine::materializeComputedBound(builder, loc, map, operands));
}

static SizeExpression toExpression(OpFoldResult size) {
  ValueBoundsConstraintSet::Variable variable(size);
  return {variable.getMap(), variable.getOperands()};
}

SizeExpression rnn::traceSize(Value value, int64_t dim) {
  while (true) {
    auto type = cast<ShapedType>(value.getType());
    if (!type.isDynamicDim(dim))
      return toExpression(Builder(value.getContext()).getIndexAttr(type.getDimSize(dim)));
    Operation *op = value.getDefiningOp();
    if (auto destinationStyle = dyn_cast_or_null<DestinationStyleOpInterface>(op)) {
      value = destinationStyle.getTiedOpOperand(cast<OpResult>(value))->get();
    } else if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op)) {
      return toExpression(empty.getDynamicSize(dim));
    } else {
      ValueBoundsConstraintSet::Variable variable(value, dim);
      return {variable.getMap(), variable.getOperands()};
    }
  }
}

Operation *rnn::getPlaceOfCheck(Operation *op, const ValueDimList &operands) {
  Operation *place = op;
  while (auto loop = dyn_cast<LoopLikeOpInterface>(place->getParentOp())) {
    bool isInvariant =
        llvm::all_of(operands, [&](const auto &operand) { return loop.isDefinedOutsideOfLoop(operand.first); });
    if (!isInvariant || !place->getBlock()->isEntryBlock())
      break;
    place = loop;
  }
  return place->getParentOfType<scf::ParallelOp>() || place->getParentOfType<scf::ForallOp>() ? nullptr : place;
}
