//===- DropoutMask.h - masks of dropout in arith ops -*- C++ -*-===//
//
// Shared by the fused lowerings and the decomposition of the cudnn ops. docs/Semantics.md ("Dropout") defines the
// masks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_TRANSFORMS_DROPOUTMASK_H
#define RNN_DIALECT_RNN_TRANSFORMS_DROPOUTMASK_H

#include "mlir/IR/Builders.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

namespace mlir::rnn {

/// The masks of dropout between the layers of one op, as the runtime's host/Philox.h draws them.
struct DropoutMask {
  uint64_t seed;
  double rate;

  template <typename OpTy>
  explicit DropoutMask(OpTy op)
      : seed((uint64_t(op.getSeed()) << 32) | uint64_t(op.getSeed2())), rate(op.getDropout().convertToDouble()) {}

  /// The factor of a kept element, 1 / (1 - dropout).
  double scale() const { return rate < 1 ? 1 / (1 - rate) : 0; }
  /// i1: whether `element` (index) of the output of `layer` (index), all directions [T,B,D*P], is kept. `draw`: i64.
  Value emitKept(OpBuilder &builder, Location loc, Value layer, Value draw, Value element) const;
};

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNN_TRANSFORMS_DROPOUTMASK_H
