// CublasTest.cpp - GEMMs on device `cuda` by a fake cuBLASLt: results, library calls, a missing library, failures and
// captures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"
#include "TestSupport.h"

#include "FakeCuda/FakeCublas.h"
#include "core/Device.h"
#include "core/Gemm.h"
#include "cublas/CublasApi.h"
#include "cuda/DriverApi.h"
#include "rnn_runtime/abi.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

using namespace rnntest;
using namespace rnnrt;

namespace {

struct FakeCublas {
#define RNN_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  FAKE_CUBLAS_CONTROLS(RNN_MEMBER)
#undef RNN_MEMBER
  static const FakeCublas &get() {
    static const FakeCublas fake = [] {
      void *library = dlopen(RNN_FAKE_CUDA_DIRECTORY "/libcublasLt.so.13", RTLD_NOW | RTLD_LOCAL);
      if (!library)
        throw std::runtime_error(dlerror());
      FakeCublas made;
#define RNN_MEMBER(result, name, parameters) made.name = reinterpret_cast<decltype(made.name)>(dlsym(library, #name));
      FAKE_CUBLAS_CONTROLS(RNN_MEMBER)
#undef RNN_MEMBER
      return made;
    }();
    return fake;
  }
  int count(const std::string &text) const {
    const std::string log = fake_cublas_log();
    int found = 0;
    for (size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1))
      ++found;
    return found;
  }
};

class CublasTest : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    setenv("RNNRT_CUBLASLT_PATH", RNN_FAKE_CUDA_DIRECTORY, 1);
    library.fake_cublas_reset();
  }
  void TearDown() override {
    EXPECT_STREQ(library.fake_cublas_misuse(), "");
    EXPECT_EQ(library.fake_cublas_live(), 0);
    CudaTest::TearDown();
  }
  const FakeCublas &library = FakeCublas::get();
};

/// One GEMM in device memory, with NaN around every matrix, and its expected result.
class Problem {
public:
  Problem(CudaCall &call, int32_t dtype, int32_t resultDtype, int32_t flags, bool hasBias, int64_t rows = 5,
          int64_t columns = 3, int64_t depth = 7)
      : call(call), dtype(dtype), resultDtype(resultDtype), flags(flags), rows(rows), columns(columns), depth(depth) {
    const bool leftTransposed = flags & LeftTransposed, rightTransposed = flags & RightTransposed;
    leftStride = (leftTransposed ? rows : depth) + 2;
    rightStride = (rightTransposed ? depth : columns) + 1;
    resultStride = columns + 4;
    left = make(dtype, first + (leftTransposed ? depth : rows) * leftStride);
    right = make(dtype, first + (rightTransposed ? columns : depth) * rightStride);
    result = make(resultDtype, first + rows * resultStride);
    bias = make(resultDtype, columns);
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t row = 0; row < rows; ++row)
        left.set(leftTransposed ? at(k, row, leftStride) : at(row, k, leftStride), random());
      for (int64_t column = 0; column < columns; ++column)
        right.set(rightTransposed ? at(column, k, rightStride) : at(k, column, rightStride), random());
    }
    for (int64_t column = 0; column < columns; ++column) {
      bias.set(column, random());
      for (int64_t row = 0; row < rows && (flags & Accumulate); ++row)
        result.set(at(row, column, resultStride), random());
    }
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        double sum = hasBias ? bias.get(column) : 0;
        if (flags & Accumulate)
          sum += result.get(at(row, column, resultStride));
        for (int64_t k = 0; k < depth; ++k)
          sum += left.get(leftTransposed ? at(k, row, leftStride) : at(row, k, leftStride)) *
                 right.get(rightTransposed ? at(column, k, rightStride) : at(k, column, rightStride));
        expected.push_back(sum);
      }
    leftMemory = upload(left);
    rightMemory = upload(right);
    resultMemory = upload(result);
    biasMemory = hasBias ? upload(bias) : nullptr;
  }
  ~Problem() {
    for (void *memory : {leftMemory, rightMemory, resultMemory, biasMemory})
      rnnrt_abi_free(call.call, memory);
  }

  int64_t run() {
    return rnnrt_abi_gemm(call.call, dtype, resultDtype, flags, rows, columns, depth, leftMemory, first, leftStride,
                          rightMemory, first, rightStride, resultMemory, first, resultStride, biasMemory);
  }

  /// Returns the largest relative error, or infinity if memory outside the result was written.
  double error() {
    Tensor actual(resultDtype, result.size());
    rnnrt_abi_read(call.call, resultMemory, actual.data(), actual.bytes());
    double worst = 0;
    for (int64_t index = 0; index < result.size(); ++index) {
      const int64_t row = (index - first) / resultStride, column = (index - first) % resultStride;
      if (index < first || column >= columns) {
        if (!std::isnan(actual.get(index)))
          return std::numeric_limits<double>::infinity();
      } else {
        const double difference = std::abs(actual.get(index) - expected[size_t(row * columns + column)]);
        worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
      }
    }
    return worst;
  }

