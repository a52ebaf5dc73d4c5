//===- GPUKernelPipeline.cpp - gpu.func to the NVVM dialect --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "rnn/Transforms/Passes.h"

using namespace mlir;

void rnn::buildGPUKernelPipeline(OpPassManager &pm, bool verifyAccesses) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  // Reductions of subgroups have no lowering upstream that suits both targets.
  kernels.addPass(createRNNExpandGPUReductionsPass());
  // Before memrefs become pointers: the checks compare indices with the sizes of memrefs.
  if (verifyAccesses) {
    std::unique_ptr<Pass> verification = createGenerateRuntimeVerificationPass();
    // Messages name the location only; the pass has no constructor with options.
    LogicalResult known = verification->initializeOptions("verbose-level=0", [](const Twine &) { return failure(); });
    assert(succeeded(known) && "the upstream pass has this option");
    (void)known;
    kernels.addPass(std::move(verification));
  }
  kernels.addPass(createConvertNVGPUToNVVMPass());
  // Transfers of several dimensions become loops over vectors of one.
  kernels.addPass(createConvertVectorToSCFPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createRNNReinterpretExpandShapesPass()); // the next pass crashes on such ops
  kernels.addPass(memref::createExpandStridedMetadataPass());
  // The pass above creates affine.apply.
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(arith::createArithExpandOpsPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  // Shuffles and broadcasts of vectors of several dimensions, which the pass above leaves.
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
}
