//===- Layers.h - random layers of the rnn dialect -*- C++ -*-===//
//
// A layer is a few rnn ops: a forward pass with or without its gradient, as tensors or memrefs. The generator places it
// in a function, a loop or a branch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_LAYERS_H
#define RNN_TOOLS_RNN_FUZZ_LAYERS_H

#include "Generator.h"
#include "Writer.h"
#include <memory>

namespace mlir::rnn::fuzz {

/// An operand of a layer: its type and the values that it may have.
struct LayerOperand {
  std::string name;
  ShapedText type;
  std::string scalar = {};
  double low = -1, high = 1;
  std::vector<int64_t> integers = {};
};

struct LayerResult {
  Value value;
  std::string name;
  Comparison comparison;
};

class Layer {
public:
  virtual ~Layer() = default;

  /// The operands, in a fixed order.
  virtual std::vector<LayerOperand> getOperands() const = 0;
  /// Prints the ops. `variant` changes attributes that do not change types; operands have the types of `getOperands`.
  virtual std::vector<LayerResult> write(Writer &writer, llvm::ArrayRef<Value> operands, bool variant) const = 0;
  /// Pairs (operand, result) of equal types: a loop carries these values.
  virtual std::vector<std::pair<std::string, std::string>> getCarried() const = 0;
  /// Adds what the tolerance depends on, for `calls` calls that follow each other.
  virtual void addErrors(GeneratedModule &module, int64_t calls) const = 0;
  virtual std::string describe() const = 0;
};

/// A random stack of cudnn ops or a random block LSTM.
std::unique_ptr<Layer> makeStack(Random &random, llvm::StringRef elementType);
std::unique_ptr<Layer> makeBlock(Random &random, llvm::StringRef elementType);
/// Ops that compute sizes, and the packing of parameters and back.
std::unique_ptr<Layer> makeSizes(Random &random, llvm::StringRef elementType);

/// Prints an op on memrefs: copies each operand to a buffer, runs the op with `outs` for each result, and reads these
/// as tensors.
class MemrefForm {
public:
  MemrefForm(Writer &writer) : writer(writer) {}

  /// A buffer with the content of a tensor.
  Value copy(const Value &tensor);
  /// A buffer without content.
  Value allocate(const ShapedText &type);
  /// The content of a buffer as a tensor.
  Value read(const Value &buffer);

private:
  Writer &writer;
};

/// The operand `resets` of a layer: marks of type `type`, the first steps and others at random.
LayerOperand makeResets(Random &random, const ShapedText &type);

/// A size in [low, most], with small values, multiples of a vector and their neighbours more often.
int64_t drawSize(Random &random, int64_t low, int64_t most);

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_LAYERS_H
