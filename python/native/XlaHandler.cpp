// XlaHandler.cpp - the handlers of XLA's foreign function interface that serve every compiled layer, on the CPU and on
// CUDA. They have no state: the module, as text or as the name of a prebuilt one, is an attribute of the call, so that
// a program that was exported runs in another process. On CUDA, calls run on XLA's stream with XLA's scratch memory,
// and never wait. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include "rnn_runtime/layout.h"
#include "xla/ffi/api/ffi.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <sys/mman.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ffi = xla::ffi;

namespace {

//===-- Devices and calls ----------------------------------------------------------------------------------------===//

/// Takes ownership of `status`; "" for success.
std::string messageOf(rnnrt_status_t status) {
  std::string message = status ? rnnrt_status_message(status) : "";
  rnnrt_status_release(status);
  return message;
}

/// A device that the process keeps.
struct Device {
  rnnrt_device_t *handle = nullptr;
  int32_t capability = 0; ///< compute capability; 0 unless it is a GPU
};

/// The device of this name; without a handle after a failure. The next call then tries again.
Device getDevice(const std::string &name, std::string &error) {
  static std::mutex mutex;
  static auto &devices = *new std::unordered_map<std::string, Device>();
  std::lock_guard<std::mutex> guard(mutex);
  Device &device = devices[name];
  if (device.handle)
    return device;
  rnnrt_device_t *made = nullptr;
  rnnrt_device_properties_t properties;
  error = messageOf(rnnrt_device_create(name.c_str(), nullptr, &made));
  if (error.empty())
    error = messageOf(rnnrt_device_properties(made, &properties));
  if (error.empty())
    device = {made, properties.compute_capability};
  else
    rnnrt_device_release(made);
  return device;
}

/// The targets of compiled modules. Cuda is that of XLA's platform CUDA; Simt runs its kernels on the emulator, for
/// tests.
enum Target { Host, Cuda, Simt, numTargets };
constexpr const char *targetNames[] = {"host", "cuda", "simt"};

/// XLA runs independent calls, and those of several devices, at the same time: one call object per thread.
template <Target target> class ThreadCall {
public:
  ThreadCall() {
    std::string ignored;
    if (rnnrt_device_t *device = getDevice(targetNames[target], ignored).handle)
      rnnrt_status_release(rnnrt_call_create(device, nullptr, nullptr, &call));
  }
  ~ThreadCall() { rnnrt_call_release(call); }
  static rnnrt_call_t *get() {
    thread_local ThreadCall current;
    return current.call;
  }

private:
  rnnrt_call_t *call = nullptr;
};

/// What the functions of XLA need.
struct Execution {
  const XLA_FFI_Api *api;
  XLA_FFI_ExecutionContext *context;
};

/// The memory of XLA's allocator, of which XLA reserves most of the GPU's memory. ffi::ScratchAllocator frees
/// everything at the end of the call; here, buffers are reused within it.
rnnrt_allocator_t makeAllocator(Execution &execution) {
  return {[](void *user, size_t alignment, size_t bytes) -> void * {
            auto &execution = *static_cast<Execution *>(user);
            XLA_FFI_DeviceMemory_Allocate_Args args = {
                XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE, nullptr, execution.context, bytes, alignment, nullptr};
            if (XLA_FFI_Error *error = execution.api->XLA_FFI_DeviceMemory_Allocate(&args)) {
              ffi::internal::DestroyError(execution.api, error);
              return nullptr;
            }
            return args.data;
          },
          [](void *user, void *pointer, size_t, size_t bytes) {
            auto &execution = *static_cast<Execution *>(user);
            XLA_FFI_DeviceMemory_Free_Args args = {XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE, nullptr,
                                                   execution.context, bytes, pointer};
            if (XLA_FFI_Error *error = execution.api->XLA_FFI_DeviceMemory_Free(&args))
              ffi::internal::DestroyError(execution.api, error);
          },
          &execution};
}

//===-- Modules --------------------------------------------------------------------------------------------------===//

/// Writes the path of the compiled library of `module` for `device`, such as host or cuda:1, to `answer` and returns 0,
/// or a message and returns 1.
using Resolver = int (*)(const char *module, const char *device, char *answer, int size);
Resolver resolver = nullptr;

/// Returns the ordinal of the first GPU that this process uses.
int (*firstGpu)() = nullptr;

/// A function that a program of this process calls. GPUs of one compute capability have one library, which is never
/// unloaded.
struct Known {
  std::string module, name;
  std::map<int32_t, const rnnrt_function_t *> functions; ///< by compute capability, 0 for other devices
  const rnnrt_function_t *forward;                       ///< of a gradient: the training pass; else null
};
std::shared_mutex knownMutex;
std::unordered_map<int64_t, Known> known[numTargets]; // by the key in the attributes

const rnnrt_function_t *findFunction(const std::string &path, const std::string &name, std::string &error) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error = dlerror();
    return nullptr;
  }
  auto *exports = static_cast<const rnnrt_exports_t *>(dlsym(library, "rnn_exports"));
  if (!exports || exports->abi_version != rnnrt_abi_version()) {
    error = path + ": not compiled for this version of librnn_runtime";
    return nullptr;
  }
  for (int32_t k = 0; k < exports->num_functions; ++k)
    if (name == exports->functions[k]->name)
      return exports->functions[k];
  error = path + ": has no function " + name;
  return nullptr;
}