private:
  static constexpr int64_t first = 3;
  static int64_t at(int64_t row, int64_t column, int64_t stride) { return first + row * stride + column; }
  static Tensor make(int32_t dtype, int64_t count) {
    Tensor tensor(dtype, count);
    for (int64_t k = 0; k < count; ++k)
      tensor.set(k, std::nan(""));
    return tensor;
  }
  double random() {
    seed = seed * 1103515245 + 12345;
    return double(seed >> 16 & 0x7fff) / 0x4000 - 1;
  }
  void *upload(const Tensor &tensor) {
    void *memory = rnnrt_abi_alloc(call.call, tensor.bytes());
    rnnrt_abi_copy(call.call, tensor.data(), memory, tensor.bytes());
    return memory;
  }

  CudaCall &call;
  int32_t dtype, resultDtype, flags;
  int64_t rows, columns, depth, leftStride, rightStride, resultStride;
  uint32_t seed = 1;
  Tensor left, right, result, bias;
  std::vector<double> expected;
  void *leftMemory, *rightMemory, *resultMemory, *biasMemory;
};

double unitOf(int32_t dtype) {
  return dtype == RNNRT_DTYPE_F16    ? 0x1p-11
         : dtype == RNNRT_DTYPE_BF16 ? 0x1p-8
         : dtype == RNNRT_DTYPE_F32  ? 0x1p-24
                                     : 0x1p-53;
}

TEST_F(CublasTest, EveryTypeAndLayout) {
  CudaCall call(/*ownStream=*/true);
  int gemms = 0;
  for (auto [dtype, resultDtype] : {std::pair(RNNRT_DTYPE_F16, RNNRT_DTYPE_F16),
                                    {RNNRT_DTYPE_F16, RNNRT_DTYPE_F32},
                                    {RNNRT_DTYPE_BF16, RNNRT_DTYPE_BF16},
                                    {RNNRT_DTYPE_BF16, RNNRT_DTYPE_F32},
                                    {RNNRT_DTYPE_F32, RNNRT_DTYPE_F32},
                                    {RNNRT_DTYPE_F64, RNNRT_DTYPE_F64}})
    for (int32_t flags = 0; flags < 8; ++flags)
      for (bool hasBias : {false, true}) {
        if (hasBias && dtype == RNNRT_DTYPE_F64)
          continue;
        Problem problem(call, dtype, resultDtype, flags, hasBias);
        EXPECT_EQ(problem.run(), 1);
        // The result is rounded once; its values are at most 9.
        EXPECT_LE(problem.error(), 16 * unitOf(resultDtype)) << "dtype " << dtype << " flags " << flags;
        ++gemms;
      }
  EXPECT_EQ(call.failure(), "");
  EXPECT_EQ(library.count("cublasLtMatmul m="), gemms);
  EXPECT_EQ(library.count("cublasLtCreate"), 1);
  // The compute type is f32, not a reduced-precision one.
  EXPECT_EQ(library.count("types=f32,f32 compute=68"), 16);
}

