//===- VectorLoops.cpp - the sums of a linalg op, in vectors ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn_runtime/abi.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

/// Masks of `count` vectors with `rest` elements together; null for vectors known to be full.
SmallVector<Value> VectorLoops::getMasks(HostBuilder &b, Value rest, int64_t count) {
  std::optional<int64_t> known = getConstantIntValue(rest);
  SmallVector<Value> masks;
  for (int64_t v = 0; v < count; ++v) {
    bool isFull = known && (v + 1) * b.tiles.lanes <= *known;
    masks.push_back(isFull ? Value() : b.mask(b.sub(rest, b.index(v * b.tiles.lanes))));
  }
  return masks;
}

/// The reduction loops `loops` with sums in registers.
SmallVector<Value> VectorLoops::forReductions(HostBuilder &b, ArrayRef<unsigned> loops, ValueRange sums,
                                              function_ref<SmallVector<Value>(ValueRange)> inner) {
  if (loops.empty())
    return inner(sums);
  // The sum of a short inner loop is no part of its own.
  auto isShort = [&](unsigned loop) { return !ShapedType::isDynamic(staticSizes[loop]) && staticSizes[loop] < 16; };
  auto body = [&](Value iteration, ValueRange carried) -> SmallVector<Value> {
    position[loops.front()] = iteration;
    if (loops.size() == 1 || isShort(loops[1]) || !isLongSum())
      return forReductions(b, loops.drop_front(), carried, inner);
    return addSums(b, carried, [&](ValueRange part) { return forReductions(b, loops.drop_front(), part, inner); });
  };
  return sumLoop(b, getBegin(b, loops.front()), getEnd(loops.front()), 1, sums, body);
}

/// The iterations of a loop that are summed apart, and the sums of such blocks that are summed apart.
static constexpr int64_t sumBlock = 64;

/// Whether rounding errors of sums are bounded by summing parts: floating-point sums with more terms than a block,
/// except those of products of matrices, which are summed as BLAS libraries do.
bool VectorLoops::isLongSum() const {
  if (linalg::isaContractionOpInterface(op) ||
      !llvm::all_of(combiners, [](const Combiner &combiner) { return isa_and_nonnull<arith::AddFOp>(combiner.op); }))
    return false;
  int64_t terms = 1;
  for (unsigned loop = 0; loop < iterators.size(); ++loop)
    if (isReduction(loop) && (ShapedType::isDynamic(staticSizes[loop]) ||
                              llvm::MulOverflow(terms, staticSizes[loop], terms) || terms > sumBlock))
      return true;
  return false;
}

/// Adds the sums that `emitPart` computes from zero to `sums`.
SmallVector<Value> VectorLoops::addSums(HostBuilder &b, ValueRange sums,
                                        function_ref<SmallVector<Value>(ValueRange)> emitPart) {
  SmallVector<Value> zeros, added;
  for (Value sum : sums) {
    auto type = cast<VectorType>(sum.getType());
    // The neutral element: a sum of negative zeros is a negative zero.
    zeros.push_back(
        arith::ConstantOp::create(b, DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), -0.0))));
  }
  for (auto [sum, part] : llvm::zip_equal(sums, emitPart(zeros)))
    added.push_back(arith::AddFOp::create(b, sum, part));
  return added;
}

/// A loop that carries sums. A loop that may be long is divided into blocks of blocks, each summed by itself: the
/// rounding error then grows with the lengths of the three nested loops, not with their product.
SmallVector<Value> VectorLoops::sumLoop(HostBuilder &b, Value begin, Value end, int64_t step, ValueRange sums,
                                        function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto emit = [&](auto &&emit, Value begin, Value end, int64_t block, ValueRange sums) -> SmallVector<Value> {
    std::optional<int64_t> length = getConstantIntValue(b.sub(end, begin));
    if (block == step)
      return b.loop(begin, end, step, sums, body);
    if (length && *length <= block)
      return emit(emit, begin, end, block / sumBlock, sums);
    return b.loop(begin, end, block, sums, [&](Value first, ValueRange carried) {
      Value last = b.min(b.add(first, block), end);
      return addSums(b, carried, [&](ValueRange part) { return emit(emit, first, last, block / sumBlock, part); });
    });
  };
  return emit(emit, begin, end, isLongSum() ? step * sumBlock * sumBlock : step, sums);
}

