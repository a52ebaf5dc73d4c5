//===- CudnnOps.cpp - shape rules and checks of the cudnn layer ops ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudnnCommon.h"
#include "rnn_runtime/layout.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::detail;

namespace {
/// Shapes that several operands share.
struct CudnnDims {
  AffineExpr T, B;
  SmallVector<AffineExpr, 3> input, stateH, stateC, output;
};
} // namespace

/// C17: the number of rows is 0 or L*D.
static void addOffsetsRule(StringRef name, Value offsets, ShapeRules &rules) {
  rules.operand("C17", name, offsets,
                {AffineExpr(), getAffineConstantExpr(rnn_layout::numParamsTensors, rules.getContext())});
}

template <typename OpLike> static CudnnDims addCudnnRules(OpLike op, ShapeRules &rules) {
  int64_t directions = getNumDirections(op.getDirection());
  const SequenceDims dims(op);
  CudnnDims l;
  // C3, C4: like cuDNN, the verifier and the runtime reject empty problems.
  l.T = rules.symbol("T", "the steps", "C3", op.getInput(), "input", dims.steps, /*minimum=*/1);
  l.B = rules.symbol("B", "the batch", "C3", op.getInput(), "input", dims.batch, /*minimum=*/1);
  AffineExpr I = rules.symbol("I", "the input size", "C3", op.getInput(), "input", 2, /*minimum=*/1);
  AffineExpr L =
      rules.symbol("L", "the layers", "C4", op.getInputH(), "input_h", 0, /*minimum=*/1, /*divisor=*/directions);
  // C6: with a projection, the attribute defines P and the cell state defines H.
  int64_t projection = op.getNumProj();
  AffineExpr H, P;
  if (projection != 0) {
    P = projection == projectionOfState
            ? rules.symbol("P", "the size of the hidden state", "C6", op.getInputH(), "input_h", 2, /*minimum=*/1)
            : rules.constant("P", "`num_proj`", "C6", projection);
    H = rules.symbol("H", "the hidden size", "C5", op.getInputC(), "input_c", 2, /*minimum=*/1);
  } else {
    H = P = rules.symbol("H", "the hidden size", "C4", op.getInputH(), "input_h", 2, /*minimum=*/1);
  }
  // C8
  l.input = dims({l.T, l.B, op.getInputMode() == InputMode::SkipInput ? H : I});
  l.stateH = {L * directions, l.B, P};
  l.stateC = {L * directions, l.B, H};
  l.output = dims({l.T, l.B, P * directions});
  rules.operand("C3", "input", op.getInput(), dims({l.T, l.B, I}));
  if (op.getInputMode() == InputMode::SkipInput)
    rules.operand("C8", "input", op.getInput(), l.input);
  rules.operand("C4", "input_h", op.getInputH(), {L * directions, l.B, AffineExpr()});
  rules.operand(projection != 0 ? "C6" : "C4", "input_h", op.getInputH(), {AffineExpr(), AffineExpr(), P});
  rules.operand("C5", "input_c", op.getInputC(), l.stateC);
  rules.operand("C7", "params", op.getParams(), {AffineExpr()});
  rules.operand("C11", "sequence_lengths", op.getSequenceLengths(), {l.B});
  rules.operand("C16", "resets", op.getResets(), dims({l.T, l.B}));
  addOffsetsRule("params_offsets", op.getParamsOffsets(), rules);
  return l;
}

template <typename OpLike> static void collectForwardRules(OpLike op, ShapeRules &rules) {
  CudnnDims l = addCudnnRules(op, rules);
  Type element = getElementTypeOrSelf(op.getInput().getType());
  rules.result("C12", "output", 0, element, l.output);
  rules.result("C12", "output_h", 1, element, l.stateH);
  if (op.getMode() == CellMode::Lstm)
    rules.result("C12", "output_c", 2, element, l.stateC);
  // C13: the device decides the size in training; otherwise it is zero.
  rules.result("C13", "reserve_space", 3, IntegerType::get(rules.getContext(), 8),
               {op.getIsTraining() ? AffineExpr() : getAffineConstantExpr(0, rules.getContext())});
}

