// HostBackend.cpp - memory, streams and plans of the devices host and simt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/HostBackend.h"
#include "core/FusedRnnPlan.h"
#include "core/Memory.h"
#include "host/HostPlans.h"
#include "host/Gemm.h"
#include "simt/Schedule.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace rnnrt;

namespace {

class HostFusedMemory final : public FusedMemory {
public:
  bool checksHeaders() const override { return true; }
  Status canWait(rnnrt_stream_t *, bool &can) override {
    can = true;
    return Status();
  }
  Status copy(rnnrt_stream_t *, void *target, const void *source, int64_t bytes) override {
    std::memcpy(target, source, size_t(bytes));
    return Status();
  }
  Status wait(rnnrt_stream_t *) override { return Status(); }
};

class HostBackend : public Backend {
public:
  explicit HostBackend(const rnnrt_allocator_t &allocator, const char *name = "host")
      : name(name), pool(std::make_shared<MemoryPool>(name, allocator)) {}

  rnnrt_device_properties_t properties() const override {
    rnnrt_device_properties_t result{};
    std::strncpy(result.name, title().c_str(), sizeof(result.name) - 1);
    return result;
  }

  Status loadModule(const rnnrt_image_t *, int64_t, std::unique_ptr<Module> &) override {
    return unimplemented("device `%s` runs no GPU modules; make a device `cuda`", name);
  }

  // With a stream it is the same here.
  using Backend::allocate;
  using Backend::release;

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

  // For the same reason an event is a time.
  Status createEvent(void *&native) override {
    native = new Clock::time_point();
    return Status();
  }
  Status recordEvent(void *native, rnnrt_stream_t *) override {
    *static_cast<Clock::time_point *>(native) = Clock::now();
    return Status();
  }
  Status waitEvent(void *, rnnrt_stream_t *) override { return Status(); }
  Status synchronizeEvent(void *) override { return Status(); }
  Status elapsed(void *start, void *end, double &milliseconds) override {
    milliseconds = std::chrono::duration<double, std::milli>(*static_cast<Clock::time_point *>(end) -
                                                             *static_cast<Clock::time_point *>(start))
                       .count();
    return Status();
  }
  void releaseEvent(void *native) override { delete static_cast<Clock::time_point *>(native); }

  Status createPlan(const RnnProblem &problem, std::shared_ptr<Plan> &plan) override {
    if (problem.fused)
      return createFusedRnnPlan(problem, std::make_unique<HostFusedMemory>(), plan);
    return createHostRnnPlan(problem, pool, plan);
  }
  Status createPlan(const BlockProblem &problem, std::shared_ptr<Plan> &plan) override {
    return createHostBlockLstmPlan(problem, pool, plan);
  }

protected:
  /// What it is: the model of the processor, as Linux has it for x86.
  virtual std::string title() const {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
      if (const size_t colon = line.find(": "); colon != std::string::npos && line.rfind("model name", 0) == 0)
        return line.substr(colon + 2);
    return name;
  }

private:
  using Clock = std::chrono::steady_clock;

  const char *const name;
  /// Shared with the plans, which take their scratch from it and may outlive the device.
  std::shared_ptr<MemoryPool> pool;
};

/// The host with a GPU of the mind: kernels are emulated, all else is as on the host.
class SimtBackend final : public HostBackend {
public:
  SimtBackend(const rnnrt_allocator_t &allocator, const simt::Schedule &schedule)
      : HostBackend(allocator, "simt"), schedule(schedule) {}

  /// In the place of the library of a GPU.
  Status runGemm(rnnrt_stream_t *, const Gemm &gemm, bool &done) override {
    hostGemm(gemm);
    done = true;
    return Status();
  }

  const simt::Schedule *emulatedSchedule() const override { return &schedule; }

protected:
  std::string title() const override { return "simt"; }

private:
  const simt::Schedule schedule;
};

} // namespace

Status rnnrt::createHostBackend(const char *detail, const rnnrt_device_options_t &options,
                                std::unique_ptr<Backend> &backend) {
  if (detail)
    return invalidArgument("there is no device `host:%.64s`, expected `host`", detail);
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
