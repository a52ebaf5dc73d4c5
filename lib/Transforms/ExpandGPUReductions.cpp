//===- ExpandGPUReductions.cpp - expand reductions over gpu threads ----------===//
//
// Upstream registers these patterns in test passes only.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNEXPANDGPUREDUCTIONSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct ExpandGPUReductions : public rnn::impl::RNNExpandGPUReductionsPassBase<ExpandGPUReductions> {
  void runOnOperation() override {
    constexpr unsigned warpSize = 32, shuffleBits = 32;
    RewritePatternSet patterns(&getContext());
    populateGpuRewritePatterns(patterns);
    populateGpuBreakDownSubgroupReducePatterns(patterns, shuffleBits, PatternBenefit(3));
    populateGpuLowerSubgroupReduceToShufflePatterns(patterns, warpSize, shuffleBits, PatternBenefit(2));
    populateGpuLowerClusteredSubgroupReduceToShufflePatterns(patterns, warpSize, shuffleBits, PatternBenefit(1));
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
