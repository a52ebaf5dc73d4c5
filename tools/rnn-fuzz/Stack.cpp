//===- Stack.cpp - random stacks of cudnn layers ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "Shapes.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir::rnn::fuzz;

namespace {

/// The attributes and sizes of a stack.
struct StackConfig {
  std::string mode, element;
  int64_t T, B, I, H, P, L, D;
  bool skip, autoSelect, isProjected;

  StackConfig(Random &random, llvm::StringRef elementType) : element(elementType) {
    static const std::string modes[] = {"lstm", "gru", "rnn_tanh", "rnn_relu"};
    mode = random.pick<std::string>(modes);
    T = random.between(1, 5), B = drawSize(random, 1, 9), I = drawSize(random, 1, 33), H = drawSize(random, 1, 33);
    L = random.between(1, 3), D = random.between(1, 2);
    skip = random.percent(15);
    if (skip)
      I = H;
    isProjected = mode == "lstm" && H > 1 && !skip && random.percent(30);
    P = isProjected ? random.between(1, H - 1) : H;
    autoSelect = !isProjected && random.percent(10);
    skip |= autoSelect && I == H;
  }

  int64_t gates() const { return mode == "lstm" ? 4 : mode == "gru" ? 3 : 1; }
  bool hasCell() const { return mode == "lstm"; }
  /// The keywords after the op name. `variant` has another mode if there is one with the same operands.
  std::string keywords(bool variant) const {
    std::string text = variant && mode == "rnn_relu" ? "rnn_tanh" : mode;
    text += D == 2 ? ", bidirectional" : "";
    return text + (autoSelect ? ", auto_select" : skip ? ", skip_input" : "");
  }
  /// The canonical shapes of all matrices.
  std::vector<std::pair<int64_t, int64_t>> matrices() const {
    std::vector<std::pair<int64_t, int64_t>> shapes;
    for (int64_t layer = 0; layer < L; ++layer)
      for (int64_t direction = 0; direction < D; ++direction) {
        bool isEmpty = layer == 0 && skip;
        shapes.insert(shapes.end(), gates(), {isEmpty ? 0 : H, layer == 0 ? I : D * P});
        shapes.insert(shapes.end(), gates(), {H, P});
        if (isProjected)
          shapes.push_back({P, H});
      }
    return shapes;
  }
  int64_t biases() const { return L * D * 2 * gates(); }
  int64_t params() const {
    int64_t count = biases() * H;
    for (auto [rows, columns] : matrices())
      count += rows * columns;
    return count;
  }
  /// The range of weights for which a state is not amplified: the spectral norm of the recurrent matrix is about 1.
  double weightRange() const { return 0.86 / std::sqrt(static_cast<double>(H)); }
};

/// Packing of canonical tensors and its inverse.
class Packing {
public:
  Packing(const StackConfig &config, Shapes &shapes, bool flat) : config(config) {
    for (auto [rows, columns] : config.matrices()) {
      llvm::SmallVector<int64_t> shape{rows, columns};
      weights.push_back(shapes.fixed(shape));
      // As an operand, a matrix may have any shape with as many elements.
      operands.push_back(flat ? shapes.fixed({rows * columns}) : shapes.make(shape, "rc"));
    }
    biases.assign(config.biases(), shapes.fixed({config.H}));
  }

  std::string sizes(Writer &writer) const {
    std::string layers = writer.constant(config.L), units = writer.constant(config.H),
                inputs = writer.constant(config.I);
    return "sizes(" + layers + ", " + units + ", " + inputs + ")";
  }
  std::string attributes() const { return config.isProjected ? " {num_proj = " + std::to_string(config.P) + "}" : ""; }
  Value pack(Writer &writer, llvm::ArrayRef<Value> tensors, const ShapedText &params) const {
    std::string keywords = config.keywords(false), where = sizes(writer);
    Value result{writer.name(), params};
    writer.line(result.name + " = rnn.cudnn_canonical_to_params " + keywords + " " + where + " weights(" +
                Writer::typed(tensors.take_front(operands.size())) + ") biases(" +
                Writer::typed(tensors.drop_front(operands.size())) + ")" + attributes() + " -> params(" +
                params.tensor() + ")");
    return result;
  }
  Values unpack(Writer &writer, const Value &params) const {
    std::string keywords = config.keywords(false), where = sizes(writer);
    Values results;
    for (const ShapedText &type : weights)
      results.push_back({writer.name(), type});
    for (const ShapedText &type : biases)
      results.push_back({writer.name(), type});
    llvm::ArrayRef<Value> all = results;
    writer.line(Writer::names(all) + " = rnn.cudnn_params_to_canonical " + keywords + " " + where + " params(" +
                Writer::typed(params) + ")" + attributes() + " -> weights(" +
                Writer::types(all.take_front(weights.size())) + ") biases(" +
                Writer::types(all.drop_front(weights.size())) + ")");
    return results;
  }

