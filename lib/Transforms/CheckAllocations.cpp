//===- CheckAllocations.cpp - check sizes of allocations at run time ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/Passes.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCHECKALLOCATIONSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
class CheckAllocations : public rnn::impl::RNNCheckAllocationsPassBase<CheckAllocations> {
public:
  void runOnOperation() override;

private:
  /// Returns true for a value that only sizes of existing buffers and constants determine.
  bool isSizeOfBuffers(Value size);
  void check(memref::AllocOp alloc);

  /// The answers of `isSizeOfBuffers`: sizes of unrolled loops share most of their expressions.
  DenseMap<Value, bool> sizesOfBuffers;
};
} // namespace

bool CheckAllocations::isSizeOfBuffers(Value size) {
  Operation *op = size.getDefiningOp();
  if (!op)
    return false;
  if (isa<memref::DimOp>(op) || op->hasTrait<OpTrait::ConstantLike>() ||
      isa_and_nonnull<rnnrt::RNNRTDialect, rnn::RNNDialect>(op->getDialect()))
    return true;
  if (!isa_and_nonnull<affine::AffineDialect, arith::ArithDialect>(op->getDialect()))
    return false;
  if (auto known = sizesOfBuffers.find(size); known != sizesOfBuffers.end())
    return known->second;
  bool result = llvm::all_of(op->getOperands(), [&](Value operand) { return isSizeOfBuffers(operand); });
  return sizesOfBuffers[size] = result;
}

void CheckAllocations::check(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (llvm::all_of(alloc.getDynamicSizes(), [&](Value size) { return isSizeOfBuffers(size); }))
    return;
  OpBuilder b(alloc);
  Location loc = alloc.getLoc();
  Type element = type.getElementType();
  int64_t bytes = element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      bytes = llvm::checkedMul<int64_t>(bytes, std::max<int64_t>(size, 1)).value_or(INT64_MAX);
  Value call = rnnrt::CurrentCallOp::create(b, loc, rnnrt::CallType::get(b.getContext()));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Value most = arith::ConstantIndexOp::create(b, loc, (int64_t(1) << 62) / bytes);
  // Sizes of buffers first: they are not checked, and reduce the limit of the others.
  for (bool isChecked : {false, true})
    for (auto [index, size] : llvm::enumerate(alloc.getDynamicSizes())) {
      if (isSizeOfBuffers(size) == isChecked)
        continue;
      if (isChecked) {
        std::string text;
        llvm::raw_string_ostream(text) << "'memref.alloc' op expects dynamic size " << index << " of " << type
                                       << " to be valid, with at most 2^62 bytes in all";
        rnnrt::ExpectRangeOp::create(b, loc, call, size, zero, most, b.getStringAttr(text));
      }
      most = b.createOrFold<arith::DivSIOp>(loc, most, b.createOrFold<arith::MaxSIOp>(loc, size, one));
    }
}

void CheckAllocations::runOnOperation() {
  sizesOfBuffers.clear();
  SmallVector<memref::AllocOp> allocations;
  getOperation()->walk([&](memref::AllocOp alloc) {
    // Kernels have no call.
    auto function = alloc->getParentOfType<func::FuncOp>();
    if (function && !function->getParentOfType<gpu::GPUModuleOp>() && !alloc->getParentOfType<gpu::LaunchOp>())
      allocations.push_back(alloc);
  });
  for (memref::AllocOp alloc : allocations)
    check(alloc);
}
