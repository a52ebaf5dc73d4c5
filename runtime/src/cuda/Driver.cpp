// Driver.cpp - finds, loads and initializes the CUDA driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/Driver.h"

using namespace rnnrt;
using namespace rnnrt::cuda;

Status Driver::load(std::shared_ptr<const Driver> &driver) {
  LibraryQuery query;
  query.what = "the CUDA driver";
  query.version = "a CUDA driver of version 12.0 or later";
  query.variable = "RNNRT_CUDA_PATH";
  query.names = {"libcuda.so.1"};
  // The driver is part of the system, not of CUDA. Containers and WSL install it in folders that the loader may not
  // search.
  query.directories = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                       "/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"};
  return LoadedLibrary::load(query, driver);
}

Status Driver::start() {
  if (Status status = check(api().cuInit(0), "cuInit"); !status.ok()) {
    const std::string message =
        "the CUDA driver `" + path() + "` cannot be initialized: " + rnnrt_status_message(status.get());
    return Status(rnnrt_status_create(RNNRT_STATUS_UNAVAILABLE, message.c_str()));
  }
  return check(api().cuDriverGetVersion(&number), "cuDriverGetVersion");
}

rnnrt_status_code_t cuda::statusCode(CUresult result) {
  switch (uint32_t(result)) {
  case CUDA_SUCCESS:
    return RNNRT_STATUS_OK;
  case CUDA_ERROR_OUT_OF_MEMORY:
    return RNNRT_STATUS_RESOURCE_EXHAUSTED;
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_INVALID_SOURCE:
    return RNNRT_STATUS_INVALID_ARGUMENT;
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
  case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
  case CUDA_ERROR_INVALID_CLUSTER_SIZE:
  case CUDA_ERROR_NOT_SUPPORTED:
    return RNNRT_STATUS_UNIMPLEMENTED;
  case CUDA_ERROR_NOT_INITIALIZED:
  case CUDA_ERROR_DEINITIALIZED: // during process exit
  case CUDA_ERROR_STUB_LIBRARY:
  case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_DEVICE_NOT_LICENSED:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: // requires a newer driver
  case CUDA_ERROR_JIT_COMPILATION_DISABLED:
  case CUDA_ERROR_SYSTEM_NOT_READY:
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
  case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
  case CUDA_ERROR_MPS_CONNECTION_FAILED:
  case CUDA_ERROR_MPS_RPC_FAILURE:
  case CUDA_ERROR_MPS_SERVER_NOT_READY:
  case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
  case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
    return RNNRT_STATUS_UNAVAILABLE;
  }
  if (result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
    return RNNRT_STATUS_FAILED_PRECONDITION;
  return RNNRT_STATUS_INTERNAL;
}

Status Driver::check(CUresult result, const char *what) const {
  if (result == CUDA_SUCCESS)
    return Status();
  const char *name = nullptr, *text = nullptr;
  if (api().cuGetErrorName(result, &name) != CUDA_SUCCESS)
    name = nullptr;
  if (api().cuGetErrorString(result, &text) != CUDA_SUCCESS)
    text = nullptr;
  const std::string message = std::string(what) + " failed: " + (name ? name : "an error without a name") + " (" +
                              (text ? text : std::to_string(uint32_t(result))) + ")";
  return Status(rnnrt_status_create(statusCode(result), message.c_str()));
}
