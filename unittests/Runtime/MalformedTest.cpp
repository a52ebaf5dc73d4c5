// MalformedTest.cpp - invalid arguments of the ABI entries return a status that names the argument, and never crash.
// Includes the inputs that crashed TensorFlow (docs/Semantics.md, "Checks"), in the form that reaches the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace rnntest;

namespace {

constexpr int64_t huge = int64_t(1) << 40, most = std::numeric_limits<int64_t>::max();

struct RnnArguments {
  int32_t dtype = 2, mode = 2, inputMode = 0, direction = 0, training = 1;
  double dropout = 0;
  int64_t seed = 0, seed2 = 0, T = 3, B = 2, I = 4, H = 4, P = 4, L = 1;
};

struct BlockArguments {
  int32_t dtype = 2, layout = 0, peephole = 0;
  double forgetBias = 0, cellClip = 0;
  int64_t T = 3, B = 2, I = 4, H = 4;
};

rnnrt_plan_t *make(Session &session, const RnnArguments &a) {
  return rnnrt_abi_rnn_plan(session.call, a.dtype, a.mode, a.inputMode, a.direction, a.training, 0, a.dropout, a.seed,
                            a.seed2, a.T, a.B, a.I, a.H, a.P, a.L);
}
rnnrt_plan_t *make(Session &session, const BlockArguments &a) {
  return rnnrt_abi_block_lstm_plan(session.call, a.dtype, a.layout, a.peephole, 0, a.forgetBias, a.cellClip, a.T, a.B,
                                   a.I, a.H);
}

/// Changes one argument of a plan and expects a failure that contains `text`.
template <typename Arguments, typename Value>
void expectRejected(Value Arguments::*member, Value value, const char *text,
                    rnnrt_status_code_t code = RNNRT_STATUS_INVALID_ARGUMENT) {
  Session session;
  Arguments arguments;
  arguments.*member = value;
  EXPECT_EQ(make(session, arguments), nullptr) << text;
  EXPECT_EQ(session.code(), code) << session.message();
  EXPECT_NE(session.message().find(text), std::string::npos) << session.message();
}

TEST(MalformedTest, NetworkPlans) {
  using A = RnnArguments;
  for (int32_t bad : {-1, 4, 1000})
    expectRejected(&A::dtype, bad, "the element type"), expectRejected(&A::mode, bad, "the mode");
  for (int32_t bad : {-1, 2}) {
    expectRejected(&A::inputMode, bad, "the input mode");
    expectRejected(&A::direction, bad, "the direction");
    expectRejected(&A::training, bad, "training");
  }
  for (double bad : {-0.1, 1.1, double(NAN), double(INFINITY)})
    expectRejected(&A::dropout, bad, "expects dropout to be in [0, 1]");
  for (int64_t bad : {int64_t(1) << 31, -(int64_t(1) << 31) - 1}) {
    expectRejected(&A::seed, bad, "seed");
    expectRejected(&A::seed2, bad, "seed2");
  }
  for (int64_t bad : {int64_t(0), int64_t(-1), std::numeric_limits<int64_t>::min()}) {
    expectRejected(&A::T, bad, "T (the steps, dim 0 of `input`) to be at least 1");
    expectRejected(&A::B, bad, "B (the batch, dim 1 of `input`) to be at least 1");
    expectRejected(&A::I, bad, "I (the features, dim 2 of `input`) to be at least 1");
    expectRejected(&A::H, bad, "H (the hidden size) to be at least 1");
    expectRejected(&A::L, bad, "L (the layers) to be at least 1");
    expectRejected(&A::P, bad, "P (the projection) to be at least 1");
  }
  expectRejected(&A::P, int64_t(5), "P (the projection) to be at most H = 4, but got 5");

  Session session;
  RnnArguments a;
  a.mode = 3, a.P = 2;
  EXPECT_EQ(make(session, a), nullptr);
  EXPECT_EQ(session.message(), "expects no projection outside lstm (P = H = 4), but got P = 2");
  rnnrt_call_reset(session.call);
  a = {};
  a.inputMode = 1, a.I = 5;
  EXPECT_EQ(make(session, a), nullptr);
  EXPECT_EQ(session.message(), "expects I to be H = 4 with skip_input, but got 5");
}

TEST(MalformedTest, NetworkSizesThatOverflow) {
  using A = RnnArguments;
  for (int64_t A::*member : {&A::T, &A::B, &A::I, &A::L})
    for (int64_t bad : {most, most / 2, most / 16})
      expectRejected(member, bad, "", RNNRT_STATUS_OUT_OF_RANGE);
  Session session;
  RnnArguments a;
  a.H = a.P = most / 2;
  EXPECT_EQ(make(session, a), nullptr);
  EXPECT_EQ(session.code(), RNNRT_STATUS_OUT_OF_RANGE);
  rnnrt_call_reset(session.call);
  a = {};
  a.T = a.B = huge;
  EXPECT_EQ(make(session, a), nullptr);
  EXPECT_EQ(session.message(), "the size of a tensor in bytes exceeds 64 bits");
  rnnrt_call_reset(session.call);
  // Valid sizes that exceed the memory of any machine: the run returns RESOURCE_EXHAUSTED.
  a = {};
  a.T = huge;
  a.training = 0;
  rnnrt_plan_t *plan = make(session, a);
  ASSERT_NE(plan, nullptr);
  std::vector<float> params(static_cast<size_t>(rnnrt_abi_rnn_params_size(session.call, plan))), state(8);
  rnnrt_abi_rnn_forward(session.call, plan, nullptr, params.data(), state.data(), state.data(), params.data(),
                        int64_t(params.size()), nullptr, nullptr, nullptr, nullptr, 0);
  EXPECT_EQ(session.code(), RNNRT_STATUS_RESOURCE_EXHAUSTED) << session.message();
}

TEST(MalformedTest, BlockPlans) {
  using A = BlockArguments;
  for (int32_t bad : {-1, 4})
    expectRejected(&A::dtype, bad, "the element type");
  for (int32_t bad : {-1, 2}) {
    expectRejected(&A::layout, bad, "the layout");
    expectRejected(&A::peephole, bad, "use_peephole");
  }
  expectRejected(&A::forgetBias, double(NAN), "forget_bias");
  expectRejected(&A::cellClip, double(NAN), "cell_clip");
  expectRejected(&A::T, int64_t(-1), "T (the steps, dim 0 of `x`) to be at least 0, but got -1");
  expectRejected(&A::B, int64_t(-1), "B (the batch");
  expectRejected(&A::I, int64_t(-1), "I (the features");
  expectRejected(&A::H, int64_t(0), "H (the cell size, dim 1 of `cs_prev`) to be at least 1, but got 0");
  for (int64_t A::*member : {&A::T, &A::B, &A::I, &A::H})
    for (int64_t bad : {most, most / 2, most / 16})
      expectRejected(member, bad, "", RNNRT_STATUS_OUT_OF_RANGE);
}

//===-- Runs -----------------------------------------------------------------------------------------------------===//

void expectMessage(Session &session, rnnrt_status_code_t code, const char *text, const Case &c) {
  EXPECT_EQ(session.code(), code) << session.message() << repeat(c);
  EXPECT_NE(session.message().find(text), std::string::npos) << session.message() << repeat(c);
  // The problem is part of every message of a run.
  EXPECT_NE(session.message().find("; in "), std::string::npos) << session.message() << repeat(c);
  rnnrt_call_reset(session.call);
}

TEST(MalformedTest, BlockSeqLenMax) {
  for (std::string n : {"-1", "5", "9223372036854775807"}) {
    const Case c("block_lstm l1_t4_b2_i3_h5_d1 n=" + n);
    Session session;
    rnnrt_plan_t *plan = make(session, BlockArguments{2, 0, 0, 0, 0, 4, 2, 3, 5});
    const int64_t value = n.size() > 2 ? most : std::stoll(n);
    std::vector<float> buffer(1000);
    float *p = buffer.data();
    rnnrt_abi_block_lstm_forward(session.call, plan, value, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p);
    expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, "expects `seq_len_max` to be in [0, T = 4], but got ", c);
    plan = make(session, BlockArguments{2, 0, 0, 0, 0, 4, 2, 3, 5});
    rnnrt_abi_block_lstm_backward(session.call, plan, value, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p,
                                  p, p, p, p, p);
    expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, "expects `seq_len_max` to be in [0, T = 4], but got ", c);
  }
}

