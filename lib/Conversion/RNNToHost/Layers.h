//===- Layers.h - the time loops and the interface of a layer -*- C++ -*-===//
//
// The loops are shared by all layers. A layer provides its gates, its state, and one step forward and backward.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOHOST_LAYERS_H
#define RNN_LIB_CONVERSION_RNNTOHOST_LAYERS_H

#include "PackedWeights.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"
#include "rnn/Conversion/RNNToHost/RNNToHost.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

namespace mlir::rnn::host {

using cpu::Gemm;
using cpu::GemmStart;
using cpu::KernelLibrary;
using cpu::OuterProducts;
using cpu::RowDots;
using cpu::RowSums;
using cpu::Team;
using cpu::Tiles;
using cpu::TransposedGemm;

/// Sizes of one direction of a layer.
struct Problem {
  Value T, B, H;
  Value I;                        ///< columns of the layer's input
  Value P;                        ///< columns of the state: H, or fewer with a projection
  Value steps;                    ///< number of steps to run
  Value panels, padded;           ///< of the hidden columns: number of panels, and of columns in them
  Value statePanels, statePadded; ///< the same of the state
  bool projected = false;         ///< the state is a projection of the cell's output

  /// Computes the panels from H and P.
  void finish(HostBuilder &b);
};

/// The position of a vector of one row in the tensors and in scratch.
struct Position {
  Value t, row, column; ///< of a tensor [T, B, H]
  Value mask;           ///< null in a full panel
  Value inPanel;        ///< offset in a panel of B rows
  Value inState;        ///< offset in all panels of H, of B rows each
  Value padded;         ///< the step is past the end of the example; null without lengths
  Value panel;          ///< index of the panel
  Value reset;          ///< i1: the states of the row are reset before the step; null without resets
  Value later;          ///< a row that soon follows; null if a whole row of a tensor is written in one piece
  int64_t inRow = 0;    ///< columns of the panel before this vector
};

/// Interface of a layer to the time loops. A row of gate pre-activations consists of blocks of `Problem::padded`
/// columns. The GEMMs with the input and with the state each write consecutive blocks.
class Layer {
public:
  struct Blocks {
    int64_t first, count;
  };

  Layer(HostBuilder &b, KernelLibrary &library) : b(b), library(library) {}
  virtual ~Layer() = default;

  HostBuilder &b;
  KernelLibrary &library;
  Problem p;
  int64_t blocks = 0;
  Blocks input = {0, 0}, recurrent = {0, 0};
  Value isReverse; ///< i1: from the last step to the first; null: false
  Value lengths;   ///< steps of each example; null: all
  Value resets;    ///< i1 [T, B], dense: the states are reset before these steps; null: none
  bool resetsToInitial = false;
  /// The rows of the thread whose code is generated; null: all.
  Value firstRow, endRow;

  /// Sets `resets` and `resetsToInitial` from the op.
  template <typename OpTy> void setResets(OpTy op) {
    resets = op.getResets();
    resetsToInitial = op.getResetTo() == ResetTo::Initial;
  }
  /// i1: the states of `row` are reset before the step at time `t`; null without resets.
  Value isReset(Value t, Value row);