const rnnrt_function_t *findKnown(Target target, int64_t key, int32_t capability) {
  std::shared_lock<std::shared_mutex> guard(knownMutex);
  auto it = known[target].find(key);
  if (it == known[target].end())
    return nullptr;
  auto function = it->second.functions.find(capability);
  return function == it->second.functions.end() ? nullptr : function->second;
}

/// The training pass that writes the reserve space of the gradient `key`; null for other functions.
const rnnrt_function_t *findForward(Target target, int64_t key) {
  std::shared_lock<std::shared_mutex> guard(knownMutex);
  auto it = known[target].find(key);
  return it == known[target].end() ? nullptr : it->second.forward;
}

ffi::Error invalid(const std::string &message) {
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, "rnn-mlir: " + message);
}

/// The failure of a call; `status` is borrowed.
ffi::Error toError(rnnrt_status_t status) {
  const std::string message = std::string("rnn-mlir: ") + rnnrt_status_message(status);
  switch (rnnrt_status_code(status)) {
  case RNNRT_STATUS_OK:
    return ffi::Error::Success();
  case RNNRT_STATUS_FAILED_PRECONDITION:
    return ffi::Error(ffi::ErrorCode::kFailedPrecondition, message);
  case RNNRT_STATUS_RESOURCE_EXHAUSTED:
    return ffi::Error(ffi::ErrorCode::kResourceExhausted, message);
  case RNNRT_STATUS_UNAVAILABLE:
    return ffi::Error(ffi::ErrorCode::kUnavailable, message);
  case RNNRT_STATUS_UNIMPLEMENTED:
    return ffi::Error(ffi::ErrorCode::kUnimplemented, message);
  case RNNRT_STATUS_INTERNAL:
    return ffi::Error(ffi::ErrorCode::kInternal, message);
  default:
    return ffi::Error(ffi::ErrorCode::kInvalidArgument, message);
  }
}

/// Finds or compiles the module for a device.
ffi::Error resolve(Target target, const std::string &device, int32_t capability, std::string_view module,
                   std::string_view name, int64_t key) {
  {
    std::shared_lock<std::shared_mutex> guard(knownMutex);
    if (auto it = known[target].find(key); it != known[target].end()) {
      if (it->second.module != module || it->second.name != name)
        return invalid("two modules have one key");
      if (it->second.functions.count(capability))
        return ffi::Error::Success();
    }
  }
  if (!resolver)
    return invalid("this process cannot find compiled modules; import rnn_mlir.jax");
  std::string text(module), function(name), error;
  char answer[4096];
  if (resolver(text.c_str(), device.c_str(), answer, sizeof(answer))) // acquires the GIL: no lock is held here
    return invalid(answer);
  const rnnrt_function_t *found = findFunction(answer, function, error);
  if (!found)
    return invalid(error);
  const std::string gradient = "backward";
  const rnnrt_function_t *forward = nullptr;
  if (function.compare(0, gradient.size(), gradient) == 0)
    forward = findFunction(answer, "forward" + function.substr(gradient.size()), error);
  std::unique_lock<std::shared_mutex> guard(knownMutex);
  known[target].emplace(key, Known{text, function, {}, forward}).first->second.functions.emplace(capability, found);
  return ffi::Error::Success();
}

