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
#include "rnn/Dialect/RNN/Transforms/Passes.h"
#include "rnn/Pipelines/Pipelines.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/Selection/Passes.h"

namespace mlir::rnn {

/// Registers the passes and pipelines of this project for flags and textual pipelines.
inline void registerAllPasses() {
  registerRNNPasses();
  registerRNNCommonPasses();
  registerRNNSelectionPasses();
  registerPipelines();
  registerRNNConversionPasses();
}

} // namespace mlir::rnn

#endif // RNN_INITALLPASSES_H
