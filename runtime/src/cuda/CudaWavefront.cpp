// CudaWavefront.cpp - a wavefront on streams of its own, ordered by events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/CudaWavefront.h"

#include <algorithm>
#include <memory>
#include <utility>

using namespace rnnrt;
using namespace rnnrt::cuda;

Status CudaWavefront::create(std::shared_ptr<CudaDevice> device, CUstream main, Sizes sizes,
                             std::unique_ptr<Wavefront> &wavefront) {
  std::unique_ptr<CudaWavefront> made(new CudaWavefront(std::move(device), main, sizes));
  Status status = made->start();
  if (status.ok())
    wavefront = std::move(made);
  else if (made->memory.address) // the next wavefront that uses the memory follows no work on `main`
    (void)made->device->synchronize(main);
  return status;
}

Status CudaWavefront::start() {
  RNNRT_TRY(makeSignals());
  const auto numStreams = size_t(std::min(sizes.stages, maxStreams));
  RNNRT_TRY(device->borrow(numStreams + hasSignals, 2 * size_t(sizes.stages) + 1, set));
  for (size_t stream = 0; stream < numStreams; ++stream)
    streams.push_back(std::make_unique<rnnrt_stream>(set.streams[stream]));
  return fork();
}

CudaWavefront::~CudaWavefront() {
  device->giveBack(std::move(set));
  if (memory.end)
    device->giveBack(memory);
}

Status CudaWavefront::makeSignals() {
  bool capturing = false;
  // If stages share streams, a kernel that goes on would delay the launches of another layer.
  const bool wantsSignals = sizes.clusters && sizes.stages <= maxStreams && device->supportsStreamValues();
  if (wantsSignals)
    RNNRT_TRY(device->isCapturing(main, capturing));
  if (!wantsSignals || capturing)
    return Status();
  ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  const size_t bytes = size_t(sizes.words()) * sizeof(int32_t);
  RNNRT_TRY(device->borrow(main, bytes, memory));
  auto fill = [&](int64_t word, unsigned char value, size_t count) {
    return device->check(device->driver().cuMemsetD8Async(addressOf(word), value, count, main), "cuMemsetD8Async");
  };
  RNNRT_TRY(fill(0, 0, bytes));
  // Stage 0 follows no other stage.
  RNNRT_TRY(fill(sizes.flag(0, 0), 1, size_t(sizes.tasks) * sizeof(int32_t)));
  hasSignals = true;
  return Status();
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

template <typename Operate> Status CudaWavefront::tryValue(const char *what, Operate &&operate, bool &isDone) {
  isDone = false;
  if (!hasSignals || !device->supportsStreamValues())
    return Status();
  const CUresult result = operate();
  if (result == CUDA_ERROR_NOT_SUPPORTED) {
    // Kernels end at a flag that is not set, and events work as without signals.
    device->refuseStreamValues();
    return Status();
  }
  isDone = true;
  return device->check(result, what);
}

Status CudaWavefront::wait(CUstream stream, size_t stage, size_t task) {
  bool isDone = false;
  if (const int64_t clusters = published[stage][task])
    RNNRT_TRY(tryValue(
        "cuStreamWaitValue32",
        [&] {
          const CUdeviceptr counter = addressOf(sizes.counter(int64_t(stage), int64_t(task)));
          return device->driver().cuStreamWaitValue32(stream, counter, uint32_t(clusters), CU_STREAM_WAIT_VALUE_GEQ);
        },
        isDone));
  return isDone ? Status() : wait(stream, event(stage, task));
}

rnnrt_stream_t *CudaWavefront::stream() const {
  return current < 0 ? nullptr : streams[size_t(current) % streams.size()].get();
}

void *CudaWavefront::signals() const {
  if (!hasSignals || current < 0)
    return nullptr;
  return reinterpret_cast<void *>(uintptr_t(addressOf(sizes.counter(current, 0))));
}

void CudaWavefront::launched(int64_t clusters) {
  if (hasSignals && current >= 0)
    published[size_t(current)].back() = clusters;
}

Status CudaWavefront::endTask() {
  if (current < 0)
    return Status();
  const auto stage = size_t(current), next = stage + 1;
  const size_t task = numEnded[stage];
  CUstream stream = set.streams[stage % streams.size()];
  RNNRT_TRY(record(event(stage, task), stream));
  ++numEnded[stage];
  current = -1;
  // Only kernels that publish their tasks read flags, and the first one needs none.
  bool isDone = false;
  if (next < published.size() && !published[next].empty() && published[next].back())
    return tryValue(
        "cuStreamWriteValue32",
        [&] {
          const CUdeviceptr flag = addressOf(sizes.flag(int64_t(next), int64_t(task)));
          return device->driver().cuStreamWriteValue32(stream, flag, 1, CU_STREAM_WRITE_VALUE_DEFAULT);
        },
        isDone);
  return Status();
}

Status CudaWavefront::begin(int64_t stage, bool reuses) {
  RNNRT_TRY(check(stage));
  ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(endTask());
  // An event wait is for the last recording before it, so that two events per stage suffice.
  const auto number = size_t(stage);
  RNNRT_TRY(checkTask(numEnded[number]));
  CUstream stream = set.streams[number % streams.size()];
  if (number && numEnded[number - 1])
    RNNRT_TRY(wait(stream, number - 1, numEnded[number - 1] - 1));
  if (reuses && number + 1 < numEnded.size() && numEnded[number + 1] > 1)
    RNNRT_TRY(wait(stream, number + 1, numEnded[number + 1] - 2));
  published[number].push_back(0);
  current = stage;
  return Status();
}

Status CudaWavefront::join() {
  ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(endTask());
  for (size_t stage = 0; stage < numEnded.size(); ++stage) {
    if (!numEnded[stage])
      continue;
    const size_t task = numEnded[stage] - 1;
    // A kernel that has completed the last task of its stage no longer uses the memory of the call, so the counter
    // suffices. A kernel that has completed an earlier task may go on with the next one: wait for the end of its
    // launch.
    const bool isLast = int64_t(task) == sizes.tasks - 1;
    RNNRT_TRY(isLast ? wait(main, stage, task) : wait(main, event(stage, task)));
  }
  return Status();
}

Status CudaWavefront::endSignals() {
  ContextScope scope(*device);
  RNNRT_TRY(std::move(scope.status));
  for (size_t stage = 0; stage < numEnded.size(); ++stage)
    if (numEnded[stage])
      RNNRT_TRY(wait(set.streams.back(), event(stage, numEnded[stage] - 1)));
  RNNRT_TRY(record(memory.end, set.streams.back()));
  memory.isUsed = true;
  return Status();
}

Status CudaWavefront::finish(bool) {
  Status status = join();
  if (status.ok() && hasSignals)
    status = endSignals();
  if (status.ok())
    return status;
  // The memory that the tasks use may be freed next, in the order of `main`.
  ContextScope scope(*device);
  for (CUstream stream : set.streams)
    (void)device->driver().cuStreamSynchronize(stream);
  memory.isUsed = false; // no work uses it
  return status;
}
