//===- ForwardLoop.cpp - the time loop forward ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

ForwardLoop::ForwardLoop(ForwardLayer &layer, Value maxInput) : layer(layer), b(layer.b), library(layer.library) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  columns = b.mul(p.padded, layer.blocks), stateSize = b.mul(p.statePadded, p.B);
  // One GEMM with the input per chunk of steps: enough rows for the micro-kernel, few enough for an L2 cache.
  // AMX reads the weights from L3 about as fast as it multiplies 128 rows by them.
  int64_t rows = b.tiles.usesAMX() ? 256 : Tiles::blockRows;
  stepsAtOnce = b.max(b.div(b.index(rows), b.max(p.B, b.index(1))), b.index(1));
  stepsAtOnce = b.min(stepsAtOnce, b.max(p.steps, b.index(1)));
  rowsAtOnce = b.mul(stepsAtOnce, p.B);
  Value inputColumns = b.mul(b.ceilDiv(maxInput, panel), panel);
  auto sizeOf = [&](Value count, Value rows) { return PackedWeights::Size{count, b.tiles.weightsFor(rows, count)}; };
  weightSizes = {sizeOf(b.mul(b.mul(p.padded, layer.input.count), inputColumns), rowsAtOnce),
                 sizeOf(layer.getStepWeights(), p.B)};
  leftSize = b.mul(inputColumns, rowsAtOnce);
  bias = b.allocate(columns);
  gates = b.allocate(b.mul(columns, rowsAtOnce));
  gatePanel = b.mul(rowsAtOnce, panel);
  h = b.allocate(b.mul(stateSize, 2));
  hLeft = b.tiles.usesBF16Dot() ? b.allocate(b.mul(stateSize, 2), b.tiles.left) : h;
  if (p.projected) {
    weightSizes.push_back(sizeOf(b.mul(p.padded, p.statePadded), p.B));
    hidden = b.allocate(b.mul(p.padded, p.B), b.tiles.left);
  }
  divideRows();
}

/// Lets threads divide the rows of a step if its weights fit in an L2 cache: the threads need no barrier, and no states
/// of each other. Lines of results then have one writer: threads that divide columns take the lines between from each
/// other, since the hardware prefetches them.
void ForwardLoop::divideRows() {
  const Problem &p = layer.p;
  if (p.projected)
    return;
  // So many rows of a thread reuse the weights. By AMX, single rows would have another order of summation.
  const bool usesAMX = b.tiles.usesAMX();
  int64_t fewestRows = usesAMX ? 2 : 4;
  auto isAtLeast = [&](Value rows, int64_t least) {
    return b.compare(arith::CmpIPredicate::sge, rows, b.index(least));
  };
  auto both = [&](Value left, Value right) { return b.createOrFold<arith::AndIOp>(left, right); };
  Value divides = both(isAtLeast(p.B, 2 * fewestRows), layer.areWeightsInL2(usesAMX ? 3 << 17 : 1 << 19));
  if (usesAMX) {
    // Processors with AMX have larger caches, but only many rows reuse weights from L2 enough.
    Value areMany = both(isAtLeast(p.B, 32), layer.areWeightsInL2(1 << 20));
    divides = b.createOrFold<arith::OrIOp>(divides, areMany);
  }
  if (getConstantIntValue(divides) != 0)
    byRows = divides, mostByRows = b.div(p.B, b.index(fewestRows));
}

void ForwardLoop::release() {
  for (Value buffer : {bias, gates, hidden, h, hLeft == h ? Value() : hLeft})
    if (buffer)
      b.free(buffer);
}

