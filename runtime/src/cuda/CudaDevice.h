// CudaDevice.h - one GPU with its primary context: memory in the order of streams, copies, and what the device can do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDADEVICE_H
#define RNNRT_CUDA_CUDADEVICE_H

#include "core/Plan.h"
#include "cuda/Driver.h"
#include "rnn_runtime/device.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace rnnrt::cuda {

class CompiledImage;
class CudaModule;

/// Thread-safe. Every function makes the context current itself.
class CudaDevice : public std::enable_shared_from_this<CudaDevice> {
public:
  /// The GPU `ordinal` of the driver's count (CUDA_VISIBLE_DEVICES changes it). UNAVAILABLE, with the reason, when
  /// there is no driver or no such GPU.
  static Status create(int ordinal, std::shared_ptr<CudaDevice> &device);

  /// Waits for all work of the context, then gives everything back.
  ~CudaDevice();
  CudaDevice(const CudaDevice &) = delete;

  const DriverApi &driver() const { return library->api(); }
  CUcontext context() const { return primary; }
  int ordinal() const { return number; }
  /// As 90 for 9.0.
  int computeCapability() const { return properties.compute_capability; }
  int multiprocessors() const { return properties.multiprocessors; }
  const std::string &name() const { return title; }
  /// As 13000 for CUDA 13.0.
  int driverVersion() const { return properties.driver_version; }
  const rnnrt_device_properties_t &allProperties() const { return properties; }

  /// The order of calls that have no stream; does not wait for CUDA's stream 0, nor that for it.
  CUstream defaultStream() const { return stream; }

  /// Memory of the device, usable on `stream` from here on. Zero bytes give a pointer too. RESOURCE_EXHAUSTED when
  /// there is not enough. What is given back stays with the device for the next one.
  Status allocate(CUstream stream, int64_t bytes, void *&pointer);
  /// Gives memory back when all work given to `stream` so far is done. INVALID_ARGUMENT for a pointer that is not from
  /// here or was given back; null is allowed.
  Status release(CUstream stream, void *pointer);
  /// The same for memory of any stream: usable everywhere at once, and given back when the whole context is idle.
  Status allocate(int64_t bytes, void *&pointer);
  Status release(void *pointer);

  /// Any direction; asynchronous as far as the driver makes it.
  Status copy(CUstream stream, void *target, const void *source, int64_t bytes);
  Status fillZero(CUstream stream, void *target, int64_t bytes);
  Status synchronize(CUstream stream);
  Status isCapturing(CUstream stream, bool &capturing);
  /// True for memory of the host that the driver knows (pinned): copies of it do not wait. Plain memory is copied
  /// before cuMemcpyAsync returns (CUDA driver API, "API synchronization behavior").
  bool isPinnedHost(const void *pointer) const;

  /// The failure of `what`: "cuMemAllocFromPoolAsync failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  Status check(CUresult result, const char *what) const { return library->check(result, what); }
  rnnrt_memory_stats_t memoryStats() const;

  /// What compiled code brought along, loaded on this device at the first use; lives as long as the device.
  Status compiledModule(const std::shared_ptr<const CompiledImage> &image, CudaModule *&module);

  /// Copy of a tensor map in device memory, the same for the same content; lives as long as the device.
  Status tensorMap(const CUtensorMap &map, void *&pointer);

  /// Host memory that compiled code registered: kernels write it directly, so that waiting for a stream has to wait.
  std::atomic<int64_t> registeredRegions{0};

private:
  CudaDevice() = default;
  Status initialize(int ordinal);
  Status forget(void *pointer, int64_t &bytes);
  void remember(void *pointer, int64_t bytes);

  std::shared_ptr<const Driver> library;
  CUdevice device = 0;
  int number = 0;
  CUcontext primary = nullptr;
  CUstream stream = nullptr;
  /// Without work but allocations: waiting for it is short.
  CUstream memoryStream = nullptr;
  CUmemoryPool pool = nullptr;
  rnnrt_device_properties_t properties{};
  std::string title;

  mutable std::mutex memoryMutex;
  std::unordered_map<void *, int64_t> blocks;
  int64_t live = 0, peak = 0;

  std::mutex moduleMutex;
  std::map<uint64_t, std::pair<std::weak_ptr<const CompiledImage>, std::unique_ptr<CudaModule>>> modules;
  std::map<std::string, void *> tensorMaps;
};

/// Makes a device's context current for a scope and restores what was.
class ContextScope {
public:
  explicit ContextScope(const CudaDevice &device);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;

  /// Whether it worked.
  Status status;

private:
  const DriverApi &driver;
  bool pushed = false;
};

/// The driver's stream of a call's stream, the device's own without one.
CUstream nativeStream(const rnnrt_stream_t *stream, const CudaDevice &device);
CUstream nativeStream(const RunContext &context, const CudaDevice &device);

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_CUDADEVICE_H
