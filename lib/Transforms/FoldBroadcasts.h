//===- FoldBroadcasts.h - elementwise ops of fewer elements -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_FOLDBROADCASTS_H
#define RNN_LIB_TRANSFORMS_FOLDBROADCASTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// A pattern for ops that read the result of a broadcast: they read its operand. Unlike fusion, the other users of the
/// broadcast do not matter: repeating it costs nothing. Contractions and convolutions keep their form.
void populateFoldBroadcastPatterns(RewritePatternSet &patterns);

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_FOLDBROADCASTS_H
