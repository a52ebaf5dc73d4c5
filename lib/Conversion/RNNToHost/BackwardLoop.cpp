//===- BackwardLoop.cpp - the time loop backward, and the input's gradient ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

// Blocks of Tiles::depth rows of several panels are read one after the other. From panel to panel there is an odd
// number of blocks: the sets of an L2 cache, whose count is a power of 2, then hold as many blocks each. Panels of a
// power of 2 of rows would use a fraction of the sets.
Value host::spreadBlocks(HostBuilder &b, Value rows) {
  constexpr int64_t depth = Tiles::depth;
  Value odd = b.add(b.mul(b.div(b.add(rows, depth - 1), b.index(2 * depth)), 2 * depth), depth);
  return b.select(b.compare(arith::CmpIPredicate::sge, rows, b.index(4 * depth)), odd, rows);
}

/// Pads the row count so that panels read together map to different cache sets.
static Value spreadRows(HostBuilder &b, Value rows) {
  // A tile has six rows, and the number of cache sets is a multiple of 16. VNNI packing needs an even number of rows.
  int64_t apart = b.tiles.usesBF16Dot() ? 6 : 7, period = 16;
  // With AMX, rows fill whole panels. A panel of an odd number of tiles lies 1 KiB further in a cache than the last
  // one.
  if (b.tiles.usesAMX())
    apart = Tiles::amxPanel, period = 2 * Tiles::amxPanel;
  Value few = b.add(b.mul(b.div(b.add(rows, period - 1 - apart), b.index(period)), period), apart);
  Value blocks = spreadBlocks(b, rows), hasBlocks = b.compare(arith::CmpIPredicate::ne, blocks, rows);
  return b.select(hasBlocks, b.add(blocks, apart), few);
}

BackwardLoop::BackwardLoop(BackwardLayer &layer, Needs needs, Value maxInput)
    : layer(layer), b(layer.b), library(layer.library), needs(needs), maxInput(maxInput) {
  const Problem &p = layer.p;
  rows = b.mul(p.steps, p.B);
  allRows = spreadRows(b, rows);
  Value depth = b.mul(p.padded, layer.recurrent.count);
  packedPanel = b.mul(spreadBlocks(b, depth), b.tiles.panel);
  columns = b.mul(p.padded, layer.blocks);
  dG = b.allocate(b.mul(columns, allRows), b.tiles.left);
  kh = b.allocate(b.mul(p.statePadded, p.B));
  rowUnits = b.index(1);
  divideSteps();
  if (needs.bias)
    db = b.allocate(b.mul(columns, rowUnits));
  if (layer.resets && layer.resetsToInitial) {
    if (needs.state)
      initialKh = b.allocate(b.mul(p.statePadded, p.B));
    if (needs.cell && layer.getCellGradient())
      initialKc = b.allocate(b.mul(p.padded, p.B));
  }
  if (p.projected)
    delta = b.allocate(b.mul(p.statePadded, allRows), b.tiles.left);
}

void BackwardLoop::release() {
  for (Value buffer : {dG, kh, db, delta, initialKh, initialKc})
    if (buffer)
      b.free(buffer);
}

