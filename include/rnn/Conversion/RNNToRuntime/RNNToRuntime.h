//===- RNNToRuntime.h - rnn ops to plans of the runtime -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RNNTORUNTIME_RNNTORUNTIME_H
#define RNN_CONVERSION_RNNTORUNTIME_RNNTORUNTIME_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Adds patterns that turn each op in memref form with lowering `runtime` into a plan and its steps; other ops are left
/// alone. Dimensions that are not known yet are checked by `rnnrt.expect_equal` before the first step.
void populateRNNToRuntimePatterns(RewritePatternSet &patterns, PatternBenefit benefit = 1);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RNNTORUNTIME_RNNTORUNTIME_H
