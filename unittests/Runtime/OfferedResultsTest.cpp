// OfferedResultsTest.cpp - tests of rnnrt_call_offer_results: results in memory that the caller provides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace {

/// f() -> (tensor<?xf32>, tensor<?xf32>, f64)
class OfferedResultsTest : public ::testing::Test {
protected:
  OfferedResultsTest() {
    EXPECT_EQ(rnnrt_device_create("host", nullptr, &device), nullptr);
    EXPECT_EQ(rnnrt_call_create(device, nullptr, nullptr, &call), nullptr);
  }
  ~OfferedResultsTest() override {
    for (rnnrt_tensor_t *output : outputs)
      rnnrt_tensor_release(output);
    EXPECT_EQ(rnnrt_memory_live_bytes(), liveBytes);
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  static rnnrt_tensor_t vector(float *data, int64_t size) { return rnnrt_tensor_make(data, RNNRT_DTYPE_F32, 1, &size); }

  void offer(const rnnrt_tensor_t *y, const rnnrt_tensor_t *z, const rnnrt_tensor_t *d) {
    const rnnrt_tensor_t *tensors[] = {y, z, d};
    rnnrt_call_offer_results(call, tensors, 3);
  }
  int32_t enter() { return rnnrt_abi_enter(call, &function, nullptr, 0, outputs, 3, nullptr); }

  /// Returns `size` elements of each allocation.
  void leave(void *first, void *second, int64_t size) {
    int64_t y[5] = {reinterpret_cast<intptr_t>(first), reinterpret_cast<intptr_t>(first), 0, size, 1};
    int64_t z[5] = {reinterpret_cast<intptr_t>(second), reinterpret_cast<intptr_t>(second), 0, size, 1};
    double d = 0.5;
    void *slots[] = {y, z, &d};
    rnnrt_abi_leave(call, &function, outputs, slots);
  }

  std::string message() { return rnnrt_status_message(rnnrt_call_status(call)); }

  const int64_t liveBytes = rnnrt_memory_live_bytes();
  const int64_t anySize = -1;
  rnnrt_argument_t results[3] = {{"y", &anySize, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr},
                                 {"z", &anySize, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr},
                                 {"d", nullptr, RNNRT_DTYPE_F64, 0, RNNRT_ARGUMENT_SCALAR, 0, nullptr}};
  rnnrt_function_t function = {RNNRT_ABI_VERSION, 0, "f", nullptr, results, 0, 3, nullptr};
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_tensor_t y = {}, z = {}, d = {};
  rnnrt_tensor_t *outputs[3] = {&y, &z, &d};
  alignas(64) float first[5] = {}, second[5] = {};
};

TEST_F(OfferedResultsTest, CodeWritesToTheMemory) {
  double scalar = 0;
  const rnnrt_tensor_t forY = vector(first, 4), forD = rnnrt_tensor_make(&scalar, RNNRT_DTYPE_F64, 0, nullptr);
  offer(&forY, nullptr, &forD);
  ASSERT_EQ(enter(), 1) << message();
  EXPECT_EQ(rnnrt_abi_alloc_result(call, 0, 16), first);
  void *own = rnnrt_abi_alloc_result(call, 1, 16);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(own) % RNNRT_MEMORY_ALIGNMENT, 0U);
  first[2] = 5;
  leave(first, own, 4);
  ASSERT_EQ(message(), "");
  EXPECT_EQ(y.data, first);
  EXPECT_EQ(y.allocation, nullptr);
  EXPECT_EQ(y.shape[0], 4);
  EXPECT_EQ(z.allocation, own);
  EXPECT_EQ(d.data, &scalar);
  EXPECT_EQ(scalar, 0.5);
  for (rnnrt_tensor_t *output : outputs)
    rnnrt_tensor_release(output);
  EXPECT_EQ(first[2], 5);

  // The offer was for one function.
  ASSERT_EQ(enter(), 1) << message();
  void *again = rnnrt_abi_alloc_result(call, 0, 16);
  EXPECT_NE(again, first);
  leave(again, rnnrt_abi_alloc_result(call, 1, 16), 4);
  EXPECT_EQ(y.allocation, again);
}

