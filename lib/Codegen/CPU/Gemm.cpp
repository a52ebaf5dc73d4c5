//===- Gemm.cpp - loops of the packed GEMMs around the micro-kernel ----------===//
//
// A tile of 1 to 6 rows and one panel stays in registers for a block of the reduction.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmLoops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

/// Depth steps of one iteration of the inner loop.
static constexpr int64_t unroll = 4;
/// So few tiles use half of the usual depth of a block.
static constexpr int64_t fewTiles = 4;
/// A tile that has all rows of a GEMM prefetches each row of b this many rows before it loads it. On Zen 5, distances
/// of 16 and 64 rows took up to 1.04 times as long, and so did prefetching the rows of the next panel.
static constexpr int64_t rowsAhead = 32;
/// If the number of rows is not known, GEMMs of at most this many rows are one tile. Each further number of rows would
/// add code to every module, and compile time, for a gain of a few percent.
static constexpr int64_t mostUnknownRowsOfOneTile = 8;

/// The largest number of rows that one tile can have. With fewer than four vectors in a panel, tiles of half a panel
/// would load one element of a for each FMA, and these loads would limit the speed.
static int64_t mostRowsOfOneTile(const HostBuilder &b) {
  return b.tiles.vectors >= 4 ? Tiles::tallRows : Tiles::rows;
}

std::unique_ptr<MicroKernel> cpu::createMicroKernel(HostBuilder &b, Value left, Value right) {
  auto elementOf = [](Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType(); };
  return MicroKernel::create(b, elementOf(left), elementOf(right));
}

namespace {

/// Prefetches operands of the following tiles while the current one is computed. A turn is one iteration of the inner
/// loop, for `unroll` rows of b.
class Prefetcher {
public:
  /// The `tiles` tiles of a block prefetch the next block of b: `depth` rows from element `next` on. The current block
  /// begins at element `current`. `tile` is the index of the current tile. Without prefetching, the first tile of a
  /// block waits for each cache line.
  void setBlock(HostBuilder &b, Value right, Value current, Value next, Value depth, Value tile, Value tiles) {
    buffer = right;
    const int64_t lineElements = HostBuilder::elementsOfLine(right);
    const int64_t linesPerTurn = llvm::divideCeil(unroll * b.tiles.panel, lineElements);
    Value all = b.index(linesPerTurn);
    // The cache lines that each tile is responsible for in a turn. Two tiles share a small number of lines. A larger
    // number is divided among all tiles: too many prefetches in one tile would occupy the line fill buffers that its
    // loads need.
    Value share = linesPerTurn <= fewLines ? b.index(llvm::divideCeil(linesPerTurn, 2)) : b.ceilDiv(all, tiles);
    Value first = b.mul(tile, share), isEarly = b.compare(arith::CmpIPredicate::ult, first, all);
    Value begin = b.add(next, b.mul(b.mul(first, b.div(depth, b.index(unroll))), lineElements));
    // A tile without lines of its own executes the same instructions on lines of the current block, which are in cache.
    // This is cheaper than a branch in the inner loop.
    start = b.select(isEarly, begin, current);
    step = b.select(isEarly, b.mul(share, lineElements), b.index(0));
    const int64_t most = b.tiles.areBlocksInL1() ? mostPrefetchesInL1 : mostPrefetches;
    const int64_t count = std::min(getConstantIntValue(share).value_or(linesPerTurn), most);
    for (int64_t line = 0; line < count; ++line)
      lines.push_back(b.mul(b.div(b.mul(share, line), b.index(count)), lineElements));
  }

  /// Emits the prefetches of the turn that begins with row `row` of the current block. Each turn prefetches lines of
  /// the next block of b: those of this tile's share, which are contiguous, or the first ones of equal pieces of it if
  /// the share has more lines than a turn has prefetches.
  void prefetchBlock(HostBuilder &b, Value row) {
    Value turn = b.add(start, b.mul(b.div(row, b.index(unroll)), step));
    for (Value line : lines)
      b.prefetchLine(buffer, b.add(turn, line), /*locality=*/2); // to L2; L1 holds the current block
  }

