//===- Parallel.cpp - loops that a team of threads runs -----------------------===//
//
// A region becomes a function of its own. What it uses of the code around it goes through a struct on the caller's stack.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Matchers.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn_runtime/abi.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

static Value convert(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
}

/// Values from outside of `function` that its body uses, each once.
static SetVector<Value> collectLiveIns(LLVM::LLVMFuncOp function) {
  SetVector<Value> values;
  function.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!function.getBody().isAncestor(operand.getParentRegion()))
        values.insert(operand);
  });
  return values;
}

static void replaceInside(LLVM::LLVMFuncOp function, Value value, Value with) {
  value.replaceUsesWithIf(with, [&](OpOperand &use) {
    return function.getBody().isAncestor(use.getOwner()->getParentRegion());
  });
}

void Library::parallel(HostBuilder &b, Value most, Value work, function_ref<void(const Team &)> body) {
  Location loc = b.getLoc();
  // The runtime shares no less.
  constexpr int64_t leastShared = RNNRT_LEAST_WORK * 2;
  std::optional<int64_t> knownMost = getConstantIntValue(most), knownWork = getConstantIntValue(work);
  if ((knownMost && *knownMost <= 1) || (knownWork && *knownWork < leastShared))
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
    types.push_back(converter.convertType(value.getType()));
  }
  auto record = LLVM::LLVMStructType::getLiteral(context, types);
  auto place = [&](Value base, size_t index) {
    return LLVM::GEPOp::create(b, pointer, record, base, ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
  };
  for (auto [index, value] : llvm::enumerate(fields)) {
    Value loaded = LLVM::LoadOp::create(b, types[index], place(entry->getArgument(0), index));
    replaceInside(function, value, convert(b, loc, loaded, value.getType()));
  }

  Block &callerEntry = cast<FunctionOpInterface>(caller).getFunctionBody().front();
  b.setInsertionPointToStart(&callerEntry);
  // In the entry block, so that a loop around the call does not grow the stack.
  Value one = LLVM::ConstantOp::create(b, integer, b.getI64IntegerAttr(1));
  Value base = LLVM::AllocaOp::create(b, pointer, record, one);
  b.restoreInsertionPoint(here);
  for (auto [index, value] : llvm::enumerate(fields))
    LLVM::StoreOp::create(b, convert(b, loc, value, types[index]), place(base, index));
  Value address = LLVM::AddressOfOp::create(b, function);
  Value call = rnnrt::CurrentCallOp::create(b, rnnrt::CallType::get(context));
  rnnrt::ParallelOp::create(b, call, address, base, most, work);
}

void Library::wait(HostBuilder &b, const Team &team) {
  if (team.handle)
    rnnrt::TeamWaitOp::create(b, team.handle);
}
