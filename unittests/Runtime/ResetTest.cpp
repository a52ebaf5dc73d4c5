// ResetTest.cpp - resets inside sequences (docs/Semantics.md, "Resets"): the pieces between cuts are separate
// sequences. GradientTest.cpp compares the gradients with central differences. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception

#include "TestSupport.h"

#include <algorithm>

using namespace rnntest;

namespace {

std::vector<std::string> modes() {
  return {"rnn_relu", "rnn_tanh", "lstm", "gru"};
}

/// Copies steps [first, first + count) of a [T,B,width] tensor.
void copySteps(Tensor &target, const Tensor &source, int64_t first, int64_t count, int64_t total) {
  const int64_t step = source.size() / total;
  ASSERT_EQ(target.size(), count * step);
  for (int64_t k = 0; k < target.size(); ++k)
    target.set(k, source.get(first * step + k));
}

/// Expects steps [first, first + count) of `whole` to have the bits of `piece`.
void expectSteps(const Tensor &whole, const Tensor &piece, int64_t first, int64_t count, int64_t total,
                 const std::string &what) {
  const int64_t step = whole.size() / total;
  ASSERT_EQ(piece.size(), count * step) << what;
  for (int64_t k = 0; k < piece.size(); ++k)
    ASSERT_EQ(whole.get(first * step + k), piece.get(k)) << what << " element " << k;
}

void fill(Tensor &tensor, double value) {
  for (int64_t k = 0; k < tensor.size(); ++k)
    tensor.set(k, value);
}

void expectSame(const Tensors &left, const Tensors &right, const std::string &what) {
  for (auto &[name, tensor] : left)
    EXPECT_EQ(tensor.values(), right.at(name).values()) << name << what;
}

// 24 rows fill the tiles of every GEMM kernel: the remaining rows of a matrix may be rounded in another way, and a
// piece has fewer rows than the whole sequence.
std::string cutBefore2() {
  std::string marks = " resets=2:0";
  for (int b = 1; b < 24; ++b)
    marks += ",2:" + std::to_string(b);
  return marks;
}

/// A stack whose sequences are all cut before step 2 equals two stacks, of 2 and of 3 steps.
void checkNetworkPieces(const std::string &op, int64_t D, int64_t L, bool toInitial, const std::string &words) {
  const std::string tail = "_b24_i3_h4_d" + std::to_string(D) + words;
  const std::string head = op + " l" + std::to_string(L) + "_t";
  Session session;
  Problem whole(session, Case(head + "5" + tail + cutBefore2() + (toInitial ? " reset_to=initial" : "")));
  whole.forward();
  whole.backward();
  ASSERT_EQ(session.message(), "") << repeat(whole.c);
  const int64_t T = 5, cut = 2;
  Tensors sums; // of the gradients of both pieces
  for (int piece = 0; piece < 2; ++piece) {
    const int64_t first = piece ? cut : 0, count = piece ? T - cut : cut;
    Problem part(session, Case(head + std::to_string(count) + tail));
    part.operands["params"].set(whole.operands["params"].values());
    copySteps(part.operands["x"], whole.operands["x"], first, count, T);
    copySteps(part.seeds["dy"], whole.seeds["dy"], first, count, T);
    // The forward direction starts in piece 0 and ends in piece 1; the reverse direction starts in piece 1.
    auto startsHere = [&](int64_t d) { return d == 0 ? piece == 0 : piece == 1; };
    for (const char *state : {"h0", "c0"}) {
      if (!part.operands.count(state))
        continue;
      Tensor &to = part.operands[state], &from = whole.operands[state];
      Tensor &seed = part.seeds[state[0] == 'h' ? "dhn" : "dcn"], &given = whole.seeds[state[0] == 'h' ? "dhn" : "dcn"];
      const int64_t rows = to.size() / (L * D);
      for (int64_t k = 0; k < to.size(); ++k) {
        const int64_t d = k / rows % D;
        to.set(k, startsHere(d) || toInitial ? from.get(k) : 0);
        seed.set(k, startsHere(d) ? 0 : given.get(k));
      }
    }
    part.forward();
    part.backward();
    ASSERT_EQ(session.message(), "") << repeat(whole.c);
    expectSteps(whole.outputs["y"], part.outputs["y"], first, count, T, "y" + repeat(whole.c));
    expectSteps(whole.gradients["dx"], part.gradients["dx"], first, count, T, "dx" + repeat(whole.c));
    for (auto &[name, tensor] : part.gradients) {
      if (name == "dx")
        continue;
      auto [sum, isNew] = sums.try_emplace(name, tensor);
      const int64_t rows = tensor.size() / (L * D);
      for (int64_t k = 0; k < tensor.size(); ++k) {
        // In the piece where a direction continues, the gradient of its initial state counts only for a reset to that
        // state.
        const bool counts = name == "dparams" || toInitial || startsHere(k / rows % D);
        sum->second.set(k, (isNew ? 0 : sum->second.get(k)) + (counts ? tensor.get(k) : 0));
      }
    }
    for (const char *name : {"hn", "cn"})
      if (part.outputs.count(name)) {
        const Tensor &one = part.outputs[name], &all = whole.outputs[name];
        const int64_t rows = one.size() / (L * D);
        for (int64_t k = 0; k < one.size(); ++k)
          if (!startsHere(k / rows % D))
            ASSERT_EQ(all.get(k), one.get(k)) << name << repeat(whole.c);
      }
  }
  for (auto &[name, tensor] : sums)
    EXPECT_LE(relativeError(whole.gradients[name].values(), tensor.values()), 1e-13) << name << repeat(whole.c);
}

TEST(ResetTest, PiecesOfStacks) {
  for (const std::string &op : modes())
    for (int64_t D : {1, 2})
      for (bool toInitial : {false, true}) {
        checkNetworkPieces(op, D, 1, toInitial, "");
        checkNetworkPieces(op, D, 3, toInitial, "");
        if (op == "lstm")
          checkNetworkPieces(op, D, 2, toInitial, " num_proj=3");
      }
}

TEST(ResetTest, PiecesOfBlocks) {
  for (std::string words : {"", " layout=ifco forget_bias=1", " peephole=1 cell_clip=0.2"})
    for (bool toInitial : {false, true}) {
      Session session;
      const int64_t T = 5, cut = 2;
      Problem whole(session, Case("block_lstm l1_t5_b24_i3_h4_d1" + cutBefore2() + words +
                                  (toInitial ? " reset_to=initial" : "")));
      whole.forward();
      whole.backward();
      Tensors sums;
      for (int piece = 0; piece < 2; ++piece) {
        const int64_t first = piece ? cut : 0, count = piece ? T - cut : cut;
        Problem part(session, Case("block_lstm l1_t" + std::to_string(count) + "_b24_i3_h4_d1" + words));
        for (auto &[name, tensor] : whole.operands)
          if (name == "x")
            copySteps(part.operands[name], tensor, first, count, T);
          else
            part.operands[name].set(tensor.values());
        for (auto &[name, tensor] : whole.seeds)
          copySteps(part.seeds[name], tensor, first, count, T);
        if (piece && !toInitial)
          fill(part.operands["cs_prev"], 0), fill(part.operands["h_prev"], 0);
        part.forward();
        part.backward();
        ASSERT_EQ(session.message(), "") << repeat(whole.c);
        for (auto &[name, tensor] : part.outputs)
          expectSteps(whole.outputs[name], tensor, first, count, T, name + repeat(whole.c));
        expectSteps(whole.gradients["dx"], part.gradients["dx"], first, count, T, "dx" + repeat(whole.c));
        for (auto &[name, tensor] : part.gradients) {
          if (name == "dx")
            continue;
          const bool counts = (name != "dcs_prev" && name != "dh_prev") || !piece || toInitial;
          auto [sum, isNew] = sums.try_emplace(name, tensor);
          for (int64_t k = 0; k < tensor.size(); ++k)
            sum->second.set(k, (isNew ? 0 : sum->second.get(k)) + (counts ? tensor.get(k) : 0));
        }
      }
      for (auto &[name, tensor] : sums)
        EXPECT_LE(relativeError(whole.gradients[name].values(), tensor.values()), 1e-13) << name << repeat(whole.c);
    }
}

std::vector<std::string> allOps() {
  return {"rnn_relu l2_t4_b3_i2_h3_d2", "gru l2_t4_b3_i2_h3_d2", "lstm l2_t4_b3_i2_h4_d2 num_proj=2",
          "lstm l1_t4_b3_i2_h3_d1 dtype=f16", "block_lstm l1_t4_b3_i2_h3_d1 peephole=1"};
}

/// Marks without effect: none set, in padding only, and before the first step with `initial`.
TEST(ResetTest, MarksWithoutEffect) {
  for (const std::string &op : allOps()) {
    const bool isBlock = op[0] == 'b';
    const std::string padding = isBlock ? " n=2" : " lengths=2,4,2";
    const std::pair<std::string, std::string> rows[] = {
        {"", " resets=none"}, {padding, " resets=2:0,3:0,2:2"}, {"", " resets=0:0,0:1 reset_to=initial"}};
    for (auto &[words, marks] : rows) {
      Session session;
      Problem plain(session, Case(op + words)), marked(session, Case(op + words + marks));
      plain.forward(), marked.forward();
      plain.backward(), marked.backward();
      ASSERT_EQ(session.message(), "") << repeat(marked.c);
      expectSame(plain.outputs, marked.outputs, repeat(marked.c));
      // With marks, the gradient of the recurrent weights is one GEMM instead of two.
      for (auto &[name, tensor] : plain.gradients)
        EXPECT_LE(relativeError(marked.gradients[name].values(), tensor.values()),
                  op.find("f16") == std::string::npos ? 1e-14 : 2e-3)
            << name << repeat(marked.c);
    }
  }
}

/// Marks at every step: each step starts from zero, and no gradient passes a cut. The mark at step 0 is no cut of the
/// reverse direction, whose first step is the last one: there it starts from the initial state.
TEST(ResetTest, EveryStep) {
  constexpr int64_t T = 4, B = 24, H = 3; // rows: see cutBefore2
  for (const std::string &op : modes())
    for (int64_t D : {1, 2}) {
      const std::string tail = "_b24_i2_h3_d" + std::to_string(D);
      Session session;
      Problem all(session, Case(op + " l1_t4" + tail + " resets=all"));
      all.forward();
      all.backward();
      ASSERT_EQ(session.message(), "") << repeat(all.c);
      for (int64_t t = 0; t < T; ++t) {
        Problem one(session, Case(op + " l1_t1" + tail));
        one.operands["params"].set(all.operands["params"].values());
        copySteps(one.operands["x"], all.operands["x"], t, 1, T);
        for (const char *state : {"h0", "c0"})
          if (one.operands.count(state))
            for (int64_t k = 0; k < D * B * H; ++k) // [D, B, H]
              one.operands[state].set(k, k >= B * H && t == T - 1 ? all.operands[state].get(k) : 0);
        one.forward();
        expectSteps(all.outputs["y"], one.outputs["y"], t, 1, T, "y" + repeat(all.c));
      }
      for (const char *name : {"dh0", "dc0"})
        if (all.gradients.count(name))
          for (int64_t k = 0; k < B * H; ++k)
            EXPECT_EQ(all.gradients[name].get(k), 0) << name << repeat(all.c);
    }
  Session session;
  Problem all(session, Case("block_lstm l1_t4_b24_i2_h3_d1 peephole=1 resets=all"));
  all.forward();
  all.backward();
  for (int64_t t = 0; t < T; ++t) {
    Problem one(session, Case("block_lstm l1_t1_b24_i2_h3_d1 peephole=1"));
    for (auto &[name, tensor] : all.operands)
      if (name != "x")
        one.operands[name].set(tensor.values());
    copySteps(one.operands["x"], all.operands["x"], t, 1, T);
    fill(one.operands["cs_prev"], 0), fill(one.operands["h_prev"], 0);
    one.forward();
    ASSERT_EQ(session.message(), "");
    for (auto &[name, tensor] : one.outputs)
      expectSteps(all.outputs[name], tensor, t, 1, T, name);
  }
  for (const char *name : {"dcs_prev", "dh_prev"})
    EXPECT_EQ(all.gradients[name].values(), std::vector<double>(B * H, 0.0)) << name;
}

TEST(ResetTest, AnotherReserveSpace) {
  Session session;
  Problem forward(session, Case("gru l1_t3_b2_i2_h3_d1 resets=1:0"));
  for (std::string marks : {"", " resets=1:1", " resets=1:0 reset_to=initial"}) {
    Problem backward(session, Case("gru l1_t3_b2_i2_h3_d1" + marks));
    forward.forward();
    backward.forward(); // allocates; its reserve space is replaced
    backward.reserve = forward.reserve;
    backward.backward();
    EXPECT_EQ(session.code(), RNNRT_STATUS_FAILED_PRECONDITION) << marks;
    EXPECT_NE(session.message().find("other `lengths` or `resets`"), std::string::npos) << session.message();
    rnnrt_call_reset(session.call);
  }
}

TEST(ResetTest, OnePassUsesThem) {
  Session session;
  Problem plain(session, Case("gru l1_t3_b2_i2_h3_d1")), marked(session, Case("gru l1_t3_b2_i2_h3_d1 resets=1:0"));
  plain.forward();
  const Tensors expected = plain.outputs;
  marked.forward();
  plain.forward();
  EXPECT_CALL_OK(session);
  expectSame(expected, plain.outputs, " after a pass with resets");
  EXPECT_NE(expected.at("y").values(), marked.outputs["y"].values());
}

TEST(ResetTest, InvalidTarget) {
  Session session;
  const uint8_t mark = 1;
  for (int32_t to : {-1, 2}) {
    rnnrt_abi_set_resets(session.call, to, &mark);
    EXPECT_EQ(session.code(), RNNRT_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(session.message().find("expects `reset_to` to be in [0, 1]"), std::string::npos) << session.message();
    rnnrt_call_reset(session.call);
  }
}

} // namespace
