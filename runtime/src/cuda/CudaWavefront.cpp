// CudaWavefront.cpp - a wavefront on streams of its own, ordered by events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/CudaWavefront.h"

#include <algorithm>

using namespace rnnrt;
using namespace rnnrt::cuda;

Status CudaWavefront::create(std::shared_ptr<CudaDevice> device, CUstream main, Sizes sizes,
                             std::unique_ptr<Wavefront> &wavefront) {
  std::unique_ptr<CudaWavefront> made(new CudaWavefront(std::move(device), main, sizes));
  const auto numStreams = size_t(std::min(sizes.stages, maxStreams));
  RNNRT_TRY(made->device->borrow(numStreams, 2 * size_t(sizes.stages) + 1, made->set));
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
  const auto stage = size_t(current);
  RNNRT_TRY(record(event(stage, numEnded[stage]), set.streams[stage % streams.size()]));
  ++numEnded[stage];
  current = -1;
  return Status();
}

Status CudaWavefront::begin(int64_t stage, bool reuses) {
  RNNRT_TRY(check(stage));
  ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(endTask());
  current = stage;
  // A wait is for the last recording before it, so that two events per stage suffice.
  const auto number = size_t(stage);
  CUstream stream = set.streams[number % streams.size()];
  if (number && numEnded[number - 1])
    RNNRT_TRY(wait(stream, event(number - 1, numEnded[number - 1] - 1)));
  if (reuses && number + 1 < numEnded.size() && numEnded[number + 1] > 1)
    RNNRT_TRY(wait(stream, event(number + 1, numEnded[number + 1] - 2)));
  return Status();
}

Status CudaWavefront::join() {
  ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(endTask());
  for (size_t stage = 0; stage < numEnded.size(); ++stage)
    if (numEnded[stage])
      RNNRT_TRY(wait(main, event(stage, numEnded[stage] - 1)));
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
