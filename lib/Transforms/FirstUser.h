//===- FirstUser.h - the first user of an op -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_FIRSTUSER_H
#define RNN_LIB_TRANSFORMS_FIRSTUSER_H

#include "mlir/IR/Operation.h"

namespace mlir::rnn {

/// The first op of the block of `op` that uses a result of it, also in a region. Null if there is no use, or one in a
/// block that is not nested in this one.
inline Operation *findFirstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor)
      return nullptr;
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_FIRSTUSER_H
