// ThreadPool.h - the threads that compiled code shares: one pool for the process, one team at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CORE_THREADPOOL_H
#define RNN_RUNTIME_CORE_THREADPOOL_H

#include "rnn_runtime/abi.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

/// The threads that run one function together.
struct rnnrt_team {
  int64_t parts = 1;
  std::atomic<uint32_t> arrived{0}, round{0};
  std::atomic<uint32_t> sleepers{0};
  bool hasShortSteps = false;

  /// Until every part has come here. What one wrote before, all see behind.
  void wait();
};

namespace rnnrt {

class ThreadPool {
public:
  /// The pool of the process, with as many threads as RNNRT_THREADS says, or else as processors that the process may use.
  static ThreadPool &get();

  /// Threads are made when they are first needed.
  explicit ThreadPool(int threads) : threads(threads) {}
  ~ThreadPool();

  int getThreads() const { return threads; }

  /// Runs `function(context, team, part, parts)` for every part, each on a thread of its own, the caller's the first.
  /// There are at most `most` parts, as few as `work` is worth (multiply-adds of all between two waits), and one when
  /// the pool is at work for another caller, so that calls at once never have more threads than the pool. Returns when
  /// all have.
  void run(rnnrt_part_t function, void *context, int64_t most, int64_t work);

private:
  void start(int64_t parts);
  void work(int64_t index);

  const int threads;
  std::atomic<bool> busy{false};
  // The number of the job in the high bits, how many take part in the low ones: who takes no part reads nothing else.
  std::atomic<uint32_t> job{0};
  static constexpr uint32_t partsBits = 12;
  std::atomic<uint32_t> sleepers{0}, unfinished{0}, waiting{0};
  std::atomic<bool> stopping{false};
  rnnrt_part_t function = nullptr;
  void *context = nullptr;
  rnnrt_team team;
  std::vector<std::thread> workers;
  int64_t process = 0; ///< that the workers belong to: after a fork the child has none
};

} // namespace rnnrt

#endif // RNN_RUNTIME_CORE_THREADPOOL_H
