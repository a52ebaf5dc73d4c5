// CudaWavefront.h - a wavefront on streams of its own, ordered by events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDAWAVEFRONT_H
#define RNNRT_CUDA_CUDAWAVEFRONT_H

#include "core/Device.h"
#include "core/Wavefront.h"
#include "cuda/CudaDevice.h"

#include <memory>
#include <vector>

namespace rnnrt::cuda {

/// Stage s uses stream s modulo the number of streams. Two events per stage mark the ends of its last two tasks. The
/// host waits for nothing, and all operations can be captured.
class CudaWavefront final : public Wavefront {
public:
  /// More stages share streams. A driver has 8 hardware queues by default (CUDA_DEVICE_MAX_CONNECTIONS).
  static constexpr int64_t maxStreams = 8;

  /// The tasks follow the work of `main`.
  static Status create(std::shared_ptr<CudaDevice> device, CUstream main, Sizes sizes,
                       std::unique_ptr<Wavefront> &wavefront);
  ~CudaWavefront() override;

  Status begin(int64_t stage, bool reuses) override;
  Status finish(bool discard) override;
  rnnrt_stream_t *stream() const override;

private:
  CudaWavefront(std::shared_ptr<CudaDevice> device, CUstream main, Sizes sizes)
      : Wavefront(sizes), device(std::move(device)), main(main), numEnded(size_t(sizes.stages)) {}
  Status fork();
  Status endTask();
  Status join();
  Status record(CUevent event, CUstream stream);
  Status wait(CUstream stream, CUevent event);
  /// The event of task `number` of `stage`, which is one of the last two.
  CUevent event(size_t stage, size_t number) const { return set.events[2 * stage + number % 2]; }

  const std::shared_ptr<CudaDevice> device;
  const CUstream main;
  CudaDevice::StreamSet set; ///< two events per stage, and that of the fork
  std::vector<std::unique_ptr<rnnrt_stream>> streams;
  std::vector<size_t> numEnded; ///< tasks, by stage
  int64_t current = -1;         ///< stage of the current task, or -1
};

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_CUDAWAVEFRONT_H
