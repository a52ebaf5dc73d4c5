//===- ArgumentName.h - names and accesses of the arguments of functions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNNRT_IR_ARGUMENTNAME_H
#define RNN_DIALECT_RNNRT_IR_ARGUMENTNAME_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::rnn {

/// The attribute with the name of a function argument or result (StringAttr).
inline constexpr llvm::StringLiteral kArgumentNameAttr = "rnn.name";

/// The attribute with the accesses to the memory of a memref argument (StringAttr): `write` or `readwrite`. Without it,
/// the argument is only read. `rnn-mark-written-arguments` sets it.
inline constexpr llvm::StringLiteral kArgumentAccessAttr = "rnn.access";

/// The name of an argument of a function in the program: that of the attribute, or of its location. Null without a
/// name.
inline StringAttr findArgumentName(FunctionOpInterface function, BlockArgument argument) {
  if (auto given = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kArgumentNameAttr))
    return given;
  auto location = argument.getLoc()->findInstanceOf<NameLoc>();
  return location ? location.getName() : StringAttr();
}

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNNRT_IR_ARGUMENTNAME_H
