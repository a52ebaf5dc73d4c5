//===- TorchToRNN.cpp - the pass convert-torch-to-rnn and its patterns -------===//
//
// `aten::lstm` and its siblings are stacks of layers with the gate orders of cuDNN. torch-mlir has no ops for them, so
// they arrive as `torch.operator`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/TorchToRNN/TorchToRNN.h"
#include "TorchStack.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNN/Transforms/TensorBuilder.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTTORCHTORNNPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct ModelledOp {
  StringLiteral name;
  CellMode mode;
};
} // namespace

/// Without the overload `.input` (padded sequences) or `.data` (packed sequences).
static constexpr ModelledOp modelledOps[] = {{"torch.aten.lstm", CellMode::Lstm},
                                             {"torch.aten.gru", CellMode::Gru},
                                             {"torch.aten.rnn_tanh", CellMode::RnnTanh},
                                             {"torch.aten.rnn_relu", CellMode::RnnRelu}};

static const ModelledOp *getModelled(Operation *op, bool &isPacked) {
  StringRef name, overload;
  std::tie(name, overload) = getTorchName(op).rsplit('.');
  isPacked = overload == "data";
  if (!isPacked && overload != "input")
    return nullptr;
  const auto *found = llvm::find_if(modelledOps, [&](const ModelledOp &modelled) { return modelled.name == name; });
  return found == std::end(modelledOps) ? nullptr : found;
}

bool rnn::isModelledTorchOp(Operation *op) {
  bool isPacked;
  return getModelled(op, isPacked) || isCudnnRNN(op);
}

//===----------------------------------------------------------------------===//
// One layer op
//===----------------------------------------------------------------------===//

namespace {
class TorchLayer : public TorchStack {
public:
  TorchLayer(Operation *op, PatternRewriter &rewriter) : TorchStack(op, rewriter) {
    sizes.mode = getModelled(op, isPacked)->mode;
  }

  void convert();

private:
  void readStates(unsigned index);
  /// The padded input [T, B, I] and the lengths of a packed one.
  void unpack(Value data, Value batchSizes);
  /// The packed rows of a padded output.
  Value pack(Value output);
  /// Calls `body` for every step with the offset of its rows and their number; carries one tensor.
  Value forEachStep(Value init,
                    function_ref<Value(OpFoldResult step, OpFoldResult offset, OpFoldResult rows, Value)> body);

  bool isPacked = false;
  Value input, inputH, inputC, lengths, batchSizes;
  OpFoldResult rows, steps, batch;
};
} // namespace

void TorchLayer::readStates(unsigned index) {
  if (!hasCell()) {
    inputH = tensor(index, "hx", 3, "[L*D, B, H]");
    return;
  }
  SmallVector<Value> states = list(index, "hx");
  if (!hasFailed() && states.size() != 2)
    return fail("expects `hx` to have 2 tensors (the hidden and the cell state), but got " + Twine(states.size()));
  if (hasFailed())
    return;
  inputH = tensor(states[0], "hx[0]", 3, "[L*D, B, P]");
  inputC = tensor(states[1], "hx[1]", 3, "[L*D, B, H]");
}

//===----------------------------------------------------------------------===//
// Packed sequences
//===----------------------------------------------------------------------===//

Value TorchLayer::forEachStep(
    Value init, function_ref<Value(OpFoldResult step, OpFoldResult offset, OpFoldResult rows, Value)> body) {
  PatternRewriter &b = getRewriter();
  TensorBuilder t(b, getLoc(), getElementTypeOrSelf(init.getType()));
  Value zero = t.value(t.constant(0)), all = t.value(rows), most = t.value(batch);
  return t.loop(t.constant(0), steps, {init, zero}, [&](Value step, ValueRange values) {
    Value count = arith::IndexCastOp::create(b, getLoc(), b.getIndexType(),
                                             tensor::ExtractOp::create(b, getLoc(), batchSizes, step));
    // Wrong batch sizes must not access rows out of bounds.
    count = arith::MaxSIOp::create(b, getLoc(), count, zero);
    count = arith::MinSIOp::create(b, getLoc(), count, most);
    count = arith::MinSIOp::create(b, getLoc(), count, arith::SubIOp::create(b, getLoc(), all, values[1]));
    Value next = body(step, values[1], count, values[0]);
    return SmallVector<Value>{next, arith::AddIOp::create(b, getLoc(), values[1], count)};
  })[0];
}

