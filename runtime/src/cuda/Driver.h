// Driver.h - the CUDA driver, loaded at first use: the addresses of its functions, and its failures as statuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_DRIVER_H
#define RNNRT_CUDA_DRIVER_H

#include "core/LoadedLibrary.h"
#include "cuda/DriverApi.h"

#include <memory>
#include <string>

namespace rnnrt::cuda {

/// Immutable, shared by all devices of the process, and never unloaded: the driver keeps threads of its own.
class Driver : public LoadedLibrary<Driver, DriverApi> {
public:
  /// The driver that RNNRT_CUDA_PATH or the search finds, initialized. UNAVAILABLE, with every name that was tried,
  /// when there is none, when a function is missing, or when it finds no GPU. Successes are kept; a failure is tried
  /// again.
  static Status load(std::shared_ptr<const Driver> &driver);

  int version() const { return number; }

  /// The failure of `what`, a function's name: "cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device ...)".
  Status check(CUresult result, const char *what) const;

private:
  friend LoadedLibrary;
  Status start();

  int number = 0;
};

/// The code that a result becomes.
rnnrt_status_code_t statusCode(CUresult result);

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_DRIVER_H
