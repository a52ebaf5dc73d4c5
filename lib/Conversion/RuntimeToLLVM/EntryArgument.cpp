//===- EntryArgument.cpp - signatures of exported functions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryArgument.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "rnn/Conversion/RuntimeToLLVM/ExportedFunctions.h"
#include "rnn_runtime/abi.h"

using namespace mlir;
using namespace mlir::rnn;

/// Collects the ranked types that an unranked buffer is cast to, also in callees. Returns false if the code queries the
/// rank at run time: it then supports any rank.
static bool collectCasts(Value buffer, SmallVectorImpl<MemRefType> &types, DenseSet<Value> &seen) {
  if (!seen.insert(buffer).second)
    return true;
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (isa<memref::RankOp>(user))
      return false;
    if (auto cast = dyn_cast<memref::CastOp>(user)) {
      if (auto type = dyn_cast<MemRefType>(cast.getType()))
        types.push_back(type);
      else if (!collectCasts(cast.getResult(), types, seen))
        return false;
    }
    if (auto call = dyn_cast<func::CallOp>(user)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
      if (callee && !callee.isExternal() && !collectCasts(callee.getArgument(use.getOperandNumber()), types, seen))
        return false;
    }
  }
  return true;
}

std::optional<std::string> rnn::classifyArgument(EntryArgument &argument, Value value) {
  Type element = argument.type;
  argument.kind = RNNRT_ARGUMENT_SCALAR;
  argument.exported = argument.type;
  if (auto memref = dyn_cast<MemRefType>(argument.type)) {
    if (!memref.getLayout().isIdentity())
      return "is not contiguous";
    if (memref.getRank() > RNNRT_MAX_RANK)
      return "has more than " + std::to_string(RNNRT_MAX_RANK) + " dimensions";
    element = memref.getElementType();
    argument.kind = RNNRT_ARGUMENT_TENSOR;
    argument.rank = memref.getRank();
    argument.shape.assign(memref.getShape().begin(), memref.getShape().end());
    argument.exported = RankedTensorType::get(memref.getShape(), element);
  } else if (auto unranked = dyn_cast<UnrankedMemRefType>(argument.type)) {
    element = unranked.getElementType();
    argument.kind = RNNRT_ARGUMENT_UNRANKED;
    argument.rank = -1;
    argument.exported = UnrankedTensorType::get(element);
    SmallVector<MemRefType> casts;
    DenseSet<Value> seen;
    if (value && collectCasts(value, casts, seen) && !casts.empty()) {
      // Casts have no run-time check, so the entry point checks the type.
      argument.shape.assign(casts.front().getShape().begin(), casts.front().getShape().end());
      for (MemRefType cast : casts) {
        if (cast.getRank() != static_cast<int64_t>(argument.shape.size()))
          return "is unranked and is cast to tensors of rank " + std::to_string(argument.shape.size()) +
                 " and of rank " + std::to_string(cast.getRank());
        for (auto [size, other] : llvm::zip_equal(argument.shape, cast.getShape())) {
          if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(other) && size != other)
            return std::string("is unranked and is cast to tensors of different sizes");
          if (ShapedType::isDynamic(size))
            size = other;
        }
      }
      if (argument.shape.size() > RNNRT_MAX_RANK)
        return "has more than " + std::to_string(RNNRT_MAX_RANK) + " dimensions";
      argument.rank = argument.shape.size();
      argument.exported = RankedTensorType::get(argument.shape, element);
    }
  }
  if (isa<ComplexType>(element))
    return std::string("has complex elements, which the runtime does not have: pass the real and imaginary parts");
  LLVMTypeConverter converter(element.getContext());
  std::optional<int32_t> dtype = getRuntimeDType(element);
  if (!dtype || !converter.convertType(argument.type))
    return std::string("is neither a tensor nor a scalar type of the runtime");
  argument.dtype = *dtype;
  return std::nullopt;
}
