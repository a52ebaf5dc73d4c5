//===- BlockOps.cpp - tables of rnn.block_lstm and rnn.block_lstm_grad -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::detail;

#define RNN_BLOCK_OPERANDS                                                                                            \
  {"x", "x", ValueKind::Float, 3}, {"cs_prev", "state", ValueKind::Float, 2}, {"h_prev", "state", ValueKind::Float, 2}, \
      {"w", "weights", ValueKind::Float, 2}, {"wci", "peephole", ValueKind::Float, 1},                                \
      {"wcf", "peephole", ValueKind::Float, 1}, {"wco", "peephole", ValueKind::Float, 1},                             \
      {"b", "bias", ValueKind::Float, 1}, {"seq_len_max", "seq_len_max", ValueKind::I64, -1, /*optional=*/true}

static constexpr NamedValue forwardOperands[] = {RNN_BLOCK_OPERANDS};
static constexpr NamedValue forwardResults[] = {
    {"i", "", ValueKind::Float, 3},  {"cs", "", ValueKind::Float, 3}, {"f", "", ValueKind::Float, 3},
    {"o", "", ValueKind::Float, 3},  {"ci", "", ValueKind::Float, 3}, {"co", "", ValueKind::Float, 3},
    {"h", "", ValueKind::Float, 3},
};
static constexpr NamedValue gradOperands[] = {
    RNN_BLOCK_OPERANDS,
    {"i", "saved", ValueKind::Float, 3},
    {"cs", "saved", ValueKind::Float, 3},
    {"f", "saved", ValueKind::Float, 3},
    {"o", "saved", ValueKind::Float, 3},
    {"ci", "saved", ValueKind::Float, 3},
    {"co", "saved", ValueKind::Float, 3},
    {"h", "saved", ValueKind::Float, 3},
    {"cs_grad", "grads", ValueKind::Float, 3},
    {"h_grad", "grads", ValueKind::Float, 3},
};
static constexpr NamedValue gradResults[] = {
    {"x_grad", "", ValueKind::Float, 3},      {"cs_prev_grad", "", ValueKind::Float, 2},
    {"h_prev_grad", "", ValueKind::Float, 2}, {"w_grad", "", ValueKind::Float, 2},
    {"wci_grad", "", ValueKind::Float, 1},    {"wcf_grad", "", ValueKind::Float, 1},
    {"wco_grad", "", ValueKind::Float, 1},    {"b_grad", "", ValueKind::Float, 1},
};
static constexpr llvm::StringLiteral blockHeader[] = {"layout"};

const OpSignature &BlockLSTMOp::getSignature() {
  static const OpSignature signature{forwardOperands, forwardResults, "B1", "B2", "B11", blockHeader};
  return signature;
}

const OpSignature &BlockLSTMGradOp::getSignature() {
  static const OpSignature signature{gradOperands, gradResults, "B1", "B2", "B11", blockHeader};
  return signature;
}

namespace {
/// The symbolic dimensions that both block ops share.
struct BlockDims {
  AffineExpr T, B, I, H;
};
} // namespace

template <typename OpLike>
static BlockDims addBlockRules(OpLike op, ShapeRules &rules) {
  BlockDims l;
  l.T = rules.symbol("T", "the steps", "B3", op.getX(), "x", 0);
  l.B = rules.symbol("B", "the batch", "B3", op.getX(), "x", 1);
  l.I = rules.symbol("I", "the input size", "B3", op.getX(), "x", 2);
  l.H = rules.symbol("H", "the hidden size", "B4", op.getCsPrev(), "cs_prev", 1, /*minimum=*/1);
  rules.operand("B3", "x", op.getX(), {l.T, l.B, l.I});
  rules.operand("B4", "cs_prev", op.getCsPrev(), {l.B, l.H});
  rules.operand("B4", "h_prev", op.getHPrev(), {l.B, l.H});
  rules.operand("B5", "w", op.getW(), {l.I + l.H, l.H * 4});
  rules.operand("B6", "wci", op.getWci(), {l.H});
  rules.operand("B6", "wcf", op.getWcf(), {l.H});
  rules.operand("B6", "wco", op.getWco(), {l.H});
  rules.operand("B6", "b", op.getB(), {l.H * 4});
  return l;
}

