// FakeDriver.cpp - the fake driver: controls, devices, contexts, streams and events. It rejects only what the
// real driver rejects (CUDA driver API reference, CUDA 13.0).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeDriverState.h"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <type_traits>

using namespace rnnrt::cuda;

//===-- State ----------------------------------------------------------------------------------------------------===//

fake::State &fake::state() {
  static State &instance = *new State();
  return instance;
}

std::vector<CUcontext> &fake::contextStack() {
  static thread_local std::vector<CUcontext> stack;
  return stack;
}

CUstream fake::streamOf(CUstream handle) {
  static CUstream_st &legacy = *new CUstream_st();
  return handle == legacyHandle ? &legacy : handle;
}

static std::string formatted(const char *format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof(text), format, arguments);
  return text;
}

void fake::log(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  state().log += formatted(format, arguments) + "\n";
  va_end(arguments);
}

void fake::misuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  state().misuse += formatted(format, arguments) + "\n";
  va_end(arguments);
}

bool fake::chosenToFail(const char *name, CUresult &result) {
  const bool isNext = state().failNext == name;
  if (state().calls++ != state().failAt && !isNext)
    return false;
  if (isNext)
    state().failNext.clear();
  state().failed = name;
  result = CUresult(state().failWith);
  return true;
}

int32_t fake::capabilityOf(CUdevice device) {
  auto it = state().capabilities.find(device);
  return it == state().capabilities.end() ? state().capability : it->second;
}

int32_t fake::currentCapability() {
  return contextStack().empty() || !contextStack().back() ? state().capability
                                                          : capabilityOf(contextStack().back()->device);
}

bool fake::isLive(const void *object, const char *kind, const char *user) {
  auto it = state().live.find(const_cast<void *>(object));
  if (it != state().live.end() && it->second == kind)
    return true;
  misuse("%s uses %p, which is no live %s", user, object, kind);
  return false;
}

bool fake::hasContext(const char *user) {
  if (!contextStack().empty() && contextStack().back())
    return true;
  misuse("%s without a current context", user);
  return false;
}

void fake::join(Clock &clock, const Clock &other) {
  for (const auto &[stream, time] : other)
    clock[stream] = std::max(clock[stream], time);
}

bool fake::isAfter(const Clock &clock, int stream, int64_t time) {
  if (!state().streamNumbers.count(stream))
    return true;
  auto it = clock.find(stream);
  return it != clock.end() && it->second >= time;
}

int64_t fake::step(CUstream stream) {
  // Work that the host has waited for precedes later operations.
  join(stream->clock, state().host);
  return ++stream->clock[stream->number];
}

std::map<char *, fake::Block>::iterator fake::blockOf(const void *pointer) {
  auto &blocks = state().blocks;
  auto it = blocks.upper_bound(const_cast<char *>(static_cast<const char *>(pointer)));
  if (it == blocks.begin())
    return blocks.end();
  --it;
  return static_cast<const char *>(pointer) < it->first + std::max<size_t>(it->second.bytes, 1) ? it : blocks.end();
}

void fake::use(CUstream stream, const void *pointer, size_t bytes, const char *user) {
  auto it = blockOf(pointer);
  if (it == state().blocks.end())
    return;
  Block &block = it->second;
  if (static_cast<const char *>(pointer) + bytes > it->first + block.bytes)
    misuse("%s on stream %d reaches behind an allocation of %zu bytes", user, stream->number, block.bytes);
  if (!isAfter(stream->clock, block.stream, block.time))
    misuse("%s on stream %d uses memory that stream %d may not have allocated yet", user, stream->number, block.stream);
  block.lastUse[stream->number] = stream->clock[stream->number];
}

//===-- Controls -------------------------------------------------------------------------------------------------===//

