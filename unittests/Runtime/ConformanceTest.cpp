// ConformanceTest.cpp - behavior common to all backends: statuses, devices, streams, calls and plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StatusText.h"
#include "TestSupport.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

using namespace rnntest;

extern "C" int rnnCompiledAsC11(void);

namespace {

//===-- Status ---------------------------------------------------------------------------------------------------===//

TEST(StatusTest, OkIsNull) {
  EXPECT_EQ(rnnrt_status_create(RNNRT_STATUS_OK, "ignored"), nullptr);
  EXPECT_EQ(rnnrt_status_code(nullptr), RNNRT_STATUS_OK);
  EXPECT_STREQ(rnnrt_status_message(nullptr), "");
  EXPECT_EQ(rnnrt_status_clone(nullptr), nullptr);
  rnnrt_status_release(nullptr);
}

TEST(StatusTest, KeepsCodeAndMessage) {
  rnnrt_status_t status = rnnrt_status_create(RNNRT_STATUS_UNAVAILABLE, "libcuda.so.1 was not found");
  rnnrt_status_t copy = rnnrt_status_clone(status);
  rnnrt_status_release(status);
  EXPECT_EQ(rnnrt_status_code(copy), RNNRT_STATUS_UNAVAILABLE);
  EXPECT_STREQ(rnnrt_status_message(copy), "libcuda.so.1 was not found");
  rnnrt_status_release(copy);
  EXPECT_EQ(take(rnnrt_status_create(RNNRT_STATUS_INTERNAL, nullptr)), "INTERNAL: ");
}

TEST(StatusTest, EveryCodeHasItsName) {
  std::set<std::string> names;
  for (int code = RNNRT_STATUS_OK; code <= RNNRT_STATUS_INTERNAL; ++code)
    names.insert(rnnrt_status_code_name(rnnrt_status_code_t(code)));
  EXPECT_EQ(names.size(), 8u);
  EXPECT_EQ(names.count("UNKNOWN"), 0u);
}

//===-- Headers and symbols --------------------------------------------------------------------------------------===//

TEST(HeadersTest, PlainC11) {
  EXPECT_EQ(rnnCompiledAsC11(), 0);
}

TEST(AbiTest, TableHasEveryEntry) {
  const std::vector<std::string> expected = {
#define RNNRT_ENTRY(result, name, parameters) #name,
#include "rnn_runtime/abi.def"
#undef RNNRT_ENTRY
  };
  size_t count = 0;
  const rnnrt_abi_symbol_t *symbols = rnnrt_abi_symbols(&count);
  ASSERT_EQ(count, expected.size());
  for (size_t k = 0; k < count; ++k) {
    EXPECT_EQ(symbols[k].name, expected[k]);
    // The dynamic symbol is the same function, so that this library exports it.
    EXPECT_EQ(symbols[k].address, dlsym(RTLD_DEFAULT, symbols[k].name)) << symbols[k].name;
  }
  EXPECT_EQ(rnnrt_abi_version(), RNNRT_ABI_VERSION);
  EXPECT_EQ(rnnrt_abi_symbols(nullptr), symbols);
}

TEST(TypesTest, SizesAndNames) {
  EXPECT_EQ(rnnrt_dtype_size(RNNRT_DTYPE_F16), 2);
  EXPECT_EQ(rnnrt_dtype_size(RNNRT_DTYPE_BF16), 2);
  EXPECT_EQ(rnnrt_dtype_size(RNNRT_DTYPE_F32), 4);
  EXPECT_EQ(rnnrt_dtype_size(RNNRT_DTYPE_F64), 8);
  EXPECT_EQ(rnnrt_dtype_size(RNNRT_DTYPE_I1), 1);
  EXPECT_EQ(rnnrt_dtype_size(RNNRT_DTYPE_I16), 2);
  EXPECT_EQ(rnnrt_dtype_size(RNNRT_DTYPE_I64), 8);
  EXPECT_EQ(rnnrt_dtype_size(-1), 0);
  EXPECT_EQ(rnnrt_dtype_size(9), 0);
  EXPECT_STREQ(rnnrt_dtype_name(RNNRT_DTYPE_BF16), "bf16");
  EXPECT_STREQ(rnnrt_dtype_name(RNNRT_DTYPE_I64), "i64");
  EXPECT_STREQ(rnnrt_dtype_name(-1), "unknown");
  EXPECT_STREQ(rnnrt_dtype_name(9), "unknown");
}

//===-- Device and stream ----------------------------------------------------------------------------------------===//

TEST(DeviceTest, Names) {
  rnnrt_device_t *device = nullptr;
  EXPECT_EQ(take(rnnrt_device_create(deviceName(), nullptr, &device)), "");
  EXPECT_STREQ(rnnrt_device_name(device), deviceName());
  rnnrt_device_release(device);
  EXPECT_EQ(take(rnnrt_device_create("tpu", nullptr, &device)),
            "INVALID_ARGUMENT: there is no device `tpu`, expected `host`, `simt` or `cuda`");
  EXPECT_EQ(device, nullptr);
  for (const char *name :
       {"", ":", "host:", "host:1", "hos", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cudax", "simt:x"})
    EXPECT_EQ(take(rnnrt_device_create(name, nullptr, &device)).rfind("INVALID_ARGUMENT: ", 0), 0u) << name;
  EXPECT_NE(take(rnnrt_device_create(nullptr, nullptr, &device)), "");
  EXPECT_NE(take(rnnrt_device_create(deviceName(), nullptr, nullptr)), "");
}

TEST(DeviceTest, MissingCudaIsNamed) {
  rnnrt_device_t *device = nullptr;
  rnnrt_status_t status = rnnrt_device_create("cuda", nullptr, &device);
  if (!status) {
    rnnrt_device_release(device);
    GTEST_SKIP() << "this machine has one";
  }
  EXPECT_EQ(rnnrt_status_code(status), RNNRT_STATUS_UNAVAILABLE);
  EXPECT_NE(take(status).find("libcuda.so.1"), std::string::npos);
}

TEST(DeviceTest, Properties) {
  Session session;
  rnnrt_device_properties_t properties;
  ASSERT_EQ(take(rnnrt_device_properties(session.device, &properties)), "");
  EXPECT_STRNE(properties.name, "");
  const bool isCuda = std::string(deviceName()).rfind("cuda", 0) == 0;
  EXPECT_EQ(properties.compute_capability >= 50, isCuda);
  EXPECT_EQ(properties.multiprocessors > 0, isCuda);
  EXPECT_EQ(properties.driver_version >= 12000, isCuda);
  EXPECT_EQ(properties.memory_bytes > 0, isCuda);
  EXPECT_EQ(properties.shared_memory_per_block >= 48 * 1024, isCuda);
  EXPECT_NE(take(rnnrt_device_properties(nullptr, &properties)), "");
  EXPECT_STREQ(properties.name, "");
  EXPECT_NE(take(rnnrt_device_properties(session.device, nullptr)), "");
}

TEST(DeviceTest, LivesAsLongAsItsStreamsAndCalls) {
  rnnrt_device_t *device = nullptr;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;
  ASSERT_EQ(take(rnnrt_device_create(deviceName(), nullptr, &device)), "");
  ASSERT_EQ(take(rnnrt_stream_create(device, &stream)), "");
  ASSERT_EQ(take(rnnrt_call_create(device, stream, nullptr, &call)), "");
  EXPECT_EQ(rnnrt_stream_device(stream), device);
  EXPECT_EQ(rnnrt_stream_native(stream) != nullptr, std::string(deviceName()).rfind("cuda", 0) == 0);
  EXPECT_EQ(rnnrt_stream_native(nullptr), nullptr);
  EXPECT_EQ(rnnrt_call_device(call), device);
  EXPECT_EQ(rnnrt_call_stream(call), stream);
  rnnrt_device_release(device);
  EXPECT_EQ(take(rnnrt_stream_synchronize(stream)), "");
  rnnrt_stream_release(stream);
  EXPECT_STREQ(rnnrt_device_name(rnnrt_call_device(call)), deviceName());
  rnnrt_call_release(call);
}

TEST(DeviceTest, NullHandlesGiveStatuses) {
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;
  void *pointer = nullptr;
  rnnrt_memory_stats_t memory;
  rnnrt_plan_stats_t plans;
  for (rnnrt_status_t status :
       {rnnrt_stream_create(nullptr, &stream), rnnrt_stream_synchronize(nullptr),
        rnnrt_call_create(nullptr, nullptr, nullptr, &call), rnnrt_memory_alloc(nullptr, 1, &pointer),
        rnnrt_memory_free(nullptr, nullptr), rnnrt_memory_copy(nullptr, nullptr, nullptr, nullptr, 0),
        rnnrt_memory_stats(nullptr, &memory), rnnrt_device_plan_stats(nullptr, &plans),
        rnnrt_device_clear_plans(nullptr)}) {
    EXPECT_EQ(rnnrt_status_code(status), RNNRT_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(take(status).find("null pointer"), std::string::npos);
  }
  rnnrt_device_retain(nullptr);
  rnnrt_device_release(nullptr);
  rnnrt_stream_release(nullptr);
  rnnrt_call_release(nullptr);
  rnnrt_call_reset(nullptr);
  rnnrt_abi_expect_equal(nullptr, 1, 2, "no call to record this in");
  EXPECT_EQ(rnnrt_abi_rnn_plan(nullptr, 2, 2, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1), nullptr);
}

TEST(DeviceTest, ForeignStreamIsRejected) {
  Session one, other;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;
  ASSERT_EQ(take(rnnrt_stream_create(one.device, &stream)), "");
  EXPECT_NE(take(rnnrt_call_create(other.device, stream, nullptr, &call)), "");
  char byte = 0, target = 1;
  EXPECT_NE(take(rnnrt_memory_copy(other.device, stream, &target, &byte, 1)), "");
  EXPECT_EQ(target, 1);
  rnnrt_stream_release(stream);
}

TEST(DeviceTest, AMXIsEnabledOrRefused) {
  Session session;
  rnnrt_call_t *call = nullptr;
  ASSERT_EQ(take(rnnrt_call_create(session.device, nullptr, nullptr, &call)), "");
  const bool isEnabled = rnnrt_abi_enable_amx(call) == 1;
  rnnrt_status_t status = rnnrt_call_status(call);
  EXPECT_EQ(isEnabled, status == nullptr);
  if (!isEnabled) {
    EXPECT_EQ(rnnrt_status_code(status), RNNRT_STATUS_UNAVAILABLE);
    EXPECT_NE(std::string(rnnrt_status_message(status)).find("AMX"), std::string::npos);
  }
  // The permission holds for the process.
  rnnrt_call_reset(call);
  EXPECT_EQ(rnnrt_abi_enable_amx(call), isEnabled);
  rnnrt_call_reset(call);
  rnnrt_abi_expect_equal(call, 1, 2, "a failed call");
  EXPECT_EQ(rnnrt_abi_enable_amx(call), 0);
  rnnrt_call_release(call);
  EXPECT_EQ(rnnrt_abi_enable_amx(nullptr), 0);
}

//===-- Events ---------------------------------------------------------------------------------------------------===//

TEST(EventTest, OrderAndTime) {
  Session session;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_event_t *start = nullptr, *end = nullptr;
  ASSERT_EQ(take(rnnrt_stream_create(session.device, &stream)), "");
  ASSERT_EQ(take(rnnrt_event_create(session.device, &start)), "");
  ASSERT_EQ(take(rnnrt_event_create(session.device, &end)), "");
  double ms = -1;
  // Work on one stream waits for work on another.
  void *pointer = nullptr;
  ASSERT_EQ(take(rnnrt_memory_alloc(session.device, 1 << 20, &pointer)), "");
  const std::vector<char> source(1 << 20, 'x');
  std::vector<char> target(1 << 20);
  EXPECT_EQ(take(rnnrt_event_record(start, stream)), "");
  EXPECT_EQ(take(rnnrt_memory_copy(session.device, stream, pointer, source.data(), 1 << 20)), "");
  EXPECT_EQ(take(rnnrt_event_record(end, stream)), "");
  EXPECT_EQ(take(rnnrt_event_wait(end, nullptr)), "");
  EXPECT_EQ(take(rnnrt_memory_copy(session.device, nullptr, target.data(), pointer, 1 << 20)), "");
  EXPECT_EQ(target, source);
  EXPECT_EQ(take(rnnrt_event_elapsed(start, end, &ms)), "");
  EXPECT_GE(ms, 0);
  EXPECT_LT(ms, 60e3);
  EXPECT_EQ(take(rnnrt_event_synchronize(end)), "");
  // Recording again moves the event.
  double later = -1;
  EXPECT_EQ(take(rnnrt_event_record(end, nullptr)), "");
  EXPECT_EQ(take(rnnrt_event_elapsed(start, end, &later)), "");
  EXPECT_GE(later, ms);
  EXPECT_EQ(take(rnnrt_memory_free(session.device, pointer)), "");
  rnnrt_event_release(start);
  rnnrt_event_release(end);
  rnnrt_stream_release(stream);
}

TEST(EventTest, Refusals) {
  Session one, other;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_event_t *event = nullptr, *foreign = nullptr, *none = nullptr;
  double ms = -1;
  ASSERT_EQ(take(rnnrt_stream_create(one.device, &stream)), "");
  ASSERT_EQ(take(rnnrt_event_create(one.device, &event)), "");
  ASSERT_EQ(take(rnnrt_event_create(other.device, &foreign)), "");
  EXPECT_EQ(take(rnnrt_event_wait(event, nullptr)), "FAILED_PRECONDITION: `event` was not recorded yet");
  EXPECT_EQ(take(rnnrt_event_synchronize(event)), "FAILED_PRECONDITION: `event` was not recorded yet");
  EXPECT_EQ(take(rnnrt_event_record(event, stream)), "");
  EXPECT_EQ(take(rnnrt_event_elapsed(event, foreign, &ms)), "FAILED_PRECONDITION: `end` was not recorded yet");
  EXPECT_EQ(ms, 0);
  EXPECT_EQ(take(rnnrt_event_record(foreign, stream)),
            "INVALID_ARGUMENT: expects `stream` to belong to the device of `event`");
  EXPECT_EQ(take(rnnrt_event_record(foreign, nullptr)), "");
  EXPECT_EQ(take(rnnrt_event_wait(foreign, stream)),
            "INVALID_ARGUMENT: expects `stream` to belong to the device of `event`");
  EXPECT_EQ(take(rnnrt_event_elapsed(event, foreign, &ms)),
            "INVALID_ARGUMENT: expects `start` and `end` to belong to the same device");
  for (rnnrt_status_t status : {rnnrt_event_create(nullptr, &none), rnnrt_event_create(one.device, nullptr),
                                rnnrt_event_record(nullptr, nullptr), rnnrt_event_wait(nullptr, nullptr),
                                rnnrt_event_synchronize(nullptr), rnnrt_event_elapsed(nullptr, event, &ms),
                                rnnrt_event_elapsed(event, nullptr, &ms), rnnrt_event_elapsed(event, event, nullptr)}) {
    EXPECT_EQ(rnnrt_status_code(status), RNNRT_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(take(status).find("null pointer"), std::string::npos);
  }
  // An event keeps its device alive, as a stream does.
  rnnrt_event_release(foreign);
  rnnrt_event_release(event);
  rnnrt_event_release(nullptr);
  rnnrt_stream_release(stream);
}

TEST(EventTest, KeepsItsDevice) {
  rnnrt_device_t *device = nullptr;
  rnnrt_event_t *event = nullptr;
  ASSERT_EQ(take(rnnrt_device_create(deviceName(), nullptr, &device)), "");
  ASSERT_EQ(take(rnnrt_event_create(device, &event)), "");
  rnnrt_device_release(device);
  EXPECT_EQ(take(rnnrt_event_record(event, nullptr)), "");
  EXPECT_EQ(take(rnnrt_event_synchronize(event)), "");
  rnnrt_event_release(event);
}

//===-- Call -----------------------------------------------------------------------------------------------------===//

TEST(CallTest, FirstFailureIsKept) {
  Session session;
  rnnrt_abi_expect_equal(session.call, 5, 5, "same");
  rnnrt_abi_expect_range(session.call, 5, 0, 5, "inside");
  EXPECT_EQ(rnnrt_call_status(session.call), nullptr);
  rnnrt_abi_expect_equal(session.call, 4, 5, "'rnn.block_lstm' op expects dim 0 of `x` to be T (the steps)");
  EXPECT_EQ(session.code(), RNNRT_STATUS_INVALID_ARGUMENT);
  const std::string first = session.message();
  EXPECT_EQ(first, "'rnn.block_lstm' op expects dim 0 of `x` to be T (the steps): expected 5, but got 4");
  rnnrt_abi_expect_range(session.call, 9, 0, 5, "second");
  EXPECT_EQ(rnnrt_abi_rnn_plan(session.call, 2, 2, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1), nullptr);
  EXPECT_EQ(rnnrt_abi_block_lstm_plan(session.call, 2, 0, 0, 0, 0, 0, 1, 1, 1, 1), nullptr);
  EXPECT_EQ(rnnrt_abi_rnn_params_size(session.call, nullptr), 0);
  rnnrt_call_fail(session.call, rnnrt_status_create(RNNRT_STATUS_INTERNAL, "third"));
  EXPECT_EQ(session.message(), first);
  rnnrt_call_reset(session.call);
  EXPECT_EQ(rnnrt_call_status(session.call), nullptr);
  rnnrt_abi_expect_range(session.call, 9, 0, 5, "`seq_len_max`");
  EXPECT_EQ(session.message(), "`seq_len_max`: expected a value in [0, 5], but got 9");
  rnnrt_call_reset(session.call);
  rnnrt_call_fail(session.call, rnnrt_status_create(RNNRT_STATUS_UNIMPLEMENTED, "mine"));
  EXPECT_EQ(session.code(), RNNRT_STATUS_UNIMPLEMENTED);
}

TEST(CallTest, EntriesDoNothingAfterAFailure) {
  Session session;
  Problem problem(session, Case("lstm l1_t3_b2_i2_h3_d1"));
  rnnrt_abi_expect_equal(session.call, 1, 2, "broken");
  problem.forward();
  for (auto &[name, tensor] : problem.outputs)
    for (double value : tensor.values())
      EXPECT_NE(value, value) << name << " was written";
}

TEST(CallTest, RejectsInvalidDraws) {
  Session session;
  rnnrt_call_options_t options;
  rnnrt_call_options_init(&options);
  EXPECT_EQ(options.dropout_draw, -1);
  options.dropout_draw = -2;
  rnnrt_call_t *call = nullptr;
  EXPECT_NE(take(rnnrt_call_create(session.device, nullptr, &options, &call)), "");
}

//===-- Plans ----------------------------------------------------------------------------------------------------===//

TEST(PlanTest, KeyIsTheProblem) {
  Session session;
  rnnrt_plan_t *plan =
      rnnrt_abi_rnn_plan(session.call, RNNRT_DTYPE_F16, 2, 0, 1, 1, 0, 0.5, 7, -1, 8, 4, 32, 64, 16, 2);
  EXPECT_STREQ(rnnrt_plan_key(plan),
               "lstm l2_t8_b4_i32_h64_d2 num_proj=16 dtype=f16 training=1 dropout=0.5 seed=7 seed2=-1");
  plan = rnnrt_abi_rnn_plan(session.call, RNNRT_DTYPE_F64, 3, 1, 0, 0, 0, 0.5, 7, -1, 8, 4, 64, 64, 64, 2);
  // Inference ignores dropout and seeds, so that they are not part of the plan key.
  EXPECT_STREQ(rnnrt_plan_key(plan), "gru l2_t8_b4_i64_h64_d1 dtype=f64 input_mode=skip_input training=0");
  plan = rnnrt_abi_block_lstm_plan(session.call, RNNRT_DTYPE_BF16, 1, 1, 0, 0.1, 3, 5, 4, 3, 2);
  if (session.code() == RNNRT_STATUS_UNIMPLEMENTED)
    return; // cuDNN does not support the block LSTM
  EXPECT_STREQ(rnnrt_plan_key(plan),
               "block_lstm l1_t5_b4_i3_h2_d1 dtype=bf16 layout=ifco peephole=1 forget_bias=0.1 cell_clip=3");
}

TEST(PlanTest, CachedUnderEveryPartOfTheProblem) {
  Session session;
  // dtype mode input_mode direction training dropout seed seed2 T B I H P L
  using Arguments = std::array<double, 14>;
  const Arguments base = {2, 2, 0, 0, 1, 0.5, 1, 1, 4, 4, 8, 8, 8, 2};
  auto get = [&](const Arguments &a) {
    return rnnrt_abi_rnn_plan(session.call, int32_t(a[0]), int32_t(a[1]), int32_t(a[2]), int32_t(a[3]), int32_t(a[4]),
                              0, a[5], int64_t(a[6]), int64_t(a[7]), int64_t(a[8]), int64_t(a[9]), int64_t(a[10]),
                              int64_t(a[11]), int64_t(a[12]), int64_t(a[13]));
  };
  const Arguments other = {3, 3, 1, 1, 0, 0.25, 2, 2, 5, 5, 9, 9, 7, 3};
  std::set<rnnrt_plan_t *> plans = {get(base)};
  for (size_t k = 0; k < base.size(); ++k) {
    Arguments changed = base;
    changed[k] = other[k];
    if (k == 11)
      changed[12] = 9; // without a projection, P = H
    plans.insert(get(changed));
    EXPECT_EQ(plans.size(), k + 2) << "argument " << k << ": " << session.message();
  }
  EXPECT_EQ(get(base), *plans.find(get(base)));
  rnnrt_plan_stats_t stats;
  ASSERT_EQ(take(rnnrt_device_plan_stats(session.device, &stats)), "");
  EXPECT_EQ(stats.created, int64_t(plans.size()));
  EXPECT_EQ(stats.cached, int64_t(plans.size()));
  EXPECT_EQ(stats.hits, 2);
}

TEST(PlanTest, CallKeepsItsPlans) {
  Session session;
  auto get = [&] { return rnnrt_abi_rnn_plan(session.call, 2, 2, 0, 0, 1, 0, 0, 0, 0, 2, 2, 2, 2, 2, 1); };
  rnnrt_plan_t *plan = get();
  EXPECT_EQ(take(rnnrt_device_clear_plans(session.device)), "");
  EXPECT_GT(rnnrt_abi_rnn_params_size(session.call, plan), 0); // the call keeps the plan alive
  EXPECT_NE(get(), plan);
  rnnrt_plan_stats_t stats;
  ASSERT_EQ(take(rnnrt_device_plan_stats(session.device, &stats)), "");
  EXPECT_EQ(stats.created, 2);
  EXPECT_EQ(stats.cached, 1);
}

//===-- Environment variables, read once per process: each case runs in its own process --------------------------===//

class EnvironmentDeathTest : public testing::Test {
protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  void TearDown() override {
    for (const char *name : {"RNNRT_TRACE", "RNNRT_DROPOUT_DRAW"})
      unsetenv(name);
  }
  /// Runs a case and ends the process.
  [[noreturn]] static void run(const std::string &line) {
    Session session;
    Problem problem(session, Case(line));
    problem.forward();
    problem.backward();
    std::exit(session.code() == RNNRT_STATUS_OK ? 0 : 1);
  }
};

TEST_F(EnvironmentDeathTest, TraceIsOneLinePerEvent) {
  setenv("RNNRT_TRACE", "dispatch,plan,memory", 1);
  const std::string problem = "gru l1_t2_b2_i2_h3_d1 dtype=f64 training=1";
  EXPECT_EXIT(run("gru l1_t2_b2_i2_h3_d1"), testing::ExitedWithCode(0), "rnnrt,plan,create," + problem + "\n");
  EXPECT_EXIT(run("gru l1_t2_b2_i2_h3_d1"), testing::ExitedWithCode(0),
              "rnnrt,dispatch," + problem + " prop=forward lowering=runtime,OK,[0-9]+\\.[0-9]+\n");
  EXPECT_EXIT(run("gru l1_t2_b2_i2_h3_d1"), testing::ExitedWithCode(0), "rnnrt,memory,alloc,host,[0-9]+,[0-9]+\n");
  setenv("RNNRT_TRACE", "plans", 1);
  EXPECT_EXIT(run("gru l1_t2_b2_i2_h3_d1"), testing::ExitedWithCode(0),
              "accepts dispatch, plan and memory, but got `plans`");
}

TEST_F(EnvironmentDeathTest, DropoutDraw) {
  auto check = [](int64_t expected) {
    rnnrt_call_options_t options;
    rnnrt_call_options_init(&options);
    std::exit(options.dropout_draw == expected ? 0 : 1);
  };
  setenv("RNNRT_DROPOUT_DRAW", "12", 1);
  EXPECT_EXIT(check(12), testing::ExitedWithCode(0), "");
  setenv("RNNRT_DROPOUT_DRAW", "1x", 1);
  EXPECT_EXIT(check(-1), testing::ExitedWithCode(0), "RNNRT_DROPOUT_DRAW expects an integer");
}

} // namespace
