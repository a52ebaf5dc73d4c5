//===- HostBuilder.cpp - control flow, vectors and scratch ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/HostBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/CollapseShape.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void HostBuilder::loop(Value from, Value to, int64_t step, function_ref<void(Value)> body) {
  auto op = scf::ForOp::create(*this, from, to, index(step));
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

SmallVector<Value> HostBuilder::loop(Value from, Value to, int64_t step, ValueRange initial,
                                     function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(*this, from, to, index(step), initial);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  scf::YieldOp::create(*this, body(op.getInductionVar(), op.getRegionIterArgs()));
  return SmallVector<Value>(op.getResults());
}

void HostBuilder::ifElse(Value condition, function_ref<void()> thenBody, function_ref<void()> elseBody) {
  if (std::optional<int64_t> known = getConstantIntValue(condition)) {
    if (*known)
      thenBody();
    else if (elseBody)
      elseBody();
    return;
  }
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/bool(elseBody));
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  thenBody();
  if (elseBody) {
    setInsertionPointToStart(op.elseBlock());
    elseBody();
  }
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value HostBuilder::constant(double value) {
  VectorType type = vectorType(tiles.sum);
  return arith::ConstantOp::create(*this,
                                   DenseElementsAttr::get(type, cast<Attribute>(getFloatAttr(tiles.sum, value))));
}

// A multiplication and an addition may become one FMA.
static constexpr arith::FastMathFlags contract = arith::FastMathFlags::contract;

Value HostBuilder::mulf(Value a, Value b) {
  return arith::MulFOp::create(*this, a, b, contract);
}
Value HostBuilder::addf(Value a, Value b) {
  return arith::AddFOp::create(*this, a, b, contract);
}
Value HostBuilder::subf(Value a, Value b) {
  return arith::SubFOp::create(*this, a, b, contract);
}
Value HostBuilder::divf(Value a, Value b) {
  return arith::DivFOp::create(*this, a, b);
}

Value HostBuilder::selectOrZero(Value mask, Value vector) {
  if (!mask)
    return vector;
  return arith::SelectOp::create(*this, mask, vector, constant(0));
}

Value HostBuilder::load(Value buffer, ValueRange indices, Value mask) {
  Value loaded = loadUnconverted(buffer, indices, tiles.lanes, mask);
  bool isSum = cast<VectorType>(loaded.getType()).getElementType() == tiles.sum;
  return isSum ? loaded : Value(arith::ExtFOp::create(*this, vectorType(tiles.sum), loaded));
}

/// An integer of the accumulator's width in all lanes.
Value HostBuilder::splatInteger(int64_t value) {
  Type integer = getIntegerType(tiles.sum.getWidth());
  return arith::ConstantOp::create(
      *this, DenseElementsAttr::get(vectorType(integer), cast<Attribute>(getIntegerAttr(integer, value))));
}

/// Rounds to the nearest bf16, ties to even, by integer arithmetic: without a rounding instruction LLVM calls a
/// function for each element.
Value HostBuilder::roundToBF16(Value vector) {
  Value half = splatInteger(16), bits = arith::BitcastOp::create(*this, vectorType(getI32Type()), vector);
  Value last = arith::AndIOp::create(*this, arith::ShRUIOp::create(*this, bits, half), splatInteger(1));
  Value rounded = arith::AddIOp::create(*this, bits, arith::AddIOp::create(*this, last, splatInteger(0x7fff)));
  // The payload of a NaN may be in the low half only: set the quiet bit.
  Value isNaN = arith::CmpFOp::create(*this, arith::CmpFPredicate::UNO, vector, vector);
  Value quiet = arith::OrIOp::create(*this, bits, splatInteger(0x400000));
  rounded = arith::ShRUIOp::create(*this, arith::SelectOp::create(*this, isNaN, quiet, rounded), half);
  rounded = arith::TruncIOp::create(*this, vectorType(getIntegerType(16)), rounded);
  return arith::BitcastOp::create(*this, vectorType(getBF16Type()), rounded);
}