  const StackConfig &config;
  std::vector<ShapedText> weights, operands, biases;
};

class Stack : public Layer {
public:
  Stack(Random &random, llvm::StringRef element)
      : config(random, element), isTraining(random.percent(85)), hasGradient(isTraining && random.percent(75)),
        hasLengths(random.percent(30)), isPacked(random.percent(40)), isMemref(random.percent(20)),
        shapes(random, element, config.autoSelect ? Shapes::Static : Shapes::Any),
        packing(config, shapes, random.oneIn(4)) {
    dropout = config.L > 1 && isTraining && random.percent(30) ? random.pick<double>({0.25, 0.5, 1.0}) : 0.0;
    seed = random.between(-3, 3);
    omitsResultTypes = shapes.isStatic() && random.oneIn(2);
    int64_t T = config.T, B = config.B, LD = config.L * config.D;
    input = shapes.make({T, B, config.I}, "TBI");
    stateH = shapes.make({LD, B, config.P}, "LBP");
    stateC = shapes.make({LD, B, config.H}, "LBH");
    output = shapes.make({T, B, config.D * config.P}, "TBP");
    params = shapes.make({config.params()}, "N");
    lengths = shapes.make({B}, "B");
    lengths.element = "i32";
    reserve = ShapedText{"i8", {0}, {true}};
    isTensorFlow = !isMemref && random.percent(20);
    hasResets = !isTensorFlow && random.percent(20);
    resetsToInitial = random.oneIn(2);
    resets = makeResets(random, shapes.make({T, B}, "TB"));
    version = hasLengths || config.isProjected ? 3 : random.between(1, 2);
    for (int64_t row = 0; row < B; ++row)
      lengthValues.push_back(random.between(0, T));
    isBatchMajor = !isTensorFlow && random.percent(25);
    if (isBatchMajor)
      for (ShapedText *sequence : {&input, &output, &resets.type})
        sequence->exchangeStepsAndBatch();
  }

  std::vector<LayerOperand> getOperands() const override {
    double range = config.weightRange();
    std::vector<LayerOperand> operands = {{"input", input}, {"input_h", stateH}};
    if (config.hasCell())
      operands.push_back({"input_c", stateC});
    if (isPacked) {
      for (auto [index, type] : llvm::enumerate(packing.operands))
        operands.push_back({"w" + std::to_string(index), type, {}, -range, range});
      for (auto [index, type] : llvm::enumerate(packing.biases))
        operands.push_back({"b" + std::to_string(index), type, {}, -range, range});
    } else {
      operands.push_back({"params", params, {}, -range, range});
    }
    if (hasLengths)
      operands.push_back({"lengths", lengths, {}, 0, 0, lengthValues});
    if (hasResets)
      operands.push_back(resets);
    if (hasGradient) {
      operands.push_back({"dy", output});
      operands.push_back({"dhn", stateH});
      if (config.hasCell())
        operands.push_back({"dcn", stateC});
    }
    return operands;
  }

  std::vector<LayerResult> write(Writer &writer, llvm::ArrayRef<Value> operands, bool variant) const override {
    auto next = [&] {
      Value value = operands.front();
      operands = operands.drop_front();
      return value;
    };
    Value x = next();
    if (variant && config.mode != "rnn_relu") {
      Value changed{writer.name(), x.type};
      writer.line(changed.name + " = math.tanh " + x.name + " : " + x.getType());
      x = changed;
    }
    Values state = {next()};
    if (config.hasCell())
      state.push_back(next());
    Value p;
    if (isPacked) {
      size_t count = packing.operands.size() + packing.biases.size();
      p = packing.pack(writer, operands.take_front(count), params);
      operands = operands.drop_front(count);
    } else {
      p = next();
    }
    std::vector<Value> lengthOperand;
    if (hasLengths)
      lengthOperand.push_back(next());
    std::vector<Value> resetsOperand;
    if (hasResets)
      resetsOperand.push_back(next());
    Values grads;
    if (hasGradient)
      for (size_t index = 0; index < 1 + state.size(); ++index)
        grads.push_back(next());
    if (isTensorFlow)
      return writeTensorFlow(writer, x, state, p, lengthOperand, grads, variant);
    return isMemref ? writeMemrefs(writer, x, state, p, lengthOperand, resetsOperand, grads, variant)
                    : writeTensors(writer, x, state, p, lengthOperand, resetsOperand, grads, variant);
  }

