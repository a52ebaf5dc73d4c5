//===- ONNXLayer.cpp - recurrent layers of ONNX as layer ops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ONNXLayer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::onnx;

static constexpr StringLiteral torchPrefix = "torch.onnx.";

std::optional<LayerKind> onnx::getLayerKind(Operation *op) {
  return llvm::StringSwitch<std::optional<LayerKind>>(getTorchName(op))
      .Case("onnx.LSTM", LayerKind::LSTM)
      .Case("onnx.GRU", LayerKind::GRU)
      .Case("onnx.RNN", LayerKind::RNN)
      .Default(std::nullopt);
}

ONNXLayer::ONNXLayer(Operation *op, PatternRewriter &rewriter) : TorchOp(op, rewriter), kind(*getLayerKind(op)) {
  // The attributes of a torch.operator have a prefix.
  NamedAttrList stripped;
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName();
    if (op->getName().getStringRef() == "torch.operator" && name == "name")
      continue;
    name.consume_front(torchPrefix);
    stripped.set(name, attribute.getValue());
  }
  attributes = stripped.getDictionary(op->getContext());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void ONNXLayer::readActivations() {
  SmallVector<Activation> defaults = {Activation::Sigmoid, Activation::Tanh, Activation::Tanh};
  if (kind == LayerKind::RNN)
    defaults = {Activation::Tanh};
  defaults.resize(numActivations(), Activation::Tanh);
  for (int64_t index = 0; index < directions(); ++index)
    activations.append(defaults);
  auto names = attribute<ArrayAttr>("activations", "a list of strings");
  if (!names || names.empty())
    return;
  // ONNX declares two values as the default of RNN, also for one direction.
  if (names.size() < activations.size() || (kind != LayerKind::RNN && names.size() != activations.size()))
    return fail("expects attribute `activations` to have " + Twine(activations.size()) + " strings (" +
                Twine(numActivations()) + " for each direction), but got " + Twine(names.size()));
  for (size_t index = 0; index < activations.size(); ++index) {
    auto name = dyn_cast<StringAttr>(names[index]);
    std::string lower = name ? name.getValue().lower() : "";
    if (lower != "sigmoid" && lower != "tanh" && lower != "relu")
      return fail("has the activation " + toString(names[index]) +
                  ", which has no counterpart in the rnn dialect; the supported ones are Sigmoid, Tanh and Relu");
    activations[index] = lower == "sigmoid" ? Activation::Sigmoid
                         : lower == "tanh"  ? Activation::Tanh
                                            : Activation::Relu;
  }
}

void ONNXLayer::readAttributes() {
  SmallVector<StringRef> known = {"hidden_size",      "direction",       "layout",         "clip",      "activations",
                                  "activation_alpha", "activation_beta", "onnx_node_name", "doc_string"};
  if (isLSTM())
    known.push_back("input_forget");
  if (kind == LayerKind::GRU)
    known.push_back("linear_before_reset");
  for (NamedAttribute attribute : attributes)
    if (StringRef name = attribute.getName(); !llvm::is_contained(known, name) && !name.contains('.'))
      return fail("has an unknown attribute `" + name + "`; the import reads the ops of opset 7 to 22");
  if (StringAttr text = stringAttr("direction"))
    direction = text.getValue().lower();
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return fail("expects attribute `direction` to be one of \"forward\", \"reverse\", \"bidirectional\", but got \"" +
                direction + "\"");
  int64_t layout = integer("layout", 0);
  if (layout != 0 && layout != 1)
    return fail("expects attribute `layout` to be 0 or 1, but got " + Twine(layout));
  isBatchFirst = layout == 1;
  couplesForget = isLSTM() && integer("input_forget", 0) != 0;
  resetsAfter = kind == LayerKind::GRU && integer("linear_before_reset", 0) != 0;
  clip = number("clip", 0);
  if (!(clip >= 0))
    return fail("expects attribute `clip` to be positive, but got " + toString(get("clip")));
  readActivations();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value ONNXLayer::weights(unsigned index, StringRef name, ArrayRef<int64_t> shape, StringRef text) {
  Value value = operand(index) ? tensor(index, name, shape.size(), text) : Value();
  if (value && cast<RankedTensorType>(value.getType()).getShape() != shape) {
    std::string expected;
    llvm::raw_string_ostream stream(expected);
    llvm::interleave(shape, stream, "x");
    fail("expects `" + name + "` " + text + " to be " + expected + ", but got " + toString(value.getType()));
  }
  return value;
}

bool ONNXLayer::checkSizes(Value value, StringRef name, StringRef text, ArrayRef<int64_t> expected) {
  for (auto [dim, size, actual] : llvm::enumerate(expected, cast<RankedTensorType>(value.getType()).getShape()))
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(actual) && size != actual) {
      fail("expects dim " + Twine(dim) + " of `" + name + "` " + text + " to be " + Twine(size) + ", but got " +
           toString(value.getType()));
      return false;
    }
  return true;
}

