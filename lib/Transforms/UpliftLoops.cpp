//===- UpliftLoops.cpp - while loops that count become for loops --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarizeLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNUPLIFTLOOPSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// The element type of an integer tensor without dimensions, else null.
static Type getScalarType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && tensor.getElementType().isIntOrIndex() ? tensor.getElementType() : Type();
}

/// The values, with the elements of such tensors.
static SmallVector<Value> extractScalars(OpBuilder &b, Location loc, ValueRange values) {
  SmallVector<Value> result(values);
  for (Value &value : result)
    if (getScalarType(value.getType()))
      value = tensor::ExtractOp::create(b, loc, value, ValueRange());
  return result;
}

/// The values as `types`: scalars as tensors.
static SmallVector<Value> makeTensors(OpBuilder &b, Location loc, ValueRange values, TypeRange types) {
  SmallVector<Value> result(values);
  for (auto [value, type] : llvm::zip_equal(result, types))
    if (value.getType() != type)
      value = tensor::FromElementsOp::create(b, loc, type, value);
  return result;
}

namespace {
/// Loops carry integer tensors without dimensions as scalars: counters are then values of their own.
struct CarryScalars : public OpRewritePattern<scf::WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::WhileOp loop, PatternRewriter &b) const override {
    auto isScalar = [](Type type) { return bool(getScalarType(type)); };
    if (llvm::none_of(loop.getInits().getTypes(), isScalar) && llvm::none_of(loop.getResultTypes(), isScalar))
      return failure();
    Location loc = loop.getLoc();
    SmallVector<Type> types(loop.getResultTypes());
    for (Type &type : types)
      if (Type scalar = getScalarType(type))
        type = scalar;
    auto carried = scf::WhileOp::create(b, loc, types, extractScalars(b, loc, loop.getInits()));
    auto move = [&](Block &from, Region &to, TypeRange arguments) {
      Block *block = b.createBlock(&to, {}, arguments, SmallVector<Location>(arguments.size(), loc));
      SmallVector<Value> tensors = makeTensors(b, loc, block->getArguments(), from.getArgumentTypes());
      b.mergeBlocks(&from, block, tensors);
      Operation *end = block->getTerminator();
      b.setInsertionPoint(end);
      // The condition itself is a scalar.
      SmallVector<Value> scalars = extractScalars(b, loc, end->getOperands());
      b.modifyOpInPlace(end, [&] { end->setOperands(scalars); });
    };
    move(*loop.getBeforeBody(), carried.getBefore(), carried.getInits().getTypes());
    move(*loop.getAfterBody(), carried.getAfter(), types);
    b.setInsertionPointAfter(carried);
    b.replaceOp(loop, makeTensors(b, loc, carried.getResults(), loop.getResultTypes()));
    return success();
  }
};

/// Moves the scalar ops that compute the bound of a counter before the loop.
struct HoistBound : public OpRewritePattern<scf::WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::WhileOp loop, PatternRewriter &b) const override {
    auto isOutside = [&](Value value, Region *) {
      return cast<LoopLikeOpInterface>(loop.getOperation()).isDefinedOutsideOfLoop(value);
    };
    auto isScalar = [](Operation *op, Region *) {
      auto isInteger = [](Type type) { return type.isIntOrIndex(); };
      return op->getNumRegions() == 0 && isPure(op) && llvm::all_of(op->getOperandTypes(), isInteger) &&
             llvm::all_of(op->getResultTypes(), isInteger);
    };
    auto move = [&](Operation *op, Region *) { b.moveOpBefore(op, loop); };
    return success(moveLoopInvariantCode(&loop.getBefore(), isOutside, isScalar, move) != 0);
  }
};

struct UpliftCounting : public OpRewritePattern<scf::WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::WhileOp loop, PatternRewriter &b) const override {
    scf::ConditionOp condition = loop.getConditionOp();
    auto compare = condition.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return failure();
    const bool isLess = compare.getPredicate() == arith::CmpIPredicate::slt;
    auto counter = dyn_cast<BlockArgument>(isLess ? compare.getLhs() : compare.getRhs());
    if (!counter || counter.getOwner() != loop.getBeforeBody() ||
        (!isLess && compare.getPredicate() != arith::CmpIPredicate::sgt))
      return failure();
    // For the counter's result, which is the first value that is not less, upstream (LLVM 22) returns the value of the
    // last iteration. It also accepts steps that are not positive.
    for (auto [argument, result] : llvm::zip_equal(condition.getArgs(), loop.getResults()))
      if (argument == counter && !result.use_empty())
        return failure();
    auto add = loop.getYieldOp().getOperand(counter.getArgNumber()).getDefiningOp<arith::AddIOp>();
    if (!add)
      return failure();
    std::optional<int64_t> step = getConstantIntValue(add.getRhs());
    if (!step)
      step = getConstantIntValue(add.getLhs());
    return step && *step > 0 ? LogicalResult(scf::upliftWhileToForLoop(b, loop)) : failure();
  }
};

struct UpliftLoops : public rnn::impl::RNNUpliftLoopsPassBase<UpliftLoops> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<CarryScalars, HoistBound, UpliftCounting>(&getContext());
    populateScalarizeLinalgPatterns(patterns);
    if (getOperation()->walk([](scf::WhileOp) { return WalkResult::interrupt(); }).wasInterrupted())
      (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
