// CudnnFailureTest.cpp - plans of device `cuda` on the fake cuDNN under failures: each library call fails once,
// libraries are missing or too old, reserve spaces are used twice. Also several threads that share a plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudnnSupport.h"

#include <cstdlib>
#include <thread>

using namespace rnntest;

namespace {

const FakeCudnn &fake = FakeCudnn::get();

class CudnnFailureTest : public CudnnTest {};

//===-- RNNRT_CHECK ----------------------------------------------------------------------------------------------===//

TEST_F(CudnnFailureTest, CheckedReserves) {
  Variable variable("RNNRT_CHECK", "1");
  const Case c("gru l1_t3_b2_i4_h8_d1 dtype=f32 lengths=3,2");
  auto failure = [&](auto body) {
    CudaSession session;
    CudnnProblem problem(session, c);
    body(problem);
    EXPECT_TRUE(session.message().empty() || session.code() == RNNRT_STATUS_FAILED_PRECONDITION);
    return session.message().substr(0, session.message().find("; in "));
  };
  EXPECT_EQ(failure([](CudnnProblem &p) {
              p.forward();
              p.backward();
              p.expectHostResults();
            }),
            "");
  EXPECT_EQ(failure([](CudnnProblem &p) {
              p.forward();
              p.backwardData();
              p.backwardData();
            }),
            "`reserve` was consumed by an earlier backward_data; copy it before, or run the forward pass again");
  EXPECT_EQ(failure([](CudnnProblem &p) {
              p.forward();
              p.backwardWeights();
            }),
            "backward_weights reads what backward_data leaves in `reserve`, and that did not run");
  EXPECT_EQ(failure([](CudnnProblem &p) {
              p.forward();
              p.lengths = {2, 2};
              p.backwardData();
            }),
            "`reserve` was written by a forward pass with other `lengths` or `resets`");
  EXPECT_EQ(failure([](CudnnProblem &p) {
              p.forward();
              std::vector<char> garbage(size_t(p.reserve->bytes), 'x');
              p.reserve->upload(garbage.data());
              p.backwardData();
            }),
            "`reserve` was not written by a training forward pass");
}

//===-- Failures -------------------------------------------------------------------------------------------------===//

TEST_F(CudnnFailureTest, EveryCallMayFail) {
  for (const char *line :
       {"lstm l2_t3_b2_i4_h8_d1 dtype=f32 dropout=0.5 seed=1 lengths=3,0", "gru l1_t3_b2_i4_h8_d2 dtype=f16"})
    for (uint32_t result : {5000u, 3000u, 4004u}) {
      int64_t n = 0;
      for (;; ++n) {
        ASSERT_LT(n, 10000);
        fake.fake_cudnn_reset();
        FakeDriver::get().fake_cuda_reset(); // otherwise its vector clocks grow with every stream
        fake.fake_cudnn_fail_nth(n, result);
        bool reached = false;
        {
          CudaSession session(/*ownStream=*/true);
          ASSERT_EQ(session.failure, "");
          CudnnProblem problem(session, Case(line), 0, 0);
          problem.forward();
          problem.backward();
          reached = fake.fake_cudnn_calls() > n;
          if (session.code() == RNNRT_STATUS_OK) {
            // No call failed, or the plan fell back to another algorithm or query.
            problem.expectHostResults();
          } else {
            EXPECT_TRUE(reached);
            EXPECT_NE(session.message().find("chosen to fail in cudnn"), std::string::npos) << session.message();
            EXPECT_NE(session.message().find("; in "), std::string::npos) << session.message();
            EXPECT_EQ(session.code(), result == 5000u   ? RNNRT_STATUS_INTERNAL
                                      : result == 3000u ? RNNRT_STATUS_UNIMPLEMENTED
                                                        : RNNRT_STATUS_RESOURCE_EXHAUSTED);
          }
          // The device remains usable.
          fake.fake_cudnn_fail_nth(-1, 0);
          rnnrt_call_reset(session.call);
          CudnnProblem again(session, Case("rnn_tanh l1_t2_b2_i3_h4_d1 dtype=f32"));
          again.forward();
          again.backward();
          EXPECT_EQ(session.message(), "");
          again.expectHostResults();
        }
        EXPECT_EQ(fake.fake_cudnn_live(), 0) << n;
        EXPECT_STREQ(fake.fake_cudnn_misuse(), "") << n;
        if (!reached)
          break;
      }
      EXPECT_GT(n, 30);
    }
}

TEST_F(CudnnFailureTest, EveryCallOfTheDriverMayFail) {
  const FakeDriver &driver = FakeDriver::get();
  for (const char *line :
       {"lstm l2_t3_b2_i4_h8_d1 dtype=f32 dropout=0.5 seed=1 lengths=3,0", "gru l1_t3_b2_i4_h8_d2 dtype=f16"})
    for (uint32_t result : {2u, 999u}) {
      int64_t n = 0;
      for (;; ++n) {
        ASSERT_LT(n, 10000);
        driver.fake_cuda_reset();
        bool failed = false, tolerated = false;
        {
          CudaSession session(/*ownStream=*/true);
          ASSERT_EQ(session.failure, "");
          CudnnProblem problem(session, Case(line), 0, 0);
          problem.forward();
          problem.backward();
          ASSERT_EQ(session.message(), "");
          // The plan is created again, with all of its objects.
          rnnrt_call_reset(session.call);
          EXPECT_EQ(take(rnnrt_device_clear_plans(session.device)), "");
          driver.fake_cuda_fail_nth(n, result);
          problem.makePlan(/*training=*/true);
          problem.enqueue(/*withLengths=*/!problem.lengths.empty());
          const std::string name = driver.fake_cuda_failed();
          failed = !name.empty();
          // A failure of cuCtxGetCurrent only causes a push, and the result of cuCtxPopCurrent is ignored.
          tolerated = name == "cuCtxGetCurrent" || name == "cuCtxPopCurrent";
          driver.fake_cuda_fail_nth(-1, 0);
          EXPECT_EQ(session.code() != RNNRT_STATUS_OK, failed && !tolerated) << n << " " << name;
          if (failed && !tolerated) {
            EXPECT_NE(session.message().find("; in "), std::string::npos) << session.message();
          }
          // The device remains usable.
          rnnrt_call_reset(session.call);
          problem.forward();
          problem.backward();
          EXPECT_EQ(session.message(), "");
        }
        EXPECT_EQ(driver.fake_cuda_live(nullptr), 0) << n;
        EXPECT_STREQ(driver.fake_cuda_misuse(), "") << n;
        if (!failed)
          break;
      }
      EXPECT_GT(n, 10);
    }
}

TEST_F(CudnnFailureTest, WithoutCudnn) {
  Variable variable("RNNRT_CUDNN_PATH", "/nowhere/libcudnn.so.9");
  CudaSession session;
  ASSERT_EQ(session.failure, ""); // creating the device does not load cuDNN
  CudnnProblem problem(session, Case("lstm l1_t2_b2_i4_h8_d1 dtype=f32"));
  problem.forward();
  EXPECT_EQ(session.code(), RNNRT_STATUS_UNAVAILABLE);
  for (const char *word : {"cuDNN 9", "RNNRT_CUDNN_PATH", "/nowhere/libcudnn.so.9", "; in lstm l1_t2_b2_i4_h8_d1"})
    EXPECT_NE(session.message().find(word), std::string::npos) << session.message();
  // The host device still works: CudnnProblem computes the expected results on it.
  EXPECT_CALL_OK(problem.hostSession);
}

TEST_F(CudnnFailureTest, ElementTypesByVersion) {
  // Libraries are cached per value of the variable, so that this path must be new.
  auto message = [](uint64_t version, const char *suffix, const char *line) {
    Variable variable("RNNRT_CUDNN_PATH", std::string(std::getenv("RNNRT_CUDNN_PATH")) + suffix);
    fake.fake_cudnn_set_version(version);
    CudaSession session;
    CudnnProblem problem(session, Case(line));
    problem.forward();
    return std::string(rnnrt_status_code_name(session.code())) + ": " + session.message();
  };
  EXPECT_NE(message(8907, "/.", "lstm l1_t2_b2_i4_h8_d1 dtype=f32").find("UNAVAILABLE: cuDNN 9 is needed, but `"),
            std::string::npos);
  const std::string old = message(91200, "/./.", "lstm l1_t2_b2_i4_h8_d1 dtype=bf16");
  EXPECT_NE(old.find("UNAVAILABLE: lowering `runtime` is not available for bf16 before cuDNN 9.13"), std::string::npos)
      << old;
  EXPECT_NE(old.find("is version 9.12.0"), std::string::npos) << old;
  EXPECT_EQ(message(91200, "/./.", "lstm l1_t2_b2_i4_h8_d1 dtype=f16"), "OK: ");
}

TEST_F(CudnnFailureTest, SizesBeyond32Bits) {
  CudaSession session;
  const int64_t big = int64_t(INT32_MAX) + 1;
  EXPECT_EQ(rnnrt_abi_rnn_plan(session.call, RNNRT_DTYPE_F32, 2, 0, 0, 1, 0, 0, 0, 0, big, 1, 1, 1, 1, 1), nullptr);
  EXPECT_EQ(session.code(), RNNRT_STATUS_OUT_OF_RANGE);
}

TEST_F(CudnnFailureTest, BlockLstmIsUnimplemented) {
  const struct {
    int32_t peephole;
    double clip;
    const char *reason;
  } rows[] = {{1, 0, "it has no peephole connections"},
              {0, 3, "it does not return"},
              {0, 0, "accepts cs_grad of the last step only"}};
  for (const auto &row : rows) {
    CudaSession session;
    EXPECT_EQ(rnnrt_abi_block_lstm_plan(session.call, RNNRT_DTYPE_F32, 0, row.peephole, 0, 0, row.clip, 2, 2, 3, 4),
              nullptr);
    EXPECT_EQ(session.code(), RNNRT_STATUS_UNIMPLEMENTED);
    EXPECT_NE(session.message().find(row.reason), std::string::npos) << session.message();
    EXPECT_NE(session.message().find("compile for target `host`, or with lowering `fused`"), std::string::npos);
  }
}

//===-- Threads --------------------------------------------------------------------------------------------------===//

TEST_F(CudnnFailureTest, ThreadsShareAPlan) {
  CudaSession session;
  ASSERT_EQ(session.message(), "");
  constexpr int count = 8;
  std::vector<std::unique_ptr<CudaSession>> sessions;
  std::vector<std::unique_ptr<CudnnProblem>> problems;
  for (int k = 0; k < count; ++k) {
    sessions.push_back(std::make_unique<CudaSession>(session, /*ownStream=*/k > 1)); // two use the default stream
    const char *const lines[] = {"lstm l2_t9_b4_i16_h32_d2 dtype=f32 lengths=9,0,3,5",
                                 "lstm l2_t9_b4_i16_h32_d2 dtype=f32"};
    problems.push_back(std::make_unique<CudnnProblem>(*sessions.back(), Case(lines[k % 2])));
  }
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k)
    threads.emplace_back([&, k] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        problems[size_t(k)]->forward();
        problems[size_t(k)]->backward();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int k = 0; k < count; ++k) {
    EXPECT_EQ(sessions[size_t(k)]->message(), "");
    problems[size_t(k)]->expectHostResults();
  }
  rnnrt_plan_stats_t stats;
  EXPECT_EQ(take(rnnrt_device_plan_stats(session.device, &stats)), "");
  EXPECT_EQ(stats.created, 1);
}

} // namespace
