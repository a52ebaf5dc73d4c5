//===- VectorBody.cpp - the body of a linalg op on vectors -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "rnn/Codegen/CPU/Transpose.h"
#include <cmath>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The indices of an operand at the current position; `first` is the position of the vectorized loop.
SmallVector<Value> VectorLoops::getIndices(HostBuilder &b, const Buffer &buffer, Value first) {
  SmallVector<Value> indices;
  for (AffineExpr expr : buffer.map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    indices.push_back(isVectorized(loop) && first ? first : position[loop]);
  }
  return indices;
}

/// Elements at `position`, plus for each lane an offset in elements. A gather of upstream requires a last stride of 1,
/// so the buffer is accessed in one dimension.
Value VectorLoops::gather(HostBuilder &b, Value buffer, ValueRange position,
                          function_ref<Value(unsigned, Value)> offset, Value mask) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  Value start = b.index(0), size = b.index(1), offsets;
  for (unsigned dim = 0; dim < position.size(); ++dim) {
    auto constant = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), value); };
    Value stride = constant(metadata.getConstifiedMixedStrides()[dim]);
    size = b.add(size, b.mul(b.sub(constant(metadata.getConstifiedMixedSizes()[dim]), b.index(1)), stride));
    if (position[dim])
      start = b.add(start, b.mul(position[dim], stride));
    if (Value term = offset(dim, stride))
      offsets = offsets ? arith::AddIOp::create(b, offsets, term) : term;
  }
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1});
  Value flat = memref::ReinterpretCastOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, element, layout), metadata.getBaseBuffer(),
      getAsOpFoldResult(getValueOrCreateConstantIndexOp(b, b.getLoc(), metadata.getConstifiedMixedOffset())),
      ArrayRef<OpFoldResult>{getAsOpFoldResult(size)}, ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  VectorType type = b.vectorType(element);
  if (!mask)
    mask = arith::ConstantOp::create(b, DenseElementsAttr::get(b.vectorType(b.getI1Type()), true));
  Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
  return vector::GatherOp::create(b, type, flat, start, offsets, mask, zero);
}

/// The address of an element of i1, which has one byte.
Value VectorLoops::addressOf(HostBuilder &b, Value buffer, ValueRange indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  auto toValue = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), value); };
  Value offset = toValue(metadata.getConstifiedMixedOffset());
  for (auto [index, stride] : llvm::zip_equal(indices, metadata.getConstifiedMixedStrides()))
    offset = b.add(offset, b.mul(index, toValue(stride)));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value address = arith::IndexCastOp::create(b, b.getI64Type(), b.add(base, offset));
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), address);
}

/// Elements of i1, as bytes: a vector of i1 in memory has bits.
Value VectorLoops::loadBits(HostBuilder &b, Value buffer, ValueRange indices, Value mask) {
  VectorType bytes = b.vectorType(b.getI8Type());
  Value address = addressOf(b, buffer, indices), loaded;
  if (mask) {
    Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(bytes)));
    loaded = LLVM::MaskedLoadOp::create(b, bytes, address, mask, zero, /*alignment=*/1);
  } else {
    loaded = LLVM::LoadOp::create(b, bytes, address, /*alignment=*/1);
  }
  return arith::TruncIOp::create(b, b.vectorType(b.getI1Type()), loaded);
}

void VectorLoops::storeBits(HostBuilder &b, Value vector, Value buffer, ValueRange indices, Value mask) {
  Value bytes = arith::ExtUIOp::create(b, b.vectorType(b.getI8Type()), vector), address = addressOf(b, buffer, indices);
  if (mask)
    LLVM::MaskedStoreOp::create(b, bytes, address, mask, /*alignment=*/1);
  else
    LLVM::StoreOp::create(b, bytes, address, /*alignment=*/1);
}

