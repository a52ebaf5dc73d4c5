// Cluster.cpp - the cluster barrier, distributed shared memory, and mbarriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Cluster.h"
#include "emulator/Checker.h"

#include <algorithm>
#include <cstring>

using namespace rnnrt::simt;

//===-- The barrier of a cluster ---------------------------------------------------------------------------------===//

static void meetNothing(Warp &, uint32_t, void *const *) {}

/// barrier.cluster.*.aligned: all live lanes of the warp are at this op.
static void checkAligned(Thread &thread, const char *what, const char *site) {
  collective(meetNothing, what, thread.warp->present & ~thread.warp->exited, nullptr, site);
}

static void completeIfAllArrived(Cluster &cluster) {
  if (!cluster.arrived || cluster.arrived != cluster.liveThreads)
    return;
  Emulator &self = emulator();
  if (Checker *checker = self.getChecker())
    checker->completeCluster(cluster);
  ++cluster.phase;
  cluster.arrived = 0;
  std::vector<Thread *> &waiting = self.scratch;
  waiting.clear();
  for (Block *block : cluster.blocks)
    for (Thread &thread : block->threads)
      if (thread.state == State::AtClusterBarrier)
        waiting.push_back(&thread);
  self.wake(waiting);
}

void rnnrt::simt::arriveAtCluster(Thread &thread, bool relaxed, bool aligned, const char *site) {
  if (aligned)
    checkAligned(thread, "barrier.cluster.arrive.aligned", site);
  Cluster &cluster = *thread.block->cluster;
  if (thread.arrivedAtCluster)
    fault("misused cluster barrier", thread, site, "the thread has arrived before and not waited since");
  thread.arrivedAtCluster = true;
  thread.clusterPhase = cluster.phase;
  if (Checker *checker = emulator().getChecker())
    checker->arriveAtCluster(thread, relaxed);
  if (!cluster.arrived++)
    cluster.site = site;
  completeIfAllArrived(cluster);
}

void rnnrt::simt::waitAtCluster(Thread &thread, bool aligned, const char *site) {
  if (aligned)
    checkAligned(thread, "barrier.cluster.wait.aligned", site);
  if (!thread.arrivedAtCluster)
    fault("misused cluster barrier", thread, site, "the thread waits, but has not arrived");
  thread.site = site;
  while (thread.clusterPhase == thread.block->cluster->phase) {
    thread.state = State::AtClusterBarrier;
    emulator().suspend(thread);
  }
  thread.arrivedAtCluster = false;
  if (Checker *checker = emulator().getChecker())
    checker->waitAtCluster(thread);
}

void rnnrt::simt::leaveCluster(Thread &thread) {
  Cluster &cluster = *thread.block->cluster;
  --cluster.liveThreads;
  if (thread.arrivedAtCluster && thread.clusterPhase == cluster.phase)
    --cluster.arrived;
  completeIfAllArrived(cluster);
}

//===-- Remote shared memory -------------------------------------------------------------------------------------===//

Block *rnnrt::simt::findOwner(const Thread &thread, const void *pointer) {
  auto isIn = [&](const Block &block) {
    auto offset = static_cast<const char *>(pointer) - block.shared;
    return offset >= 0 && offset < emulator().getSharedBytes();
  };
  if (isIn(*thread.block))
    return thread.block;
  for (Block *block : thread.block->cluster->blocks)
    if (isIn(*block))
      return block;
  return nullptr;
}

char *rnnrt::simt::mapShared(Thread &thread, const void *pointer, uint32_t rank, const char *site) {
  const auto &blocks = thread.block->cluster->blocks;
  if (rank >= blocks.size())
    fault("out of bounds", thread, site, "mapa to block %d of a cluster that has %zu", int32_t(rank), blocks.size());
  // An address past the end is reported at its use.
  return blocks[rank]->shared + (static_cast<const char *>(pointer) - thread.block->shared);
}

