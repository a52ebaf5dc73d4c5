// ThreadPool.h - the threads of compiled code: one pool per process, one team at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CORE_THREADPOOL_H
#define RNN_RUNTIME_CORE_THREADPOOL_H

#include "core/Crowd.h"
#include "core/FloatControl.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/threads.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

/// The threads that run one function together.
struct rnnrt_team {
  std::atomic<int64_t> parts{1};
  std::atomic<uint32_t> arrived{0}, round{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> isAborted{false};
  /// Ticks that the first part waited at barriers, short waits excluded.
  std::atomic<rnnrt::Crowd::Clock::rep> stalled{0};
  bool hasShortSteps = false;

  /// Blocks until every part has called it. Writes before the call are visible to all parts after it. Does not return
  /// if the team is aborted: leaves compiled code.
  void wait();
  /// A part leaves compiled code; the others must not wait for it.
  void abort();
};

namespace rnnrt {

class Invocation;

class ThreadPool {
public:
  /// The pool of the process. It has RNNRT_THREADS threads, by default one per CPU that the process may use.
  static ThreadPool &get();

  /// Threads are created at first use.
  explicit ThreadPool(int threads) : threads(threads), isOpen(threads), ends(threads) {}
  ~ThreadPool();

  int getThreads() const { return threads; }

  /// Runs `function(context, team, part, parts)` for every part, each on a thread of its own; the caller runs part 0,
  /// then those that no thread has begun. Returns when all parts have returned. There are at most `most` parts, and
  /// fewer if `work` (multiply-adds of all parts between two barriers) is small, or if other processes use the CPUs. If
  /// the pool is running for another caller, there is one part, so that concurrent calls do not oversubscribe the CPUs.
  /// All parts compute with the FloatControl of the caller. `isEven` states that all parts take about the same time if
  /// no other process runs. Returns false if a part has left compiled code.
  bool run(rnnrt_part_t function, void *context, int64_t most, int64_t work, bool isEven = true);

  /// Later runs use threads of OpenMP, or those of the pool if `functions` is null.
  void useOpenMP(const rnnrt_openmp_t *functions);

private:
  /// An OpenMP runtime, and the process that it may be used in: its threads do not survive a fork.
  struct OpenMP {
    rnnrt_openmp_t functions;
    int64_t process;
  };
  struct Region;

  void runOnPool(rnnrt_part_t function, void *context, int64_t parts, Invocation *caller);
  static void runOnOpenMP(void *region);
  void measure(Crowd::Clock::time_point start, bool isEven);
  void start(int64_t parts);
  void work(int64_t index);
  static void runPart(rnnrt_part_t run, void *argument, rnnrt_team &team, int64_t part, int64_t parts,
                      Invocation *invocation);

  const int threads;
  std::atomic<bool> busy{false};
  // The serial number of the job in the high bits and its number of parts in the low bits. A worker without a part
  // reads nothing else.
  std::atomic<uint32_t> job{0};
  static constexpr uint32_t partsBits = 12;
  std::atomic<uint32_t> sleepers{0}, unfinished{0}, waiting{0};
  std::atomic<bool> stopping{false};
  rnnrt_part_t function = nullptr;
  void *context = nullptr;
  Invocation *invocation = nullptr; ///< of the caller
  FloatControl control;             ///< of the caller
  int processor = -1;               ///< that the caller ran on when the job began; -1: unknown
  rnnrt_team team;
  std::vector<std::atomic<bool>> isOpen; ///< by part: the current job has it, and no thread has begun it
  PartLimit partLimit;
  std::vector<Crowd::Clock::time_point> ends; ///< of the parts of the last region
  std::vector<std::thread> workers;
  int64_t process = 0; ///< process of the workers: the child of a fork has none
  std::atomic<const OpenMP *> openMP{nullptr};
  std::mutex openMPMutex;
  std::vector<std::unique_ptr<OpenMP>> openMPs; ///< all that were set: a run may still use one
};

} // namespace rnnrt

#endif // RNN_RUNTIME_CORE_THREADPOOL_H
