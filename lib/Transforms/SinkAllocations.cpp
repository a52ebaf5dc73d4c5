//===- SinkAllocations.cpp - allocate buffers at their first use -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirstUser.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSINKALLOCATIONSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

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
