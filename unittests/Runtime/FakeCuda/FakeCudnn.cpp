// FakeCudnn.cpp - the fake cuDNN: controls, handles and descriptors. It checks only rules that cuDNN 9.19 enforces or
// that its reference documents.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeCudnnState.h"
#include "FakeDriver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#define FAKE_API extern "C" __attribute__((visibility("default")))

using namespace rnnrt;
using namespace rnnrt::cudnn;

//===-- State ----------------------------------------------------------------------------------------------------===//

thread_local std::string fake::lastError;

fake::State &fake::state() {
  static State &instance = *new State();
  return instance;
}

static std::string formatted(const char *format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof(text), format, arguments);
  return text;
}

void fake::log(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = formatted(format, arguments);
  va_end(arguments);
  std::lock_guard<std::mutex> lock(state().mutex);
  state().log += text + "\n";
}

void fake::misuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = formatted(format, arguments);
  va_end(arguments);
  std::lock_guard<std::mutex> lock(state().mutex);
  state().misuse += text + "\n";
}

Result fake::fail(Result result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  lastError = formatted(format, arguments);
  va_end(arguments);
  return result;
}

bool fake::chosenToFail(const char *name, Result &result) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().calls++ != state().failAt)
    return false;
  result = Result(state().failWith);
  lastError = std::string("chosen to fail in ") + name;
  return true;
}

bool fake::isLive(void *object, const char *kind, const char *user) {
  {
    std::lock_guard<std::mutex> lock(state().mutex);
    auto it = state().live.find(object);
    if (it != state().live.end() && !std::strcmp(it->second, kind))
      return true;
  }
  misuse("%s uses %p, which is no live %s", user, object, kind);
  return false;
}

bool fake::denies(RnnAlgo algorithm, int32_t step) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto it = state().denied.find(int32_t(algorithm));
  return it != state().denied.end() && (it->second & step);
}

int fake::streamNumber(cuda::CUstream stream) {
  static std::map<cuda::CUstream, int> numbers;
  std::lock_guard<std::mutex> lock(state().mutex);
  return numbers.emplace(stream, int(numbers.size())).first->second;
}

void fake::use(cuda::CUstream stream, const void *pointer, const char *user) {
  static auto *function = [] {
    const char *directory = std::getenv("RNNRT_CUDA_PATH");
    const std::string path = std::string(directory ? directory : "") + "/libcuda.so.1";
    void *driver = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD); // the runtime loaded it
    void *address = driver ? dlsym(driver, "fake_cuda_use") : nullptr;
    if (!address)
      misuse("the fake cuDNN works with the fake driver, which is not at %s", path.c_str());
    return reinterpret_cast<decltype(&fake_cuda_use)>(address);
  }();
  if (function && pointer)
    function(stream, pointer, user);
}

template <typename T> static Result make(T **object, const char *kind, const char *name) {
  FAKE_ENTER(name);
  if (!object)
    return fake::fail(Result::BadParam, "%s: null pointer", name);
  *object = new T();
  std::lock_guard<std::mutex> lock(fake::state().mutex);
  fake::state().live[*object] = kind;
  return Result::Success;
}

template <typename T> static Result destroy(T *object, const char *kind, const char *name) {
  FAKE_EXPECT_LIVE(object, kind, name);
  {
    std::lock_guard<std::mutex> lock(fake::state().mutex);
    fake::state().live.erase(object);
  }
  delete object;
  return Result::Success;
}

