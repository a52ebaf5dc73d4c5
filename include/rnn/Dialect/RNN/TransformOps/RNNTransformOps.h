//===- RNNTransformOps.h - ops of the transform dialect for rnn ops -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_TRANSFORMOPS_RNNTRANSFORMOPS_H
#define RNN_DIALECT_RNN_TRANSFORMOPS_RNNTRANSFORMOPS_H

#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "rnn/Dialect/RNN/TransformOps/RNNTransformOps.h.inc"

namespace mlir::rnn {

/// Adds the ops to the transform dialect.
void registerTransformDialectExtension(DialectRegistry &registry);

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNN_TRANSFORMOPS_RNNTRANSFORMOPS_H
