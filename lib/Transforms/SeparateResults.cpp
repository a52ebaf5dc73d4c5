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

/// Collects the tensors of which a tensor may be a view.
static void collectViewed(Value tensor, SmallPtrSetImpl<Value> &viewed) {
  Operation *op = tensor.getDefiningOp();
  if (isa_and_nonnull<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp,
                      tensor::ReshapeOp>(op))
    return collectViewed(op->getOperand(0), viewed);
  if (!isa_and_nonnull<scf::IfOp>(op)) {
    viewed.insert(tensor);
    return;
  }
  for (Region &branch : op->getRegions())
    collectViewed(branch.front().getTerminator()->getOperand(cast<OpResult>(tensor).getResultNumber()), viewed);
}

/// Copies each operand that may have memory of another one. A whole tensor is not copied for its views.
static void separate(Operation *terminator) {
  SmallVector<std::pair<OpOperand *, SmallPtrSet<Value, 4>>> views;
  llvm::SmallPtrSet<Value, 4> used;
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    SmallPtrSet<Value, 4> viewed;
    collectViewed(operand.get(), viewed);
    const bool isWhole = viewed.contains(operand.get());
    if (!isWhole || !used.insert(operand.get()).second)
      views.emplace_back(&operand, std::move(viewed));
  }
  OpBuilder b(terminator);
  for (auto &[operand, viewed] : views) {
    const bool isSeparate = llvm::none_of(viewed, [&](Value value) { return used.contains(value); });
    used.insert_range(viewed);
    if (!isSeparate)
      operand->set(bufferization::AllocTensorOp::create(b, terminator->getLoc(),
                                                        cast<RankedTensorType>(operand->get().getType()),
                                                        /*dynamicSizes=*/ValueRange(), /*copy=*/operand->get()));
  }
}

namespace {
struct SeparateResults : public rnn::impl::RNNSeparateResultsPassBase<SeparateResults> {
  using RNNSeparateResultsPassBase::RNNSeparateResultsPassBase;

  void runOnOperation() override {
    SymbolTableCollection tables;
    const SymbolUserMap users(tables, getOperation());
    getOperation().walk([&](Operation *op) {
      // A caller outside of the module gets results in separate memory.
      const bool isResult = isa<func::ReturnOp>(op) && !users.useEmpty(op->getParentOp());
      if (isResult || (isa<scf::YieldOp>(op) && isa<scf::ForOp>(op->getParentOp())))
        separate(op);
    });
  }
};
} // namespace
