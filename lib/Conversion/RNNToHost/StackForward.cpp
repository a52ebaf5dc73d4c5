//===- StackForward.cpp - the forward pass of the cudnn ops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCells.h"
#include "Stack.h"
#include "rnn/Codegen/Cells/GRU.h"
#include "rnn/Codegen/Cells/LSTM.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;
using rnn_layout::GruGate, rnn_layout::LstmGate, rnn_layout::stackBlock;

namespace {

class StackForward final : public ForwardLayer {
public:
  StackForward(HostBuilder &b, CudnnForwardOp op, Stack &stack, KernelLibrary &library)
      : ForwardLayer(b, library), op(op), stack(stack), x(b.asRows(op.getInput())) {
    stack.describe(*this);
    lengths = op.getSequenceLengths();
    setResets(op);
    if (stack.isLSTM())
      cell = b.allocate(b.mul(p.padded, p.B));
    Value outputs = b.mul(stack.rows, stack.width);
    if (!stack.saved && !stack.hasOneLayer)
      between = b.allocate(b.mul(outputs, 2));
    if (stack.drops())
      dropped = b.allocate(outputs);
  }

  void emit() {
    ForwardLoop loop(*this, stack.hasOneLayer ? p.I : b.max(stack.sizes.I, stack.width));
    stack.forLayers(/*reversed=*/false, [&] {
      startLayer();
      stack.forDirections(*this, [&] {
        startDirection();
        loop.run();
        // Past the end of an example the state is carried over, so the last state is the final one.
        if (Value result = op.getOutputHOut())
          storePanels(b, loop.h, loop.hFinal, p.B, p.P, b.asRows(result), stack.stateRow());
        if (Value result = op.getOutputCOut(); result && cell)
          storePanels(b, cell, b.index(0), p.B, p.H, b.asRows(result), stack.stateRow());
      });
    });
    loop.release();
    for (Value buffer : {cell, between, dropped})
      if (buffer)
        b.free(buffer);
  }

  //===--- The layer -----------------------------------------------------------===//

  WeightsSource getWeights() override { return stack.getWeights(op, p); }

  void start(Value h) override {
    library.packRows(b, {op.getInputH(), stack.stateRow(), p.B, b.index(1), p.B, h});
    if (cell)
      library.packRows(b, {op.getInputC(), stack.stateRow(), p.B, b.index(1), p.B, cell});
  }

  void packWeights(Weights weights, int64_t block, Value firstPanel, Value panels, Value target,
                   Value offset) override {
    int64_t panel = b.tiles.panel;
    Value row = b.mul(firstPanel, panel), rows = b.min(b.sub(p.H, row), b.mul(panels, panel));
    Value columns = weights == Weights::Input ? p.I : p.P, stride = b.mul(b.ceilDiv(columns, panel), panel * panel);
    GateWeights from = getGateWeights(weights, block);
    library.packTransposed(b, {from.matrix, b.add(from.row, row), rows, from.column, columns, target, offset, stride});
  }

  GateWeights getGateWeights(Weights weights, int64_t block) override {
    return stack.getGateWeights(*this, weights, block);
  }

  void packProjection(Value packedP, Value firstPanel, Value panels) override {
    Value row = b.mul(firstPanel, b.tiles.panel), rows = b.min(b.sub(p.P, row), b.mul(panels, b.tiles.panel));
    Value stride = b.mul(p.padded, b.tiles.panel);
    library.packTransposed(
        b, {stack.projection(stack.params), row, rows, b.index(0), p.H, packedP, b.mul(firstPanel, stride), stride});
  }

  void fillBias(Value bias) override {
    auto add = [&](Value offset, const Blocks &range) {
      for (int64_t block = range.first; block < range.first + range.count; ++block)
        b.forColumns(p.H, [&](Value column, Value mask) {
          Value from = b.add(b.add(offset, b.mul(p.H, stack.gateOf(block))), column);
          Value to = b.add(b.mul(p.padded, block), column);
          b.store(b.addf(b.load(bias, to), b.load(stack.params.buffer, from, mask)), bias, to);
        });
    };
    add(stack.params.at.inputBias, input);
    add(stack.params.at.recurrentBias, recurrent);
  }

