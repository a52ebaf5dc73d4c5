//===- MergeSums.cpp - one sum for slices that a loop adds to several tensors -===//
//
// The gradient of a recurrent cell that concatenates the weights of its gates is one product, slices of which are added
// to the gradients of the gates' weights. The sum of the products has all of them, and other passes take it out of the
// loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarriedSums.h"
#include "LoopRows.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/ZeroTensors.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNMERGESUMSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

namespace {
/// A slice that the loop adds to a carried sum.
struct AddedSlice {
  tensor::ExtractSliceOp slice;
  linalg::LinalgOp addition;
  unsigned carried;
};
} // namespace

/// The slices that are added to carried sums, if they are all uses of a result.
static SmallVector<AddedSlice> getAddedSlices(linalg::LinalgOp op,
                                              const DenseMap<Operation *, unsigned> &carriedOfAdditions) {
  if (op->getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      !cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape())
    return {};
  SmallVector<AddedSlice> slices;
  for (Operation *user : op->getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice || ShapedType::isDynamicShape(slice.getStaticOffsets()) || !slice.getType().hasStaticShape() ||
        ShapedType::isDynamicShape(slice.getStaticStrides()) || !slice->hasOneUse())
      return {};
    auto entry = carriedOfAdditions.find(*slice->user_begin());
    if (entry == carriedOfAdditions.end())
      return {};
    slices.push_back({slice, cast<linalg::LinalgOp>(entry->first), entry->second});
  }
  return slices;
}

/// Carries one sum for each op in the loop of which only slices are added to carried sums.
static void mergeSums(IRRewriter &b, scf::ForOp loop) {
  DenseMap<Operation *, unsigned> carriedOfAdditions;
  for (unsigned carried = 0; carried < loop.getNumResults(); ++carried)
    for (linalg::LinalgOp addition : getAdditions(loop, carried))
      carriedOfAdditions[addition] = carried;
  SmallVector<Value> wholes, inits;
  SmallVector<SmallVector<AddedSlice>> slicesOfWholes;
  b.setInsertionPoint(loop);
  for (linalg::LinalgOp op : loop.getOps<linalg::LinalgOp>()) {
    SmallVector<AddedSlice> slices = getAddedSlices(op, carriedOfAdditions);
    if (slices.empty())
      continue;
    wholes.push_back(op->getResult(0));
    inits.push_back(fillWithZeros(
        b, op.getLoc(),
        tensor::EmptyOp::create(b, op.getLoc(), cast<RankedTensorType>(wholes.back().getType()), ValueRange())));
    slicesOfWholes.push_back(std::move(slices));
  }
  if (wholes.empty())
    return;

  auto addWholes = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> sums) {
    SmallVector<Value> results;
    for (auto [sum, whole, slices] : llvm::zip_equal(sums, wholes, slicesOfWholes))
      results.push_back(add(b, slices.front().addition, sum, whole));
    return results;
  };
  const unsigned first = loop.getNumResults();
  auto replaced = cast<LoopLikeOpInterface>(loop.getOperation())
                      .replaceWithAdditionalYields(b, inits, /*replaceInitOperandUsesInLoop=*/false, addWholes);
  loop = cast<scf::ForOp>(replaced->getOperation());

  SmallVector<Value> results(loop.getResults());
  b.setInsertionPointAfter(loop);
  SmallVector<SmallVector<OpOperand *>> uses;
  for (Value result : results)
    uses.push_back(llvm::to_vector(llvm::make_pointer_range(result.getUses())));
  for (auto [index, slices] : llvm::enumerate(slicesOfWholes))
    for (auto [slice, addition, carried] : slices) {
      auto part = cast<tensor::ExtractSliceOp>(b.clone(*slice));
      part.getSourceMutable().assign(loop.getResult(first + index));
      results[carried] = add(b, addition, results[carried], part);
      b.replaceAllUsesWith(addition->getResult(0), getAddend(addition, slice));
    }
  for (unsigned carried = 0; carried < first; ++carried)
    for (OpOperand *use : uses[carried])
      b.modifyOpInPlace(use->getOwner(), [&] { use->set(results[carried]); });
  eraseDeadOps(b, *loop.getBody());
}

namespace {
struct MergeSums : public rnn::impl::RNNMergeSumsPassBase<MergeSums> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter b(&getContext());
    for (scf::ForOp loop : loops)
      mergeSums(b, loop);
  }
};
} // namespace
