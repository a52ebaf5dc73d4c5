//===- SharedLayers.h - one function for identical layers -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOHOST_SHAREDLAYERS_H
#define RNN_LIB_CONVERSION_RNNTOHOST_SHAREDLAYERS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::rnn::host {

/// Moves layers that compile to the same loops to one private function, and calls it in their places after their
/// run-time checks. `ops` are the layers to convert; on return, those of the functions replace the calls.
void shareLayers(ModuleOp module, SmallVectorImpl<Operation *> &ops);

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_RNNTOHOST_SHAREDLAYERS_H