  /// The time of the step with index `s` in the order of execution.
  Value stepAt(Value s);
  /// Emits a loop over the thread's rows of the step at time `t`, with `body` for each vector of panel `panel`. Vectors
  /// past the last of `columns` columns are masked.
  void forPositions(Value columns, Value t, Value panel, function_ref<void(const Position &)> body);
  /// The same for panels [first, end), row by row. `onlyReset`: for the rows whose states are reset before time `t`.
  void forRows(Value columns, Value t, Value first, Value end, function_ref<void(const Position &)> body,
               bool onlyReset = false);
  /// Stores a vector to columns from `column` on of a tensor [T, B, columns], or of its rows. A panel is a short piece
  /// of each row, and the hardware does not prefetch that of the next row, so that this prefetches that of `at.later`.
  void storeAt(const Position &at, Value vector, Value tensor, Value column);
  /// The elements of the weights that a step multiplies by.
  Value getStepWeights();
  /// i1: the packed weights of a step have at most `mostBytes` bytes, so that they stay in an L2 cache.
  Value areWeightsInL2(int64_t mostBytes);
  /// How the GEMM of step `step` traverses the packed weights (Gemm::traversal).
  Value getTraversal(Value step, Value depthPanels);
  enum class Weights { Input, State };
  /// The weights of a block of gates in the operand: a part of a row-major matrix in the element type. Either its rows
  /// belong to the columns of the block, and its columns to those of the input or state, or the other way round.
  struct GateWeights {
    Value matrix, row, column;
    bool gatesAreRows;
  };
  /// The weights of block `block` of `input` or of `recurrent`.
  virtual GateWeights getGateWeights(Weights weights, int64_t block) = 0;
  enum class Pass { Forward, Backward };
  /// i1: packing weights for one GEMM with `rows` rows would take longer than the GEMM.
  Value areFewRows(Value rows, Pass pass);
  /// The most steps whose GEMMs read the weights of the state in place, so that these are not packed. 0: a step has too
  /// many rows.
  Value mostStepsInPlace(Pass pass);
  /// Computes `gemm`, which multiplies the input or state (backward: the gates' gradients of block `block`) by panels
  /// of packed weights from panel `firstPanel` on, by weights that are not packed.
  void multiplyInPlace(Pass pass, Weights weights, int64_t block, const Gemm &gemm, Value firstPanel);
  /// Multiplies by the recurrent weights of all blocks, in place: `describe` returns the GEMM of a block for the panels
  /// from `firstPanel` on. `step` is the number of the product.
  void multiplyStepInPlace(Pass pass, Value step, Value firstPanel, function_ref<Gemm(int64_t)> describe);
  /// Like multiplyInPlace for more rows. Weights are packed in parts: each one to element `packedOffset` of `packed`,
  /// multiplied, and then overwritten by the next one, so that it is in an L2 cache while it is used. Weights whose
  /// rows belong to the columns of the GEMM are not packed if cpu::ColumnSums has lanes for the rows of `gemm`.
  void multiplyInParts(Pass pass, Weights weights, int64_t block, const Gemm &gemm, Value firstPanel, Value packed,
                       Value packedOffset);
  /// The number of columns in a packed part if a panel's columns are columns of the matrix.
  static constexpr int64_t partColumns = 256;
  /// Generates code that all rows of a step share. The step has time `t` and index `s`.
  virtual void startStep(Value s, Value t) {}

private:
  /// Whether products in place by the recurrent weights are sums of rows of the matrix. Otherwise they are dot products
  /// with its rows.
  bool addsRows(Pass pass);
  /// The weights of the columns of `gemm` as its right operand.
  cpu::UnpackedRight getUnpacked(Pass pass, Weights weights, int64_t block, const Gemm &gemm, Value firstPanel);
  void multiplyPackedParts(const Gemm &gemm, const cpu::UnpackedRight &right, Value packed, Value packedOffset);
};

class ForwardLayer : public Layer {
public:
  using Layer::Layer;

  /// The operand that the weights of input and state are packed from.
  virtual WeightsSource getWeights() = 0;
  /// Packs the initial state into panels.
  virtual void start(Value h) = 0;
  /// Packs the weights of block `block` of `input` or of `recurrent`, for a range of panels of the hidden columns. They
  /// follow each other in `target` from element `offset` on.
  virtual void packWeights(Weights weights, int64_t block, Value firstPanel, Value panels, Value target,
                           Value offset) = 0;
  /// Packs the weights of the projection for a range of panels of the state.
  virtual void packProjection(Value packedP, Value firstPanel, Value panels) {}
  /// Adds the biases to a row of all blocks, which is zero.
  virtual void fillBias(Value bias) = 0;
  /// Packs `rows` rows of each of `steps` steps of the layer's input, from row `row` of all steps on, as a left
  /// operand.
  virtual void packInput(Value row, Value rows, Value steps, Value target) = 0;
  /// i1: the layer adds its input to the gates instead of a GEMM (skip_input), by `addInput` for `columns` columns from
  /// `column` on. Null: false.
  virtual Value skipsInput() { return Value(); }
  /// `offset` returns the offset in `gates` of a row, a block, and a column of the block.
  virtual void addInput(Value row, Value rows, Value column, Value columns, Value gates,
                        function_ref<Value(Value, int64_t, Value)> offset) {}
  /// Generates one step and returns the new h, which the loop stores. `before` loads the previous h.
  virtual Value step(const Position &at, ArrayRef<Value> arguments, function_ref<Value()> before) = 0;
  /// The initial state at a position, if `resetsToInitial`.
  virtual Value initialState(const Position &at) = 0;
  /// The state that a reset sets: zero or `initial()`.
  Value resetState(function_ref<Value()> initial) { return resetsToInitial ? initial() : b.constant(0); }
  /// Resets the layer's other state, the cell.
  virtual void resetCell(const Position &at) {}
  /// Stores the new state of one panel to the layer's outputs; `load` reads it.
  virtual void publish(Value t, Value panel, function_ref<Value(const Position &)> load) = 0;
};

/// The forward time loop. Layers that run one after the other share its scratch.
class ForwardLoop {
public:
  /// `maxInput` is the largest number of input columns of all layers.
  ForwardLoop(ForwardLayer &layer, Value maxInput);
  void run();
  void release();

