//===- LSTM.cpp - the block LSTM ops as layers -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/Cells/LSTM.h"
#include "HostCells.h"
#include "Layers.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {

/// The index of each gate's block in the columns of `w` and `b`.
struct GateBlocks {
  explicit GateBlocks(GateLayout layout) {
    auto block = [&](rnn_layout::LstmGate gate) { return rnn_layout::gateBlock(getGateOrder(layout), gate); };
    using rnn_layout::LstmGate;
    i = block(LstmGate::Input), c = block(LstmGate::Cell), f = block(LstmGate::Forget), o = block(LstmGate::Output);
  }
  int64_t i, c, f, o;
};

class BlockForward final : public ForwardLayer {
public:
  BlockForward(HostBuilder &b, BlockLSTMOp op, const Problem &problem, KernelLibrary &library)
      : ForwardLayer(b, library), op(op), gateBlocks(op.getLayout()) {
    p = problem;
    blocks = 4, input = recurrent = {0, 4};
    setResets(op);
    cs = b.allocate(b.mul(p.padded, p.B));
  }

  WeightsSource getWeights() override {
    return {op.getW(), "block layout=" + stringifyGateLayout(op.getLayout()).str(), p.I, p.H, b.index(0), b.index(1)};
  }

  GateWeights getGateWeights(Weights weights, int64_t block) override {
    Value row = weights == Weights::Input ? b.index(0) : p.I;
    return {op.getW(), row, b.mul(p.H, block), /*gatesAreRows=*/false};
  }

  void start(Value h) override {
    library.packRows(b, {op.getCsPrev(), b.index(0), p.B, b.index(1), p.B, cs});
    library.packRows(b, {op.getHPrev(), b.index(0), p.B, b.index(1), p.B, h});
  }

  void packWeights(Weights weights, int64_t gate, Value firstPanel, Value panels, Value target, Value offset) override {
    const bool isInput = weights == Weights::Input;
    int64_t panel = b.tiles.panel;
    Value column = b.mul(firstPanel, panel), columns = b.min(b.sub(p.H, column), b.mul(panels, panel));
    Value row = isInput ? b.index(0) : p.I, rows = isInput ? p.I : p.H;
    Value stride = b.mul(b.ceilDiv(rows, panel), panel * panel);
    library.packColumns(b, {op.getW(), row, rows, b.add(b.mul(p.H, gate), column), columns, target, offset, stride});
  }

  void fillBias(Value bias) override {
    for (int64_t gate = 0; gate < 4; ++gate)
      b.forColumns(p.H, [&](Value column, Value mask) {
        b.store(b.load(op.getB(), b.add(b.mul(p.H, gate), column), mask), bias, b.add(b.mul(p.padded, gate), column));
      });
  }

  void packInput(Value row, Value rows, Value steps, Value target) override {
    library.packRows(b, {op.getX(), row, rows, steps, p.B, target});
  }

  Value step(const Position &at, ArrayRef<Value> arguments, function_ref<Value()>) override {
    LSTMOptions options{{}, op.getForgetBias().convertToDouble(), op.getCellClip().convertToDouble()};
    if (op.getUsePeephole())
      options.peephole = {loadWeight(op.getWci(), at), loadWeight(op.getWcf(), at), loadWeight(op.getWco(), at)};
    auto store = [&](LSTMValue which, Value value) {
      if (which == LSTMValue::Cell)
        b.store(value, cs, at.inState);
      if (Value result = resultOf(which))
        storeAt(at, value, result, at.column);
      return value;
    };
    LSTMGates gates{arguments[gateBlocks.i], arguments[gateBlocks.c], arguments[gateBlocks.f], arguments[gateBlocks.o]};
    return stepLSTM(HostCells(b), gates, b.load(cs, at.inState), options, store).h;
  }

  void publish(Value, Value, function_ref<Value(const Position &)>) override {}

  Value initialState(const Position &at) override { return b.load(op.getHPrev(), {at.row, at.column}, at.mask); }

  void resetCell(const Position &at) override {
    b.store(resetState([&] { return b.load(op.getCsPrev(), {at.row, at.column}, at.mask); }), cs, at.inState);
  }

