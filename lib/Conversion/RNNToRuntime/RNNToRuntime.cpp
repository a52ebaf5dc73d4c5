//===- RNNToRuntime.cpp - convert rnn ops to runtime plans -------------------===//
//
// An op becomes a check for each dynamic dimension, a plan of the whole problem, and the steps of the plan. The steps
// require contiguous buffers, so strided operands are copied first. Backward data and backward weights are separate
// steps: a step without requested results is omitted.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/RNNToRuntime/RNNToRuntime.h"
#include "../Common/LayerLowering.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTRNNTORUNTIMEPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

namespace {

Value getCall(PatternRewriter &rewriter, Location loc) {
  return rnnrt::CurrentCallOp::create(rewriter, loc, rnnrt::CallType::get(rewriter.getContext()));
}

Value getNumElements(PatternRewriter &rewriter, Location loc, Value vector) {
  return rewriter.createOrFold<memref::DimOp>(loc, vector, 0);
}

/// Passes the resets of `op`, if any, to the next pass. `resets` is contiguous.
template <typename OpTy> void setResets(PatternRewriter &rewriter, OpTy op, Value call, Value resets) {
  if (resets)
    rnnrt::SetResetsOp::create(rewriter, op.getLoc(), call, resets, op.getResetToAttr());
}

/// Creates the plan of a stack of layers from its sizes.
template <typename OpTy>
Value createRnnPlan(PatternRewriter &rewriter, OpTy op, Value call, Type elementType, bool training, FloatAttr dropout,
                    IntegerAttr seed, IntegerAttr seed2, UnitAttr batchMajor, Value steps, Value batch, Value input,
                    Value hidden, Value layers) {
  Location loc = op.getLoc();
  Value projection =
      op.getNumProj() > 0
          ? getValueOrCreateConstantIndexOp(rewriter, loc, OpFoldResult(rewriter.getIndexAttr(op.getNumProj())))
          : hidden;
  auto create = [&](auto kind) -> Value {
    return decltype(kind)::create(rewriter, loc, rnnrt::PlanType::get(op.getContext()), call, steps, batch, input,
                                  hidden, projection, layers, TypeAttr::get(elementType), op.getModeAttr(),
                                  op.getInputModeAttr(), op.getDirectionAttr(), rewriter.getBoolAttr(training), dropout,
                                  seed, seed2, batchMajor);
  };
  // Sizes and parameters depend on the lowering of the layer.
  return op.getLowering() == Lowering::Fused ? create(rnnrt::RnnFusedPlanOp()) : create(rnnrt::RnnPlanOp());
}

/// Creates the plan of a layer op, after its run-time checks.
template <typename OpTy> Value createLayerPlan(PatternRewriter &rewriter, OpTy op, Value call, bool training) {
  SymbolicDims dims(rewriter, op);
  dims.check(op, call);
  return createRnnPlan(rewriter, op, call, cast<MemRefType>(op.getInput().getType()).getElementType(), training,
                       op.getDropoutAttr(), op.getSeedAttr(), op.getSeed2Attr(), op.getBatchMajorAttr(), dims["T"],
                       dims["B"], dims["I"], dims["H"], dims["L"]);
}

template <typename OpTy> struct RuntimePattern : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const final {
    // Size and parameter ops use a plan even for fused layers.
    constexpr bool isLayer =
        llvm::is_one_of<OpTy, CudnnForwardOp, CudnnBackpropOp, BlockLSTMOp, BlockLSTMGradOp>::value;
    if (!op.getLowering() || (isLayer && op.getLowering() != Lowering::Runtime))
      return rewriter.notifyMatchFailure(op, "lowering is not `runtime`");
    if (op->getNumResults() != 0 && llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
      return rewriter.notifyMatchFailure(op, "op is in value form");
    if (auto inputMode = op->template getAttrOfType<InputModeAttr>("input_mode");
        inputMode && inputMode.getValue() == InputMode::AutoSelect)
      return rewriter.notifyMatchFailure(op, "input mode is auto_select");
    rewriter.setInsertionPoint(op);
    rewrite(op, rewriter);
    return success();
  }

  virtual void rewrite(OpTy op, PatternRewriter &rewriter) const = 0;
};

struct ForwardPattern : public RuntimePattern<CudnnForwardOp> {
  using RuntimePattern::RuntimePattern;

