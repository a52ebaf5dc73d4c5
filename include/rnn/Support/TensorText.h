//===- TensorText.h - tensors as text -*- C++ -*-===//
//
// The form of command-line values: `2x3xf32=[[1,2,3],[4,5,6]]`, `2x3xf32=0.5` (all elements), `f32=1.5`, `7`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_SUPPORT_TENSORTEXT_H
#define RNN_SUPPORT_TENSORTEXT_H

#include "rnn/Support/HostTensor.h"

namespace mlir::rnn {

/// Parses a value. Without a type, the type must be given by `wanted` (the function's own argument type, dims
/// negative where dynamic), or else is i64 for integers and f32 for other numbers. inf, nan and exponents are numbers.
/// Brackets are optional around a flat list with the right number of elements, as in iree-run-module.
struct WantedType {
  ElementKind kind;
  llvm::SmallVector<int64_t> shape;
};
llvm::Expected<HostTensor> parseTensorText(llvm::StringRef text, const WantedType *wanted = nullptr);

/// `2x3xf32=[[1, 2, 3], [4, 5, 6]]`, with as many digits as the type needs to be read back.
std::string printTensorText(const HostTensor &tensor);

} // namespace mlir::rnn

#endif // RNN_SUPPORT_TENSORTEXT_H