void TorchLayer::unpack(Value data, Value sizesOfSteps) {
  PatternRewriter &b = getRewriter();
  batchSizes = sizesOfSteps;
  rows = tensor::getMixedSize(b, getLoc(), data, 0);
  steps = tensor::getMixedSize(b, getLoc(), batchSizes, 0);
  batch = tensor::getMixedSize(b, getLoc(), inputH, 1);
  Type element = getElementTypeOrSelf(data.getType());
  TensorBuilder t(b, getLoc(), element);
  OpFoldResult zero = t.constant(0), one = t.constant(1), width = t.constant(sizes.input);
  input = forEachStep(t.zeros({steps, batch, width}, element),
                      [&](OpFoldResult step, OpFoldResult offset, OpFoldResult count, Value padded) {
                        Value part = t.slice(data, {offset, zero}, {count, width});
                        return t.insert(part, padded, {step, zero, zero}, {one, count, width});
                      });
  // The length of an example is the number of steps that have it.
  lengths = t.generic(
      2, {{batchSizes, {1}}}, {{t.zeros({batch}, b.getI32Type()), {0}}}, [&](const ElementBuilder &e, ValueRange s) {
        Value example =
            arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(), linalg::IndexOp::create(e.b, e.loc, /*dim=*/0));
        Value has = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sgt, s[0], example);
        Value one = arith::ExtUIOp::create(e.b, e.loc, e.b.getI32Type(), has);
        return SmallVector<Value>{arith::AddIOp::create(e.b, e.loc, s[1], one)};
      })[0];
}

Value TorchLayer::pack(Value output) {
  Type element = getElementTypeOrSelf(output.getType());
  TensorBuilder t(getRewriter(), getLoc(), element);
  OpFoldResult zero = t.constant(0), one = t.constant(1), width = t.constant(sizes.directions * sizes.projection);
  return forEachStep(t.empty({rows, width}, element),
                     [&](OpFoldResult step, OpFoldResult offset, OpFoldResult count, Value packed) {
                       Value part = t.slice(output, {step, zero, zero}, {one, count, width}, 1);
                       return t.insert(part, packed, {offset, zero}, {count, width});
                     });
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

void TorchLayer::convert() {
  SmallVector<StringRef> names =
      isPacked ? SmallVector<StringRef>{"data", "batch_sizes"} : SmallVector<StringRef>{"input"};
  names.append({"hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional"});
  if (!isPacked)
    names.push_back("batch_first");
  SmallVector<StringRef> resultNames = {"output", "h_n"};
  if (hasCell())
    resultNames.push_back("c_n");
  checkCounts(names, resultNames);
  unsigned next = isPacked ? 4 : 3;
  bool hasBiases = boolean(next, "has_biases");
  sizes.layers = integerOperand(next + 1, "num_layers");
  double dropout = numberOperand(next + 2, "dropout");
  bool isTraining = boolean(next + 3, "train");
  sizes.directions = boolean(next + 4, "bidirectional") ? 2 : 1;
  isBatchMajor = !isPacked && boolean(next + 5, "batch_first");
  Value data = isPacked ? tensor(0, "data", 2, "[rows, I]") : sequence(0, "input", "I");
  Value sizesOfSteps = isPacked ? integers(1, "batch_sizes", 64, 1, "a tensor of i64", "[T]") : Value();
  readStates(next - 2);
  readParams(next - 1, "params", hasBiases);
  if (hasFailed())
    return;
  int64_t width = cast<RankedTensorType>(data.getType()).getShape().back();
  if (!ShapedType::isDynamic(width) && width != sizes.input)
    return fail("expects the last dimension of `" + names.front() + "` to be " + Twine(sizes.input) +
                " (I, dim 1 of `params[0]`), but got " + Twine(width));
  if (isPacked)
    unpack(data, sizesOfSteps);
  else
    input = data;

  Value packed = packParams();
  if (!packed)
    return;
  bool drops = isTraining && dropout != 0 && sizes.layers > 1;
  SmallVector<NamedAttribute> attributes = layerAttributes(drops ? dropout : 0);
  attributes.push_back(getRewriter().getNamedAttr("is_training", getRewriter().getBoolAttr(drops)));
  auto op = create<CudnnForwardOp>({input, inputH, inputC, packed, lengths}, attributes);
  if (!op)
    return;
  Value output = op.getOutput();
  if (isPacked)
    output = getOperation()->getResult(0).use_empty() ? Value() : pack(output);
  SmallVector<Replacement> results = {{"output", output}, {"h_n", op.getOutputH()}};
  if (hasCell())
    results.push_back({"c_n", op.getOutputC()});
  replace(results);
}

//===----------------------------------------------------------------------===//
// Patterns and pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertLayer : public RewritePattern {
  ConvertLayer(StringRef name, PatternBenefit benefit, MLIRContext *context) : RewritePattern(name, benefit, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isModelledTorchOp(op))
      return rewriter.notifyMatchFailure(op, "no recurrent layer");
    Operation *before = op->getPrevNode();
    bool hasFailed;
    if (isCudnnRNN(op)) {
      hasFailed = failed(convertCudnnRNN(op, rewriter));
    } else {
      TorchLayer layer(op, rewriter);
      layer.convert();
      hasFailed = layer.hasFailed();
    }
    if (!hasFailed)
      return success();
    eraseCreated(before, op, rewriter);
    return rewriter.notifyMatchFailure(op, "invalid op, error reported");
  }
};

