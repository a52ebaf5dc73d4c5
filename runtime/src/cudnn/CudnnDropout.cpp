// CudnnDropout.cpp - creates, seeds and orders dropout states.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnDropout.h"

using namespace rnnrt;
using namespace rnnrt::cudnn;

DropoutGenerator::~DropoutGenerator() {
  cuda::ContextScope scope(*device);
  if (states) {
    // The last use may be on another stream than the release.
    if (scope.status.ok())
      (void)wait(device->defaultStream());
    (void)device->release(device->defaultStream(), states);
  }
  if (done)
    (void)device->driver().cuEventDestroy(done);
}

Status DropoutGenerator::wait(cuda::CUstream stream) {
  if (!done || last == stream)
    return Status();
  return device->check(device->driver().cuStreamWaitEvent(stream, done, 0), "cuStreamWaitEvent");
}

Status DropoutGenerator::record(cuda::CUstream stream) {
  last = stream;
  return device->check(device->driver().cuEventRecord(done, stream), "cuEventRecord");
}

Status DropoutGenerator::descriptor(double rate, Handle handle, cuda::CUstream stream, DropoutDescriptor &result) {
  std::lock_guard<std::mutex> lock(mutex);
  const float p = float(rate);
  if (auto it = descriptors.find(p); it != descriptors.end()) {
    result = it->second.get();
    return Status();
  }
  const CudnnApi &api = library->api();
  DropoutOwner owner;
  RNNRT_TRY(owner.create(library, "cudnnCreateDropoutDescriptor"));
  if (!done) // events without timing are cheaper to record
    RNNRT_TRY(device->check(device->driver().cuEventCreate(&done, cuda::CU_EVENT_DISABLE_TIMING), "cuEventCreate"));
  if (!states) {
    RNNRT_TRY(library->check(api.cudnnDropoutGetStatesSize(handle, &bytes), "cudnnDropoutGetStatesSize"));
    RNNRT_TRY(device->allocate(stream, int64_t(bytes), states));
    Status status = library->check(api.cudnnSetDropoutDescriptor(owner.get(), handle, p, states, bytes, seed),
                                   "cudnnSetDropoutDescriptor");
    if (status.ok())
      status = record(stream);
    if (!status.ok()) {
      (void)device->release(stream, states);
      states = nullptr;
      return status;
    }
  } else {
    // Another rate of the same random stream: the states are not modified.
    RNNRT_TRY(library->check(api.cudnnRestoreDropoutDescriptor(owner.get(), handle, p, states, bytes, seed),
                             "cudnnRestoreDropoutDescriptor"));
  }
  result = descriptors.emplace(p, std::move(owner)).first->second.get();
  return Status();
}

Status DropoutGenerator::ExclusiveUse::begin(Handle handle, double rate, int64_t draw) {
  // A captured stream cannot wait for an event recorded outside the capture. The launcher of a graph orders it;
  // concurrent graphs of one seed would share random numbers, without further harm.
  if (!capturing)
    RNNRT_TRY(generator.wait(stream));
  if (draw < 0)
    return Status();
  if (capturing)
    return failedPrecondition("an explicit dropout draw reseeds the generator, which cannot be captured; set "
                              "`dropout_draw` to -1");
  // Draw k uses seed + k * 2^64 / phi (golden ratio), so that the seeds of different draws are far apart.
  const uint64_t shifted = generator.seed + uint64_t(draw) * 0x9e3779b97f4a7c15u;
  return generator.library->check(
      generator.library->api().cudnnSetDropoutDescriptor(generator.descriptors.at(float(rate)).get(), handle,
                                                         float(rate), generator.states, generator.bytes, shifted),
      "cudnnSetDropoutDescriptor");
}

Status DropoutGenerator::ExclusiveUse::end() {
  return capturing ? Status() : generator.record(stream);
}

std::shared_ptr<DropoutGenerator> DropoutGenerators::get(uint64_t seed) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<DropoutGenerator> &slot = generators[seed];
  if (!slot)
    slot = std::make_shared<DropoutGenerator>(device, library, seed);
  return slot;
}

Status DropoutGenerators::none(Handle handle, DropoutDescriptor &result) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!noDropout.get()) {
    DropoutOwner owner;
    RNNRT_TRY(owner.create(library, "cudnnCreateDropoutDescriptor"));
    RNNRT_TRY(library->check(library->api().cudnnSetDropoutDescriptor(owner.get(), handle, 0, nullptr, 0, 0),
                             "cudnnSetDropoutDescriptor"));
    noDropout = std::move(owner);
  }
  result = noDropout.get();
  return Status();
}
