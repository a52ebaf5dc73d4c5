//===- MatrixOps.cpp - ops of the tensor cores -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnn::simt;
using NVVM::MMATypes;

/// Replaces an op that returns registers by the values that the entry wrote to `slot`.
static Rewrite replaceByLoad(Operation *op, OpBuilder &builder, Value slot) {
  Type type = op->getResult(0).getType();
  op->getResult(0).replaceAllUsesWith(LLVM::LoadOp::create(builder, op->getLoc(), type, slot));
  op->erase();
  return Rewrite::Done;
}

static Rewrite refuse(Operation *op, const Twine &what) {
  op->emitOpError("cannot be emulated on target simt: ") << what;
  return Rewrite::Failed;
}

static std::string shapeName(int64_t m, int64_t n, int64_t k) {
  return ("m" + Twine(m) + "n" + Twine(n) + "k" + Twine(k)).str();
}

/// The type of the registers of C and D.
static std::optional<MMATypes> getSumType(Type result) {
  if (auto registers = dyn_cast<LLVM::LLVMStructType>(result))
    result = registers.getBody().front();
  if (auto vector = dyn_cast<VectorType>(result))
    result = vector.getElementType();
  return result.isF16()   ? std::optional(MMATypes::f16)
         : result.isF32() ? std::optional(MMATypes::f32)
         : result.isF64() ? std::optional(MMATypes::f64)
                          : std::nullopt;
}

static Rewrite rewriteMma(NVVM::MmaOp op, EntryBuilder &entries) {
  int64_t m = op.getShape().getM(), n = op.getShape().getN(), k = op.getShape().getK();
  std::optional<MMATypes> type = op.getMultiplicandAPtxType(), sum = getSumType(op.getRes().getType());
  if (!type)
    type = getSumType(op.getOperandA().front().getType());
  auto isShape = [&](int64_t wantedM, ArrayRef<int64_t> wantedK) {
    return m == wantedM && n == 8 && llvm::is_contained(wantedK, k);
  };
  bool known = type && sum &&
               ((*type == MMATypes::f16 && isShape(16, {8, 16}) && *sum != MMATypes::f64) ||
                (*type == MMATypes::bf16 && isShape(16, {8, 16}) && *sum == MMATypes::f32) ||
                (*type == MMATypes::tf32 && isShape(16, {4, 8}) && *sum == MMATypes::f32) ||
                (*type == MMATypes::f64 && isShape(8, {4}) && *sum == MMATypes::f64));
  if (!known)
    return refuse(op, "expects f16 or bf16 in m16n8k8 or m16n8k16, tf32 in m16n8k4 or m16n8k8, or f64 in m8n8k4, but "
                      "got " +
                          (type ? stringifyEnum(*type) : StringRef("another type")) + " in " + shapeName(m, n, k));
  if (op.getLayoutA() != NVVM::MMALayout::row || op.getLayoutB() != NVVM::MMALayout::col)
    return refuse(op, "expects A by rows and B by columns");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto number = [&](int64_t value) { return entries.constant32(builder, loc, value); };
  Value slot = entries.slot(op, op.getRes().getType());
  Value a = entries.pack(op, op.getOperandA()), b = entries.pack(op, op.getOperandB());
  Value c = entries.pack(op, op.getOperandC());
  entries.call(builder, loc, "rnnrt_abi_simt_mma",
               {number(m), number(n), number(k), number(static_cast<int64_t>(*type)),
                number(static_cast<int64_t>(*sum)), a, b, c, slot, entries.site(builder, op, /*unique=*/true)});
  return replaceByLoad(op, builder, slot);
}

static bool isKnownWmma(MMATypes type) {
  return type == MMATypes::f16 || type == MMATypes::f32 || type == MMATypes::tf32 || type == MMATypes::f64;
}

static Rewrite rewriteWmmaLoad(NVVM::WMMALoadOp op, EntryBuilder &entries) {
  if (!isKnownWmma(op.getEltype()))
    return refuse(op, "expects elements f16, f32, tf32 or f64, but got " + stringifyEnum(op.getEltype()));
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto number = [&](int64_t value) { return entries.constant32(builder, loc, value); };
  Value slot = entries.slot(op, op.getRes().getType());
  entries.call(builder, loc, "rnnrt_abi_simt_wmma_load",
               {entries.flatten(builder, loc, op.getPtr()), op.getStride(), number(op.getM()), number(op.getN()),
                number(op.getK()), number(static_cast<int64_t>(op.getFrag())),
                number(static_cast<int64_t>(op.getLayout())), number(static_cast<int64_t>(op.getEltype())), slot,
                entries.site(builder, op, /*unique=*/true)});
  return replaceByLoad(op, builder, slot);
}

