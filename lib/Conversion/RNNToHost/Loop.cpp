//===- Loop.cpp - the time loops and the products around them ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

void host::fillRows(HostBuilder &b, Value rows, Value from, Value to, Value columns) {
  b.loop(from, to, 1, [&](Value row) {
    b.forColumns(columns, [&](Value column, Value mask) { b.store(b.constant(0), rows, {row, column}, mask); });
  });
}

void host::storePanels(HostBuilder &b, Value source, Value from, Value rows, Value columns, Value target,
                       Value firstRow) {
  int64_t panel = b.tiles.panel;
  b.loop(b.ceilDiv(columns, panel), [&](Value q) {
    Value first = b.mul(q, panel), count = b.min(b.sub(columns, first), b.index(panel));
    b.loop(rows, [&](Value row) {
      storeRow(b, source, b.add(from, b.mul(b.add(b.mul(q, rows), row), panel)), target, {b.add(firstRow, row)}, first,
               count);
    });
  });
}

/// The number of rows, at least `rows`, that panels are to have which are read together, some rows of each: as many lines
/// apart, panels begin in sets of a cache that are far from each other, and the rows of a tile do not push each other out.
static Value spreadRows(HostBuilder &b, Value rows) {
  // A tile has six rows, and a cache's sets are a multiple of 16. Pairs need an even number.
  int64_t apart = b.tiles.hasDots() ? 6 : 7, period = 16;
  return b.add(b.mul(b.div(b.add(rows, period - 1 - apart), b.index(period)), period), apart);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

void Problem::finish(HostBuilder &b) {
  panels = b.ceilDiv(H, b.tiles.panel), padded = b.mul(panels, b.tiles.panel);
  statePanels = b.ceilDiv(P, b.tiles.panel), statePadded = b.mul(statePanels, b.tiles.panel);
}

Value Layer::stepAt(Value s) {
  if (!isReverse)
    return s;
  return b.choose(isReverse, b.sub(b.sub(p.T, b.index(1)), s), s);
}

void Layer::forPlaces(Value columns, Value t, Value panel, function_ref<void(const Place &)> body) {
  int64_t width = b.tiles.panel;
  Value first = b.mul(panel, width);
  b.forPanel(first, columns, [&](ArrayRef<Value> masks) {
    b.loop(p.B, [&](Value row) {
      Value padded;
      if (lengths) {
        Value length = memref::LoadOp::create(b, lengths, row);
        length = arith::IndexCastOp::create(b, b.getIndexType(), length);
        padded = b.compare(arith::CmpIPredicate::sge, t, length);
      }
      for (int64_t v = 0; v < b.tiles.vectors; ++v) {
        int64_t offset = v * b.tiles.lanes;
        Value inPanel = b.add(b.mul(row, width), offset);
        Value inState = b.add(b.mul(b.add(b.mul(panel, p.B), row), width), offset);
        Value column = b.add(first, offset);
        body({t, row, column, masks.empty() ? Value() : masks[v], inPanel, inState, padded, panel});
      }
    });
  });
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

ForwardLoop::ForwardLoop(ForwardLayer &layer, Value maxInput) : layer(layer), b(layer.b), library(layer.library) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  columns = b.mul(p.padded, layer.blocks), stateSize = b.mul(p.statePadded, p.B);
  // A chunk of steps has its products with the input in one go: enough rows for the kernel, few enough for a cache.
  stepsAtOnce = b.max(b.div(b.index(Tiles::blockRows), b.max(p.B, b.index(1))), b.index(1));
  stepsAtOnce = b.min(stepsAtOnce, b.max(p.steps, b.index(1)));
  Value rowsAtOnce = b.mul(stepsAtOnce, p.B), inputColumns = b.mul(b.ceilDiv(maxInput, panel), panel);
  auto allocateWeights = [&](Value count, Value rows) { return b.allocate(count, b.tiles.weightsFor(rows, count)); };
  packedX = allocateWeights(b.mul(b.mul(p.padded, layer.input.count), inputColumns), rowsAtOnce);
  packedH = allocateWeights(b.mul(b.mul(p.padded, layer.recurrent.count), p.statePadded), p.B);
  leftSize = b.mul(inputColumns, rowsAtOnce);
  bias = b.allocate(columns);
  gates = b.allocate(b.mul(columns, rowsAtOnce));
  h = b.allocate(b.mul(stateSize, 2));
  hLeft = b.tiles.hasDots() ? b.allocate(b.mul(stateSize, 2), b.tiles.left) : h;
  if (p.projected) {
    packedP = allocateWeights(b.mul(p.padded, p.statePadded), p.B);
    hidden = b.allocate(b.mul(p.padded, p.B), b.tiles.left);
  }
}

void ForwardLoop::release() {
  for (Value buffer : {packedX, packedH, packedP, bias, gates, hidden, h, hLeft == h ? Value() : hLeft})
    if (buffer)
      b.free(buffer);
}

void ForwardLoop::run() {
  const Problem &p = layer.p;
  layer.start(packedP, h);
  if (hLeft != h)
    b.loop(b.index(0), stateSize, b.tiles.lanes, [&](Value place) { b.store(b.load(h, place), hLeft, place); });
  b.fillZero(bias, b.index(0), columns);
  layer.fillBias(bias);
  Value work = b.mul(b.mul(p.padded, p.statePadded), b.mul(p.B, layer.recurrent.count));
  library.parallel(b, p.panels, work, [&](const Team &team) { steps(team); });
  hFinal = b.mul(b.createOrFold<arith::AndIOp>(p.steps, b.index(1)), stateSize);
}

/// Every thread has columns of its own, of all blocks.
void ForwardLoop::steps(const Team &team) {
  const Problem &p = layer.p;
  Own own = {team.begin(b, p.panels), team.end(b, p.panels), Value(), Value(), b.allocate(leftSize, b.tiles.left)};
  if (p.projected)
    own.firstState = team.begin(b, p.statePanels), own.endState = team.end(b, p.statePanels);
  layer.packWeights(packedX, packedH, own.first, b.sub(own.end, own.first));
  Value chunks = b.div(b.add(p.steps, b.sub(stepsAtOnce, b.index(1))), stepsAtOnce);
  b.loop(chunks, [&](Value chunk) {
    Value firstStep = b.mul(chunk, stepsAtOnce), count = b.min(b.sub(p.steps, firstStep), stepsAtOnce);
    // The steps of a chunk are neighbours in both directions.
    Value firstTime = firstStep;
    if (layer.isReverse)
      firstTime = b.choose(layer.isReverse, b.sub(b.sub(p.T, firstStep), count), firstStep);
    multiplyInput(own, b.mul(firstTime, p.B), b.mul(count, p.B));
    b.loop(count, [&](Value k) {
      Value s = b.add(firstStep, k), t = layer.stepAt(s);
      step(team, own, s, b.mul(b.sub(t, firstTime), p.B));
    });
  });
  b.free(own.left);
}

/// gates = x * W + b for the rows of a chunk.
void ForwardLoop::multiplyInput(const Own &own, Value row, Value rows) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), panels = b.sub(own.end, own.first);
  for (int64_t block = 0; block < layer.blocks; ++block) {
    Value first = b.add(b.mul(p.padded, block), b.mul(own.first, panel));
    b.loop(rows, [&](Value r) {
      b.loop(zero, b.mul(panels, panel), b.tiles.lanes, [&](Value column) {
        Value place = b.add(first, column);
        b.store(b.load(bias, place), gates, b.add(b.mul(r, columns), place));
      });
    });
  }
  auto product = [&] {
    Value depth = b.ceilDiv(p.I, panel), packedPanel = b.mul(depth, panel * panel);
    layer.packInput(row, rows, own.left);
    b.loop(b.index(layer.input.count), [&](Value block) {
      Value first = b.add(b.mul(p.panels, block), own.first);
      library.product(b, {own.left, zero, b.mul(rows, panel), packedX, b.mul(first, packedPanel), packedPanel, gates,
                          b.add(b.mul(p.padded, layer.input.first), b.mul(first, panel)), columns, b.index(panel), rows,
                          panels, depth});
    });
  };
  Value skips = layer.skipsInput();
  auto add = [&] {
    Value column = b.mul(own.first, panel), count = b.min(b.sub(p.H, column), b.mul(panels, panel));
    layer.addInput(row, rows, column, count, gates, columns);
  };
  if (skips)
    b.branch(skips, add, product);
  else
    product();
}

