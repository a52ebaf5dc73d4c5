//===- ClusterExchange.cpp - mbarriers and messages between blocks of a cluster -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterExchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

using namespace mlir;
using namespace mlir::rnn;

static Value constant32(const Emitter &e, int64_t value) {
  return arith::ConstantOp::create(e.builder, e.loc, e.builder.getI32IntegerAttr(value));
}

Value rnn::mapToBlock(const Emitter &e, Value pointer, Value rank) {
  auto remote = LLVM::LLVMPointerType::get(e.builder.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  return NVVM::MapaOp::create(e.builder, e.loc, remote, pointer, rank);
}

void rnn::initBarriers(const Emitter &e, ValueRange barriers) {
  for (Value barrier : barriers)
    NVVM::MBarrierInitOp::create(e.builder, e.loc, barrier, constant32(e, 1), nullptr);
  NVVM::FenceMbarrierInitOp::create(e.builder, e.loc);
}

void rnn::expectBytes(const Emitter &e, Value barrier, Value bytes) {
  // Relaxed: the sends order themselves (st.async releases), and the count of bytes ends the phase. A release in
  // cluster scope would be a MEMBAR of the whole GPU, which waits for this thread's global stores.
  NVVM::MBarrierArriveExpectTxOp::create(e.builder, e.loc, Type(), barrier, bytes, NVVM::MemScopeKind::CLUSTER,
                                         /*relaxed=*/true, nullptr);
}

void rnn::waitForPhase(const Emitter &e, Value barrier, Value parity) {
  OpBuilder &builder = e.builder;
  scf::WhileOp::create(
      builder, e.loc, TypeRange(), ValueRange(),
      [&](OpBuilder &, Location, ValueRange) {
        Value done = NVVM::MBarrierTryWaitOp::create(builder, e.loc, builder.getI1Type(), barrier, parity, nullptr,
                                                     NVVM::MemScopeKind::CLUSTER, /*relaxed=*/true);
        Value isTrue = arith::ConstantOp::create(builder, e.loc, builder.getBoolAttr(true));
        scf::ConditionOp::create(builder, e.loc, arith::XOrIOp::create(builder, e.loc, done, isTrue), ValueRange());
      },
      [&](OpBuilder &, Location, ValueRange) { scf::YieldOp::create(builder, e.loc); });
  // Acquires the values in shared memory only: an acquiring wait would also invalidate L1.
  NVVM::FenceSyncRestrictOp::create(builder, e.loc, NVVM::MemOrderKind::ACQUIRE);
}

//===----------------------------------------------------------------------===//
// ClusterReduction
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ClusterReduction::getChunks() const {
  SmallVector<int64_t> chunks;
  for (int64_t rest = owned, most = 16 / getTypeBytes(); rest > 0; rest -= chunks.back())
    chunks.push_back(int64_t(llvm::bit_floor(uint64_t(std::min(rest, most)))));
  return chunks;
}

void ClusterReduction::start(const Emitter &e, Kernel &kernel, Value thread) {
  slots = e.address(kernel.addWorkgroupBuffer({getSlotBytes() / getTypeBytes()}, type), {e.index(0)});
  barrier = e.address(kernel.addWorkgroupBuffer({2}, e.builder.getI64Type()), {e.index(0)});
  e.ifThen(e.isEqual(thread, e.index(0)), [&] {
    initBarriers(e, barrier);
    expectBytes(e, barrier, constant32(e, getSlotBytes()));
  });
  NVVM::ClusterArriveOp::create(e.builder, e.loc, /*aligned=*/nullptr);
}

void ClusterReduction::connect(const Emitter &e) const {
  NVVM::ClusterWaitOp::create(e.builder, e.loc, /*aligned=*/nullptr);
}

Value ClusterReduction::getSlot(const Emitter &e, Value thread, Value sender, int64_t first, int64_t count) const {
  // By sender, chunk, thread: the lanes of a warp access adjacent values.
  Value place =
      e.add(e.mul(sender, e.index(threads * owned)), e.add(e.index(threads * first), e.mul(thread, e.index(count))));
  Value number = arith::IndexCastOp::create(e.builder, e.loc, e.builder.getI64Type(), place);
  return LLVM::GEPOp::create(e.builder, e.loc, slots.getType(), type, slots, ArrayRef<LLVM::GEPArg>{number});
}

SmallVector<Value> ClusterReduction::reduce(const Emitter &e, Value thread, ValueRange sums) const {
  OpBuilder &builder = e.builder;
  Value own = arith::IndexCastUIOp::create(builder, e.loc, builder.getIndexType(),
                                           NVVM::ClusterId::create(builder, e.loc, builder.getI32Type()));
  for (int64_t block = 0; block < blocks; ++block) {
    Value target = constant32(e, block), remote = mapToBlock(e, barrier, target);
    int64_t first = 0;
    for (int64_t count : getChunks()) {
      rnngpu::StoreAsyncOp::create(builder, e.loc, sums.slice(block * owned + first, count),
                                   mapToBlock(e, getSlot(e, thread, own, first, count), target), remote);
      first += count;
    }
  }
  waitForPhase(e, barrier, constant32(e, 0));
  SmallVector<Value> totals(owned);
  for (int64_t sender = 0; sender < blocks; ++sender) {
    int64_t first = 0;
    for (int64_t count : getChunks()) {
      Value from = getSlot(e, thread, e.index(sender), first, count);
      Type loadedType = count == 1 ? type : Type(VectorType::get({count}, type));
      Value loaded = LLVM::LoadOp::create(builder, e.loc, loadedType, from, unsigned(count * getTypeBytes()));
      for (int64_t index = 0; index < count; ++index) {
        Value part = count == 1
                         ? loaded
                         : LLVM::ExtractElementOp::create(builder, e.loc, loaded, constant32(e, index)).getResult();
        Value &total = totals[first + index];
        total = total ? e.add(total, part) : part;
      }
      first += count;
    }
  }
  return totals;
}
