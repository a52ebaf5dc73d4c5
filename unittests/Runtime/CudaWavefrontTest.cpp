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
    rnnrt_abi_wavefront_begin(call, stages, stages, 64, 0);
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
    rnnrt_abi_wavefront_begin(cuda.call, 2 * layers, layers, 64, 0);
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
  rnnrt_abi_wavefront_begin(cuda.call, 3, 3, 64, 0);
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
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2, 64, 0);
  rnnrt_abi_wavefront_task(cuda.call, 1, 0);
  launch("step");
  rnnrt_call_reset(cuda.call);
  EXPECT_EQ(order().back(), "cuStreamWaitEvent stream=1");
  launch("step");
  EXPECT_EQ(order().back(), "launch stream=1");
  // The release of the call ends this one.
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2, 64, 0);
  rnnrt_abi_wavefront_task(cuda.call, 0, 0);
}

TEST_F(CudaWavefrontTest, Misuse) {
  CudaCall cuda;
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2, 64, 0);
  rnnrt_abi_wavefront_task(cuda.call, 2, 0);
  EXPECT_EQ(cuda.failure(), "INTERNAL: a task of stage 2 in a wavefront of 2 stages");
  rnnrt_call_reset(cuda.call);
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2, 64, 0);
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2, 64, 0);
  EXPECT_EQ(cuda.failure(), "INTERNAL: a wavefront begins inside of another one");
  rnnrt_abi_wavefront_begin(nullptr, 2, 2, 64, 0);
  rnnrt_abi_wavefront_task(nullptr, 0, 0);
  rnnrt_abi_wavefront_end(nullptr);
}

//===-- Signals --------------------------------------------------------------------------------------------------===//

/// In place of a persistent kernel: completes its task, and later ones whose flags are set.
struct Persistent {
  static constexpr int64_t tasks = 4, clusters = 2;
  uint32_t *words; ///< of the stage
  int64_t task;
  int64_t completed = 0;
  static Persistent *next;

  static void run(void **) {
    uint32_t *words = next->words;
    if (!words)
      return;
    for (int64_t cluster = 0; cluster < clusters; ++cluster)
      for (int64_t task = next->task; task < tasks && words[2 * tasks + cluster] <= task; ++task) {
        if (task > next->task && !words[tasks + task])
          break;
        ++words[task];
        words[2 * tasks + cluster] = uint32_t(task + 1);
        ++next->completed;
      }
  }
};
Persistent *Persistent::next = nullptr;

class CudaSignalsTest : public CudaWavefrontTest {
protected:
  void SetUp() override {
    CudaWavefrontTest::SetUp();
    fake.fake_cuda_set_kernel("step", Persistent::run);
  }
  /// Two layers, whose stages are a GEMM and steps: backward in the other order. Returns how many tasks each launch of
  /// steps has completed, by one digit.
  std::string runLayers(rnnrt_call_t *call, bool reuses = true, bool backward = false) {
    std::string completed;
    rnnrt_abi_make_current(call);
    rnnrt_abi_wavefront_begin(call, 4, 2, Persistent::tasks, 8);
    for (int64_t wave = 0; wave < 4 + Persistent::tasks - 1; ++wave)
      for (int64_t stage = std::min<int64_t>(wave, 3); stage >= std::max<int64_t>(wave - Persistent::tasks + 1, 0);
           --stage) {
        const bool isSteps = (stage % 2 == 1) != backward;
        const int64_t signals = rnnrt_abi_wavefront_task(call, stage, reuses && !isSteps && !backward);
        Persistent kernel{isSteps ? reinterpret_cast<uint32_t *>(signals) : nullptr, wave - stage};
        Persistent::next = &kernel;
        rnnrt_abi_gpu_launch(rnnrt_abi_gpu_module_get_function(module, "step"), isSteps ? 2 : 0, isSteps, isSteps,
                             isSteps ? 2 * Persistent::clusters : 1, 1, 1, 32, 1, 1, 0, nullptr,
                             isSteps ? 8 << RNNRT_LAUNCH_ITEMS_SHIFT : 0);
        if (isSteps)
          completed += char('0' + kernel.completed / Persistent::clusters);
      }
    rnnrt_abi_wavefront_end(call);
    return completed;
  }
  size_t count(const char *prefix) { return fake.lines(prefix).size(); }
  /// Waits for values that no work before them sets.
  bool mayHang() {
    for (const std::string &line : fake.lines("cuStreamWaitValue32"))
      if (line.find("not there") != std::string::npos)
        return true;
    return false;
  }
};