FAKE_API void fake_cudnn_reset() {
  fake::State &s = fake::state();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.log.clear();
  s.misuse.clear();
  s.calls = 0;
  s.failAt = -1;
  s.layout = FAKE_CUDNN_DENSE;
  s.nullBase = FAKE_CUDNN_OFFSETS;
  s.denied.clear();
  s.version = 91900;
}
FAKE_API const char *fake_cudnn_log() {
  std::lock_guard<std::mutex> lock(fake::state().mutex);
  return (fake::state().logCopy = fake::state().log).c_str();
}
FAKE_API const char *fake_cudnn_misuse() {
  std::lock_guard<std::mutex> lock(fake::state().mutex);
  return (fake::state().misuseCopy = fake::state().misuse).c_str();
}
FAKE_API int64_t fake_cudnn_live() {
  std::lock_guard<std::mutex> lock(fake::state().mutex);
  return int64_t(fake::state().live.size());
}
FAKE_API int64_t fake_cudnn_calls() {
  std::lock_guard<std::mutex> lock(fake::state().mutex);
  return fake::state().calls;
}
FAKE_API void fake_cudnn_fail_nth(int64_t n, uint32_t result) {
  std::lock_guard<std::mutex> lock(fake::state().mutex);
  fake::state().calls = 0;
  fake::state().failAt = n;
  fake::state().failWith = result;
}
FAKE_API void fake_cudnn_set_layout(int32_t layout) {
  fake::state().layout = layout;
}
FAKE_API void fake_cudnn_set_null_base(int32_t behaviour) {
  fake::state().nullBase = behaviour;
}
FAKE_API void fake_cudnn_deny(int32_t algorithm, int32_t steps) {
  fake::state().denied[algorithm] |= steps;
}
FAKE_API void fake_cudnn_set_version(uint64_t version) {
  fake::state().version = version;
}

//===-- Library and handles --------------------------------------------------------------------------------------===//

