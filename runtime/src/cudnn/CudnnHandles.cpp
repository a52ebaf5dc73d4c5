// CudnnHandles.cpp - lends handles and takes them back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnHandles.h"

using namespace rnnrt;
using namespace rnnrt::cudnn;

/// Beyond so many unused handles a new stream takes over the longest unused one: programs that make streams without
/// end must not make handles without end. A handle holds some megabytes of device memory.
static constexpr size_t maxIdle = 16;

HandlePool::~HandlePool() {
  cuda::ContextScope scope(*device);
  for (const Idle &entry : idle)
    (void)library->api().cudnnDestroy(entry.handle);
}

bool HandlePool::take(cuda::CUstream stream, bool capturing, Handle &handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = idle.end();
  // The latest of the stream.
  for (auto it = idle.begin(); it != idle.end(); ++it)
    if (it->stream == stream)
      found = it;
  // Moving a handle to another stream makes cuDNN order the two, which a capture does not allow.
  if (found == idle.end() && !capturing && idle.size() >= maxIdle)
    found = idle.begin();
  if (found == idle.end())
    return false;
  handle = found->handle;
  idle.erase(found);
  return true;
}

void HandlePool::giveBack(Handle handle, cuda::CUstream stream) {
  std::lock_guard<std::mutex> lock(mutex);
  --lent;
  idle.push_back({stream, handle});
}

Status HandlePool::acquire(cuda::CUstream stream, bool capturing, Lease &lease) {
  Handle handle = nullptr;
  if (!take(stream, capturing, handle)) {
    if (capturing)
      return failedPrecondition("no cuDNN handle is free for the stream, and none can be made while it is being "
                                "captured; run the same work on the stream once before the capture");
    RNNRT_TRY(library->check(library->api().cudnnCreate(&handle), "cudnnCreate"));
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++lent;
    try {
      // Giving back happens in a destructor and must not need memory.
      idle.reserve(idle.size() + lent);
    } catch (...) {
      --lent;
      (void)library->api().cudnnDestroy(handle);
      throw;
    }
  }
  lease.pool = this;
  lease.handle = handle;
  lease.stream = stream;
  return library->check(library->api().cudnnSetStream(handle, stream), "cudnnSetStream");
}