  /// The tiles of each column prefetch an equal part of their rows of a for the next block of the depth, which begins
  /// at element `next`. All of it in the first columns would be bursts that occupy the line fill buffers. A GEMM of one
  /// column (a step's) prefetches nothing: a was just written.
  void setLeft(HostBuilder &b, const Gemm &p, Value next, Value row, Value column) {
    left = p.a, leftPanel = p.aPanel, leftElements = HostBuilder::elementsOfLine(p.a);
    int64_t all = llvm::divideCeil(Tiles::rows * b.tiles.panel, leftElements);
    Value share = b.div(b.add(p.columns, all - 1), b.max(p.columns, b.index(1))), first = b.mul(column, share);
    Value hasColumns = b.compare(arith::CmpIPredicate::sgt, p.columns, b.index(1));
    Value isInside = b.compare(arith::CmpIPredicate::slt, first, b.index(all));
    leftLines = b.select(b.createOrFold<arith::AndIOp>(hasColumns, isInside), share, b.index(0));
    leftStart = b.add(next, b.add(b.mul(row, b.tiles.panel), b.mul(first, leftElements)));
  }

  /// Prefetches a part of panel `k` of the next block of a, if `setLeft` was called.
  void prefetchLeft(HostBuilder &b, Value k) {
    if (!left)
      return;
    Value start = b.add(leftStart, b.mul(k, leftPanel));
    b.loop(leftLines,
           [&](Value line) { b.prefetchLine(left, b.add(start, b.mul(line, leftElements)), /*locality=*/2); });
  }

  /// Prefetches the next tile of c: its rows are too far apart for the hardware prefetcher.
  void prefetchTile(HostBuilder &b, Value c, Value offset, Value rowStride) {
    for (int64_t row = 0; row < Tiles::rows; ++row)
      b.prefetch(c, b.add(offset, b.mul(rowStride, row)), /*locality=*/3);
  }

private:
  /// So few lines per turn are no burst.
  static constexpr int64_t fewLines = 4;
  /// The most prefetches of a turn, without and with areBlocksInL1(). A share of unknown size always has that many,
  /// some of which may prefetch the same line. The hardware may prefetch the lines of a larger share that have no
  /// prefetch. On Cascade Lake (areBlocksInL1) it does, and more than two instructions take longer than they save. On
  /// Zen 4 it does not: forward passes with B = 16 and 32 take 0.87 to 0.98 times as long with six as with two.
  static constexpr int64_t mostPrefetches = 6, mostPrefetchesInL1 = 2;

  Value buffer;
  Value start;                ///< the element of b that the first turn prefetches
  Value step;                 ///< from turn to turn
  SmallVector<Value> lines;   ///< from the first line of a turn, in elements
  Value left, leftPanel;      ///< a, and its elements from panel to panel
  int64_t leftElements = 0;   ///< of a cache line
  Value leftStart, leftLines; ///< of each panel
};

} // namespace

/// Prefetches the rows of b of a later turn of a tile, to L1. The current turn begins at element `offset`.
static void prefetchAhead(HostBuilder &b, const Gemm &p, MicroKernel &kernel, const Tile &tile, Value offset) {
  // A whole panel is contiguous.
  int64_t atOnce = tile.parts == 1 ? unroll : kernel.depthStep(), width = b.tiles.panel * atOnce / tile.parts;
  for (int64_t u = 0; u < unroll; u += atOnce)
    for (int64_t v = 0; v < width; v += HostBuilder::elementsOfLine(p.b))
      b.prefetchLine(p.b, b.add(offset, (rowsAhead + u) * b.tiles.panel + v), /*locality=*/3);
}