Value VectorLoops::loadVector(HostBuilder &b, const Buffer &buffer, Value first, Value mask) {
  SmallVector<Value> indices = getIndices(b, buffer, first);
  if (buffer.type.getElementType().isInteger(1))
    return loadBits(b, buffer.value, indices, mask);
  if (buffer.along(vectorLoop) == Access::Contiguous)
    return b.loadUnconverted(buffer.value, indices, b.tiles.lanes, mask);
  return gather(
      b, buffer.value, indices,
      [&](unsigned dim, Value stride) -> Value {
        if (!buffer.map.getResult(dim).isFunctionOfDim(vectorLoop))
          return Value();
        Value steps = vector::StepOp::create(b, b.vectorType(b.getIndexType()));
        return arith::MulIOp::create(b, steps, b.splat(stride));
      },
      mask);
}

/// The vectors of an input at `first` for the rows of the tile. Loads one vector along the rows for each lane.
SmallVector<Value> VectorLoops::loadTransposed(HostBuilder &b, const Buffer &buffer, Value first, Value mask) {
  Type element = buffer.type.getElementType(), word = element;
  unsigned width = b.tiles.sum.getIntOrFloatBitWidth();
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() < width)
    word = b.getIntegerType(width);
  auto toWords = [&](Value vector) -> Value {
    if (word == element)
      return vector;
    VectorType bits = b.vectorType(b.getIntegerType(element.getIntOrFloatBitWidth()));
    return arith::ExtUIOp::create(b, b.vectorType(word), b.createOrFold<arith::BitcastOp>(bits, vector));
  };
  auto fromWords = [&](Value vector) -> Value {
    if (word == element)
      return vector;
    VectorType bits = b.vectorType(b.getIntegerType(element.getIntOrFloatBitWidth()));
    return b.createOrFold<arith::BitcastOp>(b.vectorType(element), arith::TruncIOp::create(b, bits, vector));
  };
  Value last = b.sub(sizes[vectorLoop], b.index(1)), inRows;
  if (static_cast<int64_t>(rows.size()) < b.tiles.lanes)
    inRows = b.mask(b.index(rows.size()));
  position[*rowLoop] = rows.front();
  SmallVector<Value> columns;
  for (int64_t lane = 0; lane < b.tiles.lanes; ++lane) {
    // Lanes without an element read the last one.
    Value at = b.add(first, lane);
    SmallVector<Value> indices = getIndices(b, buffer, mask ? b.min(at, last) : at);
    columns.push_back(toWords(element.isInteger(1) ? loadBits(b, buffer.value, indices, inRows)
                                                   : b.loadUnconverted(buffer.value, indices, b.tiles.lanes, inRows)));
  }
  cpu::transpose(b, columns);
  columns.truncate(rows.size());
  for (Value &row : columns)
    row = fromWords(row);
  return columns;
}

void VectorLoops::store(HostBuilder &b, Value vector, const Buffer &buffer, Value first, Value mask) {
  SmallVector<Value> indices = getIndices(b, buffer, first);
  auto type = b.vectorType(buffer.type.getElementType());
  if (vector.getType() != type)
    vector = arith::TruncFOp::create(b, type, vector);
  if (type.getElementType().isInteger(1))
    return storeBits(b, vector, buffer.value, indices, mask);
  if (mask)
    vector::MaskedStoreOp::create(b, buffer.value, indices, mask, vector);
  else
    vector::StoreOp::create(b, vector, buffer.value, indices);
}