/// kh += dG[t] * R for the columns of panels [q, q + count). Their weights begin at element `weightsOffset` of packedR,
/// or at the offset of panel `q` if it is null. `step` counts the calls. Prefetches the weights of panel `nextPanel`,
/// if not null.
void BackwardLoop::multiply(Value t, Value step, Value q, Value count, Value nextPanel, Value weightsOffset) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value panelRows = b.mul(p.B, panel), dGPanel = b.mul(allRows, panel);
  Value firstOffset = b.add(b.mul(b.mul(p.panels, layer.recurrent.first), dGPanel), b.mul(t, panelRows));
  Gemm gemm;
  gemm.a = dG, gemm.aOffset = b.add(firstOffset, b.mul(layer.firstRow, panel)), gemm.aPanel = dGPanel;
  gemm.b = packedR, gemm.bOffset = weightsOffset ? weightsOffset : b.mul(q, packedPanel), gemm.bPanel = packedPanel;
  gemm.c = kh, gemm.cOffset = b.add(b.mul(q, panelRows), b.mul(layer.firstRow, panel));
  gemm.cRow = b.index(panel), gemm.cPanel = panelRows;
  gemm.rows = b.sub(layer.endRow, layer.firstRow), gemm.columns = count;
  gemm.setDepth(b, p.H, b.index(layer.recurrent.count));
  gemm.aNext = firstOffset;
  gemm.traversal = layer.getTraversal(step, gemm.depth);
  if (nextPanel)
    gemm.bNext = b.mul(nextPanel, packedPanel);
  if (b.tiles.usesAMX())
    alternate(b, gemm, t);
  library.gemm(b, gemm);
}

/// The same for the panels [first, end) and few rows, which read each weight once. If the weights exceed an L2 cache,
/// `step` alternates the direction over groups of panels: the last groups of the previous step are still in cache.
void BackwardLoop::multiplyFewRows(Value t, Value step, Value first, Value end) {
  const Problem &p = layer.p;
  // Larger groups leave less of the weights in cache, narrower rows use too little bandwidth: rows of 512 bytes, and of
  // 256 on the processors with blocks in L1 (Cascade Lake: L2 of 1 MB, one stream has the bandwidth of several).
  constexpr int64_t mostPanels = 4, bytesInL2 = 1 << 20;
  const int64_t rowBits = (b.tiles.areBlocksInL1() ? 256 : 512) * 8;
  auto weights = cast<MemRefType>(packedR.getType()).getElementType();
  int64_t panelBits = b.tiles.panel * weights.getIntOrFloatBitWidth();
  int64_t group = std::clamp<int64_t>(rowBits / panelBits, 1, mostPanels);
  Value own = b.sub(end, first), depth = b.mul(b.mul(p.panels, layer.recurrent.count), b.tiles.panel);
  Value isLarge = b.compare(arith::CmpIPredicate::sgt, b.mul(b.mul(own, depth), panelBits / 8), b.index(bytesInL2));
  Value atOnce = b.select(isLarge, b.index(group), b.max(own, b.index(1)));
  Value groups = b.ceilDiv(own, atOnce), last = b.sub(groups, b.index(1));
  Value isOdd = b.compare(arith::CmpIPredicate::ne, b.createOrFold<arith::AndIOp>(step, b.index(1)), b.index(0));
  b.loop(groups, [&](Value number) {
    Value from = b.add(first, b.mul(b.select(isOdd, b.sub(last, number), number), atOnce));
    multiply(t, step, from, b.min(b.sub(end, from), atOnce));
  });
}

/// The same for panels [first, end), by weights that are not packed before the steps: read in place, or packed in parts
/// for this product alone.
void BackwardLoop::multiplyUnpacked(Value t, Value step, Value first, Value end, bool inPlace) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value panelRows = b.mul(p.B, panel);
  auto describe = [&](int64_t block) {
    Gemm gemm;
    gemm.a = dG, gemm.aPanel = b.mul(allRows, panel);
    gemm.aOffset = b.add(b.mul(b.mul(p.panels, layer.recurrent.first + block), gemm.aPanel), b.mul(t, panelRows));
    gemm.c = kh, gemm.cOffset = b.mul(first, panelRows), gemm.cRow = b.index(panel);
    gemm.cPanel = panelRows, gemm.rows = p.B, gemm.columns = b.sub(end, first);
    return gemm;
  };
  if (inPlace)
    return layer.multiplyStepInPlace(Layer::Pass::Backward, step, first, describe);
  for (int64_t block = 0; block < layer.recurrent.count; ++block)
    layer.multiplyInParts(Layer::Pass::Backward, Layer::Weights::State, block, describe(block), first, packedR,
                          b.mul(first, packedPanel));
}

