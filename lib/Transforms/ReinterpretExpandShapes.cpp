//===- ReinterpretExpandShapes.cpp - expansions with several dynamic sizes ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNREINTERPRETEXPANDSHAPESPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

static bool hasSeveralDynamicSizes(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  return llvm::any_of(op.getReassociationIndices(), [&](const ReassociationIndices &group) {
    return llvm::count_if(group, [&](int64_t dim) { return type.isDynamicDim(dim); }) > 1;
  });
}

namespace {
struct ReinterpretExpandShapes : public rnn::impl::RNNReinterpretExpandShapesPassBase<ReinterpretExpandShapes> {
  using RNNReinterpretExpandShapesPassBase::RNNReinterpretExpandShapesPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (hasSeveralDynamicSizes(op))
        reinterpret(op);
    });
  }

private:
  static void reinterpret(memref::ExpandShapeOp op) {
    IRRewriter b(op);
    Location loc = op.getLoc();
    auto source = memref::ExtractStridedMetadataOp::create(b, loc, op.getSrc());
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), sourceStrides = source.getConstifiedMixedStrides();
    SmallVector<OpFoldResult> strides(sizes.size());
    auto [knownStrides, knownOffset] = op.getResultType().getStridesAndOffset();
    AffineExpr product = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
    for (auto [index, group] : llvm::enumerate(op.getReassociationIndices())) {
      OpFoldResult stride = sourceStrides[index];
      for (int64_t dim : llvm::reverse(group)) {
        strides[dim] =
            ShapedType::isDynamic(knownStrides[dim]) ? stride : OpFoldResult(b.getIndexAttr(knownStrides[dim]));
        stride = affine::makeComposedFoldedAffineApply(b, loc, product, {strides[dim], sizes[dim]});
      }
    }
    OpFoldResult offset = ShapedType::isDynamic(knownOffset) ? source.getConstifiedMixedOffset()
                                                             : OpFoldResult(b.getIndexAttr(knownOffset));
    b.replaceOpWithNewOp<memref::ReinterpretCastOp>(op, op.getResultType(), source.getBaseBuffer(), offset, sizes,
                                                    strides);
  }
};
} // namespace
