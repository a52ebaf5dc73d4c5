// CudnnBorrowTest.cpp - cuDNN plans on a stream of another library, with memory of its allocator, and in calls that
// refuse to wait for the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudnnSupport.h"
#include "Scratch.h"

using namespace rnntest;

namespace {

class CudnnBorrowTest : public CudnnTest {
protected:
  /// Replaces the call of `session` by one on its own stream as a stream of another library.
  void borrow(CudaSession &session, Scratch &scratch, int32_t waits) {
    rnnrt_stream_t *stream = nullptr;
    const rnnrt_allocator_t allocator = scratch.get();
    ASSERT_EQ(take(rnnrt_stream_borrow(session.device, rnnrt_stream_native(session.stream), &allocator, &stream)), "");
    rnnrt_call_options_t options;
    rnnrt_call_options_init(&options);
    options.host_waits = waits;
    rnnrt_call_release(session.call);
    ASSERT_EQ(take(rnnrt_call_create(session.device, stream, &options, &session.call)), "");
    rnnrt_stream_release(stream);
  }
  static size_t numLines(const char *prefix) {
    const std::string log = FakeDriver::get().fake_cuda_log();
    size_t count = 0;
    for (size_t at = log.find(prefix); at != std::string::npos; at = log.find(prefix, at + 1))
      ++count;
    return count;
  }
};

TEST_F(CudnnBorrowTest, ResultsAreThoseOfTheHost) {
  for (const char *line : {"lstm l2_t3_b3_i4_h5_d2 dtype=f32", "gru l1_t4_b3_i5_h6_d1 dtype=f64 lengths=4,0,3",
                           "lstm l1_t3_b3_i4_h6_d1 num_proj=4 dtype=f16"}) {
    Scratch scratch;
    CudaSession session(/*ownStream=*/true);
    borrow(session, scratch, RNNRT_HOST_WAITS_ALLOWED);
    CudnnProblem problem(session, Case(line));
    problem.forward();
    problem.backward();
    EXPECT_EQ(session.message(), "");
    problem.expectHostResults();
    // The workspaces and the copies of sequences without steps.
    EXPECT_GE(scratch.allocations, 3);
    EXPECT_TRUE(scratch.live.empty());
  }
}

TEST_F(CudnnBorrowTest, NothingWaits) {
  for (const char *check : {"0", "1"}) {
    Variable variable("RNNRT_CHECK", check);
    Scratch scratch;
    CudaSession session(/*ownStream=*/true);
    CudnnProblem problem(session, Case("lstm l2_t3_b2_i4_h8_d2 dtype=f32 dropout=0.5 seed=3"), 0, -1);
    problem.forward();
    problem.backward();
    ASSERT_EQ(session.message(), "");
    borrow(session, scratch, RNNRT_HOST_WAITS_REFUSED);
    FakeDriver::get().fake_cuda_reset();
    problem.enqueue(/*withLengths=*/false);
    EXPECT_EQ(session.message(), "");
    EXPECT_EQ(numLines("Synchronize"), 0u) << FakeDriver::get().fake_cuda_log();
    EXPECT_EQ(numLines("cuMemAlloc"), 0u) << FakeDriver::get().fake_cuda_log();
    EXPECT_EQ(scratch.allocations, 3);
  }
}

TEST_F(CudnnBorrowTest, LengthsAreRefused) {
  Scratch scratch;
  CudaSession session(/*ownStream=*/true);
  CudnnProblem problem(session, Case("gru l1_t3_b2_i4_h8_d1 dtype=f32 lengths=3,1"));
  problem.forward();
  problem.backward();
  ASSERT_EQ(session.message(), "");
  borrow(session, scratch, RNNRT_HOST_WAITS_REFUSED);
  problem.enqueue(/*withLengths=*/true);
  EXPECT_EQ(session.code(), RNNRT_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(session.message().rfind("cuDNN needs `lengths` on the host, but the call refuses to wait for the device "
                                    "(host_waits); use the lowering `fused`, or allow waits; in gru ",
                                    0),
            0u)
      << session.message();
  EXPECT_TRUE(scratch.live.empty());
}

} // namespace