void HostBuilder::store(Value vector, Value buffer, ValueRange indices, Value mask) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  if (element.isBF16() && !tiles.hasBF16Rounding())
    vector = roundToBF16(vector);
  else if (element != tiles.sum)
    vector = arith::TruncFOp::create(*this, vectorType(element), vector);
  if (mask)
    vector::MaskedStoreOp::create(*this, buffer, indices, mask, vector);
  else
    vector::StoreOp::create(*this, vector, buffer, indices);
}

Value HostBuilder::loadScalar(Value buffer, ValueRange indices) {
  Value loaded = memref::LoadOp::create(*this, buffer, indices);
  return loaded.getType() == tiles.sum ? loaded : Value(arith::ExtFOp::create(*this, tiles.sum, loaded));
}

int64_t HostBuilder::elementsOfLine(Value buffer) {
  constexpr int64_t lineBits = 64 * 8;
  return lineBits / cast<MemRefType>(buffer.getType()).getElementType().getIntOrFloatBitWidth();
}

void HostBuilder::prefetchLine(Value scratch, Value offset, unsigned locality) {
  memref::PrefetchOp::create(*this, scratch, offset, /*isWrite=*/false, locality, /*isDataCache=*/true);
}

void HostBuilder::prefetch(Value scratch, Value offset, unsigned locality) {
  for (int64_t k = 0; k < tiles.panel; k += elementsOfLine(scratch))
    prefetchLine(scratch, add(offset, k), locality);
}

void HostBuilder::prefetchRow(Value matrix, Value row, Value column, int64_t count, bool isWrite) {
  for (int64_t k = 0; k < count; k += elementsOfLine(matrix))
    memref::PrefetchOp::create(*this, matrix, ValueRange{row, add(column, k)}, isWrite, /*localityHint=*/3,
                               /*isDataCache=*/true);
}

void HostBuilder::forColumns(Value count, int64_t width, function_ref<void(Value, Value)> body) {
  Value rest = createOrFold<arith::RemUIOp>(count, index(width)), whole = sub(count, rest);
  loop(index(0), whole, width, [&](Value column) { body(column, Value()); });
  ifThen(compare(arith::CmpIPredicate::ne, rest, index(0)), [&] { body(whole, mask(rest, width)); });
}

void HostBuilder::forPanel(Value first, Value columns, function_ref<void(ArrayRef<Value>)> body) {
  Value rest = sub(columns, first), isFull = compare(arith::CmpIPredicate::sle, index(tiles.panel), rest);
  if (std::optional<int64_t> known = getConstantIntValue(columns); known && *known % tiles.panel == 0)
    isFull = arith::ConstantIntOp::create(*this, 1, 1);
  ifElse(
      isFull, [&] { body({}); },
      [&] {
        SmallVector<Value> masks;
        for (int64_t v = 0; v < tiles.vectors; ++v)
          masks.push_back(mask(sub(rest, index(v * tiles.lanes))));
        body(masks);
      });
}

//===----------------------------------------------------------------------===//
// VNNI packing
//===----------------------------------------------------------------------===//

Value HostBuilder::loadUnconverted(Value buffer, ValueRange indices, int64_t count, Value mask) {
  auto type = VectorType::get({count}, cast<MemRefType>(buffer.getType()).getElementType());
  if (!mask)
    return vector::LoadOp::create(*this, type, buffer, indices);
  Value zero = arith::ConstantOp::create(*this, cast<TypedAttr>(getZeroAttr(type)));
  return vector::MaskedLoadOp::create(*this, type, buffer, indices, mask, zero);
}

Value HostBuilder::interleave(Value first, Value second) {
  if (!second)
    second = arith::ConstantOp::create(*this, cast<TypedAttr>(getZeroAttr(first.getType())));
  return vector::InterleaveOp::create(*this, first, second);
}

/// A bf16 is the upper half of the f32: the second element of a pair is in the right bits already.
Value HostBuilder::deinterleave(Value pairs, bool second) {
  Value bits = vector::BitCastOp::create(*this, vectorType(getI32Type()), pairs);
  if (second)
    bits = arith::AndIOp::create(*this, bits, splatInteger(static_cast<int32_t>(0xffff0000)));
  else
    bits = arith::ShLIOp::create(*this, bits, splatInteger(16));
  return arith::BitcastOp::create(*this, vectorType(tiles.sum), bits);
}

