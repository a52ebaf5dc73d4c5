//===- PackedWeights.cpp - packed weights that calls may share ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedWeights.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
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

PackedWeights::PackedWeights(HostBuilder &b, const WeightsSource &source, const Size &input, const Size &recurrent)
    : b(b) {
  MLIRContext *context = b.getContext();
  auto bytesOf = [&](Size size) { return b.mul(size.count, size.type.getWidth() / 8); };
  // Both start at a cache line.
  constexpr int64_t line = 64;
  Value inputBytes = b.mul(b.ceilDiv(bytesOf(input), line), line), bytes = b.add(inputBytes, bytesOf(recurrent));
  auto bufferType = cast<MemRefType>(source.buffer.getType());
  Value sourceBytes = b.index(bufferType.getElementTypeBitWidth() / 8);
  for (int64_t dim = 0; dim < bufferType.getRank(); ++dim)
    sourceBytes = b.mul(sourceBytes, b.createOrFold<memref::DimOp>(source.buffer, dim));

  std::string form;
  llvm::raw_string_ostream(form) << source.form << " element=" << b.tiles.element << " input=" << input.type
                                 << " recurrent=" << recurrent.type << " panel=" << b.tiles.panel
                                 << " lanes=" << b.tiles.lanes << " gemm=" << stringifyBF16Gemm(b.tiles.bf16Gemm);
  auto pointer = LLVM::LLVMPointerType::get(context);
  call = rnnrt::CurrentCallOp::create(b, rnnrt::CallType::get(context));
  record = rnnrt::PackBeginOp::create(b, pointer, call, source.buffer, sourceBytes, source.I, source.H, source.index,
                                      bytes, b.getI64IntegerAttr(llvm::xxh3_64bits(form)));
  // rnnrt_packed_t
  auto type = LLVM::LLVMStructType::getLiteral(context, {pointer, b.getI64Type()});
  auto field = [&](int32_t index, Type fieldType) -> Value {
    Value address = LLVM::GEPOp::create(b, pointer, type, record, ArrayRef<LLVM::GEPArg>{0, index});
    return LLVM::LoadOp::create(b, fieldType, address);
  };
  Value data = field(0, pointer), isPacked = field(1, b.getI64Type());
  Value zero = arith::ConstantIntOp::create(b, 0, 64);
  mustPack = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, isPacked, zero);
  this->input = makeScratch(b, data, input);
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), inputBytes);
  this->recurrent =
      makeScratch(b, LLVM::GEPOp::create(b, pointer, b.getI8Type(), data, ArrayRef<LLVM::GEPArg>{offset}), recurrent);
}

void PackedWeights::ifUnpacked(function_ref<void()> pack) {
  b.ifThen(mustPack, pack);
}

void PackedWeights::release() {
  rnnrt::PackEndOp::create(b, call, record);
}
