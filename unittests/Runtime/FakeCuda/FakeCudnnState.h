// FakeCudnnState.h - objects, log and settings of the fake cuDNN, shared by its files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_FAKECUDNNSTATE_H
#define RNN_UNITTESTS_RUNTIME_FAKECUDNNSTATE_H

#include "FakeCudnn.h"

#include "core/Problem.h"
#include "cudnn/CudnnApi.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace rnnrt::cudnn {

struct HandleObject {
  cuda::CUstream stream = nullptr;
  std::atomic<int> users{0};
};

struct TensorObject {
  bool set = false;
  DataType type{};
  std::vector<int> dims, strides;
};

struct DropoutObject {
  bool set = false;
  float rate = 0;
  void *states = nullptr;
};

struct RnnObject {
  bool set = false;
  RnnAlgo algorithm{};
  /// The data descriptors provide steps and batch.
  RnnProblem problem;
  MathType math{};
  bool padded = false;
  DropoutDescriptor dropout = nullptr;
  int builtFor = 0; ///< batch of cudnnBuildRNNDynamic
  std::atomic<int> users{0};
};

struct RnnDataObject {
  bool set = false;
  DataType type{};
  DataLayout layout{};
  int steps = 0, batch = 0, width = 0;
  std::vector<int32_t> lengths;

  bool uniform() const;
};

} // namespace rnnrt::cudnn

namespace fake {

using namespace rnnrt::cudnn;

struct State {
  std::mutex mutex;
  std::string log, misuse, logCopy, misuseCopy;
  std::map<void *, const char *> live; ///< kind of each live object
  int64_t calls = 0, failAt = -1;
  uint32_t failWith = 0;
  int32_t layout = FAKE_CUDNN_DENSE, nullBase = FAKE_CUDNN_OFFSETS;
  std::map<int32_t, int32_t> denied; ///< unsupported steps of each algorithm
  uint64_t version = 91900;
};
State &state();

/// Message of the last failure of this thread.
extern thread_local std::string lastError;

/// Appends a line to the log.
__attribute__((format(printf, 1, 2))) void log(const char *format, ...);
__attribute__((format(printf, 1, 2))) void misuse(const char *format, ...);
/// Records a failure message and returns the failure.
__attribute__((format(printf, 2, 3))) Result fail(Result result, const char *format, ...);

/// Counts a call that can fail. Returns true if this call must fail with `result`.
bool chosenToFail(const char *name, Result &result);
bool isLive(void *object, const char *kind, const char *user);
bool denies(RnnAlgo algorithm, int32_t step);
/// Returns a small number for each stream, for the log, in the order of first use.
int streamNumber(rnnrt::cuda::CUstream stream);

/// Reports to the fake driver that work on `stream` uses the memory at `pointer` (null is allowed). The driver checks
/// that the memory is live and that no unordered work of another stream uses it.
void use(rnnrt::cuda::CUstream stream, const void *pointer, const char *user);

/// The problem of a run.
rnnrt::RnnProblem problemOf(const RnnObject &rnn, const RnnDataObject &x, bool training);
int32_t dtypeOf(DataType type);
/// Byte offsets of the canonical tensors in the buffer, in the order of canonicalSizes(), and the size of the buffer.
std::vector<int64_t> weightOffsets(const RnnObject &rnn, int64_t &bytes);
size_t workspaceSize(const RnnObject &rnn, const RnnDataObject &x);
size_t reserveSize(const RnnObject &rnn, const RnnDataObject &x);

} // namespace fake

#define FAKE_ENTER(name)                                                                                               \
  do {                                                                                                                 \
    Result chosen;                                                                                                     \
    if (fake::chosenToFail(name, chosen))                                                                              \
      return chosen;                                                                                                   \
  } while (false)

#define FAKE_EXPECT_LIVE(object, kind, name)                                                                           \
  do {                                                                                                                 \
    if (!fake::isLive(object, kind, name))                                                                             \
      return fake::fail(Result::BadParam, "%s: no live %s", name, kind);                                               \
  } while (false)

#endif // RNN_UNITTESTS_RUNTIME_FAKECUDNNSTATE_H
