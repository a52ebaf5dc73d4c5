// CudnnHandles.h - a pool of cuDNN handles. One thread at a time uses a handle; it stays with its stream if possible.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNHANDLES_H
#define RNNRT_CUDNN_CUDNNHANDLES_H

#include "cuda/CudaDevice.h"
#include "cudnn/CudnnLibrary.h"

#include <mutex>
#include <vector>

namespace rnnrt::cudnn {

class HandlePool {
public:
  /// A handle for the duration of a call.
  class Lease {
  public:
    Lease() = default;
    Lease(const Lease &) = delete;
    ~Lease() {
      if (pool)
        pool->putBack(handle, stream);
    }
    Handle get() const { return handle; }

  private:
    friend class HandlePool;
    HandlePool *pool = nullptr;
    Handle handle = nullptr;
    cuda::CUstream stream = nullptr;
  };

  HandlePool(std::shared_ptr<cuda::CudaDevice> device, std::shared_ptr<const CudnnLibrary> library)
      : device(std::move(device)), library(std::move(library)) {}
  HandlePool(const HandlePool &) = delete;
  /// All leases must have ended. Destroying a handle waits for the device.
  ~HandlePool();

  /// Acquires a handle for `stream`. If the stream is capturing, no handle can be created, since that allocates:
  /// returns FAILED_PRECONDITION if no handle of an earlier call is idle.
  Status acquire(cuda::CUstream stream, bool capturing, Lease &lease);

private:
  struct Idle {
    cuda::CUstream stream;
    Handle handle;
  };
  void putBack(Handle handle, cuda::CUstream stream);
  bool takeIdle(cuda::CUstream stream, bool capturing, Handle &handle);

  const std::shared_ptr<cuda::CudaDevice> device;
  const std::shared_ptr<const CudnnLibrary> library;
  std::mutex mutex;
  std::vector<Idle> idle; ///< least recently used first
  size_t leased = 0;
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNHANDLES_H
