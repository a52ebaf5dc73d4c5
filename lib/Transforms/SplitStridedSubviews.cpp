//===- SplitStridedSubviews.cpp - subviews that drop dimensions and have steps -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSPLITSTRIDEDSUBVIEWSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// Whether SubViewOp::getDroppedDims cannot tell which dimensions of size 1 the result lacks. A size that is not a
/// constant yet may become 1.
static bool isAmbiguous(memref::SubViewOp op) {
  const int64_t dropped = op.getSourceType().getRank() - op.getType().getRank();
  const int64_t units =
      llvm::count_if(op.getStaticSizes(), [](int64_t size) { return size == 1 || ShapedType::isDynamic(size); });
  return dropped > 0 && units > dropped && llvm::any_of(op.getStaticStrides(), [](int64_t step) { return step != 1; });
}

namespace {
struct SplitStridedSubviews : public rnn::impl::RNNSplitStridedSubviewsPassBase<SplitStridedSubviews> {
  using RNNSplitStridedSubviewsPassBase::RNNSplitStridedSubviewsPassBase;

  void runOnOperation() override {
    getOperation()->walk([](memref::SubViewOp op) {
      if (!isAmbiguous(op))
        return;
      IRRewriter b(op);
      const int64_t rank = op.getSourceType().getRank();
      Value strided = memref::SubViewOp::create(b, op.getLoc(), op.getSource(), op.getMixedOffsets(),
                                                op.getMixedSizes(), op.getMixedStrides());
      const SmallVector<OpFoldResult> zeros(rank, b.getIndexAttr(0)), ones(rank, b.getIndexAttr(1));
      b.replaceOpWithNewOp<memref::SubViewOp>(op, op.getType(), strided, zeros, op.getMixedSizes(), ones);
    });
  }
};
} // namespace