static Rewrite rewriteWmmaStore(NVVM::WMMAStoreOp op, EntryBuilder &entries) {
  if (!isKnownWmma(op.getEltype()))
    return refuse(op, "expects elements f16, f32 or f64, but got " + stringifyEnum(op.getEltype()));
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto number = [&](int64_t value) { return entries.constant32(builder, loc, value); };
  Value values = entries.pack(op, op.getArgs());
  entries.call(builder, loc, "rnnrt_abi_simt_wmma_store",
               {entries.flatten(builder, loc, op.getPtr()), op.getStride(), number(op.getM()), number(op.getN()),
                number(op.getK()), number(static_cast<int64_t>(op.getLayout())),
                number(static_cast<int64_t>(op.getEltype())), values, entries.site(builder, op, /*unique=*/true)});
  op.erase();
  return Rewrite::Done;
}

static Rewrite rewriteWmmaMma(NVVM::WMMAMmaOp op, EntryBuilder &entries) {
  MMATypes type = op.getEltypeA();
  std::optional<MMATypes> sum = getSumType(op.getRes().getType());
  if ((type != MMATypes::f16 && type != MMATypes::tf32 && type != MMATypes::f64) || !sum)
    return refuse(op, "expects operands of f16, tf32 or f64, but got " + stringifyEnum(type));
  // Registers of A, then of B, then of C: PTX ISA, "matrix fragments for wmma".
  unsigned perOperand = type == MMATypes::f16 ? 8 : type == MMATypes::tf32 ? 4 : 1;
  OperandRange registers = op.getArgs();
  if (registers.size() <= 2 * perOperand)
    return refuse(op, "expects " + Twine(perOperand) + " registers each for A and B and some for C");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto number = [&](int64_t value) { return entries.constant32(builder, loc, value); };
  Value slot = entries.slot(op, op.getRes().getType());
  Value a = entries.pack(op, registers.take_front(perOperand));
  Value b = entries.pack(op, registers.slice(perOperand, perOperand));
  Value c = entries.pack(op, registers.drop_front(2 * perOperand));
  entries.call(builder, loc, "rnnrt_abi_simt_wmma_mma",
               {number(op.getM()), number(op.getN()), number(op.getK()), number(static_cast<int64_t>(op.getLayoutA())),
                number(static_cast<int64_t>(op.getLayoutB())), number(static_cast<int64_t>(type)),
                number(static_cast<int64_t>(*sum)), a, b, c, slot, entries.site(builder, op, /*unique=*/true)});
  return replaceByLoad(op, builder, slot);
}

/// True for tiles of 8x8 elements of 16 bits.
template <typename OpTy> static bool hasPlainTiles(OpTy op) {
  return op.getShape().getM() == 8 && op.getShape().getN() == 8 && op.getEltType() == NVVM::LdStMatrixEltType::B16;
}

static Rewrite rewriteLoadMatrix(NVVM::LdMatrixOp op, EntryBuilder &entries) {
  if (!hasPlainTiles(op))
    return refuse(op, "expects tiles m8n8 of b16");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value slot = entries.slot(op, op.getRes().getType());
  entries.call(builder, loc, "rnnrt_abi_simt_load_matrix",
               {entries.flatten(builder, loc, op.getPtr()), entries.constant32(builder, loc, op.getNum()),
                entries.constant32(builder, loc, op.getLayout() == NVVM::MMALayout::col), slot,
                entries.site(builder, op, /*unique=*/true)});
  return replaceByLoad(op, builder, slot);
}

static Rewrite rewriteStoreMatrix(NVVM::StMatrixOp op, EntryBuilder &entries) {
  if (!hasPlainTiles(op))
    return refuse(op, "expects tiles m8n8 of b16");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value values = entries.pack(op, op.getSources());
  entries.call(builder, loc, "rnnrt_abi_simt_store_matrix",
               {entries.flatten(builder, loc, op.getPtr()), entries.constant32(builder, loc, op.getSources().size()),
                entries.constant32(builder, loc, op.getLayout() == NVVM::MMALayout::col), values,
                entries.site(builder, op, /*unique=*/true)});
  op.erase();
  return Rewrite::Done;
}

Rewrite rnn::simt::rewriteMatrixOp(Operation *op, EntryBuilder &entries) {
  return llvm::TypeSwitch<Operation *, Rewrite>(op)
      .Case([&](NVVM::MmaOp mma) { return rewriteMma(mma, entries); })
      .Case([&](NVVM::WMMALoadOp load) { return rewriteWmmaLoad(load, entries); })
      .Case([&](NVVM::WMMAStoreOp store) { return rewriteWmmaStore(store, entries); })
      .Case([&](NVVM::WMMAMmaOp mma) { return rewriteWmmaMma(mma, entries); })
      .Case([&](NVVM::LdMatrixOp load) { return rewriteLoadMatrix(load, entries); })
      .Case([&](NVVM::StMatrixOp store) { return rewriteStoreMatrix(store, entries); })
      .Default([](Operation *) { return Rewrite::Unknown; });
}
