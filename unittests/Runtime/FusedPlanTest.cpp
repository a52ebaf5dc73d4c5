// FusedPlanTest.cpp - the plan of fused kernels: sizes, checks, the header of the reserve space, parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include "core/RnnChecks.h"

#include <cstring>

using namespace rnntest;

namespace {

constexpr int32_t inference = 0, training = 1, backward = 2;

/// Two layers of gru in both directions, T=3 B=2 I=4 H=5, in f32.
rnnrt_plan_t *make(Session &session, bool trains, double dropout = 0, int64_t steps = 3) {
  return rnnrt_abi_rnn_fused_plan(session.call, RNNRT_DTYPE_F32, /*mode=*/3, 0, /*direction=*/1, trains, 0, dropout, 7,
                                  0, steps, 2, 4, 5, 5, 2);
}

rnnrt_plan_t *makeReference(Session &session, double dropout = 0) {
  return rnnrt_abi_rnn_plan(session.call, RNNRT_DTYPE_F32, 3, 0, 1, 1, 0, dropout, 7, 0, 3, 2, 4, 5, 5, 2);
}

/// Memory of the session's device.
class Memory {
public:
  Memory(Session &session, int64_t bytes) : session(session), pointer(rnnrt_abi_alloc(session.call, bytes)) {}
  ~Memory() { rnnrt_abi_free(session.call, pointer); }
  void *get() const { return pointer; }
  template <typename T> T *as() const { return static_cast<T *>(pointer); }
  void write(const void *source, int64_t bytes) { rnnrt_abi_copy(session.call, source, pointer, bytes); }
  void read(void *target, int64_t bytes) { rnnrt_abi_read(session.call, pointer, target, bytes); }

private:
  Session &session;
  void *const pointer;
};

void expectFailure(Session &session, rnnrt_status_code_t code, const char *text) {
  EXPECT_EQ(session.code(), code) << session.message();
  EXPECT_NE(session.message().find(text), std::string::npos) << session.message();
}

/// Runs a `begin` that must fail, on a separate call.
void expectRejected(int32_t pass, const int32_t *lengths, int64_t paramsOffset, int64_t reserveOffset, bool withReserve,
                    rnnrt_status_code_t code, const char *text) {
  Session session;
  rnnrt_plan_t *plan = make(session, pass != inference);
  const int64_t params = rnnrt_abi_rnn_params_size(session.call, plan);
  const int64_t bytes = rnnrt_abi_rnn_reserve_size(session.call, plan);
  Memory reserve(session, bytes), onDevice(session, 8);
  if (lengths)
    onDevice.write(lengths, 8);
  EXPECT_EQ(rnnrt_abi_rnn_begin(session.call, pass, plan, lengths ? onDevice.as<int32_t>() : nullptr,
                                params + paramsOffset, withReserve ? reserve.get() : nullptr, bytes + reserveOffset),
            0);
  expectFailure(session, code, text);
}

TEST(FusedPlanTest, SizesAreThoseOfTheHost) {
  Session session;
  rnnrt_plan_t *plan = make(session, true), *other = makeReference(session);
  EXPECT_NE(plan, other);
  EXPECT_EQ(rnnrt_abi_rnn_params_size(session.call, plan), rnnrt_abi_rnn_params_size(session.call, other));
  EXPECT_EQ(rnnrt_abi_rnn_reserve_size(session.call, make(session, false)), 0);
  if (!std::strcmp(deviceName(), "host")) {
    EXPECT_EQ(rnnrt_abi_rnn_reserve_size(session.call, plan), rnnrt_abi_rnn_reserve_size(session.call, other));
  }
  EXPECT_STREQ(rnnrt_plan_algorithm(plan), "fused");
  EXPECT_CALL_OK(session);
}

TEST(FusedPlanTest, InvalidOperandsAreRejected) {
  const int32_t longer[] = {4, 1}, negative[] = {2, -1};
  const auto invalid = RNNRT_STATUS_INVALID_ARGUMENT;
  expectRejected(inference, longer, 0, 0, false, invalid,
                 "expects element 0 of `lengths` to be in [0, T = 3], but got 4");
  expectRejected(training, negative, 0, 0, true, invalid,
                 "expects element 1 of `lengths` to be in [0, T = 3], but got -1");
  expectRejected(training, nullptr, 1, 0, true, invalid, "expects `params` to have ");
  expectRejected(training, nullptr, 0, -1, true, invalid, "expects `reserve` to have ");
  expectRejected(inference, nullptr, 0, 8, true, invalid, "expects `reserve` to have 0 bytes, but got 8");
  expectRejected(training, nullptr, 0, 0, false, invalid, "expects `reserve`, but got a null pointer");
  expectRejected(3, nullptr, 0, 0, true, invalid, "expects the pass to be in [0, 2], but got 3");
}

TEST(FusedPlanTest, UnsupportedPasses) {
  Session session;
  rnnrt_plan_t *plan = make(session, false);
  const int64_t params = rnnrt_abi_rnn_params_size(session.call, plan);
  EXPECT_EQ(rnnrt_abi_rnn_begin(session.call, backward, plan, nullptr, params, nullptr, 0), 0);
  expectFailure(session, RNNRT_STATUS_FAILED_PRECONDITION, "needs a plan made with training = 1");

  Session second;
  rnnrt_abi_rnn_forward(second.call, make(second, false), nullptr, nullptr, nullptr, nullptr, nullptr, 0, nullptr,
                        nullptr, nullptr, nullptr, 0);
  expectFailure(second, RNNRT_STATUS_INVALID_ARGUMENT, "runs no passes; use one of rnnrt_abi_rnn_plan");

  Session third;
  EXPECT_EQ(rnnrt_abi_rnn_begin(third.call, training, makeReference(third), nullptr, 0, nullptr, 0), 0);
  expectFailure(third, RNNRT_STATUS_INVALID_ARGUMENT, "expects a plan of rnnrt_abi_rnn_fused_plan");
}

TEST(FusedPlanTest, HeaderFollowsTheReserve) {
  if (std::strcmp(deviceName(), "host"))
    GTEST_SKIP() << "only the host reads every header";
  const int32_t some[] = {3, 1};
  const int64_t params = [] {
    Session session;
    return rnnrt_abi_rnn_params_size(session.call, make(session, true));
  }();
  std::vector<char> reserve;
  auto begin = [&](Session &session, int32_t pass, rnnrt_plan_t *plan, const int32_t *lengths) {
    reserve.resize(size_t(rnnrt_abi_rnn_reserve_size(session.call, plan)));
    return rnnrt_abi_rnn_begin(session.call, pass, plan, lengths, params, reserve.data(), int64_t(reserve.size()));
  };
  auto expectNot = [&](rnnrt_plan_t *(*plan)(Session &), const int32_t *lengths, const char *text) {
    Session session;
    EXPECT_EQ(begin(session, backward, plan(session), lengths), 0);
    expectFailure(session, RNNRT_STATUS_FAILED_PRECONDITION, text);
  };
  auto same = [](Session &s) { return make(s, true); };

  reserve.resize(1 << 16);
  expectNot(same, nullptr, "was not written by a training forward pass");
  Session session;
  EXPECT_EQ(begin(session, training, make(session, true), some), 1);
  expectNot(same, nullptr, "with other `lengths` or `resets`");
  expectNot([](Session &s) { return make(s, true, /*dropout=*/0.5); }, some, "of another problem");
  // Fused kernels only read the reserve space, unlike the backward pass of other plans.
  for (int time = 0; time < 2; ++time)
    EXPECT_EQ(begin(session, backward, make(session, true), some), 1);
  rnnrt::ReserveHeader header;
  std::memcpy(&header, reserve.data(), sizeof(header));
  EXPECT_EQ(header.state, uint32_t(rnnrt::ReserveHeader::Written));
  header.state = rnnrt::ReserveHeader::Consumed;
  std::memcpy(reserve.data(), &header, sizeof(header));
  expectNot(same, some, "consumed by an earlier backward");
  EXPECT_CALL_OK(session);
}

TEST(FusedPlanTest, DrawsAdvanceFromCallToCall) {
  auto drawOf = [](Session &session, rnnrt_plan_t *plan) {
    const int64_t bytes = rnnrt_abi_rnn_reserve_size(session.call, plan);
    Memory reserve(session, bytes);
    EXPECT_EQ(rnnrt_abi_rnn_begin(session.call, training, plan, nullptr, rnnrt_abi_rnn_params_size(session.call, plan),
                                  reserve.get(), bytes),
              1);
    rnnrt::ReserveHeader header{};
    reserve.read(&header, sizeof(header));
    EXPECT_CALL_OK(session);
    static_assert(offsetof(rnnrt::ReserveHeader, draw) == 32, "compiled kernels read it there");
    return header.draw;
  };
  Session session;
  rnnrt_plan_t *plan = make(session, true, 0.25);
  EXPECT_EQ(drawOf(session, plan), 0u);
  EXPECT_EQ(drawOf(session, plan), 1u);
  Session chosen(/*dropoutDraw=*/41);
  EXPECT_EQ(drawOf(chosen, make(chosen, true, 0.25)), 41u);
}

TEST(FusedPlanTest, ParametersAreTheCanonicalTensorsInOrder) {
  Session session;
  // One layer of rnn_tanh, I=2 H=3: W [3,2], R [3,3], two biases [3].
  rnnrt_plan_t *plan =
      rnnrt_abi_rnn_fused_plan(session.call, RNNRT_DTYPE_F32, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 1);
  ASSERT_EQ(rnnrt_abi_rnn_params_size(session.call, plan), 21);
  const int64_t sizes[] = {6, 9, 3, 3};
  std::vector<float> values(21);
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = float(k) + 0.5f;
  Memory canonical(session, 84), params(session, 84), back(session, 84);
  canonical.write(values.data(), 84);
  const void *tensors[4];
  void *targets[4];
  for (int64_t k = 0, at = 0; k < 4; at += sizes[k++])
    tensors[k] = canonical.as<float>() + at, targets[k] = back.as<float>() + at;
  rnnrt_abi_rnn_pack_params(session.call, plan, 2, 2, tensors, sizes, params.get(), 21);
  rnnrt_abi_rnn_unpack_params(session.call, plan, 2, 2, targets, sizes, params.get(), 21);
  std::vector<float> read(21);
  params.read(read.data(), 84);
  EXPECT_EQ(read, values);
  back.read(read.data(), 84);
  EXPECT_EQ(read, values);
  EXPECT_CALL_OK(session);

  const int64_t wrong[] = {6, 9, 3, 2};
  rnnrt_abi_rnn_pack_params(session.call, plan, 2, 2, tensors, wrong, params.get(), 21);
  expectFailure(session, RNNRT_STATUS_INVALID_ARGUMENT, "expects tensor 1 of the biases to have 3 elements, but got 2");
}

} // namespace
