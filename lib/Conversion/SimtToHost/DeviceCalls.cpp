//===- DeviceCalls.cpp - functions that exist on a GPU only ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::rnn::simt;

static Rewrite replace(Operation *op, Value value) {
  if (value && op->getNumResults())
    op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return Rewrite::Done;
}

/// Functions of the C library with the semantics of the libdevice function of this name (without `__nv_`). Names of
/// single-precision functions end in `f` in both.
static bool isMathFunction(StringRef name) {
  static const llvm::StringSet<> names = {
      "acos", "acosh", "asin",  "asinh", "atan",      "atan2", "atanh", "cbrt",     "ceil", "copysign", "cos",
      "cosh", "erf",   "erfc",  "exp",   "exp2",      "expm1", "fabs",  "floor",    "fma",  "fmax",     "fmin",
      "fmod", "log",   "log10", "log1p", "log2",      "pow",   "rint",  "round",    "sin",  "sincos",   "sinh",
      "sqrt", "tan",   "tanh",  "trunc", "nearbyint", "hypot", "fdim",  "remainder"};
  if (names.contains(name))
    return true;
  return name.consume_back("f") && names.contains(name);
}

/// Functions of libdevice. The C library's results may differ in the last bits.
static Rewrite rewriteLibdevice(LLVM::CallOp call, StringRef name, EntryBuilder &entries) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  bool isFast = name.consume_front("fast_");
  (void)isFast;
  OperandRange arguments = call.getArgOperands();
  auto callHost = [&](StringRef host, ValueRange values) {
    SmallVector<Type> types(values.getTypes());
    Type result = call.getNumResults() ? call.getResult().getType() : LLVM::LLVMVoidType::get(call.getContext());
    auto type = LLVM::LLVMFunctionType::get(result, types);
    auto function = entries.getModule().lookupSymbol<LLVM::LLVMFuncOp>(host);
    if (!function) {
      OpBuilder top = OpBuilder::atBlockBegin(entries.getModule().getBody());
      function = LLVM::LLVMFuncOp::create(top, entries.getModule().getLoc(), host, type);
    }
    auto made = LLVM::CallOp::create(builder, loc, type, host, values);
    return replace(call, made.getNumResults() ? made.getResult() : Value());
  };
  if (isMathFunction(name))
    return callHost(name, arguments);
  if (name == "rsqrt" || name == "rsqrtf") {
    Type type = call.getResult().getType();
    Value one = LLVM::ConstantOp::create(builder, loc, type, builder.getFloatAttr(type, 1.0));
    Value root = LLVM::SqrtOp::create(builder, loc, type, arguments.front());
    return replace(call, LLVM::FDivOp::create(builder, loc, one, root));
  }
  if (name == "powi" || name == "powif") {
    Value exponent = LLVM::SIToFPOp::create(builder, loc, arguments[0].getType(), arguments[1]);
    return callHost(name == "powi" ? "pow" : "powf", {arguments[0], exponent});
  }
  if (name == "abs")
    return replace(call, LLVM::AbsOp::create(builder, loc, entries.i32, arguments.front(), /*isIntMinPoison=*/false));
  // The classes of llvm.is.fpclass: NaNs are bits 0 and 1, infinities 2 and 9.
  int32_t classes = name == "isnanf" || name == "isnand"       ? 0x3
                    : name == "isinff" || name == "isinfd"     ? 0x204
                    : name == "finitef" || name == "isfinited" ? 0x1f8
                                                               : 0;
  if (classes) {
    Value test = LLVM::IsFPClass::create(builder, loc, entries.i1, arguments.front(), classes);
    return replace(call, LLVM::ZExtOp::create(builder, loc, call.getResult().getType(), test));
  }
  return Rewrite::Unknown;
}

Rewrite rnn::simt::rewriteDeviceCall(LLVM::CallOp call, EntryBuilder &entries) {
  std::optional<StringRef> callee = call.getCallee();
  if (!callee)
    return Rewrite::Unknown;
  OpBuilder builder(call);
  Location loc = call.getLoc();
  StringRef name = *callee;
  if (name == "vprintf")
    return replace(call, entries.call(builder, loc, "rnnrt_abi_simt_print", call.getArgOperands()));
  if (name == "__assertfail") {
    entries.call(builder, loc, "rnnrt_abi_simt_assert", {call.getArgOperands().front(), entries.site(builder, call)});
    return replace(call, {});
  }
  if (name.consume_front("__nv_"))
    return rewriteLibdevice(call, name, entries);
  return Rewrite::Unknown;
}