  std::vector<std::pair<std::string, std::string>> getCarried() const override {
    std::vector<std::pair<std::string, std::string>> pairs = {{"input_h", "output_h"}};
    if (config.hasCell())
      pairs.push_back({"input_c", "output_c"});
    if (hasGradient)
      pairs.push_back({"input", "input_backprop"});
    return pairs;
  }

  void addErrors(GeneratedModule &module, int64_t calls) const override {
    module.chain += config.T * config.L * calls * (hasGradient ? 2 : 1);
    module.depth = std::max({module.depth, config.I + config.P + 2, config.D * config.P + config.P + 2});
    module.rows = std::max(module.rows, config.T * config.B);
    // `dropout = 1` has only zeros.
    if (dropout != 0 && dropout != 1)
      module.gain *= std::pow(1 / (1 - dropout), config.L - 1);
    module.hasDiscontinuousGradient |= hasGradient && config.mode == "rnn_relu";
    module.hasDecomposition &= !isMemref;
  }

  std::string describe() const override {
    std::string text = config.mode + " l" + std::to_string(config.L) + "_t" + std::to_string(config.T) + "_b" +
                       std::to_string(config.B) + "_i" + std::to_string(config.I) + "_h" + std::to_string(config.H) +
                       "_d" + std::to_string(config.D);
    text += config.isProjected ? " projection=" + std::to_string(config.P) : "";
    text += std::string(config.autoSelect ? " auto_select"
                        : config.skip     ? " skip"
                                          : "") +
            (hasLengths ? " lengths" : "") + (hasResets ? " resets" : "") + (isTensorFlow ? " tf" : "") +
            (isBatchMajor ? " batch_major" : "");
    text += dropout != 0 ? " dropout" : "";
    return text +
           (hasGradient  ? " gradient"
            : isTraining ? ""
                         : " inference") +
           (isPacked ? " packed" : "") + (isMemref ? " memref" : "") + (shapes.isStatic() ? "" : " dynamic");
  }

private:
  std::string attributes(bool forward, bool sizes = false) const {
    std::vector<std::string> list;
    if (isBatchMajor)
      list.push_back("batch_major");
    if (dropout != 0)
      list.push_back("dropout = " + std::to_string(dropout));
    if (dropout != 0 || seed > 0) {
      list.push_back("seed = " + std::to_string(seed));
      list.push_back("seed2 = " + std::to_string(-seed));
    }
    if (config.isProjected)
      list.push_back("num_proj = " + std::to_string(config.P));
    if (forward && !isTraining)
      list.push_back("is_training = false");
    if (hasResets && resetsToInitial && !sizes)
      list.push_back("reset_to = #rnn.reset_to<initial>");
    return list.empty() ? "" : " {" + llvm::join(list, ", ") + "}";
  }

  std::string lengthsText(llvm::ArrayRef<Value> lengthOperand, bool memref) const {
    return lengthOperand.empty() ? "" : " lengths(" + Writer::typed(lengthOperand, memref) + ")";
  }

  std::string resetsText(llvm::ArrayRef<Value> resetsOperand, bool memref) const {
    return resetsOperand.empty() ? "" : " resets(" + Writer::typed(resetsOperand, memref) + ")";
  }

  std::vector<LayerResult> name(const Values &forward, const Values &backward) const {
    std::vector<LayerResult> results;
    const char *const names[] = {"output", "output_h", "output_c"}, *const gradients[] = {"input_backprop",
                                                                                          "input_h_backprop",
                                                                                          "input_c_backprop"};
    for (auto [index, value] : llvm::enumerate(forward))
      results.push_back({value, names[index], Comparison::Rounded});
    for (auto [index, value] : llvm::enumerate(backward))
      results.push_back({value, index + 1 == backward.size() ? "params_backprop" : gradients[index],
                         index + 1 == backward.size() ? Comparison::Summed : Comparison::Rounded});
    return results;
  }

