//===- FoldBroadcasts.h - users of broadcasts read operands -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_FOLDBROADCASTS_H
#define RNN_LIB_TRANSFORMS_FOLDBROADCASTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Adds a pattern that makes the users of a broadcast read its operand instead of its result. Since this repeats no
/// work, the broadcast may have several users, unlike producers that upstream's fusion inlines. Contractions and
/// convolutions keep their operands: with fewer dimensions they would not match as such.
void populateFoldBroadcastPatterns(RewritePatternSet &patterns);

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_FOLDBROADCASTS_H
