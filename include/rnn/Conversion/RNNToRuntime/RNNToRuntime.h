//===- RNNToRuntime.h - convert rnn ops to runtime plans -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RNNTORUNTIME_RNNTORUNTIME_H
#define RNN_CONVERSION_RNNTORUNTIME_RNNTORUNTIME_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Adds patterns that convert each op in memref form with lowering `runtime` to a plan and its steps. Dynamic
/// dimensions are checked by `rnnrt.expect_equal` before the first step.
void populateRNNToRuntimePatterns(RewritePatternSet &patterns, PatternBenefit benefit = 1);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RNNTORUNTIME_RNNTORUNTIME_H
