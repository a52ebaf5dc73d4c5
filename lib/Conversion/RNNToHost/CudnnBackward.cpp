//===- CudnnBackward.cpp - the gradient of the cudnn ops -----------------------===//
//
// Layer by layer from the last one, direction by direction: back through time, which leaves the gradients of the gates
// in panels, and from these the gradients of the layer's input and of its parameters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudnn.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {

class CudnnBackward final : public BackwardLayer {
public:
  CudnnBackward(HostBuilder &b, CudnnBackpropOp op, Stack &stack, Library &library)
      : BackwardLayer(b, library), op(op), stack(stack), sizes(stack.sizes), x(b.asRows(op.getInput())),
        dx(op.getInputBackpropOut()), dparams(op.getParamsBackpropOut()) {
    stack.describe(*this);
    lengths = op.getSequenceLengths();
    if (dx)
      dx = b.asRows(dx);
  }

  void emit();

  //===--- The layer -----------------------------------------------------------===//

  void start(Value packedP, Value kh) override {
    Value zero = b.index(0);
    if (p.projected)
      library.packColumns(b, {stack.projection(stack.params), zero, p.P, zero, p.H, packedP, zero,
                              b.mul(p.statePadded, b.tiles.panel)});
    library.packRows(b, op.getOutputHBackprop(), stack.stateRow(), p.B, kh);
    if (kc)
      library.packRows(b, op.getOutputCBackprop(), stack.stateRow(), p.B, kc);
  }

  void packRecurrent(Value packedR, Value firstPanel, Value panels) override {
    Value place = b.mul(firstPanel, b.mul(p.padded, recurrent.count * b.tiles.panel));
    packGates(stack.recurrentWeights(stack.params), p.P, recurrent, firstPanel, panels, packedR, place);
  }

  void fetch(const Place &at) override {
    auto ask = [&](Value tensor, ValueRange place) {
      b.prefetchTensor(tensor, place);
    };
    bool isLSTM = stack.isLSTM(), isGRU = stack.isGRU();
    if (isLSTM || isGRU) {
      for (int64_t gate = 0; gate < sizes.G; ++gate)
        ask(gates, {rowOf(at), b.add(b.mul(p.H, gate), at.column)});
      ask(before, {b.add(firstBefore, at.row), at.column});
    }
    ask(isLSTM ? cells : isGRU ? linear : states, {rowOf(at), at.column});
    Value column = b.add(b.mul(stack.direction, p.P), at.column);
    if (dy)
      ask(dy, {rowOf(at), column});
    else
      ask(op.getOutputBackprop(), {at.t, at.row, column});
  }

  void startStep(Value s, Value t) override {
    if (!stack.isLSTM() && !stack.isGRU())
      return;
    // The step before the first one has an operand of its own.
    Value isFirst = b.compare(arith::CmpIPredicate::eq, s, b.index(0));
    Value row = b.mul(stepAt(b.max(b.sub(s, b.index(1)), b.index(0))), p.B);
    firstBefore = b.choose(isFirst, b.index(0), row);
    before = arith::SelectOp::create(b, isFirst, stack.isLSTM() ? cFirst : hFirst, stack.isLSTM() ? cells : states);
  }

  Value outputGradient(const Place &at) override {
    Value column = b.add(b.mul(stack.direction, p.P), at.column);
    if (!dy)
      return b.load(op.getOutputBackprop(), {at.t, at.row, column}, at.mask);
    return b.load(dy, {rowOf(at), column}, at.mask);
  }

  Value step(const Place &at, Value gradient, MutableArrayRef<Value> result) override {
    switch (stack.sizes.mode) {
    case CellMode::Lstm:
      lstm(at, gradient, result);
      return Value();
    case CellMode::Gru:
      return gru(at, gradient, result);
    case CellMode::RnnTanh: {
      Value h = b.load(states, {rowOf(at), at.column}, at.mask);
      result[0] = b.mulf(gradient, b.subf(b.constant(1), b.mulf(h, h)));
      return Value();
    }
    case CellMode::RnnRelu: {
      Value h = b.load(states, {rowOf(at), at.column}, at.mask), zero = b.constant(0);
      Value isOpen = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, h, zero);
      result[0] = arith::SelectOp::create(b, isOpen, gradient, zero);
      return Value();
    }
    }
    llvm_unreachable("unknown mode");
  }

