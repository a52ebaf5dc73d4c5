// ThreadPool.cpp - workers, jobs and barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/ThreadPool.h"
#include "core/Environment.h"
#include "core/Exit.h"
#include "core/Processors.h"

#include <algorithm>
#include <system_error>
#include <unistd.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#endif

using namespace rnnrt;

//===-- Waiting --------------------------------------------------------------------------------------------------===//

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

using Clock = Crowd::Clock;

static Crowd crowd;

/// Spins. Returns true once `word` is not `value`, and false after a time limit. `start` and `now` are when it began
/// and last read the clock.
static bool watch(const std::atomic<uint32_t> &word, uint32_t value, Clock::time_point &start, Clock::time_point &now) {
  using namespace std::chrono_literals;
  // The parts of a short step finish close together.
  constexpr auto spin = 10us;
  // Blocking has a high wake-up latency: a hypervisor deschedules idle virtual CPUs, and if the scheduler places the
  // woken thread on the CPU of its waker, two threads were slower than one. The parts of most long steps finish within
  // this time.
  constexpr auto most = PartLimit::pause;
  // Without oversubscription, a yield returns at once.
  constexpr auto late = PartLimit::leastStall;

  start = now = Clock::now();
  do {
    for (int turn = 0; turn < 64; ++turn) {
      if (word.load(std::memory_order_acquire) != value)
        return true;
      relax();
    }
    now = Clock::now();
  } while (now - start < spin);
  while (now - start < most && !crowd.isThere(now)) {
    std::this_thread::yield();
    if (word.load(std::memory_order_acquire) != value)
      return true;
    auto back = Clock::now();
    if (back - now > late)
      crowd.notice(back);
    now = back;
  }
  return false;
}

/// Waits until `word` is not `value`. `sleepers` counts the blocked threads.
static void sleepWhile(std::atomic<uint32_t> &word, uint32_t value, std::atomic<uint32_t> &sleepers) {
  // Sequentially consistent, as in `wake`: either this thread observes the change, or the waker observes the sleeper.
  sleepers.fetch_add(1);
  while (word.load() == value) {
#ifdef __linux__
    syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
#else
    std::this_thread::yield();
#endif
  }
  sleepers.fetch_sub(1);
}

static void waitWhile(std::atomic<uint32_t> &word, uint32_t value, std::atomic<uint32_t> &sleepers) {
  Clock::time_point start, now;
  if (!watch(word, value, start, now))
    sleepWhile(word, value, sleepers);
}

/// Called after a change of `word`: wakes the blocked threads.
static void wake(std::atomic<uint32_t> &word, std::atomic<uint32_t> &sleepers) {
#ifdef __linux__
  if (sleepers.load() != 0)
    syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
#endif
}

void rnnrt_team::wait() {
  const int64_t parts = this->parts.load(std::memory_order_relaxed);
  if (parts == 1)
    return;
  // In this order: if the round is that of `abort`, the flag is visible.
  uint32_t current = round.load(std::memory_order_acquire);
  if (isAborted.load(std::memory_order_relaxed))
    Exit::current()->leave();
  const int64_t before = arrived.fetch_add(1, std::memory_order_acq_rel);
  if (before + 1 < parts) {
    Clock::time_point start, now;
    if (!watch(round, current, start, now)) {
      // The step takes a fraction of this time, so some part has no CPU.
      if (hasShortSteps)
        crowd.notice(now);
      sleepWhile(round, current, sleepers);
      now = Clock::now();
    }
    if (before == 0 && now - start >= PartLimit::leastStall)
      stalled.fetch_add((now - start).count(), std::memory_order_relaxed);
    if (isAborted.load(std::memory_order_relaxed))
      Exit::current()->leave();
    return;
  }
  arrived.store(0, std::memory_order_relaxed);
  // Not a store: `abort` may have incremented it.
  round.fetch_add(1);
  wake(round, sleepers);
}

