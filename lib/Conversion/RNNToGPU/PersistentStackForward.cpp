//===- PersistentStackForward.cpp - a stack's layers as persistent kernels -----===//
//
// Both directions run in one launch, each in clusters of its own. Rows past the end of an example keep their state.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PersistentLayers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

class StackForward final : public PersistentForwardLayer {
public:
  StackForward(const Stack &stack, const StackForwardRecurrence &r)
      : stack(stack), r(r), cell(*stack.cell), isTraining(stack.saved), accumulator(stack.sizes.compute),
        H(stack.sizes.H) {}

  Value getWeight(const Emitter &e, Value direction, Value gate, Value unit, Value from) const override {
    Matrix weights{stack.params, stack.recurrentWeights.at(e, direction), H};
    return weights.load(e, e.add(e.mul(gate, H), unit), from);
  }

  Value getState(const Emitter &e, const Place &place) const override {
    auto initial = [&] { return resetAtStart(e, place, e.load(stack.h0, {placeInState(e, place)})); };
    if (!r.isPart())
      return initial();
    return e.ifElse(e.isEqual(r.first, e.index(0)), initial, [&] { return getStateBefore(e, place); });
  }

  /// The recurrent bias of gru's new gate, the initial states for resets to them, then the length of the example.
  SmallVector<Value> readOnce(const Emitter &e, const Place &place) const override {
    SmallVector<Value> once;
    if (cell.isGRU()) {
      Value bias = e.add(stack.recurrentBias.at(e, place.direction), e.mul(H, e.index(2)));
      once.push_back(stack.load(e, stack.params, e.add(bias, place.unit)));
    }
    if (stack.resets.isToInitial()) {
      once.push_back(stack.load(e, stack.h0, placeInState(e, place)));
      if (cell.isLSTM())
        once.push_back(stack.load(e, stack.c0, placeInState(e, place)));
    }
    if (stack.lengths) {
      Value length = e.load(stack.lengths, {place.b});
      once.push_back(arith::IndexCastOp::create(e.builder, e.loc, e.builder.getIndexType(), length));
    }
    return once;
  }

  /// The cell, then the state in the accumulator type, if the cell uses them.
  SmallVector<Value> start(const Emitter &e, const Place &place) const override {
    SmallVector<Value> carried;
    if (cell.isLSTM())
      carried.push_back(resetAtStart(e, place, stack.load(e, stack.c0, placeInState(e, place))));
    if (needsStateBefore())
      carried.push_back(resetAtStart(e, place, stack.load(e, stack.h0, placeInState(e, place))));
    return carried;
  }

  void startTask(const Emitter &e, Value first) const override {
    gatePlaces = r.gatePlaces;
    if (!r.stepsOfGates)
      return;
    // In 32 bits: a division of 64 bits is a function.
    auto to32 = [&](Value value) -> Value {
      return arith::IndexCastUIOp::create(e.builder, e.loc, e.builder.getI32Type(), value);
    };
    Value inScratch = arith::RemUIOp::create(e.builder, e.loc, to32(first), to32(r.stepsOfGates));
    inScratch = arith::IndexCastUIOp::create(e.builder, e.loc, e.builder.getIndexType(), inScratch);
    Value rows = e.mul(e.sub(inScratch, first), r.B);
    gatePlaces.first = e.add(gatePlaces.first, e.mul(rows, stack.sizes.gateRows()));
  }

  /// The mark of the reset after the step follows the arguments.
  SmallVector<Value> read(const Emitter &e, const Place &place, const Step &step) const override {
    SmallVector<Value> arguments;
    Matrix gates = gatesOf(e, place);
    for (int64_t gate = 0; gate < cell.getNumGates(); ++gate)
      arguments.push_back(gates.load(e, rowOf(e, place, step), gateColumn(e, gate, place)));
    if (stack.resets)
      arguments.push_back(stack.resets.load(e, stack.resets.cutAfter(e, place.direction, step.t), place.b));
    return arguments;
  }