namespace rnnrt::cudnn {

FAKE_API size_t cudnnGetVersion() {
  return fake::state().version;
}

FAKE_API const char *cudnnGetErrorString(Result status) {
  switch (uint32_t(status) / 1000) {
  case 0:
    return "CUDNN_STATUS_SUCCESS";
  case 1:
    return "CUDNN_STATUS_NOT_INITIALIZED";
  case 2:
    return "CUDNN_STATUS_BAD_PARAM";
  case 3:
    return "CUDNN_STATUS_NOT_SUPPORTED";
  case 4:
    return "CUDNN_STATUS_INTERNAL_ERROR";
  }
  return "CUDNN_STATUS_EXECUTION_FAILED";
}

FAKE_API void cudnnGetLastErrorString(char *message, size_t size) {
  std::snprintf(message, size, "%s", fake::lastError.c_str());
  fake::lastError.clear(); // reading clears it, as in the real library
}

FAKE_API Result cudnnCreate(Handle *handle) {
  Result result = make(handle, "handle", "cudnnCreate");
  if (result == Result::Success)
    fake::log("cudnnCreate");
  return result;
}
FAKE_API Result cudnnDestroy(Handle handle) {
  fake::log("cudnnDestroy");
  return destroy(handle, "handle", "cudnnDestroy");
}
FAKE_API Result cudnnSetStream(Handle handle, cuda::CUstream stream) {
  FAKE_ENTER("cudnnSetStream");
  FAKE_EXPECT_LIVE(handle, "handle", "cudnnSetStream");
  if (handle->stream && handle->stream != stream)
    fake::log("cudnnSetStream moves a handle");
  handle->stream = stream;
  return Result::Success;
}

//===-- Tensor and dropout descriptors ---------------------------------------------------------------------------===//

FAKE_API Result cudnnCreateTensorDescriptor(TensorDescriptor *descriptor) {
  return make(descriptor, "tensor", "cudnnCreateTensorDescriptor");
}
FAKE_API Result cudnnDestroyTensorDescriptor(TensorDescriptor descriptor) {
  return destroy(descriptor, "tensor", "cudnnDestroyTensorDescriptor");
}
FAKE_API Result cudnnSetTensorNdDescriptor(TensorDescriptor descriptor, DataType type, int rank, const int dims[],
                                           const int strides[]) {
  FAKE_ENTER("cudnnSetTensorNdDescriptor");
  FAKE_EXPECT_LIVE(descriptor, "tensor", "cudnnSetTensorNdDescriptor");
  if (rank < 1 || rank > 8)
    return fake::fail(Result::BadParam, "nbDims");
  descriptor->set = true;
  descriptor->type = type;
  descriptor->dims.assign(dims, dims + rank);
  descriptor->strides.assign(strides, strides + rank);
  return Result::Success;
}
FAKE_API Result cudnnGetTensorNdDescriptor(const TensorDescriptor descriptor, int requested, DataType *type, int *rank,
                                           int dims[], int strides[]) {
  FAKE_ENTER("cudnnGetTensorNdDescriptor");
  FAKE_EXPECT_LIVE(descriptor, "tensor", "cudnnGetTensorNdDescriptor");
  *type = descriptor->type;
  *rank = int(descriptor->dims.size());
  for (int k = 0; k < std::min(*rank, requested); ++k) {
    dims[k] = descriptor->dims[size_t(k)];
    strides[k] = descriptor->strides[size_t(k)];
  }
  return Result::Success;
}

/// The dropout states of the fake: a seed and the number of draws, so that its masks equal the host's.
struct States {
  uint64_t magic, seed, draws;
};
static constexpr uint64_t statesMagic = 0x647261777321;

FAKE_API Result cudnnCreateDropoutDescriptor(DropoutDescriptor *descriptor) {
  return make(descriptor, "dropout", "cudnnCreateDropoutDescriptor");
}
FAKE_API Result cudnnDestroyDropoutDescriptor(DropoutDescriptor descriptor) {
  bool named = false;
  {
    std::lock_guard<std::mutex> lock(fake::state().mutex);
    for (const auto &[object, kind] : fake::state().live)
      named = named || (!std::strcmp(kind, "rnn") && static_cast<RnnDescriptor>(object)->dropout == descriptor);
  }
  if (named)
    fake::misuse("cudnnDestroyDropoutDescriptor: an RNN descriptor still names it");
  return destroy(descriptor, "dropout", "cudnnDestroyDropoutDescriptor");
}
FAKE_API Result cudnnDropoutGetStatesSize(Handle handle, size_t *size) {
  FAKE_ENTER("cudnnDropoutGetStatesSize");
  FAKE_EXPECT_LIVE(handle, "handle", "cudnnDropoutGetStatesSize");
  *size = 4096;
  return Result::Success;
}
FAKE_API Result cudnnSetDropoutDescriptor(DropoutDescriptor descriptor, Handle handle, float rate, void *states,
                                          size_t size, unsigned long long seed) {
  FAKE_ENTER("cudnnSetDropoutDescriptor");
  FAKE_EXPECT_LIVE(descriptor, "dropout", "cudnnSetDropoutDescriptor");
  FAKE_EXPECT_LIVE(handle, "handle", "cudnnSetDropoutDescriptor");
  if (states && size < 4096)
    return fake::fail(Result::BadParam, "stateSizeInBytes");
  fake::log("cudnnSetDropoutDescriptor stream=%d rate=%g states=%d seed=%llu", fake::streamNumber(handle->stream),
            double(rate), states != nullptr, seed);
  descriptor->set = true;
  descriptor->rate = rate;
  descriptor->states = states;
  if (states) {
    fake::use(handle->stream, states, "cudnnSetDropoutDescriptor");
    const States fresh{statesMagic, seed, 0};
    std::memcpy(states, &fresh, sizeof(fresh));
  }
  return Result::Success;
}
FAKE_API Result cudnnRestoreDropoutDescriptor(DropoutDescriptor descriptor, Handle handle, float rate, void *states,
                                              size_t size, unsigned long long seed) {
  FAKE_ENTER("cudnnRestoreDropoutDescriptor");
  FAKE_EXPECT_LIVE(descriptor, "dropout", "cudnnRestoreDropoutDescriptor");
  FAKE_EXPECT_LIVE(handle, "handle", "cudnnRestoreDropoutDescriptor");
  if (!states || size < 4096)
    return fake::fail(Result::BadParam, "stateSizeInBytes");
  fake::log("cudnnRestoreDropoutDescriptor stream=%d rate=%g seed=%llu", fake::streamNumber(handle->stream),
            double(rate), seed);
  if (static_cast<States *>(states)->magic != statesMagic)
    fake::misuse("cudnnRestoreDropoutDescriptor gets states that were never filled");
  descriptor->set = true;
  descriptor->rate = rate;
  descriptor->states = states;
  return Result::Success;
}

//===-- RNN descriptor -------------------------------------------------------------------------------------------===//

FAKE_API Result cudnnCreateRNNDescriptor(RnnDescriptor *descriptor) {
  return make(descriptor, "rnn", "cudnnCreateRNNDescriptor");
}
FAKE_API Result cudnnDestroyRNNDescriptor(RnnDescriptor descriptor) {
  return destroy(descriptor, "rnn", "cudnnDestroyRNNDescriptor");
}

FAKE_API Result cudnnSetRNNDescriptor_v8(RnnDescriptor rnn, RnnAlgo algorithm, RnnMode mode, BiasMode bias,
                                         DirectionMode direction, InputMode input, DataType type, DataType precision,
                                         MathType math, int32_t inputSize, int32_t hiddenSize, int32_t projSize,
                                         int32_t layers, DropoutDescriptor dropout, uint32_t flags) {
  FAKE_ENTER("cudnnSetRNNDescriptor_v8");
  FAKE_EXPECT_LIVE(rnn, "rnn", "cudnnSetRNNDescriptor_v8");
  FAKE_EXPECT_LIVE(dropout, "dropout", "cudnnSetRNNDescriptor_v8");
  static const char *const algorithms[] = {"standard", "persist_static", "persist_dynamic", "persist_static_small_h"};
  fake::log("cudnnSetRNNDescriptor_v8 algo=%s mode=%u dir=%u input=%u type=%u precision=%u math=%u I=%d H=%d P=%d L=%d "
            "flags=%u",
            algorithms[uint32_t(algorithm) & 3], unsigned(mode), unsigned(direction), unsigned(input), unsigned(type),
            unsigned(precision), unsigned(math), inputSize, hiddenSize, projSize, layers, flags);
  if (inputSize < 1 || hiddenSize < 1 || layers < 1 || projSize < 1)
    return fake::fail(Result::BadParam, "size <= 0");
  if (flags & ~1u || bias != BiasMode::Double || !dropout->set)
    return fake::fail(Result::BadParam, "flags, bias mode or dropout");
  const bool persists = algorithm != RnnAlgo::Standard;
  if (projSize > hiddenSize || (projSize < hiddenSize && (mode != RnnMode::Lstm || persists)))
    return fake::fail(Result::NotSupported, "projSize");
  // The combinations that cuDNN 9.19 accepts.
  const bool f64 = type == DataType::Double;
  if (f64 != (precision == DataType::Double) ||
      (f64 && (algorithm == RnnAlgo::PersistStatic || algorithm == RnnAlgo::PersistStaticSmallH)))
    return fake::fail(Result::NotSupported, "mathPrec");
  if (fake::denies(algorithm, FAKE_CUDNN_SET))
    return fake::fail(Result::NotSupported, "denied descriptor");
  rnn->set = true;
  rnn->algorithm = algorithm;
  rnn->math = math;
  rnn->padded = flags & paddedIoEnabled;
  rnn->dropout = dropout;
  rnn->builtFor = 0;
  RnnProblem &p = rnn->problem;
  p = RnnProblem();
  p.dtype = fake::dtypeOf(type);
  p.mode = Mode(int32_t(mode));
  p.skipInput = input == InputMode::Skip;
  p.bidirectional = direction == DirectionMode::Bidirectional;
  p.dropout = dropout->rate;
  p.input = inputSize;
  p.hidden = hiddenSize;
  p.projection = projSize;
  p.layers = layers;
  return Result::Success;
}

FAKE_API Result cudnnBuildRNNDynamic(Handle handle, RnnDescriptor rnn, int batch) {
  FAKE_ENTER("cudnnBuildRNNDynamic");
  FAKE_EXPECT_LIVE(handle, "handle", "cudnnBuildRNNDynamic");
  FAKE_EXPECT_LIVE(rnn, "rnn", "cudnnBuildRNNDynamic");
  fake::log("cudnnBuildRNNDynamic batch=%d", batch);
  if (rnn->algorithm != RnnAlgo::PersistDynamic)
    return fake::fail(Result::BadParam, "algo");
  if (fake::denies(rnn->algorithm, FAKE_CUDNN_BUILD))
    return fake::fail(Result::NotSupported, "denied build");
  rnn->builtFor = batch;
  return Result::Success;
}

//===-- RNN data descriptor --------------------------------------------------------------------------------------===//

bool RnnDataObject::uniform() const {
  return std::all_of(lengths.begin(), lengths.end(), [&](int32_t length) { return length == steps; });
}

FAKE_API Result cudnnCreateRNNDataDescriptor(RnnDataDescriptor *descriptor) {
  return make(descriptor, "rnn data", "cudnnCreateRNNDataDescriptor");
}
FAKE_API Result cudnnDestroyRNNDataDescriptor(RnnDataDescriptor descriptor) {
  return destroy(descriptor, "rnn data", "cudnnDestroyRNNDataDescriptor");
}
FAKE_API Result cudnnSetRNNDataDescriptor(RnnDataDescriptor data, DataType type, DataLayout layout, int steps,
                                          int batch, int width, const int lengths[], void *fill) {
  FAKE_ENTER("cudnnSetRNNDataDescriptor");
  FAKE_EXPECT_LIVE(data, "rnn data", "cudnnSetRNNDataDescriptor");
  std::string text;
  for (int b = 0; b < batch && batch < 64; ++b)
    text += (b ? "," : "") + std::to_string(lengths[b]);
  fake::log("cudnnSetRNNDataDescriptor type=%u layout=%u T=%d B=%d width=%d lengths=%s", unsigned(type),
            unsigned(layout), steps, batch, width, text.c_str());
  if (steps <= 0 || batch <= 0 || width <= 0)
    return fake::fail(Result::BadParam, "size <= 0");
  if (layout != DataLayout::SeqMajorUnpacked && layout != DataLayout::SeqMajorPacked &&
      layout != DataLayout::BatchMajorUnpacked)
    return fake::fail(Result::BadParam, "layout");
  for (int b = 0; b < batch; ++b)
    if (lengths[b] < 0 || lengths[b] > steps)
      return fake::fail(Result::BadParam, "seqLengthArray");
  // cuDNN sorts no sequences. Padding has no meaning here.
  if (layout == DataLayout::SeqMajorPacked && !std::is_sorted(lengths, lengths + batch, std::greater<int>()))
    return fake::fail(Result::BadParam, "packed sequences are not sorted by length");
  double value = 1;
  std::memcpy(&value, fill, sizeof(value)); // the runtime passes eight bytes for every type
  if (value != 0)
    return fake::fail(Result::BadParam, "paddingFill");
  data->set = true;
  data->type = type;
  data->layout = layout;
  data->steps = steps;
  data->batch = batch;
  data->width = width;
  data->lengths.assign(lengths, lengths + batch);
  return Result::Success;
}

//===-- Sizes and the parameters ---------------------------------------------------------------------------------===//

FAKE_API Result cudnnGetRNNWeightSpaceSize(Handle handle, RnnDescriptor rnn, size_t *size) {
  FAKE_ENTER("cudnnGetRNNWeightSpaceSize");
  FAKE_EXPECT_LIVE(handle, "handle", "cudnnGetRNNWeightSpaceSize");
  FAKE_EXPECT_LIVE(rnn, "rnn", "cudnnGetRNNWeightSpaceSize");
  int64_t bytes = 0;
  fake::weightOffsets(*rnn, bytes);
  *size = size_t(bytes);
  return Result::Success;
}

FAKE_API Result cudnnGetRNNWeightParams(Handle handle, RnnDescriptor rnn, int32_t pseudo, size_t size, const void *base,
                                        int32_t id, TensorDescriptor matrix, void **matrixAt, TensorDescriptor bias,
                                        void **biasAt) {
  FAKE_ENTER("cudnnGetRNNWeightParams");
  FAKE_EXPECT_LIVE(handle, "handle", "cudnnGetRNNWeightParams");
  FAKE_EXPECT_LIVE(rnn, "rnn", "cudnnGetRNNWeightParams");
  FAKE_EXPECT_LIVE(matrix, "tensor", "cudnnGetRNNWeightParams");
  FAKE_EXPECT_LIVE(bias, "tensor", "cudnnGetRNNWeightParams");
  const RnnProblem &p = rnn->problem;
  int64_t bytes = 0;
  const std::vector<int64_t> offsets = fake::weightOffsets(*rnn, bytes);
  const int64_t gates = p.gates(), perLayer = 2 * gates + p.projected();
  const bool projects = p.isLstm() && id == projectionLayerId;
  if (int64_t(size) != bytes || pseudo < 0 || pseudo >= p.layers * p.directions() || id < 0 ||
      (id >= 2 * gates && !projects))
    return fake::fail(Result::BadParam, "pseudoLayer, linLayerID or weightSpaceSize");
  if (!base && fake::state().nullBase == FAKE_CUDNN_REJECT)
    return fake::fail(Result::BadParam, "weightSpace == NULL");
  const DataType types[] = {DataType::Half, DataType::BFloat16, DataType::Float, DataType::Double};
  auto answer = [&](TensorDescriptor descriptor, void **address, bool there, int64_t rows, int64_t columns,
                    int64_t offset) {
    descriptor->type = types[p.dtype];
    descriptor->dims.clear();
    descriptor->strides.clear();
    *address = nullptr;
    if (!there)
      return;
    descriptor->dims = {1, int(rows), int(columns)};
    descriptor->strides = {int(rows * columns), int(columns), 1};
    if (base || fake::state().nullBase == FAKE_CUDNN_OFFSETS)
      *address = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(base) + uintptr_t(offset));
  };
  const bool input = id < gates && !projects;
  const bool there = projects ? p.projected() : !(input && p.skipInput && pseudo < p.directions());
  const int64_t weightIndex = pseudo * perLayer + (projects ? 2 * gates : id);
  const int64_t rows = projects ? p.projection : p.hidden;
  const int64_t columns = projects ? p.hidden : input ? p.inputOf(pseudo / p.directions()) : p.projection;
  answer(matrix, matrixAt, there, rows, columns, there ? offsets[size_t(weightIndex)] : 0);
  const int64_t biasIndex = p.layers * p.directions() * perLayer + pseudo * 2 * gates + id;
  answer(bias, biasAt, !projects, p.hidden, 1, projects ? 0 : offsets[size_t(biasIndex)]);
  return Result::Success;
}

FAKE_API Result cudnnGetRNNTempSpaceSizes(Handle handle, RnnDescriptor rnn, ForwardMode mode, RnnDataDescriptor x,
                                          size_t *work, size_t *reserve) {
  FAKE_ENTER("cudnnGetRNNTempSpaceSizes");
  FAKE_EXPECT_LIVE(handle, "handle", "cudnnGetRNNTempSpaceSizes");
  FAKE_EXPECT_LIVE(rnn, "rnn", "cudnnGetRNNTempSpaceSizes");
  FAKE_EXPECT_LIVE(x, "rnn data", "cudnnGetRNNTempSpaceSizes");
  if (fake::denies(rnn->algorithm, FAKE_CUDNN_SIZES))
    return fake::fail(Result::NotSupported, "denied sizes");
  if (work)
    *work = fake::workspaceSize(*rnn, *x);
  if (reserve)
    *reserve = mode == ForwardMode::Training ? fake::reserveSize(*rnn, *x) : 0;
  return Result::Success;
}

} // namespace rnnrt::cudnn
