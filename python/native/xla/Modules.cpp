// Modules.cpp - the devices and compiled modules of this process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Modules.h"

#include <dlfcn.h>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

using namespace rnn_xla;

//===-- Errors ---------------------------------------------------------------------------------------------------===//

std::string rnn_xla::messageOf(rnnrt_status_t status) {
  std::string message = status ? rnnrt_status_message(status) : "";
  rnnrt_status_release(status);
  return message;
}

ffi::Error rnn_xla::toError(rnnrt_status_t status) {
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

ffi::Error rnn_xla::invalid(const std::string &message) {
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, "rnn-mlir: " + message);
}

ffi::Error rnn_xla::unavailable(const std::string &message) {
  return ffi::Error(ffi::ErrorCode::kUnavailable, "rnn-mlir: " + message);
}

//===-- Callbacks of Python --------------------------------------------------------------------------------------===//

/// Writes the path of the compiled library of `module` for `device`, such as host or cuda:1, to `answer` and returns 0,
/// or a message and returns 1.
using Resolver = int (*)(const char *module, const char *device, char *answer, int size);
static Resolver resolver = nullptr;

/// Returns the ordinal of the first GPU that this process uses.
static int (*firstGpu)() = nullptr;

/// The version of XLA's interface for which this library was compiled: 1000 * major + minor.
extern "C" RNNRT_API int rnn_mlir_xla_api_version() {
  return 1000 * XLA_FFI_API_MAJOR + XLA_FFI_API_MINOR;
}

extern "C" RNNRT_API void rnn_mlir_xla_set_callbacks(void *newResolver, void *newFirstGpu) {
  resolver = reinterpret_cast<Resolver>(newResolver);
  firstGpu = reinterpret_cast<int (*)()>(newFirstGpu);
}

//===-- Devices --------------------------------------------------------------------------------------------------===//

Device rnn_xla::getDevice(const std::string &name, std::string &error) {
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

std::string rnn_xla::nameOfGpu(int32_t ordinal) {
  return "cuda:" + std::to_string(ordinal);
}

std::string rnn_xla::nameOfFirstGpu() {
  return nameOfGpu(firstGpu ? firstGpu() : 0);
}

//===-- Modules --------------------------------------------------------------------------------------------------===//

namespace {
/// A function that a program of this process calls. GPUs of one compute capability have one library, which is never
/// unloaded.
struct Known {
  std::string module, name;
  std::map<int32_t, const rnnrt_function_t *> functions; ///< by compute capability, 0 for other devices
  const rnnrt_function_t *forward;                       ///< of a gradient: the training pass; else null
};
} // namespace

static std::shared_mutex knownMutex;
static std::unordered_map<int64_t, Known> known[numTargets]; // by the key in the attributes

static const rnnrt_function_t *findExport(const std::string &path, const std::string &name, std::string &error) {
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

const rnnrt_function_t *rnn_xla::findFunction(Target target, int64_t key, int32_t capability) {
  std::shared_lock<std::shared_mutex> guard(knownMutex);
  auto it = known[target].find(key);
  if (it == known[target].end())
    return nullptr;
  auto function = it->second.functions.find(capability);
  return function == it->second.functions.end() ? nullptr : function->second;
}

const rnnrt_function_t *rnn_xla::findForward(Target target, int64_t key) {
  std::shared_lock<std::shared_mutex> guard(knownMutex);
  auto it = known[target].find(key);
  return it == known[target].end() ? nullptr : it->second.forward;
}

ffi::Error rnn_xla::resolve(Target target, const std::string &device, int32_t capability, std::string_view module,
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
  const rnnrt_function_t *found = findExport(answer, function, error);
  if (!found)
    return invalid(error);
  const std::string gradient = "backward";
  const rnnrt_function_t *forward = nullptr;
  if (function.compare(0, gradient.size(), gradient) == 0)
    forward = findExport(answer, "forward" + function.substr(gradient.size()), error);
  std::unique_lock<std::shared_mutex> guard(knownMutex);
  known[target].emplace(key, Known{text, function, {}, forward}).first->second.functions.emplace(capability, found);
  return ffi::Error::Success();
}
