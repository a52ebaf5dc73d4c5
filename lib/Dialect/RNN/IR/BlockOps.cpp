//===- BlockOps.cpp - shape rules and checks of the block LSTM ops -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::detail;

/// Adds the rules of both ops. The shapes and labels are those of the signature.
template <typename OpLike> static void collectBlockRules(OpLike op, const OpSignature &signature, ShapeRules &rules) {
  const SequenceDims dims(op);
  rules.symbol("T", "the steps", "B3", op.getX(), "x", dims.steps);
  rules.symbol("B", "the batch", "B3", op.getX(), "x", dims.batch);
  rules.symbol("I", "the input size", "B3", op.getX(), "x", 2);
  rules.symbol("H", "the hidden size", "B4", op.getCsPrev(), "cs_prev", 1, /*minimum=*/1);
  auto shapeOf = [&](const NamedValue &spec) {
    SmallVector<AffineExpr, 3> parsed = rules.parseShape(spec.shape);
    return spec.isSequence() ? dims(parsed) : parsed;
  };
  for (auto [index, spec] : llvm::enumerate(signature.operands))
    if (auto values = op.getODSOperands(index); !spec.shape.empty() && !values.empty())
      rules.operand(spec.label, spec.name, values.front(), shapeOf(spec));
  for (auto [index, spec] : llvm::enumerate(signature.results))
    rules.result(spec.label, spec.name, index, getElementTypeOrSelf(op.getX().getType()), shapeOf(spec));
}

namespace mlir::rnn {
static void collectRules(BlockLSTMOp::Adaptor op, ShapeRules &rules) {
  collectBlockRules(op, BlockLSTMOp::getSignature(), rules);
}
static void collectRules(BlockLSTMGradOp::Adaptor op, ShapeRules &rules) {
  collectBlockRules(op, BlockLSTMGradOp::getSignature(), rules);
}
} // namespace mlir::rnn

void BlockLSTMOp::collectShapeRules(ShapeRules &rules) {
  collectBlockRules(*this, getSignature(), rules);
}
void BlockLSTMGradOp::collectShapeRules(ShapeRules &rules) {
  collectBlockRules(*this, getSignature(), rules);
}

LogicalResult BlockLSTMOp::verifyAttributes() {
  // B10
  if (getForgetBias().isNaN())
    return emitOpError("expects `forget_bias` to be a number, but got NaN [B10]");
  if (getCellClip().isNaN())
    return emitOpError("expects `cell_clip` to be a number, but got NaN; use 0.0 to disable clipping [B10]");
  return verifyResetTo(*this, "B12");
}

LogicalResult BlockLSTMGradOp::verifyAttributes() {
  return verifyResetTo(*this, "B12");
}

/// B7 for a constant. A dynamic value has a run-time check.
template <typename OpTy> static LogicalResult verifySeqLenMax(OpTy op, const ShapeRules &rules) {
  std::optional<int64_t> steps = rules.getStaticValue("T");
  std::optional<int64_t> constant = getConstantInt(op.getSeqLenMax());
  if (!constant || (*constant >= 0 && (!steps || *constant <= *steps)))
    return success();
  InFlightDiagnostic diag = op.emitOpError("expects `seq_len_max` to be in [0, ");
  if (steps)
    diag << *steps;
  else
    diag << "T";
  return diag << "] (T is dim " << SequenceDims(op).steps << " of `x`), but got " << *constant << " [B7]";
}

LogicalResult BlockLSTMOp::verifySizes(const ShapeRules &rules) {
  return verifySeqLenMax(*this, rules);
}
LogicalResult BlockLSTMGradOp::verifySizes(const ShapeRules &rules) {
  return verifySeqLenMax(*this, rules);
}

RNN_DEFINE_LAYER_OP(BlockLSTMOp)
RNN_DEFINE_LAYER_OP(BlockLSTMGradOp)
RNN_DEFINE_PLAIN_EFFECTS(BlockLSTMOp)
RNN_DEFINE_PLAIN_EFFECTS(BlockLSTMGradOp)
RNN_DEFINE_RESULT_REIFICATION(BlockLSTMOp)
RNN_DEFINE_RESULT_REIFICATION(BlockLSTMGradOp)
