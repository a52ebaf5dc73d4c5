// Returned.cpp - functions that return tensors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Returned.h"
#include "Arguments.h"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <vector>

using namespace rnn_xla;

namespace {
/// The tensors that a function returns. Frees them at the end of the scope.
struct ReturnedTensors {
  explicit ReturnedTensors(size_t count) : tensors(count) {}
  ~ReturnedTensors() {
    for (rnnrt_tensor_t &tensor : tensors)
      rnnrt_tensor_release(&tensor);
  }
  std::vector<rnnrt_tensor_t> tensors;
};

/// Sets the default floating-point environment in a scope. XLA's threads flush subnormal numbers to zero; a compiled
/// function must compute the same in a program of XLA as outside of it.
class DefaultFloatControl {
public:
  DefaultFloatControl() {
    std::fegetenv(&saved);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatControl() { std::fesetenv(&saved); }
  DefaultFloatControl(const DefaultFloatControl &) = delete;
  DefaultFloatControl &operator=(const DefaultFloatControl &) = delete;

private:
  std::fenv_t saved;
};
} // namespace

static std::string describeShape(const int64_t *shape, size_t rank) {
  std::string text = "[";
  for (size_t k = 0; k < rank; ++k)
    text += (k ? "," : "") + std::to_string(shape[k]);
  return text + "]";
}

/// Unsigned integers have the type of signed ones.
static int32_t getElementType(ffi::DataType type) {
  switch (type) {
  case ffi::U8:
    return RNNRT_DTYPE_I8;
  case ffi::S16:
  case ffi::U16:
    return RNNRT_DTYPE_I16;
  case ffi::U32:
    return RNNRT_DTYPE_I32;
  case ffi::U64:
    return RNNRT_DTYPE_I64;
  default:
    return getDtype(type);
  }
}

/// Returns a message unless `buffer` can be this argument or result.
static std::string check(ffi::AnyBuffer buffer, const rnnrt_argument_t &argument, const char *kind, size_t index,
                         const char *function) {
  const auto rank = static_cast<int32_t>(buffer.dimensions().size());
  std::string problem;
  if (getElementType(buffer.element_type()) != argument.dtype)
    problem = "has another element type than in the program of XLA";
  else if (rank > RNNRT_MAX_RANK)
    problem = "has too many dimensions";
  else if (argument.rank >= 0 && rank != argument.rank)
    problem =
        "has " + std::to_string(argument.rank) + " dimensions, but " + std::to_string(rank) + " in the program of XLA";
  else if (argument.flags & RNNRT_ARGUMENT_WRITTEN)
    problem = "is written by the function, but belongs to XLA";
  else
    return "";
  return std::string(kind) + " " + std::to_string(index) + " of `" + function + "` " + problem;
}

ffi::Error rnn_xla::runReturning(rnnrt_call_t *call, const rnnrt_function_t &function, ffi::RemainingArgs &operands,
                                 ffi::RemainingRets &results) {
  if (static_cast<int64_t>(operands.size()) != function.num_inputs ||
      static_cast<int64_t>(results.size()) != function.num_outputs)
    return invalid(std::string("`") + function.name + "` has " + std::to_string(function.num_inputs) +
                   " arguments and " + std::to_string(function.num_outputs) + " results, but the program of XLA has " +
                   std::to_string(operands.size()) + " and " + std::to_string(results.size()));
  if (function.flags & RNNRT_FUNCTION_DEVICE_MEMORY)
    return invalid(std::string("`") + function.name +
                   "` was compiled for target cuda, but the program of XLA for the CPU");
  std::vector<rnnrt_tensor_t> inputs(operands.size());
  std::vector<const rnnrt_tensor_t *> inputPointers;
  for (size_t k = 0; k < inputs.size(); ++k) {
    ffi::AnyBuffer buffer = *operands.get<ffi::AnyBuffer>(k);
    if (std::string error = check(buffer, function.inputs[k], "argument", k, function.name); !error.empty())
      return invalid(error);
    auto dims = buffer.dimensions();
    inputs[k] = rnnrt_tensor_make(buffer.untyped_data(), function.inputs[k].dtype, static_cast<int32_t>(dims.size()),
                                  dims.begin());
    inputPointers.push_back(&inputs[k]);
  }
  for (size_t k = 0; k < results.size(); ++k)
    if (std::string error = check(**results.get<ffi::AnyBuffer>(k), function.outputs[k], "result", k, function.name);
        !error.empty())
      return invalid(error);

  ReturnedTensors returned(results.size());
  std::vector<rnnrt_tensor_t *> returnedPointers;
  for (rnnrt_tensor_t &tensor : returned.tensors)
    returnedPointers.push_back(&tensor);
  {
    DefaultFloatControl control;
    function.entry(call, inputPointers.data(), function.num_inputs, returnedPointers.data(), function.num_outputs);
  }
  if (ffi::Error error = finish(call); error.failure())
    return error;

  for (size_t k = 0; k < results.size(); ++k) {
    ffi::AnyBuffer buffer = **results.get<ffi::AnyBuffer>(k);
    auto dims = buffer.dimensions();
    const rnnrt_tensor_t &tensor = returned.tensors[k];
    if (static_cast<size_t>(tensor.rank) != dims.size() || !std::equal(dims.begin(), dims.end(), tensor.shape))
      return invalid(std::string("`") + function.name + "` returned shape " +
                     describeShape(tensor.shape, static_cast<size_t>(tensor.rank)) + " for result " +
                     std::to_string(k) + ", but the program of XLA expects " +
                     describeShape(dims.begin(), dims.size()));
    useHugePages(buffer);
    if (buffer.size_bytes())
      std::memcpy(buffer.untyped_data(), tensor.data, buffer.size_bytes());
  }
  return ffi::Error::Success();
}
