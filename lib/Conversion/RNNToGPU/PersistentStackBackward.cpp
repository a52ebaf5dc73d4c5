//===- PersistentStackBackward.cpp - a stack's gradient as persistent kernels --===//
//
// Both directions run in one launch, each in clusters of its own. Rows past the end of an example compute zeros and
// pass the gradients of the state through.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PersistentLayers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

class StackBackward final : public PersistentBackwardLayer {
public:
  StackBackward(const Stack &stack, const StackBackwardRecurrence &layer)
      : stack(stack), layer(layer), cell(*stack.cell), accumulator(stack.sizes.compute), H(stack.sizes.H) {}

  Value getWeight(const Emitter &e, Value direction, Value gate, Value unit, Value from) const override {
    Matrix weights{stack.params, stack.recurrentWeights.at(e, direction), H};
    return weights.load(e, e.add(e.mul(gate, H), unit), from);
  }

  /// The length of the example, then the initial state of `before` for resets to it.
  SmallVector<Value> readOnce(const Emitter &e, const Place &place) const override {
    SmallVector<Value> once;
    if (stack.lengths) {
      Value length = e.load(stack.lengths, {place.b});
      once.push_back(arith::IndexCastOp::create(e.builder, e.loc, e.builder.getIndexType(), length));
    }
    if (stack.resets.isToInitial() && (cell.isLSTM() || cell.isGRU()))
      once.push_back(stack.load(e, cell.isLSTM() ? stack.c0 : stack.h0, placeInState(e, place)));
    return once;
  }

  /// The gradient of the state without the part from the GEMM, that of the cell, then the sums and the values of
  /// CarriedReset.
  SmallVector<Value> start(const Emitter &e, const Place &place) const override {
    SmallVector<Value> carried{stack.load(e, layer.dhn, placeInState(e, place))};
    if (cell.isLSTM())
      carried.push_back(stack.load(e, layer.dcn, placeInState(e, place)));
    if (layer.sums)
      carried.append(cell.getNumGates() + cell.isGRU(), e.number(0.0, accumulator));
    getCarriedReset().start(e, accumulator, carried);
    return carried;
  }

  SmallVector<Value> read(const Emitter &e, const Place &place, const Step &step) const override {
    SmallVector<Value> values = readSaved(e, place, step);
    if (stack.resets)
      values.push_back(stack.resets.load(e, stack.resets.cutBefore(e, place.direction, step.t), place.b));
    return values;
  }

  /// The values of a step but the mark of the reset before it.
  SmallVector<Value> readSaved(const Emitter &e, const Place &place, const Step &step) const {
    Value row = e.add(e.mul(step.t, stack.sizes.B), place.b),
          rowBefore = e.add(e.mul(step.earlier, stack.sizes.B), place.b);
    Value column = e.add(e.mul(place.direction, H), place.unit);
    Value output = e.add(e.mul(row, stack.width), column);
    // The gradient of the output: of the last layer, and of the others.
    Value ofResult = stack.sequence(e, layer.dy, stack.width).placeAt(e, step.t, place.b, stack.sizes.B, column);
    auto loadResult = [&] { return pack(e, e.load(layer.dy, {ofResult})); };
    SmallVector<Value> values;
    if (layer.between)
      values.push_back(e.ifElse(stack.isLast, loadResult, [&] { return e.load(layer.between, {output}); }));
    else
      values.push_back(loadResult());
    if (!cell.isLSTM() && !cell.isGRU()) {
      values.push_back(layer.states.load(e, row, column));
      return values;
    }
    Matrix gates{stack.saved, stack.gates.at(e, place.direction), stack.sizes.gateRows()};
    for (int64_t gate = 0; gate < cell.getNumGates(); ++gate)
      values.push_back(gates.load(e, row, gateColumn(e, gate, place)));
    auto before = [&](Value initial, const Matrix &all, Value column) {
      return e.ifElse(
          step.isFirst, [&] { return pack(e, e.load(initial, {placeInState(e, place)})); },
          [&] { return all.load(e, rowBefore, column); });
    };
    if (cell.isLSTM()) {
      Matrix cells{stack.saved, stack.cells.at(e, place.direction), H};
      values.push_back(cells.load(e, row, place.unit));
      values.push_back(before(stack.c0, cells, place.unit));
    } else {
      values.push_back(Matrix{stack.saved, stack.linear.at(e, place.direction), H}.load(e, row, place.unit));
      values.push_back(before(stack.h0, layer.states, column));
    }
    return values;
  }

