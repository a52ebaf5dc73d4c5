//===- MergeSums.cpp - one sum for slices that a loop adds to several tensors -===//
//
// In the gradient of a recurrent cell that concatenates the weights of its gates, one product has the gradients of all
// gates, and the loop adds slices of it to one sum per gate. If the loop adds up the whole products instead, other
// passes can take them out of the loop, and the slices are taken from their sum afterwards.
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
    inits.push_back(createZeros(b, wholes.back()));
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
  SmallVector<Operation *> firstAdditions(first); // they alone read the results of the loop
  b.setInsertionPointAfter(loop);
  for (auto [index, slices] : llvm::enumerate(slicesOfWholes))
    for (auto [slice, addition, carried] : slices) {
      auto part = cast<tensor::ExtractSliceOp>(b.clone(*slice));
      part.getSourceMutable().assign(loop.getResult(first + index));
      results[carried] = add(b, addition, results[carried], part);
      if (!firstAdditions[carried])
        firstAdditions[carried] = results[carried].getDefiningOp();
      b.replaceAllUsesWith(addition->getResult(0), getAddend(addition, slice));
    }
  for (unsigned carried = 0; carried < first; ++carried)
    if (Operation *addition = firstAdditions[carried])
      b.replaceAllUsesExcept(loop.getResult(carried), results[carried], addition);
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
