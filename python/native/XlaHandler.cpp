// XlaHandler.cpp - the handler of XLA's foreign function interface that serves every compiled layer. It has no state:
// the module, as text or as the name of a prebuilt one, is an attribute of the call, so that a program that was
// exported runs in another process. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"
#include "xla/ffi/api/ffi.h"

#include <dlfcn.h>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace ffi = xla::ffi;

namespace {

rnnrt_device_t *getHostDevice() {
  static rnnrt_device_t *device = [] {
    rnnrt_device_t *created = nullptr;
    if (rnnrt_status_t status = rnnrt_device_create("host", nullptr, &created))
      rnnrt_status_release(status);
    return created;
  }();
  return device;
}

/// XLA runs independent calls, and those of several devices, at the same time: one call object per thread.
class ThreadCall {
public:
  ThreadCall() {
    if (rnnrt_status_t status = rnnrt_call_create(getHostDevice(), nullptr, nullptr, &call))
      rnnrt_status_release(status);
  }
  ~ThreadCall() { rnnrt_call_release(call); }
  static rnnrt_call_t *get() {
    thread_local ThreadCall current;
    return current.call;
  }

private:
  rnnrt_call_t *call = nullptr;
};

/// Writes the path of the compiled library of `module` to `answer` and returns 0, or a message and returns 1.
using Resolver = int (*)(const char *module, char *answer, int size);
Resolver resolver = nullptr;

/// A function that a program of this process calls; its library is never unloaded.
struct Known {
  std::string module, name;
  const rnnrt_function_t *function;
};
std::shared_mutex knownMutex;
std::unordered_map<int64_t, Known> known; // by the key in the attributes

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

const Known *findKnown(int64_t key) {
  std::shared_lock<std::shared_mutex> guard(knownMutex);
  auto it = known.find(key); // entries stay, and references to them stay valid
  return it == known.end() ? nullptr : &it->second;
}

ffi::Error invalid(const std::string &message) {
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, "rnn-mlir: " + message);
}

/// Runs when XLA makes the executable: finds or compiles the module, so that its errors appear there, and no call waits
/// for the compiler.
ffi::Error instantiate(std::string_view module, std::string_view name, int64_t key, int64_t) {
  if (const Known *found = findKnown(key)) {
    if (found->module == module && found->name == name)
      return ffi::Error::Success();
    return invalid("two modules have one key");
  }
  if (!resolver)
    return invalid("this process cannot find compiled modules; import rnn_mlir.jax");
  std::string text(module), function(name), error;
  char answer[4096];
  if (resolver(text.c_str(), answer, sizeof(answer))) // acquires the GIL: no lock is held here
    return invalid(answer);
  const rnnrt_function_t *found = findFunction(answer, function, error);
  if (!found)
    return invalid(error);
  std::unique_lock<std::shared_mutex> guard(knownMutex);
  known.emplace(key, Known{text, function, found});
  return ffi::Error::Success();
}

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

/// Bytes are a reserve space: the buffer is [B, row] and may be larger than the `reserve` bytes that are used.
rnnrt_tensor_t makeTensor(ffi::AnyBuffer buffer, int64_t reserve) {
  int32_t dtype = getDtype(buffer.element_type());
  if (dtype == RNNRT_DTYPE_I8)
    return rnnrt_tensor_make(buffer.untyped_data(), dtype, 1, &reserve);
  auto dims = buffer.dimensions();
  return rnnrt_tensor_make(buffer.untyped_data(), dtype, static_cast<int32_t>(dims.size()), dims.begin());
}

/// Calls the function with all operands, then all results, which are memrefs of the caller.
ffi::Error execute(std::string_view, std::string_view, int64_t key, int64_t reserve, ffi::RemainingArgs arguments,
                   ffi::RemainingRets results) {
  const Known *found = findKnown(key);
  if (!found)
    return invalid("the module was not instantiated");
  constexpr size_t maxOperands = 32;
  rnnrt_tensor_t tensors[maxOperands];
  const rnnrt_tensor_t *pointers[maxOperands];
  size_t count = 0;
  if (arguments.size() + results.size() > maxOperands)
    return invalid("too many operands");
  for (size_t k = 0; k < arguments.size(); ++k)
    tensors[count++] = makeTensor(*arguments.get<ffi::AnyBuffer>(k), reserve);
  for (size_t k = 0; k < results.size(); ++k)
    tensors[count++] = makeTensor(**results.get<ffi::AnyBuffer>(k), reserve);
  for (size_t k = 0; k < count; ++k)
    pointers[k] = &tensors[k];
  rnnrt_call_t *call = ThreadCall::get();
  if (!call)
    return invalid("cannot create a call on device `host`");
  found->function->entry(call, pointers, static_cast<int64_t>(count), nullptr, 0);
  std::string message;
  if (rnnrt_status_t status = rnnrt_call_status(call))
    message = rnnrt_status_message(status);
  rnnrt_call_reset(call); // plans return to the cache
  return message.empty() ? ffi::Error::Success() : invalid(message);
}

} // namespace

#define RNN_MLIR_ATTRIBUTES                                                                                            \
  Attr<std::string_view>("module").Attr<std::string_view>("function").Attr<int64_t>("key").Attr<int64_t>("reserve")
XLA_FFI_DEFINE_HANDLER_SYMBOL(rnn_mlir_xla_instantiate, instantiate, ffi::Ffi::BindInstantiate().RNN_MLIR_ATTRIBUTES);
XLA_FFI_DEFINE_HANDLER_SYMBOL(rnn_mlir_xla_execute, execute,
                              ffi::Ffi::Bind().RNN_MLIR_ATTRIBUTES.RemainingArgs().RemainingRets());

extern "C" RNNRT_API void rnn_mlir_xla_set_resolver(void *function) {
  resolver = reinterpret_cast<Resolver>(function);
}
