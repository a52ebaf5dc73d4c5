//===- BackwardSums.cpp - the reductions over T*B after the time loop --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

void BackwardLoop::forPanels(const Block &block, Value first, Value count, function_ref<void(Value, Value)> body) {
  int64_t panel = b.tiles.panel;
  Value start = b.div(block.column, b.index(panel)), end = b.add(start, b.ceilDiv(block.columns, panel));
  b.loop(b.max(start, first), b.min(end, b.add(first, count)), 1,
         [&](Value q) { body(b.mul(b.sub(q, start), block.panel), b.sub(q, first)); });
}

void BackwardLoop::startSums() {
  if (!b.tiles.usesBF16Dot())
    return;
  Value panelRows = b.mul(rows, b.tiles.panel), stride = b.mul(allRows, b.tiles.panel);
  auto packVNNI = [&](Value buffer, Value panels) {
    library.parallel(b, panels, getSharedWork(b.mul(panels, panelRows)), [&](const Team &team) {
      Value first = team.begin(b, panels), count = b.sub(team.end(b, panels), first);
      library.packVNNI(b, {buffer, b.mul(first, stride), stride, count, rows});
    });
  };
  packVNNI(dG, b.mul(layer.p.panels, layer.blocks));
  if (delta)
    packVNNI(delta, layer.p.statePanels);
}

