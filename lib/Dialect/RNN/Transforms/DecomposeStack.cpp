//===- DecomposeStack.cpp - the forward pass of the cudnn ops as linalg ops --===//
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

Type rnn::getComputeType(Type element) {
  return element.isF64() ? element : Type(Float32Type::get(element.getContext()));
}

//===----------------------------------------------------------------------===//
// Sizes and operands
//===----------------------------------------------------------------------===//

template <typename OpTy> static TensorBuilder makeBuilder(OpBuilder &b, OpTy op) {
  return TensorBuilder(b, op.getLoc(), getComputeType(getElementTypeOrSelf(op.getInput().getType())));
}

StackDecomposition::StackDecomposition(OpBuilder &b, CudnnForwardOp op, bool isProjected, Value draw)
    : t(makeBuilder(b, op)), isProjected(isProjected), draw(draw) {
  init(op);
}

StackDecomposition::StackDecomposition(OpBuilder &b, CudnnBackpropOp op, bool isProjected, Value draw)
    : t(makeBuilder(b, op)), isProjected(isProjected), draw(draw) {
  init(op);
}

template <typename OpTy> void StackDecomposition::init(OpTy op) {
  mode = op.getMode();
  D = op.getDirection() == Direction::Bidirectional ? 2 : 1;
  G = rnn_layout::numGates(getLayoutMode(mode));
  element = getElementTypeOrSelf(op.getInput().getType());
  compute = t.compute;
  ShapeRules rules = getShapeRules(op);
  SmallVector<OpFoldResult> sizes = materializeSymbolicDims(t.b, t.loc, rules);
  auto sizeOf = [&](StringRef name) { return sizes[rules.getSymbolIndex(name)]; };
  T = sizeOf("T"), B = sizeOf("B"), I = sizeOf("I"), H = sizeOf("H"), L = sizeOf("L");
  P = H;
  if (op.getNumProj() > 0) {
    P = at(op.getNumProj());
    // Without projection matrices, H is P, which is static.
    if (!isProjected)
      H = P;
  }
  GH = t.mul(at(G), H), DP = t.mul(at(D), P);
  skips = op.getInputMode() == InputMode::SkipInput ||
          (op.getInputMode() == InputMode::AutoSelect && getConstantIntValue(I) == getConstantIntValue(H));
  if (skips)
    I = H;
  Size states = t.mul(L, at(D));
  input = t.withSizes(op.getInput(), {T, B, I});
  inputH = t.withSizes(op.getInputH(), {states, B, P});
  inputC = t.withSizes(op.getInputC(), {states, B, H});
  lengths = t.withSizes(op.getSequenceLengths(), {B});
  params = op.getParams();
  for (int64_t direction = 0; direction < D; ++direction)
    resets.push_back(ResetRows(t, t.withSizes(op.getResets(), {T, B}), op.getResetTo() == ResetTo::Initial, lengths, T,
                               B, direction == 1));
  dropout.emplace(op);
}

rnn_layout::StackLayout<TensorBuilder> StackDecomposition::layout() const {
  return rnn_layout::StackLayout<TensorBuilder>(t, {T, B, I, H, P, L, D, getLayoutMode(mode), skips, isProjected},
                                                /*elementBytes=*/8);
}

Value StackDecomposition::matrix(Size offset, Size rows, Size columns) const {
  return t.expand(params1D(offset, t.mul(rows, columns)), {rows, columns});
}

Value StackDecomposition::gateOf(Value rows, Size step, int64_t gate) const {
  return t.slice(rows, {step, at(0), t.mul(at(gate), H)}, {at(1), B, H}, 1);
}

Value StackDecomposition::stepOf(Value all, Size index, Size step, Size offset, Size width) const {
  return t.slice(all, {index, step, at(0), offset}, {at(1), at(1), B, width}, 2);
}

Value StackDecomposition::setStep(Value value, Value all, Size index, Size step, Size offset, Size width) const {
  return t.insert(value, all, {index, step, at(0), offset}, {at(1), at(1), B, width});
}

void StackDecomposition::addLengths(SmallVectorImpl<Operand> &inputs, Size step) const {
  if (!lengths)
    return;
  Value number = arith::IndexCastOp::create(t.b, t.loc, t.b.getI32Type(), t.value(step));
  inputs.push_back({lengths, {0}});
  inputs.push_back({number, {}});
}

Value StackDecomposition::isValid(const ElementBuilder &e, ValueRange scalars, size_t first) const {
  if (!lengths)
    return Value();
  return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sgt, scalars[first], scalars[first + 1]);
}

