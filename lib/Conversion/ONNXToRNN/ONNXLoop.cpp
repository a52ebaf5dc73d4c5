//===- ONNXLoop.cpp - recurrent layers of ONNX as loops ----------------------===//
//
// Layers without counterpart in the rnn dialect become one loop over the steps of linalg ops: a GRU that resets the
// state before its GEMM (ONNX's default), peepholes, clipped activations, coupled gates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ONNXLayer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::onnx;
using Operand = TensorBuilder::Operand;

/// The operands of one step that do not change the states.
struct ONNXLayer::Step {
  int64_t direction;
  Value fromInput;                ///< W x of the step, [B,G*H]
  Value recurrent;                ///< R, [G*H,H]
  Value inputBias, recurrentBias; ///< [G*H], or null
  Value peephole;                 ///< [3*H], or null
};

Value ONNXLayer::activate(const ElementBuilder &e, int64_t index, int64_t function, Value value) const {
  // The cell state is not clipped on its way to the third activation, as in onnxruntime.
  if (clip != 0 && function < 2)
    value = e.clip(value, clip);
  switch (activations[index * numActivations() + function]) {
  case Activation::Sigmoid:
    return e.sigmoid(value);
  case Activation::Tanh:
    return e.tanh(value);
  case Activation::Relu: {
    Value zero = e.constant(0, value.getType());
    // A NaN stays.
    return e.select(arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OLE, value, zero), zero, value);
  }
  }
  llvm_unreachable("activations are checked when they are read");
}

std::pair<Value, Value> ONNXLayer::emitStep(const Step &step, Value h, Value c) {
  TensorBuilder t = builder();
  Size zero = t.constant(0), width = t.constant(H);
  SmallVector<unsigned, 4> rowsAndUnits = {0, 1}, units = {1};
  // The blocks of all gates for one operand of the body.
  auto blockOf = [&](Value rows, int64_t gate) { return t.slice(rows, {zero, t.constant(gate * H)}, {B, width}); };
  auto unitsOf = [&](Value vector, int64_t gate) { return t.slice(vector, {t.constant(gate * H)}, {width}); };
  auto gemm = [&](Value state, int64_t firstGate, int64_t count) {
    Value rows = t.slice(step.recurrent, {t.constant(firstGate * H), zero}, {t.constant(count * H), width});
    return t.contract(3, {state, {0, 2}}, {rows, {1, 2}}, {t.zeros({B, t.constant(count * H)}, compute), {0, 1}});
  };
  bool isLate = kind == LayerKind::GRU && !resetsAfter;
  int64_t gates = isLate ? 2 : numGates();
  Value fromState = gemm(h, 0, gates);

  // The arguments of each gate follow the states: W x, R h and both biases.
  SmallVector<Operand> inputs = {{h, rowsAndUnits}};
  if (c)
    inputs.push_back({c, rowsAndUnits});
  size_t first = inputs.size(), perGate = step.inputBias ? 4 : 2;
  auto addGate = [&](SmallVectorImpl<Operand> &list, int64_t gate, Value recurrent, int64_t block) {
    list.push_back({blockOf(step.fromInput, gate), rowsAndUnits});
    list.push_back({blockOf(recurrent, block), rowsAndUnits});
    if (step.inputBias) {
      list.push_back({unitsOf(step.inputBias, gate), units});
      list.push_back({unitsOf(step.recurrentBias, gate), units});
    }
  };
  for (int64_t gate = 0; gate < gates; ++gate)
    addGate(inputs, gate, fromState, gate);
  size_t peepholes = inputs.size();
  if (step.peephole)
    for (int64_t gate = 0; gate < 3; ++gate)
      inputs.push_back({unitsOf(step.peephole, gate), units});
  // W x + bW, and R h + bR.
  auto parts = [&](const ElementBuilder &e, ValueRange s, size_t at) {
    return perGate == 2 ? std::pair(Value(s[at]), Value(s[at + 1]))
                        : std::pair(e.add(s[at], s[at + 2]), e.add(s[at + 1], s[at + 3]));
  };
  auto sum = [&](const ElementBuilder &e, ValueRange s, size_t at) {
    auto [x, y] = parts(e, s, at);
    return e.add(x, y);
  };
  auto argument = [&](const ElementBuilder &e, ValueRange s, int64_t gate) {
    return sum(e, s, first + gate * perGate);
  };
  auto function = [&](const ElementBuilder &e, int64_t index, Value x) {
    return activate(e, step.direction, index, x);
  };
  auto out = [&] { return Operand{t.empty({B, width}, compute), rowsAndUnits}; };

  if (isLSTM()) {
    // Gates i o f c, peepholes i o f.
    SmallVector<Value> states = t.generic(2, inputs, {out(), out()}, [&](const ElementBuilder &e, ValueRange s) {
      auto peephole = [&](Value x, int64_t gate, Value cell) {
        return step.peephole ? e.mulAdd(s[peepholes + gate], cell, x) : x;
      };
      Value i = function(e, 0, peephole(argument(e, s, 0), 0, s[1]));
      Value f = couplesForget ? e.complement(i) : function(e, 0, peephole(argument(e, s, 2), 2, s[1]));
      Value cell = e.add(e.mul(f, s[1]), e.mul(i, function(e, 1, argument(e, s, 3))));
      Value o = function(e, 0, peephole(argument(e, s, 1), 1, cell));
      return SmallVector<Value>{e.mul(o, function(e, 2, cell)), cell};
    });
    return {states[0], states[1]};
  }
  if (kind == LayerKind::RNN)
    return {t.generic(2, inputs, {out()},
                      [&](const ElementBuilder &e, ValueRange s) {
                        return SmallVector<Value>{function(e, 0, argument(e, s, 0))};
                      })[0],
            Value()};
  auto mix = [](const ElementBuilder &e, Value z, Value candidate, Value state) {
    return SmallVector<Value>{e.add(e.mul(e.complement(z), candidate), e.mul(z, state))};
  };
  if (!isLate)
    return {t.generic(2, inputs, {out()},
                      [&](const ElementBuilder &e, ValueRange s) {
                        auto [x, y] = parts(e, s, first + 2 * perGate);
                        Value reset = function(e, 0, argument(e, s, 1));
                        return mix(e, function(e, 0, argument(e, s, 0)), function(e, 1, e.mulAdd(reset, y, x)), s[0]);
                      })[0],
            Value()};
  // z, and the state after its reset.
  SmallVector<Value> gated = t.generic(2, inputs, {out(), out()}, [&](const ElementBuilder &e, ValueRange s) {
    return SmallVector<Value>{function(e, 0, argument(e, s, 0)), e.mul(function(e, 0, argument(e, s, 1)), s[0])};
  });
  SmallVector<Operand> late = {{h, rowsAndUnits}, {gated[0], rowsAndUnits}};
  addGate(late, 2, gemm(gated[1], 2, 1), 0);
  return {t.generic(2, late, {out()},
                    [&](const ElementBuilder &e, ValueRange s) {
                      return mix(e, s[1], function(e, 1, sum(e, s, 2)), s[0]);
                    })[0],
          Value()};
}

