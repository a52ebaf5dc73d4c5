//===- TorchToRNN.cpp - the pass convert-torch-to-rnn and its patterns -------===//
//
// `aten::lstm` and its siblings are stacks of layers with the gate orders of cuDNN. torch-mlir has no ops for them, so
// they arrive as `torch.operator`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/TorchToRNN/TorchToRNN.h"
#include "../Common/StackParams.h"
#include "../Common/TorchOp.h"
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
  return getModelled(op, isPacked);
}

//===----------------------------------------------------------------------===//
// One layer op
//===----------------------------------------------------------------------===//

namespace {
class TorchLayer : public TorchOp {
public:
  TorchLayer(Operation *op, PatternRewriter &rewriter) : TorchOp(op, rewriter) {
    mode = getModelled(op, isPacked)->mode;
  }

  void convert();

private:
  bool hasCell() const { return mode == CellMode::Lstm; }
  int64_t numGates() const { return rnn_layout::numGates(getLayoutMode(mode)); }
  int64_t directions() const { return isBidirectional ? 2 : 1; }

  void readStates(unsigned index);
  void readParams(unsigned index);
  /// A parameter of exactly `shape`.
  Value param(size_t number, StringRef name, ArrayRef<int64_t> shape);
  /// The padded input [T, B, I] and the lengths of a packed one.
  void unpack(Value data, Value batchSizes);
  /// The packed rows of a padded output.
  Value pack(Value output);
  /// Calls `body` for every step with the offset of its rows and their number; carries one tensor.
  Value forEachStep(Value init,
                    function_ref<Value(OpFoldResult step, OpFoldResult offset, OpFoldResult rows, Value)> body);
  Value swap(Value value);

  CellMode mode;
  bool isPacked = false, isBidirectional = false, hasBiases = false;
  CudnnSizes sizes = {};
  Value input, inputH, inputC, lengths, batchSizes;
  OpFoldResult rows, steps, batch;
  SmallVector<Value> params;
  SmallVector<CellParams> cells;
};
} // namespace

Value TorchLayer::swap(Value value) {
  PatternRewriter &rewriter = getRewriter();
  SmallVector<OpFoldResult> dims = tensor::getMixedSizes(rewriter, getLoc(), value);
  std::swap(dims[0], dims[1]);
  Value init = tensor::EmptyOp::create(rewriter, getLoc(), dims, getElementTypeOrSelf(value.getType()));
  return linalg::TransposeOp::create(rewriter, getLoc(), value, init, ArrayRef<int64_t>{1, 0, 2}).getResult().front();
}

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

Value TorchLayer::param(size_t number, StringRef name, ArrayRef<int64_t> shape) {
  std::string label = ("params[" + Twine(number) + "]").str();
  Value value = tensor(params[number], label, shape.size(), name);
  if (!value)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() != shape) {
    std::string expected;
    llvm::raw_string_ostream stream(expected);
    llvm::interleave(shape, stream, "x");
    fail("expects `" + label + "` (" + name + ") to have the shape " + expected + ", but got " + toString(type));
    return Value();
  }
  return value;
}

