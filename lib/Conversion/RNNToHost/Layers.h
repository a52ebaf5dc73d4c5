//===- Layers.h - the time loops, and what a layer tells them -*- C++ -*-===//
//
// The loops are written once; a layer supplies its gates, its state, and one step forward and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOHOST_LAYERS_H
#define RNN_LIB_CONVERSION_RNNTOHOST_LAYERS_H

#include "Internal.h"

namespace mlir::rnn::host {

/// Sizes of one direction of a layer.
struct Problem {
  Value T, B, H;
  Value I;                        ///< columns of the layer's input
  Value P;                        ///< columns of the state: H, or fewer with a projection
  Value steps;                    ///< how many run
  Value panels, padded;           ///< of the hidden columns: panels, and the columns in them
  Value statePanels, statePadded; ///< the same of the state
  bool projected = false;         ///< the state is a product of what the cell makes

  /// Sets what follows from T, B, H, P.
  void finish(HostBuilder &b);
};

/// One vector of a panel, in one row: where it is in the tensors and in scratch.
struct Place {
  Value t, row, column; ///< of a tensor [T, B, H]
  Value mask;           ///< null in a full panel
  Value inPanel;        ///< first element in a panel of B rows
  Value inState;        ///< the same in panels of B rows, one for each panel of H
  Value padded;         ///< this step is past the end of the example; null where there are no lengths
  Value panel;          ///< its number among the panels
};

/// What the time loops ask about the layer that they run. A row of the gates' arguments has blocks of as many columns
/// as there are in the hidden panels. The products with the input and with the state each have blocks that follow each
/// other.
class Layer {
public:
  struct Blocks {
    int64_t first, count;
  };

  Layer(HostBuilder &b, Library &library) : b(b), library(library) {}
  virtual ~Layer() = default;

  HostBuilder &b;
  Library &library;
  Problem p;
  int64_t blocks = 0;
  Blocks input = {0, 0}, recurrent = {0, 0};
  Value isReverse; ///< from the last step to the first; null: never
  Value lengths;   ///< steps of each example; null: all

  /// The step that is done as number `s`.
  Value stepAt(Value s);
  /// Runs `body` for every vector of one panel of `columns` columns at step `t`. The code is there twice: with masks for
  /// a last panel that is not full.
  void forPlaces(Value columns, Value t, Value panel, function_ref<void(const Place &)> body);
  /// Step `t` begins as number `s`: what is the same for its rows is made here.
  virtual void startStep(Value s, Value t) {}
};

class ForwardLayer : public Layer {
public:
  using Layer::Layer;

  /// Packs the weights of the projection, where there is one, and the state before the first step into panels.
  virtual void start(Value packedP, Value h) = 0;
  /// Packs the weights of the input (unless it is skipped) and of the state: some panels of the hidden columns, of all blocks.
  virtual void packWeights(Value packedX, Value packedH, Value firstPanel, Value panels) = 0;
  /// Sums of the biases, a row of all blocks. Zero on entry.
  virtual void fillBias(Value bias) = 0;
  /// Rows of the layer's input as panels.
  virtual void packInput(Value row, Value rows, Value target) = 0;
  /// Where there is no product with the input but the input itself (null: nowhere), `addInput` adds its rows, `columns` of
  /// them from `column` on.
  virtual Value skipsInput() { return Value(); }
  virtual void addInput(Value row, Value rows, Value column, Value columns, Value gates, Value gatesRow) {}
  /// One step: from the gates' arguments to h, which the loop keeps. `before` loads the h of the step before.
  virtual Value step(const Place &at, ArrayRef<Value> arguments, function_ref<Value()> before) = 0;
  /// The new state of one panel is complete; `load` reads it.
  virtual void publish(Value t, Value panel, function_ref<Value(const Place &)> load) = 0;
};

/// Runs the time loop forward. Its scratch serves any number of layers, one after the other.
class ForwardLoop {
public:
  /// `maxInput` is the largest width of an input.
  ForwardLoop(ForwardLayer &layer, Value maxInput);
  void run();
  void release();

  Value h; ///< the state after `run`, in panels of B rows from element `hFinal` on
  Value hFinal;

private:
  /// Panels that a thread computes.
  struct Own {
    Value first, end;         ///< of the hidden columns
    Value firstState, endState;
    Value left;               ///< panels of the layer's input
  };

  void steps(const Team &team);
  void multiplyInput(const Own &own, Value row, Value rows);
  void step(const Team &team, const Own &own, Value s, Value gatesRow);
  void project(const Own &own, Value t, Value hSource, Value hTarget);
  void putState(Value value, Value place);

  ForwardLayer &layer;
  HostBuilder &b;
  Library &library;
  Value packedX, packedH, packedP, bias, gates, hidden;
  Value hLeft; ///< h as left operand: itself, or rounded
  Value leftSize;
  Value columns; ///< of a row of the gates' arguments
  Value stepsAtOnce, stateSize;
};

class BackwardLayer : public Layer {
public:
  using Layer::Layer;