  Value h; ///< the state after `run`, in panels of B rows from element `hFinal` on
  Value hFinal;

private:
  /// The panels that a thread computes.
  struct Own {
    Value first, end; ///< of the hidden columns
    Value firstState, endState;
    Value firstRow, rows; ///< of each step
    Value firstInChunk;   ///< the first row of a chunk of gate pre-activations
    Value left;           ///< the packed input of a chunk of steps
  };

  void steps(const Team &team, PackedWeights &weights);
  void packWeights(const Own &own, ForwardLayer::Weights weights);
  Value packOnce(const Own &own, ForwardLayer::Weights weights, int64_t block, Value q);
  Value packedPanel(ForwardLayer::Weights weights);
  Value gateOffset(Value row, Value block, Value column);
  void divideRows();
  void fillBias(const Own &own, Value rows, int64_t block);
  void multiplyInput(const Own &own, Value time, Value steps);
  void step(const Team &team, const Own &own, Value s, Value inChunk);
  void reset(Value s, Value offset, const Own &own);
  void project(const Own &own, Value t, Value hSource, Value hTarget);
  void storeState(Value value, Value offset);

  ForwardLayer &layer;
  HostBuilder &b;
  KernelLibrary &library;
  SmallVector<PackedWeights::Size> weightSizes; ///< of the input, the state and the projection
  Value packedX, packedH, packedP;              ///< in `run`
  Value bias, gates, hidden;
  Value hLeft; ///< h as left operand: the same buffer, or rounded to bf16
  Value leftSize;
  Value columns;   ///< of a row of gate pre-activations
  Value gatePanel; ///< elements from panel to panel of gate pre-activations
  Value stepsAtOnce, rowsAtOnce, stateSize;
  Value byRows;     ///< i1: threads divide the rows of a step instead of its columns. Null: they never do
  Value mostByRows; ///< the most threads if they divide rows
  /// Values of type i1 that `run` sets: whether the weights of the input, or of the state, are not packed before the
  /// steps. GEMMs then read them in place (readsInput, readsState). Otherwise exactly one GEMM uses them, and packs
  /// them in parts while it runs (multiplyInParts), with AMX panel by panel.
  Value packsInputLate, packsStateLate;
  /// Values of type i1 that `run` sets: whether GEMMs read these weights from the operand (multiplyInPlace), because
  /// few rows use them and packing would take longer. readsInput implies packsInputLate, readsState packsStateLate.
  Value readsInput, readsState;
};

class BackwardLayer : public Layer {
public:
  using Layer::Layer;

  /// The operand that the weights are packed from.
  virtual WeightsSource getWeights() = 0;
  /// Packs the gradient of the final state into panels.
  virtual void start(Value kh) = 0;
  /// Packs the transposed recurrent weights of a range of panels of the state, from element `offset` of `packedR` on;
  /// `stride` is in elements, from panel to panel.
  virtual void packRecurrent(Value packedR, Value offset, Value stride, Value firstPanel, Value panels) = 0;
  /// Packs the transposed weights of the projection for a range of panels of the hidden columns.
  virtual void packProjection(Value packedP, Value firstPanel, Value panels) {}
  /// The gradient of the cell from the next step, panels of B rows; null without cells.
  virtual Value getCellGradient() { return Value(); }
  /// The gradient of a step's output.
  virtual Value outputGradient(const Position &at) = 0;
  /// Generates one step backward: sets the gradients of the gate pre-activations from the gradient of h. Returns the
  /// part of the previous state's gradient that does not come from the GEMM, or null for zero.
  virtual Value step(const Position &at, Value gradient, MutableArrayRef<Value> gates) = 0;
  /// Whether `step` adds to sums over rows; threads must not divide rows then.
  virtual bool hasSumsOverRows() const { return false; }
};

/// The backward time loop, and the reductions over T*B after it.
class BackwardLoop {
public:
  /// Gradients that `run` computes besides dG: of the biases, of the initial hidden state and of the initial cell
  /// state.
  struct Needs {
    bool bias, state, cell;
  };
  /// `maxInput` is the largest number of input columns of all layers.
  BackwardLoop(BackwardLayer &layer, Needs needs, Value maxInput);
  /// Runs the time loop. Afterwards dG has the gradients of all gates and, if `Needs::state` is set, kh that of the
  /// initial hidden state.
  void run();
  void release();

