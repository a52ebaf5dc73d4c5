//===- ArgumentName.h - names of the arguments of functions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNNRT_IR_ARGUMENTNAME_H
#define RNN_DIALECT_RNNRT_IR_ARGUMENTNAME_H

#include "llvm/ADT/StringRef.h"

namespace mlir::rnn {

/// The attribute with the name of a function argument or result (StringAttr).
inline constexpr llvm::StringLiteral kArgumentNameAttr = "rnn.name";

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNNRT_IR_ARGUMENTNAME_H