std::string nameOfGpu(int32_t ordinal) {
  return "cuda:" + std::to_string(ordinal);
}

ffi::Error unavailable(const std::string &message) {
  return ffi::Error(ffi::ErrorCode::kUnavailable, "rnn-mlir: " + message);
}

/// The handler of XLA's INSTANTIATE stage. It compiles the module, so that JAX reports errors when it compiles the
/// program, and no execution waits for our compiler. XLA does not say which GPU will run the program: the module is
/// compiled for the first GPU of this process.
template <Target target> ffi::Error instantiate(std::string_view module, std::string_view name, int64_t key, int64_t) {
  if (target != Cuda)
    return resolve(target, targetNames[target], 0, module, name, key);
  std::string error;
  const std::string gpu = nameOfGpu(firstGpu ? firstGpu() : 0);
  const Device device = getDevice(gpu, error);
  return device.handle ? resolve(Cuda, gpu, device.capability, module, name, key) : unavailable(error);
}

/// Runs before an execution on a GPU: compiles the module if the GPU has another compute capability than the first one,
/// and loads its code the first time, so that no execution waits for the driver.
ffi::Error initialize(int32_t ordinal, std::string_view module, std::string_view name, int64_t key, int64_t,
                      ffi::RemainingArgs, ffi::RemainingRets) {
  static std::mutex mutex;
  static auto &loaded = *new std::set<std::pair<int32_t, const rnnrt_function_t *>>();
  std::string error;
  const Device device = getDevice(nameOfGpu(ordinal), error);
  if (!device.handle)
    return unavailable(error);
  if (ffi::Error failure = resolve(Cuda, nameOfGpu(ordinal), device.capability, module, name, key); failure.failure())
    return failure;
  const rnnrt_function_t *function = findKnown(Cuda, key, device.capability);
  {
    std::lock_guard<std::mutex> guard(mutex);
    if (loaded.count({ordinal, function}))
      return ffi::Error::Success();
  }
  if (rnnrt_status_t status = rnnrt_function_load(function, device.handle)) {
    ffi::Error failure = toError(status);
    rnnrt_status_release(status);
    return failure;
  }
  std::lock_guard<std::mutex> guard(mutex);
  loaded.emplace(ordinal, function);
  return ffi::Error::Success();
}

ffi::Error initializeMembers(int32_t ordinal, std::string_view module, std::string_view name, int64_t key,
                             int64_t reserve, int64_t, int64_t, int64_t, ffi::RemainingArgs operands,
                             ffi::RemainingRets results) {
  return initialize(ordinal, module, name, key, reserve, operands, results);
}

template <Target target>
ffi::Error instantiateMembers(std::string_view module, std::string_view name, int64_t key, int64_t reserve, int64_t,
                              int64_t, int64_t) {
  return instantiate<target>(module, name, key, reserve);
}

ffi::Error instantiateSeparate(std::string_view module, std::string_view name, int64_t key, int64_t reserve, int64_t,
                               int64_t, int64_t, int64_t) {
  return instantiate<Host>(module, name, key, reserve);
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

int32_t getDtype(ffi::DataType type) {
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

constexpr size_t maxOperands = 32;

/// XLA allocates results in every execution. Large ones are fresh memory of the system, which takes fewer page faults
/// with huge pages.
void useHugePages(ffi::AnyBuffer buffer) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t large = 4 << 20, page = 4096;
  auto address = reinterpret_cast<uintptr_t>(buffer.untyped_data());
  uintptr_t first = (address + page - 1) / page * page, end = (address + buffer.size_bytes()) / page * page;
  if (buffer.size_bytes() >= large)
    madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE); // a failure has no consequence
#endif
}

