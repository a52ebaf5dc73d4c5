//===- ONNXToRNN.cpp - the pass convert-onnx-to-rnn and its patterns ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/ONNXToRNN/ONNXToRNN.h"
#include "ONNXLayer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "rnn/Conversion/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTONNXTORNNPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::onnx;

bool rnn::isModelledONNXOp(Operation *op) {
  return getLayerKind(op).has_value();
}

namespace {
struct ConvertLayer : public RewritePattern {
  ConvertLayer(StringRef name, PatternBenefit benefit, MLIRContext *context) : RewritePattern(name, benefit, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isModelledONNXOp(op))
      return rewriter.notifyMatchFailure(op, "no recurrent layer");
    Operation *before = op->getPrevNode();
    ONNXLayer layer(op, rewriter);
    layer.convert();
    if (!layer.hasFailed())
      return success();
    eraseCreated(before, op, rewriter);
    return rewriter.notifyMatchFailure(op, "invalid op, error reported");
  }
};

/// Replaces what surrounds layers in modules of onnx-mlir by upstream ops.
void convertSurroundings(Operation *op) {
  StringRef name = op->getName().getStringRef();
  OpBuilder b(op);
  if (name == "onnx.EntryPoint") {
    if (isPlainOp(op) && op->use_empty())
      op->erase();
  } else if (name == "onnx.Return" && isa_and_nonnull<func::FuncOp>(op->getParentOp()) && op->getNumResults() == 0 &&
             op->getNumSuccessors() == 0 && op->getNumRegions() == 0) {
    func::ReturnOp::create(b, op->getLoc(), op->getOperands());
    op->erase();
  } else if (name == "onnx.Constant" && op->getNumResults() == 1 && op->getNumOperands() == 0 && isPlainOp(op)) {
    DenseElementsAttr value = getSignlessElements(getAttributeOrProperty(op, "value"));
    if (!value || value.getType() != op->getResult(0).getType())
      return;
    op->getResult(0).replaceAllUsesWith(arith::ConstantOp::create(b, op->getLoc(), value));
    op->erase();
  }
}

struct ConvertONNXToRNN : public rnn::impl::ConvertONNXToRNNPassBase<ConvertONNXToRNN> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool hasONNX = false;
    module.walk([&](Operation *op) {
      hasONNX |= op->getName().getDialectNamespace() == "onnx" || isModelledONNXOp(op);
      convertSurroundings(op);
    });
    if (!hasONNX)
      return markAllAnalysesPreserved();
    convertTorchLiterals(module);
    RewritePatternSet patterns(&getContext());
    populateONNXToRNNPatterns(patterns);
    walkAndApplyPatterns(module, std::move(patterns));
    bool hasFailed = false;
    module.walk([&](Operation *op) {
      // The patterns have reported an error for every remaining layer.
      hasFailed |= isModelledONNXOp(op);
      if (op->getName().getStringRef() == "onnx.NoValue" && op->use_empty() && isPlainOp(op))
        op->erase();
    });
    if (hasFailed)
      signalPassFailure();
  }
};
} // namespace

void rnn::populateONNXToRNNPatterns(RewritePatternSet &patterns, PatternBenefit benefit) {
  for (StringRef name : {"torch.operator", "onnx.LSTM", "onnx.GRU", "onnx.RNN"})
    patterns.add(std::make_unique<ConvertLayer>(name, benefit, patterns.getContext()));
}