/// Stores the gate gradients of one position, and adds them to the bias gradients.
void BackwardLoop::storeGates(const Position &at, ArrayRef<Value> gates) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value row = b.add(b.mul(b.mul(at.t, p.B), panel), at.inPanel);
  for (int64_t block = 0; block < layer.blocks; ++block) {
    Value value = gates[block];
    if (at.padded)
      value = arith::SelectOp::create(b, at.padded, b.constant(0), value);
    Value gatePanel = b.add(b.mul(p.panels, block), at.panel);
    b.store(value, dG, b.add(b.mul(b.mul(gatePanel, allRows), panel), row));
    if (ownSums) {
      // The sums stay in memory: the cell uses all registers.
      Value offset = b.add(b.mul(p.padded, block), at.column);
      if (byRows) {
        Value unit = b.sub(b.div(at.row, b.index(rowsOfUnit)), firstUnit);
        offset = b.add(offset, b.select(byRows, b.mul(unit, columns), b.index(0)));
      }
      b.store(b.addf(b.load(ownSums, offset), value), ownSums, offset);
    }
  }
}

/// One step of the cell. `deltaHidden`, with a projection, is the panel's gradient.
void BackwardLoop::cell(const Position &at, Value deltaHidden) {
  SmallVector<Value> gates(layer.blocks);
  // Columns past the last are set to zero: the GEMM makes NaN of infinities there.
  if (deltaHidden) {
    layer.step(at, b.selectOrZero(at.mask, b.load(deltaHidden, at.inPanel)), gates);
    return storeGates(at, gates);
  }
  Value carried = b.selectOrZero(at.mask, b.load(kh, at.inState));
  Value gradient = b.addf(carried, layer.outputGradient(at));
  if (at.padded)
    gradient = arith::SelectOp::create(b, at.padded, b.constant(0), gradient);
  Value before = layer.step(at, gradient, gates);
  if (!before)
    before = b.constant(0);
  if (at.padded) // the gradient passes through
    before = arith::SelectOp::create(b, at.padded, carried, before);
  b.store(before, kh, at.inState);
  storeGates(at, gates);
}

/// Ends the gradient of a state before time `t` (panels [first, end), the rows of this thread) at the resets. Adds it
/// to `initial`, if present.
void BackwardLoop::endAtResets(Value t, Value columns, Value gradient, Value initial, Value first, Value end) {
  if (!layer.resets || !gradient)
    return;
  auto endAtRow = [&](const Position &at) {
    if (initial)
      b.store(b.addf(b.load(initial, at.inState), b.load(gradient, at.inState)), initial, at.inState);
    b.store(b.constant(0), gradient, at.inState);
  };
  layer.forRows(columns, t, first, end, endAtRow, /*onlyReset=*/true);
}

/// target += source for panels [first, end), the rows of this thread.
void BackwardLoop::addPanels(Value source, Value target, Value first, Value end) {
  Value panelRows = b.mul(layer.p.B, b.tiles.panel);
  b.loop(first, end, 1, [&](Value q) {
    Value panel = b.mul(q, panelRows);
    b.loop(b.add(panel, b.mul(layer.firstRow, b.tiles.panel)), b.add(panel, b.mul(layer.endRow, b.tiles.panel)),
           b.tiles.lanes, [&](Value k) { b.store(b.addf(b.load(target, k), b.load(source, k)), target, k); });
  });
}

