// Wavefront.h - tasks of stages in a partial order (rnnrt_abi_wavefront_begin).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_WAVEFRONT_H
#define RNNRT_CORE_WAVEFRONT_H

#include "core/Status.h"
#include "rnn_runtime/stream.h"

#include <functional>

namespace rnnrt {

/// The wavefront of one call on one device. A task follows the earlier tasks of its stage and of the stage before it.
///
/// Signals (rnnrt_abi_wavefront_task) are words in the memory of the device. A launch of clusters that is the last one
/// of its task publishes the task: each cluster adds 1 to its counter. Tasks that follow it wait for the counter, since
/// the launch may go on with later tasks of its stage, whose flags are set.
class Wavefront {
public:
  struct Sizes {
    int64_t stages;   ///< at least 2
    int64_t layers;   ///< among which launches of clusters divide the device
    int64_t tasks;    ///< of a stage
    int64_t clusters; ///< the most clusters of a launch; 0: there are no signals

    /// The words of a stage: counters, flags, then one per cluster.
    int64_t wordsOfStage() const { return 2 * tasks + clusters; }
    int64_t words() const { return stages * wordsOfStage(); }
    int64_t counter(int64_t stage, int64_t task) const { return stage * wordsOfStage() + task; }
    int64_t flag(int64_t stage, int64_t task) const { return counter(stage, tasks + task); }
  };

  explicit Wavefront(Sizes sizes) : sizes(sizes) {}
  virtual ~Wavefront() = default;
  Wavefront(const Wavefront &) = delete;

  int64_t getNumLayers() const { return sizes.layers; }

  /// Begins a task of `stage`, and ends the current one. `reuses`: it also follows the earlier tasks of the next stage
  /// but the last one.
  virtual Status begin(int64_t stage, bool reuses) = 0;
  /// Orders all later work of the call after all tasks, also if it fails. `discard`: the call has failed, so that work
  /// that was not executed yet need not be. No other function may be called afterwards.
  virtual Status finish(bool discard) = 0;

  /// The address of the signals of the current stage, or null.
  virtual void *signals() const { return nullptr; }
  /// Called after each launch in the current task. `clusters` is the number of clusters of a launch with items
  /// (RNNRT_LAUNCH_ITEMS_SHIFT), and 0 for other launches.
  virtual void launched(int64_t clusters) {}
  /// The stream of the current task; null: that of the call.
  virtual rnnrt_stream_t *stream() const { return nullptr; }
  /// Adds `work`, a launch, to the current task, to be executed by `finish` at the latest. Returns false, and does
  /// nothing, if the caller has to execute it, on `stream`.
  virtual bool defer(std::function<Status()> work) { return false; }

protected:
  /// Null if `stage` is in [0, stages).
  Status check(int64_t stage) const {
    if (stage < 0 || stage >= sizes.stages)
      return internalError("a task of stage %lld in a wavefront of %lld stages", (long long)stage,
                           (long long)sizes.stages);
    return Status();
  }

  /// Null if a stage may have a task of this number.
  Status checkTask(size_t number) const {
    if (sizes.clusters && number >= size_t(sizes.tasks))
      return internalError("a stage has more than the %lld tasks of its wavefront", (long long)sizes.tasks);
    return Status();
  }

  const Sizes sizes;
};

} // namespace rnnrt

#endif // RNNRT_CORE_WAVEFRONT_H
