//===- ResultMemory.cpp - results in memory of the program -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "rnn_runtime/types.h"

using namespace mlir;
using namespace mlir::rnn;

Value rnn::buildBuffer(OpBuilder &builder, Location loc, MemRefType type, ValueRange dynamicSizes,
                       llvm::function_ref<Value(Value)> allocate) {
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  };
  // Row-major strides: that of a dimension is the product of the sizes of the later ones.
  SmallVector<Value> sizes(type.getRank()), strides(type.getRank());
  unsigned dynamic = type.getNumDynamicDims();
  Value elements = constant(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    sizes[dim] = type.isDynamicDim(dim) ? arith::IndexCastOp::create(builder, loc, i64, dynamicSizes[--dynamic])
                                        : constant(type.getDimSize(dim));
    strides[dim] = elements;
    elements = LLVM::MulOp::create(builder, loc, elements, sizes[dim]);
  }
  Type element = type.getElementType();
  const int64_t width = isa<IndexType>(element) ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  Value pointer = allocate(LLVM::MulOp::create(builder, loc, elements, constant(width)));

  LLVMTypeConverter converter(builder.getContext());
  auto descriptor = MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  descriptor.setConstantOffset(builder, loc, 0);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    descriptor.setSize(builder, loc, dim, sizes[dim]);
    descriptor.setStride(builder, loc, dim, strides[dim]);
  }
  return UnrealizedConversionCastOp::create(builder, loc, type, Value(descriptor)).getResult(0);
}

/// The allocation of `result`, if every call of the function executes it once and nothing frees it.
static memref::AllocOp findAllocation(Value result, func::FuncOp function) {
  while (auto cast = result.getDefiningOp<memref::CastOp>())
    result = cast.getSource();
  auto alloc = result.getDefiningOp<memref::AllocOp>();
  // Allocations in other blocks may be executed several times or not at all.
  if (!alloc || alloc->getBlock() != &function.getBody().front() || !alloc.getType().getLayout().isIdentity() ||
      alloc.getAlignment().value_or(0) > RNNRT_MEMORY_ALIGNMENT)
    return {};
  const bool isFreed = llvm::any_of(alloc->getUsers(), llvm::IsaPred<memref::DeallocOp>);
  return isFreed ? memref::AllocOp() : alloc;
}

void rnn::allocateResults(func::FuncOp function, func::ReturnOp end) {
  llvm::MapVector<Operation *, SmallVector<int64_t>> results;
  for (auto [index, value] : llvm::enumerate(end.getOperands()))
    if (memref::AllocOp alloc = findAllocation(value, function))
      results[alloc].push_back(index);
  for (auto &[op, indices] : results) {
    if (indices.size() > 1) // one memory for several results
      continue;
    auto alloc = cast<memref::AllocOp>(op);
    const int64_t result = indices.front();
    OpBuilder builder(alloc);
    Location loc = alloc.getLoc();
    Value buffer = buildBuffer(builder, loc, alloc.getType(), alloc.getDynamicSizes(), [&](Value bytes) {
      Value index = LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(result));
      return callEntry(builder, function->getParentOfType<ModuleOp>(), loc, "rnnrt_abi_alloc_result",
                       {function.getArgument(0), index, bytes})
          .getResult();
    });
    alloc.replaceAllUsesWith(buffer);
    alloc.erase();
  }
}
