//===- StackBackward.cpp - the gradient of the cudnn ops -----------------------===//
//
// For each layer, from the last one, and each direction: the backward time loop computes the gradients of the gates,
// and these give the gradients of the layer's input and of its parameters.
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

class StackBackward final : public BackwardLayer {
public:
  StackBackward(HostBuilder &b, CudnnBackpropOp op, Stack &stack, KernelLibrary &library)
      : BackwardLayer(b, library), op(op), stack(stack), sizes(stack.sizes), x(b.asRows(op.getInput())),
        dx(op.getInputBackpropOut()) {
    stack.describe(*this);
    lengths = op.getSequenceLengths();
    setResets(op);
    if (dx)
      dx = b.asRows(dx);
  }

  void emit();

  //===--- The layer -----------------------------------------------------------===//

  WeightsSource getWeights() override { return stack.getWeights(op, p); }

  GateWeights getGateWeights(Weights weights, int64_t block) override {
    return stack.getGateWeights(*this, weights, block);
  }

  void start(Value kh) override {
    library.packRows(b, {op.getOutputHBackprop(), stack.stateRow(), p.B, b.index(1), p.B, kh});
    if (kc)
      library.packRows(b, {op.getOutputCBackprop(), stack.stateRow(), p.B, b.index(1), p.B, kc});
  }

  void packRecurrent(Value packedR, Value offset, Value stride, Value firstPanel, Value panels) override {
    packGates(stack.recurrentWeights(stack.params), p.P, recurrent, firstPanel, panels, packedR, offset, stride);
  }

  void packProjection(Value packedP, Value firstPanel, Value panels) override {
    Value column = b.mul(firstPanel, b.tiles.panel);
    Value columns = b.min(b.sub(p.H, column), b.mul(panels, b.tiles.panel)),
          stride = b.mul(p.statePadded, b.tiles.panel);
    library.packColumns(b, {stack.projection(stack.params), b.index(0), p.P, column, columns, packedP,
                            b.mul(firstPanel, stride), stride});
  }

  void startStep(Value s, Value t) override {
    if (!stack.isLSTM() && !stack.isGRU())
      return;
    // The state before the first step is a separate operand.
    Value isFirst = b.compare(arith::CmpIPredicate::eq, s, b.index(0));
    Value row = b.mul(stepAt(b.max(b.sub(s, b.index(1)), b.index(0))), p.B);
    firstBefore = b.select(isFirst, b.index(0), row);
    before = arith::SelectOp::create(b, isFirst, stack.isLSTM() ? cFirst : hFirst, stack.isLSTM() ? cells : states);
  }

  Value getCellGradient() override { return kc; }

  Value outputGradient(const Position &at) override {
    Value column = b.add(b.mul(stack.direction, p.P), at.column);
    if (!dy)
      return b.load(op.getOutputBackprop(), {at.t, at.row, column}, at.mask);
    return b.load(dy, {rowOf(at), column}, at.mask);
  }

  Value step(const Position &at, Value gradient, MutableArrayRef<Value> result) override {
    switch (stack.sizes.mode) {
    case CellMode::Lstm:
      lstm(at, gradient, result);
      return Value();
    case CellMode::Gru:
      return gru(at, gradient, result);
    case CellMode::RnnTanh:
    case CellMode::RnnRelu: {
      Value h = b.load(states, {rowOf(at), at.column}, at.mask);
      result[0] = stepRNNBackward(HostCells(b), stack.getActivation(), h, gradient);
      return Value();
    }
    }
    llvm_unreachable("unknown mode");
  }

private:
  Value rowOf(const Position &at) { return b.add(b.mul(at.t, p.B), at.row); }
  template <typename Gate> Value gate(const Position &at, Gate which) {
    return b.load(gates, {rowOf(at), b.add(b.mul(p.H, stackBlock(which)), at.column)}, at.mask);
  }
  Value stateBefore(const Position &at) {
    Value matrix = before, row = b.add(firstBefore, at.row);
    if (at.reset) {
      // Addresses: LLVM makes a branch of a selected load.
      Value after = stack.isLSTM() ? cFirst : hFirst;
      if (!resetsToInitial)
        after = stack.matrix(zeros, b.index(0), b.index(1), p.H);
      matrix = arith::SelectOp::create(b, at.reset, after, matrix);
      row = b.select(at.reset, resetsToInitial ? at.row : b.index(0), row);
    }
    return b.load(matrix, {row, at.column}, at.mask);
  }

