// CudaGraphTest.cpp - chains of launches as CUDA graphs on the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"

#include <dlfcn.h>

#include <cstdint>
#include <thread>
#include <utility>

using namespace rnntest;
using namespace rnnrt::cuda;

namespace {

const char *const text = ".version 8.6\n.target sm_90\n"
                         ".entry add(.param .u64 add_target, .param .u32 add_value)\n{ }\n"
                         ".entry other(\n.param .u64 other_target\n)\n{ }\n";

class CudaGraphTest : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    module = rnnrt_abi_gpu_module_load_jit(const_cast<char *>(text), 0);
    fake.fake_cuda_set_kernel("add", [](void **arguments) {
      int32_t *target = *static_cast<int32_t **>(arguments[0]);
      // Unsigned: long chains wrap around.
      *target = static_cast<int32_t>(10u * static_cast<uint32_t>(*target) + *static_cast<uint32_t *>(arguments[1]));
    });
  }
  void TearDown() override {
    rnnrt_abi_gpu_module_unload(module);
    CudaTest::TearDown();
  }

  void launch(int32_t *target, int32_t value, int64_t blocks = 1, const char *kernel = "add") {
    void *parameters[] = {&target, &value};
    rnnrt_abi_gpu_launch(rnnrt_abi_gpu_module_get_function(module, kernel), 0, 0, 0, blocks, 1, 1, 32, 1, 1, 0,
                         parameters, RNNRT_LAUNCH_PROGRAMMATIC);
    rnnrt_abi_gpu_stream_synchronize(nullptr); // as compiled code does
  }
  /// Steps 1 to `count` on `target`, whose decimal digits are then the steps.
  void addChain(rnnrt_call_t *call, int32_t *target, int32_t count = 4, int64_t blocks = 1) {
    rnnrt_abi_begin_chain(call);
    for (int32_t step = 1; step <= count; ++step)
      launch(target, step, blocks);
    rnnrt_abi_end_chain(call);
  }
  /// The same as a call of a compiled function.
  void chain(rnnrt_call_t *call, int32_t *target, int32_t count = 4, int64_t blocks = 1) {
    rnnrt_abi_make_current(call);
    addChain(call, target, count, blocks);
  }
  /// A wavefront of two layers with two tasks each, in the order of compiled code. `targets`: one per layer.
  void wavefront(rnnrt_call_t *call, int32_t *targets) {
    rnnrt_abi_make_current(call);
    rnnrt_abi_wavefront_begin(call, 2, 2, 64, 0);
    for (int64_t layer : {0, 1, 0, 1}) {
      rnnrt_abi_wavefront_task(call, layer, 0);
      addChain(call, targets + layer);
    }
    rnnrt_abi_wavefront_end(call);
  }
  /// Log lines of graphs and launches since the last call.
  std::string calls() {
    std::string all;
    for (const std::string &line : fake.lines())
      if (line.rfind("cuGraph", 0) == 0 || line.rfind("cuLaunch", 0) == 0)
        all += (all.empty() ? "" : " ") + line.substr(2, line.find(' ') - 2);
    fake.fake_cuda_clear_log();
    return all;
  }
  const std::string captured = "LaunchKernelEx LaunchKernelEx LaunchKernelEx LaunchKernelEx GraphInstantiate "
                               "GraphLaunch",
                    plain = "LaunchKernelEx LaunchKernelEx LaunchKernelEx LaunchKernelEx";
  void *module = nullptr;
};

TEST_F(CudaGraphTest, TheSecondCallIsOneLaunch) {
  CudaCall cuda(/*ownStream=*/true);
  int32_t value = 0;
  chain(cuda.call, &value);
  EXPECT_EQ(value, 1234);
  EXPECT_EQ(calls(), captured);
  value = 0;
  chain(cuda.call, &value);
  EXPECT_EQ(value, 1234);
  EXPECT_EQ(calls(), "GraphLaunch");
  // Other launches have a graph of their own.
  value = 0;
  chain(cuda.call, &value, 4, /*blocks=*/2);
  EXPECT_EQ(calls(), captured);
  chain(cuda.call, &value, 5, /*blocks=*/2);
  EXPECT_EQ(calls(), "LaunchKernelEx " + captured);
  value = 0;
  chain(cuda.call, &value);
  EXPECT_EQ(value, 1234);
  EXPECT_EQ(calls(), "GraphLaunch");
  EXPECT_EQ(cuda.failure(), "");
}