Value ONNXLayer::state(unsigned index, StringRef name) {
  TensorBuilder t = builder();
  if (!operand(index))
    return hasFailed() ? Value() : t.zeros({t.constant(directions()), B, t.constant(H)}, element);
  StringRef text = isBatchFirst ? "[B, D, H]" : "[D, B, H]";
  Value value = tensor(index, name, 3, text);
  int64_t batch = cast<RankedTensorType>(x.getType()).getDimSize(1 - timeDim());
  std::array<int64_t, 3> expected = {directions(), batch, H};
  if (isBatchFirst)
    std::swap(expected[0], expected[1]);
  if (!value || !checkSizes(value, name, text, expected))
    return Value();
  return isBatchFirst ? transpose(value, {1, 0, 2}) : value;
}

void ONNXLayer::readOperands() {
  SmallVector<StringRef> names = {"X", "W", "R", "B", "sequence_lens", "initial_h"};
  if (isLSTM())
    names.append({"initial_c", "P"});
  if (getNumOperands() < 3 || getNumOperands() > names.size())
    return fail("expects 3 to " + Twine(names.size()) + " operands, but got " + Twine(getNumOperands()));
  if (unsigned most = isLSTM() ? 3 : 2; getOperation()->getNumResults() > most)
    return fail("expects at most " + Twine(most) + " results, but got " + Twine(getOperation()->getNumResults()));
  int64_t D = directions();
  x = tensor(0, "X", 3, isBatchFirst ? "[B, T, I]" : "[T, B, I]");
  w = tensor(1, "W", 3, "[D, G*H, I]");
  r = tensor(2, "R", 3, "[D, G*H, H]");
  if (hasFailed())
    return;
  auto wType = cast<RankedTensorType>(w.getType()), rType = cast<RankedTensorType>(r.getType());
  if (!wType.hasStaticShape() || !rType.hasStaticShape())
    return fail("expects `W` and `R` to have static sizes, but got " + toString(wType) + " and " + toString(rType));
  I = wType.getDimSize(2), H = rType.getDimSize(2);
  if (int64_t size = integer("hidden_size", H); size != H)
    return fail("expects attribute `hidden_size` to be " + Twine(H) + ", the last dimension of `R`, but got " +
                Twine(size));
  auto xType = cast<RankedTensorType>(x.getType());
  if (H < 1 || I < 1 || llvm::is_contained(xType.getShape(), 0))
    return fail("expects the sizes of `X` and `R` to be at least 1, but got " + toString(xType) + " and " +
                toString(rType));
  // No product of sizes below overflows.
  if (H > std::numeric_limits<int32_t>::max())
    return fail("expects the last dimension of `R` to be less than 2^31, but got " + Twine(H));
  int64_t rows = numGates() * H, any = ShapedType::kDynamic;
  (void)weights(1, "W", {D, rows, I}, "[D, G*H, I]");
  (void)weights(2, "R", {D, rows, H}, "[D, G*H, H]");
  StringRef layout = isBatchFirst ? "[B, T, I]" : "[T, B, I]";
  if (hasFailed() || !checkSizes(x, "X", layout, {any, any, I}))
    return;
  b = weights(3, "B", {D, 2 * rows}, "[D, 2*G*H]");
  p = isLSTM() ? weights(7, "P", {D, 3 * H}, "[D, 3*H]") : Value();
  lengths = operand(4) ? this->ImportedOp::lengths(4, "sequence_lens") : Value();
  if (hasFailed() || (lengths && !checkSizes(lengths, "sequence_lens", "[B]", {xType.getDimSize(1 - timeDim())})))
    return;
  element = getElementTypeOrSelf(x.getType());
  compute = element.isF64() ? element : Type(getRewriter().getF32Type());
  T = tensor::getMixedSize(getRewriter(), getLoc(), x, timeDim());
  B = tensor::getMixedSize(getRewriter(), getLoc(), x, 1 - timeDim());
  h0 = state(5, "initial_h");
  c0 = isLSTM() ? state(6, "initial_c") : Value();
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

std::optional<CellMode> ONNXLayer::getMode() const {
  if (clip != 0 || p || couplesForget)
    return std::nullopt;
  auto isDefault = [&](ArrayRef<Activation> expected) {
    return llvm::all_of(llvm::enumerate(activations),
                        [&](auto entry) { return entry.value() == expected[entry.index() % expected.size()]; });
  };
  if (isLSTM() && isDefault({Activation::Sigmoid, Activation::Tanh, Activation::Tanh}))
    return CellMode::Lstm;
  if (kind == LayerKind::GRU && resetsAfter && isDefault({Activation::Sigmoid, Activation::Tanh}))
    return CellMode::Gru;
  if (kind == LayerKind::RNN && isDefault({Activation::Tanh}))
    return CellMode::RnnTanh;
  if (kind == LayerKind::RNN && isDefault({Activation::Relu}))
    return CellMode::RnnRelu;
  return std::nullopt;
}

Value ONNXLayer::transpose(Value value, ArrayRef<int64_t> permutation) {
  SmallVector<OpFoldResult> from = tensor::getMixedSizes(getRewriter(), getLoc(), value), sizes;
  for (int64_t dim : permutation)
    sizes.push_back(from[dim]);
  Value init = tensor::EmptyOp::create(getRewriter(), getLoc(), sizes, getElementTypeOrSelf(value.getType()));
  return linalg::TransposeOp::create(getRewriter(), getLoc(), value, init, permutation).getResult().front();
}

Value ONNXLayer::reverse(Value rows) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(getRewriter(), getLoc(), rows);
  // No input is read at the place of the loops.
  TensorBuilder t(getRewriter(), getLoc(), element);
  SmallVector<TensorBuilder::Operand> inputs;
  if (lengths)
    inputs.push_back({lengths, {1 - timeDim()}});
  Value last = t.value(sizes[timeDim()]);
  return t.generic(3, inputs, {{t.empty(sizes, element), {0, 1, 2}}}, [&](const ElementBuilder &e, ValueRange s) {
    auto index = [&](unsigned loop) -> Value { return linalg::IndexOp::create(e.b, e.loc, loop); };
    Value count = lengths ? arith::IndexCastOp::create(e.b, e.loc, e.b.getIndexType(), s[0]).getResult() : last;
    Value one = arith::ConstantIndexOp::create(e.b, e.loc, 1), step = index(timeDim());
    // Lengths are checked when the layer runs; here they must not access other memory.
    count = arith::MinSIOp::create(e.b, e.loc, count, last);
    Value back = arith::SubIOp::create(e.b, e.loc, arith::SubIOp::create(e.b, e.loc, count, one), step);
    Value isValid = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, step, count);
    Value from = arith::SelectOp::create(e.b, e.loc, isValid, back, step);
    SmallVector<Value> position = {index(0), index(1), index(2)};
    position[timeDim()] = from;
    Value value = tensor::ExtractOp::create(e.b, e.loc, rows, position);
    return SmallVector<Value>{value};
  })[0];
}

