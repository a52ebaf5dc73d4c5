// CudnnWeights.h - the offset of each matrix and bias in cuDNN's opaque parameter buffer, queried from cuDNN.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNWEIGHTS_H
#define RNNRT_CUDNN_CUDNNWEIGHTS_H

#include "cudnn/CudnnContext.h"

namespace rnnrt::cudnn {

/// Regions of the parameter buffer in canonical order (docs/Semantics.md, "Parameter layout"): the weights of each
/// pseudo layer, with the projection last, then the biases.
struct WeightLayout {
  struct Region {
    int64_t offset, bytes;
  };
  std::vector<Region> regions;
  int64_t bytes = 0; ///< of the whole buffer
  bool dense = true; ///< the regions cover the buffer without gaps

  bool operator==(const WeightLayout &other) const;

  /// Queries cuDNN, and checks that each region has the expected type and shape and that regions do not overlap. If
  /// cuDNN requires a real buffer, it is allocated on `stream`.
  static Status query(CudnnContext &context, const RnnProblem &problem, RnnDescriptor descriptor, Handle handle,
                      cuda::CUstream stream, WeightLayout &layout);

private:
  Status queryRegions(CudnnContext &context, const RnnProblem &problem, RnnDescriptor descriptor, Handle handle,
                      const void *base);
  Status checkRegions();
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNWEIGHTS_H
