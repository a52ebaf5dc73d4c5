// HostBackend.h - the device `host`: its memory is the process's, and its streams run every operation at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_HOSTBACKEND_H
#define RNNRT_HOST_HOSTBACKEND_H

#include "core/Backend.h"
#include "core/Memory.h"

#include <string>

namespace rnnrt {

extern const BackendKind hostKind;

/// Also the base of devices that compute on the host in another way.
class HostBackend : public Backend {
public:
  HostBackend(const BackendKind &kind, const rnnrt_allocator_t &allocator);

  rnnrt_device_properties_t properties() const override;
  Status loadModule(const rnnrt_image_t *images, int64_t count, std::unique_ptr<Module> &module) override;

  // A stream makes no difference.
  using Backend::allocate;
  using Backend::release;
  Status allocate(int64_t bytes, void *&pointer) override;
  Status release(void *pointer) override;
  Status copy(rnnrt_stream_t *stream, void *target, const void *source, int64_t bytes) override;
  rnnrt_memory_stats_t memoryStats() const override { return pool->stats(); }

  // Every operation is complete when its function returns, so a stream has no state, and an event is a time.
  Status createStream(void *&native) override;
  Status synchronize(void *) override { return Status(); }
  void releaseStream(void *) override {}
  Status createEvent(void *&native) override;
  Status recordEvent(void *native, rnnrt_stream_t *stream) override;
  Status waitEvent(void *, rnnrt_stream_t *) override { return Status(); }
  Status synchronizeEvent(void *) override { return Status(); }
  Status elapsed(void *start, void *end, double &milliseconds) override;
  void releaseEvent(void *native) override;

  Status createPlan(const RnnProblem &problem, std::shared_ptr<Plan> &plan) override;
  Status createPlan(const BlockProblem &problem, std::shared_ptr<Plan> &plan) override;

protected:
  /// The name in the properties: the model of the processor, where /proc/cpuinfo has one, else the kind.
  virtual std::string title() const;

private:
  /// Shared with the plans, which allocate their scratch from it and may outlive the device.
  std::shared_ptr<MemoryPool> pool;
};

} // namespace rnnrt

#endif // RNNRT_HOST_HOSTBACKEND_H
