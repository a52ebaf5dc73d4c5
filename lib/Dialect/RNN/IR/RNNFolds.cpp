//===- RNNFolds.cpp - canonicalization and shape reification -----------------===//
//
// Canonicalization resolves `auto_select`, removes redundant sequence lengths and propagates shapes through casts as
// soon as the types allow it. TensorFlow does this when an op runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudnnCommon.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::detail;

namespace {

/// Returns true if `auto_select` selects `skip_input`. The verifier requires static sizes.
template <typename OpTy> bool autoSelectsSkip(OpTy op) {
  auto input = cast<ShapedType>(op.getInput().getType()), state = cast<ShapedType>(op.getInputH().getType());
  return input.getDimSize(2) == state.getDimSize(2);
}

/// Replaces `auto_select` by TensorFlow's choice at run time: `skip_input` if the sizes are equal, else `linear_input`.
template <typename OpTy> struct ResolveAutoSelect : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (op.getInputMode() != InputMode::AutoSelect)
      return rewriter.notifyMatchFailure(op, "input mode is not auto_select");
    std::optional<bool> same = haveSameSize(op);
    if (!same)
      return rewriter.notifyMatchFailure(op, "sizes are not constant");
    rewriter.modifyOpInPlace(op, [&] { op.setInputMode(*same ? InputMode::SkipInput : InputMode::LinearInput); });
    return success();
  }

private:
  static std::optional<bool> haveSameSize(OpTy op) {
    if constexpr (std::is_same_v<OpTy, CudnnForwardOp> || std::is_same_v<OpTy, CudnnBackpropOp>) {
      return autoSelectsSkip(op);
    } else {
      std::optional<int64_t> units = getConstantInt(op.getUnits()), input = getConstantInt(op.getInputSize());
      if (!units || !input)
        return std::nullopt;
      return *units == *input;
    }
  }
};

/// The static size that casts of `result` assert for a dimension, or dynamic.
static int64_t getAssertedSize(Value result, unsigned dim) {
  for (Operation *user : result.getUsers())
    if (auto cast = dyn_cast<tensor::CastOp>(user))
      if (auto type = dyn_cast<RankedTensorType>(cast.getType()); type && !type.isDynamicDim(dim))
        return type.getDimSize(dim);
  return ShapedType::kDynamic;
}

/// Uses the static shapes behind casts of operands, the result shapes that follow from them, and static sizes that
/// casts of results assert: the op checks them at run time.
template <typename OpTy> struct RefineShapes : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!rnn::detail::isValueForm(op.getOperation()))
      return rewriter.notifyMatchFailure(op, "op is in memref form");
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto cast = operand.getDefiningOp<tensor::CastOp>();
      operands.push_back(cast && tensor::canFoldIntoConsumerOp(cast) ? cast.getSource() : operand);
    }
    SmallVector<Type> inferred;
    if (failed(OpTy::inferReturnTypes(op.getContext(), op.getLoc(), operands, op->getDiscardableAttrDictionary(),
                                      op->getPropertiesStorage(), /*regions=*/{}, inferred)))
      return failure();
    bool changed = !llvm::equal(operands, op->getOperands());
    SmallVector<Type> types;
    for (auto [result, now] : llvm::zip_equal(op->getResults(), inferred)) {
      // Keep static sizes of the old type that the operands do not define, such as those of opaque buffers.
      auto oldType = cast<RankedTensorType>(result.getType()), newType = cast<RankedTensorType>(now);
      SmallVector<int64_t> shape(newType.getShape());
      for (auto [dim, size] : llvm::enumerate(shape))
        if (ShapedType::isDynamic(size))
          size = oldType.isDynamicDim(dim) ? getAssertedSize(result, dim) : oldType.getDimSize(dim);
      types.push_back(RankedTensorType::get(shape, newType.getElementType()));
      changed |= types.back() != oldType;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "shapes are already refined");
    OperationState state(op.getLoc(), OpTy::getOperationName(), operands, types,
                         llvm::to_vector(op->getDiscardableAttrs()));
    state.useProperties(op.getProperties());
    Operation *refined = rewriter.create(state);
    // Shapes behind casts may contradict each other. That is an error at run time, not one of this rewrite.
    ScopedDiagnosticHandler silence(op.getContext(), [](Diagnostic &) { return success(); });
    if (failed(verify(refined, /*verifyRecursively=*/false))) {
      rewriter.eraseOp(refined);
      return rewriter.notifyMatchFailure(op, "the shapes behind the casts contradict each other");
    }
    SmallVector<Value> results;
    for (auto [result, type] : llvm::zip_equal(refined->getResults(), op->getResultTypes()))
      results.push_back(result.getType() == type ? Value(result)
                                                 : tensor::CastOp::create(rewriter, op.getLoc(), type, result));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Removes constant resets without a mark, and a `reset_to` that has no effect.
