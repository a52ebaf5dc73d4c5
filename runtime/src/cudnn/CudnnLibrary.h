// CudnnLibrary.h - cuDNN, loaded at first use: the addresses of its functions, its version, and its failures as
// statuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNLIBRARY_H
#define RNNRT_CUDNN_CUDNNLIBRARY_H

#include "core/LoadedLibrary.h"
#include "cudnn/CudnnApi.h"

#include <memory>
#include <string>

namespace rnnrt::cudnn {

/// Immutable, shared by all devices of the process, and never unloaded: cuDNN keeps threads and device code of its own.
class CudnnLibrary : public LoadedLibrary<CudnnLibrary, CudnnApi> {
public:
  /// The library that RNNRT_CUDNN_PATH or the search finds. UNAVAILABLE, with every name that was tried, when there is
  /// none, when a function is missing, or when it is not cuDNN 9. Successes are kept; a failure is tried again.
  static Status load(std::shared_ptr<const CudnnLibrary> &library);

  /// As 91900 for 9.19.0.
  size_t version() const { return number; }
  std::string versionText() const;

  /// UNAVAILABLE when this version, or a device of this compute capability (as 90), has no RNN of this element type.
  Status checkElementType(int32_t dtype, int computeCapability) const;

  /// The failure of `what`, a function's name, with cuDNN's name of it and its own last words. Call it in the thread
  /// that got `result`, before any other function of cuDNN.
  Status check(Result result, const char *what) const;

private:
  friend LoadedLibrary;
  Status start();

  size_t number = 0;
};

/// The code that a result becomes.
rnnrt_status_code_t statusCode(Result result);

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNLIBRARY_H
