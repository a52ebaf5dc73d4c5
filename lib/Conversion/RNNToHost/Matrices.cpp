//===- Matrices.cpp - parts of matrices as right operands, and transposes ----===//
//
// Elements become the accumulation type on the way, and what is missing in the last panel becomes zero. Right operands
// of bf16 stay bf16 and have their rows in pairs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

/// Makes rows of a square matrix its columns, by shuffles that are one instruction each: those of elements stay within 128 bits,
/// and those across them move 128 bits.
static void transpose(HostBuilder &b, SmallVectorImpl<Value> &rows) {
  const int64_t n = rows.size(), width = std::min<int64_t>(n, 128 / b.tiles.sum.getIntOrFloatBitWidth());
  // Pairs of rows `apart` give two rows each, `apart` too; `from` is the place in the pair of each element.
  auto round = [&](int64_t apart, function_ref<int64_t(int64_t element, bool second)> from) {
    for (int64_t first = 0; first < n; ++first) {
      if (first & apart)
        continue;
      Value pair[2] = {rows[first], rows[first + apart]};
      for (bool second : {false, true}) {
        SmallVector<int64_t> order;
        for (int64_t element = 0; element < n; ++element)
          order.push_back(from(element, second));
        rows[first + second * apart] = vector::ShuffleOp::create(b, pair[0], pair[1], order);
      }
    }
  };
  // Within 128 bits, pieces of `piece` elements of both rows take turns: columns come together from 2, then 4 rows.
  for (int64_t piece = 1; piece < width; piece *= 2)
    round(piece, [&](int64_t element, bool second) {
      int64_t start = element / width * width, inside = element % width;
      int64_t number = inside / piece, taken = second * width / 2 + number / 2 * piece + inside % piece;
      return start + taken + number % 2 * n;
    });
  // Row r of each group of `width` now has its column bitReverse(r) of every 128 bits; names are put right.
  SmallVector<Value> sorted(n);
  for (int64_t row = 0; row < n; ++row) {
    int64_t column = 0;
    for (int64_t piece = 1; piece < width; piece *= 2)
      column = column * 2 + ((row & piece) != 0);
    sorted[row / width * width + column] = rows[row];
  }
  rows.assign(sorted.begin(), sorted.end());
  // Across them, each row of the pair gives its even, then its odd 128 bits.
  for (int64_t group = width; group < n; group *= 2)
    round(group, [&](int64_t element, bool second) {
      int64_t number = element / width, half = n / width / 2;
      return (number % half * 2 + second) * width + element % width + number / half * n;
    });
}

/// The part with zeros where there are rows missing in its last panel of rows.
static void fillTail(HostBuilder &b, const Library::Part &part, Value base, Value from) {
  Value to = b.mul(b.ceilDiv(from, b.tiles.panel), b.tiles.panel);
  b.fillZero(part.target, b.add(base, b.mul(from, b.tiles.panel)), b.mul(b.sub(to, from), b.tiles.panel));
}

