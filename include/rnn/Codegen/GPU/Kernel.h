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
  struct Options {
    /// Programmatic dependent launch: the kernel may start before the previous launch in the stream has ended, and runs
    /// concurrently with it until `wait`.
    bool chained = false;
    int64_t cluster = 1; ///< blocks per cluster; divides the blocks
    /// Shared memory of all buffers that will be added, each rounded up to 16 bytes, if that exceeds the limit of
    /// static shared memory.
    int64_t dynamicBytes = 0;
  };
  /// The limit of static shared memory of a block.
  static constexpr int64_t maxStaticBytes = 48 * 1024;

  Kernel(const Emitter &host, StringRef name, Value blocks, int64_t threads)
      : Kernel(host, name, blocks, threads, Options()) {}
  Kernel(const Emitter &host, StringRef name, Value blocks, int64_t threads, const Options &options);
  /// Waits until the previous launch has ended and its stores are visible. Every thread of a chained kernel must
  /// execute it.
  void wait(const Emitter &e);
  void finish();

  Value getBlock() { return launch.getBlockIds().x; }
  Value getThread() { return launch.getThreadIds().x; }
  /// A buffer in shared memory.
  Value addWorkgroupBuffer(ArrayRef<int64_t> shape, Type element);

private:
  Attribute getSpace() const;

  OpBuilder &builder;
  gpu::LaunchOp launch;
  bool chained;
  Value dynamic;          ///< dynamic shared memory, or null
  int64_t dynamicEnd = 0; ///< bytes of it that are in use
};

/// Launches a kernel with one thread for each element of a `rows` x `columns` matrix.
void launchElementwise(const Emitter &host, StringRef name, Value rows, Value columns,
                       function_ref<void(const Emitter &e, Value row, Value column)> body);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_KERNEL_H
