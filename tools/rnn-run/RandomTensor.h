//===- RandomTensor.h - pseudorandom arguments -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_RUN_RANDOMTENSOR_H
#define RNN_TOOLS_RNN_RUN_RANDOMTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "rnn/Support/HostTensor.h"

namespace mlir::rnn {

/// A value of `type` from `SEED` or `SEED:SHAPE` (as `7:5x2x3`; required for dynamic dimensions, which it sets).
/// Elements are independent and uniform: floats in [-1, 1), rounded to the element type; integers 0 to 9; i1 0 or 1.
/// The same seed, shape and type always give the same values.
llvm::Expected<HostTensor> makeRandomTensor(llvm::StringRef text, Type type);

} // namespace mlir::rnn

#endif // RNN_TOOLS_RNN_RUN_RANDOMTENSOR_H
