// FakeCudnnRun.cpp - the fake cuDNN: layout of the parameters, sizes, and the three passes, which use the host plans of
// the runtime for the problem that the descriptors specify.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeCudnnState.h"

#include "host/Convert.h"
#include "rnn_runtime/api.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#define FAKE_API extern "C" __attribute__((visibility("default")))

using namespace rnnrt;
using namespace rnnrt::cudnn;

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

int32_t fake::dtypeOf(DataType type) {
  switch (type) {
  case DataType::Half:
    return RNNRT_DTYPE_F16;
  case DataType::BFloat16:
    return RNNRT_DTYPE_BF16;
  case DataType::Double:
    return RNNRT_DTYPE_F64;
  case DataType::Float:
    break;
  }
  return RNNRT_DTYPE_F32;
}

RnnProblem fake::problemOf(const RnnObject &rnn, const RnnDataObject &x, bool training) {
  RnnProblem p = rnn.problem;
  p.steps = x.steps;
  p.batch = x.batch;
  p.training = training;
  p.batchMajor = x.layout == DataLayout::BatchMajorUnpacked;
  return p;
}

/// Returns the element count of each canonical tensor: the matrices of each pseudo layer, then the biases.
static std::vector<int64_t> tensorSizes(const RnnProblem &p) {
  std::vector<int64_t> sizes;
  for (int64_t layer = 0; layer < p.layers; ++layer)
    for (int64_t d = 0; d < p.directions(); ++d) {
      for (int64_t gate = 0; gate < p.gates(); ++gate)
        sizes.push_back(layer == 0 && p.skipInput ? 0 : p.hidden * p.inputOf(layer));
      for (int64_t gate = 0; gate < p.gates(); ++gate)
        sizes.push_back(p.hidden * p.projection);
      if (p.projected())
        sizes.push_back(p.projection * p.hidden);
    }
  for (int64_t k = 0; k < p.layers * p.directions() * 2 * p.gates(); ++k)
    sizes.push_back(p.hidden);
  return sizes;
}

std::vector<int64_t> fake::weightOffsets(const RnnObject &rnn, int64_t &bytes) {
  const std::vector<int64_t> sizes = tensorSizes(rnn.problem);
  const int64_t element = rnnrt_dtype_size(rnn.problem.dtype);
  std::vector<int64_t> offsets(sizes.size());
  const int32_t layout = state().layout;
  const bool scattered =
      layout == FAKE_CUDNN_SCATTERED || (layout == FAKE_CUDNN_PER_ALGORITHM && rnn.algorithm != RnnAlgo::Standard);
  bytes = 0;
  for (size_t n = 0; n < sizes.size(); ++n) {
    const size_t k = scattered ? sizes.size() - 1 - n : n;
    if (scattered)
      bytes += 3 * element; // a gap
    offsets[k] = bytes;
    bytes += sizes[k] * element;
  }
  if (scattered)
    bytes += 5 * element;
  return offsets;
}

size_t fake::workspaceSize(const RnnObject &rnn, const RnnDataObject &x) {
  // An arbitrary size that depends on all parameters.
  int64_t sum = 0;
  for (int32_t length : x.lengths)
    sum += length;
  return size_t(64 + sum * rnn.problem.hidden * 4 + int64_t(rnn.algorithm) * 128);
}

namespace {

/// Follows the host's reserve space; a backward pass checks it.
struct Trailer {
  uint64_t algorithm, lengths, seed;
};

uint64_t hashOf(const RnnDataObject &x) {
  const auto *bytes = reinterpret_cast<const char *>(x.lengths.data());
  return std::hash<std::string_view>()({bytes, x.lengths.size() * sizeof(int32_t)});
}

/// A host plan and a call that runs it.
class HostPlan {
public:
  explicit HostPlan(const RnnProblem &p, uint64_t seed = 0, int64_t draw = -1) {
    static rnnrt_device_t *device = [] {
      rnnrt_device_t *made = nullptr;
      rnnrt_status_release(rnnrt_device_create("host", nullptr, &made));
      return made;
    }();
    rnnrt_call_options_t options;
    rnnrt_call_options_init(&options);
    options.dropout_draw = draw;
    rnnrt_status_release(rnnrt_call_create(device, nullptr, &options, &call));
    // The two halves that the host combines to the seed. If a 64-bit seed has no such halves, another seed derived from
    // it is used.
    const auto low = int32_t(uint32_t(seed)), high = int32_t(uint32_t(seed >> 32));
    const int32_t seed2 = low < 0 && high != -1 ? low & INT32_MAX : low;
    plan = rnnrt_abi_rnn_plan(call, p.dtype, int32_t(p.mode), p.skipInput, p.bidirectional, p.training, p.batchMajor,
                              p.dropout, high, seed2, p.steps, p.batch, p.input, p.hidden, p.projection, p.layers);
  }
  ~HostPlan() { rnnrt_call_release(call); }
  HostPlan(const HostPlan &) = delete;