/// A load in the body, as of a table's row: contiguous if only its last index changes, by one per lane.
Value VectorLoops::emitLoad(HostBuilder &b, memref::LoadOp load, Value first, Value mask,
                            function_ref<Value(Value)> getVector, function_ref<Value(Value)> getUniform) {
  SmallVector<Value> uniform;
  for (Value index : load.getIndices())
    uniform.push_back(getUniform(index));
  auto last = load.getIndices().back().getDefiningOp<linalg::IndexOp>();
  bool isRow = llvm::all_of(ArrayRef(uniform).drop_back(), [](Value value) { return bool(value); });
  Value buffer = load.getMemRef();
  if (isRow && last && isVectorized(last.getDim())) {
    uniform.back() = first;
    return b.loadUnconverted(buffer, uniform, b.tiles.lanes, mask);
  }
  return gather(
      b, buffer, uniform,
      [&](unsigned dim, Value stride) -> Value {
        if (uniform[dim])
          return Value();
        Value index = getVector(load.getIndices()[dim]);
        return isConstantIntValue(stride, 1) ? index : Value(arith::MulIOp::create(b, index, b.splat(stride)));
      },
      mask);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// log or log2 of f32. Upstream's polynomials take a denormal for the smallest normal number, so it is scaled before,
/// and the logarithm of the scale is subtracted. Processors that treat denormals as zero do so here too.
static Value emitLogarithm(HostBuilder &b, Operation &scalar, Value x) {
  constexpr int exponent = 32;
  auto constant = [&](double value) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(cast<VectorType>(x.getType()), b.getF32FloatAttr(static_cast<float>(value))));
  };
  Value isDenormal = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, constant(0x1p-126));
  Value scaled = arith::MulFOp::create(b, x, constant(std::exp2(exponent)));
  Value normal = arith::SelectOp::create(b, isDenormal, scaled, x);
  Operation *logarithm = b.insert(scalar.clone());
  logarithm->setOperands(normal);
  logarithm->getResult(0).setType(x.getType());
  double excess = isa<math::LogOp>(scalar) ? exponent * std::log(2.0) : exponent;
  return arith::SubFOp::create(b, logarithm->getResult(0),
                               arith::SelectOp::create(b, isDenormal, constant(excess), constant(0)));
}

/// The operation on vectors. f16 and bf16 are computed in f32 and rounded after each operation, as LLVM does for
/// scalars; sums and the products that they consist of stay f32.
Value VectorLoops::emitVectorOp(HostBuilder &b, Operation &scalar, ArrayRef<Value> operands) {
  // A sum and the products that only it uses.
  bool isSum = isCombiner(&scalar);
  bool isTerm = isa<arith::MulFOp>(scalar) && scalar.hasOneUse() && isCombiner(*scalar.user_begin());
  Type element = scalar.getResult(0).getType();
  SmallVector<Value> converted(operands);
  bool isConversion = isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, arith::SIToFPOp, arith::UIToFPOp,
                          arith::FPToSIOp, arith::FPToUIOp>(scalar);
  Type computed = element;
  if (!isConversion) {
    if (isHalf(element))
      computed = b.getF32Type();
    for (Value &operand : converted)
      if (isHalf(cast<VectorType>(operand.getType()).getElementType()))
        operand = arith::ExtFOp::create(b, b.vectorType(b.getF32Type()), operand);
  }
  Value result;
  if (isa<math::ExpOp, math::ExpM1Op, math::TanhOp>(scalar) && computed == b.tiles.sum) {
    Value x = converted.front();
    result = isa<math::ExpOp>(scalar) ? b.exp(x) : isa<math::ExpM1Op>(scalar) ? b.expm1(x) : b.tanh(x);
  } else if (isa<math::LogOp, math::Log2Op>(scalar) && computed.isF32()) {
    result = emitLogarithm(b, scalar, converted.front());
  } else {
    Operation *copy = b.insert(scalar.clone());
    copy->setOperands(converted);
    copy->getResult(0).setType(b.vectorType(computed));
    // A sum of products may use FMA, as in the packed GEMMs.
    if (auto add = dyn_cast<arith::AddFOp>(copy); add && isSum)
      add.setFastmath(add.getFastmath() | arith::FastMathFlags::contract);
    if (auto multiply = dyn_cast<arith::MulFOp>(copy); multiply && isTerm)
      multiply.setFastmath(multiply.getFastmath() | arith::FastMathFlags::contract);
    result = copy->getResult(0);
  }
  // These functions have the sign of their argument, but the polynomials map -0 to +0.
  if (isa<math::TanhOp, math::ErfOp, math::ExpM1Op>(scalar))
    result = math::CopySignOp::create(b, result, converted.front());
  if (computed != element && !isSum && !isTerm)
    result = arith::TruncFOp::create(b, b.vectorType(element), result);
  return result;
}

