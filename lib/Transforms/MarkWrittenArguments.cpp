//===- MarkWrittenArguments.cpp - record which arguments functions write to --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNNRT/IR/ArgumentName.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNMARKWRITTENARGUMENTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {

/// The accesses to one buffer through all its views, also in callees.
class Accesses {
public:
  explicit Accesses(Value buffer) { follow(buffer); }

  bool isRead() const { return read; }
  bool isWritten() const { return written; }

private:
  void follow(Value buffer) {
    if (!seen.insert(buffer).second)
      return;
    for (OpOperand &use : buffer.getUses())
      add(use);
  }

  void add(OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(user); view && view.getViewSource() == use.get())
      return follow(view->getResult(0));
    if (isa<memref::DimOp, memref::RankOp>(user))
      return;
    if (auto tensor = dyn_cast<bufferization::ToTensorOp>(user)) {
      read = true;
      written |= tensor.getWritable();
      return;
    }
    if (auto call = dyn_cast<func::CallOp>(user)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
      if (callee && !callee.isExternal())
        return follow(callee.getArgument(use.getOperandNumber()));
    }
    // A gradient with lowering `fused` reads its reserve space and does not write it.
    if (auto gradient = dyn_cast<rnn::CudnnBackpropOp>(user);
        gradient && gradient.getReserveSpace() == use.get() && gradient.getLowering() == rnn::Lowering::Fused) {
      read = true;
      return;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    // A result or a region argument may be the buffer.
    const bool escapes = !effects || user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() ||
                         llvm::any_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
    if (escapes && !isa_and_nonnull<linalg::LinalgDialect>(user->getDialect())) {
      read = written = true;
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &instance : instances) {
      // An effect on no value may be one on this buffer.
      if (instance.getValue() && instance.getValue() != use.get())
        continue;
      if (!instance.getValue() && !isa<SideEffects::DefaultResource>(instance.getResource()))
        continue;
      read |= isa<MemoryEffects::Read>(instance.getEffect());
      written |= isa<MemoryEffects::Write>(instance.getEffect());
    }
  }

  DenseSet<Value> seen;
  bool read = false, written = false;
};

struct MarkWrittenArguments : public rnn::impl::RNNMarkWrittenArgumentsPassBase<MarkWrittenArguments> {
  void runOnOperation() override {
    Builder builder(&getContext());
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      for (BlockArgument argument : function.getArguments()) {
        unsigned index = argument.getArgNumber();
        StringRef access;
        if (isa<BaseMemRefType>(argument.getType())) {
          Accesses accesses(argument);
          access = !accesses.isWritten() ? "" : accesses.isRead() ? "readwrite" : "write";
        } else if (auto isWritable = function.getArgAttrOfType<BoolAttr>(index, writable);
                   isWritable && isWritable.getValue()) {
          access = "readwrite";
        }
        if (!access.empty() && !function.getArgAttr(index, rnn::kArgumentAccessAttr))
          function.setArgAttr(index, rnn::kArgumentAccessAttr, builder.getStringAttr(access));
      }
    }
  }
};
} // namespace
