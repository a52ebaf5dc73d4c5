//===- Stack.cpp - stacks of layers in kernels, common to both passes ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stack.h"

using namespace mlir;
using namespace mlir::rnn;

Value Stack::allocate(Value count, Type type) {
  std::optional<int64_t> constant = getConstantIntValue(count);
  auto bufferType = MemRefType::get({constant ? *constant : ShapedType::kDynamic}, type);
  return dense.allocate(bufferType, constant ? ValueRange() : ValueRange(count));
}

void Stack::allocatePerLayer(Value &buffer, Value count, Type type) {
  buffer = allocate(chunk ? host.mul(count, sizes.L) : count, type);
  if (chunk)
    perLayer.push_back({&buffer, buffer, count});
}

void Stack::allocatePerLayer(Value &buffer, MemRefType type) {
  if (!chunk) {
    buffer = dense.allocate(type, {});
    return;
  }
  Value count = host.index(type.getDimSize(0)), all = host.mul(count, sizes.L);
  SmallVector<int64_t> shape(type.getShape());
  std::optional<int64_t> constant = getConstantIntValue(all);
  shape[0] = constant ? *constant : ShapedType::kDynamic;
  buffer = dense.allocate(MemRefType::get(shape, type.getElementType()), constant ? ValueRange() : ValueRange(all));
  perLayer.push_back({&buffer, buffer, count});
}

Value Stack::getPart(Value all, Value size, Value layer) const {
  if (!chunk)
    return all;
  auto type = cast<MemRefType>(all.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), host.builder.getIndexAttr(0)), sizes,
      strides(type.getRank(), host.builder.getIndexAttr(1));
  for (int64_t dim : type.getShape())
    sizes.push_back(host.builder.getIndexAttr(dim));
  offsets[0] = getAsOpFoldResult(host.mul(layer, size));
  sizes[0] = getAsOpFoldResult(size);
  return memref::SubViewOp::create(host.builder, host.loc, all, offsets, sizes, strides);
}

void Stack::setReserve(Value reserve) {
  saved = sizes.viewReserve(reserve);
  draw = sizes.viewDraw(reserve);
}

void Stack::forEachLayer(bool reversed, function_ref<void()> body) {
  if (hasOneLayer) {
    setLayer(host.index(0));
    return body();
  }
  host.loop(host.index(0), sizes.L, 1, {}, [&](Value number, ValueRange) {
    setLayer(reversed ? host.sub(host.sub(sizes.L, host.index(1)), number) : number);
    body();
    return SmallVector<Value>();
  });
}

void Stack::setLayer(Value newLayer) {
  layer = newLayer;
  for (const PerLayer &scratch : perLayer)
    *scratch.buffer = getPart(scratch.all, scratch.size, layer);
  isFirst = host.isEqual(layer, host.index(0));
  isLast = host.isEqual(layer, host.sub(sizes.L, host.index(1)));
  auto places = [&](function_ref<Value(Value direction)> of) {
    Places places{of(host.index(0)), host.index(0)};
    if (places.first && sizes.D == 2)
      places.step = host.sub(of(host.index(1)), places.first);
    return places;
  };
  auto paramsAt = [&](Value StackValues::Params::*part) {
    return places([&](Value direction) { return sizes.paramsOf(layer, direction).*part; });
  };
  inputWeights = paramsAt(&StackValues::Params::inputWeights);
  recurrentWeights = paramsAt(&StackValues::Params::recurrentWeights);
  projection = paramsAt(&StackValues::Params::projection);
  inputBias = paramsAt(&StackValues::Params::inputBias);
  recurrentBias = paramsAt(&StackValues::Params::recurrentBias);
  if (!saved)
    return;
  auto savedAt = [&](Value StackValues::Reserve::*part) {
    return places([&](Value direction) { return sizes.reserveOf(layer, direction).*part; });
  };
  gates = savedAt(&StackValues::Reserve::gates);
  cells = savedAt(&StackValues::Reserve::cell);
  linear = savedAt(&StackValues::Reserve::linear);
  hidden = savedAt(&StackValues::Reserve::hidden);
}

Matrix Stack::sequence(const Emitter &e, Value buffer, Value columns) const {
  if (!isBatchMajor)
    return {buffer, e.index(0), columns};
  return {buffer, e.index(0), e.mul(sizes.T, columns), sizes.B, columns};
}