  void finish() {
    for (Value result :
         {op.getIOut(), op.getCsOut(), op.getFOut(), op.getOOut(), op.getCiOut(), op.getCoOut(), op.getHOut()})
      if (result)
        fillSteps(b, result, p.steps, p.T, p.B, p.H);
    b.free(cs);
  }

private:
  Value loadWeight(Value weights, const Position &at) { return b.load(weights, at.column, at.mask); }

  /// Null if the result is not requested.
  Value resultOf(LSTMValue which) {
    switch (which) {
    case LSTMValue::I:
      return op.getIOut();
    case LSTMValue::G:
      return op.getCiOut();
    case LSTMValue::F:
      return op.getFOut();
    case LSTMValue::Cell:
      return op.getCsOut();
    case LSTMValue::CellTanh:
      return op.getCoOut();
    case LSTMValue::O:
      return op.getOOut();
    case LSTMValue::H:
      return op.getHOut();
    }
    llvm_unreachable("all values are listed");
  }

  BlockLSTMOp op;
  GateBlocks gateBlocks;
  Value cs; ///< the cell, panels of B rows
};

class BlockBackward final : public BackwardLayer {
public:
  BlockBackward(HostBuilder &b, BlockLSTMGradOp op, const Problem &problem, KernelLibrary &library)
      : BackwardLayer(b, library), op(op), gateBlocks(op.getLayout()) {
    p = problem;
    blocks = 4, input = recurrent = {0, 4};
    setResets(op);
    kc = b.allocate(b.mul(p.padded, p.B));
    if (resets && !resetsToInitial) {
      Value buffer = zeros = b.allocate(p.padded, cast<MemRefType>(op.getCsPrev().getType()).getElementType());
      b.loop(b.index(0), p.padded, b.tiles.lanes, [&](Value k) { b.store(b.constant(0), buffer, k); });
    }
    auto sums = [&](Value result) {
      if (!result || !op.getUsePeephole())
        return Value();
      Value buffer = b.allocate(p.padded);
      b.fillZero(buffer, b.index(0), p.padded);
      return buffer;
    };
    dwci = sums(op.getWciGradOut()), dwcf = sums(op.getWcfGradOut()), dwco = sums(op.getWcoGradOut());
  }

  WeightsSource getWeights() override {
    return {op.getW(), "block layout=" + stringifyGateLayout(op.getLayout()).str(), p.I, p.H, b.index(0), b.index(1)};
  }

  GateWeights getGateWeights(Weights weights, int64_t block) override {
    Value row = weights == Weights::Input ? b.index(0) : p.I;
    return {op.getW(), row, b.mul(p.H, block), /*gatesAreRows=*/false};
  }

  void start(Value kh) override {
    b.fillZero(kc, b.index(0), b.mul(p.padded, p.B));
    b.fillZero(kh, b.index(0), b.mul(p.padded, p.B));
  }

  void packRecurrent(Value packedR, Value offset, Value stride, Value firstPanel, Value panels) override {
    packWeights(p.I, p.H, firstPanel, panels, packedR, offset, stride);
  }

  /// Packs panels [firstPanel, firstPanel + panels) of the transpose of `rows` rows of w to `target` from element
  /// `offset` on.
  void packWeights(Value row, Value rows, Value firstPanel, Value panels, Value target, Value offset, Value stride) {
    int64_t panel = b.tiles.panel;
    Value first = b.mul(firstPanel, panel), count = b.min(b.sub(rows, first), b.mul(panels, panel));
    for (int64_t gate = 0; gate < 4; ++gate)
      library.packTransposed(b, {op.getW(), b.add(row, first), count, b.mul(p.H, gate), p.H, target,
                                 b.add(offset, b.mul(p.padded, gate * panel)), stride});
  }

  void startStep(Value, Value t) override {
    // The cell before the first step is a separate operand.
    Value isFirst = b.compare(arith::CmpIPredicate::eq, t, b.index(0));
    Value cs = b.stepRows(op.getCs(), b.max(b.sub(t, b.index(1)), b.index(0)));
    csBefore = arith::SelectOp::create(b, isFirst, b.asRows(op.getCsPrev()), cs);
  }