  /// A part of a result, in panels. The rows of a tile are contiguous: few pages and cache sets are in use.
  struct Block {
    Value buffer, panel; ///< elements from panel to panel
    Value row, rows, column, columns;
  };
  /// Runs `body` for each part of a row of a block that is consecutive in the buffer, with the row, the offset in the
  /// buffer, the first column of the block and the number of columns.
  void forRowParts(const Block &block, function_ref<void(Value, Value, Value, Value)> body);

  /// Runs `body` for each panel in [first, first + count) of the right operand that a block has, with the
  /// offset of its first row and its index in the range.
  void forPanels(const Block &block, Value first, Value count, function_ref<void(Value, Value)> body);

  /// Computes the gradient of the input by blocks; each thread executes `store` for the blocks that it computes.
  /// `pack` packs panels of the transposed input weights, from element `offset` of `target` on.
  using Pack = function_ref<void(Value target, Value offset, Value stride, Value firstPanel, Value panels)>;
  void inputs(Pack pack, function_ref<void(const Block &)> store);

  /// Rows of a matrix, and the rows of the panels that they are multiplied by.
  struct Left {
    Value matrix, firstRow, rows, firstOfPanels;
  };
  /// Panels of `rows` rows, `count` of them from element `offset` on.
  struct Right {
    Value panels, offset, count;
  };
  /// A row-major result with the columns of the right operand: rows of `width` elements from element `first` on.
  /// `matches` (i1) is whether the columns are the same. Null: they are.
  struct Rows {
    Value buffer, first, width, matches;
  };
  /// The left operand has the states before each step, with resets to the rows of `initial` (null: zeros).
  struct Resets {
    Value initial;
  };
  /// Computes left^T * right by blocks. `width` is the number of columns of the left operand; its parts cover all
  /// `rows` of the panels. Blocks that a single pass completes are written to `result`, if present, without `store`.
  void sums(ArrayRef<Left> lefts, Value width, const Right &right, function_ref<void(const Block &)> store,
            std::optional<Rows> result = std::nullopt, std::optional<Resets> resets = std::nullopt);
  /// i1: `sumProducts` is faster than `sums` for these rows. The results are equal up to the order of summation.
  Value haveFewRows(bool isTransposed);
  /// Where the sums of a block of columns begin in a row-major result.
  struct Place {
    Value row, column;
  };
  /// left^T * right for few rows. The right operand consists of blocks of `columns` columns in whole panels, and a row
  /// of the result belongs to a column of the left operand or, transposed, of the right one.
  void sumProducts(ArrayRef<Left> lefts, Value width, const Right &right, Value columns, ArrayRef<Place> places,
                   Value target, bool isTransposed, std::optional<Resets> resets);
  /// The transpose of `sums` or `sumProducts`: row `firstRows[k]` of `target` belongs to the first column of block `k`.
  void transposedSums(ArrayRef<Left> lefts, Value width, const Right &right, Value columns, ArrayRef<Value> firstRows,
                      Value target, std::optional<Resets> resets = std::nullopt);
  /// Blocks of dG as a right operand.
  Right gatesOf(Layer::Blocks blocks);
  /// Converts dG and delta to right operands. In bf16 they cannot be left operands afterwards.
  void startSums();

  Value dG;      ///< gradients of the gate pre-activations, in panels of `allRows` rows
  Value allRows; ///< rows of a panel of dG and of delta, with padding
  Value rows;    ///< rows (T*B) of all steps that run
  Value kh;      ///< gradient of the state, panels of B rows
  Value delta;   ///< with a projection: total gradients of the states, in panels of `allRows` rows
  Value db;      ///< sums of dG over its rows, if requested

private:
  /// Recurrent weights of a layer whose dG is small: threads divide its reductions so that each reads less of what
  /// other cores wrote.
  static constexpr int64_t mostBytesOfSmallLayer = 1 << 19;