Value rnn::isBeforeEnd(const ElementBuilder &e, Value length, int64_t ahead) {
  Value step = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), linalg::IndexOp::create(e.b, e.loc, /*dim=*/0));
  if (ahead)
    step = arith::AddIOp::create(e.b, e.loc, step, arith::ConstantIntOp::create(e.b, e.loc, e.b.getI32Type(), ahead));
  return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sgt, length, step);
}

Value StackDecomposition::maskPadding(Value rows, Size width) const {
  return t.generic(3, {{rows, {0, 1, 2}}, {lengths, {1}}}, {{t.empty({T, B, width}, element), {0, 1, 2}}},
                   [&](const ElementBuilder &e, ValueRange s) {
                     return SmallVector<Value>{e.select(isBeforeEnd(e, s[1]), s[0], e.constant(0, compute))};
                   })[0];
}

/// The factor 1 / (1 - dropout) or 0, by the mask. The same function is its own gradient.
Value StackDecomposition::drop(Size layer, Value rows) const {
  SmallVector<Operand> inputs = {
      {rows, {0, 1, 2}}, {t.value(layer), {}}, {draw, {}}, {t.value(B), {}}, {t.value(DP), {}}};
  return t.generic(3, inputs, {{t.empty({T, B, DP}, compute), {0, 1, 2}}}, [&](const ElementBuilder &e, ValueRange s) {
    auto index = [&](unsigned loop) -> Value { return linalg::IndexOp::create(e.b, e.loc, loop); };
    auto mulAdd = [&](Value x, Value y, Value z) -> Value {
      return arith::AddIOp::create(e.b, e.loc, arith::MulIOp::create(e.b, e.loc, x, y), z);
    };
    Value position = mulAdd(mulAdd(index(0), s[3], index(1)), s[4], index(2));
    Value kept = dropout->emitKept(e.b, e.loc, s[1], s[2], position);
    Value scaled = e.mul(s[0], e.constant(dropout->scale(), compute));
    return SmallVector<Value>{e.select(kept, scaled, e.constant(0, compute))};
  })[0];
}

//===----------------------------------------------------------------------===//
// Forward pass
//===----------------------------------------------------------------------===//

/// The tensors that loops carry.
static SmallVector<Value *> carriedOf(StackDecomposition::Forward &f) {
  SmallVector<Value *> carried;
  for (Value *value : {&f.outputH, &f.outputC, &f.states, &f.gates, &f.cell, &f.linear, &f.hidden})
    if (*value)
      carried.push_back(value);
  return carried;
}

static SmallVector<Value> valuesOf(ArrayRef<Value *> carried) {
  return llvm::map_to_vector(carried, [](Value *value) { return *value; });
}

static void setValues(ArrayRef<Value *> carried, ValueRange values) {
  for (auto [value, next] : llvm::zip_equal(carried, values))
    *value = next;
}

StackDecomposition::Forward StackDecomposition::emitForward(bool saves) {
  Size all = t.mul(L, at(D));
  Forward f;
  f.outputH = t.empty({all, B, P}, element);
  if (isLSTM())
    f.outputC = t.empty({all, B, H}, element);
  if (saves) {
    f.states = t.empty({L, T, B, DP}, compute);
    if (hasGates())
      f.gates = t.empty({all, T, B, GH}, compute);
    if (isLSTM())
      f.cell = t.empty({all, T, B, H}, compute);
    if (isGRU())
      f.linear = t.empty({all, T, B, H}, compute);
    if (isProjected)
      f.hidden = t.empty({all, T, B, H}, compute);
  }
  runLayer(at(0), f, saves);
  if (isConstantIntValue(L, 1))
    return f;
  SmallVector<Value *> carried = carriedOf(f);
  setValues(carried, t.loop(at(1), L, valuesOf(carried), [&](Value layer, ValueRange values) {
    setValues(carried, values);
    runLayer(layer, f, saves);
    return valuesOf(carried);
  }));
  return f;
}

Value StackDecomposition::layerInput(Size layer, const Forward &f, bool saves) const {
  Size below = t.sub(layer, at(1));
  Value rows = t.slice(f.states, {saves ? below : at(0), at(0), at(0), at(0)}, {at(1), T, B, DP}, 1);
  return draw ? drop(below, rows) : rows;
}

