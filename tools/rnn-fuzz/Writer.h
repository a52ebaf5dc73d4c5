//===- Writer.h - text of random modules -*- C++ -*-===//
//
// Values with their actual sizes, and functions that print ops on them. The actual sizes are known for dynamic
// dimensions too, so that every module can run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_WRITER_H
#define RNN_TOOLS_RNN_FUZZ_WRITER_H

#include "Random.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>
#include <utility>
#include <vector>

namespace mlir::rnn::fuzz {

/// A tensor or memref type, with the actual size of every dimension.
struct ShapedText {
  std::string element;
  llvm::SmallVector<int64_t, 3> shape;
  llvm::SmallVector<bool, 3> isDynamic;

  std::string print(llvm::StringRef container) const {
    std::string text = (container + "<").str();
    for (size_t dim = 0; dim < shape.size(); ++dim)
      text += (isDynamic[dim] ? "?" : std::to_string(shape[dim])) + "x";
    return text + element + ">";
  }
  /// Makes the type of a sequence batch-major.
  void exchangeStepsAndBatch() {
    std::swap(shape[0], shape[1]);
    std::swap(isDynamic[0], isDynamic[1]);
  }
  std::string tensor() const { return print("tensor"); }
  std::string memref() const { return print("memref"); }
};

/// An SSA value of tensor type, or a scalar if `scalar` is its type.
struct Value {
  std::string name;
  ShapedText type;
  std::string scalar = {};

  std::string getType() const { return scalar.empty() ? type.tensor() : scalar; }
};

using Values = std::vector<Value>;

/// Appends lines to the body of a function, and makes names.
class Writer {
public:
  explicit Writer(unsigned indent = 2) : indent(indent) {}

  void line(const llvm::Twine &text) { lines += std::string(indent, ' ') + text.str() + "\n"; }
  void open(const llvm::Twine &text) { line(text), indent += 2; }
  void close() { indent -= 2, line("}"); }
  /// Ends a region and opens the next one.
  void next(const llvm::Twine &text) { indent -= 2, open(text); }
  /// A fresh name.
  std::string name() { return "%v" + std::to_string(count++); }
  std::string constant(int64_t value) {
    std::string result = name();
    line(result + " = arith.constant " + llvm::Twine(value) + " : index");
    return result;
  }
  /// `%a, %b : type, type`; one type if all are equal.
  static std::string typed(llvm::ArrayRef<Value> values, bool memref = false);
  static std::string names(llvm::ArrayRef<Value> values);
  static std::string types(llvm::ArrayRef<Value> values);

  std::string lines;

private:
  unsigned indent;
  unsigned count = 0;
};

/// Prints an op of TensorFlow, which is unregistered, in the generic form.
void writeTensorFlowOp(Writer &writer, llvm::StringRef name, llvm::ArrayRef<Value> operands,
                       llvm::ArrayRef<Value> results, llvm::ArrayRef<std::string> attributes);

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_WRITER_H