/// One vector of results per mask, from `first` on along the vectorized loop. Null masks stand for full vectors.
void VectorLoops::emitParallelGroup(HostBuilder &b, Value first, ArrayRef<Value> masks) {
  auto results = ArrayRef(buffers).drop_front(numInputs);
  size_t perRow = masks.size() * results.size();
  if (transposes)
    for (auto [index, buffer] : llvm::enumerate(ArrayRef(buffers).take_front(numInputs)))
      if (isTransposed(buffer, vectorLoop, *rowLoop) && !body.getArgument(index).use_empty())
        transposed[index] = loadTransposed(b, buffer, first, masks.front());
  // Calls `body` for each row of the tile.
  auto forRows = [&](function_ref<void(size_t)> body) {
    for (size_t row = 0; row < std::max<size_t>(rows.size(), 1); ++row) {
      if (!rows.empty())
        position[*rowLoop] = rows[row];
      currentRow = row;
      body(row);
    }
  };
  SmallVector<Value> sums;
  forRows([&](size_t) {
    for (auto [v, mask] : llvm::enumerate(masks))
      for (auto [index, buffer] : llvm::enumerate(results)) {
        if (inner.empty() && op.getRegionOutputArgs()[index].use_empty()) {
          sums.push_back(Value());
          continue;
        }
        if (startsFromZero) {
          VectorType type = b.vectorType(getSumType(b, buffer));
          sums.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
          continue;
        }
        Value sum = loadVector(b, buffer, b.add(first, v * b.tiles.lanes), mask);
        if (combiners[index].op && isHalf(buffer.type.getElementType()))
          sum = arith::ExtFOp::create(b, b.vectorType(b.getF32Type()), sum);
        sums.push_back(sum);
      }
  });
  sums = forReductions(b, inner, sums, [&](ValueRange carried) {
    SmallVector<Value> next;
    forRows(
        [&](size_t row) { llvm::append_range(next, emitBody(b, first, masks, carried.slice(row * perRow, perRow))); });
    return next;
  });
  forRows([&](size_t row) {
    for (auto [v, mask] : llvm::enumerate(masks))
      for (auto [index, buffer] : llvm::enumerate(results))
        store(b, sums[row * perRow + v * results.size() + index], buffer, b.add(first, v * b.tiles.lanes), mask);
  });
}

/// The type in which results are combined: sums of f16 and bf16 are f32, but elements that are selected stay the same.
Type VectorLoops::getSumType(HostBuilder &b, const Buffer &buffer) {
  Type element = buffer.type.getElementType();
  return isHalf(element) && !selection ? b.getF32Type() : element;
}

/// The sums of each result when the vectorized loop is a reduction. Each lane has sums of its own, which are combined
/// at the end.
SmallVector<Value> VectorLoops::reduceLanes(HostBuilder &b) {
  auto results = ArrayRef(buffers).drop_front(numInputs);
  int64_t lanes = b.tiles.lanes, unroll = getUnroll();
  SmallVector<Value> initial;
  for (auto [index, buffer] : llvm::enumerate(results)) {
    if (selection) { // each lane may start from the value in the buffer: it counts once or many times
      initial.push_back(b.splat(memref::LoadOp::create(b, buffer.value, getIndices(b, buffer))));
      continue;
    }
    Type element = getSumType(b, buffer);
    Attribute neutral = getNeutralElement(combiners[index].op);
    if (isHalf(buffer.type.getElementType())) {
      bool ignored;
      llvm::APFloat value = cast<FloatAttr>(neutral).getValue();
      value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &ignored);
      neutral = b.getFloatAttr(element, value);
    }
    initial.push_back(arith::ConstantOp::create(b, DenseElementsAttr::get(b.vectorType(element), neutral)));
  }
  SmallVector<Value> sums;
  for (int64_t v = 0; v < unroll; ++v)
    llvm::append_range(sums, initial);

  sums = forReductions(b, inner, sums, [&](ValueRange carried) {
    int64_t width = unroll * lanes;
    Value begin = getBegin(b, vectorLoop), end = getEnd(vectorLoop);
    Value rest = b.createOrFold<arith::RemUIOp>(b.sub(end, begin), b.index(width)), whole = b.sub(end, rest);
    std::optional<int64_t> knownRest = getConstantIntValue(rest), knownWhole = getConstantIntValue(b.sub(whole, begin));
    SmallVector<Value> sums(carried);
    if (!knownWhole || *knownWhole > 0)
      sums = sumLoop(b, begin, whole, width, sums, [&](Value first, ValueRange inner) {
        return emitBody(b, first, SmallVector<Value>(unroll), inner);
      });
    auto emitRest = [&](int64_t count, SmallVector<Value> sums) {
      SmallVector<Value> masks = getMasks(b, rest, count);
      ArrayRef<Value> old = ArrayRef(sums).take_front(count * results.size());
      for (auto [index, value] : llvm::enumerate(emitBody(b, whole, masks, old))) {
        Value mask = masks[index / results.size()];
        sums[index] = mask ? arith::SelectOp::create(b, mask, value, sums[index]) : value;
      }
      return sums;
    };
    if (knownRest)
      return *knownRest ? emitRest(llvm::divideCeil(*knownRest, lanes), sums) : sums;
    auto branch = scf::IfOp::create(b, ValueRange(sums).getTypes(),
                                    b.compare(arith::CmpIPredicate::ne, rest, b.index(0)), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, sums);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, emitRest(unroll, sums));
    return SmallVector<Value>(branch.getResults());
  });

  SmallVector<SmallVector<Value>> parts;
  for (int64_t v = 0; v < unroll; ++v)
    parts.emplace_back(ArrayRef(sums).slice(v * results.size(), results.size()));
  for (; parts.size() > 1; parts.resize(parts.size() / 2))
    for (size_t k = 0; k < parts.size() / 2; ++k)
      parts[k] = combine(b, parts[k], parts[k + parts.size() / 2]);
  if (selection)
    return combineLanes(b, parts.front());
  // Reassociation: otherwise LLVM adds the lanes one after the other.
  SmallVector<Value> total;
  for (auto [combiner, part] : llvm::zip_equal(combiners, parts.front()))
    total.push_back(vector::ReductionOp::create(b, combiner.kind, part, arith::FastMathFlags::reassoc));
  return total;
}

