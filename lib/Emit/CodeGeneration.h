//===- CodeGeneration.h - from LLVM IR to object files -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_EMIT_CODEGENERATION_H
#define RNN_LIB_EMIT_CODEGENERATION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
namespace object {
class ObjectFile;
}
} // namespace llvm

namespace mlir::rnn {

struct ObjectOptions;

inline llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(message.str());
}

/// The code generator for `triple`, `cpu` and `optimizationLevel` of the options.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const ObjectOptions &options);

/// Returns an object file. The module changes.
llvm::Expected<std::string> generateObject(llvm::Module &module, llvm::TargetMachine &machine);

/// Changes a part of a module, for the processor of the machine.
using PartOptimizer = llvm::function_ref<llvm::Error(llvm::Module &part, llvm::TargetMachine &machine)>;

/// Returns an archive (`ar`) of object files, which threads generate at the same time, each from a part of the module
/// after `optimize`. Private functions and data become hidden symbols. `level`: that of the machines, which threads
/// make from the options.
llvm::Expected<std::string> generateArchive(std::unique_ptr<llvm::Module> module, const ObjectOptions &options,
                                            llvm::CodeGenOptLevel level, PartOptimizer optimize);

/// Calls `body` for an object file, or for each one of an archive, until it fails.
llvm::Error forObjects(llvm::StringRef bytes, llvm::function_ref<llvm::Error(const llvm::object::ObjectFile &)> body);

} // namespace mlir::rnn

#endif // RNN_LIB_EMIT_CODEGENERATION_H
