//===- InPlaceWeights.h - when loops do not pack weights -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_INPLACEWEIGHTS_H
#define RNN_TARGET_INPLACEWEIGHTS_H

#include <cstdint>

namespace mlir::rnn {

/// Compiled loops on the host multiply each row of each step by the recurrent weights. Packed weights are read faster,
/// most of all from L2, but packing takes as long as a few of these products, and as more of them if the weights exceed
/// the caches. Calls with at most max(fewest, min(most, 1 + weights / bytesOfProduct)) products read the weights in
/// place if these are dot products with rows of the weights; sums of rows do so for weights of twice the bytes.
/// Measured: benchmarks/results/2026-11-28-cascade-lake-few-steps.md.
struct InPlaceProducts {
  static constexpr int64_t fewest = 2;
  static constexpr int64_t most = 16;
  static constexpr int64_t bytesOfProduct = 1 << 19; ///< of the weights of a step if they were packed
};

} // namespace mlir::rnn

#endif // RNN_TARGET_INPLACEWEIGHTS_H