TEST_F(CublasTest, Tf32OnRequest) {
  CudaCall call;
  Problem exact(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false),
      rounded(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, RoundToTf32, false);
  EXPECT_EQ(exact.run() + rounded.run(), 2);
  EXPECT_LE(exact.error(), 16 * 0x1p-24);
  EXPECT_GT(rounded.error(), 16 * 0x1p-24);
  EXPECT_LE(rounded.error(), 16 * 0x1p-11);
  // The flag does not affect other types.
  Problem half(call, RNNRT_DTYPE_F16, RNNRT_DTYPE_F32, RoundToTf32, false);
  EXPECT_EQ(half.run(), 1);
  EXPECT_LE(half.error(), 16 * 0x1p-24);
}

TEST_F(CublasTest, AlgorithmsAreCached) {
  CudaCall call;
  {
    Problem problem(call, RNNRT_DTYPE_F16, RNNRT_DTYPE_F16, 0, false);
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(problem.run(), 1);
    EXPECT_EQ(library.count("cublasLtMatmulAlgoGetHeuristic"), 1);
    EXPECT_EQ(library.count("cublasLtMatmul m=3 n=5 k=7 ops=NN lds=4,9,7 types=f16,f16 compute=68 beta=0 workspace"),
              3);
    Problem other(call, RNNRT_DTYPE_F16, RNNRT_DTYPE_F16, 0, false, 5, 3, 8);
    EXPECT_EQ(other.run(), 1);
    EXPECT_EQ(library.count("cublasLtMatmulAlgoGetHeuristic"), 2);
  }
}

TEST_F(CublasTest, DoesNotSynchronize) {
  CudaCall call(/*ownStream=*/true);
  Problem problem(call, RNNRT_DTYPE_F16, RNNRT_DTYPE_F16, 0, false);
  EXPECT_EQ(problem.run(), 1);
  fake.fake_cuda_reset();
  EXPECT_EQ(problem.run(), 1);
  // The workspace is stream-ordered memory.
  const std::vector<std::string> lines = fake.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].rfind("cuMemAllocFromPoolAsync stream=", 0), 0u) << lines[0];
  EXPECT_EQ(lines[1].rfind("cuMemFreeAsync stream=", 0), 0u) << lines[1];
}

TEST_F(CublasTest, EmptyGemms) {
  CudaCall call;
  for (auto [rows, depth, flags, done] :
       {std::tuple(0, 7, 0, 1), {5, 0, 0, 0}, {5, 0, int(Accumulate), 1}, {0, 0, 0, 1}}) {
    EXPECT_EQ(rnnrt_abi_gemm(call.call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, flags, rows, 3, depth, nullptr, 0, 7, nullptr,
                             0, 3, &call, 0, 3, nullptr),
              done);
  }
  EXPECT_EQ(call.failure(), "");
  EXPECT_EQ(library.count("cublas"), 0);
}

TEST_F(CublasTest, NoLibrary) {
  for (const char *path : {"/nowhere", RNN_FAKE_CUDA_DIRECTORY "/libcuda.so.1"}) {
    setenv("RNNRT_CUBLASLT_PATH", path, 1);
    CudaCall call;
    Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
    EXPECT_EQ(problem.run(), 0);
    EXPECT_EQ(problem.run(), 0);
    EXPECT_EQ(call.failure(), "");
  }
  EXPECT_EQ(library.count("cublas"), 0);
}

