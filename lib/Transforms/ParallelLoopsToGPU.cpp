//===- ParallelLoopsToGPU.cpp - convert parallel loops to kernels ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNPARALLELLOOPSTOGPUPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {

struct ParallelLoopsToGPU : public rnn::impl::RNNParallelLoopsToGPUPassBase<ParallelLoopsToGPU> {
  using RNNParallelLoopsToGPUPassBase::RNNParallelLoopsToGPUPassBase;

  void runOnOperation() override {
    if (blockSize < 1 || blockSize > 1024) {
      getOperation()->emitError("rnn-parallel-loops-to-gpu: expects `block-size` to be in [1, 1024], but got ")
          << blockSize;
      return signalPassFailure();
    }
    SmallVector<scf::ParallelOp> outermost;
    getOperation()->walk([&](scf::ParallelOp loop) {
      if (!loop->getParentOfType<scf::ParallelOp>() && !loop->getParentOfType<gpu::LaunchOp>() &&
          !loop->getParentOfType<gpu::GPUFuncOp>())
        outermost.push_back(loop);
    });
    for (scf::ParallelOp loop : outermost) {
      if (loop.getNumReductions() != 0) {
        loop.emitOpError("with a reduction cannot become a kernel; use a linalg op or an scf.for loop");
        return signalPassFailure();
      }
      serializeInner(loop);
      launch(loop);
    }
  }

private:
  /// Converts nested parallel loops without reductions to sequential loops: one thread runs them.
  static void serializeInner(scf::ParallelOp outer) {
    SmallVector<scf::ParallelOp> inner;
    outer.getBody()->walk<WalkOrder::PostOrder>([&](scf::ParallelOp loop) {
      if (loop.getNumReductions() == 0)
        inner.push_back(loop);
    });
    for (scf::ParallelOp loop : inner) {
      OpBuilder builder(loop);
      scf::buildLoopNest(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                         [&](OpBuilder &nested, Location, ValueRange indices) {
                           IRMapping mapping;
                           mapping.map(loop.getInductionVars(), indices);
                           for (Operation &op : loop.getBody()->without_terminator())
                             nested.clone(op, mapping);
                         });
      loop.erase();
    }
  }

  void launch(scf::ParallelOp loop) {
    Location loc = loop.getLoc();
    OpBuilder builder(loop);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1), zero = arith::ConstantIndexOp::create(builder, loc, 0),
          threads = arith::ConstantIndexOp::create(builder, loc, blockSize);
    // If a loop has no iteration, the guard is false; the basis of the indices must be positive nevertheless.
    SmallVector<Value> basis;
    Value total = one;
    for (auto [lower, upper, step] : llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
      Value span = arith::SubIOp::create(builder, loc, upper, lower);
      Value count = arith::CeilDivSIOp::create(builder, loc, span, step);
      basis.push_back(arith::MaxSIOp::create(builder, loc, count, one));
      count = arith::MaxSIOp::create(builder, loc, count, zero);
      total = arith::MulIOp::create(builder, loc, total, count);
    }
    // The driver rejects an empty grid. An empty loop launches one block, whose threads are masked off.
    Value blocks = arith::MaxSIOp::create(builder, loc, arith::CeilDivSIOp::create(builder, loc, total, threads), one);
    auto launch = gpu::LaunchOp::create(builder, loc, blocks, one, one, threads, one, one);
    builder.setInsertionPointToStart(&launch.getBody().front());
    Value first = arith::MulIOp::create(builder, loc, launch.getBlockIds().x, launch.getBlockSize().x);
    Value iteration = arith::AddIOp::create(builder, loc, first, launch.getThreadIds().x);
    Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, iteration, total);
    auto guard = scf::IfOp::create(builder, loc, inside, /*withElseRegion=*/false);
    gpu::TerminatorOp::create(builder, loc);
    builder.setInsertionPoint(guard.thenBlock()->getTerminator());
    SmallVector<Value> indices{iteration};
    if (basis.size() > 1)
      indices = llvm::to_vector(
          ValueRange(affine::AffineDelinearizeIndexOp::create(builder, loc, iteration, basis, /*hasOuterBound=*/true)
                         .getResults()));
    IRMapping mapping;
    for (auto [variable, index, lower, step] :
         llvm::zip(loop.getInductionVars(), indices, loop.getLowerBound(), loop.getStep())) {
      Value distance = arith::MulIOp::create(builder, loc, index, step);
      mapping.map(variable, arith::AddIOp::create(builder, loc, lower, distance));
    }
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    loop.erase();
  }
};

} // namespace