private:
  Value rowOf(const Place &at) { return b.add(b.mul(at.t, p.B), at.row); }
  Value gate(const Place &at, int64_t number) {
    return b.load(gates, {rowOf(at), b.add(b.mul(p.H, number), at.column)}, at.mask);
  }
  Value stateBefore(const Place &at) { return b.load(before, {b.add(firstBefore, at.row), at.column}, at.mask); }

  void lstm(const Place &at, Value gradient, MutableArrayRef<Value> result) {
    Value carried = b.load(kc, at.inState), co = b.tanh(b.load(cells, {rowOf(at), at.column}, at.mask));
    Value f = gate(at, 1);
    LSTMGradient d(b, gate(at, 0), gate(at, 2), f, gate(at, 3), co, stateBefore(at), gradient, carried);
    Value next = b.mulf(d.cell, f);
    if (at.padded) // the gradient passes
      next = arith::SelectOp::create(b, at.padded, carried, next);
    b.store(next, kc, at.inState);
    result[0] = d.i, result[1] = d.f, result[2] = d.c, result[3] = d.o;
  }

  // n = tanh(.. + r*q):  dn = dh*(1-z)*(1-n^2);  dz = dh*(h'-n)*z*(1-z);  dr = dn*q*r*(1-r);  dq = dn*r
  // dh' is dh*z and what the product adds.
  Value gru(const Place &at, Value gradient, MutableArrayRef<Value> result) {
    Value one = b.constant(1), r = gate(at, 0), z = gate(at, 1), n = gate(at, 2);
    Value q = b.load(linear, {rowOf(at), at.column}, at.mask);
    Value dn = b.mulf(b.mulf(gradient, b.subf(one, z)), b.subf(one, b.mulf(n, n)));
    result[0] = dn;
    result[1] = b.mulf(b.mulf(b.mulf(dn, q), r), b.subf(one, r));
    result[2] = b.mulf(b.mulf(b.mulf(gradient, b.subf(stateBefore(at), n)), z), b.subf(one, z));
    result[3] = b.mulf(dn, r);
    return b.mulf(gradient, z);
  }

  /// Panels of the columns of gates' weights, some of the panels of `columns` columns, from element `place` on; each
  /// has a row for each column of the blocks.
  void packGates(Value weights, Value columns, const Blocks &range, Value firstPanel, Value panels, Value target,
                 Value place) {
    int64_t panel = b.tiles.panel;
    Value first = b.mul(firstPanel, panel), count = b.min(b.sub(columns, first), b.mul(panels, panel));
    Value stride = b.mul(p.padded, range.count * panel);
    for (int64_t k = 0; k < range.count; ++k)
      library.packColumns(b, {weights, b.mul(p.H, stack.gateOf(range.first + k)), p.H, first, count, target,
                              b.add(place, b.mul(p.padded, k * panel)), stride});
  }

  void allocate();
  void release();
  void startLayer();
  void startDirection();
  void storeStates(BackwardLoop &loop);
  void inputGradient(BackwardLoop &loop);
  void skippedInputGradient(BackwardLoop &loop);
  void storeInputGradient(Value target, bool adds, const BackwardLoop::Block &block);
  void finishInputGradient();
  void paramsGradient(BackwardLoop &loop);

  CudnnBackpropOp op;
  Stack &stack;
  const StackValues &sizes;
  Value x;       ///< rows of the first layer's input; zero past the ends of the examples
  Value dx;      ///< rows of its gradient, if wanted
  Value dparams; ///< if wanted

  // Scratch.
  Value kc;             ///< what is carried back to the cell: panels of B rows
  Value firstStates;    ///< the states before the first step, as sums
  Value between;        ///< gradients of two layers' outputs, or of the input where directions add up
  Value masked;         ///< x, zero past the ends
  Value dropped;        ///< what dropout left of a layer's output

  // Of a layer and direction.
  Value dy;              ///< rows of the output's gradient; null: the operand
  Value dInput;          ///< rows of the gradient of the input, where it does not go to `dx`
  Value inputs;          ///< rows of the input of a layer that is not the first
  Value states;          ///< rows of the states, columns of this direction
  Value gates, cells, linear;
  Value hFirst, cFirst;  ///< the states before the first step
  Value before, firstBefore; ///< the state before this step, and its first row there
};

} // namespace

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

