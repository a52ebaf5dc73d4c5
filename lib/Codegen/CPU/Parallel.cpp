//===- Parallel.cpp - regions that a team of threads executes ----------------===//
//
// A region is outlined to a function. Its live-in values are passed in a struct on the caller's stack; of buffers with
// a static type, their addresses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn_runtime/abi.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

static Value convert(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
}

/// Values defined outside of `function` that its body uses, without repetitions.
static SetVector<Value> collectLiveIns(LLVM::LLVMFuncOp function) {
  SetVector<Value> values;
  function.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!function.getBody().isAncestor(operand.getParentRegion()))
        values.insert(operand);
  });
  return values;
}

/// The type if it determines everything in a descriptor but the address.
static MemRefType getStaticBuffer(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  const bool isStatic = type && type.hasStaticShape() && succeeded(type.getStridesAndOffset(strides, offset)) &&
                        !ShapedType::isDynamic(offset) && !ShapedType::isDynamicShape(strides);
  return isStatic ? type : MemRefType();
}

static void replaceInside(LLVM::LLVMFuncOp function, Value value, Value with) {
  value.replaceUsesWithIf(
      with, [&](OpOperand &use) { return function.getBody().isAncestor(use.getOwner()->getParentRegion()); });
}

void KernelLibrary::parallel(HostBuilder &b, Value most, Value work, function_ref<void(const Team &)> body) {
  Location loc = b.getLoc();
  // The runtime does not distribute less work.
  constexpr int64_t leastShared = RNNRT_LEAST_WORK * 2;
  std::optional<int64_t> knownMost = getConstantIntValue(most), knownWork = getConstantIntValue(work);
  if (!usesThreads || (knownMost && *knownMost <= 1) || (knownWork && *knownWork < leastShared))
    return body({Value(), b.index(0), b.index(1)});
  Operation *caller = b.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface>(caller))
    caller = caller->getParentOp();
  MLIRContext *context = b.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type integer = b.getI64Type();
  OpBuilder detached(context);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, pointer, integer, integer});
  auto function = LLVM::LLVMFuncOp::create(detached, loc, "rnn_host_part", type, LLVM::Linkage::Internal);
  symbols.insert(function);
  markHandTiled(function);
  markHandTiled(caller);
  Block *entry = function.addEntryBlock(detached);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    auto toIndex = [&](Value value) { return arith::IndexCastOp::create(b, b.getIndexType(), value); };
    Value part = toIndex(entry->getArgument(2)), parts = toIndex(entry->getArgument(3));
    body({entry->getArgument(1), part, parts});
    LLVM::ReturnOp::create(b, ValueRange());
  }

  auto here = b.saveInsertionPoint();
  LLVMTypeConverter converter(context);
  SmallVector<Value> fields;
  SmallVector<Type> types;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  for (Value value : collectLiveIns(function)) {
    if (Operation *op = value.getDefiningOp(); op && matchPattern(op, m_Constant())) {
      replaceInside(function, value, b.clone(*op)->getResult(0));
      continue;
    }
    fields.push_back(value);
    types.push_back(getStaticBuffer(value) ? pointer : converter.convertType(value.getType()));
  }
  auto record = LLVM::LLVMStructType::getLiteral(context, types);
  auto field = [&](Value base, size_t index) {
    return LLVM::GEPOp::create(b, pointer, record, base, ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
  };
  for (auto [index, value] : llvm::enumerate(fields)) {
    Value loaded = LLVM::LoadOp::create(b, types[index], field(entry->getArgument(0), index));
    if (MemRefType buffer = getStaticBuffer(value))
      loaded = MemRefDescriptor::fromStaticShape(b, loc, converter, buffer, loaded);
    replaceInside(function, value, convert(b, loc, loaded, value.getType()));
  }

  Block &callerEntry = cast<FunctionOpInterface>(caller).getFunctionBody().front();
  b.setInsertionPointToStart(&callerEntry);
  // In the entry block: an alloca in a loop grows the stack.
  Value one = LLVM::ConstantOp::create(b, integer, b.getI64IntegerAttr(1));
  Value base = LLVM::AllocaOp::create(b, pointer, record, one);
  b.restoreInsertionPoint(here);
  for (auto [index, value] : llvm::enumerate(fields)) {
    Value stored = convert(b, loc, value, converter.convertType(value.getType()));
    if (getStaticBuffer(value))
      stored = MemRefDescriptor(stored).alignedPtr(b, loc);
    LLVM::StoreOp::create(b, stored, field(base, index));
  }
  auto distribute = [&] {
    Value address = LLVM::AddressOfOp::create(b, function);
    Value call = rnnrt::CurrentCallOp::create(b, rnnrt::CallType::get(context));
    rnnrt::ParallelOp::create(b, call, address, base, most, work);
  };
  if (knownMost && knownWork)
    return distribute();
  // The runtime would read the time first, which takes as long as a small region.
  Value isLarge = arith::AndIOp::create(b, b.compare(arith::CmpIPredicate::sgt, most, b.index(1)),
                                        b.compare(arith::CmpIPredicate::sge, work, b.index(leastShared)));
  b.ifElse(isLarge, distribute, [&] {
    Value team = LLVM::ZeroOp::create(b, pointer);
    Value part = LLVM::ConstantOp::create(b, integer, b.getI64IntegerAttr(0));
    LLVM::CallOp::create(b, function, ValueRange{base, team, part, one});
  });
}

void Team::wait(HostBuilder &b) const {
  // A single part may have no handle at run time.
  if (handle)
    b.ifThen(b.compare(arith::CmpIPredicate::sgt, parts, b.index(1)), [&] { rnnrt::TeamWaitOp::create(b, handle); });
}