  void lstm(const Position &at, Value gradient, MutableArrayRef<Value> result) {
    Value carried = b.load(kc, at.inState), cellTanh = b.tanh(b.load(cells, {rowOf(at), at.column}, at.mask));
    LSTMGates saved{gate(at, LstmGate::Input), gate(at, LstmGate::Cell), gate(at, LstmGate::Forget),
                    gate(at, LstmGate::Output)};
    LSTMGradients gradients = stepLSTMBackward(HostCells(b), saved, cellTanh, stateBefore(at), gradient, carried);
    Value next = gradients.cellBefore;
    if (at.padded) // the gradient passes through
      next = arith::SelectOp::create(b, at.padded, carried, next);
    b.store(next, kc, at.inState);
    const LSTMGates &d = gradients.arguments;
    result[stackBlock(LstmGate::Input)] = d.i, result[stackBlock(LstmGate::Forget)] = d.f;
    result[stackBlock(LstmGate::Cell)] = d.g, result[stackBlock(LstmGate::Output)] = d.o;
  }

  /// Returns the part of the gradient of h' that does not come from the GEMM.
  Value gru(const Position &at, Value gradient, MutableArrayRef<Value> result) {
    GRUGates saved{gate(at, GruGate::Reset), gate(at, GruGate::Update), gate(at, GruGate::New)};
    Value q = b.load(linear, {rowOf(at), at.column}, at.mask);
    GRUGradients d = stepGRUBackward(HostCells(b), saved, q, stateBefore(at), gradient);
    result[Stack::NewOfInput] = d.arguments.n, result[Stack::Reset] = d.arguments.r;
    result[Stack::Update] = d.arguments.z, result[Stack::NewOfState] = d.linear;
    return d.hBefore;
  }

  /// Packs panels [firstPanel, firstPanel + panels) of `columns` columns of gate weights to `target` from element
  /// `offset` on.
  void packGates(Value weights, Value columns, const Blocks &range, Value firstPanel, Value panels, Value target,
                 Value offset, Value stride) {
    int64_t panel = b.tiles.panel;
    Value first = b.mul(firstPanel, panel), count = b.min(b.sub(columns, first), b.mul(panels, panel));
    for (int64_t k = 0; k < range.count; ++k)
      library.packColumns(b, {weights, b.mul(p.H, stack.gateOf(range.first + k)), p.H, first, count, target,
                              b.add(offset, b.mul(p.padded, k * panel)), stride});
  }

  /// Whether the gradient of the parameters is requested.
  bool hasParams() const { return bool(stack.gradients.buffer); }

  /// Whether the operand has the type of the buffer that other layers use, and needs no copy.
  bool readsOutputGradient() {
    auto rows = cast<MemRefType>(b.asRows(op.getOutputBackprop()).getType());
    return rows.getRank() == 2 && rows.getElementType() == b.tiles.sum;
  }

  void allocate();
  void release();
  void startLayer();
  void startDirection();
  void storeStates(BackwardLoop &loop);
  void inputGradient(BackwardLoop &loop);
  void skippedInputGradient(BackwardLoop &loop);
  void storeInputGradient(BackwardLoop &loop, Value target, bool adds, const BackwardLoop::Block &block);
  void finishInputGradient();
  void paramsGradient(BackwardLoop &loop);

  CudnnBackpropOp op;
  Stack &stack;
  const StackValues &sizes;
  Value x;  ///< rows of the first layer's input; zero past the ends of the examples
  Value dx; ///< rows of its gradient, if requested

  // Scratch.
  Value kc;          ///< gradient of the cell from the next step: panels of B rows
  Value firstStates; ///< the initial states, in the accumulation type
  Value between;     ///< gradients of two layers' outputs, or the sum of both directions' input gradients
  Value masked;      ///< x, zero past the ends
  Value dropped;     ///< a layer's output after dropout
  Value zeros;       ///< with resets to zero: the state after one

