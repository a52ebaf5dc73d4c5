//===- CompiledKernel.h - one function of kernel calls, compiled -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_UNITTESTS_CODEGEN_CPU_COMPILEDKERNEL_H
#define RNN_UNITTESTS_CODEGEN_CPU_COMPILEDKERNEL_H

#include "mlir/IR/MLIRContext.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"
#include "rnn/Emit/JIT.h"
#include "rnn_runtime/api.h"

namespace mlir::rnn::cpu {

/// A device and a call of the runtime, and a context with the dialects that the JIT needs.
class KernelContext {
public:
  KernelContext();
  ~KernelContext();

  MLIRContext context;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;

  Type getType(ElementKind kind);
  /// memref<?xT> and memref<?x?xT>
  MemRefType getBuffer(ElementKind kind);
  MemRefType getMatrix(ElementKind kind);
};

/// A function whose body `emit` generates, compiled for this processor. Arguments are memrefs and indices.
class CompiledKernel {
public:
  using Emit = function_ref<void(HostBuilder &, KernelLibrary &, ValueRange)>;

  CompiledKernel(KernelContext &context, ArrayRef<Type> arguments, const Tiles &tiles, Emit emit);

  /// Buffers are modified in place. Aborts if the call fails.
  void operator()(ArrayRef<HostTensor> arguments) const;

private:
  KernelContext &context;
  std::unique_ptr<CompiledModule> module;
};

HostTensor makeTensor(ElementKind kind, ArrayRef<int64_t> shape);
HostTensor makeIndex(int64_t value);

} // namespace mlir::rnn::cpu

#endif // RNN_UNITTESTS_CODEGEN_CPU_COMPILEDKERNEL_H
