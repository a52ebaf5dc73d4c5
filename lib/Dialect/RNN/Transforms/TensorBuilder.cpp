//===- TensorBuilder.cpp - tensor, linalg and scf ops of the decomposition ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Dialect/RNN/Transforms/TensorBuilder.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::rnn;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value ElementBuilder::constant(double value, Type type) const {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}
Value ElementBuilder::add(Value x, Value y) const {
  return arith::AddFOp::create(b, loc, x, y);
}
Value ElementBuilder::sub(Value x, Value y) const {
  return arith::SubFOp::create(b, loc, x, y);
}
Value ElementBuilder::mul(Value x, Value y) const {
  return arith::MulFOp::create(b, loc, x, y);
}

Value ElementBuilder::sigmoid(Value x) const {
  // exp(-x) is infinite for a large negative x, and the quotient 0.
  Value one = constant(1, x.getType());
  return arith::DivFOp::create(b, loc, one, add(one, math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x))));
}

Value ElementBuilder::tanh(Value x) const {
  return math::TanhOp::create(b, loc, x);
}

Value ElementBuilder::select(Value condition, Value yes, Value no) const {
  return condition ? arith::SelectOp::create(b, loc, condition, yes, no).getResult() : yes;
}

Value ElementBuilder::clip(Value x, double limit) const {
  Value low = constant(-limit, x.getType()), high = constant(limit, x.getType());
  x = select(arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, low), low, x);
  return select(arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, high), high, x);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value TensorBuilder::value(Size size) const {
  return getValueOrCreateConstantIndexOp(b, loc, size);
}

template <typename OpTy>
static OpFoldResult fold(const TensorBuilder &t, OpFoldResult x, OpFoldResult y,
                         int64_t (*evaluate)(int64_t, int64_t)) {
  std::optional<int64_t> constantX = getConstantIntValue(x), constantY = getConstantIntValue(y);
  if (constantX && constantY)
    return t.b.getIndexAttr(evaluate(*constantX, *constantY));
  return t.b.createOrFold<OpTy>(t.loc, t.value(x), t.value(y));
}

