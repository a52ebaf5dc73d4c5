// CudaImages.h - the targets of GPU code images, and the selection of images for a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_CUDAIMAGES_H
#define RNNRT_CUDA_CUDAIMAGES_H

#include "core/Status.h"
#include "rnn_runtime/module.h"

#include <string>
#include <vector>

namespace rnnrt::cuda {

/// The target of an image.
struct ImageTarget {
  bool isText = false;       ///< PTX
  int computeCapability = 0; ///< e.g. 90; 0: unknown
  char suffix = 0;           ///< `a`: this chip only, `f`: its family, 0: also later chips

  /// Returns e.g. "PTX for sm_80".
  std::string describe() const;
  /// Returns true if code for this target runs on compute capability `device`, or if the target is unknown.
  bool fits(int device) const;
};

/// Returns INVALID_ARGUMENT, with the index of the image, if it is not GPU code or its chip is invalid.
Status readImageTarget(const rnnrt_image_t &image, int64_t index, ImageTarget &target);

/// Returns the indices of the images that run on `device`, best first.
std::vector<int64_t> chooseImages(const std::vector<ImageTarget> &targets, int device);

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_CUDAIMAGES_H
