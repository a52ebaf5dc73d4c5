//===- RNNToHost.cpp - rnn ops to compiled loops of the host -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/RNNToHost/RNNToHost.h"
#include "../Common/LayerLowering.h"
#include "SharedLayers.h"
#include "Stack.h"
#include "TimeMajorBuffers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rnn/Conversion/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTRNNTOHOSTPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {

/// Whether the op writes parts of `buffer` only, so that a dense copy must have its other elements.
template <typename OpTy> bool writesParts(OpTy op, Value buffer) {
  if constexpr (std::is_same_v<OpTy, CudnnBackpropOp>)
    return op.getParamsBackpropOffsets() && buffer == op.getParamsBackpropOut();
  return false;
}

/// Replaces the strided buffers of an op by dense copies, except views of time-major buffers.
template <typename OpTy> void useDenseBuffers(OpTy op, DenseBuffers &dense) {
  SmallPtrSet<Value, 8> outs;
  const ShapeRules rules = getShapeRules(op);
  for (const ShapeRules::Rule &rule : rules.getResultRules())
    for (Value out : op.getOperandsOf(op.getSignature().outIndex(rule.resultIndex)))
      outs.insert(out);
  DenseMap<Value, Value> replacements;
  for (OpOperand &operand : op->getOpOperands()) {
    Value buffer = operand.get();
    if (!isa<MemRefType>(buffer.getType()) || isTimeMajorBuffer(operand))
      continue;
    auto [replacement, isNew] = replacements.try_emplace(buffer);
    if (isNew && writesParts(op, buffer))
      replacement->second = dense.update(buffer);
    else if (isNew)
      replacement->second = outs.contains(buffer) ? dense.write(buffer) : dense.read(buffer);
    operand.set(replacement->second);
  }
}

/// Replaces the sequences of a batch-major op by time-major views of them, which the loops read and write.
template <typename OpTy> void useTimeMajorViews(HostBuilder &b, OpTy op) {
  if (!op.getBatchMajor())
    return;
  auto layer = cast<LayerOpInterface>(op.getOperation());
  DenseMap<Value, Value> views;
  auto replace = [&](OpOperand &operand) {
    Value &view = views[operand.get()];
    auto type = cast<MemRefType>(operand.get().getType());
    if (!view && (type.getDimSize(0) == 1 || type.getDimSize(1) == 1) && type.getLayout().isIdentity()) {
      // Both orders are the same.
      SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, b.getLoc(), operand.get()), strides;
      std::swap(sizes[0], sizes[1]);
      SmallVector<int64_t> shape(type.getShape());
      std::swap(shape[0], shape[1]);
      OpFoldResult stride = b.getIndexAttr(1);
      for (OpFoldResult size : llvm::reverse(sizes)) {
        strides.insert(strides.begin(), stride);
        stride = getAsOpFoldResult(b.mul(getValueOrCreateConstantIndexOp(b, b.getLoc(), stride),
                                         getValueOrCreateConstantIndexOp(b, b.getLoc(), size)));
      }
      view = memref::ReinterpretCastOp::create(b, MemRefType::get(shape, type.getElementType()), operand.get(),
                                               OpFoldResult(b.getIndexAttr(0)), sizes, strides);
    } else if (!view) {
      view = getTimeMajorView(b, b.getLoc(), operand);
    }
    operand.set(view);
  };
  auto replaceAll = [&](ArrayRef<NamedValue> specs, unsigned first) {
    for (auto [index, spec] : llvm::enumerate(specs)) {
      auto [start, length] = op.getODSOperandIndexAndLength(first + index);
      for (unsigned k = start; spec.isSequence() && k < start + length; ++k)
        replace(op->getOpOperand(k));
    }
  };
  const OpSignature &signature = layer.getSignature();
  replaceAll(signature.operands, 0);
  replaceAll(signature.results, signature.outIndex(0));
  op.setBatchMajor(false);
}

