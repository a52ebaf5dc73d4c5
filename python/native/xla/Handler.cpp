// Handler.cpp - the handlers of XLA's foreign function interface that serve every compiled layer, on the CPU and on
// CUDA. They have no state: the module, as text or as the name of a prebuilt one, is an attribute of the call, so that
// a program that was exported runs in another process. On CUDA, calls run on XLA's stream with XLA's scratch memory,
// and never wait. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arguments.h"
#include "Returned.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

using namespace rnn_xla;

namespace {

//===-- Calls and memory -----------------------------------------------------------------------------------------===//

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

/// The handler of XLA's INSTANTIATE stage. It compiles the module, so that JAX reports errors when it compiles the
/// program, and no execution waits for our compiler. XLA does not say which GPU will run the program: the module is
/// compiled for the first GPU of this process.
template <Target target> ffi::Error instantiate(std::string_view module, std::string_view name, int64_t key, int64_t) {
  if (target != Cuda)
    return resolve(target, targetNames[target], 0, module, name, key);
  std::string error;
  const std::string gpu = nameOfFirstGpu();
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
  const rnnrt_function_t *function = findFunction(Cuda, key, device.capability);
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
                             int64_t reserve, Levels, Levels, int64_t, ffi::RemainingArgs operands,
                             ffi::RemainingRets results) {
  return initialize(ordinal, module, name, key, reserve, operands, results);
}

template <Target target>
ffi::Error instantiateMembers(std::string_view module, std::string_view name, int64_t key, int64_t reserve, Levels,
                              Levels, int64_t) {
  return instantiate<target>(module, name, key, reserve);
}

ffi::Error instantiateSeparate(std::string_view module, std::string_view name, int64_t key, int64_t reserve, int64_t,
                               int64_t, int64_t, int64_t) {
  return instantiate<Host>(module, name, key, reserve);
}

ffi::Error instantiateReturning(std::string_view module, std::string_view name, int64_t key) {
  return instantiate<Host>(module, name, key, 0);
}

//===-- Stages ---------------------------------------------------------------------------------------------------===//

ffi::Error noCall(Target target) {
  return invalid(std::string("cannot create a call on device `") + targetNames[target] + "`");
}

/// Copies the bytes of all operands, one after the other, to the results. Joins tensors of parameters to a flat array,
/// or splits one.
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
ffi::Error executeMembers(Text, Text, int64_t key, int64_t reserve, Levels members, Levels shared, int64_t parallel,
                          ffi::RemainingArgs operands, ffi::RemainingRets results) {
  return call<target>(key, reserve, {members, shared, parallel}, Separate(), operands, results);
}
ffi::Error executeSeparate(Text, Text, int64_t key, int64_t reserve, int64_t first, int64_t count, int64_t perLayer,
                           int64_t isGradient, ffi::RemainingArgs operands, ffi::RemainingRets results) {
  return call<Host>(key, reserve, Batch(), {first, count, perLayer, isGradient}, operands, results);
}
ffi::Error executeReturning(Text, Text, int64_t key, ffi::RemainingArgs operands, ffi::RemainingRets results) {
  const rnnrt_function_t *function = findFunction(Host, key, 0);
  if (!function)
    return invalid("the module was not instantiated");
  rnnrt_call_t *call = ThreadCall<Host>::get();
  return call ? runReturning(call, *function, operands, results) : noCall(Host);
}
ffi::Error executeMembersOnCuda(void *native, int32_t ordinal, Execution execution, Text, Text, int64_t key,
                                int64_t reserve, Levels members, Levels shared, int64_t parallel,
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

#define RNN_MLIR_FUNCTION Attr<std::string_view>("module").Attr<std::string_view>("function").Attr<int64_t>("key")
#define RNN_MLIR_ATTRIBUTES RNN_MLIR_FUNCTION.Attr<int64_t>("reserve")
#define RNN_MLIR_MEMBERS RNN_MLIR_ATTRIBUTES.Attr<Levels>("members").Attr<Levels>("shared").Attr<int64_t>("parallel")
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
RNN_MLIR_HANDLER(_returning, instantiateReturning, executeReturning, , RNN_MLIR_FUNCTION);
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
