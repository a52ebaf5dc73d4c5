//===- JIT.h - compile a module in memory -*- C++ -*-===//
//
// Compiles a module in memory and calls its functions with host tensors. The compiler does not link the runtime: the
// caller links it, and passes its symbols and a call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_EMIT_JIT_H
#define RNN_EMIT_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "rnn/Pipelines/Pipelines.h"
#include "rnn/Support/HostTensor.h"
#include "rnn_runtime/function.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ExecutionEngine;
}

namespace mlir::rnn {

/// A function that compiled code may call.
struct RuntimeSymbol {
  llvm::StringRef name;
  void *address;
};

struct JITOptions {
  PipelineOptions pipeline;
  /// The name of a public function: only it and the functions that it calls are compiled. Empty, or not the name of a
  /// public function: all are compiled.
  std::string function;
  /// LLVM's optimization level, 0 to 3.
  unsigned optimizationLevel = 3;
  /// The entry points of the runtime: those of `rnnrt_abi_symbols` and of `rnnrt_abi_target_symbols` for the target.
  llvm::ArrayRef<RuntimeSymbol> symbols;
  /// Features that differ from those of this machine, such as `+amx-tile` if the process emulates these instructions.
  std::vector<std::string> features;
  /// AddressSanitizer checks the memory accesses of compiled code. Its runtime must be part of the process.
  bool sanitizeAddress = false;
  /// Options of the pass manager: timing, printing and debugging.
  RunOptions passes;
};

/// The arguments and results of a function: types of tensors and scalars, and names, which are empty where the module
/// has none.
struct FunctionSignature {
  llvm::SmallVector<Type> inputs, results;
  llvm::SmallVector<std::string> inputNames, resultNames;
};

/// A compiled module. Several threads may call functions at the same time, each with its own call.
class CompiledModule {
public:
  ~CompiledModule();

  /// Runs the whole pipeline on `module`, which changes, and compiles it for this machine. Passes report diagnostics to
  /// the context. The error names the step that failed.
  static llvm::Expected<std::unique_ptr<CompiledModule>> compile(ModuleOp module, const JITOptions &options);

  /// The signature of a public function, or an error that lists all public functions.
  llvm::Expected<const FunctionSignature *> getSignature(llvm::StringRef name) const;

  /// The names of all public functions, in the order of the module.
  llvm::ArrayRef<std::string> getFunctionNames() const { return functionNames; }

  /// The entry point of a public function, or an error that lists all public functions.
  llvm::Expected<rnnrt_entry_t> getEntry(llvm::StringRef name) const;

  /// Calls a function through its entry point. An invalid input or an error during execution fails the call
  /// (`rnnrt_call_status`), which then has no results. If the function uses device memory, tensors are copied to the
  /// device and back. Results own their memory.
  llvm::Expected<llvm::SmallVector<HostTensor>> invoke(llvm::StringRef name, rnnrt_call *call,
                                                       llvm::ArrayRef<HostTensor> inputs) const;

private:
  CompiledModule() = default;

  struct Function {
    FunctionSignature signature;
    rnnrt_entry_t entry = nullptr;
    bool deviceMemory = false;
  };
  llvm::Expected<const Function *> getFunction(llvm::StringRef name) const;

  /// The runtime functions that `invoke` calls.
  struct Runtime {
    void (*release)(rnnrt_tensor_t *) = nullptr;
    void *(*allocate)(rnnrt_call *, int64_t) = nullptr;
    void (*free)(rnnrt_call *, void *) = nullptr;
    void (*copy)(rnnrt_call *, const void *, void *, int64_t) = nullptr;
    void (*read)(rnnrt_call *, const void *, void *, int64_t) = nullptr;

    void set(const RuntimeSymbol &symbol);
    bool isComplete() const { return release && allocate && free && copy && read; }
  };

  std::unique_ptr<ExecutionEngine> engine;
  llvm::StringMap<Function> functions;
  std::vector<std::string> functionNames;
  Runtime runtime;
};

/// Registers the dialects that the pipeline produces, their bufferization models and their translations to LLVM IR. Use
/// the registry to create the context of `compile`.
void registerJITDialects(DialectRegistry &registry);

/// The element kind of a scalar or element type, or none for an unsupported type.
std::optional<ElementKind> getElementKind(Type elementType);

} // namespace mlir::rnn

#endif // RNN_EMIT_JIT_H
