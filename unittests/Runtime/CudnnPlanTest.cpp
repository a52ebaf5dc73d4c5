// CudnnPlanTest.cpp - plans of device `cuda` on the fake cuDNN, whose results equal the host's: every mode, direction,
// type and kind of lengths, and every behavior that the real library leaves open.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudnnSupport.h"

#include <algorithm>

using namespace rnntest;

namespace {

const FakeCudnn &fake = FakeCudnn::get();

class CudnnPlanTest : public CudnnTest {};

class CudnnValuesTest : public CudnnTest, public testing::WithParamInterface<std::string> {};

TEST_P(CudnnValuesTest, MatchTheHost) {
  CudaSession session;
  ASSERT_EQ(session.message(), "");
  CudnnProblem problem(session, Case(GetParam()));
  problem.forward(/*training=*/false);
  ASSERT_EQ(session.message(), "") << repeat(problem.c);
  problem.expectHostResults(problem.outputs, problem.host.outputs);
  problem.forward();
  problem.backward();
  ASSERT_EQ(session.message(), "") << repeat(problem.c);
  problem.expectHostResults();
}

std::vector<std::string> cases() {
  std::vector<std::string> lines;
  for (const char *mode : {"rnn_relu", "rnn_tanh", "lstm", "gru"})
    for (const char *dtype : {"f16", "bf16", "f32", "f64"})
      for (const char *sizes : {"l1_t4_b3_i5_h6_d1", "l3_t4_b3_i5_h6_d2"})
        for (const char *lengths : {"", " lengths=4,2,3", " lengths=0,4,0", " lengths=0,0,0", " lengths=4,4,4"})
          lines.push_back(std::string(mode) + " " + sizes + " dtype=" + dtype + lengths);
  for (const char *mode : {"rnn_relu", "rnn_tanh", "lstm", "gru"})
    for (const char *lengths : {"", " lengths=0,1,3"})
      lines.push_back(std::string(mode) + " l2_t3_b3_i6_h6_d2 input_mode=skip_input dtype=f32" + lengths);
  for (const char *dtype : {"f16", "bf16", "f32", "f64"})
    for (const char *sizes : {"l1_t3_b4_i5_h6_d1", "l2_t3_b4_i5_h6_d2"})
      for (const char *lengths : {"", " lengths=3,0,0,2"})
        lines.push_back(std::string("lstm ") + sizes + " num_proj=4 dtype=" + dtype + lengths);
  for (const char *mode : {"rnn_relu", "lstm", "gru"})
    for (const char *dtype : {"f16", "f32"})
      for (const char *lengths : {"", " lengths=4,2,3", " lengths=0,4,0"})
        lines.push_back(std::string(mode) + " l2_t4_b3_i5_h6_d2 batch_major=1 dtype=" + dtype + lengths);
  lines.push_back("lstm l1_t1_b1_i1_h1_d1 dtype=f32");
  lines.push_back("lstm l1_t2_b8_i128_h512_d1 dtype=f16"); // persist_static
  lines.push_back("gru l2_t7_b5_i3_h200_d1 dtype=f32");    // standard
  return lines;
}
INSTANTIATE_TEST_SUITE_P(All, CudnnValuesTest, testing::ValuesIn(cases()), nameOf);

//===-- Results that are not requested, and unaligned operands ---------------------------------------------------===//

TEST_F(CudnnPlanTest, SingleGradient) {
  for (const char *line : {"lstm l2_t3_b3_i4_h5_d2 dtype=f32", "gru l1_t3_b3_i4_h5_d1 dtype=f16 lengths=0,2,3"})
    for (const char *only : {"dx", "dh0", "dc0", "dparams"}) {
      CudaSession session;
      CudnnProblem problem(session, Case(line));
      problem.forward();
      problem.backward(only);
      ASSERT_EQ(session.message(), "");
      EXPECT_EQ(problem.gradients.size(), only == std::string("dc0") && !problem.c.isLstm() ? 0u : 1u);
      problem.expectHostResults(problem.gradients, problem.host.gradients);
    }
}

TEST_F(CudnnPlanTest, UnalignedPointers) {
  // The fake rejects pointers that are not aligned to 16 bytes.
  for (const char *line :
       {"lstm l2_t3_b3_i4_h5_d2 dtype=f32", "lstm l2_t3_b3_i4_h5_d2 dtype=f32 lengths=0,2,3",
        "gru l1_t3_b3_i4_h5_d1 dtype=f16", "gru l1_t3_b3_i4_h5_d1 dtype=f16 batch_major=1 lengths=0,2,3"}) {
    const Case c(line);
    CudaSession session;
    CudnnProblem problem(session, c, rnnrt_dtype_size(c.dtype()));
    problem.forward();
    problem.backward();
    ASSERT_EQ(session.message(), "");
    problem.expectHostResults();
  }
}

//===-- The parameter buffer -------------------------------------------------------------------------------------===//

TEST_F(CudnnPlanTest, LayoutIsQueried) {
  for (int32_t layout : {FAKE_CUDNN_DENSE, FAKE_CUDNN_SCATTERED})
    for (int32_t base : {FAKE_CUDNN_OFFSETS, FAKE_CUDNN_REJECT, FAKE_CUDNN_NULLS})
      for (const char *line :
           {"lstm l2_t3_b3_i4_h5_d2 num_proj=3 dtype=f32", "gru l2_t3_b2_i5_h5_d1 dtype=f16 input_mode=skip_input",
            "rnn_tanh l1_t2_b2_i3_h4_d2 dtype=f64"}) {
        fake.fake_cudnn_reset();
        fake.fake_cudnn_set_layout(layout);
        fake.fake_cudnn_set_null_base(base);
        CudaSession session;
        CudnnProblem problem(session, Case(line));
        problem.forward();
        problem.backward();
        ASSERT_EQ(session.message(), "") << layout << base << line;
        problem.expectHostResults();
        const int64_t dense = problem.host.operands["params"].size();
        const int64_t size = rnnrt_abi_rnn_params_size(session.call, problem.plan);
        EXPECT_TRUE(layout == FAKE_CUDNN_DENSE ? size == dense : size > dense) << size;
      }
}

TEST_F(CudnnPlanTest, GapsBetweenParametersAreZero) {
  // An optimizer reads whole buffers, so that no element may stay uninitialized (NaN here).
  fake.fake_cudnn_set_layout(FAKE_CUDNN_SCATTERED);
  CudaSession session;
  CudnnProblem problem(session, Case("lstm l2_t3_b3_i4_h5_d2 dtype=f32"));
  problem.forward();
  problem.backward();
  ASSERT_EQ(session.message(), "");
  for (const char *name : {"params", "dparams"}) {
    const std::vector<double> values = problem.read(name);
    const int64_t gaps = int64_t(values.size()) - problem.host.operands["params"].size();
    EXPECT_GT(gaps, 0);
    EXPECT_EQ(std::count_if(values.begin(), values.end(), [](double v) { return v == 0; }), gaps) << name;
    EXPECT_EQ(std::count_if(values.begin(), values.end(), [](double v) { return v != v; }), 0) << name;
  }
}

TEST_F(CudnnPlanTest, ParametersFitPlansOfOtherShapes) {
  // Compiled code packs with a plan of T = B = 1.
  CudaSession session;
  auto size = [&](int64_t steps, int64_t batch, int32_t training) {
    rnnrt_plan_t *plan = rnnrt_abi_rnn_plan(session.call, RNNRT_DTYPE_F16, 2, 0, 0, training, 0, 0, 0, 0, steps, batch,
                                            128, 256, 256, 1);
    return rnnrt_abi_rnn_params_size(session.call, plan);
  };
  EXPECT_EQ(size(1, 1, 0), size(64, 8, 1));
  EXPECT_EQ(session.message(), "");
}

TEST_F(CudnnPlanTest, AlgorithmsThatDisagreeOnTheLayoutAreNotMixed) {
  fake.fake_cudnn_set_layout(FAKE_CUDNN_PER_ALGORITHM);
  CudaSession session;
  CudnnProblem problem(session, Case("lstm l1_t3_b2_i4_h8_d1 dtype=f32"));
  problem.forward();
  problem.backward();
  ASSERT_EQ(session.message(), "");
  EXPECT_STREQ(rnnrt_plan_algorithm(problem.plan), "standard");
  problem.expectHostResults();
}

//===-- Algorithms -----------------------------------------------------------------------------------------------===//

TEST_F(CudnnPlanTest, AlgorithmIsVisible) {
  CudaSession session;
  auto algorithm = [&](const char *line) {
    CudnnProblem problem(session, Case(line));
    problem.forward();
    return std::string(rnnrt_plan_algorithm(problem.plan));
  };
  EXPECT_EQ(algorithm("lstm l1_t3_b2_i4_h8_d1 dtype=f32"), "persist_static_small_h");
  EXPECT_EQ(algorithm("lstm l1_t3_b2_i4_h129_d1 dtype=f32"), "standard");
  EXPECT_EQ(algorithm("lstm l1_t3_b8_i128_h256_d1 dtype=f16"), "persist_static");
  EXPECT_EQ(algorithm("lstm l1_t3_b2_i4_h8_d1 dtype=f64"), "standard");
  Session host;
  EXPECT_STREQ(rnnrt_plan_algorithm(Problem(host, Case("lstm l1_t3_b2_i4_h8_d1")).plan), "reference");
  EXPECT_STREQ(rnnrt_plan_algorithm(nullptr), "");
}

TEST_F(CudnnPlanTest, FallsBackToStandard) {
  for (const char *line : {"lstm l2_t3_b2_i4_h8_d1 dtype=f32", "lstm l2_t3_b2_i4_h8_d1 dtype=f32 dropout=0.5"})
    for (int32_t step : {FAKE_CUDNN_SET, FAKE_CUDNN_SIZES, FAKE_CUDNN_FORWARD, FAKE_CUDNN_DATA, FAKE_CUDNN_WEIGHTS}) {
      fake.fake_cudnn_reset();
      fake.fake_cudnn_deny(/*persist_static_small_h*/ 3, step);
      CudaSession session;
      CudnnProblem problem(session, Case(line), 0, /*dropoutDraw=*/0);
      problem.forward();
      problem.backward();
      ASSERT_EQ(session.message(), "") << step;
      EXPECT_STREQ(rnnrt_plan_algorithm(problem.plan), "standard") << step;
      problem.expectHostResults();
    }
}

TEST_F(CudnnPlanTest, RecreatedPlansUseTheSameAlgorithm) {
  // The algorithm is selected at creation, so that a plan recreated between two passes selects the same one.
  for (int32_t step : {0, int(FAKE_CUDNN_DATA)}) {
    fake.fake_cudnn_deny(/*persist_static_small_h*/ 3, step);
    CudaSession session;
    CudnnProblem problem(session, Case("gru l1_t3_b2_i4_h8_d1 dtype=f32"));
    problem.forward();
    rnnrt_call_reset(session.call);
    EXPECT_EQ(take(rnnrt_device_clear_plans(session.device)), "");
    problem.plan = rnnrt_abi_rnn_plan(session.call, RNNRT_DTYPE_F32, 3, 0, 0, 1, 0, 0, 0, 0, 3, 2, 4, 8, 8, 1);
    problem.backward();
    ASSERT_EQ(session.message(), "");
    problem.expectHostResults();
  }
}

TEST_F(CudnnPlanTest, AlgorithmOfTheEnvironment) {
  const Case c("lstm l1_t3_b2_i4_h8_d1 dtype=f32");
  for (const char *name : {"standard", "persist_static", "persist_dynamic", "persist_static_small_h"}) {
    Variable variable("RNNRT_CUDNN_ALGO", name);
    fake.fake_cudnn_reset();
    CudaSession session;
    CudnnProblem problem(session, c);
    problem.forward();
    problem.backward();
    ASSERT_EQ(session.message(), "") << name;
    EXPECT_STREQ(rnnrt_plan_algorithm(problem.plan), name);
    problem.expectHostResults();
    EXPECT_EQ(fake.count("cudnnBuildRNNDynamic"), name == std::string("persist_dynamic"));
  }
  // An algorithm that RNNRT_CUDNN_ALGO names is not replaced.
  fake.fake_cudnn_deny(/*persist_static*/ 1, FAKE_CUDNN_FORWARD);
  Variable variable("RNNRT_CUDNN_ALGO", "persist_static");
  CudaSession session;
  CudnnProblem problem(session, c);
  problem.forward();
  EXPECT_EQ(session.code(), RNNRT_STATUS_UNIMPLEMENTED);
  EXPECT_EQ(session.message(), "cudnnRNNForward of cuDNN 9.19.0 failed: CUDNN_STATUS_NOT_SUPPORTED (3000): denied "
                               "cudnnRNNForward; in lstm l1_t3_b2_i4_h8_d1 dtype=f32 training=1");
}

/// Sequences of one length have the same memory in both layouts.
TEST_F(CudnnPlanTest, PackedSequences) {
  Variable variable("RNNRT_CUDNN_PACKED", "1");
  for (const char *line : {"lstm l1_t3_b2_i4_h8_d1 dtype=f32", "gru l2_t3_b2_i4_h200_d2 dtype=f32"}) {
    fake.fake_cudnn_reset();
    CudaSession session;
    CudnnProblem problem(session, Case(line));
    problem.forward();
    problem.backward();
    ASSERT_EQ(session.message(), "") << line;
    problem.expectHostResults();
    EXPECT_NE(std::string(fake.fake_cudnn_log()).find(" layout=1 "), std::string::npos);
    EXPECT_EQ(std::string(fake.fake_cudnn_log()).find(" layout=0 "), std::string::npos);
    EXPECT_EQ(std::string(fake.fake_cudnn_log()).find(" flags=1"), std::string::npos);
  }
  CudaSession session;
  CudnnProblem problem(session, Case("lstm l1_t3_b2_i4_h8_d1 dtype=f32 lengths=3,2"));
  problem.forward();
  EXPECT_EQ(session.code(), RNNRT_STATUS_UNIMPLEMENTED);
  EXPECT_EQ(
      session.message().rfind("packed sequences of different lengths are not supported; unset RNNRT_CUDNN_PACKED", 0),
      0u)
      << session.message();
}

TEST_F(CudnnPlanTest, InvalidEnvironment) {
  Variable variable("RNNRT_CUDNN_ALGO", "fastest");
  CudaSession session;
  CudnnProblem problem(session, Case("lstm l1_t3_b2_i4_h8_d1 dtype=f32"));
  problem.forward();
  EXPECT_EQ(session.code(), RNNRT_STATUS_INVALID_ARGUMENT);
}

TEST_F(CudnnPlanTest, DifferentLengthsUseStandard) {
  CudaSession session;
  CudnnProblem problem(session, Case("lstm l1_t3_b2_i4_h8_d1 dtype=f32 lengths=3,2"));
  problem.forward();
  EXPECT_STREQ(rnnrt_plan_algorithm(problem.plan), "persist_static_small_h");
  EXPECT_EQ(fake.count("cudnnRNNForward", "algo=standard training=1 T=3 lengths=3,2"), 1);
  // Lengths that are all T behave as absent lengths.
  problem.lengths = {3, 3};
  problem.forward();
  EXPECT_EQ(fake.count("cudnnRNNForward", "algo=persist_static_small_h training=1 T=3 lengths=3,3"),
            2); // once of them at plan creation
  EXPECT_EQ(session.message(), "");
}

TEST_F(CudnnPlanTest, MathTypes) {
  for (const char *tf32 : {"0", "1"}) {
    Variable variable("RNNRT_TF32", tf32);
    fake.fake_cudnn_reset();
    CudaSession session;
    CudnnProblem single(session, Case("lstm l1_t2_b2_i4_h8_d1 dtype=f32"));
    single.forward();
    CudnnProblem half(session, Case("lstm l1_t2_b2_i4_h8_d1 dtype=f16"));
    half.forward();
    EXPECT_EQ(session.message(), "");
    // FMA does not use TF32. f16 uses TENSOR_OP with f32 accumulation.
    EXPECT_EQ(fake.count("cudnnSetRNNDescriptor_v8",
                         *tf32 == '1' ? "type=0 precision=0 math=0 " : "type=0 precision=0 math=3 "),
              2);
    EXPECT_EQ(fake.count("cudnnSetRNNDescriptor_v8", "type=2 precision=0 math=1 "), 2);
  }
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

TEST_F(CudnnPlanTest, CallsInOrderOnTheStreamOfTheCall) {
  CudaSession session(/*ownStream=*/true);
  CudnnProblem problem(session, Case("gru l1_t3_b2_i4_h200_d1 dtype=f32"));
  problem.forward();
  problem.backward();
  ASSERT_EQ(session.message(), "");
  problem.expectHostResults();
  const std::string log = fake.log();
  const size_t forward = log.find("cudnnRNNForward"), data = log.find("cudnnRNNBackwardData_v8"),
               weights = log.find("cudnnRNNBackwardWeights_v8");
  ASSERT_NE(weights, std::string::npos);
  EXPECT_LT(forward, data);
  EXPECT_LT(data, weights);
  auto stream = [&](size_t at) {
    const size_t from = log.find("stream=", at);
    return log.substr(from, log.find(' ', from) - from);
  };
  // The plan is created on the default stream; the work uses the stream of the call.
  const size_t made = log.find("cudnnSetDropoutDescriptor");
  EXPECT_NE(stream(forward), stream(made));
  EXPECT_EQ(stream(forward), stream(data));
  EXPECT_EQ(stream(forward), stream(weights));
  // A warm plan creates no objects: it has one handle per stream and one descriptor.
  fake.fake_cudnn_reset();
  problem.forward();
  problem.backward();
  EXPECT_EQ(fake.count("cudnnCreate"), 0);
  EXPECT_EQ(fake.count("cudnnSetRNNDescriptor_v8"), 0);
  EXPECT_EQ(fake.count("cudnnSetRNNDataDescriptor"), 0);
  EXPECT_EQ(session.message(), "");
}

TEST_F(CudnnPlanTest, HandlesStayWithTheirStreams) {
  const Case c("gru l1_t3_b2_i4_h200_d1 dtype=f32");
  CudaSession own;
  std::vector<std::unique_ptr<CudaSession>> sessions;
  auto runAll = [&] {
    for (const auto &session : sessions) {
      CudnnProblem problem(*session, c);
      problem.forward();
      problem.backward();
      EXPECT_EQ(session->message(), "");
      problem.expectHostResults();
    }
  };
  for (int k = 0; k < 5; ++k)
    sessions.push_back(std::make_unique<CudaSession>(own, /*ownStream=*/true));
  runAll();
  runAll();
  EXPECT_EQ(fake.count("cudnnCreate"), 6); // one is for the default stream, where the plan was created
  EXPECT_EQ(fake.count("cudnnSetStream", "moves"), 0);
  // The number of handles is bounded for any number of streams.
  for (int k = 0; k < 40; ++k)
    sessions.push_back(std::make_unique<CudaSession>(own, /*ownStream=*/true));
  runAll();
  EXPECT_LE(fake.count("cudnnCreate"), 17);
}

TEST_F(CudnnPlanTest, LengthsAreCachedByValue) {
  CudaSession session;
  CudnnProblem problem(session, Case("gru l1_t3_b2_i4_h8_d1 dtype=f32 lengths=3,2"));
  auto made = [&] {
    const int before = fake.count("cudnnSetRNNDataDescriptor");
    problem.forward();
    problem.backward();
    EXPECT_EQ(session.message(), "");
    return fake.count("cudnnSetRNNDataDescriptor") - before;
  };
  made();
  EXPECT_EQ(made(), 0);
  problem.lengths = {1, 2};
  EXPECT_EQ(made(), 2); // x and y
  EXPECT_EQ(made(), 0);
  for (int32_t n = 0; n < 100; ++n) { // more than the cache holds
    problem.lengths = {n % 3, n / 3 % 3};
    made();
  }
  problem.lengths = {3, 2};
  made();
  problem.expectHostResults();
}

TEST_F(CudnnPlanTest, BadLengths) {
  for (const std::vector<int32_t> &lengths : {std::vector<int32_t>{3, 4}, {-1, 3}}) {
    CudaSession session;
    CudnnProblem problem(session, Case("gru l1_t3_b2_i4_h8_d1 dtype=f32 lengths=3,3"));
    problem.lengths = lengths;
    problem.forward();
    EXPECT_EQ(session.code(), RNNRT_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(session.message().find("of `lengths` to be in [0, T = 3], but got"), std::string::npos)
        << session.message();
  }
}

TEST_F(CudnnPlanTest, SameMessagesAsTheHost) {
  CudaSession session;
  Session host;
  auto both = [&](auto body) {
    rnnrt_call_reset(session.call);
    rnnrt_call_reset(host.call);
    body(session.call);
    body(host.call);
    EXPECT_NE(session.message(), "");
    EXPECT_EQ(session.message(), host.message());
    EXPECT_EQ(session.code(), host.code());
  };
  auto plan = [](rnnrt_call_t *call, int32_t training) {
    return rnnrt_abi_rnn_plan(call, RNNRT_DTYPE_F32, 2, 0, 0, training, 0, 0, 0, 0, 2, 2, 3, 4, 4, 1);
  };
  alignas(16) static float memory[1024];
  void *m = memory;
  const int64_t params = 4 * (12 + 16 + 8);
  both([&](rnnrt_call_t *call) {
    rnnrt_abi_rnn_forward(call, plan(call, 0), nullptr, nullptr, m, m, m, params, m, m, m, nullptr, 0);
  });
  both([&](rnnrt_call_t *call) {
    rnnrt_abi_rnn_forward(call, plan(call, 0), nullptr, m, m, nullptr, m, params, m, m, m, nullptr, 0);
  });
  both([&](rnnrt_call_t *call) {
    rnnrt_abi_rnn_forward(call, plan(call, 0), nullptr, m, m, m, m, params - 1, m, m, m, nullptr, 0);
  });
  both([&](rnnrt_call_t *call) {
    rnnrt_abi_rnn_forward(call, plan(call, 0), nullptr, m, m, m, m, params, m, m, m, m, 8);
  });
  both([&](rnnrt_call_t *call) {
    rnnrt_abi_rnn_backward_data(call, plan(call, 0), nullptr, m, m, m, m, params, m, m, m, m, m, m, m, m, 8);
  });
  both([&](rnnrt_call_t *call) {
    rnnrt_abi_rnn_backward_weights(call, plan(call, 0), nullptr, m, m, m, m, params, m, 8);
  });
  both([&](rnnrt_call_t *call) {
    rnnrt_abi_rnn_backward_data(call, plan(call, 1), nullptr, m, m, m, m, params, m, nullptr, m, m, m, m, m, m, 8);
  });
  both([&](rnnrt_call_t *call) {
    const void *tensors[16] = {};
    const int64_t elements[16] = {};
    rnnrt_abi_rnn_pack_params(call, plan(call, 0), 8, 8, tensors, elements, m, params);
  });
}

//===-- Dropout --------------------------------------------------------------------------------------------------===//

/// cuDNN has no resets: a pass with them fails.
TEST_F(CudnnPlanTest, NoResets) {
  CudaSession session;
  alignas(16) static float memory[1024];
  void *m = memory;
  const int64_t params = 4 * (12 + 16 + 8);
  rnnrt_plan_t *plan = rnnrt_abi_rnn_plan(session.call, RNNRT_DTYPE_F32, 2, 0, 0, 0, 0, 0, 0, 0, 2, 2, 3, 4, 4, 1);
  const uint8_t marks[4] = {};
  rnnrt_abi_set_resets(session.call, 0, marks);
  rnnrt_abi_rnn_forward(session.call, plan, nullptr, m, m, m, m, params, m, m, m, nullptr, 0);
  EXPECT_EQ(session.code(), RNNRT_STATUS_UNIMPLEMENTED);
  EXPECT_NE(
      session.message().find("`resets` are not available for this plan: cuDNN has none; use the lowering `fused`"),
      std::string::npos)
      << session.message();
}

TEST_F(CudnnPlanTest, DropoutStatesAreMadeOncePerSeed) {
  CudaSession session;
  auto run = [&](const char *line, int64_t draw) {
    CudnnProblem problem(session, Case(line), 0, draw);
    problem.forward();
    problem.backward();
    ASSERT_EQ(session.message(), "");
    problem.expectHostResults();
  };
  // The host uses draw `draw`; the fake uses the next draw of the seed, in any plan.
  run("lstm l3_t3_b2_i4_h8_d1 dtype=f32 dropout=0.5 seed=3 seed2=7", 0);
  run("lstm l3_t3_b2_i4_h8_d1 dtype=f32 dropout=0.5 seed=3 seed2=7", 1);
  run("gru l2_t2_b3_i4_h8_d2 dtype=f32 dropout=0.5 seed=3 seed2=7", 2);
  run("gru l2_t2_b3_i4_h8_d2 dtype=f32 dropout=0.25 seed=3 seed2=7", 3);
  run("lstm l3_t3_b2_i4_h8_d1 dtype=f16 dropout=1 seed=0 seed2=-1 lengths=0,2", 0);
  EXPECT_EQ(fake.count("cudnnSetDropoutDescriptor", "states=1"), 2);
  EXPECT_EQ(fake.count("cudnnRestoreDropoutDescriptor"), 1);
  // Problems without dropout share one descriptor without states.
  run("lstm l1_t3_b2_i4_h8_d1 dtype=f32 dropout=0.5 seed=3 seed2=7", 0);
  EXPECT_EQ(fake.count("cudnnSetDropoutDescriptor", "states=0"), 1);
}

TEST_F(CudnnPlanTest, DropoutOnSeveralStreams) {
  // All plans share one random stream, so that their CUDA streams must synchronize; the fake driver checks it.
  CudaSession first(/*ownStream=*/true), second(first, /*ownStream=*/true), own(first, /*ownStream=*/false);
  int64_t draw = 0;
  for (int repeat = 0; repeat < 2; ++repeat)
    for (CudaSession *session : {&first, &second, &own, &first}) {
      CudnnProblem problem(*session, Case("lstm l3_t3_b2_i4_h8_d1 dtype=f32 dropout=0.5 seed=3"), 0, draw++);
      problem.forward();
      problem.backward();
      ASSERT_EQ(session->message(), "");
      problem.expectHostResults();
    }
}

TEST_F(CudnnPlanTest, ExplicitDrawsAreReproducible) {
  const Case c("lstm l2_t3_b2_i4_h8_d1 dtype=f32 dropout=0.5 seed=3 seed2=7");
  auto outputs = [&](int64_t draw) {
    CudaSession session(false, draw);
    CudnnProblem problem(session, c);
    std::vector<double> values[2];
    for (auto &value : values) {
      problem.forward();
      value = problem.outputs["y"].values();
    }
    EXPECT_EQ(session.message(), "");
    EXPECT_EQ(values[0] == values[1], draw >= 0);
    return values[0];
  };
  const std::vector<double> zero = outputs(0), one = outputs(1);
  EXPECT_EQ(outputs(-1), zero); // the first draw of the seed
  EXPECT_NE(zero, one);
  EXPECT_EQ(outputs(1), one);
}

} // namespace
