// TvmFfiCudaTest.cpp - functions of target cuda by the packed calling convention of tvm-ffi, on the fake driver and on
// the stream of a fake environment of tvm-ffi. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"
#include "TvmFfiLayouts.h"

#include <dlfcn.h>

#include <cstring>

using namespace rnntest;

namespace {

std::string raised;
void *environmentStream = nullptr;
DLManagedTensor *made = nullptr;

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  raised = std::string(kind) + ": " + message;
}
FAKE void *TVMFFIEnvGetStream(int32_t deviceType, int32_t) {
  EXPECT_EQ(deviceType, 2);
  return environmentStream;
}
FAKE int TVMFFITensorFromDLPack(DLManagedTensor *from, int32_t, int32_t, void **out) {
  *out = made = from;
  return 0;
}

namespace {

const int64_t vectorShape[1] = {-1};
const rnnrt_argument_t vectors[] = {{"x", vectorShape, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr},
                                    {"y", vectorShape, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr}};

/// Copies `x` to `y` and returns a copy, on the stream of the call.
void copy(rnnrt_call_t *call, const rnnrt_tensor_t *const *inputs, int64_t, rnnrt_tensor_t *const *outputs,
          int64_t count) {
  const int64_t bytes = inputs[0]->shape[0] * 4;
  rnnrt_abi_copy(call, inputs[0]->data, inputs[1]->data, bytes);
  for (int64_t k = 0; k < count; ++k) {
    *outputs[k] = rnnrt_tensor_make(rnnrt_abi_alloc(call, bytes), RNNRT_DTYPE_F32, 1, inputs[0]->shape);
    outputs[k]->allocation = outputs[k]->data;
    outputs[k]->device = rnnrt_call_device(call);
    rnnrt_device_retain(outputs[k]->device);
    rnnrt_abi_copy(call, inputs[0]->data, outputs[k]->data, bytes);
  }
}
const rnnrt_function_t writes = {
    RNNRT_ABI_VERSION, RNNRT_FUNCTION_DEVICE_MEMORY, "writes", vectors, nullptr, 2, 0, copy};
const rnnrt_function_t returns = {
    RNNRT_ABI_VERSION, RNNRT_FUNCTION_DEVICE_MEMORY, "returns", vectors, vectors, 2, 1, copy};

/// The devices of calls by tvm-ffi live as long as the process, so this test does not check for leaks.
class TvmFfiCudaTest : public testing::Test {
protected:
  void SetUp() override {
    fake.fake_cuda_reset();
    fake.fake_cuda_set_devices(2);
    raised = "";
    for (int k = 0; k < 2; ++k) {
      arguments[k].type = 7;
      arguments[k].pointer = &tensors[k];
    }
  }
  void TearDown() override {
    EXPECT_STREQ(fake.fake_cuda_misuse(), "");
    fake.fake_cuda_reset();
  }
  int32_t call(const rnnrt_function_t &function) { return rnnrt_abi_tvm_ffi_call(&function, arguments, 2, &result); }

  const FakeDriver &fake = FakeDriver::get();
  float data[2][3] = {{1, 2, 3}, {}};
  int64_t shape[1] = {3};
  DLTensor tensors[2] = {{data[0], 2, 1, 1, 2, 32, 1, shape, nullptr, 0},
                         {data[1], 2, 1, 1, 2, 32, 1, shape, nullptr, 0}};
  Any arguments[2], result;
};

TEST_F(TvmFfiCudaTest, RunsOnTheStreamOfTheEnvironment) {
  CudaCall other(/*ownStream=*/true, "cuda:1");
  ASSERT_EQ(other.failure(), "");
  environmentStream = rnnrt_stream_native(other.stream);
  EXPECT_EQ(call(writes), 0) << raised;
  EXPECT_EQ(data[1][2], 3);
  fake.fake_cuda_reset();
  fake.fake_cuda_set_devices(2);
  EXPECT_EQ(call(returns), 0) << raised;
  const std::vector<std::string> lines = fake.lines("cu");
  ASSERT_EQ(lines.size(), 3u);
  for (const std::string &line : lines)
    EXPECT_NE(line.find(" stream=3 "), std::string::npos) << line; // the third one of `other`
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->tensor.deviceType, 2);
  EXPECT_EQ(made->tensor.deviceId, 1);
  EXPECT_EQ(static_cast<float *>(made->tensor.data)[1], 2);
  made->deleter(made);
  // Without a stream: CUDA's default stream.
  environmentStream = nullptr;
  fake.fake_cuda_reset();
  fake.fake_cuda_set_devices(2);
  EXPECT_EQ(call(writes), 0) << raised;
  EXPECT_EQ(fake.lines("cu"), std::vector<std::string>{"cuMemcpyAsync stream=0 bytes=12"});
}

TEST_F(TvmFfiCudaTest, DevicesAreChecked) {
  environmentStream = nullptr;
  tensors[1].deviceId = 0;
  EXPECT_EQ(call(writes), -1);
  EXPECT_EQ(raised, "ValueError: argument 1 (`y`) of `writes` is on another GPU than the tensors before it");
  tensors[1].deviceType = 1;
  EXPECT_EQ(call(writes), -1);
  EXPECT_EQ(raised, "ValueError: argument 1 (`y`) of `writes` must be in CUDA device memory");
  tensors[1].deviceType = 2;
  tensors[0].deviceId = tensors[1].deviceId = 5;
  EXPECT_EQ(call(writes), -1);
  EXPECT_EQ(raised.rfind("RuntimeError: device `cuda:5` is not available", 0), 0u) << raised;
}

} // namespace
