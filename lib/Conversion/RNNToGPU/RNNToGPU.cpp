//===- RNNToGPU.cpp - rnn ops to GPU kernels ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/LayerLowering.h"
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

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTRNNTOGPUPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct ConvertRNNToGPU : public rnn::impl::ConvertRNNToGPUPassBase<ConvertRNNToGPU> {
  using ConvertRNNToGPUPassBase::ConvertRNNToGPUPassBase;

  void runOnOperation() override {
    if (failed(rnn::checkConvertible(getOperation(), getArgument())))
      return signalPassFailure();
    rnn::RNNToGPUOptions options;
    if (rnn::TargetAttr target = rnn::TargetAttr::lookup(getOperation()))
      options = {
          {target.getTf32(), target.getInfo().hasClusters()}, target.getLargeGemms(), target.getWavefrontChunk()};
    // A pattern cannot fail the pass, so errors are counted: a persistent kernel that cannot be built is one.
    bool hasError = false;
    ScopedDiagnosticHandler errors(&getContext(), [&](Diagnostic &diagnostic) {
      hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return failure();
    });
    RewritePatternSet patterns(&getContext());
    rnn::populateRNNToGPUPatterns(patterns, options);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (hasError)
      signalPassFailure();
  }
};
} // namespace

void rnn::populateRNNToGPUPatterns(RewritePatternSet &patterns, const RNNToGPUOptions &options,
                                   PatternBenefit benefit) {
  populateLSTMToGPUPatterns(patterns, options, benefit);
  populateStackToGPUPatterns(patterns, options, benefit);
}
