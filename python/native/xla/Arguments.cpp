// Arguments.cpp - operands and results of XLA as tensors of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arguments.h"

#include "rnn_runtime/layout.h"

#include <algorithm>
#include <sys/mman.h>

using namespace rnn_xla;

int32_t rnn_xla::getDtype(ffi::DataType type) {
  switch (type) {
  case ffi::F16:
    return RNNRT_DTYPE_F16;
  case ffi::BF16:
    return RNNRT_DTYPE_BF16;
  case ffi::F32:
    return RNNRT_DTYPE_F32;
  case ffi::F64:
    return RNNRT_DTYPE_F64;
  case ffi::PRED:
    return RNNRT_DTYPE_I1;
  case ffi::S8:
    return RNNRT_DTYPE_I8;
  case ffi::S32:
    return RNNRT_DTYPE_I32;
  case ffi::S64:
    return RNNRT_DTYPE_I64;
  default:
    return -1;
  }
}

void rnn_xla::useHugePages(ffi::AnyBuffer buffer) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t large = 4 << 20, page = 4096;
  auto address = reinterpret_cast<uintptr_t>(buffer.untyped_data());
  uintptr_t first = (address + page - 1) / page * page, end = (address + buffer.size_bytes()) / page * page;
  if (buffer.size_bytes() >= large)
    madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE); // a failure has no consequence
#endif
}

/// Sets `result` to the tensors get(0), ..., get(separate.count - 1).
template <typename Get> static ffi::Error fill(SeparateBuffer &result, const Separate &separate, Get get) {
  constexpr int64_t columns = rnn_layout::numParamsTensors;
  const int64_t matrices = separate.perLayer - 2, layers = separate.count / separate.perLayer;
  result.offsets.assign(layers * columns, 0);
  uintptr_t begin = UINTPTR_MAX, end = 0;
  auto addressOf = [&](int64_t k) { return reinterpret_cast<uintptr_t>(get(k).untyped_data()); };
  for (int64_t k = 0; k < separate.count; ++k) {
    begin = std::min(begin, addressOf(k));
    end = std::max(end, addressOf(k) + get(k).size_bytes());
  }
  const int32_t dtype = getDtype(get(0).element_type());
  if (dtype < 0)
    return invalid("the parameters have a type that no layer has");
  const auto size = static_cast<uintptr_t>(rnnrt_dtype_size(dtype));
  for (int64_t k = 0; k < separate.count; ++k) {
    if (getDtype(get(k).element_type()) != dtype)
      return invalid("the parameters have several types");
    if ((addressOf(k) - begin) % size)
      return invalid("a buffer is not aligned to its elements");
    // All matrices, then all biases, whose columns are the last two.
    const int64_t bias = k - layers * matrices;
    const int64_t index =
        bias < 0 ? k / matrices * columns + k % matrices : bias / 2 * columns + columns - 2 + bias % 2;
    result.offsets[index] = static_cast<int64_t>((addressOf(k) - begin) / size);
  }
  const int64_t elements = static_cast<int64_t>((end - begin) / size), shape[] = {layers, columns};
  result.buffer = rnnrt_tensor_make(reinterpret_cast<void *>(begin), dtype, 1, &elements);
  result.table = rnnrt_tensor_make(result.offsets.data(), RNNRT_DTYPE_I64, 2, shape);
  return ffi::Error::Success();
}

namespace {
/// Allocates memory of a device, and frees it at the end of the scope.
class Scratch {
public:
  explicit Scratch(rnnrt_device_t *device) : device(device) {}
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    for (void *block : blocks)
      rnnrt_status_release(rnnrt_memory_free(device, block));
  }
  /// Returns a message after a failure.
  std::string allocate(int64_t bytes, void *&block) {
    std::string error = messageOf(rnnrt_memory_alloc(device, bytes, &block));
    if (error.empty())
      blocks.push_back(block);
    return error;
  }

private:
  rnnrt_device_t *device;
  std::vector<void *> blocks;
};
} // namespace

static void invoke(rnnrt_call_t *call, const rnnrt_function_t &function, const rnnrt_tensor_t *tensors,
                   const std::vector<int64_t> &strides, size_t count, const Batch &batch) {
  const rnnrt_tensor_t *pointers[maxOperands];
  for (size_t k = 0; k < count; ++k)
    pointers[k] = &tensors[k];
  auto numArguments = static_cast<int64_t>(count);
  if (const size_t numLevels = batch.counts.size())
    rnnrt_call_members(call, &function, pointers, numArguments, batch.counts.begin(), static_cast<int64_t>(numLevels),
                       strides.data(), batch.parallel != 0);
  else
    function.entry(call, pointers, numArguments, nullptr, 0);
}

ffi::Error rnn_xla::finish(rnnrt_call_t *call) {
  ffi::Error error = toError(rnnrt_call_status(call));
  rnnrt_call_reset(call); // plans return to the cache
  return error;
}