  void addUnpacked(Writer &writer, std::vector<LayerResult> &results) const {
    if (!isPacked || !hasGradient)
      return;
    Value params = results.back().value;
    results.pop_back();
    for (auto [index, value] : llvm::enumerate(packing.unpack(writer, params)))
      results.push_back({value, "d" + std::to_string(index), Comparison::Summed});
  }

  std::vector<LayerResult> writeTensors(Writer &writer, const Value &x, const Values &state, const Value &p,
                                        llvm::ArrayRef<Value> lengthOperand, llvm::ArrayRef<Value> resetsOperand,
                                        const Values &grads, bool variant) const {
    std::string common = config.keywords(variant) + " input(" + Writer::typed(x) + ") state(" + Writer::typed(state) +
                         ") params(" + Writer::typed(p) + ")" + lengthsText(lengthOperand, false);
    Values forward = {{writer.name(), output}, {writer.name(), stateH}};
    if (config.hasCell())
      forward.push_back({writer.name(), stateC});
    Value saved{writer.name(), reserve};
    std::string types = " -> output(" + output.tensor() + ") output_h(" + stateH.tensor() + ")";
    types += config.hasCell() ? " output_c(" + stateC.tensor() + ")" : "";
    types += " reserve_space(" + reserve.tensor() + ")";
    writer.line(Writer::names(forward) + ", " + saved.name + " = rnn.cudnn_forward " + common +
                resetsText(resetsOperand, false) + attributes(true) + (omitsResultTypes ? "" : types));
    Values backward;
    if (hasGradient) {
      backward = {{writer.name(), input}, {writer.name(), stateH}};
      if (config.hasCell())
        backward.push_back({writer.name(), stateC});
      backward.push_back({writer.name(), params});
      types = " -> input_backprop(" + input.tensor() + ") input_h_backprop(" + stateH.tensor() + ")";
      types += config.hasCell() ? " input_c_backprop(" + stateC.tensor() + ")" : "";
      types += " params_backprop(" + params.tensor() + ")";
      writer.line(Writer::names(backward) + " = rnn.cudnn_backprop " + common + " output(" + Writer::typed(forward) +
                  ") grads(" + Writer::typed(grads) + ") reserve(" + Writer::typed(saved) + ")" +
                  resetsText(resetsOperand, false) + attributes(false) + (omitsResultTypes ? "" : types));
    }
    std::vector<LayerResult> results = name(forward, backward);
    addUnpacked(writer, results);
    return results;
  }

