// Crowd.h - signs that more threads are ready to run than there are CPUs, and what follows for teams.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CORE_CROWD_H
#define RNN_RUNTIME_CORE_CROWD_H

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace rnnrt {

/// For some time after a sign of oversubscription, threads block instead of yielding: yielding costs a full time slice
/// of another process, but the scheduler prefers a thread that wakes up. Short steps run on one thread then, since each
/// barrier may cost a time slice.
class Crowd {
public:
  using Clock = std::chrono::steady_clock;

  void notice(Clock::time_point now) {
    until.store((now + std::chrono::milliseconds(100)).time_since_epoch().count(), std::memory_order_relaxed);
  }
  bool isThere(Clock::time_point now) const {
    return now.time_since_epoch().count() < until.load(std::memory_order_relaxed);
  }

private:
  std::atomic<Clock::rep> until{0};
};

/// Limits the parts of a team while teams take longer than fewer threads would. A team waits for its latest part, which
/// loses time slices if its CPU also runs another process.
///
/// Time that all parts but the latest spend waiting is stalled; the rest of a region is busy. `n` threads without a
/// stall take the busy time, half as many twice that. Parts differ by one unit of work, so that a stall may be half of
/// the time without any other process. Only longer ones count as a loss.
class PartLimit {
public:
  using Time = Crowd::Clock::time_point;
  using Duration = Crowd::Clock::duration;

  /// The largest number of threads of a pool (RNNRT_THREADS).
  static constexpr int64_t mostParts = 1024;
  /// How long a waiting thread spins and yields before it blocks.
  static constexpr Duration pause = std::chrono::milliseconds(1);
  /// A shorter wait is not a sign: a time slice takes milliseconds.
  static constexpr Duration leastStall = std::chrono::microseconds(300);

  /// The most parts of a region that begins at `now`. May run in any thread.
  int64_t get(Time now) const {
    return now.time_since_epoch().count() < end.load(std::memory_order_relaxed) ? limit.load(std::memory_order_relaxed)
                                                                                : INT64_MAX;
  }

  /// A region with `parts` parts began at `start`; its first part ended at `firstEnd` and its last one at `lastEnd`.
  /// One of them waited for `atBarriers` at barriers, short waits excluded. `isEven`: without other processes, the
  /// parts take about the same time. Requires 1 < parts <= mostParts. Not thread-safe; call it in the order of the
  /// regions.
  void add(Time start, Time firstEnd, Time lastEnd, int64_t parts, Duration atBarriers, bool isEven = true) {
    // A thread is blocked after a pause. Waking it takes up to milliseconds if its processor is virtual and idle, and
    // the scheduler may leave two threads on one processor until its next tick. That is no sign of other processes, and
    // a limit of parts itself makes such pauses.
    if (start - lastEnds[parts - 1] >= pause)
      awake = start + waking;
    std::fill_n(lastEnds, parts, lastEnd);
    if (!isEven || start < awake)
      return;
    const Duration time = lastEnd - start, atEnd = lastEnd - firstEnd;
    const Duration busy = time - atBarriers - (atEnd >= leastStall ? atEnd : Duration::zero());
    // A margin for CPUs of different speed.
    if (2 * time <= 5 * busy)
      saved = std::min(saved + std::max(2 * busy - time, Duration::zero()), mostSaved);
    else
      saved -= time - 2 * busy;
    if (saved >= Duration::zero())
      return;
    saved = Duration::zero();
    const Time last{Duration(end.load(std::memory_order_relaxed))};
    // The time slices are still lost: the other process still runs. Try all parts less often, since each try loses
    // some.
    if (lastEnd >= last)
      period = lastEnd - last < period ? std::min(2 * period, longest) : shortest;
    limit.store(parts - 1, std::memory_order_relaxed);
    end.store((lastEnd + period).time_since_epoch().count(), std::memory_order_relaxed);
  }

private:
  /// About a time slice: a single one does not limit teams, repeated ones do.
  static constexpr Duration mostSaved = std::chrono::milliseconds(4);
  /// Regions that begin within this time after a pause are no sign.
  static constexpr Duration waking = std::chrono::milliseconds(5);
  static constexpr Duration shortest = std::chrono::milliseconds(100), longest = std::chrono::milliseconds(800);

  /// Compared with half of the threads. Zero after a limit: the next loss renews it.
  Duration saved = mostSaved;
  Duration period = shortest;
  Time lastEnds[mostParts] = {}; ///< by part: the end of the last region that had it
  Time awake{};                  ///< regions that begin earlier are no sign
  std::atomic<int64_t> limit{INT64_MAX};
  std::atomic<Duration::rep> end{0}; ///< of the current or the last limit
};

} // namespace rnnrt

#endif // RNN_RUNTIME_CORE_CROWD_H
