//===- PersistentLSTMForward.cpp - block_lstm as a persistent kernel -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PersistentLayers.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

class LSTMForward final : public PersistentForwardLayer {
public:
  explicit LSTMForward(const LSTMForwardRecurrence &r) : r(r) {}

  Value getWeight(const Emitter &e, Value, Value gate, Value unit, Value from) const override {
    Value column = e.index(r.gateColumns[0]);
    for (int64_t other = 1; other < 4; ++other)
      column = e.select(e.isEqual(gate, e.index(other)), e.index(r.gateColumns[other]), column);
    return e.load(r.weights, {e.add(r.firstRow, from), e.add(column, unit)});
  }

  Value getState(const Emitter &e, const Place &place) const override {
    return resetAtStart(e, place, e.load(r.stateBefore, {place.b, place.unit}));
  }

  /// The peephole weights, then the initial states for resets to them.
  SmallVector<Value> readOnce(const Emitter &e, const Place &place) const override {
    SmallVector<Value> weights;
    if (r.wci)
      for (Value buffer : {r.wci, r.wcf, r.wco})
        weights.push_back(load(e, buffer, {place.unit}));
    if (r.resets.isToInitial())
      for (Value buffer : {r.cellBefore, r.stateBefore})
        weights.push_back(load(e, buffer, {place.b, place.unit}));
    return weights;
  }

  SmallVector<Value> start(const Emitter &e, const Place &place) const override {
    return {resetAtStart(e, place, load(e, r.cellBefore, {place.b, place.unit}))};
  }

  /// The mark of the reset after the step follows the arguments.
  SmallVector<Value> read(const Emitter &e, const Place &place, const Step &step) const override {
    Value row = e.add(e.mul(step.t, r.B), place.b);
    SmallVector<Value> arguments;
    for (int64_t column : r.gateColumns)
      arguments.push_back(e.load(r.arguments, {row, e.add(place.unit, e.index(column))}));
    if (r.resets)
      arguments.push_back(r.resets.load(e, r.resets.cutAfter(e, place.direction, step.t), place.b));
    return arguments;
  }

  Result step(const Emitter &e, const Step &at, ArrayRef<Value> once, ArrayRef<Value> values, ArrayRef<Value> sums,
              ValueRange carried) const override {
    auto gate = [&](int64_t which) { return e.add(sums[which], values[which]); };
    LSTMOptions options{{}, r.forgetBias, r.clip};
    if (r.wci)
      options.peephole = {once[0], once[1], once[2]};
    LSTMStep s = stepLSTM(getCellBuilder(e), {gate(0), gate(1), gate(2), gate(3)}, carried[0], options);
    Result result{s.h, {s.cell}, {s.gates.i, s.cell, s.gates.f, s.gates.o, s.gates.g, s.cellTanh}};
    if (r.resets) {
      // A reset after this step changes what the next step reads, not the results.
      Value reset = r.resets.isSet(e, values.back(), r.resets.cutAfter(e, at.direction, at.t), /*length=*/nullptr);
      result.carried = {r.resets.apply(e, reset, s.cell, [&] { return once[once.size() - 2]; })};
      result.next = r.resets.apply(e, reset, s.h, [&] { return once.back(); });
    }
    return result;
  }

  void store(const Emitter &e, const Place &place, const Step &step, const Result &result) const override {
    auto storeIn = [&](Value buffer, Value value) {
      if (buffer)
        e.store(e.convert(value, r.element), buffer, {step.t, place.b, place.unit});
    };
    for (auto [buffer, value] : llvm::zip(std::array{r.i, r.cells, r.f, r.o, r.g, r.u}, result.others))
      storeIn(buffer, value);
    storeIn(r.states, result.h);
  }

private:
  /// An initial state, after a reset to zero before the first step.
  Value resetAtStart(const Emitter &e, const Place &place, Value state) const {
    Value reset = r.resets.isSetAtStart(e, place.direction, e.index(0), r.steps, place.b);
    return r.resets.apply(e, reset, state, nullptr);
  }
  static Value load(const Emitter &e, Value buffer, ValueRange indices) {
    return e.convert(e.load(buffer, indices), e.builder.getF32Type());
  }

  const LSTMForwardRecurrence &r;
};

} // namespace

void rnn::launchLSTMForward(const Emitter &host, const LSTMForwardRecurrence &recurrence,
                            const PersistentForwardShape &shape) {
  launchPersistentForward(host, recurrence, shape, LSTMForward(recurrence));
}