/// The tiles of a layer with this input.
Tiles makeTiles(Value input, bool isBatchMajor, HostVectors vectors) {
  auto type = cast<MemRefType>(input.getType());
  if (type.getDimSize(isBatchMajor ? 0 : 1) == 1)
    vectors.bf16Gemm = vectors.bf16GemmOneRow;
  return Tiles(type.getElementType(), vectors);
}

/// Fits the width of panels to layers of known sizes.
void fitPanel(HostBuilder &b, SymbolicDims &dims, Value state, Value layers, int64_t directions) {
  std::optional<int64_t> input = getConstantIntValue(dims["I"]), units = getConstantIntValue(dims["H"]);
  std::optional<int64_t> output = getConstantIntValue(state), count = getConstantIntValue(layers);
  // One step reads large weights in place, without padding, and fastest with wide panels.
  constexpr int64_t mostUnitsOfOneStep = 128;
  if (!input || !units || !output || !count || (getConstantIntValue(dims["T"]) == 1 && *units > mostUnitsOfOneStep))
    return;
  SmallVector<int64_t> inputs = {*input, *output};
  // The second layer stands for all later ones, which have its sizes.
  if (*count > 1)
    inputs.append({directions * *output, *output});
  b.tiles.fitPanel(*units, inputs);
}

/// i1: this process may use AMX; null if the code does not use it.
Value enableTiles(HostBuilder &b, Value call) {
  if (!b.tiles.usesAMX())
    return Value();
  Value enabled = rnnrt::EnableAMXOp::create(b, b.getIndexType(), call);
  return b.compare(arith::CmpIPredicate::ne, enabled, b.index(0));
}

/// Replaces the op by loops. They are skipped if a run-time check fails: they would access memory out of bounds.
template <typename OpTy>
void convert(OpTy op, const HostVectors &vectors, KernelLibrary &library,
             void (*emit)(HostBuilder &, OpTy, const Problem &, KernelLibrary &)) {
  Location loc = op.getLoc();
  HostBuilder b(loc, op, makeTiles(op.getX(), op.getBatchMajor(), vectors));
  Value call = rnnrt::CurrentCallOp::create(b, rnnrt::CallType::get(op.getContext()));
  SymbolicDims dims(b, op);
  fitPanel(b, dims, dims["H"], b.index(1), /*directions=*/1);
  Value isValid;
  auto require = [&](Value condition) {
    isValid = isValid ? b.createOrFold<arith::AndIOp>(isValid, condition) : condition;
  };
  dims.check(op, call);
  for (auto [actual, expected] : dims.getComparisons())
    require(b.compare(arith::CmpIPredicate::eq, actual, expected));
  if (Value isEnabled = enableTiles(b, call))
    require(isEnabled);
  Problem p;
  p.T = dims["T"], p.B = dims["B"], p.I = dims["I"], p.H = dims["H"];
  p.steps = p.T;
  if (op.getSeqLenMax()) {
    p.steps = checkSeqLenMax(b, op, call, p.T);
    require(b.compare(arith::CmpIPredicate::sge, p.steps, b.index(0)));
    require(b.compare(arith::CmpIPredicate::sle, p.steps, p.T));
  }
  p.P = p.H;
  p.finish(b);
  auto body = [&] {
    DenseBuffers dense(b, loc);
    useDenseBuffers(op, dense);
    useTimeMajorViews(b, op);
    emit(b, op, p, library);
    dense.finish();
  };
  if (isValid)
    b.ifThen(isValid, body);
  else
    body();
  op.erase();
}

