// Backend.h - what a kind of device must provide, and the table of the kinds that this build has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_BACKEND_H
#define RNNRT_CORE_BACKEND_H

#include "core/Plan.h"
#include "rnn_runtime/device.h"

#include <memory>

namespace rnnrt {

namespace simt {
struct Schedule;
}

/// One device of one kind. All functions are thread-safe.
class Backend {
public:
  virtual ~Backend() = default;

  virtual Status allocate(int64_t bytes, void *&pointer) = 0;
  virtual Status release(void *pointer) = 0;
  virtual Status copy(rnnrt_stream_t *stream, void *target, const void *source, int64_t bytes) = 0;
  virtual rnnrt_memory_stats_t memoryStats() const = 0;

  /// `native` is the backend's own stream object, if it needs one.
  virtual Status createStream(void *&native) = 0;
  virtual Status synchronize(void *native) = 0;
  virtual void releaseStream(void *native) = 0;

  /// Plans may outlive the device handle (a call holds them), so they own what they need of the backend.
  virtual Status createPlan(const RnnProblem &problem, std::shared_ptr<Plan> &plan) = 0;
  virtual Status createPlan(const BlockProblem &problem, std::shared_ptr<Plan> &plan) = 0;

  /// How the threads of emulated kernels take turns; null where no kernels are emulated.
  virtual const simt::Schedule *emulatedSchedule() const { return nullptr; }
};

/// Makes the backend `name`, or says why it cannot be had.
Status createBackend(const char *name, const rnnrt_device_options_t &options, std::unique_ptr<Backend> &backend);

} // namespace rnnrt

#endif // RNNRT_CORE_BACKEND_H
