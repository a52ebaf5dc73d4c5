//===- Loop.cpp - the time loop and the products around it -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

/// Zero in rows [from, to) of a result seen as rows.
static void fillRows(HostBuilder &b, Value rows, Value from, Value to, Value columns) {
  b.loop(from, to, 1, [&](Value row) {
    b.forColumns(columns, [&](Value column, Value mask) { b.store(b.constant(0), rows, {row, column}, mask); });
  });
}

static void fillVector(HostBuilder &b, Value vector, Value count) {
  b.forColumns(count, [&](Value column, Value mask) { b.store(b.constant(0), vector, column, mask); });
}

namespace {

/// The gradient of one block LSTM.
class Backward {
public:
  Backward(HostBuilder &b, BlockLSTMGradOp op, const Problem &p, Library &library)
      : b(b), op(op), p(p), library(library), panel(b.tiles.panel), rows(b.mul(p.steps, p.B)),
        columns(b.mul(p.padded, 4)) {}

  void emit() {
    // An odd number of rows spreads the panels over the sets of a cache.
    s.allRows = b.createOrFold<arith::OrIOp>(rows, b.index(1));
    s.dG = b.allocate(b.mul(columns, s.allRows));
    auto sums = [&](bool wanted, Value count) {
      if (!wanted)
        return Value();
      Value buffer = b.allocate(count);
      b.fillZero(buffer, b.index(0), count);
      return buffer;
    };
    bool peephole = op.getUsePeephole();
    s.db = sums(bool(op.getBGradOut()), columns);
    s.dwci = sums(peephole && op.getWciGradOut(), p.padded);
    s.dwcf = sums(peephole && op.getWcfGradOut(), p.padded);
    s.dwco = sums(peephole && op.getWcoGradOut(), p.padded);

    steps();
    if (Value result = op.getXGradOut())
      inputs(result);
    if (Value result = op.getWGradOut()) {
      Value places = b.allocate(b.index(Tiles::blockRows * Tiles::depth));
      Value block = b.allocate(b.mul(columns, Tiles::blockRows));
      Value zero = b.index(0);
      weights(result, zero, p.I, {{op.getX(), rows, zero}}, places, block);
      // h[t-1] stands in the row of h that is B rows before; the first step's is h_prev.
      Value some = b.min(p.steps, b.index(1)), first = b.mul(some, p.B);
      weights(result, p.I, p.H, {{op.getHPrev(), first, zero}, {op.getH(), b.sub(rows, first), first}}, places, block);
      b.free(places);
      b.free(block);
    }
    if (s.db)
      for (int64_t gate = 0; gate < 4; ++gate)
        storeRow(b, s.db, b.mul(p.padded, gate), op.getBGradOut(), {}, b.mul(p.H, gate), p.H);
    for (auto [sum, result] : {std::pair<Value, Value>(s.dwci, op.getWciGradOut()),
                               {s.dwcf, op.getWcfGradOut()},
                               {s.dwco, op.getWcoGradOut()}}) {
      if (sum)
        storeRow(b, sum, b.index(0), result, {}, b.index(0), p.H);
      else if (result)
        fillVector(b, result, p.H);
    }
    for (Value buffer : {s.dG, s.db, s.dwci, s.dwcf, s.dwco})
      if (buffer)
        b.free(buffer);
  }

private:
  /// Fills dG from the last step to the first, and the gradients of the state.
  void steps() {
    Value zero = b.index(0), panelRows = b.mul(p.B, panel), packedPanel = b.mul(columns, panel);
    Value packed = b.allocate(b.mul(columns, p.padded));
    library.packTransposedWeights(b, op.getW(), p.I, p.H, p.H, packed);
    s.kh = b.allocate(panelRows);
    s.kc = b.allocate(b.mul(p.padded, p.B));
    b.fillZero(s.kc, zero, b.mul(p.padded, p.B));
    // kh = dG[t] * Wh^T, the columns of one panel
    auto multiply = [&](Value t, Value q) {
      library.product(b, {s.dG, b.mul(t, panelRows), b.mul(s.allRows, panel), packed, b.mul(q, packedPanel), zero,
                          s.kh, zero, b.index(panel), zero, p.B, b.index(1), b.mul(p.panels, 4)});
    };
    b.loop(p.steps, [&](Value k) {
      Value next = b.sub(p.steps, k), t = b.sub(next, b.index(1));
      b.loop(p.panels, [&](Value q) {
        b.fillZero(s.kh, zero, panelRows);
        b.branch(b.compare(arith::CmpIPredicate::ne, k, zero), [&] { multiply(next, q); });
        emitBackwardCell(b, op, p, s, t, q);
      });
    });
    auto columnsOf = [&](Value q) { return b.min(b.sub(p.H, b.mul(q, panel)), b.index(panel)); };
    if (Value result = op.getCsPrevGradOut())
      b.loop(p.panels, [&](Value q) {
        b.loop(p.B, [&](Value row) {
          Value place = b.mul(b.add(b.mul(q, p.B), row), panel);
          storeRow(b, s.kc, place, result, {row}, b.mul(q, panel), columnsOf(q));
        });
      });
    if (Value result = op.getHPrevGradOut())
      b.loop(p.panels, [&](Value q) {
        b.fillZero(s.kh, zero, panelRows);
        b.branch(b.compare(arith::CmpIPredicate::ne, p.steps, zero), [&] { multiply(zero, q); });
        b.loop(p.B, [&](Value row) {
          storeRow(b, s.kh, b.mul(row, panel), result, {row}, b.mul(q, panel), columnsOf(q));
        });
      });
    b.free(packed);
    b.free(s.kh);
    b.free(s.kc);
  }

