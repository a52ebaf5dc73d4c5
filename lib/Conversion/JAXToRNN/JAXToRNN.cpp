//===- JAXToRNN.cpp - the pass convert-jax-to-rnn and its patterns -----------===//
//
// `jax.experimental.rnn.lstm` is a custom call with a descriptor of its sizes. The calls are read by name, so that the
// StableHLO dialect need not be linked.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/JAXToRNN/JAXToRNN.h"
#include "../Common/ImportedOp.h"
#include "../Common/ReserveSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNN/Transforms/TensorBuilder.h"
#include "llvm/Support/Endian.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTJAXTORNNPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
/// A call target: `_ffi` and its older form without, of cuDNN and of MIOpen.
struct Target {
  bool isBackward = false, isMIOpen = false;
};
} // namespace

static constexpr StringLiteral callNames[] = {"stablehlo.custom_call", "mhlo.custom_call"};
static constexpr StringLiteral targetNames[] = {"cudnn_rnn",  "cudnn_rnn_bwd",  "cudnn_rnn_ffi",  "cudnn_rnn_bwd_ffi",
                                                "hipdnn_rnn", "hipdnn_rnn_bwd", "hipdnn_rnn_ffi", "hipdnn_rnn_bwd_ffi"};

/// The target of a custom call, or empty.
static StringRef getTargetName(Operation *op) {
  if (!llvm::is_contained(callNames, op->getName().getStringRef()))
    return "";
  Attribute target = getAttributeOrProperty(op, "call_target_name");
  if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(target))
    return symbol.getValue();
  auto text = dyn_cast_or_null<StringAttr>(target);
  return text ? text.getValue() : "";
}

static std::optional<Target> getTarget(Operation *op) {
  StringRef name = getTargetName(op);
  if (!llvm::is_contained(targetNames, name))
    return std::nullopt;
  return Target{name.contains("_bwd"), name.starts_with("hipdnn")};
}

bool rnn::isModelledJAXCall(Operation *op) {
  return getTarget(op).has_value();
}

static constexpr int64_t maxMIOpenLayers = 1024;

/// Operands and results of the calls.
static constexpr unsigned reserveResult = 4, reserveOperand = 8;

static std::optional<unsigned> getReserveResult(Operation *op) {
  std::optional<Target> target = getTarget(op);
  return target && !target->isBackward && op->getNumResults() > reserveResult ? std::optional<unsigned>(reserveResult)
                                                                              : std::nullopt;
}

static std::optional<unsigned> getReserveOperand(Operation *op) {
  std::optional<Target> target = getTarget(op);
  return target && target->isBackward && op->getNumOperands() > reserveOperand ? std::optional<unsigned>(reserveOperand)
                                                                               : std::nullopt;
}

LogicalResult rnn::retypeJAXReserveSpaces(ModuleOp module) {
  return retypeReserveSpaces(module, {getReserveResult, getReserveOperand, [](Operation *) { return true; },
                                      "stablehlo.optimization_barrier", "convert-jax-to-rnn"});
}

//===----------------------------------------------------------------------===//
// One call
//===----------------------------------------------------------------------===//

namespace {
/// The descriptor in `opaque`, in the order of its bytes.
struct Descriptor {
  static constexpr size_t bytes = 48;
  int64_t input, hidden, layers, batch, steps;
  float dropout;
  bool isBidirectional;
};

class JAXCall : public ImportedOp {
public:
  JAXCall(Operation *op, PatternRewriter &rewriter) : ImportedOp(op, rewriter), target(*getTarget(op)) {}

