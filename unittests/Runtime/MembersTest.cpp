// MembersTest.cpp - rnnrt_call_members: the arguments of each member, threads, failures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::set<std::thread::id> threads; // that ran a member
std::atomic<int> entered{0};
bool waits = false; // for a second thread, at most a second
bool sleepsAfterFailure = false;
std::atomic<bool> hasFailed{false};

/// sum[0] = shared[0] + own[0]. Fails for a negative sum.
void addEntry(rnnrt_call_t *call, const rnnrt_tensor_t *const *inputs, int64_t numInputs, rnnrt_tensor_t *const *,
              int64_t numOutputs) {
  ASSERT_EQ(numInputs, 3);
  ASSERT_EQ(numOutputs, 0);
  ++entered;
  {
    std::lock_guard<std::mutex> guard(mutex);
    threads.insert(std::this_thread::get_id());
  }
  auto at = [&](int k) { return static_cast<int64_t *>(inputs[k]->data); };
  *at(2) = *at(0) + *at(1);
  if (sleepsAfterFailure && hasFailed)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (*at(2) < 0) {
    hasFailed = true;
    rnnrt_call_fail(call, rnnrt_status_create(RNNRT_STATUS_OUT_OF_RANGE, "negative"));
  }
  for (int turn = 0; waits && turn < 1000; ++turn) {
    {
      std::lock_guard<std::mutex> guard(mutex);
      if (threads.size() > 1)
        return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class MembersTest : public ::testing::Test {
protected:
  void SetUp() override {
    rnnrt_device_t *device = nullptr;
    ASSERT_EQ(rnnrt_device_create("host", nullptr, &device), nullptr);
    ASSERT_EQ(rnnrt_call_create(device, nullptr, nullptr, &call), nullptr);
    rnnrt_device_release(device);
    function.name = "add";
    function.num_inputs = 3;
    function.entry = addEntry;
    threads.clear();
    entered = 0;
    waits = sleepsAfterFailure = hasFailed = false;
  }
  void TearDown() override { rnnrt_call_release(call); }

  void run(std::vector<int64_t> &own, std::vector<int64_t> &sums, bool parallel) {
    const int64_t size = 1;
    rnnrt_tensor_t tensors[3] = {rnnrt_tensor_make(&shared, RNNRT_DTYPE_I64, 1, &size),
                                 rnnrt_tensor_make(own.data(), RNNRT_DTYPE_I64, 1, &size),
                                 rnnrt_tensor_make(sums.data(), RNNRT_DTYPE_I64, 1, &size)};
    const rnnrt_tensor_t *arguments[] = {&tensors[0], &tensors[1], &tensors[2]};
    const int64_t strides[] = {0, 8, 8}, count = static_cast<int64_t>(own.size());
    rnnrt_call_members(call, &function, arguments, 3, &count, 1, strides, parallel);
  }
  std::string failure() const {
    rnnrt_status_t status = rnnrt_call_status(call);
    return status ? rnnrt_status_message(status) : "";
  }

  rnnrt_function_t function = {};
  rnnrt_call_t *call = nullptr;
  int64_t shared = 10;
};

TEST_F(MembersTest, everyMemberHasItsArguments) {
  for (bool parallel : {false, true})
    for (size_t count : {0, 1, 2, 7}) {
      std::vector<int64_t> own, sums(count, -1), expected;
      for (size_t k = 0; k < count; ++k) {
        own.push_back(static_cast<int64_t>(k));
        expected.push_back(10 + static_cast<int64_t>(k));
      }
      run(own, sums, parallel);
      EXPECT_EQ(failure(), "");
      EXPECT_EQ(sums, expected);
    }
}

TEST_F(MembersTest, levelsOfMembers) {
  // Sums of rows [2] that the inner levels share and columns [4] that the outer level shares; the middle level repeats.
  const int64_t size = 1, counts[] = {2, 3, 4}, strides[] = {8, 0, 0, 0, 0, 8, 12 * 8, 4 * 8, 8};
  int64_t rows[] = {100, 200}, columns[] = {1, 2, 3, 4}, sums[24];
  const rnnrt_tensor_t tensors[] = {rnnrt_tensor_make(rows, RNNRT_DTYPE_I64, 1, &size),
                                    rnnrt_tensor_make(columns, RNNRT_DTYPE_I64, 1, &size),
                                    rnnrt_tensor_make(sums, RNNRT_DTYPE_I64, 1, &size)};
  const rnnrt_tensor_t *arguments[] = {&tensors[0], &tensors[1], &tensors[2]};
  for (bool parallel : {false, true}) {
    std::fill_n(sums, 24, -1);
    rnnrt_call_members(call, &function, arguments, 3, counts, 3, strides, parallel);
    EXPECT_EQ(failure(), "");
    for (int member = 0; member < 24; ++member)
      EXPECT_EQ(sums[member], rows[member / 12] + columns[member % 4]) << member;
  }
  // Without levels, one member.
  rnnrt_call_members(call, &function, arguments, 3, nullptr, 0, nullptr, false);
  EXPECT_EQ(sums[0], 101);
  const int64_t none[] = {2, 0, 4};
  entered = 0;
  rnnrt_call_members(call, &function, arguments, 3, none, 3, strides, true);
  EXPECT_EQ(failure(), "");
  EXPECT_EQ(entered.load(), 0);
}

TEST_F(MembersTest, membersRunOnSeveralThreads) {
  std::vector<int64_t> own(16, 1), sums(16);
  run(own, sums, /*parallel=*/false);
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
  if (std::thread::hardware_concurrency() < 2 || std::getenv("RNNRT_THREADS"))
    GTEST_SKIP() << "needs two threads";
  waits = true;
  // After other processes have delayed its threads, the pool uses fewer of them for up to 0.8 seconds.
  for (int turn = 0; turn < 50 && threads.size() < 2; ++turn) {
    std::vector<int64_t> two(2, 1), results(2);
    run(two, results, /*parallel=*/true);
  }
  EXPECT_GT(threads.size(), 1u);
}

TEST_F(MembersTest, theFirstFailureIsThatOfTheCall) {
  std::vector<int64_t> own(64, 1), sums(64);
  own[3] = -100;
  run(own, sums, /*parallel=*/false);
  EXPECT_EQ(failure(), "negative");
  EXPECT_EQ(entered.load(), 4);
}

TEST_F(MembersTest, aFailureEndsTheOtherThreads) {
  // After member 3 has failed, each other member takes at least 1 ms. So the thread of member 3 has many seconds to
  // report the failure, even if another process takes its processor.
  sleepsAfterFailure = true;
  std::vector<int64_t> own(20000, 1), sums(own.size());
  own[3] = -100;
  run(own, sums, /*parallel=*/true);
  EXPECT_EQ(failure(), "negative");
  EXPECT_LT(entered.load(), 20000);
}

TEST_F(MembersTest, invalidArguments) {
  std::vector<int64_t> own(1), sums(1);
  const int64_t one = 1;
  rnnrt_call_members(nullptr, &function, nullptr, 0, &one, 1, nullptr, 0);
  rnnrt_call_members(call, nullptr, nullptr, 0, &one, 1, nullptr, 0);
  EXPECT_EQ(failure(), "expects `function`, but got a null pointer");
  rnnrt_call_reset(call);
  rnnrt_call_members(call, &function, nullptr, 3, &one, 1, nullptr, 0);
  EXPECT_EQ(failure(), "expects `arguments`, but got a null pointer");
  rnnrt_call_reset(call);
  rnnrt_call_members(call, &function, nullptr, 0, &one, 1, nullptr, 0);
  EXPECT_EQ(failure(), "expects a function with 0 arguments and without results, but `add` has 3 and 0");
  rnnrt_call_reset(call);
  function.num_outputs = 1;
  run(own, sums, false);
  EXPECT_EQ(failure(), "expects a function with 3 arguments and without results, but `add` has 3 and 1");
  rnnrt_call_reset(call);
  function.num_outputs = 0;
  const rnnrt_tensor_t *arguments[] = {nullptr, nullptr, nullptr};
  const int64_t strides[3] = {};
  rnnrt_call_members(call, &function, arguments, 3, nullptr, 1, strides, 0);
  EXPECT_EQ(failure(), "expects `counts`, but got a null pointer");
  rnnrt_call_reset(call);
  rnnrt_call_members(call, &function, arguments, 3, &one, 1, nullptr, 0);
  EXPECT_EQ(failure(), "expects `strides`, but got a null pointer");
  rnnrt_call_reset(call);
  rnnrt_call_members(call, &function, arguments, 3, &one, -1, strides, 0);
  EXPECT_EQ(failure(), "expects `num_levels` to be at least 0, but got -1");
  rnnrt_call_reset(call);
  const int64_t negative[] = {1, -1}, large[] = {int64_t(1) << 32, int64_t(1) << 32};
  const int64_t zeros[6] = {};
  rnnrt_call_members(call, &function, arguments, 3, negative, 2, zeros, 0);
  EXPECT_EQ(failure(), "expects `counts[1]` to be at least 0, but got -1");
  rnnrt_call_reset(call);
  rnnrt_call_members(call, &function, arguments, 3, large, 2, zeros, 0);
  EXPECT_EQ(failure(), "expects fewer than 2^63 members, but got more");
}

} // namespace
