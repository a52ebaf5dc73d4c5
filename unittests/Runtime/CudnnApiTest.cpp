// CudnnApiTest.cpp - descriptors of the real cuDNN, which need no device: supported combinations are accepted and
// others rejected with a clear status. Skipped if there is no libcudnn.so.9.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnAlgorithm.h"
#include "cudnn/CudnnDescriptors.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

#include <cstdlib>
#include <tuple>

using namespace rnnrt;
using namespace rnnrt::cudnn;

namespace {

std::string text(const Status &status) {
  if (status.ok())
    return "";
  return std::string(rnnrt_status_code_name(rnnrt_status_code(status.get()))) + ": " +
         rnnrt_status_message(status.get());
}

RnnProblem lstm() {
  RnnProblem p;
  p.steps = 5;
  p.batch = 3;
  p.input = 16;
  p.hidden = p.projection = 32;
  p.layers = 2;
  p.training = true;
  return p;
}

class CudnnApiTest : public testing::Test {
protected:
  void SetUp() override {
    Status status = CudnnLibrary::load(library);
    if (!status.ok())
      GTEST_SKIP() << "no cuDNN on this machine: " << text(status);
  }

  /// Returns a function that the runtime does not use.
  template <typename Function> Function *symbol(const char *name) {
    void *handle = dlopen(library->path().c_str(), RTLD_NOW | RTLD_NOLOAD);
    void *address = handle ? dlsym(handle, name) : nullptr;
    EXPECT_NE(address, nullptr) << name;
    return reinterpret_cast<Function *>(address);
  }

