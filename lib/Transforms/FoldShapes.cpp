//===- FoldShapes.cpp - scalars instead of tensors of sizes -------------------===//
//
// Imported programs with dynamic sizes compute them in small tensors, by linalg ops that bufferization allocates and
// that run in each iteration of a loop, and broadcast operands whose sizes may be 1 by indices that no other pass
// understands. Their elements become scalars, and broadcasts of equal sizes become elementwise ops.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNFOLDSHAPESPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// The most elements of a tensor that is taken for one of sizes, and the most ops that compute one.
static constexpr int64_t mostElements = 16;

static bool isSmall(RankedTensorType type) {
  return type && type.hasStaticShape() && type.getNumElements() <= mostElements && type.getElementType().isIntOrIndex();
}

static std::optional<SmallVector<int64_t>> getConstants(ValueRange indices) {
  SmallVector<int64_t> constants;
  for (Value index : indices) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    if (!constant)
      return std::nullopt;
    constants.push_back(*constant);
  }
  return constants;
}

static Value extract(OpBuilder &b, Location loc, Value tensor, ArrayRef<int64_t> indices) {
  SmallVector<Value> values;
  for (int64_t index : indices)
    values.push_back(arith::ConstantIndexOp::create(b, loc, index));
  return tensor::ExtractOp::create(b, loc, tensor, values);
}

/// Clones the ops of a block that does not end the function, and returns what its terminator yields. Ops with constant
/// operands are folded.
static SmallVector<Value> cloneFolded(RewriterBase &b, Block &block, IRMapping &map, ArrayRef<int64_t> loops) {
  for (Operation &op : block.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      map.map(index.getResult(), arith::ConstantIndexOp::create(b, op.getLoc(), loops[index.getDim()]));
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      std::optional<int64_t> condition = getConstantIntValue(map.lookupOrDefault(branch.getCondition()));
      Block *taken = condition && *condition ? branch.thenBlock() : branch.elseBlock();
      if (condition && taken) {
        map.map(branch.getResults(), cloneFolded(b, *taken, map, loops));
        continue;
      }
    }
    Operation *clone = b.clone(op, map);
    SmallVector<Value> folded;
    if (succeeded(b.tryFold(clone, folded)) && !folded.empty()) {
      map.map(op.getResults(), folded);
      b.eraseOp(clone);
    }
  }
  SmallVector<Value> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(map.lookupOrDefault(result));
  return results;
}

namespace {
/// An element of a tensor of sizes is computed by scalar ops.
struct FoldElementOfOp : public OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp element, PatternRewriter &b) const override {
    auto op = element.getTensor().getDefiningOp<linalg::LinalgOp>();
    std::optional<SmallVector<int64_t>> indices = getConstants(element.getIndices());
    if (!op || !indices || !isSmall(element.getTensor().getType()) || !op.hasPureTensorSemantics() ||
        op->getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
        int64_t(op.getBlock()->getOperations().size()) > mostElements)
      return failure();
    AffineMap result = op.getIndexingMapsArray().back();
    if (!result.isPermutation() || op.payloadUsesValueFromOperand(&op.getDpsInitsMutable()[0]))
      return failure();
    SmallVector<int64_t> loops(op.getNumLoops());
    for (auto [expr, index] : llvm::zip_equal(result.getResults(), *indices))
      loops[cast<AffineDimExpr>(expr).getPosition()] = index;
    IRMapping map;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value value = input->get();
      if (isa<RankedTensorType>(value.getType()))
        value = extract(b, op.getLoc(), value, op.getMatchingIndexingMap(input).compose(loops));
      map.map(op.getBlock()->getArgument(input->getOperandNumber()), value);
    }
    b.replaceOp(element, cloneFolded(b, *op.getBlock(), map, loops));
    return success();
  }
};