  // Of a layer and direction.
  Value dy;     ///< rows of the output's gradient; null: the operand
  Value dInput; ///< rows of the gradient of the input, if it is not `dx`
  Value inputs; ///< rows of the input of a layer that is not the first
  Value states; ///< rows of the states, columns of this direction
  Value gates, cells, linear;
  Value hFirst, cFirst;      ///< the initial states
  Value before, firstBefore; ///< buffer of the previous state, and its first row there
};

} // namespace

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

void StackBackward::allocate() {
  Value zero = b.index(0), maxInput = stack.hasOneLayer ? sizes.I : b.max(sizes.I, stack.width);
  bool addsUp = dx && sizes.D == 2;
  if (stack.isLSTM())
    kc = b.allocate(b.mul(p.padded, p.B));
  firstStates = b.allocate(b.mul(b.add(p.P, p.H), p.B));
  if (!stack.hasOneLayer)
    between = b.allocate(b.mul(b.mul(stack.rows, addsUp ? maxInput : stack.width), 2));
  else if (addsUp)
    between = b.allocate(b.mul(stack.rows, sizes.I));
  if (hasParams() && stack.drops())
    dropped = b.allocate(b.mul(stack.rows, stack.width));
  if (resets && !resetsToInitial) {
    zeros = b.allocate(p.padded);
    b.fillZero(zeros, zero, p.padded);
  }
  if (hasParams() && lengths && !(stack.hasOneLayer && stack.sizes.skips)) {
    // Values past the end of an example may be NaN, and NaN * 0 is NaN: replace them by zeros.
    masked = b.allocate(b.mul(stack.rows, sizes.I));
    Value rows = stack.matrix(masked, zero, stack.rows, sizes.I);
    b.loop(p.T, [&](Value t) {
      b.loop(p.B, [&](Value row) {
        Value length = memref::LoadOp::create(b, lengths, row), r = b.add(b.mul(t, p.B), row);
        length = arith::IndexCastOp::create(b, b.getIndexType(), length);
        b.ifElse(
            b.compare(arith::CmpIPredicate::slt, t, length), [&] { copyRows(b, x, r, b.index(1), sizes.I, rows, r); },
            [&] { fillRows(b, rows, r, b.add(r, 1), sizes.I); });
      });
    });
    x = rows;
  }
}

void StackBackward::release() {
  for (Value buffer : {kc, firstStates, between, masked, dropped, zeros})
    if (buffer)
      b.free(buffer);
}

//===----------------------------------------------------------------------===//
// Layers and directions
//===----------------------------------------------------------------------===//

void StackBackward::startLayer() {
  Value zero = b.index(0), isFirst = stack.isFirstLayer();
  p.I = sizes.inputWidth(stack.layer);
  if (!between)
    return;
  if (stack.hasOneLayer) {
    dInput = stack.matrix(between, zero, stack.rows, sizes.I);
    return;
  }
  // Layers alternate between the halves of the buffer.
  Value half = b.mul(stack.rows, dx && sizes.D == 2 ? b.max(sizes.I, stack.width) : stack.width);
  Value parity = b.createOrFold<arith::AndIOp>(stack.layer, b.index(1)), offset = b.mul(parity, half);
  dy = stack.matrix(between, offset, stack.rows, stack.width);
  if (readsOutputGradient())
    dy = arith::SelectOp::create(b, stack.isLastLayer(), b.asRows(op.getOutputBackprop()), dy);
  dInput = stack.matrix(between, b.sub(half, offset), stack.rows, p.I);
  Value previous = b.max(b.sub(stack.layer, b.index(1)), zero);
  inputs = stack.statesOf(previous);
  if (dropped) {
    Value target = stack.matrix(dropped, zero, stack.rows, stack.width);
    b.ifElse(isFirst, [] {}, [&] { stack.drop(inputs, target, previous); });
    inputs = target;
  }
}

