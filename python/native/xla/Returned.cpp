// Returned.cpp - functions that return tensors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Returned.h"
#include "Arguments.h"

#include <cfenv>
#include <vector>

using namespace rnn_xla;

namespace {
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

  // The function writes to XLA's buffers.
  std::vector<rnnrt_tensor_t> memory(results.size()), returned(results.size());
  std::vector<const rnnrt_tensor_t *> memoryPointers;
  std::vector<rnnrt_tensor_t *> returnedPointers;
  for (size_t k = 0; k < results.size(); ++k) {
    ffi::AnyBuffer buffer = **results.get<ffi::AnyBuffer>(k);
    auto dims = buffer.dimensions();
    useHugePages(buffer);
    memory[k] = rnnrt_tensor_make(buffer.untyped_data(), function.outputs[k].dtype, static_cast<int32_t>(dims.size()),
                                  dims.begin());
    memoryPointers.push_back(&memory[k]);
    returnedPointers.push_back(&returned[k]);
  }
  rnnrt_call_offer_results(call, memoryPointers.data(), static_cast<int64_t>(memoryPointers.size()));
  {
    DefaultFloatControl control;
    function.entry(call, inputPointers.data(), function.num_inputs, returnedPointers.data(), function.num_outputs);
  }
  return finish(call);
}
