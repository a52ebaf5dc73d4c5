//===- ThreadOps.cpp - ids, barriers, collectives and copies -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/IR/Builders.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnn::simt;

static Rewrite replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return Rewrite::Done;
}

static Rewrite erase(Operation *op) {
  op->erase();
  return Rewrite::Done;
}

/// {first, second} as a struct of `type`.
static Value makePair(OpBuilder &builder, Location loc, Type type, Value first, Value second) {
  Value pair = LLVM::PoisonOp::create(builder, loc, type);
  pair = LLVM::InsertValueOp::create(builder, loc, pair, first, ArrayRef<int64_t>{0});
  return LLVM::InsertValueOp::create(builder, loc, pair, second, ArrayRef<int64_t>{1});
}

/// Special registers (nvvm.read.ptx.sreg.*).
static Rewrite rewriteRegister(Operation *op, StringRef name, EntryBuilder &entries) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto sized = [&](Value value) -> Value {
    Type type = op->getResult(0).getType();
    return type == value.getType() ? value : LLVM::ZExtOp::create(builder, loc, type, value).getResult();
  };
  auto [base, dim] = name.split('.');
  StringRef entry = llvm::StringSwitch<StringRef>(base)
                        .Case("tid", "rnnrt_abi_simt_thread_id")
                        .Case("ntid", "rnnrt_abi_simt_block_dim")
                        .Case("ctaid", "rnnrt_abi_simt_block_id")
                        .Case("nctaid", "rnnrt_abi_simt_grid_dim")
                        .Default("");
  if (!entry.empty() && dim.size() == 1 && dim[0] >= 'x' && dim[0] <= 'z')
    return replace(op, sized(entries.call(builder, loc, entry, entries.constant32(builder, loc, dim[0] - 'x'), true)));
  if (name == "laneid")
    return replace(op, sized(entries.call(builder, loc, "rnnrt_abi_simt_lane_id", {}, true)));
  if (name == "warpid")
    return replace(op, sized(entries.call(builder, loc, "rnnrt_abi_simt_warp_id", {}, true)));
  if (name == "warpsize")
    return replace(op, sized(entries.constant32(builder, loc, 32)));
  if (name == "total_smem_size")
    return replace(op, sized(entries.call(builder, loc, "rnnrt_abi_simt_shared_size", {}, true)));
  if (base == "lanemask") {
    // Derived from bit = 1 << lane: eq = bit, lt = bit - 1, ge = ~lt, le = lt | bit, gt = ~le.
    Value one = entries.constant32(builder, loc, 1), all = entries.constant32(builder, loc, -1);
    Value lane = entries.call(builder, loc, "rnnrt_abi_simt_lane_id", {}, true);
    Value equal = LLVM::ShlOp::create(builder, loc, one, lane);
    Value less = LLVM::SubOp::create(builder, loc, equal, one);
    Value lessEqual = LLVM::OrOp::create(builder, loc, less, equal);
    if (dim == "eq")
      return replace(op, equal);
    if (dim == "lt")
      return replace(op, less);
    if (dim == "le")
      return replace(op, lessEqual);
    return replace(op, LLVM::XOrOp::create(builder, loc, dim == "ge" ? less : lessEqual, all));
  }
  return Rewrite::Unknown;
}

static Rewrite rewriteShuffle(NVVM::ShflOp op, EntryBuilder &entries) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value value = op.getVal();
  bool isFloat = value.getType().isF32();
  if (isFloat)
    value = LLVM::BitcastOp::create(builder, loc, entries.i32, value);
  Value valid = entries.slot(op, entries.i32);
  Value result = entries.call(builder, loc, "rnnrt_abi_simt_shuffle",
                              {op.getThreadMask(), value, op.getOffset(), op.getMaskAndClamp(),
                               entries.constant32(builder, loc, static_cast<int64_t>(op.getKind())), valid,
                               entries.site(builder, op, /*unique=*/true)});
  if (isFloat)
    result = LLVM::BitcastOp::create(builder, loc, entries.f32, result);
  if (isa<LLVM::LLVMStructType>(op.getRes().getType())) {
    Value predicate = LLVM::LoadOp::create(builder, loc, entries.i32, valid);
    predicate = LLVM::TruncOp::create(builder, loc, entries.i1, predicate);
    result = makePair(builder, loc, op.getRes().getType(), result, predicate);
  }
  return replace(op, result);
}