ONNXLayer::Outputs ONNXLayer::convertToOp(CellMode mode) {
  PatternRewriter &rewriter = getRewriter();
  CudnnSizes sizes = {mode, false, directions(), 1, I, H, H};
  SmallVector<CellParams> cells;
  for (int64_t index = 0; index < directions(); ++index) {
    CellParams cell;
    cell.inputWeights = selectFirst(rewriter, getLoc(), w, index);
    cell.recurrentWeights = selectFirst(rewriter, getLoc(), r, index);
    if (b) {
      Value biases = selectFirst(rewriter, getLoc(), b, index);
      cell.inputBias = sliceRows(rewriter, getLoc(), biases, 0, numGates() * H);
      cell.recurrentBias = sliceRows(rewriter, getLoc(), biases, numGates() * H, numGates() * H);
    }
    cells.push_back(cell);
  }
  // ONNX's orders are i o f c and z r h; those of the op are i f g o and r z n.
  SmallVector<int64_t> blocks = isLSTM()                 ? SmallVector<int64_t>{0, 2, 3, 1}
                                : kind == LayerKind::GRU ? SmallVector<int64_t>{1, 0, 2}
                                                         : SmallVector<int64_t>{0};
  Value packed = packStackParams(*this, sizes, cells, blocks);
  if (!packed)
    return {};
  bool isReversed = direction == "reverse";
  Direction both = directions() == 2 ? Direction::Bidirectional : Direction::Unidirectional;
  SmallVector<NamedAttribute> attributes = {
      rewriter.getNamedAttr("mode", CellModeAttr::get(rewriter.getContext(), mode)),
      rewriter.getNamedAttr("direction", DirectionAttr::get(rewriter.getContext(), both)),
      rewriter.getNamedAttr("is_training", rewriter.getBoolAttr(false))};
  if (isBatchFirst)
    attributes.push_back(rewriter.getNamedAttr("batch_major", rewriter.getUnitAttr()));
  auto op = create<CudnnForwardOp>(
      {isReversed ? reverse(x) : x, h0, c0, packed, lengths}, attributes,
      isBatchFirst ? "sizes of states are those of layout 0: layout 1 swaps the first two dimensions" : "");
  if (!op)
    return {};
  TensorBuilder t = builder();
  Value y = isReversed ? reverse(op.getOutput()) : op.getOutput();
  Size D = t.constant(directions()), width = t.constant(H), first = T, second = B;
  if (isBatchFirst)
    std::swap(first, second);
  y = t.withSizes(y, {first, second, t.constant(directions() * H)});
  Value split = tensor::ExpandShapeOp::create(rewriter, getLoc(), t.typeOf({first, second, D, width}, element), y,
                                              ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}},
                                              ArrayRef<OpFoldResult>{first, second, D, width});
  return {isBatchFirst ? split : transpose(split, {0, 2, 1, 3}), op.getOutputH(), op.getOutputC()};
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

