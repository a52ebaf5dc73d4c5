//===- Block.cpp - random block LSTMs -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "Shapes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir::rnn::fuzz;

namespace {

const char *const savedNames[] = {"i", "cs", "f", "o", "ci", "co", "h"};
const char *const gradientNames[] = {"x_grad",   "cs_prev_grad", "h_prev_grad", "w_grad",
                                     "wci_grad", "wcf_grad",     "wco_grad",    "b_grad"};

class BlockLayer : public Layer {
public:
  BlockLayer(Random &random, llvm::StringRef element)
      : T(random.oneIn(12) ? 0 : random.between(1, 6)), B(random.oneIn(12) ? 0 : drawSize(random, 1, 9)),
        I(random.oneIn(12) ? 0 : drawSize(random, 1, 33)), H(drawSize(random, 1, 33)),
        shapes(random, element, Shapes::Any) {
    layout = random.oneIn(2) ? "icfo" : "ifco";
    hasPeephole = random.oneIn(2);
    hasLength = random.oneIn(2);
    length = random.between(0, T);
    isMemref = random.percent(20);
    isTensorFlow = !isMemref && random.percent(20);
    hasResets = !isTensorFlow && random.percent(20);
    resetsToInitial = random.oneIn(2);
    omitsDefaults = random.oneIn(2);
    unsigned draw = random.next() % 100;
    hasForward = draw < 75;
    hasGradient = draw >= 35;
    forgetBias = random.pick<double>({0, 0, -0.5, 1.0});
    cellClip = random.pick<double>({0, 0, -1.0, 0.25, 3.0});
    omitsResultTypes = shapes.isStatic() && random.oneIn(2);
    x = shapes.make({T, B, I}, "TBI");
    state = shapes.make({B, H}, "BH");
    w = shapes.make({I + H, 4 * H}, "cH");
    vector = shapes.make({H}, "H");
    bias = shapes.make({4 * H}, "H");
    steps = shapes.make({T, B, H}, "TBH");
    resets = makeResets(random, shapes.make({T, B}, "TB"));
    isBatchMajor = !isTensorFlow && random.percent(25);
    if (isBatchMajor)
      for (ShapedText *sequence : {&x, &steps, &resets.type})
        sequence->exchangeStepsAndBatch();
  }

  std::vector<LayerOperand> getOperands() const override {
    double range = 0.86 / std::sqrt(static_cast<double>(H));
    std::vector<LayerOperand> operands = {{"x", x}, {"cs_prev", state}, {"h_prev", state}, {"w", w, {}, -range, range}};
    for (const char *name : {"wci", "wcf", "wco"})
      operands.push_back({name, vector, {}, -range, range});
    operands.push_back({"b", bias, {}, -range, range});
    if (hasLength)
      operands.push_back({"n", {}, "i64", 0, 0, {length}});
    if (hasResets)
      operands.push_back(resets);
    if (!hasGradient)
      return operands;
    // Without a forward pass, the saved values are independent; gates are in [0, 1).
    if (!hasForward)
      for (llvm::StringRef name : savedNames)
        operands.push_back({name.str(), steps, {}, name.size() == 1 && name != "h" ? 0.0 : -1.0, 1.0});
    operands.push_back({"cs_grad", steps});
    operands.push_back({"h_grad", steps});
    return operands;
  }

