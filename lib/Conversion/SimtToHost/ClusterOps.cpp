//===- ClusterOps.cpp - clusters and barriers that count bytes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/IR/Builders.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnn::simt;

namespace {

/// Rewrites one op to calls of entries.
class ClusterRewriter {
public:
  ClusterRewriter(Operation *op, EntryBuilder &entries) : op(op), entries(entries), builder(op), loc(op->getLoc()) {}

  Value number(int64_t value) { return entries.constant32(builder, loc, value); }
  Value flat(Value pointer) { return entries.flatten(builder, loc, pointer); }
  Value site(bool unique = false) { return entries.site(builder, op, unique); }
  /// An optional predicate as an i32; absent means true.
  Value predicate(Value condition) {
    return condition ? LLVM::ZExtOp::create(builder, loc, entries.i32, condition).getResult() : number(1);
  }

  Rewrite erase() {
    op->erase();
    return Rewrite::Done;
  }
  /// Replaces the op by a call of `entry`, whose result is converted to the type of the op's result.
  Rewrite replace(StringRef entry, ValueRange arguments) {
    Value result = entries.call(builder, loc, entry, arguments);
    if (op->getNumResults()) {
      Type type = op->getResult(0).getType();
      if (result.getType() != type)
        result = type == entries.i1 ? LLVM::TruncOp::create(builder, loc, type, result).getResult()
                                    : LLVM::AddrSpaceCastOp::create(builder, loc, type, result).getResult();
      op->getResult(0).replaceAllUsesWith(result);
    }
    return erase();
  }

  // --- mbarrier ---

  /// The flags that all mbarrier entries take.
  static int64_t flags(bool relaxed, NVVM::MemScopeKind scope) {
    return relaxed | (scope == NVVM::MemScopeKind::CLUSTER) << 1;
  }
  static constexpr int64_t drop = 4, noComplete = 8, complete = 4, parity = 4;

  Rewrite arrive(Value barrier, Value count, Value bytes, int64_t flags, Value condition = {}) {
    return replace("rnnrt_abi_simt_mbarrier_arrive",
                   {flat(barrier), count ? count : number(1), bytes ? bytes : number(0), number(flags),
                    predicate(condition), site()});
  }
  Rewrite transact(Value barrier, Value bytes, int64_t flags) {
    return replace("rnnrt_abi_simt_mbarrier_transact", {flat(barrier), bytes, number(flags), site()});
  }
  enum Patience { Test, Try, Endless };
  Rewrite wait(Value barrier, Value phase, Patience patience, int64_t flags) {
    // An i64 operand is a phase, an i32 one a parity.
    if (phase.getType() == entries.i32) {
      flags |= parity;
      phase = LLVM::ZExtOp::create(builder, loc, entries.i64, phase);
    }
    return replace("rnnrt_abi_simt_mbarrier_wait", {flat(barrier), phase, number(patience), number(flags), site()});
  }

  Rewrite storeAsync(rnngpu::StoreAsyncOp store) {
    Value values = entries.pack(op, store.getValues());
    return replace("rnnrt_abi_simt_store_async",
                   {flat(store.getAddress()), values, number(store.getBytes()), flat(store.getBarrier()), site()});
  }

  EntryBuilder &getEntries() { return entries; }

private:
  Operation *op;
  EntryBuilder &entries;
  OpBuilder builder;
  Location loc;
};

} // namespace

/// Special registers (nvvm.read.ptx.sreg.*), whose calls depend on the thread only.
static Rewrite rewriteRegister(Operation *op, StringRef name, EntryBuilder &entries) {
  StringRef entry = name.starts_with("clusterid.")        ? "rnnrt_abi_simt_cluster_id"
                    : name.starts_with("nclusterid.")     ? "rnnrt_abi_simt_grid_clusters"
                    : name.starts_with("cluster.ctaid.")  ? "rnnrt_abi_simt_cluster_block_id"
                    : name.starts_with("cluster.nctaid.") ? "rnnrt_abi_simt_cluster_dim"
                    : name == "cluster.ctarank"           ? "rnnrt_abi_simt_cluster_rank"
                    : name == "cluster.nctarank"          ? "rnnrt_abi_simt_cluster_size"
                                                          : "";
  if (entry.empty())
    return Rewrite::Unknown;
  OpBuilder builder(op);
  SmallVector<Value> arguments;
  if (!name.ends_with("rank"))
    arguments.push_back(entries.constant32(builder, op->getLoc(), name.back() - 'x'));
  Value result = entries.call(builder, op->getLoc(), entry, arguments, /*pure=*/true);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return Rewrite::Done;
}