void ForwardLoop::step(const Team &team, const Own &own, Value s, Value gatesRow) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value t = layer.stepAt(s), panelRows = b.mul(p.B, panel), packedPanel = b.mul(p.statePadded, panel);
  Value parity = b.createOrFold<arith::AndIOp>(s, b.index(1)), hSource = b.mul(parity, stateSize);
  Value hTarget = b.sub(stateSize, hSource), firstRow = b.mul(gatesRow, columns);
  layer.startStep(s, t);
  b.loop(own.first, own.end, 1, [&](Value q) {
    // The same panel of all blocks: gates += h * R
    Value target = b.add(firstRow, b.add(b.mul(p.padded, layer.recurrent.first), b.mul(q, panel)));
    library.product(b, {hLeft, hSource, panelRows, packedH, b.mul(q, packedPanel), b.mul(p.panels, packedPanel), gates,
                        target, columns, p.padded, p.B, b.index(layer.recurrent.count), p.statePanels});
    layer.forPlaces(p.H, t, q, [&](const Place &at) {
      SmallVector<Value> arguments;
      Value row = b.add(firstRow, b.mul(at.row, columns));
      for (int64_t block = 0; block < layer.blocks; ++block)
        arguments.push_back(b.load(gates, b.add(b.add(row, b.mul(p.padded, block)), at.column)));
      auto before = [&] { return b.load(h, b.add(hSource, at.inState)); };
      Value next = layer.step(at, arguments, before);
      // Past its end an example keeps its state; with a projection it is not made from this.
      if (at.padded)
        next = arith::SelectOp::create(b, at.padded, p.projected ? b.constant(0) : before(), next);
      next = b.select(at.mask, next); // or NaN beyond the last column would spread
      if (p.projected)
        b.store(next, hidden, at.inState);
      else
        putState(next, b.add(hTarget, at.inState));
    });
    if (!p.projected)
      layer.publish(t, q, [&](const Place &at) { return b.load(h, b.add(hTarget, at.inState)); });
  });
  // The next step, or the projection, reads all columns of this one.
  library.wait(b, team);
  if (p.projected) {
    project(own, t, hSource, hTarget);
    library.wait(b, team);
  }
}

