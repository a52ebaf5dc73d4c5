// CudnnWeights.h - where cuDNN keeps each matrix and bias in its opaque parameter buffer: asked for, never assumed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNWEIGHTS_H
#define RNNRT_CUDNN_CUDNNWEIGHTS_H

#include "cudnn/CudnnContext.h"

namespace rnnrt::cudnn {

/// Offsets in bytes, in the canonical order of semantics 3.5: weights pseudo layer by pseudo layer (the projection last
/// in each), then biases.
struct WeightLayout {
  struct Region {
    int64_t offset, bytes;
  };
  std::vector<Region> regions;
  int64_t bytes = 0; ///< of the whole buffer
  bool dense = true; ///< the regions fill the buffer

  bool operator==(const WeightLayout &other) const;

  /// Asks cuDNN, and checks that every answer has the type, the shape and a place of its own that the problem implies.
  /// `stream` serves for an allocation when cuDNN wants a real buffer to answer.
  static Status query(CudnnContext &context, const RnnProblem &problem, RnnDescriptor descriptor, Handle handle,
                      cuda::CUstream stream, WeightLayout &layout);

private:
  Status ask(CudnnContext &context, const RnnProblem &problem, RnnDescriptor descriptor, Handle handle,
             const void *base);
  Status judge();
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNWEIGHTS_H
