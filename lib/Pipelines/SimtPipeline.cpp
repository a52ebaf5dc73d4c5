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
  // What stands in a kernel is none of the business of bufferization, which does not know the effects of many of its
  // ops.
  pm.addPass(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createGpuKernelOutliningPass());
  // Programs for a GPU often manage their memory themselves.
  pm.addPass(createRNNKeepDeallocationsPass());
}

void rnn::addSimtLaunches(OpPassManager &pm) {
  // While functions still carry their call as a value.
  pm.addPass(createRNNMakeCallCurrentPass());
}

void rnn::addSimtKernels(OpPassManager &pm, const PipelineOptions &options) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createRNNExpandGPUReductionsPass());
  // Sees the memrefs that indices belong to; the emulator sees addresses only.
  if (options.simtCheck) {
    std::unique_ptr<Pass> verification = createGenerateRuntimeVerificationPass();
    // Messages name the place alone; upstream's function for this pass takes no options.
    LogicalResult known = verification->initializeOptions("verbose-level=0", [](const Twine &) { return failure(); });
    assert(succeeded(known) && "upstream's pass has this option");
    (void)known;
    kernels.addPass(std::move(verification));
  }
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(createConvertVectorToSCFPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  // What is left are shuffles and broadcasts of vectors of several dimensions.
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
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
