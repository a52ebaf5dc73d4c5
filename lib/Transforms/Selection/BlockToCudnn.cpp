//===- BlockToCudnn.cpp - block LSTM ops to equivalent cudnn ops --------------===//
//
// A block LSTM without peephole, clip and `seq_len_max` equals a cudnn LSTM of one layer, with one matrix instead of
// opaque parameters. The cudnn ops have no results for gates and for cells of each step, and accept a gradient of the
// last cell only.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Transforms/Selection/Passes.h"
#include "rnn/Transforms/Selection/Selection.h"
#include "rnn/Transforms/ZeroTensors.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNBLOCKTOCUDNNPASS
#include "rnn/Transforms/Selection/Passes.h.inc"
} // namespace mlir::rnn

#define DEBUG_TYPE "rnn-block-to-cudnn"

using namespace mlir;
using namespace mlir::rnn;

namespace {

/// Why an op is not rewritten; empty if it is.
using Reason = std::string;

/// The dimension of the steps in a sequence of the op.
template <typename OpTy> unsigned stepsDim(OpTy op) {
  return op.getBatchMajor() ? 1 : 0;
}

/// True for a slice that is the last of `steps` steps of a sequence, whose dimension `stepsDim` is T.
bool isLastStep(OffsetSizeAndStrideOpInterface slice, int64_t steps, unsigned stepsDim, RankedTensorType whole) {
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(), sizes = slice.getMixedSizes();
  if (!isConstantIntValue(offsets[stepsDim], steps - 1) || !isConstantIntValue(sizes[stepsDim], 1))
    return false;
  for (unsigned dim : {1 - stepsDim, 2u})
    if (!isConstantIntValue(offsets[dim], 0) || whole.isDynamicDim(dim) ||
        !isConstantIntValue(sizes[dim], whole.getDimSize(dim)))
      return false;
  return llvm::all_of(slice.getMixedStrides(), [](OpFoldResult stride) { return isConstantIntValue(stride, 1); });
}

/// Shared by the rewrites of both ops: symbolic dimensions as values, parts of the matrix, and the parameters made of
/// them.
template <typename OpTy> class Layer {
public:
  Layer(RewriterBase &rewriter, OpTy op) : rewriter(rewriter), loc(op.getLoc()), op(op) {
    auto x = cast<RankedTensorType>(op.getX().getType());
    element = x.getElementType();
    steps = x.getDimSize(stepsDim(op));
    batch = tensor::getMixedSize(rewriter, loc, op.getX(), 1 - stepsDim(op));
    input = tensor::getMixedSize(rewriter, loc, op.getX(), 2);
    hidden = tensor::getMixedSize(rewriter, loc, op.getHPrev(), 1);
    // The slices below do not check sizes. rnn-check-casts adds the run-time checks of these casts.
    const int64_t rows = *getConstantIntValue(input) + *getConstantIntValue(hidden);
    const int64_t columns = 4 * *getConstantIntValue(hidden);
    w = rewriter.createOrFold<tensor::CastOp>(loc, RankedTensorType::get({rows, columns}, element), op.getW());
    b = rewriter.createOrFold<tensor::CastOp>(loc, RankedTensorType::get({columns}, element), op.getB());
  }

  /// First column of the gate that is block `block` of a stack's parameters.
  OpFoldResult column(unsigned block) {
    const auto *gate = llvm::find_if(rnn_layout::lstmGates,
                                     [&](rnn_layout::LstmGate gate) { return rnn_layout::stackBlock(gate) == block; });
    AffineExpr size = rewriter.getAffineSymbolExpr(0);
    return affine::makeComposedFoldedAffineApply(
        rewriter, loc, size * rnn_layout::gateBlock(getGateOrder(op.getLayout()), *gate), {hidden});
  }

  Value transpose(Value matrix) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, matrix);
    std::swap(sizes[0], sizes[1]);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
    return linalg::TransposeOp::create(rewriter, loc, matrix, empty, ArrayRef<int64_t>{1, 0})->getResult(0);
  }

  /// The opaque parameters of the layer, the forget bias added.
  Value params(double forgetBias) {
    OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
    SmallVector<Value> weights, biases;
    for (bool recurrent : {false, true})
      for (unsigned gate = 0; gate < 4; ++gate) {
        SmallVector<OpFoldResult> offsets{recurrent ? input : zero, column(gate)};
        SmallVector<OpFoldResult> sizes{recurrent ? hidden : input, hidden}, strides{one, one};
        weights.push_back(transpose(tensor::ExtractSliceOp::create(rewriter, loc, w, offsets, sizes, strides)));
      }
    for (unsigned gate = 0; gate < 4; ++gate) {
      Value bias = tensor::ExtractSliceOp::create(rewriter, loc, b, column(gate), hidden, one);
      if (gate == rnn_layout::stackBlock(rnn_layout::LstmGate::Forget) && forgetBias != 0)
        bias = arith::AddFOp::create(rewriter, loc, bias, filled(forgetBias, {hidden}));
      biases.push_back(bias);
    }
    biases.append(4, filled(0, {hidden}));
    Value layers = arith::ConstantIndexOp::create(rewriter, loc, 1);
    auto pack = createLayerOp<CudnnCanonicalToParamsOp>(
        rewriter, loc, {layers, toValue(hidden), toValue(input), weights, biases}, attributes());
    return pack.getParams();
  }

  /// A tensor of one value; dynamic sizes are allowed.
  Value filled(double value, ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> dynamic;
    SmallVector<int64_t> shape;
    dispatchIndexOpFoldResults(sizes, dynamic, shape);
    TypedAttr scalar = rewriter.getFloatAttr(element, value);
    auto type = RankedTensorType::get(shape, element);
    if (dynamic.empty())
      return arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, scalar));
    return tensor::SplatOp::create(rewriter, loc, type, arith::ConstantOp::create(rewriter, loc, scalar), dynamic);
  }

  /// `[B, H]` as `[1, B, H]` and back.
  Value addLayer(Value state) {
    auto type = cast<RankedTensorType>(state.getType());
    auto expanded = RankedTensorType::get({1, type.getDimSize(0), type.getDimSize(1)}, element);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, state);
    sizes.insert(sizes.begin(), rewriter.getIndexAttr(1));
    return tensor::ExpandShapeOp::create(rewriter, loc, expanded, state, groups(), sizes);
  }
  Value dropLayer(Value state) { return tensor::CollapseShapeOp::create(rewriter, loc, state, groups()); }

  /// `[1, B, H]` as one step of a sequence, which is `[B, 1, H]` in batch-major data, and back.
  Value toStep(Value state) {
    if (!op.getBatchMajor())
      return state;
    Value flat = dropLayer(state);
    auto type = cast<RankedTensorType>(flat.getType());
    auto expanded = RankedTensorType::get({type.getDimSize(0), 1, type.getDimSize(1)}, element);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, flat);
    sizes.insert(sizes.begin() + 1, rewriter.getIndexAttr(1));
    return tensor::ExpandShapeOp::create(rewriter, loc, expanded, flat, groups(), sizes);
  }
  Value fromStep(Value step) { return op.getBatchMajor() ? addLayer(dropLayer(step)) : step; }

  CudnnForwardOp forward(Value parameters) {
    // Always training: CSE can then merge it with the forward that a gradient runs again.
    return createLayerOp<CudnnForwardOp>(rewriter, loc,
                                         {op.getX(), addLayer(op.getHPrev()), addLayer(op.getCsPrev()), parameters, {}},
                                         layerAttributes());
  }

  Value toValue(OpFoldResult size) { return getValueOrCreateConstantIndexOp(rewriter, loc, size); }
  /// Attributes of all cudnn ops. They run as plans; the comparison with kernels was made before the rewrite.
  SmallVector<NamedAttribute> attributes() {
    MLIRContext *context = rewriter.getContext();
    return {rewriter.getNamedAttr("mode", CellModeAttr::get(context, CellMode::Lstm)),
            rewriter.getNamedAttr("lowering", LoweringAttr::get(context, Lowering::Runtime))};
  }
  /// Those of the layer ops.
  SmallVector<NamedAttribute> layerAttributes() {
    SmallVector<NamedAttribute> result = attributes();
    if (op.getBatchMajor())
      result.push_back(rewriter.getNamedAttr("batch_major", rewriter.getUnitAttr()));
    return result;
  }

  RewriterBase &rewriter;
  Location loc;
  OpTy op;
  Type element;
  int64_t steps;
  OpFoldResult batch, input, hidden;
  Value w, b; ///< with static sizes

