//===- Stack.cpp - the layers and directions of a stack ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stack.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

Stack::Stack(HostBuilder &b, const StackValues &sizes, const DropoutMask &mask, ParamsBuffer params,
             ParamsBuffer gradients, Value reserve)
    : b(b), sizes(sizes), mask(mask), params(params), gradients(gradients), rows(b.mul(sizes.T, sizes.B)),
      width(sizes.outputWidth()), hasOneLayer(getConstantIntValue(sizes.L) == 1) {
  if (!reserve)
    return;
  saved = sizes.viewReserve(reserve);
  if (drops())
    draw = memref::LoadOp::create(b, sizes.viewDraw(reserve), b.index(0));
}

void Stack::describe(Layer &layer) {
  Problem &p = layer.p;
  p.T = p.steps = sizes.T, p.B = sizes.B, p.I = sizes.I, p.H = sizes.H, p.P = sizes.P;
  p.projected = sizes.isProjected;
  p.finish(b);
  layer.blocks = isGRU() ? 4 : sizes.G;
  layer.input = {0, sizes.G};
  layer.recurrent = {isGRU() ? 1 : 0, sizes.G};
}

int64_t Stack::gateOf(int64_t block) const {
  using rnn_layout::GruGate, rnn_layout::stackBlock;
  if (!isGRU())
    return block;
  switch (GRUBlock(block)) {
  case Reset:
    return stackBlock(GruGate::Reset);
  case Update:
    return stackBlock(GruGate::Update);
  case NewOfInput:
  case NewOfState:
    return stackBlock(GruGate::New);
  }
  llvm_unreachable("all blocks are listed");
}

Layer::GateWeights Stack::getGateWeights(const Layer &layer, Layer::Weights weights, int64_t block) {
  const bool isInput = weights == Layer::Weights::Input;
  Value matrix = isInput ? inputWeights(params, layer.p.I) : recurrentWeights(params);
  Value row = b.mul(layer.p.H, gateOf((isInput ? layer.input : layer.recurrent).first + block));
  return {matrix, row, b.index(0), /*gatesAreRows=*/true};
}

void Stack::forLayers(bool reversed, function_ref<void()> body) {
  auto run = [&](Value index) {
    layer = reversed ? b.sub(b.sub(sizes.L, b.index(1)), index) : index;
    body();
  };
  if (hasOneLayer)
    return run(b.index(0));
  b.loop(sizes.L, run);
}

void Stack::forDirections(Layer &loops, function_ref<void()> body) {
  auto run = [&](Value index) {
    direction = index;
    pseudo = b.add(b.mul(layer, sizes.D), direction);
    find(params);
    if (gradients.buffer)
      find(gradients);
    if (saved)
      kept = sizes.reserveOf(layer, direction);
    if (sizes.D == 2)
      loops.isReverse = b.compare(arith::CmpIPredicate::ne, direction, b.index(0));
    body();
  };
  if (sizes.D == 1)
    return run(b.index(0));
  b.loop(b.index(sizes.D), run);
}

void Stack::find(ParamsBuffer &tensors) {
  tensors.at = sizes.paramsOf(layer, direction);
  if (!tensors.offsets)
    return;
  // The columns of the table (rnn_layout::ParamsTensor). The branch is necessary, since the table may have no row to
  // load.
  Value *parts[] = {&tensors.at.inputWeights, &tensors.at.recurrentWeights, &tensors.at.projection,
                    &tensors.at.inputBias, &tensors.at.recurrentBias};
  auto getLoaded = [&](OpBuilder &inner, Location loc) {
    SmallVector<Value> results;
    for (auto [column, part] : llvm::enumerate(parts)) {
      if (!*part)
        continue;
      Value index = arith::ConstantIndexOp::create(inner, loc, column);
      Value offset = memref::LoadOp::create(inner, loc, tensors.offsets, ValueRange{pseudo, index});
      results.push_back(arith::IndexCastOp::create(inner, loc, inner.getIndexType(), offset));
    }
    scf::YieldOp::create(inner, loc, results);
  };
  auto getDense = [&](OpBuilder &inner, Location loc) {
    SmallVector<Value> results;
    for (Value *part : parts)
      if (*part)
        results.push_back(*part);
    scf::YieldOp::create(inner, loc, results);
  };
  auto found = scf::IfOp::create(b, b.getLoc(), hasRows(b, tensors.offsets), getLoaded, getDense);
  unsigned next = 0;
  for (Value *part : parts)
    if (*part)
      *part = found.getResult(next++);
}

void Stack::drop(Value source, Value target, Value ofLayer) {
  // One call of the generator returns the words of four elements.
  constexpr int64_t words = 4;
  Location loc = b.getLoc();
  Value zero = arith::ConstantOp::create(b, b.getFloatAttr(b.tiles.sum, 0));
  Value scale = arith::ConstantOp::create(b, b.getFloatAttr(b.tiles.sum, mask.scale()));
  auto apply = [&](Value element) {
    Value row = b.div(element, width), column = b.sub(element, b.mul(row, width));
    Value value = b.loadScalar(source, {row, column});
    Value kept = mask.emitKept(b, loc, ofLayer, draw, element);
    value = arith::SelectOp::create(b, kept, arith::MulFOp::create(b, value, scale), zero);
    memref::StoreOp::create(b, value, target, ValueRange{row, column});
  };
  Value all = b.mul(rows, width), groups = b.div(all, b.index(words));
  b.loop(groups, [&](Value group) {
    Value first = b.mul(group, words);
    for (int64_t word = 0; word < words; ++word)
      apply(b.createOrFold<arith::OrIOp>(first, b.index(word)));
  });
  b.loop(b.mul(groups, words), all, 1, apply);
}