/// Graphs of the same launches: up to four arguments each, then the one that was used the longest ago is updated.
TEST_F(CudaGraphTest, OtherArgumentsUpdateTheGraph) {
  CudaCall cuda(/*ownStream=*/true);
  int32_t values[6] = {};
  for (int k = 0; k < 4; ++k) {
    chain(cuda.call, values + k);
    EXPECT_EQ(calls(), captured) << k;
  }
  chain(cuda.call, values);
  EXPECT_EQ(calls(), "GraphLaunch");
  chain(cuda.call, values + 4); // instead of values + 1
  EXPECT_EQ(calls(), plain + " GraphExecUpdate GraphLaunch");
  for (int k : {0, 2, 3, 4}) {
    values[k] = 0;
    chain(cuda.call, values + k);
    EXPECT_EQ(values[k], 1234) << k;
    EXPECT_EQ(calls(), "GraphLaunch") << k;
  }
  EXPECT_EQ(values[1], 1234);
  chain(cuda.call, values + 1);
  EXPECT_EQ(values[1], 12341234);
  EXPECT_EQ(calls(), plain + " GraphExecUpdate GraphLaunch");
  // The driver refuses an update: another graph.
  fake.fake_cuda_fail_next("cuGraphExecUpdate", CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  chain(cuda.call, values + 5);
  EXPECT_EQ(values[5], 1234);
  EXPECT_EQ(calls(), captured);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaGraphTest, EachChainOfACallHasGraphs) {
  CudaCall cuda(/*ownStream=*/true);
  int32_t values[6] = {};
  auto runLayers = [&] {
    rnnrt_abi_make_current(cuda.call);
    for (int32_t &value : values)
      addChain(cuda.call, &value);
  };
  runLayers();
  calls();
  runLayers();
  EXPECT_EQ(calls(), "GraphLaunch GraphLaunch GraphLaunch GraphLaunch GraphLaunch GraphLaunch");
  for (int32_t value : values)
    EXPECT_EQ(value, 12341234);
  EXPECT_EQ(cuda.failure(), "");
}

/// Each task of a wavefront has a graph, which is launched in the stream of the task.
TEST_F(CudaGraphTest, TasksOfAWavefront) {
  CudaCall cuda(/*ownStream=*/true);
  int32_t values[2] = {};
  wavefront(cuda.call, values);
  EXPECT_EQ(values[0], 12341234);
  EXPECT_EQ(values[1], 12341234);
  calls();
  values[0] = values[1] = 0;
  wavefront(cuda.call, values);
  EXPECT_EQ(values[0], 12341234);
  EXPECT_EQ(values[1], 12341234);
  // Between the fork and the join: streams of the two layers, ordered by events.
  std::vector<std::string> order;
  for (const std::string &line : fake.lines())
    order.push_back(line.substr(2, line.find(' ', line.find("stream=")) - 2));
  EXPECT_EQ(order,
            (std::vector<std::string>{"EventRecord stream=3", "StreamWaitEvent stream=4", "StreamWaitEvent stream=5", //
                                      "GraphLaunch stream=4", "EventRecord stream=4",                                 //
                                      "StreamWaitEvent stream=5", "GraphLaunch stream=5", "EventRecord stream=5",     //
                                      "GraphLaunch stream=4", "EventRecord stream=4",                                 //
                                      "StreamWaitEvent stream=5", "GraphLaunch stream=5", "EventRecord stream=5",     //
                                      "StreamWaitEvent stream=3", "StreamWaitEvent stream=3"}));
  EXPECT_EQ(cuda.failure(), "");
}

/// Work that ends a chain, and waits of compiled code, are those of the task too.
TEST_F(CudaGraphTest, OtherWorkInATask) {
  CudaCall cuda(/*ownStream=*/true);
  int32_t value = 0;
  int64_t sizes[] = {1, 1};
  void *memref[] = {&value, &value, nullptr, reinterpret_cast<void *>(sizes[0]), reinterpret_cast<void *>(sizes[1])};
  rnnrt_abi_make_current(cuda.call);
  rnnrt_abi_wavefront_begin(cuda.call, 2, 2, 64, 0);
  rnnrt_abi_wavefront_task(cuda.call, 1, 0);
  rnnrt_abi_begin_chain(cuda.call);
  launch(&value, 1);
  rnnrt_abi_gpu_mem_host_register_memref(1, memref, 4);
  EXPECT_EQ(value, 1);
  rnnrt_abi_end_chain(cuda.call);
  rnnrt_abi_begin_chain(cuda.call);
  launch(&value, 2);
  rnnrt_abi_end_chain(cuda.call);
  rnnrt_abi_wavefront_end(cuda.call);
  rnnrt_abi_gpu_mem_host_unregister_memref(1, memref, 4);
  EXPECT_EQ(value, 12);
  EXPECT_EQ(fake.lines("cuLaunchKernelEx stream=5 ").size(), 2u);
  EXPECT_EQ(fake.lines("cuStreamSynchronize stream=5").size(), 1u);
  EXPECT_EQ(cuda.failure(), "");
}

/// Attributes of launches are those of the nodes. A graph follows all earlier work, so that its first launch cannot
/// overlap with it.
TEST_F(CudaGraphTest, NodesHaveTheAttributesOfLaunches) {
  CudaCall cuda;
  int32_t value = 0, *target = &value, one = 1;
  void *parameters[] = {&target, &one};
  rnnrt_abi_make_current(cuda.call);
  rnnrt_abi_begin_chain(cuda.call);
  for (int k = 0; k < 4; ++k)
    rnnrt_abi_gpu_launch(rnnrt_abi_gpu_module_get_function(module, "add"), 4, 1, 1, 8, 1, 1, 32, 1, 1, 100000,
                         parameters, RNNRT_LAUNCH_PROGRAMMATIC);
  rnnrt_abi_end_chain(cuda.call);
  EXPECT_EQ(value, 1111);
  const auto lines = fake.lines("cuLaunchKernelEx");
  ASSERT_EQ(lines.size(), 4u);
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NE(lines[k].find("grid=8x1x1 block=32x1x1 shared=100000 cluster=4x1x1"), std::string::npos) << lines[k];
    EXPECT_EQ(lines[k].find("programmatic") != std::string::npos, k > 0) << lines[k];
  }
  EXPECT_EQ(cuda.failure(), "");
}