private:
  static SmallVector<ReassociationIndices> groups() { return {{0, 1}, {2}}; }
};

/// Reasons for both ops.
template <typename OpTy> Reason checkCommon(OpTy op) {
  if (op.getUsePeephole())
    return "cuDNN has no peephole";
  if (op.getResets())
    return "cuDNN has no resets";
  if (op.getSeqLenMax())
    return "`seq_len_max` is not known to be T";
  if (cast<RankedTensorType>(op.getX().getType()).isDynamicDim(2) ||
      cast<RankedTensorType>(op.getHPrev().getType()).isDynamicDim(1))
    return "I or H is dynamic, and the cudnn ops do not check `w` and `b`";
  return {};
}

Reason checkForwardAttributes(BlockLSTMOp op) {
  if (Reason reason = checkCommon(op); !reason.empty())
    return reason;
  if (op.getCellClip().convertToDouble() > 0)
    return "the cudnn ops do not clip cells";
  return {};
}

/// The slices of `cs` that read its last step, if it has no other uses. A single step needs no slices.
std::optional<SmallVector<tensor::ExtractSliceOp>> findLastCells(BlockLSTMOp op) {
  SmallVector<tensor::ExtractSliceOp> slices;
  auto type = cast<RankedTensorType>(op.getCs().getType());
  const unsigned dim = stepsDim(op);
  if (type.getDimSize(dim) == 1)
    return slices;
  for (Operation *user : op.getCs().getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice || type.isDynamicDim(dim) || !isLastStep(slice, type.getDimSize(dim), dim, type))
      return std::nullopt;
    slices.push_back(slice);
  }
  return slices;
}