Value HostBuilder::splatVNNI(Value buffer, Value offset) {
  Value pair = loadUnconverted(buffer, offset, 2);
  Value word = vector::BitCastOp::create(*this, VectorType::get({1}, getI32Type()), pair);
  word = vector::ExtractOp::create(*this, word, int64_t(0));
  return vector::BitCastOp::create(*this, VectorType::get({2 * tiles.lanes}, getBF16Type()), splat(word));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value HostBuilder::allocate(Value count, Type element) {
  return memref::AllocOp::create(*this, scratchType(element), ValueRange{count}, getI64IntegerAttr(64));
}

void HostBuilder::fillZero(Value buffer, Value from, Value count) {
  Value zero = constant(0);
  loop(index(0), count, tiles.lanes, [&](Value k) { store(zero, buffer, add(from, k)); });
}

/// The type of a matrix or tensor of any sizes with contiguous rows.
static MemRefType getRowsType(MemRefType type, int64_t rank) {
  constexpr int64_t any = ShapedType::kDynamic;
  SmallVector<int64_t> shape(rank, any), strides(rank, any);
  strides.back() = 1;
  return MemRefType::get(shape, type.getElementType(), StridedLayoutAttr::get(type.getContext(), any, strides));
}

Value HostBuilder::asRows(Value tensor) {
  auto type = cast<MemRefType>(tensor.getType());
  if (type.getRank() == 3 && !memref::CollapseShapeOp::isGuaranteedCollapsible(type, {{0, 1}, {2}}))
    return memref::CastOp::create(*this, getRowsType(type, 3), tensor);
  if (type.getRank() == 3) {
    SmallVector<ReassociationIndices> groups = {{0, 1}, {2}};
    tensor = collapseShape(*this, getLoc(), tensor, groups);
    type = cast<MemRefType>(tensor.getType());
  }
  return memref::CastOp::create(*this, getRowsType(type, 2), tensor);
}

SmallVector<Value, 3> HostBuilder::rowIndices(Value rows, Value row) {
  if (!hasSteps(rows))
    return {row};
  // A tensor without examples has no rows.
  Value batch = max(createOrFold<memref::DimOp>(rows, 1), index(1)), t = div(row, batch);
  return {t, sub(row, mul(t, batch))};
}

Value HostBuilder::stepRows(Value tensor, Value t) {
  auto parts = memref::ExtractStridedMetadataOp::create(*this, tensor);
  Value offset = add(parts.getOffset(), mul(t, parts.getStrides()[0]));
  SmallVector<OpFoldResult> sizes = {parts.getSizes()[1], parts.getSizes()[2]};
  SmallVector<OpFoldResult> strides = {parts.getStrides()[1], getIndexAttr(1)};
  return memref::ReinterpretCastOp::create(*this, getRowsType(cast<MemRefType>(tensor.getType()), 2), tensor,
                                           OpFoldResult(offset), sizes, strides);
}

Value HostBuilder::asOneStep(Value matrix) {
  auto parts = memref::ExtractStridedMetadataOp::create(*this, matrix);
  SmallVector<OpFoldResult> sizes = {getIndexAttr(1), parts.getSizes()[0], parts.getSizes()[1]};
  SmallVector<OpFoldResult> strides = {parts.getStrides()[0], parts.getStrides()[0], getIndexAttr(1)};
  return memref::ReinterpretCastOp::create(*this, getRowsType(cast<MemRefType>(matrix.getType()), 3), matrix,
                                           OpFoldResult(parts.getOffset()), sizes, strides);
}

Value HostBuilder::asScratch(Value matrix) {
  SmallVector<ReassociationIndices> group = {{0, 1}};
  return memref::CastOp::create(*this, scratchType(), memref::CollapseShapeOp::create(*this, matrix, group));
}

void HostBuilder::storeRow(Value source, Value from, Value target, ArrayRef<Value> indices, Value firstColumn,
                           Value columns) {
  forColumns(columns, [&](Value column, Value mask) {
    SmallVector<Value> position(indices);
    position.push_back(add(firstColumn, column));
    store(load(source, add(from, column)), target, position, mask);
  });
}