/// Adds the products of `rows` rows of panel `k` of the depth to the sums of `tile`. `next`, if not null, prefetches.
static SmallVector<Value> reducePanel(HostBuilder &b, const Gemm &p, MicroKernel &kernel, const Tile &tile,
                                      Value aOffset, Value bOffset, Value k, Value rows, ValueRange carried,
                                      Prefetcher *next = nullptr) {
  int64_t panel = b.tiles.panel;
  if (next)
    next->prefetchLeft(b, k);
  Value aPanel = b.add(aOffset, b.mul(k, p.aPanel)), bPanel = b.add(bOffset, b.mul(k, panel * panel));
  return b.loop(b.index(0), rows, unroll, carried, [&](Value column, ValueRange inner) {
    SmallVector<Value> sums(inner);
    if (next)
      next->prefetchBlock(b, b.add(b.mul(k, panel), column));
    Value a = b.add(aPanel, column), right = b.add(bPanel, b.mul(column, panel));
    if (tile.readsAhead)
      prefetchAhead(b, p, kernel, tile, right);
    for (int64_t u = 0; u < unroll; u += kernel.depthStep())
      kernel.multiply(tile, sums, {p.a, b.add(a, u), panel}, {p.b, b.add(right, u * panel), p.bPanel});
    return sums;
  });
}

/// The number of panel `k` of the depth in its group. The remainder is one of 32 bits, since dividing 64 bits takes up
/// to 90 cycles on some processors.
static Value getNumberInGroup(HostBuilder &b, const Gemm &p, Value k) {
  auto narrow = [&](Value value) { return b.createOrFold<arith::IndexCastOp>(b.getI32Type(), value); };
  Value number = arith::RemUIOp::create(b, narrow(k), narrow(p.groupPanels));
  return arith::IndexCastOp::create(b, b.getIndexType(), number);
}

/// Whether the panel with this number in its group is the last one, and the rows that matter in it.
static std::pair<Value, Value> getRowsOfPanel(HostBuilder &b, const Gemm &p, Value numberInGroup) {
  Value isLast = b.compare(arith::CmpIPredicate::eq, b.add(numberInGroup, 1), p.groupPanels);
  Value lastRows = b.mul(b.ceilDiv(p.lastRows, unroll), unroll);
  return {isLast, b.select(isLast, lastRows, b.index(b.tiles.panel))};
}

/// The sums of `tile` over `panels` panels of the depth, which begin with panel `first`. They start from zero if
/// `isZero` (i1), else from c.
static SmallVector<Value> reduce(HostBuilder &b, const Gemm &p, MicroKernel &kernel, const Tile &tile, Value aOffset,
                                 Value bOffset, Value first, Value panels, Value isZero, Prefetcher *next = nullptr) {
  SmallVector<Value> initial = kernel.loadOrZero(tile, isZero);
  initial.push_back(getNumberInGroup(b, p, first));
  SmallVector<Value> sums = b.loop(b.index(0), panels, 1, initial, [&](Value k, ValueRange carried) {
    Value number = carried.back();
    auto [isLast, rows] = getRowsOfPanel(b, p, number);
    SmallVector<Value> result = reducePanel(b, p, kernel, tile, aOffset, bOffset, k, rows, carried.drop_back(), next);
    result.push_back(b.select(isLast, b.index(0), b.add(number, 1)));
    return result;
  });
  sums.pop_back();
  return sums;
}

/// At most Tiles::fewRows rows: b is not reused, so its bandwidth limits the speed. Several panels at once give the
/// hardware prefetcher several streams (one stream from L3 is too slow) and enough accumulators to hide the FMA
/// latency.
void cpu::emitFewRows(HostBuilder &b, const Gemm &p, MicroKernel &kernel, int64_t rows) {
  Value done = b.index(0);
  for (int64_t group = 4 / rows; group > 0; group /= 2) {
    Value end = b.mul(b.div(p.columns, b.index(group)), group);
    b.loop(done, end, group, [&](Value column) {
      Tile tile = {rows, p.c, b.add(p.cOffset, b.mul(column, p.cPanel)), p.cRow, group, p.cPanel};
      Value bOffset = b.add(p.bOffset, b.mul(column, p.bPanel));
      kernel.store(tile, reduce(b, p, kernel, tile, p.aOffset, bOffset, b.index(0), p.depth, p.isZero));
    });
    done = end;
  }
}

