//===- DecomposeBlock.cpp - the block LSTM ops as linalg ops -----------------===//
//
// The equations of docs/Semantics.md ("Block LSTM").
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecomposeStack.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::rnn;
using rnn_layout::gateBlock;
using rnn_layout::LstmGate;

namespace {

/// Sizes and operands of both ops.
struct BlockLayer {
  using Size = TensorBuilder::Size;
  using Operand = TensorBuilder::Operand;

  template <typename OpTy>
  BlockLayer(OpBuilder &b, OpTy op)
      : t(b, op.getLoc(), getComputeType(getElementTypeOrSelf(op.getX().getType()))),
        element(getElementTypeOrSelf(op.getX().getType())), order(getGateOrder(op.getLayout())) {
    ShapeRules rules = getShapeRules(op);
    SmallVector<OpFoldResult> sizes = materializeSymbolicDims(b, op.getLoc(), rules);
    auto sizeOf = [&](StringRef name) { return sizes[rules.getSymbolIndex(name)]; };
    T = sizeOf("T"), B = sizeOf("B"), I = sizeOf("I"), H = sizeOf("H"), GH = t.mul(at(4), H);
    steps = T;
    if (op.getSeqLenMax())
      steps = getAsOpFoldResult(b.createOrFold<arith::IndexCastOp>(op.getLoc(), b.getIndexType(), op.getSeqLenMax()));
    x = prefix(t.withSizes(op.getX(), {T, B, I}), I);
    cellBefore = t.withSizes(op.getCsPrev(), {B, H});
    hBefore = t.withSizes(op.getHPrev(), {B, H});
    Value w = t.withSizes(op.getW(), {t.add(I, H), GH});
    inputWeights = t.slice(w, {at(0), at(0)}, {I, GH});
    recurrentWeights = t.slice(w, {I, at(0)}, {H, GH});
    if (Value marks = t.withSizes(op.getResets(), {T, B}))
      resets = ResetRows(t, runsAll() ? marks : t.slice(marks, {at(0), at(0)}, {steps, B}),
                         op.getResetTo() == ResetTo::Initial, Value(), steps, B);
    if (op.getUsePeephole())
      peephole = {t.withSizes(op.getWci(), {H}), t.withSizes(op.getWcf(), {H}), t.withSizes(op.getWco(), {H})};
  }

  Size at(int64_t value) const { return t.constant(value); }
  int64_t block(LstmGate gate) const { return gateBlock(order, gate); }
  bool runsAll() const { return steps == T; }
  /// The steps that run, of a tensor [T,B,width].
  Value prefix(Value rows, Size width) const {
    return runsAll() ? rows : t.slice(rows, {at(0), at(0), at(0)}, {steps, B, width});
  }
  /// [T,B,width] in the element type: `rows` of the steps that run, then zeros.
  Value complete(Value rows, Size width) const {
    rows = t.convert(rows, element);
    return runsAll() ? rows : t.insert(rows, t.zeros({T, B, width}, element), {at(0), at(0), at(0)}, {steps, B, width});
  }
  Value rowOf(Value rows, Size step) const { return t.slice(rows, {step, at(0), at(0)}, {at(1), B, H}, 1); }
  /// The values before each of the steps that run.
  Value shift(Value after, Value initial) const {
    Value rows = t.empty({t.add(steps, at(1)), B, H}, element);
    rows = t.insert(initial, rows, {at(0), at(0), at(0)}, {at(1), B, H});
    rows = t.insert(prefix(after, H), rows, {at(1), at(0), at(0)}, {steps, B, H});
    return t.slice(rows, {at(0), at(0), at(0)}, {steps, B, H});
  }

  TensorBuilder t;
  Type element;
  rnn_layout::GateOrder order;
  Size T, B, I, H, GH, steps;
  Value x, cellBefore, hBefore, inputWeights, recurrentWeights;
  ResetRows resets{t, Value(), false, Value(), steps, B};
  SmallVector<Value, 3> peephole; ///< wci, wcf, wco, or none
};

} // namespace