/// The body for one vector per mask. `sums` are the values of the results, for each vector in turn. Values that are the
/// same in all lanes stay scalar.
SmallVector<Value> VectorLoops::emitBody(HostBuilder &b, Value first, ArrayRef<Value> masks, ValueRange sums) {
  IRMapping uniform;
  llvm::DenseMap<Value, SmallVector<Value>> lanes;
  size_t results = op.getNumDpsInits(), count = masks.size();
  auto firstOf = [&](size_t v) { return b.add(first, v * b.tiles.lanes); };
  auto getUniform = [&](Value value) { return lanes.contains(value) ? Value() : uniform.lookupOrDefault(value); };
  auto getVector = [&](Value value, size_t v) {
    auto found = lanes.find(value);
    return found != lanes.end() ? found->second[v] : b.splat(uniform.lookupOrDefault(value));
  };
  for (size_t index = 0; index < numInputs; ++index) {
    const Buffer &buffer = buffers[index];
    BlockArgument argument = body.getArgument(index);
    if (argument.use_empty())
      continue;
    if (!buffer.type) {
      uniform.map(argument, buffer.value);
    } else if (buffer.along(vectorLoop) == Access::Invariant) {
      uniform.map(argument, memref::LoadOp::create(b, buffer.value, getIndices(b, buffer)).getResult());
    } else {
      for (size_t v = 0; v < count; ++v)
        lanes[argument].push_back(transposed.contains(index) ? transposed[index][currentRow]
                                                             : loadVector(b, buffer, firstOf(v), masks[v]));
    }
  }
  for (size_t index = 0; index < results; ++index)
    for (size_t v = 0; v < count; ++v)
      lanes[body.getArgument(numInputs + index)].push_back(sums[v * results + index]);

  for (Operation &inner : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (!isVectorized(index.getDim())) {
        uniform.map(index.getResult(), position[index.getDim()]);
        continue;
      }
      Value steps = vector::StepOp::create(b, b.vectorType(b.getIndexType()));
      for (size_t v = 0; v < count; ++v)
        lanes[index.getResult()].push_back(arith::AddIOp::create(b, steps, b.splat(firstOf(v))));
      continue;
    }
    if (llvm::none_of(inner.getOperands(), [&](Value operand) { return lanes.contains(operand); })) {
      b.clone(inner, uniform);
      continue;
    }
    SmallVector<Value> outputs;
    for (size_t v = 0; v < count; ++v) {
      if (auto load = dyn_cast<memref::LoadOp>(inner)) {
        auto vectorOf = [&](Value value) { return getVector(value, v); };
        outputs.push_back(emitLoad(b, load, firstOf(v), masks[v], vectorOf, getUniform));
        continue;
      }
      SmallVector<Value> operands;
      for (Value operand : inner.getOperands())
        operands.push_back(getVector(operand, v));
      // A division by zero in a lane without an element would trap.
      if (masks[v] && isIntegerDivision(&inner)) {
        auto type = cast<VectorType>(operands[1].getType());
        Value one = arith::ConstantOp::create(b, cast<TypedAttr>(b.getOneAttr(type)));
        operands[1] = arith::SelectOp::create(b, masks[v], operands[1], one);
      }
      outputs.push_back(emitVectorOp(b, inner, operands));
    }
    lanes[inner.getResult(0)] = outputs;
  }
  SmallVector<Value> yields;
  for (size_t v = 0; v < count; ++v)
    for (Value value : body.getTerminator()->getOperands())
      yields.push_back(getVector(value, v));
  return yields;
}

TypedAttr VectorLoops::getNeutralElement(Operation *combiner) {
  Builder builder(combiner->getContext());
  if (combiner->getResult(0).getType().isIndex()) {
    if (isa<arith::MinSIOp>(combiner))
      return builder.getIndexAttr(std::numeric_limits<int64_t>::max());
    if (isa<arith::MaxSIOp>(combiner))
      return builder.getIndexAttr(std::numeric_limits<int64_t>::min());
    if (isa<arith::MinUIOp>(combiner))
      return builder.getIndexAttr(-1);
    if (isa<arith::MaxUIOp>(combiner))
      return builder.getIndexAttr(0);
  }
  return *arith::getNeutralElement(combiner);
}