void StackDecomposition::runLayer(Size layer, Forward &f, bool saves) {
  bool isFirst = isConstantIntValue(layer, 0);
  Size width = isFirst ? I : DP;
  Value x = isFirst ? input : layerInput(layer, f, saves);
  if (!saves)
    f.states = t.empty({at(1), T, B, DP}, compute);
  // Before the time loops, which write to the tensor that x may be a part of.
  SmallVector<Value, 2> fromInput(D, Value());
  for (int64_t direction = 0; direction < D && !(isFirst && skips); ++direction) {
    Value w = matrix(layout().paramsOf(layer, at(direction)).inputWeights, GH, width);
    fromInput[direction] = t.contract(4, {x, {0, 1, 3}}, {w, {2, 3}}, {t.zeros({T, B, GH}, compute), {0, 1, 2}});
  }
  for (int64_t direction = 0; direction < D; ++direction)
    runSteps(layer, direction, fromInput[direction], saves ? layer : at(0), f);
}

void StackDecomposition::runSteps(Size layer, int64_t direction, Value fromInput, Size stateIndex, Forward &f) {
  auto offsets = layout().paramsOf(layer, at(direction));
  Size index = t.add(t.mul(layer, at(D)), at(direction)), column = t.mul(P, at(direction));
  Value r = matrix(offsets.recurrentWeights, GH, P);
  Value projection = isProjected ? matrix(offsets.projection, P, H) : Value();
  Value bias = t.generic(1, {{params1D(offsets.inputBias, GH), {0}}, {params1D(offsets.recurrentBias, GH), {0}}},
                         {{t.empty({GH}, compute), {0}}}, [](const ElementBuilder &e, ValueRange s) {
                           return SmallVector<Value>{e.add(s[0], s[1])};
                         })[0];
  auto biasOf = [&](int64_t gate) { return t.slice(bias, {t.mul(at(gate), H)}, {H}); };
  // gru: the biases of the new gate are separate, since the reset gate multiplies one of them.
  int64_t newGate = isGRU() ? stackBlock(GruGate::New) : -1;
  auto rawBias = [&](Size offset) { return params1D(t.add(offset, t.mul(at(newGate), H)), H); };

  Value h = t.convert(t.slice(inputH, {index, at(0), at(0)}, {at(1), B, P}, 1), compute), c;
  SmallVector<Value *> carried = {&h};
  if (isLSTM()) {
    c = t.convert(t.slice(inputC, {index, at(0), at(0)}, {at(1), B, H}, 1), compute);
    carried.push_back(&c);
  }
  const Value firstH = h, firstC = c;
  for (Value *saved : {&f.states, &f.gates, &f.cell, &f.linear, &f.hidden})
    if (*saved)
      carried.push_back(saved);

  auto step = [&](Value iteration, ValueRange values) {
    setValues(carried, values);
    Size time = direction == 0 ? Size(iteration) : t.sub(t.sub(T, at(1)), iteration);
    h = resets[direction].apply(t, time, h, firstH);
    if (isLSTM())
      c = resets[direction].apply(t, time, c, firstC);
    Value fromState = t.contract(3, {h, {0, 2}}, {r, {1, 2}}, {t.zeros({B, GH}, compute), {0, 1}});
    // Inputs of one element: per gate the part of x, the part of h, the bias; the bias of q; then the lengths.
    SmallVector<Operand> inputs, outs;
    for (int64_t gate = 0; gate < G; ++gate) {
      inputs.push_back({fromInput ? gateOf(fromInput, time, gate) : gateOf(input, time, 0), {0, 1}});
      inputs.push_back({t.slice(fromState, {at(0), t.mul(at(gate), H)}, {B, H}), {0, 1}});
      inputs.push_back({gate == newGate ? rawBias(offsets.inputBias) : biasOf(gate), {1}});
    }
    if (isGRU())
      inputs.push_back({rawBias(offsets.recurrentBias), {1}});
    size_t firstLength = inputs.size();
    addLengths(inputs, time);
    // Outs: h (without projection) or the value to project, c, then the saved parts of this step.
    Value hidden = isProjected ? t.empty({B, H}, compute) : h;
    outs.push_back({hidden, {0, 1}});
    if (isLSTM())
      outs.push_back({c, {0, 1}});
    SmallVector<std::tuple<Value *, Size, Size>> parts; // tensor, index, column
    if (!isProjected)
      parts.push_back({&f.states, stateIndex, column});
    for (int64_t gate = 0; gate < G && f.gates; ++gate)
      parts.push_back({&f.gates, index, t.mul(at(gate), H)});
    for (Value *saved : {&f.cell, &f.linear, &f.hidden})
      if (*saved)
        parts.push_back({saved, index, at(0)});
    for (auto [tensor, partIndex, partColumn] : parts)
      outs.push_back({stepOf(*tensor, partIndex, time, partColumn, H), {0, 1}});

    auto body = [&](const ElementBuilder &e, ValueRange s) {
      Value valid = isValid(e, s, firstLength), before = s[inputs.size()];
      auto argument = [&](int64_t gate) { return e.add(e.add(s[3 * gate], s[3 * gate + 1]), s[3 * gate + 2]); };
      SmallVector<Value> results, gates;
      Value next, saved; // saved: cell or linear
      if (isLSTM()) {
        Value cellBefore = s[inputs.size() + 1];
        Value i = e.sigmoid(argument(stackBlock(LstmGate::Input))),
              f = e.sigmoid(argument(stackBlock(LstmGate::Forget)));
        Value g = e.tanh(argument(stackBlock(LstmGate::Cell))), o = e.sigmoid(argument(stackBlock(LstmGate::Output)));
        Value cell = e.mulAdd(f, cellBefore, e.mul(i, g));
        next = e.mul(o, e.tanh(cell));
        gates = {i, f, g, o};
        saved = e.select(valid, cell, cellBefore);
      } else if (isGRU()) {
        Value reset = e.sigmoid(argument(stackBlock(GruGate::Reset)));
        Value update = e.sigmoid(argument(stackBlock(GruGate::Update)));
        Value q = e.add(s[3 * newGate + 1], s[3 * G]);
        Value n = e.tanh(e.mulAdd(reset, q, e.add(s[3 * newGate], s[3 * newGate + 2])));
        next = e.mulAdd(update, before, e.mul(e.complement(update), n));
        gates = {reset, update, n};
        saved = q;
      } else if (mode == CellMode::RnnTanh) {
        next = e.tanh(argument(0));
      } else {
        Value a = argument(0), zero = e.constant(0, compute);
        next = e.select(arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OLE, a, zero), zero, a);
      }
      Value held = isProjected ? e.select(valid, next, e.constant(0, compute)) : e.select(valid, next, before);
      results.push_back(held);
      if (isLSTM())
        results.push_back(saved);
      if (!isProjected)
        results.push_back(held);
      if (f.gates)
        results.append(gates);
      if (f.cell || f.linear)
        results.push_back(saved);
      if (f.hidden)
        results.push_back(held);
      return results;
    };
    SmallVector<Value> results = t.generic(2, inputs, outs, body);
    size_t result = 0;
    (isProjected ? hidden : h) = results[result++];
    if (isLSTM())
      c = results[result++];
    for (auto [tensor, partIndex, partColumn] : parts)
      *tensor = setStep(results[result++], *tensor, partIndex, time, partColumn, H);
    if (isProjected) {
      Value projected = t.contract(3, {hidden, {0, 2}}, {projection, {1, 2}}, {t.zeros({B, P}, compute), {0, 1}});
      SmallVector<Operand> lengthInputs = {{projected, {0, 1}}};
      addLengths(lengthInputs, time);
      SmallVector<Value> states =
          t.generic(2, lengthInputs, {{h, {0, 1}}, {stepOf(f.states, stateIndex, time, column, P), {0, 1}}},
                    [&](const ElementBuilder &e, ValueRange s) {
                      Value held = e.select(isValid(e, s, 1), s[0], s[lengthInputs.size()]);
                      return SmallVector<Value>{held, held};
                    });
      h = states[0];
      f.states = setStep(states[1], f.states, stateIndex, time, column, P);
    }
    return valuesOf(carried);
  };
  setValues(carried, t.loop(at(0), T, valuesOf(carried), step));

  f.outputH = t.insert(t.convert(h, element), f.outputH, {index, at(0), at(0)}, {at(1), B, P});
  if (isLSTM())
    f.outputC = t.insert(t.convert(c, element), f.outputC, {index, at(0), at(0)}, {at(1), B, H});
}

Value StackDecomposition::emitOutput(const Forward &f) {
  auto count = cast<RankedTensorType>(f.states.getType()).getDimSize(0);
  Size last = count == 1 ? at(0) : t.sub(L, at(1));
  Value rows = t.slice(f.states, {last, at(0), at(0), at(0)}, {at(1), T, B, DP}, 1);
  return lengths ? maskPadding(rows, DP) : t.convert(rows, element);
}