template <typename OpLike> static void collectBackpropRules(OpLike op, ShapeRules &rules) {
  CudnnDims l = addCudnnRules(op, rules);
  rules.operand("C12", "output", op.getOutput(), l.output);
  rules.operand("C12", "output_h", op.getOutputH(), l.stateH);
  rules.operand("C12", "output_c", op.getOutputC(), l.stateC);
  rules.operand("C12", "output_backprop", op.getOutputBackprop(), l.output);
  rules.operand("C12", "output_h_backprop", op.getOutputHBackprop(), l.stateH);
  rules.operand("C12", "output_c_backprop", op.getOutputCBackprop(), l.stateC);
  Type element = getElementTypeOrSelf(op.getInput().getType());
  rules.result("C15", "input_backprop", 0, element, l.input);
  rules.result("C15", "input_h_backprop", 1, element, l.stateH);
  if (op.getMode() == CellMode::Lstm)
    rules.result("C15", "input_c_backprop", 2, element, l.stateC);
  // The device decides the size of `params`; its gradient has the size of the operand. Offsets have their own check.
  AffineExpr count;
  if (!op.getParamsOffsets())
    count = rules.symbol("N", "the parameters", "C7", op.getParams(), "params", 0);
  addOffsetsRule("params_backprop_offsets", op.getParamsBackpropOffsets(), rules);
  rules.result("C15", "params_backprop", 3, element, {count});
}

namespace mlir::rnn {
static void collectRules(CudnnForwardOp::Adaptor op, ShapeRules &rules) {
  collectForwardRules(op, rules);
}
static void collectRules(CudnnBackpropOp::Adaptor op, ShapeRules &rules) {
  collectBackpropRules(op, rules);
}
} // namespace mlir::rnn

void CudnnForwardOp::collectShapeRules(ShapeRules &rules) {
  collectForwardRules(*this, rules);
}
void CudnnBackpropOp::collectShapeRules(ShapeRules &rules) {
  collectBackpropRules(*this, rules);
}

//===----------------------------------------------------------------------===//
// Verification beyond single dimensions
//===----------------------------------------------------------------------===//

/// C5, C12: only lstm has a cell state.
template <typename OpTy> static LogicalResult verifyCell(OpTy op, StringRef name, Value value, StringRef label) {
  bool isLstm = op.getMode() == CellMode::Lstm;
  if (isLstm == static_cast<bool>(value))
    return success();
  if (isLstm)
    return op.emitOpError("in mode lstm requires the cell operand `") << name << "` [" << label << "]";
  return op.emitOpError("in mode ") << stringifyCellMode(op.getMode()) << " accepts no cell operand, but got `" << name
                                    << "` [" << label << "]";
}

/// The value form infers result types from `num_proj`, and other lowerings expect its value.
template <typename OpTy> static bool allowsAnyProjection(OpTy op) {
  return op.getLowering() == Lowering::Fused && !isValueForm(op.getOperation());
}

template <typename OpTy> static LogicalResult verifyCommonAttributes(OpTy op) {
  if (failed(verifyCell(op, "input_c", op.getInputC(), "C5")) ||
      failed(verifyProjection(op, op.getMode(), op.getNumProj(), "C6", std::nullopt, allowsAnyProjection(op))) ||
      failed(verifyDropout(op, op.getDropout(), "C9")) || failed(verifySeeds(op, "C10")) ||
      failed(verifyResetTo(op, "C16")))
    return failure();
  return success();
}

LogicalResult CudnnForwardOp::verifyAttributes() {
  return verifyCommonAttributes(*this);
}

LogicalResult CudnnBackpropOp::verifyAttributes() {
  if (failed(verifyCommonAttributes(*this)) || failed(verifyCell(*this, "output_c", getOutputC(), "C12")) ||
      failed(verifyCell(*this, "output_c_backprop", getOutputCBackprop(), "C12")))
    return failure();
  return success();
}

/// C17
template <typename OpTy>
static LogicalResult verifyOffsets(OpTy op, StringRef name, Value offsets, const ShapeRules &rules) {
  if (!offsets)
    return success();
  if (op.getLowering() != Lowering::Fused)
    return op.emitOpError("requires lowering `fused` with `") << name << "`; set lowering = #rnn.lowering<fused> [C17]";
  int64_t rows = cast<ShapedType>(offsets.getType()).getDimSize(0);
  std::optional<int64_t> layers = rules.getStaticValue("L");
  if (ShapedType::isDynamic(rows) || rows == 0 || !layers)
    return success();
  int64_t expected = *layers * getNumDirections(op.getDirection());
  if (rows == expected)
    return success();
  return op.emitOpError("expects dim 0 of `")
         << name << "` to be " << expected << " (L*D) or 0, but got " << rows << " [C17]";
}