void ForwardLoop::run() {
  const Problem &p = layer.p;
  PackedWeights weights(b, library, layer.getWeights(), weightSizes);
  packedX = weights.parts[0], packedH = weights.parts[1];
  if (layer.p.projected)
    packedP = weights.parts[2];
  packsInputLate = weights.areOfFewSteps(p.steps, stepsAtOnce);
  packsStateLate = weights.areOfFewSteps(p.steps, b.index(1));
  readsState = weights.areOfFewSteps(p.steps, layer.mostStepsInPlace(Layer::Pass::Forward));
  Value dividesRows = byRows, never = arith::ConstantOp::create(b, b.getBoolAttr(false));
  if (byRows) {
    // Threads that divide rows share the packed weights.
    byRows = b.select(packsStateLate, never, byRows);
    packsInputLate = b.select(byRows, never, packsInputLate);
    readsState = b.select(byRows, never, readsState);
  }
  packsStateLate = b.createOrFold<arith::OrIOp>(packsStateLate, readsState);
  Value inputRows = b.mul(p.steps, p.B);
  readsInput = b.createOrFold<arith::AndIOp>(packsInputLate, layer.areFewRows(inputRows, Layer::Pass::Forward));
  layer.start(h);
  if (hLeft != h)
    b.loop(b.index(0), stateSize, b.tiles.lanes, [&](Value k) { b.store(b.load(h, k), hLeft, k); });
  // The initial states already are what a reset to them sets.
  if (layer.resets && !layer.resetsToInitial)
    b.ifThen(b.compare(arith::CmpIPredicate::ne, p.steps, b.index(0)),
             [&] { reset(b.index(0), b.index(0), {b.index(0), p.panels, b.index(0), p.statePanels, {}, {}, {}, {}}); });
  b.fillZero(bias, b.index(0), columns);
  layer.fillBias(bias);
  Value work = b.mul(b.mul(p.padded, p.statePadded), b.mul(p.B, layer.recurrent.count));
  Value most = byRows ? b.select(byRows, mostByRows, p.panels) : p.panels;
  library.parallel(b, most, work, [&](const Team &team) { steps(team, weights); });
  weights.release();
  byRows = dividesRows;
  hFinal = b.mul(b.createOrFold<arith::AndIOp>(p.steps, b.index(1)), stateSize);
}

/// Each thread computes a range of columns, in all blocks, or of rows.
void ForwardLoop::steps(const Team &team, PackedWeights &weights) {
  const Problem &p = layer.p;
  Value zero = b.index(0);
  Own own = {team.begin(b, p.panels),           team.end(b, p.panels), Value(), Value(), zero, p.B, zero,
             b.allocate(leftSize, b.tiles.left)};
  if (p.projected)
    own.firstState = team.begin(b, p.statePanels), own.endState = team.end(b, p.statePanels);
  // Only this thread reads these.
  weights.ifUnpacked([&] {
    b.ifElse(packsInputLate, [] {}, [&] { packWeights(own, ForwardLayer::Weights::Input); });
    b.ifElse(packsStateLate, [] {}, [&] { packWeights(own, ForwardLayer::Weights::State); });
    if (p.projected)
      layer.packProjection(packedP, own.firstState, b.sub(own.endState, own.firstState));
  });
  if (byRows) {
    // All threads read all weights.
    b.ifThen(byRows, [&] { team.wait(b); });
    Value end = b.select(byRows, team.end(b, p.B), p.B);
    own.first = b.select(byRows, zero, own.first), own.end = b.select(byRows, p.panels, own.end);
    own.firstRow = b.select(byRows, team.begin(b, p.B), zero), own.rows = b.sub(end, own.firstRow);
    own.firstInChunk = b.mul(own.firstRow, stepsAtOnce);
    layer.firstRow = own.firstRow, layer.endRow = end;
  }
  Value chunks = b.div(b.add(p.steps, b.sub(stepsAtOnce, b.index(1))), stepsAtOnce);
  b.loop(chunks, [&](Value chunk) {
    Value firstStep = b.mul(chunk, stepsAtOnce), count = b.min(b.sub(p.steps, firstStep), stepsAtOnce);
    // The steps of a chunk are consecutive in both directions.
    Value firstTime = firstStep;
    if (layer.isReverse)
      firstTime = b.select(layer.isReverse, b.sub(b.sub(p.T, firstStep), count), firstStep);
    multiplyInput(own, firstTime, count);
    b.loop(count, [&](Value k) {
      Value s = b.add(firstStep, k), t = layer.stepAt(s);
      step(team, own, s, b.add(own.firstInChunk, b.mul(b.sub(t, firstTime), own.rows)));
    });
  });
  b.free(own.left);
  layer.firstRow = layer.endRow = Value();
}

