// CudnnHandles.cpp - acquires and returns pooled handles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnHandles.h"

using namespace rnnrt;
using namespace rnnrt::cudnn;

/// Maximum number of idle handles. Beyond it, a new stream reuses the least recently used handle, so that the number of
/// handles is bounded even if a program keeps creating streams. A handle holds some megabytes of device memory.
static constexpr size_t maxIdle = 16;

HandlePool::~HandlePool() {
  cuda::ContextScope scope(*device);
  for (const Idle &entry : idle)
    (void)library->api().cudnnDestroy(entry.handle);
}

bool HandlePool::takeIdle(cuda::CUstream stream, bool capturing, Handle &handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = idle.end();
  // The most recently used handle of the stream.
  for (auto it = idle.begin(); it != idle.end(); ++it)
    if (it->stream == stream)
      found = it;
  // cuDNN synchronizes the old and the new stream of a handle, which a capture does not allow.
  if (found == idle.end() && !capturing && idle.size() >= maxIdle)
    found = idle.begin();
  if (found == idle.end())
    return false;
  handle = found->handle;
  idle.erase(found);
  return true;
}

void HandlePool::putBack(Handle handle, cuda::CUstream stream) {
  std::lock_guard<std::mutex> lock(mutex);
  --leased;
  idle.push_back({stream, handle});
}

Status HandlePool::acquire(cuda::CUstream stream, bool capturing, Lease &lease) {
  Handle handle = nullptr;
  if (!takeIdle(stream, capturing, handle)) {
    if (capturing)
      return failedPrecondition("no cuDNN handle is idle for the stream, and none can be created while it is being "
                                "captured; run the same work on the stream once before the capture");
    RNNRT_TRY(library->check(library->api().cudnnCreate(&handle), "cudnnCreate"));
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++leased;
    try {
      // The destructor of the lease must not allocate.
      idle.reserve(idle.size() + leased);
    } catch (...) {
      --leased;
      (void)library->api().cudnnDestroy(handle);
      throw;
    }
  }
  lease.pool = this;
  lease.handle = handle;
  lease.stream = stream;
  return library->check(library->api().cudnnSetStream(handle, stream), "cudnnSetStream");
}
