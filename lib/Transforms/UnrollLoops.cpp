//===- UnrollLoops.cpp - short loops of elementwise ops as straight code ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNUNROLLLOOPSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// The loop of the Threefry hash of `jax.random` has 5 iterations of more than 80 ops.
constexpr int64_t mostIterations = 8, mostOps = 1000;

/// The number of ops in the loop's body, including those in regions. None if the body has other ops than elementwise
/// linalg ops and those of the arith, math and tensor dialects.
static std::optional<int64_t> countElementwiseOps(scf::ForOp loop) {
  int64_t count = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic ? generic.getNumParallelLoops() != generic.getNumLoops()
                : op.getNumRegions() > 0 || !isMemoryEffectFree(&op) ||
                      !isa<arith::ArithDialect, math::MathDialect, tensor::TensorDialect>(op.getDialect()))
      return std::nullopt;
    op.walk([&](Operation *) { ++count; });
  }
  return count;
}

namespace {
struct UnrollLoops : public rnn::impl::RNNUnrollLoopsPassBase<UnrollLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      std::optional<llvm::APInt> iterations = loop.getStaticTripCount();
      if (!iterations || iterations->ugt(mostIterations))
        return;
      std::optional<int64_t> ops = countElementwiseOps(loop);
      if (ops && *ops * iterations->getSExtValue() <= mostOps)
        loops.push_back(loop);
    });
    if (loops.empty())
      return;
    for (scf::ForOp loop : loops)
      (void)loopUnrollFull(loop);
    // Tables that the iterations read become scalars.
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldConstantExtractSlicePatterns(
        patterns, [](tensor::ExtractSliceOp slice) { return slice.getType().getNumElements() == 1; });
    linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
