//===- CarryInPlace.cpp - loops that update what they carry ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallBuffers.h"
#include "TensorSizes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCARRYINPLACEPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// For each value that the loop carries, the value of the current iteration as the block of its yield sees it, or null
/// if the condition of an `scf.while` does not pass it on.
static SmallVector<Value> getCarried(LoopLikeOpInterface loop) {
  SmallVector<Value> carried(loop.getRegionIterArgs());
  auto whileLoop = dyn_cast<scf::WhileOp>(loop.getOperation());
  if (!whileLoop)
    return carried;
  for (Value &value : carried) {
    auto passed = llvm::find(whileLoop.getConditionOp().getArgs(), value);
    const size_t position = passed - whileLoop.getConditionOp().getArgs().begin();
    value = position < whileLoop.getAfterArguments().size() ? whileLoop.getAfterArguments()[position] : Value();
  }
  return carried;
}

/// Whether `value` is `carried` after updates in place, in each branch.
static bool isUpdateOf(Value value, Value carried) {
  if (value == carried)
    return true;
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return false;
  Operation *op = result.getOwner();
  const unsigned position = result.getResultNumber();
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return llvm::all_of(op->getRegions(), [&](Region &branch) {
      return isUpdateOf(branch.front().getTerminator()->getOperand(position), carried);
    });
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return isUpdateOf(destination.getTiedOpOperand(result)->get(), carried);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isUpdateOf(loop.getTiedLoopInit(result)->get(), carried);
  auto loop = dyn_cast<scf::WhileOp>(op);
  return loop && loop->getNumResults() == loop->getNumOperands() && isUpdateOf(loop.getInits()[position], carried);
}

/// Each carried value that starts undefined needs memory of its own. Bufferization (LLVM 22) lets those that start as
/// one empty tensor share it, although the loop writes different values to them.
static void separateEmptyInits(LoopLikeOpInterface loop) {
  for (OpOperand &init : loop.getInitsMutable())
    if (auto empty = init.get().getDefiningOp<tensor::EmptyOp>(); empty && !empty->hasOneUse())
      init.set(OpBuilder(loop).clone(*empty)->getResult(0));
}

/// Whether the value may be a view of memory that the loop updates. Results of most ops have memory of their own.
static bool mayBeView(Value value) {
  Operation *op = value.getDefiningOp();
  return !isa_and_nonnull<DestinationStyleOpInterface, tensor::FromElementsOp>(op);
}

static Value copy(OpBuilder &b, Value value) {
  return bufferization::AllocTensorOp::create(b, value.getLoc(), cast<RankedTensorType>(value.getType()),
                                              /*dynamicSizes=*/ValueRange(), /*copy=*/value);
}

/// Whether branches or inner loops return the value: bufferization assumes that each result of theirs may have the
/// memory of any value that they can return, and would not write to that memory.
static bool isPassedOn(Value carried, Operation *yield) {
  return llvm::any_of(carried.getUsers(), [&](Operation *user) {
    return user != yield && (user->hasTrait<OpTrait::IsTerminator>() || isa<LoopLikeOpInterface>(user));
  });
}

/// Writes `value` to the memory of `carried`, whose type is the same. Upstream's function for an insertion at the start
/// folds one that replaces all elements.
static Value writeTo(OpBuilder &b, Location loc, Value value, Value carried) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, carried);
  const SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)), ones(sizes.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, loc, value, carried, zeros, sizes, ones);
}

namespace {
struct CarryInPlace : public rnn::impl::RNNCarryInPlacePassBase<CarryInPlace> {
  void runOnOperation() override {
    const TensorSizes sizes(getOperation());
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      if (!isa<scf::ForOp, scf::WhileOp>(loop))
        return;
      separateEmptyInits(loop);
      SmallVector<std::pair<OpOperand *, Value>> updates;
      for (auto [carried, yielded] : llvm::zip_equal(getCarried(loop), *loop.getYieldedValuesMutable())) {
        Value next = yielded.get();
        if (!carried || isUpdateOf(next, carried) || carried.getType() != next.getType() ||
            !isSmall(dyn_cast<RankedTensorType>(carried.getType())) || !sizes.haveEqualShapes(next, carried))
          continue;
        // All values are read before one of them is written.
        OpBuilder b(yielded.getOwner());
        if (mayBeView(next))
          yielded.set(copy(b, next));
        updates.emplace_back(&yielded, carried);
      }
      for (auto [yielded, carried] : updates) {
        if (!isPassedOn(carried, yielded->getOwner()))
          continue;
        OpBuilder b = OpBuilder::atBlockBegin(yielded->getOwner()->getBlock());
        Value copied = copy(b, carried);
        carried.replaceAllUsesExcept(copied, copied.getDefiningOp());
      }
      for (auto [yielded, carried] : updates) {
        OpBuilder b(yielded->getOwner());
        yielded->set(writeTo(b, yielded->get().getLoc(), yielded->get(), carried));
      }
    });
  }
};
} // namespace
