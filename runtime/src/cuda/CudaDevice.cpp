// CudaDevice.cpp - initialization and destruction of a device, memory, streams, and modules of compiled code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/CudaDevice.h"
#include "core/Device.h"
#include "core/Trace.h"
#include "cuda/CudaModule.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

using namespace rnnrt;
using namespace rnnrt::cuda;

static CUdeviceptr addressOf(const void *pointer) {
  return CUdeviceptr(reinterpret_cast<uintptr_t>(pointer));
}

/// Bytes. That of cuMemAlloc, which GEMM libraries and tensor maps rely on.
static constexpr size_t scratchAlignment = 256;

/// The size that an rnnrt_allocator_t receives: a multiple of the alignment, and not 0.
static size_t scratchBytes(int64_t bytes) {
  return (size_t(std::max<int64_t>(bytes, 1)) + scratchAlignment - 1) / scratchAlignment * scratchAlignment;
}

//===-- Creation and destruction ---------------------------------------------------------------------------------===//

static uint64_t nextSerial() {
  static std::atomic<uint64_t> serial{0};
  return ++serial;
}

CudaDevice::CudaDevice() : unique(nextSerial()) {}

Status CudaDevice::create(int ordinal, std::shared_ptr<CudaDevice> &device) {
  std::shared_ptr<CudaDevice> made(new CudaDevice());
  RNNRT_TRY(Driver::load(made->library));
  RNNRT_TRY(made->initialize(ordinal));
  device = std::move(made);
  return Status();
}

