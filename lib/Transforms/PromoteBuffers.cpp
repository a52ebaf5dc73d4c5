//===- PromoteBuffers.cpp - small buffers outside of loops -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallBuffers.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNPROMOTEBUFFERSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// The most bytes of one buffer on the stack, and of all together: threads of programs may have stacks of 128 KiB.
constexpr int64_t stackBytes = 1024, mostStackBytes = 16 * 1024;
/// The most bytes of all buffers that move before loops.
constexpr int64_t mostHoistedBytes = 1 << 20;

/// The alignment of a buffer on the stack: as much as vectors need that shall not cross cache lines.
static int64_t getAlignment(memref::AllocOp alloc) {
  return std::min<int64_t>(llvm::PowerOf2Ceil(*getKnownBytes(alloc.getType())), 64);
}

/// Ops whose regions one thread executes, one iteration after the other.
static bool isSequential(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp, scf::ForOp, scf::WhileOp>(op);
}

/// Whether the allocation must stay in its place: if a loop passes the buffer on to its next iteration, if the function
/// returns or frees it, or if iterations may run at the same time.
static bool mustStay(memref::AllocOp alloc, const BufferViewFlowAnalysis &flow) {
  for (Operation *op = alloc->getParentOp(); !isa<func::FuncOp>(op); op = op->getParentOp())
    if (!isSequential(op))
      return true;
  for (Value alias : flow.resolve(alloc.getMemref()))
    for (Operation *user : alias.getUsers()) {
      if (auto effects = dyn_cast<MemoryEffectOpInterface>(user);
          effects && effects.getEffectOnValue<MemoryEffects::Free>(alias))
        return true;
      if (isa<CallOpInterface>(user) && llvm::any_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
        return true;
      if (!user->hasTrait<OpTrait::IsTerminator>())
        continue;
      Operation *parent = user->getParentOp();
      // Branches pass it on, and so do loops that begin after the allocation.
      if (!isSequential(parent) || (isa<LoopLikeOpInterface>(parent) && parent->isAncestor(alloc)))
        return true;
    }
  return false;
}

/// The outermost loop around an allocation before which its sizes are known, or null.
static Operation *findPlace(memref::AllocOp alloc) {
  Operation *place = nullptr;
  for (Operation *op = alloc->getParentOp(); !isa<func::FuncOp>(op); op = op->getParentOp()) {
    auto isInside = [&](Value size) { return op->isAncestor(size.getParentRegion()->getParentOp()); };
    if (llvm::any_of(alloc.getDynamicSizes(), isInside))
      break;
    if (isa<LoopLikeOpInterface>(op))
      place = op;
  }
  return place;
}

namespace {
struct PromoteBuffers : public rnn::impl::RNNPromoteBuffersPassBase<PromoteBuffers> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    const BufferViewFlowAnalysis flow(function);
    SmallVector<memref::AllocOp> promoted, hoisted;
    SmallVector<std::pair<memref::AllocOp, Operation *>> moved; // of unknown sizes, and the ops that they move before
    int64_t onStack = 0, beforeLoops = 0;
    function.walk([&](memref::AllocOp alloc) {
      if (!isSmall(alloc.getType()) || !alloc.getType().getLayout().isIdentity() || mustStay(alloc, flow))
        return;
      if (!alloc.getType().hasStaticShape()) {
        if (Operation *place = findPlace(alloc))
          moved.emplace_back(alloc, place);
        return;
      }
      const int64_t bytes = *getKnownBytes(alloc.getType()), aligned = llvm::alignTo(bytes, getAlignment(alloc));
      // LLVM keeps buffers on the stack in registers. Shuffles of bf16 vectors there may become X86ISD::VPERM2X128,
      // which LLVM 22 cannot select for bf16.
      if (bytes <= stackBytes && onStack + aligned <= mostStackBytes && !alloc.getType().getElementType().isBF16())
        onStack += aligned, promoted.push_back(alloc);
      else if (alloc->getParentOp() != function && beforeLoops + bytes <= mostHoistedBytes)
        beforeLoops += bytes, hoisted.push_back(alloc);
    });
    for (memref::AllocOp alloc : llvm::reverse(hoisted))
      alloc->moveBefore(&function.front(), function.front().begin());
    for (auto [alloc, place] : moved)
      alloc->moveBefore(place);
    for (memref::AllocOp alloc : llvm::reverse(promoted)) {
      OpBuilder b = OpBuilder::atBlockBegin(&function.front());
      auto stack =
          memref::AllocaOp::create(b, alloc.getLoc(), alloc.getType(), b.getI64IntegerAttr(getAlignment(alloc)));
      alloc.replaceAllUsesWith(stack.getResult());
      alloc.erase();
    }
  }
};
} // namespace