/// Appends an argument. A buffer of bytes is a reserve space, [B, row], which may be larger than the `reserve` bytes
/// that the function uses. `isShared(l)`: the members of level l share it.
template <typename IsShared>
void BoundFunction::add(ffi::AnyBuffer buffer, int64_t reserve, size_t numLevels, IsShared isShared) {
  int32_t dtype = getDtype(buffer.element_type());
  auto dims = buffer.dimensions();
  const int64_t *shape = dims.begin();
  auto stride = static_cast<int64_t>(buffer.size_bytes());
  for (size_t level = 0; level < numLevels; ++level) {
    if (isShared(level)) {
      strides.push_back(0);
      continue;
    }
    const int64_t size = shape < dims.end() ? *shape++ : 1; // the function refuses a wrong rank
    stride = size ? stride / size : 0;
    strides.push_back(stride);
  }
  auto rank = static_cast<int32_t>(dims.end() - shape);
  if (dtype == RNNRT_DTYPE_I8)
    shape = &reserve, rank = 1;
  tensors[count++] = rnnrt_tensor_make(buffer.untyped_data(), dtype, rank, shape);
}

ffi::Error BoundFunction::bind(Target target, int32_t capability, int64_t key, int64_t reserve, const Batch &batch,
                               const Separate &separate, ffi::RemainingArgs &operands, ffi::RemainingRets &results) {
  function = findFunction(target, key, capability);
  if (!function)
    return invalid("the module was not instantiated");
  const size_t first = separate.first, numTensors = separate.count, numLevels = batch.counts.size();
  if (!separate.fits(operands.size(), results.size()))
    return invalid("wrong numbers of parameters");
  if (batch.shared.size() != numLevels)
    return invalid("wrong numbers of levels of members");
  // At most two buffers and two tables replace the tensors.
  if (operands.size() + results.size() - numTensors * (1 + separate.isGradient) + 4 > maxOperands)
    return invalid("too many operands");
  for (size_t k = 0; k < operands.size(); ++k) {
    if (numTensors && k == first) {
      if (ffi::Error error = fill(params, separate, [&](size_t n) { return *operands.get<ffi::AnyBuffer>(first + n); });
          error.failure())
        return error;
      tensors[count++] = params.buffer;
      tensors[count++] = params.table;
      k += numTensors - 1;
      continue;
    }
    ffi::AnyBuffer buffer = *operands.get<ffi::AnyBuffer>(k);
    if (getDtype(buffer.element_type()) == RNNRT_DTYPE_I8)
      reserveIndex = count;
    add(buffer, reserve, numLevels, [&](size_t level) { return batch.isShared(level, k); });
  }
  auto getResult = [&](size_t k) -> ffi::AnyBuffer { return **results.get<ffi::AnyBuffer>(k); };
  for (size_t k = 0; target == Host && k < results.size(); ++k)
    useHugePages(getResult(k));
  if (separate.isGradient) {
    if (ffi::Error error = fill(gradients, separate, [&](size_t n) { return getResult(first + n); }); error.failure())
      return error;
    tensors[count++] = gradients.table;
  }
  for (size_t k = 0, end = separate.isGradient ? first : results.size(); k < end; ++k)
    add(getResult(k), reserve, numLevels, [](size_t) { return false; });
  if (separate.isGradient)
    tensors[count++] = gradients.buffer;
  return ffi::Error::Success();
}

ffi::Error BoundFunction::run(rnnrt_call_t *call, const Batch &batch) const {
  invoke(call, *function, tensors, strides, count, batch);
  return finish(call);
}

ffi::Error BoundFunction::runOnHost(rnnrt_call_t *call, Target target, int64_t key, const Batch &batch) const {
  invoke(call, *function, tensors, strides, count, batch);
  if (rnnrt_status_code(rnnrt_call_status(call)) != RNNRT_STATUS_FAILED_PRECONDITION)
    return finish(call);
  const rnnrt_function_t *forward = findForward(target, key);
  const size_t used = forward ? static_cast<size_t>(forward->num_inputs) : 0, reserve = reserveIndex;
  if (!used || used > reserve + 1)
    return finish(call);
  rnnrt_call_reset(call);
  std::string ignored;
  Scratch scratch(getDevice(targetNames[target], ignored).handle);
  // The forward pass takes the gradient's first arguments, and as its last one the reserve space.
  rnnrt_tensor_t again[maxOperands];
  const size_t numLevels = batch.counts.size();
  std::vector<int64_t> againStrides;
  for (size_t k = 0; k < used; ++k) {
    const size_t source = k + 1 < used ? k : reserve;
    again[k] = tensors[source];
    const int64_t *sourceStrides = strides.data() + source * numLevels;
    againStrides.insert(againStrides.end(), sourceStrides, sourceStrides + numLevels);
    if (!(forward->inputs[k].flags & RNNRT_ARGUMENT_WRITTEN))
      continue;
    const int64_t bytes = numLevels ? sourceStrides[0] * batch.counts.begin()[0]
                                    : rnnrt_tensor_elements(&again[k]) * rnnrt_dtype_size(again[k].dtype);
    if (std::string error = scratch.allocate(bytes, again[k].data); !error.empty())
      return ffi::Error(ffi::ErrorCode::kResourceExhausted, "rnn-mlir: " + error);
  }
  invoke(call, *forward, again, againStrides, used, batch);
  if (rnnrt_call_status(call))
    return finish(call);
  rnnrt_tensor_t all[maxOperands];
  std::copy_n(tensors, count, all);
  all[reserve] = again[used - 1];
  invoke(call, *function, all, strides, count, batch);
  return finish(call);
}
