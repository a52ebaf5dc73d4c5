// Boundary.cpp - the boundary of exported functions. Checks arguments against the function's signature and converts
// them to memref descriptors; converts descriptors of results to tensors that the caller owns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Arguments.h"
#include "core/CompiledMemory.h"
#include "core/Device.h"
#include "core/Invocation.h"
#include "rnn_runtime/abi.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace rnnrt;

namespace {

/// A memref descriptor in the layout of MLIR: allocated, aligned, offset, sizes, strides; each is 64 bits.
struct Descriptor {
  int64_t *words;
  int32_t rank;

  void *&allocated() const { return reinterpret_cast<void **>(words)[0]; }
  void *&aligned() const { return reinterpret_cast<void **>(words)[1]; }
  int64_t &offset() const { return words[2]; }
  int64_t &size(int32_t dim) const { return words[3 + dim]; }
  int64_t &stride(int32_t dim) const { return words[3 + rank + dim]; }
};

const rnnrt_tensor_t emptyTensor = {};

} // namespace

//===-- Messages -------------------------------------------------------------------------------------------------===//

static std::string describe(int32_t dtype, int32_t rank, const int64_t *shape) {
  std::string text = "tensor<";
  if (rank < 0)
    text += "*x";
  for (int32_t dim = 0; dim < rank; ++dim)
    text += (shape[dim] < 0 ? "?" : std::to_string(shape[dim])) + "x";
  return text + rnnrt_dtype_name(dtype) + ">";
}

static std::string describe(const rnnrt_argument_t &argument) {
  if (argument.kind == RNNRT_ARGUMENT_SCALAR)
    return std::string("a scalar ") + rnnrt_dtype_name(argument.dtype);
  return describe(argument.dtype, argument.rank, argument.shape);
}

//===-- Checks ---------------------------------------------------------------------------------------------------===//

static Status checkInput(const rnnrt_function_t &function, int64_t index, const rnnrt_tensor_t *tensor) {
  const rnnrt_argument_t &expected = function.inputs[index];
  auto mismatch = [&](const std::string &what) {
    std::string got = "a null pointer";
    if (tensor && (tensor->rank < 0 || tensor->rank > RNNRT_MAX_RANK))
      got = "rank " + std::to_string(tensor->rank);
    else if (tensor && tensor->rank == 0 && expected.kind == RNNRT_ARGUMENT_SCALAR)
      got = std::string("a scalar ") + rnnrt_dtype_name(tensor->dtype);
    else if (tensor)
      got = describe(tensor->dtype, tensor->rank, tensor->shape);
    return invalidArgument("%s: %s: the function expects %s, but got %s",
                           describeArgument("argument", index, expected, function).c_str(), what.c_str(),
                           describe(expected).c_str(), got.c_str());
  };
  if (!tensor)
    return mismatch("the tensor is missing");
  if (tensor->rank < 0 || tensor->rank > RNNRT_MAX_RANK)
    return mismatch("the rank must be 0 to " + std::to_string(RNNRT_MAX_RANK));
  if (expected.rank >= 0 && tensor->rank != expected.rank)
    return mismatch("the rank differs");
  if (tensor->dtype != expected.dtype)
    return mismatch("the element type differs");
  int64_t bytes = rnnrt_dtype_size(expected.dtype);
  bool overflows = false, empty = false;
  for (int32_t dim = 0; dim < tensor->rank; ++dim) {
    int64_t size = tensor->shape[dim];
    if (expected.rank >= 0 && expected.shape[dim] >= 0 && size != expected.shape[dim])
      return mismatch("dim " + std::to_string(dim) + " must be " + std::to_string(expected.shape[dim]));
    if (size < 0)
      return mismatch("dim " + std::to_string(dim) + " is " + std::to_string(size) + ", but sizes must be at least 0");
    // For an empty tensor, the product of the other sizes must not overflow either: strides are computed from it.
    empty |= size == 0;
    overflows |= __builtin_mul_overflow(bytes, size ? size : 1, &bytes);
  }
  if (overflows)
    return mismatch("its size in bytes exceeds 64 bits");
  if (!tensor->data && !empty)
    return mismatch("the data is missing");
  if (reinterpret_cast<uintptr_t>(tensor->data) % uintptr_t(rnnrt_dtype_size(expected.dtype)))
    return invalidArgument(
        "%s: the address of the data must be a multiple of %lld, the bytes of an element %s, but is %p; "
        "copy the tensor to aligned memory",
        describeArgument("argument", index, expected, function).c_str(), (long long)rnnrt_dtype_size(expected.dtype),
        rnnrt_dtype_name(expected.dtype), tensor->data);
  return Status();
}

