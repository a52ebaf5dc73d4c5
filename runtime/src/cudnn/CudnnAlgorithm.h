// CudnnAlgorithm.h - which of cuDNN's algorithms a problem should use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNALGORITHM_H
#define RNNRT_CUDNN_CUDNNALGORITHM_H

#include "cudnn/CudnnDescriptors.h"

namespace rnnrt::cudnn {

/// What the choice may look at: the same device and problem give the same choice in every plan and process, so that a
/// reserve space written by one is read by the other with the same algorithm.
struct DeviceFacts {
  int computeCapability = 0; ///< 90 for 9.0
  int multiprocessors = 0;
};

/// The best algorithm for sequences of one length, as far as rules tell; it may still turn out to be unsupported.
/// Sequences of several lengths always use `standard`: the persistent ones refuse them (pytorch#73211).
RnnAlgo preferredAlgorithm(const RnnProblem &problem, const DeviceFacts &facts);

/// What the environment asks for: RNNRT_CUDNN_ALGO names an algorithm, and RNNRT_TF32=1 allows f32 products in TF32.
struct Wishes {
  bool forced = false;
  RnnAlgo algorithm = RnnAlgo::Standard;
  bool tf32 = false;

  /// INVALID_ARGUMENT for a value that nobody knows.
  static Status read(Wishes &wishes);
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNALGORITHM_H
