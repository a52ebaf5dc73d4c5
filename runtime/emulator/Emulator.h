// Emulator.h - the parts of an emulated GPU: threads in warps in blocks in a launch, and the scheduler that runs them.
//
// Every GPU thread is a fiber of the OS thread that launched. A thread runs until it has to wait; then the schedule
// picks the next one that can run. So nothing in here needs a lock, and a run can be repeated exactly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_EMULATOR_EMULATOR_H
#define RNNRT_EMULATOR_EMULATOR_H

#include "core/Status.h"
#include "emulator/Fiber.h"
#include "emulator/Schedule.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rnnrt::simt {

class Checker;
class Emulator;
struct ThreadHistory;
struct Block;
struct Cluster;
struct TransactionBarrier;
struct Warp;

constexpr uint32_t warpSize = 32, numBarriers = 16;
// Compute capability 9.0 (CUDA C++ programming guide, technical specifications).
constexpr int64_t maxThreads = 1024, maxBlockZ = 64, maxSharedBytes = 227 << 10;
// Clusters above 8 are not portable, but an H200 has them (CUDA C++ programming guide, thread block clusters).
constexpr int64_t maxClusterBlocks = 16;
constexpr int64_t maxGridX = (int64_t(1) << 31) - 1, maxGridYZ = 65535;

enum class State : uint8_t {
  Ready,
  AtBarrier,
  AtCollective,
  AtGridBarrier,
  AtClusterBarrier,
  AtTransactionBarrier,
  Exited
};

/// A cp.async that has not arrived: data come as late as the program allows.
struct AsyncCopy {
  char *target;
  const char *source;
  uint32_t bytes, sourceBytes, group;
  const char *site;
};

struct Thread {
  Fiber fiber;
  void *stack = nullptr;
  Block *block = nullptr;
  Warp *warp = nullptr;
  uint32_t id[3] = {}, linear = 0, lane = 0;
  State state = State::Ready;
  /// What the thread waits for: the number of a block barrier, and the place of the op.
  uint32_t barrier = 0;
  const char *site = nullptr;
  /// Let others run at `site`, and has done nothing else that the emulator saw since.
  bool polling = false;
  std::vector<AsyncCopy> copies;
  uint32_t copyGroup = 0;
  /// Has arrived at the barrier of the cluster, in which phase, and has not waited yet.
  bool arrivedAtCluster = false;
  uint64_t clusterPhase = 0;
  /// The mbarrier that the thread waits for, or for which it was told to try again.
  const TransactionBarrier *waitedFor = nullptr;
  /// The checker's: what this thread knows of others.
  std::unique_ptr<ThreadHistory> history;

  uint32_t globalId() const;
};

/// Runs a collective for all lanes of `mask`; `arguments` is by lane. Called on the stack of the last lane to arrive.
using CollectiveFunction = void (*)(Warp &warp, uint32_t mask, void *const *arguments);

/// Lanes that wait for each other: those with one mask.
struct Rendezvous {
  CollectiveFunction function;
  const char *what, *site;
  uint32_t mask, arrived;
  void *arguments[warpSize];
};

struct Warp {
  Block *block = nullptr;
  Thread *lanes = nullptr; ///< first of at most 32 neighbours in Block::threads
  uint32_t present = 0;    ///< lanes that exist: fewer than 32 in the last warp of an odd block
  uint32_t exited = 0;
  std::vector<Rendezvous> waiting;
  /// Lanes that wait at a barrier of the block, and where: bar.sync must be reached by a warp as a whole.
  uint32_t atBarrier = 0, barrier = 0;
  const char *barrierSite = nullptr;
};

/// One of the sixteen barriers of a block while threads wait at it.
struct Barrier {
  uint32_t arrived = 0, expected = 0;
  /// Where the first thread came in.
  const char *site = nullptr;
  Thread *first = nullptr;
  /// Of the predicates of this round, and what the last round came to.
  uint32_t trueCount = 0, lastTrue = 0, lastTotal = 0;
  /// Threads that arrived without waiting.
  std::vector<Thread *> passers;
};

struct Block {
  Block();
  ~Block();
  uint32_t id[3] = {}, linear = 0;
  Cluster *cluster = nullptr;
  uint32_t rank = 0; ///< in its cluster
  uint32_t live = 0;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  Barrier barriers[numBarriers];
  std::vector<char> sharedMemory;
  char *shared = nullptr; ///< in sharedMemory, aligned
  /// By the address in shared memory at which the program has initialised them.
  std::map<const char *, std::unique_ptr<TransactionBarrier>> transactionBarriers;
  /// The checker's: the time at which the block started, and what each shared byte holds.
  uint32_t firstStamp = 0;
  std::vector<uint8_t> sharedState;
};

/// Blocks that run together and reach each other's shared memory. A launch without clusters has those of one block.
struct Cluster {
  uint32_t id[3] = {};
  std::vector<Block *> blocks; ///< by rank
  uint32_t liveBlocks = 0, liveThreads = 0;
  /// Its barrier: how many of the live threads have arrived in this phase, and where the first did.
  uint32_t arrived = 0;
  uint64_t phase = 0;
  const char *site = nullptr;
};