Status CudaDevice::initialize(int ordinal) {
  const DriverApi &api = driver();
  int count = 0;
  RNNRT_TRY(check(api.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  if (ordinal < 0 || ordinal >= count)
    return unavailable(
        "device `cuda:%d` is not available: the CUDA driver has %d devices; CUDA_VISIBLE_DEVICES may hide "
        "some",
        ordinal, count);
  number = ordinal;
  RNNRT_TRY(check(api.cuDeviceGet(&device, ordinal), "cuDeviceGet"));
  RNNRT_TRY(check(api.cuDeviceGetName(properties.name, sizeof(properties.name), device), "cuDeviceGetName"));
  properties.name[sizeof(properties.name) - 1] = 0;
  deviceName = properties.name;
  auto attribute = [&](CUdevice_attribute which, int32_t &value) {
    return check(api.cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  };
  int32_t major = 0, minor = 0, shared = 0, pools = 0, values = 0;
  RNNRT_TRY(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major));
  RNNRT_TRY(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor));
  RNNRT_TRY(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, properties.multiprocessors));
  RNNRT_TRY(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared));
  RNNRT_TRY(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, pools));
  // Of the second version of the functions, which CUDA 11.7 introduced. Before that, the attribute is unknown.
  const CUresult known = api.cuDeviceGetAttribute(&values, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, device);
  if (known != CUDA_ERROR_INVALID_VALUE)
    RNNRT_TRY(check(known, "cuDeviceGetAttribute"));
  streamValues = known == CUDA_SUCCESS && values && api.cuStreamWaitValue32 && api.cuStreamWriteValue32;
  size_t bytes = 0;
  RNNRT_TRY(check(api.cuDeviceTotalMem(&bytes, device), "cuDeviceTotalMem"));
  properties.ordinal = ordinal;
  properties.compute_capability = major * 10 + minor;
  properties.driver_version = library->version();
  properties.memory_bytes = int64_t(bytes);
  properties.shared_memory_per_block = shared;
  if (!pools)
    return unavailable("device `cuda:%d` (%s) is not available: its driver does not support memory pools", ordinal,
                       name().c_str());

  RNNRT_TRY(check(api.cuDevicePrimaryCtxRetain(&primary, device), "cuDevicePrimaryCtxRetain"));
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(check(api.cuStreamCreate(&mainStream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  RNNRT_TRY(check(api.cuStreamCreate(&memoryStream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  // A separate pool, since the settings of the default pool belong to the program.
  CUmemPoolProps poolProperties{};
  poolProperties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  poolProperties.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
  poolProperties.location = {CU_MEM_LOCATION_TYPE_DEVICE, ordinal};
  RNNRT_TRY(check(api.cuMemPoolCreate(&pool, &poolProperties), "cuMemPoolCreate"));
  // Otherwise each synchronization returns free memory to the system, and later allocations are slow.
  uint64_t threshold = UINT64_MAX;
  return check(api.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold), "cuMemPoolSetAttribute");
}

CudaDevice::~CudaDevice() {
  // Failures cannot be reported here. After a kernel error, every driver call on the context returns that error.
  if (!primary)
    return;
  const DriverApi &api = driver();
  {
    ContextScope scope(*this);
    if (scope.status.ok())
      (void)api.cuCtxSynchronize();
    modules.clear();
    // Free leaked blocks. The first attempt may return the failure of earlier work; the second one frees.
    for (const auto &[pointer, block] : blocks)
      if (!block.isBorrowed && api.cuMemFreeAsync(addressOf(pointer), memoryStream) != CUDA_SUCCESS)
        (void)api.cuMemFreeAsync(addressOf(pointer), memoryStream);
    for (const SignalMemory &memory : signalMemory) {
      if (memory.address && api.cuMemFreeAsync(memory.address, memoryStream) != CUDA_SUCCESS)
        (void)api.cuMemFreeAsync(memory.address, memoryStream);
      if (memory.end)
        (void)api.cuEventDestroy(memory.end);
    }
    if (memoryStream)
      (void)api.cuStreamSynchronize(memoryStream);
    if (pool)
      (void)api.cuMemPoolDestroy(pool);
    for (CUstream stream : unused.streams)
      (void)api.cuStreamDestroy(stream);
    for (CUevent event : unused.events)
      (void)api.cuEventDestroy(event);
    if (memoryStream)
      (void)api.cuStreamDestroy(memoryStream);
    for (CUstream stream : {mainStream, captureStream})
      if (stream)
        (void)api.cuStreamDestroy(stream);
  }
  (void)api.cuDevicePrimaryCtxRelease(device);
}

//===-- Memory ---------------------------------------------------------------------------------------------------===//

static Status isBorrowedBlock() {
  return invalidArgument("the pointer belongs to the allocator of a borrowed stream; free it on that stream");
}

void CudaDevice::addBlock(void *pointer, Block block) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  blocks.emplace(pointer, block);
  live += block.bytes;
  peak = std::max(peak, live);
}

Status CudaDevice::removeBlock(void *pointer, bool isBorrowed, int64_t &bytes) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto it = blocks.find(pointer);
  if (it == blocks.end())
    return invalidArgument("the pointer was not allocated on this device, or was freed already");
  if (it->second.isBorrowed != isBorrowed)
    return isBorrowedBlock();
  bytes = it->second.bytes;
  live -= bytes;
  blocks.erase(it);
  return Status();
}

Status CudaDevice::allocate(CUstream stream, int64_t bytes, void *&pointer) {
  pointer = nullptr;
  auto exhausted = [&](const char *reason) {
    return resourceExhausted(
        "not enough memory for %lld bytes on `%s`, which has %lld; the device holds %lld already%s", (long long)bytes,
        name().c_str(), (long long)properties.memory_bytes, (long long)memoryStats().live_bytes, reason);
  };
  if (bytes < 0)
    return invalidArgument("expects the size of an allocation to be at least 0, but got %lld", (long long)bytes);
  if (bytes > properties.memory_bytes)
    return exhausted("");
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  CUdeviceptr address = 0;
  const CUresult result = driver().cuMemAllocFromPoolAsync(&address, size_t(std::max<int64_t>(bytes, 1)), pool, stream);
  if (result != CUDA_SUCCESS) {
    Status status = check(result, "cuMemAllocFromPoolAsync");
    return result == CUDA_ERROR_OUT_OF_MEMORY
               ? exhausted((std::string(": ") + rnnrt_status_message(status.get())).c_str())
               : std::move(status);
  }
  auto *made = reinterpret_cast<void *>(uintptr_t(address));
  try {
    addBlock(made, {bytes, /*isBorrowed=*/false});
  } catch (...) {
    (void)driver().cuMemFreeAsync(address, stream);
    throw;
  }
  pointer = made;
  if (tracing(TraceKind::Memory))
    trace("rnnrt,memory,alloc,cuda,%lld,%lld", (long long)bytes, (long long)memoryStats().live_bytes);
  return Status();
}

Status CudaDevice::release(CUstream stream, void *pointer) {
  if (!pointer)
    return Status();
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  int64_t bytes = 0;
  RNNRT_TRY(removeBlock(pointer, /*isBorrowed=*/false, bytes));
  if (Status status = check(driver().cuMemFreeAsync(addressOf(pointer), stream), "cuMemFreeAsync"); !status.ok()) {
    addBlock(pointer, {bytes, /*isBorrowed=*/false});
    return status;
  }
  if (tracing(TraceKind::Memory))
    trace("rnnrt,memory,free,cuda,%lld,%lld", (long long)bytes, (long long)memoryStats().live_bytes);
  return Status();
}

Status CudaDevice::allocate(const rnnrt_stream_t *stream, int64_t bytes, void *&pointer) {
  if (!stream || !stream->scratch.allocate)
    return allocate(nativeStream(stream, *this), bytes, pointer);
  pointer = nullptr;
  if (bytes < 0 || bytes > properties.memory_bytes)
    return resourceExhausted("not enough memory for %lld bytes on `%s`, which has %lld", (long long)bytes,
                             name().c_str(), (long long)properties.memory_bytes);
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  const rnnrt_allocator_t &scratch = stream->scratch;
  void *made = scratch.allocate(scratch.user, scratchAlignment, scratchBytes(bytes));
  if (!made)
    return resourceExhausted("the allocator of the borrowed stream has not enough memory for %lld bytes on `%s`",
                             (long long)bytes, name().c_str());
  try {
    addBlock(made, {bytes, /*isBorrowed=*/true});
  } catch (...) {
    scratch.release(scratch.user, made, scratchAlignment, scratchBytes(bytes));
    throw;
  }
  pointer = made;
  if (tracing(TraceKind::Memory))
    trace("rnnrt,memory,alloc,borrowed,%lld,%lld", (long long)bytes, (long long)memoryStats().live_bytes);
  return Status();
}

Status CudaDevice::release(const rnnrt_stream_t *stream, void *pointer) {
  if (!pointer)
    return Status();
  bool isBorrowed = false;
  if (stream && stream->scratch.allocate) {
    std::lock_guard<std::mutex> lock(memoryMutex);
    auto it = blocks.find(pointer);
    isBorrowed = it != blocks.end() && it->second.isBorrowed;
  }
  if (!isBorrowed)
    return release(nativeStream(stream, *this), pointer);
  ContextScope scope(*this); // after a failure too, the memory must return to its owner
  int64_t bytes = 0;
  RNNRT_TRY(removeBlock(pointer, /*isBorrowed=*/true, bytes));
  stream->scratch.release(stream->scratch.user, pointer, scratchAlignment, scratchBytes(bytes));
  if (tracing(TraceKind::Memory))
    trace("rnnrt,memory,free,borrowed,%lld,%lld", (long long)bytes, (long long)memoryStats().live_bytes);
  return Status();
}

Status CudaDevice::allocate(int64_t bytes, void *&pointer) {
  RNNRT_TRY(allocate(memoryStream, bytes, pointer));
  Status status = synchronize(memoryStream);
  if (!status.ok()) {
    (void)release(memoryStream, pointer);
    pointer = nullptr;
  }
  return status;
}

Status CudaDevice::release(void *pointer) {
  if (!pointer)
    return Status();
  {
    // Reject unknown pointers before waiting for the context.
    std::lock_guard<std::mutex> lock(memoryMutex);
    auto it = blocks.find(pointer);
    if (it == blocks.end())
      return invalidArgument("the pointer was not allocated on this device, or was freed already");
    if (it->second.isBorrowed)
      return isBorrowedBlock();
  }
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  // The streams that use the memory are unknown. A failure of earlier work must not prevent the release.
  Status work = check(driver().cuCtxSynchronize(), "cuCtxSynchronize");
  RNNRT_TRY(release(memoryStream, pointer));
  return work;
}

Status CudaDevice::copy(CUstream stream, void *target, const void *source, int64_t bytes) {
  if (!bytes)
    return Status();
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  return check(driver().cuMemcpyAsync(addressOf(target), addressOf(source), size_t(bytes), stream), "cuMemcpyAsync");
}

Status CudaDevice::fillZero(CUstream stream, void *target, int64_t bytes) {
  if (!bytes)
    return Status();
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  return check(driver().cuMemsetD8Async(addressOf(target), 0, size_t(bytes), stream), "cuMemsetD8Async");
}

bool CudaDevice::isPinnedHost(const void *pointer) const {
  ContextScope scope(*this);
  uint32_t type = 0;
  // For pageable host memory the driver returns an error. No other error is possible.
  return scope.status.ok() &&
         driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addressOf(pointer)) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST;
}

rnnrt_memory_stats_t CudaDevice::memoryStats() const {
  std::lock_guard<std::mutex> lock(memoryMutex);
  return {live, peak, int64_t(blocks.size())};
}

//===-- Streams --------------------------------------------------------------------------------------------------===//

Status CudaDevice::synchronize(CUstream stream) {
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  return check(driver().cuStreamSynchronize(stream), "cuStreamSynchronize");
}

Status CudaDevice::withCaptureStream(const std::function<Status(CUstream)> &use) {
  std::lock_guard<std::mutex> lock(captureMutex);
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  if (!captureStream)
    RNNRT_TRY(check(driver().cuStreamCreate(&captureStream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  return use(captureStream);
}

Status CudaDevice::checkContext(CUstream stream) {
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  CUcontext context = nullptr;
  const CUresult result = driver().cuStreamGetCtx(stream, &context);
  if (result == CUDA_ERROR_INVALID_HANDLE)
    return invalidArgument("expects `native` to be a stream of the primary context of `cuda:%d`, but it is no live "
                           "stream",
                           number);
  RNNRT_TRY(check(result, "cuStreamGetCtx"));
  if (context != primary)
    return invalidArgument("expects `native` to be a stream of the primary context of `cuda:%d`, but it belongs to "
                           "another GPU or context; create the device of that GPU",
                           number);
  return Status();
}

Status CudaDevice::isCapturing(CUstream stream, bool &capturing) {
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  RNNRT_TRY(check(driver().cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing"));
  capturing = status != CU_STREAM_CAPTURE_STATUS_NONE;
  return Status();
}

/// Moves up to `count` objects from `from` to `to`, and creates the others. What was created before a failure remains
/// in `to`.
template <typename T, typename Create>
static Status take(std::vector<T> &from, std::vector<T> &to, size_t count, Create create) {
  to.reserve(count);
  while (to.size() < count && !from.empty()) {
    to.push_back(from.back());
    from.pop_back();
  }
  while (to.size() < count) {
    T made = nullptr;
    RNNRT_TRY(create(made));
    to.push_back(made);
  }
  return Status();
}

Status CudaDevice::borrow(size_t streams, size_t events, StreamSet &set) {
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  Status status;
  {
    std::lock_guard<std::mutex> lock(streamMutex);
    status = take(unused.streams, set.streams, streams, [&](CUstream &stream) {
      return check(driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    });
    if (status.ok())
      status = take(unused.events, set.events, events, [&](CUevent &event) {
        return check(driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
      });
  }
  if (!status.ok())
    giveBack(std::exchange(set, {}));
  return status;
}

void CudaDevice::giveBack(StreamSet set) {
  std::lock_guard<std::mutex> lock(streamMutex);
  // In the order in which they were borrowed, so that equal calls use equal streams.
  unused.streams.insert(unused.streams.end(), set.streams.rbegin(), set.streams.rend());
  unused.events.insert(unused.events.end(), set.events.rbegin(), set.events.rend());
}

Status CudaDevice::borrow(CUstream stream, size_t bytes, SignalMemory &memory) {
  ContextScope scope(*this);
  RNNRT_TRY(std::move(scope.status));
  {
    std::lock_guard<std::mutex> lock(streamMutex);
    if (signalMemory.size() >= wavefrontsBetweenUses) {
      memory = signalMemory.front();
      signalMemory.pop_front();
    }
  }
  auto prepare = [&] {
    if (!memory.end)
      RNNRT_TRY(check(driver().cuEventCreate(&memory.end, CU_EVENT_DISABLE_TIMING), "cuEventCreate"));
    if (memory.isUsed)
      RNNRT_TRY(check(driver().cuStreamWaitEvent(stream, memory.end, 0), "cuStreamWaitEvent"));
    if (memory.bytes >= bytes)
      return Status();
    if (memory.address)
      RNNRT_TRY(check(driver().cuMemFreeAsync(memory.address, stream), "cuMemFreeAsync"));
    memory.address = 0;
    memory.bytes = 0;
    RNNRT_TRY(check(driver().cuMemAllocFromPoolAsync(&memory.address, bytes, pool, stream), "cuMemAllocFromPoolAsync"));
    memory.bytes = bytes;
    return Status();
  };
  Status status = prepare();
  if (!status.ok())
    giveBack(std::exchange(memory, {}));
  return status;
}

void CudaDevice::giveBack(SignalMemory memory) {
  std::lock_guard<std::mutex> lock(streamMutex);
  signalMemory.push_back(memory);
}

CUstream cuda::nativeStream(const rnnrt_stream_t *stream, const CudaDevice &device) {
  return stream ? static_cast<CUstream>(stream->native) : device.defaultStream();
}

CUstream cuda::nativeStream(const RunContext &context, const CudaDevice &device) {
  return nativeStream(context.stream, device);
}

//===-- Modules of compiled code ---------------------------------------------------------------------------------===//

Status CudaDevice::compiledModule(const std::shared_ptr<const CompiledImage> &image, CudaModule *&module) {
  std::lock_guard<std::mutex> lock(moduleMutex);
  if (auto it = modules.find(image->serial); it != modules.end()) {
    module = it->second.second.get();
    return Status();
  }
  // Unload modules of unloaded images. Their kernels may still run.
  for (auto it = modules.begin(); it != modules.end();) {
    if (!it->second.first.expired()) {
      ++it;
      continue;
    }
    ContextScope scope(*this);
    if (scope.status.ok())
      (void)driver().cuCtxSynchronize();
    it = modules.erase(it);
  }
  auto made = std::make_unique<CudaModule>(*this);
  RNNRT_TRY(made->load(&image->image, 1));
  module = modules.emplace(image->serial, std::make_pair(image, std::move(made))).first->second.second.get();
  return Status();
}

Status CudaDevice::tensorMap(const CUtensorMap &map, void *&pointer) {
  const std::string key(reinterpret_cast<const char *>(&map), sizeof(map));
  std::lock_guard<std::mutex> lock(moduleMutex);
  if (auto it = tensorMaps.find(key); it != tensorMaps.end()) {
    pointer = it->second;
    return Status();
  }
  void *made = nullptr;
  RNNRT_TRY(allocate(memoryStream, int64_t(sizeof(map)), made));
  Status status = copy(memoryStream, made, &map, int64_t(sizeof(map)));
  if (status.ok())
    status = synchronize(memoryStream);
  if (!status.ok()) {
    (void)release(memoryStream, made);
    return status;
  }
  pointer = tensorMaps.emplace(key, made).first->second;
  return Status();
}

//===-- ContextScope ---------------------------------------------------------------------------------------------===//

ContextScope::ContextScope(const CudaDevice &device) : driver(device.driver()) {
  CUcontext current = nullptr;
  if (driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == device.context())
    return;
  status = device.check(driver.cuCtxPushCurrent(device.context()), "cuCtxPushCurrent");
  pushed = status.ok();
}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  if (pushed)
    (void)driver.cuCtxPopCurrent(&popped);
}