  void steps(const Team &team, PackedWeights &weights);
  PackedWeights getInputWeights(Value packedPanel);
  void inputsOfFewRows(function_ref<void(const Block &)> store, Value packed, Value packedPanel);
  void inputsByPanels(Pack pack, function_ref<void(const Block &)> store, PackedWeights &weights, Value packedPanel);
  Value getSharedWork(Value work) const;
  void divideSteps();
  void multiply(Value t, Value step, Value panel, Value count, Value nextPanel = Value(),
                Value weightsOffset = Value());
  void multiplyFewRows(Value t, Value step, Value first, Value end);
  void multiplyUnpacked(Value t, Value step, Value first, Value end, bool inPlace);
  void storeGates(const Position &at, ArrayRef<Value> gates);
  void endAtResets(Value t, Value columns, Value gradient, Value initial, Value first, Value end);
  void addPanels(Value source, Value target, Value first, Value end);
  void divideRows(int64_t mostBytes);
  void inputsByTiles(Pack pack, function_ref<void(const Block &)> store, PackedWeights &weights, Value packedPanel);
  void sumsByTiles(ArrayRef<Left> lefts, Value width, const Right &right, function_ref<void(const Block &)> store,
                   std::optional<Resets> resets);
  void forResetRows(Value from, Value to, function_ref<void(Value, Value)> body);
  Value loadReset(const Resets &resets, Value row, Value column);
  void padVNNI(Value packedLeft, Value tiles, Value rows);
  void storePanelsTransposed(const Block &block, Value first, Value columns, Value target, Value row);
  Value packPanels(ArrayRef<Left> lefts, Value width, Value stride, std::optional<Resets> resets);
  void cell(const Position &at, Value deltaHidden);

  BackwardLayer &layer;
  HostBuilder &b;
  KernelLibrary &library;
  Value packedR, packedP; ///< in `run`
  Value packedPanel;      ///< elements of packedR from panel to panel
  /// A value of type i1 that `run` sets: whether the recurrent weights are not packed before the steps. GEMMs then read
  /// them in place (readsWeights). Otherwise at most one GEMM uses them, and packs them in parts while it runs
  /// (multiplyInParts), with AMX panel by panel.
  Value packsLate;
  /// A value of type i1 that `run` sets: whether GEMMs read these weights from the operand (multiplyInPlace), because
  /// few rows use them and packing would take longer. Implies packsLate.
  Value readsWeights;
  Needs needs;
  Value maxInput;
  /// With AMX: whether one thread runs the steps, and whether dG also fits in the L2 cache of its core.
  Value hasShortSteps, isLocal;
  /// Whether threads divide the rows of a step; null: never.
  Value byRows;
  int64_t rowsOfUnit = 0; ///< rows that threads do not divide further
  Value rowUnits;         ///< units of rows of a step, each with sums of db of its own; 1 if threads divide columns
  /// The first unit of a thread and its part of db, in `steps`. Threads have memory of their own: prefetches of one
  /// beyond the end of its part would take cache lines from another one that adds to them.
  Value firstUnit, ownSums;
  Value columns; ///< of dG
  /// Gradients that resets to the initial states add to those, in panels of B rows; null without such resets or if
  /// not needed.
  Value initialKh, initialKc;
};

/// The rows from panel to panel of a right operand of `rows` rows.
Value spreadBlocks(HostBuilder &b, Value rows);

/// Computes the columns of a GEMM from the last one to the first in odd steps: L2 still has the weights that the step
/// before read last.
void alternate(HostBuilder &b, Gemm &gemm, Value step);

/// A matrix in a dense buffer of one dimension.
Value asMatrix(HostBuilder &b, Value buffer, Value offset, Value rows, Value columns, Value rowStride = Value());
/// Copies rows of `asRows` to rows of any element type.
void copyRows(HostBuilder &b, Value source, Value sourceRow, Value rows, Value columns, Value target, Value targetRow);
/// Fills rows [from, to) of a result of `asRows` with zeros.
void fillRows(HostBuilder &b, Value rows, Value from, Value to, Value columns);
/// Fills steps [from, to) of a tensor [T, B, columns] with zeros.
void fillSteps(HostBuilder &b, Value tensor, Value from, Value to, Value batch, Value columns);
/// Copies panels of `rows` rows, from element `from` on, to rows of a matrix.
void storePanels(HostBuilder &b, Value source, Value from, Value rows, Value columns, Value target, Value firstRow);

void emitBlockBackward(HostBuilder &b, BlockLSTMGradOp op, const Problem &p, KernelLibrary &library);
void emitBlockForward(HostBuilder &b, BlockLSTMOp op, const Problem &p, KernelLibrary &library);

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_RNNTOHOST_LAYERS_H
