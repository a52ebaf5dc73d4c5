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

/// Returns the dimensions of a slice that its type keeps, in order. Strides may be unknown.
static SmallVector<int64_t> getKeptDims(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides, ArrayRef<int64_t> keptSizes,
                                        ArrayRef<int64_t> keptStrides) {
  SmallVector<int64_t> kept;
  auto mayBeEqual = [](int64_t a, int64_t b) { return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b); };
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    const size_t next = kept.size();
    if (next < keptSizes.size() && size == keptSizes[next] && mayBeEqual(strides[dim], keptStrides[next]))
      kept.push_back(dim);
  }
  return kept;
}

static SmallVector<int64_t> getKeptDims(const llvm::SmallBitVector &dropped) {
  return llvm::to_vector(
      llvm::make_filter_range(llvm::seq<int64_t>(0, dropped.size()), [&](int64_t dim) { return !dropped[dim]; }));
}

/// Whether the canonicalizer may drop other dimensions than the slice does: it drops the first ones of size 1, and
/// sizes may become constants.
static bool dropsLaterOnes(ArrayRef<int64_t> sizes, ArrayRef<int64_t> kept) {
  // To drop a kept dimension instead of a later one does not change the shape if there are only ones between them.
  bool isDroppedLater = false, onlyOnesFollow = true;
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
    const bool isKept = llvm::is_contained(kept, dim);
    const bool mayBeOne = sizes[dim] == 1 || ShapedType::isDynamic(sizes[dim]);
    if (isKept && isDroppedLater && mayBeOne && !onlyOnesFollow)
      return true;
    if (!isKept && !isDroppedLater)
      isDroppedLater = onlyOnesFollow = true;
    onlyOnesFollow &= sizes[dim] == 1;
  }
  return false;
}

/// Groups dimensions to those that are kept: a dropped one joins the next kept one, or the last.
static SmallVector<ReassociationIndices> getGroups(int64_t rank, ArrayRef<int64_t> kept) {
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    groups.back().push_back(dim);
    if (llvm::is_contained(kept, dim) && groups.size() < kept.size())
      groups.emplace_back();
  }
  return groups;
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
  const SmallVector<OpFoldResult> sliceStrides = metadata.getConstifiedMixedStrides();
  SmallVector<OpFoldResult> keptSizes, keptStrides;
  for (auto [index, dim] : llvm::enumerate(kept)) {
    keptSizes.push_back(op.getMixedSizes()[dim]);
    keptStrides.push_back(ShapedType::isDynamic(resultStrides[index])
                              ? sliceStrides[dim]
                              : OpFoldResult(b.getIndexAttr(resultStrides[index])));
  }
  OpFoldResult offset = ShapedType::isDynamic(resultOffset) ? metadata.getConstifiedMixedOffset()
                                                            : OpFoldResult(b.getIndexAttr(resultOffset));
  b.replaceOpWithNewOp<memref::ReinterpretCastOp>(op, op.getType(), slice, offset, keptSizes, keptStrides);
}

static void split(tensor::ExtractSliceOp op) {
  const SmallVector<int64_t> kept = getKeptDims(op.getDroppedDims());
  if (!dropsLaterOnes(op.getStaticSizes(), kept))
    return;
  IRRewriter b(op);
  Value slice = tensor::ExtractSliceOp::create(b, op.getLoc(), op.getSource(), op.getMixedOffsets(), op.getMixedSizes(),
                                               op.getMixedStrides());
  b.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, op.getType(), slice, getGroups(op.getSourceType().getRank(), kept));
}

/// An insertion, also one of a parallel loop.
template <typename Op> static void splitInsertion(Op op) {
  const SmallVector<int64_t> kept = getKeptDims(op.getDroppedDims());
  if (!dropsLaterOnes(op.getStaticSizes(), kept))
    return;
  OpBuilder b(op);
  if (isa<tensor::ParallelInsertSliceOp>(op))
    b.setInsertionPoint(op->getParentOp()); // a terminator that has insertions only
  auto type = RankedTensorType::get(op.getStaticSizes(), op.getSourceType().getElementType());
  Value slice = tensor::ExpandShapeOp::create(b, op.getLoc(), type, op.getSource(), getGroups(type.getRank(), kept),
                                              op.getMixedSizes());
  op.getSourceMutable().assign(slice);
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
      else if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
        splitInsertion(insertion);
      else if (auto insertion = dyn_cast<tensor::ParallelInsertSliceOp>(op))
        splitInsertion(insertion);
    });
  }
};
} // namespace
