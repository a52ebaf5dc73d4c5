//===- VectorSelection.cpp - the largest value of a vector and its index ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {
/// Matches the ops of a selection, and collects them.
struct SelectionMatcher {
  Value best, at; ///< of the former iterations
  llvm::SmallPtrSet<Operation *, 8> ops;

  /// The other operand of an op of which one operand satisfies `isFirst`, or null.
  template <typename Op> Value matchEither(Value value, function_ref<bool(Value)> isFirst) {
    auto op = value.getDefiningOp<Op>();
    if (!op || (!isFirst(op.getLhs()) && !isFirst(op.getRhs())))
      return Value();
    ops.insert(op);
    return isFirst(op.getLhs()) ? op.getRhs() : op.getLhs();
  }

  /// The predicate with which `value` compares `left` and `right`, in this order.
  template <typename Op, typename Predicate = decltype(std::declval<Op>().getPredicate())>
  std::optional<Predicate> matchComparison(Value value, Value left, Value right) {
    auto compare = value.getDefiningOp<Op>();
    if (!compare || compare.getLhs() != left || compare.getRhs() != right)
      return std::nullopt;
    ops.insert(compare);
    return compare.getPredicate();
  }

  std::optional<Selection> match(arith::SelectOp selected, arith::SelectOp index);
};
} // namespace

/// Matches `select(better, best, value)` and `select(better or (best == value and at < i), at, i)`, where `better` is
/// that `best` is NaN, or larger or smaller than `value`. So StableHLO of JAX expresses argmax and argmin.
std::optional<Selection> SelectionMatcher::match(arith::SelectOp selected, arith::SelectOp index) {
  if (!selected || !index || selected.getTrueValue() != best || index.getTrueValue() != at)
    return std::nullopt;
  Value value = selected.getFalseValue(), better = selected.getCondition();
  Selection selection;
  if (isa<FloatType>(best.getType())) {
    // Without this test, the result of NaN and numbers depends on their order.
    Value ordered = matchEither<arith::OrIOp>(better, [&](Value flag) {
      return matchComparison<arith::CmpFOp>(flag, best, best) == arith::CmpFPredicate::UNE;
    });
    if (!ordered)
      return std::nullopt;
    selection.ordered = matchComparison<arith::CmpFOp>(ordered, best, value);
    if (selection.ordered != arith::CmpFPredicate::OGT && selection.ordered != arith::CmpFPredicate::OLT)
      return std::nullopt;
  } else {
    selection.integer = matchComparison<arith::CmpIOp>(better, best, value);
    if (selection.integer != arith::CmpIPredicate::sgt && selection.integer != arith::CmpIPredicate::slt &&
        selection.integer != arith::CmpIPredicate::ugt && selection.integer != arith::CmpIPredicate::ult)
      return std::nullopt;
  }
  Value tie = matchEither<arith::OrIOp>(index.getCondition(), [&](Value flag) { return flag == better; });
  Value equal =
      tie ? matchEither<arith::AndIOp>(tie,
                                       [&](Value flag) {
                                         return matchComparison<arith::CmpIOp>(flag, at, index.getFalseValue()) ==
                                                arith::CmpIPredicate::slt;
                                       })
          : Value();
  if (!equal || (matchComparison<arith::CmpFOp>(equal, best, value) != arith::CmpFPredicate::OEQ &&
                 matchComparison<arith::CmpIOp>(equal, best, value) != arith::CmpIPredicate::eq))
    return std::nullopt;
  ops.insert(selected), ops.insert(index);
  // The values to select from do not depend on former iterations.
  auto isMatched = [&](Operation *user) { return ops.contains(user) || user->hasTrait<OpTrait::IsTerminator>(); };
  SmallVector<Operation *> users(best.getUsers());
  llvm::append_range(users, at.getUsers());
  for (Operation *op : ops)
    llvm::append_range(users, op->getUsers());
  return llvm::all_of(users, isMatched) ? std::optional(selection) : std::nullopt;
}

void VectorLoops::matchSelection() {
  if (combiners.size() != 2 || op.getNumReductionLoops() == 0)
    return;
  auto getSelect = [&](unsigned result) {
    return body.getTerminator()->getOperand(result).getDefiningOp<arith::SelectOp>();
  };
  for (unsigned result = 0; result < 2 && !selection; ++result) {
    SelectionMatcher matcher = {op.getRegionOutputArgs()[result], op.getRegionOutputArgs()[1 - result], {}};
    selection = matcher.match(getSelect(result), getSelect(1 - result));
    if (selection)
      selection->value = result;
  }
}

/// Combines the results of two sets of iterations. Those of one set need not precede those of the other.
SmallVector<Value> VectorLoops::combine(HostBuilder &b, ValueRange left, ValueRange right) {
  SmallVector<Value> results;
  if (!selection) {
    for (auto [combiner, one, other] : llvm::zip_equal(combiners, left, right))
      results.push_back(vector::makeArithReduction(b, b.getLoc(), combiner.kind, one, other));
    return results;
  }
  const unsigned value = selection->value, index = 1 - value;
  auto both = [&](Value one, Value other) -> Value { return arith::AndIOp::create(b, one, other); };
  auto either = [&](Value one, Value other) -> Value { return arith::OrIOp::create(b, one, other); };
  auto select = [&](Value flag, unsigned result) -> Value {
    return arith::SelectOp::create(b, flag, left[result], right[result]);
  };
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left[index], right[index]), isBetter, isEqual;
  if (selection->integer) {
    isBetter = arith::CmpIOp::create(b, *selection->integer, left[value], right[value]);
    isEqual = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, left[value], right[value]);
  } else {
    isBetter = arith::CmpFOp::create(b, *selection->ordered, left[value], right[value]);
    isEqual = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, left[value], right[value]);
    // A NaN is better than all other values, and the first one is selected.
    auto isNaN = [&](Value x) -> Value { return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x); };
    Value isLeftNaN = isNaN(left[value]), isRightNaN = isNaN(right[value]);
    isEqual = either(isEqual, both(isLeftNaN, isRightNaN));
    Value isRightNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, right[value], right[value]);
    isBetter = either(isBetter, both(isLeftNaN, isRightNumber));
  }
  Value isSelected = either(isBetter, both(isEqual, isFirst));
  results.resize(2);
  results[value] = select(isSelected, value);
  results[index] = select(isSelected, index);
  return results;
}

/// The results of all lanes.
SmallVector<Value> VectorLoops::combineLanes(HostBuilder &b, ValueRange vectors) {
  SmallVector<Value> parts(vectors);
  for (int64_t lanes = b.tiles.lanes; lanes > 1; lanes /= 2) {
    auto take = [&](int64_t first) {
      SmallVector<int64_t> taken = llvm::to_vector(llvm::seq(first, first + lanes / 2));
      return llvm::map_to_vector(parts,
                                 [&](Value part) -> Value { return vector::ShuffleOp::create(b, part, part, taken); });
    };
    parts = combine(b, take(0), take(lanes / 2));
  }
  for (Value &part : parts)
    part = vector::ExtractOp::create(b, part, 0);
  return parts;
}
