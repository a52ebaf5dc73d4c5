//===- ONNXLayer.h - one recurrent layer of ONNX under conversion -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_ONNXTORNN_ONNXLAYER_H
#define RNN_LIB_CONVERSION_ONNXTORNN_ONNXLAYER_H

#include "../Common/StackParams.h"
#include "../Common/TorchOp.h"
#include "rnn/Dialect/RNN/Transforms/TensorBuilder.h"

namespace mlir::rnn::onnx {

enum class LayerKind { LSTM, GRU, RNN };
/// The activations that can be converted.
enum class Activation { Sigmoid, Tanh, Relu };

/// The kind of a layer op in either form, or none.
std::optional<LayerKind> getLayerKind(Operation *op);

class ONNXLayer : public TorchOp {
public:
  ONNXLayer(Operation *op, PatternRewriter &rewriter);

  void convert();

private:
  using Size = TensorBuilder::Size;

  /// The results of one direction, or of all: y is [T,B,H] of a direction, [T,D,B,H] or, in layout 1, [B,T,D,H] of all.
  struct Outputs {
    Value y, h, c;
  };

  int64_t numGates() const { return kind == LayerKind::LSTM ? 4 : kind == LayerKind::GRU ? 3 : 1; }
  int64_t numActivations() const { return kind == LayerKind::LSTM ? 3 : kind == LayerKind::GRU ? 2 : 1; }
  bool isLSTM() const { return kind == LayerKind::LSTM; }
  int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
  /// The dimension of the steps in `x`.
  unsigned timeDim() const { return isBatchFirst ? 1 : 0; }
  /// Whether direction `index` runs from the last step to the first.
  bool isReverse(int64_t index) const { return direction == "reverse" || index == 1; }

  /// Reports values without a type.
  void checkTypes();
  void readAttributes();
  void readActivations();
  void readOperands();
  /// An optional tensor of static sizes; reports other sizes.
  Value weights(unsigned index, StringRef name, ArrayRef<int64_t> shape, StringRef text);
  /// Reports a static size that differs from a static size of `expected`.
  bool checkSizes(Value value, StringRef name, StringRef text, ArrayRef<int64_t> expected);
  /// An initial state [D,B,H]; zeros if absent.
  Value state(unsigned index, StringRef name);

  /// The cell mode that computes the layer, or none if only a loop does.
  std::optional<CellMode> getMode() const;
  /// The whole layer as one op.
  Outputs convertToOp(CellMode mode);
  /// One direction as a loop of linalg ops (ONNXLoop.cpp).
  Outputs convertToLoop(int64_t index);
  Outputs convertToLoops();
  struct Step;
  /// The states after a step.
  std::pair<Value, Value> emitStep(const Step &step, Value h, Value c);
  Value activate(const ElementBuilder &e, int64_t direction, int64_t function, Value x) const;

  Value transpose(Value value, ArrayRef<int64_t> permutation);
  /// Reverses the valid steps of every example.
  Value reverse(Value rows);
  TensorBuilder builder() { return TensorBuilder(getRewriter(), getLoc(), compute); }

  LayerKind kind;
  std::string direction = "forward";
  bool isBatchFirst = false, couplesForget = false, resetsAfter = false;
  double clip = 0;
  SmallVector<Activation> activations; ///< of every direction
  int64_t I = 0, H = 0;
  Size T, B;
  Type element, compute;
  Value x, w, r, b, lengths, h0, c0, p;
};

} // namespace mlir::rnn::onnx

#endif // RNN_LIB_CONVERSION_ONNXTORNN_ONNXLAYER_H