template <typename OpTy> static LogicalResult verifyCudnnSizes(OpTy op, const ShapeRules &rules) {
  std::optional<int64_t> steps = rules.getStaticValue("T");
  auto inputType = cast<ShapedType>(op.getInput().getType());
  // TensorFlow compares with the last dimension of input_h, which is P with a projection.
  auto stateType = cast<ShapedType>(op.getInputH().getType());
  if (op.getInputMode() == InputMode::AutoSelect) {
    if (inputType.isDynamicDim(2) || stateType.isDynamicDim(2))
      return op.emitOpError("with `auto_select` requires a static input size and a static state size, since the "
                            "size of `params` depends on them; use linear_input or skip_input [C8]");
    if (op.getNumProj() > 0 && inputType.getDimSize(2) == stateType.getDimSize(2))
      return op.emitOpError("with `auto_select` and a projection to the input size is ambiguous; use linear_input "
                            "or skip_input [C8]");
  }
  // C6
  std::optional<int64_t> hidden = rules.getStaticValue("H");
  if (failed(verifyProjection(op, op.getMode(), op.getNumProj(), "C6", hidden, allowsAnyProjection(op))))
    return failure();
  if (int64_t(op.getNumProj()) == projectionOfState) {
    std::optional<int64_t> projection = rules.getStaticValue("P");
    if (hidden && projection && *projection > *hidden)
      return op.emitOpError("expects dim 2 of `input_h` to be at most the hidden size ")
             << *hidden << ", but got " << *projection << " [C6]";
  }
  // C7
  std::optional<CudnnSizes> known = getSizes(op, rules);
  if (known && !op.getParamsOffsets()) {
    const CudnnSizes &sizes = *known;
    std::optional<int64_t> least = getDenseParamsSize(sizes);
    auto paramsType = cast<ShapedType>(op.getParams().getType());
    if (!least)
      return op.emitOpError("has more parameters than 64 bits can count [C7]");
    if (!paramsType.isDynamicDim(0) && paramsType.getDimSize(0) < *least)
      return op.emitOpError("expects `params` to have at least ")
             << *least << " elements (all matrices and biases of " << sizes.layers << " layer(s), " << sizes.directions
             << " direction(s), I = " << sizes.input << ", H = " << sizes.hidden
             << (op.getNumProj() != 0 ? ", P = " + std::to_string(sizes.projection) : std::string()) << "), but got "
             << paramsType.getDimSize(0) << " [C7]";
  }
  // C11
  DenseIntElementsAttr lengths;
  if (op.getSequenceLengths() && matchPattern(op.getSequenceLengths(), m_Constant(&lengths)))
    for (auto [index, length] : llvm::enumerate(lengths.getValues<APInt>()))
      if (length.isNegative() || (steps && length.sgt(*steps)))
        return op.emitOpError("expects `sequence_lengths` to be in [0, ")
               << (steps ? std::to_string(*steps) : "T") << "], but element " << index << " is "
               << length.getSExtValue() << " [C11]";
  return success();
}

LogicalResult CudnnForwardOp::verifySizes(const ShapeRules &rules) {
  if (failed(verifyCudnnSizes(*this, rules)))
    return failure();
  return verifyOffsets(*this, "params_offsets", getParamsOffsets(), rules);
}
LogicalResult CudnnBackpropOp::verifySizes(const ShapeRules &rules) {
  if (failed(verifyCudnnSizes(*this, rules)) ||
      failed(verifyOffsets(*this, "params_offsets", getParamsOffsets(), rules)))
    return failure();
  // The assembly has the two tables in this order.
  if (getParamsBackpropOffsets() && !getParamsOffsets())
    return emitOpError(
        "requires `params_offsets` with `params_backprop_offsets`; a table without rows means the opaque "
        "layout [C17]");
  return verifyOffsets(*this, "params_backprop_offsets", getParamsBackpropOffsets(), rules);
}

//===----------------------------------------------------------------------===//
// Effects and shapes
//===----------------------------------------------------------------------===//

namespace {
/// The state of the random generator. A draw changes it, so draws cannot be removed, merged or reordered.
struct DropoutStream : public SideEffects::Resource::Base<DropoutStream> {
  StringRef getName() final { return "DropoutStream"; }
};
} // namespace

bool CudnnForwardOp::drawsDropout() {
  int64_t states = cast<ShapedType>(getInputH().getType()).getDimSize(0); // L*D, or dynamic
  return getIsTraining() && !getDropout().isZero() && states != getNumDirections(getDirection());
}

void CudnnForwardOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getLayerOpEffects(*this, effects);
  if (!drawsDropout())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), DropoutStream::get());
  effects.emplace_back(MemoryEffects::Write::get(), DropoutStream::get());
}

LogicalResult CudnnForwardOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifyResults(builder, *this, shapes,
                      [&](unsigned) -> OpFoldResult { return createReserveSize(builder, *this); });
}

RNN_DEFINE_LAYER_OP(CudnnForwardOp)
RNN_DEFINE_LAYER_OP(CudnnBackpropOp)
RNN_DEFINE_PLAIN_EFFECTS(CudnnBackpropOp)
RNN_DEFINE_RESULT_REIFICATION(CudnnBackpropOp)
