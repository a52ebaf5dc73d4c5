//===- Resets.cpp - resets of states in kernels --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "rnn/Codegen/GPU/Kernel.h"

using namespace mlir;
using namespace mlir::rnn;

// The mark at time k separates the steps k - 1 and k in both directions.

Value Resets::cutBefore(const Emitter &e, Value direction, Value t) const {
  return numDirections == 2 ? e.add(t, direction) : t;
}

Value Resets::cutAfter(const Emitter &e, Value direction, Value t) const {
  Value next = e.add(t, e.index(1));
  return numDirections == 2 ? e.sub(next, direction) : next;
}

Value Resets::load(const Emitter &e, Value cut, Value b) const {
  // A cut at time T has no mark: it follows the last step. As an i8, since the compiler would test an i1 where it is
  // loaded.
  Value inside = e.min(cut, e.sub(T, e.index(1)));
  Value address = isBatchMajor ? e.address(marks, {b, inside}) : e.address(marks, {inside, b});
  return LLVM::LoadOp::create(e.builder, e.loc, e.builder.getI8Type(), address);
}

Value Resets::isSet(const Emitter &e, Value mark, Value cut, Value length) const {
  Value zero = arith::ConstantOp::create(e.builder, e.loc, e.builder.getI8IntegerAttr(0));
  Value set = arith::CmpIOp::create(e.builder, e.loc, arith::CmpIPredicate::ne, mark, zero);
  // Without a length and with one direction, a cut at T is behind the last step, whose states have no reader.
  Value end = length ? length : numDirections == 2 ? T : Value();
  return end ? e.both(set, e.isLess(cut, end)) : set;
}

Value Resets::isSetAt(const Emitter &e, Value cut, Value b) const {
  if (!marks)
    return Value();
  Value length;
  if (lengths)
    length = arith::IndexCastOp::create(e.builder, e.loc, e.builder.getIndexType(), e.load(lengths, {b}));
  return isSet(e, load(e, cut, b), cut, length);
}

Value Resets::isSetAfter(const Emitter &e, const Step &step, Value steps, Value b) const {
  Value set = isSetAt(e, cutAfter(e, step.direction, step.t), b);
  return set ? e.both(set, e.isLess(step.number, e.sub(steps, e.index(1)))) : set;
}

Value Resets::isSetAtStart(const Emitter &e, Value direction, Value t, Value steps, Value b) const {
  if (!marks || toInitial)
    return Value();
  return e.ifElse(
      e.isLess(e.index(0), steps), [&] { return isSetAt(e, cutBefore(e, direction, t), b); },
      [&]() -> Value { return arith::ConstantOp::create(e.builder, e.loc, e.builder.getBoolAttr(false)); });
}

Value Resets::apply(const Emitter &e, Value reset, Value before, function_ref<Value()> initial) const {
  if (!reset)
    return before;
  if (toInitial)
    return e.ifElse(reset, initial, [&] { return before; });
  return e.select(reset, e.number(0.0, before.getType()), before);
}

Value Resets::endGradient(const Emitter &e, Value reset, Value gradient, Value *initial) const {
  if (!reset)
    return gradient;
  Value zero = e.number(0.0, gradient.getType());
  if (initial && *initial)
    *initial = e.add(*initial, e.select(reset, gradient, zero));
  return e.select(reset, zero, gradient);
}

Value Resets::endGradient(const Emitter &e, const Step &step, Value reset, Value gradient, Value sums,
                          ValueRange place) const {
  if (reset && sums) {
    e.ifThen(step.isLast, [&] { e.store(e.number(0.0, gradient.getType()), sums, place); });
    e.ifThen(reset, [&] { e.store(e.add(e.load(sums, place), gradient), sums, place); });
  }
  return endGradient(e, reset, gradient);
}

Value Resets::finishGradient(const Emitter &e, Value direction, Value t, Value steps, Value b, Value gradient,
                             Value sums, ValueRange place) const {
  if (!sums)
    return endGradient(e, isSetAtStart(e, direction, t, steps, b), gradient);
  // Without any step the sums are not written.
  return e.add(gradient, e.ifElse(
                             e.isLess(e.index(0), steps), [&] { return e.load(sums, place); },
                             [&] { return e.number(0.0, gradient.getType()); }));
}

void Resets::launchStates(const Emitter &host, StringRef name, Value rows, Value B, Value P, const Matrix &used,
                          function_ref<Value(const Emitter &, Value, Value, Value)> getAddress,
                          function_ref<Value(const Emitter &, Value, Value)> loadInitial) const {
  Type element = cast<MemRefType>(used.buffer.getType()).getElementType();
  launchElementwise(host, name, rows, used.stride, [&](const Emitter &e, Value row, Value column) {
    const bool hasTwo = numDirections == 2;
    Value direction = hasTwo ? e.div(column, P) : e.index(0), p = hasTwo ? e.remainder(column, P) : column;
    Value state = LLVM::LoadOp::create(e.builder, e.loc, element, getAddress(e, direction, p, row));
    Value b = e.remainder(row, B), reset = isSetAt(e, cutBefore(e, direction, e.div(row, B)), b);
    used.store(e, apply(e, reset, state, [&] { return loadInitial(e, b, p); }), row, column);
  });
}

//===----------------------------------------------------------------------===//
// CarriedReset
//===----------------------------------------------------------------------===//

void CarriedReset::start(const Emitter &e, Type accumulator, SmallVectorImpl<Value> &carried) {
  if (!resets)
    return;
  reset = arith::ConstantOp::create(e.builder, e.loc, e.builder.getBoolAttr(false));
  state = cell = e.number(0.0, accumulator);
  append(carried);
}

void CarriedReset::take(ValueRange carried) {
  if (!resets)
    return;
  if (hasCell) {
    cell = carried.back();
    carried = carried.drop_back();
  }
  if (hasState) {
    state = carried.back();
    carried = carried.drop_back();
  }
  reset = carried.back();
}

void CarriedReset::append(SmallVectorImpl<Value> &carried) const {
  if (!resets)
    return;
  carried.push_back(reset);
  if (hasState)
    carried.push_back(state);
  if (hasCell)
    carried.push_back(cell);
}

void CarriedReset::endGradients(const Emitter &e, Value &ofState, Value *ofCell, Value newReset) {
  if (!resets)
    return;
  ofState = resets.endGradient(e, reset, ofState, hasState ? &state : nullptr);
  if (ofCell)
    *ofCell = resets.endGradient(e, reset, *ofCell, hasCell ? &cell : nullptr);
  reset = newReset;
}

void CarriedReset::finish(const Emitter &e, Value *ofState, Value *ofCell) const {
  if (!resets)
    return;
  for (auto [gradient, added] : {std::pair(ofState, state), std::pair(ofCell, cell)})
    if (gradient)
      *gradient = resets.isToInitial() ? e.add(*gradient, added) : resets.endGradient(e, reset, *gradient);
}
