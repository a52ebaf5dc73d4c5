//===- LSTM.cpp - the LSTM cell ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/Cells/LSTM.h"

using namespace mlir;
using namespace mlir::rnn;

LSTMStep rnn::stepLSTM(const CellBuilder &b, const LSTMGates &arguments, Value cellBefore, const LSTMOptions &options,
                       LSTMProducedFn produced) {
  auto done = [&](LSTMValue which, Value value) { return produced ? produced(which, value) : value; };
  auto withPeephole = [&](Value argument, Value cell, Value weight) {
    return weight ? b.mulAdd(cell, weight, argument) : argument;
  };
  const Peephole &peephole = options.peephole;
  LSTMStep s;
  s.gates.i = done(LSTMValue::I, b.sigmoid(withPeephole(arguments.i, cellBefore, peephole.i)));
  s.gates.g = done(LSTMValue::G, b.tanh(arguments.g));
  Value f = arguments.f;
  if (options.forgetBias != 0)
    f = b.add(f, b.constant(options.forgetBias, f));
  s.gates.f = done(LSTMValue::F, b.sigmoid(withPeephole(f, cellBefore, peephole.f)));
  Value cell = b.mulAdd(s.gates.i, s.gates.g, b.mul(s.gates.f, cellBefore));
  if (options.clip > 0) {
    // NaN compares false and passes.
    Value low = b.constant(-options.clip, cell), high = b.constant(options.clip, cell);
    cell = b.select(arith::CmpFPredicate::OLT, cell, low, low, cell);
    cell = b.select(arith::CmpFPredicate::OGT, cell, high, high, cell);
  }
  s.cell = done(LSTMValue::Cell, cell);
  s.cellTanh = done(LSTMValue::CellTanh, b.tanh(s.cell));
  // The peephole of the output gate uses the new cell state.
  s.gates.o = done(LSTMValue::O, b.sigmoid(withPeephole(arguments.o, s.cell, peephole.o)));
  s.h = done(LSTMValue::H, b.mul(s.gates.o, s.cellTanh));
  return s;
}

LSTMGradients rnn::stepLSTMBackward(const CellBuilder &b, const LSTMGates &gates, Value cellTanh, Value cellBefore,
                                    Value dh, Value dc, const Peephole &peephole) {
  LSTMGradients d;
  d.arguments.o = b.mul(b.mul(b.sigmoidSlope(gates.o), dh), cellTanh);
  Value cell = b.add(b.mul(b.mul(b.tanhSlope(cellTanh), dh), gates.o), dc);
  if (peephole.o)
    cell = b.add(cell, b.mul(d.arguments.o, peephole.o));
  d.arguments.g = b.mul(b.mul(b.tanhSlope(gates.g), cell), gates.i);
  d.arguments.f = b.mul(b.mul(b.sigmoidSlope(gates.f), cell), cellBefore);
  d.arguments.i = b.mul(b.mul(b.sigmoidSlope(gates.i), cell), gates.g);
  d.cellBefore = b.mul(cell, gates.f);
  if (peephole.i)
    d.cellBefore = b.add(d.cellBefore, b.add(b.mul(d.arguments.i, peephole.i), b.mul(d.arguments.f, peephole.f)));
  return d;
}
