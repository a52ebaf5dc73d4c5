// TvmFfi.cpp - exported functions by the packed calling convention of tvm-ffi. Uses the layouts of its stable C ABI
// (tvm/ffi/c_api.h, dlpack/dlpack.h) and no header or library of it: its functions are found in the process, which has
// loaded libtvm_ffi.so before it calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Arguments.h"
#include "core/DLPack.h"
#include "core/Status.h"
#include "rnn_runtime/api.h"

#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace rnnrt;

namespace {

//===-- Layouts of tvm-ffi ---------------------------------------------------------------------------------------===//

struct Any {
  int32_t type;
  uint32_t padding;
  union {
    int64_t integer;
    double real;
    void *pointer;
  };
};
struct ByteArray {
  const char *data;
  size_t size;
};
/// Type indices of `Any`.
enum : int32_t { anyNone = 0, anyInt = 1, anyBool = 2, anyFloat = 3, anyDLTensor = 7, anyTensor = 70 };
/// A tensor object is a header of 24 bytes and a DLTensor.
constexpr size_t objectHeader = 24;

/// A function of libtvm_ffi.so, which may have been loaded without global symbols; null if it is not loaded.
template <typename Function> Function find(const char *name) {
  if (void *symbol = dlsym(RTLD_DEFAULT, name))
    return reinterpret_cast<Function>(symbol);
  static void *library = dlopen("libtvm_ffi.so", RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<Function>(library ? dlsym(library, name) : nullptr);
}

/// Sets the exception that the caller raises.
int32_t raise(const rnnrt_status_t status) {
  const rnnrt_status_code_t code = rnnrt_status_code(status);
  const char *kind = code == RNNRT_STATUS_INVALID_ARGUMENT     ? "ValueError"
                     : code == RNNRT_STATUS_RESOURCE_EXHAUSTED ? "MemoryError"
                                                               : "RuntimeError";
  using SetRaised = void (*)(const char *, const char *);
  if (auto setRaised = find<SetRaised>("TVMFFIErrorSetRaisedFromCStr"))
    setRaised(kind, rnnrt_status_message(status));
  return -1;
}

//===-- Arguments ------------------------------------------------------------------------------------------------===//

/// Unsigned integers are accepted as signed ones of their size: the types of compiled code have no sign.
bool hasType(DLDataType type, int32_t dtype) {
  const DLDataType wanted = toDLPack(dtype);
  const bool isInteger = wanted.code == 0 && type.code <= 1;
  return type.lanes == 1 && type.bits == wanted.bits && (type.code == wanted.code || isInteger);
}

/// Whether a scalar of an integer type can have the value.
bool isInRange(int64_t value, int32_t dtype) {
  if (dtype == RNNRT_DTYPE_I1)
    return value == 0 || value == 1;
  const int bits = int(8 * rnnrt_dtype_size(dtype));
  return bits == 64 || (value >= -(int64_t(1) << (bits - 1)) && value < int64_t(1) << (bits - 1));
}

/// Sets `device` to that of the tensors, which are all on one; its initial type is that of the function.
Status toTensor(const rnnrt_function_t &function, int64_t index, const Any &any, rnnrt_tensor_t &tensor, Any &value,
                DLDevice &device) {
  const rnnrt_argument_t &argument = function.inputs[index];
  const auto fail = [&](const std::string &what) {
    return invalidArgument("%s %s", describeArgument("argument", index, argument, function).c_str(), what.c_str());
  };
  if (argument.kind == RNNRT_ARGUMENT_SCALAR) {
    const bool isReal = argument.dtype == RNNRT_DTYPE_F32 || argument.dtype == RNNRT_DTYPE_F64;
    if (argument.dtype == RNNRT_DTYPE_F16 || argument.dtype == RNNRT_DTYPE_BF16)
      return fail("is a 16-bit floating-point scalar, which tvm-ffi cannot pass; use a tensor of rank 0");
    if (any.type != anyInt && any.type != anyBool && !(isReal && any.type == anyFloat))
      return fail(isReal ? "must be a number" : "must be an integer");
    if (!isReal && !isInRange(any.integer, argument.dtype))
      return fail(std::string("must be of type ") + rnnrt_dtype_name(argument.dtype) + ", but got " +
                  std::to_string(any.integer));
    const double real = any.type == anyFloat ? any.real : double(any.integer);
    const float single = float(real);
    if (argument.dtype == RNNRT_DTYPE_F64)
      value.real = real;
    else if (argument.dtype == RNNRT_DTYPE_F32)
      std::memcpy(&value.integer, &single, sizeof(single));
    else
      value.integer = any.integer; // little-endian: the low bytes come first
    tensor = rnnrt_tensor_make(&value.integer, argument.dtype, 0, nullptr);
    return Status();
  }
  const DLTensor *given = nullptr;
  if (any.type == anyDLTensor)
    given = static_cast<const DLTensor *>(any.pointer);
  else if (any.type == anyTensor && any.pointer)
    given = reinterpret_cast<const DLTensor *>(static_cast<const char *>(any.pointer) + objectHeader);
  if (!given)
    return fail("must be a tensor");
  if (given->device.type != device.type)
    return fail(device.type == hostDevice ? "must be in host memory" : "must be in CUDA device memory");
  if (device.type == cudaDevice && device.id >= 0 && given->device.id != device.id)
    return fail("is on another GPU than the tensors before it");
  device.id = given->device.id;
  if (given->rank < 0 || given->rank > RNNRT_MAX_RANK)
    return fail("has more than 8 dimensions");
  if (given->rank > 0 && !given->shape)
    return fail("has no shape");
  if (!hasType(given->dtype, argument.dtype))
    return fail(std::string("must have elements of type ") + rnnrt_dtype_name(argument.dtype));
  // Unsigned, since the entry rejects sizes that do not fit only later.
  uint64_t elements = 1;
  for (int32_t dim = given->rank - 1; dim >= 0; --dim) {
    if (given->strides && given->shape[dim] > 1 && uint64_t(given->strides[dim]) != elements)
      return fail("must be dense and row-major");
    elements *= uint64_t(given->shape[dim]);
  }
  tensor = rnnrt_tensor_make(static_cast<char *>(given->data) + given->byteOffset, argument.dtype, given->rank,
                             given->shape);
  return Status();
}

//===-- Results --------------------------------------------------------------------------------------------------===//

/// A result with the memory that it owns.
struct OwnedTensor {
  DLManagedTensor managed;
  rnnrt_tensor_t tensor;

  static void destroy(DLManagedTensor *managed) {
    auto *owned = static_cast<OwnedTensor *>(managed->context);
    rnnrt_tensor_release(&owned->tensor);
    delete owned;
  }
};

/// Moves `tensor` to an object of tvm-ffi.
Status toObject(rnnrt_tensor_t &tensor, DLDevice device, Any &result) {
  using FromDLPack = int (*)(DLManagedTensor *, int32_t, int32_t, void **);
  auto fromDLPack = find<FromDLPack>("TVMFFITensorFromDLPack");
  if (!fromDLPack)
    return unavailable("the function returns tensors, which requires libtvm_ffi.so in the process");
  auto *owned = new OwnedTensor{{}, tensor};
  tensor = {};
  owned->managed.tensor = {
      owned->tensor.data, device, owned->tensor.rank, toDLPack(owned->tensor.dtype), owned->tensor.shape, nullptr, 0};
  owned->managed.context = owned;
  owned->managed.deleter = OwnedTensor::destroy;
  void *object = nullptr;
  if (fromDLPack(&owned->managed, 0, 0, &object)) {
    OwnedTensor::destroy(&owned->managed);
    return internalError("tvm-ffi refused a tensor");
  }
  result.type = anyTensor;
  result.pointer = object;
  return Status();
}

Status toResult(const rnnrt_argument_t &argument, rnnrt_tensor_t &tensor, DLDevice device, Any &result) {
  if (argument.kind != RNNRT_ARGUMENT_SCALAR)
    return toObject(tensor, device, result);
  result.type = anyInt;
  result.integer = 0;
  float single;
  switch (argument.dtype) {
  case RNNRT_DTYPE_F32:
    std::memcpy(&single, tensor.data, sizeof(single));
    result.type = anyFloat;
    result.real = single;
    break;
  case RNNRT_DTYPE_F64:
    result.type = anyFloat;
    std::memcpy(&result.real, tensor.data, sizeof(result.real));
    break;
  case RNNRT_DTYPE_F16:
  case RNNRT_DTYPE_BF16:
    return unimplemented("a 16-bit floating-point scalar is no result of tvm-ffi; return a tensor");
  case RNNRT_DTYPE_I1:
    result.type = anyBool;
    result.integer = *static_cast<const uint8_t *>(tensor.data) != 0;
    break;
  case RNNRT_DTYPE_I8:
    result.integer = *static_cast<const int8_t *>(tensor.data);
    break;
  case RNNRT_DTYPE_I16:
    result.integer = *static_cast<const int16_t *>(tensor.data);
    break;
  case RNNRT_DTYPE_I32:
    result.integer = *static_cast<const int32_t *>(tensor.data);
    break;
  default:
    std::memcpy(&result.integer, tensor.data, sizeof(result.integer));
  }
  rnnrt_tensor_release(&tensor);
  return Status();
}

/// Releases the object of `any`, if it has one.
void release(const Any &any) {
  using DecRef = int (*)(void *);
  if (any.type >= 64)
    if (auto decRef = find<DecRef>("TVMFFIObjectDecRef"))
      decRef(any.pointer);
}

/// Several results become an array, made by tvm-ffi's global function.
Status toArray(std::vector<Any> &values, Any &result) {
  using GetGlobal = int (*)(const ByteArray *, void **);
  using Invoke = int (*)(void *, Any *, int32_t, Any *);
  using DecRef = int (*)(void *);
  auto getGlobal = find<GetGlobal>("TVMFFIFunctionGetGlobal");
  auto invoke = find<Invoke>("TVMFFIFunctionCall");
  auto decRef = find<DecRef>("TVMFFIObjectDecRef");
  const ByteArray name = {"ffi.Array", 9};
  void *makeArray = nullptr;
  if (!getGlobal || !invoke || !decRef || getGlobal(&name, &makeArray) || !makeArray)
    return unavailable("the function has several results, which requires libtvm_ffi.so in the process");
  const int failed = invoke(makeArray, values.data(), int32_t(values.size()), &result);
  decRef(makeArray);
  return failed ? internalError("tvm-ffi refused an array of tensors") : Status();
}

//===-- The call -------------------------------------------------------------------------------------------------===//

/// The GPU `ordinal`, which the process keeps: its modules and plans serve every thread.
Status getGpu(int32_t ordinal, rnnrt_device_t *&device) {
  static std::mutex mutex;
  static auto &devices = *new std::map<int32_t, rnnrt_device_t *>();
  std::lock_guard<std::mutex> lock(mutex);
  rnnrt_device_t *&kept = devices[ordinal];
  if (!kept)
    RNNRT_TRY(Status(rnnrt_device_create(("cuda:" + std::to_string(ordinal)).c_str(), nullptr, &kept)));
  device = kept;
  return Status();
}

/// The stream of tvm-ffi's environment; null, CUDA's default stream, if it has none.
void *currentStream(DLDevice device) {
  using GetStream = void *(*)(int32_t, int32_t);
  auto getStream = find<GetStream>("TVMFFIEnvGetStream");
  return getStream ? getStream(device.type, device.id) : nullptr;
}

/// The calls of a thread: one on device `host`, and one per GPU and stream.
struct ThreadCalls {
  rnnrt_call_t *host = nullptr;
  std::map<std::pair<int32_t, void *>, rnnrt_call_t *> onStreams;

  Status getHost(rnnrt_call_t *&call) {
    if (!host) {
      rnnrt_device_t *device = nullptr;
      RNNRT_TRY(Status(rnnrt_device_create("host", nullptr, &device)));
      Status status(rnnrt_call_create(device, nullptr, nullptr, &host));
      rnnrt_device_release(device);
      RNNRT_TRY(std::move(status));
    }
    call = host;
    return Status();
  }
  Status getOnStream(int32_t ordinal, void *native, rnnrt_call_t *&call) {
    constexpr size_t most = 64; // for programs that make a stream per use
    if (onStreams.size() >= most)
      clear();
    rnnrt_call_t *&kept = onStreams[{ordinal, native}];
    if (!kept) {
      rnnrt_device_t *device = nullptr;
      RNNRT_TRY(getGpu(ordinal, device));
      rnnrt_stream_t *stream = nullptr;
      RNNRT_TRY(Status(rnnrt_stream_borrow(device, native, nullptr, &stream)));
      Status status(rnnrt_call_create(device, stream, nullptr, &kept));
      rnnrt_stream_release(stream);
      RNNRT_TRY(std::move(status));
    }
    call = kept;
    return Status();
  }
  void clear() {
    for (const auto &entry : onStreams)
      rnnrt_call_release(entry.second);
    onStreams.clear();
  }
  ~ThreadCalls() {
    clear();
    rnnrt_call_release(host);
  }
};

struct Outputs {
  std::vector<rnnrt_tensor_t> tensors;
  std::vector<Any> values;

  ~Outputs() {
    for (rnnrt_tensor_t &tensor : tensors)
      rnnrt_tensor_release(&tensor);
    for (const Any &value : values)
      release(value);
  }
};

Status run(const rnnrt_function_t *function, const Any *arguments, int32_t count, Any &result) {
  if (!function || (count > 0 && !arguments))
    return invalidArgument("expects a function and its arguments, but got a null pointer");
  if (function->abi_version != RNNRT_ABI_VERSION)
    return failedPrecondition("the module was compiled for runtime ABI version %d, but this runtime has version %d; "
                              "recompile the module",
                              function->abi_version, RNNRT_ABI_VERSION);
  if (count != function->num_inputs)
    return invalidArgument("`%s` expects %lld argument(s), but got %d", function->name, (long long)function->num_inputs,
                           count);
  const size_t numOutputs = size_t(function->num_outputs);
  std::vector<rnnrt_tensor_t> inputs(count);
  std::vector<Any> scalars(count);
  std::vector<const rnnrt_tensor_t *> inputList(count);
  Outputs outputs{std::vector<rnnrt_tensor_t>(numOutputs), {}};
  std::vector<rnnrt_tensor_t *> outputList(numOutputs);
  const bool onGpu = function->flags & RNNRT_FUNCTION_DEVICE_MEMORY;
  DLDevice device = {onGpu ? cudaDevice : hostDevice, onGpu ? -1 : 0};
  for (int32_t index = 0; index < count; ++index) {
    RNNRT_TRY(toTensor(*function, index, arguments[index], inputs[index], scalars[index], device));
    inputList[index] = &inputs[index];
  }
  for (size_t index = 0; index < numOutputs; ++index)
    outputList[index] = &outputs.tensors[index];
  thread_local ThreadCalls threadCalls;
  rnnrt_call_t *call = nullptr;
  if (onGpu) {
    device.id = device.id < 0 ? 0 : device.id; // a function without tensors
    RNNRT_TRY(threadCalls.getOnStream(device.id, currentStream(device), call));
  } else {
    device.id = 0;
    RNNRT_TRY(threadCalls.getHost(call));
  }
  function->entry(call, inputList.data(), count, outputList.data(), function->num_outputs);
  Status status(rnnrt_status_clone(rnnrt_call_status(call)));
  rnnrt_call_reset(call);
  RNNRT_TRY(std::move(status));
  outputs.values.reserve(numOutputs);
  for (size_t index = 0; index < numOutputs; ++index) {
    Any value = {};
    RNNRT_TRY(toResult(function->outputs[index], outputs.tensors[index], device, value));
    outputs.values.push_back(value);
  }
  if (numOutputs > 1)
    return toArray(outputs.values, result);
  if (numOutputs == 1) {
    result = outputs.values.front();
    outputs.values.clear(); // the caller owns it
  }
  return Status();
}

} // namespace

extern "C" int32_t rnnrt_abi_tvm_ffi_call(const rnnrt_function_t *function, const void *arguments, int32_t count,
                                          void *result) {
  Any value = {};
  const Status status = guarded([&] { return run(function, static_cast<const Any *>(arguments), count, value); });
  if (result)
    *static_cast<Any *>(result) = value;
  return status.ok() ? 0 : raise(status.get());
}