/// Whether `tensor` has the rank and the static sizes of `argument`.
static bool fits(const rnnrt_argument_t &argument, const rnnrt_tensor_t &tensor) {
  if (argument.rank < 0)
    return true;
  bool equal = tensor.rank == argument.rank;
  for (int32_t dim = 0; equal && dim < tensor.rank; ++dim)
    equal = argument.shape[dim] < 0 || tensor.shape[dim] == argument.shape[dim];
  return equal;
}

static Status checkOffered(const rnnrt_function_t &function, const std::vector<rnnrt_tensor_t> &offered) {
  if (offered.empty())
    return Status();
  if (static_cast<int64_t>(offered.size()) != function.num_outputs)
    return invalidArgument("`%s` has %lld result(s), but memory was offered for %lld", function.name,
                           (long long)function.num_outputs, (long long)offered.size());
  if (function.flags & RNNRT_FUNCTION_DEVICE_MEMORY)
    return unimplemented("memory was offered for the results of `%s`, but they are in device memory; use a module that "
                         "writes to memref arguments instead",
                         function.name);
  for (int64_t index = 0; index < function.num_outputs; ++index) {
    const rnnrt_tensor_t &tensor = offered[index];
    const rnnrt_argument_t &result = function.outputs[index];
    if (tensor.rank < 0)
      continue;
    if (tensor.rank > RNNRT_MAX_RANK || tensor.dtype != result.dtype || !fits(result, tensor))
      return invalidArgument("%s: the function returns %s, but memory was offered for %s",
                             describeArgument("result", index, result, function).c_str(), describe(result).c_str(),
                             tensor.rank > RNNRT_MAX_RANK ? ("rank " + std::to_string(tensor.rank)).c_str()
                                                          : describe(tensor.dtype, tensor.rank, tensor.shape).c_str());
    if (!tensor.data && rnnrt_tensor_elements(&tensor))
      return invalidArgument("%s: the offered memory is a null pointer",
                             describeArgument("result", index, result, function).c_str());
  }
  return Status();
}

static Status checkCount(const rnnrt_function_t &function, const char *what, const void *list, int64_t expected,
                         int64_t got) {
  if (got != expected)
    return invalidArgument("`%s` expects %lld %s(s), but got %lld", function.name, (long long)expected, what,
                           (long long)got);
  if (expected && !list)
    return invalidArgument("`%s` expects %lld %s(s), but their array is a null pointer", function.name,
                           (long long)expected, what);
  return Status();
}

static Status checkCall(const rnnrt_call_t &call, const rnnrt_function_t *function, const rnnrt_tensor_t *const *inputs,
                        int64_t numInputs, rnnrt_tensor_t *const *outputs, int64_t numOutputs) {
  if (!function)
    return invalidArgument("expects a function, but got a null pointer");
  // Check the version first: another version may lay out rnnrt_function_t differently.
  if (function->abi_version != RNNRT_ABI_VERSION)
    return failedPrecondition("the module was compiled for runtime ABI version %d, but this runtime has version %d; "
                              "recompile the module",
                              function->abi_version, RNNRT_ABI_VERSION);
  const std::string &device = call.device->name;
  const BackendKind &kind = call.device->backend->kind;
  bool deviceMemory = function->flags & RNNRT_FUNCTION_DEVICE_MEMORY;
  if (deviceMemory ? !kind.takesDeviceTensors : !kind.takesHostTensors)
    return failedPrecondition("`%s` was compiled for %s, but the call is on device `%s`", function->name,
                              deviceMemory ? "tensors in device memory" : "tensors in host memory", device.c_str());
  if (call.stream.get() && call.stream->scratch.allocate)
    for (int64_t index = 0; index < function->num_outputs; ++index)
      if (function->outputs[index].kind != RNNRT_ARGUMENT_SCALAR)
        return failedPrecondition("`%s` returns tensors, but the borrowed stream of the call has an allocator, whose "
                                  "memory ends with the call; write to memref arguments instead",
                                  function->name);
  RNNRT_TRY(checkCount(*function, "argument", inputs, function->num_inputs, numInputs));
  RNNRT_TRY(checkCount(*function, "result", outputs, function->num_outputs, numOutputs));
  for (int64_t index = 0; index < numInputs; ++index)
    RNNRT_TRY(checkInput(*function, index, inputs[index]));
  for (int64_t index = 0; index < numOutputs; ++index)
    if (!outputs[index])
      return invalidArgument("%s: expects a tensor to fill, but got a null pointer",
                             describeArgument("result", index, function->outputs[index], *function).c_str());
  return checkOffered(*function, call.offered);
}

