// HostBackend.cpp - memory, streams and plans of the device `host`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/HostBackend.h"
#include "core/FusedRnnPlan.h"
#include "host/HostPlans.h"

#include <chrono>
#include <cstring>
#include <fstream>

using namespace rnnrt;
using Clock = std::chrono::steady_clock;

namespace {

class HostFusedMemory final : public FusedMemory {
public:
  bool checksHeaders() const override { return true; }
  Status canWait(const RunContext &, bool &can) override {
    can = true;
    return Status();
  }
  Status copy(rnnrt_stream_t *, void *target, const void *source, int64_t bytes) override {
    // A reserve space without bytes has no address.
    if (bytes > 0)
      std::memcpy(target, source, size_t(bytes));
    return Status();
  }
  Status wait(rnnrt_stream_t *) override { return Status(); }
};

} // namespace

HostBackend::HostBackend(const BackendKind &kind, const rnnrt_allocator_t &allocator)
    : Backend(kind), pool(std::make_shared<MemoryPool>(kind.name, allocator)) {}

rnnrt_device_properties_t HostBackend::properties() const {
  rnnrt_device_properties_t result{};
  std::strncpy(result.name, title().c_str(), sizeof(result.name) - 1);
  return result;
}

std::string HostBackend::title() const {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const size_t colon = line.find(": "); colon != std::string::npos && line.rfind("model name", 0) == 0)
      return line.substr(colon + 2);
  return kind.name;
}

Status HostBackend::loadModule(const rnnrt_image_t *, int64_t, std::unique_ptr<Module> &) {
  return unimplemented("device `%s` runs no GPU modules; make a device `cuda`", kind.name);
}

Status HostBackend::allocate(int64_t bytes, void *&pointer) {
  pointer = nullptr;
  auto release = [this](void *block) { pool->release(block); };
  std::unique_ptr<void, decltype(release)> block(pool->allocate(bytes), release);
  if (!block)
    return resourceExhausted("not enough memory for %lld bytes; the device holds %lld already", (long long)bytes,
                             (long long)pool->stats().live_bytes);
  {
    std::lock_guard<std::mutex> lock(mutex);
    blocks.insert(block.get()); // if this throws, the block is released
  }
  pointer = block.release();
  return Status();
}

Status HostBackend::release(void *pointer) {
  if (!pointer)
    return Status();
  bool isLive;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isLive = blocks.erase(pointer) == 1;
  }
  if (isLive && pool->release(pointer))
    return Status();
  return invalidArgument("the pointer was not allocated on this device, or was freed already");
}

Status HostBackend::copy(rnnrt_stream_t *, void *target, const void *source, int64_t bytes) {
  if (bytes)
    std::memcpy(target, source, size_t(bytes));
  return Status();
}

Status HostBackend::createStream(void *&native) {
  native = nullptr;
  return Status();
}

Status HostBackend::createEvent(void *&native) {
  native = new Clock::time_point();
  return Status();
}

Status HostBackend::recordEvent(void *native, rnnrt_stream_t *) {
  *static_cast<Clock::time_point *>(native) = Clock::now();
  return Status();
}

Status HostBackend::elapsed(void *start, void *end, double &milliseconds) {
  milliseconds = std::chrono::duration<double, std::milli>(*static_cast<Clock::time_point *>(end) -
                                                           *static_cast<Clock::time_point *>(start))
                     .count();
  return Status();
}

void HostBackend::releaseEvent(void *native) {
  delete static_cast<Clock::time_point *>(native);
}

Status HostBackend::createPlan(const RnnProblem &problem, std::shared_ptr<Plan> &plan) {
  if (problem.fused)
    return createFusedRnnPlan(problem, std::make_unique<HostFusedMemory>(), plan);
  return createHostRnnPlan(problem, pool, plan);
}

Status HostBackend::createPlan(const BlockProblem &problem, std::shared_ptr<Plan> &plan) {
  return createHostBlockLstmPlan(problem, pool, plan);
}

/// `detail` must be null: there is one host.
static Status create(const char *detail, const rnnrt_device_options_t &options, std::unique_ptr<Backend> &backend) {
  if (detail)
    return invalidArgument("there is no device `host:%.64s`, expected `host`", detail);
  backend = std::make_unique<HostBackend>(hostKind, options.allocator);
  return Status();
}

const BackendKind rnnrt::hostKind = {"host", /*takesHostTensors=*/true, /*takesDeviceTensors=*/false, create,
                                     /*entries=*/nullptr};
