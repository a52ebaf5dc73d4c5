//===- Wavefront.h - when the layers of a stack run as a wavefront -*- C++ -*-===//
//
// The rule that fused kernels and the cost model share (docs/internals/wavefront.md).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_WAVEFRONT_H
#define RNN_TARGET_WAVEFRONT_H

#include <cstdint>

namespace mlir::rnn {

struct WavefrontRule {
  // Estimates, not measured. A chunk costs a launch per layer and the time to load the weights again, about 6 us, and
  // L - 1 chunks pass before all layers run. The sum is least for sqrt(8 T / (L - 1)) steps, at 0.75 us each: 64 steps
  // of 512 for two layers, 37 for four.
  static constexpr int64_t leastChunk = 32, mostChunk = 64, enoughSteps = 2 * leastChunk;
  static constexpr int64_t chunksPerLayer = 4, mostLayers = 4; ///< chunks: 4 * min(L, 4)
};

} // namespace mlir::rnn

#endif // RNN_TARGET_WAVEFRONT_H