Reason checkForward(BlockLSTMOp op) {
  if (Reason reason = checkForwardAttributes(op); !reason.empty())
    return reason;
  for (Value gate : {op.getI(), op.getF(), op.getO(), op.getCi(), op.getCo()})
    if (!gate.use_empty())
      return "gates are used, which cuDNN does not return";
  if (!findLastCells(op))
    return "cells of other steps than the last are used, which cuDNN does not return";
  return {};
}

/// Requires that checkForward passes.
CudnnForwardOp rewriteForward(RewriterBase &rewriter, BlockLSTMOp op) {
  auto slices = findLastCells(op);
  rewriter.setInsertionPoint(op);
  Layer<BlockLSTMOp> layer(rewriter, op);
  CudnnForwardOp forward = layer.forward(layer.params(op.getForgetBias().convertToDouble()));
  for (tensor::ExtractSliceOp slice : *slices) {
    rewriter.setInsertionPoint(slice);
    Value cell = forward.getOutputC();
    cell = slice.getType().getRank() == 2 ? layer.dropLayer(cell) : layer.toStep(cell);
    rewriter.replaceOp(slice, rewriter.createOrFold<tensor::CastOp>(layer.loc, slice.getType(), cell));
  }
  if (layer.steps == 1)
    rewriter.replaceAllUsesWith(op.getCs(), rewriter.createOrFold<tensor::CastOp>(layer.loc, op.getCs().getType(),
                                                                                  layer.toStep(forward.getOutputC())));
  rewriter.replaceAllUsesWith(op.getH(), forward.getOutput());
  rewriter.eraseOp(op);
  return forward;
}

/// The op that inserts the gradient of the last cell into zeros; null if `cs_grad` has another form.
tensor::InsertSliceOp findLastCellGradient(BlockLSTMGradOp op) {
  Value csGrad = op.getCsGrad();
  auto insert = csGrad.getDefiningOp<tensor::InsertSliceOp>();
  const unsigned dim = stepsDim(op);
  const int64_t steps = cast<RankedTensorType>(csGrad.getType()).getDimSize(dim);
  return insert && !ShapedType::isDynamic(steps) && isZero(insert.getDest()) &&
                 isLastStep(insert, steps, dim, insert.getType())
             ? insert
             : tensor::InsertSliceOp();
}