template <typename OpTy> struct DropEmptyResets : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    DenseIntElementsAttr marks;
    if (!op.getResets() || !matchPattern(op.getResets(), m_Constant(&marks)))
      return rewriter.notifyMatchFailure(op, "resets are not constant");
    if (llvm::any_of(marks.getValues<bool>(), [](bool isSet) { return isSet; }))
      return rewriter.notifyMatchFailure(op, "a mark is set");
    rewriter.modifyOpInPlace(op, [&] {
      op.getResetsMutable().clear();
      op.setResetTo(ResetTo::Zero);
    });
    return success();
  }
};

/// Removes a constant length that equals the static number of steps. Replaces an op without steps by zeros.
template <typename OpTy> struct FoldSeqLenMax : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    auto xType = cast<ShapedType>(op.getX().getType());
    unsigned stepsDim = SequenceDims(op).steps;
    std::optional<int64_t> length = getConstantInt(op.getSeqLenMax());
    bool noSteps = length == 0 || (xType.getDimSize(stepsDim) == 0 && (!op.getSeqLenMax() || length));
    if (noSteps && rnn::detail::isValueForm(op.getOperation()) &&
        llvm::all_of(op->getResultTypes(), [](Type type) { return cast<ShapedType>(type).hasStaticShape(); })) {
      SmallVector<Value> zeros;
      for (Type type : op->getResultTypes())
        zeros.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), cast<TypedAttr>(rewriter.getZeroAttr(type))));
      rewriter.replaceOp(op, zeros);
      return success();
    }
    if (!length || xType.isDynamicDim(stepsDim) || *length != xType.getDimSize(stepsDim))
      return rewriter.notifyMatchFailure(op, "length is not a constant equal to T");
    rewriter.modifyOpInPlace(op, [&] { op.getSeqLenMaxMutable().clear(); });
    return success();
  }
};

/// Removes dropout and seeds in inference, which ignores them. Equal plans can then be shared.
struct DropInferenceDropout : public OpRewritePattern<CudnnForwardOp> {
  using OpRewritePattern<CudnnForwardOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(CudnnForwardOp op, PatternRewriter &rewriter) const override {
    if (op.getIsTraining() || (op.getDropout().isZero() && op.getSeed() == 0 && op.getSeed2() == 0))
      return rewriter.notifyMatchFailure(op, "op is in training or has no dropout");
    rewriter.modifyOpInPlace(op, [&] {
      op.setDropout(APFloat(0.0));
      op.setSeed(0);
      op.setSeed2(0);
    });
    return success();
  }
};

/// Packs constant weights and biases into a constant where the layout is dense: then layers with constant weights pack
/// them once for all calls.
struct FoldConstantParams : public OpRewritePattern<CudnnCanonicalToParamsOp> {
  using OpRewritePattern<CudnnCanonicalToParamsOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(CudnnCanonicalToParamsOp op, PatternRewriter &rewriter) const override {
    TargetAttr target = TargetAttr::lookup(op);
    if (op.getLowering() != Lowering::Fused && (!target || target.getKind() == TargetKind::Cuda))
      return rewriter.notifyMatchFailure(op, "the layout may be cuDNN's");
    if (!rnn::detail::isValueForm(op.getOperation()))
      return rewriter.notifyMatchFailure(op, "op is in memref form");
    Type element = cast<RankedTensorType>(op.getParams().getType()).getElementType();
    std::vector<char> bytes;
    // The canonical order is that of the dense layout.
    for (Value value : llvm::concat<Value>(llvm::to_vector(op.getWeights()), llvm::to_vector(op.getBiases()))) {
      DenseElementsAttr elements;
      if (!matchPattern(value, m_Constant(&elements)))
        return rewriter.notifyMatchFailure(op, "a weight or bias is not constant");
      ArrayRef<char> data = elements.getRawData();
      for (int64_t copy = 0, end = elements.isSplat() ? elements.getNumElements() : 1; copy < end; ++copy)
        bytes.insert(bytes.end(), data.begin(), data.end());
    }
    int64_t count = bytes.size() / (element.getIntOrFloatBitWidth() / 8);
    auto type = RankedTensorType::get({count}, element);
    if (!cast<RankedTensorType>(op.getParams().getType()).isDynamicDim(0) &&
        cast<RankedTensorType>(op.getParams().getType()).getDimSize(0) != count)
      return rewriter.notifyMatchFailure(op, "the result has another size");
    Value params = arith::ConstantOp::create(rewriter, op.getLoc(), DenseElementsAttr::getFromRawBuffer(type, bytes));
    if (type != op.getParams().getType())
      params = tensor::CastOp::create(rewriter, op.getLoc(), op.getParams().getType(), params);
    rewriter.replaceOp(op, params);
    return success();
  }
};

} // namespace

void CudnnForwardOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ResolveAutoSelect<CudnnForwardOp>, RefineShapes<CudnnForwardOp>, DropEmptyResets<CudnnForwardOp>,
               DropInferenceDropout>(context);
}

void CudnnBackpropOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ResolveAutoSelect<CudnnBackpropOp>, RefineShapes<CudnnBackpropOp>, DropEmptyResets<CudnnBackpropOp>>(
      context);
}

void CudnnParamsSizeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ResolveAutoSelect<CudnnParamsSizeOp>>(context);
}

void CudnnReserveSizeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ResolveAutoSelect<CudnnReserveSizeOp>>(context);
}

void CudnnCanonicalToParamsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ResolveAutoSelect<CudnnCanonicalToParamsOp>, RefineShapes<CudnnCanonicalToParamsOp>, FoldConstantParams>(
      context);
}

void CudnnParamsToCanonicalOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ResolveAutoSelect<CudnnParamsToCanonicalOp>>(context);
}

void BlockLSTMOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldSeqLenMax<BlockLSTMOp>, RefineShapes<BlockLSTMOp>, DropEmptyResets<BlockLSTMOp>>(context);
}

void BlockLSTMGradOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldSeqLenMax<BlockLSTMGradOp>, RefineShapes<BlockLSTMGradOp>, DropEmptyResets<BlockLSTMGradOp>>(
      context);
}

//===----------------------------------------------------------------------===//
// Shapes that need an op of their own
//===----------------------------------------------------------------------===//

Value rnn::createReserveSize(OpBuilder &builder, CudnnForwardOp op, SizeFn sizeOf) {
  ShapeRules rules = getShapeRules(op);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> symbols = materializeSymbolicDims(builder, loc, rules, sizeOf);
  auto size = [&](StringRef name) {
    return getValueOrCreateConstantIndexOp(builder, loc, symbols[rules.getSymbolIndex(name)]);
  };
  // Resolve auto_select here: the size op compares I with H, the layer compares I with P.
  InputMode inputMode = op.getInputMode();
  if (inputMode == InputMode::AutoSelect)
    inputMode = autoSelectsSkip(op) ? InputMode::SkipInput : InputMode::LinearInput;
  auto sizeOp = CudnnReserveSizeOp::create(
      builder, loc, size("L"), size("H"), size("I"), size("T"), size("B"), op.getModeAttr(), op.getDirectionAttr(),
      InputModeAttr::get(op.getContext(), inputMode), op.getDropoutAttr(), op.getSeedAttr(), op.getSeed2Attr(),
      op.getNumProjAttr(), op.getBatchMajorAttr(), TypeAttr::get(getElementTypeOrSelf(op.getInput().getType())),
      op.getLoweringAttr());
  return sizeOp.getSize();
}

LogicalResult CudnnCanonicalToParamsOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifyResults(builder, *this, shapes,
                      [&](unsigned) -> OpFoldResult { return createParamsSize(builder, *this); });
}

Value rnn::createParamsSize(OpBuilder &builder, CudnnCanonicalToParamsOp op) {
  return CudnnParamsSizeOp::create(builder, op.getLoc(), op.getLayers(), op.getUnits(), op.getInputSize(),
                                   op.getModeAttr(), op.getDirectionAttr(), op.getInputModeAttr(), op.getNumProjAttr(),
                                   TypeAttr::get(getElementTypeOrSelf(op.getWeights().front().getType())),
                                   op.getLoweringAttr())
      .getSize();
}

LogicalResult CudnnParamsToCanonicalOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  if (!rnn::detail::isValueForm(getOperation()))
    return failure();
  int64_t directions = getNumDirections(getDirection()), pairs = getNumParamPairs(getMode());
  int64_t perCell = pairs + (hasProjection(*this) ? 1 : 0);
  OpFoldResult units = getUnits();
  OpFoldResult projection = getNumProj() > 0 ? OpFoldResult(builder.getIndexAttr(getNumProj())) : units;
  AffineExpr size = getAffineSymbolExpr(0, getContext());
  auto times = [&](OpFoldResult value, int64_t factor) {
    return affine::makeComposedFoldedAffineApply(builder, getLoc(), size * factor, {value});
  };
  auto add = [&](Value result, ArrayRef<OpFoldResult> dims) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, value] : llvm::enumerate(dims))
      sizes.push_back(type.isDynamicDim(dim) ? OpFoldResult(getValueOrCreateConstantIndexOp(builder, getLoc(), value))
                                             : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
    shapes.push_back(std::move(sizes));
  };
  for (auto [index, result] : llvm::enumerate(getWeights())) {
    int64_t layer = index / perCell / directions, place = index % perCell;
    if (cast<RankedTensorType>(result.getType()).getRank() != 2)
      return failure();
    if (place == pairs)
      add(result, {projection, units});
    else if (place >= pairs / 2)
      add(result, {units, projection});
    else if (layer > 0)
      add(result, {units, times(projection, directions)});
    else
      add(result, {getInputMode() == InputMode::SkipInput ? OpFoldResult(builder.getIndexAttr(0)) : units,
                   OpFoldResult(getInputSize())});
  }
  for (Value result : getBiases()) {
    if (cast<RankedTensorType>(result.getType()).getRank() != 1)
      return failure();
    add(result, {units});
  }
  return success();
}