/// At most 16384 launches. Then chains are launched one by one, unless a graph can be updated or was not used for long.
TEST_F(CudaGraphTest, TheLaunchesOfAllGraphsAreLimited) {
  CudaCall cuda;
  int32_t value = 0, other = 0;
  const int64_t before = fake.fake_cuda_live("graph");
  const int32_t half = 8192;
  auto run = [&](int32_t count, int64_t blocks, int32_t *target) {
    chain(cuda.call, target, count, blocks);
    const std::string text = calls();
    return text.substr(text.find_last_of(' ') + 1);
  };
  EXPECT_EQ(run(2 * half + 1, 1, &value), "LaunchKernelEx");
  EXPECT_EQ(run(half, 1, &value), "GraphLaunch");
  EXPECT_EQ(run(half, 2, &value), "GraphLaunch");
  EXPECT_EQ(run(half, 3, &value), "LaunchKernelEx");
  EXPECT_EQ(run(4, 1, &value), "LaunchKernelEx");
  EXPECT_EQ(fake.fake_cuda_live("graph") - before, 2);
  chain(cuda.call, &other, half, 2);
  EXPECT_EQ(fake.lines("cuGraphExecUpdate").size(), 1u);
  EXPECT_EQ(run(half, 2, &other), "GraphLaunch");
  // The graph of one block becomes idle, and gives its space to two others.
  for (int k = 0; k < 4096; ++k)
    chain(cuda.call, &value, 4, 4);
  EXPECT_EQ(run(4, 1, &value), "GraphLaunch");
  EXPECT_EQ(run(4, 1, &value), "GraphLaunch");
  EXPECT_EQ(fake.fake_cuda_live("graph") - before, 3);
  EXPECT_EQ(run(half, 1, &value), "GraphLaunch"); // instead of that of two blocks
  EXPECT_EQ(fake.fake_cuda_live("graph") - before, 3);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaGraphTest, ModulesReleaseTheirGraphs) {
  CudaCall cuda;
  int32_t value = 0;
  const int64_t before = fake.fake_cuda_live("graph");
  void *other = rnnrt_abi_gpu_module_load_jit(const_cast<char *>(text), 0);
  std::swap(module, other);
  chain(cuda.call, &value);
  std::swap(module, other);
  EXPECT_EQ(fake.fake_cuda_live("graph") - before, 1);
  rnnrt_abi_gpu_module_unload(other);
  chain(cuda.call, &value); // loads another module
  EXPECT_EQ(fake.fake_cuda_live("graph") - before, 1);
  EXPECT_EQ(fake.lines("cuModuleUnload").size(), 1u);
  EXPECT_EQ(cuda.failure(), "");
}