/// The calls of members, such as models with parameters of their own: bit k of `shared` is set for an operand k that
/// they share. Other operands and the results have a leading dimension. `parallel`: each member has one thread.
struct Batch {
  int64_t members = 0, shared = 0, parallel = 0; ///< no members: one call, whose tensors have no such dimension
};

/// Tensors of parameters in buffers of their own: `count` operands from `first` on, in the order of the flat array,
/// with `perLayer` of them for each layer and direction. A gradient has one more result for each, after `first` others.
struct Separate {
  int64_t first = 0, count = 0, perLayer = 0; ///< no tensors: the parameters are one flat array
  int64_t isGradient = 0;

  bool fits(size_t numOperands, size_t numResults) const {
    if (!count)
      return !isGradient;
    const auto operands = static_cast<int64_t>(numOperands), results = static_cast<int64_t>(numResults);
    return first >= 0 && count > 0 && (perLayer == 4 || perLayer == 5) && count % perLayer == 0 &&
           first + count <= operands && (!isGradient || (isGradient == 1 && results == first + count));
  }
};

/// Separate tensors as one buffer that extends over all of them, and a table of their offsets in it.
struct SeparateBuffer {
  rnnrt_tensor_t buffer, table;

  template <typename Get> ffi::Error set(const Separate &separate, Get get) {
    constexpr int64_t columns = rnn_layout::numParamsTensors;
    const int64_t matrices = separate.perLayer - 2, layers = separate.count / separate.perLayer;
    offsets.assign(layers * columns, 0);
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
      offsets[index] = static_cast<int64_t>((addressOf(k) - begin) / size);
    }
    const int64_t elements = static_cast<int64_t>((end - begin) / size), shape[] = {layers, columns};
    buffer = rnnrt_tensor_make(reinterpret_cast<void *>(begin), dtype, 1, &elements);
    table = rnnrt_tensor_make(offsets.data(), RNNRT_DTYPE_I64, 2, shape);
    return ffi::Error::Success();
  }

private:
  std::vector<int64_t> offsets;
};

/// Memory of a device until the end of the scope.
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

/// A function with its arguments: the operands of a call, then its results, which are memrefs of the caller. With
/// members, those of member 0.
class BoundFunction {
public:
  /// Returns an error if the module of `key` was not resolved for the compute capability, or the arguments are not
  /// those of a layer. Separate tensors have no members.
  ffi::Error bind(Target target, int32_t capability, int64_t key, int64_t reserve, const Batch &batch,
                  const Separate &separate, ffi::RemainingArgs &operands, ffi::RemainingRets &results) {
    function = findKnown(target, key, capability);
    if (!function)
      return invalid("the module was not instantiated");
    const size_t first = separate.first, numTensors = separate.count;
    if (!separate.fits(operands.size(), results.size()))
      return invalid("wrong numbers of parameters");
    // At most two buffers and two tables replace the tensors.
    if (operands.size() + results.size() - numTensors * (1 + separate.isGradient) + 4 > maxOperands)
      return invalid("too many operands");
    for (size_t k = 0; k < operands.size(); ++k) {
      if (numTensors && k == first) {
        if (ffi::Error error = params.set(separate, [&](size_t n) { return *operands.get<ffi::AnyBuffer>(first + n); });
            error.failure())
          return error;
        add(params.buffer);
        add(params.table);
        k += numTensors - 1;
        continue;
      }
      ffi::AnyBuffer buffer = *operands.get<ffi::AnyBuffer>(k);
      if (getDtype(buffer.element_type()) == RNNRT_DTYPE_I8)
        reserveIndex = count;
      add(buffer, reserve, batch.members > 0 && !(batch.shared >> k & 1));
    }
    auto getResult = [&](size_t k) -> ffi::AnyBuffer { return **results.get<ffi::AnyBuffer>(k); };
    for (size_t k = 0; target == Host && k < results.size(); ++k)
      useHugePages(getResult(k));
    if (separate.isGradient) {
      if (ffi::Error error = gradients.set(separate, [&](size_t n) { return getResult(first + n); }); error.failure())
        return error;
      add(gradients.table);
    }
    for (size_t k = 0, end = separate.isGradient ? first : results.size(); k < end; ++k)
      add(getResult(k), reserve, batch.members > 0);
    if (separate.isGradient)
      add(gradients.buffer);
    return ffi::Error::Success();
  }

