// CudaWavefrontTest.cpp - wavefronts on the fake driver: streams and events of tasks, their reuse, and a
// failure of each driver call. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"

#include <algorithm>

using namespace rnntest;
using namespace rnnrt::cuda;

namespace {

using Lines = std::vector<std::string>;

char code[] = "\177ELF chip=sm_90a kernels=step";

class CudaWavefrontTest : public CudaTest {
protected:
  CudaWavefrontTest() : module(rnnrt_abi_gpu_module_load(code, sizeof(code))) {}
  ~CudaWavefrontTest() override { rnnrt_abi_gpu_module_unload(module); }

  void launch(const char *kernel) {
    rnnrt_abi_gpu_launch(rnnrt_abi_gpu_module_get_function(module, kernel), 0, 0, 0, 1, 1, 1, 32, 1, 1, 0, nullptr, 0);
  }
  /// Runs `chunks` chunks of `stages` stages in the order of compiled code. A task has one launch. `reuses`: tasks of
  /// even stages write memory of the stages after them.
  void run(rnnrt_call_t *call, int64_t stages, int64_t chunks, bool reuses = false) {
    rnnrt_abi_make_current(call);
    rnnrt_abi_wavefront_begin(call, stages, stages);
    for (int64_t wave = 0; wave < stages + chunks - 1; ++wave)
      for (int64_t stage = std::min(wave, stages - 1); stage >= std::max<int64_t>(wave - chunks + 1, 0); --stage) {
        rnnrt_abi_wavefront_task(call, stage, reuses && stage % 2 == 0);
        launch("step");
      }
    rnnrt_abi_wavefront_end(call);
  }
  /// The log from the first event on, without the parts of launches that do not matter here.
  Lines order() {
    Lines lines;
    for (std::string line : fake.lines()) {
      if (line.rfind("cuLaunchKernelEx", 0) == 0)
        line = "launch" + line.substr(16, line.find(" kernel") - 16);
      if (line.rfind("cuEventRecord", 0) == 0 || line.rfind("cuStreamWaitEvent", 0) == 0 ||
          line.rfind("launch", 0) == 0)
        lines.push_back(line);
    }
    return lines;
  }

  void *const module;
};

TEST_F(CudaWavefrontTest, TasksAreOrderedByEvents) {
  CudaCall cuda(/*ownStream=*/true); // stream 3
  run(cuda.call, 2, 2);
  EXPECT_EQ(cuda.failure(), "");
  // Streams 4 and 5 are those of the stages.
  EXPECT_EQ(order(), (Lines{"cuEventRecord stream=3", "cuStreamWaitEvent stream=4", "cuStreamWaitEvent stream=5", //
                            "launch stream=4", "cuEventRecord stream=4",
                            // Chunk 0 of stage 1 waits for that of stage 0, before which chunk 1 is not issued.
                            "cuStreamWaitEvent stream=5", "launch stream=5", "cuEventRecord stream=5", //
                            "launch stream=4", "cuEventRecord stream=4",                               //
                            "cuStreamWaitEvent stream=5", "launch stream=5", "cuEventRecord stream=5",
                            "cuStreamWaitEvent stream=3", "cuStreamWaitEvent stream=3"}));
  // The host does not wait.
  EXPECT_EQ(fake.lines("cuStreamSynchronize").size() + fake.lines("cuCtxSynchronize").size(), 0u);
}

// Chunk 2 of stage 0 waits for chunk 0 of stage 1, whose memory it writes, but not for chunk 1.
TEST_F(CudaWavefrontTest, ATaskFollowsTheReadersOfItsMemory) {
  CudaCall cuda(/*ownStream=*/true);
  run(cuda.call, 2, 3);
  const Lines without = order();
  fake.fake_cuda_reset();
  run(cuda.call, 2, 3, /*reuses=*/true);
  Lines with = order();
  EXPECT_EQ(cuda.failure(), "");
  const auto launches = [](const Lines &lines) { return std::count(lines.begin(), lines.end(), "launch stream=4"); };
  // The wait precedes the third launch in stream 4.
  const auto added = std::find(with.begin() + 3, with.end(), "cuStreamWaitEvent stream=4");
  ASSERT_NE(added, with.end());
  EXPECT_EQ(launches(Lines(with.begin(), added)), 2);
  EXPECT_EQ(added[1], "launch stream=4");
  with.erase(added);
  EXPECT_EQ(with, without);
}

TEST_F(CudaWavefrontTest, OneStageIsInTheOrderOfTheCall) {
  CudaCall cuda(/*ownStream=*/true);
  run(cuda.call, 1, 3);
  EXPECT_EQ(order(), (Lines{"launch stream=3", "launch stream=3", "launch stream=3"}));
  EXPECT_EQ(fake.fake_cuda_live("event"), 0);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaWavefrontTest, ManyStagesShareStreams) {
  CudaCall cuda(/*ownStream=*/true);
  run(cuda.call, 11, 2);
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(fake.fake_cuda_live("stream"), 3 + 8);
  EXPECT_EQ(fake.fake_cuda_live("event"), 2 * 11 + 1);
  EXPECT_EQ(fake.lines("cuLaunchKernelEx").size(), 22u);
  EXPECT_EQ(fake.lines("cuLaunchKernelEx stream=4 ").size(), 4u); // of stages 0 and 8
}

TEST_F(CudaWavefrontTest, StreamsAndEventsAreReused) {
  CudaCall cuda;
  run(cuda.call, 4, 3);
  const int64_t streams = fake.fake_cuda_live("stream"), events = fake.fake_cuda_live("event");
  const Lines first = order();
  fake.fake_cuda_reset();
  run(cuda.call, 4, 3);
  EXPECT_EQ(order(), first);
  run(cuda.call, 3, 5);
  EXPECT_EQ(fake.fake_cuda_live("stream"), streams);
  EXPECT_EQ(fake.fake_cuda_live("event"), events);
  EXPECT_EQ(fake.lines("cuStreamCreate").size(), 0u);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaWavefrontTest, LayersDivideTheResidentClusters) {
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  // 16 items, at most 8 of them in a cluster of 16 blocks; the fake device holds 8 of these.
  auto launchItems = [&] {
    rnnrt_abi_gpu_launch(rnnrt_abi_gpu_module_get_function(module, "step"), 16, 1, 1, 256, 1, 1, 32, 1, 1, 0, nullptr,
                         8 << RNNRT_LAUNCH_ITEMS_SHIFT);
    const std::string line = fake.lines("cuLaunchKernelEx").back();
    const size_t at = line.find("grid=");
    return line.substr(at, line.find(' ', at) - at);
  };
  EXPECT_EQ(launchItems(), "grid=128x1x1");
  for (auto [layers, grid] :
       {std::pair(2, "grid=64x1x1"), {3, "grid=32x1x1"}, {4, "grid=32x1x1"}, {20, "grid=32x1x1"}}) {
    rnnrt_abi_wavefront_begin(cuda.call, 2 * layers, layers);
    rnnrt_abi_wavefront_task(cuda.call, 0, 0);
    EXPECT_EQ(launchItems(), grid) << layers;
    rnnrt_abi_wavefront_end(cuda.call);
  }
  EXPECT_EQ(launchItems(), "grid=128x1x1");
  EXPECT_EQ(cuda.failure(), "");
}

// The fake reports memory that work uses before its allocation, or that is freed before the work has ended.
TEST_F(CudaWavefrontTest, MemoryOfTheCallIsUsedByTasks) {
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  void *memory = rnnrt_abi_alloc(cuda.call, 64);
  rnnrt_abi_wavefront_begin(cuda.call, 3, 3);
  for (int64_t stage : {0, 1, 2}) {
    rnnrt_abi_wavefront_task(cuda.call, stage, 0);
    rnnrt_abi_gpu_memset32(memory, 1, 4, nullptr);
  }
  rnnrt_abi_wavefront_end(cuda.call);
  rnnrt_abi_free(cuda.call, memory);
  EXPECT_EQ(fake.lines("cuMemsetD32Async").size(), 3u);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaWavefrontTest, AWavefrontEndsWithItsCall) {
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2);
  rnnrt_abi_wavefront_task(cuda.call, 1, 0);
  launch("step");
  rnnrt_call_reset(cuda.call);
  EXPECT_EQ(order().back(), "cuStreamWaitEvent stream=1");
  launch("step");
  EXPECT_EQ(order().back(), "launch stream=1");
  // The release of the call ends this one.
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2);
  rnnrt_abi_wavefront_task(cuda.call, 0, 0);
}

