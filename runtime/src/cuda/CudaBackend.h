// CudaBackend.h - the devices `cuda` and `cuda:N`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDABACKEND_H
#define RNNRT_CUDA_CUDABACKEND_H

#include "core/Backend.h"

namespace rnnrt {

/// `detail` is the ordinal of the GPU, null for the first one. Loads the driver.
Status createCudaBackend(const char *detail, const rnnrt_device_options_t &options, std::unique_ptr<Backend> &backend);

} // namespace rnnrt

#endif // RNNRT_CUDA_CUDABACKEND_H
