//===- ExportedFunctions.h - the exported functions of a module -*- C++ -*-===//
//
// `rnn-emit-entries` records them in the module. The JIT and the C header writer read them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RUNTIMETOLLVM_EXPORTEDFUNCTIONS_H
#define RNN_CONVERSION_RUNTIMETOLLVM_EXPORTEDFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "rnn/Dialect/RNNRT/IR/ArgumentName.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::rnn {

/// An argument or result: a ranked or unranked tensor, or a scalar.
struct ExportedArgument {
  std::string name; ///< empty if the module does not name it
  Type type;
  /// For each dimension of a ranked tensor, a number that equal dynamic sizes of the function share, or 0. Empty if all
  /// are 0.
  std::vector<int64_t> sizes;
  int32_t flags = 0; ///< rnnrt_argument_flags_t
};

/// A function with an entry point.
struct ExportedFunction {
  std::string name;   ///< name in the module
  std::string symbol; ///< symbol of the entry point, an `rnnrt_entry_t`
  bool deviceMemory;  ///< tensors are in device memory
  llvm::SmallVector<ExportedArgument> inputs, results;
};

/// Returns the functions that `rnn-emit-entries` recorded in `module`, in order.
llvm::SmallVector<ExportedFunction> getExportedFunctions(ModuleOp module);

/// The rnnrt_dtype_t of a scalar or element type, or none for an unsupported type.
std::optional<int32_t> getRuntimeDType(Type type);

/// Replaces every character of `name` that is invalid in a C identifier by `_`.
std::string makeCIdentifier(llvm::StringRef name);

/// The error for a prefix of C names that `makeCIdentifier` would change.
std::string describeInvalidPrefix(llvm::StringRef prefix);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RUNTIMETOLLVM_EXPORTEDFUNCTIONS_H