  /// x_grad = dG * Wx^T, in blocks of rows.
  void inputs(Value result) {
    Value zero = b.index(0), inputPanels = b.ceilDiv(p.I, panel), width = b.mul(inputPanels, panel);
    Value packed = b.allocate(b.mul(columns, width)), block = b.allocate(b.mul(width, Tiles::blockRows));
    library.packTransposedWeights(b, op.getW(), zero, p.I, p.H, packed);
    Value target = b.asRows(result);
    b.loop(zero, rows, Tiles::blockRows, [&](Value first) {
      Value count = b.min(b.sub(rows, first), b.index(Tiles::blockRows));
      b.fillZero(block, zero, b.mul(count, width));
      library.product(b, {s.dG, b.mul(first, panel), b.mul(s.allRows, panel), packed, zero, b.mul(columns, panel), block,
                          zero, width, b.index(panel), count, inputPanels, b.mul(p.panels, 4)});
      b.loop(count, [&](Value row) {
        storeRow(b, block, b.mul(row, width), target, {b.add(first, row)}, zero, p.I);
      });
    });
    fillRows(b, target, rows, b.mul(p.T, p.B), p.I);
    b.free(packed);
    b.free(block);
  }

  /// A matrix whose rows belong to rows of dG.
  struct Left {
    Value matrix, rows, firstOfDG;
  };

  /// Rows [firstRow, firstRow + count) of w_grad: sum over the rows of left^T * dG.
  void weights(Value result, Value firstRow, Value count, ArrayRef<Left> lefts, Value places, Value block) {
    Value zero = b.index(0);
    b.loop(zero, count, Tiles::blockRows, [&](Value first) {
      Value height = b.min(b.sub(count, first), b.index(Tiles::blockRows)), tiles = b.ceilDiv(height, Tiles::rows);
      b.fillZero(block, zero, b.mul(b.mul(tiles, Tiles::rows), columns));
      for (const Left &left : lefts)
        b.loop(zero, left.rows, Tiles::depth, [&](Value row) {
          Value depth = b.min(b.sub(left.rows, row), b.index(Tiles::depth));
          library.packLeft(b, left.matrix, row, depth, first, height, places);
          library.transposedProduct(b, {places, s.dG, b.mul(b.add(left.firstOfDG, row), panel), b.mul(s.allRows, panel),
                                        block, columns, tiles, b.mul(p.panels, 4), depth});
        });
      b.loop(height, [&](Value row) {
        Value target = b.add(b.add(firstRow, first), row);
        for (int64_t gate = 0; gate < 4; ++gate)
          storeRow(b, block, b.add(b.mul(row, columns), b.mul(p.padded, gate)), result, {target}, b.mul(p.H, gate),
                   p.H);
      });
    });
  }

  HostBuilder &b;
  BlockLSTMGradOp op;
  const Problem &p;
  Library &library;
  int64_t panel;
  Value rows;    ///< of all steps that run
  Value columns; ///< of all gates, 4 * Hp
  BackwardState s;
};

} // namespace

