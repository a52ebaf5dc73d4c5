// Emulator.cpp - execution of a launch: blocks, the scheduling of threads, and the description of stalls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Emulator.h"
#include "emulator/Barriers.h"
#include "emulator/Checker.h"
#include "emulator/Cluster.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <utility>

using namespace rnnrt;
using namespace rnnrt::simt;

namespace rnnrt::simt {
thread_local Thread *running = nullptr;
} // namespace rnnrt::simt

/// The emulator of this OS thread that runs a launch, or null.
static thread_local Emulator *current = nullptr;
/// Those of this OS thread: one for each launch that waits for launches that it has let run.
static thread_local std::vector<std::unique_ptr<Emulator>> emulators;
static thread_local size_t numRunning = 0;

static Emulator &emulatorAt(size_t level) {
  while (emulators.size() <= level)
    emulators.push_back(std::make_unique<Emulator>());
  return *emulators[level];
}

Emulator &rnnrt::simt::emulator() {
  return current ? *current : emulatorAt(0);
}

Status rnnrt::simt::runLaunch(const Launch &launch, const Schedule &schedule) {
  struct Level {
    Level() : before(current) { current = &emulatorAt(numRunning++); }
    ~Level() {
      --numRunning;
      current = before;
    }
    Emulator *const before;
  } level;
  return current->run(launch, schedule);
}

Emulator::Emulator() = default;
Emulator::~Emulator() = default;
Block::Block() = default;
Block::~Block() = default;

//===-- Messages -------------------------------------------------------------------------------------------------===//

static std::string format(const char *text, va_list arguments) {
  char buffer[1024];
  int length = std::vsnprintf(buffer, sizeof(buffer), text, arguments);
  return length < 0 ? std::string() : std::string(buffer);
}

/// "block (0,0,0)", for the block or thread `linear` of `sizes`.
static Description describePosition(const char *what, uint64_t linear, const int64_t *sizes) {
  Description result;
  std::snprintf(result.text, sizeof(result.text), "%s (%llu,%llu,%llu)", what, (unsigned long long)(linear % sizes[0]),
                (unsigned long long)(linear / sizes[0] % sizes[1]), (unsigned long long)(linear / sizes[0] / sizes[1]));
  return result;
}

Description rnnrt::simt::describe(const Launch &launch, uint32_t globalId) {
  uint64_t threads = uint64_t(launch.threadsPerBlock());
  Description block = describePosition("block", globalId / threads, launch.grid);
  Description thread = describePosition("thread", globalId % threads, launch.block), result;
  // Each index has at most 10 digits, so both texts fit.
  std::snprintf(result.text, sizeof(result.text), "%.46s %.46s", block.text, thread.text);
  return result;
}

Description rnnrt::simt::describe(const Thread &thread) {
  return describe(emulator().getLaunch(), thread.globalId());
}

Description rnnrt::simt::describe(const Block &block) {
  return describePosition("block", block.linear, emulator().getLaunch().grid);
}

/// Not part of `fault`: its strings must be destroyed before the thread is abandoned.
static Status makeFault(const char *kind, const Thread &thread, const char *site, const char *text, va_list arguments) {
  std::string message = kind;
  message += std::string(" in kernel `") + emulator().getLaunch().name + "`: " + format(text, arguments);
  message += std::string(", at ") + (site ? site : "an unknown place") + " in " + describe(thread).c_str();
  return Status(rnnrt_status_create(RNNRT_STATUS_FAILED_PRECONDITION, message.c_str()));
}

void rnnrt::simt::fault(const char *kind, const Thread &thread, const char *site, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  Status status = guarded([&] { return makeFault(kind, thread, site, text, arguments); });
  va_end(arguments);
  emulator().abandon(std::move(status));
}

void rnnrt::simt::faultEnded(const Thread &thread, const char *what, const Block &block, const char *site) {
  fault("access to an ended block", thread, site,
        "%s in the shared memory of %s, all of whose threads have exited; let them wait at the barrier of the cluster "
        "first",
        what, describe(block).c_str());
}

//===-- Scheduling -----------------------------------------------------------------------------------------------===//

/// Switches to the next ready thread, or to the host code if there is none.
void Emulator::switchFrom(Fiber &fiber) {
  if (ready.empty()) {
    running = nullptr;
    return Fiber::switchTo(fiber, host);
  }
  running = ready.pop();
  if (&running->fiber != &fiber)
    Fiber::switchTo(fiber, running->fiber);
}

void Emulator::suspend(Thread &thread) {
  if (checker)
    checker->settle(thread);
  switchFrom(thread.fiber);
}

