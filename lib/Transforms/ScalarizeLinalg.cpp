//===- ScalarizeLinalg.cpp - linalg ops without loops as scalar ops -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarizeLinalg.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::rnn;

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
} // namespace

void rnn::populateScalarizeLinalgPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ScalarizeGeneric>(context, /*benefit=*/2);
  tensor::ExtractOp::getCanonicalizationPatterns(patterns, context);
}
