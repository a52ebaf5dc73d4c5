//===- Cells.cpp - the arithmetic of cells -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cells.h"

using namespace mlir;
using namespace mlir::rnn;

/// Derivatives by the argument, from the value.
static Value ofSigmoid(const Emitter &e, Value y) {
  return e.mul(y, e.sub(e.number(1.0, y.getType()), y));
}
static Value ofTanh(const Emitter &e, Value y) {
  return e.sub(e.number(1.0, y.getType()), e.mul(y, y));
}

LSTMStep rnn::stepLSTM(const Emitter &e, const LSTMGates &arguments, Value cellBefore, const Peephole &peephole,
                       double clip) {
  auto withCell = [&](Value argument, Value weight, Value cell) {
    return weight ? e.add(argument, e.mul(cell, weight)) : argument;
  };
  LSTMStep step;
  step.gates.i = e.sigmoid(withCell(arguments.i, peephole.i, cellBefore));
  step.gates.g = e.tanh(arguments.g);
  step.gates.f = e.sigmoid(withCell(arguments.f, peephole.f, cellBefore));
  step.c = e.add(e.mul(step.gates.i, step.gates.g), e.mul(step.gates.f, cellBefore));
  if (clip > 0) {
    Value low = e.number(-clip, step.c.getType()), high = e.number(clip, step.c.getType());
    step.c = e.select(e.isLess(step.c, low), low, step.c);
    step.c = e.select(e.isLess(high, step.c), high, step.c);
  }
  step.u = e.tanh(step.c);
  step.gates.o = e.sigmoid(withCell(arguments.o, peephole.o, step.c)); // the new cell
  step.h = e.mul(step.gates.o, step.u);
  return step;
}

LSTMGates rnn::stepBackLSTM(const Emitter &e, const LSTMGates &gates, Value u, Value cellBefore, Value dh, Value &dc,
                            const Peephole &peephole) {
  LSTMGates d;
  d.o = e.mul(e.mul(ofSigmoid(e, gates.o), dh), u);
  Value dcell = e.add(e.mul(e.mul(ofTanh(e, u), dh), gates.o), dc);
  if (peephole.o)
    dcell = e.add(dcell, e.mul(d.o, peephole.o));
  d.g = e.mul(e.mul(ofTanh(e, gates.g), dcell), gates.i);
  d.f = e.mul(e.mul(ofSigmoid(e, gates.f), dcell), cellBefore);
  d.i = e.mul(e.mul(ofSigmoid(e, gates.i), dcell), gates.g);
  dc = e.mul(dcell, gates.f);
  if (peephole.i)
    dc = e.add(dc, e.add(e.mul(d.i, peephole.i), e.mul(d.f, peephole.f)));
  return d;
}

namespace {

class LSTMCell : public Cell {
public:
  int64_t getNumGates() const override { return 4; }
  bool isLSTM() const override { return true; }

  Step step(const Emitter &e, ArrayRef<Value> inputs, ArrayRef<Value> states, Value, Value cellBefore) const override {
    auto argument = [&](int64_t gate) { return e.add(inputs[gate], states[gate]); };
    LSTMStep step = stepLSTM(e, {argument(0), argument(2), argument(1), argument(3)}, cellBefore);
    return {{step.gates.i, step.gates.f, step.gates.g, step.gates.o}, step.c, {}, step.h};
  }

  Gradients stepBack(const Emitter &e, const Step &saved, Value, Value cellBefore, Value dh, Value dc) const override {
    ArrayRef<Value> gates = saved.gates;
    LSTMGates d = stepBackLSTM(e, {gates[0], gates[2], gates[1], gates[3]}, e.tanh(saved.cell), cellBefore, dh, dc);
    return {{d.i, d.f, d.g, d.o}, {}, dc, {}};
  }
};

/// Gates: reset, update, new.
class GRUCell : public Cell {
public:
  int64_t getNumGates() const override { return 3; }
  bool isGRU() const override { return true; }

  // n = tanh(Wn x + bWn + r*q),  h = (1-z)*n + z*h'
  Step step(const Emitter &e, ArrayRef<Value> inputs, ArrayRef<Value> states, Value hBefore, Value) const override {
    Value r = e.sigmoid(e.add(inputs[0], states[0])), z = e.sigmoid(e.add(inputs[1], states[1])), q = states[2];
    Value n = e.tanh(e.add(inputs[2], e.mul(r, q)));
    Value one = e.number(1.0, z.getType());
    return {{r, z, n}, {}, q, e.add(e.mul(e.sub(one, z), n), e.mul(z, hBefore))};
  }

  // dn = dh*(1-z)*(1-n^2);  dz = dh*(h'-n)*z*(1-z);  dr = dn*q*r*(1-r);  dq = dn*r
  Gradients stepBack(const Emitter &e, const Step &saved, Value hBefore, Value, Value dh, Value) const override {
    Value r = saved.gates[0], z = saved.gates[1], n = saved.gates[2];
    Value one = e.number(1.0, z.getType());
    Value dn = e.mul(e.mul(dh, e.sub(one, z)), ofTanh(e, n));
    Value dz = e.mul(e.mul(dh, e.sub(hBefore, n)), ofSigmoid(e, z));
    Value dr = e.mul(e.mul(dn, saved.linear), ofSigmoid(e, r));
    return {{dr, dz, dn}, {dr, dz, e.mul(dn, r)}, {}, e.mul(dh, z)};
  }
};

class TanhCell : public Cell {
public:
  Step step(const Emitter &e, ArrayRef<Value> inputs, ArrayRef<Value> states, Value, Value) const override {
    Value a = e.add(inputs[0], states[0]);
    return {{a}, {}, {}, e.tanh(a)};
  }
  Gradients stepBack(const Emitter &e, const Step &saved, Value, Value, Value dh, Value) const override {
    return {{e.mul(dh, ofTanh(e, saved.h))}, {}, {}, {}};
  }
};

class ReluCell : public Cell {
public:
  Step step(const Emitter &e, ArrayRef<Value> inputs, ArrayRef<Value> states, Value, Value) const override {
    Value a = e.add(inputs[0], states[0]), zero = e.number(0.0, a.getType());
    Value h = e.select(e.isLess(a, zero), zero, a); // NaN stays
    return {{a}, {}, {}, h};
  }
  Gradients stepBack(const Emitter &e, const Step &saved, Value, Value, Value dh, Value) const override {
    Value zero = e.number(0.0, dh.getType());
    return {{e.select(e.isLess(zero, saved.h), dh, zero)}, {}, {}, {}};
  }
};

} // namespace

std::unique_ptr<Cell> Cell::create(CellMode mode) {
  switch (mode) {
  case CellMode::Lstm:
    return std::make_unique<LSTMCell>();
  case CellMode::Gru:
    return std::make_unique<GRUCell>();
  case CellMode::RnnTanh:
    return std::make_unique<TanhCell>();
  case CellMode::RnnRelu:
    return std::make_unique<ReluCell>();
  }
  llvm_unreachable("unknown mode");
}