/// The block that owns `bytes` at `pointer`; it must be running.
static Block &checkRemote(Thread &thread, const char *what, const void *pointer, int64_t bytes, const char *site) {
  Block *owner = findOwner(thread, pointer);
  if (!owner || static_cast<const char *>(pointer) + bytes > owner->shared + emulator().getSharedBytes())
    fault("out of bounds", thread, site,
          "%s of %lld bytes outside of the %lld bytes of shared memory of the cluster's "
          "blocks",
          what, (long long)bytes, (long long)emulator().getSharedBytes());
  if (!owner->live)
    faultEnded(thread, what, *owner, site);
  return *owner;
}

void rnnrt::simt::endBlock(Thread &last) {
  Block &block = *last.block;
  for (auto &[address, barrier] : block.transactionBarriers) {
    if (!barrier->pendingStores.empty())
      fault("missing wait", last, barrier->pendingStores.front().site,
            "%zu asynchronous stores to the block's shared memory were never waited for when its last thread exited",
            barrier->pendingStores.size());
    if (barrier->transactions < 0)
      fault("misused mbarrier", last, "the end of the kernel",
            "the block ended while %lld bytes had come to %s that no phase expects", -(long long)barrier->transactions,
            barrier->describe().c_str());
  }
  if (Checker *checker = emulator().getChecker())
    checker->endBlock(last);
  // For mbarrier operations of other blocks that come too late.
  if (block.cluster->blocks.size() > 1)
    std::memset(block.shared, 0xff, size_t(emulator().getSharedBytes()));
}

//===-- Barriers that count bytes --------------------------------------------------------------------------------===//

std::string TransactionBarrier::describe() const {
  return "the mbarrier at offset " + std::to_string(address - block->shared) + " of " + simt::describe(*block).c_str() +
         " (phase " + std::to_string(phase) + ", " + std::to_string(pending) + " arrivals and " +
         std::to_string(transactions) + " bytes are missing)";
}

/// The mbarrier at `pointer`; with `remote`, it may be in another block.
static TransactionBarrier &findBarrier(Thread &thread, const void *pointer, bool remote, const char *what,
                                       const char *site) {
  Block &owner = checkRemote(thread, what, pointer, 8, site);
  if (!remote && &owner != thread.block)
    fault("misused mbarrier", thread, site, "%s expects an mbarrier of the own block, but got one of %s", what,
          describe(owner).c_str());
  auto found = owner.transactionBarriers.find(static_cast<const char *>(pointer));
  if (found == owner.transactionBarriers.end())
    fault("misused mbarrier", thread, site, "%s at offset %lld of %s, where no mbarrier was initialised", what,
          (long long)(static_cast<const char *>(pointer) - owner.shared), describe(owner).c_str());
  if (Checker *checker = emulator().getChecker())
    checker->access(thread, pointer, 8, accessWrite | accessAtomic | accessBarrier, site);
  return *found->second;
}

void rnnrt::simt::initTransactions(Thread &thread, const void *pointer, uint32_t count, const char *site) {
  const auto *address = static_cast<const char *>(pointer);
  if (reinterpret_cast<uintptr_t>(pointer) % 8)
    fault("misaligned access", thread, site, "an mbarrier expects an address that is a multiple of 8");
  Block &owner = checkRemote(thread, "mbarrier.init", pointer, 8, site);
  if (&owner != thread.block)
    fault("misused mbarrier", thread, site, "mbarrier.init expects an address of the own block, but got one of %s",
          describe(owner).c_str());
  if (count < 1 || count >= 1 << 20)
    fault("misused mbarrier", thread, site, "mbarrier.init expects 1 to 1048575 arrivals, but got %d", int32_t(count));
  std::unique_ptr<TransactionBarrier> &barrier = owner.transactionBarriers[address];
  if (barrier)
    fault("misused mbarrier", thread, site, "mbarrier.init at offset %lld, where there is an mbarrier already",
          (long long)(address - owner.shared));
  if (Checker *checker = emulator().getChecker())
    checker->access(thread, pointer, 8, accessWrite | accessBarrier, site);
  barrier = std::make_unique<TransactionBarrier>();
  barrier->block = &owner;
  barrier->address = address;
  barrier->expected = barrier->pending = count;
}

