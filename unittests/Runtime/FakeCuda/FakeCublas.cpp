// FakeCublas.cpp - the fake cuBLASLt. It rejects only what the real library rejects (cuBLAS guide of CUDA 13.0,
// cublasLtMatmul).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeCublas.h"
#include "FakeDriver.h"

#include "cublas/CublasApi.h"
#include "host/Convert.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#define FAKE_API extern "C" __attribute__((visibility("default")))

using namespace rnnrt;

namespace rnnrt::cublas {
struct HandleObject {};
struct MatmulDescObject {
  ComputeType compute{};
  DataType scale{}, biasType = DataType(~0u);
  Operation a = Operation::None, b = Operation::None;
  Epilogue epilogue = Epilogue::Default;
  const void *bias = nullptr;
};
struct MatrixLayoutObject {
  DataType type{};
  uint64_t rows = 0, columns = 0;
  int64_t ld = 0;
};
struct MatmulPreferenceObject {
  uint64_t workspace = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};
};

#define RNNRT_CUBLASLT(result, name, parameters) FAKE_API result name parameters;
#include "cublas/CublasApi.def"
#undef RNNRT_CUBLASLT
} // namespace rnnrt::cublas

using namespace rnnrt::cublas;

//===-- State ----------------------------------------------------------------------------------------------------===//

namespace {
struct State {
  std::mutex mutex;
  std::string log, misuse, logCopy, misuseCopy, failing;
  std::map<const void *, const char *> live;
  uint32_t failWith = 0, failNthWith = 0;
  int64_t callsUntilFailure = -1;
  const char *failed = "";
  bool denies = false;
  uint64_t workspace = 1024, version = 130002;
};
} // namespace

static State &state() {
  static State &instance = *new State();
  return instance;
}

__attribute__((format(printf, 2, 3))) static void write(std::string State::*text, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  std::lock_guard<std::mutex> lock(state().mutex);
  state().*text += std::string(line) + "\n";
}

static bool isLive(const void *object, const char *kind, const char *user) {
  {
    std::lock_guard<std::mutex> lock(state().mutex);
    auto it = state().live.find(object);
    if (it != state().live.end() && !std::strcmp(it->second, kind))
      return true;
  }
  write(&State::misuse, "%s uses %p, which is no live %s", user, object, kind);
  return false;
}

static bool fails(const char *name, Result &result) {
  std::lock_guard<std::mutex> lock(state().mutex);
  State &s = state();
  if (s.callsUntilFailure >= 0 && s.callsUntilFailure-- == 0) {
    s.failed = name;
    result = Result(s.failNthWith);
    return true;
  }
  result = Result(s.failWith);
  return s.failing == name;
}

#define FAKE_ENTER(name)                                                                                               \
  do {                                                                                                                 \
    Result chosen;                                                                                                     \
    if (fails(name, chosen))                                                                                           \
      return chosen;                                                                                                   \
  } while (false)
#define FAKE_EXPECT(condition)                                                                                         \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return Result::InvalidValue;                                                                                     \
  } while (false)

template <typename T> static Result make(T **object, const char *kind, const char *name) {
  FAKE_ENTER(name);
  *object = new T();
  std::lock_guard<std::mutex> lock(state().mutex);
  state().live[*object] = kind;
  return Result::Success;
}

template <typename T> static Result destroy(T *object, const char *kind, const char *name) {
  FAKE_EXPECT(isLive(object, kind, name));
  {
    std::lock_guard<std::mutex> lock(state().mutex);
    state().live.erase(object);
  }
  delete object;
  return Result::Success;
}

FAKE_API void fake_cublas_reset() {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.log.clear();
  s.misuse.clear();
  s.failing.clear();
  s.callsUntilFailure = -1;
  s.failed = "";
  s.denies = false;
  s.workspace = 1024;
  s.version = 130002;
}
FAKE_API const char *fake_cublas_log() {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().logCopy = state().log;
  return state().logCopy.c_str();
}
FAKE_API const char *fake_cublas_misuse() {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().misuseCopy = state().misuse;
  return state().misuseCopy.c_str();
}
FAKE_API int64_t fake_cublas_live() {
  std::lock_guard<std::mutex> lock(state().mutex);
  return int64_t(state().live.size());
}
FAKE_API void fake_cublas_deny(int32_t denies) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().denies = denies;
}
FAKE_API void fake_cublas_set_workspace(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().workspace = bytes;
}
FAKE_API void fake_cublas_fail(const char *name, uint32_t result) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().failing = name ? name : "";
  state().failWith = result;
}
FAKE_API void fake_cublas_fail_nth(int64_t n, uint32_t result) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().callsUntilFailure = n;
  state().failNthWith = result;
  state().failed = "";
}
FAKE_API const char *fake_cublas_failed() {
  std::lock_guard<std::mutex> lock(state().mutex);
  return state().failed;
}
FAKE_API void fake_cublas_set_version(uint64_t version) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().version = version;
}