static Rewrite rewriteMatch(NVVM::MatchSyncOp op, EntryBuilder &entries) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value value = op.getVal();
  if (value.getType() != entries.i64)
    value = LLVM::ZExtOp::create(builder, loc, entries.i64, value);
  Value all = entries.slot(op, entries.i32);
  Value result =
      entries.call(builder, loc, "rnnrt_abi_simt_match",
                   {op.getThreadMask(), value, entries.constant32(builder, loc, static_cast<int64_t>(op.getKind())),
                    all, entries.site(builder, op, /*unique=*/true)});
  if (isa<LLVM::LLVMStructType>(op.getRes().getType())) {
    Value predicate = LLVM::LoadOp::create(builder, loc, entries.i32, all);
    predicate = LLVM::TruncOp::create(builder, loc, entries.i1, predicate);
    result = makePair(builder, loc, op.getRes().getType(), result, predicate);
  }
  return replace(op, result);
}

static Rewrite rewriteBarrier(NVVM::BarrierOp op, EntryBuilder &entries) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value zero = entries.constant32(builder, loc, 0);
  Value id = op.getBarrierId() ? op.getBarrierId() : zero;
  Value threads = op.getNumberOfThreads() ? op.getNumberOfThreads() : zero;
  Value site = entries.site(builder, op, /*unique=*/true);
  if (!op.getReductionOp()) {
    entries.call(builder, loc, "rnnrt_abi_simt_barrier", {id, threads, site});
    return erase(op);
  }
  Value kind = entries.constant32(builder, loc, static_cast<int64_t>(*op.getReductionOp()));
  return replace(op, entries.call(builder, loc, "rnnrt_abi_simt_barrier_reduce",
                                  {id, threads, kind, op.getReductionPredicate(), site}));
}

static Rewrite rewriteRedux(NVVM::ReduxOp op, EntryBuilder &entries) {
  if (op.getVal().getType() != entries.i32)
    return Rewrite::Unknown;
  OpBuilder builder(op);
  Value kind = entries.constant32(builder, op.getLoc(), static_cast<int64_t>(op.getKind()));
  return replace(op, entries.call(builder, op.getLoc(), "rnnrt_abi_simt_redux",
                                  {op.getMaskAndClamp(), op.getVal(), kind, entries.site(builder, op, true)}));
}

/// cvt.rna: to nearest with ties away from zero, which keeps 10 bits of the significand; cvt.rn: ties to even.
static Rewrite rewriteToTF32(NVVM::ConvertFloatToTF32Op op, EntryBuilder &entries) {
  if (op.getRelu() || op.getSat() != NVVM::SaturationMode::NONE ||
      (op.getRnd() != NVVM::FPRoundingMode::RNA && op.getRnd() != NVVM::FPRoundingMode::RN &&
       op.getRnd() != NVVM::FPRoundingMode::RZ))
    return Rewrite::Unknown;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value bits = LLVM::BitcastOp::create(builder, loc, entries.i32, op.getSrc());
  Value rounded = bits;
  if (op.getRnd() == NVVM::FPRoundingMode::RNA) {
    rounded = LLVM::AddOp::create(builder, loc, bits, entries.constant32(builder, loc, 0x1000));
  } else if (op.getRnd() == NVVM::FPRoundingMode::RN) {
    Value odd = LLVM::LShrOp::create(builder, loc, bits, entries.constant32(builder, loc, 13));
    odd = LLVM::AndOp::create(builder, loc, odd, entries.constant32(builder, loc, 1));
    rounded = LLVM::AddOp::create(builder, loc, bits, entries.constant32(builder, loc, 0xfff));
    rounded = LLVM::AddOp::create(builder, loc, rounded, odd);
  }
  // Infinities and NaNs are not rounded.
  Value exponent = LLVM::AndOp::create(builder, loc, bits, entries.constant32(builder, loc, 0x7f800000));
  Value isFinite = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, exponent,
                                        entries.constant32(builder, loc, 0x7f800000));
  rounded = LLVM::SelectOp::create(builder, loc, isFinite, rounded, bits);
  return replace(op, LLVM::AndOp::create(builder, loc, rounded, entries.constant32(builder, loc, 0xffffe000)));
}

static Rewrite rewriteAsyncCopy(NVVM::CpAsyncOp op, EntryBuilder &entries) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value bytes = entries.constant32(builder, loc, op.getSize());
  entries.call(builder, loc, "rnnrt_abi_simt_async_copy",
               {entries.flatten(builder, loc, op.getDst()), entries.flatten(builder, loc, op.getSrc()), bytes,
                op.getCpSize() ? op.getCpSize() : bytes, entries.site(builder, op)});
  return erase(op);
}

