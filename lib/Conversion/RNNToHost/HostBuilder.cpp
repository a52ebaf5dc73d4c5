//===- HostBuilder.cpp - control flow, vectors and activations ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/LayerLowering.h"
#include "Internal.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

Tiles::Tiles(Type element, const HostVectors &hostVectors)
    : element(element), sum(getAccumulatorType(element)), left(sum), bf16Products(hostVectors.bf16Products),
      lanes(hostVectors.bits / sum.getWidth()),
      // A panel has at least as many columns as one turn of the product's inner loop.
      vectors(std::max<int64_t>(hostVectors.registers >= 32 ? 4 : 2, 4 / lanes)), panel(lanes * vectors) {
  if (element.isBF16() && bf16Products != BF16Products::F32 && bf16Products != BF16Products::Pairs)
    left = cast<FloatType>(element);
}

FloatType Tiles::weightsFor(Value rows, Value count) const {
  if (!element.isBF16() || hasDots())
    return left;
  // Few rows wait for weights that come from the last cache or from memory, half of it if they stay bf16. More rows
  // would wait for what becomes f32 first, and so would weights that stay in a cache of the second level.
  constexpr int64_t inSecondCache = 1 << 18;
  auto isKnown = [](Value size, int64_t from, int64_t to) {
    std::optional<int64_t> known = getConstantIntValue(size);
    return known && *known >= from && *known <= to;
  };
  bool comesLate = isKnown(rows, 1, fewRows) && isKnown(count, inSecondCache + 1, INT64_MAX);
  return bf16Products == BF16Products::Pairs && comesLate ? cast<FloatType>(element) : sum;
}

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