void BackwardLoop::sums(ArrayRef<Left> lefts, Value width, const Right &right, function_ref<void(const Block &)> store,
                        std::optional<Rows> result, std::optional<Resets> resets) {
  if (b.tiles.usesAMX())
    return sumsByTiles(lefts, width, right, store, resets);
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), rightPanel = b.mul(allRows, panel);
  Value columns = b.mul(right.count, panel), tiles = b.ceilDiv(width, Tiles::rows);
  auto isAtMost = [&](Value a, Value c) { return b.compare(arith::CmpIPredicate::sle, a, c); };
  Value hasRows = isAtMost(b.index(1), rows);
  // With more rows, later passes read the block again: its tiles are contiguous in scratch.
  Value isSinglePass = b.createOrFold<arith::AndIOp>(hasRows, isAtMost(rows, b.index(Tiles::depth)));
  if (result && result->matches)
    isSinglePass = b.createOrFold<arith::AndIOp>(isSinglePass, result->matches);
  library.parallel(b, tiles, b.mul(b.mul(rows, width), columns), [&](const Team &team) {
    Value firstTile = team.begin(b, tiles), endTile = team.end(b, tiles), firstPanel = zero, panels = right.count;
    if (team.handle) {
      // If dG is small, reading it from the core that wrote it takes longer than packing the left operand twice.
      Value rest = b.createOrFold<arith::RemUIOp>(right.count, team.parts);
      Value divides = b.createOrFold<arith::AndIOp>(b.compare(arith::CmpIPredicate::eq, rest, zero),
                                                    layer.areWeightsInL2(mostBytesOfSmallLayer));
      firstTile = b.select(divides, zero, firstTile), endTile = b.select(divides, tiles, endTile);
      firstPanel = b.select(divides, team.begin(b, right.count), zero);
      panels = b.select(divides, b.sub(team.end(b, right.count), firstPanel), right.count);
    }
    Value firstColumn = b.mul(firstPanel, panel), ownColumns = b.mul(panels, panel);
    Value packedLeft = b.allocate(b.index(Tiles::blockRows * Tiles::depth), b.tiles.left);
    Value block = b.allocate(b.mul(ownColumns, Tiles::blockRows));
    Value from = b.mul(firstTile, Tiles::rows);
    Value to = b.max(b.min(b.mul(endTile, Tiles::rows), width), from);
    // Only whole tiles are written to the result. A partial last tile has a block of its own, unless there are several
    // passes.
    Value wholeEnd = to;
    if (result) {
      Value whole = b.mul(b.div(b.sub(to, from), b.index(Tiles::rows)), Tiles::rows);
      wholeEnd = b.select(isSinglePass, b.add(from, whole), to);
    }
    Value wholeBlocks = b.ceilDiv(b.sub(wholeEnd, from), Tiles::blockRows);
    Value hasRest = b.select(b.compare(arith::CmpIPredicate::slt, wholeEnd, to), b.index(1), zero);
    b.loop(b.add(wholeBlocks, hasRest), [&](Value number) {
      Value isRest = b.compare(arith::CmpIPredicate::eq, number, wholeBlocks);
      Value first = b.select(isRest, wholeEnd, b.add(from, b.mul(number, Tiles::blockRows)));
      Value remaining = b.sub(b.select(isRest, to, wholeEnd), first);
      Value height = b.min(remaining, b.index(Tiles::blockRows)), count = b.ceilDiv(height, Tiles::rows);
      Value blockPanel = b.mul(count, Tiles::rows * panel);
      Value target = block, targetOffset = zero, targetRow = b.index(panel), targetPanel = blockPanel, isDirect;
      if (result) {
        Value isWhole = b.compare(arith::CmpIPredicate::slt, number, wholeBlocks);
        isDirect = b.createOrFold<arith::AndIOp>(isSinglePass, isWhole);
        target = b.select(isDirect, result->buffer, block);
        targetRow = b.select(isDirect, result->width, targetRow);
        targetPanel = b.select(isDirect, b.index(panel), targetPanel);
        Value inResult = b.add(b.add(result->first, firstColumn), b.mul(first, result->width));
        targetOffset = b.select(isDirect, inResult, zero);
      }
      b.loop(zero, rows, Tiles::depth, [&](Value row) {
        Value depth = b.min(b.sub(rows, row), b.index(Tiles::depth)), end = b.add(row, depth);
        for (const Left &left : lefts) {
          // The rows of this part in [row, end).
          Value start = b.max(row, left.firstOfPanels), stop = b.min(end, b.add(left.firstOfPanels, left.rows));
          Value sourceRow = b.add(left.firstRow, b.sub(start, left.firstOfPanels));
          library.packLeft(b,
                           {left.matrix, sourceRow, b.sub(stop, start), first, height, packedLeft, b.sub(start, row)});
        }
        if (resets)
          forResetRows(row, end, [&](Value r, Value example) {
            bool isVNNI = b.tiles.usesBF16Dot();
            // A packed tile is [depth][Tiles::rows], or with VNNI [depth / 2][Tiles::rows][2].
            Value inDepth = b.sub(r, row), lastColumn = b.sub(width, b.index(1));
            Value inPair = isVNNI ? b.createOrFold<arith::AndIOp>(inDepth, b.index(1)) : zero;
            b.loop(count, [&](Value tile) {
              Value offset = b.add(b.mul(tile, Tiles::rows * Tiles::depth),
                                   b.add(b.mul(b.sub(inDepth, inPair), Tiles::rows), inPair));
              for (int64_t k = 0; k < Tiles::rows; ++k) {
                // Sums of columns past the last are not stored.
                Value column = b.min(b.add(b.add(first, b.mul(tile, Tiles::rows)), k), lastColumn);
                memref::StoreOp::create(b, loadReset(*resets, example, column), packedLeft,
                                        b.add(offset, isVNNI ? 2 * k : k));
              }
            });
          });
        if (b.tiles.usesBF16Dot())
          padVNNI(packedLeft, count, depth);
        Value isFirst = b.compare(arith::CmpIPredicate::eq, row, zero);
        Value rightOffset = b.add(b.add(right.offset, b.mul(firstPanel, rightPanel)), b.mul(row, panel));
        TransposedGemm gemm;
        gemm.a = packedLeft;
        gemm.b = right.panels, gemm.bOffset = rightOffset, gemm.bPanel = rightPanel;
        gemm.c = target, gemm.cOffset = targetOffset, gemm.cRow = targetRow, gemm.cPanel = targetPanel;
        gemm.tiles = count, gemm.columns = panels, gemm.depth = depth, gemm.isFirst = isFirst;
        library.transposedGemm(b, gemm);
      });
      b.ifElse(hasRows, [] {}, [&] { b.fillZero(block, zero, b.mul(panels, blockPanel)); });
      auto copy = [&] { store({block, blockPanel, first, height, firstColumn, ownColumns}); };
      if (isDirect)
        b.ifElse(isDirect, [] {}, copy);
      else
        copy();
    });
    b.free(packedLeft);
    b.free(block);
  });
}

//===----------------------------------------------------------------------===//
// Gradients of weights with a row for each column of dG
//===----------------------------------------------------------------------===//

/// Stores the transpose of those columns of a block that are in panels of `columns` columns from `first` on.
void BackwardLoop::storePanelsTransposed(const Block &block, Value first, Value columns, Value target, Value row) {
  int64_t panel = b.tiles.panel;
  forPanels(block, first, b.ceilDiv(columns, panel), [&](Value offset, Value q) {
    Value column = b.mul(q, panel), count = b.min(b.sub(columns, column), b.index(panel));
    library.storeTransposed(
        b, {block.buffer, offset, b.index(panel), block.rows, count, target, b.add(row, column), block.row});
  });
}