/// Threads with calls of their own share the graphs of the module.
TEST_F(CudaGraphTest, Threads) {
  CudaCall first(/*ownStream=*/true);
  std::vector<std::thread> threads;
  std::vector<std::string> failures(4);
  int32_t values[4][2] = {};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      rnnrt_stream_t *stream = nullptr;
      rnnrt_call_t *call = nullptr;
      std::string failure = take(rnnrt_stream_create(first.device, &stream));
      if (failure.empty())
        failure = take(rnnrt_call_create(first.device, stream, nullptr, &call));
      for (int round = 0; round < 100 && failure.empty(); ++round) {
        // Every other round has the arguments of another round.
        int32_t *target = &values[thread][round % 2];
        *target = 0;
        round % 3 ? chain(call, target) : wavefront(call, values[thread]);
        failure = take(rnnrt_status_clone(rnnrt_call_status(call)));
        if (failure.empty() && round % 3 && *target != 1234)
          failure = "wrong value in round " + std::to_string(round);
      }
      failures[size_t(thread)] = failure;
      rnnrt_call_release(call);
      rnnrt_stream_release(stream);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &failure : failures)
    EXPECT_EQ(failure, "");
}

/// A failure of any driver call is reported, or makes the launches plain. The call works afterwards.
TEST_F(CudaGraphTest, EveryCallFails) {
  bool isComplete = false;
  for (int64_t n = 0; !isComplete; ++n) {
    ASSERT_LT(n, 4000);
    CudaCall cuda;
    rnnrt_abi_make_current(cuda.call);
    void *other = rnnrt_abi_gpu_module_load_jit(const_cast<char *>(text), 0);
    std::swap(module, other);
    int32_t values[6][2] = {};
    launch(&values[0][0], 0); // loads the module
    ASSERT_EQ(cuda.failure(), "");
    fake.fake_cuda_fail_nth(n, CUDA_ERROR_UNKNOWN);
    for (auto &targets : values) // the last ones update graphs
      wavefront(cuda.call, targets);
    const std::string failed = fake.fake_cuda_failed();
    fake.fake_cuda_fail_nth(-1, 0);
    isComplete = failed.empty();
    if (cuda.failure().empty())
      for (auto &targets : values)
        EXPECT_TRUE(targets[0] == 12341234 && targets[1] == 12341234) << n << ", " << failed;
    else
      EXPECT_NE(cuda.failure().find(failed + " failed: CUDA_ERROR_UNKNOWN"), std::string::npos) << cuda.failure();
    rnnrt_call_reset(cuda.call);
    values[0][0] = values[0][1] = 0;
    wavefront(cuda.call, values[0]);
    EXPECT_EQ(cuda.failure(), "");
    EXPECT_EQ(values[0][0], 12341234) << n << ", " << failed;
    std::swap(module, other);
    rnnrt_abi_gpu_module_unload(other);
  }
}

