// HostBackend.cpp - memory, streams and plans of the devices host and simt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/HostBackend.h"
#include "core/Memory.h"
#include "host/HostPlans.h"
#include "simt/Schedule.h"

#include <cstdlib>
#include <cstring>

using namespace rnnrt;

namespace {

class HostBackend : public Backend {
public:
  explicit HostBackend(const rnnrt_allocator_t &allocator, const char *name = "host")
      : pool(std::make_shared<MemoryPool>(name, allocator)) {}

  Status allocate(int64_t bytes, void *&pointer) override {
    pointer = pool->allocate(bytes);
    if (pointer)
      return Status();
    return resourceExhausted("not enough memory for %lld bytes; the device holds %lld already", (long long)bytes,
                             (long long)pool->stats().live_bytes);
  }

  Status release(void *pointer) override {
    if (pool->release(pointer))
      return Status();
    return invalidArgument("the pointer was not allocated on this device, or was freed already");
  }

  Status copy(rnnrt_stream_t *, void *target, const void *source, int64_t bytes) override {
    if (bytes)
      std::memcpy(target, source, size_t(bytes));
    return Status();
  }

  rnnrt_memory_stats_t memoryStats() const override { return pool->stats(); }

  // Everything is done when a function returns, so a stream is nothing.
  Status createStream(void *&native) override {
    native = nullptr;
    return Status();
  }
  Status synchronize(void *) override { return Status(); }
  void releaseStream(void *) override {}

  Status createPlan(const RnnProblem &problem, std::shared_ptr<Plan> &plan) override {
    return createHostRnnPlan(problem, pool, plan);
  }
  Status createPlan(const BlockProblem &problem, std::shared_ptr<Plan> &plan) override {
    return createHostBlockLstmPlan(problem, pool, plan);
  }

private:
  /// Shared with the plans, which take their scratch from it and may outlive the device.
  std::shared_ptr<MemoryPool> pool;
};

/// The host with a GPU of the mind: kernels are emulated, all else is as on the host.
class SimtBackend final : public HostBackend {
public:
  SimtBackend(const rnnrt_allocator_t &allocator, const simt::Schedule &schedule)
      : HostBackend(allocator, "simt"), schedule(schedule) {}

  const simt::Schedule *emulatedSchedule() const override { return &schedule; }

private:
  const simt::Schedule schedule;
};

} // namespace

Status rnnrt::createHostBackend(const rnnrt_device_options_t &options, std::unique_ptr<Backend> &backend) {
  backend = std::make_unique<HostBackend>(options.allocator);
  return Status();
}

Status rnnrt::createSimtBackend(const char *schedule, const rnnrt_device_options_t &options,
                                std::unique_ptr<Backend> &backend) {
  if (!schedule)
    schedule = std::getenv("RNNRT_SIMT_SCHEDULE");
  simt::Schedule parsed;
  if (schedule && *schedule)
    RNNRT_TRY(simt::Schedule::parse(schedule, parsed));
  backend = std::make_unique<SimtBackend>(options.allocator, parsed);
  return Status();
}
