//===- LSTM.cpp - one step of the block LSTM's cell and of its gradient ------===//
//
// The columns of one panel at one step, for all rows: what the product of that panel left is still in the first cache.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {

/// One vector of a panel, in one row: where it is in the tensors and in scratch.
struct Place {
  Value t, row, column; ///< of a tensor [T, B, H]
  Value mask;           ///< null in a full panel
  Value inPanel;        ///< first element in a panel of B rows
  Value inState;        ///< the same in panels of B rows, one for each panel of H
  int64_t vector;       ///< its number in the panel
};

} // namespace

/// Runs `body` for every vector of a panel. The code is there twice: with masks for a last panel that is not full.
static void forPlaces(HostBuilder &b, const Problem &p, Value t, Value panel, function_ref<void(const Place &)> body) {
  int64_t width = b.tiles.panel;
  Value first = b.mul(panel, width), rest = b.sub(p.H, first);
  auto rows = [&](ArrayRef<Value> masks) {
    b.loop(p.B, [&](Value row) {
      for (int64_t v = 0; v < b.tiles.vectors; ++v) {
        int64_t offset = v * b.tiles.lanes;
        Value inPanel = b.add(b.mul(row, width), offset);
        Value inState = b.add(b.mul(b.add(b.mul(panel, p.B), row), width), offset);
        body({t, row, b.add(first, offset), masks.empty() ? Value() : masks[v], inPanel, inState, v});
      }
    });
  };
  Value isFull = b.compare(arith::CmpIPredicate::sle, b.index(width), rest);
  if (std::optional<int64_t> H = getConstantIntValue(p.H); H && *H % width == 0)
    isFull = arith::ConstantIntOp::create(b, 1, 1);
  b.branch(
      isFull, [&] { rows({}); },
      [&] {
        SmallVector<Value> masks;
        for (int64_t v = 0; v < b.tiles.vectors; ++v)
          masks.push_back(b.mask(b.sub(rest, b.index(v * b.tiles.lanes))));
        rows(masks);
      });
}

void host::emitBackwardCell(HostBuilder &b, BlockLSTMGradOp op, const Problem &p, const BackwardState &s, Value t,
                            Value panel) {
  GatePlaces places(op.getLayout());
  int64_t width = b.tiles.panel;
  bool peephole = op.getUsePeephole();
  auto steps = [&](function_ref<Value(const Place &)> cellBefore) {
    forPlaces(b, p, t, panel, [&](const Place &at) {
      auto load = [&](Value tensor) { return b.load(tensor, {at.t, at.row, at.column}, at.mask); };
      auto slope = [&](Value gate) { return b.mulf(gate, b.subf(b.constant(1), gate)); };
      auto slopeOfTanh = [&](Value gate) { return b.subf(b.constant(1), b.mulf(gate, gate)); };
      Value i = load(op.getI()), f = load(op.getF()), o = load(op.getO()), ci = load(op.getCi()),
            co = load(op.getCo()), before = cellBefore(at);
      // Beyond the last column there are zeros, whatever the product made of infinities.
      Value kh = b.select(at.mask, b.load(s.kh, at.inPanel));
      Value gh = b.addf(kh, load(op.getHGrad()));
      Value gc = b.addf(b.load(s.kc, at.inState), load(op.getCsGrad()));
      Value dout = b.mulf(b.mulf(slope(o), gh), co);
      Value dcs = b.addf(b.mulf(b.mulf(slopeOfTanh(co), gh), o), gc);
      if (peephole)
        dcs = b.addf(dcs, b.mulf(dout, b.load(op.getWco(), at.column, at.mask)));
      Value dci = b.mulf(b.mulf(slopeOfTanh(ci), dcs), i);
      Value df = b.mulf(b.mulf(slope(f), dcs), before);
      Value di = b.mulf(b.mulf(slope(i), dcs), ci);
      Value kc = b.mulf(dcs, f);
      if (peephole)
        kc = b.addf(b.addf(kc, b.mulf(di, b.load(op.getWci(), at.column, at.mask))),
                    b.mulf(df, b.load(op.getWcf(), at.column, at.mask)));
      b.store(kc, s.kc, at.inState);

      // Sums over the rows go through memory: registers are for the operands above.
      auto addTo = [&](Value sums, Value place, Value value) {
        if (sums)
          b.store(b.addf(b.load(sums, place), value), sums, place);
      };
      Value row = b.add(b.mul(t, p.B), at.row);
      Value column = b.add(b.mul(panel, width), at.vector * b.tiles.lanes);
      for (auto [gate, value] : {std::pair(places.i, di), {places.c, dci}, {places.f, df}, {places.o, dout}}) {
        Value gatePanel = b.add(b.mul(p.panels, gate), panel);
        Value place = b.mul(b.add(b.mul(gatePanel, s.allRows), row), width);
        b.store(value, s.dG, b.add(place, at.vector * b.tiles.lanes));
        addTo(s.db, b.add(b.mul(p.padded, gate), column), value);
      }
      addTo(s.dwci, column, b.mulf(di, before));
      addTo(s.dwcf, column, b.mulf(df, before));
      if (s.dwco)
        addTo(s.dwco, column, b.mulf(dout, load(op.getCs())));
    });
  };
  // The step before the first one has an operand of its own.
  Value zero = b.index(0);
  b.branch(
      b.compare(arith::CmpIPredicate::eq, t, zero),
      [&] { steps([&](const Place &at) { return b.load(op.getCsPrev(), {at.row, at.column}, at.mask); }); },
      [&] {
        Value previous = b.sub(t, b.index(1));
        steps([&](const Place &at) { return b.load(op.getCs(), {previous, at.row, at.column}, at.mask); });
      });
}

