// BoundaryTest.cpp - unit tests of rnnrt_abi_enter and rnnrt_abi_leave: descriptors, ownership, device memory (with
// device `simt`), and random arguments. test/Integration/Aot tests the behavior for callers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace {

/// f(x: tensor<2x?xf32>, k: i64, u: tensor<*xf64>) -> (tensor<?xf32>, tensor<?xf32>, f64)
struct Function {
  int64_t matrix[2] = {2, -1}, vector[1] = {-1};
  rnnrt_argument_t inputs[3] = {{"x", matrix, RNNRT_DTYPE_F32, 2, RNNRT_ARGUMENT_TENSOR, 0, nullptr},
                                {"", nullptr, RNNRT_DTYPE_I64, 0, RNNRT_ARGUMENT_SCALAR, 0, nullptr},
                                {"u", nullptr, RNNRT_DTYPE_F64, -1, RNNRT_ARGUMENT_UNRANKED, 0, nullptr}};
  rnnrt_argument_t outputs[3] = {{"y", vector, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr},
                                 {"z", vector, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr},
                                 {"d", nullptr, RNNRT_DTYPE_F64, 0, RNNRT_ARGUMENT_SCALAR, 0, nullptr}};
  rnnrt_function_t function = {RNNRT_ABI_VERSION, 0, "f", inputs, outputs, 3, 3, nullptr};
};