void Emulator::wake(const std::vector<Thread *> &threads) {
  fruitlessPolls = 0;
  auto wakeOne = [&](Thread *thread) {
    thread->state = State::Ready;
    thread->polling = false;
    ready.push(thread);
  };
  if (schedule.order == Schedule::Order::Reverse)
    std::for_each(threads.rbegin(), threads.rend(), wakeOne);
  else
    std::for_each(threads.begin(), threads.end(), wakeOne);
}

void Emulator::yield(Thread &thread, const char *site) {
  // Ten million polls without any other event take half a second. A polling loop that makes progress is shorter.
  if (thread.polling && thread.site == site)
    ++fruitlessPolls;
  else
    fruitlessPolls = 0;
  if (fruitlessPolls > 10000000)
    abandon(describeStall("livelock (threads poll memory that no thread changes)"));
  thread.polling = true;
  thread.site = site;
  ready.push(&thread);
  suspend(thread);
}

void Emulator::preempt(Thread &thread) {
  ready.push(&thread);
  suspend(thread);
}

void Emulator::abandon(Status status) {
  failure = std::move(status);
  Fiber &fiber = running->fiber;
  running = nullptr;
  Fiber::switchTo(fiber, host);
  __builtin_unreachable();
}

void Emulator::arriveAtGridBarrier(Thread &thread, const int32_t *counter, const char *site) {
  if (!launch.cooperative)
    fault("grid barrier without a cooperative launch", thread, site,
          "the blocks of this grid need not run together; mark the kernel `rnngpu.cooperative`");
  if (*counter & 0x7fffffff)
    fault("grid barrier with a used counter", thread, site,
          "it holds %d; it must be zero before the first launch, and nothing else may write it", int(*counter));
  if (numExited)
    fault("divergent grid barrier", thread, site, "%lld threads of the grid have exited and cannot reach it",
          (long long)numExited);
  thread.site = site;
  thread.state = State::AtGridBarrier;
  if (++gridArrived == launch.numBlocks() * launch.threadsPerBlock()) {
    gridArrived = 0;
    scratch.clear();
    for (Block *block : resident)
      for (Thread &other : block->threads)
        scratch.push_back(&other);
    if (checker)
      checker->synchronizeGrid();
    wake(scratch);
  }
  suspend(thread);
}

void Emulator::runOnHost(Thread &thread, void (*work)()) {
  hostWork = work;
  Fiber::switchTo(thread.fiber, host);
}

void Emulator::runThread(void *argument) {
  Thread &thread = *static_cast<Thread *>(argument);
  Emulator &self = emulator();
  self.launch.kernel(self.launch.arguments);
  self.retire(thread);
}

/// The exit of a thread: no other thread may wait for it.
void Emulator::retire(Thread &thread) {
  Block &block = *thread.block;
  Warp &warp = *thread.warp;
  if (checker)
    checker->settle(thread);
  if (!thread.copies.empty())
    fault("missing wait", thread, thread.copies.front().site,
          "%zu asynchronous copies were never waited for when the thread exited", thread.copies.size());
  for (uint32_t id = 0; id < numBarriers; ++id) {
    Barrier &barrier = block.barriers[id];
    if (barrier.arrived && barrier.arrived + countPending(thread, id) < barrier.expected)
      fault("divergent barrier", thread, barrier.site,
            "the thread exited while %u others, first %s, wait at barrier %u", barrier.arrived,
            describe(*barrier.first).c_str(), id);
  }
  for (const Rendezvous &meeting : warp.waiting)
    if (meeting.mask >> thread.lane & 1)
      fault("divergent collective", thread, meeting.site, "lane %u exited while lanes 0x%08x wait for it at %s",
            thread.lane, meeting.arrived, meeting.what);
  if (gridArrived)
    fault("divergent grid barrier", thread, nullptr, "the thread exited while %lld others wait at the grid barrier",
          (long long)gridArrived);
  thread.state = State::Exited;
  thread.fiber.end();
  warp.exited |= 1u << thread.lane;
  ++numExited;
  fruitlessPolls = 0;
  leaveCluster(thread);
  if (--block.live == 0)
    endBlock(thread);
  Cluster &cluster = *block.cluster;
  if (block.live == 0 && --cluster.liveBlocks == 0) {
    for (Block *member : cluster.blocks) {
      resident.erase(std::find(resident.begin(), resident.end(), member));
      idle.push_back(member);
    }
    clusters.erase(std::find_if(clusters.begin(), clusters.end(),
                                [&](const std::unique_ptr<Cluster> &other) { return other.get() == &cluster; }));
    // The host code starts the next cluster, which may reuse the stack of this thread.
    running = nullptr;
    Fiber::switchTo(thread.fiber, host);
  }
  switchFrom(thread.fiber);
}