static void emitColumns(HostBuilder &b, const Library::Part &part) {
  int64_t panel = b.tiles.panel;
  bool isPairs = HostBuilder::isPairs(part.target);
  Value wholeRows = part.rows, allRows = part.rows;
  if (isPairs) {
    wholeRows = b.sub(part.rows, b.createOrFold<arith::AndIOp>(part.rows, b.index(1)));
    allRows = b.mul(b.ceilDiv(part.rows, 2), 2);
  }
  auto placeOf = [&](Value q) { return b.add(part.place, b.mul(q, part.stride)); };
  // Row k of panel q, or rows k and k + 1 as pairs; the second one of the last pair may not be there.
  auto copyRow = [&](Value q, Value k, ArrayRef<Value> masks, bool hasSecond) {
    Value first = b.add(part.column, b.mul(q, panel)), row = b.add(part.row, k),
          place = b.add(placeOf(q), b.mul(k, panel));
    for (int64_t v = 0; v < b.tiles.vectors; ++v) {
      int64_t offset = v * b.tiles.lanes;
      Value from = b.add(first, offset), mask = masks.empty() ? Value() : masks[v];
      if (!isPairs) {
        b.store(b.load(part.matrix, {row, from}, mask), part.target, b.add(place, offset));
        continue;
      }
      auto load = [&](Value row) { return b.loadAsIs(part.matrix, {row, from}, b.tiles.lanes, mask); };
      Value pairs = b.zip(load(row), hasSecond ? load(b.add(row, 1)) : Value());
      vector::StoreOp::create(b, pairs, part.target, b.add(place, 2 * offset));
    }
  };
  auto copy = [&](Value q, int64_t panels, ArrayRef<Value> masks) {
    auto copyRows = [&](Value k, bool hasSecond) {
      for (int64_t next = 0; next < panels; ++next)
        copyRow(b.add(q, next), k, masks, hasSecond);
    };
    b.loop(b.index(0), wholeRows, isPairs ? 2 : 1, [&](Value k) { copyRows(k, true); });
    if (isPairs)
      b.branch(b.compare(arith::CmpIPredicate::ne, wholeRows, part.rows), [&] { copyRows(wholeRows, false); });
    for (int64_t next = 0; next < panels; ++next)
      fillTail(b, part, placeOf(b.add(q, next)), allRows);
  };
  // Several panels at once read some lines of each row: one alone reads a line here and there, which nobody fetches
  // ahead.
  constexpr int64_t atOnce = 4;
  Value groups = b.div(part.columns, b.index(atOnce * panel)), done = b.mul(groups, atOnce);
  b.loop(b.index(0), done, atOnce, [&](Value q) { copy(q, atOnce, {}); });
  b.loop(done, b.ceilDiv(part.columns, panel), 1, [&](Value q) {
    b.forPanel(b.mul(q, panel), part.columns, [&](ArrayRef<Value> masks) { copy(q, 1, masks); });
  });
}

void Library::packColumns(HostBuilder &b, const Part &part) {
  Value matrix = b.asRows(part.matrix);
  Type index = b.getIndexType(), target = part.target.getType();
  func::FuncOp function =
      get(b, "pack_columns", {matrix.getType(), index, index, index, index, target, index, index},
          [](HostBuilder &b, ValueRange v) { emitColumns(b, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]}); });
  call(b, function,
       {matrix, part.row, part.rows, part.column, part.columns, part.target, part.place, part.stride});
}

static void emitTransposed(HostBuilder &b, const Library::Part &part) {
  int64_t panel = b.tiles.panel, lanes = b.tiles.lanes;
  // The pairs of a target row are neighbours in the source: they move as words, each of two columns.
  bool isPairs = HostBuilder::isPairs(part.target);
  int64_t width = isPairs ? 2 * lanes : lanes, inWord = isPairs ? 2 : 1;
  VectorType words = b.vectorType(isPairs ? Type(b.getI32Type()) : b.tiles.sum);
  Value zero = b.index(0), last = b.sub(part.rows, b.index(1));
  b.loop(b.ceilDiv(part.rows, panel), [&](Value q) {
    Value first = b.mul(q, panel), base = b.add(part.place, b.mul(q, part.stride));
    b.loop(zero, b.index(panel), lanes, [&](Value inPanel) {
      Value from = b.add(first, inPanel), count = b.sub(part.rows, from);
      auto copy = [&](bool isFull) {
        b.forColumns(part.columns, width, [&](Value column, Value mask) {
          SmallVector<Value> rows;
          for (int64_t k = 0; k < lanes; ++k) {
            Value row = b.add(from, k), inside;
            if (!isFull) {
              inside = b.compare(arith::CmpIPredicate::slt, row, part.rows);
              row = b.min(row, last);
            }
            Value place[] = {b.add(part.row, row), b.add(part.column, column)}, loaded;
            if (isPairs)
              loaded = vector::BitCastOp::create(b, words, b.loadPairs(part.matrix, place, mask));
            else
              loaded = b.load(part.matrix, place, mask);
            if (!isFull) {
              Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(words)));
              loaded = arith::SelectOp::create(b, inside, loaded, zero);
            }
            rows.push_back(loaded);
          }
          transpose(b, rows);
          // With a mask there are zeros behind the last column: rows of the tail.
          for (auto [k, row] : llvm::enumerate(rows)) {
            Value place = b.add(base, b.mul(b.add(column, int64_t(k) * inWord), panel));
            if (isPairs)
              row = vector::BitCastOp::create(b, VectorType::get({width}, b.getBF16Type()), row);
            vector::StoreOp::create(b, row, part.target, b.add(place, b.mul(inPanel, inWord)));
          }
        });
      };
      b.branch(
          b.compare(arith::CmpIPredicate::sge, count, b.index(lanes)), [&] { copy(true); }, [&] { copy(false); });
    });
    fillTail(b, part, base, b.mul(b.ceilDiv(part.columns, width), width));
  });
}