  Result result() const {
    const rnnrt_status_t status = rnnrt_call_status(call);
    return status ? fake::fail(Result::ExecutionFailed, "%s", rnnrt_status_message(status)) : Result::Success;
  }

  rnnrt_call_t *call = nullptr;
  rnnrt_plan_t *plan = nullptr;
};

} // namespace

size_t fake::reserveSize(const RnnObject &rnn, const RnnDataObject &x) {
  HostPlan host(problemOf(rnn, x, true));
  // Other algorithms require more, so that a size queried for the wrong algorithm is detected.
  return size_t(rnnrt_abi_rnn_reserve_size(host.call, host.plan)) + sizeof(Trailer) + 256 * size_t(rnn.algorithm);
}

//===-- Operands of a run ----------------------------------------------------------------------------------------===//

namespace {

/// Counts the concurrent uses of an object, for the duration of a call.
class Use {
public:
  Use(std::atomic<int> &users, const char *what) : users(users) {
    if (users++)
      fake::misuse("%s is used by two threads at once", what);
  }
  ~Use() { --users; }

private:
  std::atomic<int> &users;
};

struct Operands {
  const char *name;
  Handle handle;
  RnnDescriptor rnn;
  RnnDataDescriptor x, y;
  TensorDescriptor h, c;
  size_t weightSize, workSize, reserveSize;
  const void *weights;
  void *work, *reserve;
  bool training;
};

bool describesStates(const TensorObject &tensor, const RnnProblem &p, int64_t width) {
  const std::vector<int> dims = {int(p.layers * p.directions()), int(p.batch), int(width)};
  const std::vector<int> strides = {int(p.batch * width), int(width), 1};
  return tensor.set && fake::dtypeOf(tensor.type) == p.dtype && tensor.dims == dims && tensor.strides == strides;
}

/// The checks common to the three passes.
Result checkRun(const Operands &o, int32_t step) {
  FAKE_EXPECT_LIVE(o.handle, "handle", o.name);
  FAKE_EXPECT_LIVE(o.rnn, "rnn", o.name);
  FAKE_EXPECT_LIVE(o.x, "rnn data", o.name);
  FAKE_EXPECT_LIVE(o.y, "rnn data", o.name);
  FAKE_EXPECT_LIVE(o.h, "tensor", o.name);
  if (!o.rnn->set || !o.x->set || !o.y->set)
    return fake::fail(Result::BadParam, "%s: a descriptor was never set", o.name);
  FAKE_EXPECT_LIVE(o.rnn->dropout, "dropout", o.name);
  const RnnProblem p = fake::problemOf(*o.rnn, *o.x, o.training);
  if (o.x->width != p.input || o.y->width != p.directions() * p.projection || o.x->lengths != o.y->lengths ||
      o.x->steps != o.y->steps || o.x->layout != o.y->layout || fake::dtypeOf(o.x->type) != p.dtype ||
      fake::dtypeOf(o.y->type) != p.dtype)
    return fake::fail(Result::BadParam, "%s: the data descriptors do not fit", o.name);
  const bool packed = o.x->layout == DataLayout::SeqMajorPacked;
  if (packed == o.rnn->padded)
    return fake::fail(Result::BadParam, "%s: the data layout does not fit CUDNN_RNN_PADDED_IO_ENABLED", o.name);
  // The fake computes by host plans, which have no packed layout. It equals the padded layout if all lengths are T.
  if (packed && !o.x->uniform())
    return fake::fail(Result::NotSupported, "%s: packed sequences of several lengths in the fake", o.name);
  if (!describesStates(*o.h, p, p.projection))
    return fake::fail(Result::BadParam, "%s: hDesc does not fit", o.name);
  if (p.isLstm() && step != FAKE_CUDNN_WEIGHTS) {
    FAKE_EXPECT_LIVE(o.c, "tensor", o.name);
    if (!describesStates(*o.c, p, p.hidden))
      return fake::fail(Result::BadParam, "%s: cDesc does not fit", o.name);
  }
  int64_t bytes = 0;
  fake::weightOffsets(*o.rnn, bytes);
  if (int64_t(o.weightSize) != bytes || !o.weights)
    return fake::fail(Result::BadParam, "%s: weightSpaceSize %zu is not %lld", o.name, o.weightSize, (long long)bytes);
  if (o.workSize < fake::workspaceSize(*o.rnn, *o.x) || !o.work)
    return fake::fail(Result::BadParam, "%s: workSpaceSize %zu is too small", o.name, o.workSize);
  if (o.training && (o.reserveSize < fake::reserveSize(*o.rnn, *o.x) || !o.reserve))
    return fake::fail(Result::BadParam, "%s: reserveSpaceSize %zu is too small", o.name, o.reserveSize);
  if (!o.training && (o.reserve || o.reserveSize))
    return fake::fail(Result::BadParam, "%s: inference expects no reserve space", o.name);
  for (const void *pointer : {o.weights, static_cast<const void *>(o.work), static_cast<const void *>(o.reserve)})
    if (reinterpret_cast<uintptr_t>(pointer) % 16)
      return fake::fail(Result::BadParamMisalignedPointer, "%s: misaligned", o.name);

  const int64_t empty = std::count(o.x->lengths.begin(), o.x->lengths.end(), 0);
  if (step == FAKE_CUDNN_FORWARD ? empty == o.x->batch : empty > 0) // jax#17966
    return fake::fail(Result::ExecutionFailed, "%s: %lld sequences of length 0", o.name, (long long)empty);
  if (o.rnn->algorithm != RnnAlgo::Standard && !o.x->uniform()) // pytorch#73211
    return fake::fail(Result::NotSupported, "%s: a persistent algorithm and several lengths", o.name);
  if (o.rnn->algorithm == RnnAlgo::PersistDynamic && o.rnn->builtFor != o.x->batch)
    return fake::fail(Result::BadParam, "%s: cudnnBuildRNNDynamic was not called", o.name);
  if (fake::denies(o.rnn->algorithm, step))
    return fake::fail(Result::NotSupported, "denied %s", o.name);

  static const char *const algorithms[] = {"standard", "persist_static", "persist_dynamic", "persist_static_small_h"};
  std::string lengths;
  for (int32_t length : o.x->lengths)
    lengths += (lengths.empty() ? "" : ",") + std::to_string(length);
  fake::log("%s stream=%d algo=%s training=%d T=%d lengths=%s", o.name, fake::streamNumber(o.handle->stream),
            algorithms[uint32_t(o.rnn->algorithm) & 3], o.training, o.x->steps, lengths.c_str());
  for (const void *pointer : {o.weights, static_cast<const void *>(o.work), static_cast<const void *>(o.reserve)})
    fake::use(o.handle->stream, pointer, o.name);
  // cuDNN may overwrite the whole workspace.
  std::memset(o.work, 0xab, o.workSize);
  return Result::Success;
}

/// Checks operands and results, and reports their use to the fake driver.
bool misaligned(Handle handle, const char *name, std::initializer_list<const void *> pointers) {
  for (const void *pointer : pointers)
    fake::use(handle->stream, pointer, name);
  return std::any_of(pointers.begin(), pointers.end(),
                     [](const void *pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16; });
}

/// Converts the parameters to the host's layout.
std::vector<char> denseWeights(const RnnObject &rnn, const void *weights) {
  int64_t bytes = 0;
  const std::vector<int64_t> sizes = tensorSizes(rnn.problem), offsets = fake::weightOffsets(rnn, bytes);
  std::vector<char> dense;
  for (size_t k = 0; k < sizes.size(); ++k) {
    const char *from = static_cast<const char *>(weights) + offsets[k];
    dense.insert(dense.end(), from, from + sizes[k] * rnnrt_dtype_size(rnn.problem.dtype));
  }
  return dense;
}

/// target += value, one element.
void addElement(int32_t dtype, void *target, const void *value) {
  auto half = [&](auto widen, auto narrow) {
    uint16_t a, b;
    std::memcpy(&a, target, 2);
    std::memcpy(&b, value, 2);
    a = narrow(widen(a) + widen(b));
    std::memcpy(target, &a, 2);
  };
  auto plain = [&](auto zero) {
    decltype(zero) a, b;
    std::memcpy(&a, target, sizeof(a));
    std::memcpy(&b, value, sizeof(b));
    a += b;
    std::memcpy(target, &a, sizeof(a));
  };
  switch (dtype) {
  case RNNRT_DTYPE_F16:
    return half(f16ToFloat, floatToF16);
  case RNNRT_DTYPE_BF16:
    return half(bf16ToFloat, floatToBf16);
  case RNNRT_DTYPE_F32:
    return plain(0.0f);
  default:
    return plain(0.0);
  }
}

/// A zero tensor in place of an operand that may be null.
class Zeros {
public:
  explicit Zeros(int64_t bytes) : memory(size_t(bytes)) {}
  const void *operator()(const void *pointer) const { return pointer ? pointer : memory.data(); }

private:
  std::vector<char> memory;
};

int64_t stateBytes(const RnnProblem &p) {
  return p.layers * p.directions() * p.batch * p.hidden * rnnrt_dtype_size(p.dtype);
}

int64_t hostReserveBytes(HostPlan &host) {
  return rnnrt_abi_rnn_reserve_size(host.call, host.plan);
}

int64_t elements(const RnnProblem &p, const std::vector<char> &dense) {
  return int64_t(dense.size()) / rnnrt_dtype_size(p.dtype);
}

Result readTrailer(const Operands &o, const RnnProblem &p, Trailer &found) {
  HostPlan host(p);
  std::memcpy(&found, static_cast<char *>(o.reserve) + hostReserveBytes(host), sizeof(found));
  if (found.algorithm == uint64_t(o.rnn->algorithm) && found.lengths == hashOf(*o.x))
    return Result::Success;
  fake::misuse("%s reads a reserve that another algorithm or other lengths wrote", o.name);
  return fake::fail(Result::ExecutionFailed, "%s: reserve", o.name);
}

} // namespace