/// An element of a slice, or of a reshaped tensor of one element, is that of the source.
struct FoldElementOfView : public OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp element, PatternRewriter &b) const override {
    Operation *op = element.getTensor().getDefiningOp();
    std::optional<SmallVector<int64_t>> indices = getConstants(element.getIndices());
    if (!op || !indices || !isSmall(element.getTensor().getType()))
      return failure();
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp>(op)) {
      auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
      if (!isSmall(source) || source.getNumElements() != 1)
        return failure();
      b.replaceOp(element, extract(b, op->getLoc(), op->getOperand(0), SmallVector<int64_t>(source.getRank(), 0)));
      return success();
    }
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    if (!slice || slice.getSourceType().getRank() != slice.getType().getRank() || !slice.hasUnitStride() ||
        ShapedType::isDynamicShape(slice.getStaticOffsets()))
      return failure();
    for (auto [index, offset] : llvm::zip_equal(*indices, slice.getStaticOffsets()))
      index += offset;
    b.replaceOp(element, extract(b, op->getLoc(), slice.getSource(), *indices));
    return success();
  }
};

/// Replaces `tensor.reshape` by a collapse or an expansion if source and result have one dynamic dimension each, and
/// their other sizes have equal products: the dynamic sizes are equal then, whatever the tensor of sizes says.
struct FoldReshape : public OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp reshape, PatternRewriter &b) const override {
    auto source = dyn_cast<RankedTensorType>(reshape.getSource().getType());
    auto result = dyn_cast<RankedTensorType>(reshape.getType());
    if (!source || !result || source.getRank() == result.getRank() || source.getNumDynamicDims() != 1 ||
        result.getNumDynamicDims() != 1)
      return failure();
    auto countStatic = [](RankedTensorType type) {
      int64_t count = 1;
      for (int64_t size : type.getShape())
        count *= ShapedType::isDynamic(size) ? 1 : size;
      return count;
    };
    if (countStatic(source) != countStatic(result) || countStatic(source) == 0)
      return failure();
    std::optional<SmallVector<ReassociationIndices>> groups = getReassociationIndicesForReshape(source, result);
    if (!groups)
      return failure();
    if (source.getRank() > result.getRank()) {
      b.replaceOpWithNewOp<tensor::CollapseShapeOp>(reshape, result, reshape.getSource(), *groups);
      return success();
    }
    SmallVector<OpFoldResult> sizes;
    for (int64_t size : result.getShape())
      sizes.push_back(b.getIndexAttr(size));
    const int64_t from = llvm::find(source.getShape(), ShapedType::kDynamic) - source.getShape().begin();
    const int64_t to = llvm::find(result.getShape(), ShapedType::kDynamic) - result.getShape().begin();
    sizes[to] = tensor::DimOp::create(b, reshape.getLoc(), reshape.getSource(), from).getResult();
    b.replaceOpWithNewOp<tensor::ExpandShapeOp>(reshape, result, reshape.getSource(), *groups, sizes);
    return success();
  }
};
} // namespace

/// The size of a loop of the op.
static std::optional<TensorSize> getLoopSize(const TensorSizes &sizes, linalg::LinalgOp op, unsigned loop) {
  Value init = op.getDpsInits().front();
  std::optional<unsigned> dim =
      op.getIndexingMapsArray().back().getResultPosition(getAffineDimExpr(loop, op.getContext()));
  return dim ? std::optional(sizes.getSize(init, *dim)) : std::nullopt;
}

/// Matches `size == 1 ? 0 : index` where `size` is the number of indices, and returns the index.
static linalg::IndexOp getBroadcastIndex(const TensorSizes &sizes, linalg::LinalgOp op, arith::SelectOp select) {
  auto index = select.getFalseValue().getDefiningOp<linalg::IndexOp>();
  auto isOne = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!index || !isOne || isOne.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(select.getTrueValue(), m_Zero()) || !matchPattern(isOne.getRhs(), m_One()))
    return {};
  return getLoopSize(sizes, op, index.getDim()) == sizes.getIndex(isOne.getLhs()) ? index : linalg::IndexOp();
}

/// The map of an operand with the elements that an op reads, if it reads all elements of a tensor or repeats them.
static AffineMap getOperandMap(const TensorSizes &sizes, linalg::LinalgOp op, tensor::ExtractOp element) {
  SmallVector<AffineExpr> exprs;
  for (auto [dim, value] : llvm::enumerate(element.getIndices())) {
    const TensorSize size = sizes.getSize(element.getTensor(), dim);
    auto index = value.getDefiningOp<linalg::IndexOp>();
    if (index && getLoopSize(sizes, op, index.getDim()) == size)
      exprs.push_back(getAffineDimExpr(index.getDim(), op.getContext()));
    else if (getConstantIntValue(value) == 0 && size == TensorSize{Value(), 1})
      exprs.push_back(getAffineConstantExpr(0, op.getContext()));
    else
      return {};
  }
  return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
}