/// Packs the rows of `lefts` into panels of a right operand. Consecutive panels are `stride` elements apart. Returns
/// the buffer, which the caller frees.
Value BackwardLoop::packPanels(ArrayRef<Left> lefts, Value width, Value stride, std::optional<Resets> resets) {
  int64_t panel = b.tiles.panel;
  Value panels = b.ceilDiv(width, panel), batch = b.max(layer.p.B, b.index(1));
  Value packed = b.allocate(b.mul(panels, stride), b.tiles.left);
  for (const Left &left : lefts) {
    // Without steps, parts have rows that the panels do not have.
    Value count = b.max(b.min(left.rows, b.sub(rows, left.firstOfPanels)), b.index(0));
    library.packRows(b, {left.matrix, left.firstRow, batch, b.div(count, batch), batch, packed,
                         b.mul(left.firstOfPanels, panel), stride});
  }
  if (resets)
    forResetRows(b.index(0), rows, [&](Value row, Value example) {
      b.loop(width, [&](Value column) {
        Value q = b.div(column, b.index(panel)), inPanel = b.sub(column, b.mul(q, panel));
        memref::StoreOp::create(b, loadReset(*resets, example, column), packed,
                                b.add(b.mul(q, stride), b.add(b.mul(row, panel), inPanel)));
      });
    });
  if (b.tiles.usesBF16Dot())
    library.packVNNI(b, {packed, b.index(0), stride, panels, rows});
  return packed;
}

Value BackwardLoop::haveFewRows(bool isTransposed) {
  // With more rows, AMX tiles take less time than these vectors (measured: docs/internals/host-amx.md).
  if (b.tiles.usesAMX())
    return b.compare(arith::CmpIPredicate::sle, rows, b.index(8));
  // `sums` writes each row of a tile in short pieces, and transposes them if the result does; but its tiles have more
  // rows, which counts most with few vectors. Measured with two vectors (AVX2) and four (AVX-512).
  return b.compare(arith::CmpIPredicate::sle, rows, b.index(isTransposed ? 32 * b.tiles.vectors : 16));
}

void BackwardLoop::sumProducts(ArrayRef<Left> lefts, Value width, const Right &right, Value columns,
                               ArrayRef<Place> places, Value target, bool isTransposed, std::optional<Resets> resets) {
  constexpr int64_t height = OuterProducts::rowsAtOnce;
  const int64_t panel = b.tiles.panel, blocks = places.size();
  Value zero = b.index(0), rightPanel = b.mul(allRows, panel), blockPanels = b.ceilDiv(columns, panel);
  // VNNI packing fills the last pair of rows, and with AMX a whole panel.
  int64_t together = b.tiles.usesAMX() ? panel : 2;
  Value stride = b.mul(b.ceilDiv(rows, together), together * panel);
  Value packed = packPanels(lefts, width, stride, resets);
  Value resultRows = isTransposed ? columns : width, tiles = b.ceilDiv(resultRows, height), all = b.mul(tiles, blocks);
  Value work = getSharedWork(b.mul(b.mul(rows, width), b.mul(columns, blocks)));
  library.parallel(b, all, work, [&](const Team &team) {
    Value from = team.begin(b, all), to = team.end(b, all);
    for (int64_t k = 0; k < blocks; ++k) {
      Value before = b.mul(tiles, k), offset = b.add(right.offset, b.mul(b.mul(blockPanels, k), rightPanel));
      auto own = [&](Value tile) { return b.mul(b.min(b.max(b.sub(tile, before), zero), tiles), height); };
      OuterProducts products;
      products.a = right.panels, products.aOffset = offset, products.aPanel = rightPanel;
      products.b = packed, products.bOffset = zero, products.bPanel = stride;
      products.columns = width;
      if (!isTransposed) {
        std::swap(products.a, products.b), std::swap(products.aOffset, products.bOffset);
        std::swap(products.aPanel, products.bPanel), products.columns = columns;
      }
      products.c = target, products.row = places[k].row, products.column = places[k].column;
      products.first = own(from), products.end = b.min(own(to), resultRows);
      products.depth = rows;
      library.outerProducts(b, products);
    }
  });
  b.free(packed);
}

void BackwardLoop::transposedSums(ArrayRef<Left> lefts, Value width, const Right &right, Value columns,
                                  ArrayRef<Value> firstRows, Value target, std::optional<Resets> resets) {
  Value blockPanels = b.ceilDiv(columns, b.tiles.panel);
  auto products = [&] {
    SmallVector<Place> places;
    for (Value row : firstRows)
      places.push_back({row, b.index(0)});
    sumProducts(lefts, width, right, columns, places, target, /*isTransposed=*/true, resets);
  };
  auto blocks = [&] {
    auto store = [&](const Block &block) {
      for (auto [k, row] : llvm::enumerate(firstRows))
        storePanelsTransposed(block, b.mul(blockPanels, k), columns, target, row);
    };
    sums(lefts, width, right, store, std::nullopt, resets);
  };
  b.ifElse(haveFewRows(/*isTransposed=*/true), products, blocks);
}