void CudnnBackward::allocate() {
  Value zero = b.index(0), maxInput = stack.hasOneLayer ? sizes.I : b.max(sizes.I, stack.width);
  bool addsUp = dx && sizes.D == 2;
  if (stack.isLSTM())
    kc = b.allocate(b.mul(p.padded, p.B));
  firstStates = b.allocate(b.mul(b.add(p.P, p.H), p.B));
  if (!stack.hasOneLayer)
    between = b.allocate(b.mul(b.mul(stack.points, addsUp ? maxInput : stack.width), 2));
  else if (addsUp)
    between = b.allocate(b.mul(stack.points, sizes.I));
  if (dparams && stack.drops())
    dropped = b.allocate(b.mul(stack.points, stack.width));
  if (dparams && lengths && !(stack.hasOneLayer && stack.sizes.skips)) {
    // What stands past the end of an example must not reach sums over time, not even times zero.
    masked = b.allocate(b.mul(stack.points, sizes.I));
    Value rows = stack.matrix(masked, zero, stack.points, sizes.I);
    b.loop(p.T, [&](Value t) {
      b.loop(p.B, [&](Value row) {
        Value length = memref::LoadOp::create(b, lengths, row), place = b.add(b.mul(t, p.B), row);
        length = arith::IndexCastOp::create(b, b.getIndexType(), length);
        b.branch(
            b.compare(arith::CmpIPredicate::slt, t, length),
            [&] { copyRows(b, x, place, b.index(1), sizes.I, rows, place); },
            [&] { fillRows(b, rows, place, b.add(place, 1), sizes.I); });
      });
    });
    x = rows;
  }
}

void CudnnBackward::release() {
  for (Value buffer : {kc, firstStates, between, masked, dropped})
    if (buffer)
      b.free(buffer);
}

//===----------------------------------------------------------------------===//
// Layers and directions
//===----------------------------------------------------------------------===//

void CudnnBackward::startLayer() {
  Value zero = b.index(0), isFirst = stack.isFirstLayer();
  p.I = sizes.inputWidth(stack.layer);
  if (!between)
    return;
  if (stack.hasOneLayer) {
    dInput = stack.matrix(between, zero, stack.points, sizes.I);
    return;
  }
  // The gradients of neighbouring layers' outputs have places of their own.
  Value half = b.mul(stack.points, dx && sizes.D == 2 ? b.max(sizes.I, stack.width) : stack.width);
  Value parity = b.createOrFold<arith::AndIOp>(stack.layer, b.index(1)), place = b.mul(parity, half);
  dy = stack.matrix(between, place, stack.points, stack.width);
  dInput = stack.matrix(between, b.sub(half, place), stack.points, p.I);
  Value previous = b.max(b.sub(stack.layer, b.index(1)), zero);
  inputs = stack.statesOf(previous);
  if (dropped) {
    Value target = stack.matrix(dropped, zero, stack.points, stack.width);
    b.branch(isFirst, [] {}, [&] { stack.drop(inputs, target, previous); });
    inputs = target;
  }
}