/// Adds sums to the elements of the results at the current position.
void VectorLoops::addToResults(HostBuilder &b, ValueRange sums) {
  for (auto [index, sum] : llvm::enumerate(sums)) {
    const Buffer &buffer = buffers[numInputs + index];
    SmallVector<Value> indices = getIndices(b, buffer);
    if (selection) { // it was selected from the value in the buffer, too
      memref::StoreOp::create(b, sum, buffer.value, indices);
      continue;
    }
    Type element = buffer.type.getElementType();
    Value old = startsFromZero ? Value(arith::ConstantOp::create(b, b.getZeroAttr(element)))
                               : Value(memref::LoadOp::create(b, buffer.value, indices));
    if (isHalf(element))
      old = arith::ExtFOp::create(b, b.getF32Type(), old);
    Value total = vector::makeArithReduction(b, b.getLoc(), combiners[index].kind, old, sum);
    if (isHalf(element))
      total = arith::TruncFOp::create(b, element, total);
    memref::StoreOp::create(b, total, buffer.value, indices);
  }
}

void VectorLoops::emitReduction(HostBuilder &b) {
  addToResults(b, reduceLanes(b));
}

/// All loops are reductions. Threads share parts of one loop, whose number depends on the sizes only. The sums of the
/// parts are added in their order.
void VectorLoops::emitFullReduction(HostBuilder &b) {
  // The longest loop; the first one of those with unknown sizes.
  unsigned loop = 0;
  for (unsigned other = 1; other < iterators.size(); ++other)
    if (!ShapedType::isDynamic(staticSizes[loop]) &&
        (ShapedType::isDynamic(staticSizes[other]) || staticSizes[other] > staticSizes[loop]))
      loop = other;
  int64_t unit = isVectorized(loop) ? getUnroll() * b.tiles.lanes : 1;
  Value work = getWork(b), units = b.ceilDiv(sizes[loop], unit), one = b.index(1);
  constexpr int64_t mostParts = 64;
  Value parts = b.min(b.min(units, b.div(work, b.index(RNNRT_LEAST_WORK))), b.index(mostParts));
  parts = b.max(parts, one);
  if (getConstantIntValue(parts) == 1)
    return emitReduction(b);
  auto results = ArrayRef(buffers).drop_front(numInputs);
  SmallVector<Value> partial;
  for (const Buffer &buffer : results)
    partial.push_back(b.allocate(parts, getSumType(b, buffer)));
  library.parallel(b, parts, b.div(work, b.index(leastShare)), [&](const Team &team) {
    b.loop(team.begin(b, parts), team.end(b, parts), 1, [&](Value part) {
      partLoop = loop;
      partBegin = b.mul(b.div(b.mul(units, part), parts), unit);
      partEnd = b.min(b.mul(b.div(b.mul(units, b.add(part, 1)), parts), unit), sizes[loop]);
      for (auto [sum, buffer] : llvm::zip_equal(reduceLanes(b), partial))
        memref::StoreOp::create(b, sum, buffer, part);
      partLoop.reset();
    });
  });
  auto load = [&](Value part) {
    return llvm::map_to_vector(partial, [&](Value from) -> Value { return memref::LoadOp::create(b, from, part); });
  };
  addToResults(b, b.loop(one, parts, 1, load(b.index(0)),
                         [&](Value part, ValueRange carried) { return combine(b, carried, load(part)); }));
  for (Value buffer : partial)
    b.free(buffer);
}

/// `mayCopy`: operands are copied if that pays.
static FailureOr<bool> convert(linalg::LinalgOp op, bool isZero, bool isSmall, const HostVectors &vectors,
                               KernelLibrary &library, bool mayCopy) {
  VectorLoops loops(op, isSmall, vectors, library);
  if (failed(loops.analyze()))
    return failure();
  if (mayCopy)
    if (SmallVector<OperandOrder> orders = loops.chooseCopies(); !orders.empty())
      return convertOnCopies(op, orders, isZero, vectors, library, [&](linalg::LinalgOp copied) {
        return convert(copied, isZero, isSmall, vectors, library, /*mayCopy=*/false);
      });
  loops.chooseTiles();
  const bool startsFromZero = isZero && loops.startFromZero();
  loops.emit();
  op->erase();
  return startsFromZero;
}

FailureOr<bool> host::convertToVectorLoops(linalg::LinalgOp op, bool isZero, const HostVectors &vectors,
                                           KernelLibrary &library, bool isSmall) {
  return convert(op, isZero, isSmall, vectors, library, /*mayCopy=*/true);
}