void rnnrt_team::abort() {
  isAborted.store(true);
  round.fetch_add(1);
  wake(round, sleepers);
}

//===-- The pool -------------------------------------------------------------------------------------------------===//

ThreadPool &ThreadPool::get() {
  static ThreadPool pool(int(readInteger("RNNRT_THREADS", countProcessors(), 1, PartLimit::mostParts)));
  return pool;
}

ThreadPool::~ThreadPool() {
  if (workers.empty())
    return;
  if (process != getpid()) {
    // In the child of a fork the workers do not exist.
    new std::vector<std::thread>(std::move(workers));
    return;
  }
  stopping.store(true);
  job.fetch_add(1u << partsBits);
  wake(job, sleepers);
  for (std::thread &worker : workers)
    worker.join();
}

/// Creates workers until there are enough for `parts`, or until the system refuses.
void ThreadPool::start(int64_t parts) {
  process = getpid();
  while (static_cast<int64_t>(workers.size()) + 1 < parts) {
    try {
      workers.emplace_back(&ThreadPool::work, this, static_cast<int64_t>(workers.size()) + 1);
    } catch (const std::system_error &) {
      return;
    }
  }
}

/// Runs compiled code until it returns or leaves.
void ThreadPool::runPart(rnnrt_part_t run, void *argument, rnnrt_team &team, int64_t part, int64_t parts,
                         Invocation *invocation) {
  if (!invocation)
    return run(argument, &team, part, parts);
  Exit exit(invocation, &team);
  if (_setjmp(exit.point) == 0)
    run(argument, &team, part, parts);
}

void ThreadPool::useOpenMP(const rnnrt_openmp_t *functions) {
  if (!functions)
    return openMP.store(nullptr);
  std::lock_guard<std::mutex> guard(openMPMutex);
  openMPs.push_back(std::make_unique<OpenMP>(OpenMP{*functions, getpid()}));
  openMP.store(openMPs.back().get());
}

/// What the threads of an OpenMP region read.
struct ThreadPool::Region {
  const rnnrt_openmp_t &functions;
  rnnrt_part_t run;
  void *argument;
  rnnrt_team &team;
  Invocation *invocation;
  FloatControl control;
  Clock::time_point *ends;
};

void ThreadPool::runOnOpenMP(void *data) {
  const Region &region = *static_cast<const Region *>(data);
  // There may be fewer threads than requested, as in a nested region. All of them store the same number.
  int64_t parts = region.functions.num_threads();
  region.team.parts.store(parts, std::memory_order_relaxed);
  const int64_t part = region.functions.thread_num();
  const FloatControl before = FloatControl::get();
  region.control.set();
  runPart(region.run, region.argument, region.team, part, parts, region.invocation);
  before.set(); // the thread belongs to another library
  region.ends[part] = Clock::now();
}

/// Updates the limit of parts after a region that began at `start`.
void ThreadPool::measure(Clock::time_point start, bool isEven) {
  const int64_t parts = team.parts.load(std::memory_order_relaxed);
  const Clock::duration atBarriers(team.stalled.exchange(0, std::memory_order_relaxed));
  if (parts <= 1)
    return;
  auto [first, last] = std::minmax_element(ends.begin(), ends.begin() + parts);
  partLimit.add(start, *first, *last, parts, atBarriers, isEven);
}

