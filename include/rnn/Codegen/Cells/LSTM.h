//===- LSTM.h - the LSTM cell -*- C++ -*-===//
//
// One step of one unit of one example (or a vector of units), between the GEMMs: from the arguments of the gates to the
// state, and from the gradient of the state to those of the arguments. Equations: docs/Semantics.md, "Block LSTM".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CELLS_LSTM_H
#define RNN_CODEGEN_CELLS_LSTM_H

#include "rnn/Codegen/Cells/CellBuilder.h"

namespace mlir::rnn {

/// One value for each gate: input, cell candidate, forget, output.
struct LSTMGates {
  Value i, g, f, o;
};

/// Weights by which the cell adds to the arguments of the gates; null without peephole.
struct Peephole {
  Value i, f, o;
};

/// Values of a forward step, in the order of computation.
enum class LSTMValue { I, G, F, Cell, CellTanh, O, H };

struct LSTMStep {
  LSTMGates gates;
  Value cell, cellTanh, h;
};

struct LSTMOptions {
  Peephole peephole;
  double forgetBias = 0;
  double clip = 0; ///< the cell is clipped to [-clip, clip]; 0 or less: not at all
};

/// Called with each value when it is computed, so that the caller can store it while it is in a register. Returns the
/// value that the step continues with, for example the cell before in a padded step.
using LSTMProducedFn = function_ref<Value(LSTMValue which, Value value)>;

/// `arguments`: of the gates, without the terms of the peephole weights and of the forget bias.
///
///     i = sigmoid(a_i [+ c' * wci])      g = tanh(a_g)      f = sigmoid(a_f + forget_bias [+ c' * wcf])
///     c = clip(i * g + f * c')           o = sigmoid(a_o [+ c * wco])           h = o * tanh(c)
LSTMStep stepLSTM(const CellBuilder &b, const LSTMGates &arguments, Value cellBefore, const LSTMOptions &options = {},
                  LSTMProducedFn produced = nullptr);

struct LSTMGradients {
  LSTMGates arguments; ///< of the gates
  Value cellBefore;    ///< of c'
};

/// `gates`, `cellTanh`, `cellBefore`: of the forward step. `dh`, `dc`: gradients of the step's h and c from outside.
///
///     do = o * (1 - o) * dh * tanh(c)    dc += (1 - tanh(c)^2) * dh * o [+ do * wco]
///     dg = (1 - g^2) * dc * i            df = f * (1 - f) * dc * c'             di = i * (1 - i) * dc * g
///     dc' = dc * f [+ di * wci + df * wcf]
LSTMGradients stepLSTMBackward(const CellBuilder &b, const LSTMGates &gates, Value cellTanh, Value cellBefore, Value dh,
                               Value dc, const Peephole &peephole = {});

} // namespace mlir::rnn

#endif // RNN_CODEGEN_CELLS_LSTM_H
