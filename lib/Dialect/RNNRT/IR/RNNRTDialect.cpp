//===- RNNRTDialect.cpp - the rnnrt dialect and its ops ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn_runtime/types.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnnrt;

#include "rnn/Dialect/RNNRT/IR/RNNRTDialect.cpp.inc"
#include "rnn/Dialect/RNNRT/IR/RNNRTInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "rnn/Dialect/RNNRT/IR/RNNRTTypes.cpp.inc"

#define GET_OP_CLASSES
#include "rnn/Dialect/RNNRT/IR/RNNRTOps.cpp.inc"

void RNNRTDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "rnn/Dialect/RNNRT/IR/RNNRTTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "rnn/Dialect/RNNRT/IR/RNNRTOps.cpp.inc"
      >();
}

LogicalResult AllocOp::verify() {
  MemRefType type = getType();
  if (!type.getLayout().isIdentity())
    return emitOpError("expects a dense buffer, but got ") << type;
  if (static_cast<size_t>(type.getNumDynamicDims()) != getDynamicSizes().size())
    return emitOpError("expects one size for each of the ") << type.getNumDynamicDims() << " dynamic dimension(s) of "
                                                            << type << ", but got " << getDynamicSizes().size();
  return success();
}

LogicalResult ExpectEqualOp::canonicalize(ExpectEqualOp op, PatternRewriter &rewriter) {
  if (op.getActual() != op.getExpected())
    return rewriter.notifyMatchFailure(op, "the sizes may differ");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult ExpectRangeOp::canonicalize(ExpectRangeOp op, PatternRewriter &rewriter) {
  std::optional<int64_t> actual = rnn::getConstantInt(op.getActual()), low = rnn::getConstantInt(op.getLow()),
                         high = rnn::getConstantInt(op.getHigh());
  if (!actual || !low || !high || *actual < *low || *actual > *high)
    return rewriter.notifyMatchFailure(op, "the value may be out of range");
  rewriter.eraseOp(op);
  return success();
}

static IntegerAttr i32(MLIRContext *context, int64_t value) {
  return IntegerAttr::get(IntegerType::get(context, 32), value);
}

/// Returns the rnnrt_dtype_t of an element type.
static IntegerAttr getDtype(Type type) {
  int64_t dtype = isa<Float16Type>(type)    ? RNNRT_DTYPE_F16
                  : isa<BFloat16Type>(type) ? RNNRT_DTYPE_BF16
                  : isa<Float32Type>(type)  ? RNNRT_DTYPE_F32
                                            : RNNRT_DTYPE_F64;
  return i32(type.getContext(), dtype);
}

static Type getElementType(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

LogicalResult GemmOp::verify() {
  Type type = getElementType(getLeft()), resultType = getElementType(getResult());
  const bool isHalf = type.isF16() || type.isBF16();
  if (!isHalf && !type.isF32() && !type.isF64())
    return emitOpError("expects elements of `left` to be f16, bf16, f32 or f64, but got ") << type;
  if (getElementType(getRight()) != type)
    return emitOpError("expects elements of `right` to be ")
           << type << ", the element type of `left`, but got " << getElementType(getRight());
  if (resultType != type && !(isHalf && resultType.isF32()))
    return emitOpError("expects elements of `result` to be ")
           << type << (isHalf ? " or f32" : "") << ", but got " << resultType;
  if (!getBias())
    return success();
  if (getElementType(getBias()) != resultType)
    return emitOpError("expects elements of `bias` to be ")
           << resultType << ", the element type of `result`, but got " << getElementType(getBias());
  if (resultType.isF64())
    return emitOpError("expects no `bias` for f64; add it with a kernel");
  return success();
}

SmallVector<TypedAttr> GemmOp::getScalarArguments() {
  // The bits of `flags` in rnnrt_abi_gemm.
  const int64_t flags =
      (getLeftTransposed() ? 1 : 0) | (getRightTransposed() ? 2 : 0) | (getAccumulate() ? 4 : 0) | (getTf32() ? 8 : 0);
  return {getDtype(getElementType(getLeft())), getDtype(getElementType(getResult())), i32(getContext(), flags)};
}

template <typename OpTy> static SmallVector<TypedAttr> getNetworkScalars(OpTy op) {
  MLIRContext *context = op.getContext();
  return {getDtype(op.getElementType()),
          i32(context, static_cast<int64_t>(op.getMode())),
          i32(context, static_cast<int64_t>(op.getInputMode())),
          i32(context, static_cast<int64_t>(op.getDirection())),
          i32(context, op.getTraining()),
          i32(context, op.getBatchMajor()),
          op.getDropoutAttr(),
          op.getSeedAttr(),
          op.getSeed2Attr()};
}

SmallVector<TypedAttr> RnnPlanOp::getScalarArguments() {
  return getNetworkScalars(*this);
}

SmallVector<TypedAttr> RnnFusedPlanOp::getScalarArguments() {
  return getNetworkScalars(*this);
}

SmallVector<TypedAttr> SetResetsOp::getScalarArguments() {
  return {i32(getContext(), static_cast<int64_t>(getResetTo()))};
}

SmallVector<TypedAttr> BlockLstmPlanOp::getScalarArguments() {
  MLIRContext *context = getContext();
  return {getDtype(getElementType()),
          i32(context, static_cast<int64_t>(getLayout())),
          i32(context, getUsePeephole()),
          i32(context, getBatchMajor()),
          getForgetBiasAttr(),
          getCellClipAttr()};
}