  std::vector<LayerResult> write(Writer &writer, llvm::ArrayRef<Value> operands, bool variant) const override {
    if (isTensorFlow)
      return writeTensorFlow(writer, operands, variant);
    llvm::ArrayRef<Value> common = operands.take_front(8);
    operands = operands.drop_front(8);
    std::string lengthText, resetsText;
    if (hasLength) {
      lengthText = " seq_len_max(" + operands.front().name + ")";
      operands = operands.drop_front();
    }
    MemrefForm form(writer);
    auto prepare = [&](llvm::ArrayRef<Value> values) {
      Values buffers;
      for (const Value &value : values)
        buffers.push_back(isMemref ? form.copy(value) : value);
      return buffers;
    };
    auto typed = [&](llvm::ArrayRef<Value> values) { return Writer::typed(values, isMemref); };
    if (hasResets) {
      resetsText = " resets(" + typed(prepare(operands.take_front(1))) + ")";
      operands = operands.drop_front();
    }
    Values v = prepare(common);
    llvm::ArrayRef<Value> all = v;
    std::string text = layout + " x(" + typed(all[0]) + ") state(" + typed(all.slice(1, 2)) + ") weights(" +
                       typed(all[3]) + ") peephole(" + typed(all.slice(4, 3)) + ") bias(" + typed(all[7]) + ")" +
                       lengthText;
    std::vector<LayerResult> results;
    Values saved;
    if (hasForward) {
      for (size_t index = 0; index < std::size(savedNames); ++index)
        saved.push_back(isMemref ? form.allocate(steps) : Value{writer.name(), steps});
      writeOp(writer, "rnn.block_lstm " + text + resetsText, saved, savedNames, attributes(true, variant));
      for (auto [index, value] : llvm::enumerate(saved))
        results.push_back({isMemref ? form.read(value) : value, savedNames[index], Comparison::Rounded});
    } else {
      saved = prepare(operands.take_front(std::size(savedNames)));
      operands = operands.drop_front(std::size(savedNames));
    }
    if (!hasGradient)
      return results;
    Values grads = prepare(operands), gradients;
    for (const ShapedText &type : {x, state, state, w, vector, vector, vector, bias})
      gradients.push_back(isMemref ? form.allocate(type) : Value{writer.name(), type});
    writeOp(writer,
            "rnn.block_lstm_grad " + text + " saved(" + typed(saved) + ") grads(" + typed(grads) + ")" + resetsText,
            gradients, gradientNames, attributes(false, variant));
    for (auto [index, value] : llvm::enumerate(gradients))
      results.push_back({isMemref ? form.read(value) : value, gradientNames[index],
                         index < 3 ? Comparison::Rounded : Comparison::Summed});
    return results;
  }

  std::vector<std::pair<std::string, std::string>> getCarried() const override {
    if (!hasGradient)
      return {};
    return {{"x", "x_grad"}, {"cs_prev", "cs_prev_grad"}, {"h_prev", "h_prev_grad"}};
  }

  void addErrors(GeneratedModule &module, int64_t calls) const override {
    module.chain += T * calls * (hasForward && hasGradient ? 2 : 1);
    module.depth = std::max(module.depth, I + H + 1);
    module.rows = std::max(module.rows, T * B);
    module.hasDecomposition &= !isMemref && T > 0 && B > 0 && I > 0;
  }

  std::string describe() const override {
    return "block_lstm " + layout + " t" + std::to_string(T) + "_b" + std::to_string(B) + "_i" + std::to_string(I) +
           "_h" + std::to_string(H) + (hasPeephole ? " peephole" : "") +
           (hasLength ? " n=" + std::to_string(length) : "") + (hasForward ? " forward" : "") +
           (hasGradient ? " gradient" : "") + (hasResets ? " resets" : "") + (isMemref ? " memref" : "") +
           (isTensorFlow ? " tf" : "") + (isBatchMajor ? " batch_major" : "") + (shapes.isStatic() ? "" : " dynamic");
  }

private:
  std::string attributes(bool forward, bool variant) const {
    std::vector<std::string> list;
    if (isBatchMajor)
      list.push_back("batch_major");
    if (forward && cellClip != 0)
      list.push_back("cell_clip = " + std::to_string(cellClip));
    if (forward && (variant || forgetBias != 0))
      list.push_back("forget_bias = " + std::to_string(variant ? forgetBias + 0.25 : forgetBias));
    if (hasPeephole)
      list.push_back("use_peephole");
    if (hasResets && resetsToInitial)
      list.push_back("reset_to = #rnn.reset_to<initial>");
    return list.empty() ? "" : " {" + llvm::join(list, ", ") + "}";
  }