TEST_F(CudaGraphTest, ShortAndEmptyChainsArePlain) {
  CudaCall cuda;
  int32_t value = 0;
  chain(cuda.call, &value, 3);
  EXPECT_EQ(value, 123);
  EXPECT_EQ(calls(), "LaunchKernelEx LaunchKernelEx LaunchKernelEx");
  chain(cuda.call, &value, 0);
  chain(cuda.call, &value, 9, /*blocks=*/0);
  EXPECT_EQ(calls(), "");
  EXPECT_EQ(cuda.failure(), "");
  CudaCall host(false, "host");
  rnnrt_abi_begin_chain(host.call);
  rnnrt_abi_end_chain(host.call);
  EXPECT_EQ(host.failure(), "");
  rnnrt_abi_begin_chain(nullptr);
  rnnrt_abi_end_chain(nullptr);
}

TEST_F(CudaGraphTest, OtherWorkEndsTheChain) {
  CudaCall cuda;
  int32_t value = 0;
  rnnrt_abi_make_current(cuda.call);
  rnnrt_abi_begin_chain(cuda.call);
  for (int32_t step = 1; step <= 4; ++step)
    launch(&value, step);
  void *memory = rnnrt_abi_gpu_mem_alloc(4, nullptr, 0);
  EXPECT_EQ(value, 1234);
  launch(&value, 5);
  rnnrt_abi_end_chain(cuda.call);
  EXPECT_EQ(value, 12345);
  EXPECT_EQ(calls(), plain + " LaunchKernelEx");
  rnnrt_abi_begin_chain(cuda.call);
  launch(&value, 6);
  rnnrt_abi_gpu_mem_free(memory, nullptr);
  EXPECT_EQ(value, 123456);
  rnnrt_abi_end_chain(cuda.call);
  EXPECT_EQ(cuda.failure(), "");
}

