//===- Emitter.cpp - arithmetic, memory and control flow of kernels -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::rnn;

Emitter Emitter::named(StringRef name) const {
  return Emitter(builder, NameLoc::get(builder.getStringAttr(name), loc), options);
}

Value Emitter::index(int64_t value) const {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value Emitter::number(double value, Type type) const {
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
}

static bool isFloat(Value value) {
  return isa<FloatType>(value.getType());
}

template <typename FloatOp, typename IntOp> static Value create(const Emitter &e, Value a, Value b) {
  if (isFloat(a))
    return FloatOp::create(e.builder, e.loc, a, b);
  return e.builder.createOrFold<IntOp>(e.loc, a, b);
}

Value Emitter::add(Value a, Value b) const {
  return create<arith::AddFOp, arith::AddIOp>(*this, a, b);
}
Value Emitter::sub(Value a, Value b) const {
  return create<arith::SubFOp, arith::SubIOp>(*this, a, b);
}
Value Emitter::mul(Value a, Value b) const {
  return create<arith::MulFOp, arith::MulIOp>(*this, a, b);
}
Value Emitter::div(Value a, Value b) const {
  return create<arith::DivFOp, arith::DivUIOp>(*this, a, b);
}
Value Emitter::remainder(Value a, Value b) const {
  return builder.createOrFold<arith::RemUIOp>(loc, a, b);
}
Value Emitter::min(Value a, Value b) const {
  return builder.createOrFold<arith::MinSIOp>(loc, a, b);
}
Value Emitter::max(Value a, Value b) const {
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}

Value Emitter::parts(Value count, int64_t size) const {
  return max(builder.createOrFold<arith::CeilDivUIOp>(loc, count, index(size)), index(1));
}

Value Emitter::multiplyAdd(Value a, Value b, Value c) const {
  // math.fma would become a call of libdevice in a kernel.
  return LLVM::FMAOp::create(builder, loc, a, b, c);
}

Value Emitter::isLess(Value a, Value b) const {
  if (isFloat(a))
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a, b);
}

Value Emitter::isEqual(Value a, Value b) const {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a, b);
}

Value Emitter::both(Value a, Value b) const {
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

Value Emitter::select(Value condition, Value yes, Value no) const {
  return builder.createOrFold<arith::SelectOp>(loc, condition, yes, no);
}

Value Emitter::convert(Value value, Type type) const {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, loc, type, value);
  return value;
}

Value Emitter::load(Value buffer, ValueRange indices) const {
  return memref::LoadOp::create(builder, loc, buffer, indices);
}

void Emitter::store(Value value, Value buffer, ValueRange indices) const {
  memref::StoreOp::create(builder, loc, value, buffer, indices);
}

Value Emitter::size(Value buffer, int64_t dim) const {
  return builder.createOrFold<memref::DimOp>(loc, buffer, dim);
}

Value Emitter::address(Value buffer, ValueRange indices) const {
  auto type = cast<MemRefType>(buffer.getType());
  Type i64 = builder.getI64Type();
  const bool isWorkgroup = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
  auto pointer =
      LLVM::LLVMPointerType::get(builder.getContext(), isWorkgroup ? unsigned(NVVM::NVVMMemorySpace::Shared)
                                                                   : unsigned(NVVM::NVVMMemorySpace::Global));
  SmallVector<int64_t> strides;
  int64_t offset;
  const bool isStrided = succeeded(type.getStridesAndOffset(strides, offset));
  assert(isStrided && "buffers have strides");
  (void)isStrided;
  Value place = index(0);
  if (offset != 0 || llvm::is_contained(strides, ShapedType::kDynamic)) {
    auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    place = metadata.getOffset();
    for (auto [position, stride] : llvm::zip(indices, metadata.getStrides()))
      place = add(place, mul(position, stride));
  } else {
    for (auto [position, stride] : llvm::zip(indices, strides))
      place = add(place, mul(position, index(stride)));
  }
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  start = arith::IndexCastOp::create(builder, loc, i64, start);
  start = LLVM::IntToPtrOp::create(builder, loc, pointer, start);
  place = arith::IndexCastOp::create(builder, loc, i64, place);
  return LLVM::GEPOp::create(builder, loc, pointer, type.getElementType(), start, ArrayRef<LLVM::GEPArg>{place});
}

Value Emitter::ifElse(Value condition, function_ref<Value()> yes, function_ref<Value()> no) const {
  auto build = [&](function_ref<Value()> branch) {
    return [&, branch](OpBuilder &, Location) {
      Value result = branch();
      scf::YieldOp::create(builder, loc, result);
    };
  };
  // Constructing the op moves the insertion point of `builder` into its regions.
  return scf::IfOp::create(builder, loc, condition, build(yes), build(no)).getResult(0);
}

void Emitter::ifThen(Value condition, function_ref<void()> body) const {
  scf::IfOp::create(builder, loc, condition, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(builder, loc);
  });
}

SmallVector<Value> Emitter::loop(Value first, Value end, int64_t step, ValueRange carried,
                                 function_ref<SmallVector<Value>(Value, ValueRange)> body) const {
  auto op = scf::ForOp::create(
      builder, loc, first, end, index(step), carried,
      [&](OpBuilder &, Location, Value i, ValueRange values) { scf::YieldOp::create(builder, loc, body(i, values)); });
  return llvm::to_vector(ValueRange(op.getResults()));
}

void Emitter::barrier() const {
  gpu::BarrierOp::create(builder, loc);
}
