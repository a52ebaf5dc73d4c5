// Checker.h - finds accesses that no barrier orders, shared memory that nobody wrote, and addresses outside of it.
//
// Time is a number that grows at every barrier. For each piece of memory a cell remembers the last write and the reads
// since, each with its thread, time and place. A thread knows up to which time it has seen the accesses of each other
// thread of its block; barriers, warp syncs and fences with atomics pass that knowledge on. An access that meets one
// that its thread has not seen is a race, whether or not this run's order made it visible.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_EMULATOR_CHECKER_H
#define RNNRT_EMULATOR_CHECKER_H

#include "emulator/Emulator.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace rnnrt::simt {

/// Bits of `kind` of rnnrt_abi_simt_access.
enum AccessKind : int32_t {
  accessWrite = 1,
  accessAtomic = 2,
  accessAcquire = 4,
  accessRelease = 8,
  accessShared = 16,
  accessUpdate = 32,  // an atomic that reads and writes
  accessCluster = 64, // shared memory of any block of the cluster
  accessBarrier = 128 // by an op on an mbarrier
};

/// Up to which time the accesses of others have been seen. Never changed once shared.
struct Knowledge {
  /// By thread of the own block, and the least of them.
  std::vector<uint32_t> threads;
  uint32_t least = 0;
  /// Of other blocks, which atomics and clusters can tell: of all threads of a block, and of single ones (by global
  /// id). Then of asynchronous stores, by who issued them: only an mbarrier tells that they have arrived.
  std::map<uint32_t, uint32_t> blocks, remote, stores;
};

/// What an atomic variable, or a barrier, tells to who reads it.
struct Message {
  std::map<uint32_t, uint32_t> blocks, threads, stores;
  void join(const Message &other);
};

inline void raise(std::map<uint32_t, uint32_t> &map, uint32_t key, uint32_t stamp) {
  uint32_t &value = map[key];
  value = std::max(value, stamp);
}

/// The checker's part of a thread.
struct ThreadHistory {
  std::shared_ptr<const Knowledge> known;
  /// What a fence lets the next atomic writes tell, and what atomic reads have told and the next fence makes known.
  std::shared_ptr<const Message> released;
  Message acquiring;
  uint64_t accesses = 0;
  /// At the barrier of the cluster: when the thread arrived and after how many accesses, what it told (null: nothing,
  /// or all that it has done, by `tellsAll`), and what it is to hear.
  uint32_t arrivalStamp = 0;
  uint64_t arrivalAccesses = 0;
  bool tellsAll = false;
  std::shared_ptr<const Message> arrivalMessage, clusterMessage;
  /// A store to where another lane of the warp has stored in the same instruction: fine if both store the same.
  struct {
    const char *address = nullptr;
    uint32_t bytes = 0, otherBlock = 0;
    uint16_t otherThread = 0;
    char before[16];
    const char *site = nullptr;
  } doubled;
};

class Checker {
public:
  explicit Checker(const Launch &launch) : launch(launch) {}

  void startBlock(Block &block, int64_t sharedBytes);

  /// A load or store that `thread` is about to do.
  void access(Thread &thread, const void *pointer, int64_t bytes, int32_t kind, const char *site);
  /// A cp.async begins, and its data arrive.
  void copyIssued(Thread &thread, const AsyncCopy &copy);
  void copyArrived(Thread &thread, const AsyncCopy &copy);
  /// Looks at what the thread did last, which could not be judged before it was done.
  void settle(Thread &thread);

  /// All of `threads` have seen what each of them and of `passers` has done.
  void synchronize(const std::vector<Thread *> &threads, const std::vector<Thread *> &passers);
  void synchronizeGrid() { gridStamp = ++now; }
  void fence(Thread &thread);