void ForwardLoop::putState(Value value, Value place) {
  b.store(value, h, place);
  if (hLeft != h)
    b.store(value, hLeft, place);
}

/// The state is hidden * Wr^T.
void ForwardLoop::project(const Own &own, Value t, Value hSource, Value hTarget) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), panelRows = b.mul(p.B, panel);
  b.loop(own.firstState, own.endState, 1, [&](Value q) {
    Value target = b.add(hTarget, b.mul(q, panelRows));
    b.fillZero(h, target, panelRows);
    library.product(b, {hidden, zero, panelRows, packedP, b.mul(q, b.mul(p.padded, panel)), zero, h, target,
                        b.index(panel), zero, p.B, b.index(1), p.panels});
    if (layer.lengths || hLeft != h)
      layer.forPlaces(p.P, t, q, [&](const Place &at) {
        Value place = b.add(hTarget, at.inState), next = b.load(h, place);
        if (at.padded)
          next = arith::SelectOp::create(b, at.padded, b.load(h, b.add(hSource, at.inState)), next);
        putState(next, place);
      });
    layer.publish(t, q, [&](const Place &at) { return b.load(h, b.add(hTarget, at.inState)); });
  });
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

BackwardLoop::BackwardLoop(BackwardLayer &layer, bool wantsBias) : layer(layer), b(layer.b), library(layer.library) {
  const Problem &p = layer.p;
  rows = b.mul(p.steps, p.B);
  allRows = spreadRows(b, rows);
  Value columns = b.mul(p.padded, layer.blocks);
  dG = b.allocate(b.mul(columns, allRows), b.tiles.left);
  auto allocateWeights = [&](Value count) { return b.allocate(count, b.tiles.weightsFor(p.B, count)); };
  packedR = allocateWeights(b.mul(b.mul(p.padded, layer.recurrent.count), p.statePadded));
  kh = b.allocate(b.mul(p.statePadded, p.B));
  if (wantsBias)
    db = b.allocate(columns);
  if (p.projected) {
    packedP = allocateWeights(b.mul(p.padded, p.statePadded));
    delta = b.allocate(b.mul(p.statePadded, allRows), b.tiles.left);
  }
}

void BackwardLoop::release() {
  for (Value buffer : {dG, packedR, kh, db, packedP, delta})
    if (buffer)
      b.free(buffer);
}