TEST_F(CublasTest, NoHandleAndNoAlgorithm) {
  library.fake_cublas_fail("cublasLtCreate", 1);
  {
    CudaCall call;
    Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
    EXPECT_EQ(problem.run(), 0);
    EXPECT_EQ(call.failure(), "");
  }
  library.fake_cublas_reset();
  library.fake_cublas_deny(1);
  {
    CudaCall call;
    Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
    EXPECT_EQ(problem.run(), 0);
    EXPECT_EQ(problem.run(), 0);
    EXPECT_EQ(library.count("cublasLtMatmulAlgoGetHeuristic"), 1);
    EXPECT_EQ(call.failure(), "");
  }
  library.fake_cublas_reset();
  library.fake_cublas_set_workspace(uint64_t(64) << 20); // more than the preference allows
  {
    CudaCall call;
    Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
    EXPECT_EQ(problem.run(), 0);
  }
  library.fake_cublas_reset();
  library.fake_cublas_fail("cublasLtMatmul", 15); // rejected, although the heuristic returned the algorithm
  CudaCall call;
  Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
  EXPECT_EQ(problem.run(), 0);
  EXPECT_EQ(call.failure(), "");
}

TEST_F(CublasTest, WorkspaceDoesNotFit) {
  library.fake_cublas_set_workspace(uint64_t(16) << 20);
  fake.fake_cuda_set_memory(int64_t(8) << 20);
  CudaCall call;
  Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
  EXPECT_EQ(problem.run(), 0);
  EXPECT_EQ(call.failure(), "");
}

TEST_F(CublasTest, Failures) {
  for (const char *name :
       {"cublasLtMatmul", "cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate",
        "cublasLtMatmulPreferenceCreate", "cublasLtMatmulAlgoGetHeuristic"}) {
    CudaCall call;
    Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
    library.fake_cublas_fail(name, 13);
    EXPECT_EQ(problem.run(), 0);
    EXPECT_EQ(call.failure(),
              std::string("INTERNAL: ") + name + " of cuBLASLt 13.0.2 failed: CUBLAS_STATUS_EXECUTION_FAILED (13)");
    library.fake_cublas_fail(nullptr, 0);
    // A failed call stays failed.
    EXPECT_EQ(problem.run(), 0);
  }
}

/// Runs a GEMM with one failing call, then the same GEMM without: `fail(n)` selects the call and returns true after the
/// scenario if there was such a call.
template <typename Fail, typename Stop> void failEveryCall(Fail &&fail, Stop &&stop) {
  int64_t n = 0;
  for (bool isReached = true; isReached; ++n) {
    ASSERT_LT(n, 1000);
    CudaCall call(/*ownStream=*/true);
    Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, Accumulate, /*hasBias=*/false);
    ASSERT_EQ(call.failure(), "");
    fail(n);
    const int64_t done = problem.run();
    const std::string name = stop();
    isReached = !name.empty();
    if (call.failure().empty()) {
      // The library computed the GEMM, or the caller is told to use a kernel.
      EXPECT_TRUE(done == 1 || isReached) << n;
      if (done == 1)
        EXPECT_LE(problem.error(), 16 * 0x1p-24) << n << " " << name;
    } else {
      EXPECT_TRUE(isReached) << n << " " << call.failure();
      EXPECT_EQ(done, 0) << n;
    }
    // The device remains usable.
    rnnrt_call_reset(call.call);
    Problem again(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, /*hasBias=*/true);
    const int64_t doneAgain = again.run();
    EXPECT_EQ(call.failure(), "") << n << " " << name;
    if (doneAgain == 1)
      EXPECT_LE(again.error(), 16 * 0x1p-24) << n;
  }
  EXPECT_GT(n, 2);
}

TEST_F(CublasTest, EveryCallOfTheLibraryMayFail) {
  // CUBLAS_STATUS_ALLOC_FAILED, _EXECUTION_FAILED, _NOT_SUPPORTED
  for (uint32_t result : {3u, 13u, 15u})
    failEveryCall([&](int64_t n) { library.fake_cublas_fail_nth(n, result); },
                  [&] {
                    const std::string name = library.fake_cublas_failed();
                    library.fake_cublas_fail_nth(-1, 0);
                    return name;
                  });
}

