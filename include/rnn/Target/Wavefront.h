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

/// Steps of a chunk: T / (chunksPerLayer * min(L, mostLayers)), from leastChunk to mostChunk.
struct WavefrontRule {
  int64_t leastChunk, mostChunk, chunksPerLayer;

  static constexpr int64_t enoughSteps = 64, mostLayers = 4;

  /// `goesOn`: persistent kernels go on with the next chunk, for at most `mostLayers` layers. Estimates, not measured.
  ///
  /// L - 1 chunks pass before all layers run. A kernel that goes on needs 1 us per chunk, so that the sum is least for
  /// sqrt(1.3 T / (L - 1)) steps of 0.75 us: 26 steps of 512 for two layers and 15 for four. Otherwise a chunk costs a
  /// launch per layer, and of a persistent kernel the time to load the weights again, about 6 us: sqrt(8 T / (L - 1)),
  /// 64 and 37 steps.
  static constexpr WavefrontRule get(bool goesOn) {
    return goesOn ? WavefrontRule{16, 32, 8} : WavefrontRule{32, 64, 4};
  }
};

} // namespace mlir::rnn

#endif // RNN_TARGET_WAVEFRONT_H