TEST(MalformedTest, SequenceLengths) {
  const Case c("gru l1_t4_b3_i2_h2_d1 lengths=1,5,2");
  for (std::string lengths : {"1,5,2", "1,-1,2"}) {
    Session session;
    Problem problem(session, c.with("lengths", lengths));
    problem.forward();
    expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT,
                  "expects element 1 of `lengths` to be in [0, T = 4], but got ", problem.c);
  }
}

TEST(MalformedTest, ParamsOfAnotherSize) {
  const Case c("lstm l2_t3_b2_i2_h3_d2");
  Session session;
  Problem problem(session, c);
  const int64_t count = problem.operands["params"].size();
  for (int64_t other : {count - 1, count + 1, int64_t(0), int64_t(-1)}) {
    Problem run(session, c);
    std::vector<char> reserve(size_t(rnnrt_abi_rnn_reserve_size(session.call, run.plan)));
    const Tensor &x = run.operands["x"], &h0 = run.operands["h0"], &c0 = run.operands["c0"];
    const std::string text =
        "expects `params` to have " + std::to_string(count) + " elements, but got " + std::to_string(other);
    rnnrt_abi_rnn_forward(session.call, run.plan, nullptr, x.data(), h0.data(), c0.data(),
                          run.operands["params"].data(), other, nullptr, nullptr, nullptr, reserve.data(),
                          int64_t(reserve.size()));
    expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, text.c_str(), c);
    run.forward();
    rnnrt_abi_rnn_backward_weights(session.call, run.plan, nullptr, x.data(), h0.data(), nullptr,
                                   run.operands["params"].data(), other, run.reserve.data(),
                                   int64_t(run.reserve.size()));
    expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, text.c_str(), c);
  }
}

