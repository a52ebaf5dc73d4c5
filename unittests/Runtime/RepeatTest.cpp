// RepeatTest.cpp - bit reproducibility: for any alignment, in any thread, and for a fixed dropout draw. Also tests the
// dropout draws.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include "host/Philox.h"

#include <cmath>
#include <cstring>
#include <thread>

using namespace rnntest;

namespace {

const char *const cases[] = {
    "rnn_relu l2_t7_b5_i9_h17_d2 dtype=f32 weight_scale=0.2",
    "rnn_tanh l1_t9_b1_i9_h33_d1 dtype=f32 weight_scale=0.2",
    "lstm l2_t7_b9_i9_h17_d2 dtype=f32 num_proj=11 dropout=0.4 lengths=7,0,1,2,3,4,5,6,7",
    "gru l2_t7_b3_i9_h65_d2 dtype=f64",
    "gru l2_t7_b6_i9_h17_d2 dtype=f16",
    "lstm l1_t5_b2_i8_h40_d1 dtype=bf16",
    "block_lstm l1_t7_b5_i9_h17_d1 dtype=f32 peephole=1",
    "block_lstm l1_t7_b1_i9_h17_d1 dtype=f64 layout=ifco",
};

std::map<std::string, std::vector<double>> results(Session &session, const Case &c) {
  std::map<std::string, std::vector<double>> all;
  Problem problem(session, c);
  problem.forward();
  problem.backward();
  EXPECT_EQ(session.message(), "") << repeat(c);
  for (auto &[name, tensor] : problem.outputs)
    all[name] = tensor.values();
  for (auto &[name, tensor] : problem.gradients)
    all[name] = tensor.values();
  return all;
}

TEST(RepeatTest, SameBitsInEveryRun) {
  for (const char *line : cases) {
    Session session(0);
    const auto first = results(session, Case(line));
    std::vector<std::vector<char>> shift; // changes the addresses of later allocations
    for (int k = 0; k < 5; ++k) {
      shift.emplace_back(size_t(1000 + 16 * k));
      EXPECT_EQ(results(session, Case(line)), first) << line;
    }
  }
}

/// Operands at every offset that their type allows: the result must not depend on the alignment.
TEST(RepeatTest, SameBitsForEveryAlignment) {
  Session session;
  const int64_t T = 5, B = 3, I = 5, H = 7;
  std::vector<std::vector<float>> seen;
  for (int64_t offset = 0; offset < 8; ++offset) {
    auto fresh = [&](int64_t count, double start) {
      std::vector<float> values(size_t(count + 16));
      for (int64_t k = 0; k < count; ++k)
        values[size_t(k + offset)] = float(std::sin(start + 1.7 * double(k)) * 0.5);
      return values;
    };
    rnnrt_plan_t *plan = rnnrt_abi_block_lstm_plan(session.call, RNNRT_DTYPE_F32, 0, 1, 0, 1, 0, T, B, I, H);
    auto x = fresh(T * B * I, 1), cs = fresh(B * H, 2), h = fresh(B * H, 3), w = fresh((I + H) * 4 * H, 4);
    auto wc = fresh(H, 5), b = fresh(4 * H, 6), gradient = fresh(T * B * H, 7);
    std::vector<std::vector<float>> saved(7, fresh(T * B * H, 0));
    auto dx = fresh(T * B * I, 0), dw = fresh((I + H) * 4 * H, 0), dh = fresh(B * H, 0);
    auto at = [&](std::vector<float> &values) { return values.data() + offset; };
    rnnrt_abi_block_lstm_forward(session.call, plan, T, at(x), at(cs), at(h), at(w), at(wc), at(wc), at(wc), at(b),
                                 at(saved[0]), at(saved[1]), at(saved[2]), at(saved[3]), at(saved[4]), at(saved[5]),
                                 at(saved[6]));
    rnnrt_abi_block_lstm_backward(session.call, plan, T, at(x), at(cs), at(h), at(w), at(wc), at(wc), at(wc), at(b),
                                  at(saved[0]), at(saved[1]), at(saved[2]), at(saved[3]), at(saved[4]), at(saved[5]),
                                  at(saved[6]), at(gradient), at(gradient), at(dx), nullptr, at(dh), at(dw), nullptr,
                                  nullptr, nullptr, nullptr);
    ASSERT_EQ(session.message(), "");
    std::vector<float> all(dx.begin() + offset, dx.begin() + offset + T * B * I);
    all.insert(all.end(), dw.begin() + offset, dw.begin() + offset + (I + H) * 4 * H);
    all.insert(all.end(), dh.begin() + offset, dh.begin() + offset + B * H);
    seen.push_back(all);
    EXPECT_EQ(std::memcmp(seen[0].data(), all.data(), all.size() * sizeof(float)), 0) << "offset " << offset;
  }
}

TEST(RepeatTest, SeveralThreads) {
  // The threads share one device and, through its cache, its plans.
  Session shared(0);
  std::vector<std::map<std::string, std::vector<double>>> expected;
  for (const char *line : cases)
    expected.push_back(results(shared, Case(line)));
  rnnrt_device_clear_plans(shared.device);
  std::vector<int> mismatches(4, 0);
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      Session session(0);
      rnnrt_call_release(session.call);
      rnnrt_call_options_t options;
      rnnrt_call_options_init(&options);
      options.dropout_draw = 0;
      if (rnnrt_call_create(shared.device, nullptr, &options, &session.call)) {
        mismatches[size_t(id)] = 1000;
        return;
      }
      for (int round = 0; round < 3; ++round)
        for (size_t k = 0; k < expected.size(); ++k) {
          const size_t which = (k + size_t(id)) % expected.size();
          mismatches[size_t(id)] += results(session, Case(cases[which])) != expected[which];
          if (k == 3)
            rnnrt_device_clear_plans(shared.device);
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(mismatches, std::vector<int>(4, 0));
  rnnrt_memory_stats_t stats;
  ASSERT_EQ(rnnrt_memory_stats(shared.device, &stats), nullptr);
  EXPECT_EQ(stats.live_blocks, 0);
}

//===-- Dropout --------------------------------------------------------------------------------------------------===//

/// Known-answer tests of Random123 (kat_vectors, philox4x32-10).
TEST(DropoutTest, PhiloxKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(rnnrt::philox4x32({0, 0, 0, 0}, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(rnnrt::philox4x32({~0u, ~0u, ~0u, ~0u}, ~uint64_t(0)),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(rnnrt::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// Two layers equal the first layer, the mask, and the second layer. The mask is computed here from its definition.
TEST(DropoutTest, IsAMaskBetweenLayers) {
  const double p = 0.3;
  const int64_t seed = 5, seed2 = -1, draw = 11;
  Session session(draw);
  Problem both(session, Case("gru l2_t3_b2_i2_h3_d1 dropout=0.3 seed=5 seed2=-1"));
  both.forward();
  // The parameter buffer: matrices of layer 0, matrices of layer 1, biases of layer 0, biases of layer 1.
  const int64_t G = 9, m0 = G * 2 + G * 3, m1 = G * 3 + G * 3, biases = 2 * G;
  const std::vector<double> all = both.operands["params"].values();
  auto params = [&](int64_t matrices, int64_t count, int64_t bias) {
    std::vector<double> part(all.begin() + matrices, all.begin() + matrices + count);
    part.insert(part.end(), all.begin() + bias, all.begin() + bias + biases);
    return part;
  };
  Problem lower(session, Case("gru l1_t3_b2_i2_h3_d1")), upper(session, Case("gru l1_t3_b2_i3_h3_d1"));
  lower.operands["x"].set(both.operands["x"].values());
  lower.operands["params"].set(params(0, m0, m0 + m1));
  upper.operands["params"].set(params(m0, m1, m0 + m1 + biases));
  const std::vector<double> h0 = both.operands["h0"].values();
  lower.operands["h0"].set(std::vector<double>(h0.begin(), h0.begin() + 6));
  upper.operands["h0"].set(std::vector<double>(h0.begin() + 6, h0.end()));
  lower.forward();
  std::vector<double> between = lower.outputs["y"].values();
  // As in TensorFlow, seed2 is sign-extended: seed2 = -1 sets the upper half and hides `seed`.
  const uint64_t key = (uint64_t(seed) << 32) | uint64_t(seed2);
  EXPECT_EQ(key, ~uint64_t(0));
  int dropped = 0;
  for (size_t e = 0; e < between.size(); ++e) {
    const uint32_t word = rnnrt::philox4x32({uint32_t(e / 4), 0, /*layer=*/0, uint32_t(draw)}, key)[e % 4];
    const bool kept = word / 4294967296.0 >= p;
    dropped += !kept;
    between[e] = kept ? between[e] / (1 - p) : 0;
  }
  EXPECT_GT(dropped, 0);
  EXPECT_LT(dropped, 18);
  upper.operands["x"].set(between);
  upper.forward();
  ASSERT_EQ(session.message(), "");
  EXPECT_LE(relativeError(both.outputs["y"].values(), upper.outputs["y"].values()), 1e-15);
  // Dropout does not apply to hn of the lower layer.
  const std::vector<double> hn = both.outputs["hn"].values();
  EXPECT_EQ(std::vector<double>(hn.begin(), hn.begin() + 6), lower.outputs["hn"].values());
}

/// Each call uses the next draw; an explicit draw is reproducible; another seed yields other masks.
TEST(DropoutTest, Draws) {
  const Case c("lstm l2_t4_b3_i2_h8_d1 dropout=0.5 seed=3");
  auto run = [&](Session &session, const Case &line) {
    Problem problem(session, line);
    problem.forward();
    EXPECT_EQ(session.message(), "") << repeat(line);
    return problem.outputs["y"].values();
  };
  Session free, again;
  const auto first = run(free, c), second = run(free, c), third = run(free, c);
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
  EXPECT_EQ(run(again, c), first) << "another device starts the stream over";
  for (int64_t draw : {0, 1, 2}) {
    Session pinned(draw);
    const auto &expected = draw == 0 ? first : draw == 1 ? second : third;
    EXPECT_EQ(run(pinned, c), expected);
    EXPECT_EQ(run(pinned, c), expected);
  }
  rnnrt_call_reset(free.call);
  rnnrt_device_clear_plans(free.device);
  EXPECT_EQ(run(free, c), first) << "clearing the plans starts the streams over";
  Session pinned(0);
  EXPECT_NE(run(pinned, c.with("seed", "4")), first);
  EXPECT_NE(run(pinned, c.with("seed2", "1")), first);
}

/// The fraction of zeros is the dropout rate: for 1536 elements at 0.25, the standard deviation is 0.011.
TEST(DropoutTest, Rate) {
  std::vector<double> ones(1536, 1.0), target(ones.size());
  rnnrt::DropoutMask(17, 0.25, 0, 0).apply(target.data(), ones.data(), 0, int64_t(ones.size()), 1.0);
  double kept = 0;
  for (double value : target)
    kept += value;
  EXPECT_NEAR(kept / double(ones.size()), 0.75, 0.035);
  // Any subrange yields the same mask.
  std::vector<double> part(100);
  rnnrt::DropoutMask(17, 0.25, 0, 0).apply(part.data(), ones.data(), 333, 100, 1.0);
  EXPECT_EQ(part, std::vector<double>(target.begin() + 333, target.begin() + 433));
}

} // namespace