//===-- A launch -------------------------------------------------------------------------------------------------===//

/// The number of resident blocks of an H200, without the limit by registers: 132 multiprocessors with 2048 threads, 32
/// blocks and 228 KiB of shared memory, of which the system reserves 1 KiB per block (CUDA programming guide, compute
/// capability 9.0).
static int64_t getMaxCooperativeBlocks(int64_t threads, int64_t sharedBytes) {
  int64_t rounded = (threads + warpSize - 1) / warpSize * warpSize;
  return 132 * std::min({int64_t(32), 2048 / rounded, (int64_t(228) << 10) / (sharedBytes + 1024)});
}

static Status invalidLaunch(const Launch &launch, const std::string &message) {
  return invalidArgument("launch of kernel `%s`: %s, at %s", launch.name, message.c_str(),
                         launch.site ? launch.site : "an unknown place");
}

static std::string text(const int64_t *sizes) {
  return "(" + std::to_string(sizes[0]) + "," + std::to_string(sizes[1]) + "," + std::to_string(sizes[2]) + ")";
}

Status Emulator::prepare() {
  const int64_t *grid = launch.grid, *block = launch.block;
  for (int dim = 0; dim < 3; ++dim)
    if (grid[dim] < 1 || block[dim] < 1)
      return invalidLaunch(launch, "expects sizes of at least 1, but got a grid of " + text(grid) + " blocks of " +
                                       text(block) + " threads");
  if (grid[0] > maxGridX || grid[1] > maxGridYZ || grid[2] > maxGridYZ)
    return invalidLaunch(launch, "expects a grid of at most (2147483647,65535,65535) blocks, but got " + text(grid));
  if (block[0] > maxThreads || block[1] > maxThreads || block[2] > maxBlockZ || launch.threadsPerBlock() > maxThreads)
    return invalidLaunch(launch, "expects at most 1024 threads in a block and 64 in z, but got " + text(block));
  if (launch.required[0] > 0 && !std::equal(block, block + 3, launch.required))
    return invalidLaunch(launch, "the kernel is compiled for blocks of " + text(launch.required) +
                                     " threads, but got " + text(block));
  for (int dim = 0; dim < 3; ++dim)
    if (launch.cluster[dim] < 1)
      return invalidLaunch(launch,
                           "expects sizes of at least 1, but got clusters of " + text(launch.cluster) + " blocks");
  if (launch.requiredCluster[0] > 0 && !std::equal(launch.cluster, launch.cluster + 3, launch.requiredCluster))
    return invalidLaunch(launch, "the kernel is compiled for clusters of " + text(launch.requiredCluster) +
                                     " blocks, but got " + text(launch.cluster));
  if (launch.cluster[0] > maxClusterBlocks || launch.cluster[1] > maxClusterBlocks ||
      launch.cluster[2] > maxClusterBlocks || launch.blocksPerCluster() > maxClusterBlocks)
    return invalidLaunch(launch, "expects at most 16 blocks in a cluster, but got " + text(launch.cluster));
  for (int dim = 0; dim < 3; ++dim)
    if (grid[dim] % launch.cluster[dim])
      return invalidLaunch(launch, "expects a grid of whole clusters, but got " + text(grid) +
                                       " blocks for clusters of " + text(launch.cluster));
  // Global ids have 32 bits.
  if (launch.numBlocks() > int64_t(UINT32_MAX) / launch.threadsPerBlock())
    return invalidLaunch(launch, "expects less than 2^32 threads, but got a grid of " + text(grid) + " blocks of " +
                                     text(block));
  if (launch.dynamicShared < 0 || launch.staticShared < 0 || launch.dynamicShared > maxSharedBytes ||
      launch.staticShared + launch.dynamicShared > maxSharedBytes)
    return invalidLaunch(launch, "expects at most 232448 bytes of shared memory in a block, but got " +
                                     std::to_string(launch.staticShared) + " static and " +
                                     std::to_string(launch.dynamicShared) + " dynamic");
  sharedBytes = launch.staticShared + launch.dynamicShared;
  int64_t most = getMaxCooperativeBlocks(launch.threadsPerBlock(), sharedBytes);
  if (launch.cooperative && launch.numBlocks() > most)
    return invalidLaunch(launch, "expects a cooperative grid of at most " + std::to_string(most) +
                                     " blocks of this size, which an H200 holds at once, but got " +
                                     std::to_string(launch.numBlocks()));
  return Status();
}

