//===- HalfPrecision.cpp - translate to LLVM IR with half-precision support ---===//
//
// For processors without conversion instructions, LLVM's code generator calls __truncsfhf2 and similar functions of the
// compiler runtime library. Compiled code must not depend on that library, so it has hidden definitions of its own.
// Masked loads and stores use integers, which all LLVM targets support.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchCalls.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "rnn/Emit/Object.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;

/// All conversions round to nearest, ties to even. Those from f64 first round to odd in f32, which sets the last bit if
/// the value is inexact. The second rounding is then exact, since 24 bits are at least 11 + 2.
static constexpr char conversions[] = R"(
; f16 to f32, exact.
define weak hidden float @__extendhfsf2(half %x) {
  %bits16 = bitcast half %x to i16
  %bits = zext i16 %bits16 to i32
  %sign_bit = and i32 %bits, 32768
  %sign = shl i32 %sign_bit, 16
  %magnitude = and i32 %bits, 32767
  ; A normal number: shift, and move the exponent's bias from 15 to 127.
  %shifted = shl i32 %magnitude, 13
  %normal = add i32 %shifted, 939524096
  ; Infinity keeps its mantissa; a NaN becomes quiet.
  %special_bits = or i32 %shifted, 2139095040
  %is_nan = icmp ugt i32 %magnitude, 31744
  %quiet = or i32 %special_bits, 4194304
  %special = select i1 %is_nan, i32 %quiet, i32 %special_bits
  ; A subnormal number: `magnitude` times 2^-24.
  %count = uitofp i32 %magnitude to float
  %small = fmul float %count, 0x3E70000000000000
  %small_bits = bitcast float %small to i32
  %is_special = icmp uge i32 %magnitude, 31744
  %is_small = icmp ult i32 %magnitude, 1024
  %large = select i1 %is_special, i32 %special, i32 %normal
  %value = select i1 %is_small, i32 %small_bits, i32 %large
  %signed = or i32 %value, %sign
  %result = bitcast i32 %signed to float
  ret float %result
}

define weak hidden half @__truncsfhf2(float %x) {
  %bits = bitcast float %x to i32
  %top = lshr i32 %bits, 16
  %sign = and i32 %top, 32768
  %magnitude = and i32 %bits, 2147483647
  ; From 2^16 on: infinity, or a quiet NaN that keeps its upper bits.
  %is_nan = icmp ugt i32 %magnitude, 2139095040
  %payload_bits = lshr i32 %magnitude, 13
  %payload = and i32 %payload_bits, 511
  %nan = or i32 %payload, 32256
  %special = select i1 %is_nan, i32 %nan, i32 31744
  ; Below 2^-14: the sum with 0.5 has the result in its last bits, and rounds as the processor does.
  %absolute = bitcast i32 %magnitude to float
  %sum = fadd float %absolute, 5.000000e-01
  %sum_bits = bitcast float %sum to i32
  %small = sub i32 %sum_bits, 1056964608
  ; Others: move the bias, add half of the last place (a little less if the result is even), cut. Values that
  ; are too large become infinity by the carry.
  %last = lshr i32 %magnitude, 13
  %odd = and i32 %last, 1
  %moved = add i32 %magnitude, -939520001
  %rounded = add i32 %moved, %odd
  %normal = lshr i32 %rounded, 13
  %is_special = icmp uge i32 %magnitude, 1199570944
  %is_small = icmp ult i32 %magnitude, 947912704
  %finite = select i1 %is_small, i32 %small, i32 %normal
  %value = select i1 %is_special, i32 %special, i32 %finite
  %signed = or i32 %value, %sign
  %narrow = trunc i32 %signed to i16
  %result = bitcast i16 %narrow to half
  ret half %result
}

define weak hidden bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %magnitude = and i32 %bits, 2147483647
  %is_nan = icmp ugt i32 %magnitude, 2139095040
  %top = lshr i32 %bits, 16
  %nan = or i32 %top, 64
  %odd = and i32 %top, 1
  %moved = add i32 %bits, 32767
  %rounded = add i32 %moved, %odd
  %number = lshr i32 %rounded, 16
  %value = select i1 %is_nan, i32 %nan, i32 %number
  %narrow = trunc i32 %value to i16
  %result = bitcast i16 %narrow to bfloat
  ret bfloat %result
}

define internal float @rnn.round_to_odd(double %x) {
  %nearest = fptrunc double %x to float
  %bits = bitcast float %nearest to i32
  %back = fpext float %nearest to double
  %inexact = fcmp one double %back, %x
  %last = and i32 %bits, 1
  %even = icmp eq i32 %last, 0
  %move = and i1 %inexact, %even
  %x_bits = bitcast double %x to i64
  %back_bits = bitcast double %back to i64
  %x_magnitude = and i64 %x_bits, 9223372036854775807
  %back_magnitude = and i64 %back_bits, 9223372036854775807
  %too_small = icmp ult i64 %back_magnitude, %x_magnitude
  %step = select i1 %too_small, i32 1, i32 -1
  %odd = add i32 %bits, %step
  %chosen = select i1 %move, i32 %odd, i32 %bits
  %result = bitcast i32 %chosen to float
  ret float %result
}

