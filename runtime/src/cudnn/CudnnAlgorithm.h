// CudnnAlgorithm.h - selects the cuDNN algorithm of a problem.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNALGORITHM_H
#define RNNRT_CUDNN_CUDNNALGORITHM_H

#include "cudnn/CudnnDescriptors.h"

namespace rnnrt::cudnn {

/// The device properties that the selection depends on. The selection is deterministic: a backward pass, possibly in
/// another plan or process, must use the algorithm that wrote the reserve space.
struct DeviceInfo {
  int computeCapability = 0; ///< e.g. 90 for 9.0
  int multiprocessors = 0;
};

/// Returns the preferred algorithm for sequences of equal length; cuDNN may still not support it. Sequences of
/// different lengths always use `standard`: the persistent algorithms reject them (pytorch#73211).
RnnAlgo preferredAlgorithm(const RnnProblem &problem, const DeviceInfo &device);

/// Preferences of the environment: RNNRT_CUDNN_ALGO names an algorithm, RNNRT_TF32=1 allows TF32 GEMMs for f32,
/// RNNRT_CUDNN_PACKED=1 describes sequences of one length as packed.
struct Preferences {
  bool forced = false; ///< `algorithm` comes from RNNRT_CUDNN_ALGO
  RnnAlgo algorithm = RnnAlgo::Standard;
  bool tf32 = false;
  bool packed = false;

  /// Returns INVALID_ARGUMENT for an unknown value.
  static Status read(Preferences &preferences);
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNALGORITHM_H
