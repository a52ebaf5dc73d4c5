// CudaModule.h - a module on one GPU: selection of its image, and launches of its kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDAMODULE_H
#define RNNRT_CUDA_CUDAMODULE_H

#include "core/Module.h"
#include "cuda/CudaDevice.h"
#include "cuda/LaunchGraphs.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace rnnrt::cuda {

/// An image that compiled code contains. Each device loads it separately.
class CompiledImage {
public:
  explicit CompiledImage(const rnnrt_image_t &image);
  const rnnrt_image_t image;
  const uint64_t serial; ///< unique in the process
};

class CudaKernel final : public rnnrt_kernel {
public:
  CudaKernel(CudaDevice &device, LaunchGraphs &graphs, CUfunction function, std::string name)
      : device(device), graphs(graphs), function(function), name(std::move(name)) {}

  /// Queries the resource usage of the kernel. The context must be current.
  Status initialize();

  Status launch(const rnnrt_stream_t *stream, const rnnrt_launch_t &launch, void *const *arguments) override;
  Status launch(CUstream stream, const rnnrt_launch_t &launch, void *const *arguments);
  /// Checks a later launch and sets the attributes of the kernel that it requires.
  Status prepare(const rnnrt_launch_t &launch, bool &isEmpty);
  Status maxClusters(const rnnrt_launch_t &launch, int64_t &clusters) override;
  /// Clusters of one shape that the device holds together. If there are none, `why` is the reason.
  struct Residency {
    int64_t clusters = 0;
    std::string why;
  };
  /// Queries the driver once per shape, independently of the grid.
  const Residency &getResidency(const rnnrt_launch_t &launch);
  rnnrt_kernel_properties_t properties() const override { return usage; }
  std::string describe(const rnnrt_launch_t &launch) const;

  /// The graphs of the module.
  LaunchGraphs &getGraphs() const { return graphs; }
  /// Sizes of the parameters; null, with a reason, if the driver does not report them.
  const std::vector<size_t> *getParameterSizes(std::string &reason);

private:
  struct Configuration;
  Status check(const rnnrt_launch_t &launch) const;
  Status enable(const rnnrt_launch_t &launch);

  CudaDevice &device;
  LaunchGraphs &graphs;
  const CUfunction function;
  const std::string name;
  rnnrt_kernel_properties_t usage{};
  int64_t compiledCluster = 1; ///< blocks per cluster, as compiled

  // Launches read these without the mutex.
  std::atomic<int64_t> dynamicShared{0};  ///< enabled maximum of dynamic shared memory, bytes
  std::atomic<bool> largeClusters{false}; ///< clusters of more than 8 blocks are enabled
  std::mutex mutex;
  /// Results of getResidency() by cluster size, block size and dynamic shared memory.
  std::map<std::array<int64_t, 7>, Residency> residencies;
  std::once_flag parametersOnce;
  std::vector<size_t> parameterSizes;
  std::string parametersReason; ///< why there are no sizes, or ""
};

/// The device must outlive the module. Thread-safe.
class CudaModule {
public:
  explicit CudaModule(CudaDevice &device) : device(device) {}
  ~CudaModule();
  CudaModule(const CudaModule &) = delete;

  /// Loads the best image. Must be called once, before every other function.
  Status load(const rnnrt_image_t *images, int64_t count);
  Status kernel(const char *name, CudaKernel *&kernel);
  /// Loads all kernels now, which the driver otherwise does when each of them is used first. Drivers before CUDA 12.4
  /// cannot.
  Status loadKernels();
  int64_t image() const { return chosen; }

private:
  Status tryImage(const rnnrt_image_t &image, bool isText);

  CudaDevice &device;
  CUmodule native = nullptr;
  int64_t chosen = -1;
  LaunchGraphs graphs{device};
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<CudaKernel>, std::less<>> kernels;
};

/// Loads the images of compiled code in the shared library or program that contains `address`, and their kernels.
Status loadCode(CudaDevice &device, const void *address);

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_CUDAMODULE_H