void BackwardLoop::run() {
  const Problem &p = layer.p;
  Value zero = b.index(0);
  auto sizeOf = [&](Value count) { return PackedWeights::Size{count, b.tiles.weightsFor(p.B, count)}; };
  SmallVector<PackedWeights::Size> sizes = {sizeOf(b.mul(packedPanel, p.statePanels))};
  if (p.projected)
    sizes.push_back(sizeOf(b.mul(p.padded, p.statePadded)));
  WeightsSource source = layer.getWeights();
  source.form += " backward";
  PackedWeights weights(b, library, source, sizes);
  packedR = weights.parts[0];
  if (p.projected)
    packedP = weights.parts[1];
  packsLate = weights.areOfFewSteps(p.steps, b.index(1));
  readsWeights = weights.areOfFewSteps(p.steps, layer.mostStepsInPlace(Layer::Pass::Backward));
  Value never = arith::ConstantOp::create(b, b.getBoolAttr(false));
  if (byRows) { // threads that divide rows share the packed weights
    packsLate = b.select(byRows, never, packsLate);
    readsWeights = b.select(byRows, never, readsWeights);
  }
  packsLate = b.createOrFold<arith::OrIOp>(packsLate, readsWeights);
  layer.start(kh);
  if (initialKh)
    b.fillZero(initialKh, zero, b.mul(p.statePadded, p.B));
  if (initialKc)
    b.fillZero(initialKc, zero, b.mul(p.padded, p.B));
  // Each thread computes a range of columns, or of rows.
  Value work = b.mul(b.mul(p.padded, p.statePadded), b.mul(p.B, layer.recurrent.count));
  if (hasShortSteps)
    work = b.select(hasShortSteps, b.index(0), work);
  Value most = byRows ? b.select(byRows, rowUnits, p.panels) : p.panels;
  library.parallel(b, most, work, [&](const Team &team) { steps(team, weights); });
  weights.release();
  if (db && byRows)
    b.loop(b.index(1), rowUnits, 1, [&](Value unit) {
      b.loop(zero, columns, b.tiles.lanes,
             [&](Value k) { b.store(b.addf(b.load(db, k), b.load(db, b.add(b.mul(unit, columns), k))), db, k); });
    });
}

