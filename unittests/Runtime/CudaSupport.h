// CudaSupport.h - what the tests of the device `cuda` share: the controls of the fake driver, and owners of handles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_CUDASUPPORT_H
#define RNN_UNITTESTS_RUNTIME_CUDASUPPORT_H

#include "FakeCuda/FakeDriver.h"
#include "cuda/DriverApi.h"
#include "rnn_runtime/api.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace rnntest {

/// "CODE: message", "" for success. Takes the ownership.
std::string take(rnnrt_status_t status);

/// The controls of the fake that the runtime loads.
struct FakeDriver {
#define RNN_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  FAKE_CUDA_CONTROLS(RNN_MEMBER)
#undef RNN_MEMBER
  /// Points the runtime to the fake, and loads it, at the first call.
  static const FakeDriver &get();

  /// The lines of the log that begin with `prefix`.
  std::vector<std::string> lines(const std::string &prefix = "") const;
};

/// A device `cuda`, a stream of its own when asked for, and a call, as far as they could be made.
class CudaCall {
public:
  explicit CudaCall(bool ownStream = false, const char *name = "cuda");
  ~CudaCall();
  CudaCall(const CudaCall &) = delete;

  /// Of the creation, or of the call: "CODE: message", "" for success.
  std::string failure() const;

  rnnrt_device_t *device = nullptr;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;

private:
  std::string creation;
};

/// Starts with a clean fake and ends with nothing misused or left over.
class CudaTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;
  const FakeDriver &fake = FakeDriver::get();
};

} // namespace rnntest

#endif // RNN_UNITTESTS_RUNTIME_CUDASUPPORT_H