void host::emitForwardCell(HostBuilder &b, BlockLSTMOp op, const Problem &p, const ForwardState &s, Value t,
                           Value panel) {
  GatePlaces places(op.getLayout());
  bool peephole = op.getUsePeephole();
  double clip = op.getCellClip().convertToDouble(), forgetBias = op.getForgetBias().convertToDouble();
  Value allColumns = b.mul(p.padded, 4);
  forPlaces(b, p, t, panel, [&](const Place &at) {
    Value column = b.add(b.mul(panel, b.tiles.panel), at.vector * b.tiles.lanes);
    Value row = b.mul(b.add(s.firstRow, at.row), allColumns);
    auto argument = [&](int64_t gate) {
      return b.load(s.gates, b.add(b.add(row, b.mul(p.padded, gate)), column));
    };
    auto addPeephole = [&](Value value, Value cell, Value weight) {
      return peephole ? b.fma(cell, b.load(weight, at.column, at.mask), value) : value;
    };
    auto put = [&](Value value, Value tensor) {
      if (tensor)
        b.store(value, tensor, {at.t, at.row, at.column}, at.mask);
    };
    Value before = b.load(s.cs, at.inState);
    Value i = b.sigmoid(addPeephole(argument(places.i), before, op.getWci()));
    put(i, op.getIOut());
    Value ci = b.tanh(argument(places.c));
    put(ci, op.getCiOut());
    Value f = argument(places.f);
    if (forgetBias != 0)
      f = b.addf(f, b.constant(forgetBias));
    f = b.sigmoid(addPeephole(f, before, op.getWcf()));
    put(f, op.getFOut());
    Value cs = b.fma(i, ci, b.mulf(f, before));
    if (clip > 0) {
      Value low = b.constant(-clip), high = b.constant(clip);
      auto select = [&](arith::CmpFPredicate predicate, Value bound) {
        Value beyond = arith::CmpFOp::create(b, predicate, cs, bound);
        cs = arith::SelectOp::create(b, beyond, bound, cs); // NaN compares false and passes
      };
      select(arith::CmpFPredicate::OLT, low);
      select(arith::CmpFPredicate::OGT, high);
    }
    b.store(cs, s.cs, at.inState);
    put(cs, op.getCsOut());
    Value co = b.tanh(cs);
    put(co, op.getCoOut());
    Value o = b.sigmoid(addPeephole(argument(places.o), cs, op.getWco())); // the new cell, unlike i and f
    put(o, op.getOOut());
    Value h = b.mulf(o, co);
    put(h, op.getHOut());
    b.store(h, s.h, b.add(s.hTarget, at.inState));
  });
}
