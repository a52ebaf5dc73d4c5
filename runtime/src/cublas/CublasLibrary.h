// CublasLibrary.h - cuBLASLt, loaded at first use: the addresses of its functions, and its failures as statuses.
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
  /// The library that RNNRT_CUBLASLT_PATH or the search finds: of CUDA 13 where the driver is of that version or a
  /// later one, else of CUDA 12. UNAVAILABLE, with every name that was tried, when there is none, when a function is
  /// missing, or when it is of another version. Successes are kept; a failure is tried again.
  static Status load(int driverVersion, std::shared_ptr<const CublasLibrary> &library);

  /// As 130002 for 13.0.2.
  size_t version() const { return number; }
  std::string versionText() const;

  /// The failure of `what`, a function's name, with cuBLASLt's name of it.
  Status check(Result result, const char *what) const;

private:
  friend LoadedLibrary;
  Status start();

  size_t number = 0;
};

/// The code that a result becomes.
rnnrt_status_code_t statusCode(Result result);

} // namespace rnnrt::cublas

#endif // RNNRT_CUBLAS_CUBLASLIBRARY_H