/// Whether a pointer may occur twice. Returns true for few pointers, since the caller compares these in less time than
/// they are sorted here.
static bool mayRepeat(const rnnrt_tensor_t *const *inputs, int64_t numInputs, rnnrt_tensor_t *const *outputs,
                      int64_t numOutputs) {
  constexpr int64_t fewComparisons = 1024;
  if (numOutputs * (numInputs + numOutputs) <= fewComparisons)
    return true;
  std::vector<const rnnrt_tensor_t *> all(inputs, inputs + numInputs);
  all.insert(all.end(), outputs, outputs + numOutputs);
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

/// Checks that no result is an argument or another result: the function empties results before it reads arguments, and
/// each owns memory. Without this check, the memory of such a tensor would be lost.
static Status checkDistinct(const rnnrt_function_t *function, const rnnrt_tensor_t *const *inputs, int64_t numInputs,
                            rnnrt_tensor_t *const *outputs, int64_t numOutputs) {
  const bool isKnown = function && function->abi_version == RNNRT_ABI_VERSION && function->num_inputs == numInputs &&
                       function->num_outputs == numOutputs;
  if (!isKnown || !inputs || !outputs || !mayRepeat(inputs, numInputs, outputs, numOutputs))
    return Status();
  auto find = [](auto *const *tensors, int64_t count, const rnnrt_tensor_t *tensor) {
    return std::find(tensors, tensors + count, tensor) - tensors;
  };
  for (int64_t index = 0; index < numOutputs; ++index) {
    const auto input = find(inputs, numInputs, outputs[index]), output = find(outputs, index, outputs[index]);
    const bool isInput = input < numInputs;
    if (outputs[index] && (isInput || output < index))
      return invalidArgument("%s: the tensor is also %s; a result is new memory, pass another tensor",
                             describeArgument("result", index, function->outputs[index], *function).c_str(),
                             (isInput ? describeArgument("argument", input, function->inputs[input], *function)
                                      : describeArgument("result", output, function->outputs[output], *function))
                                 .c_str());
  }
  return Status();
}

//===-- Descriptors ----------------------------------------------------------------------------------------------===//

static void writeDescriptor(const Descriptor &descriptor, const rnnrt_tensor_t &tensor) {
  descriptor.allocated() = descriptor.aligned() = tensor.data;
  descriptor.offset() = 0;
  int64_t stride = 1;
  for (int32_t dim = tensor.rank - 1; dim >= 0; --dim) {
    descriptor.size(dim) = tensor.shape[dim];
    descriptor.stride(dim) = stride;
    stride *= tensor.shape[dim] ? tensor.shape[dim] : 1;
  }
}

static void writeInput(const rnnrt_argument_t &argument, const rnnrt_tensor_t &tensor, void *slot) {
  auto *words = static_cast<int64_t *>(slot);
  switch (argument.kind) {
  case RNNRT_ARGUMENT_SCALAR:
    std::memcpy(slot, tensor.data, size_t(rnnrt_dtype_size(argument.dtype)));
    return;
  case RNNRT_ARGUMENT_UNRANKED:
    // The rank and a pointer to the descriptor, which follows directly.
    words[0] = tensor.rank;
    words[1] = reinterpret_cast<intptr_t>(words + 2);
    return writeDescriptor({words + 2, tensor.rank}, tensor);
  default:
    return writeDescriptor({words, tensor.rank}, tensor);
  }
}

/// Converts the result in `slot` to `tensor`, which then owns the allocation, even if a failure is returned.
static Status readOutput(rnnrt_call_t *call, const rnnrt_function_t &function, int64_t index, void *slot,
                         rnnrt_tensor_t &tensor) {
  const rnnrt_argument_t &argument = function.outputs[index];
  Descriptor descriptor{static_cast<int64_t *>(slot), argument.rank};
  if (argument.kind == RNNRT_ARGUMENT_UNRANKED) {
    descriptor.rank = int32_t(descriptor.words[0]);
    descriptor.words = reinterpret_cast<int64_t *>(descriptor.words[1]);
  }
  int64_t elementBytes = rnnrt_dtype_size(argument.dtype);
  tensor.dtype = argument.dtype;
  if (argument.kind == RNNRT_ARGUMENT_SCALAR) {
    RNNRT_TRY(tryCompiledAllocate(RNNRT_MEMORY_ALIGNMENT, elementBytes, tensor.data));
    tensor.allocation = tensor.data;
    std::memcpy(tensor.data, slot, size_t(elementBytes));
    return Status();
  }
  tensor.allocation = descriptor.allocated();
  if (function.flags & RNNRT_FUNCTION_DEVICE_MEMORY) {
    tensor.device = call->device.get();
    rnnrt_device_retain(tensor.device);
  }
  if (descriptor.rank > RNNRT_MAX_RANK)
    return invalidArgument("%s has rank %d, but exported functions support at most %d",
                           describeArgument("result", index, argument, function).c_str(), descriptor.rank,
                           RNNRT_MAX_RANK);
  tensor.rank = descriptor.rank;
  tensor.data = static_cast<char *>(descriptor.aligned()) + descriptor.offset() * elementBytes;
  int64_t stride = 1;
  bool dense = true;
  for (int32_t dim = tensor.rank - 1; dim >= 0; --dim) {
    tensor.shape[dim] = descriptor.size(dim);
    dense &= tensor.shape[dim] <= 1 || descriptor.stride(dim) == stride;
    stride *= tensor.shape[dim];
  }
  if (!dense && stride)
    return invalidArgument("%s is not dense; return a copy of it",
                           describeArgument("result", index, argument, function).c_str());
  return Status();
}

/// Replaces the data of `tensor`, whose allocation another result owns, by a copy of its own.
static Status copyOutput(rnnrt_call_t *call, rnnrt_tensor_t &tensor) {
  const void *source = tensor.data;
  int64_t bytes = rnnrt_tensor_elements(&tensor) * rnnrt_dtype_size(tensor.dtype);
  tensor.data = tensor.allocation = nullptr;
  if (!tensor.device) {
    RNNRT_TRY(tryCompiledAllocate(RNNRT_MEMORY_ALIGNMENT, bytes, tensor.data));
    tensor.allocation = tensor.data;
    std::memcpy(tensor.data, source, size_t(bytes));
    return Status();
  }
  tensor.data = tensor.allocation = rnnrt_abi_alloc(call, bytes);
  rnnrt_abi_copy(call, source, tensor.data, bytes);
  return Status();
}

static std::vector<rnnrt_tensor_t> popResultMemory(rnnrt_call_t &call) {
  std::vector<rnnrt_tensor_t> memory;
  if (!call.resultMemory.empty()) { // rnnrt_abi_enter has pushed it
    memory = std::move(call.resultMemory.back());
    call.resultMemory.pop_back();
  }
  return memory;
}

/// Makes `offered` the memory of `tensor`, and copies the data if they are elsewhere.
static Status moveToOffered(const rnnrt_function_t &function, int64_t index, const rnnrt_tensor_t &offered,
                            rnnrt_tensor_t &tensor) {
  if (tensor.rank != offered.rank || !std::equal(tensor.shape, tensor.shape + tensor.rank, offered.shape))
    return invalidArgument("%s is %s, but the caller expects %s",
                           describeArgument("result", index, function.outputs[index], function).c_str(),
                           describe(tensor.dtype, tensor.rank, tensor.shape).c_str(),
                           describe(offered.dtype, offered.rank, offered.shape).c_str());
  const int64_t bytes = rnnrt_tensor_elements(&tensor) * rnnrt_dtype_size(tensor.dtype);
  if (tensor.data != offered.data && bytes)
    std::memcpy(offered.data, tensor.data, size_t(bytes));
  compiledRelease(tensor.allocation);
  tensor.data = offered.data;
  tensor.allocation = nullptr;
  return Status();
}

extern "C" {

int32_t rnnrt_abi_enter(rnnrt_call_t *call, const rnnrt_function_t *function, const rnnrt_tensor_t *const *inputs,
                        int64_t num_inputs, rnnrt_tensor_t *const *outputs, int64_t num_outputs, void *const *slots) {
  Status distinct = guarded([&] { return checkDistinct(function, inputs, num_inputs, outputs, num_outputs); });
  if (!distinct.ok()) {
    if (call)
      call->record(std::move(distinct));
    return 0;
  }
  for (int64_t index = 0; outputs && index < num_outputs; ++index)
    if (outputs[index])
      *outputs[index] = emptyTensor;
  if (!call || !call->first.ok())
    return 0;
  call->record(guarded([&] {
    Status status = checkCall(*call, function, inputs, num_inputs, outputs, num_outputs);
    if (status.ok())
      call->resultMemory.push_back(std::move(call->offered));
    call->offered.clear();
    return status;
  }));
  if (!call->first.ok())
    return 0;
  for (int64_t index = 0; index < num_inputs; ++index)
    writeInput(function->inputs[index], *inputs[index], slots[index]);
  return 1;
}

int32_t rnnrt_abi_execute(rnnrt_call_t *call, const rnnrt_function_t *function, rnnrt_body_t body, void *const *inputs,
                          void *const *results) {
  if (!call || !call->first.ok())
    return 0;
  Invocation invocation(*call);
  const bool hasReturned = invocation.run(body, inputs, results);
  if (!hasReturned)
    popResultMemory(*call);
  if (!call->first.ok())
    call->record(guarded([&] {
      const rnnrt_status_t first = call->first.get();
      std::string message = std::string(rnnrt_status_message(first)) + "; in function `" + function->name + "`";
      call->first = Status(rnnrt_status_create(rnnrt_status_code(first), message.c_str()));
      return Status();
    }));
  return hasReturned;
}

void *rnnrt_abi_alloc_result(rnnrt_call_t *call, int64_t index, int64_t bytes) {
  // After a failure, compiledAllocate leaves the function: sizes may be wrong, and loops must not run with them.
  const bool isOffered =
      call->first.ok() && !call->resultMemory.empty() && static_cast<size_t>(index) < call->resultMemory.back().size();
  if (isOffered) {
    const rnnrt_tensor_t &tensor = call->resultMemory.back()[index];
    if (tensor.rank >= 0 && tensor.data && rnnrt_tensor_elements(&tensor) * rnnrt_dtype_size(tensor.dtype) == bytes &&
        reinterpret_cast<uintptr_t>(tensor.data) % RNNRT_MEMORY_ALIGNMENT == 0)
      return tensor.data;
  }
  return compiledAllocate(RNNRT_MEMORY_ALIGNMENT, bytes);
}

void rnnrt_abi_leave(rnnrt_call_t *call, const rnnrt_function_t *function, rnnrt_tensor_t *const *outputs,
                     void *const *slots) {
  // Unlike other entries this one also runs after a failure: allocations of the function must not leak.
  for (int64_t index = 0; index < function->num_outputs; ++index) {
    rnnrt_tensor_t &tensor = *outputs[index];
    call->record(guarded([&] { return readOutput(call, *function, index, slots[index], tensor); }));
    for (int64_t other = 0; other < index && tensor.allocation; ++other)
      if (outputs[other]->allocation == tensor.allocation)
        call->record(guarded([&] { return copyOutput(call, tensor); }));
  }
  const std::vector<rnnrt_tensor_t> memory = popResultMemory(*call);
  for (size_t index = 0; index < memory.size(); ++index) {
    rnnrt_tensor_t &tensor = *outputs[index];
    if (memory[index].rank < 0)
      continue;
    if (tensor.allocation == memory[index].data)
      tensor.allocation = nullptr; // the program's
    if (call->first.ok())
      call->record(guarded([&] { return moveToOffered(*function, index, memory[index], tensor); }));
  }
  if (call->first.ok())
    return;
  for (int64_t index = 0; index < function->num_outputs; ++index)
    rnnrt_tensor_release(outputs[index]);
}

void rnnrt_tensor_release(rnnrt_tensor_t *tensor) {
  if (!tensor)
    return;
  if (tensor->device) {
    // A failure cannot be reported here; the memory counters of the device show the leak.
    rnnrt_status_release(rnnrt_memory_free(tensor->device, tensor->allocation));
    rnnrt_device_release(tensor->device);
  } else if (tensor->allocation) {
    compiledRelease(tensor->allocation);
  }
  *tensor = emptyTensor;
}

} // extern "C"