  // --- For clusters ---
  void arriveAtCluster(Thread &thread, bool relaxed);
  void completeCluster(Cluster &cluster);
  void waitAtCluster(Thread &thread);
  /// What the thread tells by arriving at an mbarrier, and what it hears by waiting; relaxed: with fences alone.
  std::shared_ptr<const Message> tell(Thread &thread, bool relaxed);
  void hear(Thread &thread, const std::shared_ptr<const Message> &message, bool relaxed);
  /// Joins what was told to a phase of `barrier`.
  static void completePhase(TransactionBarrier &barrier);
  /// A st.async begins; what its arrival tells.
  std::shared_ptr<const Message> storeAsync(Thread &thread, void *target, int64_t bytes, const char *site);
  /// Shared memory of `block` that nobody has written again.
  void forgetShared(Block &block, const void *pointer, int64_t bytes);
  /// The block's last thread exits: what others did with its shared memory must be over.
  void endBlock(Thread &last);

private:
  /// Who the reads of a cell are by.
  enum class Span : uint8_t { None, Thread, Warp, Block, Cluster, Grid };
  /// A thread by the numbers of its block and in it, since dividing costs more than all the rest.
  struct Who {
    uint32_t block = 0;
    uint16_t thread = 0;
    bool operator==(const Who &other) const { return block == other.block && thread == other.thread; }
    uint32_t warp() const { return thread / warpSize; }
  };
  struct Cell {
    const char *writeSite = nullptr, *readSite = nullptr;
    uint32_t writeStamp = 0, readStamp = 0; // a stamp of 0: none
    Who writer, reader;                     // the last of the readers
    uint32_t readers = 0;                   // by span: lanes of the warp, or warps of the block
    Span span = Span::None;
    bool writeAtomic = false, writeAsync = false, readAtomic = false;
    const char *writeName() const { return writeAtomic ? "atomic" : writeAsync ? "asynchronous store" : "store"; }
  };
  static Who whoIs(const Thread &thread) { return {thread.block->linear, uint16_t(thread.linear)}; }
  /// 4 KiB of memory in cells of 4, 2 or 1 bytes: as fine as the narrowest access there has been.
  struct Page {
    uint32_t shift = 2;
    std::vector<Cell> cells = std::vector<Cell>(1024);
  };

  Page &getPage(uintptr_t number);
  static void refine(Page &page, uint32_t shift);
  template <typename Body> void forEachCell(const void *pointer, int64_t bytes, Body &&body);
  void checkShared(Thread &thread, Block &owner, const void *pointer, int64_t bytes, int32_t kind, const char *site);

  bool hasSeen(const Thread &thread, const Who &other, uint32_t stamp) const;
  bool hasSeenWrite(const Thread &thread, const Cell &cell) const;
  bool areNeighbours(uint32_t block, uint32_t other) const;
  bool hasSeenReaders(const Thread &thread, const Cell &cell) const;
  bool hasSeenAll(const Thread &thread, const Cell &cell) const;
  void read(Thread &thread, Cell &cell, bool atomic, const char *site);
  void addReader(const Thread &thread, Cell &cell, bool atomic, const char *site);
  void write(Thread &thread, Cell &cell, bool atomic, const char *site, bool checkOnly = false);
  void atomicOrder(Thread &thread, uintptr_t address, int32_t kind);
  std::shared_ptr<const Message> makeMessage(Thread &thread);
  void learn(Thread &thread, const Message &message);

  struct Side {
    const char *what;
    Who thread;
    const char *site;
  };
  [[noreturn]] void race(const Thread &thread, const char *what, const char *site, const Side &other);

  const Launch &launch;
  uint32_t now = 1, gridStamp = 0;
  /// Of the access that is being looked at, for messages.
  const void *currentPointer = nullptr;
  int64_t currentBytes = 0;
  bool currentAsync = false;
  /// What threads of one block learned last: they often know, and hear, the same.
  struct {
    std::shared_ptr<const Knowledge> before, after;
    std::shared_ptr<const Message> message;
    uint32_t block = 0;
  } learned;
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages;
  struct {
    uintptr_t number = ~uintptr_t(0);
    Page *page = nullptr;
  } recent[16];
  std::unordered_map<uintptr_t, std::shared_ptr<const Message>> messages;
};

} // namespace rnnrt::simt

#endif // RNNRT_EMULATOR_CHECKER_H
