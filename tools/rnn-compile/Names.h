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

/// Sets `rnn.name` of arguments and results of public functions to their names in the text if they have no `rnn.name`:
/// %x is x, and a result that is returned from %dx is dx. Numbers are not names.
void nameFromText(ModuleOp module, const AsmParserState &state);

} // namespace mlir::rnn

#endif // RNN_TOOLS_RNN_COMPILE_NAMES_H
