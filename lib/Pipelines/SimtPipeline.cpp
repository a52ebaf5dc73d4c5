//===- SimtPipeline.cpp - the parts of stages for target simt ----------------===//
//
// As target cuda up to the NVVM dialect. Then kernels become functions that the emulator calls. Buffers are in host
// memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Transforms/Passes.h"

using namespace mlir;

void rnn::addSimtBuffers(OpPassManager &pm) {
  // Outline kernels first: bufferization cannot model the memory effects of many ops inside them.
  pm.addPass(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createRNNOutlineKernelsPass());
}

void rnn::addSimtLaunches(OpPassManager &pm) {
  // Before emit: functions still have their call as an argument.
  pm.addPass(createRNNMakeCallCurrentPass());
}

void rnn::addSimtKernels(OpPassManager &pm, const PipelineOptions &options) {
  buildGPUKernelPipeline(pm, /*verifyAccesses=*/options.simtCheck);
}

void rnn::addSimtHost(OpPassManager &pm, const PipelineOptions &options) {
  SimtToHostPassOptions emulator;
  emulator.check = options.simtCheck;
  emulator.launches = false;
  // Kernels first: gpu-to-llvm would convert their ops to inline assembly.
  pm.addPass(createSimtToHostPass(emulator));
  pm.addPass(createGpuToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  emulator.launches = true;
  pm.addPass(createSimtToHostPass(emulator));
}
