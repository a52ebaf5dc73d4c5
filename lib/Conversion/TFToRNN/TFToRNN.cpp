//===- TFToRNN.cpp - the pass convert-tf-to-rnn and its patterns -------------===//
//
// The driver visits each op once, and constants before their users. Constant sizes of TensorFlow's graph are therefore
// constants when the rnn ops are verified.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/TFToRNN/TFToRNN.h"
#include "../Common/ReserveSpace.h"
#include "Functions.h"
#include "TFOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "rnn/Conversion/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTTFTORNNPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;
using rnn::tf::TFOp;

namespace {

using Converter = void (*)(TFOp &);

struct ModelledOp {
  StringLiteral name;
  Converter convert;
};

constexpr ModelledOp modelledOps[] = {
    {"tf.CudnnRNN", [](TFOp &op) { convertCudnnForward(op, 1); }},
    {"tf.CudnnRNNV2", [](TFOp &op) { convertCudnnForward(op, 2); }},
    {"tf.CudnnRNNV3", [](TFOp &op) { convertCudnnForward(op, 3); }},
    {"tf.CudnnRNNBackprop", [](TFOp &op) { convertCudnnBackprop(op, 1); }},
    {"tf.CudnnRNNBackpropV2", [](TFOp &op) { convertCudnnBackprop(op, 2); }},
    {"tf.CudnnRNNBackpropV3", [](TFOp &op) { convertCudnnBackprop(op, 3); }},
    {"tf.CudnnRNNParamsSize", [](TFOp &op) { convertCudnnParamsSize(op); }},
    {"tf.CudnnRNNCanonicalToParams", [](TFOp &op) { convertCudnnCanonicalToParams(op, 1); }},
    {"tf.CudnnRNNCanonicalToParamsV2", [](TFOp &op) { convertCudnnCanonicalToParams(op, 2); }},
    {"tf.CudnnRNNParamsToCanonical", [](TFOp &op) { convertCudnnParamsToCanonical(op, 1); }},
    {"tf.CudnnRNNParamsToCanonicalV2", [](TFOp &op) { convertCudnnParamsToCanonical(op, 2); }},
    {"tf.BlockLSTM", [](TFOp &op) { convertBlockLSTM(op, 1); }},
    {"tf.BlockLSTMV2", [](TFOp &op) { convertBlockLSTM(op, 2); }},
    {"tf.BlockLSTMGrad", [](TFOp &op) { convertBlockLSTMGrad(op, 1); }},
    {"tf.BlockLSTMGradV2", [](TFOp &op) { convertBlockLSTMGrad(op, 2); }},
};

/// Converts one modelled op. The converter reports errors.
struct ConvertModelledOp : public RewritePattern {
  ConvertModelledOp(const ModelledOp &modelled, PatternBenefit benefit, MLIRContext *context)
      : RewritePattern(modelled.name, benefit, context), convert(modelled.convert) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    Operation *before = op->getPrevNode();
    TFOp tf(op, rewriter);
    convert(tf);
    if (!tf.hasFailed())
      return success();
    eraseCreated(before, op, rewriter);
    return rewriter.notifyMatchFailure(op, "invalid op, error reported");
  }

  Converter convert;
};

struct ConvertConst : public RewritePattern {
  ConvertConst(PatternBenefit benefit, MLIRContext *context) : RewritePattern("tf.Const", benefit, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto value = op->getAttrOfType<ElementsAttr>("value");
    if (op->getNumOperands() != 0 || op->getNumResults() != 1 || !value || !isPlainOp(op))
      return rewriter.notifyMatchFailure(op, "no elements attribute `value`");
    Type type = op->getResult(0).getType();
    auto valueType = dyn_cast<RankedTensorType>(value.getType());
    if (!valueType || !(valueType.getElementType().isSignlessIntOrFloat() || valueType.getElementType().isIndex()))
      return rewriter.notifyMatchFailure(op, "arith does not support constants of this type");
    if (valueType != type && !tensor::CastOp::areCastCompatible(valueType, type))
      return rewriter.notifyMatchFailure(op, "declared type differs from the type of the value");
    Value constant = arith::ConstantOp::create(rewriter, op->getLoc(), cast<TypedAttr>(value));
    if (valueType != type)
      constant = tensor::CastOp::create(rewriter, op->getLoc(), type, constant);
    rewriter.replaceOp(op, constant);
    return success();
  }
};