void BackwardLoop::steps(const Team &team, PackedWeights &weights) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), one = b.index(1), panelRows = b.mul(p.B, panel);
  Value firstPanel = team.begin(b, p.panels), endPanel = team.end(b, p.panels);
  Value firstState = team.begin(b, p.statePanels), lastState = team.end(b, p.statePanels);
  // Only this thread reads these.
  weights.ifUnpacked([&] {
    b.ifElse(
        packsLate, [] {},
        [&] {
          layer.packRecurrent(packedR, b.mul(firstState, packedPanel), packedPanel, firstState,
                              b.sub(lastState, firstState));
        });
    if (p.projected)
      layer.packProjection(packedP, firstPanel, b.sub(endPanel, firstPanel));
  });
  layer.firstRow = zero, layer.endRow = p.B, firstUnit = zero;
  Value endUnit = one;
  if (byRows) {
    // All threads read all weights.
    b.ifThen(byRows, [&] { team.wait(b); });
    auto whole = [&](Value &first, Value &end, Value count) {
      first = b.select(byRows, zero, first), end = b.select(byRows, count, end);
    };
    whole(firstPanel, endPanel, p.panels);
    whole(firstState, lastState, p.statePanels);
    firstUnit = b.select(byRows, team.begin(b, rowUnits), zero);
    endUnit = b.select(byRows, team.end(b, rowUnits), one);
    layer.firstRow = b.select(byRows, b.mul(firstUnit, rowsOfUnit), zero);
    layer.endRow = b.select(byRows, b.mul(endUnit, rowsOfUnit), p.B);
  }
  if (db) {
    Value count = b.mul(columns, b.sub(endUnit, firstUnit));
    ownSums = b.allocate(count);
    b.fillZero(ownSums, zero, count);
  }
  // The next step reads the columns of all threads.
  auto waitForColumns = [&] {
    if (byRows)
      b.ifElse(byRows, [] {}, [&] { team.wait(b); });
    else
      team.wait(b);
  };
  Value deltaHidden = p.projected ? b.allocate(panelRows) : Value();
  // dG of a step may exceed an L2 cache: a part of it that is in cache is used for several panels.
  constexpr int64_t atOnce = 4;
  b.loop(p.steps, [&](Value k) {
    Value next = b.sub(p.steps, k), s = b.sub(next, one), t = layer.stepAt(s);
    Value hasNext = b.compare(arith::CmpIPredicate::ne, k, zero);
    layer.startStep(s, t);
    if (layer.resets)
      b.ifThen(hasNext,
               [&] { endAtResets(layer.stepAt(next), p.H, layer.getCellGradient(), initialKc, firstPanel, endPanel); });
    auto multiplyInPlace = [&](Value first, Value end) {
      multiplyUnpacked(layer.stepAt(next), k, first, end, /*inPlace=*/true);
    };
    auto multiplyAll = [&](Value first, Value end) {
      b.ifElse(
          readsWeights, [&] { multiplyInPlace(first, end); },
          [&] { multiply(layer.stepAt(next), k, first, b.sub(end, first)); });
    };
    auto endState = [&](Value first, Value end) { endAtResets(layer.stepAt(next), p.P, kh, initialKh, first, end); };
    if (!p.projected && b.tiles.usesAMX()) {
      // One GEMM over all panels. The cell row by row then reads consecutive memory.
      b.ifThen(hasNext, [&] {
        multiplyAll(firstPanel, endPanel);
        endState(firstPanel, endPanel);
      });
      auto cellAt = [&](const Position &at) { cell(at, Value()); };
      layer.forRows(p.H, t, firstPanel, endPanel, cellAt);
      waitForColumns();
      return;
    }
    if (!p.projected) {
      // The hardware prefetches a few rows, and one GEMM over all panels has the highest weight bandwidth.
      auto both = [&](Value left, Value right) { return b.createOrFold<arith::AndIOp>(left, right); };
      Value isPacked =
          b.compare(arith::CmpIPredicate::eq, readsWeights, arith::ConstantOp::create(b, b.getBoolAttr(false)));
      Value isMany = both(isPacked, b.compare(arith::CmpIPredicate::sgt, p.B, b.index(Tiles::fewRows)));
      Value isFew = both(isPacked, b.compare(arith::CmpIPredicate::sle, p.B, b.index(Tiles::fewRows)));
      b.ifThen(both(hasNext, readsWeights), [&] { multiplyInPlace(firstPanel, endPanel); });
      b.ifThen(both(hasNext, isFew), [&] { multiplyFewRows(layer.stepAt(next), k, firstPanel, endPanel); });
      Value own = b.sub(endPanel, firstPanel);
      // Odd steps traverse the groups backward: L2 still has the weights that the step before read last.
      Value groups = b.ceilDiv(own, atOnce), last = b.sub(groups, one);
      Value isOdd = b.compare(arith::CmpIPredicate::ne, b.createOrFold<arith::AndIOp>(k, one), zero);
      b.loop(groups, [&](Value number) {
        Value group = b.select(isOdd, b.sub(last, number), number);
        Value nextNumber = b.min(b.add(number, 1), last);
        Value nextGroup = b.select(isOdd, b.sub(last, nextNumber), nextNumber);
        Value first = b.add(firstPanel, b.mul(group, atOnce)), count = b.min(b.sub(endPanel, first), b.index(atOnce));
        Value nextFirst = b.add(firstPanel, b.mul(nextGroup, atOnce));
        b.ifThen(both(hasNext, isMany), [&] { multiply(layer.stepAt(next), k, first, count, nextFirst); });
        if (layer.resets)
          b.ifThen(hasNext, [&] { endState(first, b.add(first, count)); });
        layer.forRows(p.H, t, first, b.add(first, count), [&](const Position &at) { cell(at, Value()); });
      });
      waitForColumns();
      return;
    }
    Value row = b.mul(t, p.B);
    b.ifThen(hasNext, [&] {
      multiplyAll(firstState, lastState);
      endState(firstState, lastState);
    });
    b.loop(firstState, lastState, 1, [&](Value q) {
      layer.forPositions(p.P, t, q, [&](const Position &at) {
        Value carried = b.selectOrZero(at.mask, b.load(kh, at.inState));
        Value gradient = b.addf(carried, layer.outputGradient(at)), before = b.constant(0);
        if (at.padded) {
          gradient = arith::SelectOp::create(b, at.padded, before, gradient);
          before = arith::SelectOp::create(b, at.padded, carried, before);
        }
        b.store(before, kh, at.inState);
        b.store(gradient, delta, b.add(b.mul(b.add(b.mul(q, allRows), row), panel), at.inPanel));
      });
    });
    team.wait(b);
    b.loop(firstPanel, endPanel, 1, [&](Value q) {
      b.fillZero(deltaHidden, zero, panelRows);
      Gemm gemm;
      gemm.a = delta, gemm.aOffset = b.mul(row, panel), gemm.aPanel = b.mul(allRows, panel);
      gemm.b = packedP, gemm.bOffset = b.mul(q, b.mul(p.statePadded, panel)), gemm.bPanel = zero;
      gemm.c = deltaHidden, gemm.cOffset = zero, gemm.cRow = b.index(panel), gemm.cPanel = zero;
      gemm.rows = p.B, gemm.columns = one;
      gemm.setDepth(b, p.P);
      library.gemm(b, gemm);
      layer.forPositions(p.H, t, q, [&](const Position &at) { cell(at, deltaHidden); });
    });
    team.wait(b);
  });
  if (deltaHidden)
    b.free(deltaHidden);
  llvm::scope_exit forgetRows([&] { layer.firstRow = layer.endRow = Value(); });
  if (db) {
    b.loop(b.mul(firstUnit, layer.blocks), b.mul(endUnit, layer.blocks), 1, [&](Value block) {
      Value target = b.mul(block, p.padded), source = b.sub(target, b.mul(firstUnit, columns));
      b.loop(b.mul(firstPanel, panel), b.mul(endPanel, panel), b.tiles.lanes,
             [&](Value k) { b.store(b.load(ownSums, b.add(source, k)), db, b.add(target, k)); });
    });
    b.free(ownSums);
  }
  if (!needs.state && !(needs.cell && layer.resets))
    return;
  b.ifThen(b.compare(arith::CmpIPredicate::ne, p.steps, zero), [&] {
    Value t = layer.stepAt(zero);
    if (needs.state) {
      Value offset = b.mul(firstState, packedPanel);
      auto multiplyInPlace = [&] { multiplyUnpacked(t, p.steps, firstState, lastState, /*inPlace=*/true); };
      auto packAndMultiply = [&] {
        if (!b.tiles.usesAMX())
          return multiplyUnpacked(t, p.steps, firstState, lastState, /*inPlace=*/false);
        // All panels are packed into the same memory, which stays in a cache.
        b.loop(firstState, lastState, 1, [&](Value q) {
          layer.packRecurrent(packedR, offset, packedPanel, q, b.index(1));
          multiply(t, p.steps, q, b.index(1), /*nextPanel=*/Value(), offset);
        });
      };
      b.ifElse(readsWeights, multiplyInPlace, [&] {
        b.ifElse(packsLate, packAndMultiply, [&] { multiply(t, p.steps, firstState, b.sub(lastState, firstState)); });
      });
      endAtResets(t, p.P, kh, initialKh, firstState, lastState);
    }
    if (needs.cell)
      endAtResets(t, p.H, layer.getCellGradient(), initialKc, firstPanel, endPanel);
  });
  if (initialKh)
    addPanels(initialKh, kh, firstState, lastState);
  if (initialKc)
    addPanels(initialKc, layer.getCellGradient(), firstPanel, endPanel);
}