  void convert();

private:
  void checkAttributes();
  void readDescriptor();
  /// Operand `index` as a tensor of exactly `shape`; `text` is the shape in messages, such as "[B, T, I]".
  Value sized(unsigned index, StringRef name, ArrayRef<int64_t> shape, StringRef text);
  Value sequence(unsigned index, StringRef name, int64_t width, StringRef text) {
    return sized(index, name, {sizes.batch, sizes.steps, width}, text);
  }
  Value state(unsigned index, StringRef name) {
    return sized(index, name, {sizes.layers * directions(), sizes.batch, sizes.hidden}, "[L*D, B, H]");
  }
  Value params(unsigned index, StringRef name);
  Value reserve(unsigned index) { return integers(index, "reserve_space", 8, 1, "bytes (tensor<?xi8>)", "bytes"); }
  void convertForward();
  void convertBackward();
  /// Exchanges the gates of every matrix and bias between the orders of cuDNN (i f g o) and MIOpen (i f o g).
  Value exchangeGates(Value params);
  int64_t directions() const { return sizes.isBidirectional ? 2 : 1; }
  int64_t width() const { return directions() * sizes.hidden; }
  CudnnSizes stackSizes() const {
    return {CellMode::Lstm, false, directions(), sizes.layers, sizes.input, sizes.hidden, sizes.hidden};
  }
  SmallVector<NamedAttribute> layerAttributes() const;

  Target target;
  Descriptor sizes = {};
};
} // namespace

void JAXCall::checkAttributes() {
  static constexpr StringLiteral known[] = {"call_target_name",    "has_side_effect",      "backend_config",
                                            "api_version",         "operand_layouts",      "result_layouts",
                                            "called_computations", "custom_call_schedule", "output_operand_aliases"};
  for (NamedAttribute attribute : attributes)
    if (StringRef name = attribute.getName(); !llvm::is_contained(known, name) && !name.contains('.'))
      return fail("has an unknown attribute `" + name + "`; it may come from a newer version of StableHLO");
  for (StringRef name : {"operand_layouts", "result_layouts"}) {
    auto layouts = attribute<ArrayAttr>(name, "an array");
    for (Attribute layout : layouts ? layouts.getValue() : ArrayRef<Attribute>()) {
      auto order = dyn_cast<DenseIntElementsAttr>(layout);
      int64_t next = order ? order.getNumElements() : 0;
      if (!order || llvm::any_of(order.getValues<APInt>(), [&](const APInt &dim) { return dim != --next; }))
        return fail("expects the layouts of attribute `" + name + "` to be row-major, but got " + toString(layout));
    }
  }
}

void JAXCall::readDescriptor() {
  Attribute config = get("backend_config");
  if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(config))
    config = dictionary.get("opaque");
  auto opaque = dyn_cast_or_null<StringAttr>(config);
  if (!opaque)
    return fail(
        "requires the descriptor of the layer in attribute `backend_config` (a string, or a dictionary with the "
        "string `opaque`), but got " +
        (get("backend_config") ? toString(get("backend_config")) : "nothing"));
  StringRef bytes = opaque.getValue();
  if (bytes.size() != Descriptor::bytes)
    return fail("expects the descriptor in `backend_config` to have " + Twine(Descriptor::bytes) + " bytes, but got " +
                Twine(bytes.size()) + "; export the module with jaxlib 0.10");
  auto word = [&](unsigned index) { return llvm::support::endian::read32le(bytes.data() + 4 * index); };
  int64_t *fields[] = {&sizes.input, &sizes.hidden, &sizes.layers, &sizes.batch, &sizes.steps};
  static constexpr StringLiteral names[] = {"input size", "hidden size", "number of layers", "batch size",
                                            "number of steps"};
  for (auto [index, field] : llvm::enumerate(fields)) {
    *field = static_cast<int32_t>(word(index));
    if (*field < 1)
      return fail("expects the " + names[index] + " of the descriptor in `backend_config` to be positive, but got " +
                  Twine(*field));
  }
  sizes.dropout = llvm::bit_cast<float>(word(5));
  sizes.isBidirectional = word(6) != 0;
  // MIOpen's order of gates differs. The conversion emits ops for each layer to reorder its weights, so that a
  // descriptor with billions of layers would not end.
  if (target.isMIOpen && sizes.layers > maxMIOpenLayers)
    fail("expects the number of layers of the descriptor in `backend_config` to be at most " + Twine(maxMIOpenLayers) +
         " for MIOpen, but got " + Twine(sizes.layers));
}

