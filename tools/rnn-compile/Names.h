//===- Names.h - names of arguments, from the text of a module -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_COMPILE_NAMES_H
#define RNN_TOOLS_RNN_COMPILE_NAMES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class AsmParserState;
}

namespace mlir::rnn {

/// Gives the arguments and results of public functions that have no `rnn.name` the names that they have in the text: %x
/// is x, and a result that `return` takes from %dx is dx. Numbers are no names.
void nameFromText(ModuleOp module, const AsmParserState &state);

} // namespace mlir::rnn

#endif // RNN_TOOLS_RNN_COMPILE_NAMES_H
