//===- Cells.h - the cells of stacks, by mode -*- C++ -*-===//
//
// Maps the values of a cell to lists in the order of the parameters. The equations are those of rnn/Codegen/Cells.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_CELLS_H
#define RNN_LIB_CONVERSION_RNNTOGPU_CELLS_H

#include "rnn/Codegen/Cells/LSTM.h"
#include "rnn/Codegen/GPU/Activations.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

namespace mlir::rnn {

/// A cell of the cudnn ops.
class Cell {
public:
  /// Results of a step.
  struct Step {
    SmallVector<Value> gates; ///< in the order of the parameters; rnn_*: the argument
    Value cell;               ///< lstm
    Value linear;             ///< gru: q = R_n h' + bR_n
    Value h;
    Value cellTanh; ///< lstm; null: `stepBack` computes it
  };
  struct Gradients {
    SmallVector<Value> inputs; ///< of the gate arguments' parts from the input
    SmallVector<Value> states; ///< of their parts from the state; empty: the same
    Value cell;                ///< of the previous cell
    Value h;                   ///< of the previous state, without the GEMM's part; null: none
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