  /// Calls the function, once for every member.
  ffi::Error run(rnnrt_call_t *call, const Batch &batch) const {
    invoke(call, *function, tensors, strides, count, batch);
    return finish(call);
  }

  /// The same for host memory. If the function is a gradient whose reserve space another call wrote, runs the forward
  /// pass first, which writes the right one. XLA divides a reserve space like an array, but a call writes it as a
  /// whole: it does not fit if the program of the gradient divides the batch in another way.
  ffi::Error runOnHost(rnnrt_call_t *call, Target target, int64_t key, const Batch &batch) const {
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
    // The operands of the gradient begin with those of the forward pass and its results, without the reserve space.
    rnnrt_tensor_t again[maxOperands];
    int64_t againStrides[maxOperands];
    for (size_t k = 0; k < used; ++k) {
      const size_t source = k + 1 < used ? k : reserve;
      again[k] = tensors[source];
      againStrides[k] = strides[source];
      if (!(forward->inputs[k].flags & RNNRT_ARGUMENT_WRITTEN))
        continue;
      const int64_t bytes = batch.members > 0 ? strides[source] * batch.members
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

private:
  /// Bytes are a reserve space: the buffer is [B, row] and may be larger than the `reserve` bytes that are used.
  void add(ffi::AnyBuffer buffer, int64_t reserve, bool hasMembers) {
    int32_t dtype = getDtype(buffer.element_type());
    auto dims = buffer.dimensions();
    const int64_t *shape = dims.begin() + hasMembers;
    auto rank = static_cast<int32_t>(dims.size() - hasMembers);
    if (dtype == RNNRT_DTYPE_I8)
      shape = &reserve, rank = 1;
    tensors[count] = rnnrt_tensor_make(buffer.untyped_data(), dtype, rank, shape);
    strides[count++] = hasMembers && dims[0] ? static_cast<int64_t>(buffer.size_bytes()) / dims[0] : 0;
  }
  void add(const rnnrt_tensor_t &tensor) {
    tensors[count] = tensor;
    strides[count++] = 0;
  }

  static void invoke(rnnrt_call_t *call, const rnnrt_function_t &function, const rnnrt_tensor_t *tensors,
                     const int64_t *strides, size_t count, const Batch &batch) {
    const rnnrt_tensor_t *pointers[maxOperands];
    for (size_t k = 0; k < count; ++k)
      pointers[k] = &tensors[k];
    auto numArguments = static_cast<int64_t>(count);
    if (batch.members > 0)
      rnnrt_call_members(call, &function, pointers, strides, numArguments, batch.members, batch.parallel != 0);
    else
      function.entry(call, pointers, numArguments, nullptr, 0);
  }

  static ffi::Error finish(rnnrt_call_t *call) {
    ffi::Error error = toError(rnnrt_call_status(call));
    rnnrt_call_reset(call); // plans return to the cache
    return error;
  }

  const rnnrt_function_t *function = nullptr;
  rnnrt_tensor_t tensors[maxOperands];
  int64_t strides[maxOperands]; ///< bytes from member to member; 0 for what the members share
  size_t count = 0;
  size_t reserveIndex = 0; ///< of a gradient's reserve space; 0: none
  SeparateBuffer params, gradients;
};

ffi::Error noCall(Target target) {
  return invalid(std::string("cannot create a call on device `") + targetNames[target] + "`");
}

/// The target of copies: the bytes of all operands, one after the other, become those of the results. They are tensors
/// of parameters and a flat array.
ffi::Error copy(ffi::RemainingArgs operands, ffi::RemainingRets results) {
  size_t next = 0, offset = 0; // in operand next
  for (size_t k = 0; k < results.size(); ++k) {
    ffi::AnyBuffer result = **results.get<ffi::AnyBuffer>(k);
    auto *target = static_cast<char *>(result.untyped_data());
    for (size_t left = result.size_bytes(); left > 0;) {
      if (next == operands.size())
        return invalid("a copy with more bytes in its results than in its operands");
      ffi::AnyBuffer operand = *operands.get<ffi::AnyBuffer>(next);
      size_t bytes = std::min(left, operand.size_bytes() - offset);
      std::memcpy(target, static_cast<const char *>(operand.untyped_data()) + offset, bytes);
      target += bytes, left -= bytes, offset += bytes;
      if (offset == operand.size_bytes())
        ++next, offset = 0;
    }
  }
  return ffi::Error::Success();
}

/// The call on tensors in host memory.
template <Target target>
ffi::Error call(int64_t key, int64_t reserve, const Batch &batch, const Separate &separate,
                ffi::RemainingArgs &operands, ffi::RemainingRets &results) {
  BoundFunction function;
  if (ffi::Error error = function.bind(target, 0, key, reserve, batch, separate, operands, results); error.failure())
    return error;
  rnnrt_call_t *call = ThreadCall<target>::get();
  if (!call)
    return noCall(target);
  return function.runOnHost(call, target, key, batch);
}

/// The same on the stream of XLA.
ffi::Error callOnCuda(void *native, int32_t ordinal, Execution &execution, int64_t key, int64_t reserve,
                      const Batch &batch, ffi::RemainingArgs &operands, ffi::RemainingRets &results) {
  std::string error;
  const Device device = getDevice(nameOfGpu(ordinal), error);
  if (!device.handle)
    return unavailable(error);
  BoundFunction function;
  if (ffi::Error failure = function.bind(Cuda, device.capability, key, reserve, batch, Separate(), operands, results);
      failure.failure())
    return failure;
  // XLA's stream and allocator are valid in this execution only.
  struct Owned {
    ~Owned() {
      rnnrt_call_release(call);
      rnnrt_stream_release(stream);
    }
    rnnrt_stream_t *stream = nullptr;
    rnnrt_call_t *call = nullptr;
  } owned;
  const rnnrt_allocator_t allocator = makeAllocator(execution);
  error = messageOf(rnnrt_stream_borrow(device.handle, native, &allocator, &owned.stream));
  rnnrt_call_options_t options;
  rnnrt_call_options_init(&options);
  options.host_waits = RNNRT_HOST_WAITS_REFUSED;
  if (error.empty())
    error = messageOf(rnnrt_call_create(device.handle, owned.stream, &options, &owned.call));
  return error.empty() ? function.run(owned.call, batch) : invalid(error);
}

using Text = std::string_view;

template <Target target>
ffi::Error execute(Text, Text, int64_t key, int64_t reserve, ffi::RemainingArgs operands, ffi::RemainingRets results) {
  return call<target>(key, reserve, Batch(), Separate(), operands, results);
}
ffi::Error executeOnCuda(void *native, int32_t ordinal, Execution execution, Text, Text, int64_t key, int64_t reserve,
                         ffi::RemainingArgs operands, ffi::RemainingRets results) {
  return callOnCuda(native, ordinal, execution, key, reserve, Batch(), operands, results);
}
template <Target target>
ffi::Error executeMembers(Text, Text, int64_t key, int64_t reserve, int64_t members, int64_t shared, int64_t parallel,
                          ffi::RemainingArgs operands, ffi::RemainingRets results) {
  return call<target>(key, reserve, {members, shared, parallel}, Separate(), operands, results);
}
ffi::Error executeSeparate(Text, Text, int64_t key, int64_t reserve, int64_t first, int64_t count, int64_t perLayer,
                           int64_t isGradient, ffi::RemainingArgs operands, ffi::RemainingRets results) {
  return call<Host>(key, reserve, Batch(), {first, count, perLayer, isGradient}, operands, results);
}
ffi::Error executeMembersOnCuda(void *native, int32_t ordinal, Execution execution, Text, Text, int64_t key,
                                int64_t reserve, int64_t members, int64_t shared, int64_t parallel,
                                ffi::RemainingArgs operands, ffi::RemainingRets results) {
  return callOnCuda(native, ordinal, execution, key, reserve, {members, shared, parallel}, operands, results);
}

} // namespace

/// Passes the context itself to a handler.
template <> struct xla::ffi::CtxDecoding<Execution> {
  using Type = Execution;
  static std::optional<Type> Decode(const XLA_FFI_Api *api, XLA_FFI_ExecutionContext *context, DiagnosticEngine &) {
    return Execution{api, context};
  }
};

#define RNN_MLIR_ATTRIBUTES                                                                                            \
  Attr<std::string_view>("module").Attr<std::string_view>("function").Attr<int64_t>("key").Attr<int64_t>("reserve")
#define RNN_MLIR_MEMBERS RNN_MLIR_ATTRIBUTES.Attr<int64_t>("members").Attr<int64_t>("shared").Attr<int64_t>("parallel")
#define RNN_MLIR_SEPARATE                                                                                              \
  RNN_MLIR_ATTRIBUTES.Attr<int64_t>("first")                                                                           \
      .Attr<int64_t>("tensors")                                                                                        \
      .Attr<int64_t>("tensors_per_layer")                                                                              \
      .Attr<int64_t>("is_gradient")
#define RNN_MLIR_HANDLER(suffix, instantiate, function, context, attributes)                                           \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(rnn_mlir_xla_instantiate##suffix, instantiate,                                         \
                                ffi::Ffi::BindInstantiate().attributes);                                               \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(rnn_mlir_xla_execute##suffix, function,                                                \
                                ffi::Ffi::Bind() context.attributes.RemainingArgs().RemainingRets())
