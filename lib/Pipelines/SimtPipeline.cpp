//===- SimtPipeline.cpp - what target simt adds to the stages ----------------===//
//
// The path of target cuda up to the LLVM dialect; then the kernels become functions that the runtime's emulator calls.
// Memory is that of the host.
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
  // Programs for a GPU often manage their memory themselves.
  pm.addPass(createRNNKeepDeallocationsPass());
}

void rnn::addSimtLaunches(OpPassManager &pm) {
  // While functions still carry their call as a value.
  pm.addPass(createRNNMakeCallCurrentPass());
}

void rnn::addSimtKernels(OpPassManager &pm, const PipelineOptions &options) {
  buildGPUKernelPipeline(pm, /*verifyAccesses=*/options.simtCheck);
}

void rnn::addSimtHost(OpPassManager &pm, const PipelineOptions &options) {
  SimtToHostPassOptions emulator;
  emulator.check = options.simtCheck;
  emulator.launches = false;
  // The kernels first: gpu-to-llvm turns what it finds in them into assembly.
  pm.addPass(createSimtToHostPass(emulator));
  pm.addPass(createGpuToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  emulator.launches = true;
  pm.addPass(createSimtToHostPass(emulator));
}
