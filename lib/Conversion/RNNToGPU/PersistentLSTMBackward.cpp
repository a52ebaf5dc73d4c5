//===- PersistentLSTMBackward.cpp - block_lstm_grad as a persistent kernel -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PersistentLayers.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

class BlockLSTM final : public PersistentBackwardLayer {
public:
  explicit BlockLSTM(const LSTMBackwardRecurrence &layer)
      : layer(layer), accumulator(getAccumulatorType(layer.element)) {}

  Value getWeight(const Emitter &e, Value, Value gate, Value unit, Value from) const override {
    Value firstColumn = e.index(layer.gateColumns[0]);
    for (int64_t other = 1; other < 4; ++other)
      firstColumn = e.select(e.isEqual(gate, e.index(other)), e.index(layer.gateColumns[other]), firstColumn);
    return e.load(layer.weights, {e.add(layer.firstRow, from), e.add(firstColumn, unit)});
  }

  /// The peephole weights, then the initial cell for resets to it.
  SmallVector<Value> readOnce(const Emitter &e, const Place &place) const override {
    SmallVector<Value> weights;
    if (layer.wci)
      for (Value buffer : {layer.wci, layer.wcf, layer.wco})
        weights.push_back(load(e, buffer, {place.unit}));
    if (layer.resets.isToInitial())
      weights.push_back(load(e, layer.cellBefore, {place.b, place.unit}));
    return weights;
  }

  /// The gradient of the cell, then the sums, then the values of CarriedReset.
  SmallVector<Value> start(const Emitter &e, const Place &) const override {
    SmallVector<Value> carried(1 + 4 * bool(layer.gateSums) + 3 * bool(layer.peepholeSums), e.number(0.0, accumulator));
    getCarriedReset().start(e, accumulator, carried);
    return carried;
  }

  SmallVector<Value> read(const Emitter &e, const Place &place, const Step &step) const override {
    SmallVector<Value> values;
    for (Value buffer : {layer.i, layer.g, layer.f, layer.o, layer.u, layer.cellGradients, layer.stateGradients})
      values.push_back(e.load(buffer, {step.t, place.b, place.unit}));
    values.push_back(e.ifElse(
        step.isFirst, [&] { return e.load(layer.cellBefore, {place.b, place.unit}); },
        [&] { return e.load(layer.cells, {step.earlier, place.b, place.unit}); }));
    if (layer.peepholeSums)
      values.push_back(e.load(layer.cells, {step.t, place.b, place.unit}));
    if (layer.resets) // the mark of the reset before the step
      values.push_back(layer.resets.load(e, step.t, place.b));
    return values;
  }

  SmallVector<Value> prepare(const Emitter &e, const Step &, ArrayRef<Value> values) const override {
    return llvm::map_to_vector(
        values, [&](Value value) { return isa<FloatType>(value.getType()) ? e.convert(value, accumulator) : value; });
  }

  Gradients stepBack(const Emitter &e, const Step &at, ArrayRef<Value> once, ArrayRef<Value> values, Value sum,
                     ValueRange carried) const override {
    Peephole peephole;
    if (layer.wci)
      peephole = {once[0], once[1], once[2]};
    Value before = values[7], cell = carried[0];
    CarriedReset carriedReset = getCarriedReset();
    if (layer.resets) {
      Value reset = layer.resets.isSet(e, values.back(), at.t, /*length=*/nullptr);
      before = layer.resets.apply(e, reset, before, [&] { return once.back(); });
      carriedReset.take(carried);
      carriedReset.endGradients(e, sum, &cell, reset);
    }
    Value dc = e.add(cell, values[5]);
    LSTMGradients step = stepLSTMBackward(getCellBuilder(e), {values[0], values[1], values[2], values[3]}, values[4],
                                          before, e.add(sum, values[6]), dc, peephole);
    const LSTMGates &d = step.arguments;
    Gradients gradients{{d.i, d.g, d.f, d.o}, {}, {step.cellBefore}};
    SmallVector<Value> terms;
    if (layer.gateSums)
      terms = gradients.states;
    if (layer.peepholeSums) // the cell before the step for i and f, after it for o
      terms.append({e.mul(d.i, before), e.mul(d.f, before), e.mul(d.o, values[8])});
    for (auto [sum, term] : llvm::zip(carried.drop_front(), terms))
      gradients.carried.push_back(e.add(sum, term));
    carriedReset.append(gradients.carried);
    return gradients;
  }

  void store(const Emitter &e, const Place &place, const Step &step, ArrayRef<Value> states,
             ArrayRef<Value>) const override {
    Value row = e.add(e.mul(step.t, layer.B), place.b);
    for (auto [gate, value] : llvm::enumerate(states))
      e.store(e.convert(value, layer.element), layer.gateGradients,
              {row, e.add(place.unit, e.index(layer.gateColumns[gate]))});
  }

  bool computesStateGradient() const override { return bool(layer.gradientBefore); }

  void finish(const Emitter &e, const Place &place, Value sum, ValueRange carried) const override {
    Value cell = carried[0];
    CarriedReset carriedReset = getCarriedReset();
    carriedReset.take(carried);
    carriedReset.finish(e, sum ? &sum : nullptr, layer.cellGradientBefore ? &cell : nullptr);
    if (sum)
      e.store(e.convert(sum, layer.element), layer.gradientBefore, {place.b, place.unit});
    if (layer.cellGradientBefore)
      e.store(e.convert(cell, layer.element), layer.cellGradientBefore, {place.b, place.unit});
    ValueRange sums = carried.drop_front();
    if (layer.gateSums) {
      for (auto [gate, total] : llvm::enumerate(sums.take_front(4)))
        e.store(total, layer.gateSums, {place.b, e.add(place.unit, e.index(layer.gateColumns[gate]))});
      sums = sums.drop_front(4);
    }
    if (layer.peepholeSums)
      for (auto [number, total] : llvm::enumerate(sums.take_front(3)))
        e.store(total, layer.peepholeSums, {place.b, e.add(place.unit, e.index(number * layer.H))});
  }

private:
  CarriedReset getCarriedReset() const {
    return {layer.resets, bool(layer.gradientBefore), bool(layer.cellGradientBefore)};
  }
  Value load(const Emitter &e, Value buffer, ValueRange indices) const {
    return e.convert(e.load(buffer, indices), accumulator);
  }

  const LSTMBackwardRecurrence &layer;
  Type accumulator;
};

} // namespace

void rnn::launchLSTMBackward(const Emitter &host, const LSTMBackwardRecurrence &layer,
                             const PersistentBackwardShape &shape) {
  launchPersistentBackward(host, layer, shape, BlockLSTM(layer));
}
