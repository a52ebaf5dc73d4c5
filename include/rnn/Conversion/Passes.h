//===- Passes.h - dialect conversions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_PASSES_H
#define RNN_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "rnn/Target/Options.h"

namespace mlir::rnn {

#define GEN_PASS_DECL
#include "rnn/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rnn/Conversion/Passes.h.inc"

} // namespace mlir::rnn

#endif // RNN_CONVERSION_PASSES_H