/// kh += dG[t] * R, the columns of `count` panels from q on: `depth` panels of dG and R from `firstDepth` on; null: all.
void BackwardLoop::multiply(Value t, Value q, Value count, Value firstDepth, Value depth) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value panelRows = b.mul(p.B, panel), dGPanel = b.mul(allRows, panel);
  Value all = b.mul(p.panels, layer.recurrent.count), packedPanel = b.mul(all, panel * panel);
  Value place = b.add(b.mul(b.mul(p.panels, layer.recurrent.first), dGPanel), b.mul(t, panelRows));
  Value weights = b.mul(q, packedPanel);
  if (depth) {
    place = b.add(place, b.mul(firstDepth, dGPanel));
    weights = b.add(weights, b.mul(firstDepth, panel * panel));
  }
  library.product(b, {dG, place, dGPanel, packedR, weights, packedPanel, kh, b.mul(q, panelRows), b.index(panel), panelRows,
                      p.B, count, depth ? depth : all});
}

/// The same for all of the depth. On the way what the cell will read there of step `fetched` comes closer, some rows
/// with each block of the depth: all at once would wait for memory.
void BackwardLoop::multiplyAndFetch(Value t, Value first, Value count, Value fetched) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel, depthPanels = Tiles::depthPanels(panel);
  Value dGPanel = b.mul(allRows, panel), depth = b.mul(p.panels, layer.recurrent.count);
  constexpr int64_t rowsAtOnce = 4;
  Value atOnce = b.div(b.add(b.mul(depth, rowsAtOnce), b.sub(p.B, b.index(1))), b.max(p.B, b.index(1)));
  atOnce = b.mul(b.ceilDiv(b.max(b.min(atOnce, depth), b.index(1)), depthPanels), depthPanels);
  Value blocks = b.div(b.add(depth, b.sub(atOnce, b.index(1))), atOnce);
  b.loop(blocks, [&](Value block) {
    Value firstDepth = b.mul(block, atOnce);
    multiply(t, first, count, firstDepth, b.min(b.sub(depth, firstDepth), atOnce));
    Value from = b.div(b.mul(p.B, block), blocks), to = b.div(b.mul(p.B, b.add(block, 1)), blocks);
    b.loop(first, b.add(first, count), 1, [&](Value q) {
      b.loop(from, to, 1, [&](Value row) {
        Place at = {};
        at.t = fetched, at.row = row, at.column = b.mul(q, panel), at.panel = q;
        layer.fetch(at);
        // Lines of dG that are not there would hold up the stores, and these all that follows.
        for (int64_t block = 0; block < layer.blocks; ++block) {
          Value gatePanel = b.mul(b.add(b.mul(p.panels, block), q), dGPanel);
          b.prefetch(dG, b.add(gatePanel, b.mul(b.add(b.mul(fetched, p.B), row), panel)), /*locality=*/3,
                     /*isWrite=*/true);
        }
      });
    });
  });
}

/// Keeps the gradients of the gates at one place, and adds them up over the rows.
void BackwardLoop::storeGates(const Place &at, ArrayRef<Value> gates) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value row = b.add(b.mul(b.mul(at.t, p.B), panel), at.inPanel);
  for (int64_t block = 0; block < layer.blocks; ++block) {
    Value value = gates[block];
    if (at.padded)
      value = arith::SelectOp::create(b, at.padded, b.constant(0), value);
    Value gatePanel = b.add(b.mul(p.panels, block), at.panel);
    b.store(value, dG, b.add(b.mul(b.mul(gatePanel, allRows), panel), row));
    if (db) {
      // Sums over the rows go through memory: registers are for the operands of the cell.
      Value place = b.add(b.mul(p.padded, block), at.column);
      b.store(b.addf(b.load(db, place), value), db, place);
    }
  }
}

/// The cell's step for one panel of hidden columns.
void BackwardLoop::cell(Value s, Value t, Value q, Value deltaHidden) {
  const Problem &p = layer.p;
  layer.forPlaces(p.H, t, q, [&](const Place &at) {
    SmallVector<Value> gates(layer.blocks);
    // Beyond the last column there are zeros, whatever the product made of infinities.
    if (p.projected) {
      layer.step(at, b.select(at.mask, b.load(deltaHidden, at.inPanel)), gates);
      return storeGates(at, gates);
    }
    Value carried = b.select(at.mask, b.load(kh, at.inState));
    Value gradient = b.addf(carried, layer.outputGradient(at));
    if (at.padded)
      gradient = arith::SelectOp::create(b, at.padded, b.constant(0), gradient);
    Value before = layer.step(at, gradient, gates);
    if (!before)
      before = b.constant(0);
    if (at.padded) // the gradient passes
      before = arith::SelectOp::create(b, at.padded, carried, before);
    b.store(before, kh, at.inState);
    storeGates(at, gates);
  });
}