FAKE_API void fake_cuda_reset() {
  fake::State &s = fake::state();
  std::lock_guard<std::recursive_mutex> lock(s.mutex);
  const fake::State fresh;
  s.log.clear();
  s.misuse.clear();
  s.failed.clear();
  s.failNext.clear();
  s.kernels.clear();
  s.calls = fresh.calls;
  s.failAt = fresh.failAt;
  s.devices = fresh.devices;
  s.capability = fresh.capability;
  s.capabilities.clear();
  s.memory = fresh.memory;
  s.forClusters = fresh.forClusters;
  s.hasStreamValues = s.streamValues = true;
  if (fake_cuda_live("stream") == 0)
    s.streams = 0;
}
FAKE_API const char *fake_cuda_log() {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  return (fake::state().logCopy = fake::state().log).c_str();
}
FAKE_API const char *fake_cuda_misuse() {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  return (fake::state().misuseCopy = fake::state().misuse).c_str();
}
FAKE_API int64_t fake_cuda_live(const char *kind) {
  fake::State &s = fake::state();
  std::lock_guard<std::recursive_mutex> lock(s.mutex);
  int64_t count = 0;
  for (const auto &[object, name] : s.live)
    count += !kind || name == kind;
  if (!kind || !std::strcmp(kind, "block"))
    count += int64_t(s.blocks.size());
  if (!kind || !std::strcmp(kind, "region"))
    count += int64_t(s.regions.size());
  for (const auto &[device, context] : s.contexts)
    if (!kind || !std::strcmp(kind, "context"))
      count += context.first;
  return count;
}
FAKE_API int64_t fake_cuda_calls() {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  return fake::state().calls;
}
FAKE_API void fake_cuda_fail_nth(int64_t n, uint32_t result) {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  fake::state().failed.clear();
  fake::state().failAt = n < 0 ? -1 : fake::state().calls + n;
  fake::state().failWith = result;
}
FAKE_API void fake_cuda_fail_next(const char *name, uint32_t result) {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  fake::state().failed.clear();
  fake::state().failNext = name;
  fake::state().failWith = result;
}
FAKE_API void fake_cuda_clear_log() {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  fake::state().log.clear();
}
FAKE_API const char *fake_cuda_failed() {
  return fake::state().failed.c_str();
}
FAKE_API void fake_cuda_set_devices(int32_t count) {
  fake::state().devices = count;
}
FAKE_API void fake_cuda_set_capability(int32_t capability) {
  fake::state().capability = capability;
}
FAKE_API void fake_cuda_set_capability_of(int32_t device, int32_t capability) {
  fake::state().capabilities[device] = capability;
}
FAKE_API void fake_cuda_set_memory(int64_t bytes) {
  fake::state().memory = bytes;
}
FAKE_API void fake_cuda_set_multiprocessors_for_clusters(int32_t count) {
  fake::state().forClusters = count;
}
FAKE_API void fake_cuda_set_stream_values(int32_t reported, int32_t accepted) {
  fake::state().hasStreamValues = reported;
  fake::state().streamValues = accepted;
}
FAKE_API void fake_cuda_set_kernel(const char *name, fake_cuda_kernel_t kernel) {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  fake::state().kernels[name] = kernel;
}
FAKE_API void fake_cuda_use(void *stream, const void *pointer, const char *user) {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  CUstream native = fake::streamOf(static_cast<CUstream>(stream));
  if (native != fake::streamOf(fake::legacyHandle) && !fake::isLive(native, "stream", user))
    return;
  fake::step(native);
  fake::use(native, pointer, 0, user);
}

//===-- Initialization and devices -------------------------------------------------------------------------------===//