/// Replaces elements that the op reads at its own indices by operands.
static void readOperands(RewriterBase &b, linalg::GenericOp op, const TensorSizes &sizes) {
  if (op.getNumDpsInits() != 1 || op.getNumParallelLoops() != op.getNumLoops() || !op.hasPureTensorSemantics())
    return;
  Block *body = op.getBody();
  body->walk([&](arith::SelectOp select) {
    if (linalg::IndexOp index = getBroadcastIndex(sizes, op, select))
      b.replaceAllUsesWith(select.getResult(), index.getResult());
  });
  SmallVector<std::pair<tensor::ExtractOp, AffineMap>> elements;
  for (tensor::ExtractOp element : body->getOps<tensor::ExtractOp>())
    if (!op->isAncestor(element.getTensor().getParentRegion()->getParentOp()))
      if (AffineMap map = getOperandMap(sizes, op, element))
        elements.emplace_back(element, map);
  if (elements.empty())
    return;
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [element, map] : elements) {
    inputs.push_back(element.getTensor());
    maps.insert(maps.end() - 1, map);
    BlockArgument argument = body->insertArgument(inputs.size() - 1, element.getType(), element.getLoc());
    b.replaceOp(element, argument);
  }
  b.setInsertionPoint(op);
  auto replaced = linalg::GenericOp::create(b, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
                                            op.getIteratorTypesArray());
  b.inlineRegionBefore(op.getRegion(), replaced.getRegion(), replaced.getRegion().begin());
  b.replaceOp(op, replaced);
}

/// Replaces sizes of tensors by those that they are equal to, so that equal sizes are one value.
static void unifySizes(RewriterBase &b, Operation *root, const TensorSizes &sizes) {
  SmallVector<tensor::DimOp> dims;
  root->walk([&](tensor::DimOp dim) { dims.push_back(dim); });
  DenseMap<std::pair<Value, int64_t>, Value> values;
  for (tensor::DimOp dim : dims) {
    const TensorSize size = sizes.getIndex(dim.getResult());
    if (!size.value) {
      b.setInsertionPoint(dim);
      b.replaceOpWithNewOp<arith::ConstantIndexOp>(dim, size.number);
      continue;
    }
    if (size.isIndex() && size.value != dim.getResult())
      b.replaceOp(dim, size.value);
    if (!size.isOfTensor())
      continue;
    Value &value = values[{size.value, size.number}];
    if (!value) {
      b.setInsertionPointAfterValue(size.value);
      value = tensor::DimOp::create(b, dim.getLoc(), size.value, size.number);
    }
    b.replaceOp(dim, value);
  }
}

namespace {
struct FoldShapes : public rnn::impl::RNNFoldShapesPassBase<FoldShapes> {
  void runOnOperation() override {
    auto hasDynamicSizes = [](Operation *op) {
      return llvm::any_of(op->getResultTypes(), [](Type type) {
        auto shaped = dyn_cast<ShapedType>(type);
        return shaped && (!shaped.hasRank() || !shaped.hasStaticShape());
      });
    };
    bool isDynamic = false;
    getOperation()->walk([&](Operation *op) { isDynamic = isDynamic || hasDynamicSizes(op); });
    if (!isDynamic)
      return;
    foldScalars();
    IRRewriter b(&getContext());
    TensorSizes sizes(getOperation());
    unifySizes(b, getOperation(), sizes);
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (hasDynamicSizes(op))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops)
      readOperands(b, op, sizes);
    foldScalars();
  }

private:
  void foldScalars() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<FoldElementOfOp, FoldElementOfView, FoldReshape>(context);
    tensor::CastOp::getCanonicalizationPatterns(patterns, context);
    tensor::DimOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExtractOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
    tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    for (StringRef name : {"arith.addi", "arith.subi", "arith.index_cast", "arith.cmpi", "arith.select"})
      if (std::optional<RegisteredOperationName> op = RegisteredOperationName::lookup(name, context))
        op->getCanonicalizationPatterns(patterns, context);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
