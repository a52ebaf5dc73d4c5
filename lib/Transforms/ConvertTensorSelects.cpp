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

namespace {
struct ConvertTensorSelects : public rnn::impl::RNNConvertTensorSelectsPassBase<ConvertTensorSelects> {
  using RNNConvertTensorSelectsPassBase::RNNConvertTensorSelectsPassBase;

  void runOnOperation() override {
    getOperation()->walk([](arith::SelectOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (!type || type.hasStaticShape() || !op.getCondition().getType().isInteger(1))
        return;
      IRRewriter b(op);
      auto yield = [](Value value) {
        return [value](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, value); };
      };
      b.replaceOpWithNewOp<scf::IfOp>(op, op.getCondition(), yield(op.getTrueValue()), yield(op.getFalseValue()));
    });
  }
};
} // namespace