  std::vector<LayerResult> writeMemrefs(Writer &writer, const Value &x, const Values &state, const Value &p,
                                        llvm::ArrayRef<Value> lengthOperand, llvm::ArrayRef<Value> resetsOperand,
                                        const Values &grads, bool variant) const {
    MemrefForm form(writer);
    auto copyAll = [&](llvm::ArrayRef<Value> values) {
      Values buffers;
      for (const Value &value : values)
        buffers.push_back(form.copy(value));
      return buffers;
    };
    std::string common = config.keywords(variant) + " input(" + Writer::typed(copyAll(x), true) + ") state(" +
                         Writer::typed(copyAll(state), true) + ") params(" + Writer::typed(copyAll(p), true) + ")" +
                         lengthsText(copyAll(lengthOperand), true);
    std::string marks = resetsText(copyAll(resetsOperand), true);
    Values forward = {form.allocate(output), form.allocate(stateH)};
    if (config.hasCell())
      forward.push_back(form.allocate(stateC));
    std::string outs = "output = " + forward[0].name + ", output_h = " + forward[1].name;
    outs += config.hasCell() ? ", output_c = " + forward[2].name : "";
    Values withReserve = forward;
    if (hasGradient) {
      std::string layers = writer.constant(config.L), units = writer.constant(config.H),
                  inputs = writer.constant(config.I), steps = writer.constant(config.T),
                  batch = writer.constant(config.B), size = writer.name();
      std::string list = attributes(false, /*sizes=*/true);
      list = list.empty() ? " {element_type = " + config.element + "}"
                          : list.substr(0, list.size() - 1) + ", element_type = " + config.element + "}";
      writer.line(size + " = rnn.cudnn_reserve_size " + config.keywords(variant) + " sizes(" + layers + ", " + units +
                  ", " + inputs + ") extent(" + steps + ", " + batch + ")" + list);
      Value saved{writer.name(), reserve};
      writer.line(saved.name + " = memref.alloc(" + size + ") : " + reserve.memref());
      withReserve.push_back(saved);
      outs += ", reserve_space = " + saved.name;
    }
    std::string typed = Writer::typed(withReserve, true);
    writer.line("rnn.cudnn_forward " + common + marks + " outs(" + outs + typed.substr(typed.find(" : ")) + ")" +
                attributes(true));
    Values backward;
    if (hasGradient) {
      backward = {form.allocate(input), form.allocate(stateH)};
      outs = "input_backprop = " + backward[0].name + ", input_h_backprop = " + backward[1].name;
      if (config.hasCell()) {
        backward.push_back(form.allocate(stateC));
        outs += ", input_c_backprop = " + backward[2].name;
      }
      backward.push_back(form.allocate(params));
      outs += ", params_backprop = " + backward.back().name;
      typed = Writer::typed(backward, true);
      writer.line("rnn.cudnn_backprop " + common + " output(" + Writer::typed(forward, true) + ") grads(" +
                  Writer::typed(copyAll(grads), true) + ") reserve(" + Writer::typed(withReserve.back(), true) + ")" +
                  marks + " outs(" + outs + typed.substr(typed.find(" : ")) + ")" + attributes(false));
    }
    Values forwardTensors, backwardTensors;
    for (const Value &buffer : forward)
      forwardTensors.push_back(form.read(buffer));
    for (const Value &buffer : backward)
      backwardTensors.push_back(form.read(buffer));
    std::vector<LayerResult> results = name(forwardTensors, backwardTensors);
    addUnpacked(writer, results);
    return results;
  }

  /// The form of TensorFlow. Layers without a cell state have placeholders for it.
  std::vector<LayerResult> writeTensorFlow(Writer &writer, const Value &x, const Values &state, const Value &p,
                                           llvm::ArrayRef<Value> lengthOperand, const Values &grads,
                                           bool variant) const {
    const std::string suffix = version == 1 ? "" : "V" + std::to_string(version);
    std::vector<std::string> list = {"rnn_mode = \"" +
                                     (variant && config.mode == "rnn_relu" ? "rnn_tanh" : config.mode) + "\""};
    if (config.D == 2)
      list.push_back("direction = \"bidirectional\"");
    if (config.autoSelect || config.skip)
      list.push_back(config.autoSelect ? "input_mode = \"auto_select\"" : "input_mode = \"skip_input\"");
    if (dropout != 0)
      list.push_back("dropout = " + std::to_string(dropout) + " : f32");
    if (dropout != 0 || seed > 0) {
      list.push_back("seed = " + std::to_string(seed));
      list.push_back("seed2 = " + std::to_string(-seed));
    }
    if (config.isProjected)
      list.push_back("num_proj = " + std::to_string(config.P));
    const Value none = state.front();
    Values operands = {x, state[0], config.hasCell() ? state[1] : none, p};
    if (version == 3 && lengthOperand.empty()) {
      operands.push_back({writer.name(), ShapedText{"i32", {config.B}, {false}}});
      writer.line(operands.back().name + " = arith.constant dense<" + llvm::Twine(config.T) +
                  "> : " + operands.back().getType());
    } else if (version == 3) {
      operands.push_back(lengthOperand.front());
    }
    const ShapedText cell = config.hasCell() ? stateC : stateH;
    Values forward = {{writer.name(), output}, {writer.name(), stateH}, {writer.name(), cell}};
    Values saved = {{writer.name(), ShapedText{config.element, {0}, {true}}}};
    if (version > 1)
      saved.push_back({writer.name(), reserve});
    Values results = forward;
    results.insert(results.end(), saved.begin(), saved.end());
    std::vector<std::string> forwardList = list;
    if (!isTraining)
      forwardList.push_back("is_training = false");
    writeTensorFlowOp(writer, "tf.CudnnRNN" + suffix, operands, results, forwardList);
    Values backward;
    if (hasGradient) {
      operands.insert(operands.end(), forward.begin(), forward.end());
      operands.insert(operands.end(), grads.begin(), grads.end());
      if (!config.hasCell())
        operands.push_back(none);
      operands.insert(operands.end(), saved.begin(), saved.end());
      backward = {{writer.name(), input}, {writer.name(), stateH}, {writer.name(), cell}, {writer.name(), params}};
      writeTensorFlowOp(writer, "tf.CudnnRNNBackprop" + suffix, operands, backward, list);
    }
    if (!config.hasCell()) {
      forward.pop_back();
      if (hasGradient)
        backward.erase(backward.begin() + 2);
    }
    std::vector<LayerResult> named = name(forward, backward);
    addUnpacked(writer, named);
    return named;
  }