void ONNXLayer::checkTypes() {
  static constexpr StringLiteral remedy = " has type '!torch.none', because the file lacks its shape; run "
                                          "onnx.shape_inference.infer_shapes before the import";
  auto isUnknown = [](Value value) { return toString(value.getType()) == "'!torch.none'"; };
  for (auto [index, value] : llvm::enumerate(getOperation()->getOperands()))
    // An absent operand is a constant of this type.
    if (Operation *source = value.getDefiningOp();
        source && isUnknown(value) && getTorchName(source).starts_with("onnx."))
      return fail("operand " + Twine(index) + remedy);
  for (OpResult result : getOperation()->getResults())
    if (!result.use_empty() && isUnknown(result))
      return fail("result " + Twine(result.getResultNumber()) + remedy);
}

void ONNXLayer::convert() {
  checkTypes();
  if (!hasFailed())
    readAttributes();
  if (!hasFailed())
    readOperands();
  if (hasFailed())
    return;
  std::optional<CellMode> mode = getMode();
  Outputs outputs = mode ? convertToOp(*mode) : convertToLoops();
  if (hasFailed())
    return;
  static constexpr StringLiteral names[] = {"Y", "Y_h", "Y_c"};
  SmallVector<Replacement> results;
  for (OpResult result : getOperation()->getResults()) {
    unsigned index = result.getResultNumber();
    Value value = index == 0 ? outputs.y : index == 1 ? outputs.h : outputs.c;
    if (result.use_empty())
      value = Value();
    else if (isBatchFirst && index > 0)
      value = transpose(value, {1, 0, 2});
    results.push_back({names[index], value});
  }
  replace(results);
}
