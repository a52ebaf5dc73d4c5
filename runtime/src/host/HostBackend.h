// HostBackend.h - the device `host`: memory of the process, and streams that execute every operation immediately.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_HOSTBACKEND_H
#define RNNRT_HOST_HOSTBACKEND_H

#include "core/Backend.h"
#include "core/Memory.h"

#include <mutex>
#include <string>
#include <unordered_set>

namespace rnnrt {

extern const BackendKind hostKind;

/// Also the base class of other devices that compute on the host.
class HostBackend : public Backend {
public:
  HostBackend(const BackendKind &kind, const rnnrt_allocator_t &allocator);

  rnnrt_device_properties_t properties() const override;
  Status loadModule(const rnnrt_image_t *images, int64_t count, std::unique_ptr<Module> &module) override;

  // Allocation with a stream is the same as without.
  using Backend::allocate;
  using Backend::release;
  Status allocate(int64_t bytes, void *&pointer) override;
  Status release(void *pointer) override;
  Status copy(rnnrt_stream_t *stream, void *target, const void *source, int64_t bytes) override;
  rnnrt_memory_stats_t memoryStats() const override { return pool->stats(); }

  // Every operation is complete when its function returns: streams have no state, and an event is a time.
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
  /// Returns the device name for the properties: the processor model of /proc/cpuinfo, else the kind of device.
  virtual std::string title() const;

private:
  /// Shared with the plans, which allocate their scratch from it and may outlive the device.
  std::shared_ptr<MemoryPool> pool;
  /// Live blocks of `allocate`. The header of a freed block may not be readable, so `release` looks pointers up here.
  std::unordered_set<void *> blocks;
  std::mutex mutex; ///< of `blocks`
};

} // namespace rnnrt

#endif // RNNRT_HOST_HOSTBACKEND_H