/// Packs the thread's panels of all blocks.
void ForwardLoop::packWeights(const Own &own, ForwardLayer::Weights weights) {
  const bool isInput = weights == ForwardLayer::Weights::Input;
  auto pack = [&] {
    Value stride = packedPanel(weights);
    for (int64_t k = 0; k < (isInput ? layer.input : layer.recurrent).count; ++k) {
      Value offset = b.mul(b.add(b.mul(layer.p.panels, k), own.first), stride);
      layer.packWeights(weights, k, own.first, b.sub(own.end, own.first), isInput ? packedX : packedH, offset);
    }
  };
  if (Value skips = isInput ? layer.skipsInput() : Value())
    b.ifElse(skips, [] {}, pack);
  else
    pack();
}

/// Elements of a panel of the packed weights.
Value ForwardLoop::packedPanel(ForwardLayer::Weights weights) {
  int64_t panel = b.tiles.panel;
  if (weights == ForwardLayer::Weights::State)
    return b.mul(layer.p.statePadded, panel);
  return b.mul(b.ceilDiv(layer.p.I, panel), panel * panel);
}

/// With AMX: packs panel `q` of block `block` for one GEMM, and returns its offset, which is the same for all panels of
/// a thread.
Value ForwardLoop::packOnce(const Own &own, ForwardLayer::Weights weights, int64_t block, Value q) {
  Value offset = b.mul(own.first, packedPanel(weights));
  layer.packWeights(weights, block, q, b.index(1), weights == ForwardLayer::Weights::Input ? packedX : packedH, offset);
  return offset;
}

/// The offset of an element of the gate pre-activations of a chunk: rows of all blocks, or with AMX panels, whose tiles
/// are consecutive. `column` is in `block`.
Value ForwardLoop::gateOffset(Value row, Value block, Value column) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value q = b.div(column, b.index(panel)), inPanel = b.sub(column, b.mul(q, panel));
  return b.add(b.mul(b.add(b.mul(b.add(b.mul(p.panels, block), q), rowsAtOnce), row), panel), inPanel);
}

/// Stores the biases of block `block` as initial gate pre-activations, in the rows and columns of a chunk that belong
/// to the thread.
void ForwardLoop::fillBias(const Own &own, Value rows, int64_t block) {
  int64_t panel = b.tiles.panel;
  b.loop(own.firstInChunk, b.add(own.firstInChunk, rows), 1, [&](Value row) {
    b.loop(b.mul(own.first, panel), b.mul(own.end, panel), b.tiles.lanes, [&](Value column) {
      Value value = b.load(bias, b.add(b.mul(layer.p.padded, block), column));
      b.store(value, gates, gateOffset(row, b.index(block), column));
    });
  });
}

