//===- TimeMajorBuffers.h - time-major buffers of batch-major layers -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOHOST_TIMEMAJORBUFFERS_H
#define RNN_LIB_CONVERSION_RNNTOHOST_TIMEMAJORBUFFERS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::rnn::host {

/// Makes sequences time-major in memory that only batch-major layers of `ops` read and write, such as the gates that a
/// gradient reads. The operands become batch-major views, and an attribute of the layer lists them.
void makeBuffersTimeMajor(ArrayRef<Operation *> ops);
/// Whether the buffer of an operand is time-major, so that the operand is a strided view.
bool isTimeMajorBuffer(OpOperand &operand);
/// The time-major view of the buffer of a sequence operand of a batch-major layer.
Value getTimeMajorView(OpBuilder &b, Location loc, OpOperand &operand);

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_RNNTOHOST_TIMEMAJORBUFFERS_H