void host::emitBackward(HostBuilder &b, BlockLSTMGradOp op, const Problem &p, Library &library) {
  Backward(b, op, p, library).emit();
}

void host::emitForward(HostBuilder &b, BlockLSTMOp op, const Problem &p, Library &library) {
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), columns = b.mul(p.padded, 4), inputPanels = b.ceilDiv(p.I, panel);
  Value inputColumns = b.mul(inputPanels, panel), stateSize = b.mul(p.padded, p.B);
  // A chunk of steps has its products with x in one go: enough rows for the kernel, few enough for a cache.
  Value stepsAtOnce = b.max(b.div(b.index(Tiles::blockRows), b.max(p.B, b.index(1))), b.index(1));
  stepsAtOnce = b.min(stepsAtOnce, b.max(p.steps, b.index(1)));
  Value rowsAtOnce = b.mul(stepsAtOnce, p.B);

  Value packedX = b.allocate(b.mul(columns, inputColumns)), packedH = b.allocate(b.mul(columns, p.padded));
  library.packWeights(b, op.getW(), zero, p.I, p.H, packedX);
  library.packWeights(b, op.getW(), p.I, p.H, p.H, packedH);
  Value left = b.allocate(b.mul(inputColumns, rowsAtOnce));
  Value bias = b.allocate(columns);
  b.fillZero(bias, zero, columns);
  for (int64_t gate = 0; gate < 4; ++gate)
    b.forColumns(p.H, [&](Value column, Value mask) {
      b.store(b.load(op.getB(), b.add(b.mul(p.H, gate), column), mask), bias, b.add(b.mul(p.padded, gate), column));
    });
  ForwardState s;
  s.gates = b.allocate(b.mul(columns, rowsAtOnce));
  s.cs = b.allocate(stateSize);
  s.h = b.allocate(b.mul(stateSize, 2));
  library.packRows(b, op.getCsPrev(), zero, p.B, s.cs);
  library.packRows(b, op.getHPrev(), zero, p.B, s.h);

  Value chunks = b.div(b.add(p.steps, b.sub(stepsAtOnce, b.index(1))), stepsAtOnce);
  b.loop(chunks, [&](Value chunk) {
    Value firstStep = b.mul(chunk, stepsAtOnce), count = b.min(b.sub(p.steps, firstStep), stepsAtOnce);
    Value rows = b.mul(count, p.B);
    // gates = x * Wx + b
    b.loop(rows, [&](Value row) {
      b.loop(zero, columns, b.tiles.lanes, [&](Value column) {
        b.store(b.load(bias, column), s.gates, b.add(b.mul(row, columns), column));
      });
    });
    library.packRows(b, op.getX(), b.mul(firstStep, p.B), rows, left);
    library.product(b, {left, zero, b.mul(rows, panel), packedX, zero, b.mul(inputColumns, panel), s.gates, zero, columns,
                        b.index(panel), rows, b.mul(p.panels, 4), inputPanels});
    b.loop(count, [&](Value step) {
      Value t = b.add(firstStep, step);
      Value parity = b.createOrFold<arith::AndIOp>(t, b.index(1)), hSource = b.mul(parity, stateSize);
      s.hTarget = b.sub(stateSize, hSource);
      s.firstRow = b.mul(step, p.B);
      b.loop(p.panels, [&](Value q) {
        // The same panel of all four gates: gates += h * Wh
        Value packedPanel = b.mul(p.padded, panel);
        Value target = b.add(b.mul(s.firstRow, columns), b.mul(q, panel));
        library.product(b, {s.h, hSource, b.mul(p.B, panel), packedH, b.mul(q, packedPanel),
                            b.mul(p.panels, packedPanel), s.gates, target, columns, p.padded, p.B, b.index(4), p.panels});
        emitForwardCell(b, op, p, s, t, q);
      });
    });
  });
  for (Value result : {op.getIOut(), op.getCsOut(), op.getFOut(), op.getOOut(), op.getCiOut(), op.getCoOut(),
                       op.getHOut()})
    if (result)
      fillRows(b, b.asRows(result), b.mul(p.steps, p.B), b.mul(p.T, p.B), p.H);
  for (Value buffer : {packedX, packedH, left, bias, s.gates, s.cs, s.h})
    b.free(buffer);
}
