// CudnnContext.h - the state that all cuDNN plans of one device share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNCONTEXT_H
#define RNNRT_CUDNN_CUDNNCONTEXT_H

#include "cudnn/CudnnDropout.h"
#include "cudnn/CudnnHandles.h"

namespace rnnrt::cudnn {

/// Lives as long as any cuDNN plan of the device. Thread-safe.
class CudnnContext {
public:
  /// Returns the context of `device`. The first context loads cuDNN.
  static Status get(const std::shared_ptr<cuda::CudaDevice> &device, std::shared_ptr<CudnnContext> &context);

  CudnnContext(std::shared_ptr<cuda::CudaDevice> device, std::shared_ptr<const CudnnLibrary> library)
      : device(device), library(library), dropouts(device, library), handles(device, library) {}

  ~CudnnContext();

  /// Keeps objects of a destroyed plan alive until the context ends, since the device may still use them.
  void retire(std::shared_ptr<void> object);

  const std::shared_ptr<cuda::CudaDevice> device;
  const std::shared_ptr<const CudnnLibrary> library;

private:
  std::mutex mutex;
  std::vector<std::shared_ptr<void>> retired;

public:
  DropoutGenerators dropouts;
  HandlePool handles;
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNCONTEXT_H
