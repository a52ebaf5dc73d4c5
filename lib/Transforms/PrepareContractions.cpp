//===- PrepareContractions.cpp - layouts and zeros of results -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgForms.h"
#include "TensorParts.h"
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

/// The slice with the dimensions of its source and result permuted.
static Value permuteSlice(OpBuilder &b, tensor::ExtractSliceOp slice, Value source, AffineMap permutation) {
  auto permute = [&](ArrayRef<OpFoldResult> values) { return applyPermutationMap(permutation, values); };
  return tensor::ExtractSliceOp::create(b, slice.getLoc(), source, permute(slice.getMixedOffsets()),
                                        permute(slice.getMixedSizes()), permute(slice.getMixedStrides()));
}

/// Matches a contraction that accumulates into a fill, and whose result is only transposed, as a whole or in slices, by
/// the same permutation everywhere. Replaces it by a contraction that computes the transposed result, and returns that;
/// otherwise returns null.
static linalg::LinalgOp foldTranspositions(linalg::LinalgOp contraction) {
  if (!linalg::isaContractionOpInterface(contraction) || !contraction.hasPureTensorSemantics() ||
      contraction->use_empty())
    return {};
  auto fill = contraction.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  if (!fill)
    return {};
  AffineMap permutation;
  SmallVector<std::pair<tensor::ExtractSliceOp, linalg::LinalgOp>> users;
  for (OpOperand &useOfAll : contraction->getUses()) {
    OpOperand *use = &useOfAll;
    auto slice = dyn_cast<tensor::ExtractSliceOp>(use->getOwner());
    if (slice) {
      if (!slice->hasOneUse() || slice.getType().getRank() != slice.getSourceType().getRank())
        return {};
      use = &*slice->use_begin();
    }
    auto transposition = dyn_cast<linalg::LinalgOp>(use->getOwner());
    AffineMap of = transposition && transposition.isDpsInput(use) ? getTransposition(transposition) : AffineMap();
    // A contraction that moved to another block, such as the body of a loop, would be repeated there.
    if (!of || (permutation && of != permutation) || transposition->getBlock() != contraction->getBlock())
      return {};
    permutation = of;
    users.emplace_back(slice, transposition);
  }
  const auto [firstSlice, first] = users.front();
  const bool isOneOfAll = users.size() == 1 && !firstSlice;
  auto empty = fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>();
  if (!isOneOfAll && !empty)
    return {};
  OpBuilder b(isOneOfAll ? first : contraction);
  Value init = linalg::LinalgOp(first).getDpsInits().front();
  if (!isOneOfAll)
    init = tensor::EmptyOp::create(b, fill.getLoc(), applyPermutationMap(permutation, ArrayRef(empty.getMixedSizes())),
                                   empty.getType().getElementType());
  SmallVector<AffineMap> maps = contraction.getIndexingMapsArray();
  maps.back() = permutation.compose(maps.back());
  Value zeros = linalg::FillOp::create(b, fill.getLoc(), fill.getInputs(), init).getResult(0);
  linalg::LinalgOp replacement =
      createWithBody(b, contraction, contraction.getDpsInputs(), zeros, maps, contraction.getIteratorTypesArray());
  Value transposed = replacement->getResult(0);
  for (auto [slice, transposition] : users) {
    b.setInsertionPoint(transposition);
    transposition->getResult(0).replaceAllUsesWith(slice ? permuteSlice(b, slice, transposed, permutation)
                                                         : transposed);
    transposition->erase();
    if (slice)
      slice->erase();
  }
  contraction->erase();
  return replacement;
}

namespace {
/// The tensor that a transposition reads, and the map from its indices to those of the transposed tensor.
struct Transposition {
  Value source;
  AffineMap permutation;
};
} // namespace

/// Matches values of the block that transpose another value of it, or that concatenate such transpositions.
static std::optional<Transposition> getTransposed(Value value, Block *block, const TensorSizes &sizes) {
  auto getOne = [&](Value value) -> std::optional<Transposition> {
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    AffineMap permutation = op && op->getBlock() == block ? getTransposition(op) : AffineMap();
    if (!permutation)
      return std::nullopt;
    Value source = op.getDpsInputs().front();
    Operation *producer = source.getDefiningOp();
    return producer && producer->getBlock() == block ? std::optional(Transposition{source, permutation}) : std::nullopt;
  };
  std::optional<Concatenation> whole = getConcatenation(value, sizes);
  if (!whole || value.getDefiningOp()->getBlock() != block)
    return getOne(value);
  AffineMap permutation;
  SmallVector<Value> sources;
  for (Value piece : whole->pieces) {
    std::optional<Transposition> transposed = getOne(piece);
    if (!transposed || (permutation && transposed->permutation != permutation))
      return std::nullopt;
    permutation = transposed->permutation;
    sources.push_back(transposed->source);
  }
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  return Transposition{concatenate(b, value.getLoc(), permutation.getDimPosition(whole->dim), sources), permutation};
}

/// Lets the products of a loop read what was transposed in the loop.
static void foldTransposedOperands(Block &body, const TensorSizes &sizes) {
  DenseMap<Value, std::optional<Transposition>> transposed;
  for (linalg::LinalgOp op : llvm::make_early_inc_range(body.getOps<linalg::LinalgOp>())) {
    if (!isSumOfProducts(op))
      continue;
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    bool isChanged = false;
    for (auto [input, map] : llvm::zip(op.getDpsInputs(), maps)) {
      auto [entry, isNew] = transposed.try_emplace(input);
      if (isNew)
        entry->second = getTransposed(input, &body, sizes);
      inputs.push_back(entry->second ? entry->second->source : input);
      if (!entry->second)
        continue;
      map = inversePermutation(entry->second->permutation).compose(map);
      isChanged = true;
    }
    if (isChanged)
      replaceInputs(op, inputs, maps);
  }
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
    // Each op after the transpositions that it may erase.
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : llvm::reverse(ops))
      while (op)
        op = foldTranspositions(op);
    const TensorSizes sizes(getOperation());
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      for (Region *region : loop.getLoopRegions())
        for (Block &body : *region)
          foldTransposedOperands(body, sizes);
    });
    getOperation()->walk([](linalg::FillOp fill) { separateFills(fill); });
  }
};
} // namespace