void BackwardLoop::run(bool wantsState) {
  const Problem &p = layer.p;
  Value zero = b.index(0);
  layer.start(packedP, kh);
  if (db)
    b.fillZero(db, zero, b.mul(p.padded, layer.blocks));
  // Every thread has columns of its own.
  Value work = b.mul(b.mul(p.padded, p.statePadded), b.mul(p.B, layer.recurrent.count));
  library.parallel(b, p.panels, work, [&](const Team &team) { steps(team, wantsState); });
}

void BackwardLoop::steps(const Team &team, bool wantsState) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), one = b.index(1), panelRows = b.mul(p.B, panel);
  Value firstPanel = team.begin(b, p.panels), endPanel = team.end(b, p.panels);
  Value firstState = team.begin(b, p.statePanels), endState = team.end(b, p.statePanels);
  // Nobody else reads these.
  layer.packRecurrent(packedR, firstState, b.sub(endState, firstState));
  Value deltaHidden = p.projected ? b.allocate(panelRows) : Value();
  // dG of a step may be more than a second-level cache holds: what is there of it is used for some panels.
  constexpr int64_t atOnce = 4;
  b.loop(p.steps, [&](Value k) {
    Value next = b.sub(p.steps, k), s = b.sub(next, one), t = layer.stepAt(s);
    Value hasNext = b.compare(arith::CmpIPredicate::ne, k, zero);
    layer.startStep(s, t);
    if (!p.projected) {
      // A few rows are fetched by themselves, and weights come fastest for all panels at once.
      Value isMany = b.compare(arith::CmpIPredicate::sgt, p.B, b.index(Tiles::fewRows));
      Value isFew = b.compare(arith::CmpIPredicate::sle, p.B, b.index(Tiles::fewRows));
      b.branch(b.createOrFold<arith::AndIOp>(hasNext, isFew),
               [&] { multiply(layer.stepAt(next), firstPanel, b.sub(endPanel, firstPanel)); });
      Value own = b.sub(endPanel, firstPanel);
      b.loop(b.ceilDiv(own, atOnce), [&](Value group) {
        Value first = b.add(firstPanel, b.mul(group, atOnce)), count = b.min(b.sub(endPanel, first), b.index(atOnce));
        b.branch(b.createOrFold<arith::AndIOp>(hasNext, isMany),
                 [&] { multiplyAndFetch(layer.stepAt(next), first, count, t); });
        b.loop(first, b.add(first, count), 1, [&](Value q) { cell(s, t, q, Value()); });
      });
      // The next step reads all columns of this one.
      library.wait(b, team);
      return;
    }
    Value row = b.mul(t, p.B);
    b.branch(hasNext, [&] { multiply(layer.stepAt(next), firstState, b.sub(endState, firstState)); });
    b.loop(firstState, endState, 1, [&](Value q) {
      layer.forPlaces(p.P, t, q, [&](const Place &at) {
        Value carried = b.select(at.mask, b.load(kh, at.inState));
        Value gradient = b.addf(carried, layer.outputGradient(at)), before = b.constant(0);
        if (at.padded) {
          gradient = arith::SelectOp::create(b, at.padded, before, gradient);
          before = arith::SelectOp::create(b, at.padded, carried, before);
        }
        b.store(before, kh, at.inState);
        b.store(gradient, delta, b.add(b.mul(b.add(b.mul(q, allRows), row), panel), at.inPanel));
      });
    });
    library.wait(b, team);
    b.loop(firstPanel, endPanel, 1, [&](Value q) {
      b.fillZero(deltaHidden, zero, panelRows);
      library.product(b, {delta, b.mul(row, panel), b.mul(allRows, panel), packedP,
                          b.mul(q, b.mul(p.statePadded, panel)), zero, deltaHidden, zero, b.index(panel), zero, p.B, one,
                          p.statePanels});
      cell(s, t, q, deltaHidden);
    });
    library.wait(b, team);
  });
  if (deltaHidden)
    b.free(deltaHidden);
  if (wantsState)
    b.branch(b.compare(arith::CmpIPredicate::ne, p.steps, zero),
             [&] { multiply(layer.stepAt(zero), firstState, b.sub(endState, firstState)); });
}

