//===- StackParams.cpp - parameters of a framework as those of a stack -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StackParams.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::rnn;

/// The elements of consecutive rows as a constant of type `type`, or null if `value` is not a constant.
static Value sliceConstant(OpBuilder &b, Location loc, Value value, RankedTensorType type, int64_t firstElement) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || type.getElementTypeBitWidth() % 8 != 0)
    return Value();
  if (elements.isSplat())
    return arith::ConstantOp::create(b, loc, elements.resizeSplat(type));
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  ArrayRef<char> data = elements.getRawData().slice(firstElement * bytes, type.getNumElements() * bytes);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::getFromRawBuffer(type, data));
}

Value rnn::sliceRows(OpBuilder &b, Location loc, Value value, int64_t first, int64_t count) {
  auto source = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(source.getShape());
  int64_t row = source.getNumElements() / std::max<int64_t>(shape[0], 1);
  shape[0] = count;
  auto type = RankedTensorType::get(shape, source.getElementType());
  if (Value constant = sliceConstant(b, loc, value, type, first * row))
    return constant;
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)), strides(shape.size(), b.getIndexAttr(1));
  offsets[0] = b.getIndexAttr(first);
  return tensor::ExtractSliceOp::create(b, loc, type, value, offsets, getAsIndexOpFoldResult(b.getContext(), shape),
                                        strides);
}

Value rnn::selectFirst(OpBuilder &b, Location loc, Value value, int64_t index) {
  auto source = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(source.getShape());
  auto type = RankedTensorType::get(ArrayRef(shape).drop_front(), source.getElementType());
  if (Value constant = sliceConstant(b, loc, value, type, index * type.getNumElements()))
    return constant;
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)), strides(shape.size(), b.getIndexAttr(1));
  offsets[0] = b.getIndexAttr(index);
  shape[0] = 1;
  return tensor::ExtractSliceOp::create(b, loc, type, value, offsets, getAsIndexOpFoldResult(b.getContext(), shape),
                                        strides);
}

namespace {
/// The size operands of the ops on parameters.
struct SizeOperands {
  Value layers, units, input;
};
} // namespace

static SizeOperands createSizes(OpBuilder &b, Location loc, const CudnnSizes &sizes) {
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  Value layers = constant(sizes.layers), units = constant(sizes.hidden), input = constant(sizes.input);
  return {layers, units, input};
}

static Direction getDirection(const CudnnSizes &sizes) {
  return sizes.directions == 2 ? Direction::Bidirectional : Direction::Unidirectional;
}

/// The value of `num_proj`.
static int64_t getProjection(const CudnnSizes &sizes) {
  return sizes.projection == sizes.hidden ? 0 : sizes.projection;
}

Value rnn::packStackParams(ImportedOp &op, const CudnnSizes &sizes, ArrayRef<CellParams> cells,
                           ArrayRef<int64_t> blocks) {
  PatternRewriter &b = op.getRewriter();
  Location loc = op.getLoc();
  SmallVector<Value> weights, biases;
  Value zeroBias;
  auto addGates = [&](Value value, SmallVectorImpl<Value> &list) {
    for (int64_t block : blocks)
      list.push_back(sliceRows(b, loc, value, block * sizes.hidden, sizes.hidden));
  };
  auto addBias = [&](Value value) {
    if (value)
      return addGates(value, biases);
    if (!zeroBias) {
      Type element = getElementTypeOrSelf(cells.front().inputWeights.getType());
      auto type = RankedTensorType::get({sizes.hidden}, element);
      zeroBias = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
    }
    biases.append(blocks.size(), zeroBias);
  };
  for (const CellParams &cell : cells) {
    addGates(cell.inputWeights, weights);
    addGates(cell.recurrentWeights, weights);
    if (cell.projection)
      weights.push_back(cell.projection);
    addBias(cell.inputBias);
    addBias(cell.recurrentBias);
  }
  SizeOperands operand = createSizes(b, loc, sizes);
  ValueRange operands[] = {operand.layers, operand.units, operand.input, weights, biases};
  auto pack = op.verified(createLayerOp<CudnnCanonicalToParamsOp>(
      b, loc, operands,
      {b.getNamedAttr("mode", CellModeAttr::get(b.getContext(), sizes.mode)),
       b.getNamedAttr("direction", DirectionAttr::get(b.getContext(), getDirection(sizes))),
       b.getNamedAttr("num_proj", b.getI64IntegerAttr(getProjection(sizes)))}));
  return pack ? pack.getParams() : Value();
}

/// Rows of `parts` in the framework's order of gates.
static Value joinGates(OpBuilder &b, Location loc, ArrayRef<Value> parts, ArrayRef<int64_t> blocks) {
  if (parts.size() == 1)
    return parts.front();
  auto part = cast<RankedTensorType>(parts.front().getType());
  SmallVector<int64_t> shape(part.getShape());
  int64_t rows = shape[0];
  shape[0] *= parts.size();
  Value joined = tensor::EmptyOp::create(b, loc, shape, part.getElementType());
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)), strides(shape.size(), b.getIndexAttr(1));
  for (auto [gate, value] : llvm::enumerate(parts)) {
    offsets[0] = b.getIndexAttr(blocks[gate] * rows);
    joined = tensor::InsertSliceOp::create(b, loc, value, joined, offsets,
                                           getAsIndexOpFoldResult(b.getContext(), part.getShape()), strides);
  }
  return joined;
}

SmallVector<CellParams> rnn::unpackStackParams(ImportedOp &op, const CudnnSizes &sizes, ArrayRef<CellParams> cells,
                                               ArrayRef<int64_t> blocks, Value params) {
  PatternRewriter &b = op.getRewriter();
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(params.getType());
  SmallVector<Type> weightTypes, biasTypes(getNumBiases(sizes), RankedTensorType::get({sizes.hidden}, element));
  for (int64_t index = 0; index < getNumWeights(sizes); ++index) {
    auto [rows, columns] = getWeightShape(sizes, index);
    weightTypes.push_back(RankedTensorType::get({rows, columns}, element));
  }
  SizeOperands operand = createSizes(b, loc, sizes);
  MLIRContext *context = b.getContext();
  auto unpack = op.verified(CudnnParamsToCanonicalOp::create(
      b, loc, weightTypes, biasTypes, operand.layers, operand.units, operand.input, params, ValueRange(), ValueRange(),
      CellModeAttr::get(context, sizes.mode), DirectionAttr::get(context, getDirection(sizes)),
      InputModeAttr::get(context, InputMode::LinearInput), b.getI64IntegerAttr(getProjection(sizes)), LoweringAttr()));
  if (!unpack)
    return {};
  auto results = SmallVector<Value>(unpack->getResults());
  ArrayRef<Value> weights = ArrayRef(results).take_front(weightTypes.size()),
                  biases = ArrayRef(results).drop_front(weightTypes.size());
  auto takeGates = [&](ArrayRef<Value> &list) {
    Value joined = joinGates(b, loc, list.take_front(blocks.size()), blocks);
    list = list.drop_front(blocks.size());
    return joined;
  };
  SmallVector<CellParams> unpacked;
  for (const CellParams &cell : cells) {
    CellParams gradients;
    gradients.inputWeights = takeGates(weights);
    gradients.recurrentWeights = takeGates(weights);
    if (cell.projection) {
      gradients.projection = weights.front();
      weights = weights.drop_front();
    }
    Value inputBias = takeGates(biases), recurrentBias = takeGates(biases);
    if (cell.inputBias)
      gradients.inputBias = inputBias, gradients.recurrentBias = recurrentBias;
    unpacked.push_back(gradients);
  }
  return unpacked;
}
