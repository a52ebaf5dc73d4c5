//===- RNNToHost.h - rnn ops to compiled loops of the host -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RNNTOHOST_RNNTOHOST_H
#define RNN_CONVERSION_RNNTOHOST_RNNTOHOST_H

#include "mlir/IR/BuiltinOps.h"
#include "rnn/Codegen/CPU/Options.h"

namespace mlir::rnn {

/// Converts layer ops in memref form with lowering `fused` to loops. Adds the kernels that the loops call to the
/// module.
void convertRNNToHost(ModuleOp module, const HostVectors &vectors);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RNNTOHOST_RNNTOHOST_H
