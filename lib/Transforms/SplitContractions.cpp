//===- SplitContractions.cpp - products of parts of tensors -------------------===//
//
// Many recurrent cells multiply the concatenation of their input and their state by one matrix of weights. Only the
// state's part of that product depends on the step before; the input's part can be computed for all steps at once. The
// gradient of a step, in turn, needs only the columns that belong to the state.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldBroadcasts.h"
#include "LinalgForms.h"
#include "TensorParts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/ZeroTensors.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSPLITCONTRACTIONSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

static Value extract(OpBuilder &b, Location loc, Value tensor, const Box &box) {
  if (box.covers(cast<RankedTensorType>(tensor.getType())))
    return tensor;
  SmallVector<OpFoldResult> strides(box.getRank(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, tensor, getAsIndexOpFoldResult(b.getContext(), box.offsets),
                                        getSizes(b, loc, tensor, box), strides);
}

/// Creates an empty tensor with the shape of the part `box` of the tensor `like`. If that is empty or a fill of an
/// empty tensor, its sizes are those of the `tensor.empty`, so that no op uses the fill for its sizes alone.
static Value createEmpty(OpBuilder &b, Location loc, Value like, const Box &box) {
  if (auto fill = like.getDefiningOp<linalg::FillOp>())
    like = fill.getOutputs().front();
  SmallVector<OpFoldResult> sizes;
  if (auto empty = like.getDefiningOp<tensor::EmptyOp>()) {
    sizes = empty.getMixedSizes();
    for (auto [dim, size] : llvm::enumerate(box.sizes))
      if (!ShapedType::isDynamic(size))
        sizes[dim] = b.getIndexAttr(size);
  } else {
    sizes = getSizes(b, loc, like, box);
  }
  return tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(like));
}

/// Whether the tensor is an input of the loop, or a part of one.
static bool isInput(Value piece, scf::ForOp loop) {
  if (auto slice = piece.getDefiningOp<tensor::ExtractSliceOp>())
    piece = slice.getSource();
  return loop.isDefinedOutsideOfLoop(piece);
}

/// If the op multiplies a concatenation of inputs of its loop and of other tensors, replaces it by the sum of the
/// products of both. Returns the op that adds them, or null.
static linalg::LinalgOp splitDepth(IRRewriter &b, linalg::LinalgOp op, const TensorSizes &sizes) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop || !isSumOfProducts(op) || !isZero(op.getDpsInits().front()))
    return {};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }))
    return {};
  for (unsigned left : {0, 1}) {
    const unsigned right = 1 - left;
    std::optional<Concatenation> whole = getConcatenation(op.getDpsInputs()[left], sizes);
    Value other = op.getDpsInputs()[right];
    if (!whole || llvm::any_of(whole->pieces, [&](Value piece) {
          return cast<RankedTensorType>(piece.getType()).isDynamicDim(whole->dim);
        }))
      continue;
    AffineExpr depth = maps[left].getResult(whole->dim);
    std::optional<unsigned> otherDim = maps[right].getResultPosition(depth);
    if (!otherDim || maps.back().getResultPosition(depth))
      continue;
    SmallVector<SmallVector<Value>> runs; // of neighbors that are all inputs, or none is
    for (Value piece : whole->pieces) {
      if (runs.empty() || isInput(runs.back().front(), loop) != isInput(piece, loop))
        runs.emplace_back();
      runs.back().push_back(piece);
    }
    if (runs.size() == 1)
      continue;
    b.setInsertionPoint(op);
    Location loc = op.getLoc();
    Value init = op.getDpsInits().front();
    auto createResult = [&] { return createEmpty(b, loc, init, Box(cast<RankedTensorType>(init.getType()))); };
    Box slice(cast<RankedTensorType>(other.getType()));
    Value sum;
    for (ArrayRef<Value> run : runs) {
      SmallVector<Value> inputs(2);
      inputs[left] = concatenate(b, loc, whole->dim, run);
      slice.sizes[*otherDim] = cast<RankedTensorType>(inputs[left].getType()).getDimSize(whole->dim);
      inputs[right] = extract(b, loc, other, slice);
      slice.offsets[*otherDim] += slice.sizes[*otherDim];
      Value zeros = fillWithZeros(b, loc, createResult());
      Value product = createWithBody(b, op, inputs, zeros, maps, op.getIteratorTypesArray()).getResult(0);
      sum = sum ? linalg::AddOp::create(b, loc, ValueRange{sum, product}, createResult()).getResult(0) : product;
    }
    b.replaceOp(op, sum);
    return sum.getDefiningOp<linalg::LinalgOp>();
  }
  return {};
}

/// Whether the loop stores the value, and does nothing else with it.
static bool leavesLoop(Value value, scf::ForOp loop) {
  if (!loop || !value.hasOneUse())
    return false;
  auto insert = dyn_cast<tensor::InsertSliceOp>(*value.user_begin());
  auto carried = insert && insert.getSource() == value ? dyn_cast<BlockArgument>(insert.getDest()) : BlockArgument();
  return carried && carried.getOwner() == loop.getBody();
}