Status Emulator::run(const Launch &request, const Schedule &order) {
  launch = request;
  schedule = order;
  RNNRT_TRY(prepare());
  // The stack holds the frames of the emulator (messages, matrices) and the private memory of the kernel.
  stacks.reset(size_t(65536 + std::max<int64_t>(launch.stackBytes, 0)));
  for (auto &block : blocks)
    for (Thread &thread : block->threads)
      thread.stack = nullptr;
  resident.clear();
  idle.clear();
  for (auto &block : blocks)
    idle.push_back(block.get());
  ready.reset(schedule);
  clusters.clear();
  nextCluster = numExited = gridArrived = fruitlessPolls = 0;
  failure = Status();
  checker = launch.checked ? std::make_unique<Checker>(launch) : nullptr;
  Status status = guarded([&] { return loop(); });
  running = nullptr;
  checker.reset();
  std::fflush(stdout);
  // Free the memory of a large cooperative launch: the next launch rarely needs it.
  resident.clear();
  idle.clear();
  clusters.clear();
  if (blocks.size() > 64)
    blocks.clear();
  return status;
}

Status Emulator::loop() {
  while (true) {
    RNNRT_TRY(startClusters());
    if (ready.empty())
      return resident.empty() ? Status() : describeStall("deadlock");
    running = ready.pop();
    Fiber::switchTo(host, running->fiber);
    while (hostWork) {
      Thread *thread = running;
      std::exchange(hostWork, nullptr)();
      running = thread;
      Fiber::switchTo(host, running->fiber);
    }
    if (!failure.ok())
      return std::move(failure);
  }
}

Status Emulator::startClusters() {
  int64_t count = launch.numClusters();
  // Only a cooperative launch may rely on its clusters running together.
  bool isRandom = schedule.order == Schedule::Order::Random;
  int64_t together = launch.cooperative ? count : !isRandom ? 1 : launch.blocksPerCluster() > 1 ? 2 : 4;
  while (nextCluster < count && int64_t(clusters.size()) < together) {
    int64_t linear = nextCluster++;
    if (schedule.order == Schedule::Order::Reverse)
      linear = count - 1 - linear;
    if (isRandom) {
      // A permutation of the clusters by the seed: a stride that is coprime to their number.
      int64_t step = int64_t(schedule.seed % 1000003) * 2 + 1;
      while (std::gcd(step, count) != 1)
        ++step;
      linear = int64_t((unsigned __int128)linear * step % count);
    }
    RNNRT_TRY(startCluster(linear));
  }
  return Status();
}

Status Emulator::startCluster(int64_t linear) {
  const int64_t *size = launch.cluster;
  const int64_t across[] = {launch.grid[0] / size[0], launch.grid[1] / size[1]};
  clusters.push_back(std::make_unique<Cluster>());
  Cluster &cluster = *clusters.back();
  cluster.id[0] = uint32_t(linear % across[0]);
  cluster.id[1] = uint32_t(linear / across[0] % across[1]);
  cluster.id[2] = uint32_t(linear / across[0] / across[1]);
  for (int64_t z = 0; z < size[2]; ++z)
    for (int64_t y = 0; y < size[1]; ++y)
      for (int64_t x = 0; x < size[0]; ++x)
        RNNRT_TRY(startBlock(cluster, (cluster.id[0] * size[0] + x) +
                                          launch.grid[0] * ((cluster.id[1] * size[1] + y) +
                                                            launch.grid[1] * (cluster.id[2] * size[2] + z))));
  cluster.liveBlocks = uint32_t(cluster.blocks.size());
  cluster.liveThreads = cluster.liveBlocks * uint32_t(launch.threadsPerBlock());
  // All threads of the cluster become ready together, in the order of the schedule.
  scratch.clear();
  for (Block *block : cluster.blocks)
    for (Thread &thread : block->threads)
      scratch.push_back(&thread);
  wake(scratch);
  return Status();
}