/// The traversals SweepUp and SweepDown. Each block of a panel has sums of its own in `partial`, so that both
/// directions add them in one order, and that the blocks are independent: their chains of FMAs overlap.
static void emitSweep(HostBuilder &b, const Gemm &p, MicroKernel &kernel, int64_t rows, Value partial) {
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), one = b.index(1);
  Value isDown = b.compare(arith::CmpIPredicate::eq, p.traversal, b.index(Gemm::SweepDown));
  auto turn = [&](Value k, Value count) { return b.select(isDown, b.sub(b.sub(count, one), k), k); };
  auto partOf = [&](Value k) { return Tile{rows, partial, b.mul(k, rows * panel), b.index(panel)}; };
  b.loop(p.columns, [&](Value number) {
    Value column = turn(number, p.columns), bOffset = b.add(p.bOffset, b.mul(column, p.bPanel));
    Tile tile = {rows, p.c, b.add(p.cOffset, b.mul(column, p.cPanel)), p.cRow};
    b.loop(p.depth, [&](Value turnNumber) {
      Value k = turn(turnNumber, p.depth);
      SmallVector<Value> sums = kernel.loadOrZero(tile, b.compare(arith::CmpIPredicate::ne, k, zero));
      Value panelRows = getRowsOfPanel(b, p, getNumberInGroup(b, p, k)).second;
      kernel.store(partOf(k), reducePanel(b, p, kernel, tile, p.aOffset, bOffset, k, panelRows, sums));
    });
    kernel.store(tile, b.loop(one, p.depth, 1, kernel.load(partOf(zero)), [&](Value k, ValueRange carried) {
      SmallVector<Value> sums;
      for (auto [sum, part] : llvm::zip_equal(carried, kernel.load(partOf(k))))
        sums.push_back(b.addf(sum, part));
      return sums;
    }));
  });
}

/// A GEMM whose rows are all in one tile, which loads each row of b once, at an even rate. With two tiles of fewer
/// rows, the first one would wait for L2 and the second one would read L1. More than Tiles::rows rows exceed the
/// registers with a whole panel, so they are processed in two halves of each panel.
static void emitOneTile(HostBuilder &b, const Gemm &p, MicroKernel &kernel, int64_t rows) {
  const int64_t parts = rows > Tiles::rows ? 2 : 1, width = b.tiles.panel / parts;
  b.loop(p.columns, [&](Value column) {
    Value bOffset = b.add(p.bOffset, b.mul(column, p.bPanel)), cOffset = b.add(p.cOffset, b.mul(column, p.cPanel));
    auto multiply = [&](Value inPanel) {
      Tile tile = {rows, p.c, b.add(cOffset, inPanel), p.cRow, 1, {}, parts, /*readsAhead=*/true};
      Value right = b.add(bOffset, b.mul(inPanel, HostBuilder::isVNNI(p.b) ? 2 : 1));
      kernel.store(tile, reduce(b, p, kernel, tile, p.aOffset, right, b.index(0), p.depth, p.isZero));
    };
    if (parts == 1)
      multiply(b.index(0));
    else
      b.loop(b.index(0), b.index(b.tiles.panel), width, multiply);
  });
}