  void packInput(Value row, Value rows, Value steps, Value target) override {
    b.ifElse(
        stack.isFirstLayer(), [&] { library.packRows(b, {x, row, rows, steps, p.B, target}); },
        [&] { library.packRows(b, {inputs, row, rows, steps, p.B, target}); });
  }

  Value skipsInput() override { return stack.sizes.skips ? stack.isFirstLayer() : Value(); }

  /// The weights of every gate are the identity.
  void addInput(Value row, Value rows, Value first, Value columns, Value gates,
                function_ref<Value(Value, int64_t, Value)> offsetOf) override {
    b.loop(rows, [&](Value r) {
      b.forColumns(columns, [&](Value inPart, Value mask) {
        Value column = b.add(first, inPart);
        Value value = b.load(x, b.rowIndices(x, b.add(row, r), column), mask);
        for (int64_t block = input.first; block < input.first + input.count; ++block) {
          Value offset = offsetOf(r, block, column);
          b.store(b.addf(b.load(gates, offset), value), gates, offset);
        }
      });
    });
  }

  Value step(const Position &at, ArrayRef<Value> arguments, function_ref<Value()> before) override {
    switch (stack.sizes.mode) {
    case CellMode::Lstm:
      return lstm(at, arguments);
    case CellMode::Gru:
      return gru(at, arguments, before());
    case CellMode::RnnTanh:
    case CellMode::RnnRelu: {
      keep(at, gates, 0, arguments[0]);
      Value h = stepRNN(HostCells(b), stack.getActivation(), arguments[0]);
      keepHidden(at, h);
      return h;
    }
    }
    llvm_unreachable("unknown mode");
  }

  void publish(Value t, Value panel, function_ref<Value(const Position &)> load) override {
    Value output = op.getOutputOut(), firstColumn = b.mul(stack.direction, p.P);
    auto store = [&](bool toStates, bool toOutput) {
      if (toStates || toOutput)
        forPositions(p.P, t, panel, [&](const Position &at) {
          Value h = load(at), column = b.add(firstColumn, at.column);
          if (toStates)
            storeAt(at, h, states, column);
          if (toOutput && at.padded)
            h = arith::SelectOp::create(b, at.padded, b.constant(0), h);
          if (toOutput)
            storeAt(at, h, output, column);
        });
    };
    bool keeps = bool(stack.saved);
    if (keeps && !output)
      return store(true, false);
    b.ifElse(stack.isLastLayer(), [&] { store(keeps, bool(output)); }, [&] { store(true, false); });
  }

  Value initialState(const Position &at) override { return initial(op.getInputH(), at); }

  void resetCell(const Position &at) override {
    if (cell)
      b.store(resetState([&] { return initial(op.getInputC(), at); }), cell, at.inState);
  }

private:
  /// A vector of an initial state [L * D, B, .] of this layer and direction.
  Value initial(Value states, const Position &at) { return b.load(states, {stack.pseudo, at.row, at.column}, at.mask); }

  void startLayer() {
    const StackValues &sizes = stack.sizes;
    Value isFirst = stack.isFirstLayer(), zero = b.index(0);
    p.I = sizes.inputWidth(stack.layer);
    if (stack.hasOneLayer && !stack.saved)
      return;
    // Without a reserve space, layers alternate between two buffers for their outputs.
    auto statesOf = [&](Value layer) {
      if (!between)
        return stack.statesOf(layer);
      Value offset = b.mul(b.createOrFold<arith::AndIOp>(layer, b.index(1)), b.mul(stack.rows, stack.width));
      return stack.matrix(between, offset, stack.rows, stack.width);
    };
    states = statesOf(stack.layer);
    if (stack.hasOneLayer)
      return;
    Value previous = b.max(b.sub(stack.layer, b.index(1)), zero);
    inputs = statesOf(previous);
    if (dropped) {
      // Dropout applies to the input of the next layer, not to the states.
      Value target = stack.matrix(dropped, zero, stack.rows, stack.width);
      b.ifElse(isFirst, [] {}, [&] { stack.drop(inputs, target, previous); });
      inputs = target;
    }
  }