ONNXLayer::Outputs ONNXLayer::convertToLoop(int64_t index) {
  PatternRewriter &rewriter = getRewriter();
  TensorBuilder t = builder();
  Size zero = t.constant(0), one = t.constant(1), width = t.constant(H), rows = t.constant(numGates() * H);
  Step step;
  step.direction = index;
  Value weights = selectFirst(rewriter, getLoc(), w, index);
  step.recurrent = selectFirst(rewriter, getLoc(), r, index);
  if (b) {
    Value biases = selectFirst(rewriter, getLoc(), b, index);
    step.inputBias = sliceRows(rewriter, getLoc(), biases, 0, numGates() * H);
    step.recurrentBias = sliceRows(rewriter, getLoc(), biases, numGates() * H, numGates() * H);
  }
  if (p)
    step.peephole = selectFirst(rewriter, getLoc(), p, index);
  Value fromInput = t.contract(4, {x, {0, 1, 3}}, {weights, {2, 3}}, {t.zeros({T, B, rows}, compute), {0, 1, 2}});
  auto initial = [&](Value states) {
    Value state = t.slice(states, {t.constant(index), zero, zero}, {one, B, width}, 1);
    return t.convert(state, compute);
  };
  SmallVector<Value> carried = {t.zeros({T, B, width}, element), initial(h0)};
  if (c0)
    carried.push_back(initial(c0));
  SmallVector<Value> last = t.loop(zero, T, carried, [&](Value number, ValueRange values) {
    Size at = number;
    if (isReverse(index))
      at = t.sub(t.sub(T, one), at);
    step.fromInput = t.slice(fromInput, {at, zero, zero}, {one, B, rows}, 1);
    Value h = values[1], c = c0 ? values[2] : Value();
    auto [nextH, nextC] = emitStep(step, h, c);
    Value y = nextH;
    if (lengths) {
      // A padded step keeps the states and outputs zero.
      Value time = arith::IndexCastOp::create(rewriter, getLoc(), rewriter.getI32Type(), t.value(at));
      auto select = [&](Value valid, Value padded) {
        SmallVector<Operand> inputs = {{valid, {0, 1}}, {lengths, {0}}, {time, {}}};
        if (padded)
          inputs.push_back({padded, {0, 1}});
        return t.generic(2, inputs, {{t.empty({B, width}, compute), {0, 1}}},
                         [&](const ElementBuilder &e, ValueRange s) {
                           Value isValid = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, s[2], s[1]);
                           Value other = padded ? Value(s[3]) : e.constant(0, compute);
                           return SmallVector<Value>{e.select(isValid, s[0], other)};
                         })[0];
      };
      y = select(nextH, Value());
      nextH = select(nextH, h);
      if (c)
        nextC = select(nextC, c);
    }
    SmallVector<Value> next = {t.insert(t.convert(y, element), values[0], {at, zero, zero}, {one, B, width}), nextH};
    if (c)
      next.push_back(nextC);
    return next;
  });
  return {last[0], t.convert(last[1], element), c0 ? t.convert(last[2], element) : Value()};
}

ONNXLayer::Outputs ONNXLayer::convertToLoops() {
  TensorBuilder t = builder();
  Size zero = t.constant(0), one = t.constant(1), D = t.constant(directions()), width = t.constant(H);
  x = t.withSizes(isBatchFirst ? transpose(x, {1, 0, 2}) : x, {T, B, t.constant(I)});
  h0 = t.withSizes(h0, {D, B, width});
  c0 = t.withSizes(c0, {D, B, width});
  lengths = t.withSizes(lengths, {B});
  Outputs all = {t.empty({D, T, B, width}, element), t.empty({D, B, width}, element),
                 c0 ? t.empty({D, B, width}, element) : Value()};
  for (int64_t index = 0; index < directions(); ++index) {
    Outputs outputs = convertToLoop(index);
    Size at = t.constant(index);
    all.y = t.insert(outputs.y, all.y, {at, zero, zero, zero}, {one, T, B, width});
    all.h = t.insert(outputs.h, all.h, {at, zero, zero}, {one, B, width});
    if (c0)
      all.c = t.insert(outputs.c, all.c, {at, zero, zero}, {one, B, width});
  }
  // [D,T,B,H]
  all.y = isBatchFirst ? transpose(all.y, {2, 1, 0, 3}) : transpose(all.y, {1, 0, 2, 3});
  return all;
}