/// Reports other recurrent ops of PyTorch.
LogicalResult checkName(Operation *op) {
  StringRef name = getTorchName(op);
  if (isModelledTorchOp(op) || !name.consume_front("torch.aten."))
    return success();
  if (name.contains("_lstm_cell") || name.contains("_gru_cell") || name.starts_with("lstm_cell") ||
      name.starts_with("gru_cell") || name.starts_with("rnn_tanh_cell") || name.starts_with("rnn_relu_cell"))
    return success(); // torch-mlir decomposes cells
  bool resembles = name.contains("cudnn_rnn") || name.contains("miopen_rnn") || name.contains("mkldnn_rnn") ||
                   name.contains("quantized_lstm") || name.contains("quantized_gru");
  for (const ModelledOp &modelled : modelledOps)
    resembles |= name.split('.').first == modelled.name.drop_front(StringRef("torch.aten.").size());
  if (!resembles)
    return success();
  return op->emitOpError("calls 'aten::") << name
                                          << "', which convert-torch-to-rnn does not support; the supported ops are "
                                             "lstm, gru, rnn_tanh and rnn_relu with the overloads input and data, "
                                             "_cudnn_rnn and _cudnn_rnn_backward";
}

struct ConvertTorchToRNN : public rnn::impl::ConvertTorchToRNNPassBase<ConvertTorchToRNN> {
  using ConvertTorchToRNNPassBase::ConvertTorchToRNNPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool hasFailed = false, hasTorch = false;
    module.walk([&](Operation *op) {
      hasFailed |= failed(checkName(op));
      hasTorch |= op->getName().getStringRef().starts_with("torch") || isModelledTorchOp(op) ||
                  llvm::any_of(op->getOperandTypes(), isTorchType) || llvm::any_of(op->getResultTypes(), isTorchType);
    });
    if (hasFailed)
      return signalPassFailure();
    if (!hasTorch)
      return markAllAnalysesPreserved();
    if (failed(retypeTorchReserveSpaces(module)))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateTorchToRNNPatterns(patterns);
    if (convertFunctions)
      convertTorchLiterals(module);
    walkAndApplyPatterns(module, std::move(patterns));
    // The patterns have reported an error for every remaining op.
    module.walk([&](Operation *op) { hasFailed |= isModelledTorchOp(op); });
    if (hasFailed)
      return signalPassFailure();
    if (convertFunctions)
      convertTorchBoundaries(module);
  }
};
} // namespace

void rnn::populateTorchToRNNPatterns(RewritePatternSet &patterns, PatternBenefit benefit) {
  MLIRContext *context = patterns.getContext();
  for (StringRef name : {StringRef("torch.operator"), StringRef(cudnnForward), StringRef(cudnnBackward)})
    patterns.add(std::make_unique<ConvertLayer>(name, benefit, context));
  for (const ModelledOp &modelled : modelledOps)
    for (StringRef overload : {".input", ".data"})
      patterns.add(std::make_unique<ConvertLayer>((modelled.name + overload).str(), benefit, context));
}
