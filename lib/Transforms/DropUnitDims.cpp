//===- DropUnitDims.cpp - slices without reshapes -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgForms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/ZeroTensors.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNDROPUNITDIMSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// If the op copies a tensor into one with more dimensions, all of size 1, returns the tensor.
static Value getCopied(linalg::LinalgOp op) {
  if (!op || !isCopy(op) || !op.getIndexingMapsArray().back().isIdentity())
    return {};
  AffineMap map = op.getIndexingMapsArray().front();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  SmallVector<unsigned> kept;
  SmallVector<int64_t> sizes;
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim) {
    if (map.isFunctionOfDim(dim))
      kept.push_back(dim), sizes.push_back(shape[dim]);
    else if (shape[dim] != 1)
      return {};
  }
  Value copied = op.getDpsInputs().front();
  auto type = dyn_cast<RankedTensorType>(copied.getType());
  const bool addsUnitDims = type && type.getShape() == ArrayRef(sizes) &&
                            map == AffineMap::getMultiDimMapWithTargets(map.getNumDims(), kept, op.getContext());
  return addsUnitDims ? copied : Value();
}

namespace {
/// The copy of an inserted tensor that only adds dimensions of size 1 is unnecessary.
struct InsertCopied : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp insert, PatternRewriter &b) const override {
    Value copied = getCopied(insert.getSource().getDefiningOp<linalg::LinalgOp>());
    if (!copied)
      return failure();
    b.modifyOpInPlace(insert, [&] { insert.getSourceMutable().assign(copied); });
    return success();
  }
};

/// A sum over dimensions of size 1 is its only addend.
struct DropUnitSum : public OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &b) const override {
    if (!isSum(op) || !isZero(op.getDpsInits().front()))
      return failure();
    Value input = op.getDpsInputs().front();
    auto type = cast<RankedTensorType>(input.getType()), result = cast<RankedTensorType>(op->getResult(0).getType());
    AffineMap from = op.getIndexingMapsArray().front(), to = op.getIndexingMapsArray().back();
    if (!from.isPermutation() || !to.isProjectedPermutation())
      return failure();
    unsigned kept = 0; // dimensions of the input, which have the same order in the result
    for (auto [dim, expr] : llvm::enumerate(from.getResults()))
      if (std::optional<unsigned> position = to.getResultPosition(expr)) {
        if (*position != kept++)
          return failure();
      } else if (type.getDimSize(dim) != 1) {
        return failure();
      }
    std::optional<SmallVector<ReassociationIndices>> groups =
        getReassociationIndicesForCollapse(type.getShape(), result.getShape());
    if (!groups)
      return failure();
    b.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, result, input, *groups);
    return success();
  }
};

struct DropUnitDims : public rnn::impl::RNNDropUnitDimsPassBase<DropUnitDims> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<InsertCopied, DropUnitSum>(&getContext());
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
