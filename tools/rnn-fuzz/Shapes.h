//===- Shapes.h - which dimensions of a random layer are dynamic -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_SHAPES_H
#define RNN_TOOLS_RNN_FUZZ_SHAPES_H

#include "Writer.h"

namespace mlir::rnn::fuzz {

/// Types of one layer: all dimensions static, some symbolic dimensions dynamic everywhere, or each dimension by itself.
class Shapes {
public:
  enum Choice { Static, Any };

  Shapes(Random &random, llvm::StringRef element, Choice choice) : random(random.next()), element(element) {
    unsigned draw = random.next() % 100;
    policy = choice == Static || draw < 40 ? Policy::AllStatic : draw < 75 ? Policy::Symbols : Policy::Mixed;
    for (char symbol : llvm::StringRef("TBIHPLNrc"))
      if (random.oneIn(2))
        dynamicSymbols += symbol;
  }

  bool isStatic() const { return policy == Policy::AllStatic; }
  /// A type with one symbol per dimension: symbols that are dynamic are so in every type.
  ShapedText make(llvm::ArrayRef<int64_t> shape, llvm::StringRef symbols) {
    ShapedText type = fixed(shape);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      type.isDynamic[dim] = policy == Policy::Symbols ? dynamicSymbols.find(symbols[dim]) != std::string::npos
                                                      : policy == Policy::Mixed && random.oneIn(2);
    return type;
  }
  ShapedText fixed(llvm::ArrayRef<int64_t> shape) const {
    ShapedText type;
    type.element = element;
    type.shape.assign(shape.begin(), shape.end());
    type.isDynamic.assign(shape.size(), false);
    return type;
  }

private:
  enum class Policy { AllStatic, Symbols, Mixed };
  Random random;
  std::string element;
  Policy policy;
  std::string dynamicSymbols;
};

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_SHAPES_H
