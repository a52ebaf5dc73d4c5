//===- BackwardTiles.cpp - division of steps, and the reductions by AMX ------===//
//
// The reductions compute blocks of panels whose sums stay in L2 while the depth is read once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

/// A block of 256 rows and 16 panels has 512 KiB of sums. The chunks of its operands have 384 KiB.
static constexpr int64_t rowsAtOnce = 256, panelsAtOnce = 16;

/// Lets threads divide the rows of a step if its weights fit in an L2 cache: the threads need no barrier, and no dG of
/// each other.
void BackwardLoop::divideRows(int64_t mostBytes) {
  const Problem &p = layer.p;
  if (p.projected || layer.hasSumsOverRows())
    return;
  rowsOfUnit = b.tiles.usesAMX() ? 16 : 4;
  auto both = [&](Value left, Value right) { return b.createOrFold<arith::AndIOp>(left, right); };
  Value units = b.div(p.B, b.index(rowsOfUnit));
  Value isWhole = b.compare(arith::CmpIPredicate::eq, b.mul(units, rowsOfUnit), p.B);
  Value areSeveral = b.compare(arith::CmpIPredicate::sge, units, b.index(2));
  Value divides = both(both(isWhole, areSeveral), layer.areWeightsInL2(mostBytes));
  if (getConstantIntValue(divides) != 0)
    byRows = divides, rowUnits = b.select(divides, units, b.index(1));
}

/// Chooses how threads divide the steps and the reductions.
void BackwardLoop::divideSteps() {
  const Problem &p = layer.p;
  // Processors with AMX have larger caches.
  divideRows(b.tiles.usesAMX() ? 1 << 20 : 1 << 19);
  if (!b.tiles.usesAMX())
    return;
  Value weights = b.mul(b.mul(p.padded, layer.recurrent.count), p.statePadded);
  auto isLess = [&](Value value, int64_t limit) { return b.compare(arith::CmpIPredicate::slt, value, b.index(limit)); };
  auto both = [&](Value left, Value right) { return b.createOrFold<arith::AndIOp>(left, right); };
  // A short step takes less time than the barrier after it and reading the gate gradients that the other threads have
  // written. With few rows, a step takes the time to read the weights. Measured on two cores with 2 MiB of L2 each.
  constexpr int64_t fewRows = 16, mostWeightsOfFewRows = 1 << 18, mostWeightsOfOneRow = 1 << 17, leastWork = 1 << 18;
  Value isShortOfFewRows = b.select(b.compare(arith::CmpIPredicate::eq, p.B, b.index(1)),
                                    isLess(weights, mostWeightsOfOneRow), isLess(weights, mostWeightsOfFewRows));
  hasShortSteps = b.select(isLess(p.B, fewRows), isShortOfFewRows, isLess(b.mul(weights, p.B), leastWork));
  if (byRows)
    hasShortSteps = b.select(byRows, arith::ConstantOp::create(b, b.getBoolAttr(false)), hasShortSteps);
  // dG is then in the L2 cache of one core. If it is larger than this (512 KiB), sharing the reductions saves more time
  // than reading it from there takes.
  constexpr int64_t mostLocalGates = 1 << 18;
  isLocal = both(hasShortSteps, isLess(b.mul(columns, rows), mostLocalGates + 1));
}

/// The work of a reduction over dG that threads share. In the cache of one core, reading dG takes other cores as long
/// as the multiplications.
Value BackwardLoop::getSharedWork(Value work) const {
  return isLocal ? b.select(isLocal, b.index(0), work) : work;
}