  Result step(const Emitter &e, const Step &step, ArrayRef<Value> once, ArrayRef<Value> values, ArrayRef<Value> sums,
              ValueRange carried) const override {
    Value length = stack.lengths ? once.back() : Value();
    Value inside = length ? e.isLess(step.t, length) : Value(), zero = e.number(0.0, accumulator);
    auto keep = [&](Value value, Value other) { return inside ? e.select(inside, value, other) : value; };
    SmallVector<Value> states(sums);
    if (cell.isGRU())
      states[2] = e.add(states[2], once[0]);
    Value cellBefore = cell.isLSTM() ? carried[0] : Value(), before = needsStateBefore() ? carried.back() : Value();
    Cell::Step s = cell.step(e, values, states, before, cellBefore);
    Result result;
    result.h = keep(s.h, before);
    if (cell.isLSTM())
      result.carried.push_back(keep(s.cell, cellBefore));
    if (needsStateBefore())
      result.carried.push_back(result.h);
    // The backward pass multiplies these by zero, so they must be finite.
    for (Value gate : s.gates)
      result.others.push_back(keep(gate, zero));
    if (cell.isGRU())
      result.others.push_back(keep(s.linear, zero));
    result.others.push_back(keep(s.h, zero));
    if (const Resets &resets = stack.resets) {
      // A reset after this step changes what the next step reads, not the results.
      Value reset = resets.isSet(e, values.back(), resets.cutAfter(e, step.direction, step.t), length);
      const unsigned first = cell.isGRU(); // of the initial states
      result.next = resets.apply(e, reset, result.h, [&] { return once[first]; });
      if (cell.isLSTM()) {
        result.others.push_back(result.carried[0]);
        result.carried[0] = resets.apply(e, reset, result.carried[0], [&] { return once[first + 1]; });
      }
      if (needsStateBefore())
        result.carried.back() = result.next;
    }
    return result;
  }

  void store(const Emitter &e, const Place &place, const Step &step, const Result &result) const override {
    Value row = rowOf(e, place, step), column = e.add(e.mul(place.direction, H), place.unit);
    if (isTraining) {
      Matrix gates = gatesOf(e, place);
      for (int64_t gate = 0; gate < cell.getNumGates(); ++gate)
        gates.store(e, result.others[gate], row, gateColumn(e, gate, place));
      if (cell.isLSTM())
        Matrix{stack.saved, stack.cells.at(e, place.direction), H}.store(e, cellOf(result), row, place.unit);
      if (cell.isGRU())
        Matrix{stack.saved, stack.linear.at(e, place.direction), H}.store(e, result.others[3], row, place.unit);
    }
    for (const Matrix &states : {r.output, r.exact})
      if (states.buffer)
        states.store(e, result.h, row, column);
    if (r.y)
      e.ifThen(stack.isLast, [&] {
        Value h = result.others[cell.getNumGates() + cell.isGRU()];
        Value target = stack.sequence(e, r.y, stack.width).placeAt(e, step.t, place.b, r.B, column);
        e.store(e.convert(h, r.element), r.y, {target});
      });
    e.ifThen(step.isLast, [&] {
      for (auto [buffer, value] :
           {std::pair(r.hn, result.h), std::pair(r.cn, cell.isLSTM() ? cellOf(result) : Value())})
        if (buffer)
          e.store(e.convert(value, r.element), buffer, {placeInState(e, place)});
    });
  }

private:
  /// The state from which a launch that is not the first one starts; of one direction.
  Value getStateBefore(const Emitter &e, const Place &place) const {
    Value row = e.add(e.mul(e.sub(r.first, e.index(1)), r.B), place.b);
    Value reset = stack.resets.isSetAt(e, stack.resets.cutBefore(e, place.direction, r.first), place.b);
    return stack.resets.apply(e, reset, r.output.load(e, row, place.unit),
                              [&] { return e.load(stack.h0, {placeInState(e, place)}); });
  }
  /// The cell after a step.
  Value cellOf(const Result &result) const { return stack.resets ? result.others.back() : result.carried[0]; }
  /// An initial state, after a reset to zero before the first step.
  Value resetAtStart(const Emitter &e, const Place &place, Value state) const {
    if (!stack.resets)
      return state;
    Value last = e.sub(r.steps, e.index(1));
    Value t = stack.sizes.D == 2 ? e.mul(place.direction, last) : e.index(0);
    Value reset = stack.resets.isSetAtStart(e, place.direction, t, r.steps, place.b);
    return stack.resets.apply(e, reset, state, nullptr);
  }
  /// True if the previous state is used outside of the GEMM: by gru, and by rows past their end.
  bool needsStateBefore() const { return cell.isGRU() || stack.lengths; }
  Matrix gatesOf(const Emitter &e, const Place &place) const {
    return {r.gates, gatePlaces.at(e, place.direction), stack.sizes.gateRows()};
  }
  Value rowOf(const Emitter &e, const Place &place, const Step &step) const {
    return e.add(e.mul(step.t, r.B), place.b);
  }
  Value gateColumn(const Emitter &e, int64_t gate, const Place &place) const {
    return e.add(e.mul(H, e.index(gate)), place.unit);
  }
  Value placeInState(const Emitter &e, const Place &place) const {
    return e.add(e.mul(stack.stateRow(e, place.direction, place.b), H), place.unit);
  }

  const Stack &stack;
  const StackForwardRecurrence &r;
  mutable Places gatePlaces; ///< of the task for which code is emitted
  const Cell &cell;
  const bool isTraining;
  Type accumulator;
  Value H;
};

} // namespace

void rnn::launchStackForward(const Stack &stack, const StackForwardRecurrence &recurrence,
                             const PersistentForwardShape &shape) {
  launchPersistentForward(stack.host, recurrence, shape, StackForward(stack, recurrence));
}
