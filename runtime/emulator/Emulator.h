// Emulator.h - the emulated GPU: threads, warps, blocks, clusters and launches, and the scheduler that runs them.
//
// Every GPU thread is a fiber of the OS thread that launches. A thread runs until it has to wait. Then the schedule
// selects the next ready thread. So the emulator needs no locks, and a run can be repeated exactly.
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

/// A cp.async whose data have not arrived: they arrive as late as the program allows.
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
  /// The reason for waiting: the index of a block barrier, and the site of the op.
  uint32_t barrier = 0;
  const char *site = nullptr;
  /// True if the thread yielded at `site` and has made no other call of the emulator since.
  bool polling = false;
  std::vector<AsyncCopy> copies;
  uint32_t copyGroup = 0;
  /// True between the arrival at the cluster barrier, in clusterPhase, and the wait.
  bool arrivedAtCluster = false;
  uint64_t clusterPhase = 0;
  /// The mbarrier that the thread waits for, or whose try_wait returned early.
  const TransactionBarrier *waitedFor = nullptr;
  /// State of the checker.
  std::unique_ptr<ThreadHistory> history;

  uint32_t globalId() const;
};

/// Executes a collective for all lanes of `mask`; `arguments` has one pointer per lane. Runs on the stack of the last
/// lane that arrives.
using CollectiveFunction = void (*)(Warp &warp, uint32_t mask, void *const *arguments);

/// Lanes that wait for each other in a collective: those with the same mask.
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
  /// Lanes that wait at a barrier of the block, its index and its site: all lanes of a warp must execute the same
  /// bar.sync.
  uint32_t atBarrier = 0, barrier = 0;
  const char *barrierSite = nullptr;
};

/// One of the sixteen barriers of a block while threads wait at it.
struct Barrier {
  uint32_t arrived = 0, expected = 0;
  /// Site of the first thread that arrived.
  const char *site = nullptr;
  Thread *first = nullptr;
  /// Counts of true predicates in this round and the last, and the number of threads of the last.
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
  /// By address in shared memory.
  std::map<const char *, std::unique_ptr<TransactionBarrier>> transactionBarriers;
  /// State of the checker: the stamp at which the block started, and the state of each shared byte.
  uint32_t firstStamp = 0;
  std::vector<uint8_t> sharedState;
};

/// Blocks that run together and access the shared memory of each other. Without clusters, every block is one of its
/// own.
struct Cluster {
  uint32_t id[3] = {};
  std::vector<Block *> blocks; ///< by rank
  uint32_t liveBlocks = 0, liveThreads = 0;
  /// The cluster barrier: the number of live threads that have arrived in this phase, and the site of the first.
  uint32_t arrived = 0;
  uint64_t phase = 0;
  const char *site = nullptr;
};

/// A launch as host code requests it.
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

/// Runs one launch at a time, on the calling OS thread.
class Emulator {
public:
  Emulator();
  ~Emulator();

  /// Runs the launch to completion. A defect of the program is returned as a status whose message has the kernel, the
  /// site and the threads.
  Status run(const Launch &launch, const Schedule &schedule);

  const Launch &getLaunch() const { return launch; }
  const Schedule &getSchedule() const { return schedule; }
  int64_t getSharedBytes() const { return sharedBytes; }
  Checker *getChecker() const { return checker.get(); }
  const std::vector<Block *> &getBlocks() const { return resident; }
  /// The generator of the schedule, also for other choices that the hardware leaves open.
  Random &getRandom() { return ready.getRandom(); }

  // --- Called by GPU threads, on their own stacks ---

  /// Switches to another thread. Returns when the schedule selects this thread again, which must be Ready then.
  void suspend(Thread &thread);
  /// Makes threads Ready that were released together, in the order of the schedule.
  void wake(const std::vector<Thread *> &threads);
  /// Lets other threads run; `thread` stays Ready.
  void yield(Thread &thread, const char *site);
  /// The same without counting as polling.
  void preempt(Thread &thread);
  void arriveAtGridBarrier(Thread &thread, const int32_t *counter, const char *site);
  /// Leaves the fiber of `thread`, calls `work` on the stack of the OS thread, which may run other launches, and
  /// resumes `thread`.
  void runOnHost(Thread &thread, void (*work)());

  /// Ends the launch with a failure. The calling thread is never resumed, so its destructors do not run.
  [[noreturn]] void abandon(Status failure);

  /// Scratch list of threads, so that barriers do not allocate.
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
  void (*hostWork)() = nullptr; ///< of runOnHost
  StackPool stacks;
  /// Running blocks, all blocks, and those that can be reused.
  std::vector<Block *> resident, idle;
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<std::unique_ptr<Cluster>> clusters; ///< running clusters
  ReadyQueue ready;
  int64_t nextCluster = 0, numExited = 0, gridArrived = 0;
  int64_t fruitlessPolls = 0;
  Status failure;
  std::unique_ptr<Checker> checker;
};

/// The running GPU thread of this OS thread. Never null in a kernel.
extern thread_local Thread *running __attribute__((tls_model("initial-exec")));
/// The emulator of this OS thread that runs a launch, or the next one.
Emulator &emulator();
/// Runs a launch on this OS thread. If a launch is running already (see Emulator::runOnHost), another emulator runs it.
Status runLaunch(const Launch &launch, const Schedule &schedule);
/// A kernel that polls a signal calls this, through rnnrt_abi_simt_read_signal: the wavefront that executes its launch
/// executes other launches, which may set the signal.
void advanceWavefront();

/// A text without a destructor, since an abandoned thread runs none.
struct Description {
  char text[96];
  const char *c_str() const { return text; }
};

/// "block (0,0,0) thread (3,0,0)".
Description describe(const Thread &thread);
/// The same for a thread that may have exited, by its global id.
Description describe(const Launch &launch, uint32_t globalId);

/// "block (0,0,0)".
Description describe(const Block &block);

/// Ends the launch: "<kind> in kernel `name`: <message>, at <site> in block (..) thread (..)".
[[noreturn]] __attribute__((format(printf, 4, 5))) void fault(const char *kind, const Thread &thread, const char *site,
                                                              const char *format, ...);

/// Ends the launch because `thread` accesses the shared memory of an ended block.
[[noreturn]] void faultEnded(const Thread &thread, const char *what, const Block &block, const char *site);

/// Waits until all lanes of `mask` have reached the same collective, and executes it once. `argument` is that of this
/// lane. With `whole`, the collective requires all 32 lanes.
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
