// CudnnPlans.h - plans of a CUDA device that run on cuDNN. The first plan loads cuDNN.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNPLANS_H
#define RNNRT_CUDNN_CUDNNPLANS_H

#include "core/Plan.h"

#include <memory>

namespace rnnrt::cuda {
class CudaDevice;
}

namespace rnnrt::cudnn {

/// Returns UNAVAILABLE if there is no cuDNN 9 that supports the element type, and OUT_OF_RANGE for sizes beyond 32
/// bits.
Status createCudnnPlan(const std::shared_ptr<cuda::CudaDevice> &device, const RnnProblem &problem,
                       std::shared_ptr<Plan> &plan);

/// Always returns UNIMPLEMENTED, with the reason: compiled kernels implement the block LSTM.
Status createCudnnPlan(const std::shared_ptr<cuda::CudaDevice> &device, const BlockProblem &problem,
                       std::shared_ptr<Plan> &plan);

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNPLANS_H
