// CudnnDropout.h - states of cuDNN's dropout generator: created once per device and seed, and shared by streams.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNDROPOUT_H
#define RNNRT_CUDNN_CUDNNDROPOUT_H

#include "cuda/CudaDevice.h"
#include "cudnn/CudnnDescriptors.h"

#include <map>
#include <mutex>

namespace rnnrt::cudnn {

/// One random stream on the device, about 2 MB of states. Each forward pass with dropout advances it, so that its uses
/// are serialized: on the host by a mutex, on the device by an event.
class DropoutGenerator {
public:
  DropoutGenerator(std::shared_ptr<cuda::CudaDevice> device, std::shared_ptr<const CudnnLibrary> library, uint64_t seed)
      : device(std::move(device)), library(std::move(library)), seed(seed) {}
  DropoutGenerator(const DropoutGenerator &) = delete;
  ~DropoutGenerator();

  /// Returns the descriptor of this generator with the given rate; it lives as long as the generator. The first call
  /// initializes the states by a kernel on `stream`, which must not be capturing.
  Status descriptor(double rate, Handle handle, cuda::CUstream stream, DropoutDescriptor &result);

  /// Exclusive use of the generator, for the duration of one forward call on `stream`.
  class ExclusiveUse {
  public:
    ExclusiveUse(DropoutGenerator &generator, cuda::CUstream stream, bool capturing)
        : generator(generator), lock(generator.mutex), stream(stream), capturing(capturing) {}
    /// Makes `stream` wait for the last use. A `draw` of 0 or more reseeds the generator for this draw, so that a run
    /// is reproducible.
    Status begin(Handle handle, double rate, int64_t draw);
    /// Marks the end of this use on the stream. Call it after the forward call.
    Status end();

  private:
    DropoutGenerator &generator;
    std::lock_guard<std::mutex> lock;
    const cuda::CUstream stream;
    const bool capturing;
  };

private:
  Status wait(cuda::CUstream stream);
  Status record(cuda::CUstream stream);

  const std::shared_ptr<cuda::CudaDevice> device;
  const std::shared_ptr<const CudnnLibrary> library;
  const uint64_t seed;
  std::mutex mutex;
  std::map<float, DropoutOwner> descriptors; ///< by rate
  void *states = nullptr;
  size_t bytes = 0;
  cuda::CUevent done = nullptr; ///< after the last use
  cuda::CUstream last = nullptr;
};

/// The dropout generators of a device.
class DropoutGenerators {
public:
  DropoutGenerators(std::shared_ptr<cuda::CudaDevice> device, std::shared_ptr<const CudnnLibrary> library)
      : device(std::move(device)), library(std::move(library)) {}

  /// Returns the generator of `seed`, which all plans with this seed share.
  std::shared_ptr<DropoutGenerator> get(uint64_t seed);
  /// Returns a descriptor with rate 0.
  Status none(Handle handle, DropoutDescriptor &result);

private:
  const std::shared_ptr<cuda::CudaDevice> device;
  const std::shared_ptr<const CudnnLibrary> library;
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<DropoutGenerator>> generators;
  DropoutOwner noDropout;
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNDROPOUT_H