void rnnrt::simt::invalidateTransactions(Thread &thread, const void *pointer, const char *site) {
  TransactionBarrier &barrier = findBarrier(thread, pointer, /*remote=*/false, "mbarrier.inval", site);
  if (!barrier.pendingStores.empty())
    fault("misused mbarrier", thread, site, "mbarrier.inval while %zu asynchronous stores are under way to %s",
          barrier.pendingStores.size(), barrier.describe().c_str());
  if (Checker *checker = emulator().getChecker()) {
    checker->access(thread, pointer, 8, accessWrite | accessBarrier, site);
    checker->forgetShared(*thread.block, pointer, 8);
  }
  thread.block->transactionBarriers.erase(static_cast<const char *>(pointer));
}

static bool anyoneWaits(const TransactionBarrier &barrier) {
  return std::any_of(barrier.block->threads.begin(), barrier.block->threads.end(), [&](const Thread &thread) {
    return thread.state == State::AtTransactionBarrier && thread.waitedFor == &barrier;
  });
}

static void completeIfNothingIsMissing(TransactionBarrier &barrier) {
  if (barrier.pending || barrier.transactions)
    return;
  Emulator &self = emulator();
  ++barrier.phase;
  barrier.pending = barrier.expected;
  if (Checker *checker = self.getChecker())
    checker->completePhase(barrier);
  std::vector<Thread *> &waiting = self.scratch;
  waiting.clear();
  for (Thread &thread : barrier.block->threads)
    if (thread.state == State::AtTransactionBarrier && thread.waitedFor == &barrier)
      waiting.push_back(&thread);
  self.wake(waiting);
}

static void change(Thread &thread, TransactionBarrier &barrier, int64_t bytes, const char *site) {
  // The range of a tx-count (PTX ISA, "tracking asynchronous operations by the mbarrier object").
  constexpr int64_t most = (1 << 20) - 1;
  barrier.transactions += bytes;
  if (barrier.transactions > most || barrier.transactions < -most)
    fault("misused mbarrier", thread, site, "%lld bytes are missing at an mbarrier, which counts to 1048575",
          (long long)barrier.transactions);
}

uint64_t rnnrt::simt::arriveAtTransactions(Thread &thread, const void *pointer, uint32_t count, int64_t announced,
                                           bool drop, bool mayComplete, Order order, const char *site) {
  TransactionBarrier &barrier = findBarrier(thread, pointer, /*remote=*/true, "mbarrier.arrive", site);
  uint64_t phase = barrier.phase;
  change(thread, barrier, announced, site);
  if (count < 1 || count > barrier.pending)
    fault("misused mbarrier", thread, site, "expects at most %u more arrivals in this phase, but got %d, at %s",
          barrier.pending, int32_t(count), barrier.describe().c_str());
  barrier.pending -= count;
  if (drop)
    barrier.expected -= count;
  if (!mayComplete && !barrier.pending && !barrier.transactions)
    fault("misused mbarrier", thread, site, "mbarrier.arrive.noComplete completes a phase of %s",
          barrier.describe().c_str());
  if (Checker *checker = emulator().getChecker())
    if (std::shared_ptr<const Message> message = checker->release(thread, order.relaxed))
      barrier.messages[{thread.globalId(), order.cluster}] = message;
  completeIfNothingIsMissing(barrier);
  return phase;
}

void rnnrt::simt::changeTransactions(Thread &thread, const void *pointer, int64_t bytes, Order, const char *site) {
  // Neither expect_tx nor complete_tx orders anything by itself (PTX ISA: both are relaxed).
  TransactionBarrier &barrier = findBarrier(thread, pointer, /*remote=*/true, "mbarrier.expect_tx", site);
  change(thread, barrier, bytes, site);
  completeIfNothingIsMissing(barrier);
}