  void rewrite(CudnnForwardOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value call = getCall(rewriter, loc);
    DenseBuffers dense(rewriter, loc);
    Value reserve = op.getReserveSpaceOut();
    // Without dropout, training without a requested reserve space equals inference.
    bool training = op.getIsTraining() && (reserve || op.drawsDropout());
    Value plan = createLayerPlan(rewriter, op, call, training);
    if (!training) {
      reserve = Value();
    } else if (!reserve) {
      Value bytes = rnnrt::RnnReserveSizeOp::create(rewriter, loc, rewriter.getIndexType(), call, plan);
      reserve = dense.allocate(MemRefType::get({ShapedType::kDynamic}, rewriter.getI8Type()), bytes);
    } else {
      reserve = dense.write(reserve);
    }
    Value params = dense.read(op.getParams());
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    setResets(rewriter, op, call, dense.read(op.getResets()));
    rnnrt::RnnForwardOp::create(rewriter, loc, call, plan, dense.read(op.getSequenceLengths()),
                                dense.read(op.getInput()), dense.read(op.getInputH()), dense.read(op.getInputC()),
                                params, getNumElements(rewriter, loc, params), dense.write(op.getOutputOut()),
                                dense.write(op.getOutputHOut()), dense.write(op.getOutputCOut()), reserve,
                                reserve ? getNumElements(rewriter, loc, reserve) : zero);
    dense.finish();
    rewriter.eraseOp(op);
  }
};

struct BackpropPattern : public RuntimePattern<CudnnBackpropOp> {
  using RuntimePattern::RuntimePattern;

  void rewrite(CudnnBackpropOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    bool hasOuts =
        op.getInputBackpropOut() || op.getInputHBackpropOut() || op.getInputCBackpropOut() || op.getParamsBackpropOut();
    if (!hasOuts)
      return rewriter.eraseOp(op);
    Value call = getCall(rewriter, loc);
    DenseBuffers dense(rewriter, loc);
    Value plan = createLayerPlan(rewriter, op, call, /*training=*/true);
    Value lengths = dense.read(op.getSequenceLengths()), x = dense.read(op.getInput()), h0 = dense.read(op.getInputH()),
          y = dense.read(op.getOutput()), params = dense.read(op.getParams()),
          reserve = dense.update(op.getReserveSpace()), resets = dense.read(op.getResets());
    Value reserveBytes = getNumElements(rewriter, loc, reserve);
    setResets(rewriter, op, call, resets);
    rnnrt::RnnBackwardDataOp::create(rewriter, loc, call, plan, lengths, x, h0, dense.read(op.getInputC()), params,
                                     getNumElements(rewriter, loc, params), y, dense.read(op.getOutputBackprop()),
                                     dense.read(op.getOutputHBackprop()), dense.read(op.getOutputCBackprop()),
                                     dense.write(op.getInputBackpropOut()), dense.write(op.getInputHBackpropOut()),
                                     dense.write(op.getInputCBackpropOut()), reserve, reserveBytes);
    if (Value dparams = dense.write(op.getParamsBackpropOut())) {
      setResets(rewriter, op, call, resets);
      rnnrt::RnnBackwardWeightsOp::create(rewriter, loc, call, plan, lengths, x, h0, y, dparams,
                                          getNumElements(rewriter, loc, dparams), reserve, reserveBytes);
    }
    dense.finish();
    rewriter.eraseOp(op);
  }
};

/// Creates the plan of an op with size operands, which runs no steps.
template <typename OpTy> Value createSizesPlan(PatternRewriter &rewriter, OpTy op, Value call, Type elementType) {
  Location loc = op.getLoc();
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  IntegerAttr zero = rewriter.getI64IntegerAttr(0);
  return createRnnPlan(rewriter, op, call, elementType, /*training=*/false, rewriter.getF64FloatAttr(0.0), zero, zero,
                       UnitAttr(), one, one, op.getInputSize(), op.getUnits(), op.getLayers());
}

struct ParamsSizePattern : public RuntimePattern<CudnnParamsSizeOp> {
  using RuntimePattern::RuntimePattern;

