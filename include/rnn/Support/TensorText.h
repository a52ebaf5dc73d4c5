//===- TensorText.h - tensors as text -*- C++ -*-===//
//
// The syntax of command-line values: `2x3xf32=[[1,2,3],[4,5,6]]`, `2x3xf32=0.5` (all elements), `f32=1.5`, `7`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_SUPPORT_TENSORTEXT_H
#define RNN_SUPPORT_TENSORTEXT_H

#include "rnn/Support/HostTensor.h"

namespace mlir::rnn {

/// Parses a value. A value without a type has the type `requested` (the argument type of the function; dynamic dims are
/// negative) or, without that, i64 for integers and f32 for other numbers. inf, nan and exponents are numbers. A flat
/// list with the right number of elements needs no brackets, as in iree-run-module.
struct RequestedType {
  ElementKind kind;
  llvm::SmallVector<int64_t> shape;
};
llvm::Expected<HostTensor> parseTensorText(llvm::StringRef text, const RequestedType *requested = nullptr);

/// Prints `2x3xf32=[[1, 2, 3], [4, 5, 6]]`, with enough digits for an exact round trip.
std::string printTensorText(const HostTensor &tensor);

/// The same with the first and last three elements of each dimension, and `...` between them.
std::string summarizeTensor(const HostTensor &tensor);

} // namespace mlir::rnn

#endif // RNN_SUPPORT_TENSORTEXT_H