Value BackwardLoop::rowWidth(Value panels) {
  return b.mul(b.createOrFold<arith::OrIOp>(panels, b.index(1)), b.tiles.panel);
}

BackwardLoop::Right BackwardLoop::gatesOf(Layer::Blocks blocks) {
  Value panels = layer.p.panels;
  return {dG, b.mul(b.mul(panels, blocks.first), b.mul(allRows, b.tiles.panel)), b.mul(panels, blocks.count)};
}

void BackwardLoop::inputs(function_ref<void(Value, Value, Value)> pack, function_ref<void(const Block &)> store) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), inputPanels = b.ceilDiv(p.I, panel);
  Value depth = b.mul(p.panels, layer.input.count), dGPanel = b.mul(allRows, panel);
  Value firstBlock = b.mul(b.mul(p.panels, layer.input.first), dGPanel), packedPanel = b.mul(depth, panel * panel);
  Value work = b.mul(b.mul(rows, p.I), b.mul(depth, panel));
  // Weights for few rows go from a cache: some columns are used up before the next ones are packed to their place. Many
  // rows would come from memory again for each of these groups.
  constexpr int64_t columnsForFewRows = 64;
  Value panelsForFewRows = b.index(std::max<int64_t>(columnsForFewRows / panel, 1));
  Value isFewRows = b.compare(arith::CmpIPredicate::sle, rows, b.index(Tiles::depth));
  library.parallel(b, inputPanels, work, [&](const Team &team) {
    // Columns are dealt out: how rows are cut into tiles must not depend on the threads.
    Value first = team.begin(b, inputPanels), end = team.end(b, inputPanels), own = b.sub(end, first);
    Value atOnce = b.choose(isFewRows, b.min(own, panelsForFewRows), own);
    Value width = rowWidth(atOnce);
    Value weights = b.mul(packedPanel, atOnce), packed = b.allocate(weights, b.tiles.weightsFor(rows, weights));
    Value block = b.allocate(b.mul(width, Tiles::blockRows));
    Value groups = b.div(b.add(own, b.sub(atOnce, b.index(1))), b.max(atOnce, b.index(1)));
    b.loop(groups, [&](Value group) {
      Value start = b.add(first, b.mul(group, atOnce)), count = b.min(b.sub(end, start), atOnce);
      Value column = b.mul(start, panel), columns = b.min(b.sub(p.I, column), b.mul(count, panel));
      pack(packed, start, count);
      b.loop(zero, rows, Tiles::blockRows, [&](Value row) {
        Value height = b.min(b.sub(rows, row), b.index(Tiles::blockRows));
        b.fillZero(block, zero, b.mul(height, width));
        library.product(b, {dG, b.add(firstBlock, b.mul(row, panel)), dGPanel, packed, zero, packedPanel, block, zero,
                            width, b.index(panel), height, count, depth});
        store({block, width, row, height, column, columns});
      });
    });
    b.free(packed);
    b.free(block);
  });
}

void BackwardLoop::startSums() {
  if (!b.tiles.hasDots())
    return;
  Value panelRows = b.mul(rows, b.tiles.panel), stride = b.mul(allRows, b.tiles.panel);
  auto pair = [&](Value buffer, Value panels) {
    library.parallel(b, panels, b.mul(panels, panelRows), [&](const Team &team) {
      Value first = team.begin(b, panels), count = b.sub(team.end(b, panels), first);
      library.pairRows(b, buffer, b.mul(first, stride), stride, count, rows);
    });
  };
  pair(dG, b.mul(layer.p.panels, layer.blocks));
  if (delta)
    pair(delta, layer.p.statePanels);
}

/// Zeros beside the last of an odd number of rows of `tiles` tiles that `packLeft` made.
void BackwardLoop::endPair(Value places, Value tiles, Value rows) {
  Value last = b.sub(rows, b.index(1)), isOdd = b.createOrFold<arith::AndIOp>(rows, b.index(1));
  b.branch(b.compare(arith::CmpIPredicate::ne, isOdd, b.index(0)), [&] {
    Value none = arith::ConstantOp::create(b, b.getFloatAttr(b.tiles.left, 0));
    b.loop(tiles, [&](Value tile) {
      Value place = b.add(b.mul(tile, Tiles::rows * Tiles::depth), b.mul(last, Tiles::rows));
      for (int64_t k = 0; k < Tiles::rows; ++k)
        memref::StoreOp::create(b, none, places, ValueRange{b.add(place, 2 * k + 1)});
    });
  });
}

