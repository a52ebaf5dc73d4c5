// CudnnLibrary.cpp - finds and loads cuDNN, and checks its version.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnLibrary.h"
#include "cuda/LibraryVersion.h"

using namespace rnnrt;
using namespace rnnrt::cudnn;

Status CudnnLibrary::load(std::shared_ptr<const CudnnLibrary> &library) {
  LibraryQuery query;
  query.what = "cuDNN 9";
  query.variable = "RNNRT_CUDNN_PATH";
  query.names = {"libcudnn.so.9"};
  query.wheelDirectories = {"nvidia/cudnn/lib"};
  query.directories = {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"};
  return LoadedLibrary::load(query, library);
}

Status CudnnLibrary::start() {
  number = api().cudnnGetVersion();
  if (number / 10000 != 9)
    return unavailable("cuDNN 9 is needed, but `%s` is version %s; set RNNRT_CUDNN_PATH to a libcudnn.so.9",
                       path().c_str(), versionText().c_str());
  return Status();
}

std::string CudnnLibrary::versionText() const {
  return cuda::libraryVersionText(number, /*since=*/90000);
}

Status CudnnLibrary::checkElementType(int32_t dtype, int computeCapability) const {
  if (dtype != RNNRT_DTYPE_BF16)
    return Status();
  // Earlier versions accept the descriptor and compute wrong or slow results (pytorch#164411).
  if (number < 91300)
    return unavailable("lowering `runtime` is not available for bf16 before cuDNN 9.13, and `%s` is version %s; use "
                       "`fused`",
                       path().c_str(), versionText().c_str());
  if (computeCapability < 80)
    return unavailable("lowering `runtime` is not available for bf16 before compute capability 8.0, and the device "
                       "has %d.%d; use another element type",
                       computeCapability / 10, computeCapability % 10);
  return Status();
}

rnnrt_status_code_t cudnn::statusCode(Result result) {
  switch (result) {
  case Result::Success:
    return RNNRT_STATUS_OK;
  case Result::BadParamMisalignedPointer:
    return RNNRT_STATUS_INVALID_ARGUMENT;
  case Result::NotSupportedIncompatibleCudaDriver:
  case Result::NotSupportedIncompatibleCudart:
  case Result::NotSupportedRuntimePrerequisiteMissing:
  case Result::NotSupportedSublibraryUnavailable:
    return RNNRT_STATUS_UNAVAILABLE;
  case Result::HostAllocationFailed:
  case Result::DeviceAllocationFailed:
    return RNNRT_STATUS_RESOURCE_EXHAUSTED;
  default:
    break;
  }
  switch (uint32_t(result) / 1000) {
  case 1: // not initialized, or parts of the library are missing or of different versions
    return RNNRT_STATUS_UNAVAILABLE;
  case 3:
    return RNNRT_STATUS_UNIMPLEMENTED;
  }
  // Includes category 2 (invalid parameters): the runtime has checked every parameter.
  return RNNRT_STATUS_INTERNAL;
}

Status CudnnLibrary::check(Result result, const char *what) const {
  if (result == Result::Success)
    return Status();
  char last[512] = "";
  api().cudnnGetLastErrorString(last, sizeof(last));
  last[sizeof(last) - 1] = 0;
  // Joins lines, since a status message is one line.
  std::string words;
  for (const char *at = last; *at; ++at)
    words += *at == '\n' || *at == '\r' || *at == '\t' ? ' ' : *at;
  const char *name = api().cudnnGetErrorString(result);
  std::string message = std::string(what) + " of cuDNN " + versionText() + " failed: " + (name ? name : "unknown") +
                        " (" + std::to_string(uint32_t(result)) + ")";
  if (!words.empty())
    message += ": " + words;
  return Status(rnnrt_status_create(statusCode(result), message.c_str()));
}
