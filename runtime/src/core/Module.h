// Module.h - the interface of a backend for module.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_MODULE_H
#define RNNRT_CORE_MODULE_H

#include "core/Status.h"
#include "rnn_runtime/module.h"

/// The opaque type of the C API is the base of all kernels. Thread-safe.
struct rnnrt_kernel {
  rnnrt_kernel() = default;
  virtual ~rnnrt_kernel() = default;
  rnnrt_kernel(const rnnrt_kernel &) = delete;

  virtual rnnrt::Status launch(const rnnrt_stream_t *stream, const rnnrt_launch_t &launch, void *const *arguments) = 0;
  virtual rnnrt::Status maxClusters(const rnnrt_launch_t &launch, int64_t &clusters) = 0;
  virtual rnnrt_kernel_properties_t properties() const = 0;
};

namespace rnnrt {

class Module {
public:
  Module() = default;
  virtual ~Module() = default;
  Module(const Module &) = delete;

  /// Valid as long as the module.
  virtual Status kernel(const char *name, rnnrt_kernel *&kernel) = 0;
  /// Index of the image that was loaded.
  virtual int64_t image() const = 0;
};

} // namespace rnnrt

#endif // RNNRT_CORE_MODULE_H
