//===- SimtToHost.cpp - gpu kernels as functions of the host -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "rnn/Conversion/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_SIMTTOHOSTPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct SimtToHost : public rnn::impl::SimtToHostPassBase<SimtToHost> {
  using SimtToHostPassBase::SimtToHostPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    rnn::simt::EntryBuilder entries(module);
    SmallVector<gpu::GPUModuleOp> modules(module.getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp gpuModule : modules)
      if (failed(rnn::simt::moveToHost(gpuModule, entries, check)))
        return signalPassFailure();
    if (!launches)
      return;
    if (failed(rnn::simt::convertHostCode(entries)))
      return signalPassFailure();
    for (gpu::GPUModuleOp gpuModule : modules)
      gpuModule.erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};
} // namespace