  /// The gradient of the output, the other values of `readSaved`, the tanh of an LSTM's cell, and the mark.
  SmallVector<Value> prepare(const Emitter &e, const Step &step, ArrayRef<Value> values) const override {
    SmallVector<Value> prepared(values);
    prepared[0] = layer.between ? unpackIf(e, stack.isLast, values[0]) : unpack(e, values[0]);
    if (cell.isLSTM() || cell.isGRU()) {
      Value &before = prepared[2 + cell.getNumGates()];
      before = unpackIf(e, step.isFirst, before);
    }
    if (cell.isLSTM()) // before the mark
      prepared.insert(prepared.end() - bool(stack.resets), getCellBuilder(e).tanh(prepared[1 + cell.getNumGates()]));
    return prepared;
  }

  Gradients stepBack(const Emitter &e, const Step &step, ArrayRef<Value> once, ArrayRef<Value> values, Value sum,
                     ValueRange carried) const override {
    Value length = stack.lengths ? once.front() : Value();
    Value inside = length ? e.isLess(step.t, length) : Value(), zero = e.number(0.0, accumulator);
    auto insideOr = [&](Value value, Value other) { return inside ? e.select(inside, value, other) : value; };
    Cell::Step saved;
    Value before, cellBefore, dc = cell.isLSTM() ? carried[1] : Value(), reset, total = e.add(sum, carried[0]);
    CarriedReset carriedReset = getCarriedReset();
    if (stack.resets) {
      Value cut = stack.resets.cutBefore(e, step.direction, step.t);
      reset = stack.resets.isSet(e, values.back(), cut, length);
      carriedReset.take(carried);
      carriedReset.endGradients(e, total, cell.isLSTM() ? &dc : nullptr, reset);
    }
    Value delta = insideOr(e.add(total, values[0]), zero);
    if (!cell.isLSTM() && !cell.isGRU()) {
      saved.h = values[1];
    } else {
      const int64_t numGates = cell.getNumGates();
      llvm::append_range(saved.gates, values.slice(1, numGates));
      (cell.isLSTM() ? saved.cell : saved.linear) = values[1 + numGates];
      (cell.isLSTM() ? cellBefore : before) =
          stack.resets.apply(e, reset, values[2 + numGates], [&] { return once.back(); });
      if (cell.isLSTM())
        saved.cellTanh = values[3 + numGates];
    }
    Cell::Gradients d = cell.stepBack(e, saved, before, cellBefore, delta, dc);
    Gradients gradients;
    for (Value value : d.states.empty() ? d.inputs : d.states)
      gradients.states.push_back(insideOr(value, zero));
    if (!d.states.empty())
      for (Value value : d.inputs)
        gradients.inputs.push_back(insideOr(value, zero));
    gradients.carried.push_back(insideOr(d.h ? d.h : zero, total));
    if (cell.isLSTM())
      gradients.carried.push_back(insideOr(d.cell, dc));
    if (layer.sums) {
      SmallVector<Value> terms(gradients.inputs.empty() ? gradients.states : gradients.inputs);
      if (cell.isGRU()) // only the new gate has different gradients by input and by state
        terms.push_back(gradients.states.back());
      for (auto [sum, term] : llvm::zip(carried.drop_front(1 + cell.isLSTM()), terms))
        gradients.carried.push_back(e.add(sum, term));
    }
    carriedReset.append(gradients.carried);
    return gradients;
  }

