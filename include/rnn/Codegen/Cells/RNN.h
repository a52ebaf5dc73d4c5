//===- RNN.h - the plain recurrent cell -*- C++ -*-===//
//
// One step of one unit of one example (or a vector of units), between the GEMMs. Equations: docs/Semantics.md,
// "cuDNN layers".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CELLS_RNN_H
#define RNN_CODEGEN_CELLS_RNN_H

#include "rnn/Codegen/Cells/CellBuilder.h"

namespace mlir::rnn {

enum class Activation { Relu, Tanh };

/// h = relu(a) or tanh(a). relu maps -0 to +0 and keeps NaN, as the runtime's plans do.
Value stepRNN(const CellBuilder &b, Activation activation, Value argument);

/// The gradient of the argument from that of h: dh * [h > 0] or dh * (1 - h^2).
Value stepRNNBackward(const CellBuilder &b, Activation activation, Value h, Value dh);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_CELLS_RNN_H
