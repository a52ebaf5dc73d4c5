//===- OutlineKernels.cpp - outline kernels with their launch properties -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNOUTLINEKERNELSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct OutlineKernels : public rnn::impl::RNNOutlineKernelsPassBase<OutlineKernels> {
  void runOnOperation() override {
    // Outlining keeps the location of a launch, so the attributes travel as the metadata of a temporary one.
    DenseMap<Attribute, std::pair<LocationAttr, DictionaryAttr>> properties;
    getOperation().walk([&](gpu::LaunchOp launch) {
      SmallVector<NamedAttribute> attributes;
      for (NamedAttribute attribute : launch->getDiscardableAttrs())
        if (isa_and_nonnull<rnngpu::RNNGPUDialect>(attribute.getNameDialect()))
          attributes.push_back(attribute);
      if (attributes.empty())
        return;
      auto metadata = DictionaryAttr::get(&getContext(), attributes);
      auto temporary = FusedLoc::get(&getContext(), {launch.getLoc()}, metadata);
      properties[temporary] = {launch.getLoc(), metadata};
      launch->setLoc(temporary);
    });
    OpPassManager pipeline(ModuleOp::getOperationName());
    pipeline.addPass(createGpuKernelOutliningPass());
    if (failed(runPipeline(pipeline, getOperation())))
      return signalPassFailure();
    if (properties.empty())
      return;
    getOperation().walk([&](Operation *op) {
      auto it = properties.find(LocationAttr(op->getLoc()));
      if (it == properties.end())
        return;
      auto [loc, attributes] = it->second;
      op->setLoc(loc);
      if (isa<gpu::GPUFuncOp>(op))
        for (NamedAttribute attribute : attributes)
          op->setDiscardableAttr(attribute.getName(), attribute.getValue());
    });
  }
};
} // namespace
