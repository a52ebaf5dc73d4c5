// MgpuTest.cpp - librnn_mgpu: MLIR's function names forward to the entries of the runtime, on the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"
#include "rnn_runtime/abi.h"

extern "C" {
#define RNNRT_MGPU_ENTRY(result, upstream, name, parameters) result upstream parameters;
#include "rnn_runtime/mgpu.def"
#undef RNNRT_MGPU_ENTRY
}

using namespace rnntest;

namespace {
class MgpuTest : public CudaTest {};
} // namespace

TEST_F(MgpuTest, MemoryAndStreams) {
  CudaCall cuda(/*ownStream=*/true);
  ASSERT_EQ(cuda.failure(), "");
  rnnrt_abi_make_current(cuda.call);
  void *stream = mgpuStreamCreate();
  auto *words = static_cast<int32_t *>(mgpuMemAlloc(16, stream, 0));
  ASSERT_NE(words, nullptr);
  mgpuMemset32(words, 7, 4, stream);
  int32_t back[4] = {};
  mgpuMemcpy(back, words, sizeof(back), stream);
  mgpuStreamSynchronize(stream);
  EXPECT_EQ(rnnrt_stream_synchronize(cuda.stream), nullptr);
  for (int32_t value : back)
    EXPECT_EQ(value, 7);
  mgpuMemFree(words, stream);
  mgpuStreamDestroy(stream);
  EXPECT_EQ(cuda.failure(), "");
}

TEST_F(MgpuTest, LaunchesNameTheirFailure) {
  CudaCall cuda;
  ASSERT_EQ(cuda.failure(), "");
  rnnrt_abi_make_current(cuda.call);
  char code[] = "no code of a GPU";
  void *module = mgpuModuleLoad(code, sizeof(code));
  ASSERT_NE(module, nullptr);
  mgpuLaunchKernel(mgpuModuleGetFunction(module, "f"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr, 0);
  EXPECT_EQ(cuda.failure().substr(0, 17), "INVALID_ARGUMENT:") << cuda.failure();
  mgpuModuleUnload(module);
}
