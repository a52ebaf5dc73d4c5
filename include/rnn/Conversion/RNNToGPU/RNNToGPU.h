//===- RNNToGPU.h - rnn ops to GPU kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RNNTOGPU_RNNTOGPU_H
#define RNN_CONVERSION_RNNTOGPU_RNNTOGPU_H

#include "mlir/IR/PatternMatch.h"
#include "rnn/Codegen/GPU/KernelOptions.h"
#include "rnn/Target/Options.h"
#include <optional>

namespace mlir::rnn {

struct RNNToGPUOptions {
  KernelOptions kernels;
  LargeGemms largeGemms = LargeGemms::Kernel;
  /// Time steps of a chunk of the wavefront of a stack; 0: none, -1: see chooseWavefront.
  int64_t wavefrontChunk = 0;
};

/// Adds patterns that turn each block LSTM and cudnn op in memref form with lowering `fused` into `gpu.launch` ops and
/// the loop over time around them. Dynamic dimensions are checked by `rnnrt.expect_equal` before the first launch.
void populateRNNToGPUPatterns(RewritePatternSet &patterns, const RNNToGPUOptions &options = {},
                              PatternBenefit benefit = 1);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RNNTOGPU_RNNTOGPU_H
