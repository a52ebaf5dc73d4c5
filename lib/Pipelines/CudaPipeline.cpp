//===- CudaPipeline.cpp - what target cuda adds to the stages ----------------===//
//
// The layers run as plans of the runtime (cuDNN). The code around them (transposes, elementwise arithmetic, losses)
// becomes kernels here, since the host cannot touch the memory of the device.
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
  // Sizes and indices are computed in the kernel again rather than passed to it.
  pm.addPass(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createRNNOutlineKernelsPass());
  pm.addPass(createRNNMergeKernelModulesPass());
}

void rnn::addCudaMemory(OpPassManager &pm) { pm.addPass(createRNNUseDeviceMemoryPass()); }

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

static bool hasPtxas(StringRef toolkit) {
  std::string bin = (toolkit + "/bin").str();
  return llvm::sys::findProgramByName("ptxas", {bin}) || llvm::sys::findProgramByName("ptxas");
}

void rnn::addCudaBinaries(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createGpuToLLVMConversionPass());
  GpuModuleToBinaryPassOptions binary;
  binary.toolkitPath = findToolkit();
  pm.addNestedPass<gpu::GPUModuleOp>(createRNNCheckLibdevicePass({binary.toolkitPath}));
  binary.compilationTarget = !options.chip.empty() && hasPtxas(binary.toolkitPath) ? "bin" : "isa";
  pm.addPass(createGpuModuleToBinaryPass(binary));
}