Value JAXCall::sized(unsigned index, StringRef name, ArrayRef<int64_t> shape, StringRef text) {
  Value value = tensor(index, name, shape.size(), text);
  if (!value)
    return value;
  for (auto [dim, expected, actual] : llvm::enumerate(shape, cast<RankedTensorType>(value.getType()).getShape()))
    if (!ShapedType::isDynamic(actual) && actual != expected) {
      fail("expects dim " + Twine(dim) + " of `" + name + "` " + text + " to be " + Twine(expected) +
           " as in the descriptor of `backend_config`, but got " + Twine(actual));
      return Value();
    }
  return value;
}

Value JAXCall::params(unsigned index, StringRef name) {
  std::optional<int64_t> count = getDenseParamsSize(stackSizes());
  if (!count) {
    fail("has more parameters than 64 bits can count");
    return Value();
  }
  return sized(index, name, {*count}, "[all parameters]");
}

Value JAXCall::exchangeGates(Value params) {
  TensorBuilder t(getRewriter(), getLoc(), getElementTypeOrSelf(params.getType()));
  Value result = params;
  int64_t offset = 0, columns = 0;
  // Every tensor has four gates, and the last two of them are exchanged.
  auto exchange = [&](int64_t gate) {
    auto at = [&](int64_t index) { return SmallVector<OpFoldResult>{t.constant(offset + index * gate)}; };
    OpFoldResult size = t.constant(gate);
    result = t.insert(t.slice(params, at(3), size), result, at(2), size);
    result = t.insert(t.slice(params, at(2), size), result, at(3), size);
    offset += 4 * gate;
  };
  int64_t cells = sizes.layers * directions();
  for (int64_t cell = 0; cell < cells; ++cell) {
    columns = cell < directions() ? sizes.input : width();
    exchange(sizes.hidden * columns);
    exchange(sizes.hidden * sizes.hidden);
  }
  for (int64_t bias = 0; bias < 2 * cells; ++bias)
    exchange(sizes.hidden);
  return result;
}

SmallVector<NamedAttribute> JAXCall::layerAttributes() const {
  PatternRewriter &b = getRewriter();
  Direction direction = sizes.isBidirectional ? Direction::Bidirectional : Direction::Unidirectional;
  return {b.getNamedAttr("mode", CellModeAttr::get(b.getContext(), CellMode::Lstm)),
          b.getNamedAttr("direction", DirectionAttr::get(b.getContext(), direction)),
          b.getNamedAttr("dropout", b.getF64FloatAttr(sizes.dropout)), b.getNamedAttr("batch_major", b.getUnitAttr())};
}

void JAXCall::convertForward() {
  checkCounts({"input", "h_0", "c_0", "weights", "seq_lengths"},
              {"output", "h_n", "c_n", "workspace", "reserve_space"});
  SmallVector<Value> values = {sequence(0, "input", sizes.input, "[B, T, I]"), state(1, "h_0"), state(2, "c_0"),
                               params(3, "weights"), lengths(4, "seq_lengths")};
  if (hasFailed())
    return;
  if (target.isMIOpen)
    values[3] = exchangeGates(values[3]);
  auto op = create<CudnnForwardOp>(values, layerAttributes());
  if (!op)
    return;
  replace({{"output", op.getOutput()},
           {"h_n", op.getOutputH()},
           {"c_n", op.getOutputC()},
           {"workspace", Value()},
           {"reserve_space", op.getReserveSpace()}});
}

/// Returns true for a constant of StableHLO or arith with zeros only.
static bool isZero(Value value) {
  Operation *constant = value.getDefiningOp();
  auto elements =
      constant ? dyn_cast_or_null<DenseElementsAttr>(getAttributeOrProperty(constant, "value")) : DenseElementsAttr();
  if (!elements || !elements.isSplat() || !isa<FloatType>(elements.getElementType()))
    return false;
  return elements.getSplatValue<APFloat>().isPosZero();
}