/// The op with the part `box` of its only result.
static Value computeBox(OpBuilder &b, linalg::LinalgOp op, const Box &box) {
  Location loc = op.getLoc();
  AffineMap result = op.getIndexingMapsArray().back();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type) {
      operands.push_back(operand.get());
      continue;
    }
    Box part(type);
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (std::optional<unsigned> position = result.getResultPosition(expr);
          position && !ShapedType::isDynamic(box.sizes[*position]))
        part.offsets[dim] = box.offsets[*position], part.sizes[dim] = box.sizes[*position];
    const bool isInit = op.isDpsInit(&operand);
    if (isInit && !op.payloadUsesValueFromOperand(&operand))
      operands.push_back(createEmpty(b, loc, operand.get(), part));
    else if (isInit && isZero(operand.get()))
      operands.push_back(fillWithZeros(b, loc, createEmpty(b, loc, operand.get(), part)));
    else
      operands.push_back(extract(b, loc, operand.get(), part));
  }
  return createWithBody(b, op, ArrayRef(operands).drop_back(), operands.back(), op.getIndexingMapsArray(),
                        op.getIteratorTypesArray())
      .getResult(0);
}

/// Whether the op computes or broadcasts elements, one by one.
static bool isElementwise(linalg::LinalgOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops() || isa<linalg::FillOp>(op.getOperation()))
    return false;
  return !isCopy(op) || !op.getIndexingMapsArray().front().isPermutation();
}

/// If slices of the op's result have all that is used of it, computes only these parts. What only leaves the loop is
/// computed by another op than what the loop needs, and each of the disjoint slices of an elementwise op by its own.
static void computeSlices(IRRewriter &b, linalg::LinalgOp op, const TensorSizes &sizes) {
  if (op->getNumResults() != 1 || !op.hasPureTensorSemantics() || op.hasIndexSemantics() || op->use_empty() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(/*allowZeroInResults=*/true); }))
    return;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  struct Part {
    std::optional<Box> box;
    SmallVector<std::pair<tensor::ExtractSliceOp, Box>> slices;
    void add(const Box &more) { box ? box->extendTo(more) : void(box = more); }
  };
  Part kept, leaving;
  SmallVector<Part, 0> pieces; // of equal boxes
  bool areDisjoint = true;
  for (Operation *user : op->getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    std::optional<Box> box =
        slice && slice->getBlock() == op->getBlock() ? getBox(slice, op->getResult(0), sizes) : std::nullopt;
    if (!box)
      return;
    Part &part = leavesLoop(slice, loop) ? leaving : kept;
    part.add(*box);
    part.slices.emplace_back(slice, *box);
    auto piece = llvm::find_if(pieces, [&](const Part &piece) { return *piece.box == *box; });
    if (piece == pieces.end()) {
      areDisjoint &= llvm::all_of(pieces, [&](const Part &piece) { return piece.box->isDisjointFrom(*box); });
      piece = pieces.insert(pieces.end(), Part{*box, {}});
    }
    piece->slices.emplace_back(slice, *box);
  }
  SmallVector<Part *> parts;
  constexpr size_t mostPieces = 8;
  if (isElementwise(op) && areDisjoint && pieces.size() <= mostPieces) {
    // Each piece can be fused with its users.
    for (Part &piece : pieces)
      if (!piece.box->covers(type))
        parts.push_back(&piece);
  } else {
    if (kept.box && leaving.box && !kept.box->isDisjointFrom(*leaving.box)) {
      kept.add(*leaving.box);
      kept.slices.append(leaving.slices);
      leaving.box.reset();
    }
    for (Part *part : {&kept, &leaving})
      if (part->box && !part->box->covers(type))
        parts.push_back(part);
  }
  b.setInsertionPoint(op);
  for (Part *part : parts) {
    Value computed = computeBox(b, op, *part->box);
    for (auto &[slice, box] : part->slices) {
      for (unsigned dim = 0; dim < box.getRank(); ++dim)
        box.offsets[dim] -= part->box->offsets[dim];
      b.startOpModification(slice);
      slice.getSourceMutable().assign(computed);
      slice.setStaticOffsets(box.offsets);
      b.finalizeOpModification(slice);
      if (slice.getType() == computed.getType())
        b.replaceOp(slice, computed);
    }
  }
  if (op->use_empty())
    b.eraseOp(op);
}

namespace {
struct SplitContractions : public rnn::impl::RNNSplitContractionsPassBase<SplitContractions> {
  void runOnOperation() override {
    // A slice of a sum then reads the bias, not a slice of its broadcast.
    RewritePatternSet patterns(&getContext());
    populateFoldBroadcastPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter b(&getContext());
    const TensorSizes sizes(getOperation());
    for (linalg::LinalgOp op : llvm::reverse(ops)) // an op that computes less reads slices of other ones
      if (linalg::LinalgOp sum = splitDepth(b, op, sizes))
        computeSlices(b, sum, sizes);
      else
        computeSlices(b, op, sizes);
  }
};
} // namespace
