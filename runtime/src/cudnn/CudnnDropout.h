// CudnnDropout.h - the states of cuDNN's dropout generator: made once per device and seed, and handed from stream to
// stream.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNDROPOUT_H
#define RNNRT_CUDNN_CUDNNDROPOUT_H

#include "cuda/CudaDevice.h"
#include "cudnn/CudnnDescriptors.h"

#include <map>
#include <mutex>

namespace rnnrt::cudnn {

/// One random stream on the device, about 2 MB of states. Each forward pass that draws moves it on, so its users take
/// turns: on the host by a lock, on the device by an event.
class DropoutGenerator {
public:
  DropoutGenerator(std::shared_ptr<cuda::CudaDevice> device, std::shared_ptr<const CudnnLibrary> library, uint64_t seed)
      : device(std::move(device)), library(std::move(library)), seed(seed) {}
  DropoutGenerator(const DropoutGenerator &) = delete;
  ~DropoutGenerator();

  /// The descriptor of this generator with the given rate; lives as long as the generator. The first one fills the
  /// states on `stream`, which takes a kernel and must not be captured.
  Status descriptor(double rate, Handle handle, cuda::CUstream stream, DropoutDescriptor &result);

  /// The right to draw, for the time of one forward call on `stream`.
  class Turn {
  public:
    Turn(DropoutGenerator &generator, cuda::CUstream stream, bool capturing)
        : generator(generator), lock(generator.mutex), stream(stream), capturing(capturing) {}
    /// Makes `stream` wait for the last user. `draw` of 0 or more starts the random stream anew at a place of its own,
    /// so that a run can be repeated.
    Status begin(Handle handle, double rate, int64_t draw);
    /// Says where this user's work ends; after the forward call.
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

/// The generators of a device.
class DropoutGenerators {
public:
  DropoutGenerators(std::shared_ptr<cuda::CudaDevice> device, std::shared_ptr<const CudnnLibrary> library)
      : device(std::move(device)), library(std::move(library)) {}

  /// The generator of `seed`, shared by every plan that names it.
  std::shared_ptr<DropoutGenerator> get(uint64_t seed);
  /// A descriptor that says "no dropout".
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
