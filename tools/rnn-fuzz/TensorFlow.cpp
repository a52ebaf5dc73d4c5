//===- TensorFlow.cpp - ops of TensorFlow in random modules -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writer.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::rnn::fuzz;

void mlir::rnn::fuzz::writeTensorFlowOp(Writer &writer, llvm::StringRef name, llvm::ArrayRef<Value> operands,
                                        llvm::ArrayRef<Value> results, llvm::ArrayRef<std::string> attributes) {
  std::string list = attributes.empty() ? "" : " {" + llvm::join(attributes, ", ") + "}";
  writer.line(Writer::names(results) + " = \"" + name + "\"(" + Writer::names(operands) + ")" + list + " : (" +
              Writer::types(operands) + ") -> (" + Writer::types(results) + ")");
}
