//===- FuseElementwise.cpp - upstream's fusion of elementwise ops -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldBroadcasts.h"
#include "ScalarizeLinalg.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNFUSEELEMENTWISEPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

static bool hasOneUse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

/// Whether the user is in a loop that does not contain the producer: after fusion, each iteration would compute the
/// operand again.
static bool isUsedInLoop(OpOperand *operand) {
  auto loop = operand->getOwner()->getParentOfType<LoopLikeOpInterface>();
  return loop && loop.isDefinedOutsideOfLoop(operand->get());
}

/// Whether fusion removes the producer, and does not move its work into a loop.
static bool canFuse(OpOperand *operand) {
  return hasOneUse(operand) && !isUsedInLoop(operand);
}

/// Whether fusion would compute elements of the producer in several iterations of the consumer, at a cost or with
/// another result. The latter is so if the producer reads its outputs, which each iteration would update. Divisions and
/// functions of the math dialect are expensive in any consumer. In a reduction all arithmetic counts, except
/// conversions: it would be repeated in the innermost loop, and a contraction would no longer be a GEMM.
static bool wouldRepeatWork(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || consumer.getMatchingIndexingMap(operand).isPermutation())
    return false;
  if (!llvm::all_of(producer.getRegionOutputArgs(), [](BlockArgument output) { return output.use_empty(); }))
    return true;
  const bool isReduction = consumer.getNumReductionLoops() > 0;
  return llvm::any_of(producer.getBody()->without_terminator(), [&](Operation &op) {
    if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(op) ||
        isa<math::MathDialect>(op.getDialect()))
      return true;
    return isReduction && isa<arith::ArithDialect>(op.getDialect()) && !isa<CastOpInterface, arith::ConstantOp>(op);
  });
}

namespace {
struct FuseElementwise : public rnn::impl::RNNFuseElementwisePassBase<FuseElementwise> {
  using RNNFuseElementwisePassBase::RNNFuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) { return canFuse(operand) && !wouldRepeatWork(operand); });
    populateScalarizeLinalgPatterns(patterns); // before they are fused
    populateFoldBroadcastPatterns(patterns);
    // The other patterns of upstream's pass.
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, canFuse);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()->getCanonicalizationPatterns(patterns);
    linalg::populateConstantFoldLinalgOperations(patterns, hasOneUse);
    // Upstream's choice, for the time of compilation. Patterns that have not converged leave valid ops.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns),
                                GreedyRewriteConfig().setUseTopDownTraversal(true));
  }
};
} // namespace