TEST_F(CublasTest, EveryCallOfTheDriverMayFail) {
  // CUDA_ERROR_OUT_OF_MEMORY, _UNKNOWN
  for (uint32_t result : {2u, 999u})
    failEveryCall(
        [&](int64_t n) {
          fake.fake_cuda_reset();
          fake.fake_cuda_fail_nth(n, result);
        },
        [&] {
          const std::string name = fake.fake_cuda_failed();
          fake.fake_cuda_fail_nth(-1, 0);
          return name;
        });
}

TEST_F(CublasTest, InvalidArguments) {
  auto message = [](int32_t dtype, int32_t resultDtype, int64_t rows, int64_t stride, const void *left) {
    CudaCall call;
    float memory[64];
    EXPECT_EQ(rnnrt_abi_gemm(call.call, dtype, resultDtype, 0, rows, 3, 4, left, 0, stride, memory, 0, 3, memory, 0, 3,
                             nullptr),
              0);
    return call.failure();
  };
  float memory[64];
  EXPECT_EQ(message(RNNRT_DTYPE_I32, RNNRT_DTYPE_I32, 2, 4, memory),
            "INVALID_ARGUMENT: a GEMM expects operands of f16, bf16, f32 or f64, but got dtype 7");
  EXPECT_EQ(message(RNNRT_DTYPE_F32, RNNRT_DTYPE_F16, 2, 4, memory),
            "INVALID_ARGUMENT: a GEMM of f32 expects a result of the same type or of f32, but got dtype 0");
  EXPECT_EQ(message(RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, -2, 4, memory),
            "INVALID_ARGUMENT: a GEMM expects sizes of at least 0, but got -2, 3 and 4");
  EXPECT_EQ(message(RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 2, 3, memory),
            "INVALID_ARGUMENT: a GEMM expects the stride of `left` to be at least 4, the width of a row, but "
            "got 3");
  EXPECT_EQ(message(RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 2, 4, nullptr),
            "INVALID_ARGUMENT: a GEMM expects `left`, but got a null pointer");
}