void JAXCall::convertBackward() {
  checkCounts({"dy", "dh_n", "dc_n", "x", "h_0", "c_0", "w", "y", "reserve_space", "zeroed_dw", "seq_lengths"},
              {"dx", "dh_0", "dc_0", "dw", "workspace"});
  Value dy = sequence(0, "dy", width(), "[B, T, D*H]"), dhn = state(1, "dh_n"), dcn = state(2, "dc_n");
  Value x = sequence(3, "x", sizes.input, "[B, T, I]"), h0 = state(4, "h_0"), c0 = state(5, "c_0");
  Value w = params(6, "w"), y = sequence(7, "y", width(), "[B, T, D*H]"), saved = reserve(8);
  Value accumulated = params(9, "zeroed_dw"), steps = lengths(10, "seq_lengths");
  if (hasFailed())
    return;
  if (target.isMIOpen)
    w = exchangeGates(w);
  // JAX does not save the final states. No lowering reads their values, only their sizes, which are those of the
  // initial states.
  auto op = create<CudnnBackpropOp>({x, h0, c0, w, steps, y, h0, c0, dy, dhn, dcn, saved}, layerAttributes());
  if (!op)
    return;
  Value dw = op.getParamsBackprop();
  if (target.isMIOpen)
    dw = exchangeGates(dw);
  // The library adds to the operand that result 3 aliases.
  if (!isZero(accumulated) && !getOperation()->getResult(3).use_empty()) {
    if (dw.getType() != accumulated.getType())
      dw = tensor::CastOp::create(getRewriter(), getLoc(), accumulated.getType(), dw);
    dw = arith::AddFOp::create(getRewriter(), getLoc(), accumulated, dw);
  }
  replace({{"dx", op.getInputBackprop()},
           {"dh_0", op.getInputHBackprop()},
           {"dc_0", op.getInputCBackprop()},
           {"dw", dw},
           {"workspace", Value()}});
}

void JAXCall::convert() {
  checkAttributes();
  if (!hasFailed())
    readDescriptor();
  if (hasFailed())
    return;
  if (target.isBackward)
    convertBackward();
  else
    convertForward();
}

//===----------------------------------------------------------------------===//
// Patterns and pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertCustomCall : public RewritePattern {
  ConvertCustomCall(StringRef name, PatternBenefit benefit, MLIRContext *context)
      : RewritePattern(name, benefit, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isModelledJAXCall(op))
      return rewriter.notifyMatchFailure(op, "no call of cuDNN's or MIOpen's recurrent layers");
    Operation *before = op->getPrevNode();
    JAXCall call(op, rewriter);
    call.convert();
    if (!call.hasFailed())
      return success();
    eraseCreated(before, op, rewriter);
    return rewriter.notifyMatchFailure(op, "invalid call, error reported");
  }
};

/// Reports a call whose target resembles the modelled ones but is none of them.
LogicalResult checkName(Operation *op) {
  StringRef name = getTargetName(op);
  if (!(name.starts_with("cudnn_rnn") || name.starts_with("hipdnn_rnn") || name.starts_with("miopen_rnn")) ||
      isModelledJAXCall(op))
    return success();
  InFlightDiagnostic diag = op->emitOpError("calls '")
                            << name << "', which convert-jax-to-rnn does not support; the supported targets are ";
  llvm::interleaveComma(targetNames, diag);
  return diag;
}

struct ConvertJAXToRNN : public rnn::impl::ConvertJAXToRNNPassBase<ConvertJAXToRNN> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool hasFailed = false, hasCalls = false;
    module.walk([&](Operation *op) {
      hasFailed |= failed(checkName(op));
      hasCalls |= isModelledJAXCall(op);
    });
    if (hasFailed)
      return signalPassFailure();
    if (!hasCalls)
      return markAllAnalysesPreserved();
    // The driver skips unreachable blocks. Erase them, so that no call remains there.
    IRRewriter rewriter(&getContext());
    (void)eraseUnreachableBlocks(rewriter, module->getRegions());
    if (failed(retypeJAXReserveSpaces(module)))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateJAXToRNNPatterns(patterns);
    walkAndApplyPatterns(module, std::move(patterns));
    // The patterns have reported an error for every remaining call.
    module.walk([&](Operation *op) { hasFailed |= isModelledJAXCall(op); });
    if (hasFailed)
      signalPassFailure();
  }
};
} // namespace

void rnn::populateJAXToRNNPatterns(RewritePatternSet &patterns, PatternBenefit benefit) {
  for (StringRef name : callNames)
    patterns.add(std::make_unique<ConvertCustomCall>(name, benefit, patterns.getContext()));
}
