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
///
/// With signals, a task that a launch of clusters publishes has ended when its counter has the number of clusters.
/// Streams wait for that value instead of an event, which follows the entire launch. At the end of a task, its stream
/// sets the flag for the next stage. Each wait for a value is for launches that the host has issued before it: even if
/// all streams shared one hardware queue, none could wait for work behind it. Without signals, or while the program
/// captures the stream of the call (a graph has no such order), all waits are for events.
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
  void *signals() const override;
  void launched(int64_t clusters) override;

private:
  CudaWavefront(std::shared_ptr<CudaDevice> device, CUstream main, Sizes sizes)
      : Wavefront(sizes), device(std::move(device)), main(main), numEnded(size_t(sizes.stages)),
        published(size_t(sizes.stages)) {}
  Status start();
  Status makeSignals();
  Status fork();
  Status endTask();
  Status join();
  Status record(CUevent event, CUstream stream);
  Status wait(CUstream stream, CUevent event);
  /// Waits for the end of task `task` of `stage`, which is one of the last two: for its counter, if it has one.
  Status wait(CUstream stream, size_t stage, size_t task);
  /// Calls `operate`, which enqueues a wait for a value in memory or a write of one. `isDone` is whether the driver
  /// supports it.
  template <typename Operate> Status tryValue(const char *what, Operate &&operate, bool &isDone);
  /// Records the end of all use of the signals.
  Status endSignals();
  CUdeviceptr addressOf(int64_t word) const { return memory.address + CUdeviceptr(word) * sizeof(int32_t); }
  /// The event of task `number` of `stage`, which is one of the last two.
  CUevent event(size_t stage, size_t number) const { return set.events[2 * stage + number % 2]; }

  const std::shared_ptr<CudaDevice> device;
  const CUstream main;
  CudaDevice::StreamSet
      set; ///< two events per stage, and that of the fork; with signals, the last stream ends their use
  std::vector<std::unique_ptr<rnnrt_stream>> streams; ///< of stages
  std::vector<size_t> numEnded;                       ///< tasks, by stage
  /// The clusters that publish each task of a stage, or 0.
  std::vector<std::vector<int64_t>> published;
  CudaDevice::SignalMemory memory; ///< of the signals
  bool hasSignals = false;
  int64_t current = -1; ///< stage of the current task, or -1
};

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_CUDAWAVEFRONT_H
