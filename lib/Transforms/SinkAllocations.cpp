//===- SinkAllocations.cpp - allocate buffers at their first use -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSINKALLOCATIONSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// The first op of the allocation's block that uses the buffer, also in a region. Null if a use is in another block
/// that is not nested in this one.
static Operation *findFirstUser(Operation *allocation) {
  Operation *first = nullptr;
  for (Operation *user : allocation->getUsers()) {
    Operation *ancestor = allocation->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor)
      return nullptr;
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

namespace {
struct SinkAllocations : public rnn::impl::RNNSinkAllocationsPassBase<SinkAllocations> {
  void runOnOperation() override {
    SmallVector<Operation *> allocations;
    getOperation()->walk([&](Operation *op) {
      if (isa<memref::AllocOp, rnnrt::AllocOp>(op))
        allocations.push_back(op);
    });
    // Allocations with the same first use keep their order.
    for (Operation *allocation : allocations)
      if (Operation *user = findFirstUser(allocation))
        allocation->moveBefore(user);
  }
};
} // namespace