void HostBuilder::branch(Value condition, function_ref<void()> then, function_ref<void()> otherwise) {
  if (std::optional<int64_t> known = getConstantIntValue(condition)) {
    if (*known)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/bool(otherwise));
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
  if (otherwise) {
    setInsertionPointToStart(op.elseBlock());
    otherwise();
  }
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value HostBuilder::constant(double value) {
  VectorType type = vectorType(tiles.sum);
  return arith::ConstantOp::create(*this, DenseElementsAttr::get(type, cast<Attribute>(getFloatAttr(tiles.sum, value))));
}

// A product and a sum may become one instruction.
static constexpr arith::FastMathFlags contract = arith::FastMathFlags::contract;

Value HostBuilder::mulf(Value a, Value b) { return arith::MulFOp::create(*this, a, b, contract); }
Value HostBuilder::addf(Value a, Value b) { return arith::AddFOp::create(*this, a, b, contract); }
Value HostBuilder::subf(Value a, Value b) { return arith::SubFOp::create(*this, a, b, contract); }
Value HostBuilder::divf(Value a, Value b) { return arith::DivFOp::create(*this, a, b); }

Value HostBuilder::select(Value mask, Value vector) {
  if (!mask)
    return vector;
  return arith::SelectOp::create(*this, mask, vector, constant(0));
}

Value HostBuilder::load(Value buffer, ValueRange indices, Value mask) {
  Value loaded = loadAsIs(buffer, indices, tiles.lanes, mask);
  bool isSum = cast<VectorType>(loaded.getType()).getElementType() == tiles.sum;
  return isSum ? loaded : Value(arith::ExtFOp::create(*this, vectorType(tiles.sum), loaded));
}

/// An integer as wide as a sum, in all lanes.
Value HostBuilder::words(int64_t value) {
  Type integer = getIntegerType(tiles.sum.getWidth());
  return arith::ConstantOp::create(
      *this, DenseElementsAttr::get(vectorType(integer), cast<Attribute>(getIntegerAttr(integer, value))));
}

/// To the nearest bf16, ties to even, by integers: processors without an instruction for it call a function for each
/// element.
Value HostBuilder::roundToBF16(Value vector) {
  Value half = words(16), bits = arith::BitcastOp::create(*this, vectorType(getI32Type()), vector);
  Value last = arith::AndIOp::create(*this, arith::ShRUIOp::create(*this, bits, half), words(1));
  Value rounded = arith::AddIOp::create(*this, bits, arith::AddIOp::create(*this, last, words(0x7fff)));
  // A NaN may have its bits at the end alone, and stays one.
  Value isNaN = arith::CmpFOp::create(*this, arith::CmpFPredicate::UNO, vector, vector);
  Value quiet = arith::OrIOp::create(*this, bits, words(0x400000));
  rounded = arith::ShRUIOp::create(*this, arith::SelectOp::create(*this, isNaN, quiet, rounded), half);
  rounded = arith::TruncIOp::create(*this, vectorType(getIntegerType(16)), rounded);
  return arith::BitcastOp::create(*this, vectorType(getBF16Type()), rounded);
}

void HostBuilder::store(Value vector, Value buffer, ValueRange indices, Value mask) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  bool hasInstruction = tiles.bf16Products == BF16Products::Avx512 || tiles.bf16Products == BF16Products::Neon;
  if (element.isBF16() && !hasInstruction)
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

static constexpr int64_t lineBits = 64 * 8;

void HostBuilder::prefetch(Value scratch, Value place, unsigned locality, bool isWrite, int64_t rows) {
  Type element = cast<MemRefType>(scratch.getType()).getElementType();
  for (int64_t k = 0; k < tiles.panel * rows; k += lineBits / element.getIntOrFloatBitWidth())
    memref::PrefetchOp::create(*this, scratch, add(place, k), isWrite, locality, /*isDataCache=*/true);
}

void HostBuilder::prefetchTensor(Value tensor, ValueRange indices) {
  Type element = cast<MemRefType>(tensor.getType()).getElementType();
  SmallVector<Value> place(indices);
  auto ask = [&](int64_t column) {
    place.back() = add(indices.back(), column);
    memref::PrefetchOp::create(*this, tensor, place, /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  };
  for (int64_t k = 0; k < tiles.panel; k += lineBits / element.getIntOrFloatBitWidth())
    ask(k);
  ask(tiles.panel - 1);
}

void HostBuilder::forColumns(Value count, int64_t width, function_ref<void(Value, Value)> body) {
  Value rest = createOrFold<arith::RemUIOp>(count, index(width)), whole = sub(count, rest);
  loop(index(0), whole, width, [&](Value column) { body(column, Value()); });
  branch(compare(arith::CmpIPredicate::ne, rest, index(0)), [&] { body(whole, mask(rest, width)); });
}

void HostBuilder::forPanel(Value first, Value columns, function_ref<void(ArrayRef<Value>)> body) {
  Value rest = sub(columns, first), isFull = compare(arith::CmpIPredicate::sle, index(tiles.panel), rest);
  if (std::optional<int64_t> known = getConstantIntValue(columns); known && *known % tiles.panel == 0)
    isFull = arith::ConstantIntOp::create(*this, 1, 1);
  branch(
      isFull, [&] { body({}); },
      [&] {
        SmallVector<Value> masks;
        for (int64_t v = 0; v < tiles.vectors; ++v)
          masks.push_back(mask(sub(rest, index(v * tiles.lanes))));
        body(masks);
      });
}

//===----------------------------------------------------------------------===//
// Pairs of bf16
//===----------------------------------------------------------------------===//

Value HostBuilder::loadAsIs(Value buffer, ValueRange indices, int64_t count, Value mask) {
  auto type = VectorType::get({count}, cast<MemRefType>(buffer.getType()).getElementType());
  if (!mask)
    return vector::LoadOp::create(*this, type, buffer, indices);
  Value zero = arith::ConstantOp::create(*this, cast<TypedAttr>(getZeroAttr(type)));
  return vector::MaskedLoadOp::create(*this, type, buffer, indices, mask, zero);
}

Value HostBuilder::zip(Value first, Value second) {
  if (!second)
    second = arith::ConstantOp::create(*this, cast<TypedAttr>(getZeroAttr(first.getType())));
  return vector::InterleaveOp::create(*this, first, second);
}

/// The bits of a bf16 are the upper ones of the f32: those of a pair's second element already stand there.
Value HostBuilder::unzip(Value pairs, bool second) {
  Value bits = vector::BitCastOp::create(*this, vectorType(getI32Type()), pairs);
  if (second)
    bits = arith::AndIOp::create(*this, bits, words(static_cast<int32_t>(0xffff0000)));
  else
    bits = arith::ShLIOp::create(*this, bits, words(16));
  return arith::BitcastOp::create(*this, vectorType(tiles.sum), bits);
}

Value HostBuilder::splatPair(Value buffer, Value place) {
  Value pair = loadAsIs(buffer, place, 2);
  Value word = vector::BitCastOp::create(*this, VectorType::get({1}, getI32Type()), pair);
  word = vector::ExtractOp::create(*this, word, int64_t(0));
  return vector::BitCastOp::create(*this, VectorType::get({2 * tiles.lanes}, getBF16Type()), splat(word));
}

Value HostBuilder::dot(Value a, Value b, Value sum) {
  std::string name;
  int64_t bits = 32 * tiles.lanes;
  if (tiles.bf16Products == BF16Products::Avx512 && bits >= 128 && bits <= 512)
    name = "llvm.x86.avx512bf16.dpbf16ps." + std::to_string(bits);
  else if (tiles.bf16Products == BF16Products::Neon && bits == 128)
    name = "llvm.aarch64.neon.bfdot.v4f32.v8bf16";
  if (!name.empty())
    return LLVM::CallIntrinsicOp::create(*this, sum.getType(), getStringAttr(name), ValueRange{sum, a, b}).getResult(0);
  for (bool second : {false, true})
    sum = fma(unzip(a, second), unzip(b, second), sum);
  return sum;
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// exp(x) - 1 = scale - 1 + scale * reduced, with scale = 2^n and reduced = exp(r) - 1 for |r| <= ln(2) / 2, by Taylor's
/// polynomial to the last bit of the type. Without branches and without calls; NaN stays NaN.
std::pair<Value, Value> HostBuilder::exponential(Value x) {
  bool isDouble = tiles.sum.isF64();
  // Beyond these bounds the results below have reached their limits, and 2^n is still a normal number.
  double bound = isDouble ? 708 : 87;
  Value low = constant(-bound), high = constant(bound);
  x = arith::SelectOp::create(*this, arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, x, low), low, x);
  x = arith::SelectOp::create(*this, arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, x, high), high, x);
  // Adding 1.5 * 2^(bits of the fraction) rounds to an integer and leaves it in the low bits.
  int fraction = isDouble ? 52 : 23;
  Value magic = constant(isDouble ? 0x1.8p52 : 0x1.8p23);
  Value shifted = fma(x, constant(0x1.71547652b82fep0), magic);
  // No contraction here: what the sum rounded off must stay off.
  Value whole = arith::SubFOp::create(*this, shifted, magic);
  // ln(2) in two parts; the first has so few bits that its product with n is exact.
  Value r = fma(whole, constant(isDouble ? -6.93147180369123816490e-01 : -0.693359375), x);
  r = fma(whole, constant(isDouble ? -1.90821492927058770002e-10 : 2.12194440e-4), r);
  // The bits of `magic` leave with the shift.
  Value bits = arith::BitcastOp::create(*this, vectorType(getIntegerType(tiles.sum.getWidth())), shifted);
  bits = arith::AddIOp::create(*this, bits, words(isDouble ? 1023 : 127));
  bits = arith::ShLIOp::create(*this, bits, words(fraction));
  Value scale = arith::BitcastOp::create(*this, vectorType(tiles.sum), bits);
  // The first term that is left out is below half of the last bit: r^8 / 8! for float, r^14 / 14! for double.
  int degree = isDouble ? 13 : 7;
  double factorial = 1;
  for (int k = 2; k <= degree; ++k)
    factorial *= k;
  Value p = constant(1 / factorial);
  for (int k = degree; k > 1; --k) {
    factorial /= k;
    p = fma(p, r, constant(1 / factorial));
  }
  return {scale, mulf(p, r)};
}

/// 1 / (1 + exp(-x)): unlike a formula by tanh it keeps its relative precision where it is small.
Value HostBuilder::sigmoid(Value x) {
  auto [scale, reduced] = exponential(arith::NegFOp::create(*this, x));
  return divf(constant(1), addf(constant(1), fma(scale, reduced, scale)));
}

/// (exp(2x) - 1) / (exp(2x) + 1), where the difference keeps its relative precision around 0.
Value HostBuilder::tanh(Value x) {
  auto [scale, reduced] = exponential(arith::AddFOp::create(*this, x, x));
  Value minusOne = fma(scale, reduced, arith::SubFOp::create(*this, scale, constant(1)));
  return divf(minusOne, addf(minusOne, constant(2)));
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

Value HostBuilder::asRows(Value tensor) {
  auto type = cast<MemRefType>(tensor.getType());
  if (type.getRank() == 3) {
    SmallVector<ReassociationIndices> groups = {{0, 1}, {2}};
    tensor = memref::CollapseShapeOp::create(*this, tensor, groups);
    type = cast<MemRefType>(tensor.getType());
  }
  constexpr int64_t any = ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(getContext(), any, {any, 1});
  return memref::CastOp::create(*this, MemRefType::get({any, any}, type.getElementType(), layout), tensor);
}

Value HostBuilder::asElements(Value matrix) {
  SmallVector<ReassociationIndices> group = {{0, 1}};
  return memref::CastOp::create(*this, scratchType(), memref::CollapseShapeOp::create(*this, matrix, group));
}

void host::storeRow(HostBuilder &b, Value source, Value from, Value target, ArrayRef<Value> indices, Value firstColumn,
                    Value columns) {
  b.forColumns(columns, [&](Value column, Value mask) {
    SmallVector<Value> place(indices);
    place.push_back(b.add(firstColumn, column));
    b.store(b.load(source, b.add(from, column)), target, place, mask);
  });
}