void TorchLayer::readParams(unsigned index) {
  params = list(index, "params");
  if (hasFailed())
    return;
  int64_t pseudo = sizes.layers * directions(), perCell = hasBiases ? 4 : 2, count = params.size();
  bool isProjected = hasCell() && count == pseudo * (perCell + 1);
  if (count != pseudo * perCell && !isProjected)
    return fail("expects `params` to have " + Twine(pseudo * perCell) + " tensors (" + Twine(perCell) +
                " for each of " + Twine(pseudo) + " layers and directions), but got " + Twine(count));
  perCell += isProjected;
  // The sizes follow from the matrices of the first layer.
  Value w = tensor(params[0], "params[0]", 2, "[G*H, I]"), r = tensor(params[1], "params[1]", 2, "[G*H, P]");
  if (hasFailed())
    return;
  auto wType = cast<RankedTensorType>(w.getType()), rType = cast<RankedTensorType>(r.getType());
  if (!wType.hasStaticShape() || !rType.hasStaticShape() || wType.getDimSize(0) % numGates() != 0 ||
      wType.getDimSize(0) == 0)
    return fail("expects `params[0]` and `params[1]` to have static sizes with a multiple of " + Twine(numGates()) +
                " rows (the gates), but got " + toString(wType) + " and " + toString(rType));
  sizes.mode = mode, sizes.directions = directions();
  sizes.input = wType.getDimSize(1), sizes.hidden = wType.getDimSize(0) / numGates();
  sizes.projection = isProjected ? rType.getDimSize(1) : sizes.hidden;
  int64_t gates = numGates() * sizes.hidden;
  size_t next = 0;
  for (int64_t number = 0; number < pseudo; ++number) {
    int64_t columns = number < directions() ? sizes.input : directions() * sizes.projection;
    CellParams cell;
    cell.inputWeights = param(next++, "the input weights", {gates, columns});
    cell.recurrentWeights = param(next++, "the recurrent weights", {gates, sizes.projection});
    if (hasBiases) {
      cell.inputBias = param(next++, "the input bias", {gates});
      cell.recurrentBias = param(next++, "the recurrent bias", {gates});
    }
    if (isProjected)
      cell.projection = param(next++, "the projection", {sizes.projection, sizes.hidden});
    cells.push_back(cell);
  }
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
  OpFoldResult zero = t.constant(0), one = t.constant(1), width = t.constant(directions() * sizes.projection);
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
  hasBiases = boolean(next, "has_biases");
  sizes.layers = integerOperand(next + 1, "num_layers");
  double dropout = numberOperand(next + 2, "dropout");
  bool isTraining = boolean(next + 3, "train");
  isBidirectional = boolean(next + 4, "bidirectional");
  bool isBatchFirst = !isPacked && boolean(next + 5, "batch_first");
  if (!hasFailed() && sizes.layers < 1)
    fail("expects `num_layers` to be at least 1, but got " + Twine(sizes.layers));
  Value data =
      isPacked ? tensor(0, "data", 2, "[rows, I]") : tensor(0, "input", 3, isBatchFirst ? "[B, T, I]" : "[T, B, I]");
  Value sizesOfSteps = isPacked ? integers(1, "batch_sizes", 64, 1, "a tensor of i64", "[T]") : Value();
  readStates(next - 2);
  readParams(next - 1);
  if (hasFailed())
    return;
  if (isPacked)
    unpack(data, sizesOfSteps);
  else
    input = isBatchFirst ? swap(data) : data;

  PatternRewriter &b = getRewriter();
  SmallVector<int64_t> blocks = llvm::to_vector(llvm::seq<int64_t>(0, numGates()));
  Value packed = packStackParams(*this, sizes, cells, blocks);
  if (!packed)
    return;
  Direction direction = isBidirectional ? Direction::Bidirectional : Direction::Unidirectional;
  bool drops = isTraining && dropout != 0 && sizes.layers > 1;
  auto op = create<CudnnForwardOp>(
      {input, inputH, inputC, packed, lengths},
      {b.getNamedAttr("mode", CellModeAttr::get(b.getContext(), mode)),
       b.getNamedAttr("direction", DirectionAttr::get(b.getContext(), direction)),
       b.getNamedAttr("dropout", b.getF64FloatAttr(drops ? dropout : 0)),
       b.getNamedAttr("num_proj", b.getI64IntegerAttr(sizes.projection == sizes.hidden ? 0 : sizes.projection)),
       b.getNamedAttr("is_training", b.getBoolAttr(drops))},
      isBatchFirst ? "sizes are those of the time-major form: batch_first swaps the first two dimensions of `input`"
                   : "");
  if (!op)
    return;
  Value output = op.getOutput();
  if (!getOperation()->getResult(0).use_empty())
    output = isPacked ? pack(output) : isBatchFirst ? swap(output) : output;
  else if (isPacked || isBatchFirst)
    output = Value();
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
    TorchLayer layer(op, rewriter);
    layer.convert();
    if (!layer.hasFailed())
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
                                             "lstm, gru, rnn_tanh and rnn_relu with the overloads input and data";
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
  patterns.add(std::make_unique<ConvertLayer>("torch.operator", benefit, context));
  for (const ModelledOp &modelled : modelledOps)
    for (StringRef overload : {".input", ".data"})
      patterns.add(std::make_unique<ConvertLayer>((modelled.name + overload).str(), benefit, context));
}
