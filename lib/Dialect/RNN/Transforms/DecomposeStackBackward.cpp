//===- DecomposeStackBackward.cpp - the gradient of the cudnn ops as linalg ops -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecomposeStack.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::rnn;
using rnn_layout::GruGate;
using rnn_layout::LstmGate;
using rnn_layout::stackBlock;

StackDecomposition::Gradients StackDecomposition::emitBackward(Value dOutput, Value dOutputH, Value dOutputC,
                                                               bool needsInput, bool needsParams) {
  Forward f = emitForward(/*saves=*/true);
  Size all = t.mul(L, at(D));
  Gradients g;
  // The gradients of the states start as those of the results, layer by layer.
  g.inputH = t.withSizes(dOutputH, {all, B, P});
  if (isLSTM())
    g.inputC = t.withSizes(dOutputC, {all, B, H});
  if (needsParams)
    g.params = t.zeros(tensor::getMixedSizes(t.b, t.loc, params), element);
  Value rows = t.convert(t.withSizes(dOutput, {T, B, DP}), compute);
  if (!isConstantIntValue(L, 1)) {
    SmallVector<Value *> carried = {&rows, &g.inputH};
    for (Value *value : {&g.inputC, &g.params})
      if (*value)
        carried.push_back(value);
    auto values = [&] { return llvm::map_to_vector(carried, [](Value *value) { return *value; }); };
    auto set = [&](ValueRange next) {
      for (auto [value, result] : llvm::zip_equal(carried, next))
        *value = result;
    };
    set(t.loop(at(1), L, values(), [&](Value above, ValueRange next) {
      set(next);
      rows = runLayerBackward(t.sub(L, above), f, rows, /*needsInput=*/true, g);
      return values();
    }));
  }
  rows = runLayerBackward(at(0), f, rows, needsInput, g);
  if (needsInput)
    g.input = t.convert(rows, element);
  return g;
}

Value StackDecomposition::runLayerBackward(Size layer, const Forward &f, Value dOutput, bool needsInput, Gradients &g) {
  bool isFirst = isConstantIntValue(layer, 0);
  Size width = isFirst ? I : DP;
  Value x;
  if (g.params) {
    x = isFirst ? input : layerInput(layer, f, /*saves=*/true);
    // The gradient does not read padded steps of the input, which may hold NaN; other layers' states are finite.
    if (isFirst && lengths)
      x = maskPadding(x, I);
  }
  Value dInput;
  if (needsInput)
    dInput = t.zeros({T, B, width}, compute);
  for (int64_t direction = 0; direction < D; ++direction) {
    DirectionGradients d = runStepsBackward(layer, direction, f, dOutput, g);
    if (g.params)
      storeParams(layer, direction, d, x, f, g);
    if (!needsInput)
      continue;
    if (isFirst && skips) {
      SmallVector<Operand> inputs;
      for (int64_t gate = 0; gate < G; ++gate)
        inputs.push_back({t.slice(d.input, {at(0), at(0), t.mul(at(gate), H)}, {T, B, H}), {0, 1, 2}});
      dInput = t.generic(3, inputs, {{dInput, {0, 1, 2}}}, [&](const ElementBuilder &e, ValueRange s) {
        Value sum = s.back();
        for (int64_t gate = 0; gate < G; ++gate)
          sum = e.add(sum, s[gate]);
        return SmallVector<Value>{sum};
      })[0];
    } else {
      Value w = matrix(layout().paramsOf(layer, at(direction)).inputWeights, GH, width);
      dInput = t.contract(4, {d.input, {0, 1, 3}}, {w, {3, 2}}, {dInput, {0, 1, 2}});
    }
  }
  return needsInput && !isFirst && draw ? drop(t.sub(layer, at(1)), dInput) : dInput;
}