BackwardLoop::Right BackwardLoop::gatesOf(Layer::Blocks blocks) {
  Value panels = layer.p.panels;
  return {dG, b.mul(b.mul(panels, blocks.first), b.mul(allRows, b.tiles.panel)), b.mul(panels, blocks.count)};
}

/// The transposed input weights, `packedPanel` elements from panel to panel.
PackedWeights BackwardLoop::getInputWeights(Value packedPanel) {
  WeightsSource source = layer.getWeights();
  source.form += " backward input";
  Value panels = b.ceilDiv(maxInput, b.tiles.panel);
  return PackedWeights(b, library, source,
                       PackedWeights::Size{b.mul(packedPanel, panels), cast<FloatType>(b.tiles.left)});
}

void BackwardLoop::inputs(Pack pack, function_ref<void(const Block &)> store) {
  const Problem &p = layer.p;
  Value depth = b.mul(p.padded, layer.input.count), packedPanel = b.mul(spreadBlocks(b, depth), b.tiles.panel);
  PackedWeights weights = getInputWeights(packedPanel);
  Value inPlace = b.createOrFold<arith::AndIOp>(weights.isScratch, layer.areFewRows(rows, Layer::Pass::Backward));
  auto packed = [&] {
    if (b.tiles.usesAMX())
      return inputsByTiles(pack, store, weights, packedPanel);
    Value areFew = b.compare(arith::CmpIPredicate::sle, rows, b.index(Tiles::depth));
    b.ifElse(
        b.createOrFold<arith::AndIOp>(weights.isScratch, areFew),
        [&] { inputsOfFewRows(store, weights.parts[0], packedPanel); },
        [&] { inputsByPanels(pack, store, weights, packedPanel); });
  };
  b.ifElse(inPlace, [&] { inputsOfFewRows(store, /*packed=*/Value(), packedPanel); }, packed);
  weights.release();
}

