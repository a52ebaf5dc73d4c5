// Cluster.h - operations on the state that the blocks of a cluster share: the cluster barrier, distributed shared
// memory, and mbarriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_EMULATOR_CLUSTER_H
#define RNNRT_EMULATOR_CLUSTER_H

#include "emulator/Emulator.h"

namespace rnnrt::simt {

struct Message;

/// A st.async that has not arrived.
struct AsyncStore {
  char *target;
  uint32_t bytes;
  char data[16];
  uint32_t issuer; ///< by global id
  const char *site;
  std::shared_ptr<const Message> message; ///< for the checker
};

/// An mbarrier. A phase completes when no arrival and no byte is pending (PTX ISA, "mbarrier").
struct TransactionBarrier {
  Block *block = nullptr;
  const char *address = nullptr;
  uint32_t expected = 0, pending = 0;
  int64_t transactions = 0; ///< pending bytes (tx-count); negative if more arrived than were expected so far
  uint64_t phase = 0;       ///< number of completed phases
  std::vector<AsyncStore> pendingStores;
  /// For the checker: the messages of the arrivals of this phase, by thread and whether the scope is the cluster; and
  /// the merged messages of the last phase for the block and for the cluster.
  std::map<std::pair<uint32_t, bool>, std::shared_ptr<const Message>> messages;
  std::shared_ptr<const Message> fromBlock, fromCluster;

  bool isOver(uint64_t waited, bool isParity) const { return isParity ? (phase & 1) != waited : phase > waited; }
  /// For messages: offset, block, phase and pending counts.
  std::string describe() const;
};

/// Memory order and scope of an operation on an mbarrier.
struct Order {
  bool relaxed = false, cluster = false;
};

/// The cluster barrier. `aligned`: all lanes of a warp execute it together.
void arriveAtCluster(Thread &thread, bool relaxed, bool aligned, const char *site);
void waitAtCluster(Thread &thread, bool aligned, const char *site);
/// The thread exits: the cluster barrier no longer expects it.
void leaveCluster(Thread &thread);
/// The last thread of a block exits: its shared memory ends.
void endBlock(Thread &last);

/// The block of the thread's cluster in whose shared memory `pointer` is, or null.
Block *findOwner(const Thread &thread, const void *pointer);
/// The address at the same offset in the shared memory of the block `rank`.
char *mapShared(Thread &thread, const void *pointer, uint32_t rank, const char *site);

void initTransactions(Thread &thread, const void *pointer, uint32_t count, const char *site);
void invalidateTransactions(Thread &thread, const void *pointer, const char *site);
/// Expects `announced` more bytes, then arrives `count` times. With `drop`, later phases expect `count` fewer arrivals.
/// Returns the phase of the arrival, for waitForTransactions.
uint64_t arriveAtTransactions(Thread &thread, const void *pointer, uint32_t count, int64_t announced, bool drop,
                              bool mayComplete, Order order, const char *site);
/// Changes the pending bytes by `bytes` without an arrival.
void changeTransactions(Thread &thread, const void *pointer, int64_t bytes, Order order, const char *site);
/// How long a wait waits: test_wait returns at once, try_wait may return early, the last waits for the phase.
enum class Patience { Test, Try, Endless };
/// True if the phase has completed. `phase` is a parity, or the result of an arrival.
bool waitForTransactions(Thread &thread, const void *pointer, uint64_t phase, bool isParity, Patience patience,
                         Order order, const char *site);
/// st.async: the store and the update of the pending bytes happen later.
void storeAsync(Thread &thread, void *target, const void *data, uint32_t bytes, const void *barrier, const char *site);

} // namespace rnnrt::simt

#endif // RNNRT_EMULATOR_CLUSTER_H
