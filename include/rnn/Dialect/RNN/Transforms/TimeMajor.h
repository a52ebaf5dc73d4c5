//===- TimeMajor.h - transposes around batch-major layers -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_TRANSFORMS_TIMEMAJOR_H
#define RNN_DIALECT_RNN_TRANSFORMS_TIMEMAJOR_H

#include "mlir/IR/Builders.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

namespace mlir::rnn {

/// Makes an op in value form time-major: its sequences are transposed before and after it. Does nothing without
/// `batch_major`.
void makeTimeMajor(OpBuilder &b, LayerOpInterface op);

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNN_TRANSFORMS_TIMEMAJOR_H
