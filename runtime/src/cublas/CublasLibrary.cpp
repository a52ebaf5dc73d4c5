// CublasLibrary.cpp - finds and loads cuBLASLt, and checks its version.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cublas/CublasLibrary.h"
#include "cuda/LibraryVersion.h"

using namespace rnnrt;
using namespace rnnrt::cublas;

static constexpr const char *variable = "RNNRT_CUBLASLT_PATH";

Status CublasLibrary::load(int driverVersion, std::shared_ptr<const CublasLibrary> &library) {
  LibraryQuery query;
  query.what = "cuBLASLt";
  query.variable = variable;
  query.names = {"libcublasLt.so.12"};
  query.wheelDirectories = {"nvidia/cublas/lib"};
  if (driverVersion >= 13000) {
    query.names.insert(query.names.begin(), "libcublasLt.so.13");
    query.wheelDirectories.insert(query.wheelDirectories.begin(), "nvidia/cu13/lib");
  }
  query.directories = {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"};
  return LoadedLibrary::load(query, library);
}

Status CublasLibrary::start() {
  number = api().cublasLtGetVersion();
  if (number / 10000 != 12 && number / 10000 != 13)
    return unavailable("cuBLASLt 12 or 13 is needed, but `%s` is version %s; set %s to a libcublasLt.so.13",
                       path().c_str(), versionText().c_str(), variable);
  return Status();
}

std::string CublasLibrary::versionText() const {
  return cuda::libraryVersionText(number, /*since=*/100000);
}

rnnrt_status_code_t cublas::statusCode(Result result) {
  switch (result) {
  case Result::Success:
    return RNNRT_STATUS_OK;
  case Result::NotInitialized:
    return RNNRT_STATUS_UNAVAILABLE;
  case Result::AllocFailed:
    return RNNRT_STATUS_RESOURCE_EXHAUSTED;
  case Result::NotSupported:
  case Result::ArchMismatch:
    return RNNRT_STATUS_UNIMPLEMENTED;
  default:
    // Includes invalid values: the runtime has checked every parameter, so that they are internal errors.
    return RNNRT_STATUS_INTERNAL;
  }
}

Status CublasLibrary::check(Result result, const char *what) const {
  if (result == Result::Success)
    return Status();
  const char *name = api().cublasLtGetStatusName(result);
  const std::string message = std::string(what) + " of cuBLASLt " + versionText() +
                              " failed: " + (name ? name : "unknown") + " (" + std::to_string(uint32_t(result)) + ")";
  return Status(rnnrt_status_create(statusCode(result), message.c_str()));
}