TEST(MalformedTest, NullOperands) {
  const Case c("lstm l1_t2_b2_i2_h2_d1");
  for (std::string name : {"x", "h0", "c0", "params"}) {
    Session session;
    Problem problem(session, c);
    auto pointer = [&](const char *operand) {
      return operand == name ? nullptr : std::as_const(problem.operands.at(operand)).data();
    };
    rnnrt_abi_rnn_forward(session.call, problem.plan, nullptr, pointer("x"), pointer("h0"), pointer("c0"),
                          pointer("params"), problem.operands["params"].size(), nullptr, nullptr, nullptr, nullptr, 0);
    expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, ("expects `" + name + "`").c_str(), c);
  }
  Session session;
  std::vector<float> buffer(1000);
  for (int null = 0; null < 9; ++null) {
    const void *p[9];
    for (int k = 0; k < 9; ++k)
      p[k] = k == null ? nullptr : buffer.data();
    rnnrt_plan_t *plan = make(session, BlockArguments{2, 0, 1, 0, 0, 2, 2, 2, 2});
    rnnrt_abi_block_lstm_forward(session.call, plan, 2, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], nullptr,
                                 nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    if (null < 8)
      expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, "but got a null pointer",
                    Case("block_lstm l1_t2_b2_i2_h2_d1"));
  }
  EXPECT_CALL_OK(session);
}

TEST(MalformedTest, PlansOfTheOtherKind) {
  Session session;
  const Case c("lstm l1_t2_b2_i2_h2_d1");
  rnnrt_plan_t *block = make(session, BlockArguments{});
  EXPECT_EQ(rnnrt_abi_rnn_params_size(session.call, block), 0);
  expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, "expects a plan of rnnrt_abi_rnn_plan", c);
  rnnrt_plan_t *network = make(session, RnnArguments{});
  rnnrt_abi_block_lstm_forward(session.call, network, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, "expects a plan of rnnrt_abi_block_lstm_plan", c);
  EXPECT_EQ(rnnrt_abi_rnn_reserve_size(session.call, nullptr), 0);
  EXPECT_EQ(session.message(), "reserve_size expects `plan`, but got a null pointer");
}

TEST(MalformedTest, CanonicalTensors) {
  // Issue 16042: GRU, skip_input, first-layer W given as H x H.
  Session session;
  const Case c("gru l1_t1_b1_i4_h4_d1 input_mode=skip_input");
  std::vector<float> data(1000);
  std::vector<int64_t> sizes = {16, 16, 16, 16, 16, 16, 4, 4, 4, 4, 4, 4};
  std::vector<void *> tensors(12, data.data());
  auto run = [&](int64_t weights, int64_t biases, const std::vector<int64_t> &elements, int64_t params,
                 const char *text) {
    Problem problem(session, c);
    rnnrt_abi_rnn_pack_params(session.call, problem.plan, weights, biases, tensors.data(), elements.data(), data.data(),
                              params);
    expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, text, c);
    problem.forward(); // creates the plan again, which the reset released
    rnnrt_abi_rnn_unpack_params(session.call, problem.plan, weights, biases, tensors.data(), elements.data(),
                                data.data(), params);
    expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, text, c);
  };
  run(6, 6, sizes, 72, "expects tensor 0 of the weights to have 0 elements, but got 16");
  sizes[0] = sizes[1] = sizes[2] = 0;
  run(5, 6, sizes, 72, "expects 6 weights, but got 5");
  run(6, 0, sizes, 72, "expects 6 biases, but got 0");
  run(6, 6, sizes, 71, "expects `params` to have 72 elements, but got 71");
  sizes[11] = 5;
  run(6, 6, sizes, 72, "expects tensor 5 of the biases to have 4 elements, but got 5");
  sizes[11] = 4;
  tensors[11] = nullptr;
  run(6, 6, sizes, 72, "expects tensor 5 of the biases, but got a null pointer");
}

//===-- The reserve space ----------------------------------------------------------------------------------------===//