void StackDecomposition::storeParams(Size layer, int64_t direction, const DirectionGradients &d, Value x,
                                     const Forward &f, Gradients &g) {
  bool isFirst = isConstantIntValue(layer, 0);
  Size index = t.add(t.mul(layer, at(D)), at(direction)), width = isFirst ? I : DP;
  auto offsets = layout().paramsOf(layer, at(direction));
  auto store = [&](Value value, Size offset, Size size) {
    g.params = t.insert(t.collapse(t.convert(value, element)), g.params, {offset}, {size});
  };
  // Sums over steps and batch, loops 2 and 3.
  auto product = [&](Value rows, Size rowCount, Value columns, Size columnCount, Size offset) {
    Value sum =
        t.contract(4, {rows, {2, 3, 0}}, {columns, {2, 3, 1}}, {t.zeros({rowCount, columnCount}, compute), {0, 1}});
    store(sum, offset, t.mul(rowCount, columnCount));
  };
  if (!(isFirst && skips))
    product(d.input, GH, x, width, offsets.inputWeights);
  product(d.recurrent, GH, d.statesBefore, P, offsets.recurrentWeights);
  if (isProjected) {
    Value hidden = t.slice(f.hidden, {index, at(0), at(0), at(0)}, {at(1), T, B, H}, 1);
    product(d.projected, P, hidden, H, offsets.projection);
  }
  auto sumOf = [&](Value rows) { return t.reduce(3, {rows, {1, 2, 0}}, {t.zeros({GH}, compute), {0}}); };
  Value sum = sumOf(d.input);
  store(sum, offsets.inputBias, GH);
  store(d.recurrent == d.input ? sum : sumOf(d.recurrent), offsets.recurrentBias, GH);
}

