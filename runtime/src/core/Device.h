// Device.h - the objects behind the handles: device with its plan cache, stream, call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_DEVICE_H
#define RNNRT_CORE_DEVICE_H

#include "core/Backend.h"
#include "core/PlanCache.h"
#include "core/Trace.h"
#include "core/Weights.h"
#include "rnn_runtime/call.h"

#include <atomic>
#include <string>
#include <unordered_map>
#include <vector>

namespace rnnrt {

/// Counts owners; the last one to release deletes the object.
template <typename Derived> class RefCounted {
public:
  void retain() { count.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (count.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete static_cast<Derived *>(this);
  }

private:
  std::atomic<int64_t> count{1};
};

/// Shares ownership of a RefCounted handle.
template <typename T> class Ref {
public:
  Ref() = default;
  explicit Ref(T *object) : object(object) {
    if (object)
      object->retain();
  }
  Ref(const Ref &) = delete;
  ~Ref() {
    if (object)
      object->release();
  }
  T *get() const { return object; }
  T *operator->() const { return object; }

private:
  T *object = nullptr;
};

} // namespace rnnrt

struct rnnrt_device : rnnrt::RefCounted<rnnrt_device> {
  rnnrt_device(std::string name, std::unique_ptr<rnnrt::Backend> backend)
      : name(std::move(name)), backend(std::move(backend)) {}

  const std::string name;
  const std::unique_ptr<rnnrt::Backend> backend;
  rnnrt::PlanCache plans;
};

struct rnnrt_stream : rnnrt::RefCounted<rnnrt_stream> {
  rnnrt_stream(rnnrt_device *device, void *native) : device(device), native(native), owned(true) {}
  /// Of another library, which owns `native`.
  rnnrt_stream(rnnrt_device *device, void *native, const rnnrt_allocator_t &scratch)
      : device(device), native(native), scratch(scratch) {}
  /// Of a wavefront, on the device of its call; the backend owns `native`.
  explicit rnnrt_stream(void *native) : native(native) {}
  ~rnnrt_stream() {
    if (owned)
      device->backend->releaseStream(native);
  }

  rnnrt::Ref<rnnrt_device> device;
  void *const native;
  const rnnrt_allocator_t scratch{}; ///< device memory for calls; without functions: that of the device
  const bool owned = false;
};

struct rnnrt_call {
  rnnrt_call(rnnrt_device *device, rnnrt_stream *stream, const rnnrt_call_options_t &options, bool usesGraphs)
      : device(device), stream(stream), options(options), usesGraphs(usesGraphs) {}

  /// Keeps the first failure only.
  void record(rnnrt::Status status) {
    if (!status.ok() && first.ok())
      first = std::move(status);
  }
  bool refusesWaits() const { return options.host_waits == RNNRT_HOST_WAITS_REFUSED; }
  rnnrt::RunContext context(rnnrt::Resets resets = {}) const {
    return {stream.get(), options.dropout_draw, resets, refusesWaits()};
  }
  /// The stream of launches and GEMMs: in a wavefront, that of the current task.
  rnnrt_stream *launchStream() const {
    rnnrt_stream *ofTask = wavefront ? wavefront->stream() : nullptr;
    return ofTask ? ofTask : stream.get();
  }
  /// Ends the wavefront, if there is one, also after a failure.
  void endWavefront() {
    if (std::unique_ptr<rnnrt::Wavefront> ended = std::move(wavefront))
      record(rnnrt::guarded([&] { return ended->finish(/*discard=*/!first.ok()); }));
  }

  rnnrt::Ref<rnnrt_device> device;
  rnnrt::Ref<rnnrt_stream> stream;
  const rnnrt_call_options_t options;
  rnnrt::Status first;
  /// Of the next pass; see rnnrt_abi_set_resets.
  rnnrt::Resets nextResets;
  /// True between rnnrt_abi_try_clusters and rnnrt_abi_clusters_ran, and true if a launch was skipped there.
  bool triesClusters = false, skippedClusters = false;
  /// Null outside of wavefronts, and in those whose tasks run in the order of the call.
  std::unique_ptr<rnnrt::Wavefront> wavefront;
  /// True between rnnrt_abi_begin_chain and rnnrt_abi_end_chain if the backend collects launches in `chain`.
  bool inChain = false;
  const bool usesGraphs; ///< false: RNNRT_GRAPHS=0
  std::unique_ptr<rnnrt::Chain> chain;
  /// Number of the next chain of the compiled function that runs.
  int64_t nextChain = 0;
  /// Cause and reason of the last skipped launch since the call was created or reset.
  rnnrt_skipped_by_t skippedBy = RNNRT_SKIPPED_BY_NOTHING;
  std::string skipReason;
  /// Plans that compiled code uses in this call.
  std::unordered_map<rnnrt::Plan *, std::shared_ptr<rnnrt::Plan>> plans;
  /// Memory that the program offered for the results of the next exported function, and for those of the functions that
  /// run, the innermost last. Rank -1 marks a result without such memory.
  std::vector<rnnrt_tensor_t> offered;
  std::vector<std::vector<rnnrt_tensor_t>> resultMemory;
  /// Weights that do not change, until the call is released.
  std::vector<std::shared_ptr<rnnrt::PackedWeights>> weights;
};

#endif // RNNRT_CORE_DEVICE_H
