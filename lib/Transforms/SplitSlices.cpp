//===- SplitSlices.cpp - slices that drop dimensions of size 1 ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSPLITSLICESPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// The dimensions of the sizes that a result of this type has, in its order. `strides` and those of the result may be
/// known for some dimensions only.
static SmallVector<int64_t> getKeptDims(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                                        ArrayRef<int64_t> resultSizes, ArrayRef<int64_t> resultStrides) {
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    const size_t next = kept.size();
    if (next == resultSizes.size())
      break;
    auto fits = [](int64_t known, int64_t result) {
      return known == result || ShapedType::isDynamic(known) || ShapedType::isDynamic(result);
    };
    if (size == resultSizes[next] && fits(strides[dim], resultStrides[next]))
      kept.push_back(dim);
  }
  return kept;
}

/// Whether a slice that keeps these dimensions drops others than the first ones of size 1, or may do so when more of
/// its sizes become constants.
static bool dropsLaterOnes(ArrayRef<int64_t> sizes, ArrayRef<int64_t> kept) {
  // To drop a kept dimension instead of a later one does not change the shape if there are only ones between them.
  bool isDroppedLater = false, onlyOnesFollow = true;
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
    const bool isKept = llvm::is_contained(kept, dim), mayBeOne = sizes[dim] == 1 || ShapedType::isDynamic(sizes[dim]);
    if (isKept && isDroppedLater && mayBeOne && !onlyOnesFollow)
      return true;
    if (!isKept && !isDroppedLater)
      isDroppedLater = onlyOnesFollow = true;
    onlyOnesFollow &= sizes[dim] == 1;
  }
  return false;
}

static void split(memref::SubViewOp op) {
  const int64_t rank = op.getSourceType().getRank(), dropped = rank - op.getType().getRank();
  if (dropped == 0)
    return;
  auto whole = cast<MemRefType>(memref::SubViewOp::inferResultType(op.getSourceType(), op.getMixedOffsets(),
                                                                   op.getMixedSizes(), op.getMixedStrides()));
  const SmallVector<int64_t> strides = whole.getStridesAndOffset().first;
  const auto [resultStrides, resultOffset] = op.getType().getStridesAndOffset();
  const SmallVector<int64_t> kept = getKeptDims(whole.getShape(), strides, op.getType().getShape(), resultStrides);
  assert(static_cast<int64_t>(kept.size()) == op.getType().getRank() && "the verifier accepts no other types");
  const bool hasSteps = llvm::any_of(op.getStaticStrides(), [](int64_t step) { return step != 1; });
  const int64_t units =
      llvm::count_if(whole.getShape(), [](int64_t size) { return size == 1 || ShapedType::isDynamic(size); });
  const bool isKnown = llvm::none_of(strides, ShapedType::isDynamic);
  if (units == dropped || (!hasSteps && (isKnown || !dropsLaterOnes(whole.getShape(), kept))))
    return;
  IRRewriter b(op);
  Value slice = memref::SubViewOp::create(b, op.getLoc(), whole, op.getSource(), op.getMixedOffsets(),
                                          op.getMixedSizes(), op.getMixedStrides());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, op.getLoc(), slice);
  SmallVector<OpFoldResult> keptSizes, keptStrides;
  for (auto [index, dim] : llvm::enumerate(kept)) {
    keptSizes.push_back(op.getMixedSizes()[dim]);
    keptStrides.push_back(ShapedType::isDynamic(resultStrides[index])
                              ? metadata.getConstifiedMixedStrides()[dim]
                              : OpFoldResult(b.getIndexAttr(resultStrides[index])));
  }
  OpFoldResult offset = ShapedType::isDynamic(resultOffset) ? metadata.getConstifiedMixedOffset()
                                                            : OpFoldResult(b.getIndexAttr(resultOffset));
  b.replaceOpWithNewOp<memref::ReinterpretCastOp>(op, op.getType(), slice, offset, keptSizes, keptStrides);
}

static void split(tensor::ExtractSliceOp op) {
  const int64_t rank = op.getSourceType().getRank();
  const SmallVector<int64_t> unknown(rank, ShapedType::kDynamic);
  const SmallVector<int64_t> kept = getKeptDims(op.getStaticSizes(), unknown, op.getType().getShape(), unknown);
  if (!dropsLaterOnes(op.getStaticSizes(), kept))
    return;
  IRRewriter b(op);
  Value slice = tensor::ExtractSliceOp::create(b, op.getLoc(), op.getSource(), op.getMixedOffsets(), op.getMixedSizes(),
                                               op.getMixedStrides());
  // A dropped dimension joins the next one that is kept, or the last one.
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    groups.back().push_back(dim);
    if (llvm::is_contained(kept, dim) && groups.size() < kept.size())
      groups.emplace_back();
  }
  b.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, op.getType(), slice, groups);
}

namespace {
struct SplitSlices : public rnn::impl::RNNSplitSlicesPassBase<SplitSlices> {
  using RNNSplitSlicesPassBase::RNNSplitSlicesPassBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto subview = dyn_cast<memref::SubViewOp>(op))
        split(subview);
      else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
        split(slice);
    });
  }
};
} // namespace
