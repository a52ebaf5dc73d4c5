//===- RNNToGPU.cpp - rnn ops to GPU kernels ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
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
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTRNNTOGPUPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct ConvertRNNToGPU : public rnn::impl::ConvertRNNToGPUPassBase<ConvertRNNToGPU> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    rnn::populateRNNToGPUPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void rnn::populateRNNToGPUPatterns(RewritePatternSet &patterns, PatternBenefit benefit) {
  populateLSTMToGPUPatterns(patterns, benefit);
  populateCudnnToGPUPatterns(patterns, benefit);
}