/// The gradient of the last cell as `[1, B, H]`.
Value getLastCellGradient(Layer<BlockLSTMGradOp> &layer, Value csGrad) {
  if (isZero(csGrad))
    return layer.filled(0, {layer.rewriter.getIndexAttr(1), layer.batch, layer.hidden});
  if (layer.steps == 1)
    return layer.fromStep(csGrad);
  tensor::InsertSliceOp insert = findLastCellGradient(layer.op);
  Value source = insert.getSource();
  return insert.getSourceType().getRank() == 2 ? layer.addLayer(source) : layer.fromStep(source);
}

} // namespace

BlockLSTMOp rnn::findForward(BlockLSTMGradOp op) {
  auto forward = op.getI().getDefiningOp<BlockLSTMOp>();
  if (!forward || forward.getLayout() != op.getLayout() || forward.getBatchMajor() != op.getBatchMajor())
    return {};
  Value saved[] = {op.getI(), op.getCs(), op.getF(), op.getO(), op.getCi(), op.getCo(), op.getH()};
  Value results[] = {forward.getI(),  forward.getCs(), forward.getF(), forward.getO(),
                     forward.getCi(), forward.getCo(), forward.getH()};
  Value operands[] = {op.getX(), op.getCsPrev(), op.getHPrev(), op.getW(), op.getB()};
  Value forwards[] = {forward.getX(), forward.getCsPrev(), forward.getHPrev(), forward.getW(), forward.getB()};
  return llvm::equal(saved, results) && llvm::equal(operands, forwards) ? forward : BlockLSTMOp();
}

namespace {

Reason checkGrad(BlockLSTMGradOp op) {
  if (Reason reason = checkCommon(op); !reason.empty())
    return reason;
  BlockLSTMOp made = findForward(op);
  if (!made)
    return "the forward that produced its saved values is not in this function, and cuDNN has to run it again";
  if (Reason reason = checkForwardAttributes(made); !reason.empty())
    return reason;
  Value csGrad = op.getCsGrad();
  if (!isZero(csGrad) && cast<RankedTensorType>(csGrad.getType()).getDimSize(stepsDim(op)) != 1 &&
      !findLastCellGradient(op))
    return "`cs_grad` is not known to be zero before the last step, and cuDNN accepts only the gradient of the last "
           "cell";
  return {};
}

/// Requires that checkGrad passes.
std::pair<CudnnForwardOp, CudnnBackpropOp> rewriteGrad(RewriterBase &rewriter, BlockLSTMGradOp op) {
  rewriter.setInsertionPoint(op);
  Layer<BlockLSTMGradOp> layer(rewriter, op);
  Value lastCell = getLastCellGradient(layer, op.getCsGrad());
  Location loc = op.getLoc();
  Value parameters = layer.params(findForward(op).getForgetBias().convertToDouble());
  CudnnForwardOp forward = layer.forward(parameters);
  Value noGradient = layer.filled(0, {rewriter.getIndexAttr(1), layer.batch, layer.hidden});
  auto backprop = createLayerOp<CudnnBackpropOp>(rewriter, loc,
                                                 {forward.getInput(),
                                                  forward.getInputH(),
                                                  forward.getInputC(),
                                                  parameters,
                                                  {},
                                                  forward.getOutput(),
                                                  forward.getOutputH(),
                                                  forward.getOutputC(),
                                                  op.getHGrad(),
                                                  noGradient,
                                                  lastCell,
                                                  forward.getReserveSpace()},
                                                 layer.layerAttributes());

  // Insert the gradients of matrices and biases into the columns of their gates.
  auto toStatic = [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); };
  int64_t input = toStatic(layer.input), hidden = toStatic(layer.hidden);
  SmallVector<Type> types(4, RankedTensorType::get({hidden, input}, layer.element));
  types.append(4, RankedTensorType::get({hidden, hidden}, layer.element));
  types.append(8, RankedTensorType::get({hidden}, layer.element));
  Value layers = arith::ConstantIndexOp::create(rewriter, loc, 1);
  OperationState state(loc, CudnnParamsToCanonicalOp::getOperationName());
  state.addOperands({layers, layer.toValue(layer.hidden), layer.toValue(layer.input), backprop.getParamsBackprop()});
  state.addTypes(types);
  state.addAttributes(layer.attributes());
  state.addAttribute("input_mode", InputModeAttr::get(op.getContext(), InputMode::LinearInput));
  state.addAttribute("direction", DirectionAttr::get(op.getContext(), Direction::Unidirectional));
  state.addAttribute("operandSegmentSizes", rewriter.getDenseI32ArrayAttr({1, 1, 1, 1, 0, 0}));
  state.addAttribute("resultSegmentSizes", rewriter.getDenseI32ArrayAttr({8, 8}));
  auto unpack = cast<CudnnParamsToCanonicalOp>(rewriter.create(state));

  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  auto emptyLike = [&](Value value) -> Value {
    return tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, value), layer.element);
  };
  Value wGrad = emptyLike(layer.w), bGrad = emptyLike(layer.b);
  for (unsigned gate = 0; gate < 4; ++gate) {
    for (bool recurrent : {false, true}) {
      Value part = layer.transpose(unpack.getWeights()[gate + 4 * recurrent]);
      SmallVector<OpFoldResult> offsets{recurrent ? layer.input : zero, layer.column(gate)};
      SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, part), strides{one, one};
      wGrad = tensor::InsertSliceOp::create(rewriter, loc, part, wGrad, offsets, sizes, strides);
    }
    // cuDNN's two biases have the same gradient.
    bGrad = tensor::InsertSliceOp::create(rewriter, loc, unpack.getBiases()[gate], bGrad,
                                          OpFoldResult(layer.column(gate)), layer.hidden, one);
  }
  Value peephole = layer.filled(0, {layer.hidden});
  Value values[] = {backprop.getInputBackprop(),
                    layer.dropLayer(backprop.getInputCBackprop()),
                    layer.dropLayer(backprop.getInputHBackprop()),
                    wGrad,
                    peephole,
                    peephole,
                    peephole,
                    bGrad};
  SmallVector<Value> results;
  for (auto [value, type] : llvm::zip_equal(values, op->getResultTypes()))
    results.push_back(value.getType() == type ? value : tensor::CastOp::create(rewriter, loc, type, value));
  rewriter.replaceOp(op, results);
  return {forward, backprop};
}