define weak hidden half @__truncdfhf2(double %x) {
  %odd = call float @rnn.round_to_odd(double %x)
  %result = call half @__truncsfhf2(float %odd)
  ret half %result
}

define weak hidden bfloat @__truncdfbf2(double %x) {
  %odd = call float @rnn.round_to_odd(double %x)
  %result = call bfloat @__truncsfbf2(float %odd)
  ret bfloat %result
}
)";

/// The half-precision types that the module uses.
static SmallPtrSet<llvm::Type *, 2> findHalfPrecision(const llvm::Module &module) {
  SmallPtrSet<llvm::Type *, 2> found;
  auto add = [&](llvm::Type *type) {
    type = type->getScalarType();
    if (type->isHalfTy() || type->isBFloatTy())
      found.insert(type);
  };
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      add(instruction.getType());
      for (const llvm::Value *operand : instruction.operand_values())
        add(operand->getType());
    }
  return found;
}

/// LLVM's code generators for POWER and SystemZ support moves of bf16, but abort on a conversion.
static bool hasUnknownConversion(const llvm::Module &module) {
  const llvm::Triple &triple = module.getTargetTriple();
  if (!triple.isPPC() && !triple.isSystemZ())
    return false;
  return llvm::any_of(module, [](const llvm::Function &function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
      if (!llvm::isa<llvm::FPExtInst, llvm::FPTruncInst>(instruction))
        return false;
      return instruction.getType()->getScalarType()->isBFloatTy() ||
             instruction.getOperand(0)->getType()->getScalarType()->isBFloatTy();
    });
  });
}

/// Returns the conversions of `types` only. Not every target can compile the others.
static std::unique_ptr<llvm::Module> parseConversions(const SmallPtrSetImpl<llvm::Type *> &types,
                                                      llvm::LLVMContext &context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library = llvm::parseAssemblyString(conversions, diagnostic, context);
  assert(library && "the conversions are LLVM IR");
  SmallVector<llvm::GlobalValue *> kept;
  for (llvm::Function &function : llvm::make_early_inc_range(llvm::reverse(*library))) {
    if (function.hasLocalLinkage())
      continue;
    llvm::Type *argument = function.getArg(0)->getType(), *result = function.getReturnType();
    if (types.contains(argument) || types.contains(result))
      kept.push_back(&function);
    else
      function.eraseFromParent();
  }
  // Code generation creates the calls, so the optimizer must keep the unused functions.
  llvm::appendToCompilerUsed(*library, kept);
  return library;
}

/// Converts masked loads and stores to integers of the same size. For bf16, LLVM's code generator has no pattern on
/// AArch64 with SVE, and moves single elements through f32 on x86.
static void moveMaskedAsIntegers(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!call)
        continue;
      bool isLoad = call->getIntrinsicID() == llvm::Intrinsic::masked_load;
      if (!isLoad && call->getIntrinsicID() != llvm::Intrinsic::masked_store)
        continue;
      auto *type = llvm::cast<llvm::VectorType>(isLoad ? call->getType() : call->getArgOperand(0)->getType());
      if (!type->getScalarType()->isHalfTy() && !type->getScalarType()->isBFloatTy())
        continue;
      llvm::IRBuilder<> builder(call);
      llvm::Type *integers = llvm::VectorType::get(builder.getInt16Ty(), type->getElementCount());
      unsigned address = isLoad ? 0 : 1;
      llvm::Align align = call->getParamAlign(address).valueOrOne();
      llvm::Value *pointer = call->getArgOperand(address), *mask = call->getArgOperand(address + 1);
      if (isLoad) {
        llvm::Value *otherwise = builder.CreateBitCast(call->getArgOperand(2), integers);
        llvm::Value *loaded = builder.CreateMaskedLoad(integers, pointer, align, mask, otherwise);
        call->replaceAllUsesWith(builder.CreateBitCast(loaded, type));
      } else {
        builder.CreateMaskedStore(builder.CreateBitCast(call->getArgOperand(0), integers), pointer, align, mask);
      }
      call->eraseFromParent();
    }
  }
}

std::unique_ptr<llvm::Module> rnn::translateToLLVMIR(Operation *module, llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context);
  if (!translated)
    return nullptr;
  renameLaunchCalls(*translated);
  SmallPtrSet<llvm::Type *, 2> types = findHalfPrecision(*translated);
  if (types.empty())
    return translated;
  if (hasUnknownConversion(*translated)) {
    emitError(module->getLoc(), "computes in bf16, which LLVM cannot compile for `")
        << translated->getTargetTriple().str() << "`; use f16 or f32, or plans (lowering `runtime`)";
    return nullptr;
  }
  moveMaskedAsIntegers(*translated);
  std::unique_ptr<llvm::Module> library = parseConversions(types, context);
  // The linker warns about different layouts. Both modules are for the same target.
  library->setDataLayout(translated->getDataLayout());
  library->setTargetTriple(translated->getTargetTriple());
  if (llvm::Linker::linkModules(*translated, std::move(library))) {
    module->emitError("cannot be linked with the half-precision conversions");
    return nullptr;
  }
  return translated;
}
