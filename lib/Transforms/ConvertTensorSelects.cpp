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

/// Replaces `op` by one `scf.if` per case, each in the else branch of the one before.
static void convertSwitch(scf::IndexSwitchOp op) {
  IRRewriter b(op);
  Location loc = op.getLoc();
  // From the last case to the first, so that the rest of the cases is a region that exists.
  Region *rest = &op.getDefaultRegion();
  for (auto [value, region] : llvm::reverse(llvm::zip_equal(op.getCases(), op.getCaseRegions()))) {
    b.setInsertionPoint(op);
    Value number = arith::ConstantIndexOp::create(b, loc, value);
    Value isCase = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getArg(), number);
    auto branch =
        scf::IfOp::create(b, loc, op.getResultTypes(), isCase, /*addThenBlock=*/false, /*addElseBlock=*/false);
    b.inlineRegionBefore(region, branch.getThenRegion(), branch.getThenRegion().end());
    b.inlineRegionBefore(*rest, branch.getElseRegion(), branch.getElseRegion().end());
    // The comparison and the branch become the new rest.
    Block *block = b.createBlock(&op.getDefaultRegion());
    for (Operation *moved : {number.getDefiningOp(), isCase.getDefiningOp(), branch.getOperation()})
      b.moveOpBefore(moved, block, block->end());
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, loc, branch.getResults());
  }
  Block &block = rest->front();
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
