// Driver.h - the CUDA driver, loaded at first use: its function table, and conversion of its errors to statuses.
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
  /// Loads and initializes the driver that RNNRT_CUDA_PATH or the search finds. Returns UNAVAILABLE, with all paths
  /// tried, if there is none, if a function is missing, or if there is no GPU. Success is cached; after a failure, the
  /// next call retries.
  static Status load(std::shared_ptr<const Driver> &driver);

  int version() const { return number; }

  /// Converts the result of function `what` to a status: "cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable ...)".
  Status check(CUresult result, const char *what) const;

private:
  friend LoadedLibrary;
  Status start();

  int number = 0;
};

/// Returns the status code of a driver result.
rnnrt_status_code_t statusCode(CUresult result);

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_DRIVER_H