//===-- Objects --------------------------------------------------------------------------------------------------===//

FAKE_API size_t cublas::cublasLtGetVersion() {
  std::lock_guard<std::mutex> lock(state().mutex);
  return state().version;
}
FAKE_API const char *cublas::cublasLtGetStatusName(Result status) {
  return status == Result::ExecutionFailed ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS_SOMETHING";
}
FAKE_API Result cublas::cublasLtCreate(Handle *handle) {
  write(&State::log, "cublasLtCreate");
  return make(handle, "handle", "cublasLtCreate");
}
FAKE_API Result cublas::cublasLtDestroy(Handle handle) {
  return destroy(handle, "handle", "cublasLtDestroy");
}

FAKE_API Result cublas::cublasLtMatmulDescCreate(MatmulDesc *desc, ComputeType compute, DataType scale) {
  FAKE_EXPECT(scale == (compute == ComputeType::F64 ? DataType::R64F : DataType::R32F));
  const Result result = make(desc, "operation", "cublasLtMatmulDescCreate");
  if (result == Result::Success) {
    (*desc)->compute = compute;
    (*desc)->scale = scale;
  }
  return result;
}
FAKE_API Result cublas::cublasLtMatmulDescDestroy(MatmulDesc desc) {
  return destroy(desc, "operation", "cublasLtMatmulDescDestroy");
}

template <typename T> static Result copyInto(T &target, const void *value, size_t size) {
  FAKE_EXPECT(value && size == sizeof(T));
  std::memcpy(&target, value, size);
  return Result::Success;
}

FAKE_API Result cublas::cublasLtMatmulDescSetAttribute(MatmulDesc desc, MatmulDescAttribute attribute,
                                                       const void *value, size_t size) {
  FAKE_ENTER("cublasLtMatmulDescSetAttribute");
  FAKE_EXPECT(isLive(desc, "operation", "cublasLtMatmulDescSetAttribute"));
  switch (attribute) {
  case MatmulDescAttribute::TransposeA:
    return copyInto(desc->a, value, size);
  case MatmulDescAttribute::TransposeB:
    return copyInto(desc->b, value, size);
  case MatmulDescAttribute::Epilogue:
    return copyInto(desc->epilogue, value, size);
  case MatmulDescAttribute::BiasPointer:
    return copyInto(desc->bias, value, size);
  case MatmulDescAttribute::BiasDataType:
    return copyInto(desc->biasType, value, size);
  }
  return Result::InvalidValue;
}

FAKE_API Result cublas::cublasLtMatrixLayoutCreate(MatrixLayout *layout, DataType type, uint64_t rows, uint64_t columns,
                                                   int64_t ld) {
  // Columns must not overlap.
  FAKE_EXPECT(rows && columns && ld >= int64_t(rows));
  const Result result = make(layout, "layout", "cublasLtMatrixLayoutCreate");
  if (result == Result::Success)
    **layout = {type, rows, columns, ld};
  return result;
}
FAKE_API Result cublas::cublasLtMatrixLayoutDestroy(MatrixLayout layout) {
  return destroy(layout, "layout", "cublasLtMatrixLayoutDestroy");
}

FAKE_API Result cublas::cublasLtMatmulPreferenceCreate(MatmulPreference *preference) {
  return make(preference, "preference", "cublasLtMatmulPreferenceCreate");
}
FAKE_API Result cublas::cublasLtMatmulPreferenceDestroy(MatmulPreference preference) {
  return destroy(preference, "preference", "cublasLtMatmulPreferenceDestroy");
}
FAKE_API Result cublas::cublasLtMatmulPreferenceSetAttribute(MatmulPreference preference,
                                                             MatmulPreferenceAttribute attribute, const void *value,
                                                             size_t size) {
  FAKE_EXPECT(isLive(preference, "preference", "cublasLtMatmulPreferenceSetAttribute"));
  if (attribute == MatmulPreferenceAttribute::MaxWorkspaceBytes)
    return copyInto(preference->workspace, value, size);
  const uint32_t side = uint32_t(attribute) - uint32_t(MatmulPreferenceAttribute::MinAlignmentA);
  FAKE_EXPECT(side < 4);
  return copyInto(preference->alignment[side], value, size);
}