/// gates = x * W + b for a chunk of `steps` steps from `time` on.
void ForwardLoop::multiplyInput(const Own &own, Value time, Value steps) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), panels = b.sub(own.end, own.first), skips = layer.skipsInput();
  Value row = b.add(b.mul(time, p.B), own.firstRow), rows = b.mul(steps, own.rows);
  // By AMX, the GEMM starts from the biases.
  auto fill = [&](bool all) {
    for (int64_t block = 0; block < layer.blocks; ++block)
      if (all || block < layer.input.first || block >= layer.input.first + layer.input.count)
        fillBias(own, rows, block);
  };
  bool usesAMX = b.tiles.usesAMX();
  if (!usesAMX)
    fill(/*all=*/true);
  auto multiply = [&] {
    if (usesAMX)
      fill(/*all=*/false);
    Value rightPanel = packedPanel(ForwardLayer::Weights::Input);
    layer.packInput(row, own.rows, steps, own.left);
    // Panels from `first` on of a block
    auto describe = [&](Value block, Value first, Value count) {
      Gemm gemm;
      gemm.a = own.left, gemm.aOffset = zero, gemm.aPanel = b.mul(rows, panel);
      gemm.b = packedX, gemm.bPanel = rightPanel, gemm.c = gates;
      gemm.cOffset = gateOffset(own.firstInChunk, b.add(block, layer.input.first), b.mul(first, panel));
      gemm.cRow = b.index(panel), gemm.cPanel = gatePanel;
      gemm.rows = rows, gemm.columns = count, gemm.aNext = zero;
      gemm.setDepth(b, p.I);
      return gemm;
    };
    auto multiplyPanels = [&](Value block, Value first, Value count, Value offset) {
      Gemm gemm = describe(block, first, count);
      gemm.bOffset = offset;
      if (!usesAMX)
        return library.gemm(b, gemm);
      Value column = b.add(b.mul(p.padded, b.add(block, layer.input.first)), b.mul(first, panel));
      library.tileGemm(b, gemm, GemmStart{bias, column, b.index(panel)});
    };
    auto once = [&] {
      for (int64_t block = 0; block < layer.input.count; ++block) {
        auto packed = [&] {
          if (!usesAMX)
            return layer.multiplyInParts(Layer::Pass::Forward, Layer::Weights::Input, block,
                                         describe(b.index(block), own.first, panels), own.first, packedX,
                                         b.mul(own.first, rightPanel));
          b.loop(own.first, own.end, 1, [&](Value q) {
            multiplyPanels(b.index(block), q, b.index(1), packOnce(own, ForwardLayer::Weights::Input, block, q));
          });
        };
        auto inPlace = [&] {
          if (usesAMX)
            fillBias(own, rows, layer.input.first + block);
          layer.multiplyInPlace(Layer::Pass::Forward, Layer::Weights::Input, block,
                                describe(b.index(block), own.first, panels), own.first);
        };
        b.ifElse(readsInput, inPlace, packed);
      }
    };
    b.ifElse(packsInputLate, once, [&] {
      b.loop(b.index(layer.input.count), [&](Value block) {
        multiplyPanels(block, own.first, panels, b.mul(b.add(b.mul(p.panels, block), own.first), rightPanel));
      });
    });
  };
  auto add = [&] {
    if (usesAMX)
      fill(/*all=*/true);
    Value column = b.mul(own.first, panel), count = b.min(b.sub(p.H, column), b.mul(panels, panel));
    b.loop(steps, [&](Value k) {
      Value inChunk = b.add(own.firstInChunk, b.mul(k, own.rows));
      auto offset = [&](Value r, int64_t block, Value column) {
        return gateOffset(b.add(inChunk, r), b.index(block), column);
      };
      layer.addInput(b.add(row, b.mul(k, p.B)), own.rows, column, count, gates, offset);
    });
  };
  if (skips)
    b.ifElse(skips, add, multiply);
  else
    multiply();
}

