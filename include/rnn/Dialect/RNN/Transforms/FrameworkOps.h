//===- FrameworkOps.h - ops of other compilers' dialects -*- C++ -*-===//
//
// The ops may be unregistered.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_TRANSFORMS_FRAMEWORKOPS_H
#define RNN_DIALECT_RNN_TRANSFORMS_FRAMEWORKOPS_H

#include "mlir/IR/Operation.h"

namespace mlir::rnn {

/// An attribute of an op that may be unregistered, whose dictionary lacks its properties; null if absent.
Attribute getAttributeOrProperty(Operation *op, StringRef name);

/// The name of an op: its own, or the attribute `name` of a `torch.operator`.
StringRef getTorchName(Operation *op);

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNN_TRANSFORMS_FRAMEWORKOPS_H