TEST_F(CudaSignalsTest, TasksAreOrderedByValues) {
  CudaCall cuda(/*ownStream=*/true); // stream 3; 4 to 7 are those of the stages, and 8 ends the use of the signals
  EXPECT_EQ(runLayers(cuda.call), "11111111");
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_FALSE(mayHang());
  Lines lines;
  for (const std::string &line : fake.lines()) {
    const std::string name = line.substr(0, line.find(' ')), stream = line.substr(0, line.find("kernel="));
    if (name == "cuLaunchKernelEx" || name == "cuStreamWaitValue32" || name == "cuStreamWriteValue32")
      lines.push_back(name == "cuLaunchKernelEx" ? "launch " + stream.substr(17, 8) : line.substr(8));
  }
  const Lines first(lines.begin(), lines.begin() + 12);
  EXPECT_EQ(first, (Lines{"launch stream=4",                                 // the GEMM of task 0
                          "launch stream=5",                                 // the steps of task 0; they need no flag
                          "launch stream=4",                                 // the GEMM of task 1
                          "WriteValue32 stream=4 value=1",                   //
                          "WaitValue32 stream=6 value=2", "launch stream=6", // task 0 of layer 1 follows the counter
                          "launch stream=5",                                 //
                          // The GEMM of task 2 overwrites what the steps of task 0 read.
                          "WaitValue32 stream=4 value=2", "launch stream=4", "WriteValue32 stream=4 value=1",
                          "launch stream=7", "WaitValue32 stream=6 value=2"}));
  // The call follows the counters of the last tasks.
  EXPECT_EQ(count("cuStreamWaitValue32 stream=3 value=2"), 2u);
  EXPECT_EQ(fake.lines("cuStreamSynchronize").size() + fake.lines("cuCtxSynchronize").size(), 0u);
}

// The fake runs a kernel at its launch, when the flags of the next tasks are not set. Those of stage 0, which follows
// nothing, are.
TEST_F(CudaSignalsTest, TheFirstStageGoesOn) {
  CudaCall cuda;
  EXPECT_EQ(runLayers(cuda.call, false, /*backward=*/true), "40101011");
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_FALSE(mayHang());
}

TEST_F(CudaSignalsTest, WithoutValuesEventsOrderTasks) {
  auto usesNone = [&](CudaCall &cuda) {
    EXPECT_EQ(runLayers(cuda.call), "00000000"); // kernels have no signals
    EXPECT_EQ(cuda.failure(), "");
    EXPECT_EQ(count("cuStreamWaitValue32") + count("cuStreamWriteValue32"), 0u);
  };
  fake.fake_cuda_set_stream_values(0, 0);
  CudaCall old;
  usesNone(old);
  fake.fake_cuda_set_stream_values(1, 1);
  CudaCall cuda(/*ownStream=*/true);
  // A single task and no clusters need none.
  rnnrt_abi_make_current(cuda.call);
  for (auto [tasks, clusters] : {std::pair(1, 8), {4, 0}}) {
    rnnrt_abi_wavefront_begin(cuda.call, 4, 2, tasks, clusters);
    EXPECT_EQ(rnnrt_abi_wavefront_task(cuda.call, 1, 0), 0);
    rnnrt_abi_wavefront_end(cuda.call);
  }
  // Stages that share streams.
  rnnrt_abi_wavefront_begin(cuda.call, 10, 5, 4, 8);
  EXPECT_EQ(rnnrt_abi_wavefront_task(cuda.call, 1, 0), 0);
  rnnrt_abi_wavefront_end(cuda.call);
  EXPECT_EQ(cuda.failure(), "");
}