void Library::packTransposed(HostBuilder &b, const Part &part) {
  Value matrix = b.asRows(part.matrix);
  Type index = b.getIndexType(), target = part.target.getType();
  func::FuncOp function =
      get(b, "pack_transposed", {matrix.getType(), index, index, index, index, target, index, index},
          [](HostBuilder &b, ValueRange v) { emitTransposed(b, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]}); });
  call(b, function,
       {matrix, part.row, part.rows, part.column, part.columns, part.target, part.place, part.stride});
}

static void emitStoreTransposed(HostBuilder &b, Value source, Value from, Value sourceRow, Value rows, Value columns,
                                Value target, Value row, Value column) {
  int64_t lanes = b.tiles.lanes;
  Value zero = b.index(0), last = b.sub(rows, b.index(1)), width = b.index(lanes);
  b.loop(zero, columns, lanes, [&](Value j) {
    b.loop(zero, rows, lanes, [&](Value i) {
      auto tile = [&](bool isFull) {
        SmallVector<Value> vectors;
        for (int64_t k = 0; k < lanes; ++k) {
          Value sourceIndex = isFull ? b.add(i, k) : b.min(b.add(i, k), last);
          vectors.push_back(b.load(source, b.add(b.add(from, b.mul(sourceIndex, sourceRow)), j)));
        }
        transpose(b, vectors);
        Value count = b.sub(rows, i);
        for (int64_t k = 0; k < lanes; ++k) {
          Value mask, targetRow = b.add(j, k);
          if (!isFull) {
            Value inside = b.compare(arith::CmpIPredicate::slt, targetRow, columns);
            mask = b.mask(b.choose(inside, count, zero));
          }
          b.store(vectors[k], target, {b.add(row, targetRow), b.add(column, i)}, mask);
        }
      };
      Value isFull = b.createOrFold<arith::AndIOp>(b.compare(arith::CmpIPredicate::sge, b.sub(rows, i), width),
                                                   b.compare(arith::CmpIPredicate::sge, b.sub(columns, j), width));
      b.branch(isFull, [&] { tile(true); }, [&] { tile(false); });
    });
  });
}

void Library::storeTransposed(HostBuilder &b, Value source, Value from, Value sourceRow, Value rows, Value columns,
                              Value target, Value row, Value column) {
  Value matrix = b.asRows(target);
  Type index = b.getIndexType();
  func::FuncOp function =
      get(b, "store_transposed",
          {source.getType(), index, index, index, index, matrix.getType(), index, index},
          [](HostBuilder &b, ValueRange v) {
            emitStoreTransposed(b, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
          });
  call(b, function, {source, from, sourceRow, rows, columns, matrix, row, column});
}
