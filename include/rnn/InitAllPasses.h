//===- InitAllPasses.h - registration of our passes for tools -*- C++ -*-===//
//
// For tools and embedders. Nothing under lib/Dialect or lib/Conversion includes it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_INITALLPASSES_H
#define RNN_INITALLPASSES_H

#include "rnn/Conversion/Passes.h"

namespace mlir::rnn {

/// Registers every pass of ours, so that its flag and textual pipelines know it.
inline void registerAllPasses() {
  registerRNNConversionPasses();
}

} // namespace mlir::rnn

#endif // RNN_INITALLPASSES_H
