//===- Parse.h - read a module with the names of its arguments -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_EMIT_PARSE_H
#define RNN_EMIT_PARSE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>

namespace llvm {
class SourceMgr;
}

namespace mlir::rnn {

/// Parses and verifies the main file of `sources`: bytecode, or text. Text without a module op becomes the body of one,
/// at line 1 of the file `name`. Arguments and results of public functions of a text get the attribute `rnn.name`,
/// unless they have it or `namesArguments` is false: %x is `x`, and a result that is returned from %dx is `dx`. Numbers
/// are not names. Null if the source is invalid, after an error.
OwningOpRef<ModuleOp> parseModule(const std::shared_ptr<llvm::SourceMgr> &sources, MLIRContext &context, StringRef name,
                                  bool namesArguments = true);

} // namespace mlir::rnn

#endif // RNN_EMIT_PARSE_H