  void startDirection() {
    if (!stack.saved)
      return;
    gates = stack.gates();
    if (stack.isLSTM())
      cells = stack.cells();
    if (stack.isGRU())
      linear = stack.linear();
    if (p.projected)
      hidden = stack.hidden();
  }

  /// Stores a value to the columns of one gate of a region of the reserve space; zero past the end of an example.
  void keep(const Position &at, Value rows, int64_t gate, Value value) {
    if (!rows)
      return;
    if (at.padded)
      value = arith::SelectOp::create(b, at.padded, b.constant(0), value);
    storeAt(at, value, rows, b.add(b.mul(p.H, gate), at.column));
  }
  void keepHidden(const Position &at, Value h) { keep(at, hidden, 0, h); }

  Value lstm(const Position &at, ArrayRef<Value> arguments) {
    Value before = b.load(cell, at.inState);
    auto store = [&](LSTMValue which, Value value) {
      switch (which) {
      case LSTMValue::I:
        keep(at, gates, stackBlock(LstmGate::Input), value);
        break;
      case LSTMValue::G:
        keep(at, gates, stackBlock(LstmGate::Cell), value);
        break;
      case LSTMValue::F:
        keep(at, gates, stackBlock(LstmGate::Forget), value);
        break;
      case LSTMValue::O:
        keep(at, gates, stackBlock(LstmGate::Output), value);
        break;
      case LSTMValue::Cell:
        if (at.padded) // the state stays
          value = arith::SelectOp::create(b, at.padded, before, value);
        b.store(value, cell, at.inState);
        if (cells)
          storeAt(at, value, cells, at.column);
        break;
      case LSTMValue::H:
        keepHidden(at, value);
        break;
      case LSTMValue::CellTanh:
        break;
      }
      return value;
    };
    auto argument = [&](LstmGate gate) { return arguments[stackBlock(gate)]; };
    LSTMGates gates{argument(LstmGate::Input), argument(LstmGate::Cell), argument(LstmGate::Forget),
                    argument(LstmGate::Output)};
    return stepLSTM(HostCells(b), gates, before, {}, store).h;
  }

  Value gru(const Position &at, ArrayRef<Value> arguments, Value before) {
    Value q = arguments[Stack::NewOfState];
    keep(at, linear, 0, q);
    auto store = [&](GRUValue which, Value value) {
      if (which == GRUValue::R)
        keep(at, gates, stackBlock(GruGate::Reset), value);
      if (which == GRUValue::Z)
        keep(at, gates, stackBlock(GruGate::Update), value);
      if (which == GRUValue::N)
        keep(at, gates, stackBlock(GruGate::New), value);
    };
    GRUGates gates{arguments[Stack::Reset], arguments[Stack::Update], arguments[Stack::NewOfInput]};
    return stepGRU(HostCells(b), gates, q, before, store).h;
  }

  CudnnForwardOp op;
  Stack &stack;
  Value x;                            ///< rows of the first layer's input
  Value inputs;                       ///< rows of another layer's input
  Value states;                       ///< rows that become the layer's output
  Value cell;                         ///< the cell, panels of B rows
  Value between;                      ///< outputs of two layers, without a reserve space
  Value dropped;                      ///< a layer's output after dropout
  Value gates, cells, linear, hidden; ///< regions of the reserve space; null without one
};

} // namespace

void host::emitStackForward(HostBuilder &b, CudnnForwardOp op, Stack &stack, KernelLibrary &library) {
  StackForward(b, op, stack, library).emit();
}