  void writeOp(Writer &writer, const std::string &op, llvm::ArrayRef<Value> results, llvm::ArrayRef<const char *> names,
               const std::string &list) const {
    std::vector<std::string> items, types;
    for (auto [name, value] : llvm::zip(names, results)) {
      items.push_back(std::string(name) + " = " + value.name);
      types.push_back(isMemref ? value.type.memref() : std::string(name) + "(" + value.type.tensor() + ")");
    }
    if (isMemref)
      writer.line(op + " outs(" + llvm::join(items, ", ") + " : " + llvm::join(types, ", ") + ")" + list);
    else
      writer.line(Writer::names(results) + " = " + op + list +
                  (omitsResultTypes ? "" : " -> " + llvm::join(types, " ")));
  }

  /// The form of TensorFlow: version 1 has the layout icfo.
  std::vector<LayerResult> writeTensorFlow(Writer &writer, llvm::ArrayRef<Value> operands, bool variant) const {
    const bool isV1 = layout == "icfo";
    Value n{writer.name(), ShapedText{"i64", {}, {}}};
    Values all = {n};
    all.insert(all.end(), operands.begin(), operands.begin() + 8);
    operands = operands.drop_front(8);
    if (hasLength) {
      writer.line(n.name + " = tensor.from_elements " + operands.front().name + " : tensor<i64>");
      operands = operands.drop_front();
    } else {
      writer.line(n.name + " = \"tf.Const\"() {value = dense<" + llvm::Twine(T) +
                  "> : tensor<i64>} : () -> tensor<i64>");
    }
    std::vector<std::string> list;
    // Without attributes, version 1 has the bias 1 and the clip 3, version 2 no clip.
    if (isV1 && !omitsDefaults)
      list.push_back("forget_bias = " + std::to_string(variant ? forgetBias + 0.25 : forgetBias) + " : f32");
    if (!omitsDefaults)
      list.push_back("cell_clip = " + std::to_string(cellClip) + " : f32");
    if (hasPeephole || !omitsDefaults)
      list.push_back(hasPeephole ? "use_peephole = true" : "use_peephole = false");
    std::vector<LayerResult> results;
    Values saved;
    if (hasForward) {
      for (const char *name : savedNames) {
        saved.push_back({writer.name(), steps});
        results.push_back({saved.back(), name, Comparison::Rounded});
      }
      writeTensorFlowOp(writer, isV1 ? "tf.BlockLSTM" : "tf.BlockLSTMV2", all, saved, list);
    } else {
      saved.assign(operands.begin(), operands.begin() + std::size(savedNames));
      operands = operands.drop_front(std::size(savedNames));
    }
    if (!hasGradient)
      return results;
    all.insert(all.end(), saved.begin(), saved.end());
    all.insert(all.end(), operands.begin(), operands.end());
    Values gradients;
    const ShapedText types[] = {x, state, state, w, vector, vector, vector, bias};
    for (auto [index, type] : llvm::enumerate(types)) {
      gradients.push_back({writer.name(), type});
      results.push_back({gradients.back(), gradientNames[index], index < 3 ? Comparison::Rounded : Comparison::Summed});
    }
    writeTensorFlowOp(writer, isV1 ? "tf.BlockLSTMGrad" : "tf.BlockLSTMGradV2", all, gradients,
                      {hasPeephole ? "use_peephole = true" : "use_peephole = false"});
    return results;
  }

  int64_t T, B, I, H, length;
  Shapes shapes;
  std::string layout;
  bool hasPeephole, hasLength, isMemref, hasForward, hasGradient, omitsResultTypes, isTensorFlow, hasResets,
      resetsToInitial, omitsDefaults, isBatchMajor;
  double forgetBias, cellClip;
  ShapedText x, state, w, vector, bias, steps;
  LayerOperand resets;
};

} // namespace

std::unique_ptr<Layer> mlir::rnn::fuzz::makeBlock(Random &random, llvm::StringRef elementType) {
  return std::make_unique<BlockLayer>(random, elementType);
}