void BackwardLoop::inputsByTiles(Pack pack, function_ref<void(const Block &)> store, PackedWeights &weights,
                                 Value packedPanel) {
  const Problem &p = layer.p;
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), inputPanels = b.ceilDiv(p.I, panel);
  Value depth = b.mul(p.panels, layer.input.count), dGPanel = b.mul(allRows, panel);
  Value firstBlock = b.mul(b.mul(p.panels, layer.input.first), dGPanel);
  Value work = getSharedWork(b.mul(b.mul(rows, p.I), b.mul(depth, panel)));
  Value packed = weights.parts[0];
  // Few rows use each weight a few times: groups of panels are packed into the same memory, which stays in L2.
  constexpr int64_t fewRows = 32, panelsOfFewRows = 4;
  static_assert(fewRows <= rowsAtOnce, "each panel is packed for one block of rows");
  Value isFew = b.compare(arith::CmpIPredicate::sle, rows, b.index(fewRows));
  Value reuses = b.createOrFold<arith::AndIOp>(isFew, weights.isScratch);
  Value atOnce = b.select(reuses, b.index(panelsOfFewRows), b.index(panelsAtOnce));
  library.parallel(b, inputPanels, work, [&](const Team &team) {
    Value first = team.begin(b, inputPanels), end = team.end(b, inputPanels), own = b.sub(end, first);
    Value block = b.allocate(b.index(rowsAtOnce * panelsAtOnce * panel)), zeros = b.allocate(b.index(panel));
    b.fillZero(zeros, zero, b.index(panel));
    Value ownOffset = b.mul(first, packedPanel);
    auto packAll = [&] { weights.ifUnpacked([&] { pack(packed, ownOffset, packedPanel, first, own); }); };
    b.ifElse(reuses, [] {}, packAll);
    b.loop(zero, rows, rowsAtOnce, [&](Value row) {
      Value height = b.min(b.sub(rows, row), b.index(rowsAtOnce)), blockPanel = b.mul(height, panel);
      Value groups = b.ceilDiv(own, atOnce);
      b.loop(groups, [&](Value group) {
        Value q = b.mul(group, atOnce), start = b.add(first, q), column = b.mul(start, panel);
        Value count = b.min(b.sub(own, q), atOnce), offset = b.select(reuses, ownOffset, b.mul(start, packedPanel));
        b.ifThen(reuses, [&] { pack(packed, offset, packedPanel, start, count); });
        Gemm gemm;
        gemm.a = dG, gemm.aOffset = b.add(firstBlock, b.mul(row, panel)), gemm.aPanel = dGPanel;
        gemm.b = packed, gemm.bOffset = offset, gemm.bPanel = packedPanel;
        gemm.c = block, gemm.cOffset = zero, gemm.cRow = b.index(panel), gemm.cPanel = blockPanel;
        gemm.rows = height, gemm.columns = count, gemm.depth = depth;
        library.tileGemm(b, gemm, GemmStart{zeros, zero, zero});
        Value columns = b.min(b.sub(p.I, column), b.mul(count, panel));
        store({block, blockPanel, row, height, column, columns});
      });
    });
    b.free(block);
    b.free(zeros);
  });
}

/// Stores a zero row after an odd last row of `tiles` tiles of `packLeft`.
void BackwardLoop::padVNNI(Value packedLeft, Value tiles, Value rows) {
  Value last = b.sub(rows, b.index(1)), isOdd = b.createOrFold<arith::AndIOp>(rows, b.index(1));
  b.ifThen(b.compare(arith::CmpIPredicate::ne, isOdd, b.index(0)), [&] {
    Value none = arith::ConstantOp::create(b, b.getFloatAttr(b.tiles.left, 0));
    b.loop(tiles, [&](Value tile) {
      Value offset = b.add(b.mul(tile, Tiles::rows * Tiles::depth), b.mul(last, Tiles::rows));
      for (int64_t k = 0; k < Tiles::rows; ++k)
        memref::StoreOp::create(b, none, packedLeft, ValueRange{b.add(offset, 2 * k + 1)});
    });
  });
}