/// The keys of the layers that `ops` (a gradient and its forward, or a forward) would become. Rewrites a copy of their
/// function, since the used results are part of a key.
SmallVector<std::string> findCudnnKeys(ArrayRef<LayerOpInterface> ops, bool tf32) {
  auto function = ops.front()->getParentOfType<FunctionOpInterface>();
  if (!function)
    return SmallVector<std::string>(ops.size());
  IRMapping mapping;
  OwningOpRef<Operation *> copy = function->clone(mapping);
  Operation *first = mapping.lookup(ops.front()->getResult(0)).getDefiningOp();
  IRRewriter rewriter(first->getContext());
  SmallVector<LayerOpInterface> made;
  if (auto grad = dyn_cast<BlockLSTMGradOp>(first)) {
    auto [forward, backprop] = rewriteGrad(rewriter, grad);
    made.append({backprop, forward});
  } else {
    made.push_back(rewriteForward(rewriter, cast<BlockLSTMOp>(first)));
  }
  (void)runRegionDCE(rewriter, (*copy)->getRegions());
  return llvm::map_to_vector(made, [&](LayerOpInterface op) { return getTuningKey(op, tf32); });
}

} // namespace

std::string rnn::getReasonAgainstCudnn(LayerOpInterface op) {
  if (!isa<TensorType>(op->getOperand(0).getType()))
    return "it is bufferized already";
  if (auto grad = dyn_cast<BlockLSTMGradOp>(op.getOperation()))
    return checkGrad(grad);
  if (auto forward = dyn_cast<BlockLSTMOp>(op.getOperation()))
    return checkForward(forward);
  return "it is not a block op";
}

namespace {

struct BlockToCudnn : public rnn::impl::RNNBlockToCudnnPassBase<BlockToCudnn> {
  using RNNBlockToCudnnPassBase::RNNBlockToCudnnPassBase;

