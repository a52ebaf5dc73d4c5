//===- LaunchCalls.h - names of the calls that launch GPU kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_EMIT_LAUNCHCALLS_H
#define RNN_LIB_EMIT_LAUNCHCALLS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::rnn {

/// Replaces calls of upstream's GPU runtime (`mgpu*`), which gpu-to-llvm and the translation of gpu.launch_func make,
/// by calls of the entries of librnn_runtime (rnn_runtime/mgpu.def). The names `mgpu*` belong to libmlir_cuda_runtime.
void renameLaunchCalls(llvm::Module &module);

} // namespace mlir::rnn

#endif // RNN_LIB_EMIT_LAUNCHCALLS_H