/// A program that captures a call gets its launches.
TEST_F(CudaGraphTest, CapturesOfTheProgramHaveTheLaunches) {
  CudaCall cuda(/*ownStream=*/true);
  int32_t value = 0;
  chain(cuda.call, &value);
  calls();
  void *library = dlopen((std::string(RNN_FAKE_CUDA_DIRECTORY) + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  auto *begin =
      reinterpret_cast<CUresult (*)(CUstream, CUstreamCaptureMode)>(dlsym(library, "cuStreamBeginCapture_v2"));
  auto *end = reinterpret_cast<CUresult (*)(CUstream, CUgraph *)>(dlsym(library, "cuStreamEndCapture"));
  auto *destroy = reinterpret_cast<CUresult (*)(CUgraph)>(dlsym(library, "cuGraphDestroy"));
  auto *stream = static_cast<CUstream>(rnnrt_stream_native(cuda.stream));
  CUgraph graph = nullptr;
  ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  chain(cuda.call, &value);
  ASSERT_EQ(end(stream, &graph), CUDA_SUCCESS);
  EXPECT_EQ(fake.lines("cuStreamEndCapture").back(), "cuStreamEndCapture stream=3 nodes=4");
  EXPECT_EQ(destroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(value, 1234);
  EXPECT_EQ(calls(), plain);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaGraphTest, WithoutGraphsTheLaunchesArePlain) {
  for (const char *function :
       {"cuFuncGetParamInfo", "cuStreamCreate", "cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate"}) {
    CudaCall cuda;
    int32_t value = 0;
    void *other = rnnrt_abi_gpu_module_load_jit(const_cast<char *>(text), 0);
    std::swap(module, other);
    fake.fake_cuda_fail_next(function, CUDA_ERROR_NOT_SUPPORTED);
    chain(cuda.call, &value);
    EXPECT_EQ(value, 1234) << function;
    EXPECT_STREQ(fake.fake_cuda_failed(), function);
    calls();
    // The next time without another attempt.
    chain(cuda.call, &value);
    EXPECT_EQ(value, 12341234) << function;
    EXPECT_EQ(calls(), plain) << function;
    EXPECT_EQ(cuda.failure(), "") << function;
    std::swap(module, other);
    rnnrt_abi_gpu_module_unload(other);
  }
}

/// A refused graph concerns its chain only, which is tried again after 256 chains, three times altogether.
TEST_F(CudaGraphTest, RefusedChainsAreTriedAgain) {
  CudaCall cuda;
  int32_t values[2] = {};
  auto last = [&] {
    const std::string text = calls();
    return text.substr(text.find_last_of(' ') + 1);
  };
  // Two chains of a call: the first one is refused, the second one has a graph.
  auto run = [&] {
    rnnrt_abi_make_current(cuda.call);
    std::string kinds;
    for (int32_t &value : values) {
      value = 0;
      addChain(cuda.call, &value);
      EXPECT_EQ(value, 1234);
      kinds += last() == "GraphLaunch" ? 'g' : 'p';
    }
    return kinds;
  };
  for (unsigned attempt = 1; attempt <= 3; ++attempt) {
    fake.fake_cuda_fail_next("cuGraphInstantiate", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(run(), "pg") << attempt;
    EXPECT_STREQ(fake.fake_cuda_failed(), "cuGraphInstantiate");
    // 255 further chains.
    for (int k = 0; k < 127; ++k)
      ASSERT_EQ(run(), "pg");
  }
  for (int k = 0; k < 300; ++k)
    ASSERT_EQ(run(), "pg");
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaGraphTest, ARefusedChainMaySucceedLater) {
  CudaCall cuda;
  int32_t value = 0;
  fake.fake_cuda_fail_next("cuGraphInstantiate", CUDA_ERROR_OUT_OF_MEMORY);
  for (int k = 0; k < 256; ++k)
    chain(cuda.call, &value);
  EXPECT_EQ(calls().find("GraphLaunch"), std::string::npos);
  chain(cuda.call, &value);
  EXPECT_EQ(calls(), captured);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaGraphTest, FailuresAreStatuses) {
  CudaCall cuda;
  int32_t value = 0;
  fake.fake_cuda_fail_next("cuGraphLaunch", CUDA_ERROR_UNKNOWN);
  chain(cuda.call, &value);
  EXPECT_EQ(cuda.failure(), "INTERNAL: cuGraphLaunch failed: CUDA_ERROR_UNKNOWN (fake failure)");
  EXPECT_EQ(value, 0);
  rnnrt_call_reset(cuda.call);
  calls();
  // After a failure, a chain has no launches.
  rnnrt_abi_begin_chain(cuda.call);
  launch(&value, 1);
  launch(&value, 2, 1, "nothing");
  launch(&value, 3);
  rnnrt_abi_end_chain(cuda.call);
  EXPECT_EQ(cuda.failure(), "INVALID_ARGUMENT: the module has no kernel `nothing`");
  EXPECT_EQ(calls(), "");
  rnnrt_call_reset(cuda.call);
  chain(cuda.call, &value);
  EXPECT_EQ(value, 1234);
  EXPECT_EQ(calls(), "GraphLaunch");
  // A launch that the driver refuses in the capture: the message of the plain one.
  rnnrt_abi_begin_chain(cuda.call);
  int32_t *target = &value;
  void *parameters[] = {&target};
  for (int k = 0; k < 4; ++k)
    rnnrt_abi_gpu_launch(rnnrt_abi_gpu_module_get_function(module, "other"), 0, 0, 0, 200, 1, 1, 32, 1, 1, 0,
                         parameters, RNNRT_LAUNCH_COOPERATIVE);
  rnnrt_abi_end_chain(cuda.call);
  EXPECT_EQ(cuda.failure().rfind("UNIMPLEMENTED: cuLaunchKernelEx failed: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", 0),
            0u)
      << cuda.failure();
}

} // namespace
