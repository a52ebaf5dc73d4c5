//===- PackedWeights.cpp - packed weights that calls may share ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedWeights.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn_runtime/abi.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

/// Scratch of `size.count` elements at `address`.
static Value makeScratch(HostBuilder &b, Value address, const PackedWeights::Size &size) {
  MemRefType type = b.scratchType(size.type);
  LLVMTypeConverter converter(b.getContext());
  auto descriptor = MemRefDescriptor::poison(b, b.getLoc(), converter.convertType(type));
  descriptor.setAllocatedPtr(b, b.getLoc(), address);
  descriptor.setAlignedPtr(b, b.getLoc(), address);
  descriptor.setConstantOffset(b, b.getLoc(), 0);
  descriptor.setSize(b, b.getLoc(), 0, arith::IndexCastOp::create(b, b.getI64Type(), size.count));
  descriptor.setConstantStride(b, b.getLoc(), 0, 1);
  return UnrealizedConversionCastOp::create(b, type, Value(descriptor)).getResult(0);
}

/// Whether the buffer is a constant of the module.
static bool isConstant(Value buffer) {
  auto get = buffer.getDefiningOp<memref::GetGlobalOp>();
  if (!get)
    return false;
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(get, get.getNameAttr());
  return global && global.getConstant();
}

/// Memory of the module for the packed weights of all layers and directions, at `index`. Null unless the weights are
/// constants and the sizes are known.
static Value createModuleMemory(HostBuilder &b, cpu::KernelLibrary &library, const WeightsSource &source, Value bytes) {
  std::optional<int64_t> size = getConstantIntValue(bytes), count = getConstantIntValue(source.count);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (!size || !count || source.isSeparate || !isConstant(source.buffer))
    return LLVM::ZeroOp::create(b, pointer);
  int64_t stride = llvm::alignTo(RNNRT_PACKED_HEADER + *size, 64);
  Value first = library.createStaticMemory(b, "rnn_host_packed_weights", stride * *count);
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), b.mul(source.index, stride));
  return LLVM::GEPOp::create(b, pointer, b.getI8Type(), first, ArrayRef<LLVM::GEPArg>{offset});
}

PackedWeights::PackedWeights(HostBuilder &b, cpu::KernelLibrary &library, const WeightsSource &source,
                             ArrayRef<Size> sizes)
    : b(b) {
  MLIRContext *context = b.getContext();
  std::string form;
  llvm::raw_string_ostream os(form);
  os << source.form << " element=" << b.tiles.element << " panel=" << b.tiles.panel << " lanes=" << b.tiles.lanes
     << " gemm=" << stringifyBF16Gemm(b.tiles.bf16Gemm);
  // Every part starts at a cache line.
  constexpr int64_t line = 64;
  Value bytes = b.index(0);
  SmallVector<Value> offsets;
  for (Size size : sizes) {
    offsets.push_back(bytes);
    bytes = b.add(bytes, b.mul(b.ceilDiv(b.mul(size.count, size.type.getWidth() / 8), line), line));
    os << " part=" << size.type;
  }
  auto bufferType = cast<MemRefType>(source.buffer.getType());
  Value sourceBytes = b.index(bufferType.getElementTypeBitWidth() / 8);
  for (int64_t dim = 0; dim < bufferType.getRank(); ++dim)
    sourceBytes = b.mul(sourceBytes, b.createOrFold<memref::DimOp>(source.buffer, dim));
  if (source.isSeparate) // no handle has as many bytes
    sourceBytes = b.select(source.isSeparate, b.index(INT64_MAX), sourceBytes);

  auto pointer = LLVM::LLVMPointerType::get(context);
  call = rnnrt::CurrentCallOp::create(b, rnnrt::CallType::get(context));
  record = rnnrt::PackBeginOp::create(b, pointer, call, source.buffer, sourceBytes, source.I, source.H, source.index,
                                      bytes, createModuleMemory(b, library, source, bytes),
                                      b.getI64IntegerAttr(llvm::xxh3_64bits(form)));
  // rnnrt_packed_t
  auto type = LLVM::LLVMStructType::getLiteral(context, {pointer, b.getI64Type()});
  auto field = [&](int32_t index, Type fieldType) -> Value {
    Value address = LLVM::GEPOp::create(b, pointer, type, record, ArrayRef<LLVM::GEPArg>{0, index});
    return LLVM::LoadOp::create(b, fieldType, address);
  };
  Value data = field(0, pointer), isPacked = field(1, b.getI64Type());
  auto compare = [&](arith::CmpIPredicate predicate, int64_t value) {
    return arith::CmpIOp::create(b, predicate, isPacked, arith::ConstantIntOp::create(b, value, 64));
  };
  mustPack = compare(arith::CmpIPredicate::ne, 1);
  isScratch = compare(arith::CmpIPredicate::eq, RNNRT_PACKED_SCRATCH);
  for (auto [offset, size] : llvm::zip(offsets, sizes)) {
    Value inBytes = arith::IndexCastOp::create(b, b.getI64Type(), offset);
    Value first = LLVM::GEPOp::create(b, pointer, b.getI8Type(), data, ArrayRef<LLVM::GEPArg>{inBytes});
    parts.push_back(makeScratch(b, first, size));
  }
}

void PackedWeights::ifUnpacked(function_ref<void()> pack) {
  b.ifThen(mustPack, pack);
}

Value PackedWeights::areOfFewSteps(Value steps, Value most) {
  return b.createOrFold<arith::AndIOp>(isScratch, b.compare(arith::CmpIPredicate::sle, steps, most));
}

void PackedWeights::release() {
  rnnrt::PackEndOp::create(b, call, record);
}
