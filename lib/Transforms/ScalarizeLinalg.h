//===- ScalarizeLinalg.h - linalg ops without loops as scalar ops -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_SCALARIZELINALG_H
#define RNN_LIB_TRANSFORMS_SCALARIZELINALG_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Patterns that convert linalg ops without loops whose operands are known scalars (`tensor.from_elements`, constants)
/// to scalar ops, and fold extractions of their results.
void populateScalarizeLinalgPatterns(RewritePatternSet &patterns);

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_SCALARIZELINALG_H