/// Emits the run-time checks of separate parameters. Returns the number of parameters that the plan checks.
template <typename OpTy>
Value checkParams(HostBuilder &b, OpTy op, SymbolicDims &dims, Value call, Value plan, const ParamsBuffer &params,
                  const ParamsBuffer &gradients) {
  Value given = b.createOrFold<memref::DimOp>(params.buffer, 0);
  if (!params.offsets)
    return given;
  const int64_t directions = op.getDirection() == Direction::Bidirectional ? 2 : 1;
  const StackShape shape = {dims["I"],
                            dims["H"],
                            getStateSize(b, op, dims),
                            dims["L"],
                            getNumParamPairs(op.getMode()) / 2,
                            directions,
                            op.getInputMode() == InputMode::SkipInput};
  Value dense = rnnrt::RnnParamsSizeOp::create(b, b.getIndexType(), call, plan);
  if (gradients.buffer) {
    // Without rows, the gradients have the opaque layout.
    Value least = dense;
    if (gradients.offsets) {
      checkOffsets(b, op, call, shape, gradients, "params_backprop");
      least = b.select(hasRows(b, gradients.offsets), b.index(0), dense);
    }
    std::string text = ("'" + op->getName().getStringRef() +
                        "' op expects `params_backprop` to have the elements of all matrices and biases [C15]")
                           .str() +
                       describeArgument(gradients.buffer, "params_backprop");
    rnnrt::ExpectRangeOp::create(b, call, b.createOrFold<memref::DimOp>(gradients.buffer, 0), least, b.index(INT64_MAX),
                                 b.getStringAttr(text));
  }
  checkOffsets(b, op, call, shape, params, "params");
  return b.select(hasRows(b, params.offsets), dense, given);
}

/// Replaces a stack of layers by loops, which are skipped if a check fails. `pass` is that of `rnnrt.rnn_begin`.
/// `getGradients` returns the buffer and the offsets of the gradients of the parameters.
template <typename OpTy>
void convertStack(OpTy op, const HostVectors &vectors, KernelLibrary &library, int32_t pass, Value (*getReserve)(OpTy),
                  ParamsBuffer (*getGradients)(OpTy), void (*emit)(HostBuilder &, OpTy, Stack &, KernelLibrary &)) {
  Location loc = op.getLoc();
  HostBuilder b(loc, op, makeTiles(op.getInput(), op.getBatchMajor(), vectors));
  Value call = rnnrt::CurrentCallOp::create(b, rnnrt::CallType::get(op.getContext()));
  SymbolicDims dims(b, op);
  dims.check(op, call);
  Value H = dims["H"], projection = getStateSize(b, op, dims);
  fitPanel(b, dims, projection, dims["L"], op.getDirection() == Direction::Bidirectional ? 2 : 1);
  Value plan = rnnrt::RnnFusedPlanOp::create(
      b, rnnrt::PlanType::get(op.getContext()), call, dims["T"], dims["B"], dims["I"], H, projection, dims["L"],
      TypeAttr::get(b.tiles.element), op.getModeAttr(), op.getInputModeAttr(), op.getDirectionAttr(),
      b.getBoolAttr(pass != 0), op.getDropoutAttr(), op.getSeedAttr(), op.getSeed2Attr(), op.getBatchMajorAttr());
  DenseBuffers dense(b, loc);
  useDenseBuffers(op, dense);
  Value reserve = pass == 0 ? Value() : getReserve(op), original;
  if (pass != 0 && !reserve) {
    // The reserve space is not a result, but a dropout mask is drawn.
    Value bytes = rnnrt::RnnReserveSizeOp::create(b, b.getIndexType(), call, plan);
    reserve = dense.allocate(MemRefType::get({ShapedType::kDynamic}, b.getI8Type()), bytes);
  } else if (reserve && !cast<MemRefType>(reserve.getType()).getLayout().isIdentity()) {
    // memref.view requires an identity layout.
    original = reserve;
    reserve = dense.allocate(MemRefType::get({ShapedType::kDynamic}, b.getI8Type()),
                             b.createOrFold<memref::DimOp>(original, 0));
    memref::CopyOp::create(b, original, reserve);
  }
  Value bytes = reserve ? b.createOrFold<memref::DimOp>(reserve, 0) : b.index(0);
  if (op.getResets())
    rnnrt::SetResetsOp::create(b, call, op.getResets(), op.getResetToAttr());
  const ParamsBuffer params = {op.getParams(), op.getParamsOffsets(), {}}, gradients = getGradients(op);
  Value numParams = checkParams(b, op, dims, call, plan, params, gradients);
  Value begun = rnnrt::RnnBeginOp::create(b, b.getIndexType(), call, plan, op.getSequenceLengths(), numParams, reserve,
                                          bytes, b.getI32IntegerAttr(pass));
  useTimeMajorViews(b, op);
  auto body = [&](bool isProjected) {
    StackValues sizes(b, op, dims, isProjected);
    DropoutMask mask(op);
    Stack stack(b, sizes, mask, params, gradients, reserve);
    emit(b, op, stack, library);
  };
  // Entries return zeros once the call has failed, so the last one decides.
  Value isEnabled = enableTiles(b, call);
  b.ifThen(isEnabled ? isEnabled : b.compare(arith::CmpIPredicate::ne, begun, b.index(0)), [&] {
    if (std::optional<bool> isProjected = StackValues::projected(op, dims))
      return body(*isProjected);
    b.ifElse(b.compare(arith::CmpIPredicate::ne, H, projection), [&] { body(true); }, [&] { body(false); });
  });
  if (original)
    memref::CopyOp::create(b, reserve, original);
  dense.finish();
  op.erase();
}

