// Cluster.h - what the blocks of a cluster share: a barrier, each other's shared memory, and barriers in it that count
// bytes (PTX: mbarrier).
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
  std::shared_ptr<const Message> message; ///< of the checker
};

/// An mbarrier: a phase ends when no arrival and no byte is missing (PTX ISA, "mbarrier").
struct TransactionBarrier {
  Block *block = nullptr;
  const char *address = nullptr;
  uint32_t expected = 0, pending = 0;
  int64_t transactions = 0; ///< bytes that are missing; negative while more have come than were announced
  uint64_t phase = 0;       ///< how many have ended
  std::vector<AsyncStore> underWay;
  /// The checker's: what those who arrived in this phase tell, by thread and whether to the cluster; and what the last
  /// phase told within the block and within the cluster.
  std::map<std::pair<uint32_t, bool>, std::shared_ptr<const Message>> told;
  std::shared_ptr<const Message> fromBlock, fromCluster;

  bool isOver(uint64_t wanted, bool isParity) const { return isParity ? (phase & 1) != wanted : phase > wanted; }
  /// For messages: which one it is and what is missing.
  std::string describe() const;
};

/// Order that an operation on a barrier makes.
struct Order {
  bool relaxed = false, cluster = false;
};

/// The barrier of the cluster. `aligned`: a warp comes as a whole.
void arriveAtCluster(Thread &thread, bool relaxed, bool aligned, const char *site);
void waitAtCluster(Thread &thread, bool aligned, const char *site);
/// The thread exits: the others need not wait for it.
void leaveCluster(Thread &thread);
/// The last thread of a block exits: nobody may reach its shared memory any more.
void endBlock(Thread &last);

/// The block of the thread's cluster in whose shared memory `pointer` is, or null.
Block *findOwner(const Thread &thread, const void *pointer);
/// The same place in the shared memory of the block of this rank.
char *mapShared(Thread &thread, const void *pointer, uint32_t rank, const char *site);

void initTransactions(Thread &thread, const void *pointer, uint32_t count, const char *site);
void invalidateTransactions(Thread &thread, const void *pointer, const char *site);
/// Announces `announced` bytes, then arrives `count` times. With `drop`, later phases expect as many fewer arrivals.
/// The phase in which that was, for waitForTransactions.
uint64_t arriveAtTransactions(Thread &thread, const void *pointer, uint32_t count, int64_t announced, bool drop,
                              bool mayComplete, Order order, const char *site);
/// Changes the bytes that are missing by `bytes` without arriving.
void changeTransactions(Thread &thread, const void *pointer, int64_t bytes, Order order, const char *site);
/// How long a wait waits: test_wait does not, try_wait may give up, the last does not.
enum class Patience { Test, Try, Endless };
/// True if the phase is over: by its parity, or the one that arriving returned.
bool waitForTransactions(Thread &thread, const void *pointer, uint64_t phase, bool isParity, Patience patience,
                         Order order, const char *site);
/// st.async: stores later, and then the bytes are no longer missing.
void storeAsync(Thread &thread, void *target, const void *data, uint32_t bytes, const void *barrier, const char *site);

} // namespace rnnrt::simt

#endif // RNNRT_EMULATOR_CLUSTER_H
