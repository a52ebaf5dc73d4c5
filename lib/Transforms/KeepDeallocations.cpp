//===- KeepDeallocations.cpp - functions that free buffers themselves --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/BufferDeallocationOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNDEALLOCATEBUFFERSPASS
#define GEN_PASS_DEF_RNNKEEPDEALLOCATIONSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {

constexpr StringLiteral mark = bufferization::BufferizationDialect::kManualDeallocation;

/// Calls `callback` for each buffer that an op of the function frees.
void forEachFree(FunctionOpInterface function, function_ref<void(MemoryEffectOpInterface, Value)> callback) {
  function.walk([&](MemoryEffectOpInterface op) {
    for (Value operand : op->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) && op.getEffectOnValue<MemoryEffects::Free>(operand))
        callback(op, operand);
  });
}

bool hasTensors(FunctionOpInterface function) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(function.getArgumentTypes(), isTensor) ||
         function
             .walk([&](Operation *op) { return WalkResult(success(llvm::none_of(op->getResultTypes(), isTensor))); })
             .wasInterrupted();
}

struct KeepDeallocations : public rnn::impl::RNNKeepDeallocationsPassBase<KeepDeallocations> {
  void runOnOperation() override {
    bool hasFailed = false;
    getOperation()->walk([&](FunctionOpInterface function) {
      if (hasTensors(function))
        forEachFree(function, [&](MemoryEffectOpInterface op, Value buffer) { hasFailed |= failed(keep(op, buffer)); });
    });
    if (hasFailed)
      signalPassFailure();
  }

private:
  LogicalResult keep(MemoryEffectOpInterface op, Value buffer) {
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    auto allocation = buffer.getDefiningOp<MemoryEffectOpInterface>();
    auto argument = dyn_cast<BlockArgument>(buffer);
    bool isOfCaller =
        argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) && argument.getOwner()->isEntryBlock();
    if (!isOfCaller && (!allocation || !allocation.getEffectOnValue<MemoryEffects::Allocate>(buffer)))
      return op->emitOpError("frees a buffer whose allocation is not known, in a function with tensors, whose buffers "
                             "the compiler frees; move the code on memrefs to a function of its own");
    UnitAttr unit = UnitAttr::get(&getContext());
    op->setAttr(mark, unit);
    if (allocation)
      allocation->setAttr(mark, unit);
    return success();
  }
};

struct DeallocateBuffers : public rnn::impl::RNNDeallocateBuffersPassBase<DeallocateBuffers> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    bool hasFailed = false;
    getOperation()->walk([&](FunctionOpInterface function) {
      bool freesItself = false;
      forEachFree(function, [&](MemoryEffectOpInterface op, Value) { freesItself |= !op->hasAttr(mark); });
      if (!freesItself && !function.isExternal())
        hasFailed |= failed(
            bufferization::deallocateBuffersOwnershipBased(function, bufferization::DeallocationOptions(), symbols));
    });
    if (hasFailed)
      signalPassFailure();
  }
};

} // namespace