  Value getCellGradient() override { return kc; }

  bool hasSumsOverRows() const override { return dwci || dwcf || dwco; }

  Value outputGradient(const Position &at) override { return load(op.getHGrad(), at); }

  Value step(const Position &at, Value gh, MutableArrayRef<Value> gates) override {
    Value states = csBefore, row = at.row;
    if (at.reset) {
      // Addresses: LLVM makes a branch of a selected load.
      Value after = resetsToInitial ? b.asRows(op.getCsPrev()) : asMatrix(b, zeros, b.index(0), b.index(1), p.H);
      states = arith::SelectOp::create(b, at.reset, after, states);
      if (!resetsToInitial)
        row = b.select(at.reset, b.index(0), row);
    }
    Value before = b.load(states, {row, at.column}, at.mask);
    Value dc = b.addf(b.load(kc, at.inState), load(op.getCsGrad(), at));
    Peephole peephole;
    if (op.getUsePeephole())
      peephole = {b.load(op.getWci(), at.column, at.mask), b.load(op.getWcf(), at.column, at.mask),
                  b.load(op.getWco(), at.column, at.mask)};
    LSTMGates saved{load(op.getI(), at), load(op.getCi(), at), load(op.getF(), at), load(op.getO(), at)};
    LSTMGradients gradients = stepLSTMBackward(HostCells(b), saved, load(op.getCo(), at), before, gh, dc, peephole);
    b.store(gradients.cellBefore, kc, at.inState);
    const LSTMGates &d = gradients.arguments;
    gates[gateBlocks.i] = d.i, gates[gateBlocks.c] = d.g, gates[gateBlocks.f] = d.f, gates[gateBlocks.o] = d.o;
    auto addTo = [&](Value sums, function_ref<Value()> value) {
      if (sums)
        b.store(b.addf(b.load(sums, at.column), value()), sums, at.column);
    };
    addTo(dwci, [&] { return b.mulf(d.i, before); });
    addTo(dwcf, [&] { return b.mulf(d.f, before); });
    addTo(dwco, [&] { return b.mulf(d.o, load(op.getCs(), at)); });
    return Value();
  }

  /// Stores the results other than the reductions over T*B.
  void finish(const BackwardLoop &loop) {
    Value zero = b.index(0);
    if (Value result = op.getCsPrevGradOut())
      storePanels(b, kc, zero, p.B, p.H, result, zero);
    if (Value result = op.getHPrevGradOut())
      storePanels(b, loop.kh, zero, p.B, p.H, result, zero);
    if (loop.db)
      for (int64_t gate = 0; gate < 4; ++gate)
        b.storeRow(loop.db, b.mul(p.padded, gate), op.getBGradOut(), {}, b.mul(p.H, gate), p.H);
    for (auto [sum, result] :
         {std::pair<Value, Value>(dwci, op.getWciGradOut()), {dwcf, op.getWcfGradOut()}, {dwco, op.getWcoGradOut()}}) {
      if (sum) {
        b.storeRow(sum, zero, result, {}, zero, p.H);
        b.free(sum);
      } else if (result) {
        b.forColumns(p.H, [&, to = result](Value column, Value mask) { b.store(b.constant(0), to, column, mask); });
      }
    }
    b.free(kc);
    if (zeros)
      b.free(zeros);
  }

private:
  Value load(Value tensor, const Position &at) { return b.load(tensor, {at.t, at.row, at.column}, at.mask); }

  BlockLSTMGradOp op;
  GateBlocks gateBlocks;
  Value kc;               ///< gradient of the cell from the next step: panels of B rows
  Value csBefore;         ///< the rows of the previous cell
  Value zeros;            ///< the cell after a reset to zero
  Value dwci, dwcf, dwco; ///< `padded` sums each (null: not requested)
};

} // namespace