/// Runs forward, changes something, and expects backward to reject the reserve space.
void expectReserveRefused(const std::function<void(Problem &)> &change, rnnrt_status_code_t code, const char *text) {
  Session session;
  Problem problem(session, Case("lstm l2_t4_b2_i3_h3_d1"));
  problem.forward();
  ASSERT_EQ(session.message(), "");
  change(problem);
  problem.backward();
  expectMessage(session, code, text, problem.c);
}

TEST(ReserveTest, WrongContents) {
  const auto failed = RNNRT_STATUS_FAILED_PRECONDITION;
  expectReserveRefused([](Problem &p) { std::memset(p.reserve.data(), 0, p.reserve.size()); }, failed,
                       "`reserve` was not written by a training forward pass");
  expectReserveRefused([](Problem &p) { p.reserve.pop_back(); }, RNNRT_STATUS_INVALID_ARGUMENT,
                       "expects `reserve` to have ");
  expectReserveRefused([](Problem &p) { p.reserve.clear(); }, RNNRT_STATUS_INVALID_ARGUMENT,
                       "expects `reserve` to have ");
  expectReserveRefused([](Problem &p) { ++p.reserve[8]; }, failed, "another lowering or version");
  expectReserveRefused([](Problem &p) { ++p.reserve[12]; }, failed, "another lowering or version");
  expectReserveRefused([](Problem &p) { p.reserve[40] = 0; }, failed, "not finished");
}

/// A reserve space of the same size, but of another problem or with other lengths.
TEST(ReserveTest, OfAnotherProblem) {
  Session session;
  Problem lstm(session, Case("lstm l1_t4_b2_i3_h3_d1")), other(session, Case("lstm l1_t2_b4_i3_h3_d1"));
  lstm.forward(), other.forward();
  ASSERT_EQ(lstm.reserve.size(), other.reserve.size());
  lstm.reserve = other.reserve;
  lstm.backward();
  expectMessage(session, RNNRT_STATUS_FAILED_PRECONDITION,
                "`reserve` was written by the forward pass of another problem", lstm.c);
  Problem shorter(session, Case("lstm l1_t4_b2_i3_h3_d1 lengths=4,2"));
  lstm.forward(), shorter.forward();
  shorter.reserve = lstm.reserve;
  shorter.backward();
  expectMessage(session, RNNRT_STATUS_FAILED_PRECONDITION, "other `lengths`", shorter.c);
}

TEST(ReserveTest, IsUsableOnce) {
  Session session;
  Problem problem(session, Case("gru l1_t4_b2_i3_h3_d1"));
  problem.forward();
  const std::vector<char> fresh = problem.reserve;
  problem.backward();
  const std::vector<double> first = problem.gradients["dparams"].values();
  ASSERT_EQ(session.message(), "");
  problem.backward();
  expectMessage(session, RNNRT_STATUS_FAILED_PRECONDITION, "consumed by an earlier backward_data", problem.c);
  problem.forward(); // creates the plan again, which the reset released
  problem.reserve = fresh;
  problem.backward();
  EXPECT_CALL_OK(session);
  EXPECT_EQ(problem.gradients["dparams"].values(), first);
  // backward_weights requires a preceding backward_data; it may run repeatedly.
  problem.reserve = fresh;
  Tensor dparams(RNNRT_DTYPE_F64, problem.operands["params"].size());
  rnnrt_abi_rnn_backward_weights(session.call, problem.plan, nullptr, problem.operands["x"].data(),
                                 problem.operands["h0"].data(), problem.outputs["y"].data(), dparams.data(),
                                 dparams.size(), problem.reserve.data(), int64_t(problem.reserve.size()));
  expectMessage(session, RNNRT_STATUS_FAILED_PRECONDITION, "that did not run", problem.c);
}

TEST(ReserveTest, InferenceHasNone) {
  Session session;
  Problem problem(session, Case("gru l1_t4_b2_i3_h3_d1"));
  problem.forward(/*training=*/false);
  EXPECT_CALL_OK(session);
  EXPECT_TRUE(problem.reserve.empty());
  problem.backward();
  expectMessage(session, RNNRT_STATUS_FAILED_PRECONDITION, "needs a plan made with training = 1", problem.c);
}

TEST(ReserveTest, Unaligned) {
  Session session;
  Problem problem(session, Case("gru l1_t4_b2_i3_h3_d1"));
  problem.forward();
  std::vector<char> memory(problem.reserve.size() + 1);
  rnnrt_abi_rnn_forward(session.call, problem.plan, nullptr, problem.operands["x"].data(),
                        problem.operands["h0"].data(), nullptr, problem.operands["params"].data(),
                        problem.operands["params"].size(), nullptr, nullptr, nullptr, memory.data() + 1,
                        int64_t(problem.reserve.size()));
  expectMessage(session, RNNRT_STATUS_INVALID_ARGUMENT, "aligned to 8 bytes", problem.c);
}

} // namespace