/// `least` or more rows, at most one block.
static void emitRows(HostBuilder &b, const Gemm &p, MicroKernel &kernel, int64_t least) {
  const int64_t panel = b.tiles.panel, blockPanels = b.tiles.blockPanels();
  const bool areBlocksInL1 = b.tiles.areBlocksInL1();
  auto emitTile = [&](int64_t rows, Value aOffset, Value bOffset, Value cOffset, Value first, Value panels,
                      Value isZero, Prefetcher &next) {
    Tile tile = {rows, p.c, cOffset, p.cRow};
    kernel.store(tile, reduce(b, p, kernel, tile, aOffset, bOffset, first, panels, isZero, &next));
  };
  // Rows are distributed evenly over the tiles.
  const int64_t fewest = least / llvm::divideCeil(least, Tiles::rows);
  Value count = b.ceilDiv(p.rows, Tiles::rows);
  // No divisions in the loop over tiles: one of 64 bits takes as long as several FMAs.
  Value base = b.div(p.rows, count), rest = b.sub(p.rows, b.mul(base, count));
  // Unless areBlocksInL1, a block of b may be larger than L1, as 256 rows of 64 floats are. With many tiles, each has a
  // small share of the prefetches, which hides the latency of L2. With few tiles, blocks of half the depth fit in L1.
  Value atOnce = b.index(blockPanels);
  if (!areBlocksInL1) {
    Value isShort = b.compare(arith::CmpIPredicate::sle, count, b.index(fewTiles));
    atOnce = b.select(isShort, b.index(std::max<int64_t>(blockPanels / 2, 1)), atOnce);
  }
  auto emitBlock = [&](Value block, Value column) {
    Value isFirst = b.compare(arith::CmpIPredicate::eq, block, b.index(0));
    Value isZero = b.createOrFold<arith::AndIOp>(p.isZero, isFirst);
    Value k = b.mul(block, atOnce), panels = b.min(b.sub(p.depth, k), atOnce), depth = b.mul(panels, panel);
    Value behind = b.add(k, panels), isEnd = b.compare(arith::CmpIPredicate::eq, behind, p.depth);
    Value isLast = b.compare(arith::CmpIPredicate::eq, column, b.sub(p.columns, b.index(1)));
    Value bTop = b.add(p.bOffset, b.mul(column, p.bPanel)), bOffset = b.add(bTop, b.mul(k, panel * panel));
    Value cTop = b.add(p.cOffset, b.mul(column, p.cPanel));
    // While a block is multiplied, its tiles prefetch the next blocks: `nextOffset` in b, `nextLeft` (may be null) in
    // a.
    Value nextOffset, nextLeft;
    if (areBlocksInL1) {
      Value nextColumn = b.select(isLast, p.bNext, b.add(bTop, p.bPanel));
      nextOffset = b.select(isEnd, nextColumn, b.add(bTop, b.mul(behind, panel * panel)));
    } else {
      Value nextRight = b.select(isEnd, p.bNext, b.add(p.bOffset, b.mul(behind, panel * panel)));
      nextOffset = b.select(isLast, nextRight, b.add(bOffset, p.bPanel));
      // Without prefetches, the first column of the next block would wait for all of a.
      nextLeft = b.select(isEnd, p.aNext, b.add(p.aOffset, b.mul(behind, p.aPanel)));
    }
    b.loop(count, [&](Value index) {
      Value row = b.add(b.mul(base, index), b.min(index, rest));
      Value to = b.add(b.add(row, base), b.min(b.max(b.sub(rest, index), b.index(0)), b.index(1)));
      Value aOffset = b.add(b.add(p.aOffset, b.mul(row, panel)), b.mul(k, p.aPanel));
      Value cOffset = b.add(cTop, b.mul(row, p.cRow));
      Value isBottom = b.compare(arith::CmpIPredicate::eq, b.add(index, 1), count);
      Value cNext = b.select(isBottom, b.add(cTop, p.cPanel), b.add(cTop, b.mul(to, p.cRow)));
      Prefetcher next;
      next.setBlock(b, p.b, bOffset, nextOffset, depth, index, count);
      auto prefetchTile = [&] { next.prefetchTile(b, p.c, cNext, p.cRow); };
      if (areBlocksInL1) // later blocks find their tiles in L1 or L2
        b.ifThen(isFirst, prefetchTile);
      else
        prefetchTile();
      if (nextLeft)
        next.setLeft(b, p, nextLeft, row, column);
      SmallVector<int64_t> cases;
      for (int64_t height = fewest; height < Tiles::rows; ++height)
        cases.push_back(height);
      auto height = scf::IndexSwitchOp::create(b, TypeRange(), b.sub(to, row), cases, cases.size());
      OpBuilder::InsertionGuard guard(b);
      for (int64_t rows = fewest; rows <= Tiles::rows; ++rows) {
        Region &region = rows < Tiles::rows ? height.getCaseRegions()[rows - fewest] : height.getDefaultRegion();
        b.setInsertionPointToStart(&region.emplaceBlock());
        emitTile(rows, aOffset, bOffset, cOffset, k, panels, isZero, next);
        scf::YieldOp::create(b);
      }
    });
  };
  Value blocks = b.ceilDiv(p.depth, atOnce);
  if (areBlocksInL1)
    b.loop(p.columns, [&](Value column) { b.loop(blocks, [&](Value block) { emitBlock(block, column); }); });
  else
    b.loop(blocks, [&](Value block) { b.loop(p.columns, [&](Value column) { emitBlock(block, column); }); });
}