/// The arrival of the data and the update of the pending bytes. The store releases to the cluster (PTX ISA, st.async).
static void deliver(Thread &thread, TransactionBarrier &barrier, size_t index) {
  AsyncStore &store = barrier.pendingStores[index];
  std::memcpy(store.target, store.data, store.bytes);
  change(thread, barrier, -int64_t(store.bytes), store.site);
  // The latest store of a thread has the most complete message. Stores may arrive in any order.
  if (store.message) {
    std::shared_ptr<const Message> &latest = barrier.messages[{store.issuer, true}];
    if (!latest || latest->threads.at(store.issuer) < store.message->threads.at(store.issuer))
      latest = std::move(store.message);
  }
  barrier.pendingStores.erase(barrier.pendingStores.begin() + ptrdiff_t(index));
  completeIfNothingIsMissing(barrier);
}

bool rnnrt::simt::waitForTransactions(Thread &thread, const void *pointer, uint64_t phase, bool isParity,
                                      Patience patience, Order order, const char *site) {
  Emulator &self = emulator();
  TransactionBarrier &barrier = findBarrier(thread, pointer, /*remote=*/false, "a wait", site);
  if (isParity && phase > 1)
    fault("misused mbarrier", thread, site, "a wait expects a parity of 0 or 1, but got %d", int32_t(phase));
  if (!isParity && (phase > barrier.phase || phase + 1 < barrier.phase))
    fault("misused mbarrier", thread, site, "a wait for phase %lld of %s, which is neither this one nor the last",
          (long long)phase, barrier.describe().c_str());
  // The data arrive as late as possible: when a thread waits for them.
  auto isOver = [&] {
    while (!barrier.isOver(phase, isParity) && !barrier.pendingStores.empty()) {
      bool isRandom = self.getSchedule().order == Schedule::Order::Random;
      deliver(thread, barrier, isRandom ? self.getRandom().next(barrier.pendingStores.size()) : 0);
    }
    return barrier.isOver(phase, isParity);
  };
  // On a GPU, try_wait may return early, so the first one does.
  bool mayPark = patience == Patience::Endless || (patience == Patience::Try && thread.waitedFor == &barrier);
  if (!isOver()) {
    thread.waitedFor = &barrier;
    if (!mayPark) {
      self.yield(thread, site);
      if (patience == Patience::Test || !isOver())
        return false;
    } else {
      thread.site = site;
      do {
        thread.state = State::AtTransactionBarrier;
        self.suspend(thread);
      } while (!isOver() && patience == Patience::Endless);
      if (!isOver())
        return false;
    }
  }
  thread.waitedFor = nullptr;
  if (Checker *checker = self.getChecker())
    if (const auto &message = order.cluster ? barrier.fromCluster : barrier.fromBlock)
      checker->acquire(thread, message, order.relaxed);
  return true;
}

void rnnrt::simt::storeAsync(Thread &thread, void *target, const void *data, uint32_t bytes, const void *pointer,
                             const char *site) {
  if (reinterpret_cast<uintptr_t>(target) % bytes)
    fault("misaligned access", thread, site, "st.async of %u bytes expects an address aligned to as much", bytes);
  Block &owner = checkRemote(thread, "asynchronous store", target, bytes, site);
  TransactionBarrier &barrier = findBarrier(thread, pointer, /*remote=*/true, "st.async", site);
  if (barrier.block != &owner)
    fault("misused mbarrier", thread, site, "st.async to %s expects an mbarrier of the same block, but got one of %s",
          describe(owner).c_str(), describe(*barrier.block).c_str());
  AsyncStore store{static_cast<char *>(target), bytes, {}, thread.globalId(), site, nullptr};
  std::memcpy(store.data, data, bytes);
  Emulator &self = emulator();
  if (Checker *checker = self.getChecker())
    store.message = checker->storeAsync(thread, target, bytes, site);
  barrier.pendingStores.push_back(std::move(store));
  const Schedule::Order order = self.getSchedule().order;
  bool isEarly = order == Schedule::Order::Reverse || (order == Schedule::Order::Random && self.getRandom().next(2));
  if (isEarly || anyoneWaits(barrier))
    deliver(thread, barrier, barrier.pendingStores.size() - 1);
}
