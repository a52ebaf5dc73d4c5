// CudaLaunchTest.cpp - the launch entries of mgpu.def on the fake driver, called as the translation of gpu.launch_func
// does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"

#include <cstring>
#include <thread>

using namespace rnntest;

namespace {

using Lines = std::vector<std::string>;

/// The parts of a compiled module: a constructor, a destructor, and code that launches.
struct Compiled {
  explicit Compiled(const char *text) : module(rnnrt_abi_gpu_module_load_jit(const_cast<char *>(text), 0)) {}
  ~Compiled() { rnnrt_abi_gpu_module_unload(module); }
  Compiled(const Compiled &) = delete;

  void launch(const char *kernel, void **parameters, int64_t blocks = 4, int32_t shared = 0) {
    void *function = rnnrt_abi_gpu_module_get_function(module, kernel);
    void *stream = rnnrt_abi_gpu_stream_create();
    rnnrt_abi_gpu_launch_kernel(function, blocks, 1, 1, 128, 1, 1, shared, stream, parameters, nullptr, 1);
    rnnrt_abi_gpu_stream_synchronize(stream);
    rnnrt_abi_gpu_stream_destroy(stream);
  }
  void *const module;
};

const char *const text = ".version 8.6\n.target sm_80\n.entry fill(\n.entry other(\n";

class CudaLaunchTest : public CudaTest {};

TEST_F(CudaLaunchTest, UsesTheStreamOfTheCall) {
  Compiled compiled(text);
  CudaCall cuda(/*ownStream=*/true), other;
  fake.fake_cuda_reset();
  fake.fake_cuda_set_kernel("fill", [](void **arguments) { std::memset(*static_cast<void **>(arguments[0]), 7, 16); });
  rnnrt_abi_make_current(cuda.call);
  void *pointer = rnnrt_abi_alloc(cuda.call, 16);
  void *parameters[] = {&pointer};
  compiled.launch("fill", parameters);
  unsigned char back[16] = {};
  rnnrt_abi_read(cuda.call, pointer, back, 16);
  EXPECT_EQ(back[15], 7);
  rnnrt_abi_free(cuda.call, pointer);
  EXPECT_EQ(fake.lines(), (Lines{"cuMemAllocFromPoolAsync stream=3 bytes=16", "cuModuleLoadDataEx kernels=2",
                                 "cuLaunchKernelEx stream=3 kernel=fill grid=4x1x1 block=128x1x1 shared=0",
                                 "cuMemcpyAsync stream=3 bytes=16", "cuStreamSynchronize stream=3",
                                 "cuMemFreeAsync stream=3 bytes=16"}));
  // A call on another device loads the module on that device. A second launch does not load it again.
  fake.fake_cuda_reset();
  rnnrt_abi_make_current(other.call);
  compiled.launch("fill", nullptr);
  compiled.launch("fill", nullptr);
  EXPECT_EQ(fake.lines(), (Lines{"cuModuleLoadDataEx kernels=2",
                                 "cuLaunchKernelEx stream=4 kernel=fill grid=4x1x1 block=128x1x1 shared=0",
                                 "cuLaunchKernelEx stream=4 kernel=fill grid=4x1x1 block=128x1x1 shared=0"}));
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(other.failure(), "");
}

TEST_F(CudaLaunchTest, CodeIsLoadedBeforeTheFirstCall) {
  Compiled compiled(text);
  const std::string copy = text; // as code of a JIT compiler: in no library
  Compiled elsewhere(copy.c_str());
  CudaCall cuda, host(false, "host");
  static const rnnrt_function_t function = {}; // in this program, as `text`
  fake.fake_cuda_reset();
  EXPECT_EQ(take(rnnrt_function_load(&function, host.device)), "");
  EXPECT_EQ(fake.lines(), Lines());
  for (int repeat = 0; repeat < 2; ++repeat)
    EXPECT_EQ(take(rnnrt_function_load(&function, cuda.device)), "");
  EXPECT_EQ(fake.lines(), (Lines{"cuModuleLoadDataEx kernels=2", "cuFuncLoad kernel=fill", "cuFuncLoad kernel=other",
                                 "cuFuncLoad kernel=fill", "cuFuncLoad kernel=other"}));
  fake.fake_cuda_reset();
  rnnrt_abi_make_current(cuda.call);
  compiled.launch("fill", nullptr);
  EXPECT_EQ(fake.lines(), Lines{"cuLaunchKernelEx stream=1 kernel=fill grid=4x1x1 block=128x1x1 shared=0"});
  elsewhere.launch("fill", nullptr);
  EXPECT_EQ(fake.lines("cuModuleLoadDataEx").size(), 1u);
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(take(rnnrt_function_load(nullptr, cuda.device)),
            "INVALID_ARGUMENT: expects `function`, but got a null pointer");
  EXPECT_EQ(take(rnnrt_function_load(&function, nullptr)),
            "INVALID_ARGUMENT: expects `device`, but got a null pointer");
}

TEST_F(CudaLaunchTest, FailureToLoadCode) {
  Compiled broken(".version 8.6\n.target sm_80\n.entry fill(\nBROKEN");
  CudaCall cuda;
  static const rnnrt_function_t function = {};
  EXPECT_NE(take(rnnrt_function_load(&function, cuda.device)).find("symbol 'BROKEN'"), std::string::npos);
}

TEST_F(CudaLaunchTest, FlagsAreLaunchAttributes) {
  Compiled compiled(text);
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  void *function = rnnrt_abi_gpu_module_get_function(compiled.module, "fill");
  auto launch = [&](int32_t flags) { rnnrt_abi_gpu_launch(function, 0, 0, 0, 4, 1, 1, 128, 1, 1, 0, nullptr, flags); };
  launch(0);
  launch(RNNRT_LAUNCH_COOPERATIVE);
  launch(RNNRT_LAUNCH_PROGRAMMATIC);
  launch(RNNRT_LAUNCH_COOPERATIVE | RNNRT_LAUNCH_PROGRAMMATIC);
  const std::string line = "cuLaunchKernelEx stream=1 kernel=fill grid=4x1x1 block=128x1x1 shared=0";
  EXPECT_EQ(fake.lines("cuLaunchKernelEx"),
            (Lines{line, line + " cooperative", line + " programmatic", line + " cooperative programmatic"}));
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaLaunchTest, LaunchInClusters) {
  static char code[] = "\177ELF chip=sm_90a kernels=step";
  void *module = rnnrt_abi_gpu_module_load(code, sizeof(code));
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  rnnrt_abi_gpu_launch(rnnrt_abi_gpu_module_get_function(module, "step"), 16, 1, 1, 32, 1, 1, 256, 1, 1, 100000,
                       nullptr, 0);
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(fake.lines("cuLaunchKernelEx"),
            Lines{"cuLaunchKernelEx stream=1 kernel=step grid=32x1x1 block=256x1x1 shared=100000 cluster=16x1x1"});
  rnnrt_abi_gpu_module_unload(module);
}

// Flags with a number of items: the grid has one cluster for each item, and the runtime launches those that are
// resident together.
TEST_F(CudaLaunchTest, ResidentClusters) {
  static char code[] = "\177ELF chip=sm_90a kernels=step";
  void *module = rnnrt_abi_gpu_module_load(code, sizeof(code));
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  auto grid = [&](int64_t items, int64_t directions, int64_t most) {
    rnnrt_abi_gpu_launch(rnnrt_abi_gpu_module_get_function(module, "step"), 4, 1, 1, 4 * items, directions, 1, 128, 1,
                         1, 0, nullptr, int32_t(most) << RNNRT_LAUNCH_ITEMS_SHIFT);
    EXPECT_EQ(cuda.failure(), "");
    const std::string line = fake.lines("cuLaunchKernelEx").back();
    return line.substr(line.find("grid="), line.find(" block") - line.find("grid="));
  };
  fake.fake_cuda_set_multiprocessors_for_clusters(28); // seven clusters of four
  EXPECT_EQ(grid(7, 1, 8), "grid=28x1x1");
  EXPECT_EQ(grid(8, 1, 8), "grid=16x1x1"); // two items for each of four clusters
  EXPECT_EQ(grid(16, 1, 8), "grid=24x1x1");
  EXPECT_EQ(grid(16, 2, 8), "grid=16x2x1");  // 32 items for seven clusters: five for each
  EXPECT_EQ(grid(100, 1, 8), "grid=52x1x1"); // at most eight for each
  EXPECT_EQ(grid(100, 1, 3), "grid=136x1x1");
  EXPECT_EQ(grid(100, 1, 0), "grid=400x1x1"); // no items: the grid is as given
  rnnrt_abi_gpu_module_unload(module);
}

TEST_F(CudaLaunchTest, MachineCodeAndClusters) {
  static char code[] = "\177ELF chip=sm_90a kernels=step";
  void *module = rnnrt_abi_gpu_module_load(code, sizeof(code));
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  rnnrt_abi_gpu_launch_cluster_kernel(rnnrt_abi_gpu_module_get_function(module, "step"), 16, 1, 1, 32, 1, 1, 256, 1, 1,
                                      100000, rnnrt_abi_gpu_stream_create(), nullptr, nullptr);
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(fake.lines("cuLaunchKernelEx"),
            Lines{"cuLaunchKernelEx stream=1 kernel=step grid=32x1x1 block=256x1x1 shared=100000 cluster=16x1x1"});
  rnnrt_abi_gpu_module_unload(module);
  rnnrt_abi_gpu_module_unload(nullptr);
}

TEST_F(CudaLaunchTest, ClustersThatDoNotFitAreSkipped) {
  static char code[] = "\177ELF chip=sm_90a kernels=step,other";
  void *module = rnnrt_abi_gpu_module_load(code, sizeof(code));
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  auto launch = [&](const char *kernel, int64_t cluster, int64_t blocks = 32) {
    rnnrt_abi_gpu_launch_cluster_kernel(rnnrt_abi_gpu_module_get_function(module, kernel), cluster, 1, 1, blocks, 1, 1,
                                        256, 1, 1, 1000, rnnrt_abi_gpu_stream_create(), nullptr, nullptr);
  };
  auto launches = [&] { return fake.lines("cuLaunchKernelEx").size(); };
  fake.fake_cuda_set_multiprocessors_for_clusters(6);
  rnnrt_abi_try_clusters(cuda.call);
  launch("step", 4);
  EXPECT_EQ(rnnrt_abi_clusters_ran(cuda.call), 1);
  EXPECT_EQ(launches(), 1u);
  EXPECT_STREQ(rnnrt_call_skipped(cuda.call), nullptr);
  EXPECT_EQ(rnnrt_call_skipped_by(cuda.call), RNNRT_SKIPPED_BY_NOTHING);
  // One skipped launch makes clusters_ran return 0; the other launches are issued.
  rnnrt_abi_try_clusters(cuda.call);
  launch("step", 8);
  launch("other", 2);
  rnnrt_abi_gpu_launch_kernel(rnnrt_abi_gpu_module_get_function(module, "other"), 1, 1, 1, 32, 1, 1, 0, nullptr,
                              nullptr, nullptr, 0);
  EXPECT_EQ(rnnrt_abi_clusters_ran(cuda.call), 0);
  EXPECT_EQ(launches(), 3u);
  EXPECT_STREQ(rnnrt_call_skipped(cuda.call), "no cluster of this size fits on the device with this shared memory");
  EXPECT_EQ(rnnrt_call_skipped_by(cuda.call), RNNRT_SKIPPED_BY_DEVICE);
  // The driver is queried once per kernel and shape, independent of the grid size.
  const int64_t calls = fake.fake_cuda_calls();
  rnnrt_abi_try_clusters(cuda.call);
  launch("step", 8, 64);
  launch("step", 8, 0);
  EXPECT_EQ(rnnrt_abi_clusters_ran(cuda.call), 0);
  EXPECT_EQ(fake.fake_cuda_calls(), calls);
  // For a cluster size beyond all devices, the runtime skips the launch without a query.
  rnnrt_abi_try_clusters(cuda.call);
  launch("step", 32);
  EXPECT_EQ(rnnrt_abi_clusters_ran(cuda.call), 0);
  // No call synchronizes.
  EXPECT_EQ(fake.lines("cuStreamSynchronize").size() + fake.lines("cuCtxSynchronize").size(), 0u);
  EXPECT_EQ(cuda.failure(), "");
  // Outside try_clusters, such a launch fails.
  launch("step", 8);
  EXPECT_EQ(cuda.failure(),
            "UNIMPLEMENTED: cuLaunchKernelEx failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (fake failure); no "
            "cluster of this size fits on the device with this shared memory; in kernel=step grid=32x1x1 "
            "block=256x1x1 cluster=8x1x1 shared=1000");
  rnnrt_abi_try_clusters(cuda.call);
  EXPECT_EQ(rnnrt_abi_clusters_ran(cuda.call), 0);
  EXPECT_STRNE(rnnrt_call_skipped(cuda.call), nullptr);
  rnnrt_call_reset(cuda.call);
  EXPECT_STREQ(rnnrt_call_skipped(cuda.call), nullptr);
  EXPECT_STREQ(rnnrt_call_skipped(nullptr), nullptr);
  EXPECT_EQ(rnnrt_call_skipped_by(cuda.call), RNNRT_SKIPPED_BY_NOTHING);
  EXPECT_EQ(rnnrt_call_skipped_by(nullptr), RNNRT_SKIPPED_BY_NOTHING);
  rnnrt_abi_try_clusters(cuda.call);
  EXPECT_EQ(rnnrt_abi_clusters_ran(cuda.call), 1);
  rnnrt_abi_gpu_module_unload(module);
}

TEST_F(CudaLaunchTest, AnEmptyGridIsNoLaunch) {
  Compiled compiled(text);
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  compiled.launch("fill", nullptr, 0);
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(fake.lines("cuLaunchKernelEx").size(), 0u);
}

TEST_F(CudaLaunchTest, StopsAfterTheFirstFailure) {
  Compiled compiled(text);
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  compiled.launch("nothing", nullptr);
  compiled.launch("fill", nullptr);
  EXPECT_EQ(cuda.failure(), "INVALID_ARGUMENT: the module has no kernel `nothing`");
  EXPECT_EQ(rnnrt_abi_gpu_mem_alloc(8, nullptr, 0), nullptr);
  EXPECT_EQ(fake.lines("cuLaunchKernelEx").size(), 0u);
  rnnrt_call_reset(cuda.call);
  compiled.launch("fill", nullptr);
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(fake.lines("cuLaunchKernelEx").size(), 1u);
}

TEST_F(CudaLaunchTest, CodeForAnotherChip) {
  static char code[] = "\177ELF chip=sm_80 kernels=step";
  void *module = rnnrt_abi_gpu_module_load(code, sizeof(code));
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  rnnrt_abi_gpu_launch_kernel(rnnrt_abi_gpu_module_get_function(module, "step"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                              nullptr, 0);
  EXPECT_EQ(cuda.failure(),
            "UNIMPLEMENTED: no code of the module loads on device `Fake GPU 0` (sm_90): machine code for "
            "an unknown chip: cuModuleLoadDataEx failed: CUDA_ERROR_NO_BINARY_FOR_GPU (fake failure)");
  rnnrt_abi_gpu_module_unload(module);
}

TEST_F(CudaLaunchTest, NoOpWithoutACall) {
  Compiled compiled(text);
  rnnrt_abi_make_current(nullptr);
  compiled.launch("fill", nullptr);
  EXPECT_EQ(rnnrt_abi_gpu_mem_alloc(8, nullptr, 0), nullptr);
  rnnrt_abi_gpu_mem_free(nullptr, nullptr);
  // Each thread has its own current call.
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  fake.fake_cuda_reset();
  std::thread([&] { compiled.launch("fill", nullptr); }).join();
  EXPECT_EQ(fake.lines(), Lines());
}

TEST_F(CudaLaunchTest, FailsOnOtherDevices) {
  Compiled compiled(text);
  CudaCall host(false, "host");
  rnnrt_abi_make_current(host.call);
  compiled.launch("fill", nullptr);
  EXPECT_EQ(host.failure(), "FAILED_PRECONDITION: the function was compiled for target cuda, but its call is on device "
                            "`host`; create the call on a device `cuda`, or compile the function for that device");
}

TEST_F(CudaLaunchTest, Memory) {
  CudaCall cuda(/*ownStream=*/true);
  rnnrt_abi_make_current(cuda.call);
  fake.fake_cuda_reset();
  auto *words = static_cast<int32_t *>(rnnrt_abi_gpu_mem_alloc(64, nullptr, 0));
  ASSERT_NE(words, nullptr);
  rnnrt_abi_gpu_memset32(words, -5, 16, nullptr);
  // The upper bits of a narrow argument are undefined.
  rnnrt_abi_gpu_memset16(words + 8, 0x77770102, 4, nullptr);
  rnnrt_abi_gpu_memset32(words, 1, 0, nullptr);
  int32_t back[16] = {};
  rnnrt_abi_gpu_memcpy(back, words, 64, nullptr);
  rnnrt_abi_gpu_mem_free(words, nullptr);
  EXPECT_EQ(back[7], -5);
  EXPECT_EQ(back[8], 0x01020102);
  EXPECT_EQ(back[10], -5);
  EXPECT_EQ(fake.lines(),
            (Lines{"cuMemAllocFromPoolAsync stream=3 bytes=64", "cuMemsetD32Async stream=3 value=4294967291 count=16",
                   "cuMemsetD16Async stream=3 value=258 count=4", "cuMemcpyAsync stream=3 bytes=64",
                   "cuMemFreeAsync stream=3 bytes=64"}));
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(rnnrt_abi_gpu_mem_alloc(-8, nullptr, 0), nullptr);
  EXPECT_EQ(cuda.failure(),
            "INVALID_ARGUMENT: cannot allocate a buffer of -8 bytes: a dimension is negative or the size overflows");
  rnnrt_call_reset(cuda.call);
  EXPECT_EQ(rnnrt_abi_gpu_mem_alloc(8, nullptr, 0x101), nullptr);
  EXPECT_EQ(cuda.failure().rfind("UNIMPLEMENTED: gpu.alloc host_shared is not supported", 0), 0u);
}

/// Memory is freed after a failure too.
TEST_F(CudaLaunchTest, FreeAfterAFailure) {
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  void *pointer = rnnrt_abi_gpu_mem_alloc(64, nullptr, 0);
  rnnrt_abi_expect_equal(cuda.call, 1, 2, "broken");
  rnnrt_abi_gpu_mem_free(pointer, nullptr);
  EXPECT_EQ(fake.fake_cuda_live("block"), 0);
  EXPECT_EQ(cuda.failure(), "INVALID_ARGUMENT: broken: expected 2, but got 1");
}

TEST_F(CudaLaunchTest, StreamsAndEventsAreTheCalls) {
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  fake.fake_cuda_reset();
  void *event = rnnrt_abi_gpu_event_create(), *stream = rnnrt_abi_gpu_stream_create();
  EXPECT_NE(event, nullptr);
  EXPECT_NE(stream, nullptr);
  rnnrt_abi_gpu_event_record(event, stream);
  rnnrt_abi_gpu_stream_wait_event(stream, event);
  rnnrt_abi_gpu_event_synchronize(event);
  rnnrt_abi_gpu_event_destroy(event);
  rnnrt_abi_gpu_stream_destroy(stream);
  rnnrt_abi_gpu_set_default_device(1);
  EXPECT_EQ(fake.lines(), Lines());
}

TEST_F(CudaLaunchTest, HostMemoryMustBeDense) {
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  float data[12] = {};
  struct {
    float *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref{data, data, 2, {2, 3}, {4, 1}};
  rnnrt_abi_gpu_mem_host_register_memref(2, &memref, 4);
  EXPECT_EQ(cuda.failure(), "UNIMPLEMENTED: only dense memrefs can be registered");
  rnnrt_call_reset(cuda.call);
  memref.strides[0] = 3;
  rnnrt_abi_gpu_mem_host_register_memref(2, &memref, 4);
  EXPECT_EQ(fake.lines("cuMemHostRegister"), Lines{"cuMemHostRegister bytes=24"});
  rnnrt_abi_gpu_mem_host_unregister_memref(2, &memref, 4);
  memref.sizes[0] = 0;
  rnnrt_abi_gpu_mem_host_register_memref(2, &memref, 4);
  rnnrt_abi_gpu_mem_host_unregister_memref(2, &memref, 4);
  EXPECT_EQ(cuda.failure(), "");
  rnnrt_abi_gpu_mem_host_register_memref(2, nullptr, 4);
  EXPECT_EQ(cuda.failure(), "INVALID_ARGUMENT: rnnrt_abi_gpu_mem_host_register_memref expects a memref");
}

TEST_F(CudaLaunchTest, TensorMaps) {
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  uint16_t data[64];
  struct {
    uint16_t *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref{data, data, 4, {3, 8}, {16, 1}};
  int64_t box[] = {2, 4};
  // Type 6 is f16.
  void *map = rnnrt_abi_gpu_tensor_map_encode_tiled_memref(2, &memref, 6, 0, 0, 0, 0, box);
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(fake.lines("cuTensorMapEncodeTiled"), Lines{"cuTensorMapEncodeTiled type=6 sizes 8 3 strides 32 box 4 2"});
  uint64_t address = 0;
  rnnrt_abi_read(cuda.call, map, &address, sizeof(address));
  EXPECT_EQ(address, reinterpret_cast<uintptr_t>(data + 4));
  // Equal maps share memory.
  EXPECT_EQ(rnnrt_abi_gpu_tensor_map_encode_tiled_memref(2, &memref, 6, 0, 0, 0, 0, box), map);
  memref.offset = 0;
  EXPECT_NE(rnnrt_abi_gpu_tensor_map_encode_tiled_memref(2, &memref, 6, 0, 0, 0, 0, box), map);
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_EQ(rnnrt_abi_gpu_tensor_map_encode_tiled_memref(6, &memref, 6, 0, 0, 0, 0, box), nullptr);
  EXPECT_EQ(cuda.failure().rfind("INVALID_ARGUMENT: a tensor map has 1 to 5 dimensions", 0), 0u);
  rnnrt_call_reset(cuda.call);
  EXPECT_EQ(rnnrt_abi_gpu_tensor_map_encode_tiled_memref(2, &memref, 13, 0, 0, 0, 0, box), nullptr);
  EXPECT_EQ(cuda.failure().rfind("INVALID_ARGUMENT: a tensor map has", 0), 0u);
}

/// A device keeps an unloaded module until it loads another one, since kernels may still run.
TEST_F(CudaLaunchTest, UnloadedModulesAreFreed) {
  CudaCall cuda;
  rnnrt_abi_make_current(cuda.call);
  for (int round = 0; round < 3; ++round) {
    Compiled compiled(text);
    compiled.launch("fill", nullptr);
    EXPECT_EQ(fake.fake_cuda_live("module"), 1) << round;
  }
  EXPECT_EQ(fake.lines("cuModuleUnload").size(), 2u);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaLaunchTest, ThreadsLaunchAtTheSameTime) {
  Compiled compiled(text);
  CudaCall cuda;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      rnnrt_call_t *call = nullptr;
      rnnrt_stream_t *stream = nullptr;
      EXPECT_EQ(take(rnnrt_stream_create(cuda.device, &stream)), "");
      EXPECT_EQ(take(rnnrt_call_create(cuda.device, stream, nullptr, &call)), "");
      rnnrt_abi_make_current(call);
      for (int round = 0; round < 50; ++round) {
        void *pointer = rnnrt_abi_alloc(call, 100);
        compiled.launch(round % 2 ? "fill" : "other", nullptr);
        rnnrt_abi_free(call, pointer);
      }
      EXPECT_EQ(rnnrt_call_status(call), nullptr);
      rnnrt_call_release(call);
      rnnrt_stream_release(stream);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake.lines("cuModuleLoadDataEx").size(), 1u);
  EXPECT_EQ(fake.lines("cuLaunchKernelEx").size(), 200u);
}

} // namespace