/// Elements of the accumulation type on the stack.
static Value createScratch(HostBuilder &b, int64_t count) {
  auto type = MemRefType::get(count, b.tiles.sum);
  Value buffer = memref::AllocaOp::create(b, type, b.getI64IntegerAttr(64));
  return memref::CastOp::create(b, MemRefType::get(ShapedType::kDynamic, b.tiles.sum), buffer);
}

static void emitGemm(HostBuilder &b, const Gemm &p) {
  std::unique_ptr<MicroKernel> kernel = createMicroKernel(b, p.a, p.b);
  Value partial, sweeps = arith::ConstantOp::create(b, b.getBoolAttr(false));
  if (b.tiles.hasSweeps()) {
    partial = createScratch(b, Tiles::sweepDepth * Tiles::fewRows * b.tiles.panel);
    sweeps = b.compare(arith::CmpIPredicate::ne, p.traversal, b.index(Gemm::Panels));
  }
  b.loop(b.index(0), p.rows, Tiles::blockRows, [&](Value firstRow) {
    Gemm block = p;
    block.aOffset = b.add(p.aOffset, b.mul(firstRow, b.tiles.panel));
    block.cOffset = b.add(p.cOffset, b.mul(firstRow, p.cRow));
    block.rows = b.min(b.sub(p.rows, firstRow), b.index(Tiles::blockRows));
    Value hasMore = b.compare(arith::CmpIPredicate::slt, b.add(firstRow, block.rows), p.rows);
    block.aNext = b.select(hasMore, b.add(block.aOffset, Tiles::blockRows * b.tiles.panel), p.aNext);
    block.bNext = b.select(hasMore, p.bOffset, p.bNext);
    const int64_t mostOfOneTile = std::min(mostRowsOfOneTile(b), mostUnknownRowsOfOneTile);
    auto cases = llvm::to_vector(llvm::seq_inclusive<int64_t>(1, mostOfOneTile));
    auto rows = scf::IndexSwitchOp::create(b, TypeRange(), block.rows, cases, cases.size());
    OpBuilder::InsertionGuard guard(b);
    for (int64_t count : cases) {
      b.setInsertionPointToStart(&rows.getCaseRegions()[count - 1].emplaceBlock());
      if (count <= Tiles::fewRows)
        b.ifElse(
            sweeps, [&] { emitSweep(b, block, *kernel, count, partial); },
            [&] { emitFewRows(b, block, *kernel, count); });
      else
        emitOneTile(b, block, *kernel, count);
      scf::YieldOp::create(b);
    }
    b.setInsertionPointToStart(&rows.getDefaultRegion().emplaceBlock());
    emitRows(b, block, *kernel, mostOfOneTile + 1);
    scf::YieldOp::create(b);
  });
}

