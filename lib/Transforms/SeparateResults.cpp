//===- SeparateResults.cpp - tensors that are yielded or returned twice -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSEPARATERESULTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// The tensor of which a tensor is a view.
static Value getViewed(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

/// Copies each operand that has memory of an earlier one.
static void separate(Operation *terminator) {
  llvm::SmallPtrSet<Value, 4> seen;
  OpBuilder b(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || seen.insert(getViewed(operand.get())).second)
      continue;
    operand.set(bufferization::AllocTensorOp::create(b, terminator->getLoc(), type, /*dynamicSizes=*/ValueRange(),
                                                     /*copy=*/operand.get()));
  }
}

namespace {
struct SeparateResults : public rnn::impl::RNNSeparateResultsPassBase<SeparateResults> {
  using RNNSeparateResultsPassBase::RNNSeparateResultsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([&](Operation *op) {
      // A caller outside of the module gets results in separate memory.
      const bool isResult = isa<func::ReturnOp>(op) && !SymbolTable::symbolKnownUseEmpty(op->getParentOp(), module);
      if (isResult || (isa<scf::YieldOp>(op) && isa<scf::ForOp, scf::IndexSwitchOp>(op->getParentOp())))
        separate(op);
    });
  }
};
} // namespace
