// CudaWavefront.h - a wavefront of layers on streams of its own, ordered by events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDAWAVEFRONT_H
#define RNNRT_CUDA_CUDAWAVEFRONT_H

#include "core/Device.h"
#include "core/Wavefront.h"
#include "cuda/CudaDevice.h"

#include <memory>
#include <vector>

namespace rnnrt::cuda {

/// Layer l uses stream l modulo the number of streams. An event per layer marks the end of its last task. The host
/// waits for nothing, and all operations can be captured.
class CudaWavefront final : public Wavefront {
public:
  /// More layers share streams. A driver has 8 hardware queues by default (CUDA_DEVICE_MAX_CONNECTIONS).
  static constexpr int64_t maxStreams = 8;

  /// The tasks follow the work of `main`.
  static Status create(std::shared_ptr<CudaDevice> device, CUstream main, int64_t layers,
                       std::unique_ptr<Wavefront> &wavefront);
  ~CudaWavefront() override;

  Status begin(int64_t layer) override;
  Status finish(bool discard) override;
  rnnrt_stream_t *stream() const override;

private:
  CudaWavefront(std::shared_ptr<CudaDevice> device, CUstream main, int64_t layers)
      : Wavefront(layers), device(std::move(device)), main(main), isRecorded(size_t(layers)) {}
  Status fork();
  Status endTask();
  Status join();
  Status record(CUevent event, CUstream stream);
  Status wait(CUstream stream, CUevent event);

  const std::shared_ptr<CudaDevice> device;
  const CUstream main;
  CudaDevice::StreamSet set; ///< one event per layer, and that of the fork
  std::vector<std::unique_ptr<rnnrt_stream>> streams;
  std::vector<bool> isRecorded; ///< by layer
  int64_t current = -1;         ///< layer of the current task, or -1
};

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_CUDAWAVEFRONT_H