  StackConfig config;
  bool isTraining, hasGradient, hasLengths, isPacked, isMemref;
  Shapes shapes;
  Packing packing;
  double dropout;
  int64_t seed;
  bool omitsResultTypes, isTensorFlow, hasResets, resetsToInitial, isBatchMajor;
  int64_t version;
  LayerOperand resets;
  ShapedText input, stateH, stateC, output, params, lengths, reserve;
  std::vector<int64_t> lengthValues;
};

/// The size ops, with constants or arguments, and packing followed by unpacking.
class SizeOps : public Layer {
public:
  SizeOps(Random &random, llvm::StringRef element)
      : config(random, element), isConstant(config.autoSelect || random.oneIn(2)),
        shapes(random, element, Shapes::Static), packing(config, shapes, random.oneIn(2)) {}

  std::vector<LayerOperand> getOperands() const override {
    std::vector<LayerOperand> operands;
    for (auto [index, type] : llvm::enumerate(packing.operands))
      operands.push_back({"w" + std::to_string(index), type});
    for (auto [index, type] : llvm::enumerate(packing.biases))
      operands.push_back({"b" + std::to_string(index), type});
    if (!isConstant)
      for (int64_t size : {config.L, config.H, config.I, config.T, config.B})
        operands.push_back({"size", {}, "index", 0, 0, {size}});
    return operands;
  }

  std::vector<LayerResult> write(Writer &writer, llvm::ArrayRef<Value> operands, bool) const override {
    size_t tensors = packing.operands.size() + packing.biases.size();
    std::vector<std::string> sizes;
    for (auto [index, size] : llvm::enumerate(std::vector<int64_t>{config.L, config.H, config.I, config.T, config.B}))
      sizes.push_back(isConstant ? writer.constant(size) : operands[tensors + index].name);
    std::string common = config.keywords(false) + " sizes(" + sizes[0] + ", " + sizes[1] + ", " + sizes[2] + ")";
    std::string list = " {element_type = " + config.element;
    list += (config.isProjected ? ", num_proj = " + std::to_string(config.P) : "") + "}";
    Value params{writer.name(), {}, "index"}, reserve{writer.name(), {}, "index"};
    writer.line(params.name + " = rnn.cudnn_params_size " + common + list);
    writer.line(reserve.name + " = rnn.cudnn_reserve_size " + common + " extent(" + sizes[3] + ", " + sizes[4] + ")" +
                list);
    std::vector<LayerResult> results = {{params, "params_size", Comparison::Exact},
                                        {reserve, "reserve_size", Comparison::Exact}};
    Value packed =
        packing.pack(writer, operands.take_front(tensors), ShapedText{config.element, {config.params()}, {true}});
    for (auto [index, value] : llvm::enumerate(packing.unpack(writer, packed)))
      results.push_back({value, "tensor" + std::to_string(index), Comparison::Rounded});
    return results;
  }

  std::vector<std::pair<std::string, std::string>> getCarried() const override { return {}; }
  void addErrors(GeneratedModule &, int64_t) const override {}
  std::string describe() const override { return "sizes of " + config.mode; }

private:
  StackConfig config;
  bool isConstant;
  Shapes shapes;
  Packing packing;
};

} // namespace

std::unique_ptr<Layer> mlir::rnn::fuzz::makeStack(Random &random, llvm::StringRef elementType) {
  return std::make_unique<Stack>(random, elementType);
}

std::unique_ptr<Layer> mlir::rnn::fuzz::makeSizes(Random &random, llvm::StringRef elementType) {
  return std::make_unique<SizeOps>(random, elementType);
}