/// The gradient of the input if it has few rows: by weights that are packed in parts to `packed`, or if `packed` is
/// null, by weights that are not packed.
void BackwardLoop::inputsOfFewRows(function_ref<void(const Block &)> store, Value packed, Value packedPanel) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), inputPanels = b.ceilDiv(p.I, panel), dGPanel = b.mul(allRows, panel);
  Value work = getSharedWork(b.mul(b.mul(rows, p.I), b.mul(p.padded, layer.input.count)));
  library.parallel(b, inputPanels, work, [&](const Team &team) {
    Value first = team.begin(b, inputPanels), end = team.end(b, inputPanels), blockPanel = b.mul(rows, panel);
    Value atOnce = b.max(b.sub(end, first), b.index(1));
    if (packed) // the block then is still in a cache when `store` reads it
      atOnce = b.min(atOnce, b.index(Layer::partColumns / panel));
    Value block = b.allocate(b.mul(atOnce, blockPanel));
    b.loop(b.ceilDiv(b.sub(end, first), atOnce), [&](Value group) {
      Value start = b.add(first, b.mul(group, atOnce)), count = b.min(b.sub(end, start), atOnce);
      b.fillZero(block, zero, b.mul(count, blockPanel));
      for (int64_t k = 0; k < layer.input.count; ++k) {
        Gemm gemm;
        gemm.a = dG, gemm.aOffset = b.mul(b.mul(p.panels, layer.input.first + k), dGPanel), gemm.aPanel = dGPanel;
        gemm.c = block, gemm.cOffset = zero, gemm.cRow = b.index(panel), gemm.cPanel = blockPanel;
        gemm.rows = rows, gemm.columns = count;
        if (packed)
          layer.multiplyInParts(Layer::Pass::Backward, Layer::Weights::Input, k, gemm, start, packed,
                                b.mul(first, packedPanel));
        else
          layer.multiplyInPlace(Layer::Pass::Backward, Layer::Weights::Input, k, gemm, start);
      }
      Value column = b.mul(start, panel);
      store({block, blockPanel, zero, rows, column, b.min(b.sub(p.I, column), b.mul(count, panel))});
    });
    b.free(block);
  });
}

