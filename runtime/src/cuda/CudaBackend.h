// CudaBackend.h - the devices `cuda` and `cuda:N`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDABACKEND_H
#define RNNRT_CUDA_CUDABACKEND_H

#include "core/Backend.h"

namespace rnnrt {

extern const BackendKind cudaKind;

namespace cuda {
class CudaDevice;

/// The GPU of a device `cuda`; null for a device of another kind.
CudaDevice *cudaDevice(const Backend &backend);
} // namespace cuda

} // namespace rnnrt

#endif // RNNRT_CUDA_CUDABACKEND_H