// The driver accepts no such operation although the device reports them: this wavefront goes on with events, and the
// next one has no signals.
TEST_F(CudaSignalsTest, TheDriverMayRefuseValues) {
  CudaCall cuda;
  fake.fake_cuda_set_stream_values(1, 0);
  EXPECT_EQ(runLayers(cuda.call), "11111111");
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(count("cuStreamWaitValue32") + count("cuStreamWriteValue32"), 0u);
  EXPECT_EQ(runLayers(cuda.call), "00000000");
  EXPECT_EQ(cuda.failure(), "");
}

// Memory of the signals is used again after four other wavefronts, and grows.
TEST_F(CudaSignalsTest, MemoryIsReused) {
  CudaCall cuda;
  for (int repetition = 0; repetition < 4; ++repetition)
    runLayers(cuda.call);
  const int64_t blocks = fake.fake_cuda_live("block"), events = fake.fake_cuda_live("event");
  for (int repetition = 0; repetition < 6; ++repetition)
    EXPECT_EQ(runLayers(cuda.call), "11111111");
  EXPECT_EQ(fake.fake_cuda_live("block"), blocks);
  EXPECT_EQ(fake.fake_cuda_live("event"), events);
  rnnrt_abi_wavefront_begin(cuda.call, 4, 2, 1000, 8);
  EXPECT_NE(rnnrt_abi_wavefront_task(cuda.call, 3, 0), 0);
  rnnrt_abi_wavefront_end(cuda.call);
  EXPECT_EQ(fake.fake_cuda_live("block"), blocks);
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_FALSE(mayHang());
}

TEST_F(CudaSignalsTest, TooManyTasks) {
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2, 2, 8);
  for (int task = 0; task < 3; ++task)
    rnnrt_abi_wavefront_task(cuda.call, 0, 0);
  rnnrt_abi_wavefront_end(cuda.call);
  EXPECT_EQ(cuda.failure(), "INTERNAL: a stage has more than the 2 tasks of its wavefront");
}

/// The call must have failed with the error of the driver function `failed`; empty: none has failed.
void expectFailureOf(const std::string &failed, CudaCall &cuda) {
  // If the current context is unknown, that of the device becomes current.
  if (failed.empty() || failed == "cuCtxGetCurrent")
    EXPECT_EQ(cuda.failure(), "");
  else
    EXPECT_NE(cuda.failure().find(failed + " failed: CUDA_ERROR_UNKNOWN"), std::string::npos) << cuda.failure();
}

TEST_F(CudaSignalsTest, EveryCallFails) {
  bool isComplete = false;
  for (int64_t n = 0; !isComplete; ++n) {
    ASSERT_LT(n, 400);
    CudaCall cuda;
    runLayers(cuda.call); // loads the module
    void *memory = rnnrt_abi_alloc(cuda.call, 64);
    ASSERT_EQ(cuda.failure(), "");
    fake.fake_cuda_fail_nth(n, CUDA_ERROR_UNKNOWN);
    runLayers(cuda.call);
    const std::string failed = fake.fake_cuda_failed();
    fake.fake_cuda_fail_nth(-1, 0);
    rnnrt_abi_free(cuda.call, memory);
    EXPECT_FALSE(mayHang()) << failed;
    isComplete = failed.empty();
    expectFailureOf(failed, cuda);
    // Afterwards, the call works.
    rnnrt_call_reset(cuda.call);
    EXPECT_EQ(runLayers(cuda.call), "11111111");
    EXPECT_EQ(cuda.failure(), "");
    EXPECT_FALSE(mayHang()) << failed;
  }
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
    rnnrt_abi_wavefront_begin(cuda.call, 3, 3, 64, 0);
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
    expectFailureOf(failed, cuda);
    // Afterwards, the call works.
    rnnrt_call_reset(cuda.call);
    run(cuda.call, 3, 2);
    EXPECT_EQ(cuda.failure(), "");
  }
}

} // namespace
