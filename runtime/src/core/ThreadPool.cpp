// ThreadPool.cpp - threads, their jobs, and waiting for each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/ThreadPool.h"
#include "core/Processors.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <unistd.h>
#ifdef __linux__
#include <linux/futex.h>
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

using Clock = std::chrono::steady_clock;

namespace {
/// For some time after a sign that others want our processors too, nobody gives way: who does waits for a time slice of
/// theirs, but who sleeps is preferred when woken. And one thread does short steps, which are more than there are time
/// slices.
class Crowd {
public:
  void notice() {
    until.store((Clock::now() + std::chrono::milliseconds(100)).time_since_epoch().count(), std::memory_order_relaxed);
  }
  bool isThere() const { return Clock::now().time_since_epoch().count() < until.load(std::memory_order_relaxed); }

private:
  std::atomic<Clock::rep> until{0};
};
} // namespace

static Crowd crowd;

/// True as soon as `word` is not `value`; false after a while.
static bool watch(const std::atomic<uint32_t> &word, uint32_t value) {
  using namespace std::chrono_literals;
  // Parts of a short step differ less.
  constexpr auto spin = 10us;
  // Who sleeps comes back late: virtual processors are given away when they idle, and where the scheduler puts the
  // woken thread beside the one that woke it, two threads were slower than one. Parts of most long steps differ less.
  constexpr auto most = 1ms;
  // A processor that was given away is back at once if nobody else wants it.
  constexpr auto late = 300us;

  auto start = Clock::now(), now = start;
  do {
    for (int turn = 0; turn < 64; ++turn) {
      if (word.load(std::memory_order_acquire) != value)
        return true;
      relax();
    }
    now = Clock::now();
  } while (now - start < spin);
  while (now - start < most && !crowd.isThere()) {
    std::this_thread::yield();
    if (word.load(std::memory_order_acquire) != value)
      return true;
    auto back = Clock::now();
    if (back - now > late)
      crowd.notice();
    now = back;
  }
  return false;
}

/// Until `word` is not `value`. `sleepers` counts those who sleep.
static void sleepWhile(std::atomic<uint32_t> &word, uint32_t value, std::atomic<uint32_t> &sleepers) {
  // Sequentially consistent, as in `wake`: either we see the change, or the other side sees a sleeper.
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
  if (!watch(word, value))
    sleepWhile(word, value, sleepers);
}

/// After a change of `word`.
static void wake(std::atomic<uint32_t> &word, std::atomic<uint32_t> &sleepers) {
#ifdef __linux__
  if (sleepers.load() != 0)
    syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
#endif
}

void rnnrt_team::wait() {
  if (parts == 1)
    return;
  uint32_t current = round.load(std::memory_order_relaxed);
  if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < parts) {
    if (watch(round, current))
      return;
    // Such a step is done in a fraction of that: some part has no processor.
    if (hasShortSteps)
      crowd.notice();
    sleepWhile(round, current, sleepers);
    return;
  }
  arrived.store(0, std::memory_order_relaxed);
  round.store(current + 1);
  wake(round, sleepers);
}

//===-- The pool -------------------------------------------------------------------------------------------------===//

static int readThreads() {
  constexpr long most = 1024;
  const char *text = std::getenv("RNNRT_THREADS");
  if (!text || !*text)
    return countProcessors();
  char *end;
  long count = std::strtol(text, &end, 10);
  if (!*end && count >= 1 && count <= most)
    return static_cast<int>(count);
  std::fprintf(stderr, "rnnrt,warning,RNNRT_THREADS expects a number from 1 to %ld and not `%s`\n", most, text);
  return countProcessors();
}

ThreadPool &ThreadPool::get() {
  static ThreadPool pool(readThreads());
  return pool;
}

ThreadPool::~ThreadPool() {
  if (workers.empty())
    return;
  if (process != getpid()) {
    // The child of a fork: these threads run in its parent alone.
    new std::vector<std::thread>(std::move(workers));
    return;
  }
  stopping.store(true);
  job.fetch_add(1u << partsBits);
  wake(job, sleepers);
  for (std::thread &worker : workers)
    worker.join();
}

/// Makes workers until there are enough for `parts`, or no more can be had.
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

void ThreadPool::run(rnnrt_part_t run, void *argument, int64_t most, int64_t work) {
  // A wait takes a part of a microsecond when all have a processor, and up to a time slice when not.
  constexpr int64_t shortStep = 8 * RNNRT_LEAST_WORK;
  int64_t least = crowd.isThere() ? shortStep : RNNRT_LEAST_WORK;
  int64_t parts = std::min<int64_t>({most, threads, work / least});
  // Also the caller that is itself a part finds the pool at work.
  if (parts <= 1 || busy.exchange(true)) {
    rnnrt_team alone;
    run(argument, &alone, 0, 1);
    return;
  }
  // A child of a fork works alone.
  if (workers.empty() || process == getpid())
    start(parts);
  parts = process == getpid() ? std::min<int64_t>(parts, workers.size() + 1) : 1;
  function = run, context = argument, team.parts = parts, team.hasShortSteps = work / parts < shortStep;
  unfinished.store(static_cast<uint32_t>(parts - 1));
  if (parts > 1) {
    uint32_t number = job.load() >> partsBits;
    job.store((number + 1) << partsBits | static_cast<uint32_t>(parts));
    wake(job, sleepers);
  }
  run(argument, &team, 0, parts);
  for (uint32_t left; (left = unfinished.load()) != 0;)
    waitWhile(unfinished, left, waiting);
  busy.store(false);
}

void ThreadPool::work(int64_t index) {
  for (uint32_t seen = 0;;) {
    waitWhile(job, seen, sleepers);
    seen = job.load();
    if (stopping.load())
      return;
    int64_t parts = seen & ((1u << partsBits) - 1);
    if (index >= parts)
      continue;
    function(context, &team, index, parts);
    unfinished.fetch_sub(1);
    wake(unfinished, waiting);
  }
}
