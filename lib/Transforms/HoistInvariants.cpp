//===- HoistInvariants.cpp - moves invariant tensor ops out of loops ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNHOISTINVARIANTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// Whether the value is an empty tensor or one filled with a scalar from outside of `loop`. The op that accumulates
/// into it can have its own.
static bool isFreshInit(Value value, LoopLikeOpInterface loop) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return loop.isDefinedOutsideOfLoop(fill.getInputs().front()) && isFreshInit(fill.getOutputs().front(), loop);
  auto empty = value.getDefiningOp<tensor::EmptyOp>();
  return empty && empty.getType().hasStaticShape();
}

static Value cloneFreshInit(OpBuilder &b, Value value) {
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    mapping.map(fill.getOutputs().front(), cloneFreshInit(b, fill.getOutputs().front()));
  return b.clone(*op, mapping)->getResult(0);
}

/// Whether a user may write to a result in place. Outside of the loop, bufferization would copy the result for each
/// iteration.
static bool isOverwritten(Operation *op) {
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    return (user && user.isDpsInit(&use)) || use.getOwner()->hasTrait<OpTrait::IsTerminator>() ||
           isa<LoopLikeOpInterface>(use.getOwner());
  });
}

/// Whether each iteration of the loop computes the same results from tensors. What has no such operands, as a fill, is
/// cheaper to compute than to load.
static bool isInvariant(Operation *op, LoopLikeOpInterface loop) {
  if (op->hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(op) || !isSpeculatable(op) || isOverwritten(op))
    return false;
  SetVector<Value> inputs;
  getUsedValuesDefinedAbove(op->getRegions(), inputs);
  // Elements that the region reads have checked indices, see below.
  if (llvm::any_of(inputs, [](Value value) { return isa<ShapedType>(value.getType()); }))
    return false;
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (!destination || !destination.isDpsInit(&operand) || !isFreshInit(operand.get(), loop))
      inputs.insert(operand.get());
  // The loop may have no iterations, and it contains the checks of sizes and indices of run time.
  auto isKnown = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? shaped.hasStaticShape() : !type.isIndex();
  };
  auto isKnownInput = [&](Value value) { return loop.isDefinedOutsideOfLoop(value) && isKnown(value.getType()); };
  return llvm::all_of(inputs, isKnownInput) && llvm::all_of(op->getResultTypes(), isKnown) &&
         llvm::any_of(inputs, [](Value value) { return isa<TensorType>(value.getType()); });
}

namespace {
struct HoistInvariants : public rnn::impl::RNNHoistInvariantsPassBase<HoistInvariants> {
  void runOnOperation() override {
    // Inner loops first: what leaves them may leave the outer ones, too.
    getOperation()->walk([](LoopLikeOpInterface loop) {
      for (Region *region : loop.getLoopRegions()) {
        for (Operation &op : llvm::make_early_inc_range(region->getOps())) {
          if (!isInvariant(&op, loop))
            continue;
          OpBuilder b(loop);
          if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
            for (OpOperand &init : destination.getDpsInitsMutable())
              if (isFreshInit(init.get(), loop))
                init.set(cloneFreshInit(b, init.get()));
          loop.moveOutOfLoop(&op);
        }
      }
    });
  }
};
} // namespace