//===-- GEMM -----------------------------------------------------------------------------------------------------===//

namespace {
struct Sizes {
  uint64_t m, n, k;
};
} // namespace

/// Checks the table of supported types and the consistency of sizes.
static Result checkGemm(MatmulDesc desc, MatrixLayout a, MatrixLayout b, MatrixLayout c, MatrixLayout d, Sizes &sizes,
                        const char *user) {
  FAKE_EXPECT(isLive(desc, "operation", user) && isLive(a, "layout", user) && isLive(b, "layout", user) &&
              isLive(c, "layout", user) && isLive(d, "layout", user));
  const bool transposesA = desc->a == Operation::Transpose, transposesB = desc->b == Operation::Transpose;
  sizes = {d->rows, d->columns, transposesA ? a->rows : a->columns};
  FAKE_EXPECT((transposesA ? a->columns : a->rows) == sizes.m && (transposesB ? b->rows : b->columns) == sizes.n &&
              (transposesB ? b->columns : b->rows) == sizes.k && c->rows == sizes.m && c->columns == sizes.n);
  FAKE_EXPECT(c->type == d->type && c->ld == d->ld);
  const DataType type = a->type;
  bool isSupported = b->type == type;
  if (desc->compute == ComputeType::F64)
    isSupported &= type == DataType::R64F && d->type == type && desc->epilogue == Epilogue::Default;
  else if (type == DataType::R32F)
    isSupported &= d->type == type;
  else
    isSupported &= desc->compute == ComputeType::F32 && (type == DataType::R16F || type == DataType::R16BF) &&
                   (d->type == type || d->type == DataType::R32F);
  if (desc->epilogue == Epilogue::Bias)
    isSupported &= desc->bias && desc->biasType == d->type;
  return isSupported ? Result::Success : Result::NotSupported;
}

FAKE_API Result cublas::cublasLtMatmulAlgoGetHeuristic(Handle handle, MatmulDesc desc, MatrixLayout a, MatrixLayout b,
                                                       MatrixLayout c, MatrixLayout d, MatmulPreference preference,
                                                       int requested, MatmulHeuristicResult results[], int *count) {
  static const char *name = "cublasLtMatmulAlgoGetHeuristic";
  FAKE_ENTER(name);
  FAKE_EXPECT(isLive(handle, "handle", name) && isLive(preference, "preference", name) && requested > 0);
  Sizes sizes;
  *count = 0;
  if (Result result = checkGemm(desc, a, b, c, d, sizes, name); result != Result::Success)
    return result;
  write(&State::log, "%s m=%llu n=%llu k=%llu", name, (unsigned long long)sizes.m, (unsigned long long)sizes.n,
        (unsigned long long)sizes.k);
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().denies || state().workspace > preference->workspace)
    return Result::NotSupported;
  results[0] = {};
  results[0].workspaceSize = state().workspace;
  uint64_t *data = results[0].algo.data;
  data[0] = sizes.m, data[1] = sizes.n, data[2] = sizes.k, data[3] = state().workspace;
  for (int side = 0; side < 4; ++side)
    data[4 + side] = preference->alignment[side];
  *count = 1;
  return Result::Success;
}

static double elementAt(DataType type, const void *data, int64_t index) {
  switch (type) {
  case DataType::R16F:
    return f16ToFloat(static_cast<const uint16_t *>(data)[index]);
  case DataType::R16BF:
    return bf16ToFloat(static_cast<const uint16_t *>(data)[index]);
  case DataType::R32F:
    return static_cast<const float *>(data)[index];
  case DataType::R64F:
    break;
  }
  return static_cast<const double *>(data)[index];
}

static void storeAt(DataType type, void *data, int64_t index, double value) {
  switch (type) {
  case DataType::R16F:
    static_cast<uint16_t *>(data)[index] = floatToF16(float(value));
    return;
  case DataType::R16BF:
    static_cast<uint16_t *>(data)[index] = floatToBf16(float(value));
    return;
  case DataType::R32F:
    static_cast<float *>(data)[index] = float(value);
    return;
  case DataType::R64F:
    static_cast<double *>(data)[index] = value;
  }
}

/// Rounds to the 11-bit significand of TF32.
static double roundedToTf32(double value) {
  const float narrow = float(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, 4);
  bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
  float rounded;
  std::memcpy(&rounded, &bits, 4);
  return rounded;
}