//===-- The passes -----------------------------------------------------------------------------------------------===//

namespace rnnrt::cudnn {

FAKE_API Result cudnnRNNForward(Handle handle, RnnDescriptor rnn, ForwardMode mode, const int32_t[],
                                RnnDataDescriptor xDesc, const void *x, RnnDataDescriptor yDesc, void *y,
                                TensorDescriptor hDesc, const void *hx, void *hy, TensorDescriptor cDesc,
                                const void *cx, void *cy, size_t weightSize, const void *weights, size_t workSize,
                                void *work, size_t reserveSize, void *reserve) {
  FAKE_ENTER("cudnnRNNForward");
  const bool training = mode == ForwardMode::Training;
  const Operands o{"cudnnRNNForward", handle,   rnn,         xDesc,   yDesc, hDesc,   cDesc,
                   weightSize,        workSize, reserveSize, weights, work,  reserve, training};
  if (Result result = checkRun(o, FAKE_CUDNN_FORWARD); result != Result::Success)
    return result;
  Use handleUse(handle->users, "a handle"), rnnUse(rnn->users, "an RNN descriptor");
  if (!x || !y)
    return fake::fail(Result::BadParam, "cudnnRNNForward: null x or y");
  if (misaligned(handle, "cudnnRNNForward", {x, y, hx, hy, cx, cy}))
    return fake::fail(Result::BadParamMisalignedPointer, "cudnnRNNForward: misaligned");
  const RnnProblem p = fake::problemOf(*rnn, *xDesc, training);
  struct States {
    uint64_t magic, seed, draws;
  } states{};
  if (p.drops()) {
    if (!rnn->dropout->states)
      return fake::fail(Result::BadParam, "cudnnRNNForward: dropout without states");
    fake::use(handle->stream, rnn->dropout->states, "cudnnRNNForward");
    std::memcpy(&states, rnn->dropout->states, sizeof(states));
    const States next{states.magic, states.seed, states.draws + 1};
    std::memcpy(rnn->dropout->states, &next, sizeof(next));
  }
  HostPlan host(p, states.seed, int64_t(states.draws));
  const Zeros zeros(stateBytes(p));
  const std::vector<char> dense = denseWeights(*rnn, weights);
  const int64_t hostReserve = hostReserveBytes(host);
  rnnrt_abi_rnn_forward(host.call, host.plan, xDesc->lengths.data(), x, zeros(hx), p.isLstm() ? zeros(cx) : nullptr,
                        dense.data(), elements(p, dense), y, hy, p.isLstm() ? cy : nullptr, reserve, hostReserve);
  if (training) {
    const Trailer trailer{uint64_t(rnn->algorithm), hashOf(*xDesc), states.seed};
    std::memcpy(static_cast<char *>(reserve) + hostReserve, &trailer, sizeof(trailer));
  }
  return host.result();
}

FAKE_API Result cudnnRNNBackwardData_v8(Handle handle, RnnDescriptor rnn, const int32_t[], RnnDataDescriptor yDesc,
                                        const void *y, const void *dy, RnnDataDescriptor xDesc, void *dx,
                                        TensorDescriptor hDesc, const void *hx, const void *dhy, void *dhx,
                                        TensorDescriptor cDesc, const void *cx, const void *dcy, void *dcx,
                                        size_t weightSize, const void *weights, size_t workSize, void *work,
                                        size_t reserveSize, void *reserve) {
  FAKE_ENTER("cudnnRNNBackwardData_v8");
  const Operands o{"cudnnRNNBackwardData_v8",
                   handle,
                   rnn,
                   xDesc,
                   yDesc,
                   hDesc,
                   cDesc,
                   weightSize,
                   workSize,
                   reserveSize,
                   weights,
                   work,
                   reserve,
                   true};
  if (Result result = checkRun(o, FAKE_CUDNN_DATA); result != Result::Success)
    return result;
  Use handleUse(handle->users, "a handle"), rnnUse(rnn->users, "an RNN descriptor");
  if (!y || !dy || !dx)
    return fake::fail(Result::BadParam, "cudnnRNNBackwardData_v8: null y, dy or dx");
  if (misaligned(handle, "cudnnRNNBackwardData_v8", {y, dy, dx, hx, dhy, dhx, cx, dcy, dcx}))
    return fake::fail(Result::BadParamMisalignedPointer, "cudnnRNNBackwardData_v8: misaligned");
  const RnnProblem p = fake::problemOf(*rnn, *xDesc, true);
  Trailer trailer;
  if (Result result = readTrailer(o, p, trailer); result != Result::Success)
    return result;
  HostPlan host(p, trailer.seed);
  const Zeros zeros(stateBytes(p));
  const std::vector<char> dense = denseWeights(*rnn, weights);
  const bool lstm = p.isLstm();
  rnnrt_abi_rnn_backward_data(host.call, host.plan, xDesc->lengths.data(), nullptr, zeros(hx),
                              lstm ? zeros(cx) : nullptr, dense.data(), elements(p, dense), y, dy, zeros(dhy),
                              lstm ? zeros(dcy) : nullptr, dx, dhx, lstm ? dcx : nullptr, reserve,
                              hostReserveBytes(host));
  return host.result();
}

FAKE_API Result cudnnRNNBackwardWeights_v8(Handle handle, RnnDescriptor rnn, WgradMode mode, const int32_t[],
                                           RnnDataDescriptor xDesc, const void *x, TensorDescriptor hDesc,
                                           const void *hx, RnnDataDescriptor yDesc, const void *y, size_t weightSize,
                                           void *dweights, size_t workSize, void *work, size_t reserveSize,
                                           void *reserve) {
  FAKE_ENTER("cudnnRNNBackwardWeights_v8");
  const Operands o{"cudnnRNNBackwardWeights_v8",
                   handle,
                   rnn,
                   xDesc,
                   yDesc,
                   hDesc,
                   nullptr,
                   weightSize,
                   workSize,
                   reserveSize,
                   dweights,
                   work,
                   reserve,
                   true};
  if (Result result = checkRun(o, FAKE_CUDNN_WEIGHTS); result != Result::Success)
    return result;
  Use handleUse(handle->users, "a handle"), rnnUse(rnn->users, "an RNN descriptor");
  if (!x || !y || mode != WgradMode::Add)
    return fake::fail(Result::BadParam, "cudnnRNNBackwardWeights_v8: null x or y, or not ADD");
  if (misaligned(handle, "cudnnRNNBackwardWeights_v8", {x, hx, y}))
    return fake::fail(Result::BadParamMisalignedPointer, "cudnnRNNBackwardWeights_v8: misaligned");
  const RnnProblem p = fake::problemOf(*rnn, *xDesc, true);
  Trailer trailer;
  if (Result result = readTrailer(o, p, trailer); result != Result::Success)
    return result;
  HostPlan host(p, trailer.seed);
  const Zeros zeros(stateBytes(p));
  std::vector<char> dense = denseWeights(*rnn, dweights);
  rnnrt_abi_rnn_backward_weights(host.call, host.plan, xDesc->lengths.data(), x, zeros(hx), y, dense.data(),
                                 elements(p, dense), reserve, hostReserveBytes(host));
  int64_t bytes = 0;
  const std::vector<int64_t> sizes = tensorSizes(p), offsets = fake::weightOffsets(*rnn, bytes);
  const int64_t element = rnnrt_dtype_size(p.dtype);
  const char *value = dense.data();
  for (size_t k = 0; k < sizes.size(); ++k)
    for (int64_t n = 0; n < sizes[k]; ++n, value += element)
      addElement(p.dtype, static_cast<char *>(dweights) + offsets[k] + n * element, value);
  return host.result();
}

} // namespace rnnrt::cudnn
