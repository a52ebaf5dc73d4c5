//===- LinalgToHost.h - linalg ops to vectors and packed GEMMs of the host -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_LINALGTOHOST_LINALGTOHOST_H
#define RNN_CONVERSION_LINALGTOHOST_LINALGTOHOST_H

#include "mlir/IR/BuiltinOps.h"
#include "rnn/Codegen/CPU/Options.h"

namespace mlir::rnn {

/// Converts linalg ops on memrefs to loops over vectors and to calls of packed GEMMs, whose kernels are added to the
/// module. Ops of other forms are not changed.
void convertLinalgToHost(ModuleOp module, const HostVectors &vectors);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_LINALGTOHOST_LINALGTOHOST_H
