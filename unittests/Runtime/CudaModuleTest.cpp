// CudaModuleTest.cpp - modules and launches of module.h on the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"

#include <cstring>

using namespace rnntest;

namespace {

using Lines = std::vector<std::string>;

const char *const ptx80 = ".version 8.6\n.target sm_80\n.entry add(\n.entry other(\n";
const char *const cubin90a = "\177ELF chip=sm_90a kernels=add,other";
const char *const cubin80 = "\177ELF chip=sm_80 kernels=add";

class CudaModuleTest : public CudaTest {
protected:
  /// Loads a module and returns its kernel; stores the failure.
  rnnrt_kernel_t *load(CudaCall &cuda, std::vector<rnnrt_image_t> images, const char *name) {
    rnnrt_kernel_t *kernel = nullptr;
    failure = take(rnnrt_module_load(cuda.device, images.data(), int64_t(images.size()), &module));
    if (failure.empty())
      failure = take(rnnrt_module_kernel(module, name, &kernel));
    return kernel;
  }
  void TearDown() override {
    rnnrt_module_release(module);
    CudaTest::TearDown();
  }
  rnnrt_module_t *module = nullptr;
  std::string failure;
};

TEST_F(CudaModuleTest, TheBestImageIsLoaded) {
  const std::vector<rnnrt_image_t> images = {{ptx80, 0, nullptr}, {cubin80, 0, "sm_80"}, {cubin90a, 0, "sm_90a"}};
  const struct {
    int capability, image;
  } cases[] = {{90, 2}, {80, 1}, {86, 1}, {100, 0}};
  for (auto [capability, image] : cases) {
    fake.fake_cuda_set_capability(capability);
    CudaCall cuda;
    rnnrt_module_t *loaded = nullptr;
    ASSERT_EQ(take(rnnrt_module_load(cuda.device, images.data(), 3, &loaded)), "") << capability;
    EXPECT_EQ(rnnrt_module_image(loaded), image) << capability;
    rnnrt_module_release(loaded);
  }
  EXPECT_EQ(rnnrt_module_image(nullptr), -1);
}

TEST_F(CudaModuleTest, NoneFits) {
  fake.fake_cuda_set_capability(75);
  CudaCall cuda;
  load(cuda, {{ptx80, 0, nullptr}, {cubin90a, 0, "sm_90a"}}, "add");
  EXPECT_EQ(failure,
            "UNIMPLEMENTED: no code for device `Fake GPU 0` (sm_75): the module has PTX for sm_80, machine code "
            "for sm_90a; compile it for chip sm_75");
}

TEST_F(CudaModuleTest, RejectedImagesAreSkipped) {
  CudaCall cuda;
  // `chip` contradicts the target in the PTX.
  load(cuda, {{cubin90a, 0, "sm_90a"}, {ptx80, 0, nullptr}}, "add");
  EXPECT_EQ(failure, "");
  EXPECT_EQ(rnnrt_module_image(module), 0);
  rnnrt_module_release(module);
  load(cuda, {{cubin80, 0, nullptr}, {ptx80, 0, nullptr}}, "add");
  EXPECT_EQ(failure, "");
  EXPECT_EQ(rnnrt_module_image(module), 1);
  rnnrt_module_release(module);
  module = nullptr;
  load(cuda, {{cubin80, 0, nullptr}, {".version 8.6\n.target sm_80\n BROKEN", 0, nullptr}}, "add");
  EXPECT_EQ(
      failure,
      "UNIMPLEMENTED: no code of the module loads on device `Fake GPU 0` (sm_90): machine code for an unknown chip: "
      "cuModuleLoadDataEx failed: CUDA_ERROR_NO_BINARY_FOR_GPU (fake failure); PTX for sm_80: cuModuleLoadDataEx "
      "failed: CUDA_ERROR_INVALID_PTX (fake failure): ptxas application ptx input, line 3; error : Unknown symbol "
      "'BROKEN'");
}

TEST_F(CudaModuleTest, TextNeedsNoTerminator) {
  CudaCall cuda;
  const std::string text = std::string(ptx80) + "garbage behind .target sm_999 BROKEN";
  EXPECT_NE(load(cuda, {{text.data(), int64_t(std::strlen(ptx80)), nullptr}}, "other"), nullptr);
  EXPECT_EQ(failure, "");
}

TEST_F(CudaModuleTest, PassesLaunchAttributes) {
  CudaCall cuda(/*ownStream=*/true);
  rnnrt_kernel_t *kernel = load(cuda, {{cubin90a, 0, "sm_90a"}}, "add");
  ASSERT_EQ(failure, "");
  fake.fake_cuda_reset();
  fake.fake_cuda_set_kernel(
      "add", [](void **arguments) { **static_cast<int **>(arguments[0]) += *static_cast<int *>(arguments[1]); });
  rnnrt_launch_t launch;
  rnnrt_launch_init(&launch);
  int sum = 40, two = 2, *pointer = &sum;
  void *arguments[] = {&pointer, &two};
  EXPECT_EQ(take(rnnrt_kernel_launch(kernel, nullptr, &launch, arguments)), "");
  EXPECT_EQ(sum, 42);
  launch.grid[0] = 32;
  launch.grid[1] = 3;
  launch.block[0] = 256;
  launch.cluster[0] = 8;
  launch.cluster[1] = launch.cluster[2] = 1;
  launch.dynamic_shared = 1000;
  launch.cooperative = 1;
  launch.programmatic = 1;
  EXPECT_EQ(take(rnnrt_kernel_launch(kernel, cuda.stream, &launch, arguments)), "");
  EXPECT_EQ(sum, 44);
  EXPECT_EQ(
      fake.lines(),
      (Lines{"cuLaunchKernelEx stream=1 kernel=add grid=1x1x1 block=1x1x1 shared=0",
             "cuLaunchKernelEx stream=3 kernel=add grid=32x3x1 block=256x1x1 shared=1000 cluster=8x1x1 cooperative "
             "programmatic"}));
}

TEST_F(CudaModuleTest, LaunchesEnableWhatTheyRequest) {
  CudaCall cuda;
  rnnrt_kernel_t *kernel = load(cuda, {{cubin90a, 0, "sm_90a"}}, "add");
  ASSERT_EQ(failure, "");
  fake.fake_cuda_reset();
  rnnrt_launch_t launch;
  rnnrt_launch_init(&launch);
  launch.grid[0] = 32;
  launch.cluster[0] = 16;
  launch.cluster[1] = launch.cluster[2] = 1;
  for (int64_t shared : {0, 100000, 200000, 40000, 150000}) {
    launch.dynamic_shared = shared;
    EXPECT_EQ(take(rnnrt_kernel_launch(kernel, nullptr, &launch, nullptr)), "") << shared;
  }
  // Attribute 14 allows clusters of more than 8 blocks. Attribute 8 is the maximum of dynamic shared memory: exactly
  // the largest request.
  EXPECT_EQ(fake.lines("cuFuncSetAttribute"), (Lines{"cuFuncSetAttribute kernel=add attribute=14 value=1",
                                                     "cuFuncSetAttribute kernel=add attribute=8 value=100000",
                                                     "cuFuncSetAttribute kernel=add attribute=8 value=200000"}));
  EXPECT_EQ(fake.lines("cuLaunchKernelEx").size(), 5u);
}

TEST_F(CudaModuleTest, CompiledClusterSizesAreEnabled) {
  CudaCall cuda;
  rnnrt_kernel_t *kernel =
      load(cuda, {{".version 8.6\n.target sm_90\n.reqnctapercluster 16\n.entry add(", 0, nullptr}}, "add");
  ASSERT_EQ(failure, "");
  rnnrt_launch_t launch;
  rnnrt_launch_init(&launch);
  launch.grid[0] = 16;
  EXPECT_EQ(take(rnnrt_kernel_launch(kernel, nullptr, &launch, nullptr)), "");
}

TEST_F(CudaModuleTest, ExceededLimitsAreReported) {
  CudaCall cuda;
  rnnrt_kernel_t *kernel = load(cuda, {{cubin90a, 0, "sm_90a"}}, "add");
  ASSERT_EQ(failure, "");
  rnnrt_launch_t base;
  rnnrt_launch_init(&base);
  auto launched = [&](auto change) {
    rnnrt_launch_t launch = base;
    change(launch);
    return take(rnnrt_kernel_launch(kernel, nullptr, &launch, nullptr));
  };
  EXPECT_EQ(
      launched([](rnnrt_launch_t &l) { l.dynamic_shared = 231425; }),
      "UNIMPLEMENTED: the kernel needs 1024 + 231425 bytes of shared memory per block, but `Fake GPU 0` has 232448; "
      "in kernel=add grid=1x1x1 block=1x1x1 shared=231425");
  EXPECT_EQ(
      launched([](rnnrt_launch_t &l) { l.dynamic_shared = INT64_MAX; }).rfind("UNIMPLEMENTED: the kernel needs", 0),
      0u);
  EXPECT_EQ(launched([](rnnrt_launch_t &l) { l.block[0] = 1024, l.block[1] = 2; }),
            "UNIMPLEMENTED: the kernel supports at most 1024 threads per block, but 2048 are requested; in kernel=add "
            "grid=1x1x1 block=1024x2x1 shared=0");
  EXPECT_EQ(
      launched([](rnnrt_launch_t &l) { l.grid[0] = 133, l.cooperative = 1; }),
      "UNIMPLEMENTED: cuLaunchKernelEx failed: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE (fake failure); in kernel=add "
      "grid=133x1x1 block=1x1x1 shared=0 cooperative");
  EXPECT_EQ(
      launched([](rnnrt_launch_t &l) {
        l.grid[0] = l.cluster[0] = 16;
        l.cluster[1] = l.cluster[2] = 1;
        l.dynamic_shared = 210000;
      }),
      "UNIMPLEMENTED: cuLaunchKernelEx failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (fake failure); no cluster of this "
      "size fits on the device with this shared memory; in kernel=add grid=16x1x1 block=1x1x1 cluster=16x1x1 "
      "shared=210000");
}

TEST_F(CudaModuleTest, InvalidSizes) {
  CudaCall cuda;
  rnnrt_kernel_t *kernel = load(cuda, {{cubin90a, 0, "sm_90a"}}, "add");
  ASSERT_EQ(failure, "");
  fake.fake_cuda_reset();
  const struct {
    int64_t grid[3], block[3], cluster[3], shared;
    const char *message;
  } cases[] = {
      {{-1, 1, 1}, {1, 1, 1}, {}, 0, "expects dim 0 of `grid` to be in [0, 2147483647], but got -1; in kernel=add "},
      {{1, 65536, 1}, {1, 1, 1}, {}, 0, "expects dim 1 of `grid` to be in [0, 65535], but got 65536; in "},
      {{INT64_MAX, 1, 1}, {1, 1, 1}, {}, 0, "expects dim 0 of `grid` to be in [0, 2147483647], but got 92233"},
      {{1, 1, 1}, {1, 0, 1}, {}, 0, "expects dim 1 of `block` to be in [1, 1024], but got 0; in "},
      {{1, 1, 1}, {1, 1, 65}, {}, 0, "expects dim 2 of `block` to be in [1, 64], but got 65; in "},
      {{1, 1, 1}, {1, 1, 1}, {1, 1, 0}, 0, "expects dim 2 of `cluster` to be in [1, 16], but got 0; in "},
      {{6, 1, 1}, {1, 1, 1}, {4, 1, 1}, 0, "expects dim 0 of `grid` to be a multiple of `cluster`; in "},
      {{1, 1, 1}, {1, 1, 1}, {}, -1, "expects `dynamic_shared` to be at least 0; in "}};
  for (const auto &c : cases) {
    rnnrt_launch_t launch;
    rnnrt_launch_init(&launch);
    std::memcpy(launch.grid, c.grid, sizeof(c.grid));
    std::memcpy(launch.block, c.block, sizeof(c.block));
    std::memcpy(launch.cluster, c.cluster, sizeof(c.cluster));
    launch.dynamic_shared = c.shared;
    const std::string message = take(rnnrt_kernel_launch(kernel, nullptr, &launch, nullptr));
    EXPECT_EQ(message.rfind(std::string("INVALID_ARGUMENT: ") + c.message, 0), 0u) << message;
  }
  // An empty grid is valid.
  rnnrt_launch_t launch;
  rnnrt_launch_init(&launch);
  launch.grid[2] = 0;
  EXPECT_EQ(take(rnnrt_kernel_launch(kernel, nullptr, &launch, nullptr)), "");
  EXPECT_EQ(fake.lines("cuLaunchKernelEx").size(), 0u);
}

TEST_F(CudaModuleTest, Queries) {
  CudaCall cuda;
  rnnrt_kernel_t *kernel = load(cuda, {{cubin90a, 0, "sm_90a"}}, "add");
  rnnrt_kernel_properties_t properties;
  ASSERT_EQ(take(rnnrt_kernel_properties(kernel, &properties)), "");
  EXPECT_EQ(properties.registers, 32);
  EXPECT_EQ(properties.max_threads, 1024);
  EXPECT_EQ(properties.static_shared, 1024);
  EXPECT_EQ(properties.local_bytes, 0);
  rnnrt_launch_t launch;
  rnnrt_launch_init(&launch);
  launch.grid[0] = launch.cluster[0] = 16;
  launch.cluster[1] = launch.cluster[2] = 1;
  int64_t clusters = -1;
  EXPECT_EQ(take(rnnrt_kernel_max_clusters(kernel, &launch, &clusters)), "");
  EXPECT_EQ(clusters, 8);
  launch.dynamic_shared = 210000;
  EXPECT_EQ(take(rnnrt_kernel_max_clusters(kernel, &launch, &clusters)), "");
  EXPECT_EQ(clusters, 0);
  rnnrt_kernel_t *again = nullptr, *none = nullptr;
  EXPECT_EQ(take(rnnrt_module_kernel(module, "add", &again)), "");
  EXPECT_EQ(again, kernel);
  EXPECT_EQ(take(rnnrt_module_kernel(module, "sub", &none)), "INVALID_ARGUMENT: the module has no kernel `sub`");
  EXPECT_EQ(none, nullptr);
}

TEST_F(CudaModuleTest, ClustersNeedHardwareSupport) {
  fake.fake_cuda_set_capability(80);
  CudaCall cuda;
  rnnrt_kernel_t *kernel = load(cuda, {{ptx80, 0, nullptr}}, "add");
  rnnrt_launch_t launch;
  rnnrt_launch_init(&launch);
  launch.grid[0] = launch.cluster[0] = 2;
  launch.cluster[1] = launch.cluster[2] = 1;
  EXPECT_EQ(take(rnnrt_kernel_launch(kernel, nullptr, &launch, nullptr)),
            "UNIMPLEMENTED: clusters need compute capability 9.0, but `Fake GPU 0` has 8.0; in kernel=add grid=2x1x1 "
            "block=1x1x1 cluster=2x1x1 shared=0");
}

TEST_F(CudaModuleTest, NullAndForeignHandles) {
  fake.fake_cuda_set_devices(2);
  CudaCall cuda, other(/*ownStream=*/true, "cuda:1");
  rnnrt_kernel_t *kernel = load(cuda, {{cubin90a, 0, "sm_90a"}}, "add");
  ASSERT_EQ(failure, "");
  rnnrt_launch_t launch;
  rnnrt_launch_init(&launch);
  rnnrt_launch_init(nullptr);
  const rnnrt_image_t image{cubin90a, 0, nullptr};
  rnnrt_module_t *none = nullptr;
  rnnrt_kernel_properties_t properties;
  int64_t clusters;
  for (rnnrt_status_t status :
       {rnnrt_module_load(nullptr, &image, 1, &none), rnnrt_module_load(cuda.device, nullptr, 1, &none),
        rnnrt_module_load(cuda.device, &image, 1, nullptr), rnnrt_module_kernel(nullptr, "add", &kernel),
        rnnrt_module_kernel(module, nullptr, &kernel), rnnrt_module_kernel(module, "add", nullptr),
        rnnrt_kernel_launch(nullptr, nullptr, &launch, nullptr), rnnrt_kernel_properties(nullptr, &properties),
        rnnrt_kernel_max_clusters(nullptr, &launch, &clusters)}) {
    EXPECT_EQ(rnnrt_status_code(status), RNNRT_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(take(status).find("null pointer"), std::string::npos);
  }
  EXPECT_EQ(take(rnnrt_module_load(cuda.device, &image, 0, &none)),
            "INVALID_ARGUMENT: expects `count` to be at least 1, but got 0");
  ASSERT_EQ(take(rnnrt_module_kernel(module, "add", &kernel)), "");
  EXPECT_NE(take(rnnrt_kernel_launch(kernel, nullptr, nullptr, nullptr)).find("null pointer"), std::string::npos);
  EXPECT_EQ(take(rnnrt_kernel_launch(kernel, other.stream, &launch, nullptr)),
            "INVALID_ARGUMENT: expects `stream` to belong to the device of `kernel`");
  rnnrt_device_t *host = nullptr;
  ASSERT_EQ(take(rnnrt_device_create("host", nullptr, &host)), "");
  EXPECT_EQ(take(rnnrt_module_load(host, &image, 1, &none)),
            "UNIMPLEMENTED: device `host` runs no GPU modules; make a device `cuda`");
  rnnrt_device_release(host);
  rnnrt_module_release(nullptr);
}

TEST_F(CudaModuleTest, AModuleKeepsItsDevice) {
  rnnrt_kernel_t *kernel = nullptr;
  {
    CudaCall cuda;
    kernel = load(cuda, {{cubin90a, 0, "sm_90a"}}, "add");
  }
  rnnrt_launch_t launch;
  rnnrt_launch_init(&launch);
  EXPECT_EQ(take(rnnrt_kernel_launch(kernel, nullptr, &launch, nullptr)), "");
}

} // namespace