Status Emulator::startBlock(Cluster &cluster, int64_t linear) {
  if (idle.empty()) {
    blocks.push_back(std::make_unique<Block>());
    idle.push_back(blocks.back().get());
  }
  Block &block = *idle.back();
  size_t threads = size_t(launch.threadsPerBlock());
  block.linear = uint32_t(linear);
  block.id[0] = uint32_t(linear % launch.grid[0]);
  block.id[1] = uint32_t(linear / launch.grid[0] % launch.grid[1]);
  block.id[2] = uint32_t(linear / launch.grid[0] / launch.grid[1]);
  block.live = uint32_t(threads);
  block.cluster = &cluster;
  block.rank = uint32_t(cluster.blocks.size());
  block.transactionBarriers.clear();
  if (block.threads.size() != threads) {
    block.threads = std::vector<Thread>(threads);
    block.warps = std::vector<Warp>((threads + warpSize - 1) / warpSize);
  }
  for (Barrier &barrier : block.barriers)
    barrier = Barrier();
  // NaN in every floating-point type, so that a read of uninitialised memory shows in the result.
  block.sharedMemory.assign(size_t(sharedBytes) + 127, char(0xff));
  auto address = reinterpret_cast<uintptr_t>(block.sharedMemory.data());
  block.shared = block.sharedMemory.data() + ((address + 127) / 128 * 128 - address);
  for (size_t index = 0; index < block.warps.size(); ++index) {
    Warp &warp = block.warps[index];
    size_t lanes = std::min<size_t>(warpSize, threads - index * warpSize);
    warp.block = &block;
    warp.lanes = &block.threads[index * warpSize];
    warp.present = lanes == warpSize ? ~0u : (1u << lanes) - 1;
    warp.exited = warp.atBarrier = 0;
    warp.waiting.clear();
  }
  for (size_t index = 0; index < threads; ++index) {
    Thread &thread = block.threads[index];
    if (!thread.stack && !(thread.stack = stacks.take()))
      return resourceExhausted("not enough memory for the stacks of %lld threads at once, in kernel `%s`",
                               (long long)(resident.size() + 1) * (long long)threads, launch.name);
    thread.block = &block;
    thread.warp = &block.warps[index / warpSize];
    thread.linear = uint32_t(index);
    thread.lane = uint32_t(index % warpSize);
    thread.id[0] = uint32_t(index % launch.block[0]);
    thread.id[1] = uint32_t(index / launch.block[0] % launch.block[1]);
    thread.id[2] = uint32_t(index / launch.block[0] / launch.block[1]);
    thread.site = nullptr;
    thread.copies.clear();
    thread.copyGroup = 0;
    thread.arrivedAtCluster = false;
    thread.waitedFor = nullptr;
    thread.fiber.start(thread.stack, stacks.getStackBytes(), runThread, &thread);
  }
  if (checker)
    checker->startBlock(block, sharedBytes);
  idle.pop_back();
  resident.push_back(&block);
  cluster.blocks.push_back(&block);
  return Status();
}

//===-- Stalls ---------------------------------------------------------------------------------------------------===//

static std::string describeState(const Thread &thread) {
  std::string site = thread.site ? thread.site : "an unknown place";
  switch (thread.state) {
  case State::AtBarrier:
    return "wait at barrier " + std::to_string(thread.barrier) + " at " + site;
  case State::AtCollective:
    return "wait for lanes of their warp at " + site;
  case State::AtGridBarrier:
    return "wait at the grid barrier at " + site;
  case State::AtClusterBarrier:
    return "wait at the barrier of the cluster at " + site;
  case State::AtTransactionBarrier:
    return "wait for " + thread.waitedFor->describe() + " at " + site;
  case State::Exited:
    return "have exited";
  case State::Ready:
    break;
  }
  return thread.polling ? "poll at " + site : "can run";
}

/// Describes the state of all threads; neighbours in the same state are grouped.
Status Emulator::describeStall(const char *what) const {
  std::string message = std::string(what) + " in kernel `" + launch.name + "`:";
  int groups = 0;
  for (const Block *block : resident) {
    const auto &threads = block->threads;
    for (size_t first = 0, last; first < threads.size(); first = last) {
      std::string state = describeState(threads[first]);
      for (last = first + 1; last < threads.size() && describeState(threads[last]) == state; ++last)
        ;
      if (++groups > 8)
        continue;
      message += groups > 1 ? "; " : " ";
      message += describePosition("block", block->linear, launch.grid).c_str();
      message += " threads " + std::to_string(first) + " to " + std::to_string(last - 1) + " " + state;
    }
  }
  if (groups > 8)
    message += "; and " + std::to_string(groups - 8) + " more groups";
  if (int64_t missing = launch.numClusters() - nextCluster; missing > 0)
    message += "; " + std::to_string(missing * launch.blocksPerCluster()) +
               " blocks have not started, which only a cooperative launch would run together with these";
  return Status(rnnrt_status_create(RNNRT_STATUS_FAILED_PRECONDITION, message.c_str()));
}
