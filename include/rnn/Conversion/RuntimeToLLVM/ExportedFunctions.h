//===- ExportedFunctions.h - what a compiled module offers to its callers -*- C++ -*-===//
//
// `rnn-emit-entries` records it in the module; the JIT and the writer of C headers read it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RUNTIMETOLLVM_EXPORTEDFUNCTIONS_H
#define RNN_CONVERSION_RUNTIMETOLLVM_EXPORTEDFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace mlir::rnn {

/// On an argument or a result of a function: a StringAttr, its name for callers.
inline constexpr llvm::StringLiteral kArgumentNameAttr = "rnn.name";

/// An argument or a result. A ranked or unranked tensor, or a scalar.
struct ExportedArgument {
  std::string name; ///< as the module has it, empty if it has none
  Type type;
};

/// A function with a uniform entry.
struct ExportedFunction {
  std::string name;   ///< in the module
  std::string symbol; ///< of the entry, a `rnnrt_entry_t`
  bool deviceMemory;  ///< tensors are in device memory
  llvm::SmallVector<ExportedArgument> inputs, results;
};

/// What `rnn-emit-entries` recorded in `module`, in the order of the functions.
llvm::SmallVector<ExportedFunction> getExportedFunctions(ModuleOp module);

/// The rnnrt_dtype_t of a scalar or an element, or none for a type that cannot cross the boundary.
std::optional<int32_t> getRuntimeDType(Type type);

/// `name` with every character that a C identifier cannot have replaced by `_`.
std::string makeCIdentifier(llvm::StringRef name);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RUNTIMETOLLVM_EXPORTEDFUNCTIONS_H
