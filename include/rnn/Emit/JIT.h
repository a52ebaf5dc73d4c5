//===- JIT.h - from a module to functions of this process -*- C++ -*-===//
//
// Compiles a module in memory and calls its functions with host tensors. The compiler does not link the runtime:
// whoever calls compiled code links it and hands its symbols and a call over.
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

namespace mlir {
class ExecutionEngine;
}

namespace mlir::rnn {

/// One function that compiled code may call.
struct RuntimeSymbol {
  llvm::StringRef name;
  void *address;
};

struct JITOptions {
  PipelineOptions pipeline;
  /// LLVM's level, 0 to 3.
  unsigned optimizationLevel = 3;
  /// The entries of the runtime: those of `rnnrt_abi_symbols` and of `rnnrt_abi_target_symbols` for the target.
  llvm::ArrayRef<RuntimeSymbol> symbols;
  /// How the passes run, for timing, printing and debugging.
  RunOptions passes;
};

/// What a function wants and gives, as tensors and scalars.
struct FunctionSignature {
  llvm::SmallVector<Type> inputs, results;
};

/// A compiled module. Functions may be called from several threads at once, each with a call of its own.
class CompiledModule {
public:
  ~CompiledModule();

  /// Runs the whole pipeline on `module` (which is changed) and compiles it for this machine. Diagnostics of passes go
  /// to the context; the error says which step failed.
  static llvm::Expected<std::unique_ptr<CompiledModule>> compile(ModuleOp module, const JITOptions &options);

  /// The signature of a public function, or an error that lists what there is.
  llvm::Expected<const FunctionSignature *> getSignature(llvm::StringRef name) const;

  /// Calls a function through its uniform entry. An input that does not fit fails the call (`rnnrt_call_status`), as
  /// does what goes wrong inside; there are no results then. Tensors of a function that works in device memory are
  /// copied there and back. Results own their memory.
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

  /// What `invoke` needs itself of the runtime.
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
  Runtime runtime;
};

/// Registers what `compile` needs to know of upstream: the dialects that the pipeline produces, their bufferization
/// models and their translations to LLVM IR. Call on the registry of the context before it is made.
void registerJITDialects(DialectRegistry &registry);

/// "tensor<2x3xf32>" for messages; element kinds that cannot cross the boundary are an error of `compile`.
std::optional<ElementKind> getElementKind(Type elementType);

} // namespace mlir::rnn

#endif // RNN_EMIT_JIT_H