template <typename OpLike>
static void collectForwardRules(OpLike op, ShapeRules &rules) {
  BlockDims l = addBlockRules(op, rules);
  for (auto [index, spec] : llvm::enumerate(forwardResults))
    rules.result("B8", spec.name, index, getElementTypeOrSelf(op.getX().getType()), {l.T, l.B, l.H});
}

template <typename OpLike>
static void collectGradRules(OpLike op, ShapeRules &rules) {
  BlockDims l = addBlockRules(op, rules);
  Value perStep[] = {op.getI(), op.getCs(), op.getF(), op.getO(), op.getCi(), op.getCo(), op.getH(), op.getCsGrad(),
                     op.getHGrad()};
  for (auto [index, value] : llvm::enumerate(perStep))
    rules.operand("B8", gradOperands[std::size(forwardOperands) + index].name, value, {l.T, l.B, l.H});
  SmallVector<AffineExpr, 3> dims[] = {{l.T, l.B, l.I}, {l.B, l.H}, {l.B, l.H}, {l.I + l.H, l.H * 4},
                                       {l.H},           {l.H},      {l.H},      {l.H * 4}};
  for (auto [index, shape] : llvm::enumerate(dims))
    rules.result("B9", gradResults[index].name, index, getElementTypeOrSelf(op.getX().getType()), shape);
}

namespace mlir::rnn {
static void collectRules(BlockLSTMOp::Adaptor op, ShapeRules &rules) { collectForwardRules(op, rules); }
static void collectRules(BlockLSTMGradOp::Adaptor op, ShapeRules &rules) { collectGradRules(op, rules); }
} // namespace mlir::rnn

void BlockLSTMOp::collectShapeRules(ShapeRules &rules) { collectForwardRules(*this, rules); }
void BlockLSTMGradOp::collectShapeRules(ShapeRules &rules) { collectGradRules(*this, rules); }

LogicalResult BlockLSTMOp::verifyAttributes() {
  // B10
  if (getForgetBias().isNaN())
    return emitOpError("expects `forget_bias` to be a number, but got NaN [B10]");
  if (getCellClip().isNaN())
    return emitOpError("expects `cell_clip` to be a number, but got NaN; use 0.0 to switch clipping off [B10]");
  return success();
}

LogicalResult BlockLSTMGradOp::verifyAttributes() { return success(); }

/// B7: what is known now; a dynamic value is checked when the op runs.
template <typename OpTy>
static LogicalResult verifySeqLenMax(OpTy op, const ShapeRules &rules) {
  std::optional<int64_t> steps = rules.getSymbols()[0].value;
  std::optional<int64_t> constant = getConstantInt(op.getSeqLenMax());
  if (!constant || (*constant >= 0 && (!steps || *constant <= *steps)))
    return success();
  InFlightDiagnostic diag = op.emitOpError("expects `seq_len_max` to be in [0, ");
  if (steps)
    diag << *steps;
  else
    diag << "T";
  return diag << "] (T is dim 0 of `x`), but got " << *constant << " [B7]";
}

LogicalResult BlockLSTMOp::verifySizes(const ShapeRules &rules) { return verifySeqLenMax(*this, rules); }
LogicalResult BlockLSTMGradOp::verifySizes(const ShapeRules &rules) { return verifySeqLenMax(*this, rules); }

RNN_DEFINE_LAYER_OP(BlockLSTMOp)
RNN_DEFINE_LAYER_OP(BlockLSTMGradOp)
RNN_DEFINE_PLAIN_EFFECTS(BlockLSTMOp)
RNN_DEFINE_PLAIN_EFFECTS(BlockLSTMGradOp)
RNN_DEFINE_RESULT_REIFICATION(BlockLSTMOp)
RNN_DEFINE_RESULT_REIFICATION(BlockLSTMGradOp)
