//===- Cells.h - the arithmetic of cells -*- C++ -*-===//
//
// What a cell computes for one column of one example, between the products: from the arguments of its gates to its
// state, and from the gradient of its state to those of the arguments. Equations: the ops' descriptions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_CELLS_H
#define RNN_LIB_CONVERSION_RNNTOGPU_CELLS_H

#include "rnn/Codegen/GPU/Emitter.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

namespace mlir::rnn {

/// One value for each gate of an LSTM: input, cell, forget, output.
struct LSTMGates {
  Value i, g, f, o;
};

/// Weights by which the cell adds to the gates' arguments; null where there are none.
struct Peephole {
  Value i, f, o;
};

/// An LSTM's gates, its cell `c`, u = tanh(c), and its state.
struct LSTMStep {
  LSTMGates gates;
  Value c, u, h;
};

/// `clip`: largest amount of the cell; 0: none.
LSTMStep stepLSTM(const Emitter &e, const LSTMGates &arguments, Value cellBefore, const Peephole &peephole = {},
                  double clip = 0);
/// Gradients of the gates' arguments. `dc`: the cell's gradient from outside, replaced by that of the cell before.
LSTMGates stepBackLSTM(const Emitter &e, const LSTMGates &gates, Value u, Value cellBefore, Value dh, Value &dc,
                       const Peephole &peephole = {});

/// A cell of the cudnn ops.
class Cell {
public:
  /// What stands in one place after a step.
  struct Step {
    SmallVector<Value> gates; ///< in the order of the parameters; rnn_*: the argument
    Value cell;               ///< lstm
    Value linear;             ///< gru: the new gate's part that comes from the state, with its bias
    Value h;
  };
  struct Gradients {
    SmallVector<Value> inputs; ///< of the gates' arguments where they come from the input
    SmallVector<Value> states; ///< and where they come from the state; empty: the same
    Value cell;                ///< of the cell before
    Value h;                   ///< of the state before, other than by the products; null: none
  };

  static std::unique_ptr<Cell> create(CellMode mode);
  virtual ~Cell() = default;

  virtual int64_t getNumGates() const { return 1; }
  virtual bool isLSTM() const { return false; }
  virtual bool isGRU() const { return false; }
  /// `inputs`, `states`: the parts of the gates' arguments.
  virtual Step step(const Emitter &e, ArrayRef<Value> inputs, ArrayRef<Value> states, Value hBefore,
                    Value cellBefore) const = 0;
  virtual Gradients stepBack(const Emitter &e, const Step &saved, Value hBefore, Value cellBefore, Value dh,
                             Value dc) const = 0;
};

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_CELLS_H
