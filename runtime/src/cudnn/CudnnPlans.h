// CudnnPlans.h - plans of a CUDA device that cuDNN runs. cuDNN is loaded by the first of them, not with the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNPLANS_H
#define RNNRT_CUDNN_CUDNNPLANS_H

#include "core/Plan.h"

#include <memory>

namespace rnnrt::cuda {
class CudaDevice;
}

namespace rnnrt::cudnn {

/// UNAVAILABLE without a cuDNN 9 that knows the element type; OUT_OF_RANGE for sizes beyond 32 bits.
Status createCudnnPlan(const std::shared_ptr<cuda::CudaDevice> &device, const RnnProblem &problem,
                       std::shared_ptr<Plan> &plan);

/// UNIMPLEMENTED, always, with the reason: the block ops are for compiled kernels.
Status createCudnnPlan(const std::shared_ptr<cuda::CudaDevice> &device, const BlockProblem &problem,
                       std::shared_ptr<Plan> &plan);

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNPLANS_H