/// What host code asks for.
struct Launch {
  void (*kernel)(void **) = nullptr;
  const char *name = "", *site = nullptr;
  bool cooperative = false, checked = false;
  int64_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, required[3] = {0, 0, 0};
  int64_t cluster[3] = {1, 1, 1}, requiredCluster[3] = {0, 0, 0};
  int64_t staticShared = 0, dynamicShared = 0, stackBytes = 0;
  void **arguments = nullptr;

  int64_t numBlocks() const { return grid[0] * grid[1] * grid[2]; }
  int64_t threadsPerBlock() const { return block[0] * block[1] * block[2]; }
  int64_t blocksPerCluster() const { return cluster[0] * cluster[1] * cluster[2]; }
  int64_t numClusters() const { return numBlocks() / blocksPerCluster(); }
};

/// Runs one launch at a time on the OS thread that calls.
class Emulator {
public:
  Emulator();
  ~Emulator();

  /// Runs the launch to its end. A mistake of the program is the status; its message names the kernel, the place and
  /// the threads.
  Status run(const Launch &launch, const Schedule &schedule);

  const Launch &getLaunch() const { return launch; }
  const Schedule &getSchedule() const { return schedule; }
  int64_t getSharedBytes() const { return sharedBytes; }
  Checker *getChecker() const { return checker.get(); }
  const std::vector<Block *> &getBlocks() const { return resident; }
  /// Of the schedule; also for what it leaves open besides the order of threads.
  Random &getRandom() { return ready.getRandom(); }

  // --- For what threads call, on their own stacks ---

  /// Gives the processor away until this thread is Ready and its turn comes.
  void suspend(Thread &thread);
  /// Makes threads Ready that were released together, in the order that the schedule wants.
  void wake(const std::vector<Thread *> &threads);
  /// Lets others run.
  void yield(Thread &thread, const char *site);
  /// The same for a thread that did not ask for it.
  void preempt(Thread &thread);
  void arriveAtGridBarrier(Thread &thread, const int32_t *counter, const char *site);

  /// Ends the launch with a failure. Nothing of the calling thread runs any more, not even destructors.
  [[noreturn]] void abandon(Status failure);

  /// Scratch for lists of threads, so that a barrier allocates nothing.
  std::vector<Thread *> scratch;

private:
  static void runThread(void *thread);
  Status prepare();
  Status loop();
  Status startClusters();
  Status startCluster(int64_t linear);
  Status startBlock(Cluster &cluster, int64_t linear);
  void retire(Thread &thread);
  void switchFrom(Fiber &fiber);
  Status describeStall(const char *what) const;

  Schedule schedule;
  Launch launch;
  int64_t sharedBytes = 0;
  Fiber host;
  StackPool stacks;
  /// Blocks that run, all that were made, and those of them that can be used again.
  std::vector<Block *> resident, idle;
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<std::unique_ptr<Cluster>> clusters; ///< those that run
  ReadyQueue ready;
  int64_t nextCluster = 0, numExited = 0, gridArrived = 0;
  int64_t fruitlessPolls = 0;
  Status failure;
  std::unique_ptr<Checker> checker;
};

/// The thread that runs now on this OS thread; kernels are only ever called with one.
extern thread_local Thread *running __attribute__((tls_model("initial-exec")));
/// The emulator of this OS thread.
Emulator &emulator();

/// A text that needs no destructor: a thread that is abandoned runs none.
struct Description {
  char text[96];
  const char *c_str() const { return text; }
};

/// "block (0,0,0) thread (3,0,0)".
Description describe(const Thread &thread);
/// The same for a thread that may have ended, by its number in the whole grid.
Description describe(const Launch &launch, uint32_t globalId);

/// "block (0,0,0)".
Description describe(const Block &block);

/// Ends the launch: "<kind> in kernel `name`: <message>, at <site> in block (..) thread (..)".
[[noreturn]] __attribute__((format(printf, 4, 5))) void fault(const char *kind, const Thread &thread, const char *site,
                                                              const char *format, ...);

/// Ends the launch, since `thread` reaches for the shared memory of a block that is no more.
[[noreturn]] void faultEnded(const Thread &thread, const char *what, const Block &block, const char *site);

/// Waits until all lanes of `mask` have come to the same collective, and runs it once. `argument` belongs to this lane.
/// With `whole`, the collective needs all 32 lanes.
void collective(CollectiveFunction function, const char *what, uint32_t mask, void *argument, const char *site,
                bool whole = false);

inline uint32_t Thread::globalId() const {
  return block->linear * uint32_t(block->threads.size()) + linear;
}

/// Calls `body(lane)` for each lane of `mask`, lowest first.
template <typename Body> void forEachLane(uint32_t mask, Body &&body) {
  for (; mask; mask &= mask - 1)
    body(uint32_t(__builtin_ctz(mask)));
}

} // namespace rnnrt::simt

#endif // RNNRT_EMULATOR_EMULATOR_H