struct ConvertIdentity : public RewritePattern {
  ConvertIdentity(PatternBenefit benefit, MLIRContext *context) : RewritePattern("tf.Identity", benefit, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 1 || op->getNumResults() != 1 || !isPlainOp(op))
      return rewriter.notifyMatchFailure(op, "expected one operand and one result");
    Value value = op->getOperand(0);
    // In a graph region, the operand of an op can be its own result.
    if (value.getDefiningOp() == op)
      return rewriter.notifyMatchFailure(op, "its operand is its result");
    Type type = op->getResult(0).getType();
    if (value.getType() != type) {
      if (!tensor::CastOp::areCastCompatible(value.getType(), type))
        return rewriter.notifyMatchFailure(op, "no cast to the declared type");
      value = tensor::CastOp::create(rewriter, op->getLoc(), type, value);
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct EraseNoOp : public RewritePattern {
  EraseNoOp(PatternBenefit benefit, MLIRContext *context) : RewritePattern("tf.NoOp", benefit, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 0 || !isPlainOp(op))
      return rewriter.notifyMatchFailure(op, "expected no results, regions or successors");
    rewriter.eraseOp(op);
    return success();
  }
};

/// The result or operand index of the reserve space, if the op has one.
std::optional<unsigned> getReserveResult(Operation *op) {
  StringRef name = op->getName().getStringRef();
  bool isForward = name == "tf.CudnnRNN" || name == "tf.CudnnRNNV2" || name == "tf.CudnnRNNV3";
  return isForward && op->getNumResults() > 3 ? std::optional<unsigned>(3) : std::nullopt;
}

std::optional<unsigned> getReserveOperand(Operation *op) {
  StringRef name = op->getName().getStringRef();
  unsigned index;
  if (name == "tf.CudnnRNNBackprop" || name == "tf.CudnnRNNBackpropV2")
    index = 10;
  else if (name == "tf.CudnnRNNBackpropV3")
    index = 11;
  else
    return std::nullopt;
  return index < op->getNumOperands() ? std::optional<unsigned>(index) : std::nullopt;
}

bool isTraining(Operation *forward) {
  auto attribute = forward->getAttrOfType<BoolAttr>("is_training");
  return !attribute || attribute.getValue();
}

/// Reports an op whose name resembles the modelled ops but is none of them.
LogicalResult checkName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.starts_with("tf.LSTMBlockCell"))
    return op->emitOpError("is not supported; use tf.BlockLSTM with T = 1 for a step of this cell");
  if (!(name.starts_with("tf.CudnnRNN") || name.starts_with("tf.BlockLSTM")) || isModelledTFOp(name))
    return success();
  InFlightDiagnostic diag = op->emitOpError("is not supported by convert-tf-to-rnn; the supported ops are ");
  llvm::interleaveComma(modelledOps, diag, [&](const ModelledOp &modelled) { diag << modelled.name; });
  return diag;
}

/// Moves properties of unregistered ops to discardable attributes: the converters read those. Both forms
/// `"tf.Op"() <{a = 1}>` and `"tf.Op"() {a = 1}` mean the same.
LogicalResult moveProperties(Operation *op) {
  if (op->isRegistered() || op->getName().getDialectNamespace() != "tf")
    return success();
  auto properties = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  if (!properties || properties.empty())
    return success();
  MLIRContext *context = op->getContext();
  for (NamedAttribute attribute : properties)
    if (op->getDiscardableAttr(attribute.getName()))
      return op->emitOpError("has the attribute `")
             << attribute.getName().getValue() << "` both as a property and as a discardable attribute; remove one";
  if (failed(op->setPropertiesFromAttribute(DictionaryAttr::get(context), [&] { return op->emitOpError(); })))
    return failure();
  for (NamedAttribute attribute : properties)
    op->setDiscardableAttr(attribute.getName(), attribute.getValue());
  return success();
}

/// Reports casts whose source has another size, behind casts to a dynamic size. Folding would make them invalid.
LogicalResult checkCasts(ModuleOp module) {
  bool hasFailed = false;
  module.walk([&](tensor::CastOp cast) {
    auto inner = cast.getSource().getDefiningOp<tensor::CastOp>();
    // In a graph region, casts can form a cycle.
    SmallPtrSet<Operation *, 4> seen;
    while (inner && inner.getSource().getDefiningOp<tensor::CastOp>() && seen.insert(inner).second)
      inner = inner.getSource().getDefiningOp<tensor::CastOp>();
    if (!inner || tensor::CastOp::areCastCompatible(inner.getSource().getType(), cast.getType()))
      return;
    InFlightDiagnostic diag = cast.emitError("a tensor of type ")
                              << inner.getSource().getType() << " is used as " << cast.getType()
                              << ", whose sizes contradict; correct one of the two types";
    diag.attachNote(inner.getSource().getLoc()) << "the tensor comes from here";
    hasFailed = true;
  });
  return failure(hasFailed);
}

struct ConvertTFToRNN : public rnn::impl::ConvertTFToRNNPassBase<ConvertTFToRNN> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // The driver skips unreachable blocks. Erase them, so that no modelled op remains there.
    IRRewriter rewriter(&getContext());
    (void)eraseUnreachableBlocks(rewriter, module->getRegions());
    bool hasFailed = false;
    module.walk([&](Operation *op) { hasFailed |= failed(moveProperties(op)) || failed(checkName(op)); });
    inlineTFCalls(module);
    nameTFArguments(module);
    module.walk([&](Operation *op) {
      // Automatic differentiation leaves zeros for the gradient of a reserve space, which nothing reads.
      if (op->getName().getStringRef() == "tf.ZerosLike" && op->use_empty() && isPlainOp(op))
        op->erase();
    });
    if (failed(retypeReserveSpaces(module)) || hasFailed)
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateTFToRNNPatterns(patterns);
    walkAndApplyPatterns(module, std::move(patterns));
    // The converters have reported an error for every remaining op.
    module.walk([&](Operation *op) { hasFailed |= isModelledTFOp(op->getName().getStringRef()); });
    if (hasFailed || failed(checkCasts(module)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult rnn::retypeReserveSpaces(ModuleOp module) {
  return retypeReserveSpaces(module,
                             {getReserveResult, getReserveOperand, isTraining, "tf.Identity", "convert-tf-to-rnn"});
}

bool rnn::isModelledTFOp(StringRef name) {
  return llvm::any_of(modelledOps, [&](const ModelledOp &modelled) { return modelled.name == name; });
}

void rnn::populateTFToRNNPatterns(RewritePatternSet &patterns, PatternBenefit benefit) {
  MLIRContext *context = patterns.getContext();
  for (const ModelledOp &modelled : modelledOps)
    patterns.add(std::make_unique<ConvertModelledOp>(modelled, benefit, context));
  patterns.add(std::make_unique<ConvertConst>(benefit, context));
  patterns.add(std::make_unique<ConvertIdentity>(benefit, context));
  patterns.add(std::make_unique<EraseNoOp>(benefit, context));
}