OpFoldResult TensorBuilder::add(Size x, Size y) const {
  return isConstantIntValue(x, 0)   ? y
         : isConstantIntValue(y, 0) ? x
                                    : fold<arith::AddIOp>(*this, x, y, [](int64_t x, int64_t y) { return x + y; });
}
OpFoldResult TensorBuilder::sub(Size x, Size y) const {
  return fold<arith::SubIOp>(*this, x, y, [](int64_t x, int64_t y) { return x - y; });
}
OpFoldResult TensorBuilder::mul(Size x, Size y) const {
  return isConstantIntValue(x, 1)   ? y
         : isConstantIntValue(y, 1) ? x
                                    : fold<arith::MulIOp>(*this, x, y, [](int64_t x, int64_t y) { return x * y; });
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

RankedTensorType TensorBuilder::typeOf(Sizes sizes, Type element) const {
  SmallVector<int64_t> shape;
  for (Size size : sizes)
    shape.push_back(isa<Attribute>(size) ? *getConstantIntValue(size) : ShapedType::kDynamic);
  return RankedTensorType::get(shape, element);
}

Value TensorBuilder::empty(Sizes sizes, Type element) const {
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

Value TensorBuilder::zeros(Sizes sizes, Type element) const {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  return linalg::FillOp::create(b, loc, zero, empty(sizes, element)).getResult(0);
}

Value TensorBuilder::slice(Value source, Sizes offsets, Sizes sizes, unsigned drop) const {
  Type element = cast<RankedTensorType>(source.getType()).getElementType();
  SmallVector<OpFoldResult> strides(sizes.size(), constant(1));
  return tensor::ExtractSliceOp::create(b, loc, typeOf(sizes.drop_front(drop), element), source, offsets, sizes,
                                        strides);
}

Value TensorBuilder::insert(Value source, Value dest, Sizes offsets, Sizes sizes) const {
  // An empty slice at the end of `dest` has an offset that is out of bounds, which the op's verifier rejects.
  if (llvm::any_of(sizes, [](Size size) { return isConstantIntValue(size, 0); }))
    return dest;
  SmallVector<OpFoldResult> strides(sizes.size(), constant(1));
  // A product of sizes may be static where the shape of the source is not: the op requires equal types.
  source = withSizes(source, sizes.take_back(cast<RankedTensorType>(source.getType()).getRank()));
  return tensor::InsertSliceOp::create(b, loc, source, dest, offsets, sizes, strides);
}

static ReassociationIndices allDims(size_t rank) {
  return llvm::to_vector<2>(llvm::seq<int64_t>(0, rank));
}

Value TensorBuilder::expand(Value source, Sizes sizes) const {
  RankedTensorType type = typeOf(sizes, cast<RankedTensorType>(source.getType()).getElementType());
  // The one dimension is static exactly if all of `sizes` are.
  source =
      withType(source, RankedTensorType::get({type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic},
                                             type.getElementType()));
  return tensor::ExpandShapeOp::create(b, loc, type, source, ArrayRef{allDims(sizes.size())}, sizes);
}

Value TensorBuilder::collapse(Value source) const {
  auto type = cast<RankedTensorType>(source.getType());
  if (type.getRank() == 1)
    return source;
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(b, loc, RankedTensorType::get({1}, type.getElementType()), source,
                                         ArrayRef<ReassociationIndices>());
  // No elements. Upstream bufferizes such a collapse_shape with a dynamic size to an op that its verifier rejects.
  if (!type.hasStaticShape() && llvm::is_contained(type.getShape(), 0))
    return empty({constant(0)}, type.getElementType());
  return tensor::CollapseShapeOp::create(b, loc, source, ArrayRef{allDims(type.getRank())});
}

Value TensorBuilder::withType(Value source, Type type) const {
  return source.getType() == type ? source : tensor::CastOp::create(b, loc, type, source).getResult();
}

Value TensorBuilder::withSizes(Value source, Sizes sizes) const {
  return source ? withType(source, typeOf(sizes, cast<RankedTensorType>(source.getType()).getElementType())) : source;
}

Value TensorBuilder::convert(Value source, Type element) const {
  auto type = cast<RankedTensorType>(source.getType());
  if (type.getElementType() == element)
    return source;
  SmallVector<unsigned, 4> loops = llvm::to_vector<4>(llvm::seq<unsigned>(0, type.getRank()));
  Value out = empty(tensor::getMixedSizes(b, loc, source), element);
  return generic(type.getRank(), {{source, loops}}, {{out, loops}},
                 [](const ElementBuilder &, ValueRange scalars) { return SmallVector<Value>{scalars[0]}; })[0];
}

//===----------------------------------------------------------------------===//
// Linalg ops
//===----------------------------------------------------------------------===//

static Value toFloatType(OpBuilder &b, Location loc, Value value, Type type) {
  auto from = dyn_cast<FloatType>(value.getType()), to = dyn_cast<FloatType>(type);
  if (!from || !to || from == to)
    return value;
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(b, loc, to, value);
  return arith::TruncFOp::create(b, loc, to, value);
}

SmallVector<Value> TensorBuilder::generic(unsigned loops, ArrayRef<Operand> inputs, ArrayRef<Operand> outs,
                                          Body body) const {
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputValues, outValues;
  llvm::SmallBitVector isParallel(loops);
  for (const Operand &operand : inputs) {
    maps.push_back(AffineMap::getMultiDimMapWithTargets(loops, operand.loops, b.getContext()));
    inputValues.push_back(operand.value);
  }
  for (const Operand &operand : outs) {
    maps.push_back(AffineMap::getMultiDimMapWithTargets(loops, operand.loops, b.getContext()));
    outValues.push_back(operand.value);
    for (unsigned loop : operand.loops)
      isParallel.set(loop);
  }
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop < loops; ++loop)
    iterators.push_back(isParallel.test(loop) ? utils::IteratorType::parallel : utils::IteratorType::reduction);
  auto build = [&](OpBuilder &nested, Location nestedLoc, ValueRange scalars) {
    SmallVector<Value> wide;
    for (Value scalar : scalars)
      wide.push_back(toFloatType(nested, nestedLoc, scalar, compute));
    SmallVector<Value> results = body(ElementBuilder{nested, nestedLoc}, wide);
    for (auto [result, out] : llvm::zip_equal(results, outs))
      result = toFloatType(nested, nestedLoc, result, cast<RankedTensorType>(out.value.getType()).getElementType());
    linalg::YieldOp::create(nested, nestedLoc, results);
  };
  auto op = linalg::GenericOp::create(b, loc, TypeRange(ValueRange(outValues)), inputValues, outValues, maps, iterators,
                                      build);
  return SmallVector<Value>(op.getResults());
}

Value TensorBuilder::contract(unsigned loops, Operand left, Operand right, Operand out) const {
  return generic(loops, {left, right}, {out}, [](const ElementBuilder &e, ValueRange s) {
    return SmallVector<Value>{e.add(s[2], e.mul(s[0], s[1]))};
  })[0];
}

Value TensorBuilder::reduce(unsigned loops, Operand input, Operand out) const {
  return generic(loops, {input}, {out},
                 [](const ElementBuilder &e, ValueRange s) { return SmallVector<Value>{e.add(s[1], s[0])}; })[0];
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> TensorBuilder::loop(Size lower, Size upper, ValueRange values, LoopBody body) const {
  auto op = scf::ForOp::create(b, loc, value(lower), value(upper), value(constant(1)), values);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  SmallVector<Value> results = body(op.getInductionVar(), op.getRegionIterArgs());
  if (!values.empty())
    scf::YieldOp::create(b, loc, results);
  return SmallVector<Value>(op.getResults());
}

SmallVector<Value> TensorBuilder::ifElse(Value condition, function_ref<SmallVector<Value>()> yes,
                                         function_ref<SmallVector<Value>()> no) const {
  auto emit = [&](function_ref<SmallVector<Value>()> branch) {
    return [this, branch](OpBuilder &, Location) { scf::YieldOp::create(b, loc, branch()); };
  };
  return SmallVector<Value>(scf::IfOp::create(b, loc, condition, emit(yes), emit(no)).getResults());
}