/// Reports a memory access to the fake driver.
static void use(cuda::CUstream stream, const void *pointer, const char *user) {
  static auto *function = [] {
    const char *directory = std::getenv("RNNRT_CUDA_PATH");
    const std::string path = std::string(directory ? directory : "") + "/libcuda.so.1";
    void *driver = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD); // the runtime loaded it
    return reinterpret_cast<decltype(&fake_cuda_use)>(driver ? dlsym(driver, "fake_cuda_use") : nullptr);
  }();
  if (!function)
    write(&State::misuse, "the fake cuBLASLt works with the fake driver, which is not there");
  else if (pointer)
    function(stream, pointer, user);
}

FAKE_API Result cublas::cublasLtMatmul(Handle handle, MatmulDesc desc, const void *alpha, const void *a,
                                       MatrixLayout aLayout, const void *b, MatrixLayout bLayout, const void *beta,
                                       const void *c, MatrixLayout cLayout, void *d, MatrixLayout dLayout,
                                       const MatmulAlgo *algo, void *workspace, size_t workspaceBytes,
                                       cuda::CUstream stream) {
  static const char *name = "cublasLtMatmul";
  FAKE_ENTER(name);
  FAKE_EXPECT(isLive(handle, "handle", name) && algo && alpha && beta);
  Sizes sizes;
  if (Result result = checkGemm(desc, aLayout, bLayout, cLayout, dLayout, sizes, name); result != Result::Success)
    return result;
  const uint64_t *chosen = algo->data;
  FAKE_EXPECT(chosen[0] == sizes.m && chosen[1] == sizes.n && chosen[2] == sizes.k && workspaceBytes >= chosen[3]);
  const void *sides[] = {a, b, c, d};
  for (int side = 0; side < 4; ++side)
    if (reinterpret_cast<uintptr_t>(sides[side]) % chosen[4 + side])
      write(&State::misuse, "%s: side %d is not a multiple of %llu, as declared", name, side,
            (unsigned long long)chosen[4 + side]);
  const bool isDouble = desc->scale == DataType::R64F;
  const double scale = isDouble ? *static_cast<const double *>(alpha) : *static_cast<const float *>(alpha);
  const double before = isDouble ? *static_cast<const double *>(beta) : *static_cast<const float *>(beta);
  static const char *const types[] = {"f32", "f64", "f16"};
  auto typeName = [&](DataType type) { return type == DataType::R16BF ? "bf16" : types[uint32_t(type)]; };
  write(&State::log, "%s m=%llu n=%llu k=%llu ops=%c%c lds=%lld,%lld,%lld types=%s,%s compute=%u beta=%g%s%s", name,
        (unsigned long long)sizes.m, (unsigned long long)sizes.n, (unsigned long long)sizes.k,
        desc->a == Operation::None ? 'N' : 'T', desc->b == Operation::None ? 'N' : 'T', (long long)aLayout->ld,
        (long long)bLayout->ld, (long long)dLayout->ld, typeName(aLayout->type), typeName(dLayout->type),
        unsigned(desc->compute), before, desc->epilogue == Epilogue::Bias ? " bias" : "",
        workspaceBytes ? " workspace" : "");
  for (const void *pointer : {a, b, static_cast<const void *>(d), static_cast<const void *>(workspace)})
    use(stream, pointer, name);
  if (workspace)
    std::memset(workspace, 0xff, workspaceBytes);
  auto factor = [&](const void *data, MatrixLayout layout, bool transposed, uint64_t row, uint64_t column) {
    const uint64_t index = transposed ? row * uint64_t(layout->ld) + column : column * uint64_t(layout->ld) + row;
    const double value = elementAt(layout->type, data, int64_t(index));
    return desc->compute == ComputeType::F32FastTf32 ? roundedToTf32(value) : value;
  };
  for (uint64_t column = 0; column < sizes.n; ++column)
    for (uint64_t row = 0; row < sizes.m; ++row) {
      double sum = 0;
      for (uint64_t k = 0; k < sizes.k; ++k)
        sum += factor(a, aLayout, desc->a == Operation::Transpose, row, k) *
               factor(b, bLayout, desc->b == Operation::Transpose, k, column);
      sum *= scale;
      const int64_t index = int64_t(column) * dLayout->ld + int64_t(row);
      // With beta = 0, C is not read.
      if (before != 0)
        sum += before * elementAt(cLayout->type, c, index);
      if (desc->epilogue == Epilogue::Bias)
        sum += elementAt(desc->biasType, desc->bias, int64_t(row));
      storeAt(dLayout->type, d, index, sum);
    }
  return Result::Success;
}
