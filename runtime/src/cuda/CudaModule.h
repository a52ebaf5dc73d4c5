// CudaModule.h - code on one GPU: which of several images is loaded, and how its kernels are launched.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDAMODULE_H
#define RNNRT_CUDA_CUDAMODULE_H

#include "core/Module.h"
#include "cuda/CudaDevice.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace rnnrt::cuda {

/// A program that compiled code brought along; every device loads it for itself.
class CompiledImage {
public:
  explicit CompiledImage(const rnnrt_image_t &image);
  const rnnrt_image_t image;
  const uint64_t serial; ///< never used twice
};

class CudaKernel final : public rnnrt_kernel {
public:
  CudaKernel(CudaDevice &device, CUfunction function, std::string name)
      : device(device), function(function), name(std::move(name)) {}

  /// Asks the driver what the kernel needs. The context is current.
  Status initialize();

  Status launch(const rnnrt_stream_t *stream, const rnnrt_launch_t &launch, void *const *arguments) override;
  Status launch(CUstream stream, const rnnrt_launch_t &launch, void *const *arguments);
  Status maxClusters(const rnnrt_launch_t &launch, int64_t &clusters) override;
  /// Why the device cannot hold one cluster of the launch, or "". The device is asked once for each shape.
  std::string whyNoCluster(const rnnrt_launch_t &launch);
  rnnrt_kernel_properties_t properties() const override { return needs; }
  std::string describe(const rnnrt_launch_t &launch) const;

private:
  struct Configuration;
  Status check(const rnnrt_launch_t &launch) const;
  Status enable(const rnnrt_launch_t &launch);

  CudaDevice &device;
  const CUfunction function;
  const std::string name;
  rnnrt_kernel_properties_t needs{};
  int64_t compiledCluster = 1; ///< blocks

  /// What was enabled.
  std::mutex mutex;
  int64_t dynamicShared = 0;
  bool largeClusters = false;
  /// What was answered: by the sizes of a cluster and a block, and the shared memory.
  std::map<std::array<int64_t, 7>, std::string> answers;
};

/// Lives no longer than its device. Thread-safe.
class CudaModule {
public:
  explicit CudaModule(CudaDevice &device) : device(device) {}
  ~CudaModule();
  CudaModule(const CudaModule &) = delete;

  /// Once, before anything else.
  Status load(const rnnrt_image_t *images, int64_t count);
  Status kernel(const char *name, CudaKernel *&kernel);
  int64_t image() const { return chosen; }

private:
  Status tryImage(const rnnrt_image_t &image, bool isText);

  CudaDevice &device;
  CUmodule native = nullptr;
  int64_t chosen = -1;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<CudaKernel>, std::less<>> kernels;
};

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_CUDAMODULE_H
