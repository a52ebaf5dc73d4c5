// CudaDeviceTest.cpp - device `cuda` on the fake driver: the driver calls with their order and streams, and that memory
// is used only between its allocation and its release.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>

using namespace rnntest;

namespace {

class CudaDeviceTest : public CudaTest {};
using Lines = std::vector<std::string>;

TEST_F(CudaDeviceTest, Properties) {
  CudaCall cuda;
  ASSERT_EQ(cuda.failure(), "");
  rnnrt_device_properties_t properties;
  ASSERT_EQ(take(rnnrt_device_properties(cuda.device, &properties)), "");
  EXPECT_STREQ(properties.name, "Fake GPU 0");
  EXPECT_EQ(properties.ordinal, 0);
  EXPECT_EQ(properties.compute_capability, 90);
  EXPECT_EQ(properties.multiprocessors, 132);
  EXPECT_EQ(properties.driver_version, 13000);
  EXPECT_EQ(properties.memory_bytes, int64_t(8) << 30);
  EXPECT_EQ(properties.shared_memory_per_block, 232448);
}

TEST_F(CudaDeviceTest, Ordinals) {
  fake.fake_cuda_set_devices(3);
  CudaCall first, third(false, "cuda:2"), none(false, "cuda:3");
  EXPECT_EQ(first.failure(), "");
  EXPECT_EQ(third.failure(), "");
  rnnrt_device_properties_t properties;
  ASSERT_EQ(take(rnnrt_device_properties(third.device, &properties)), "");
  EXPECT_STREQ(properties.name, "Fake GPU 2");
  EXPECT_EQ(properties.ordinal, 2);
  EXPECT_EQ(none.failure(), "UNAVAILABLE: device `cuda:3` is not available: the CUDA driver has 3 devices; "
                            "CUDA_VISIBLE_DEVICES may hide some");
}

TEST_F(CudaDeviceTest, MemoryIsStreamOrdered) {
  CudaCall cuda(/*ownStream=*/true), other;
  fake.fake_cuda_reset();
  void *a = rnnrt_abi_alloc(cuda.call, 100), *b = rnnrt_abi_alloc(cuda.call, 0);
  const char source[] = "what is copied";
  char target[sizeof(source)] = "";
  rnnrt_abi_copy(cuda.call, source, a, sizeof(source));
  rnnrt_abi_read(cuda.call, a, target, sizeof(source));
  rnnrt_abi_free(cuda.call, b);
  rnnrt_abi_free(cuda.call, a);
  rnnrt_abi_free(cuda.call, nullptr);
  EXPECT_EQ(cuda.failure(), "");
  EXPECT_STREQ(target, source);
  ASSERT_NE(b, nullptr);
  // The first two streams are the default stream and the allocation stream of the device.
  EXPECT_EQ(fake.lines(),
            (Lines{"cuMemAllocFromPoolAsync stream=3 bytes=100", "cuMemAllocFromPoolAsync stream=3 bytes=1",
                   "cuMemcpyAsync stream=3 bytes=15", "cuMemcpyAsync stream=3 bytes=15", "cuStreamSynchronize stream=3",
                   "cuMemFreeAsync stream=3 bytes=1", "cuMemFreeAsync stream=3 bytes=100"}));
}

TEST_F(CudaDeviceTest, HasADefaultStream) {
  CudaCall cuda;
  fake.fake_cuda_reset();
  void *a = rnnrt_abi_alloc(cuda.call, 8);
  double value = 2, back = 0;
  rnnrt_abi_copy(cuda.call, &value, a, 8);
  rnnrt_abi_read(cuda.call, a, &back, 8);
  rnnrt_abi_free(cuda.call, a);
  EXPECT_EQ(back, 2);
  for (const std::string &line : fake.lines())
    EXPECT_NE(line.find("stream=1"), std::string::npos) << line;
}

TEST_F(CudaDeviceTest, ProgramMemoryIsForEveryStream) {
  CudaCall cuda(/*ownStream=*/true);
  void *pointer = nullptr;
  ASSERT_EQ(take(rnnrt_memory_alloc(cuda.device, 64, &pointer)), "");
  const std::vector<char> source(64, 'a');
  std::vector<char> target(64);
  // On two unordered streams. Only the allocation orders their uses.
  EXPECT_EQ(take(rnnrt_memory_copy(cuda.device, cuda.stream, pointer, source.data(), 64)), "");
  EXPECT_EQ(take(rnnrt_memory_copy(cuda.device, nullptr, target.data(), pointer, 64)), "");
  EXPECT_EQ(take(rnnrt_memory_free(cuda.device, pointer)), "");
}

/// Tests the checks of the fake: unordered uses on two streams are a misuse.
TEST_F(CudaDeviceTest, UnorderedUsesAreDetected) {
  CudaCall cuda(/*ownStream=*/true);
  void *pointer = rnnrt_abi_alloc(cuda.call, 64);
  std::vector<char> target(64);
  EXPECT_EQ(take(rnnrt_memory_copy(cuda.device, nullptr, target.data(), pointer, 64)), "");
  EXPECT_STREQ(fake.fake_cuda_misuse(),
               "cuMemcpyAsync on stream 1 uses memory that stream 3 may not have allocated yet\n");
  rnnrt_abi_free(cuda.call, pointer);
  fake.fake_cuda_reset();
  // An event orders the streams.
  pointer = rnnrt_abi_alloc(cuda.call, 64);
  rnnrt_event_t *event = nullptr;
  ASSERT_EQ(take(rnnrt_event_create(cuda.device, &event)), "");
  EXPECT_EQ(take(rnnrt_event_record(event, cuda.stream)), "");
  EXPECT_EQ(take(rnnrt_event_wait(event, nullptr)), "");
  EXPECT_EQ(take(rnnrt_memory_copy(cuda.device, nullptr, target.data(), pointer, 64)), "");
  rnnrt_event_release(event);
  EXPECT_EQ(take(rnnrt_memory_free(cuda.device, pointer)), ""); // synchronizes with both streams
}

TEST_F(CudaDeviceTest, BothKindsCanBeFreedBothWays) {
  CudaCall cuda(/*ownStream=*/true);
  void *pointer = nullptr;
  ASSERT_EQ(take(rnnrt_memory_alloc(cuda.device, 64, &pointer)), "");
  rnnrt_abi_free(cuda.call, pointer);
  EXPECT_EQ(take(rnnrt_memory_free(cuda.device, rnnrt_abi_alloc(cuda.call, 64))), "");
  EXPECT_EQ(cuda.failure(), "");
  rnnrt_abi_free(cuda.call, pointer);
  EXPECT_EQ(cuda.failure(), "INVALID_ARGUMENT: the pointer was not allocated on this device, or was freed already");
}

TEST_F(CudaDeviceTest, NotEnoughMemory) {
  fake.fake_cuda_set_memory(1000);
  CudaCall cuda;
  void *some = rnnrt_abi_alloc(cuda.call, 600);
  EXPECT_NE(some, nullptr);
  EXPECT_EQ(rnnrt_abi_alloc(cuda.call, 500), nullptr);
  EXPECT_EQ(cuda.failure(),
            "RESOURCE_EXHAUSTED: not enough memory for 500 bytes on `Fake GPU 0`, which has 1000; the "
            "device holds 600 already: cuMemAllocFromPoolAsync failed: CUDA_ERROR_OUT_OF_MEMORY (out of "
            "memory)");
  rnnrt_abi_free(cuda.call, some);
  void *pointer = nullptr;
  EXPECT_EQ(take(rnnrt_memory_alloc(cuda.device, 1001, &pointer)),
            "RESOURCE_EXHAUSTED: not enough memory for 1001 bytes on `Fake GPU 0`, which has 1000; the device holds 0 "
            "already");
}

TEST_F(CudaDeviceTest, LeakedMemoryIsFreedWithTheDevice) {
  CudaCall cuda;
  EXPECT_NE(rnnrt_abi_alloc(cuda.call, 600), nullptr);
  rnnrt_memory_stats_t stats;
  ASSERT_EQ(take(rnnrt_memory_stats(cuda.device, &stats)), "");
  EXPECT_EQ(stats.live_blocks, 1);
  EXPECT_EQ(fake.fake_cuda_live("block"), 1);
}

/// Copies of pinned memory are asynchronous in CUDA; the runtime waits, so that the memory may be reused.
TEST_F(CudaDeviceTest, PinnedCopiesAreSynchronized) {
  CudaCall cuda(/*ownStream=*/true);
  std::vector<float> pinned(16, 1.0f);
  struct {
    float *allocated, *aligned;
    int64_t offset, size, stride;
  } memref{pinned.data(), pinned.data(), 0, 16, 1};
  rnnrt_abi_make_current(cuda.call);
  rnnrt_abi_gpu_mem_host_register_memref(1, &memref, 4);
  EXPECT_EQ(fake.fake_cuda_live("region"), 1);
  void *pointer = rnnrt_abi_alloc(cuda.call, 64);
  fake.fake_cuda_reset();
  rnnrt_abi_copy(cuda.call, pinned.data(), pointer, 64);
  rnnrt_abi_copy(cuda.call, pointer, pinned.data(), 64);
  EXPECT_EQ(fake.lines("cuStreamSynchronize").size(), 2u);
  fake.fake_cuda_reset();
  // After a synchronization, the host sees values that a kernel wrote to registered memory.
  rnnrt_abi_gpu_stream_synchronize(rnnrt_abi_gpu_stream_create());
  EXPECT_EQ(fake.lines(), Lines{"cuStreamSynchronize stream=3"});
  rnnrt_abi_gpu_mem_host_unregister_memref(1, &memref, 4);
  fake.fake_cuda_reset();
  rnnrt_abi_copy(cuda.call, pinned.data(), pointer, 64);
  rnnrt_abi_gpu_stream_synchronize(rnnrt_abi_gpu_stream_create());
  EXPECT_EQ(fake.lines("cuStreamSynchronize").size(), 0u);
  rnnrt_abi_free(cuda.call, pointer);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(CudaDeviceTest, PlansUseCudnn) {
  CudaCall cuda;
  setenv("RNNRT_CUDNN_PATH", "/nowhere", 1);
  EXPECT_EQ(rnnrt_abi_rnn_plan(cuda.call, RNNRT_DTYPE_F32, 2, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1), nullptr);
  unsetenv("RNNRT_CUDNN_PATH");
  EXPECT_EQ(cuda.failure().rfind("UNAVAILABLE: cuDNN 9 is needed", 0), 0u) << cuda.failure();
  rnnrt_call_reset(cuda.call);
  EXPECT_EQ(rnnrt_abi_block_lstm_plan(cuda.call, RNNRT_DTYPE_F32, 0, 0, 0, 0, 0, 1, 1, 1, 1), nullptr);
  EXPECT_EQ(cuda.failure().rfind("UNIMPLEMENTED: cuDNN does not support block_lstm", 0), 0u) << cuda.failure();
}

} // namespace