/// Runs `body` while the stream of `call` is being captured.
template <typename Body> void capture(CudaCall &call, Body &&body) {
  using namespace rnnrt::cuda;
  void *driver = dlopen(RNN_FAKE_CUDA_DIRECTORY "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  auto *begin = reinterpret_cast<CUresult (*)(CUstream, CUstreamCaptureMode)>(dlsym(driver, "cuStreamBeginCapture_v2"));
  auto *end = reinterpret_cast<CUresult (*)(CUstream, CUgraph *)>(dlsym(driver, "cuStreamEndCapture"));
  auto *destroy = reinterpret_cast<CUresult (*)(CUgraph)>(dlsym(driver, "cuGraphDestroy"));
  ASSERT_TRUE(begin && end && destroy);
  auto stream = static_cast<CUstream>(call.stream->native);
  ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  body();
  CUgraph graph = nullptr;
  ASSERT_EQ(end(stream, &graph), CUDA_SUCCESS);
  EXPECT_EQ(destroy(graph), CUDA_SUCCESS);
}

TEST_F(CublasTest, Captures) {
  CudaCall call(/*ownStream=*/true);
  {
    Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
    EXPECT_EQ(problem.run(), 1);
    capture(call, [&] { EXPECT_EQ(problem.run(), 1); });
    EXPECT_EQ(call.failure(), "");
    Problem other(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, Accumulate, false);
    capture(call, [&] { EXPECT_EQ(other.run(), 0); });
    EXPECT_EQ(call.failure(),
              "FAILED_PRECONDITION: the first GEMM of its kind cannot be captured, since cuBLASLt loads "
              "device code for it; run the same work once before the capture");
  }
  CudaCall first(/*ownStream=*/true);
  Problem problem(first, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
  capture(first, [&] { EXPECT_EQ(problem.run(), 0); });
  EXPECT_EQ(first.failure(), "FAILED_PRECONDITION: cuBLASLt cannot be initialized while the stream is being captured; "
                             "run the same work once before the capture");
}

TEST_F(CublasTest, OtherVersions) {
  library.fake_cublas_set_version(11402);
  // A different path, since a loaded library is kept per path.
  setenv("RNNRT_CUBLASLT_PATH", RNN_FAKE_CUDA_DIRECTORY "/../fake-cuda", 1);
  CudaCall call;
  Problem problem(call, RNNRT_DTYPE_F32, RNNRT_DTYPE_F32, 0, false);
  EXPECT_EQ(problem.run(), 0);
  EXPECT_EQ(call.failure(), "");
}

/// The real library, if installed, accepts the descriptors without a device.
TEST(CublasLibraryTest, AcceptsDescriptors) {
  void *file = nullptr;
  // Load by path: by name, the loader would return the fake, which is already loaded.
  for (const char *path :
       {"/usr/local/cuda/lib64/libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.12",
        "/usr/lib/x86_64-linux-gnu/libcublasLt.so.13", "/usr/lib/x86_64-linux-gnu/libcublasLt.so.12"})
    file = file ? file : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!file)
    GTEST_SKIP() << "no libcublasLt.so.13 or .12";
  ASSERT_EQ(dlsym(file, "fake_cublas_reset"), nullptr);
  using namespace rnnrt::cublas;
  CublasApi api;
#define RNNRT_CUBLASLT(result, name, parameters)                                                                       \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(file, #name));                                                 \
  ASSERT_TRUE(api.name) << #name;
#include "cublas/CublasApi.def"
#undef RNNRT_CUBLASLT
  MatmulDesc operation = nullptr;
  MatrixLayout layout = nullptr;
  MatmulPreference preference = nullptr;
  for (auto [compute, scale] : {std::pair(ComputeType::F32, DataType::R32F),
                                {ComputeType::F32FastTf32, DataType::R32F},
                                {ComputeType::F64, DataType::R64F}}) {
    ASSERT_EQ(api.cublasLtMatmulDescCreate(&operation, compute, scale), Result::Success);
    auto set = [&](MatmulDescAttribute attribute, auto value) {
      return api.cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof(value));
    };
    EXPECT_EQ(set(MatmulDescAttribute::TransposeA, Operation::Transpose), Result::Success);
    EXPECT_EQ(set(MatmulDescAttribute::TransposeB, Operation::Transpose), Result::Success);
    EXPECT_EQ(set(MatmulDescAttribute::Epilogue, Epilogue::Bias), Result::Success);
    EXPECT_EQ(set(MatmulDescAttribute::BiasPointer, static_cast<const void *>(&api)), Result::Success);
    EXPECT_EQ(set(MatmulDescAttribute::BiasDataType, DataType::R32F), Result::Success);
    EXPECT_EQ(set(MatmulDescAttribute::TransposeA, int64_t(1)), Result::InvalidValue); // the size is checked
    EXPECT_EQ(api.cublasLtMatmulDescDestroy(operation), Result::Success);
  }
  for (DataType type : {DataType::R16F, DataType::R16BF, DataType::R32F, DataType::R64F}) {
    ASSERT_EQ(api.cublasLtMatrixLayoutCreate(&layout, type, 8, 4, 9), Result::Success);
    EXPECT_EQ(api.cublasLtMatrixLayoutDestroy(layout), Result::Success);
  }
  ASSERT_EQ(api.cublasLtMatmulPreferenceCreate(&preference), Result::Success);
  auto set = [&](MatmulPreferenceAttribute attribute, auto value) {
    return api.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value));
  };
  EXPECT_EQ(set(MatmulPreferenceAttribute::MaxWorkspaceBytes, uint64_t(1) << 20), Result::Success);
  for (auto side : {MatmulPreferenceAttribute::MinAlignmentA, MatmulPreferenceAttribute::MinAlignmentB,
                    MatmulPreferenceAttribute::MinAlignmentC, MatmulPreferenceAttribute::MinAlignmentD})
    EXPECT_EQ(set(side, uint32_t(16)), Result::Success);
  EXPECT_EQ(api.cublasLtMatmulPreferenceDestroy(preference), Result::Success);
}

} // namespace
