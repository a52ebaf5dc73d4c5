//===- RNNToGPU.h - rnn ops to GPU kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RNNTOGPU_RNNTOGPU_H
#define RNN_CONVERSION_RNNTOGPU_RNNTOGPU_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Adds patterns that turn each block LSTM op in memref form with lowering `fused` into `gpu.launch` ops and the loop
/// over time that launches them; other ops are left alone. Dimensions that are not known yet are checked by
/// `rnnrt.expect_equal` before the first launch.
void populateRNNToGPUPatterns(RewritePatternSet &patterns, PatternBenefit benefit = 1);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RNNTOGPU_RNNTOGPU_H