  void runOnOperation() override {
    TargetAttr target = TargetAttr::lookup(getOperation());
    SelectionContext context(target ? target.getInfo() : TargetInfo(TargetKind::Cuda));
    if (target)
      context.wavefrontChunk = target.getWavefrontChunk();
    context.device = device;
    if (failed(readTuningRecords(context, tuningRecords, getContext())))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    // Gradients first: without them, forwards have fewer used results. A forward that cuDNN runs for a gradient is the
    // same op as its own rewrite, and CSE merges them.
    llvm::SmallPtrSet<Operation *, 8> runAnyway;
    getOperation()->walk([&](BlockLSTMGradOp op) {
      BlockLSTMOp made = findForward(op);
      SmallVector<LayerOpInterface> both{op};
      if (made)
        both.push_back(made);
      if (!decide(op, both, context))
        return;
      runAnyway.insert(made);
      rewriteGrad(rewriter, op);
    });
    getOperation()->walk([&](BlockLSTMOp op) {
      SmallVector<LayerOpInterface> weighed;
      if (!runAnyway.contains(op))
        weighed.push_back(op);
      if (decide(op, weighed, context))
        rewriteForward(rewriter, op);
    });
  }

private:
  /// Whether fused kernels execute `ops` faster than cuDNN, and the rule behind it.
  std::pair<bool, Reason> weigh(ArrayRef<LayerOpInterface> ops, const SelectionContext &context) {
    SmallVector<WeighedOp> weighed;
    for (LayerOpInterface op : ops)
      weighed.push_back({op, restrictToKernel(op, getBlockCandidates(op, context), fusedKernel)});
    if (!context.records.getAll().empty())
      for (auto [op, key] : llvm::zip_equal(weighed, findCudnnKeys(ops, context.info.allowsTF32())))
        op.planKey = key;
    JointChoice choice = chooseTogether(weighed, context, fusedKernel);
    Reason reason = choice.basis;
    if (ops.size() > 1)
      reason += ", with the forward that cuDNN would run";
    std::string fused = "`fused` " + formatMicroseconds(choice.fused);
    std::string plan = "cuDNN " + formatMicroseconds(choice.plan);
    return {choice.isFused, reason + ": " + (choice.isFused ? fused + ", " + plan : plan + ", " + fused)};
  }

  /// Whether `op` is rewritten: that is legal, fused kernels are not requested, and they are not faster for `weighed`
  /// (empty if cuDNN runs the op in any case). Emits a remark with the rule.
  bool decide(LayerOpInterface op, ArrayRef<LayerOpInterface> weighed, const SelectionContext &context) {
    Location loc = op->getLoc();
    std::string name = op->getName().getStringRef().str();
    if (!isa<TensorType>(op->getOperand(0).getType()))
      return false;
    const bool fused = op.getLowering() ? op.getLowering() == Lowering::Fused : prefer == LoweringPreference::Fused;
    const bool isExplicit = op.getLowering().has_value();
    Reason reason;
    if (fused)
      reason = isExplicit ? "explicit attribute: a fused kernel is requested"
                          : "pipeline option: fused kernels are requested";
    else if (reason = getReasonAgainstCudnn(op); !reason.empty())
      reason = "legality: " + reason;
    bool stays = !reason.empty();
    if (!stays && (isExplicit || prefer != LoweringPreference::Auto))
      reason = isExplicit ? "explicit attribute: a plan is requested" : "pipeline option: plans are requested";
    else if (!stays && weighed.empty())
      reason = "legality: cuDNN runs it for its gradient";
    else if (!stays)
      std::tie(stays, reason) = weigh(weighed, context);
    remark::RemarkOpts options = remark::RemarkOpts::name("BlockToCudnn").category(DEBUG_TYPE);
    if (stays)
      remark::missed(loc, options) << ("'" + name + "' stays").c_str() << remark::reason("{0}", reason);
    else
      remark::passed(loc, options) << ("'" + name + "' runs as cudnn ops").c_str() << remark::reason("{0}", reason);
    return !stays;
  }
};

} // namespace
