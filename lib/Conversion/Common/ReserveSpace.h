//===- ReserveSpace.h - change reserve spaces from floats to bytes -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_COMMON_RESERVESPACE_H
#define RNN_LIB_CONVERSION_COMMON_RESERVESPACE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::rnn {

/// How a framework's ops define and use reserve spaces.
struct ReserveUses {
  /// The result or operand index of the reserve space, if the op has one.
  std::optional<unsigned> (*getResult)(Operation *op);
  std::optional<unsigned> (*getOperand)(Operation *op);
  /// Whether the forward op `op` writes it.
  bool (*isTraining)(Operation *op);
  /// An op whose result is its operand, or empty.
  StringLiteral identity;
  /// The flag of the pass, the category of remarks.
  StringLiteral category;
};

/// Changes the type of every value that carries a reserve space, and the signatures of functions that pass it, to
/// `tensor<?xi8>`. If an origin or use of a reserve space does not support it, the function reports an error and
/// changes nothing.
LogicalResult retypeReserveSpaces(ModuleOp module, const ReserveUses &uses);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_COMMON_RESERVESPACE_H
