// AcceptanceTest.cpp - published results of TensorFlow and cuDNN, and identities between ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include <algorithm>
#include <cmath>

using namespace rnntest;

namespace {

void fill(Tensor &tensor, double value) {
  for (int64_t k = 0; k < tensor.size(); ++k)
    tensor.set(k, value);
}

std::vector<double> slice(const Tensor &tensor, int64_t first, int64_t count) {
  std::vector<double> values = tensor.values();
  return std::vector<double>(values.begin() + first, values.begin() + first + count);
}

//===-- Block LSTM -----------------------------------------------------------------------------------------------===//

/// TensorFlow's testLSTMBlockCell: two stacked cells.
TEST(AcceptanceTest, BlockCellNumbers) {
  Session session;
  Problem first(session, Case("block_lstm l1_t1_b1_i2_h2_d1 layout=icfo forget_bias=1 cell_clip=3"));
  auto prepare = [](Problem &problem) {
    fill(problem.operands["w"], 0.5);
    fill(problem.operands["b"], 0);
    fill(problem.operands["cs_prev"], 0.1);
    fill(problem.operands["h_prev"], 0.1);
  };
  prepare(first);
  fill(first.operands["x"], 1);
  first.forward();
  Problem second(session, first.c);
  prepare(second);
  second.operands["x"].set(first.outputs["h"].values());
  second.forward();
  ASSERT_EQ(session.message(), "");
  // The published numbers are from an f32 run, so that their last digits contain rounding errors.
  const double f32 = 2e-7;
  EXPECT_NEAR(first.outputs["cs"].get(0), .68967271, f32);
  EXPECT_NEAR(first.outputs["h"].get(0), .44848421, f32);
  EXPECT_NEAR(second.outputs["cs"].get(0), .39897051, f32);
  EXPECT_NEAR(second.outputs["h"].get(0), .24024698, f32);
}

/// Swaps the gate columns between icfo and ifco; the permutation is its own inverse.
std::vector<double> exchanged(const Tensor &tensor, int64_t H) {
  std::vector<double> values = tensor.values();
  for (size_t row = 0; row < values.size(); row += size_t(4 * H))
    for (int64_t j = 0; j < H; ++j)
      std::swap(values[row + size_t(H + j)], values[row + size_t(2 * H + j)]);
  return values;
}

TEST(AcceptanceTest, BothLayoutsAgree) {
  for (std::string words : {" peephole=0", " peephole=1 cell_clip=0.4", " peephole=1 n=2"})
    for (std::string sizes : {"l1_t1_b1_i1_h8_d1", "l1_t5_b6_i3_h4_d1"}) {
      if (words == " peephole=1 n=2" && sizes[4] == '1')
        continue;
      Session session;
      Problem v1(session, Case("block_lstm " + sizes + words + " layout=icfo"));
      Problem v2(session, Case("block_lstm " + sizes + words + " layout=ifco"));
      const int64_t H = v1.c.H;
      v2.operands["w"].set(exchanged(v1.operands["w"], H));
      v2.operands["b"].set(exchanged(v1.operands["b"], H));
      v1.forward(), v2.forward();
      v1.backward(), v2.backward();
      ASSERT_EQ(session.message(), "");
      for (auto &[name, tensor] : v1.outputs)
        EXPECT_LE(relativeError(v2.outputs[name].values(), tensor.values()), 1e-14) << name << repeat(v1.c);
      for (auto &[name, tensor] : v1.gradients) {
        const bool gates = name == "dw" || name == "db";
        EXPECT_LE(
            relativeError(gates ? exchanged(v2.gradients[name], H) : v2.gradients[name].values(), tensor.values()),
            1e-14)
            << name << repeat(v1.c);
      }
    }
}

/// The gradient ignores cell_clip: it treats the clipped cell as unclipped.
TEST(AcceptanceTest, GradientIgnoresTheClip) {
  Session session;
  Problem clipped(session, Case("block_lstm l1_t3_b2_i2_h3_d1 cell_clip=0.1"));
  clipped.forward();
  bool binds = false;
  for (double value : clipped.outputs["cs"].values()) {
    EXPECT_LE(std::fabs(value), 0.1);
    binds |= std::fabs(value) == 0.1;
  }
  EXPECT_TRUE(binds);
  clipped.backward();
  Problem plain(session, Case("block_lstm l1_t3_b2_i2_h3_d1"));
  plain.outputs = clipped.outputs;
  plain.backward();
  ASSERT_EQ(session.message(), "");
  for (auto &[name, tensor] : plain.gradients)
    EXPECT_EQ(tensor.values(), clipped.gradients[name].values()) << name;
  // A negative or zero cell_clip disables clipping.
  Problem negative(session, Case("block_lstm l1_t3_b2_i2_h3_d1 cell_clip=-0.1"));
  plain.forward(), negative.forward();
  EXPECT_EQ(plain.outputs["h"].values(), negative.outputs["h"].values());
}

/// testLSTMFusedSequenceLengths: one op of T steps equals T ops of one step each.
TEST(AcceptanceTest, StepByStepMatches) {
  Session session;
  Problem all(session, Case("block_lstm l1_t6_b3_i4_h5_d1 forget_bias=1 peephole=1"));
  all.forward();
  Problem one(session, Case("block_lstm l1_t1_b3_i4_h5_d1 forget_bias=1 peephole=1"));
  for (const char *name : {"w", "wci", "wcf", "wco", "b", "cs_prev", "h_prev"})
    one.operands[name].set(all.operands[name].values());
  for (int64_t t = 0; t < 6; ++t) {
    one.operands["x"].set(slice(all.operands["x"], t * 12, 12));
    one.forward();
    ASSERT_EQ(session.message(), "");
    for (auto &[name, tensor] : one.outputs)
      EXPECT_LE(relativeError(tensor.values(), slice(all.outputs[name], t * 15, 15)), 1e-14) << name << " t=" << t;
    one.operands["cs_prev"].set(one.outputs["cs"].values());
    one.operands["h_prev"].set(one.outputs["h"].values());
  }
}

/// The operands of CVE-2022-35964 with valid ranks: T = B = I = 1, C = 8. Every saved gate is a constant.
TEST(AcceptanceTest, OperandsOfTheCve) {
  Session session;
  Problem problem(session, Case("block_lstm l1_t1_b1_i1_h8_d1 layout=ifco"));
  problem.forward();
  const std::map<std::string, double> saved = {{"i", .947548032},  {"f", .960281253},  {"o", .952910185},
                                               {"ci", .997839093}, {"co", .949419379}, {"cs", 1.82585835}};
  for (auto &[name, value] : saved)
    fill(problem.outputs[name], value);
  fill(problem.operands["w"], .184634328);
  fill(problem.operands["cs_prev"], 0.5);
  for (const char *name : {"cs_grad", "h_grad"})
    fill(problem.seeds[name], 1);
  problem.backward();
  ASSERT_EQ(session.message(), "");
  const double i = saved.at("i"), f = saved.at("f"), o = saved.at("o"), ci = saved.at("ci"), co = saved.at("co");
  const double dout = o * (1 - o) * co, dcs = (1 - co * co) * o + 1;
  const double dci = (1 - ci * ci) * dcs * i, df = f * (1 - f) * dcs * 0.5, di = i * (1 - i) * dcs * ci;
  EXPECT_NEAR(problem.gradients["dx"].get(0), 8 * .184634328 * (di + df + dci + dout), 1e-14);
  EXPECT_NEAR(problem.gradients["dcs_prev"].get(3), dcs * f, 1e-15);
  const std::vector<double> db = {di, df, dci, dout};
  for (int64_t gate = 0; gate < 4; ++gate)
    EXPECT_NEAR(problem.gradients["db"].get(gate * 8 + 5), db[size_t(gate)], 1e-15) << gate;
}

//===-- Stacks of recurrent layers -------------------------------------------------------------------------------===//

/// Published cuDNN GRU result: skip_input, x = 1, all other operands 0.
TEST(AcceptanceTest, GruSkipInput) {
  Session session;
  Problem problem(session, Case("gru l1_t1_b1_i1_h1_d1 input_mode=skip_input"));
  fill(problem.operands["x"], 1);
  fill(problem.operands["h0"], 0);
  fill(problem.operands["params"], 0);
  problem.forward();
  ASSERT_EQ(session.message(), "");
  EXPECT_NEAR(problem.outputs["y"].get(0), 0.20482421, 5e-9);
}

/// One layer in one direction of cudnn's lstm is the block LSTM with layout ifco, w = [W^T; R^T] and b = bW + bR.
TEST(AcceptanceTest, CudnnLstmIsBlockLstm) {
  Session session;
  const int64_t T = 4, B = 5, I = 3, H = 6;
  Problem net(session, Case("lstm l1_t4_b5_i3_h6_d1"));
  Problem block(session, Case("block_lstm l1_t4_b5_i3_h6_d1 layout=ifco"));
  auto toBlockWeights = [&](const Tensor &params, Tensor &w) {
    for (int64_t row = 0; row < 4 * H; ++row) {
      for (int64_t k = 0; k < I; ++k)
        w.set(k * 4 * H + row, params.get(row * I + k));
      for (int64_t k = 0; k < H; ++k)
        w.set((I + k) * 4 * H + row, params.get(4 * H * I + row * H + k));
    }
  };
  const int64_t biases = 4 * H * (I + H);
  const Tensor &params = net.operands["params"];
  toBlockWeights(params, block.operands["w"]);
  for (int64_t row = 0; row < 4 * H; ++row)
    block.operands["b"].set(row, params.get(biases + row) + params.get(biases + 4 * H + row));
  block.operands["x"].set(net.operands["x"].values());
  block.operands["cs_prev"].set(net.operands["c0"].values());
  block.operands["h_prev"].set(net.operands["h0"].values());
  // The gradient of h has a term of every step; the last h and c have one of the final states.
  for (int64_t k = 0; k < T * B * H; ++k) {
    const bool last = k >= (T - 1) * B * H;
    const int64_t state = k - (T - 1) * B * H;
    block.seeds["h_grad"].set(k, net.seeds["dy"].get(k) + (last ? net.seeds["dhn"].get(state) : 0));
    block.seeds["cs_grad"].set(k, last ? net.seeds["dcn"].get(state) : 0);
  }
  net.forward(), block.forward();
  net.backward(), block.backward();
  ASSERT_EQ(session.message(), "");
  EXPECT_LE(relativeError(net.outputs["y"].values(), block.outputs["h"].values()), 1e-14);
  EXPECT_LE(relativeError(net.outputs["cn"].values(), slice(block.outputs["cs"], (T - 1) * B * H, B * H)), 1e-14);
  EXPECT_LE(relativeError(net.gradients["dx"].values(), block.gradients["dx"].values()), 1e-14);
  EXPECT_LE(relativeError(net.gradients["dh0"].values(), block.gradients["dh_prev"].values()), 1e-14);
  EXPECT_LE(relativeError(net.gradients["dc0"].values(), block.gradients["dcs_prev"].values()), 1e-14);
  Tensor dw(RNNRT_DTYPE_F64, (I + H) * 4 * H);
  toBlockWeights(net.gradients["dparams"], dw);
  EXPECT_LE(relativeError(dw.values(), block.gradients["dw"].values()), 1e-14);
  EXPECT_LE(relativeError(slice(net.gradients["dparams"], biases, 4 * H), block.gradients["db"].values()), 1e-14);
}

/// dbW = dbR for every gate of every mode except the new gate (n) of gru, whose recurrent bias is multiplied by r.
TEST(AcceptanceTest, BiasGradients) {
  for (std::string op : {"rnn_relu", "rnn_tanh", "lstm", "gru"}) {
    Session session;
    Problem problem(session, Case(op + " l2_t4_b3_i2_h5_d2"));
    problem.forward();
    problem.backward();
    ASSERT_EQ(session.message(), "");
    const int64_t rows = problem.c.gates() * 5, pseudo = 4;
    const Tensor &dparams = problem.gradients["dparams"];
    for (int64_t k = 0; k < pseudo; ++k) {
      const int64_t first = dparams.size() - (pseudo - k) * 2 * rows, same = op == "gru" ? 10 : rows;
      EXPECT_EQ(slice(dparams, first, same), slice(dparams, first + rows, same)) << op;
      if (op == "gru") {
        EXPECT_NE(slice(dparams, first + 10, 5), slice(dparams, first + rows + 10, 5));
      }
    }
  }
}

/// Parameter sizes of TensorFlow's test cases, computed by formula.
TEST(AcceptanceTest, ParamsSize) {
  Session session;
  const int64_t cases[][3] = {{4, 200, 200}, {4, 200, 300}, {4, 200, 100}, {1, 100, 200}, {2, 200, 100}, {3, 200, 400}};
  for (auto &[L, H, I] : cases)
    for (int32_t mode = 0; mode < 4; ++mode)
      for (int64_t D : {1, 2})
        for (int32_t dtype : {0, 1, 2, 3}) {
          const int64_t G = mode == 2 ? 4 : mode == 3 ? 3 : 1, P = mode == 2 && L == 2 ? 50 : H;
          rnnrt_plan_t *plan =
              rnnrt_abi_rnn_plan(session.call, dtype, mode, 0, int32_t(D - 1), 0, 0, 0, 0, 0, 1, 1, I, H, P, L);
          EXPECT_EQ(rnnrt_abi_rnn_params_size(session.call, plan),
                    G * H * D * (I + P + 2) + (L - 1) * G * H * D * (D * P + P + 2) + (P != H ? L * D * P * H : 0))
              << rnnrt_plan_key(plan);
          EXPECT_EQ(rnnrt_abi_rnn_reserve_size(session.call, plan), 0);
        }
  EXPECT_CALL_OK(session);
}

/// Inference equals a training forward pass without dropout, for every dropout rate.
TEST(AcceptanceTest, InferenceIgnoresDropout) {
  for (std::string op : {"rnn_relu", "rnn_tanh", "lstm", "gru"})
    for (std::string lengths : {"", " lengths=3,0,4"}) {
      Session session;
      Problem plain(session, Case(op + " l3_t4_b3_i2_h5_d2" + lengths));
      Problem drops(session, Case(op + " l3_t4_b3_i2_h5_d2 dropout=1" + lengths));
      plain.forward();
      drops.forward(/*training=*/false);
      ASSERT_EQ(session.message(), "");
      for (auto &[name, tensor] : plain.outputs)
        EXPECT_EQ(drops.outputs[name].values(), tensor.values()) << name << repeat(drops.c);
    }
}

/// Lengths that are all T equal absent lengths. The results of a sequence do not depend on the other lengths.
TEST(AcceptanceTest, ExamplesAreIndependent) {
  for (std::string op : {"rnn_relu", "rnn_tanh", "lstm", "gru"}) {
    Session session;
    const std::string sizes = " l2_t4_b3_i2_h5_d2";
    Problem full(session, Case(op + sizes)), spelled(session, Case(op + sizes + " lengths=4,4,4"));
    Problem shorter(session, Case(op + sizes + " lengths=4,2,0"));
    for (Problem *problem : {&full, &spelled, &shorter})
      problem->forward(), problem->backward();
    ASSERT_EQ(session.message(), "");
    for (auto &[name, tensor] : full.gradients)
      EXPECT_EQ(spelled.gradients[name].values(), tensor.values()) << name;
    for (int64_t t = 0; t < 4; ++t)
      EXPECT_EQ(slice(shorter.outputs["y"], t * 30, 10), slice(full.outputs["y"], t * 30, 10)) << op << " t=" << t;
    // Length 0: the state is copied.
    for (int64_t row = 0; row < 4; ++row)
      EXPECT_EQ(slice(shorter.outputs["hn"], row * 15 + 10, 5), slice(shorter.operands["h0"], row * 15 + 10, 5));
  }
}

/// Unpacking is the inverse of packing, and both use the canonical order.
TEST(AcceptanceTest, PackAndUnpack) {
  for (std::string line : {"lstm l2_t1_b1_i3_h4_d2 num_proj=2", "gru l2_t1_b1_i4_h4_d1 input_mode=skip_input",
                           "rnn_tanh l3_t1_b1_i3_h4_d2 dtype=bf16"}) {
    const Case c(line);
    Session session;
    Problem problem(session, c);
    std::vector<int64_t> sizes;
    for (int64_t k = 0; k < c.L * c.D; ++k) {
      const int64_t columns = k >= c.D ? c.D * c.P() : c.skip() ? 0 : c.I;
      sizes.insert(sizes.end(), size_t(c.gates()), c.H * columns);
      sizes.insert(sizes.end(), size_t(c.gates()), c.H * c.P());
      if (c.P() != c.H)
        sizes.push_back(c.P() * c.H);
    }
    const int64_t weights = int64_t(sizes.size()), biases = 2 * c.gates() * c.L * c.D;
    sizes.insert(sizes.end(), size_t(biases), c.H);
    std::vector<Tensor> pieces;
    std::vector<void *> pointers;
    double next = 0;
    for (int64_t size : sizes) {
      pieces.emplace_back(c.dtype(), size);
      for (int64_t k = 0; k < size; ++k)
        pieces.back().set(k, next++);
    }
    for (Tensor &piece : pieces)
      pointers.push_back(piece.size() ? piece.data() : nullptr);
    Tensor params(c.dtype(), problem.operands["params"].size());
    rnnrt_abi_rnn_pack_params(session.call, problem.plan, weights, biases, pointers.data(), sizes.data(), params.data(),
                              params.size());
    ASSERT_EQ(session.message(), "") << repeat(c);
    Tensor expected(c.dtype(), params.size());
    for (int64_t k = 0; k < params.size(); ++k)
      expected.set(k, double(k)); // numbered without gaps
    EXPECT_EQ(params.values(), expected.values()) << repeat(c);
    for (Tensor &piece : pieces)
      piece.poison();
    rnnrt_abi_rnn_unpack_params(session.call, problem.plan, weights, biases, pointers.data(), sizes.data(),
                                params.data(), params.size());
    ASSERT_EQ(session.message(), "") << repeat(c);
    int64_t offset = 0;
    for (Tensor &piece : pieces) {
      EXPECT_EQ(piece.values(), slice(params, offset, piece.size())) << repeat(c);
      EXPECT_TRUE(piece.intact()) << repeat(c);
      offset += piece.size();
    }
  }
}

/// NaN in an operand propagates to the results, also through the max of rnn_relu.
TEST(AcceptanceTest, NanPropagates) {
  for (std::string dtype : {"f16", "bf16", "f32", "f64"})
    for (std::string op : {"rnn_relu", "rnn_tanh", "lstm", "gru"}) {
      Session session;
      Problem problem(session, Case(op + " l1_t2_b2_i2_h3_d1 dtype=" + dtype));
      problem.operands["x"].set(0, std::nan(""));
      problem.forward();
      ASSERT_EQ(session.message(), "");
      EXPECT_TRUE(std::isnan(problem.outputs["y"].get(0))) << op << dtype;
      EXPECT_FALSE(std::isnan(problem.outputs["y"].get(3))) << "the other example, " << op << dtype;
    }
}

/// For large arguments, the activations saturate and do not become NaN.
TEST(AcceptanceTest, Saturation) {
  for (std::string dtype : {"f16", "bf16", "f32", "f64"})
    for (double x : {-6e4, -900.0, -30.0, 30.0, 900.0, 6e4}) {
      Session session;
      Problem problem(session, Case("block_lstm l1_t1_b1_i1_h1_d1 dtype=" + dtype));
      fill(problem.operands["w"], 1);
      fill(problem.operands["b"], 0);
      problem.operands["h_prev"].set(0, 0);
      problem.operands["x"].set(0, x);
      problem.forward();
      problem.backward();
      ASSERT_EQ(session.message(), "");
      EXPECT_NEAR(problem.outputs["i"].get(0), x > 0 ? 1 : 0, 1e-12) << dtype << " " << x;
      EXPECT_NEAR(problem.outputs["ci"].get(0), x > 0 ? 1 : -1, 1e-12) << dtype << " " << x;
      for (auto &[name, tensor] : problem.gradients)
        EXPECT_TRUE(std::isfinite(tensor.get(0)) || tensor.size() == 0) << name << " " << dtype << " " << x;
    }
}

} // namespace