/// Results that the code computed elsewhere: it has another size at first, the memory is not aligned, or both results
/// are one buffer.
TEST_F(OfferedResultsTest, OtherMemoryIsCopied) {
  const rnnrt_tensor_t forY = vector(first, 2), forZ = vector(second + 1, 2);
  offer(&forY, &forZ, nullptr);
  ASSERT_EQ(enter(), 1) << message();
  void *larger = rnnrt_abi_alloc_result(call, 0, 12);
  EXPECT_NE(larger, first);
  _mlir_memref_to_llvm_free(larger);
  auto *own = static_cast<float *>(rnnrt_abi_alloc_result(call, 1, 8));
  EXPECT_NE(own, second + 1);
  own[0] = 1, own[1] = 2;
  leave(own, own, 2);
  ASSERT_EQ(message(), "");
  EXPECT_EQ(y.data, first);
  EXPECT_EQ(z.data, second + 1);
  for (float *values : {first, second + 1}) {
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[1], 2);
    EXPECT_EQ(values[2], 0);
  }
}

TEST_F(OfferedResultsTest, EmptyResults) {
  const rnnrt_tensor_t none = vector(nullptr, 0);
  offer(&none, &none, nullptr);
  ASSERT_EQ(enter(), 1) << message();
  leave(rnnrt_abi_alloc_result(call, 0, 0), rnnrt_abi_alloc_result(call, 1, 0), 0);
  ASSERT_EQ(message(), "");
  EXPECT_EQ(y.data, nullptr);
  EXPECT_EQ(y.shape[0], 0);
}

/// A function that calls another one with the same call: the memory is for its own results.
TEST_F(OfferedResultsTest, NestedFunctions) {
  const rnnrt_tensor_t forY = vector(first, 4);
  offer(&forY, nullptr, nullptr);
  ASSERT_EQ(enter(), 1) << message();
  rnnrt_tensor_t inner[3];
  {
    rnnrt_tensor_t *outer[3] = {&inner[0], &inner[1], &inner[2]};
    std::swap(outputs, outer);
    ASSERT_EQ(enter(), 1) << message();
    void *memory = rnnrt_abi_alloc_result(call, 0, 16);
    EXPECT_NE(memory, first);
    leave(memory, rnnrt_abi_alloc_result(call, 1, 16), 4);
    std::swap(outputs, outer);
  }
  for (rnnrt_tensor_t &result : inner)
    rnnrt_tensor_release(&result);
  EXPECT_EQ(rnnrt_abi_alloc_result(call, 0, 16), first);
  leave(first, rnnrt_abi_alloc_result(call, 1, 16), 4);
  EXPECT_EQ(message(), "");
  EXPECT_EQ(y.data, first);
}

/// A function that an allocation ends.
TEST_F(OfferedResultsTest, ExecutionEnds) {
  const rnnrt_tensor_t forY = vector(first, 4);
  auto body = [](rnnrt_call_t *call, void *const *, void *const *) {
    rnnrt_abi_alloc_result(call, 0, 16);
    rnnrt_abi_alloc_result(call, 1, INT64_MAX);
  };
  for (int attempt = 0; attempt < 2; ++attempt) {
    offer(&forY, nullptr, nullptr);
    ASSERT_EQ(enter(), 1) << message();
    EXPECT_EQ(rnnrt_abi_execute(call, &function, body, nullptr, nullptr), 0);
    EXPECT_EQ(rnnrt_status_code(rnnrt_call_status(call)), RNNRT_STATUS_RESOURCE_EXHAUSTED);
    EXPECT_EQ(y.data, nullptr);
    rnnrt_call_reset(call);
  }
}

TEST_F(OfferedResultsTest, AFailureEmptiesResults) {
  const rnnrt_tensor_t forY = vector(first, 4);
  offer(&forY, nullptr, nullptr);
  ASSERT_EQ(enter(), 1) << message();
  void *memory = rnnrt_abi_alloc_result(call, 0, 16), *own = rnnrt_abi_alloc_result(call, 1, 16);
  EXPECT_EQ(memory, first);
  rnnrt_abi_expect_equal(call, 1, 2, "a size");
  leave(memory, own, 4);
  EXPECT_EQ(message(), "a size: expected 2, but got 1");
  for (rnnrt_tensor_t *output : outputs)
    EXPECT_EQ(output->data, nullptr);
}