SmallVector<Value> rnn::decomposeBlockLSTM(OpBuilder &b, BlockLSTMOp op) {
  BlockLayer k(b, op);
  const TensorBuilder &t = k.t;
  auto at = [&](int64_t value) { return t.constant(value); };
  Value bias = t.withSizes(op.getB(), {k.GH});
  double forgetBias = op.getForgetBias().convertToDouble(), clip = op.getCellClip().convertToDouble();

  Value fromInput =
      t.contract(4, {k.x, {0, 1, 3}}, {k.inputWeights, {3, 2}}, {t.zeros({k.steps, k.B, k.GH}, t.compute), {0, 1, 2}});
  // h, c, and the results that have uses.
  SmallVector<Value> carried = {t.convert(k.hBefore, t.compute), t.convert(k.cellBefore, t.compute)};
  SmallVector<unsigned> used;
  for (OpResult result : op->getResults()) {
    if (result.use_empty())
      continue;
    used.push_back(result.getResultNumber());
    carried.push_back(k.runsAll() ? t.empty({k.T, k.B, k.H}, k.element) : t.zeros({k.T, k.B, k.H}, k.element));
  }
  const Value firstH = carried[0], firstC = carried[1];
  SmallVector<Value> last = t.loop(at(0), k.steps, carried, [&](Value step, ValueRange after) {
    SmallVector<Value> values(after);
    values[0] = k.resets.apply(t, step, values[0], firstH);
    values[1] = k.resets.apply(t, step, values[1], firstC);
    Value fromState =
        t.contract(3, {values[0], {0, 2}}, {k.recurrentWeights, {2, 1}}, {t.zeros({k.B, k.GH}, t.compute), {0, 1}});
    SmallVector<BlockLayer::Operand> inputs, outs;
    for (int64_t gate = 0; gate < 4; ++gate) {
      BlockLayer::Size column = t.mul(at(gate), k.H);
      inputs.push_back({t.slice(fromInput, {step, at(0), column}, {at(1), k.B, k.H}, 1), {0, 1}});
      inputs.push_back({t.slice(fromState, {at(0), column}, {k.B, k.H}), {0, 1}});
      inputs.push_back({t.slice(bias, {column}, {k.H}), {1}});
    }
    for (Value weight : k.peephole)
      inputs.push_back({weight, {1}});
    outs = {{values[0], {0, 1}}, {values[1], {0, 1}}};
    for (Value result : after.drop_front(2))
      outs.push_back({k.rowOf(result, step), {0, 1}});
    SmallVector<Value> results = t.generic(2, inputs, outs, [&](const ElementBuilder &e, ValueRange s) {
      Value cellBefore = s[inputs.size() + 1];
      auto argument = [&](LstmGate gate, Value cell, unsigned weight) {
        int64_t first = 3 * k.block(gate);
        Value sum = e.add(e.add(s[first], s[first + 1]), s[first + 2]);
        return cell && !k.peephole.empty() ? e.mulAdd(cell, s[12 + weight], sum) : sum;
      };
      Value i = e.sigmoid(argument(LstmGate::Input, cellBefore, 0));
      Value ci = e.tanh(argument(LstmGate::Cell, Value(), 0));
      Value f = argument(LstmGate::Forget, Value(), 0);
      if (forgetBias != 0)
        f = e.add(f, e.constant(forgetBias, t.compute));
      if (!k.peephole.empty())
        f = e.mulAdd(cellBefore, s[13], f);
      f = e.sigmoid(f);
      Value cs = e.mulAdd(i, ci, e.mul(f, cellBefore));
      if (clip > 0)
        cs = e.clip(cs, clip);
      Value co = e.tanh(cs), o = e.sigmoid(argument(LstmGate::Output, cs, 2)), h = e.mul(o, co);
      const Value all[] = {i, cs, f, o, ci, co, h};
      SmallVector<Value> results = {h, cs};
      for (unsigned result : used)
        results.push_back(all[result]);
      return results;
    });
    for (auto [index, tensor] : llvm::enumerate(after.drop_front(2)))
      results[index + 2] = t.insert(results[index + 2], tensor, {step, at(0), at(0)}, {at(1), k.B, k.H});
    return results;
  });
  SmallVector<Value> results;
  for (OpResult result : op->getResults()) {
    auto found = llvm::find(used, result.getResultNumber());
    results.push_back(found == used.end() ? t.empty({k.T, k.B, k.H}, k.element) : last[2 + (found - used.begin())]);
  }
  return results;
}

