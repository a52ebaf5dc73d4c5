//===- Passes.h - passes that select how rnn ops run -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_SELECTION_PASSES_H
#define RNN_TRANSFORMS_SELECTION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "rnn/Target/Options.h"

namespace mlir::rnn {

#define GEN_PASS_DECL
#include "rnn/Transforms/Selection/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rnn/Transforms/Selection/Passes.h.inc"

} // namespace mlir::rnn

#endif // RNN_TRANSFORMS_SELECTION_PASSES_H