TEST_F(OfferedResultsTest, Errors) {
  auto expectRefused = [&](const std::string &expected) {
    EXPECT_EQ(enter(), 0);
    EXPECT_EQ(message(), expected);
    rnnrt_call_reset(call);
  };
  const int64_t sizes[2] = {2, 2};
  const rnnrt_tensor_t matrix = rnnrt_tensor_make(first, RNNRT_DTYPE_F32, 2, sizes);
  const rnnrt_tensor_t wide = rnnrt_tensor_make(first, RNNRT_DTYPE_F64, 1, sizes);
  rnnrt_tensor_t deep = matrix;
  deep.rank = RNNRT_MAX_RANK + 1;
  const rnnrt_tensor_t nowhere = vector(nullptr, 2), right = vector(first, 4);
  const std::string returns = "result 1 (`z`) of `f`: the function returns tensor<?xf32>, but memory was offered for ";
  offer(nullptr, &matrix, nullptr);
  expectRefused(returns + "tensor<2x2xf32>");
  offer(nullptr, &wide, nullptr);
  expectRefused(returns + "tensor<2xf64>");
  offer(nullptr, &deep, nullptr);
  expectRefused(returns + "rank 9");
  offer(nullptr, &nowhere, nullptr);
  expectRefused("result 1 (`z`) of `f`: the offered memory is a null pointer");
  offer(nullptr, nullptr, &right);
  expectRefused("result 2 (`d`) of `f`: the function returns a scalar f64, but memory was offered for tensor<4xf32>");
  const int64_t fixed = 3;
  results[0].shape = &fixed;
  offer(&right, nullptr, nullptr);
  expectRefused("result 0 (`y`) of `f`: the function returns tensor<3xf32>, but memory was offered for tensor<4xf32>");
  results[0].shape = &anySize;
  const rnnrt_tensor_t *one[] = {&right};
  rnnrt_call_offer_results(call, one, 1);
  expectRefused("`f` has 3 result(s), but memory was offered for 1");
  rnnrt_call_offer_results(call, nullptr, 2);
  expectRefused("expects the tensors of 2 results, but got a null pointer");
  rnnrt_call_offer_results(call, one, -1);
  expectRefused("expects the tensors of -1 results, but got a negative number");
  rnnrt_call_offer_results(nullptr, one, 1);

  // A shape that only the function knows.
  offer(&right, nullptr, nullptr);
  ASSERT_EQ(enter(), 1) << message();
  leave(rnnrt_abi_alloc_result(call, 0, 12), rnnrt_abi_alloc_result(call, 1, 12), 3);
  EXPECT_EQ(message(), "result 0 (`y`) of `f` is tensor<3xf32>, but the caller expects tensor<4xf32>");
  EXPECT_EQ(y.data, nullptr);
  rnnrt_call_reset(call);

  // A reset withdraws an offer.
  offer(&right, nullptr, nullptr);
  rnnrt_call_reset(call);
  ASSERT_EQ(enter(), 1) << message();
  void *own = rnnrt_abi_alloc_result(call, 0, 16);
  EXPECT_NE(own, first);
  leave(own, rnnrt_abi_alloc_result(call, 1, 16), 4);
}

TEST(OfferedResults, DeviceMemory) {
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  ASSERT_EQ(rnnrt_device_create("simt", nullptr, &device), nullptr);
  ASSERT_EQ(rnnrt_call_create(device, nullptr, nullptr, &call), nullptr);
  const int64_t size = 2;
  float values[2];
  const rnnrt_argument_t result = {"y", &size, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr};
  const rnnrt_function_t function = {
      RNNRT_ABI_VERSION, RNNRT_FUNCTION_DEVICE_MEMORY, "f", nullptr, &result, 0, 1, nullptr};
  const rnnrt_tensor_t memory = rnnrt_tensor_make(values, RNNRT_DTYPE_F32, 1, &size), *memories[] = {&memory};
  rnnrt_tensor_t y, *outputs[] = {&y};
  rnnrt_call_offer_results(call, memories, 1);
  EXPECT_EQ(rnnrt_abi_enter(call, &function, nullptr, 0, outputs, 1, nullptr), 0);
  EXPECT_EQ(rnnrt_status_code(rnnrt_call_status(call)), RNNRT_STATUS_UNIMPLEMENTED);
  EXPECT_STREQ(
      rnnrt_status_message(rnnrt_call_status(call)),
      "memory was offered for the results of `f`, but they are in device memory; use a module that writes to memref "
      "arguments instead");
  rnnrt_call_release(call);
  rnnrt_device_release(device);
}

} // namespace