static void emitTransposedGemm(HostBuilder &b, const TransposedGemm &p) {
  std::unique_ptr<MicroKernel> kernel = createMicroKernel(b, p.a, p.b);
  const int64_t panel = b.tiles.panel, depthStep = kernel->depthStep();
  // Rows [from, end) of a panel: all of them, or a block that L1 holds.
  auto emitBlock = [&](Value column, Value from, Value end) {
    Value depth = b.sub(end, from), bTop = b.add(p.bOffset, b.mul(column, p.bPanel));
    Value bOffset = b.add(bTop, b.mul(from, panel));
    Value nextColumn = b.min(b.add(column, 1), b.sub(p.columns, b.index(1)));
    Value nextOffset = b.select(b.compare(arith::CmpIPredicate::eq, end, p.depth),
                                b.add(p.bOffset, b.mul(nextColumn, p.bPanel)), b.add(bTop, b.mul(end, panel)));
    Value isTop = b.compare(arith::CmpIPredicate::eq, from, b.index(0));
    Value isZero = b.createOrFold<arith::AndIOp>(p.isFirst, isTop);
    b.loop(p.tiles, [&](Value index) {
      Prefetcher next;
      next.setBlock(b, p.b, bOffset, nextOffset, depth, index, p.tiles);
      Value aOffset = b.mul(b.add(b.mul(index, Tiles::depth), from), Tiles::rows);
      Value cTop = b.add(p.cOffset, b.mul(column, p.cPanel)),
            cOffset = b.add(cTop, b.mul(b.mul(index, Tiles::rows), p.cRow));
      Value isBottom = b.compare(arith::CmpIPredicate::eq, b.add(index, 1), p.tiles);
      Value cNext = b.select(isBottom, b.add(cTop, p.cPanel), b.add(cOffset, b.mul(p.cRow, Tiles::rows)));
      Tile tile = {Tiles::rows, p.c, cOffset, p.cRow};
      auto steps = [&](int64_t count) {
        return [&, count](Value k, ValueRange carried) {
          SmallVector<Value> sums(carried);
          if (count == unroll)
            next.prefetchBlock(b, k);
          Value a = b.add(aOffset, b.mul(k, Tiles::rows)), right = b.add(bOffset, b.mul(k, panel));
          for (int64_t u = 0; u < count; u += depthStep)
            kernel->multiply(tile, sums, {p.a, b.add(a, u * Tiles::rows), depthStep},
                             {p.b, b.add(right, u * panel), Value()});
          return sums;
        };
      };
      Value whole = b.mul(b.div(depth, b.index(unroll)), unroll);
      auto initial = kernel->loadOrZero(tile, isZero);
      b.ifThen(isTop, [&] { next.prefetchTile(b, p.c, cNext, p.cRow); });
      SmallVector<Value> sums = b.loop(b.index(0), whole, unroll, initial, steps(unroll));
      sums = b.loop(whole, depth, depthStep, sums, steps(depthStep));
      kernel->store(tile, sums);
    });
  };
  const int64_t blockDepth = b.tiles.blockPanels() * panel;
  b.loop(p.columns, [&](Value column) {
    if (!b.tiles.areBlocksInL1())
      return emitBlock(column, b.index(0), p.depth);
    b.loop(b.index(0), p.depth, blockDepth,
           [&](Value from) { emitBlock(column, from, b.min(b.add(from, blockDepth), p.depth)); });
  });
}

void Gemm::setDepth(HostBuilder &builder, Value rows, Value groups) {
  const int64_t panel = builder.tiles.panel;
  Value panels = builder.ceilDiv(rows, panel);
  groupPanels = builder.max(panels, builder.index(1));
  lastRows = builder.sub(rows, builder.mul(builder.sub(groupPanels, builder.index(1)), panel));
  depth = groups ? builder.mul(panels, groups) : panels;
}

void Gemm::setDefaults(HostBuilder &builder) {
  const int64_t panel = builder.tiles.panel;
  if (!aNext)
    aNext = builder.add(aOffset, builder.mul(rows, panel));
  if (!bNext)
    bNext = builder.add(bOffset, builder.mul(depth, panel * panel));
  if (!isZero)
    isZero = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  if (!traversal)
    traversal = builder.index(Panels);
  if (!lastRows)
    lastRows = builder.index(panel), groupPanels = builder.index(1);
}

void KernelLibrary::gemm(HostBuilder &b, const Gemm &arguments) {
  if (b.tiles.usesAMX())
    return tileGemm(b, arguments);
  Gemm p = arguments;
  p.setDefaults(b);
  // A known number of rows that fit one tile needs only the code of that tile.
  std::optional<int64_t> rows = getConstantIntValue(p.rows);
  if (!rows || *rows <= Tiles::fewRows || *rows > mostRowsOfOneTile(b))
    return call(b, "gemm", p, emitGemm);
  call(b, "gemm_" + std::to_string(*rows) + "_rows", p, [&](HostBuilder &b, const Gemm &p) {
    std::unique_ptr<MicroKernel> kernel = createMicroKernel(b, p.a, p.b);
    emitOneTile(b, p, *kernel, *rows);
  });
}

void KernelLibrary::transposedGemm(HostBuilder &b, const TransposedGemm &arguments) {
  assert(!b.tiles.usesAMX() && "a left operand of packLeftTransposed is multiplied by `gemm`");
  call(b, "transposed_gemm", arguments, emitTransposedGemm);
}
