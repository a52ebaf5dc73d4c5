// CudaDevice.h - one GPU with its primary context: stream-ordered memory, copies, and device properties.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDADEVICE_H
#define RNNRT_CUDA_CUDADEVICE_H

#include "core/Plan.h"
#include "cuda/Driver.h"
#include "rnn_runtime/device.h"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace rnnrt::cuda {

class CompiledImage;
class CudaModule;

/// Thread-safe. Each function makes the context current.
class CudaDevice : public std::enable_shared_from_this<CudaDevice> {
public:
  /// Opens GPU `ordinal` in the order of the driver (see CUDA_VISIBLE_DEVICES). Returns UNAVAILABLE, with the reason,
  /// if there is no driver or no such GPU.
  static Status create(int ordinal, std::shared_ptr<CudaDevice> &device);

  /// Waits for all work of the context, then releases all resources.
  ~CudaDevice();
  CudaDevice(const CudaDevice &) = delete;

  const DriverApi &driver() const { return library->api(); }
  CUcontext context() const { return primary; }
  int ordinal() const { return number; }
  /// Unique in the process, also among devices that no longer exist.
  uint64_t serial() const { return unique; }
  /// E.g. 90 for 9.0.
  int computeCapability() const { return properties.compute_capability; }
  int multiprocessors() const { return properties.multiprocessors; }
  const std::string &name() const { return deviceName; }
  /// E.g. 13000 for CUDA 13.0.
  int driverVersion() const { return properties.driver_version; }
  const rnnrt_device_properties_t &allProperties() const { return properties; }

  /// The stream of calls without a stream. It does not synchronize with CUDA's legacy default stream.
  CUstream defaultStream() const { return mainStream; }

  /// Allocates device memory, ordered on `stream`. Zero bytes return a valid pointer. Returns RESOURCE_EXHAUSTED if
  /// memory is insufficient. Freed blocks stay cached on the device for reuse.
  Status allocate(CUstream stream, int64_t bytes, void *&pointer);
  /// Frees memory, ordered on `stream`. Returns INVALID_ARGUMENT for a pointer that this device did not allocate or
  /// that is already freed. Null is allowed.
  Status release(CUstream stream, void *pointer);
  /// The same on the stream of a call (null: the default stream), from the allocator of a borrowed stream if it has
  /// one.
  Status allocate(const rnnrt_stream_t *stream, int64_t bytes, void *&pointer);
  Status release(const rnnrt_stream_t *stream, void *pointer);
  /// The same without a stream: the memory is usable on every stream at once. The release waits for the whole context.
  Status allocate(int64_t bytes, void *&pointer);
  Status release(void *pointer);

  /// Copies in any direction; asynchronous according to the rules of cuMemcpyAsync.
  Status copy(CUstream stream, void *target, const void *source, int64_t bytes);
  Status fillZero(CUstream stream, void *target, int64_t bytes);
  Status synchronize(CUstream stream);
  /// INVALID_ARGUMENT unless `stream` belongs to the context of this device.
  Status checkContext(CUstream stream);
  Status isCapturing(CUstream stream, bool &capturing);
  /// Returns true for pinned host memory, whose copies are asynchronous. Copies of pageable host memory are complete
  /// when cuMemcpyAsync returns (CUDA driver API, "API synchronization behavior").
  bool isPinnedHost(const void *pointer) const;

  /// Returns a failure such as "cuMemAllocFromPoolAsync failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  Status check(CUresult result, const char *what) const { return library->check(result, what); }
  rnnrt_memory_stats_t memoryStats() const;

  /// Calls `use` with a stream for captures, while no other thread uses it.
  Status withCaptureStream(const std::function<Status(CUstream stream)> &use);

  /// Returns the module of an image of compiled code, loaded at its first use. It lives as long as the image and the
  /// device.
  Status compiledModule(const std::shared_ptr<const CompiledImage> &image, CudaModule *&module);