  /// Packs the weights of the projection, for its transpose, and the gradient of the final state as panels.
  virtual void start(Value packedP, Value kh) = 0;
  /// Packs the weights of some panels of the state, for their transposes.
  virtual void packRecurrent(Value packedR, Value firstPanel, Value panels) = 0;
  /// Asks for what `outputGradient` and `step` will read in this row of a panel.
  virtual void fetch(const Place &row) {}
  /// The gradient that a step's state gets from outside.
  virtual Value outputGradient(const Place &at) = 0;
  /// One step back: from the gradient of h to those of the gates' arguments. What is returned is a part of the gradient of
  /// the state before; null: no other than the product.
  virtual Value step(const Place &at, Value gradient, MutableArrayRef<Value> gates) = 0;
};

/// Runs the time loop back, and the sums over time after it.
class BackwardLoop {
public:
  BackwardLoop(BackwardLayer &layer, bool wantsBias);
  /// Fills dG, the sums of the biases, and kh with the gradient of the state before the first step if it is wanted.
  void run(bool wantsState);
  void release();

  /// A part of a result, in rows of `width` elements.
  struct Block {
    Value buffer, width;
    Value row, rows, column, columns;
  };

  /// The gradient of the input by blocks: several threads call `store`, each for blocks of its own.
  /// `pack(target, first, count)` fills `target` with that many panels of weights from panel `first` on: the input's
  /// columns, each panel with a row for each column of the input's blocks.
  void inputs(function_ref<void(Value, Value, Value)> pack, function_ref<void(const Block &)> store);

  /// Rows of a matrix that belong to rows of panels.
  struct Left {
    Value matrix, firstRow, rows, firstOfPanels;
  };
  /// Panels of `rows` rows, `columns` of them from element `place` on.
  struct Right {
    Value panels, place, count;
  };
  /// Where a result in row major has the columns of the right side as they are: rows of `width` elements from `first`
  /// on.
  struct Rows {
    Value buffer, first, width;
  };
  /// Columns of a row of a block with `panels` panels: an odd number of them, which spreads the rows of a tile over the
  /// sets of a cache.
  Value rowWidth(Value panels);
  /// left^T * right by blocks, as above; `width` columns of the left side, whose parts belong to all `rows` of the
  /// panels. What can be is written to `result`, if there is one, at once and without `store`.
  void sums(ArrayRef<Left> lefts, Value width, const Right &right, function_ref<void(const Block &)> store,
            std::optional<Rows> result = std::nullopt);
  /// Blocks of dG.
  Right gatesOf(Layer::Blocks blocks);
  /// dG and delta become right operands. Of bf16 they are no left operands after this.
  void startSums();

  Value dG;      ///< gradients of the gates' arguments, in panels of `allRows` rows
  Value allRows; ///< rows of a panel of dG and of delta
  Value rows;    ///< of all steps that run
  Value kh;      ///< gradient of the state, panels of B rows
  Value delta;   ///< with a projection: total gradients of the states, in panels of `allRows` rows
  Value db;      ///< sums of dG over its rows, if wanted

private:
  void steps(const Team &team, bool wantsState);
  void multiply(Value t, Value panel, Value count, Value firstDepth = Value(), Value depth = Value());
  void multiplyAndFetch(Value t, Value panel, Value count, Value fetched);
  void storeGates(const Place &at, ArrayRef<Value> gates);
  void endPair(Value places, Value tiles, Value rows);
  void cell(Value s, Value t, Value panel, Value deltaHidden);

  BackwardLayer &layer;
  HostBuilder &b;
  Library &library;
  Value packedR, packedP;
};

/// Gradients of an LSTM's gates; what peephole weights add is in the hands of the caller.
struct LSTMGradient {
  Value i, c, f, o, cell;
  /// `cellGradient` is what comes back to the cell, `co` the tanh of the cell; `addToCell` may add to its gradient what
  /// depends on that of the output gate.
  LSTMGradient(HostBuilder &b, Value i, Value ci, Value f, Value o, Value co, Value before, Value h, Value cellGradient,
               function_ref<Value(Value cell, Value o)> addToCell = nullptr);
};

/// Zero in rows [from, to) of a result seen as rows.
void fillRows(HostBuilder &b, Value rows, Value from, Value to, Value columns);
/// Panels of `rows` rows, from element `from` on, to the rows of a matrix.
void storePanels(HostBuilder &b, Value source, Value from, Value rows, Value columns, Value target, Value firstRow);

void emitBlockBackward(HostBuilder &b, BlockLSTMGradOp op, const Problem &p, Library &library);
void emitBlockForward(HostBuilder &b, BlockLSTMOp op, const Problem &p, Library &library);

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_RNNTOHOST_LAYERS_H