TEST_F(CudaWavefrontTest, Misuse) {
  CudaCall cuda;
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2);
  rnnrt_abi_wavefront_task(cuda.call, 2, 0);
  EXPECT_EQ(cuda.failure(), "INTERNAL: a task of stage 2 in a wavefront of 2 stages");
  rnnrt_call_reset(cuda.call);
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2);
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2);
  EXPECT_EQ(cuda.failure(), "INTERNAL: a wavefront begins inside of another one");
  rnnrt_abi_wavefront_begin(nullptr, 2, 2);
  rnnrt_abi_wavefront_task(nullptr, 0, 0);
  rnnrt_abi_wavefront_end(nullptr);
}

TEST_F(CudaWavefrontTest, EveryCallFails) {
  bool isComplete = false;
  for (int64_t n = 0; !isComplete; ++n) {
    ASSERT_LT(n, 200);
    CudaCall cuda;
    rnnrt_abi_make_current(cuda.call);
    void *memory = rnnrt_abi_alloc(cuda.call, 64);
    launch("step"); // loads the module
    ASSERT_EQ(cuda.failure(), "");
    fake.fake_cuda_fail_nth(n, CUDA_ERROR_UNKNOWN);
    rnnrt_abi_wavefront_begin(cuda.call, 3, 3);
    for (int64_t stage : {0, 1, 0, 2, 1}) {
      rnnrt_abi_wavefront_task(cuda.call, stage, 0);
      rnnrt_abi_gpu_memset32(memory, 1, 4, nullptr);
      launch("step");
    }
    rnnrt_abi_wavefront_end(cuda.call);
    const std::string failed = fake.fake_cuda_failed();
    fake.fake_cuda_fail_nth(-1, 0);
    // Frees the memory in the order of the call: the fake would report a task that may still use it.
    rnnrt_abi_free(cuda.call, memory);
    isComplete = failed.empty();
    // If the current context is unknown, that of the device becomes current.
    if (isComplete || failed == "cuCtxGetCurrent")
      EXPECT_EQ(cuda.failure(), "");
    else
      EXPECT_NE(cuda.failure().find(failed + " failed: CUDA_ERROR_UNKNOWN"), std::string::npos) << cuda.failure();
    // Afterwards, the call works.
    rnnrt_call_reset(cuda.call);
    run(cuda.call, 3, 2);
    EXPECT_EQ(cuda.failure(), "");
  }
}

} // namespace