Matrix Stack::rowsOfTask(const Emitter &e, const Matrix &all) const {
  if (!chunk)
    return all;
  return all.batch ? all.fromStep(e, firstStep) : all.from(e, firstRow);
}

Matrix Stack::statesOf(Value ofLayer) const {
  return {saved, sizes.reserveOf(ofLayer, host.index(0)).states, width};
}

GemmOperand Stack::inputWeightRows(Value columns) const {
  return GemmOperand::inMemory(
      false,
      [=](const Emitter &e, int64_t, Value column, Value k) {
        Value first = inputWeights.first;
        if (sizes.D == 2) {
          Value isForward = e.isLess(k, sizes.gateRows()), other = e.sub(k, sizes.gateRows());
          first = e.select(isForward, first, inputWeights.at(e, e.index(1)));
          k = e.select(isForward, k, other);
        }
        return Matrix{params, first, columns}.address(e, k, column);
      },
      /*isAffine=*/sizes.D == 1);
}

Value Stack::isInside(const Emitter &e, Value t, Value b) const {
  if (!lengths)
    return Value();
  Value length = e.load(lengths, {b});
  return e.isLess(t, e.builder.createOrFold<arith::IndexCastOp>(e.loc, e.builder.getIndexType(), length));
}

Value Stack::drop(const Emitter &e, Value value, Value ofLayer, Value row, Value column) const {
  Value element = e.add(e.mul(row, width), column);
  Value kept = mask.emitKept(e.builder, e.loc, ofLayer, e.load(draw, {e.index(0)}), element);
  Value scaled = e.mul(value, e.number(mask.scale(), value.getType()));
  return e.select(kept, scaled, e.number(0.0, value.getType()));
}

void Stack::launchDrop(StringRef name, const Matrix &states, Value ofLayer, const Matrix &dropped, Value firstRow,
                       Value numRows) const {
  launchElementwise(host, name, numRows, width, [&](const Emitter &e, Value row, Value column) {
    row = e.add(row, firstRow);
    dropped.store(e, drop(e, states.load(e, row, column), ofLayer, row, column), row, column);
  });
}