SmallVector<Value> rnn::decomposeBlockLSTMGrad(OpBuilder &b, BlockLSTMGradOp op) {
  BlockLayer k(b, op);
  const TensorBuilder &t = k.t;
  auto at = [&](int64_t value) { return t.constant(value); };
  auto saved = [&](Value value) { return t.withSizes(value, {k.T, k.B, k.H}); };
  Value cs = saved(op.getCs()), cells = k.resets.applyToAll(t, k.shift(cs, k.cellBefore), k.cellBefore);
  const Value rows[] = {saved(op.getI()),  cs,    saved(op.getF()),      saved(op.getO()),    saved(op.getCi()),
                        saved(op.getCo()), cells, saved(op.getCsGrad()), saved(op.getHGrad())};

  // The carried gradients Kh and Kc, and those of the arguments.
  SmallVector<Value> carried = {t.zeros({k.B, k.H}, t.compute), t.zeros({k.B, k.H}, t.compute),
                                t.empty({k.steps, k.B, k.GH}, t.compute)};
  // The gradients that resets to the initial states add to those.
  if (k.resets.addsToInitial())
    carried.append(2, t.zeros({k.B, k.H}, t.compute));
  SmallVector<Value> last = t.loop(at(0), k.steps, carried, [&](Value iteration, ValueRange values) {
    BlockLayer::Size step = t.sub(t.sub(k.steps, at(1)), iteration);
    SmallVector<BlockLayer::Operand> inputs;
    for (Value tensor : rows)
      inputs.push_back({k.rowOf(tensor, step), {0, 1}});
    for (Value weight : k.peephole)
      inputs.push_back({weight, {1}});
    inputs.push_back({values[0], {0, 1}});
    SmallVector<BlockLayer::Operand> outs = {{values[1], {0, 1}}};
    for (int64_t gate = 0; gate < 4; ++gate)
      outs.push_back({t.slice(values[2], {step, at(0), t.mul(at(gate), k.H)}, {at(1), k.B, k.H}, 1), {0, 1}});
    SmallVector<Value> results = t.generic(2, inputs, outs, [&](const ElementBuilder &e, ValueRange s) {
      Value i = s[0], f = s[2], o = s[3], ci = s[4], co = s[5], cBefore = s[6];
      Value gh = e.add(s[inputs.size() - 1], s[8]), gc = e.add(s[inputs.size()], s[7]);
      Value dO = e.mul(e.mul(e.sigmoidSlope(o), gh), co);
      Value dcs = e.add(e.mul(e.mul(e.tanhSlope(co), gh), o), gc);
      if (!k.peephole.empty())
        dcs = e.mulAdd(dO, s[11], dcs);
      Value dci = e.mul(e.mul(e.tanhSlope(ci), dcs), i);
      Value df = e.mul(e.mul(e.sigmoidSlope(f), dcs), cBefore);
      Value di = e.mul(e.mul(e.sigmoidSlope(i), dcs), ci);
      Value next = e.mul(dcs, f);
      if (!k.peephole.empty())
        next = e.mulAdd(df, s[10], e.mulAdd(di, s[9], next));
      SmallVector<Value> results(5);
      results[0] = next;
      results[1 + k.block(LstmGate::Input)] = di;
      results[1 + k.block(LstmGate::Cell)] = dci;
      results[1 + k.block(LstmGate::Forget)] = df;
      results[1 + k.block(LstmGate::Output)] = dO;
      return results;
    });
    Value gates = values[2];
    for (int64_t gate = 0; gate < 4; ++gate)
      gates = t.insert(results[1 + gate], gates, {step, at(0), t.mul(at(gate), k.H)}, {at(1), k.B, k.H});
    Value row = t.slice(gates, {step, at(0), at(0)}, {at(1), k.B, k.GH}, 1);
    Value zero = arith::ConstantOp::create(t.b, t.loc, t.b.getZeroAttr(t.compute));
    Value before = linalg::FillOp::create(t.b, t.loc, zero, values[0]).getResult(0);
    before = t.contract(3, {row, {0, 2}}, {k.recurrentWeights, {1, 2}}, {before, {0, 1}});
    Value cellBefore = results[0], initialH, initialC;
    if (k.resets.addsToInitial())
      initialH = values[3], initialC = values[4];
    k.resets.end(t, step, before, initialH);
    k.resets.end(t, step, cellBefore, initialC);
    SmallVector<Value> next = {before, cellBefore, gates};
    if (k.resets.addsToInitial())
      next.append({initialH, initialC});
    return next;
  });
  Value gates = last[2];
  if (k.resets.addsToInitial()) {
    last[0] = k.resets.add(t, last[0], last[3]);
    last[1] = k.resets.add(t, last[1], last[4]);
  }

  auto isUsed = [&](Value result) { return !result.use_empty(); };
  // Results in the order of the op; `compute` is not called for a result without uses.
  SmallVector<Value> results;
  auto add = [&](Value result, ArrayRef<OpFoldResult> sizes, function_ref<Value()> compute) {
    results.push_back(isUsed(result) ? t.convert(compute(), k.element) : t.empty(sizes, k.element));
  };
  add(op.getXGrad(), {k.T, k.B, k.I}, [&] {
    return k.complete(t.contract(4, {gates, {0, 1, 3}}, {k.inputWeights, {2, 3}},
                                 {t.zeros({k.steps, k.B, k.I}, t.compute), {0, 1, 2}}),
                      k.I);
  });
  add(op.getCsPrevGrad(), {k.B, k.H}, [&] { return last[1]; });
  add(op.getHPrevGrad(), {k.B, k.H}, [&] { return last[0]; });
  add(op.getWGrad(), {t.add(k.I, k.H), k.GH}, [&] {
    // Sums over steps and batch, loops 2 and 3.
    auto product = [&](Value left, BlockLayer::Size size) {
      return t.convert(t.contract(4, {left, {2, 3, 0}}, {gates, {2, 3, 1}}, {t.zeros({size, k.GH}, t.compute), {0, 1}}),
                       k.element);
    };
    Value result = t.empty({t.add(k.I, k.H), k.GH}, k.element);
    result = t.insert(product(k.x, k.I), result, {at(0), at(0)}, {k.I, k.GH});
    Value states = k.resets.applyToAll(t, k.shift(saved(op.getH()), k.hBefore), k.hBefore);
    return t.insert(product(states, k.H), result, {k.I, at(0)}, {k.H, k.GH});
  });
  auto peephole = [&](Value result, LstmGate gate, Value cell) {
    add(result, {k.H}, [&] {
      Value sum = t.zeros({k.H}, t.compute);
      if (k.peephole.empty())
        return sum;
      Value part = t.slice(gates, {at(0), at(0), t.mul(at(k.block(gate)), k.H)}, {k.steps, k.B, k.H});
      return t.contract(3, {part, {1, 2, 0}}, {cell, {1, 2, 0}}, {sum, {0}});
    });
  };
  peephole(op.getWciGrad(), LstmGate::Input, cells);
  peephole(op.getWcfGrad(), LstmGate::Forget, cells);
  peephole(op.getWcoGrad(), LstmGate::Output, k.prefix(cs, k.H));
  add(op.getBGrad(), {k.GH}, [&] { return t.reduce(3, {gates, {1, 2, 0}}, {t.zeros({k.GH}, t.compute), {0}}); });
  return results;
}
