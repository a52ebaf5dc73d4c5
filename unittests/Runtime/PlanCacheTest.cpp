// PlanCacheTest.cpp - the limit of the plan cache: eviction order, plans in use, dropout draws.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StatusText.h"
#include "rnn_runtime/api.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <vector>

using namespace rnntest;

namespace {

class PlanCacheTest : public testing::Test {
protected:
  void SetUp() override { create("3"); }
  void TearDown() override { release(); }

  void create(const char *limit) {
    setenv("RNNRT_PLAN_CACHE", limit, 1);
    ASSERT_EQ(take(rnnrt_device_create("host", nullptr, &device)), "");
    unsetenv("RNNRT_PLAN_CACHE");
    ASSERT_EQ(take(rnnrt_call_create(device, nullptr, nullptr, &call)), "");
  }
  void release() {
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  rnnrt_plan_t *use(int64_t steps, double dropout = 0) {
    rnnrt_plan_t *plan = rnnrt_abi_rnn_plan(call, RNNRT_DTYPE_F32, 1, 0, 0, 1, 0, dropout, 7, 8, steps, 1, 2, 3, 3, 2);
    EXPECT_STREQ(rnnrt_status_message(rnnrt_call_status(call)), "");
    return plan;
  }
  rnnrt_plan_stats_t stats() {
    rnnrt_plan_stats_t result;
    EXPECT_EQ(take(rnnrt_device_plan_stats(device, &result)), "");
    return result;
  }

  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
};

TEST_F(PlanCacheTest, TheLeastRecentlyUsedPlanIsEvicted) {
  for (int64_t steps : {1, 2, 3}) {
    use(steps);
    rnnrt_call_reset(call);
  }
  EXPECT_EQ(stats().evicted, 0);
  use(1); // a hit, so 2 is the oldest
  rnnrt_call_reset(call);
  use(4);
  rnnrt_call_reset(call);
  EXPECT_EQ(stats().evicted, 1);
  EXPECT_EQ(stats().cached, 3);
  const int64_t hits = stats().hits;
  for (int64_t steps : {1, 3, 4}) {
    use(steps);
    rnnrt_call_reset(call);
  }
  EXPECT_EQ(stats().hits, hits + 3);
  use(2);
  EXPECT_EQ(stats().hits, hits + 3);
}

TEST_F(PlanCacheTest, ManyShapes) {
  for (int64_t steps = 1; steps <= 5000; ++steps) {
    use(steps);
    rnnrt_call_reset(call);
    EXPECT_LE(stats().cached, 3);
  }
  EXPECT_EQ(stats().created, 5000);
  EXPECT_EQ(stats().evicted, 4997);
}

TEST_F(PlanCacheTest, PlansInUseRemain) {
  std::vector<rnnrt_plan_t *> plans;
  for (int64_t steps = 1; steps <= 6; ++steps)
    plans.push_back(use(steps));
  EXPECT_EQ(stats().cached, 6);
  for (int64_t steps = 1; steps <= 6; ++steps)
    EXPECT_EQ(use(steps), plans[size_t(steps - 1)]);
  rnnrt_call_reset(call);
  use(7);
  EXPECT_EQ(stats().evicted, 1);
}

/// The plan of a problem that was evicted draws masks that it has not drawn before.
TEST_F(PlanCacheTest, DropoutContinues) {
  std::vector<float> x(2, 1.0f), h(6, 0.5f), params(100, 0.25f), y(3), hn(6);
  std::vector<char> reserve(1 << 12);
  auto draw = [&] {
    rnnrt_plan_t *plan = use(1, 0.5);
    rnnrt_abi_rnn_forward(call, plan, nullptr, x.data(), h.data(), nullptr, params.data(),
                          rnnrt_abi_rnn_params_size(call, plan), y.data(), hn.data(), nullptr, reserve.data(),
                          rnnrt_abi_rnn_reserve_size(call, plan));
    EXPECT_STREQ(rnnrt_status_message(rnnrt_call_status(call)), "");
    rnnrt_call_reset(call);
    return y;
  };
  auto run = [&](bool evicts) {
    std::vector<std::vector<float>> results;
    for (int k = 0; k < 12; ++k) {
      results.push_back(draw());
      for (int64_t steps = 2; evicts && steps < 8; ++steps) {
        use(steps);
        rnnrt_call_reset(call);
      }
    }
    return results;
  };
  const std::vector<std::vector<float>> kept = run(false);
  release();
  create("3");
  EXPECT_EQ(run(true), kept);
  EXPECT_GT(stats().evicted, 12);
}

TEST_F(PlanCacheTest, InvalidLimit) {
  release();
  testing::internal::CaptureStderr();
  create("0");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "rnnrt,warning,RNNRT_PLAN_CACHE expects a number of plans from 1 to 1073741824, but got `0`\n");
}

} // namespace