void BackwardLoop::inputsByPanels(Pack pack, function_ref<void(const Block &)> store, PackedWeights &weights,
                                  Value packedPanel) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), inputPanels = b.ceilDiv(p.I, panel);
  Value dGPanel = b.mul(allRows, panel), firstBlock = b.mul(b.mul(p.panels, layer.input.first), dGPanel);
  Value work = b.mul(b.mul(rows, p.I), b.mul(p.padded, layer.input.count));
  Value packed = weights.parts[0];
  // If dG is small, reading it from the core that wrote it takes longer than reading the weights: threads divide rows.
  constexpr int64_t rowsOfUnit = Tiles::blockRows / 4;
  Value units = b.ceilDiv(rows, rowsOfUnit), isMany = b.compare(arith::CmpIPredicate::sgt, rows, b.index(Tiles::depth));
  Value divides = b.createOrFold<arith::AndIOp>(isMany, layer.areWeightsInL2(mostBytesOfSmallLayer));
  // One panel: the other threads have not started yet.
  Value isOnePanel = b.compare(arith::CmpIPredicate::eq, inputPanels, b.index(1));
  Value packsFirst = b.createOrFold<arith::AndIOp>(divides, isOnePanel);
  auto packPanels = [&](Value offset, Value start, Value count) {
    weights.ifUnpacked([&] { pack(packed, offset, packedPanel, start, count); });
  };
  b.ifThen(packsFirst, [&] { packPanels(zero, zero, inputPanels); });
  library.parallel(b, b.select(divides, b.max(units, inputPanels), inputPanels), work, [&](const Team &team) {
    Value first = team.begin(b, inputPanels), end = team.end(b, inputPanels), firstRow = zero, endRow = rows;
    b.ifThen(divides, [&] {
      b.ifElse(
          packsFirst, [] {},
          [&] {
            packPanels(b.mul(first, packedPanel), first, b.sub(end, first));
            team.wait(b);
          });
    });
    first = b.select(divides, zero, first), end = b.select(divides, inputPanels, end);
    firstRow = b.select(divides, b.mul(team.begin(b, units), rowsOfUnit), zero);
    endRow = b.select(divides, b.min(b.mul(team.end(b, units), rowsOfUnit), rows), rows);
    Value count = b.sub(end, first), offset = b.mul(first, packedPanel), column = b.mul(first, panel);
    Value columns = b.min(b.sub(p.I, column), b.mul(count, panel));
    Value block = b.allocate(b.mul(count, Tiles::blockRows * panel));
    b.ifElse(divides, [] {}, [&] { packPanels(offset, first, count); });
    b.loop(firstRow, endRow, Tiles::blockRows, [&](Value row) {
      Value height = b.min(b.sub(endRow, row), b.index(Tiles::blockRows));
      Value blockPanel = b.mul(height, panel);
      b.fillZero(block, zero, b.mul(count, blockPanel));
      Gemm gemm;
      gemm.a = dG, gemm.aOffset = b.add(firstBlock, b.mul(row, panel)), gemm.aPanel = dGPanel;
      gemm.b = packed, gemm.bOffset = offset, gemm.bPanel = packedPanel;
      gemm.c = block, gemm.cOffset = zero, gemm.cRow = b.index(panel), gemm.cPanel = blockPanel;
      gemm.rows = height, gemm.columns = count, gemm.bNext = offset;
      gemm.setDepth(b, p.H, b.index(layer.input.count));
      library.gemm(b, gemm);
      store({block, blockPanel, row, height, column, columns});
    });
    b.free(block);
  });
}

void BackwardLoop::forRowParts(const Block &block, function_ref<void(Value, Value, Value, Value)> body) {
  int64_t panel = b.tiles.panel;
  b.loop(block.rows, [&](Value row) {
    Value offset = b.mul(row, panel);
    b.loop(b.ceilDiv(block.columns, panel), [&](Value q) {
      Value column = b.mul(q, panel);
      body(row, b.add(b.mul(q, block.panel), offset), column, b.min(b.sub(block.columns, column), b.index(panel)));
    });
  });
}
