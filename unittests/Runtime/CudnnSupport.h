// CudnnSupport.h - a network run on the device `cuda` with everything in the device's memory, beside the same network
// on the host. Uses the public interface alone, so it runs with the fakes and with a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_CUDNNSUPPORT_H
#define RNN_UNITTESTS_RUNTIME_CUDNNSUPPORT_H

#include "FakeCuda/FakeCudnn.h"
#include "FakeCuda/FakeDriver.h"
#include "TestSupport.h"

#include <cstdlib>
#include <memory>

namespace rnntest {

/// "CODE: message", "" for success. Takes the ownership.
std::string take(rnnrt_status_t status);

/// The controls of the fake that the runtime loads.
struct FakeCudnn {
#define RNN_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  FAKE_CUDNN_CONTROLS(RNN_MEMBER)
#undef RNN_MEMBER
  /// Where the tests' build put it; loaded at the first call.
  static const FakeCudnn &get();

  std::string log() const {
    return fake_cudnn_log();
  }
  /// Lines of the log that begin with `name` and hold `word`.
  int count(const std::string &name, const std::string &word = "") const;
};

/// The controls of the fake driver.
struct FakeDriver {
#define RNN_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  FAKE_CUDA_CONTROLS(RNN_MEMBER)
#undef RNN_MEMBER
  static const FakeDriver &get();
};

/// A device `cuda` and a call on it, with or without a stream of its own. A failure to make them is kept.
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

  /// Of the creation, or of the call.
  std::string message() const;
  rnnrt_status_code_t code() const { return rnnrt_status_code(rnnrt_call_status(call)); }

private:
  void makeCall(bool ownStream, int64_t dropoutDraw);
};

/// Memory of the device, with room to move its content away from an aligned place.
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

/// A case on both devices. The host's results are computed at once.
class CudnnProblem {
public:
  /// `offset`: bytes by which every operand and result is moved.
  CudnnProblem(CudaSession &session, const Case &c, int64_t offset = 0, int64_t dropoutDraw = -1);

  void forward(bool training = true);
  void backward(const std::string &only = "");
  /// The two steps of backward() by themselves.
  void backwardData(const std::string &only = "");
  void backwardWeights();
  /// Makes the plan, as forward() does.
  void makePlan(bool training);
  /// All three calls again on what is in the device's memory, without a copy: what a program captures into a graph.
  void enqueue(bool withLengths);
  /// What a buffer of the device holds, as `params` or `dparams` in cuDNN's layout.
  std::vector<double> read(const std::string &name);
  /// Every result is the host's, bit for bit but for the sign of zero: the fake computes on the host.
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
  /// The canonical tensors: sizes, and how many of them are weights.
  std::vector<int64_t> canonicalSizes(int64_t &weights) const;
  void packParams();
  void unpackGradient();

  CudaSession &session;
  const int64_t offset;
  std::map<std::string, std::unique_ptr<Buffer>> buffers;
};

/// A variable of the environment for the time of a test.
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

/// Starts with a clean fake and ends with nothing misused or left over.
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