FAKE_API CUresult rnnrt::cuda::cuInit(unsigned int flags) {
  FAKE_ENTER("cuInit");
  FAKE_EXPECT(!flags);
  return fake::state().devices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

FAKE_API CUresult rnnrt::cuda::cuDriverGetVersion(int *version) {
  FAKE_ENTER("cuDriverGetVersion");
  *version = 13000;
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuGetErrorName(CUresult error, const char **text) {
#define RNNRT_CUDA_VALUE(type, name, value)                                                                            \
  if (std::is_same_v<type, CUresult> && uint32_t(error) == value) {                                                    \
    *text = #name;                                                                                                     \
    return CUDA_SUCCESS;                                                                                               \
  }
#include "cuda/DriverApi.def"
#undef RNNRT_CUDA_VALUE
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

FAKE_API CUresult rnnrt::cuda::cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "fake failure";
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuDeviceGetCount(int *count) {
  FAKE_ENTER("cuDeviceGetCount");
  *count = fake::state().devices;
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuDeviceGet(CUdevice *device, int ordinal) {
  FAKE_ENTER("cuDeviceGet");
  if (ordinal < 0 || ordinal >= fake::state().devices)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

static bool isDevice(CUdevice device) {
  return device >= 0 && device < fake::state().devices;
}

FAKE_API CUresult rnnrt::cuda::cuDeviceGetName(char *name, int size, CUdevice device) {
  FAKE_ENTER("cuDeviceGetName");
  FAKE_EXPECT(isDevice(device));
  std::snprintf(name, size_t(size), "Fake GPU %d", device);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  FAKE_ENTER("cuDeviceGetAttribute");
  FAKE_EXPECT(isDevice(device));
  switch (uint32_t(attribute)) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = 132;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = fake::capabilityOf(device) / 10;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = fake::capabilityOf(device) % 10;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = 232448;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    *value = fake::state().hasStreamValues;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    *value = 1;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

FAKE_API CUresult rnnrt::cuda::cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  FAKE_ENTER("cuDeviceTotalMem");
  FAKE_EXPECT(isDevice(device));
  *bytes = size_t(fake::state().memory);
  return CUDA_SUCCESS;
}

//===-- Contexts -------------------------------------------------------------------------------------------------===//

FAKE_API CUresult rnnrt::cuda::cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  FAKE_ENTER("cuDevicePrimaryCtxRetain");
  FAKE_EXPECT(isDevice(device));
  auto &[owners, object] = fake::state().contexts[device];
  if (!object)
    object = std::make_unique<CUctx_st>();
  object->device = device;
  ++owners;
  *context = object.get();
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  FAKE_ENTER_DESTROY();
  auto it = fake::state().contexts.find(device);
  if (it == fake::state().contexts.end() || !it->second.first) {
    fake::misuse("cuDevicePrimaryCtxRelease of a context without references");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  // The object is not freed, so that a later use is detected and does not crash.
  --it->second.first;
  if (!fake_cuda_live("context") && fake_cuda_live(nullptr))
    fake::misuse("cuDevicePrimaryCtxRelease while there are objects in the context");
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuCtxGetCurrent(CUcontext *context) {
  FAKE_ENTER("cuCtxGetCurrent");
  *context = fake::contextStack().empty() ? nullptr : fake::contextStack().back();
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuCtxPushCurrent_v2(CUcontext context) {
  FAKE_ENTER("cuCtxPushCurrent");
  for (const auto &[device, owned] : fake::state().contexts)
    if (owned.second.get() == context && owned.first) {
      fake::contextStack().push_back(context);
      return CUDA_SUCCESS;
    }
  fake::misuse("cuCtxPushCurrent of no live context");
  return CUDA_ERROR_INVALID_CONTEXT;
}

FAKE_API CUresult rnnrt::cuda::cuCtxPopCurrent_v2(CUcontext *context) {
  FAKE_ENTER_DESTROY();
  if (fake::contextStack().empty()) {
    fake::misuse("cuCtxPopCurrent without a current context");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *context = fake::contextStack().back();
  fake::contextStack().pop_back();
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuCtxSynchronize() {
  FAKE_ENTER("cuCtxSynchronize");
  FAKE_EXPECT_CONTEXT("cuCtxSynchronize");
  if (fake::state().capturing)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  for (const auto &[object, kind] : fake::state().live)
    if (kind == "stream")
      fake::join(fake::state().host, static_cast<CUstream>(object)->clock);
  fake::log("cuCtxSynchronize");
  return CUDA_SUCCESS;
}

//===-- Streams --------------------------------------------------------------------------------------------------===//

FAKE_API CUresult rnnrt::cuda::cuStreamCreate(CUstream *stream, unsigned int flags) {
  FAKE_ENTER("cuStreamCreate");
  FAKE_EXPECT_CONTEXT("cuStreamCreate");
  FAKE_EXPECT(flags <= 1);
  *stream = fake::made(new CUstream_st(), "stream");
  (*stream)->context = fake::contextStack().back();
  (*stream)->number = ++fake::state().streams;
  fake::state().streamNumbers.insert((*stream)->number);
  fake::log("cuStreamCreate stream=%d flags=%u", (*stream)->number, flags);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuStreamDestroy_v2(CUstream stream) {
  FAKE_ENTER_DESTROY();
  FAKE_EXPECT_LIVE(stream, "stream", "cuStreamDestroy");
  fake::log("cuStreamDestroy stream=%d", stream->number);
  fake::state().streamNumbers.erase(stream->number);
  fake::state().host.erase(stream->number);
  return fake::destroyed(stream, "stream", "cuStreamDestroy");
}

FAKE_API CUresult rnnrt::cuda::cuStreamGetCtx(CUstream stream, CUcontext *context) {
  FAKE_ENTER("cuStreamGetCtx");
  FAKE_EXPECT_STREAM(stream, "cuStreamGetCtx");
  FAKE_EXPECT_CONTEXT("cuStreamGetCtx");
  *context = stream->context ? stream->context : fake::contextStack().back();
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuStreamSynchronize(CUstream stream) {
  FAKE_ENTER("cuStreamSynchronize");
  FAKE_EXPECT_STREAM(stream, "cuStreamSynchronize");
  if (stream->capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  fake::join(fake::state().host, stream->clock);
  fake::log("cuStreamSynchronize stream=%d", stream->number);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  FAKE_ENTER("cuStreamWaitEvent");
  FAKE_EXPECT_STREAM(stream, "cuStreamWaitEvent");
  FAKE_EXPECT_LIVE(event, "event", "cuStreamWaitEvent");
  FAKE_EXPECT(!flags);
  // The driver accepts it and does not wait.
  if (!event->recorded)
    fake::misuse("cuStreamWaitEvent of an event that was not recorded");
  fake::step(stream);
  fake::join(stream->clock, event->clock);
  fake::log("cuStreamWaitEvent stream=%d", stream->number);
  return CUDA_SUCCESS;
}

/// What waits for a value and writes of one have in common. Replaces the handle of the stream by its object.
static CUresult enterValue(CUstream &stream, CUdeviceptr address, bool hasFlags, const char *name) {
  FAKE_ENTER(name);
  FAKE_EXPECT_STREAM(stream, name);
  FAKE_EXPECT_CONTEXT(name);
  FAKE_EXPECT(address && address % 4 == 0 && hasFlags);
  return fake::state().streamValues ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/// The fake executes work when it is enqueued, so a value that is not there yet is one of work that the program has not
/// enqueued. It does not know which kernel changes the value: the stream follows all earlier work.
FAKE_API CUresult rnnrt::cuda::cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value,
                                                      unsigned int flags) {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  CUresult entered = enterValue(stream, address, flags == CU_STREAM_WAIT_VALUE_GEQ, "cuStreamWaitValue32");
  if (entered != CUDA_SUCCESS)
    return entered;
  if (stream->capture)
    fake::misuse("cuStreamWaitValue32 in a capture: a graph may run the work that sets the value later");
  const auto *word = reinterpret_cast<const uint32_t *>(uintptr_t(address));
  fake::step(stream);
  fake::use(stream, word, 4, "cuStreamWaitValue32");
  for (const auto &[object, kind] : fake::state().live)
    if (kind == "stream")
      fake::join(stream->clock, static_cast<CUstream>(object)->clock);
  fake::log("cuStreamWaitValue32 stream=%d value=%u%s", stream->number, value,
            int32_t(*word - value) >= 0 ? "" : " not there");
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value,
                                                       unsigned int flags) {
  std::lock_guard<std::recursive_mutex> lock(fake::state().mutex);
  CUresult entered = enterValue(stream, address, flags == CU_STREAM_WRITE_VALUE_DEFAULT, "cuStreamWriteValue32");
  if (entered != CUDA_SUCCESS)
    return entered;
  auto *word = reinterpret_cast<uint32_t *>(uintptr_t(address));
  fake::step(stream);
  fake::use(stream, word, 4, "cuStreamWriteValue32");
  fake::enqueue(stream, [=] { *word = value; });
  fake::log("cuStreamWriteValue32 stream=%d value=%u", stream->number, value);
  return CUDA_SUCCESS;
}

//===-- Events ---------------------------------------------------------------------------------------------------===//

FAKE_API CUresult rnnrt::cuda::cuEventCreate(CUevent *event, unsigned int flags) {
  FAKE_ENTER("cuEventCreate");
  FAKE_EXPECT_CONTEXT("cuEventCreate");
  *event = fake::made(new CUevent_st(), "event");
  (*event)->timed = !(flags & CU_EVENT_DISABLE_TIMING);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuEventDestroy_v2(CUevent event) {
  FAKE_ENTER_DESTROY();
  return fake::destroyed(event, "event", "cuEventDestroy");
}

FAKE_API CUresult rnnrt::cuda::cuEventRecord(CUevent event, CUstream stream) {
  FAKE_ENTER("cuEventRecord");
  FAKE_EXPECT_LIVE(event, "event", "cuEventRecord");
  FAKE_EXPECT_STREAM(stream, "cuEventRecord");
  fake::step(stream);
  event->clock = stream->clock;
  event->recorded = true;
  event->time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  fake::log("cuEventRecord stream=%d", stream->number);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuEventSynchronize(CUevent event) {
  FAKE_ENTER("cuEventSynchronize");
  FAKE_EXPECT_LIVE(event, "event", "cuEventSynchronize");
  fake::join(fake::state().host, event->clock);
  return CUDA_SUCCESS;
}

FAKE_API CUresult rnnrt::cuda::cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  FAKE_ENTER("cuEventElapsedTime");
  FAKE_EXPECT_LIVE(start, "event", "cuEventElapsedTime");
  FAKE_EXPECT_LIVE(end, "event", "cuEventElapsedTime");
  if (!start->timed || !end->timed || !start->recorded || !end->recorded)
    return CUDA_ERROR_INVALID_HANDLE;
  // The host may not have waited for the events.
  for (const CUevent event : {start, end})
    for (const auto &[stream, time] : event->clock)
      if (!fake::isAfter(fake::state().host, stream, time))
        return CUDA_ERROR_NOT_READY;
  *milliseconds = float(end->time - start->time);
  return CUDA_SUCCESS;
}
