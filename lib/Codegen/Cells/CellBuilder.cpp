//===- CellBuilder.cpp - arithmetic ops for the equations of cells -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/Cells/CellBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::rnn;

CellBuilder::~CellBuilder() = default;

Value CellBuilder::add(Value a, Value b) const {
  return arith::AddFOp::create(builder, loc, a, b, flags);
}
Value CellBuilder::sub(Value a, Value b) const {
  return arith::SubFOp::create(builder, loc, a, b, flags);
}
Value CellBuilder::mul(Value a, Value b) const {
  return arith::MulFOp::create(builder, loc, a, b, flags);
}
Value CellBuilder::mulAdd(Value a, Value b, Value c) const {
  return add(mul(a, b), c);
}

Value CellBuilder::sigmoid(Value x) const {
  // For a large negative x, exp(-x) is infinite and the quotient 0.
  Value one = constant(1.0, x);
  Value power = math::ExpOp::create(builder, loc, arith::NegFOp::create(builder, loc, x));
  return arith::DivFOp::create(builder, loc, one, add(one, power));
}

Value CellBuilder::tanh(Value x) const {
  return math::TanhOp::create(builder, loc, x);
}

Value CellBuilder::constant(double value, Value like) const {
  TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(like.getType()), value);
  if (auto type = dyn_cast<VectorType>(like.getType()))
    attr = DenseElementsAttr::get(type, cast<Attribute>(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value CellBuilder::select(arith::CmpFPredicate predicate, Value a, Value b, Value yes, Value no) const {
  Value condition = arith::CmpFOp::create(builder, loc, predicate, a, b);
  return builder.createOrFold<arith::SelectOp>(loc, condition, yes, no);
}
