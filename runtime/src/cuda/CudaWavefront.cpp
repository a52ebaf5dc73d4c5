// CudaWavefront.cpp - a wavefront of layers on streams of its own, ordered by events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/CudaWavefront.h"

#include <algorithm>

using namespace rnnrt;
using namespace rnnrt::cuda;

Status CudaWavefront::create(std::shared_ptr<CudaDevice> device, CUstream main, int64_t layers,
                             std::unique_ptr<Wavefront> &wavefront) {
  std::unique_ptr<CudaWavefront> made(new CudaWavefront(std::move(device), main, layers));
  const size_t numStreams = size_t(std::min(layers, maxStreams)), numLayers = size_t(layers);
  RNNRT_TRY(made->device->borrow(numStreams, numLayers + 1, made->set));
  for (CUstream native : made->set.streams)
    made->streams.push_back(std::make_unique<rnnrt_stream>(native));
  RNNRT_TRY(made->fork());
  wavefront = std::move(made);
  return Status();
}

CudaWavefront::~CudaWavefront() {
  device->giveBack(std::move(set));
}

Status CudaWavefront::fork() {
  ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(record(set.events.back(), main));
  for (CUstream stream : set.streams)
    RNNRT_TRY(wait(stream, set.events.back()));
  return Status();
}

Status CudaWavefront::record(CUevent event, CUstream stream) {
  return device->check(device->driver().cuEventRecord(event, stream), "cuEventRecord");
}

Status CudaWavefront::wait(CUstream stream, CUevent event) {
  return device->check(device->driver().cuStreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
}

rnnrt_stream_t *CudaWavefront::stream() const {
  return current < 0 ? nullptr : streams[size_t(current) % streams.size()].get();
}

Status CudaWavefront::endTask() {
  if (current < 0)
    return Status();
  const auto layer = size_t(current);
  RNNRT_TRY(record(set.events[layer], set.streams[layer % streams.size()]));
  isRecorded[layer] = true;
  current = -1;
  return Status();
}

Status CudaWavefront::begin(int64_t layer) {
  if (layer < 0 || size_t(layer) >= isRecorded.size())
    return internalError("a task of layer %lld in a wavefront of %zu layers", (long long)layer, isRecorded.size());
  ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(endTask());
  current = layer;
  // A wait is for the last recording before it, so that one event per layer suffices.
  const auto number = size_t(layer);
  return layer && isRecorded[number - 1] ? wait(set.streams[number % streams.size()], set.events[number - 1])
                                         : Status();
}

Status CudaWavefront::join() {
  ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(endTask());
  for (size_t layer = 0; layer < isRecorded.size(); ++layer)
    if (isRecorded[layer])
      RNNRT_TRY(wait(main, set.events[layer]));
  return Status();
}

Status CudaWavefront::finish(bool) {
  Status status = join();
  if (status.ok())
    return status;
  // The memory that the tasks use may be freed next, in the order of `main`.
  ContextScope scope(*device);
  for (CUstream stream : set.streams)
    (void)device->driver().cuStreamSynchronize(stream);
  return status;
}
