//===- PromoteBuffers.cpp - small buffers on the stack -----------------------===//
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

/// Threads of programs may have stacks of 128 KiB.
constexpr int64_t mostBytes = 16 * 1024;

/// The alignment of a small buffer, which need not be that of a large one. A vector does not cross its cache lines.
static int64_t getAlignment(memref::AllocOp alloc) {
  return std::min<int64_t>(llvm::PowerOf2Ceil(*getKnownBytes(alloc.getType())), 64);
}

/// Ops whose regions one thread executes, one iteration after the other.
static bool isSequential(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp, scf::ForOp, scf::WhileOp>(op);
}

/// Whether the buffer that an execution of `alloc` returns may be used beside or after that of the next one, or after
/// the function, or whether the function frees it itself.
static bool isOnHeap(memref::AllocOp alloc, const BufferViewFlowAnalysis &flow) {
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

namespace {
struct PromoteBuffers : public rnn::impl::RNNPromoteBuffersPassBase<PromoteBuffers> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    const BufferViewFlowAnalysis flow(function);
    SmallVector<memref::AllocOp> promoted;
    int64_t bytes = 0;
    function.walk([&](memref::AllocOp alloc) {
      // LLVM 22 cannot select X86ISD::VPERM2X128 of bf16, to which shuffles of values in registers lead.
      if (!isSmall(alloc.getType()) || alloc.getType().getElementType().isBF16() ||
          !alloc.getType().getLayout().isIdentity() || isOnHeap(alloc, flow))
        return;
      const int64_t size = llvm::alignTo(*getKnownBytes(alloc.getType()), getAlignment(alloc));
      if (bytes + size <= mostBytes)
        bytes += size, promoted.push_back(alloc);
    });
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
