// FaultTest.cpp - every host allocation of a scenario fails once. The scenario returns a status or the right result, no
// memory is lost, and the next run is right.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FaultInjection.h"
#include "core/DLPack.h"
#include "core/ThreadPool.h"
#include "rnn_runtime/api.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

using namespace rnntest;
using rnnrt::DLManagedTensor;

namespace {

/// The code of a status, which is released.
rnnrt_status_code_t codeOf(rnnrt_status_t status) {
  const rnnrt_status_code_t code = rnnrt_status_code(status);
  rnnrt_status_release(status);
  return code;
}

/// A device and a call, created without allocations of the test.
struct Host {
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_status_code_t code;

  explicit Host(const char *name = "host", const rnnrt_device_options_t *options = nullptr)
      : code(codeOf(rnnrt_device_create(name, options, &device))) {
    if (code == RNNRT_STATUS_OK)
      code = codeOf(rnnrt_call_create(device, nullptr, nullptr, &call));
  }
  ~Host() {
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }
  /// The code of the creation, or of the call.
  rnnrt_status_code_t result() const {
    return code != RNNRT_STATUS_OK ? code : rnnrt_status_code(rnnrt_call_status(call));
  }
};

/// Runs `scenario` with each allocation failing once. The scenario writes `result`, which must be that of a run without
/// faults if the status is OK.
void failEveryAllocation(std::vector<float> &result, const std::function<rnnrt_status_code_t()> &scenario) {
  ASSERT_EQ(scenario(), RNNRT_STATUS_OK);
  const std::vector<float> expected = result;
  const int64_t live = rnnrt_memory_live_bytes();
  int64_t n = 0;
  for (bool isReached = true; isReached; ++n) {
    ASSERT_LT(n, 100000);
    std::fill(result.begin(), result.end(), std::nanf(""));
    rnnrt_status_code_t code;
    {
      Fault fault(Fault::Allocation, n);
      code = scenario();
      isReached = fault.hasHappened();
    }
    if (code == RNNRT_STATUS_OK)
      EXPECT_EQ(result, expected) << n;
    else
      EXPECT_EQ(code, RNNRT_STATUS_RESOURCE_EXHAUSTED) << n;
    if (!isReached)
      EXPECT_EQ(code, RNNRT_STATUS_OK);
    EXPECT_EQ(rnnrt_memory_live_bytes(), live) << n;
    EXPECT_EQ(scenario(), RNNRT_STATUS_OK) << n;
    EXPECT_EQ(result, expected) << n;
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(n, 3);
}

void fill(std::vector<float> &values, int seed) {
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = float((k * 37 + size_t(seed) * 11) % 101) / 101 - 0.5f;
}

//===-- Plans ----------------------------------------------------------------------------------------------------===//

TEST(FaultTest, Stack) {
  constexpr int64_t T = 3, B = 2, I = 4, H = 5, L = 2;
  const int32_t lengths[B] = {3, 1};
  std::vector<float> x(T * B * I), h(L * B * H), params(1024), y(T * B * H), hn(L * B * H), cn(L * B * H);
  std::vector<char> reserve(1 << 16);
  std::vector<float> result(x.size() + 2 * h.size() + params.size());
  fill(x, 1), fill(h, 2), fill(params, 3);
  float *dx = result.data(), *dh = dx + x.size(), *dc = dh + h.size(), *dparams = dc + h.size();
  failEveryAllocation(result, [&] {
    Host host;
    if (host.code != RNNRT_STATUS_OK)
      return host.code;
    rnnrt_call_t *call = host.call;
    rnnrt_plan_t *plan = rnnrt_abi_rnn_plan(call, RNNRT_DTYPE_F32, 2, 0, 0, 1, 0, 0.5, 7, 8, T, B, I, H, H, L);
    const int64_t elements = rnnrt_abi_rnn_params_size(call, plan), bytes = rnnrt_abi_rnn_reserve_size(call, plan);
    if (elements > int64_t(params.size()) || bytes > int64_t(reserve.size()))
      return RNNRT_STATUS_INTERNAL;
    rnnrt_abi_rnn_forward(call, plan, lengths, x.data(), h.data(), h.data(), params.data(), elements, y.data(),
                          hn.data(), cn.data(), reserve.data(), bytes);
    rnnrt_abi_rnn_backward_data(call, plan, lengths, x.data(), h.data(), h.data(), params.data(), elements, y.data(),
                                y.data(), hn.data(), cn.data(), dx, dh, dc, reserve.data(), bytes);
    rnnrt_abi_rnn_backward_weights(call, plan, lengths, x.data(), h.data(), y.data(), dparams, elements, reserve.data(),
                                   bytes);
    if (host.result() == RNNRT_STATUS_OK)
      std::fill(dparams + elements, result.data() + result.size(), 0.0f);
    return host.result();
  });
}

TEST(FaultTest, Block) {
  constexpr int64_t T = 3, B = 2, I = 3, H = 4;
  std::vector<float> x(T * B * I), s(B * H), w((I + H) * 4 * H), p(H), b(4 * H), result(7 * T * B * H);
  fill(x, 1), fill(s, 2), fill(w, 3), fill(p, 4), fill(b, 5);
  failEveryAllocation(result, [&] {
    Host host;
    if (host.code != RNNRT_STATUS_OK)
      return host.code;
    rnnrt_plan_t *plan = rnnrt_abi_block_lstm_plan(host.call, RNNRT_DTYPE_F32, 1, 1, 0, 0, 0, T, B, I, H);
    float *out[7];
    for (int k = 0; k < 7; ++k)
      out[k] = result.data() + k * T * B * H;
    rnnrt_abi_block_lstm_forward(host.call, plan, T, x.data(), s.data(), s.data(), w.data(), p.data(), p.data(),
                                 p.data(), b.data(), out[0], out[1], out[2], out[3], out[4], out[5], out[6]);
    return host.result();
  });
}

TEST(FaultTest, Handles) {
  std::vector<float> source(64), result(64);
  fill(source, 1);
  failEveryAllocation(result, [&] {
    Host host;
    rnnrt_stream_t *stream = nullptr;
    rnnrt_event_t *event = nullptr;
    void *memory = nullptr;
    rnnrt_status_code_t code = host.code;
    auto step = [&](auto run) {
      if (code == RNNRT_STATUS_OK)
        code = codeOf(run());
    };
    step([&] { return rnnrt_stream_create(host.device, &stream); });
    step([&] { return rnnrt_event_create(host.device, &event); });
    step([&] { return rnnrt_event_record(event, stream); });
    step([&] { return rnnrt_memory_alloc(host.device, 256, &memory); });
    step([&] { return rnnrt_memory_copy(host.device, stream, memory, source.data(), 256); });
    step([&] { return rnnrt_memory_copy(host.device, stream, result.data(), memory, 256); });
    // Frees succeed without memory.
    if (memory)
      EXPECT_EQ(codeOf(rnnrt_memory_free(host.device, memory)), RNNRT_STATUS_OK);
    rnnrt_event_release(event);
    rnnrt_stream_release(stream);
    return code;
  });
}

TEST(FaultTest, SharedTensors) {
  static int object;
  static void *const capsule = &object; // the consumer of each capsule frees the tensor at once
  const rnnrt_capsule_functions_t functions = {[](void *pointer, const char *, void (*)(void *)) {
                                                 auto *managed = static_cast<DLManagedTensor *>(pointer);
                                                 managed->deleter(managed);
                                                 return capsule;
                                               },
                                               [](void *, const char *) { return 0; },
                                               [](void *, const char *) -> void * { return nullptr; },
                                               []() -> void * { return nullptr; }};
  std::vector<float> result(6);
  failEveryAllocation(result, [&] {
    Host host;
    rnnrt_status_code_t code = host.code;
    rnnrt_shared_tensor_t *shared = nullptr;
    rnnrt_tensor_t tensor = {};
    void *managed = nullptr;
    const int64_t shape[] = {2, 3};
    if (code == RNNRT_STATUS_OK)
      code = codeOf(rnnrt_dlpack_set_capsule_functions(&functions));
    if (code == RNNRT_STATUS_OK)
      code = codeOf(rnnrt_memory_alloc(host.device, 24, &managed));
    if (code != RNNRT_STATUS_OK)
      return code;
    tensor = rnnrt_tensor_make(managed, RNNRT_DTYPE_F32, 2, shape);
    tensor.allocation = managed, tensor.device = host.device;
    rnnrt_device_retain(host.device);
    std::fill_n(static_cast<float *>(managed), 6, 0.5f);
    code = codeOf(rnnrt_tensor_share(&tensor, &shared));
    if (code == RNNRT_STATUS_OK)
      code = codeOf(rnnrt_dlpack_export(shared, 0, &managed));
    if (code == RNNRT_STATUS_OK) {
      auto *exported = static_cast<DLManagedTensor *>(managed);
      std::copy_n(static_cast<float *>(exported->tensor.data), 6, result.begin());
      exported->deleter(exported);
      if (rnnrt_dlpack_capsule(shared, 0) != capsule)
        code = RNNRT_STATUS_RESOURCE_EXHAUSTED;
    }
    rnnrt_shared_tensor_release(shared);
    rnnrt_tensor_release(&tensor); // after a failure, it still owns its memory
    rnnrt_memory_stats_t stats;
    if (rnnrt_memory_stats(host.device, &stats) || stats.live_bytes)
      code = RNNRT_STATUS_INTERNAL;
    return code;
  });
}

/// Every allocation of a device fails once: memory of the program, of compiled code, and scratch of plans. The
/// allocator is the program's, so that host memory outside the device does not fail.
TEST(FaultTest, DeviceAllocations) {
  struct Allocator {
    int64_t untilFailure = -1, live = 0;
    bool hasFailed = false;
    static void *allocate(void *user, size_t alignment, size_t bytes) {
      auto &self = *static_cast<Allocator *>(user);
      if (self.untilFailure >= 0 && self.untilFailure-- == 0) {
        self.hasFailed = true;
        return nullptr;
      }
      self.live += int64_t(bytes);
      return std::aligned_alloc(alignment, bytes);
    }
    static void release(void *user, void *pointer, size_t, size_t bytes) {
      static_cast<Allocator *>(user)->live -= int64_t(bytes);
      std::free(pointer);
    }
  };
  constexpr int64_t T = 3, B = 2, I = 4, H = 5;
  std::vector<float> x(T * B * I), h(B * H), params(1024), y(T * B * H), hn(B * H), result(x.size() + 2 * h.size());
  std::vector<char> reserve(1 << 16);
  fill(x, 1), fill(h, 2), fill(params, 3);
  float *dx = result.data(), *dh = dx + x.size(), *dc = dh + h.size();
  for (const char *name : {"host", "simt"}) {
    std::vector<float> expected;
    for (int64_t n = -1, end = 0; end == 0; ++n) {
      ASSERT_LT(n, 1000);
      Allocator allocator;
      rnnrt_device_options_t options;
      rnnrt_device_options_init(&options);
      options.allocator = {Allocator::allocate, Allocator::release, &allocator};
      Host host(name, &options);
      ASSERT_EQ(host.code, RNNRT_STATUS_OK);
      auto run = [&] {
        void *memory = nullptr;
        rnnrt_status_code_t code = codeOf(rnnrt_memory_alloc(host.device, 1000, &memory));
        if (code != RNNRT_STATUS_OK)
          return code;
        void *buffer = rnnrt_abi_alloc(host.call, 500);
        rnnrt_plan_t *plan = rnnrt_abi_rnn_plan(host.call, RNNRT_DTYPE_F32, 2, 0, 0, 1, 0, 0, 0, 0, T, B, I, H, H, 1);
        const int64_t elements = rnnrt_abi_rnn_params_size(host.call, plan),
                      bytes = rnnrt_abi_rnn_reserve_size(host.call, plan);
        rnnrt_abi_rnn_forward(host.call, plan, nullptr, x.data(), h.data(), h.data(), params.data(), elements, y.data(),
                              hn.data(), hn.data(), reserve.data(), bytes);
        rnnrt_abi_rnn_backward_data(host.call, plan, nullptr, x.data(), h.data(), h.data(), params.data(), elements,
                                    y.data(), y.data(), hn.data(), hn.data(), dx, dh, dc, reserve.data(), bytes);
        rnnrt_abi_free(host.call, buffer);
        EXPECT_EQ(codeOf(rnnrt_memory_free(host.device, memory)), RNNRT_STATUS_OK);
        code = host.result();
        rnnrt_call_reset(host.call);
        return code;
      };
      allocator.untilFailure = n;
      const rnnrt_status_code_t code = run();
      if (n < 0)
        expected = result;
      EXPECT_EQ(code, allocator.hasFailed ? RNNRT_STATUS_RESOURCE_EXHAUSTED : RNNRT_STATUS_OK) << name << " " << n;
      end = n >= 0 && !allocator.hasFailed;
      EXPECT_EQ(allocator.live, 0) << name << " " << n;
      rnnrt_memory_stats_t stats;
      EXPECT_EQ(codeOf(rnnrt_memory_stats(host.device, &stats)), RNNRT_STATUS_OK);
      EXPECT_EQ(stats.live_bytes, 0) << name << " " << n;
      // The next call is right.
      allocator.untilFailure = -1;
      std::fill(result.begin(), result.end(), std::nanf(""));
      EXPECT_EQ(run(), RNNRT_STATUS_OK) << name << " " << n;
      EXPECT_EQ(result, expected) << name << " " << n;
      if (end)
        EXPECT_GT(n, 2) << name;
    }
  }
}

//===-- Exported functions ---------------------------------------------------------------------------------------===//

constexpr int64_t words = 8;
const int64_t shape[] = {words};
const rnnrt_argument_t tensor = {"x", shape, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr};
const rnnrt_argument_t outputs[] = {
    tensor, {"n", nullptr, RNNRT_DTYPE_F32, 0, RNNRT_ARGUMENT_SCALAR, 0, nullptr}, tensor};
const rnnrt_function_t function = {RNNRT_ABI_VERSION, 0, "f", &tensor, outputs, 1, 3, nullptr};

struct Descriptor {
  float *allocated, *aligned;
  int64_t offset, sizes[1], strides[1];
};

/// A part of a team, with scratch of its own.
void runPart(void *context, void *team, int64_t part, int64_t parts) {
  auto *sums = static_cast<float *>(context);
  for (int round = 0; round < 3; ++round) {
    auto *scratch = static_cast<float *>(_mlir_memref_to_llvm_aligned_alloc(64, words * 4));
    for (int64_t k = part; k < words; k += parts)
      scratch[k] = float(k + round), sums[k] += scratch[k];
    rnnrt_abi_team_wait(team);
    _mlir_memref_to_llvm_free(scratch);
  }
}

/// Compiled code: packs weights, runs a team, and returns a tensor twice and a scalar.
void runBody(rnnrt_call_t *call, void *const *inputs, void *const *results) {
  const auto &x = *static_cast<const Descriptor *>(inputs[0]);
  rnnrt_packed_t *packed = rnnrt_abi_pack_begin(call, 1, x.aligned, words * 4, 2, 4, 0, words * 4, nullptr);
  auto *weights = static_cast<float *>(packed->data);
  if (packed->is_packed != 1)
    std::memcpy(weights, x.aligned, words * 4);
  auto *sums = static_cast<float *>(_mlir_memref_to_llvm_alloc(words * 4));
  std::memcpy(sums, weights, words * 4);
  rnnrt_abi_parallel(call, runPart, sums, 4, int64_t(1) << 40);
  void *device = rnnrt_abi_alloc(call, 128);
  auto *result = static_cast<float *>(_mlir_memref_to_llvm_alloc(words * 4));
  std::memcpy(result, sums, words * 4);
  rnnrt_abi_free(call, device);
  rnnrt_abi_pack_end(call, packed);
  _mlir_memref_to_llvm_free(sums);
  *static_cast<Descriptor *>(results[0]) = {result, result, 0, {words}, {1}};
  *static_cast<float *>(results[1]) = 42;
  *static_cast<Descriptor *>(results[2]) = {result, result, 0, {words}, {1}};
}

/// The entry point that the compiler creates.
rnnrt_status_code_t callFunction(Host &host, std::vector<float> &x, std::vector<float> &result,
                                 rnnrt_body_t body = runBody) {
  rnnrt_tensor_t input = rnnrt_tensor_make(x.data(), RNNRT_DTYPE_F32, 1, shape), out[3];
  const rnnrt_tensor_t *inputs[] = {&input};
  rnnrt_tensor_t *outs[] = {&out[0], &out[1], &out[2]};
  Descriptor slot, results[2];
  float scalar;
  void *slots[] = {&slot}, *resultSlots[] = {&results[0], &scalar, &results[1]};
  if (rnnrt_abi_enter(host.call, &function, inputs, 1, outs, 3, slots) &&
      rnnrt_abi_execute(host.call, &function, body, slots, resultSlots))
    rnnrt_abi_leave(host.call, &function, outs, resultSlots);
  const rnnrt_status_code_t code = host.result();
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(out[k].allocation != nullptr, code == RNNRT_STATUS_OK);
    if (code == RNNRT_STATUS_OK)
      std::memcpy(result.data() + k * words, out[k].data, size_t(k == 1 ? 1 : words) * 4);
    rnnrt_tensor_release(&out[k]);
  }
  if (code == RNNRT_STATUS_OK)
    std::fill(result.begin() + words + 1, result.begin() + 2 * words, 0.0f);
  return code;
}

TEST(FaultTest, Function) {
  std::vector<float> x(words), result(3 * words);
  fill(x, 1);
  Host host; // the books of one device agree, too
  ASSERT_EQ(host.code, RNNRT_STATUS_OK);
  failEveryAllocation(result, [&] {
    rnnrt_call_reset(host.call);
    const rnnrt_status_code_t code = callFunction(host, x, result);
    rnnrt_memory_stats_t stats;
    EXPECT_EQ(codeOf(rnnrt_memory_stats(host.device, &stats)), RNNRT_STATUS_OK);
    EXPECT_EQ(stats.live_bytes, 0);
    return code;
  });
}

TEST(FaultTest, FunctionWithPackedWeights) {
  std::vector<float> x(words), result(3 * words);
  fill(x, 1);
  Host host;
  ASSERT_EQ(host.code, RNNRT_STATUS_OK);
  failEveryAllocation(result, [&] {
    rnnrt_call_reset(host.call);
    rnnrt_weights_t *weights = nullptr;
    rnnrt_call_t *call = nullptr;
    rnnrt_status_code_t code = codeOf(rnnrt_weights_create(host.device, x.data(), words * 4, &weights));
    if (code == RNNRT_STATUS_OK)
      code = codeOf(rnnrt_call_create(host.device, nullptr, nullptr, &call));
    if (code == RNNRT_STATUS_OK)
      code = codeOf(rnnrt_call_use_weights(call, weights));
    if (code == RNNRT_STATUS_OK) {
      std::swap(call, host.call);
      code = callFunction(host, x, result);
      std::swap(call, host.call);
    }
    // The handle remains usable after a failure: the copy is packed by a later call.
    if (code != RNNRT_STATUS_OK && weights && call) {
      rnnrt_call_reset(call);
      std::swap(call, host.call);
      // The fault has happened, so this call succeeds, with its own memory for the weights if need be.
      callFunction(host, x, result);
      std::swap(call, host.call);
    }
    rnnrt_call_release(call);
    rnnrt_weights_release(weights);
    return code;
  });
}

TEST(FaultTest, MessageNamesTheFunction) {
  std::vector<float> x(words), result(3 * words);
  Host host;
  auto allocateTooMuch = [](rnnrt_call_t *, void *const *, void *const *) { _mlir_memref_to_llvm_alloc(INT64_MAX); };
  EXPECT_EQ(callFunction(host, x, result, allocateTooMuch), RNNRT_STATUS_RESOURCE_EXHAUSTED);
  const std::string message = rnnrt_status_message(rnnrt_call_status(host.call));
  EXPECT_NE(message.find("not enough memory for 9223372036854775807 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("; in function `f`"), std::string::npos) << message;
  rnnrt_call_reset(host.call);
  auto allocateNegative = [](rnnrt_call_t *, void *const *, void *const *) { _mlir_memref_to_llvm_alloc(-8); };
  EXPECT_EQ(callFunction(host, x, result, allocateNegative), RNNRT_STATUS_INVALID_ARGUMENT);
  // An invalid free is recorded, and the function goes on.
  rnnrt_call_reset(host.call);
  auto freeTwice = [](rnnrt_call_t *call, void *const *inputs, void *const *results) {
    void *block = _mlir_memref_to_llvm_alloc(40000);
    _mlir_memref_to_llvm_free(static_cast<char *>(block) + 8);
    _mlir_memref_to_llvm_free(block);
    runBody(call, inputs, results);
  };
  EXPECT_EQ(callFunction(host, x, result, freeTwice), RNNRT_STATUS_INTERNAL);
}

/// An allocation after a failed check does not execute, so a wrong size does not request memory.
TEST(FaultTest, FailedCallsDoNotAllocate) {
  std::vector<float> x(words), result(3 * words);
  Host host;
  rnnrt_memory_reset_peak();
  const int64_t live = rnnrt_memory_live_bytes();
  auto body = [](rnnrt_call_t *call, void *const *, void *const *) {
    rnnrt_abi_expect_equal(call, 3, 4, "expects a size\n`x` is argument 0");
    _mlir_memref_to_llvm_alloc(1 << 20);
    ADD_FAILURE() << "the function continued";
  };
  EXPECT_EQ(callFunction(host, x, result, body), RNNRT_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(rnnrt_status_message(rnnrt_call_status(host.call)),
               "expects a size: expected 4, but got 3; `x` is argument 0; in function `f`");
  EXPECT_EQ(rnnrt_memory_peak_bytes(), live);
}

//===-- Threads --------------------------------------------------------------------------------------------------===//

TEST(FaultTest, EveryThreadCreation) {
  for (int64_t n = 0; n < 4; ++n) {
    rnnrt::ThreadPool pool(4);
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::atomic<int64_t> total{0};
      Fault fault(Fault::Thread, n);
      pool.run([](void *context, void *, int64_t part,
                  int64_t parts) { *static_cast<std::atomic<int64_t> *>(context) += part == 0 ? parts : 0; },
               &total, 4, int64_t(1) << 40);
      // Fewer parts do the work. A later call tries to create the missing threads again.
      EXPECT_EQ(total, repeat == 0 ? std::min<int64_t>(n + 1, 4) : repeat == 1 && n == 0 ? 1 : total.load());
    }
  }
}

} // namespace

/// Cached blocks would hide allocations. The runtime reads the variables at their first use.
int main(int argc, char **argv) {
  setenv("RNNRT_MEMORY_CACHE", "0", 1);
  setenv("RNNRT_THREADS", "4", 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
