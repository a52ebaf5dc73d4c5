// SimtWavefront.h - a wavefront on the emulator: executes launches in every order that a GPU might.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_SIMT_SIMTWAVEFRONT_H
#define RNNRT_SIMT_SIMTWAVEFRONT_H

#include "core/Wavefront.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace rnnrt {

/// Collects the launches of all tasks until `finish`, and then executes them one after the other in an order that only
/// the dependences between tasks restrict. Tests find a missing dependence, or two stages that write the same scratch
/// memory, by wrong results. The schedule of the device selects the order: of the stages that can run, `fifo` takes the
/// first one, `reverse` the last one, and `random` a random one.
///
/// A launch that reads a flag lets others run before (`advance`), so that the schedule also decides whether it goes on.
class SimtWavefront final : public Wavefront {
public:
  SimtWavefront(Sizes sizes, const std::string &schedule);

  Status begin(int64_t stage, bool reuses) override;
  Status finish(bool discard) override;
  bool defer(std::function<Status()> work) override;
  void *signals() const override;
  void launched(int64_t clusters) override;

  /// Called by a launch that a wavefront of this thread executes: executes launches of other stages, `fifo` as many as
  /// can run, `reverse` none, and `random` some.
  static void advance();

private:
  struct Item {
    std::function<Status()> work; ///< or empty: waits, then sets `flag`
    size_t stage, count;          ///< waits for the first `count` items with work of `stage`
    const int32_t *counter;       ///< if not null, waits until it is at least `count` instead
    int32_t *flag;                ///< or null
  };
  struct Stage {
    std::deque<Item> items; ///< to be executed
    size_t added = 0, done = 0;
    size_t beforeLast = 0; ///< `added` at the start of the last task
    /// Clusters that publish each task, or 0.
    std::vector<int64_t> published;
    bool isRunning = false; ///< an item of it is being executed
  };
  /// Adds a wait for task `task` of stage `other`, whose first `count` items with work are those up to that task.
  void wait(Stage &stage, size_t other, size_t task, size_t count);
  void endTask();
  bool canRun(const Stage &stage) const;
  /// Executes an item of a stage; false if none can run.
  bool runOne();
  uint64_t next();

  std::vector<Stage> stages;
  std::vector<int32_t> words; ///< signals
  enum { First, Last, Random } order;
  uint64_t seed = 0;
  int64_t current = -1;
  Status failure; ///< of the first work that failed
};

} // namespace rnnrt

#endif // RNNRT_SIMT_SIMTWAVEFRONT_H
