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

/// How far each stream (by number) had got, as far as somebody knows: a vector clock.
using Clock = std::map<int, int64_t>;

struct CUctx_st {
  int device = 0;
};

struct CUstream_st {
  int number = 0;
  Clock clock;
  CUgraph capture = nullptr; ///< what it is being captured into
};

struct CUevent_st {
  bool timed = false, recorded = false;
  double time = 0;
  Clock clock;
};

struct CUgraph_st {
  std::vector<std::function<void()>> work;
};

struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
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
};

} // namespace rnnrt::cuda

namespace fake {

using namespace rnnrt::cuda;

/// One allocation, and which work uses it.
struct Block {
  size_t bytes = 0;
  CUmemoryPool pool = nullptr;
  int stream = 0;   ///< that it was allocated on
  int64_t time = 0; ///< when, on that stream
  Clock lastUse;    ///< by stream
};

/// 132, or what the environment says, for programs that cannot ask the fake.
inline int32_t readForClusters() {
  const char *text = std::getenv("FAKE_CUDA_FOR_CLUSTERS");
  return text ? std::atoi(text) : 132;
}

/// Guarded by its mutex, which FAKE_ENTER takes.
struct State {
  std::recursive_mutex mutex;
  std::string log, misuse, failed, logCopy, misuseCopy;
  std::map<void *, std::string> live; ///< object to its kind
  std::map<char *, Block> blocks;
  std::map<char *, size_t> regions; ///< registered memory of the host
  std::map<std::string, fake_cuda_kernel_t> kernels;
  std::map<int, std::pair<int, std::unique_ptr<CUctx_st>>> contexts; ///< by device, with the number of owners
  std::set<int> streamNumbers;                                       ///< of the live ones
  Clock host;                                                        ///< what the program has waited for
  int64_t calls = 0, failAt = -1;
  uint32_t failWith = 0;
  int32_t devices = 1, capability = 90, streams = 0, capturing = 0;
  int64_t memory = int64_t(8) << 30, used = 0;
  int32_t forClusters = readForClusters(); ///< multiprocessors that may hold blocks of clusters
};
State &state();

/// The contexts that this thread made current.
std::vector<CUcontext> &contextStack();

__attribute__((format(printf, 1, 2))) void log(const char *format, ...);
__attribute__((format(printf, 1, 2))) void misuse(const char *format, ...);

/// Counts a call that may fail; true when it is this one's turn, and `result` is what it returns.
bool chosenToFail(const char *name, CUresult &result);
bool isLive(const void *object, const char *kind, const char *user);
/// A call that works in the current context: there must be one.
bool hasContext(const char *user);

/// Begins an operation on `stream`, which is live, and returns its time.
int64_t step(CUstream stream);
void join(Clock &clock, const Clock &other);
/// Whether who has `clock` comes after `time` of `stream`; a stream that was destroyed is done.
bool isAfter(const Clock &clock, int stream, int64_t time);
/// Work on `stream` uses the memory at `pointer`: it was allocated before, and not freed. Host memory is all right.
void use(CUstream stream, const void *pointer, size_t bytes, const char *user);
/// The allocation that holds `pointer`, or the end.
std::map<char *, Block>::iterator blockOf(const void *pointer);
/// Does `work` now, or puts it in the graph that the stream is being captured into.
void enqueue(CUstream stream, std::function<void()> work);

/// Puts an object among the living, and takes it away.
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

/// At the start of a function that can fail.
#define FAKE_ENTER(name)                                                                                               \
  std::lock_guard<std::recursive_mutex> fakeLock(fake::state().mutex);                                                 \
  do {                                                                                                                 \
    CUresult chosen;                                                                                                   \
    if (fake::chosenToFail(name, chosen))                                                                              \
      return chosen;                                                                                                   \
  } while (false)

/// At the start of a function that gives something back.
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

#define FAKE_EXPECT_CONTEXT(name)                                                                                      \
  do {                                                                                                                 \
    if (!fake::hasContext(name))                                                                                       \
      return CUDA_ERROR_INVALID_CONTEXT;                                                                               \
  } while (false)

#endif // RNN_UNITTESTS_RUNTIME_FAKEDRIVERSTATE_H
