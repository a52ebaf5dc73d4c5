// CublasLibrary.h - cuBLASLt, loaded at first use: its function table, and conversion of its errors to statuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUBLAS_CUBLASLIBRARY_H
#define RNNRT_CUBLAS_CUBLASLIBRARY_H

#include "core/LoadedLibrary.h"
#include "cublas/CublasApi.h"

#include <memory>
#include <string>

namespace rnnrt::cublas {

/// Immutable, shared by all devices of the process, and never unloaded.
class CublasLibrary : public LoadedLibrary<CublasLibrary, CublasApi> {
public:
  /// Loads the library that RNNRT_CUBLASLT_PATH or the search finds: of CUDA 13 if the driver supports it, else of CUDA
  /// 12. Returns UNAVAILABLE, with all paths tried, if there is none, if a function is missing, or if its version is
  /// not supported. Success is cached; after a failure, the next call retries.
  static Status load(int driverVersion, std::shared_ptr<const CublasLibrary> &library);

  /// E.g. 130002 for 13.0.2.
  size_t version() const { return number; }
  std::string versionText() const;

  /// Converts the result of function `what` to a status, with cuBLASLt's name of the error.
  Status check(Result result, const char *what) const;

private:
  friend LoadedLibrary;
  Status start();

  size_t number = 0;
};

/// Returns the status code of a library result.
rnnrt_status_code_t statusCode(Result result);

} // namespace rnnrt::cublas

#endif // RNNRT_CUBLAS_CUBLASLIBRARY_H
