// CudnnHandles.h - a pool of cuDNN handles: one serves one thread at a time, and stays with its stream.
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
  /// A handle for the time of a call.
  class Lease {
  public:
    Lease() = default;
    Lease(const Lease &) = delete;
    ~Lease() {
      if (pool)
        pool->giveBack(handle, stream);
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
  /// All leases have ended. Destroying a handle waits for the device.
  ~HandlePool();

  /// Lends a handle that works on `stream`. While the stream is capturing none can be made (that allocates), so one
  /// must be there from an earlier call: FAILED_PRECONDITION otherwise.
  Status acquire(cuda::CUstream stream, bool capturing, Lease &lease);

private:
  struct Idle {
    cuda::CUstream stream;
    Handle handle;
  };
  void giveBack(Handle handle, cuda::CUstream stream);
  bool take(cuda::CUstream stream, bool capturing, Handle &handle);

  const std::shared_ptr<cuda::CudaDevice> device;
  const std::shared_ptr<const CudnnLibrary> library;
  std::mutex mutex;
  std::vector<Idle> idle; ///< longest unused first
  size_t lent = 0;
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNHANDLES_H
