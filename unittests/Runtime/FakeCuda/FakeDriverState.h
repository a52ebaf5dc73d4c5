// FakeDriverState.h - objects, log and clocks of the fake driver, shared by its files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_FAKEDRIVERSTATE_H
#define RNN_UNITTESTS_RUNTIME_FAKEDRIVERSTATE_H

#include "FakeDriver.h"

#include "cuda/DriverApi.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace rnnrt::cuda {

#define FAKE_API extern "C" __attribute__((visibility("default")))
#define RNNRT_CUDA(name, version, parameters) FAKE_API CUresult name##version parameters;
#include "cuda/DriverApi.def"
#undef RNNRT_CUDA

/// A vector clock: the known progress of each stream, by stream number.
using Clock = std::map<int, int64_t>;

struct CUctx_st {
  int device = 0;
};

struct CUstream_st {
  int number = 0;
  CUcontext context = nullptr;
  Clock clock;
  CUgraph capture = nullptr; ///< the graph of the current capture
};

struct CUevent_st {
  bool timed = false, recorded = false;
  double time = 0;
  Clock clock;
};

struct Node {
  std::function<void()> work;
  std::string shape; ///< what an update cannot change
};

struct CUgraph_st {
  std::vector<Node> nodes;
};

struct CUgraphExec_st {
  std::vector<Node> nodes;
  Clock clock; ///< of the last launch
};

struct CUmemPoolHandle_st {
  int64_t blocks = 0;
};

struct CUmod_st {
  int capability = 0;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};

struct CUfunc_st {
  CUmodule module = nullptr;
  std::string name;
  std::map<uint32_t, int> attributes;
  std::vector<size_t> parameters; ///< sizes; none for machine code
};

} // namespace rnnrt::cuda

namespace fake {

using namespace rnnrt::cuda;

/// One allocation, and the work that uses it.
struct Block {
  size_t bytes = 0;
  CUmemoryPool pool = nullptr;
  int stream = 0;   ///< stream of the allocation
  int64_t time = 0; ///< time of the allocation on that stream
  Clock lastUse;    ///< last use per stream
};

/// Returns FAKE_CUDA_FOR_CLUSTERS, default 132. The variable serves programs that cannot call the fake.
inline int32_t readForClusters() {
  const char *text = std::getenv("FAKE_CUDA_FOR_CLUSTERS");
  return text ? std::atoi(text) : 132;
}

/// Guarded by its mutex, which FAKE_ENTER locks.
struct State {
  std::recursive_mutex mutex;
  std::string log, misuse, failed, logCopy, misuseCopy;
  std::string failNext;               ///< function whose next call fails
  std::map<void *, std::string> live; ///< kind of each live object
  std::map<char *, Block> blocks;
  std::map<char *, size_t> regions; ///< registered host memory
  std::map<std::string, fake_cuda_kernel_t> kernels;
  std::map<int, std::pair<int, std::unique_ptr<CUctx_st>>> contexts; ///< by device, with the reference count
  std::set<int> streamNumbers;                                       ///< numbers of live streams
  Clock host;                                                        ///< work that the host has waited for
  int64_t calls = 0, failAt = -1;
  uint32_t failWith = 0;
  int32_t devices = 1, capability = 90, streams = 0, capturing = 0;
  std::map<int, int32_t> capabilities; ///< of devices that differ from `capability`
  int64_t memory = int64_t(8) << 30, used = 0;
  int32_t forClusters = readForClusters();          ///< multiprocessors available to clusters
  bool hasStreamValues = true, streamValues = true; ///< fake_cuda_set_stream_values
};
State &state();

int32_t capabilityOf(CUdevice device);
/// That of the device of the current context.
int32_t currentCapability();

/// The context stack of this thread.
std::vector<CUcontext> &contextStack();

__attribute__((format(printf, 1, 2))) void log(const char *format, ...);
__attribute__((format(printf, 1, 2))) void misuse(const char *format, ...);

/// CU_STREAM_LEGACY
inline const CUstream legacyHandle = reinterpret_cast<CUstream>(uintptr_t(1));
/// The object of a stream handle: CU_STREAM_LEGACY is the stream 0, which is always live and does not wait for others.
CUstream streamOf(CUstream handle);

/// Counts a call that can fail. Returns true if this call must fail with `result`.
bool chosenToFail(const char *name, CUresult &result);
bool isLive(const void *object, const char *kind, const char *user);
/// Returns true if this thread has a current context; else records a misuse.
bool hasContext(const char *user);

/// Begins an operation on the live stream `stream` and returns its time.
int64_t step(CUstream stream);
void join(Clock &clock, const Clock &other);
/// Returns true if `clock` is after `time` of `stream`, or if the stream was destroyed.
bool isAfter(const Clock &clock, int stream, int64_t time);
/// Records that work on `stream` uses the memory at `pointer`, and checks that it is allocated. Host memory is
/// accepted.
void use(CUstream stream, const void *pointer, size_t bytes, const char *user);
/// Returns the allocation that contains `pointer`, or the end iterator.
std::map<char *, Block>::iterator blockOf(const void *pointer);
/// Runs `work` immediately, or appends it to the graph if the stream is being captured. `shape`: what an update of the
/// graph cannot change.
void enqueue(CUstream stream, std::function<void()> work, std::string shape = "memory");

/// Add and remove a live object.
template <typename T> T *made(T *object, const char *kind) {
  state().live[object] = kind;
  return object;
}

template <typename T> CUresult destroyed(T *object, const char *kind, const char *name) {
  if (!isLive(object, kind, name))
    return CUDA_ERROR_INVALID_HANDLE;
  state().live.erase(object);
  delete object;
  return CUDA_SUCCESS;
}

} // namespace fake

/// Begins a function that can be made to fail.
#define FAKE_ENTER(name)                                                                                               \
  std::lock_guard<std::recursive_mutex> fakeLock(fake::state().mutex);                                                 \
  do {                                                                                                                 \
    CUresult chosen;                                                                                                   \
    if (fake::chosenToFail(name, chosen))                                                                              \
      return chosen;                                                                                                   \
  } while (false)

/// Begins a function that releases an object.
#define FAKE_ENTER_DESTROY() std::lock_guard<std::recursive_mutex> fakeLock(fake::state().mutex)

#define FAKE_EXPECT(condition)                                                                                         \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return CUDA_ERROR_INVALID_VALUE;                                                                                 \
  } while (false)

#define FAKE_EXPECT_LIVE(object, kind, name)                                                                           \
  do {                                                                                                                 \
    if (!fake::isLive(object, kind, name))                                                                             \
      return CUDA_ERROR_INVALID_HANDLE;                                                                                \
  } while (false)

/// Replaces a handle by its object, which must be live.
#define FAKE_EXPECT_STREAM(stream, name)                                                                               \
  do {                                                                                                                 \
    stream = fake::streamOf(stream);                                                                                   \
    if (stream != fake::streamOf(fake::legacyHandle))                                                                  \
      FAKE_EXPECT_LIVE(stream, "stream", name);                                                                        \
  } while (false)

#define FAKE_EXPECT_CONTEXT(name)                                                                                      \
  do {                                                                                                                 \
    if (!fake::hasContext(name))                                                                                       \
      return CUDA_ERROR_INVALID_CONTEXT;                                                                               \
  } while (false)

#endif // RNN_UNITTESTS_RUNTIME_FAKEDRIVERSTATE_H
