// GradientTest.cpp - compares every gradient of every op with central differences in f64. Elements that must not be
// read are NaN, and results are poisoned before each run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include <algorithm>
#include <cmath>

using namespace rnntest;

namespace {

class GradientTest : public testing::TestWithParam<std::string> {};

/// Returns the largest difference between the op's gradient and the central difference, relative to the largest
/// element.
double centralDifferenceError(Problem &problem, const std::string &name) {
  Tensor &operand = problem.operands.at(name);
  std::vector<double> numeric(size_t(operand.size()), 0.0);
  for (int64_t k = 0; k < operand.size(); ++k) {
    const double value = operand.get(k), step = 1e-5;
    if (std::isnan(value))
      continue; // the operand is not read, so that its gradient is zero
    operand.set(k, value + step);
    problem.forward();
    const double above = problem.loss();
    operand.set(k, value - step);
    problem.forward();
    const double below = problem.loss();
    operand.set(k, value);
    numeric[size_t(k)] = (above - below) / (2 * step);
  }
  const std::vector<double> analytic = problem.gradients.at("d" + name).values();
  // A zero gradient must be exactly zero. The difference quotient is zero too, since no result depends on the operand.
  return relativeError(analytic, numeric);
}

TEST_P(GradientTest, CentralDifferences) {
  const Case c(GetParam());
  Session session(/*dropoutDraw=*/3);
  Problem problem(session, c);
  problem.forward();
  ASSERT_EQ(session.message(), "") << repeat(c);
  problem.backward();
  ASSERT_EQ(session.message(), "") << repeat(c);
  for (const std::string &name : problem.differentiable()) {
    EXPECT_LE(centralDifferenceError(problem, name), 1e-7) << "gradient of " << name << repeat(c);
    ASSERT_EQ(session.message(), "") << repeat(c);
  }
}

/// Omitting a gradient does not change the other gradients.
TEST_P(GradientTest, SingleGradient) {
  const Case c(GetParam());
  Session session(3);
  Problem all(session, c), one(session, c);
  all.forward();
  all.backward();
  for (const std::string &name : all.differentiable()) {
    one.forward();
    one.backward("d" + name);
    ASSERT_EQ(session.message(), "") << repeat(c);
    EXPECT_EQ(one.gradients.at("d" + name).values(), all.gradients.at("d" + name).values())
        << "gradient of " << name << repeat(c);
  }
}

/// y, dx and the results of the block op are zero in padding.
TEST_P(GradientTest, PaddingIsZero) {
  const Case c(GetParam());
  Session session(3);
  Problem problem(session, c);
  problem.forward();
  problem.backward();
  ASSERT_EQ(session.message(), "") << repeat(c);
  auto expectZero = [&](const std::string &name, const Tensor &tensor) {
    const int64_t width = tensor.size() / (c.T * c.B);
    for (int64_t t = 0; t < c.T; ++t)
      for (int64_t b = 0; b < c.B; ++b)
        for (int64_t j = 0; c.padded(t, b) && j < width; ++j)
          ASSERT_EQ(tensor.get(c.row(t, b) * width + j), 0) << name << " at t=" << t << " b=" << b << repeat(c);
  };
  expectZero("dx", problem.gradients.at("dx"));
  if (!c.isBlock())
    expectZero("y", problem.outputs.at("y"));
  else
    for (auto &[name, tensor] : problem.outputs)
      expectZero(name, tensor);
}

std::vector<std::string> networkCases() {
  std::vector<std::string> cases;
  for (std::string op : {"rnn_relu", "rnn_tanh", "lstm", "gru"})
    for (std::string d : {"1", "2"}) {
      auto add = [&](const std::string &sizes, const std::string &words = "") {
        cases.push_back(op + " " + sizes + "_d" + d + words);
      };
      for (std::string l : {"1", "2", "3"}) {
        add("l" + l + "_t4_b2_i2_h3");
        add("l" + l + "_t4_b2_i3_h3", " input_mode=skip_input");
        add("l" + l + "_t4_b3_i2_h3", " lengths=4,2,0");
      }
      add("l1_t1_b1_i1_h1");
      add("l2_t1_b2_i3_h2", " lengths=0,1");
      add("l2_t3_b2_i2_h2", " lengths=0,0");
      add("l3_t4_b2_i2_h3", " dropout=0.5 seed=7 seed2=-1");
      add("l2_t4_b3_i2_h3", " dropout=0.3 seed=-2 seed2=5 lengths=1,4,3");
      add("l2_t3_b2_i3_h3", " dropout=1 input_mode=skip_input");
      add("l2_t3_b5_i2_h4"); // more rows than the small-batch kernels support
      for (std::string to : {" reset_to=zero", " reset_to=initial"}) {
        add("l1_t5_b3_i2_h3", " resets=random" + to);
        add("l2_t4_b2_i2_h3", " resets=0:0,2:1,3:0" + to);
        add("l3_t3_b2_i2_h2", " resets=all" + to);
        add("l2_t5_b3_i3_h3", " resets=random lengths=5,2,0 input_mode=skip_input dropout=0.3 seed=5" + to);
        if (op == "lstm")
          add("l2_t5_b3_i2_h4", " resets=random num_proj=3 lengths=3,5,4" + to);
      }
      add("l1_t4_b3_i2_h3", " batch_major=1");
      add("l2_t4_b3_i2_h3", " batch_major=1 lengths=4,2,0 resets=random");
      add("l2_t4_b3_i3_h3", " batch_major=1 input_mode=skip_input dropout=0.3 seed=5 data_seed=2");
      if (op == "lstm")
        for (std::string l : {"1", "2", "3"}) {
          add("l" + l + "_t4_b2_i2_h4", " num_proj=3");
          add("l" + l + "_t4_b3_i2_h4", " num_proj=2 lengths=2,0,4");
          add("l" + l + "_t3_b2_i4_h4", " num_proj=1 input_mode=skip_input dropout=0.5 seed=1");
        }
    }
  return cases;
}

std::vector<std::string> blockCases() {
  std::vector<std::string> cases;
  for (std::string layout : {"icfo", "ifco"})
    for (std::string peephole : {"0", "1"}) {
      const std::string words = " layout=" + layout + " peephole=" + peephole;
      for (std::string n : {"0", "1", "3", "5"})
        cases.push_back("block_lstm l1_t5_b3_i2_h4_d1" + words + " forget_bias=0.75 n=" + n);
      cases.push_back("block_lstm l1_t3_b5_i3_h2_d1" + words);
      cases.push_back("block_lstm l1_t3_b2_i0_h2_d1" + words); // I = 0: x and its weights are empty
      cases.push_back("block_lstm l1_t1_b1_i1_h1_d1" + words +
                      " forget_bias=1 cell_clip=30"); // a clip that has no effect
      for (std::string to : {" reset_to=zero", " reset_to=initial"})
        for (std::string marks : {" resets=random", " resets=all", " resets=0:0,2:1,4:2 n=3"})
          cases.push_back("block_lstm l1_t5_b3_i2_h3_d1" + words + marks + to);
      for (std::string n : {"0", "3", "5"})
        cases.push_back("block_lstm l1_t5_b3_i2_h4_d1" + words + " batch_major=1 n=" + n);
      cases.push_back("block_lstm l1_t5_b3_i2_h3_d1" + words + " batch_major=1 resets=random n=4");
    }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Network, GradientTest, testing::ValuesIn(networkCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Block, GradientTest, testing::ValuesIn(blockCases()), nameOf);

/// Tests the comparison: it must detect a gradient with one wrong element.
TEST(GradientCheckTest, DetectsOneWrongElement) {
  Session session;
  Problem problem(session, Case("lstm l1_t3_b2_i2_h3_d1"));
  problem.forward();
  problem.backward();
  EXPECT_LE(centralDifferenceError(problem, "params"), 1e-7);
  Tensor &gradient = problem.gradients.at("dparams");
  std::vector<double> values = gradient.values();
  const double largest = std::fabs(
      *std::max_element(values.begin(), values.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); }));
  gradient.set(gradient.size() - 1, gradient.get(gradient.size() - 1) + 1e-6 * largest);
  EXPECT_GT(centralDifferenceError(problem, "params"), 1e-7);
  gradient.poison();
  EXPECT_GT(centralDifferenceError(problem, "params"), 1e-7);
}

} // namespace