  void store(const Emitter &e, const Place &place, const Step &step, ArrayRef<Value> states,
             ArrayRef<Value> inputs) const override {
    Value row = e.add(e.mul(step.t, stack.sizes.B), place.b);
    storeTo(e, layer.stateGradients, row, place, states);
    if (!inputs.empty())
      storeTo(e, layer.gradients, row, place, inputs);
  }

  bool computesStateGradient() const override { return bool(layer.dh0); }

  void finish(const Emitter &e, const Place &place, Value sum, ValueRange carried) const override {
    Value dh = sum ? e.add(sum, carried[0]) : Value(), dc = layer.dc0 ? carried[1] : Value();
    CarriedReset carriedReset = getCarriedReset();
    carriedReset.take(carried);
    carriedReset.finish(e, dh ? &dh : nullptr, dc ? &dc : nullptr);
    if (dh)
      e.store(e.convert(dh, layer.element), layer.dh0, {placeInState(e, place)});
    if (dc)
      e.store(e.convert(dc, layer.element), layer.dc0, {placeInState(e, place)});
    if (!layer.sums)
      return;
    SmallVector<Value> sums(carried.drop_front(1 + cell.isLSTM()));
    storeTo(e, layer.sums, place.b, place, ArrayRef(sums).take_front(cell.getNumGates()));
    if (cell.isGRU())
      storeTo(e, layer.stateSums, place.b, place, {sums[0], sums[1], sums[3]});
  }

private:
  /// The bits of an element in the low bits of the accumulator type, without a conversion. `read` may return an element
  /// or a value of the accumulator type, and a conversion there would wait for the load; `unpack` converts a step
  /// later.
  Value pack(const Emitter &e, Value value) const { return resize(e, value, accumulator); }
  /// The element in the accumulator type.
  Value unpack(const Emitter &e, Value value) const { return e.convert(resize(e, value, layer.element), accumulator); }
  /// The low bits of `value` as a value of type `to`, which may be wider.
  Value resize(const Emitter &e, Value value, Type to) const {
    const unsigned width = value.getType().getIntOrFloatBitWidth(), wanted = to.getIntOrFloatBitWidth();
    if (width == wanted)
      return value;
    Type integer = e.builder.getIntegerType(wanted);
    Value bits = arith::BitcastOp::create(e.builder, e.loc, e.builder.getIntegerType(width), value);
    bits = wanted > width ? Value(arith::ExtUIOp::create(e.builder, e.loc, integer, bits))
                          : Value(arith::TruncIOp::create(e.builder, e.loc, integer, bits));
    return arith::BitcastOp::create(e.builder, e.loc, to, bits);
  }
  Value unpackIf(const Emitter &e, Value isPacked, Value value) const {
    return layer.element == accumulator ? value : e.select(isPacked, unpack(e, value), value);
  }
  CarriedReset getCarriedReset() const { return {stack.resets, bool(layer.dh0), bool(layer.dc0)}; }
  /// Stores to a row of a buffer with the layout of the gradients.
  void storeTo(const Emitter &e, Value buffer, Value row, const Place &place, ArrayRef<Value> values) const {
    Matrix all{buffer, e.mul(place.direction, stack.sizes.gateRows()), layer.allColumns};
    for (auto [gate, value] : llvm::enumerate(values))
      all.store(e, value, row, gateColumn(e, gate, place));
  }
  Value placeInState(const Emitter &e, const Place &place) const {
    return e.add(e.mul(stack.stateRow(e, place.direction, place.b), H), place.unit);
  }
  Value gateColumn(const Emitter &e, int64_t gate, const Place &place) const {
    return e.add(e.mul(H, e.index(gate)), place.unit);
  }

  const Stack &stack;
  const StackBackwardRecurrence &layer;
  const Cell &cell;
  Type accumulator;
  Value H;
};

} // namespace

void rnn::launchStackBackward(const Stack &stack, const StackBackwardRecurrence &layer,
                              const PersistentBackwardShape &shape) {
  launchPersistentBackward(stack.host, layer, shape, StackBackward(stack, layer));
}
