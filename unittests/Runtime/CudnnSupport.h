// CudnnSupport.h - runs a stack of recurrent layers on device `cuda` in device memory, and on the host for comparison.
// It uses only the public interface, so that it runs with the fakes and with a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_CUDNNSUPPORT_H
#define RNN_UNITTESTS_RUNTIME_CUDNNSUPPORT_H

#include "FakeCuda/FakeCudnn.h"
#include "FakeCuda/FakeDriver.h"
#include "StatusText.h"
#include "TestSupport.h"

#include <cstdlib>
#include <memory>

namespace rnntest {

/// The controls of the fake library that the runtime loads.
struct FakeCudnn {
#define RNN_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  FAKE_CUDNN_CONTROLS(RNN_MEMBER)
#undef RNN_MEMBER
  /// The library in the build tree, loaded at the first call.
  static const FakeCudnn &get();

  std::string log() const { return fake_cudnn_log(); }
  /// Returns the number of log lines that begin with `name` and contain `word`.
  int count(const std::string &name, const std::string &word = "") const;
};

/// The controls of the fake driver.
struct FakeDriver {
#define RNN_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  FAKE_CUDA_CONTROLS(RNN_MEMBER)
#undef RNN_MEMBER
  static const FakeDriver &get();
};

/// A device `cuda` and a call on it, with or without a stream. Stores the failure of their creation.
class CudaSession {
public:
  explicit CudaSession(bool ownStream = false, int64_t dropoutDraw = -1);
  /// Another call and stream on the device of `other`.
  CudaSession(const CudaSession &other, bool ownStream);
  ~CudaSession();
  CudaSession(const CudaSession &) = delete;

  rnnrt_device_t *device = nullptr;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;
  std::string failure;

  /// Returns the failure of the creation or of the call.
  std::string message() const;
  rnnrt_status_code_t code() const { return rnnrt_status_code(rnnrt_call_status(call)); }

private:
  void makeCall(bool ownStream, int64_t dropoutDraw);
};

/// Device memory, with space to store its content at an unaligned offset.
class Buffer {
public:
  Buffer(CudaSession &session, int64_t bytes, int64_t offset);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  void *data() const { return base ? static_cast<char *>(base) + offset : nullptr; }
  void upload(const void *source);
  void download(void *target) const;
  const int64_t bytes;

private:
  CudaSession &session;
  void *base = nullptr;
  const int64_t offset;
};

/// A case on both devices. The constructor computes the host's results.
class CudnnProblem {
public:
  /// `offset` is the byte offset of every operand and result.
  CudnnProblem(CudaSession &session, const Case &c, int64_t offset = 0, int64_t dropoutDraw = -1);

  void forward(bool training = true);
  void backward(const std::string &only = "");
  /// The two steps of backward().
  void backwardData(const std::string &only = "");
  void backwardWeights();
  /// Creates the plan, as forward() does.
  void makePlan(bool training);
  /// Enqueues all three passes on the data in device memory, without copies, as a program does in a capture.
  void enqueue(bool withLengths);
  /// Returns the content of a device buffer, e.g. `params` or `dparams` in cuDNN's layout.
  std::vector<double> read(const std::string &name);
  /// Checks that every result equals the host's, except for the sign of zero: the fake computes on the host.
  void expectHostResults(const Tensors &values, const Tensors &reference) const;
  void expectHostResults() const;

  const Case c;
  Session hostSession;
  Problem host;
  Tensors outputs, gradients;
  rnnrt_plan_t *plan = nullptr;
  std::vector<int32_t> lengths;
  std::unique_ptr<Buffer> reserve;

private:
  Buffer &buffer(const std::string &name, int64_t bytes);
  void *out(Tensors &tensors, const std::string &name, int64_t count, const std::string &only);
  void fetch(Tensors &tensors);
  void *upload(const std::string &name, const Tensor &tensor);
  const int32_t *uploadLengths();
  /// The sizes of the canonical tensors, and the number of weights among them.
  std::vector<int64_t> canonicalSizes(int64_t &weights) const;
  void packParams();
  void unpackGradient();

  CudaSession &session;
  const int64_t offset;
  std::map<std::string, std::unique_ptr<Buffer>> buffers;
};

/// Sets an environment variable for the duration of a test.
class Variable {
public:
  Variable(const char *name, const std::string &value) : name(name) {
    if (const char *text = std::getenv(name)) {
      old = text;
      had = true;
    }
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { had ? setenv(name, old.c_str(), 1) : unsetenv(name); }
  Variable(const Variable &) = delete;

private:
  const char *const name;
  std::string old;
  bool had = false;
};

/// Resets the fake before each test; afterwards checks for misuse and leaks.
class CudnnTest : public testing::Test {
protected:
  void SetUp() override {
    FakeCudnn::get().fake_cudnn_reset();
    FakeDriver::get().fake_cuda_reset();
  }
  void TearDown() override {
    EXPECT_STREQ(FakeCudnn::get().fake_cudnn_misuse(), "");
    EXPECT_EQ(FakeCudnn::get().fake_cudnn_live(), 0);
    EXPECT_STREQ(FakeDriver::get().fake_cuda_misuse(), "");
    EXPECT_EQ(FakeDriver::get().fake_cuda_live(nullptr), 0);
  }
};

} // namespace rnntest

#endif // RNN_UNITTESTS_RUNTIME_CUDNNSUPPORT_H
