// CudnnCaptureTest.cpp - plans of device `cuda` while their stream is being captured into a CUDA graph. After one run
// outside a capture, a run needs no host synchronization; runs that need it fail.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudnnSupport.h"

#include "core/Device.h"
#include "cuda/DriverApi.h"

#include <dlfcn.h>

using namespace rnntest;
using namespace rnnrt::cuda;

namespace {

/// Driver functions that the runtime does not provide.
template <typename Function> Function *driver(const char *name) {
  const std::string path = std::string(std::getenv("RNNRT_CUDA_PATH")) + "/libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *address = library ? dlsym(library, name) : nullptr;
  EXPECT_NE(address, nullptr) << name << " of " << path;
  return reinterpret_cast<Function *>(address);
}

class CudnnCaptureTest : public CudnnTest {
protected:
  /// Runs `body` while the stream of `session` is being captured.
  template <typename Body> void capture(CudaSession &session, Body &&body) {
    auto *begin = driver<CUresult(CUstream, CUstreamCaptureMode)>("cuStreamBeginCapture_v2");
    auto *end = driver<CUresult(CUstream, CUgraph *)>("cuStreamEndCapture");
    auto *destroy = driver<CUresult(CUgraph)>("cuGraphDestroy");
    auto *push = driver<CUresult(CUcontext)>("cuCtxPushCurrent_v2");
    auto *pop = driver<CUresult(CUcontext *)>("cuCtxPopCurrent_v2");
    auto *retain = driver<CUresult(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain");
    auto *release = driver<CUresult(CUdevice)>("cuDevicePrimaryCtxRelease_v2");
    ASSERT_TRUE(begin && end && destroy && push && pop && retain && release);
    CUcontext context = nullptr;
    ASSERT_EQ(retain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(push(context), CUDA_SUCCESS);
    auto stream = static_cast<CUstream>(session.stream->native);
    ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
    body();
    CUgraph graph = nullptr;
    // A call that is not allowed invalidates the capture.
    EXPECT_EQ(end(stream, &graph), CUDA_SUCCESS);
    if (graph)
      EXPECT_EQ(destroy(graph), CUDA_SUCCESS);
    ASSERT_EQ(pop(&context), CUDA_SUCCESS);
    ASSERT_EQ(release(0), CUDA_SUCCESS);
  }
};

TEST_F(CudnnCaptureTest, AfterOneRun) {
  for (const char *line : {"lstm l2_t3_b2_i4_h8_d2 dtype=f32", "gru l1_t3_b2_i4_h200_d1 dtype=f16",
                           "lstm l2_t3_b2_i4_h8_d1 dtype=f32 dropout=0.5 seed=3"}) {
    CudaSession session(/*ownStream=*/true);
    CudnnProblem problem(session, Case(line), 0, 0);
    problem.forward();
    problem.backward();
    ASSERT_EQ(session.message(), "");
    FakeCudnn::get().fake_cudnn_reset();
    capture(session, [&] { problem.enqueue(/*withLengths=*/false); });
    EXPECT_EQ(session.message(), "");
    EXPECT_EQ(FakeCudnn::get().count("cudnnRNNForward"), 1);
    EXPECT_EQ(FakeCudnn::get().count("cudnnRNNBackwardData_v8"), 1);
    EXPECT_EQ(FakeCudnn::get().count("cudnnRNNBackwardWeights_v8"), 1);
    for (const char *name : {"cudnnCreate", "cudnnSetDropoutDescriptor", "cudnnBuildRNNDynamic"})
      EXPECT_EQ(FakeCudnn::get().count(name), 0) << name;
  }
}

TEST_F(CudnnCaptureTest, NotTheFirstRun) {
  CudaSession session(/*ownStream=*/true);
  CudnnProblem problem(session, Case("lstm l2_t3_b2_i4_h8_d2 dtype=f32"));
  problem.forward();
  problem.backward("dx"); // without backward_weights
  ASSERT_EQ(session.message(), "");
  rnnrt_plan_t *plan = problem.plan;
  capture(session, [&] { problem.enqueue(false); });
  EXPECT_EQ(session.code(), RNNRT_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(session.message().rfind("the first run of a plan cannot be captured, since cuDNN loads device code for it; "
                                    "run the same work once before the capture; in ",
                                    0),
            0u)
      << session.message();
  EXPECT_NE(session.message().find("prop=backward_weights"), std::string::npos) << session.message();
  // The plan remains usable.
  rnnrt_call_reset(session.call);
  problem.forward();
  EXPECT_EQ(problem.plan, plan);
  problem.backward();
  EXPECT_EQ(session.message(), "");
  problem.expectHostResults();
}

TEST_F(CudnnCaptureTest, OnAnotherStream) {
  CudaSession first(/*ownStream=*/true), second(first, /*ownStream=*/true);
  CudnnProblem problem(first, Case("lstm l2_t3_b2_i4_h8_d2 dtype=f32"));
  problem.forward();
  problem.backward();
  CudnnProblem other(second, Case("lstm l2_t3_b2_i4_h8_d2 dtype=f32"));
  other.plan = rnnrt_abi_rnn_plan(second.call, RNNRT_DTYPE_F32, 2, 0, 1, 1, 0, 0, 0, 0, 3, 2, 4, 8, 8, 2);
  ASSERT_EQ(second.message(), "");
  other.reserve = std::make_unique<Buffer>(second, rnnrt_abi_rnn_reserve_size(second.call, other.plan), 0);
  alignas(16) static char memory[1 << 16];
  void *m = memory;
  capture(second, [&] {
    rnnrt_abi_rnn_forward(second.call, other.plan, nullptr, m, m, m, m,
                          rnnrt_abi_rnn_params_size(second.call, other.plan), m, m, m, other.reserve->data(),
                          other.reserve->bytes);
  });
  // Handles stay with their streams, and none can be created during a capture.
  EXPECT_EQ(second.code(), RNNRT_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(second.message().rfind("no cuDNN handle is idle for the stream", 0), 0u) << second.message();
}

TEST_F(CudnnCaptureTest, WithLengths) {
  CudaSession session(/*ownStream=*/true);
  CudnnProblem problem(session, Case("lstm l2_t3_b2_i4_h8_d2 dtype=f32 lengths=3,1"));
  problem.forward();
  problem.backward();
  ASSERT_EQ(session.message(), "");
  capture(session, [&] { problem.enqueue(/*withLengths=*/true); });
  EXPECT_EQ(session.code(), RNNRT_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(session.message().rfind("`lengths` cannot be read while the stream is being captured", 0), 0u)
      << session.message();
}

TEST_F(CudnnCaptureTest, ExplicitDraws) {
  CudaSession session(/*ownStream=*/true, /*dropoutDraw=*/2);
  CudnnProblem problem(session, Case("lstm l2_t3_b2_i4_h8_d2 dtype=f32 dropout=0.5"));
  problem.forward();
  problem.backward();
  ASSERT_EQ(session.message(), "");
  capture(session, [&] { problem.enqueue(false); });
  EXPECT_EQ(session.code(), RNNRT_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(session.message().rfind("an explicit dropout draw reseeds the generator, which cannot be captured", 0), 0u)
      << session.message();
}

} // namespace
