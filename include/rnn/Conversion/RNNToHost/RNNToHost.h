//===- RNNToHost.h - rnn ops to compiled loops of the host -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RNNTOHOST_RNNTOHOST_H
#define RNN_CONVERSION_RNNTOHOST_RNNTOHOST_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::rnn {

/// Marks functions (in LLVM IR, too) whose loops are tiled and unrolled already: compilers should leave them as they are.
inline constexpr StringLiteral handTiledAttribute = "rnn-hand-tiled";

/// What the generated code is shaped for. It is right on every processor; these decide how fast.
struct HostVectors {
  /// Bits of one vector register.
  unsigned bits = 256;
  /// How many of them there are.
  unsigned registers = 16;
};

/// Turns each block LSTM op in memref form with lowering `fused` into loops; other ops are left alone. Functions that
/// the loops share are added to the module.
void convertRNNToHost(ModuleOp module, const HostVectors &vectors);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RNNTOHOST_RNNTOHOST_H