void BackwardLoop::sums(ArrayRef<Left> lefts, Value width, const Right &right, function_ref<void(const Block &)> store,
                        std::optional<Rows> result) {
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), blockWidth = rowWidth(right.count), rightPanel = b.mul(allRows, panel);
  Value columns = b.mul(right.count, panel), tiles = b.ceilDiv(width, Tiles::rows);
  auto isAtMost = [&](Value a, Value c) { return b.compare(arith::CmpIPredicate::sle, a, c); };
  Value hasRows = isAtMost(b.index(1), rows);
  // More rows come back to the block, whose rows do not push each other out of a cache.
  Value comesOnce = b.createOrFold<arith::AndIOp>(hasRows, isAtMost(rows, b.index(Tiles::depth)));
  library.parallel(b, tiles, b.mul(b.mul(rows, width), columns), [&](const Team &team) {
    Value places = b.allocate(b.index(Tiles::blockRows * Tiles::depth), b.tiles.left);
    Value block = b.allocate(b.mul(blockWidth, Tiles::blockRows));
    Value from = b.mul(team.begin(b, tiles), Tiles::rows);
    Value to = b.max(b.min(b.mul(team.end(b, tiles), Tiles::rows), width), from);
    // What is written at once has tiles with all their rows: a last one without them has a block of its own. More rows
    // than come once would be read again for it.
    Value wholeEnd = to;
    if (result) {
      Value whole = b.mul(b.div(b.sub(to, from), b.index(Tiles::rows)), Tiles::rows);
      wholeEnd = b.choose(comesOnce, b.add(from, whole), to);
    }
    Value wholeBlocks = b.ceilDiv(b.sub(wholeEnd, from), Tiles::blockRows);
    Value hasRest = b.choose(b.compare(arith::CmpIPredicate::slt, wholeEnd, to), b.index(1), zero);
    b.loop(b.add(wholeBlocks, hasRest), [&](Value number) {
      Value isRest = b.compare(arith::CmpIPredicate::eq, number, wholeBlocks);
      Value first = b.choose(isRest, wholeEnd, b.add(from, b.mul(number, Tiles::blockRows)));
      Value remaining = b.sub(b.choose(isRest, to, wholeEnd), first);
      Value height = b.min(remaining, b.index(Tiles::blockRows)), count = b.ceilDiv(height, Tiles::rows);
      Value target = block, targetPlace = zero, targetWidth = blockWidth, isDirect;
      if (result) {
        Value isWhole = b.compare(arith::CmpIPredicate::slt, number, wholeBlocks);
        isDirect = b.createOrFold<arith::AndIOp>(comesOnce, isWhole);
        target = b.choose(isDirect, result->buffer, block), targetWidth = b.choose(isDirect, result->width, blockWidth);
        targetPlace = b.choose(isDirect, b.add(result->first, b.mul(first, result->width)), zero);
      }
      b.loop(zero, rows, Tiles::depth, [&](Value row) {
        Value depth = b.min(b.sub(rows, row), b.index(Tiles::depth)), end = b.add(row, depth);
        for (const Left &left : lefts) {
          // What it has of these rows of the panels.
          Value start = b.max(row, left.firstOfPanels), stop = b.min(end, b.add(left.firstOfPanels, left.rows));
          Value sourceRow = b.add(left.firstRow, b.sub(start, left.firstOfPanels));
          library.packLeft(b, left.matrix, sourceRow, b.sub(stop, start), first, height, places, b.sub(start, row));
        }
        if (b.tiles.hasDots())
          endPair(places, count, depth);
        Value isFirst = b.compare(arith::CmpIPredicate::eq, row, zero);
        Value place = b.add(right.place, b.mul(row, panel));
        library.transposedProduct(b, {places, right.panels, place, rightPanel, target, targetPlace, targetWidth, count,
                                      right.count, depth, isFirst});
      });
      b.branch(
          hasRows, [] {}, [&] { b.fillZero(block, zero, b.mul(b.mul(count, Tiles::rows), blockWidth)); });
      auto copy = [&] { store({block, blockWidth, first, height, zero, columns}); };
      if (isDirect)
        b.branch(
            isDirect, [] {}, copy);
      else
        copy();
    });
    b.free(places);
    b.free(block);
  });
}
