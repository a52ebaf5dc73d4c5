// CudaFailureTest.cpp - failures of device `cuda`: no driver, an invalid driver library, no GPU, and a failure of each
// driver call, after which nothing leaks and the program continues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

using namespace rnntest;
using namespace rnnrt::cuda;

namespace {

class CudaFailureTest : public CudaTest {
protected:
  /// Returns the failure to create a device with RNNRT_CUDA_PATH set to `path`.
  static std::string failureAt(const std::string &path) {
    setenv("RNNRT_CUDA_PATH", path.c_str(), 1);
    CudaCall cuda;
    setenv("RNNRT_CUDA_PATH", RNN_FAKE_CUDA_DIRECTORY, 1);
    return cuda.failure();
  }
  static void expectTheHostWorks() {
    CudaCall host(false, "host");
    EXPECT_EQ(host.failure(), "");
    void *pointer = rnnrt_abi_alloc(host.call, 8);
    EXPECT_NE(pointer, nullptr);
    rnnrt_abi_free(host.call, pointer);
  }
};

TEST_F(CudaFailureTest, NoDriver) {
  EXPECT_EQ(
      failureAt("/nowhere"),
      "UNAVAILABLE: the CUDA driver is needed, but what RNNRT_CUDA_PATH names cannot be loaded: `/nowhere`: cannot "
      "open shared object file: No such file or directory; correct or unset RNNRT_CUDA_PATH");
  expectTheHostWorks();
  EXPECT_EQ(CudaCall().failure(), ""); // the search is repeated
}

TEST_F(CudaFailureTest, NotADriver) {
  // A library that is not the driver.
  Dl_info info;
  ASSERT_NE(dladdr(reinterpret_cast<void *>(&rnnrt_device_create), &info), 0);
  const std::string path = info.dli_fname;
  const std::string message = failureAt(path);
  EXPECT_NE(message.find("UNAVAILABLE: a CUDA driver of version 12.0 or later is needed, but `"), std::string::npos);
  EXPECT_NE(message.find("librnn_runtime.so` has no function cuInit"), std::string::npos) << message;
}

TEST_F(CudaFailureTest, NoDevice) {
  fake.fake_cuda_set_devices(0);
  // Another path of the same file, since the driver at the usual path is initialized already.
  const std::string message = failureAt(std::string(RNN_FAKE_CUDA_DIRECTORY) + "/./libcuda.so.1");
  EXPECT_NE(message.find("UNAVAILABLE: the CUDA driver `"), std::string::npos) << message;
  EXPECT_NE(message.find("` cannot be initialized: cuInit failed: CUDA_ERROR_NO_DEVICE (fake failure)"),
            std::string::npos)
      << message;
  expectTheHostWorks();
  fake.fake_cuda_set_devices(1);
  EXPECT_EQ(failureAt(std::string(RNN_FAKE_CUDA_DIRECTORY) + "/./libcuda.so.1"), "");
}

TEST_F(CudaFailureTest, InitializationFailuresAreNotCached) {
  const std::string path = std::string(RNN_FAKE_CUDA_DIRECTORY) + "/././libcuda.so.1";
  for (int n = 0; n < 2; ++n) { // cuInit, cuDriverGetVersion
    fake.fake_cuda_fail_nth(n, CUDA_ERROR_SYSTEM_NOT_READY);
    const std::string message = failureAt(path);
    EXPECT_EQ(message.rfind("UNAVAILABLE: ", 0), 0u) << message;
    EXPECT_NE(message.find("CUDA_ERROR_SYSTEM_NOT_READY"), std::string::npos) << message;
  }
  EXPECT_EQ(failureAt(path), "");
}

TEST_F(CudaFailureTest, CodesOfTheDriver) {
  const struct {
    CUresult result;
    const char *code;
  } cases[] = {{CUDA_ERROR_OUT_OF_MEMORY, "RESOURCE_EXHAUSTED"},
               {CUDA_ERROR_NO_DEVICE, "UNAVAILABLE"},
               {CUDA_ERROR_STUB_LIBRARY, "UNAVAILABLE"},
               {CUDA_ERROR_MPS_SERVER_NOT_READY, "UNAVAILABLE"},
               {CUDA_ERROR_NOT_SUPPORTED, "UNIMPLEMENTED"},
               {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "FAILED_PRECONDITION"},
               {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "FAILED_PRECONDITION"},
               {CUDA_ERROR_INVALID_PTX, "INVALID_ARGUMENT"},
               {CUDA_ERROR_ILLEGAL_ADDRESS, "INTERNAL"},
               {CUDA_ERROR_INVALID_VALUE, "INTERNAL"}};
  CudaCall cuda;
  for (const auto &c : cases) {
    rnnrt_stream_t *stream = nullptr;
    fake.fake_cuda_fail_nth(2, c.result); // after the context is current
    const std::string prefix = std::string(c.code) + ": ";
    const std::string failure = take(rnnrt_stream_create(cuda.device, &stream));
    EXPECT_EQ(failure.rfind(prefix + "cuStreamCreate failed: CUDA_ERROR_", 0), 0u) << failure;
    EXPECT_EQ(stream, nullptr);
  }
  fake.fake_cuda_fail_nth(2, 12345);
  rnnrt_stream_t *stream = nullptr;
  EXPECT_EQ(take(rnnrt_stream_create(cuda.device, &stream)),
            "INTERNAL: cuStreamCreate failed: an error without a name (fake failure)");
}

/// Uses all functions of a device until one fails. Returns true if none fails.
bool runAll(const FakeDriver &fake) {
  static char code[] = "\177ELF chip=sm_90a kernels=step";
  static const rnnrt_function_t function = {};
  bool good = true;
  auto ok = [&](rnnrt_status_t status) {
    const bool fine = !status;
    const std::string message = take(status);
    // The message contains the driver's error name and the function that failed.
    if (!fine) {
      EXPECT_NE(message.find("CUDA_ERROR_UNKNOWN (fake failure)"), std::string::npos) << message;
      EXPECT_NE(message.find(fake.fake_cuda_failed()), std::string::npos) << message;
    }
    good &= fine;
    return fine;
  };
  rnnrt_device_t *device = nullptr;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_event_t *start = nullptr, *end = nullptr;
  rnnrt_module_t *module = nullptr;
  rnnrt_kernel_t *kernel = nullptr;
  rnnrt_call_t *call = nullptr;
  void *pointer = nullptr, *compiled = rnnrt_abi_gpu_module_load(code, sizeof(code));
  const rnnrt_image_t image{code, 0, "sm_90a"};
  rnnrt_launch_t launch;
  rnnrt_launch_init(&launch);
  launch.grid[0] = launch.cluster[0] = 16;
  launch.cluster[1] = launch.cluster[2] = 1;
  launch.dynamic_shared = 100000;
  char data[64] = {};
  double ms = 0;
  if (ok(rnnrt_device_create("cuda", nullptr, &device)) && ok(rnnrt_stream_create(device, &stream)) &&
      ok(rnnrt_event_create(device, &start)) && ok(rnnrt_event_create(device, &end)) &&
      ok(rnnrt_memory_alloc(device, 64, &pointer)) && ok(rnnrt_event_record(start, stream)) &&
      ok(rnnrt_memory_copy(device, stream, pointer, data, 64)) && ok(rnnrt_event_record(end, stream)) &&
      ok(rnnrt_event_wait(end, nullptr)) && ok(rnnrt_event_elapsed(start, end, &ms)) &&
      ok(rnnrt_module_load(device, &image, 1, &module)) && ok(rnnrt_module_kernel(module, "step", &kernel)) &&
      ok(rnnrt_function_load(&function, device)) && ok(rnnrt_kernel_launch(kernel, stream, &launch, nullptr)) &&
      ok(rnnrt_stream_synchronize(stream)) && ok(rnnrt_call_create(device, stream, nullptr, &call))) {
    // Compiled code has no error branches: it calls all entries, also after a failure.
    rnnrt_abi_make_current(call);
    void *buffer = rnnrt_abi_alloc(call, 100), *other = rnnrt_abi_gpu_mem_alloc(50, nullptr, 0);
    rnnrt_abi_gpu_memset32(other, 1, 4, nullptr);
    rnnrt_abi_gpu_memset16(other, 1, 4, nullptr);
    rnnrt_abi_gpu_memcpy(buffer, other, 50, nullptr);
    struct {
      char *allocated, *aligned;
      int64_t offset, size, stride;
    } memref{data, data, 0, 64, 1};
    int64_t box[] = {8};
    const bool mapped = rnnrt_abi_gpu_tensor_map_encode_tiled_memref(1, &memref, 0, 0, 0, 0, 0, box);
    EXPECT_EQ(mapped, rnnrt_call_status(call) == nullptr);
    rnnrt_abi_gpu_launch_cluster_kernel(rnnrt_abi_gpu_module_get_function(compiled, "step"), 16, 1, 1, 16, 1, 1, 64, 1,
                                        1, 100000, nullptr, nullptr, nullptr);
    rnnrt_abi_begin_chain(call);
    for (int k = 0; k < 4; ++k)
      rnnrt_abi_gpu_launch_kernel(rnnrt_abi_gpu_module_get_function(compiled, "step"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                  nullptr, nullptr, 0);
    rnnrt_abi_end_chain(call);
    rnnrt_abi_read(call, buffer, data, 50);
    rnnrt_abi_gpu_mem_free(other, nullptr);
    rnnrt_abi_free(call, buffer);
    ok(rnnrt_status_clone(rnnrt_call_status(call)));
  }
  if (pointer)
    ok(rnnrt_memory_free(device, pointer));
  rnnrt_call_release(call);
  rnnrt_module_release(module);
  rnnrt_event_release(start);
  rnnrt_event_release(end);
  rnnrt_stream_release(stream);
  rnnrt_device_release(device);
  rnnrt_abi_gpu_module_unload(compiled);
  return good;
}

TEST_F(CudaFailureTest, EveryCallFailsOnce) {
  ASSERT_TRUE(runAll(fake)); // loads the driver
  fake.fake_cuda_reset();
  ASSERT_TRUE(runAll(fake));
  const int64_t calls = fake.fake_cuda_calls();
  EXPECT_GT(calls, 80);
  int64_t unnoticed = 0;
  for (int64_t n = 0; n < calls; ++n) {
    fake.fake_cuda_reset();
    fake.fake_cuda_fail_nth(n, CUDA_ERROR_UNKNOWN);
    const bool good = runAll(fake);
    const std::string failed = fake.fake_cuda_failed();
    ASSERT_NE(failed, "") << n;
    // These failures are not reported: after a failure of cuCtxGetCurrent the context is pushed, memory of unknown kind
    // counts as pageable, and destructors cannot report failures.
    // Without a graph, launches are issued one by one.
    static const std::vector<std::string> quiet = {
        "cuCtxGetCurrent",      "cuPointerGetAttribute", "cuCtxSynchronize",   "cuCtxPushCurrent",
        "cuStreamSynchronize",  "cuMemFreeAsync",        "cuFuncGetParamInfo", "cuStreamCreate",
        "cuStreamBeginCapture", "cuLaunchKernelEx",      "cuStreamEndCapture", "cuGraphInstantiate"};
    if (good) {
      EXPECT_TRUE(std::find(quiet.begin(), quiet.end(), failed) != quiet.end()) << failed << " was not noticed";
      ++unnoticed;
    }
    EXPECT_EQ(fake.fake_cuda_live(nullptr), 0) << "call " << n << ", " << failed;
    EXPECT_STREQ(fake.fake_cuda_misuse(), "") << "call " << n << ", " << failed;
  }
  EXPECT_LT(unnoticed, calls / 2);
  EXPECT_TRUE(runAll(fake));
}

} // namespace
