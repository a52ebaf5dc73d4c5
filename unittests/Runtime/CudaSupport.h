// CudaSupport.h - shared parts of the tests of device `cuda`: the controls of the fake driver, and owners of handles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_CUDASUPPORT_H
#define RNN_UNITTESTS_RUNTIME_CUDASUPPORT_H

#include "FakeCuda/FakeDriver.h"
#include "StatusText.h"
#include "cuda/DriverApi.h"
#include "rnn_runtime/api.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace rnntest {

/// The controls of the fake library that the runtime loads.
struct FakeDriver {
#define RNN_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  FAKE_CUDA_CONTROLS(RNN_MEMBER)
#undef RNN_MEMBER
  /// The first call loads the fake and sets the path for the runtime.
  static const FakeDriver &get();

  /// Returns the number of log lines that begin with `prefix`.
  std::vector<std::string> lines(const std::string &prefix = "") const;
};

/// A device `cuda`, optionally a stream, and a call. Members are null after a creation failure.
class CudaCall {
public:
  explicit CudaCall(bool ownStream = false, const char *name = "cuda");
  ~CudaCall();
  CudaCall(const CudaCall &) = delete;

  /// Returns the failure of the creation or of the call: "CODE: message", "" for success.
  std::string failure() const;

  rnnrt_device_t *device = nullptr;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;

private:
  std::string creation;
};

/// Resets the fake before each test; afterwards checks for misuse and leaks.
class CudaTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;
  const FakeDriver &fake = FakeDriver::get();
};

} // namespace rnntest

#endif // RNN_UNITTESTS_RUNTIME_CUDASUPPORT_H
