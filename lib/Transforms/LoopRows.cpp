//===- LoopRows.cpp - rows of tensors that iterations read and write ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopRows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::rnn;

/// Longer chains of ops have no linear form.
static constexpr unsigned mostDepth = 16;

LoopRows::LoopRows(scf::ForOp loop, int64_t count, const TensorSizes &sizes)
    : loop(loop), iteration(loop.getInductionVar()), count(count), countSize(sizes.getIndex(loop.getUpperBound())),
      sizes(sizes) {}

/// An unknown number of iterations is p + q + 1, where p >= 0 is the current iteration and q >= 0 the number of later
/// ones. A form is not negative if none of its coefficients of p, q and 1 is.
bool LoopRows::isNeverNegative(const Linear &form) const {
  if (ShapedType::isDynamic(count))
    return form.iteration + form.count >= 0 && form.count >= 0 && form.count + form.constant >= 0;
  return form.constant >= 0 && form.iteration * (count - 1) + form.constant >= 0;
}

std::optional<bool> LoopRows::isLess(const Linear &left, const Linear &right) const {
  if (isNeverNegative(right - left + Linear{0, 0, -1}))
    return true;
  return isNeverNegative(left - right) ? std::optional(false) : std::nullopt;
}

std::optional<bool> LoopRows::compare(arith::CmpIOp op, unsigned depth) const {
  std::optional<Linear> left = getLinear(op.getLhs(), depth), right = getLinear(op.getRhs(), depth);
  if (!left || !right)
    return std::nullopt;
  auto negate = [](std::optional<bool> known) { return known ? std::optional(!*known) : known; };
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return isLess(*left, *right);
  case arith::CmpIPredicate::sgt:
    return isLess(*right, *left);
  case arith::CmpIPredicate::sle:
    return negate(isLess(*right, *left));
  case arith::CmpIPredicate::sge:
    return negate(isLess(*left, *right));
  default:
    return std::nullopt;
  }
}

std::optional<Linear> LoopRows::getLinear(Value index, unsigned depth) const {
  constexpr int64_t most = int64_t(1) << 31; // products of two such factors do not overflow
  std::optional<Linear> form = ++depth > mostDepth ? std::nullopt : computeLinear(index, depth);
  const bool isInRange = form && llvm::all_of(ArrayRef({form->iteration, form->count, form->constant}),
                                              [](int64_t factor) { return factor >= -most && factor <= most; });
  return isInRange ? form : std::nullopt;
}

std::optional<Linear> LoopRows::computeLinear(Value index, unsigned depth) const {
  if (index.getType().isInteger() && index.getType().getIntOrFloatBitWidth() < 32)
    return std::nullopt; // may overflow
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return Linear{0, 0, *constant};
  if (index == iteration)
    return Linear{1, 0, 0};
  if (countSize.value && sizes.getIndex(index) == countSize)
    return Linear{0, 1, 0};
  Operation *op = index.getDefiningOp();
  if (!op)
    return std::nullopt;
  // Programs with 32-bit indices have none that need more.
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return getLinear(op->getOperand(0), depth);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto condition = select.getCondition().getDefiningOp<arith::CmpIOp>();
    std::optional<bool> isTrue = condition ? compare(condition, depth) : std::nullopt;
    return isTrue ? getLinear(*isTrue ? select.getTrueValue() : select.getFalseValue(), depth) : std::nullopt;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp>(op))
    return std::nullopt;
  std::optional<Linear> left = getLinear(op->getOperand(0), depth), right = getLinear(op->getOperand(1), depth);
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *left + *right;
  if (isa<arith::SubIOp>(op))
    return *left - *right;
  if (isa<arith::MulIOp>(op)) {
    if (!right->iteration && !right->count)
      return *left * right->constant;
    return !left->iteration && !left->count ? std::optional(*right * left->constant) : std::nullopt;
  }
  const bool isLeftLess = isNeverNegative(*right - *left);
  if (!isLeftLess && !isNeverNegative(*left - *right))
    return std::nullopt;
  return isLeftLess == isa<arith::MinSIOp>(op) ? left : right;
}

std::optional<Rows> LoopRows::getRows(Value index) const {
  std::optional<Linear> form = getLinear(index, /*depth=*/0);
  if (!form || std::abs(form->iteration) != 1)
    return std::nullopt;
  const bool descend = form->iteration < 0;
  if (!ShapedType::isDynamic(count))
    return Rows{descend ? form->constant - (count - 1) : form->constant, descend};
  // Iterations use the rows from 0 to the last one.
  const Linear whole = descend ? Linear{-1, 1, -1} : Linear{1, 0, 0};
  return form->count == whole.count && form->constant == whole.constant ? std::optional(Rows{0, descend})
                                                                        : std::nullopt;
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
  if (!rows || rows->first != 0 || sizes.getSize(insert.getDest(), 0) != countSize)
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