  std::shared_ptr<const CudnnLibrary> library;
};

TEST_F(CudnnApiTest, VersionIsNine) {
  EXPECT_EQ(library->version() / 10000, 9u);
  EXPECT_EQ(library->versionText().rfind("9.", 0), 0u) << library->versionText();
  EXPECT_NE(library->path(), "");
  // The library is loaded once.
  std::shared_ptr<const CudnnLibrary> again;
  EXPECT_EQ(text(CudnnLibrary::load(again)), "");
  EXPECT_EQ(again, library);
}

TEST_F(CudnnApiTest, WithoutADeviceThereIsNoHandle) {
  Handle handle = nullptr;
  const Result result = library->api().cudnnCreate(&handle);
  if (result == Result::Success) {
    EXPECT_EQ(library->api().cudnnDestroy(handle), Result::Success);
    GTEST_SKIP() << "this machine has a device";
  }
  Status status = library->check(result, "cudnnCreate");
  EXPECT_EQ(rnnrt_status_code(status.get()), RNNRT_STATUS_UNAVAILABLE) << text(status);
  EXPECT_NE(text(status).find("cudnnCreate of cuDNN 9."), std::string::npos) << text(status);
  EXPECT_EQ(text(status).find('\n'), std::string::npos);
}

/// Every combination of element type, algorithm, mode, direction, input mode and projection.
TEST_F(CudnnApiTest, RnnDescriptors) {
  using Get =
      Result(RnnDescriptor, RnnAlgo *, RnnMode *, uint32_t *, DirectionMode *, InputMode *, DataType *, DataType *,
             MathType *, int32_t *, int32_t *, int32_t *, int32_t *, DropoutDescriptor *, uint32_t *);
  Get *get = symbol<Get>("cudnnGetRNNDescriptor_v8");
  ASSERT_NE(get, nullptr);
  int accepted = 0, rejected = 0;
  for (int32_t dtype = RNNRT_DTYPE_F16; dtype <= RNNRT_DTYPE_F64; ++dtype)
    for (uint32_t number = 0; number < 4; ++number)
      for (int32_t mode = 0; mode < 4; ++mode)
        for (bool bidirectional : {false, true})
          for (bool skip : {false, true})
            for (bool projected : {false, true})
              for (bool tf32 : {false, true}) {
                RnnProblem p = lstm();
                p.dtype = dtype;
                p.mode = Mode(mode);
                p.bidirectional = bidirectional;
                p.skipInput = skip;
                p.input = skip ? p.hidden : 16;
                p.projection = projected ? 24 : p.hidden;
                const auto algorithm = RnnAlgo(number);
                SCOPED_TRACE(p.describe() + " " + algorithmName(algorithm));
                RnnOwner owner;
                Status status = makeRnn(library, p, {algorithm, tf32}, nullptr, owner);
                const bool f64 = dtype == RNNRT_DTYPE_F64;
                const bool supportsType =
                    !f64 || algorithm == RnnAlgo::Standard || algorithm == RnnAlgo::PersistDynamic;
                const bool projects = !projected || (p.isLstm() && algorithm == RnnAlgo::Standard);
                if (!supportsType || !projects) {
                  EXPECT_EQ(rnnrt_status_code(status.get()), RNNRT_STATUS_UNIMPLEMENTED) << text(status);
                  ++rejected;
                  continue;
                }
                ASSERT_EQ(text(status), "");
                ++accepted;
                RnnAlgo gotAlgorithm;
                RnnMode gotMode;
                uint32_t bias, flags;
                DirectionMode direction;
                InputMode input;
                DataType type, precision;
                MathType math;
                int32_t inputSize, hiddenSize, projection, layers;
                DropoutDescriptor dropout;
                ASSERT_EQ(get(owner.get(), &gotAlgorithm, &gotMode, &bias, &direction, &input, &type, &precision, &math,
                              &inputSize, &hiddenSize, &projection, &layers, &dropout, &flags),
                          Result::Success);
                EXPECT_EQ(gotAlgorithm, algorithm);
                EXPECT_EQ(int32_t(gotMode), mode);
                EXPECT_EQ(bias, uint32_t(BiasMode::Double));
                EXPECT_EQ(direction == DirectionMode::Bidirectional, bidirectional);
                EXPECT_EQ(input == InputMode::Skip, skip);
                EXPECT_EQ(type, dataTypeOf(dtype));
                EXPECT_EQ(precision, f64 ? DataType::Double : DataType::Float);
                EXPECT_EQ(math, mathTypeOf(dtype, tf32));
                EXPECT_EQ(std::make_tuple(int64_t(inputSize), int64_t(hiddenSize), int64_t(projection)),
                          std::make_tuple(p.input, p.hidden, p.projection));
                EXPECT_EQ(layers, 2);
                EXPECT_EQ(flags, paddedIoEnabled);
              }
  EXPECT_GT(accepted, 300);
  EXPECT_GT(rejected, 300);
}

TEST_F(CudnnApiTest, PreferredAlgorithmIsAccepted) {
  for (int32_t dtype = RNNRT_DTYPE_F16; dtype <= RNNRT_DTYPE_F64; ++dtype)
    for (int32_t mode = 0; mode < 4; ++mode)
      for (int64_t hidden : {1, 32, 128, 160, 256, 300, 512, 1024, 2048})
        for (bool training : {false, true})
          for (int64_t layers : {1, 2}) {
            RnnProblem p = lstm();
            p.dtype = dtype;
            p.mode = Mode(mode);
            p.input = p.hidden = p.projection = hidden;
            p.batch = 64;
            p.layers = layers;
            p.training = training;
            RnnOwner owner;
            const RnnAlgo algorithm = preferredAlgorithm(p, {90, 132});
            EXPECT_EQ(text(makeRnn(library, p, {algorithm, false}, nullptr, owner)), "")
                << p.describe() << " " << algorithmName(algorithm);
          }
}

TEST_F(CudnnApiTest, DataDescriptors) {
  using Get = Result(RnnDataDescriptor, DataType *, DataLayout *, int *, int *, int *, int, int[], void *);
  Get *get = symbol<Get>("cudnnGetRNNDataDescriptor");
  ASSERT_NE(get, nullptr);
  for (int32_t number = 0; number < 8; ++number)
    for (const std::vector<int32_t> &lengths :
         {std::vector<int32_t>{5, 5, 5}, {1, 5, 2}, {2, 1, 1}, {0, 3, 0}, {0, 0, 0}}) {
      const int32_t dtype = RNNRT_DTYPE_F16 + number % 4;
      RnnProblem p = lstm();
      p.dtype = dtype;
      p.batchMajor = number >= 4;
      RnnDataOwner owner;
      const bool packed = !p.batchMajor && lengths[2] == 5;
      ASSERT_EQ(text(makeData(library, p, 7, lengths, owner, packed)), "");
      DataType type;
      DataLayout layout;
      int steps, batch, width, got[3];
      double fill = 1;
      ASSERT_EQ(get(owner.get(), &type, &layout, &steps, &batch, &width, 3, got, &fill), Result::Success);
      EXPECT_EQ(type, dataTypeOf(dtype));
      EXPECT_EQ(layout, packed         ? DataLayout::SeqMajorPacked
                        : p.batchMajor ? DataLayout::BatchMajorUnpacked
                                       : DataLayout::SeqMajorUnpacked);
      EXPECT_EQ(std::make_tuple(steps, batch, width), std::make_tuple(5, 3, 7));
      EXPECT_EQ(std::vector<int32_t>(got, got + 3), lengths);
    }
}

TEST_F(CudnnApiTest, StateDescriptors) {
  RnnProblem p = lstm();
  p.bidirectional = true;
  for (int32_t dtype = RNNRT_DTYPE_F16; dtype <= RNNRT_DTYPE_F64; ++dtype) {
    p.dtype = dtype;
    TensorOwner owner;
    ASSERT_EQ(text(makeStates(library, p, 24, owner)), "");
    DataType type;
    int rank, dims[3], strides[3];
    ASSERT_EQ(library->api().cudnnGetTensorNdDescriptor(owner.get(), 3, &type, &rank, dims, strides), Result::Success);
    EXPECT_EQ(type, dataTypeOf(dtype));
    EXPECT_EQ(rank, 3);
    EXPECT_EQ(std::make_tuple(dims[0], dims[1], dims[2]), std::make_tuple(4, 3, 24));
    EXPECT_EQ(std::make_tuple(strides[0], strides[1], strides[2]), std::make_tuple(72, 24, 1));
  }
}

TEST_F(CudnnApiTest, FailuresContainCudnnsMessage) {
  RnnProblem p = lstm();
  p.projection = p.hidden + 1;
  RnnOwner owner;
  Status status = makeRnn(library, p, {}, nullptr, owner);
  EXPECT_EQ(rnnrt_status_code(status.get()), RNNRT_STATUS_UNIMPLEMENTED);
  EXPECT_NE(text(status).find("CUDNN_STATUS_NOT_SUPPORTED (3000)"), std::string::npos) << text(status);
  p.projection = 0;
  status = makeRnn(library, p, {}, nullptr, owner);
  EXPECT_EQ(rnnrt_status_code(status.get()), RNNRT_STATUS_INTERNAL);
  EXPECT_NE(text(status).find("CUDNN_STATUS_BAD_PARAM (2000): "), std::string::npos) << text(status);
  EXPECT_NE(text(status).find("projSize"), std::string::npos) << text(status);
  RnnDataOwner data;
  status = makeData(library, lstm(), 7, {6, 1, 1}, data);
  EXPECT_EQ(rnnrt_status_code(status.get()), RNNRT_STATUS_INTERNAL) << text(status);
}

TEST_F(CudnnApiTest, DropoutDescriptorsWithoutAHandle) {
  DropoutOwner owner;
  EXPECT_EQ(text(owner.create(library, "cudnnCreateDropoutDescriptor")), "");
  EXPECT_NE(library->api().cudnnSetDropoutDescriptor(owner.get(), nullptr, 0, nullptr, 0, 0), Result::Success);
}

//===-- Algorithm selection, which needs no library --------------------------------------------------------------===//

RnnProblem problem(int32_t dtype, Mode mode, int64_t hidden, bool training) {
  RnnProblem p = lstm();
  p.dtype = dtype;
  p.mode = mode;
  p.input = p.hidden = p.projection = hidden;
  p.training = training;
  return p;
}

TEST(CudnnAlgorithmTest, SmallHiddenSizes) {
  const DeviceInfo device{90, 132};
  auto choose = [&](const RnnProblem &p) { return preferredAlgorithm(p, device); };
  const struct {
    Mode mode;
    bool training;
    int64_t limit;
  } rows[] = {{Mode::Lstm, true, 128},     {Mode::Gru, true, 128},     {Mode::RnnRelu, true, 256},
              {Mode::RnnTanh, true, 256},  {Mode::Lstm, false, 192},   {Mode::Gru, false, 192},
              {Mode::RnnRelu, false, 384}, {Mode::RnnTanh, false, 384}};
  for (const auto &row : rows)
    for (int32_t dtype : {RNNRT_DTYPE_F16, RNNRT_DTYPE_BF16, RNNRT_DTYPE_F32}) {
      EXPECT_EQ(choose(problem(dtype, row.mode, row.limit, row.training)), RnnAlgo::PersistStaticSmallH);
      EXPECT_EQ(choose(problem(dtype, row.mode, row.limit + 1, row.training)), RnnAlgo::Standard);
    }
  EXPECT_EQ(choose(problem(RNNRT_DTYPE_F64, Mode::Lstm, 32, true)), RnnAlgo::Standard);
  RnnProblem projected = problem(RNNRT_DTYPE_F32, Mode::Lstm, 32, true);
  projected.projection = 16;
  EXPECT_EQ(choose(projected), RnnAlgo::Standard);
}

TEST(CudnnAlgorithmTest, PersistStatic) {
  RnnProblem base = problem(RNNRT_DTYPE_F16, Mode::Lstm, 512, true);
  base.layers = 1;
  base.batch = 64;
  EXPECT_EQ(preferredAlgorithm(base, {90, 132}), RnnAlgo::PersistStatic);
  EXPECT_EQ(preferredAlgorithm(base, {90, 97}), RnnAlgo::Standard);
  EXPECT_EQ(preferredAlgorithm(base, {75, 132}), RnnAlgo::Standard);
  auto with = [&](auto change) {
    RnnProblem p = base;
    change(p);
    return preferredAlgorithm(p, {90, 132});
  };
  EXPECT_EQ(with([](RnnProblem &p) { p.layers = 2; }), RnnAlgo::Standard);
  EXPECT_EQ(with([](RnnProblem &p) { p.bidirectional = true; }), RnnAlgo::Standard);
  EXPECT_EQ(with([](RnnProblem &p) { p.batch = 60; }), RnnAlgo::Standard);
  EXPECT_EQ(with([](RnnProblem &p) { p.batch = 136; }), RnnAlgo::Standard);
  EXPECT_EQ(with([](RnnProblem &p) { p.input = 500; }), RnnAlgo::Standard);
  EXPECT_EQ(with([](RnnProblem &p) { p.hidden = p.projection = 1152; }), RnnAlgo::Standard);
  EXPECT_EQ(with([](RnnProblem &p) { p.mode = Mode::Gru; }), RnnAlgo::Standard);
  EXPECT_EQ(with([](RnnProblem &p) { p.dtype = RNNRT_DTYPE_F32; }), RnnAlgo::Standard);
}

TEST(CudnnAlgorithmTest, MathTypes) {
  EXPECT_EQ(mathTypeOf(RNNRT_DTYPE_F16, false), MathType::TensorOp);
  EXPECT_EQ(mathTypeOf(RNNRT_DTYPE_BF16, false), MathType::TensorOp);
  EXPECT_EQ(mathTypeOf(RNNRT_DTYPE_F32, false), MathType::Fma); // no TF32 by default
  EXPECT_EQ(mathTypeOf(RNNRT_DTYPE_F32, true), MathType::Default);
  EXPECT_EQ(mathTypeOf(RNNRT_DTYPE_F64, true), MathType::Default);
}

TEST(CudnnAlgorithmTest, Names) {
  for (uint32_t number = 0; number < 4; ++number) {
    RnnAlgo algorithm{};
    EXPECT_TRUE(algorithmOf(algorithmName(RnnAlgo(number)), algorithm));
    EXPECT_EQ(algorithm, RnnAlgo(number));
  }
  RnnAlgo algorithm{};
  EXPECT_FALSE(algorithmOf("fast", algorithm));
}

TEST(CudnnAlgorithmTest, Environment) {
  auto read = [](const char *algorithm, const char *tf32, Preferences &preferences) {
    setenv("RNNRT_CUDNN_ALGO", algorithm, 1);
    setenv("RNNRT_TF32", tf32, 1);
    Status status = Preferences::read(preferences);
    unsetenv("RNNRT_CUDNN_ALGO");
    unsetenv("RNNRT_TF32");
    return text(status);
  };
  Preferences preferences;
  EXPECT_EQ(read("", "", preferences), "");
  EXPECT_FALSE(preferences.forced);
  EXPECT_FALSE(preferences.tf32);
  EXPECT_EQ(read("persist_dynamic", "1", preferences), "");
  EXPECT_TRUE(preferences.forced);
  EXPECT_EQ(preferences.algorithm, RnnAlgo::PersistDynamic);
  EXPECT_TRUE(preferences.tf32);
  EXPECT_EQ(read("fast", "", preferences),
            "INVALID_ARGUMENT: expects RNNRT_CUDNN_ALGO to be `standard`, `persist_static`, "
            "`persist_dynamic` or `persist_static_small_h`, but got `fast`");
  setenv("RNNRT_CUDNN_PACKED", "1", 1);
  EXPECT_EQ(read("", "", preferences), "");
  EXPECT_TRUE(preferences.packed);
  setenv("RNNRT_CUDNN_PACKED", "2", 1);
  EXPECT_EQ(read("", "", preferences), "INVALID_ARGUMENT: expects RNNRT_CUDNN_PACKED to be `0` or `1`, but got `2`");
  unsetenv("RNNRT_CUDNN_PACKED");
  EXPECT_EQ(read("", "yes", preferences), "INVALID_ARGUMENT: expects RNNRT_TF32 to be `0` or `1`, but got `yes`");
}

TEST(CudnnAlgorithmTest, SizesBeyond32Bits) {
  EXPECT_EQ(text(checkSizes(lstm())), "");
  auto with = [](auto change) {
    RnnProblem p = lstm();
    change(p);
    return text(checkSizes(p));
  };
  const int64_t big = int64_t(INT32_MAX) + 1;
  EXPECT_EQ(with([&](RnnProblem &p) { p.steps = big; }),
            "OUT_OF_RANGE: cuDNN sizes are 32 bits: expects T to be at most 2147483647, but got 2147483648");
  EXPECT_NE(with([&](RnnProblem &p) { p.batch = big; }), "");
  EXPECT_NE(with([&](RnnProblem &p) { p.input = big; }), "");
  EXPECT_NE(with([&](RnnProblem &p) { p.hidden = p.projection = big; }), "");
  EXPECT_NE(with([&](RnnProblem &p) { p.layers = big; }), "");
  EXPECT_NE(with([&](RnnProblem &p) { p.batch = p.hidden = p.projection = 1 << 16; }), "");
}

TEST(CudnnStatusTest, CodesOfResults) {
  EXPECT_EQ(statusCode(Result::Success), RNNRT_STATUS_OK);
  EXPECT_EQ(statusCode(Result::NotInitialized), RNNRT_STATUS_UNAVAILABLE);
  EXPECT_EQ(statusCode(Result::BadParam), RNNRT_STATUS_INTERNAL);
  EXPECT_EQ(statusCode(Result::BadParamMisalignedPointer), RNNRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(statusCode(Result::NotSupported), RNNRT_STATUS_UNIMPLEMENTED);
  EXPECT_EQ(statusCode(Result(3002)), RNNRT_STATUS_UNIMPLEMENTED);
  EXPECT_EQ(statusCode(Result::NotSupportedIncompatibleCudaDriver), RNNRT_STATUS_UNAVAILABLE);
  EXPECT_EQ(statusCode(Result::HostAllocationFailed), RNNRT_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(statusCode(Result::DeviceAllocationFailed), RNNRT_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(statusCode(Result::ExecutionFailed), RNNRT_STATUS_INTERNAL);
}

} // namespace
