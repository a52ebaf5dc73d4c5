//===- FuseElementwise.cpp - upstream's fusion of elementwise ops -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNFUSEELEMENTWISEPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

static bool hasOneUse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

/// Whether the producer reads its outputs, and the consumer needs some of its elements in several iterations. As a part
/// of the consumer, the producer would update its outputs in each of them.
static bool wouldRepeatUpdates(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return producer && consumer && !consumer.getMatchingIndexingMap(operand).isPermutation() &&
         !llvm::all_of(producer.getRegionOutputArgs(), [](BlockArgument output) { return output.use_empty(); });
}

/// Whether `value` is a tensor without dimensions whose element is known as a scalar, or a scalar.
static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return !isa<ShapedType>(value.getType());
  return type.getRank() == 0 && (value.getDefiningOp<tensor::FromElementsOp>() || matchPattern(value, m_Constant()));
}

namespace {
/// An op without loops on scalars, such as a comparison of two elements, needs no memory.
struct ScalarizeGeneric : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (op.getNumLoops() > 0 || !op.hasPureTensorSemantics())
      return failure();
    for (OpOperand &operand : op->getOpOperands())
      if (op.payloadUsesValueFromOperand(&operand) && !isScalar(operand.get()))
        return failure();
    Location loc = op.getLoc();
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (!op.payloadUsesValueFromOperand(&operand))
        continue;
      if (isa<RankedTensorType>(value.getType()))
        value = rewriter.createOrFold<tensor::ExtractOp>(loc, value, ValueRange());
      mapping.map(op.getMatchingBlockArgument(&operand), value);
    }
    for (Operation &inner : op.getBody()->without_terminator())
      rewriter.clone(inner, mapping);
    SmallVector<Value> results;
    for (auto [result, value] : llvm::zip_equal(op.getResults(), op.getBody()->getTerminator()->getOperands()))
      results.push_back(
          tensor::FromElementsOp::create(rewriter, loc, result.getType(), mapping.lookupOrDefault(value)));
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct FuseElementwise : public rnn::impl::RNNFuseElementwisePassBase<FuseElementwise> {
  using RNNFuseElementwisePassBase::RNNFuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) { return hasOneUse(operand) && !wouldRepeatUpdates(operand); });
    patterns.add<ScalarizeGeneric>(context, /*benefit=*/2); // before they are fused
    tensor::ExtractOp::getCanonicalizationPatterns(patterns, context);
    // The other patterns of upstream's pass.
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, hasOneUse);
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