void host::emitBlockForward(HostBuilder &b, BlockLSTMOp op, const Problem &p, KernelLibrary &library) {
  BlockForward layer(b, op, p, library);
  ForwardLoop loop(layer, p.I);
  loop.run();
  loop.release();
  layer.finish();
}

void host::emitBlockBackward(HostBuilder &b, BlockLSTMGradOp op, const Problem &p, KernelLibrary &library) {
  BlockBackward layer(b, op, p, library);
  BackwardLoop loop(layer, {bool(op.getBGradOut()), bool(op.getHPrevGradOut()), bool(op.getCsPrevGradOut())}, p.I);
  loop.run();
  Value zero = b.index(0);
  int64_t panel = b.tiles.panel;
  if (Value result = op.getXGradOut()) {
    Value target = b.asRows(result);
    auto pack = [&](Value packed, Value offset, Value stride, Value first, Value count) {
      layer.packWeights(zero, p.I, first, count, packed, offset, stride);
    };
    loop.inputs(pack, [&](const BackwardLoop::Block &block) {
      loop.forRowParts(block, [&](Value row, Value offset, Value column, Value count) {
        b.storeRow(block.buffer, offset, target, b.rowIndices(target, b.add(block.row, row)),
                   b.add(block.column, column), count);
      });
    });
    fillSteps(b, result, p.steps, p.T, p.B, p.I);
  }
  if (Value result = op.getWGradOut()) {
    loop.startSums();
    BackwardLoop::Right gates = loop.gatesOf({0, 4});
    // If H is a multiple of the panel, the result has the columns of dG.
    Value rest = b.createOrFold<arith::RemUIOp>(p.H, b.index(panel)), hasPanels, elements;
    std::optional<int64_t> known = getConstantIntValue(rest);
    if (known.value_or(0) == 0 && cast<MemRefType>(result.getType()).getElementType() == b.tiles.sum) {
      elements = b.asScratch(result);
      if (!known)
        hasPanels = b.compare(arith::CmpIPredicate::eq, rest, zero);
    }
    auto sums = [&](Value firstRow, Value count, ArrayRef<BackwardLoop::Left> lefts,
                    std::optional<BackwardLoop::Resets> resets = std::nullopt) {
      std::optional<BackwardLoop::Rows> rows;
      if (elements)
        rows = {elements, b.mul(b.mul(firstRow, p.H), 4), b.mul(p.H, 4), hasPanels};
      auto products = [&] {
        SmallVector<BackwardLoop::Place> places;
        for (int64_t gate = 0; gate < 4; ++gate)
          places.push_back({firstRow, b.mul(p.H, gate)});
        loop.sumProducts(lefts, count, gates, p.H, places, result, /*isTransposed=*/false, resets);
      };
      auto blocks = [&] {
        loop.sums(
            lefts, count, gates,
            [&](const BackwardLoop::Block &block) {
              b.loop(block.rows, [&](Value row) {
                Value target = b.add(b.add(firstRow, block.row), row);
                for (int64_t gate = 0; gate < 4; ++gate)
                  loop.forPanels(block, b.mul(p.panels, gate), p.panels, [&](Value offset, Value q) {
                    Value column = b.mul(q, panel), columns = b.min(b.sub(p.H, column), b.index(panel));
                    b.storeRow(block.buffer, b.add(offset, b.mul(row, panel)), result, {target},
                               b.add(b.mul(p.H, gate), column), columns);
                  });
              });
            },
            rows, resets);
      };
      b.ifElse(loop.haveFewRows(/*isTransposed=*/false), products, blocks);
    };
    sums(zero, p.I, {{op.getX(), zero, loop.rows, zero}});
    // h[t-1] is B rows before h[t] in h; that of the first step is h_prev.
    Value some = b.min(p.steps, b.index(1)), first = b.mul(some, p.B);
    std::optional<BackwardLoop::Resets> resets;
    if (layer.resets)
      resets = {layer.resetsToInitial ? op.getHPrev() : Value()};
    sums(p.I, p.H, {{op.getHPrev(), zero, first, zero}, {op.getH(), zero, b.sub(loop.rows, first), first}}, resets);
  }
  layer.finish(loop);
  loop.release();
}
