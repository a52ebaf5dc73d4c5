//===- RNNToGPU.cpp - rnn ops to GPU kernels ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTRNNTOGPUPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct ConvertRNNToGPU : public rnn::impl::ConvertRNNToGPUPassBase<ConvertRNNToGPU> {
  using ConvertRNNToGPUPassBase::ConvertRNNToGPUPassBase;

  void runOnOperation() override {
    std::optional<rnn::LargeGemms> large = rnn::symbolizeLargeGemms(largeGemms);
    if (!large) {
      getOperation()->emitError("expects `large-gemms` to be auto, kernel or library, but got ") << largeGemms;
      return signalPassFailure();
    }
    if (kernelFamily != "auto" && kernelFamily != "step" && kernelFamily != "cluster") {
      getOperation()->emitError("expects `kernel-family` to be auto, step or cluster, but got ") << kernelFamily;
      return signalPassFailure();
    }
    if (kernelFamily != "auto")
      getOperation()->walk([&](rnn::LayerOpInterface op) { setFamily(op); });
    RewritePatternSet patterns(&getContext());
    rnn::populateRNNToGPUPatterns(patterns, {{tf32, programmatic}, *large});
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

private:
  /// What is written on an op, or around it, stays.
  void setFamily(Operation *op) {
    constexpr StringLiteral name = "rnn.kernel_family";
    for (Operation *around = op; around; around = around->getParentOp())
      if (around->hasAttr(name))
        return;
    op->setDiscardableAttr(name, StringAttr::get(op->getContext(), kernelFamily.getValue()));
  }
};
} // namespace

std::optional<rnn::LargeGemms> rnn::symbolizeLargeGemms(StringRef name) {
  return llvm::StringSwitch<std::optional<LargeGemms>>(name)
      .Case("kernel", LargeGemms::Kernel)
      .Case("auto", LargeGemms::Auto)
      .Case("library", LargeGemms::Library)
      .Default(std::nullopt);
}

void rnn::populateRNNToGPUPatterns(RewritePatternSet &patterns, const RNNToGPUOptions &options,
                                   PatternBenefit benefit) {
  populateLSTMToGPUPatterns(patterns, options, benefit);
  populateStackToGPUPatterns(patterns, options, benefit);
}