Rewrite rnn::simt::rewriteClusterOp(Operation *op, EntryBuilder &entries) {
  StringRef name = op->getName().getStringRef();
  if (name.consume_front("nvvm.read.ptx.sreg."))
    return rewriteRegister(op, name, entries);
  ClusterRewriter r(op, entries);
  using R = ClusterRewriter;
  return llvm::TypeSwitch<Operation *, Rewrite>(op)
      .Case([&](NVVM::ClusterArriveOp arrive) {
        return r.replace("rnnrt_abi_simt_cluster_arrive", {r.number(arrive.getAligned() ? 2 : 0), r.site(true)});
      })
      .Case([&](NVVM::ClusterArriveRelaxedOp arrive) {
        return r.replace("rnnrt_abi_simt_cluster_arrive", {r.number(arrive.getAligned() ? 3 : 1), r.site(true)});
      })
      .Case([&](NVVM::ClusterWaitOp wait) {
        return r.replace("rnnrt_abi_simt_cluster_wait", {r.number(wait.getAligned() ? 2 : 0), r.site(true)});
      })
      .Case([&](NVVM::MapaOp map) {
        return r.replace("rnnrt_abi_simt_map_shared", {r.flat(map.getA()), map.getB(), r.site()});
      })
      .Case([&](NVVM::MBarrierInitOp init) {
        return r.replace("rnnrt_abi_simt_mbarrier_init",
                         {r.flat(init.getAddr()), init.getCount(), r.predicate(init.getPredicate()), r.site()});
      })
      .Case([&](NVVM::MBarrierInvalOp inval) {
        return r.replace("rnnrt_abi_simt_mbarrier_inval", {r.flat(inval.getAddr()), r.site()});
      })
      .Case([&](NVVM::MBarrierExpectTxOp expect) {
        return r.transact(expect.getAddr(), expect.getTxcount(), R::flags(false, expect.getScope()));
      })
      .Case([&](NVVM::MBarrierCompleteTxOp done) {
        return r.transact(done.getAddr(), done.getTxcount(), R::flags(false, done.getScope()) | R::complete);
      })
      .Case([&](NVVM::MBarrierArriveOp arrive) {
        return r.arrive(arrive.getAddr(), arrive.getCount(), {}, R::flags(arrive.getRelaxed(), arrive.getScope()));
      })
      .Case([&](NVVM::MBarrierArriveDropOp arrive) {
        return r.arrive(arrive.getAddr(), arrive.getCount(), {},
                        R::flags(arrive.getRelaxed(), arrive.getScope()) | R::drop);
      })
      .Case([&](NVVM::MBarrierArriveNocompleteOp arrive) {
        return r.arrive(arrive.getAddr(), arrive.getCount(), {}, R::noComplete);
      })
      .Case([&](NVVM::MBarrierArriveDropNocompleteOp arrive) {
        return r.arrive(arrive.getAddr(), arrive.getCount(), {}, R::noComplete | R::drop);
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp arrive) {
        return r.arrive(arrive.getAddr(), {}, arrive.getTxcount(), R::flags(arrive.getRelaxed(), arrive.getScope()),
                        arrive.getPredicate());
      })
      .Case([&](NVVM::MBarrierArriveDropExpectTxOp arrive) {
        return r.arrive(arrive.getAddr(), {}, arrive.getTxcount(),
                        R::flags(arrive.getRelaxed(), arrive.getScope()) | R::drop);
      })
      .Case([&](NVVM::MBarrierTestWaitOp wait) {
        return r.wait(wait.getAddr(), wait.getStateOrPhase(), R::Test, R::flags(wait.getRelaxed(), wait.getScope()));
      })
      .Case([&](NVVM::MBarrierTryWaitOp wait) {
        return r.wait(wait.getAddr(), wait.getStateOrPhase(), R::Try, R::flags(wait.getRelaxed(), wait.getScope()));
      })
      .Case([&](NVVM::MBarrierTryWaitParityOp wait) { return r.wait(wait.getAddr(), wait.getPhase(), R::Endless, 0); })
      .Case([&](rnngpu::StoreAsyncOp store) { return r.storeAsync(store); })
      .Case([&](rnngpu::AddSignalOp add) { return r.replace("rnnrt_abi_simt_add_signal", {r.flat(add.getCounter())}); })
      .Case(
          [&](rnngpu::ReadSignalOp read) { return r.replace("rnnrt_abi_simt_read_signal", {r.flat(read.getFlag())}); })
      // Launches run one after the other.
      .Case<rnngpu::GridWaitOp, rnngpu::LaunchDependentsOp>([&](Operation *) { return r.erase(); })
      .Case<NVVM::FenceMbarrierInitOp, NVVM::FenceSyncRestrictOp>(
          [&](Operation *) { return r.replace("rnnrt_abi_simt_fence", {r.site()}); })
      // The host has no proxies: all accesses take the same path to memory.
      .Case<NVVM::FenceProxyOp, NVVM::FenceProxyAcquireOp, NVVM::FenceProxyReleaseOp, NVVM::FenceProxySyncRestrictOp>(
          [&](Operation *) { return r.erase(); })
      .Default([](Operation *) { return Rewrite::Unknown; });
}
