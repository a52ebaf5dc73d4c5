//===- KeepDeallocations.cpp - mark buffers with explicit deallocations ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNKEEPDEALLOCATIONSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct KeepDeallocations : public rnn::impl::RNNKeepDeallocationsPassBase<KeepDeallocations> {
  void runOnOperation() override {
    StringRef mark = bufferization::BufferizationDialect::kManualDeallocation;
    UnitAttr unit = UnitAttr::get(&getContext());
    getOperation()->walk([&](MemoryEffectOpInterface op) {
      for (Value buffer : op->getOperands()) {
        if (!isa<BaseMemRefType>(buffer.getType()) || !op.getEffectOnValue<MemoryEffects::Free>(buffer))
          continue;
        op->setAttr(mark, unit);
        while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
          buffer = view.getViewSource();
        if (Operation *allocation = buffer.getDefiningOp())
          allocation->setAttr(mark, unit);
      }
    });
  }
};
} // namespace
