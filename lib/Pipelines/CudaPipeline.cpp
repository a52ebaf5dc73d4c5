//===- CudaPipeline.cpp - the parts of stages for target cuda ----------------===//
//
// The ops outside rnn ops (transposes, elementwise arithmetic, losses) become kernels too, since the host cannot access
// device memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;

void rnn::addCudaKernels(OpPassManager &pm) {
  pm.addPass(createRNNIsolateScalarLoopsPass());
  pm.addPass(createConvertLinalgToParallelLoopsPass());
  pm.addPass(createForallToParallelLoopPass());
  pm.addPass(createRNNParallelLoopsToGPUPass());
  pm.addPass(createCanonicalizerPass());
  // Recomputes sizes and indices in the kernel instead of passing them.
  pm.addPass(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createRNNOutlineKernelsPass());
  pm.addPass(createRNNMergeKernelModulesPass());
}

void rnn::addCudaMemory(OpPassManager &pm) {
  pm.addPass(createRNNUseDeviceMemoryPass());
}

void rnn::addCudaTargets(OpPassManager &pm, const PipelineOptions &options) {
  buildGPUKernelPipeline(pm);
  // Instructions that no upstream dialect has become inline assembly; the emulator reads the ops themselves.
  pm.addNestedPass<gpu::GPUModuleOp>(createConvertRNNGPUToNVVMPass());
  GpuNVVMAttachTargetOptions target;
  // Without a chip, PTX for the oldest supported architecture, which every later GPU accepts.
  target.chip = options.chip.empty() ? "sm_80" : options.chip;
  // Asynchronous stores and cluster-scope barriers need PTX 8.1 and 8.6; the default is 6.0.
  if (StringRef(target.chip).starts_with("sm_90"))
    target.features = "+ptx86";
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));
}

/// Where `ptxas` and libdevice are, or empty.
static std::string findToolkit() {
  for (const char *variable : {"CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"})
    if (std::optional<std::string> value = llvm::sys::Process::GetEnv(variable))
      return *value;
  for (StringRef place : {"/usr/local/cuda", "/opt/cuda"})
    if (llvm::sys::fs::exists(place + "/nvvm/libdevice"))
      return place.str();
  return "";
}

bool rnn::hasPtxas() {
  std::string bin = findToolkit() + "/bin";
  return llvm::sys::findProgramByName("ptxas", {bin}) || llvm::sys::findProgramByName("ptxas");
}

void rnn::addCudaBinaries(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createGpuToLLVMConversionPass());
  GpuModuleToBinaryPassOptions binary;
  binary.toolkitPath = findToolkit();
  pm.addNestedPass<gpu::GPUModuleOp>(createRNNCheckLibdevicePass({binary.toolkitPath}));
  const bool isMachineCode = options.kernelForm == PipelineOptions::KernelForm::Default
                                 ? !options.chip.empty() && hasPtxas()
                                 : options.kernelForm == PipelineOptions::KernelForm::Cubin;
  binary.compilationTarget = isMachineCode ? "bin" : "isa";
  pm.addPass(createGpuModuleToBinaryPass(binary));
}