bool ThreadPool::run(rnnrt_part_t run, void *argument, int64_t most, int64_t work, bool isEven) {
  Exit *exit = Exit::current();
  Invocation *caller = exit ? exit->invocation : nullptr;
  // A barrier takes less than a microsecond if all parts have a CPU, and up to a time slice if not.
  constexpr int64_t shortStep = 8 * RNNRT_LEAST_WORK;
  // A part takes about 16 ms, several time slices: with half of a CPU it ends when one thread would.
  constexpr int64_t longPart = 16384 * RNNRT_LEAST_WORK;
  const Clock::time_point now = Clock::now();
  int64_t least = crowd.isThere(now) ? shortStep : RNNRT_LEAST_WORK;
  int64_t parts = std::min<int64_t>({most, threads, work / least, std::max(partLimit.get(now), work / longPart)});
  const OpenMP *shared = openMP.load(std::memory_order_acquire);
  if (shared && parts > 1)
    parts = shared->process == getpid() ? std::min<int64_t>(parts, shared->functions.max_threads()) : 1;
  // A caller that is itself a part finds the pool busy, too.
  if (parts <= 1 || busy.exchange(true)) {
    rnnrt_team alone;
    runPart(run, argument, alone, 0, 1, caller);
    return !alone.isAborted.load();
  }
  if (shared) {
    team.hasShortSteps = work / parts < shortStep;
    Region region = {shared->functions, run, argument, team, caller, FloatControl::get(), ends.data()};
    shared->functions.parallel(runOnOpenMP, &region, static_cast<unsigned>(parts), 0);
  } else {
    // The child of a fork runs with one thread.
    if (workers.empty() || process == getpid())
      start(parts);
    parts = process == getpid() ? std::min<int64_t>(parts, workers.size() + 1) : 1;
    team.hasShortSteps = work / parts < shortStep;
    runOnPool(run, argument, parts, caller);
  }
  const bool isComplete = !team.isAborted.load();
  if (!isComplete) {
    team.arrived.store(0);
    team.isAborted.store(false);
    team.stalled.store(0);
  } else {
    measure(now, isEven);
  }
  busy.store(false);
  return isComplete;
}

static int getProcessor() {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

void ThreadPool::runOnPool(rnnrt_part_t run, void *argument, int64_t parts, Invocation *caller) {
  function = run, context = argument, invocation = caller, processor = getProcessor();
  control = FloatControl::get();
  team.parts.store(parts, std::memory_order_relaxed);
  unfinished.store(static_cast<uint32_t>(parts - 1));
  for (int64_t part = 1; part < parts; ++part)
    isOpen[part].store(true, std::memory_order_release);
  if (parts > 1) {
    uint32_t number = job.load() >> partsBits;
    job.store((number + 1) << partsBits | static_cast<uint32_t>(parts));
    wake(job, sleepers);
  }
  runPart(run, argument, team, 0, parts, caller);
  ends[0] = Clock::now();
  // Waking a thread may take longer than a short part. Behind a barrier no part is open: all have arrived there.
  for (int64_t part = 1; part < parts; ++part) {
    if (!isOpen[part].exchange(false, std::memory_order_acquire))
      continue;
    runPart(run, argument, team, part, parts, caller);
    ends[part] = Clock::now();
    unfinished.fetch_sub(1);
  }
  for (uint32_t left; (left = unfinished.load()) != 0;)
    waitWhile(unfinished, left, waiting);
}

/// Moves this thread to another of its processors. The scheduler may wake a thread on the processor of its waker and
/// leave it there for milliseconds, in which both take turns.
static void leaveProcessor(int processor) {
#ifdef __linux__
  cpu_set_t all;
  if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof(all), &all) != 0)
    return;
  cpu_set_t others = all;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0)
    return;
  // The thread stays where it is now, but may be moved back later.
  sched_setaffinity(0, sizeof(all), &all);
#endif
}

void ThreadPool::work(int64_t index) {
  for (uint32_t seen = 0;;) {
    waitWhile(job, seen, sleepers);
    seen = job.load();
    if (stopping.load())
      return;
    if (index >= int64_t(seen & ((1u << partsBits) - 1)))
      continue;
    // If the caller has already run this job's part, an open part belongs to a later job.
    if (!isOpen[index].exchange(false, std::memory_order_acquire))
      continue;
    if (processor >= 0 && getProcessor() == processor)
      leaveProcessor(processor);
    control.set();
    runPart(function, context, team, index, team.parts.load(std::memory_order_relaxed), invocation);
    ends[index] = Clock::now();
    unfinished.fetch_sub(1);
    wake(unfinished, waiting);
  }
}