void StackBackward::startDirection() {
  Value zero = b.index(0), firstColumn = b.mul(stack.direction, p.P);
  gates = stack.gates();
  if (stack.isLSTM())
    cells = stack.cells();
  if (stack.isGRU())
    linear = stack.linear();
  states = stack.matrix(stack.saved, b.add(stack.kept.states, firstColumn), stack.rows, p.P, stack.width);
  hFirst = stack.matrix(firstStates, zero, p.B, p.P);
  copyRows(b, b.asRows(op.getInputH()), stack.stateRow(), p.B, p.P, hFirst, zero);
  if (stack.isLSTM()) {
    cFirst = stack.matrix(firstStates, b.mul(p.B, p.P), p.B, p.H);
    copyRows(b, b.asRows(op.getInputC()), stack.stateRow(), p.B, p.H, cFirst, zero);
  }
}

void StackBackward::storeStates(BackwardLoop &loop) {
  Value zero = b.index(0);
  if (Value result = op.getInputHBackpropOut())
    storePanels(b, loop.kh, zero, p.B, p.P, b.asRows(result), stack.stateRow());
  if (Value result = op.getInputCBackpropOut(); result && kc)
    storePanels(b, kc, zero, p.B, p.H, b.asRows(result), stack.stateRow());
}

//===----------------------------------------------------------------------===//
// The gradient of the input
//===----------------------------------------------------------------------===//

void StackBackward::storeInputGradient(BackwardLoop &loop, Value target, bool adds, const BackwardLoop::Block &block) {
  loop.forRowParts(block, [&](Value r, Value offset, Value first, Value count) {
    b.forColumns(count, [&](Value column, Value mask) {
      Value value = b.load(block.buffer, b.add(offset, column));
      Value targetColumn = b.add(b.add(block.column, first), column);
      SmallVector<Value, 3> position = b.rowIndices(target, b.add(block.row, r), targetColumn);
      if (adds)
        value = b.addf(value, b.load(target, position, mask));
      b.store(value, target, position, mask);
    });
  });
}

void StackBackward::inputGradient(BackwardLoop &loop) {
  auto pack = [&](Value packed, Value offset, Value stride, Value first, Value count) {
    packGates(stack.inputWeights(stack.params, p.I), p.I, input, first, count, packed, offset, stride);
  };
  Value isFirstDirection = b.compare(arith::CmpIPredicate::eq, stack.direction, b.index(0));
  loop.inputs(pack, [&](const BackwardLoop::Block &block) {
    auto toScratch = [&] {
      b.ifElse(
          isFirstDirection, [&] { storeInputGradient(loop, dInput, false, block); },
          [&] { storeInputGradient(loop, dInput, true, block); });
    };
    // The sum of two directions is formed in the accumulation type.
    if (!dx || sizes.D == 2)
      toScratch();
    else
      b.ifElse(stack.isFirstLayer(), [&] { storeInputGradient(loop, dx, false, block); }, toScratch);
  });
}

/// skip_input: the weights of every gate are the identity, so the gradient is the sum over the gates.
void StackBackward::skippedInputGradient(BackwardLoop &loop) {
  int64_t panel = b.tiles.panel;
  Value target = sizes.D == 2 ? dInput : dx;
  auto store = [&](bool adds) {
    b.loop(stack.rows, [&](Value row) {
      b.forColumns(p.H, [&](Value column, Value mask) {
        Value q = b.div(column, b.index(panel)), inPanel = b.sub(column, b.mul(q, panel)), sum;
        for (int64_t k = input.first; k < input.first + input.count; ++k) {
          Value first = b.mul(b.mul(b.add(b.mul(p.panels, k), q), loop.allRows), panel);
          Value value = b.load(loop.dG, b.add(b.add(first, b.mul(row, panel)), inPanel));
          sum = sum ? b.addf(sum, value) : value;
        }
        SmallVector<Value, 3> position = b.rowIndices(target, row, column);
        if (adds)
          sum = b.addf(sum, b.load(target, position, mask));
        b.store(sum, target, position, mask);
      });
    });
  };
  b.ifElse(
      b.compare(arith::CmpIPredicate::eq, stack.direction, b.index(0)), [&] { store(false); }, [&] { store(true); });
}

/// Runs after both directions of a layer.
void StackBackward::finishInputGradient() {
  Value zero = b.index(0);
  b.ifElse(
      stack.isFirstLayer(),
      [&] {
        if (dx && sizes.D == 2)
          copyRows(b, dInput, zero, stack.rows, p.I, dx, zero);
      },
      [&] {
        if (stack.drops())
          stack.drop(dInput, dInput, b.sub(stack.layer, b.index(1)));
      });
}

