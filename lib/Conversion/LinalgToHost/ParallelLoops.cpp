//===- ParallelLoops.cpp - scf.forall loops that threads share ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;
using cpu::HostBuilder;

/// Whether other threads may execute an op of the body: a linalg op on buffers, an op that computes indices, views and
/// buffers for them, or a loop of such ops.
static bool canBeShared(Operation &op) {
  if (auto sequence = dyn_cast<scf::ForOp>(op))
    return sequence.getNumResults() == 0 && llvm::all_of(*sequence.getBody(), canBeShared);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return isa<memref::AllocOp, memref::DeallocOp, scf::InParallelOp>(op) || isMemoryEffectFree(&op) ||
         (linalgOp && linalgOp.hasPureBufferSemantics());
}

/// The multiply-adds of the linalg ops in a block.
static uint64_t countWork(Block &block) {
  constexpr uint64_t assumed = 64, assumedTiles = 16; // iterations of loops of unknown size
  uint64_t work = 0;
  for (Operation &op : block) {
    if (auto sequence = dyn_cast<scf::ForOp>(op)) {
      work = llvm::SaturatingMultiplyAdd(assumedTiles, countWork(*sequence.getBody()), work);
    } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      const uint64_t iterations =
          countIterations(linalgOp.getStaticLoopRanges(), assumed, [](unsigned) { return true; });
      work = llvm::SaturatingMultiplyAdd<uint64_t>(iterations, getCost(*linalgOp.getBlock()), work);
    }
  }
  return work;
}

SmallVector<SharedLoop> host::findSharedLoops(ModuleOp module) {
  constexpr uint64_t mostWork = 1 << 30; // enough for any number of threads, and products with it do not overflow
  SmallVector<SharedLoop> found;
  module.walk([&](scf::ForallOp loop) {
    if (!loop.getMapping() && loop.getOutputs().empty() && !loop->getParentOfType<scf::ForallOp>() &&
        llvm::all_of(*loop.getBody(), canBeShared))
      found.push_back({loop, static_cast<int64_t>(std::min(countWork(*loop.getBody()), mostWork))});
  });
  return found;
}

/// Moves buffers that each iteration would allocate with the same size to the code before the loop over a thread's
/// iterations, and appends their deallocations to `freed`.
static void moveBuffers(scf::ForallOp loop, HostBuilder &b, SmallVectorImpl<Operation *> &freed) {
  SmallVector<memref::AllocOp> buffers;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto buffer = dyn_cast<memref::AllocOp>(op))
      buffers.push_back(buffer);
    // Branches allocate only what they need.
    return isa<scf::IfOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  for (memref::AllocOp buffer : buffers) {
    auto frees = llvm::make_filter_range(buffer->getUsers(), [&](Operation *user) {
      return isa<memref::DeallocOp>(user) && user->getBlock() == buffer->getBlock();
    });
    if (!llvm::all_of(buffer.getDynamicSizes(), [&](Value size) { return loop.isDefinedOutsideOfLoop(size); }) ||
        !llvm::hasSingleElement(frees))
      continue;
    Operation *free = *frees.begin();
    buffer->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
    freed.push_back(free);
  }
}

void host::shareLoop(const SharedLoop &shared, const HostVectors &vectors, cpu::KernelLibrary &library) {
  scf::ForallOp loop = shared.loop;
  Location loc = loop.getLoc();
  HostBuilder b(loc, loop, cpu::Tiles(Float32Type::get(loop.getContext()), vectors));
  auto toValues = [&](ArrayRef<OpFoldResult> values) { return getValueOrCreateConstantIndexOp(b, loc, values); };
  SmallVector<Value> from = toValues(loop.getMixedLowerBound()), to = toValues(loop.getMixedUpperBound()),
                     steps = toValues(loop.getMixedStep());
  SmallVector<Value> counts;
  Value total = b.index(1);
  for (auto [first, last, step] : llvm::zip_equal(from, to, steps)) {
    counts.push_back(b.createOrFold<arith::CeilDivUIOp>(b.max(b.sub(last, first), b.index(0)), step));
    total = b.mul(total, counts.back());
  }
  library.parallel(b, total, b.div(b.mul(total, b.index(shared.work)), b.index(leastShare)),
                   [&](const cpu::Team &team) {
                     Block &body = *loop.getBody();
                     SmallVector<Operation *> freed;
                     moveBuffers(loop, b, freed);
                     b.loop(team.begin(b, total), team.end(b, total), 1, [&](Value iteration) {
                       for (size_t dim = counts.size(); dim-- > 0;) {
                         Value position = b.createOrFold<arith::RemUIOp>(iteration, counts[dim]);
                         iteration = b.div(iteration, counts[dim]);
                         loop.getInductionVar(dim).replaceAllUsesWith(b.add(from[dim], b.mul(position, steps[dim])));
                       }
                       b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(), body.getOperations(),
                                                                     body.begin(), std::prev(body.end()));
                     });
                     for (Operation *free : freed)
                       free->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
                   });
  loop.erase();
}
