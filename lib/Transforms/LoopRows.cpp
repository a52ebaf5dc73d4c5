//===- LoopRows.cpp - rows of tensors that iterations read and write ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopRows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::rnn;

/// Folds the scalar ops that compute a value. Null if one of them is unknown. `known` has values that are folded
/// already.
static Attribute fold(Value value, DenseMap<Value, Attribute> &known, unsigned depth = 0) {
  constexpr unsigned mostDepth = 16;
  if (auto entry = known.find(value); entry != known.end())
    return entry->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op || depth == mostDepth || op->getNumResults() != 1 || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(fold(operand, known, depth + 1));
    if (!operands.back())
      return {};
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return {};
  auto folded = dyn_cast<Attribute>(results.front());
  if (!folded)
    folded = fold(cast<Value>(results.front()), known, depth + 1);
  return known[value] = folded;
}

std::optional<int64_t> LoopRows::evaluate(Value index, int64_t iteration) {
  Value variable = loop.getInductionVar();
  DenseMap<Value, Attribute> known = {
      {variable, Builder(loop.getContext()).getIntegerAttr(variable.getType(), iteration)}};
  auto folded = dyn_cast_or_null<IntegerAttr>(fold(index, known));
  return folded ? std::optional(folded.getInt()) : std::nullopt;
}

std::optional<Rows> LoopRows::computeRows(Value index) {
  if (ShapedType::isDynamic(count))
    return std::nullopt;
  std::optional<int64_t> first = evaluate(index, 0), second = evaluate(index, 1);
  if (!first || !second || std::abs(*second - *first) != 1)
    return std::nullopt;
  const int64_t step = *second - *first;
  for (int64_t iteration = 2; iteration < count; ++iteration)
    if (evaluate(index, iteration) != *first + iteration * step)
      return std::nullopt;
  return Rows{step > 0 ? *first : *first - (count - 1), step < 0};
}

std::optional<Rows> LoopRows::getRows(Value index) {
  auto [entry, isNew] = rowsOf.try_emplace(index);
  if (isNew)
    entry->second = computeRows(index);
  return entry->second;
}

bool LoopRows::isRow(OffsetSizeAndStrideOpInterface slice, Value whole) const {
  auto type = cast<RankedTensorType>(whole.getType());
  if (type.getRank() < 2 || type.isDynamicDim(0) != ShapedType::isDynamic(count) || slice.isDynamicSize(0) ||
      slice.getStaticSize(0) != 1)
    return false;
  return llvm::all_of(llvm::seq<int64_t>(1, type.getRank()),
                      [&](int64_t dim) { return sizes.coversDim(slice, whole, dim); });
}

Value LoopRows::getIndex(OffsetSizeAndStrideOpInterface slice, Value whole) const {
  return isRow(slice, whole) && slice.isDynamicOffset(0) ? slice.getDynamicOffset(0) : Value();
}

std::optional<RowSlice> LoopRows::getInsertion(unsigned carried) {
  BlockArgument argument = loop.getRegionIterArg(carried);
  auto insert = loop.getYieldedValues()[carried].getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || insert.getDest() != argument || !argument.hasOneUse() || !insert->hasOneUse())
    return std::nullopt;
  Value index = getIndex(insert, insert.getDest());
  std::optional<Rows> rows = index ? getRows(index) : std::nullopt;
  if (!rows || rows->first != 0 || insert.getType().getDimSize(0) != count)
    return std::nullopt;
  return RowSlice{insert.getSource(), index, *rows};
}

SmallVector<std::pair<scf::ForOp, int64_t>> rnn::getCountedLoops(Operation *root) {
  SmallVector<std::pair<scf::ForOp, int64_t>> loops;
  root->walk([&](scf::ForOp loop) {
    constexpr int64_t mostIterations = 1 << 16;
    std::optional<APInt> count = loop.getStaticTripCount();
    if (getConstantIntValue(loop.getLowerBound()) != 0 || getConstantIntValue(loop.getStep()) != 1)
      return;
    if (!count)
      loops.emplace_back(loop, ShapedType::kDynamic);
    else if (count->sgt(1) && count->sle(mostIterations))
      loops.emplace_back(loop, count->getSExtValue());
  });
  return loops;
}

void rnn::eraseDeadOps(RewriterBase &b, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      b.eraseOp(&op);
}

void rnn::dropUnchanged(RewriterBase &b, scf::ForOp &loop) {
  SmallVector<Value> inits, yielded;
  SmallVector<unsigned> kept;
  for (unsigned carried = 0; carried < loop.getNumRegionIterArgs(); ++carried) {
    if (loop.getYieldedValues()[carried] == loop.getRegionIterArg(carried))
      continue;
    kept.push_back(carried);
    inits.push_back(loop.getInits()[carried]);
    yielded.push_back(loop.getYieldedValues()[carried]);
  }
  b.setInsertionPoint(loop);
  auto smaller =
      scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  if (inits.empty())
    b.eraseOp(smaller.getBody()->getTerminator());
  SmallVector<Value> arguments = {smaller.getInductionVar()}, results(loop.getInits());
  llvm::append_range(arguments, loop.getInits());
  for (auto [index, carried] : llvm::enumerate(kept)) {
    arguments[carried + 1] = smaller.getRegionIterArg(index);
    results[carried] = smaller.getResult(index);
  }
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  b.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
  b.mergeBlocks(loop.getBody(), smaller.getBody(), arguments);
  b.replaceOp(loop, results);
  loop = smaller;
  eraseDeadOps(b, *loop.getBody());
}
