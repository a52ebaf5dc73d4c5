// Checker.h - detects data races, reads of uninitialised shared memory, and addresses outside of it.
//
// The race detection is a happens-before analysis with vector clocks. A time stamp increases at every barrier. A cell
// per memory word stores the last write and the reads since, each with its thread, stamp and site. Each thread
// stores the stamp up to which it has observed every other thread of its block; barriers, warp syncs, and fences with
// atomics merge these clocks. An access to a cell whose last conflicting access the thread has not observed is a race,
// whether or not the order of this run made it visible.
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

/// The vector clock of a thread. Immutable once shared.
struct Knowledge {
  /// Stamps by thread of the own block, and their minimum.
  std::vector<uint32_t> threads;
  uint32_t least = 0;
  /// Stamps of other blocks, from atomics and cluster barriers: of all threads of a block, and of single threads (by
  /// global id). Then of asynchronous stores, by issuer: only an mbarrier orders their arrival.
  std::map<uint32_t, uint32_t> blocks, remote, stores;
};

/// The part of a clock that an atomic variable or a barrier transfers to its readers.
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
  /// The clock that atomic writes after the last fence release, and the clocks of atomic reads that the next fence
  /// acquires.
  std::shared_ptr<const Message> released;
  Message acquiring;
  uint64_t accesses = 0;
  /// At the cluster barrier: stamp and number of accesses at the arrival, the message of the arrival (null: the
  /// whole clock if `arrivalReleases`, else nothing), and the message that the wait acquires.
  uint32_t arrivalStamp = 0;
  uint64_t arrivalAccesses = 0;
  bool arrivalReleases = false;
  std::shared_ptr<const Message> arrivalMessage, clusterMessage;
  /// A store to an address that another lane of the warp stores to in the same instruction. Allowed if both values are
  /// equal.
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

  /// A load or store that `thread` executes next.
  void access(Thread &thread, const void *pointer, int64_t bytes, int32_t kind, const char *site);
  /// The issue of a cp.async, and the arrival of its data.
  void copyIssued(Thread &thread, const AsyncCopy &copy);
  void copyArrived(Thread &thread, const AsyncCopy &copy);
  /// Checks the last access of the thread, if that needed the stored value.
  void settle(Thread &thread);

  /// Merges the clocks of `threads` and `passers` into those of `threads`.
  void synchronize(const std::vector<Thread *> &threads, const std::vector<Thread *> &passers);
  void synchronizeGrid() { gridStamp = ++now; }
  void fence(Thread &thread);

  // --- For clusters ---
  void arriveAtCluster(Thread &thread, bool relaxed);
  void completeCluster(Cluster &cluster);
  void waitAtCluster(Thread &thread);
  /// Returns the message of an arrival at an mbarrier. A relaxed arrival publishes only what a fence has released.
  std::shared_ptr<const Message> release(Thread &thread, bool relaxed);
  /// Merges the message of a completed phase into the clock of a waiting thread; a relaxed wait defers it to the next
  /// fence.
  void acquire(Thread &thread, const std::shared_ptr<const Message> &message, bool relaxed);
  /// Merges the messages of a phase of `barrier`.
  static void completePhase(TransactionBarrier &barrier);
  /// The issue of a st.async. Returns the message of its arrival.
  std::shared_ptr<const Message> storeAsync(Thread &thread, void *target, int64_t bytes, const char *site);
  /// Marks shared memory of `block` as uninitialised again.
  void forgetShared(Block &block, const void *pointer, int64_t bytes);
  /// The exit of the last thread of the block: accesses of others to its shared memory must be ordered before it.
  void endBlock(Thread &last);

private:
  /// The smallest group of threads that contains all readers of a cell.
  enum class Span : uint8_t { None, Thread, Warp, Block, Cluster, Grid };
  /// A thread by its block and its index in the block. A global id would need a division per access.
  struct Who {
    uint32_t block = 0;
    uint16_t thread = 0;
    bool operator==(const Who &other) const { return block == other.block && thread == other.thread; }
    uint32_t warp() const { return thread / warpSize; }
  };
  struct Cell {
    const char *writeSite = nullptr, *readSite = nullptr;
    uint32_t writeStamp = 0, readStamp = 0; // 0: none
    Who writer, reader;                     // the last reader
    uint32_t readers = 0;                   // mask by span: lanes of the warp, or warps of the block
    Span span = Span::None;
    bool writeAtomic = false, writeAsync = false, readAtomic = false;
    const char *writeName() const { return writeAtomic ? "atomic" : writeAsync ? "asynchronous store" : "store"; }
  };
  static Who whoIs(const Thread &thread) { return {thread.block->linear, uint16_t(thread.linear)}; }
  /// 4 KiB of memory in cells of 4, 2 or 1 bytes, the size of the narrowest access so far.
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
  void merge(Thread &thread, const Message &message);

  struct Side {
    const char *what;
    Who thread;
    const char *site;
  };
  [[noreturn]] void race(const Thread &thread, const char *what, const char *site, const Side &other);

  const Launch &launch;
  uint32_t now = 1, gridStamp = 0;
  /// The access that is being checked, for messages.
  const void *currentPointer = nullptr;
  int64_t currentBytes = 0;
  bool currentAsync = false;
  /// The last merge of a clock and a message in a block. It is cached because the threads of a block often repeat it.
  struct {
    std::shared_ptr<const Knowledge> before, after;
    std::shared_ptr<const Message> message;
    uint32_t block = 0;
  } lastMerge;
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages;
  struct {
    uintptr_t number = ~uintptr_t(0);
    Page *page = nullptr;
  } recent[16];
  std::unordered_map<uintptr_t, std::shared_ptr<const Message>> messages;
};

} // namespace rnnrt::simt

#endif // RNNRT_EMULATOR_CHECKER_H