void Stack::launchMask(StringRef name, Value masked) const {
  Matrix input = sequence(host, x, sizes.I);
  launchElementwise(host, name, rows, sizes.I, [&](const Emitter &e, Value row, Value column) {
    // Values past the end may be NaN, which a multiplication by zero would not remove.
    Value inside = isInside(e, e.div(row, sizes.B), e.remainder(row, sizes.B));
    Value place = e.add(e.mul(row, sizes.I), column);
    Value value =
        e.ifElse(inside, [&] { return input.load(e, row, column); }, [&] { return e.number(0.0, sizes.element); });
    e.store(value, masked, {place});
  });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

enum Pass { Inference, Training, Backward }; // values of `rnnrt.rnn_begin`

template <typename OpTy> Type getElement(OpTy op) {
  return cast<MemRefType>(op.getInput().getType()).getElementType();
}

/// An op in memref form.
template <typename OpTy> class StackLowering {
public:
  StackLowering(PatternRewriter &rewriter, OpTy op, Pass pass, const RNNToGPUOptions &options)
      : op(op), e(rewriter, op.getLoc(), options.kernels.forElement(getElement(op))), options(options),
        dense(rewriter, op.getLoc()), rewriter(rewriter), dims(rewriter, op), pass(pass) {
    call = rnnrt::CurrentCallOp::create(rewriter, op.getLoc(), rnnrt::CallType::get(op.getContext()));
    dims.check(op, call);
    Value P = getStateSize(rewriter, op, dims);
    Type element = getElement(op);
    plan = rnnrt::RnnFusedPlanOp::create(rewriter, op.getLoc(), rnnrt::PlanType::get(op.getContext()), call, dims["T"],
                                         dims["B"], dims["I"], dims["H"], P, dims["L"], TypeAttr::get(element),
                                         op.getModeAttr(), op.getInputModeAttr(), op.getDirectionAttr(),
                                         rewriter.getBoolAttr(pass != Inference), op.getDropoutAttr(), op.getSeedAttr(),
                                         op.getSeed2Attr(), op.getBatchMajorAttr());
  }

  /// `reserve` is null for inference, and for a training pass whose reserve is not requested.
  void lower(Value reserve, void (*emit)(OpTy, Stack &)) {
    if (pass != Inference)
      reserve = getDense(reserve);
    Value bytes = reserve ? e.size(reserve, 0) : e.index(0);
    if (op.getResets())
      rnnrt::SetResetsOp::create(rewriter, op.getLoc(), call, dense.read(op.getResets()), op.getResetToAttr());
    rnnrt::RnnBeginOp::create(rewriter, op.getLoc(), rewriter.getIndexType(), call, plan,
                              dense.read(op.getSequenceLengths()), e.size(op.getParams(), 0), reserve, bytes, pass);
    auto emitFor = [&](bool isProjected) {
      Stack stack(e, op, dims, isProjected, options);
      if (reserve)
        stack.setReserve(reserve);
      emit(op, stack);
      stack.dense.finish();
    };
    if (std::optional<bool> projected = StackValues::projected(op, dims)) {
      emitFor(*projected);
    } else {
      Value H = dims["H"], P = getStateSize(rewriter, op, dims);
      e.ifThen(e.isEqual(H, P), [&] { emitFor(false); });
      e.ifThen(e.isLess(P, H), [&] { emitFor(true); });
    }
    dense.finish();
  }

private:
  /// The reserve as a buffer with identity layout, since parts of it are viewed in other types.
  Value getDense(Value reserve) {
    OpBuilder &builder = rewriter;
    auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    if (!reserve)
      return dense.allocate(
          type, Value(rnnrt::RnnReserveSizeOp::create(builder, op.getLoc(), builder.getIndexType(), call, plan)));
    if (cast<MemRefType>(reserve.getType()).getLayout().isIdentity())
      return reserve;
    // A backward pass may modify it.
    return dense.copyOf(reserve, /*copyIn=*/pass == Backward, /*copyOut=*/true);
  }

  OpTy op;
  Emitter e;
  const RNNToGPUOptions &options;
  DenseBuffers dense;
  PatternRewriter &rewriter;
  SymbolicDims dims;
  Pass pass;
  Value call, plan;
};

template <typename OpTy> struct StackPattern : public OpRewritePattern<OpTy> {
  StackPattern(MLIRContext *context, const RNNToGPUOptions &options, PatternBenefit benefit)
      : OpRewritePattern<OpTy>(context, benefit), options(options) {}

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const final {
    if (op.getLowering() != Lowering::Fused)
      return rewriter.notifyMatchFailure(op, "not marked for fused kernels");
    if (op->getNumResults() != 0 || !isa<MemRefType>(op.getInput().getType()))
      return rewriter.notifyMatchFailure(op, "still in value form");
    if (op.getInputMode() == InputMode::AutoSelect)
      return rewriter.notifyMatchFailure(op, "the input mode is auto_select");
    if (op.getParamsOffsets())
      return op.emitOpError(
          "has offsets of parameters, which only target `host` supports; pass parameters in the opaque "
          "layout [C17]");
    rewriter.setInsertionPoint(op);
    lower(op, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  void lower(CudnnForwardOp op, PatternRewriter &rewriter) const {
    Value reserve = op.getReserveSpaceOut();
    if (!reserve && !op.getOutputOut() && !op.getOutputHOut() && !op.getOutputCOut() && !op.drawsDropout())
      return;
    // Without dropout and without a requested reserve, a training pass equals inference.
    const bool isTraining = op.getIsTraining() && (reserve || op.drawsDropout());
    StackLowering<CudnnForwardOp>(rewriter, op, isTraining ? Training : Inference, options)
        .lower(reserve, lowerStackForward);
  }
  void lower(CudnnBackpropOp op, PatternRewriter &rewriter) const {
    if (op.getInputBackpropOut() || op.getInputHBackpropOut() || op.getInputCBackpropOut() || op.getParamsBackpropOut())
      StackLowering<CudnnBackpropOp>(rewriter, op, Backward, options).lower(op.getReserveSpace(), lowerStackBackward);
  }

  RNNToGPUOptions options;
};

} // namespace

void rnn::populateStackToGPUPatterns(RewritePatternSet &patterns, const RNNToGPUOptions &options,
                                     PatternBenefit benefit) {
  patterns.add<StackPattern<CudnnForwardOp>, StackPattern<CudnnBackpropOp>>(patterns.getContext(), options, benefit);
}