Rewrite rnn::simt::rewriteThreadOp(Operation *op, EntryBuilder &entries) {
  StringRef name = op->getName().getStringRef();
  if (name.consume_front("nvvm.read.ptx.sreg."))
    return rewriteRegister(op, name, entries);
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto uniqueSite = [&] { return entries.site(builder, op, /*unique=*/true); };
  return llvm::TypeSwitch<Operation *, Rewrite>(op)
      .Case([&](NVVM::BarrierOp barrier) { return rewriteBarrier(barrier, entries); })
      .Case([&](NVVM::Barrier0Op) {
        Value zero = entries.constant32(builder, loc, 0);
        entries.call(builder, loc, "rnnrt_abi_simt_barrier", {zero, zero, uniqueSite()});
        return erase(op);
      })
      .Case([&](NVVM::BarrierArriveOp arrive) {
        Value id = arrive.getBarrierId() ? arrive.getBarrierId() : entries.constant32(builder, loc, 0);
        entries.call(builder, loc, "rnnrt_abi_simt_barrier_arrive", {id, arrive.getNumberOfThreads(), uniqueSite()});
        return erase(op);
      })
      .Case([&](NVVM::SyncWarpOp sync) {
        entries.call(builder, loc, "rnnrt_abi_simt_warp_sync", {sync.getMask(), uniqueSite()});
        return erase(op);
      })
      .Case([&](NVVM::ShflOp shuffle) { return rewriteShuffle(shuffle, entries); })
      .Case([&](NVVM::VoteSyncOp vote) {
        Value predicate = LLVM::ZExtOp::create(builder, loc, entries.i32, vote.getPred());
        Value result =
            entries.call(builder, loc, "rnnrt_abi_simt_vote",
                         {vote.getMask(), predicate,
                          entries.constant32(builder, loc, static_cast<int64_t>(vote.getKind())), uniqueSite()});
        if (vote.getRes().getType() == entries.i1)
          result = LLVM::TruncOp::create(builder, loc, entries.i1, result);
        return replace(op, result);
      })
      .Case([&](NVVM::MatchSyncOp match) { return rewriteMatch(match, entries); })
      .Case([&](NVVM::ReduxOp redux) { return rewriteRedux(redux, entries); })
      .Case([&](NVVM::ElectSyncOp elect) {
        Value mask = elect.getMembermask() ? elect.getMembermask() : entries.constant32(builder, loc, -1);
        Value result = entries.call(builder, loc, "rnnrt_abi_simt_elect", {mask, uniqueSite()});
        return replace(op, LLVM::TruncOp::create(builder, loc, entries.i1, result));
      })
      .Case([&](NVVM::CpAsyncOp copy) { return rewriteAsyncCopy(copy, entries); })
      .Case([&](NVVM::CpAsyncCommitGroupOp) {
        entries.call(builder, loc, "rnnrt_abi_simt_async_commit", {});
        return erase(op);
      })
      .Case([&](NVVM::CpAsyncWaitGroupOp wait) {
        entries.call(builder, loc, "rnnrt_abi_simt_async_wait",
                     {entries.constant32(builder, loc, wait.getN()), entries.site(builder, op)});
        return erase(op);
      })
      .Case<NVVM::MembarOp, NVVM::FenceScClusterOp>([&](Operation *) {
        entries.call(builder, loc, "rnnrt_abi_simt_fence", {entries.site(builder, op)});
        return erase(op);
      })
      .Case([&](NVVM::NanosleepOp) {
        entries.call(builder, loc, "rnnrt_abi_simt_yield", {entries.site(builder, op)});
        return erase(op);
      })
      .Case([&](NVVM::ConvertFloatToTF32Op convert) { return rewriteToTF32(convert, entries); })
      .Case([&](NVVM::RcpApproxFtzF32Op reciprocal) {
        Value one = LLVM::ConstantOp::create(builder, loc, entries.f32, builder.getF32FloatAttr(1.0f));
        return replace(op, LLVM::FDivOp::create(builder, loc, one, reciprocal.getArg()));
      })
      .Case([&](rnngpu::Exp2Op power) {
        return replace(op, LLVM::Exp2Op::create(builder, loc, entries.f32, power.getValue()));
      })
      .Case([&](rnngpu::TanhOp tanh) {
        return replace(op, LLVM::TanhOp::create(builder, loc, entries.f32, tanh.getValue()));
      })
      .Case([&](rnngpu::GridBarrierOp barrier) {
        entries.call(builder, loc, "rnnrt_abi_simt_grid_barrier",
                     {entries.flatten(builder, loc, barrier.getCounter()), uniqueSite()});
        return erase(op);
      })
      // Programmatic dependent launch: the emulator runs kernels one after the other, so the wait does nothing.
      .Case([&](NVVM::GriddepcontrolOp) { return erase(op); })
      .Case([&](LLVM::FenceOp) {
        // Kept, since it also orders LLVM's own transformations.
        entries.call(builder, loc, "rnnrt_abi_simt_fence", {entries.site(builder, op)});
        return Rewrite::Done;
      })
      .Case<LLVM::Trap, LLVM::DebugTrap, LLVM::UBSanTrap>([&](Operation *) {
        entries.call(builder, loc, "rnnrt_abi_simt_assert",
                     {entries.string(builder, loc, "the kernel executes a trap"), entries.site(builder, op)});
        return erase(op);
      })
      .Default([](Operation *) { return Rewrite::Unknown; });
}
