//===- GRU.cpp - the GRU cell ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/Cells/GRU.h"

using namespace mlir;
using namespace mlir::rnn;

GRUStep rnn::stepGRU(const CellBuilder &b, const GRUGates &arguments, Value linear, Value hBefore,
                     GRUProducedFn produced) {
  auto done = [&](GRUValue which, Value value) {
    if (produced)
      produced(which, value);
    return value;
  };
  GRUStep s;
  s.gates.r = done(GRUValue::R, b.sigmoid(arguments.r));
  s.gates.z = done(GRUValue::Z, b.sigmoid(arguments.z));
  s.gates.n = done(GRUValue::N, b.tanh(b.mulAdd(s.gates.r, linear, arguments.n)));
  s.h = done(GRUValue::H, b.mulAdd(s.gates.z, hBefore, b.mul(b.complement(s.gates.z), s.gates.n)));
  return s;
}

GRUGradients rnn::stepGRUBackward(const CellBuilder &b, const GRUGates &gates, Value linear, Value hBefore, Value dh) {
  GRUGradients d;
  d.arguments.n = b.mul(b.mul(dh, b.complement(gates.z)), b.tanhSlope(gates.n));
  d.arguments.z = b.mul(b.mul(dh, b.sub(hBefore, gates.n)), b.sigmoidSlope(gates.z));
  d.arguments.r = b.mul(b.mul(d.arguments.n, linear), b.sigmoidSlope(gates.r));
  d.linear = b.mul(d.arguments.n, gates.r);
  d.hBefore = b.mul(dh, gates.z);
  return d;
}