#define RNN_MLIR_HANDLERS(suffix, target, function, membersFunction, context)                                          \
  RNN_MLIR_HANDLER(suffix, instantiate<target>, function, context, RNN_MLIR_ATTRIBUTES);                               \
  RNN_MLIR_HANDLER(suffix##_members, instantiateMembers<target>, membersFunction, context, RNN_MLIR_MEMBERS)
RNN_MLIR_HANDLERS(, Host, execute<Host>, executeMembers<Host>, );
RNN_MLIR_HANDLER(_separate, instantiateSeparate, executeSeparate, , RNN_MLIR_SEPARATE);
RNN_MLIR_HANDLERS(_simt, Simt, execute<Simt>, executeMembers<Simt>, );
RNN_MLIR_HANDLERS(_cuda, Cuda, executeOnCuda, executeMembersOnCuda,
                  .Ctx<ffi::PlatformStream<void *>>().Ctx<ffi::DeviceOrdinal>().Ctx<Execution>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    rnn_mlir_xla_initialize_cuda, initialize,
    ffi::Ffi::BindInitialize().Ctx<ffi::DeviceOrdinal>().RNN_MLIR_ATTRIBUTES.RemainingArgs().RemainingRets());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    rnn_mlir_xla_initialize_cuda_members, initializeMembers,
    ffi::Ffi::BindInitialize().Ctx<ffi::DeviceOrdinal>().RNN_MLIR_MEMBERS.RemainingArgs().RemainingRets());
XLA_FFI_DEFINE_HANDLER_SYMBOL(rnn_mlir_xla_copy, copy, ffi::Ffi::Bind().RemainingArgs().RemainingRets());

extern "C" RNNRT_API void rnn_mlir_xla_set_callbacks(void *newResolver, void *newFirstGpu) {
  resolver = reinterpret_cast<Resolver>(newResolver);
  firstGpu = reinterpret_cast<int (*)()>(newFirstGpu);
}