/// One step. The thread's gate pre-activations of it begin at row `inChunk` of those of the chunk.
void ForwardLoop::step(const Team &team, const Own &own, Value s, Value inChunk) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value t = layer.stepAt(s), panelRows = b.mul(p.B, panel), rightPanel = packedPanel(ForwardLayer::Weights::State);
  Value parity = b.createOrFold<arith::AndIOp>(s, b.index(1)), hSource = b.mul(parity, stateSize);
  Value hTarget = b.sub(stateSize, hSource);
  layer.startStep(s, t);
  // gates += h * R for panels of blocks
  auto multiply = [&](Value block, Value q) {
    Gemm gemm;
    gemm.a = hLeft, gemm.aOffset = b.add(hSource, b.mul(own.firstRow, panel)), gemm.aPanel = panelRows;
    gemm.b = packedH, gemm.bOffset = b.mul(b.add(b.mul(p.panels, block), q), rightPanel);
    Value target = b.add(block, layer.recurrent.first);
    gemm.c = gates, gemm.cOffset = gateOffset(inChunk, target, b.mul(q, panel)), gemm.cRow = b.index(panel);
    gemm.rows = own.rows, gemm.aNext = gemm.aOffset;
    gemm.setDepth(b, p.P);
    return gemm;
  };
  // The same for all panels of the thread and all blocks, by weights that are not packed before the steps.
  auto describe = [&](int64_t block) {
    Gemm gemm = multiply(b.index(block), own.first);
    gemm.cPanel = gatePanel, gemm.columns = b.sub(own.end, own.first);
    return gemm;
  };
  auto multiplyOnce = [&] {
    for (int64_t block = 0; block < layer.recurrent.count; ++block) {
      if (!b.tiles.usesAMX())
        layer.multiplyInParts(Layer::Pass::Forward, Layer::Weights::State, block, describe(block), own.first, packedH,
                              b.mul(own.first, rightPanel));
      else
        b.loop(own.first, own.end, 1, [&](Value q) {
          Gemm gemm = multiply(b.index(block), q);
          gemm.bOffset = packOnce(own, ForwardLayer::Weights::State, block, q);
          gemm.bPanel = rightPanel, gemm.cPanel = gatePanel, gemm.columns = b.index(1);
          library.gemm(b, gemm);
        });
    }
  };
  auto multiplyUnpacked = [&] {
    b.ifElse(
        readsState, [&] { layer.multiplyStepInPlace(Layer::Pass::Forward, s, own.first, describe); }, multiplyOnce);
  };
  auto cell = [&](const Position &at) {
    SmallVector<Value> arguments;
    Value row = b.add(inChunk, b.sub(at.row, own.firstRow));
    for (int64_t block = 0; block < layer.blocks; ++block)
      arguments.push_back(b.load(gates, gateOffset(row, b.index(block), at.column)));
    auto before = [&] { return b.load(h, b.add(hSource, at.inState)); };
    Value next = layer.step(at, arguments, before);
    // Past the end of an example the state is carried over; with a projection, `project` does this.
    if (at.padded)
      next = arith::SelectOp::create(b, at.padded, p.projected ? b.constant(0) : before(), next);
    next = b.selectOrZero(at.mask, next); // otherwise NaN in columns past the last would propagate
    if (p.projected)
      b.store(next, hidden, at.inState);
    else
      storeState(next, b.add(hTarget, at.inState));
  };
  auto publish = [&](Value q) {
    if (!p.projected)
      layer.publish(t, q, [&](const Position &at) { return b.load(h, b.add(hTarget, at.inState)); });
  };
  if (b.tiles.usesAMX()) {
    // All panels of a block at once, then the cell row by row, which writes consecutive memory.
    auto multiplyAll = [&] {
      Value count = b.index(layer.recurrent.count), last = b.sub(count, b.index(1));
      Value isOdd = b.compare(arith::CmpIPredicate::ne, parity, b.index(0));
      b.loop(count, [&](Value k) {
        Gemm gemm = multiply(b.select(isOdd, b.sub(last, k), k), own.first);
        gemm.bPanel = rightPanel, gemm.cPanel = gatePanel, gemm.columns = b.sub(own.end, own.first);
        alternate(b, gemm, s);
        library.gemm(b, gemm);
      });
    };
    b.ifElse(packsStateLate, multiplyUnpacked, multiplyAll);
    layer.forRows(p.H, t, own.first, own.end, cell);
    b.loop(own.first, own.end, 1, publish);
  } else {
    Value traversal = layer.getTraversal(s, p.statePanels);
    // Weights limit the speed of few rows. Odd steps traverse the panels backward: the caches still have the weights
    // that the step before read last.
    Value isFew = b.compare(arith::CmpIPredicate::sle, p.B, b.index(Tiles::tallRows));
    Value isOdd = b.compare(arith::CmpIPredicate::ne, parity, b.index(0)), last = b.sub(own.end, b.index(1));
    Value isDown = b.createOrFold<arith::AndIOp>(isFew, isOdd);
    auto turn = [&](Value number) { return b.select(isDown, b.sub(b.add(own.first, last), number), number); };
    b.ifThen(packsStateLate, multiplyUnpacked);
    b.loop(own.first, own.end, 1, [&](Value number) {
      Value q = turn(number), next = turn(b.min(b.add(number, 1), last));
      auto multiplyBlocks = [&] {
        Gemm gemm = multiply(b.index(0), q);
        gemm.bPanel = b.mul(p.panels, rightPanel), gemm.cPanel = b.mul(p.panels, gatePanel);
        gemm.columns = b.index(layer.recurrent.count), gemm.traversal = traversal;
        gemm.bNext = b.mul(next, rightPanel);
        library.gemm(b, gemm);
      };
      b.ifElse(packsStateLate, [] {}, multiplyBlocks);
      layer.forPositions(p.H, t, q, cell);
      publish(q);
    });
  }
  // The state before the next step. Each thread resets the columns that it has stored.
  auto resetNext = [&] {
    Value next = b.add(s, 1);
    if (layer.resets)
      b.ifThen(b.compare(arith::CmpIPredicate::slt, next, p.steps), [&] { reset(next, hTarget, own); });
  };
  if (!p.projected)
    resetNext();
  // The next step, or the projection, reads the columns of all threads.
  if (byRows)
    b.ifElse(byRows, [] {}, [&] { team.wait(b); });
  else
    team.wait(b);
  if (p.projected) {
    project(own, t, hSource, hTarget);
    resetNext();
    team.wait(b);
  }
}