  /// Returns a copy of `map` in device memory, one per distinct content. It lives as long as the device.
  Status tensorMap(const CUtensorMap &map, void *&pointer);

  /// Streams and events of a wavefront, which the device owns.
  struct StreamSet {
    std::vector<CUstream> streams;
    std::vector<CUevent> events; ///< without timing
  };
  /// Sets `set` to unused streams and events, which are created if there are too few.
  Status borrow(size_t streams, size_t events, StreamSet &set);
  /// Accepts them for later use. Their work may still run.
  void giveBack(StreamSet set);

  /// False if streams of this device cannot wait for values in memory, or write them.
  bool supportsStreamValues() const { return streamValues; }
  /// Called when the driver has refused such an operation.
  void refuseStreamValues() { streamValues = false; }

  /// Device memory for the signals of a wavefront, which the device owns.
  struct SignalMemory {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    /// Recorded by the user after the last work that uses the memory.
    CUevent end = nullptr;
    bool isUsed = false; ///< `end` was recorded
  };
  /// Sets `memory` to at least `bytes` bytes, usable in the order of `stream`.
  Status borrow(CUstream stream, size_t bytes, SignalMemory &memory);
  /// Accepts it for later use. Work that precedes `end` may still use it.
  void giveBack(SignalMemory memory);

  /// Number of host memory regions that compiled code has registered. If it is not 0, kernels may write host memory, so
  /// that stream synchronization of compiled code cannot be skipped.
  std::atomic<int64_t> registeredRegions{0};

private:
  CudaDevice();

  const uint64_t unique;
  Status initialize(int ordinal);
  struct Block {
    int64_t bytes;
    bool isBorrowed; ///< from the allocator of a borrowed stream
  };
  /// INVALID_ARGUMENT for unknown pointers, and for those of the other kind.
  Status removeBlock(void *pointer, bool isBorrowed, int64_t &bytes);
  void addBlock(void *pointer, Block block);

  std::shared_ptr<const Driver> library;
  CUdevice device = 0;
  int number = 0;
  CUcontext primary = nullptr;
  CUstream mainStream = nullptr;
  /// For allocations only, so that waiting for it is short.
  CUstream memoryStream = nullptr;
  CUmemoryPool pool = nullptr;
  CUstream captureStream = nullptr; ///< created at its first use
  std::mutex captureMutex;
  rnnrt_device_properties_t properties{};
  std::string deviceName;

  mutable std::mutex memoryMutex;
  std::unordered_map<void *, Block> blocks;
  int64_t live = 0, peak = 0;

  std::mutex streamMutex;
  StreamSet unused; ///< of borrow()
  /// As many wavefronts begin before one uses the same memory again, so that it need not wait for the end of that use.
  static constexpr size_t wavefrontsBetweenUses = 4;
  std::deque<SignalMemory> signalMemory; ///< unused, the oldest first
  std::atomic<bool> streamValues{false};

  std::mutex moduleMutex;
  std::map<uint64_t, std::pair<std::weak_ptr<const CompiledImage>, std::unique_ptr<CudaModule>>> modules;
  std::map<std::string, void *> tensorMaps;
};

/// Makes the context of a device current for a scope, and restores the previous context.
class ContextScope {
public:
  explicit ContextScope(const CudaDevice &device);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;

  /// The result of making the context current.
  Status status;

private:
  const DriverApi &driver;
  bool pushed = false;
};

/// CUDA's legacy default stream, as a handle that is not null (CU_STREAM_LEGACY).
inline CUstream legacyStream() {
  return reinterpret_cast<CUstream>(uintptr_t(1));
}

/// Returns the native stream; the default stream of the device for null.
CUstream nativeStream(const rnnrt_stream_t *stream, const CudaDevice &device);
CUstream nativeStream(const RunContext &context, const CudaDevice &device);

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_CUDADEVICE_H