void CudnnBackward::startDirection() {
  Value zero = b.index(0), firstColumn = b.mul(stack.direction, p.P);
  gates = stack.gates();
  if (stack.isLSTM())
    cells = stack.cells();
  if (stack.isGRU())
    linear = stack.linear();
  states = stack.matrix(stack.saved, b.add(stack.kept.states, firstColumn), stack.points, p.P, stack.width);
  hFirst = stack.matrix(firstStates, zero, p.B, p.P);
  copyRows(b, b.asRows(op.getInputH()), stack.stateRow(), p.B, p.P, hFirst, zero);
  if (stack.isLSTM()) {
    cFirst = stack.matrix(firstStates, b.mul(p.B, p.P), p.B, p.H);
    copyRows(b, b.asRows(op.getInputC()), stack.stateRow(), p.B, p.H, cFirst, zero);
  }
}

void CudnnBackward::storeStates(BackwardLoop &loop) {
  Value zero = b.index(0);
  if (Value result = op.getInputHBackpropOut())
    storePanels(b, loop.kh, zero, p.B, p.P, b.asRows(result), stack.stateRow());
  if (Value result = op.getInputCBackpropOut(); result && kc)
    storePanels(b, kc, zero, p.B, p.H, b.asRows(result), stack.stateRow());
}

//===----------------------------------------------------------------------===//
// The gradient of the input
//===----------------------------------------------------------------------===//

void CudnnBackward::storeInputGradient(Value target, bool adds, const BackwardLoop::Block &block) {
  b.loop(block.rows, [&](Value r) {
    b.forColumns(block.columns, [&](Value column, Value mask) {
      Value value = b.load(block.buffer, b.add(b.mul(r, block.width), column));
      SmallVector<Value> place = {b.add(block.row, r), b.add(block.column, column)};
      if (adds)
        value = b.addf(value, b.load(target, place, mask));
      b.store(value, target, place, mask);
    });
  });
}

void CudnnBackward::inputGradient(BackwardLoop &loop) {
  auto pack = [&](Value packed, Value first, Value count) {
    packGates(stack.inputWeights(stack.params, p.I), p.I, input, first, count, packed, b.index(0));
  };
  Value isFirstDirection = b.compare(arith::CmpIPredicate::eq, stack.direction, b.index(0));
  loop.inputs(pack, [&](const BackwardLoop::Block &block) {
    auto toScratch = [&] {
      b.branch(
          isFirstDirection, [&] { storeInputGradient(dInput, false, block); },
          [&] { storeInputGradient(dInput, true, block); });
    };
    // Two directions add up as sums before they are rounded.
    if (!dx || sizes.D == 2)
      toScratch();
    else
      b.branch(stack.isFirstLayer(), [&] { storeInputGradient(dx, false, block); }, toScratch);
  });
}

/// The weights of every gate are the identity: sums over the gates.
void CudnnBackward::skippedInputGradient(BackwardLoop &loop) {
  int64_t panel = b.tiles.panel;
  Value target = sizes.D == 2 ? dInput : dx;
  auto store = [&](bool adds) {
    b.loop(stack.points, [&](Value row) {
      b.forColumns(p.H, [&](Value column, Value mask) {
        Value q = b.div(column, b.index(panel)), inPanel = b.sub(column, b.mul(q, panel)), sum;
        for (int64_t k = input.first; k < input.first + input.count; ++k) {
          Value first = b.mul(b.mul(b.add(b.mul(p.panels, k), q), loop.allRows), panel);
          Value value = b.load(loop.dG, b.add(b.add(first, b.mul(row, panel)), inPanel));
          sum = sum ? b.addf(sum, value) : value;
        }
        if (adds)
          sum = b.addf(sum, b.load(target, {row, column}, mask));
        b.store(sum, target, {row, column}, mask);
      });
    });
  };
  b.branch(
      b.compare(arith::CmpIPredicate::eq, stack.direction, b.index(0)), [&] { store(false); }, [&] { store(true); });
}

/// What remains when both directions are in it.
void CudnnBackward::finishInputGradient() {
  Value zero = b.index(0);
  b.branch(
      stack.isFirstLayer(),
      [&] {
        if (dx && sizes.D == 2)
          copyRows(b, dInput, zero, stack.points, p.I, dx, zero);
      },
      [&] {
        if (stack.drops())
          stack.drop(dInput, dInput, b.sub(stack.layer, b.index(1)));
      });
}

