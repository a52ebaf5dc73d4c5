//===- InPlaceWeights.h - when loops do not pack weights -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_INPLACEWEIGHTS_H
#define RNN_TARGET_INPLACEWEIGHTS_H

#include <algorithm>
#include <cstdint>

namespace mlir::rnn {

/// How many products of a row (of one step and example) and the recurrent weights a call may have so that compiled
/// loops on the host do not pack the weights. Packed weights are read faster, most of all from L2, but packing takes as
/// long as a few products, and as many more if the weights exceed the caches.
/// Measured: benchmarks/results/2026-11-28-cascade-lake-few-steps.md and 2026-11-28-zen4.md.
struct InPlaceProducts {
  static constexpr int64_t fewest = 2;
  static constexpr int64_t most = 16;
  /// Each further product needs weights that are larger by this much. If the loops add rows of the weights, instead of
  /// computing dot products with them, it needs twice as much, and there are at most half as many products.
  static constexpr int64_t bytesOfProduct = 1 << 19;

  /// The largest number of dot products for recurrent weights of `bytes` bytes, if they were packed.
  static constexpr int64_t getMost(int64_t bytes) { return std::clamp(1 + bytes / bytesOfProduct, fewest, most); }
};

} // namespace mlir::rnn

#endif // RNN_TARGET_INPLACEWEIGHTS_H
