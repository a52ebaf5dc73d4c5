// BatchMajorTest.cpp - batch-major sequences (docs/Semantics.md, "Batch-major data"): plans compute what they compute
// on transposed data. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include <algorithm>
#include <cstring>

using namespace rnntest;

namespace {

/// A time-major sequence in the order of a batch-major one.
Tensor toBatchMajor(const Tensor &source, const Case &c) {
  Tensor result(c.dtype(), source.size());
  const int64_t width = source.size() / (c.T * c.B);
  for (int64_t t = 0; t < c.T; ++t)
    for (int64_t b = 0; b < c.B; ++b)
      for (int64_t j = 0; j < width; ++j)
        result.set((b * c.T + t) * width + j, source.get((t * c.B + b) * width + j));
  return result;
}

bool isSequence(const std::string &name) {
  const char *const names[] = {"x", "y", "dx", "dy", "i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Sets the operands of `target` to those of `source`.
void copyOperands(const Tensors &source, Tensors &target, const Case &c) {
  for (auto &[name, tensor] : source)
    target.at(name) = isSequence(name) ? toBatchMajor(tensor, c) : tensor;
}

/// `tolerance` 0: equal bits. Elements that are not defined are NaN in both.
void expectSame(const Tensors &timeMajor, const Tensors &batchMajor, const Case &c, double tolerance) {
  ASSERT_EQ(timeMajor.size(), batchMajor.size());
  for (auto &[name, tensor] : timeMajor) {
    const Tensor expected = isSequence(name) ? toBatchMajor(tensor, c) : tensor;
    if (tolerance > 0) {
      EXPECT_LE(relativeError(batchMajor.at(name).values(), expected.values()), tolerance) << name << repeat(c);
      continue;
    }
    ASSERT_EQ(expected.bytes(), batchMajor.at(name).bytes());
    EXPECT_EQ(std::memcmp(expected.data(), batchMajor.at(name).data(), size_t(expected.bytes())), 0)
        << name << repeat(c);
  }
}

void check(const std::string &line) {
  Session session(/*dropoutDraw=*/3);
  Problem timeMajor(session, Case(line)), batchMajor(session, Case(line + " batch_major=1"));
  copyOperands(timeMajor.operands, batchMajor.operands, timeMajor.c);
  copyOperands(timeMajor.seeds, batchMajor.seeds, timeMajor.c);
  for (Problem *problem : {&timeMajor, &batchMajor}) {
    problem->forward();
    problem->backward();
  }
  ASSERT_EQ(session.message(), "") << repeat(batchMajor.c);
  // Each GEMM over all steps is one per step: the kernels may round the last rows of a matrix in another way, and the
  // gradients of the weights are summed in another order. Half types have the rounding of one bit.
  const std::string dtype = timeMajor.c.word("dtype", "f64");
  const double tolerance = dtype == "f64" ? 1e-14 : dtype == "f32" ? 2e-6 : dtype == "f16" ? 2e-3 : 1.6e-2;
  expectSame(timeMajor.outputs, batchMajor.outputs, timeMajor.c, tolerance);
  expectSame(timeMajor.gradients, batchMajor.gradients, timeMajor.c, tolerance);
}

TEST(BatchMajorTest, Stacks) {
  for (std::string op : {"rnn_relu", "rnn_tanh", "lstm", "gru"})
    for (std::string d : {"1", "2"})
      for (std::string dtype : {"", " dtype=f32", " dtype=f16", " dtype=bf16"}) {
        check(op + " l1_t5_b3_i4_h6_d" + d + dtype);
        check(op + " l3_t5_b3_i6_h6_d" + d + dtype + " input_mode=skip_input dropout=0.4 seed=3");
        check(op + " l2_t5_b3_i4_h6_d" + d + dtype + " lengths=5,0,3 resets=random");
        check(op + " l1_t5_b3_i4_h6_d" + d + dtype + " resets=random reset_to=initial");
        if (op == "lstm")
          check(op + " l2_t5_b3_i4_h6_d" + d + dtype + " num_proj=4 lengths=2,5,3");
      }
  for (std::string sizes : {"l1_t1_b3_i2_h4_d1", "l2_t4_b1_i2_h4_d2", "l1_t1_b1_i1_h1_d1"})
    check("lstm " + sizes);
}

TEST(BatchMajorTest, Blocks) {
  for (std::string words : {" layout=icfo", " layout=ifco peephole=1 cell_clip=0.3 forget_bias=1"})
    for (std::string dtype : {"", " dtype=f32", " dtype=f16", " dtype=bf16"}) {
      for (std::string n : {"0", "1", "3", "5"})
        check("block_lstm l1_t5_b3_i4_h6_d1 n=" + n + words + dtype);
      check("block_lstm l1_t5_b3_i0_h6_d1" + words + dtype);
      check("block_lstm l1_t5_b3_i4_h6_d1 n=4 resets=random" + words + dtype);
      check("block_lstm l1_t5_b3_i4_h6_d1 resets=random reset_to=initial" + words + dtype);
    }
}

/// Both layouts give the same bits if their GEMMs have the same rows and B is a multiple of the tile size.
TEST(BatchMajorTest, EqualBits) {
  for (std::string line : {"lstm l2_t5_b24_i4_h8_d2", "gru l1_t5_b24_i4_h8_d1 dtype=f32",
                           "rnn_tanh l1_t5_b24_i8_h8_d2 input_mode=skip_input", "block_lstm l1_t5_b24_i4_h8_d1 n=3"}) {
    Session session;
    Problem timeMajor(session, Case(line)), batchMajor(session, Case(line + " batch_major=1"));
    copyOperands(timeMajor.operands, batchMajor.operands, timeMajor.c);
    copyOperands(timeMajor.seeds, batchMajor.seeds, timeMajor.c);
    for (Problem *problem : {&timeMajor, &batchMajor}) {
      problem->forward();
      problem->backward();
    }
    ASSERT_EQ(session.message(), "") << line;
    expectSame(timeMajor.outputs, batchMajor.outputs, timeMajor.c, 0);
    for (const char *name : {"dparams", "dw"}) // sums over all steps: another order
      timeMajor.gradients.erase(name), batchMajor.gradients.erase(name);
    expectSame(timeMajor.gradients, batchMajor.gradients, timeMajor.c, 0);
  }
}

/// The reserve space does not depend on the order of the sequences.
TEST(BatchMajorTest, ReserveSpaceOfTheOtherOrder) {
  const std::string line = "gru l1_t3_b2_i2_h3_d1 lengths=3,2 resets=random";
  Session session;
  Problem forward(session, Case(line)), backward(session, Case(line + " batch_major=1"));
  copyOperands(forward.operands, backward.operands, forward.c);
  copyOperands(forward.seeds, backward.seeds, forward.c);
  forward.forward();
  backward.forward();
  backward.reserve = forward.reserve;
  backward.backward();
  forward.backward();
  ASSERT_EQ(session.message(), "");
  expectSame(forward.gradients, backward.gradients, forward.c, 1e-14);
}

TEST(BatchMajorTest, InvalidArguments) {
  Session session;
  rnnrt_abi_rnn_plan(session.call, RNNRT_DTYPE_F32, 2, 0, 0, 1, /*batch_major=*/2, 0, 0, 0, 1, 1, 1, 1, 1, 1);
  EXPECT_EQ(session.code(), RNNRT_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(session.message().find("expects batch_major to be in [0, 1]"), std::string::npos) << session.message();
  rnnrt_call_reset(session.call);
  rnnrt_abi_rnn_plan(session.call, RNNRT_DTYPE_F32, 2, 0, 0, 1, /*batch_major=*/1, 0, 0, 0, 0, 1, 1, 1, 1, 1);
  EXPECT_NE(session.message().find("T (the steps, dim 1 of `input`)"), std::string::npos) << session.message();
  rnnrt_call_reset(session.call);
  rnnrt_abi_block_lstm_plan(session.call, RNNRT_DTYPE_F32, 0, 0, /*batch_major=*/-1, 0, 0, 1, 1, 1, 1);
  EXPECT_NE(session.message().find("expects batch_major to be in [0, 1]"), std::string::npos) << session.message();
}

} // namespace
