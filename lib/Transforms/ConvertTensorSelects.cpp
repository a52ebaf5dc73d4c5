//===- ConvertTensorSelects.cpp - selections of tensors as branches -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCONVERTTENSORSELECTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// Replaces `op` by an `scf.if` that yields one of its two tensors.
static void convertSelect(arith::SelectOp op) {
  IRRewriter b(op);
  auto yield = [](Value value) { return [value](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, value); }; };
  b.replaceOpWithNewOp<scf::IfOp>(op, op.getCondition(), yield(op.getTrueValue()), yield(op.getFalseValue()));
}

/// Replaces `op` by nested `scf.if`s: the else branch of a case has the `scf.if` of the next case, and that of the last
/// case the default region.
static void convertSwitch(scf::IndexSwitchOp op) {
  IRRewriter b(op);
  Location loc = op.getLoc();
  // From the last case to the first. The default region then has the `scf.if` of the cases so far.
  for (auto [value, region] : llvm::reverse(llvm::zip_equal(op.getCases(), op.getCaseRegions()))) {
    Region otherwise;
    otherwise.takeBody(op.getDefaultRegion());
    b.createBlock(&op.getDefaultRegion());
    Value number = arith::ConstantIndexOp::create(b, loc, value);
    Value isCase = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getArg(), number);
    auto branch =
        scf::IfOp::create(b, loc, op.getResultTypes(), isCase, /*addThenBlock=*/false, /*addElseBlock=*/false);
    branch.getThenRegion().takeBody(region);
    branch.getElseRegion().takeBody(otherwise);
    scf::YieldOp::create(b, loc, branch.getResults());
  }
  Block &block = op.getDefaultBlock();
  auto yield = cast<scf::YieldOp>(block.getTerminator());
  SmallVector<Value> values(yield.getOperands());
  b.eraseOp(yield);
  b.inlineBlockBefore(&block, op);
  b.replaceOp(op, values);
}

namespace {
struct ConvertTensorSelects : public rnn::impl::RNNConvertTensorSelectsPassBase<ConvertTensorSelects> {
  using RNNConvertTensorSelectsPassBase::RNNConvertTensorSelectsPassBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto select = dyn_cast<arith::SelectOp>(op)) {
        auto type = dyn_cast<RankedTensorType>(select.getType());
        if (type && !type.hasStaticShape() && select.getCondition().getType().isInteger(1))
          convertSelect(select);
      } else if (auto choice = dyn_cast<scf::IndexSwitchOp>(op)) {
        if (llvm::any_of(choice.getResultTypes(), llvm::IsaPred<TensorType>))
          convertSwitch(choice);
      }
    });
  }
};
} // namespace
