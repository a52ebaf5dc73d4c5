//===- Cells.cpp - the cells of stacks, by mode ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cells.h"
#include "rnn/Codegen/Cells/GRU.h"
#include "rnn/Codegen/Cells/RNN.h"

using namespace mlir;
using namespace mlir::rnn;
using rnn_layout::GruGate, rnn_layout::LstmGate, rnn_layout::stackBlock;

namespace {

class LSTMCell : public Cell {
public:
  int64_t getNumGates() const override { return 4; }
  bool isLSTM() const override { return true; }

  Step step(const Emitter &e, ArrayRef<Value> inputs, ArrayRef<Value> states, Value, Value cellBefore) const override {
    LSTMStep step = stepLSTM(getCellBuilder(e),
                             fromList([&](int64_t block) { return e.add(inputs[block], states[block]); }), cellBefore);
    return {toList(step.gates), step.cell, {}, step.h, step.cellTanh};
  }

  Gradients stepBack(const Emitter &e, const Step &saved, Value, Value cellBefore, Value dh, Value dc) const override {
    LSTMGates gates = fromList([&](int64_t block) { return saved.gates[block]; });
    Value cellTanh = saved.cellTanh ? saved.cellTanh : getCellBuilder(e).tanh(saved.cell);
    LSTMGradients d = stepLSTMBackward(getCellBuilder(e), gates, cellTanh, cellBefore, dh, dc);
    return {toList(d.arguments), {}, d.cellBefore, {}};
  }

private:
  static LSTMGates fromList(function_ref<Value(int64_t block)> at) {
    return {at(stackBlock(LstmGate::Input)), at(stackBlock(LstmGate::Cell)), at(stackBlock(LstmGate::Forget)),
            at(stackBlock(LstmGate::Output))};
  }
  static SmallVector<Value> toList(const LSTMGates &gates) {
    SmallVector<Value> list(4);
    list[stackBlock(LstmGate::Input)] = gates.i;
    list[stackBlock(LstmGate::Cell)] = gates.g;
    list[stackBlock(LstmGate::Forget)] = gates.f;
    list[stackBlock(LstmGate::Output)] = gates.o;
    return list;
  }
};

class GRUCell : public Cell {
public:
  int64_t getNumGates() const override { return 3; }
  bool isGRU() const override { return true; }

  Step step(const Emitter &e, ArrayRef<Value> inputs, ArrayRef<Value> states, Value hBefore, Value) const override {
    auto sum = [&](GruGate gate) { return e.add(inputs[stackBlock(gate)], states[stackBlock(gate)]); };
    GRUGates arguments{sum(GruGate::Reset), sum(GruGate::Update), inputs[stackBlock(GruGate::New)]};
    Value linear = states[stackBlock(GruGate::New)];
    GRUStep s = stepGRU(getCellBuilder(e), arguments, linear, hBefore);
    return {toList(s.gates), {}, linear, s.h, {}};
  }

  Gradients stepBack(const Emitter &e, const Step &saved, Value hBefore, Value, Value dh, Value) const override {
    auto gate = [&](GruGate which) { return saved.gates[stackBlock(which)]; };
    GRUGradients d =
        stepGRUBackward(getCellBuilder(e), {gate(GruGate::Reset), gate(GruGate::Update), gate(GruGate::New)},
                        saved.linear, hBefore, dh);
    GRUGates ofStates = d.arguments;
    ofStates.n = d.linear;
    return {toList(d.arguments), toList(ofStates), {}, d.hBefore};
  }

private:
  static SmallVector<Value> toList(const GRUGates &gates) {
    SmallVector<Value> list(3);
    list[stackBlock(GruGate::Reset)] = gates.r;
    list[stackBlock(GruGate::Update)] = gates.z;
    list[stackBlock(GruGate::New)] = gates.n;
    return list;
  }
};

class PlainCell : public Cell {
public:
  explicit PlainCell(Activation activation) : activation(activation) {}

  Step step(const Emitter &e, ArrayRef<Value> inputs, ArrayRef<Value> states, Value, Value) const override {
    Value argument = e.add(inputs[0], states[0]);
    return {{argument}, {}, {}, stepRNN(getCellBuilder(e), activation, argument), {}};
  }
  Gradients stepBack(const Emitter &e, const Step &saved, Value, Value, Value dh, Value) const override {
    return {{stepRNNBackward(getCellBuilder(e), activation, saved.h, dh)}, {}, {}, {}};
  }

private:
  Activation activation;
};

} // namespace

std::unique_ptr<Cell> Cell::create(CellMode mode) {
  switch (mode) {
  case CellMode::Lstm:
    return std::make_unique<LSTMCell>();
  case CellMode::Gru:
    return std::make_unique<GRUCell>();
  case CellMode::RnnTanh:
    return std::make_unique<PlainCell>(Activation::Tanh);
  case CellMode::RnnRelu:
    return std::make_unique<PlainCell>(Activation::Relu);
  }
  llvm_unreachable("unknown mode");
}