class BoundaryTest : public ::testing::TestWithParam<bool> {
protected:
  BoundaryTest() {
    // Device `simt` uses host memory, so that functions for either kind of memory run on it.
    EXPECT_EQ(rnnrt_device_create("simt", nullptr, &device), nullptr);
    EXPECT_EQ(rnnrt_call_create(device, nullptr, nullptr, &call), nullptr);
    if (GetParam())
      signature.function.flags = RNNRT_FUNCTION_DEVICE_MEMORY;
  }
  ~BoundaryTest() override {
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  /// Allocates memory as compiled code does.
  void *allocate(int64_t bytes) {
    return GetParam() ? rnnrt_abi_alloc(call, bytes) : _mlir_memref_to_llvm_alloc(bytes);
  }

  int64_t liveBytes() {
    rnnrt_memory_stats_t stats;
    EXPECT_EQ(rnnrt_memory_stats(device, &stats), nullptr);
    return stats.live_bytes + rnnrt_memory_live_bytes();
  }

  int32_t enter(const rnnrt_tensor_t *x, const rnnrt_tensor_t *k, const rnnrt_tensor_t *u) {
    const rnnrt_tensor_t *inputs[] = {x, k, u};
    return rnnrt_abi_enter(call, &signature.function, inputs, 3, outputs, 3, slots);
  }

  /// Fills descriptors of one-dimensional results with `size` elements of each allocation.
  void leave(void *first, void *second, int64_t offset, int64_t size) {
    int64_t y[5] = {reinterpret_cast<intptr_t>(first), reinterpret_cast<intptr_t>(first), 0, size, 1};
    int64_t z[5] = {reinterpret_cast<intptr_t>(second), reinterpret_cast<intptr_t>(second), offset, size, 1};
    double d = 0.5;
    void *results[] = {y, z, &d};
    rnnrt_abi_leave(call, &signature.function, outputs, results);
  }

  std::string message() { return rnnrt_status_message(rnnrt_call_status(call)); }

  Function signature;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  float numbers[6] = {1, 2, 3, 4, 5, 6};
  double wide[2] = {1, 2};
  int64_t k = 42, xShape[2] = {2, 3}, uShape[3] = {1, 2, 1};
  rnnrt_tensor_t x = rnnrt_tensor_make(numbers, RNNRT_DTYPE_F32, 2, xShape);
  rnnrt_tensor_t scalar = rnnrt_tensor_make(&k, RNNRT_DTYPE_I64, 0, nullptr);
  rnnrt_tensor_t u = rnnrt_tensor_make(wide, RNNRT_DTYPE_F64, 3, uShape);
  rnnrt_tensor_t y, z, d;
  rnnrt_tensor_t *outputs[3] = {&y, &z, &d};
  int64_t xSlot[7] = {}, kSlot[1] = {}, uSlot[21] = {};
  void *slots[3] = {xSlot, kSlot, uSlot};
};

TEST_P(BoundaryTest, ArgumentsBecomeDescriptors) {
  std::memset(&y, 0x77, sizeof(y));
  ASSERT_EQ(enter(&x, &scalar, &u), 1) << message();
  EXPECT_EQ(y.data, nullptr);
  EXPECT_EQ(y.allocation, nullptr);
  auto address = reinterpret_cast<intptr_t>(numbers);
  EXPECT_EQ(std::vector<int64_t>(xSlot, xSlot + 7), (std::vector<int64_t>{address, address, 0, 2, 3, 3, 1}));
  EXPECT_EQ(kSlot[0], 42);
  EXPECT_EQ(uSlot[0], 3);
  EXPECT_EQ(uSlot[1], reinterpret_cast<intptr_t>(uSlot + 2));
  EXPECT_EQ(std::vector<int64_t>(uSlot + 4, uSlot + 11), (std::vector<int64_t>{0, 1, 2, 1, 2, 1, 1}));
}

TEST_P(BoundaryTest, ResultsOwnTheirMemory) {
  int64_t before = liveBytes();
  ASSERT_EQ(enter(&x, &scalar, &u), 1) << message();
  auto *first = static_cast<float *>(allocate(16)), *second = static_cast<float *>(allocate(16));
  for (int index = 0; index < 4; ++index)
    first[index] = float(index), second[index] = float(10 + index);
  leave(first, second, /*offset=*/1, /*size=*/3);
  ASSERT_EQ(message(), "");
  EXPECT_EQ(y.data, first);
  EXPECT_EQ(z.data, second + 1);
  EXPECT_EQ(z.allocation, second);
  EXPECT_EQ(z.shape[0], 3);
  EXPECT_EQ(z.device, GetParam() ? device : nullptr);
  EXPECT_EQ(*static_cast<double *>(d.data), 0.5);
  EXPECT_EQ(d.device, nullptr) << "scalars are in host memory";
  EXPECT_GT(liveBytes(), before);
  for (rnnrt_tensor_t *output : outputs)
    rnnrt_tensor_release(output);
  EXPECT_EQ(liveBytes(), before);
}

TEST_P(BoundaryTest, OneBufferForTwoResultsIsCopied) {
  int64_t before = liveBytes();
  ASSERT_EQ(enter(&x, &scalar, &u), 1) << message();
  auto *shared = static_cast<float *>(allocate(16));
  for (int index = 0; index < 4; ++index)
    shared[index] = float(index);
  leave(shared, shared, /*offset=*/2, /*size=*/2);
  ASSERT_EQ(message(), "");
  EXPECT_NE(y.allocation, z.allocation);
  rnnrt_tensor_release(&y);
  EXPECT_EQ(static_cast<float *>(z.data)[0], 2.0f);
  EXPECT_EQ(static_cast<float *>(z.data)[1], 3.0f);
  rnnrt_tensor_release(&z);
  rnnrt_tensor_release(&d);
  EXPECT_EQ(liveBytes(), before);
}

TEST_P(BoundaryTest, AResultIsNoArgumentAndNoOtherResult) {
  const rnnrt_tensor_t *inputs[] = {&x, &scalar, &u};
  rnnrt_tensor_t *isArgument[] = {&y, &x, &d}, *isResult[] = {&y, &z, &y};
  std::memset(&y, 0x77, sizeof(y));
  const rnnrt_tensor_t before = y;
  EXPECT_EQ(rnnrt_abi_enter(call, &signature.function, inputs, 3, isArgument, 3, slots), 0);
  EXPECT_EQ(message(),
            "result 1 (`z`) of `f`: the tensor is also argument 0 (`x`) of `f`; a result is new memory, pass another "
            "tensor");
  EXPECT_EQ(x.data, numbers);
  EXPECT_EQ(std::memcmp(&y, &before, sizeof(y)), 0);
  // A call that has failed must not empty them either.
  EXPECT_EQ(rnnrt_abi_enter(call, &signature.function, inputs, 3, isArgument, 3, slots), 0);
  EXPECT_EQ(x.data, numbers);
  rnnrt_call_reset(call);
  EXPECT_EQ(rnnrt_abi_enter(call, &signature.function, inputs, 3, isResult, 3, slots), 0);
  EXPECT_EQ(message(),
            "result 2 (`d`) of `f`: the tensor is also result 0 (`y`) of `f`; a result is new memory, pass another "
            "tensor");
}

TEST_P(BoundaryTest, AFailureFreesResults) {
  int64_t before = liveBytes();
  for (bool shared : {false, true}) {
    ASSERT_EQ(enter(&x, &scalar, &u), 1) << message();
    void *first = allocate(16), *second = shared ? first : allocate(16);
    rnnrt_abi_expect_equal(call, 1, 2, "a size");
    leave(first, second, 0, 4);
    EXPECT_EQ(message(), "a size: expected 2, but got 1");
    for (rnnrt_tensor_t *output : outputs)
      EXPECT_EQ(output->allocation, nullptr);
    rnnrt_call_reset(call);
    EXPECT_EQ(liveBytes(), before);
  }
}

TEST_P(BoundaryTest, ResultsMustBeDense) {
  int64_t before = liveBytes();
  ASSERT_EQ(enter(&x, &scalar, &u), 1) << message();
  void *first = allocate(16), *second = allocate(64);
  int64_t yWords[5] = {reinterpret_cast<intptr_t>(first), reinterpret_cast<intptr_t>(first), 0, 4, 1};
  int64_t zWords[5] = {reinterpret_cast<intptr_t>(second), reinterpret_cast<intptr_t>(second), 0, 4, 2};
  double value = 1;
  void *results[] = {yWords, zWords, &value};
  rnnrt_abi_leave(call, &signature.function, outputs, results);
  EXPECT_EQ(message(), "result 1 (`z`) of `f` is not dense; return a copy of it");
  EXPECT_EQ(liveBytes(), before);
}

TEST_P(BoundaryTest, RandomArgumentsNeverCrash) {
  std::mt19937_64 random(7);
  int64_t sizes[] = {0, 1, 2, 3, -1, INT64_MIN, INT64_MAX, int64_t(1) << 32, int64_t(1) << 61};
  auto pick = [&](int64_t low, int64_t high) { return low + int64_t(random() % uint64_t(high - low + 1)); };
  int entered = 0;
  for (int run = 0; run < 100000; ++run) {
    rnnrt_tensor_t noise[3] = {x, scalar, u};
    // Randomize one field of one argument, or all of them.
    for (rnnrt_tensor_t &tensor : noise) {
      bool all = pick(0, 9) == 0;
      if (all || pick(0, 3) == 0)
        tensor.rank = int32_t(pick(-2, 10));
      if (all || pick(0, 5) == 0)
        tensor.dtype = int32_t(pick(-2, 10));
      if (all || pick(0, 5) == 0)
        tensor.data = pick(0, 1) ? nullptr : reinterpret_cast<char *>(numbers) + pick(0, 7);
      if (all || pick(0, 2) == 0)
        tensor.shape[pick(0, 7)] = sizes[pick(0, 8)];
    }
    // Aligned data pointers may be accepted. Scalars are read, so that their pointers must be valid.
    entered += enter(&noise[0], &noise[1], &noise[2]);
    rnnrt_call_reset(call);
  }
  EXPECT_GT(entered, 1000);
  EXPECT_LT(entered, 99000);
}

INSTANTIATE_TEST_SUITE_P(HostAndDeviceMemory, BoundaryTest, ::testing::Bool(),
                         [](const auto &info) { return info.param ? "device" : "host"; });

TEST(BoundaryDevices, MemoryAndDeviceMustFit) {
  rnnrt_device_t *host = nullptr;
  rnnrt_call_t *call = nullptr;
  ASSERT_EQ(rnnrt_device_create("host", nullptr, &host), nullptr);
  ASSERT_EQ(rnnrt_call_create(host, nullptr, nullptr, &call), nullptr);
  rnnrt_function_t function = {RNNRT_ABI_VERSION, RNNRT_FUNCTION_DEVICE_MEMORY, "f", nullptr, nullptr, 0, 0, nullptr};
  EXPECT_EQ(rnnrt_abi_enter(call, &function, nullptr, 0, nullptr, 0, nullptr), 0);
  EXPECT_STREQ(rnnrt_status_message(rnnrt_call_status(call)),
               "`f` was compiled for tensors in device memory, but the call is on device `host`");
  rnnrt_call_reset(call);
  EXPECT_EQ(rnnrt_abi_enter(call, nullptr, nullptr, 0, nullptr, 0, nullptr), 0);
  EXPECT_STREQ(rnnrt_status_message(rnnrt_call_status(call)), "expects a function, but got a null pointer");
  EXPECT_EQ(rnnrt_abi_enter(nullptr, &function, nullptr, 0, nullptr, 0, nullptr), 0);
  rnnrt_status_t lent = rnnrt_call_status(nullptr);
  EXPECT_EQ(rnnrt_status_code(lent), RNNRT_STATUS_INVALID_ARGUMENT);
  rnnrt_status_release(lent); // releasing a borrowed static status is allowed
  EXPECT_STREQ(rnnrt_status_message(rnnrt_call_status(nullptr)), "expects `call`, but got a null pointer");
  rnnrt_tensor_release(nullptr);
  rnnrt_call_release(call);
  rnnrt_device_release(host);
}

} // namespace
