//===- UseDeviceMemory.cpp - move buffers to device memory -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNUSEDEVICEMEMORYPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// The helper function that the lowering of `bufferization.dealloc` creates. Its arguments are arrays of addresses.
static bool isDeallocHelper(StringRef function) {
  return function.starts_with("dealloc_helper");
}

/// Returns true if `buffer` is such an array.
static bool isPassedToDeallocHelper(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (auto call = dyn_cast<func::CallOp>(user))
      return isDeallocHelper(call.getCallee());
    return isa<memref::CastOp>(user) && isPassedToDeallocHelper(user->getResult(0));
  });
}

static bool isHostMemory(Value buffer) {
  buffer = memref::skipViewLikeOps(cast<MemrefValue>(buffer));
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function && isDeallocHelper(function.getSymName());
  }
  Operation *op = buffer.getDefiningOp();
  return isa<memref::AllocaOp>(op) || (isa<memref::AllocOp>(op) && isPassedToDeallocHelper(buffer));
}

namespace {

/// Rewrites one function.
class Rewriter {
public:
  explicit Rewriter(func::FuncOp function) : function(function), builder(function.getContext()) {}

  LogicalResult rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    loc = op->getLoc();
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return rewriteAlloc(alloc);
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
      return rewriteDealloc(dealloc);
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      return rewriteCopy(copy);
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return rewriteLoad(load);
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return rewriteStore(store);
    if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      return rewriteGlobal(global);
    if (isa<gpu::LaunchFuncOp>(op)) {
      rnnrt::MakeCurrentOp::create(builder, loc, getCall());
      return success();
    }
    return check(op);
  }

private:
  Value getCall() { return rnnrt::CurrentCallOp::create(builder, loc, rnnrt::CallType::get(builder.getContext())); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  /// The number of bytes of a contiguous buffer.
  Value bytesOf(Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    Value bytes = index(elementBytes(type.getElementType()));
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      bytes = arith::MulIOp::create(builder, loc, bytes, memref::DimOp::create(builder, loc, buffer, dim));
    return bytes;
  }

  static int64_t elementBytes(Type type) {
    return isa<IndexType>(type) ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  }

  /// A rank-0 view of the element at `indices`.
  Value elementAt(Value buffer, ValueRange indices) {
    SmallVector<OpFoldResult> offsets(indices.begin(), indices.end());
    SmallVector<OpFoldResult> ones(indices.size(), builder.getIndexAttr(1));
    auto type = cast<MemRefType>(buffer.getType());
    auto reduced = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType({}, type, offsets, ones, ones));
    return memref::SubViewOp::create(builder, loc, reduced, buffer, offsets, ones, ones);
  }

  /// A rank-0 buffer on the stack.
  Value hostScalar(Type element) {
    OpBuilder::InsertionGuard guard(builder);
    // An alloca inside a loop would grow the stack, so it is in the entry block.
    builder.setInsertionPointToStart(&function.getBody().front());
    return memref::AllocaOp::create(builder, loc, MemRefType::get({}, element));
  }

  LogicalResult rewriteAlloc(memref::AllocOp op) {
    if (isHostMemory(op.getResult()))
      return success();
    if (!op.getType().getLayout().isIdentity())
      return op.emitOpError("has a layout; only contiguous buffers can be allocated on a device");
    Value buffer = rnnrt::AllocOp::create(builder, loc, op.getType(), getCall(), op.getDynamicSizes());
    op.replaceAllUsesWith(buffer);
    op.erase();
    return success();
  }

  LogicalResult rewriteDealloc(memref::DeallocOp op) {
    if (isHostMemory(op.getMemref()))
      return success();
    rnnrt::FreeOp::create(builder, loc, getCall(), op.getMemref());
    op.erase();
    return success();
  }

  LogicalResult rewriteCopy(memref::CopyOp op) {
    if (isHostMemory(op.getSource()) && isHostMemory(op.getTarget()))
      return success();
    for (Value side : {op.getSource(), op.getTarget()}) {
      auto type = dyn_cast<MemRefType>(side.getType());
      if (!type || !type.areTrailingDimsContiguous(type.getRank()))
        return op.emitOpError("between ") << op.getSource().getType() << " and " << op.getTarget().getType()
                                          << " is not contiguous; run rnn-expand-strided-copies first";
    }
    rnnrt::CopyOp::create(builder, loc, getCall(), op.getSource(), op.getTarget(), bytesOf(op.getSource()));
    op.erase();
    return success();
  }

  LogicalResult rewriteLoad(memref::LoadOp op) {
    if (isHostMemory(op.getMemref()))
      return success();
    Value scalar = hostScalar(op.getType());
    rnnrt::ReadOp::create(builder, loc, getCall(), elementAt(op.getMemref(), op.getIndices()), scalar,
                          index(elementBytes(op.getType())));
    op.replaceAllUsesWith(Value(memref::LoadOp::create(builder, loc, scalar)));
    op.erase();
    return success();
  }

  LogicalResult rewriteStore(memref::StoreOp op) {
    if (isHostMemory(op.getMemref()))
      return success();
    Type element = op.getValue().getType();
    Value scalar = hostScalar(element);
    memref::StoreOp::create(builder, loc, op.getValue(), scalar);
    rnnrt::CopyOp::create(builder, loc, getCall(), scalar, elementAt(op.getMemref(), op.getIndices()),
                          index(elementBytes(element)));
    op.erase();
    return success();
  }

  /// Uploads the constant to a buffer that is freed at the end of the block. All uses are in this block: the
  /// deallocation pipeline copies a buffer that leaves its block as a result.
  LogicalResult rewriteGlobal(memref::GetGlobalOp op) {
    auto type = cast<MemRefType>(op.getType());
    if (!type.hasStaticShape() || !type.getLayout().isIdentity())
      return op.emitOpError("of type ") << type << " cannot be uploaded: it is not contiguous or has a dynamic shape";
    Value call = getCall();
    builder.setInsertionPointAfter(op);
    Value buffer = rnnrt::AllocOp::create(builder, loc, type, call, ValueRange());
    auto upload = rnnrt::CopyOp::create(builder, loc, call, op.getResult(), buffer,
                                        index(type.getNumElements() * elementBytes(type.getElementType())));
    op.getResult().replaceAllUsesExcept(buffer, upload);
    builder.setInsertionPoint(op->getBlock()->getTerminator());
    rnnrt::FreeOp::create(builder, loc, call, buffer);
    return success();
  }

  /// Reports any other op that accesses a device buffer, since it runs on the host.
  LogicalResult check(Operation *op) {
    if (isa_and_nonnull<rnnrt::RNNRTDialect>(op->getDialect()) || isa<func::CallOp, func::ReturnOp>(op))
      return success();
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return success();
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      Value buffer = effect.getValue();
      if (!buffer || !isa<BaseMemRefType>(buffer.getType()) || isHostMemory(buffer))
        continue;
      return op->emitOpError("accesses a buffer in device memory, but runs on the host; use a linalg op or a parallel "
                             "loop, which become kernels, or target `host`");
    }
    return success();
  }

  func::FuncOp function;
  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
};

struct UseDeviceMemory : public rnn::impl::RNNUseDeviceMemoryPassBase<UseDeviceMemory> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || isDeallocHelper(function.getSymName()))
        continue;
      SmallVector<Operation *> ops;
      function.walk([&](Operation *op) {
        if (op != function)
          ops.push_back(op);
      });
      Rewriter rewriter(function);
      bool broken = false;
      for (Operation *op : ops)
        broken |= failed(rewriter.rewrite(op));
      if (broken)
        return signalPassFailure();
    }
  }
};

} // namespace
