// CudaImages.h - images of GPU code: what each was compiled for, and which fit a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDAIMAGES_H
#define RNNRT_CUDA_CUDAIMAGES_H

#include "core/Status.h"
#include "rnn_runtime/module.h"

#include <string>
#include <vector>

namespace rnnrt::cuda {

/// What an image was compiled for.
struct ImageTarget {
  bool isText = false;       ///< PTX
  int computeCapability = 0; ///< as 90; 0: not known
  char suffix = 0;           ///< `a`: this chip alone, `f`: its family, 0: later chips too

  /// "PTX for sm_80".
  std::string describe() const;
  /// True for a device with this compute capability, and when it is not known.
  bool fits(int device) const;
};

/// INVALID_ARGUMENT, with the number of the image, for what is no code or has a bad chip.
Status readImageTarget(const rnnrt_image_t &image, int64_t index, ImageTarget &target);

/// The numbers of those that fit, best first.
std::vector<int64_t> chooseImages(const std::vector<ImageTarget> &targets, int device);

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_CUDAIMAGES_H
