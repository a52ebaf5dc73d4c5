//===- Runtime.h - a runtime session of rnn-run -*- C++ -*-===//
//
// A device, a stream and a call, released at the end; statuses as errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_RUN_RUNTIME_H
#define RNN_TOOLS_RNN_RUN_RUNTIME_H

#include "rnn/Emit/JIT.h"
#include "rnn_runtime/api.h"

namespace mlir::rnn {

class RuntimeSession {
public:
  ~RuntimeSession();
  /// Opens device `target`. `dropoutDraw` sets the dropout draw of every training forward pass; -1 uses the next one.
  static llvm::Expected<std::unique_ptr<RuntimeSession>> create(llvm::StringRef target, int64_t dropoutDraw);

  /// Calls `function` once; an error of the runtime during the call is an error here.
  llvm::Expected<llvm::SmallVector<HostTensor>> run(const CompiledModule &module, llvm::StringRef function,
                                                    llvm::ArrayRef<HostTensor> inputs);

  rnnrt_device_t *getDevice() const { return device; }
  /// The entries that code compiled for `target` may call.
  static llvm::Expected<llvm::SmallVector<RuntimeSymbol>> getSymbols(llvm::StringRef target);

private:
  rnnrt_device_t *device = nullptr;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;
};

} // namespace mlir::rnn

#endif // RNN_TOOLS_RNN_RUN_RUNTIME_H