//===----------------------------------------------------------------------===//
// The gradient of the parameters
//===----------------------------------------------------------------------===//

void StackBackward::paramsGradient(BackwardLoop &loop) {
  using Left = BackwardLoop::Left;
  Value zero = b.index(0), rest = b.sub(stack.rows, p.B);
  auto weights = [&](ArrayRef<Left> lefts, Value columns, const Blocks &range, Value target,
                     std::optional<BackwardLoop::Resets> used = std::nullopt) {
    SmallVector<Value> firstRows;
    for (int64_t k = 0; k < range.count; ++k)
      firstRows.push_back(b.mul(p.H, stack.gateOf(range.first + k)));
    loop.transposedSums(lefts, columns, loop.gatesOf(range), p.H, firstRows, target, used);
  };
  loop.startSums();
  Value dW = stack.inputWeights(stack.gradients, p.I);
  b.ifElse(
      stack.isFirstLayer(),
      [&] {
        if (!stack.sizes.skips)
          weights({{x, zero, stack.rows, zero}}, p.I, input, dW);
      },
      [&] { weights({{inputs, zero, stack.rows, zero}}, p.I, input, dW); });
  // The previous state is a row of the adjacent step; that of the first step is an operand.
  Value firstOfStates = zero, first = zero, later = p.B;
  if (isReverse) {
    firstOfStates = b.select(isReverse, p.B, zero);
    first = b.select(isReverse, rest, zero);
    later = b.select(isReverse, zero, p.B);
  }
  std::optional<BackwardLoop::Resets> used;
  if (resets)
    used = {resetsToInitial ? hFirst : Value()};
  weights({{hFirst, zero, p.B, first}, {states, firstOfStates, rest, later}}, p.P, recurrent,
          stack.recurrentWeights(stack.gradients), used);
  if (p.projected)
    loop.transposedSums({{stack.hidden(), zero, stack.rows, zero}}, p.H, {loop.delta, zero, p.statePanels}, p.P, {zero},
                        stack.projection(stack.gradients));
  auto biases = [&](Value offset, const Blocks &range) {
    for (int64_t k = range.first; k < range.first + range.count; ++k)
      b.storeRow(loop.db, b.mul(p.padded, k), stack.gradients.buffer, {}, b.add(offset, b.mul(p.H, stack.gateOf(k))),
                 p.H);
  };
  biases(stack.gradients.at.inputBias, input);
  biases(stack.gradients.at.recurrentBias, recurrent);
}

void StackBackward::emit() {
  allocate();
  BackwardLoop::Needs needs = {hasParams(), bool(op.getInputHBackpropOut()), bool(op.getInputCBackpropOut())};
  BackwardLoop loop(*this, needs, stack.hasOneLayer ? sizes.I : b.max(sizes.I, stack.width));
  if (!stack.hasOneLayer && !readsOutputGradient()) {
    // The output gradient of the last layer is copied to the buffer that the other layers use.
    Value half = b.mul(stack.rows, dx && sizes.D == 2 ? b.max(sizes.I, stack.width) : stack.width);
    Value last = b.createOrFold<arith::AndIOp>(b.sub(sizes.L, b.index(1)), b.index(1));
    copyRows(b, b.asRows(op.getOutputBackprop()), b.index(0), stack.rows, stack.width,
             stack.matrix(between, b.mul(last, half), stack.rows, stack.width), b.index(0));
  }
  stack.forLayers(/*reversed=*/true, [&] {
    startLayer();
    stack.forDirections(*this, [&] {
      startDirection();
      loop.run();
      storeStates(loop);
      auto input = [&] { inputGradient(loop); };
      if (!dx)
        b.ifElse(stack.isFirstLayer(), [] {}, input);
      else if (stack.sizes.skips)
        b.ifElse(stack.isFirstLayer(), [&] { skippedInputGradient(loop); }, input);
      else
        input();
      if (hasParams())
        paramsGradient(loop);
    });
    if (between)
      finishInputGradient();
  });
  loop.release();
  release();
}

void host::emitStackBackward(HostBuilder &b, CudnnBackpropOp op, Stack &stack, KernelLibrary &library) {
  StackBackward(b, op, stack, library).emit();
}