//===----------------------------------------------------------------------===//
// The gradient of the parameters
//===----------------------------------------------------------------------===//

void CudnnBackward::paramsGradient(BackwardLoop &loop) {
  using Left = BackwardLoop::Left;
  Value zero = b.index(0), rest = b.sub(stack.points, p.B);
  auto weights = [&](ArrayRef<Left> lefts, Value columns, const Blocks &range, Value target) {
    loop.sums(lefts, columns, loop.gatesOf(range), [&](const BackwardLoop::Block &block) {
      for (int64_t k = 0; k < range.count; ++k)
        library.storeTransposed(b, block.buffer, b.mul(p.padded, k), block.width, block.rows, p.H, target,
                                b.mul(p.H, stack.gateOf(range.first + k)), block.row);
    });
  };
  loop.startSums();
  Value dW = stack.inputWeights(dparams, p.I);
  b.branch(
      stack.isFirstLayer(),
      [&] {
        if (!stack.sizes.skips)
          weights({{x, zero, stack.points, zero}}, p.I, input, dW);
      },
      [&] { weights({{inputs, zero, stack.points, zero}}, p.I, input, dW); });
  // The state before a step is that of its neighbour; the first step's is an operand.
  Value firstOfStates = zero, first = zero, later = p.B;
  if (isReverse) {
    firstOfStates = b.choose(isReverse, p.B, zero);
    first = b.choose(isReverse, rest, zero);
    later = b.choose(isReverse, zero, p.B);
  }
  weights({{hFirst, zero, p.B, first}, {states, firstOfStates, rest, later}}, p.P, recurrent,
          stack.recurrentWeights(dparams));
  if (p.projected)
    loop.sums({{stack.hidden(), zero, stack.points, zero}}, p.H, {loop.delta, zero, p.statePanels},
              [&](const BackwardLoop::Block &block) {
                library.storeTransposed(b, block.buffer, zero, block.width, block.rows, p.P,
                                        stack.projection(dparams), zero, block.row);
              });
  auto biases = [&](Value offset, const Blocks &range) {
    for (int64_t k = range.first; k < range.first + range.count; ++k)
      storeRow(b, loop.db, b.mul(p.padded, k), dparams, {}, b.add(offset, b.mul(p.H, stack.gateOf(k))), p.H);
  };
  biases(stack.at.inputBias, input);
  biases(stack.at.recurrentBias, recurrent);
}

void CudnnBackward::emit() {
  allocate();
  BackwardLoop loop(*this, /*wantsBias=*/bool(dparams));
  if (!stack.hasOneLayer) {
    // The gradient of the last layer's output comes to the place where the other layers' will be.
    Value half = b.mul(stack.points, dx && sizes.D == 2 ? b.max(sizes.I, stack.width) : stack.width);
    Value last = b.createOrFold<arith::AndIOp>(b.sub(sizes.L, b.index(1)), b.index(1));
    copyRows(b, b.asRows(op.getOutputBackprop()), b.index(0), stack.points, stack.width,
             stack.matrix(between, b.mul(last, half), stack.points, stack.width), b.index(0));
  }
  stack.forLayers(/*reversed=*/true, [&] {
    startLayer();
    stack.forDirections(*this, [&] {
      startDirection();
      loop.run(/*wantsState=*/bool(op.getInputHBackpropOut()));
      storeStates(loop);
      auto input = [&] { inputGradient(loop); };
      if (!dx)
        b.branch(stack.isFirstLayer(), [] {}, input);
      else if (stack.sizes.skips)
        b.branch(stack.isFirstLayer(), [&] { skippedInputGradient(loop); }, input);
      else
        input();
      if (dparams)
        paramsGradient(loop);
    });
    if (between)
      finishInputGradient();
  });
  loop.release();
  release();
}

void host::emitCudnnBackward(HostBuilder &b, CudnnBackpropOp op, Stack &stack, Library &library) {
  CudnnBackward(b, op, stack, library).emit();
}
