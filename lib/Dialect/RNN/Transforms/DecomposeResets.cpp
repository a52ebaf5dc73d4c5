//===- DecomposeResets.cpp - resets inside sequences as linalg ops ------------===//
//
// docs/Semantics.md, "Resets".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecomposeStack.h"

using namespace mlir;
using namespace mlir::rnn;

using Operand = TensorBuilder::Operand;

ResetRows::ResetRows(const TensorBuilder &t, Value marks, bool toInitial, Value lengths, Size steps, Size batch,
                     bool isReverse)
    : toInitial(toInitial), steps(steps), batch(batch) {
  if (!marks)
    return;
  Size zero = t.constant(0), one = t.constant(1);
  if (isReverse) {
    // A mark at a step separates it from the one before, which the reverse direction runs next.
    Value padded = t.zeros({t.add(steps, one), batch}, t.b.getI1Type());
    padded = t.insert(marks, padded, {zero, zero}, {steps, batch});
    marks = t.slice(padded, {one, zero}, {steps, batch});
  }
  rows = marks;
  if (!lengths)
    return;
  rows = t.generic(2, {{marks, {0, 1}}, {lengths, {1}}}, {{t.empty({steps, batch}, t.b.getI1Type()), {0, 1}}},
                   [&](const ElementBuilder &e, ValueRange s) {
                     Value valid = isBeforeEnd(e, s[1], /*ahead=*/isReverse ? 1 : 0);
                     return SmallVector<Value>{arith::AndIOp::create(e.b, e.loc, s[0], valid)};
                   })[0];
}

Value ResetRows::rowOf(const TensorBuilder &t, Size step) const {
  return t.slice(rows, {step, t.constant(0)}, {t.constant(1), batch}, 1);
}

Value ResetRows::apply(const TensorBuilder &t, Size step, Value state, Value initial) const {
  if (!rows)
    return state;
  SmallVector<Operand> inputs = {{rowOf(t, step), {0}}};
  if (toInitial)
    inputs.push_back({initial, {0, 1}});
  return t.generic(2, inputs, {{state, {0, 1}}}, [&](const ElementBuilder &e, ValueRange s) {
    return SmallVector<Value>{e.select(s[0], toInitial ? s[1] : e.constant(0, t.compute), s.back())};
  })[0];
}

Value ResetRows::applyToAll(const TensorBuilder &t, Value states, Value initial) const {
  if (!rows)
    return states;
  SmallVector<Operand> inputs = {{rows, {0, 1}}};
  if (toInitial)
    inputs.push_back({initial, {1, 2}});
  return t.generic(3, inputs, {{states, {0, 1, 2}}}, [&](const ElementBuilder &e, ValueRange s) {
    return SmallVector<Value>{e.select(s[0], toInitial ? s[1] : e.constant(0, t.compute), s.back())};
  })[0];
}

void ResetRows::end(const TensorBuilder &t, Size step, Value &gradient, Value &initial) const {
  if (!rows)
    return;
  SmallVector<Operand> outs = {{gradient, {0, 1}}};
  if (toInitial)
    outs.push_back({initial, {0, 1}});
  SmallVector<Value> results = t.generic(2, {{rowOf(t, step), {0}}}, outs, [&](const ElementBuilder &e, ValueRange s) {
    SmallVector<Value> results = {e.select(s[0], e.constant(0, t.compute), s[1])};
    if (toInitial)
      results.push_back(e.select(s[0], e.add(s[2], s[1]), s[2]));
    return results;
  });
  gradient = results[0];
  if (toInitial)
    initial = results[1];
}

Value ResetRows::add(const TensorBuilder &t, Value gradient, Value initial) const {
  if (!rows || !toInitial)
    return gradient;
  return t.generic(2, {{initial, {0, 1}}}, {{gradient, {0, 1}}},
                   [](const ElementBuilder &e, ValueRange s) { return SmallVector<Value>{e.add(s[1], s[0])}; })[0];
}
