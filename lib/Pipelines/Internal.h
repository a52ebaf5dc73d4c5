//===- Internal.h - the parts of stages that one target adds -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_PIPELINES_INTERNAL_H
#define RNN_LIB_PIPELINES_INTERNAL_H

#include "rnn/Pipelines/Pipelines.h"

namespace mlir::rnn {

/// An error if option `name` of Options.def has no effect on the target. Messages write `prefix` before names of
/// options.
llvm::Error checkOptionOfTarget(StringRef name, TargetKind target, StringRef prefix);

/// Stage lower for device memory: linalg ops and parallel loops become gpu kernels, buffers move to the device.
void addCudaKernels(OpPassManager &pm);
void addCudaMemory(OpPassManager &pm);

/// Stage emit: converts gpu.func kernels to the NVVM dialect, with the same passes for cuda and simt. `verifyAccesses`
/// adds the checks of memref accesses that --simt-check requests; it is the only difference between the targets.
void buildGPUKernelPipeline(OpPassManager &pm, bool verifyAccesses = false);

/// Stage emit: kernels in the LLVM dialect with their target, before the host's code is converted.
void addCudaTargets(OpPassManager &pm, const PipelineOptions &options);
/// Launches become calls, and kernels binaries, after the host's code is converted.
void addCudaBinaries(OpPassManager &pm, const PipelineOptions &options);

/// Stage bufferize for programs with kernels of their own.
void addSimtBuffers(OpPassManager &pm);
/// Stage lower for emulated kernels: binds launches to the runtime call.
void addSimtLaunches(OpPassManager &pm);
/// Stage emit: kernels in the LLVM dialect, before the host's code is converted, and functions of the host after it.
void addSimtKernels(OpPassManager &pm, const PipelineOptions &options);
void addSimtHost(OpPassManager &pm, const PipelineOptions &options);

} // namespace mlir::rnn

#endif // RNN_LIB_PIPELINES_INTERNAL_H
