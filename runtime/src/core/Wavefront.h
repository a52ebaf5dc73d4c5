// Wavefront.h - tasks of layers in a partial order (rnnrt_abi_wavefront_begin).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_WAVEFRONT_H
#define RNNRT_CORE_WAVEFRONT_H

#include "core/Status.h"
#include "rnn_runtime/stream.h"

#include <functional>

namespace rnnrt {

/// The wavefront of one call on one device. A task follows the earlier tasks of its layer and of the layer before it.
class Wavefront {
public:
  explicit Wavefront(int64_t numLayers) : numLayers(numLayers) {}
  virtual ~Wavefront() = default;
  Wavefront(const Wavefront &) = delete;

  int64_t getNumLayers() const { return numLayers; }

  /// Begins a task of `layer`, and ends the current one.
  virtual Status begin(int64_t layer) = 0;
  /// Orders all later work of the call after all tasks, also if it fails. `discard`: the call has failed, so that work
  /// that was not executed yet need not be. No other function may be called afterwards.
  virtual Status finish(bool discard) = 0;

  /// The stream of the current task; null: that of the call.
  virtual rnnrt_stream_t *stream() const { return nullptr; }
  /// Adds `work` to the current task, to be executed by `finish` at the latest. Returns false, and does nothing, if the
  /// caller has to execute it, on `stream`.
  virtual bool defer(std::function<Status()> work) { return false; }

private:
  const int64_t numLayers;
};

} // namespace rnnrt

#endif // RNNRT_CORE_WAVEFRONT_H