/// Resets the states before step `s`. `offset` is that of the state in `h`.
void ForwardLoop::reset(Value s, Value offset, const Own &own) {
  const Problem &p = layer.p;
  Value t = layer.stepAt(s);
  layer.forRows(
      p.P, t, p.projected ? own.firstState : own.first, p.projected ? own.endState : own.end,
      [&](const Position &at) {
        Value state = layer.resetState([&] { return layer.initialState(at); });
        storeState(b.selectOrZero(at.mask, state), b.add(offset, at.inState));
      },
      /*onlyReset=*/true);
  layer.forRows(p.H, t, own.first, own.end, [&](const Position &at) { layer.resetCell(at); }, /*onlyReset=*/true);
}

void ForwardLoop::storeState(Value value, Value offset) {
  b.store(value, h, offset);
  if (hLeft != h)
    b.store(value, hLeft, offset);
}

/// h = hidden * Wr^T
void ForwardLoop::project(const Own &own, Value t, Value hSource, Value hTarget) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), panelRows = b.mul(p.B, panel);
  b.loop(own.firstState, own.endState, 1, [&](Value q) {
    Value target = b.add(hTarget, b.mul(q, panelRows));
    b.fillZero(h, target, panelRows);
    Gemm gemm;
    gemm.a = hidden, gemm.aOffset = zero, gemm.aPanel = panelRows;
    gemm.b = packedP, gemm.bOffset = b.mul(q, b.mul(p.padded, panel)), gemm.bPanel = zero;
    gemm.c = h, gemm.cOffset = target, gemm.cRow = b.index(panel), gemm.cPanel = zero;
    gemm.rows = p.B, gemm.columns = b.index(1);
    gemm.setDepth(b, p.H);
    library.gemm(b, gemm);
    if (layer.lengths || hLeft != h)
      layer.forPositions(p.P, t, q, [&](const Position &at) {
        Value offset = b.add(hTarget, at.inState), next = b.load(h, offset);
        if (at.padded)
          next = arith::SelectOp::create(b, at.padded, b.load(h, b.add(hSource, at.inState)), next);
        storeState(next, offset);
      });
    layer.publish(t, q, [&](const Position &at) { return b.load(h, b.add(hTarget, at.inState)); });
  });
}