  void rewrite(CudnnParamsSizeOp op, PatternRewriter &rewriter) const override {
    Value call = getCall(rewriter, op.getLoc());
    Value plan = createSizesPlan(rewriter, op, call, op.getElementType());
    rewriter.replaceOpWithNewOp<rnnrt::RnnParamsSizeOp>(op, rewriter.getIndexType(), call, plan);
  }
};

struct ReserveSizePattern : public RuntimePattern<CudnnReserveSizeOp> {
  using RuntimePattern::RuntimePattern;

  void rewrite(CudnnReserveSizeOp op, PatternRewriter &rewriter) const override {
    Value call = getCall(rewriter, op.getLoc());
    Value plan = createRnnPlan(rewriter, op, call, op.getElementType(), /*training=*/true, op.getDropoutAttr(),
                               op.getSeedAttr(), op.getSeed2Attr(), op.getBatchMajorAttr(), op.getSteps(),
                               op.getBatch(), op.getInputSize(), op.getUnits(), op.getLayers());
    rewriter.replaceOpWithNewOp<rnnrt::RnnReserveSizeOp>(op, rewriter.getIndexType(), call, plan);
  }
};

SmallVector<Value> forEach(ValueRange buffers, function_ref<Value(Value)> get) {
  return llvm::map_to_vector(buffers, get);
}

struct PackPattern : public RuntimePattern<CudnnCanonicalToParamsOp> {
  using RuntimePattern::RuntimePattern;

  void rewrite(CudnnCanonicalToParamsOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (!op.getParamsOut())
      return rewriter.eraseOp(op);
    Value call = getCall(rewriter, loc);
    DenseBuffers dense(rewriter, loc);
    Value plan = createSizesPlan(rewriter, op, call, cast<MemRefType>(op.getParamsOut().getType()).getElementType());
    auto read = [&](Value buffer) { return dense.read(buffer); };
    rnnrt::RnnPackParamsOp::create(rewriter, loc, call, plan, forEach(op.getWeights(), read),
                                   forEach(op.getBiases(), read), dense.write(op.getParamsOut()));
    dense.finish();
    rewriter.eraseOp(op);
  }
};

struct UnpackPattern : public RuntimePattern<CudnnParamsToCanonicalOp> {
  using RuntimePattern::RuntimePattern;

  void rewrite(CudnnParamsToCanonicalOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value call = getCall(rewriter, loc);
    DenseBuffers dense(rewriter, loc);
    Value plan = createSizesPlan(rewriter, op, call, cast<MemRefType>(op.getParams().getType()).getElementType());
    auto write = [&](Value buffer) { return dense.write(buffer); };
    rnnrt::RnnUnpackParamsOp::create(rewriter, loc, call, plan, forEach(op.getWeightsOut(), write),
                                     forEach(op.getBiasesOut(), write), dense.read(op.getParams()));
    dense.finish();
    rewriter.eraseOp(op);
  }
};

/// Creates the plan of a block op and the number of steps to run, after the run-time checks.
template <typename OpTy>
std::pair<Value, Value> createBlockPlan(PatternRewriter &rewriter, OpTy op, Value call, FloatAttr forgetBias,
                                        FloatAttr cellClip) {
  Location loc = op.getLoc();
  SymbolicDims dims(rewriter, op);
  dims.check(op, call);
  Value steps = dims["T"];
  Value length = op.getSeqLenMax() ? checkSeqLenMax(rewriter, op, call, steps) : steps;
  Value plan = rnnrt::BlockLstmPlanOp::create(
      rewriter, loc, rnnrt::PlanType::get(op.getContext()), call, steps, dims["B"], dims["I"], dims["H"],
      TypeAttr::get(cast<MemRefType>(op.getX().getType()).getElementType()), op.getLayoutAttr(),
      rewriter.getBoolAttr(op.getUsePeephole()), forgetBias, cellClip, op.getBatchMajorAttr());
  return {plan, length};
}

/// Creates the runtime op of a block op. The operands after call, plan and number of steps are the tensors of `op`,
/// then its `outs`, in signature order.
template <typename RuntimeOpTy, typename OpTy>
void createBlockStep(PatternRewriter &rewriter, OpTy op, Value call, Value plan, Value length) {
  auto layer = cast<LayerOpInterface>(op.getOperation());
  const OpSignature &signature = op.getSignature();
  DenseBuffers dense(rewriter, op.getLoc());
  SmallVector<Value> operands = {call, plan, length};
  SmallVector<int32_t> segments(operands.size(), 1);
  auto add = [&](Value buffer) {
    segments.push_back(buffer ? 1 : 0);
    if (buffer)
      operands.push_back(buffer);
  };
  for (auto [index, spec] : llvm::enumerate(signature.operands))
    if (spec.kind == ValueKind::Float)
      add(dense.read(layer.getOperandsOf(index).front()));
  for (unsigned index = 0, end = signature.results.size(); index < end; ++index) {
    OperandRange out = layer.getOperandsOf(signature.outIndex(index));
    add(out.empty() ? Value() : dense.write(out.front()));
  }
  typename RuntimeOpTy::Properties properties;
  assert(segments.size() == properties.operandSegmentSizes.size() &&
         "the runtime op must have the operands of the signature");
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  setResets(rewriter, op, call, dense.read(op.getResets()));
  RuntimeOpTy::create(rewriter, op.getLoc(), TypeRange(), operands, properties);
  dense.finish();
  rewriter.eraseOp(op);
}

struct BlockForwardPattern : public RuntimePattern<BlockLSTMOp> {
  using RuntimePattern::RuntimePattern;

  void rewrite(BlockLSTMOp op, PatternRewriter &rewriter) const override {
    Value call = getCall(rewriter, op.getLoc());
    auto [plan, length] = createBlockPlan(rewriter, op, call, op.getForgetBiasAttr(), op.getCellClipAttr());
    createBlockStep<rnnrt::BlockLstmForwardOp>(rewriter, op, call, plan, length);
  }
};

struct BlockGradPattern : public RuntimePattern<BlockLSTMGradOp> {
  using RuntimePattern::RuntimePattern;

  void rewrite(BlockLSTMGradOp op, PatternRewriter &rewriter) const override {
    Value call = getCall(rewriter, op.getLoc());
    FloatAttr zero = rewriter.getF64FloatAttr(0.0);
    auto [plan, length] = createBlockPlan(rewriter, op, call, zero, zero);
    createBlockStep<rnnrt::BlockLstmBackwardOp>(rewriter, op, call, plan, length);
  }
};

struct ConvertRNNToRuntime : public rnn::impl::ConvertRNNToRuntimePassBase<ConvertRNNToRuntime> {
  void runOnOperation() override {
    if (failed(checkConvertible(getOperation(), getArgument())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateRNNToRuntimePatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace

void rnn::populateRNNToRuntimePatterns(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ForwardPattern, BackpropPattern, ParamsSizePattern, ReserveSizePattern, PackPattern, UnpackPattern,
               BlockForwardPattern, BlockGradPattern>(patterns.getContext(), benefit);
}