/// Without dropout and without a reserve result, a training pass is equivalent to inference.
void convertForward(CudnnForwardOp op, const HostVectors &vectors, KernelLibrary &library) {
  bool training = op.getIsTraining() && (op.getReserveSpaceOut() || op.drawsDropout());
  auto getReserve = [](CudnnForwardOp op) -> Value { return op.getReserveSpaceOut(); };
  auto getGradients = [](CudnnForwardOp) { return ParamsBuffer(); };
  convertStack<CudnnForwardOp>(op, vectors, library, training ? 1 : 0, getReserve, getGradients, emitStackForward);
}

void convertBackward(CudnnBackpropOp op, const HostVectors &vectors, KernelLibrary &library) {
  auto getReserve = [](CudnnBackpropOp op) -> Value { return op.getReserveSpace(); };
  auto getGradients = [](CudnnBackpropOp op) {
    return ParamsBuffer{op.getParamsBackpropOut(), op.getParamsBackpropOffsets(), {}};
  };
  if (op.getInputBackpropOut() || op.getInputHBackpropOut() || op.getInputCBackpropOut() || op.getParamsBackpropOut())
    convertStack<CudnnBackpropOp>(op, vectors, library, 2, getReserve, getGradients, emitStackBackward);
  else
    op.erase();
}

struct ConvertRNNToHost : public rnn::impl::ConvertRNNToHostPassBase<ConvertRNNToHost> {
  using ConvertRNNToHostPassBase::ConvertRNNToHostPassBase;

  void runOnOperation() override {
    if (failed(checkConvertible(getOperation(), getArgument())))
      return signalPassFailure();
    FailureOr<HostVectors> vectors =
        getHostVectors(&getContext(), vectorBits, vectorRegisters, blockDepth, fmaUnits, bf16Gemm, bf16GemmOneRow);
    if (failed(vectors))
      return signalPassFailure();
    convertRNNToHost(getOperation(), *vectors);
  }
};

} // namespace

void rnn::convertRNNToHost(ModuleOp module, const HostVectors &vectors) {
  SmallVector<Operation *> ops;
  module.walk([&](LayerOpInterface op) {
    bool isMemref = llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
    bool isLayer = isa<BlockLSTMOp, BlockLSTMGradOp, CudnnForwardOp, CudnnBackpropOp>(op);
    if (isLayer && isMemref && op.getLowering() == Lowering::Fused)
      ops.push_back(op);
  });
  makeBuffersTimeMajor(ops);
  shareLayers(module, ops);
  KernelLibrary library(module);
  for (Operation *op : ops) {
    if (auto grad = dyn_cast<BlockLSTMGradOp>(op))
      convert(grad, vectors, library, emitBlockBackward);
    else if (auto forward = dyn_cast<BlockLSTMOp>(op))
      convert(forward, vectors, library, emitBlockForward);
    else if (auto backprop = dyn_cast<CudnnBackpropOp>(op))
      convertBackward(backprop, vectors, library);
    else
      convertForward(cast<CudnnForwardOp>(op), vectors, library);
  }
}
