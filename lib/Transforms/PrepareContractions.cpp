//===- PrepareContractions.cpp - layouts and zeros of results -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgForms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNPREPARECONTRACTIONSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// If the op only permutes the dimensions of its input, returns the map from indices of the input to those of the
/// result. Otherwise returns null.
static AffineMap getTransposition(linalg::LinalgOp op) {
  if (!isCopy(op))
    return {};
  AffineMap from = op.getIndexingMapsArray().front(), to = op.getIndexingMapsArray().back();
  if (!from.isPermutation() || !to.isPermutation())
    return {};
  return to.compose(inversePermutation(from));
}

/// If `transposition` is the only user of a contraction that accumulates into a fill, replaces both by a contraction
/// that computes the transposed result.
static void foldTransposition(linalg::LinalgOp transposition) {
  AffineMap permutation = getTransposition(transposition);
  if (!permutation)
    return;
  auto contraction = transposition.getDpsInputs().front().getDefiningOp<linalg::LinalgOp>();
  // In another block, which may be that of a loop, it would be repeated.
  if (!contraction || contraction->getBlock() != transposition->getBlock() || !contraction->hasOneUse() ||
      !linalg::isaContractionOpInterface(contraction) || !contraction.hasPureTensorSemantics())
    return;
  auto fill = contraction.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  if (!fill)
    return;
  OpBuilder b(transposition);
  SmallVector<AffineMap> maps = contraction.getIndexingMapsArray();
  maps.back() = permutation.compose(maps.back());
  Value zeros = linalg::FillOp::create(b, fill.getLoc(), fill.getInputs(), transposition.getDpsInits()).getResult(0);
  auto transposed =
      createWithBody(b, contraction, contraction.getDpsInputs(), zeros, maps, contraction.getIteratorTypesArray());
  transposition->replaceAllUsesWith(transposed);
  transposition->erase();
  contraction->erase();
}

/// Clones a fill for each op that accumulates into its result. Bufferization would copy a shared result for each of
/// them.
static void separateFills(linalg::FillOp fill) {
  auto empty = fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>();
  if (!empty)
    return;
  SmallVector<OpOperand *> sums;
  for (OpOperand &use : fill->getUses()) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (user && user.isDpsInit(&use) && user.payloadUsesValueFromOperand(&use))
      sums.push_back(&use);
  }
  bool isShared = !fill->hasOneUse();
  for (OpOperand *use : sums) {
    Operation *user = use->getOwner();
    if (!isShared && user->getBlock() == fill->getBlock())
      continue;
    OpBuilder b(user);
    IRMapping mapping;
    b.clone(*empty, mapping);
    use->set(b.clone(*fill, mapping)->getResult(0));
  }
  if (fill->use_empty())
    fill->erase();
}

namespace {
struct PrepareContractions : public rnn::impl::RNNPrepareContractionsPassBase<PrepareContractions> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    // In this order, a contraction comes before its transposition: an erased op is not visited later.
    for (linalg::LinalgOp op : ops)
      foldTransposition(op);
    getOperation()->walk([](linalg::FillOp fill) { separateFills(fill); });
  }
};
} // namespace