StackDecomposition::DirectionGradients
StackDecomposition::runStepsBackward(Size layer, int64_t direction, const Forward &f, Value dOutput, Gradients &g) {
  auto offsets = layout().paramsOf(layer, at(direction));
  Size index = t.add(t.mul(layer, at(D)), at(direction)), column = t.mul(P, at(direction));
  Value r = matrix(offsets.recurrentWeights, GH, P);
  Value projection = isProjected ? matrix(offsets.projection, P, H) : Value();

  // The values before each step: the initial one and those after the steps, shifted by one.
  Size after = at(direction == 0 ? 1 : 0), before = at(direction == 0 ? 0 : 1);
  Size initial = direction == 0 ? at(0) : T, steps = t.add(T, at(1));
  auto shift = [&](Value states, Value first, Size width) {
    Value rows = t.insert(first, t.empty({steps, B, width}, compute), {initial, at(0), at(0)}, {at(1), B, width});
    rows = t.insert(states, rows, {after, at(0), at(0)}, {T, B, width});
    return t.slice(rows, {before, at(0), at(0)}, {T, B, width});
  };
  DirectionGradients d;
  Value states = t.slice(f.states, {layer, at(0), at(0), column}, {at(1), T, B, P}, 1);
  const ResetRows &cuts = resets[direction];
  Value firstH = t.convert(t.slice(inputH, {index, at(0), at(0)}, {at(1), B, P}, 1), compute);
  d.statesBefore = cuts.applyToAll(t, shift(states, firstH, P), firstH);
  Value cellsBefore;
  if (isLSTM()) {
    Value firstC = t.convert(t.slice(inputC, {index, at(0), at(0)}, {at(1), B, H}, 1), compute);
    Value cells = t.slice(f.cell, {index, at(0), at(0), at(0)}, {at(1), T, B, H}, 1);
    cellsBefore = cuts.applyToAll(t, shift(cells, firstC, H), firstC);
  }

  Value dh = t.convert(t.slice(g.inputH, {index, at(0), at(0)}, {at(1), B, P}, 1), compute), dc;
  SmallVector<Value *> carried = {&dh};
  if (isLSTM()) {
    dc = t.convert(t.slice(g.inputC, {index, at(0), at(0)}, {at(1), B, H}, 1), compute);
    carried.push_back(&dc);
  }
  // The gradients that resets to the initial states add to those.
  Value initialDh, initialDc;
  if (cuts.addsToInitial()) {
    initialDh = t.zeros({B, P}, compute);
    carried.push_back(&initialDh);
    if (isLSTM()) {
      initialDc = t.zeros({B, H}, compute);
      carried.push_back(&initialDc);
    }
  }
  d.input = t.empty({T, B, GH}, compute);
  carried.push_back(&d.input);
  if (isGRU()) {
    d.recurrent = t.empty({T, B, GH}, compute);
    carried.push_back(&d.recurrent);
  }
  if (isProjected) {
    d.projected = t.empty({T, B, P}, compute);
    carried.push_back(&d.projected);
  }
  auto values = [&] { return llvm::map_to_vector(carried, [](Value *value) { return *value; }); };
  auto set = [&](ValueRange next) {
    for (auto [value, result] : llvm::zip_equal(carried, next))
      *value = result;
  };

  auto step = [&](Value iteration, ValueRange next) {
    set(next);
    Size time = direction == 0 ? t.sub(t.sub(T, at(1)), iteration) : Size(iteration);
    auto rowOf = [&](Value rows, Size width) { return t.slice(rows, {time, at(0), at(0)}, {at(1), B, width}, 1); };
    // The gradient of the state after the step; of a padded step, the carried one.
    SmallVector<Operand> inputs = {{t.slice(dOutput, {time, at(0), column}, {at(1), B, P}, 1), {0, 1}}};
    addLengths(inputs, time);
    SmallVector<Operand> outs = {{dh, {0, 1}}};
    if (isProjected)
      outs.push_back({rowOf(d.projected, P), {0, 1}});
    SmallVector<Value> sums = t.generic(2, inputs, outs, [&](const ElementBuilder &e, ValueRange s) {
      Value carriedBefore = s[inputs.size()];
      Value sum = e.select(isValid(e, s, 1), e.add(s[0], carriedBefore), carriedBefore);
      return SmallVector<Value>(outs.size(), sum);
    });
    dh = sums[0];
    Value dHidden = dh;
    if (isProjected) {
      d.projected = t.insert(sums[1], d.projected, {time, at(0), at(0)}, {at(1), B, P});
      dHidden = t.contract(3, {dh, {0, 2}}, {projection, {2, 1}}, {t.zeros({B, H}, compute), {0, 1}});
    }

    // The gradients of the arguments; zero at a padded step.
    SmallVector<Operand> values2;
    auto add = [&](Value value) { values2.push_back({value, {0, 1}}); };
    for (int64_t gate = 0; gate < G && hasGates(); ++gate)
      add(stepOf(f.gates, index, time, t.mul(at(gate), H), H));
    if (isLSTM()) {
      add(stepOf(f.cell, index, time, at(0), H));
      add(rowOf(cellsBefore, H));
      add(dHidden);
    } else if (isGRU()) {
      add(stepOf(f.linear, index, time, at(0), H));
      add(rowOf(d.statesBefore, H));
    } else {
      add(stepOf(f.states, layer, time, column, H));
      add(dHidden);
    }
    size_t firstLength = values2.size();
    addLengths(values2, time);
    SmallVector<Operand> outs2;
    for (int64_t gate = 0; gate < G; ++gate)
      outs2.push_back({gateOf(d.input, time, gate), {0, 1}});
    for (int64_t gate = 0; gate < G && isGRU(); ++gate)
      outs2.push_back({gateOf(d.recurrent, time, gate), {0, 1}});
    if (isLSTM())
      outs2.push_back({dc, {0, 1}});
    if (isGRU())
      outs2.push_back({dh, {0, 1}});
    SmallVector<Value> results = t.generic(2, values2, outs2, [&](const ElementBuilder &e, ValueRange s) {
      Value valid = isValid(e, s, firstLength);
      auto masked = [&](Value value) { return e.select(valid, value, e.constant(0, compute)); };
      SmallVector<Value> results;
      if (isLSTM()) {
        Value i = s[stackBlock(LstmGate::Input)], f = s[stackBlock(LstmGate::Forget)];
        Value g = s[stackBlock(LstmGate::Cell)], o = s[stackBlock(LstmGate::Output)];
        Value u = e.tanh(s[G]), cellBefore = s[G + 1], dhScalar = s[G + 2], dcBefore = s.back();
        Value dCell = e.add(dcBefore, e.mul(e.mul(dhScalar, o), e.tanhSlope(u)));
        results.resize(G);
        results[stackBlock(LstmGate::Input)] = masked(e.mul(e.mul(dCell, g), e.sigmoidSlope(i)));
        results[stackBlock(LstmGate::Forget)] = masked(e.mul(e.mul(dCell, cellBefore), e.sigmoidSlope(f)));
        results[stackBlock(LstmGate::Cell)] = masked(e.mul(e.mul(dCell, i), e.tanhSlope(g)));
        results[stackBlock(LstmGate::Output)] = masked(e.mul(e.mul(dhScalar, u), e.sigmoidSlope(o)));
        results.push_back(e.select(valid, e.mul(dCell, f), dcBefore));
      } else if (isGRU()) {
        Value reset = s[stackBlock(GruGate::Reset)], update = s[stackBlock(GruGate::Update)];
        Value n = s[stackBlock(GruGate::New)], q = s[G], hBefore = s[G + 1], dhScalar = s.back();
        Value dUpdate = masked(e.mul(e.mul(dhScalar, e.sub(hBefore, n)), e.sigmoidSlope(update)));
        Value dNew = masked(e.mul(e.mul(dhScalar, e.complement(update)), e.tanhSlope(n)));
        Value dReset = masked(e.mul(e.mul(dNew, q), e.sigmoidSlope(reset)));
        results.resize(2 * G);
        for (int64_t first : {int64_t(0), G}) {
          results[first + stackBlock(GruGate::Reset)] = dReset;
          results[first + stackBlock(GruGate::Update)] = dUpdate;
        }
        results[stackBlock(GruGate::New)] = dNew;
        results[G + stackBlock(GruGate::New)] = masked(e.mul(dNew, reset));
        results.push_back(e.select(valid, e.mul(dhScalar, update), dhScalar));
      } else if (mode == CellMode::RnnTanh) {
        results.push_back(masked(e.mul(s[1], e.tanhSlope(s[0]))));
      } else {
        Value zero = e.constant(0, compute);
        Value isPositive = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OGT, s[0], zero);
        results.push_back(masked(e.select(isPositive, s[1], zero)));
      }
      return results;
    });
    auto setGates = [&](Value rows, size_t first) {
      for (int64_t gate = 0; gate < G; ++gate)
        rows = t.insert(results[first + gate], rows, {time, at(0), t.mul(at(gate), H)}, {at(1), B, H});
      return rows;
    };
    d.input = setGates(d.input, 0);
    if (isGRU())
      d.recurrent = setGates(d.recurrent, G);
    if (isLSTM())
      dc = results.back();
    if (isGRU()) {
      dh = results.back();
    } else if (lengths) {
      SmallVector<Operand> lengthInputs;
      addLengths(lengthInputs, time);
      dh = t.generic(2, lengthInputs, {{dh, {0, 1}}}, [&](const ElementBuilder &e, ValueRange s) {
        return SmallVector<Value>{e.select(isValid(e, s, 0), e.constant(0, compute), s.back())};
      })[0];
    } else {
      Value zero = arith::ConstantOp::create(t.b, t.loc, t.b.getZeroAttr(compute));
      dh = linalg::FillOp::create(t.b, t.loc, zero, dh).getResult(0);
    }
    Value arguments = rowOf(isGRU() ? d.recurrent : d.input, GH);
    dh = t.contract(3, {arguments, {0, 2}}, {r, {2, 1}}, {dh, {0, 1}});
    cuts.end(t, time, dh, initialDh);
    if (isLSTM())
      cuts.end(t, time, dc, initialDc);
    return values();
  };
  set(t.loop(at(0), T, values(), step));

  dh = cuts.add(t, dh, initialDh);
  if (isLSTM())
    dc = cuts.add(t, dc, initialDc);
  if (!isGRU())
    d.recurrent = d.input;
  g.inputH = t.insert(t.convert(dh, element), g.inputH, {index, at(0), at(0)}, {at(1), B, P});
  if (isLSTM())
    g.inputC = t.insert(t.convert(dc, element), g.inputC, {index, at(0), at(0)}, {at(1), B, H});
  return d;
}