/// Runs `body` with each row in [from, to) whose states are reset before its step, and its example.
void BackwardLoop::forResetRows(Value from, Value to, function_ref<void(Value, Value)> body) {
  Value zero = b.index(0), one = b.index(1), batch = b.max(layer.p.B, one);
  b.loop(b.div(from, batch), b.div(b.add(to, b.sub(batch, one)), batch), 1, [&](Value t) {
    Value first = b.mul(t, batch), start = b.max(b.sub(from, first), zero), stop = b.min(b.sub(to, first), batch);
    b.loop(start, stop, 1, [&](Value row) { b.ifThen(layer.isReset(t, row), [&] { body(b.add(first, row), row); }); });
  });
}

/// An element of the state after a reset, as left operand.
Value BackwardLoop::loadReset(const Resets &resets, Value row, Value column) {
  if (!resets.initial)
    return arith::ConstantOp::create(b, b.getFloatAttr(b.tiles.left, 0));
  Value value = b.loadScalar(resets.initial, {row, column});
  return b.tiles.left == b.tiles.sum ? value : Value(arith::TruncFOp::create(b, b.tiles.left, value));
}

void BackwardLoop::sumsByTiles(ArrayRef<Left> lefts, Value width, const Right &right,
                               function_ref<void(const Block &)> store, std::optional<Resets> resets) {
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), rightPanel = b.mul(allRows, panel), depth = b.ceilDiv(rows, panel);
  Value units = b.ceilDiv(width, panel);
  const Left &first = lefts.front(), &second = lefts.back();
  Value work = getSharedWork(b.mul(b.mul(rows, width), b.mul(right.count, panel)));
  library.parallel(b, units, work, [&](const Team &team) {
    Value from = b.mul(team.begin(b, units), panel);
    Value own = b.max(b.sub(b.min(b.mul(team.end(b, units), panel), width), from), zero);
    // An odd number of tiles, as spreadRows.
    Value leftRows = b.add(b.mul(b.div(b.add(own, panel - 1), b.index(2 * panel)), 2 * panel), panel);
    Value leftPanel = b.mul(leftRows, panel);
    Value packed = b.allocate(b.mul(leftPanel, depth), b.tiles.left);
    Value block = b.allocate(b.index(rowsAtOnce * panelsAtOnce * panel)), zeros = b.allocate(b.index(panel));
    b.fillZero(zeros, zero, b.index(panel));
    library.packLeftTransposed(b, {first.matrix, first.firstRow, first.firstOfPanels, first.rows, second.matrix,
                                   second.firstRow, second.firstOfPanels, rows, from, own, packed, zero, leftPanel});
    if (resets)
      forResetRows(zero, rows, [&](Value row, Value example) {
        Value block = b.div(row, b.index(panel)), inBlock = b.sub(row, b.mul(block, panel));
        Value offset = b.add(b.mul(block, leftPanel), inBlock);
        b.loop(own, [&](Value column) {
          memref::StoreOp::create(b, loadReset(*resets, example, b.add(from, column)), packed,
                                  b.add(offset, b.mul(column, panel)));
        });
      });
    b.loop(zero, right.count, panelsAtOnce, [&](Value q) {
      Value count = b.min(b.sub(right.count, q), b.index(panelsAtOnce));
      b.loop(zero, own, rowsAtOnce, [&](Value row) {
        Value height = b.min(b.sub(own, row), b.index(rowsAtOnce)), blockPanel = b.mul(height, panel);
        Gemm gemm;
        gemm.a = packed, gemm.aOffset = b.mul(row, panel), gemm.aPanel = leftPanel;
        gemm.b = right.panels, gemm.bOffset = b.add(right.offset, b.mul(q, rightPanel)), gemm.bPanel = rightPanel;
        gemm.c = block, gemm.cOffset = zero, gemm.cRow = b.index(panel), gemm.cPanel = blockPanel;
        gemm.rows = height, gemm.columns = count, gemm.depth = depth;
        library.tileGemm(b, gemm, GemmStart{zeros, zero, zero}, /*sharesRows=*/true);
        store({block, blockPanel, b.add(from, row), height, b.mul(q, panel), b.mul(count, panel)});
      });
    });
    b.free(packed);
    b.free(block);
    b.free(zeros);
  });
}
