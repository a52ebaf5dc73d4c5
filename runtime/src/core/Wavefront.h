// Wavefront.h - tasks of stages in a partial order (rnnrt_abi_wavefront_begin).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_WAVEFRONT_H
#define RNNRT_CORE_WAVEFRONT_H

#include "core/Status.h"
#include "rnn_runtime/stream.h"

#include <functional>

namespace rnnrt {

/// The wavefront of one call on one device. A task follows the earlier tasks of its stage and of the stage before it.
class Wavefront {
public:
  struct Sizes {
    int64_t stages; ///< at least 2
    int64_t layers; ///< among which launches of clusters divide the device
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

  /// The stream of the current task; null: that of the call.
  virtual rnnrt_stream_t *stream() const { return nullptr; }
  /// Adds `work` to the current task, to be executed by `finish` at the latest. Returns false, and does nothing, if the
  /// caller has to execute it, on `stream`.
  virtual bool defer(std::function<Status()> work) { return false; }

protected:
  /// Null if `stage` is in [0, stages).
  Status check(int64_t stage) const {
    if (stage < 0 || stage >= sizes.stages)
      return internalError("a task of stage %lld in a wavefront of %lld stages", (long long)stage,
                           (long long)sizes.stages);
    return Status();
  }

private:
  const Sizes sizes;
};

} // namespace rnnrt

#endif // RNNRT_CORE_WAVEFRONT_H
