//===- AccumulatorType.h - the type of sums -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_ACCUMULATORTYPE_H
#define RNN_CODEGEN_ACCUMULATORTYPE_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::rnn {

/// The type that sums of `element` values are accumulated in: f64 for f64, else f32.
inline FloatType getAccumulatorType(Type element) {
  return element.isF64() ? cast<FloatType>(element) : cast<FloatType>(Float32Type::get(element.getContext()));
}

} // namespace mlir::rnn

#endif // RNN_CODEGEN_ACCUMULATORTYPE_H
