//===- Kernel.h - one gpu.launch under construction -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_KERNEL_H
#define RNN_CODEGEN_GPU_KERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "rnn/Codegen/GPU/Emitter.h"

namespace mlir::rnn {

/// One launch under construction. The constructor moves the insertion point into the kernel, `finish` moves it behind
/// the launch.
class Kernel {
public:
  /// A `chained` kernel uses programmatic dependent launch: it may start before the previous launch in the stream has
  /// ended, and runs concurrently with it until `wait`.
  Kernel(const Emitter &host, StringRef name, Value blocks, int64_t threads, bool chained = false);
  /// Waits until the previous launch has ended and its stores are visible. Every thread of a chained kernel must
  /// execute it.
  void wait(const Emitter &e);
  void finish();

  Value getBlock() { return launch.getBlockIds().x; }
  Value getThread() { return launch.getThreadIds().x; }
  /// A buffer in shared memory.
  Value addWorkgroupBuffer(ArrayRef<int64_t> shape, Type element);

private:
  OpBuilder &builder;
  gpu::LaunchOp launch;
  bool chained;
};

/// Launches a kernel with one thread for each element of a `rows` x `columns` matrix.
void launchElementwise(const Emitter &host, StringRef name, Value rows, Value columns,
                       function_ref<void(const Emitter &e, Value row, Value column)> body);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_KERNEL_H
