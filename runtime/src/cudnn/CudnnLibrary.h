// CudnnLibrary.h - cuDNN, loaded at first use: its function table, its version, and conversion of its errors to
// statuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNLIBRARY_H
#define RNNRT_CUDNN_CUDNNLIBRARY_H

#include "core/LoadedLibrary.h"
#include "cudnn/CudnnApi.h"

#include <memory>
#include <string>

namespace rnnrt::cudnn {

/// Immutable, shared by all devices of the process, and never unloaded: cuDNN owns threads and device code.
class CudnnLibrary : public LoadedLibrary<CudnnLibrary, CudnnApi> {
public:
  /// Loads the library that RNNRT_CUDNN_PATH or the search finds. Returns UNAVAILABLE, with all paths tried, if there
  /// is none, if a function is missing, or if it is not cuDNN 9. Success is cached; after a failure, the next call
  /// retries.
  static Status load(std::shared_ptr<const CudnnLibrary> &library);

  /// E.g. 91900 for 9.19.0.
  size_t version() const { return number; }
  std::string versionText() const;

  /// Returns UNAVAILABLE if this version, or the compute capability (e.g. 90), does not support RNNs of this element
  /// type.
  Status checkElementType(int32_t dtype, int computeCapability) const;

  /// Converts the result of function `what` to a status, with cuDNN's name of the error and its last error message.
  /// Call it in the thread that received `result`, before any other cuDNN function.
  Status check(Result result, const char *what) const;

private:
  friend LoadedLibrary;
  Status start();

  size_t number = 0;
};

/// Returns the status code of a library result.
rnnrt_status_code_t statusCode(Result result);

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNLIBRARY_H
