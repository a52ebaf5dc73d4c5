//===- PackRight.cpp - right operands of packed GEMMs, and transposes --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/KernelLibrary.h"
#include "rnn/Codegen/CPU/Transpose.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

void cpu::transpose(HostBuilder &b, SmallVectorImpl<Value> &rows) {
  const int64_t n = rows.size(), width = std::min<int64_t>(n, 128 / b.tiles.sum.getIntOrFloatBitWidth());
  // Replaces each pair of rows that are `apart` apart by two rows; `from` is the index of each element in the pair.
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
  // Within 128 bits, interleave groups of `size` elements of both rows.
  for (int64_t size = 1; size < width; size *= 2)
    round(size, [&](int64_t element, bool second) {
      int64_t start = element / width * width, inside = element % width;
      int64_t group = inside / size, source = second * width / 2 + group / 2 * size + inside % size;
      return start + source + group % 2 * n;
    });
  // Row r of each group of `width` rows now has column bitReverse(r) of every 128-bit lane: permute the rows.
  SmallVector<Value> sorted(n);
  for (int64_t row = 0; row < n; ++row) {
    int64_t column = 0;
    for (int64_t bit = 1; bit < width; bit *= 2)
      column = column * 2 + ((row & bit) != 0);
    sorted[row / width * width + column] = rows[row];
  }
  rows.assign(sorted.begin(), sorted.end());
  // Across lanes, collect the even lanes of both rows, then the odd ones.
  for (int64_t group = width; group < n; group *= 2)
    round(group, [&](int64_t element, bool second) {
      int64_t lane = element / width, half = n / width / 2;
      return (lane % half * 2 + second) * width + element % width + lane / half * n;
    });
}

/// Fills rows from `from` to the next multiple of the panel with zeros.
static void fillTail(HostBuilder &b, Value target, Value base, Value from) {
  Value to = b.mul(b.ceilDiv(from, b.tiles.panel), b.tiles.panel);
  b.fillZero(target, b.add(base, b.mul(from, b.tiles.panel)), b.mul(b.sub(to, from), b.tiles.panel));
}

static void emitColumns(HostBuilder &b, const PackRight &p) {
  int64_t panel = b.tiles.panel;
  bool isVNNI = HostBuilder::isVNNI(p.target);
  Value wholeRows = p.rows, allRows = p.rows;
  if (isVNNI) {
    wholeRows = b.sub(p.rows, b.createOrFold<arith::AndIOp>(p.rows, b.index(1)));
    allRows = b.mul(b.ceilDiv(p.rows, 2), 2);
  }
  auto panelOffset = [&](Value q) { return b.add(p.offset, b.mul(q, p.stride)); };
  // Copies row k of panel q, or interleaves rows k and k + 1, of which the second may be missing.
  auto copyRow = [&](Value q, Value k, ArrayRef<Value> masks, bool hasSecond) {
    Value first = b.add(p.column, b.mul(q, panel)), row = b.add(p.row, k),
          target = b.add(panelOffset(q), b.mul(k, panel));
    for (int64_t v = 0; v < b.tiles.vectors; ++v) {
      int64_t inRow = v * b.tiles.lanes;
      Value from = b.add(first, inRow), mask = masks.empty() ? Value() : masks[v];
      if (!isVNNI) {
        b.store(b.load(p.matrix, {row, from}, mask), p.target, b.add(target, inRow));
        continue;
      }
      auto load = [&](Value row) { return b.loadUnconverted(p.matrix, {row, from}, b.tiles.lanes, mask); };
      Value pairs = b.interleave(load(row), hasSecond ? load(b.add(row, 1)) : Value());
      vector::StoreOp::create(b, pairs, p.target, b.add(target, 2 * inRow));
    }
  };
  // Hardware prefetchers do not follow a column across page boundaries, and in a large matrix consecutive rows are in
  // different pages. The copy therefore prefetches the row that it reads four rows later.
  constexpr int64_t rowsAhead = 4;
  auto prefetchRow = [&](Value q, Value k, int64_t panels) {
    Value row = b.add(p.row, b.min(k, b.sub(p.rows, b.index(1))));
    b.prefetchRow(p.matrix, row, b.add(p.column, b.mul(q, panel)), panels * panel, /*isWrite=*/false);
  };
  auto copy = [&](Value q, int64_t panels, ArrayRef<Value> masks) {
    auto copyRows = [&](Value k, bool hasSecond) {
      for (int64_t row = 0; panels > 1 && row < (isVNNI ? 2 : 1); ++row)
        prefetchRow(q, b.add(k, rowsAhead + row), panels);
      for (int64_t next = 0; next < panels; ++next)
        copyRow(b.add(q, next), k, masks, hasSecond);
    };
    b.loop(b.index(0), wholeRows, isVNNI ? 2 : 1, [&](Value k) { copyRows(k, true); });
    if (isVNNI)
      b.ifThen(b.compare(arith::CmpIPredicate::ne, wholeRows, p.rows), [&] { copyRows(wholeRows, false); });
    for (int64_t next = 0; next < panels; ++next)
      fillTail(b, p.target, panelOffset(b.add(q, next)), allRows);
  };
  // Several panels at once read consecutive cache lines of a row. One panel reads isolated lines, which the hardware
  // does not prefetch.
  constexpr int64_t atOnce = 4;
  Value groups = b.div(p.columns, b.index(atOnce * panel)), done = b.mul(groups, atOnce);
  b.loop(b.index(0), done, atOnce, [&](Value q) { copy(q, atOnce, {}); });
  b.loop(done, b.ceilDiv(p.columns, panel), 1,
         [&](Value q) { b.forPanel(b.mul(q, panel), p.columns, [&](ArrayRef<Value> masks) { copy(q, 1, masks); }); });
}

void KernelLibrary::packColumns(HostBuilder &b, const PackRight &arguments) {
  PackRight p = arguments;
  p.matrix = b.asRows(p.matrix);
  call(b, "pack_columns", p, emitColumns);
}

static void emitTransposed(HostBuilder &b, const PackRight &p) {
  int64_t panel = b.tiles.panel, lanes = b.tiles.lanes;
  // The pairs of a target row are adjacent in the source: they are transposed as 32-bit words.
  bool isVNNI = HostBuilder::isVNNI(p.target);
  int64_t width = isVNNI ? 2 * lanes : lanes, inWord = isVNNI ? 2 : 1;
  VectorType words = b.vectorType(isVNNI ? Type(b.getI32Type()) : b.tiles.sum);
  Value zero = b.index(0), last = b.sub(p.rows, b.index(1));
  b.loop(b.ceilDiv(p.rows, panel), [&](Value q) {
    Value first = b.mul(q, panel), base = b.add(p.offset, b.mul(q, p.stride));
    b.loop(zero, b.index(panel), lanes, [&](Value inPanel) {
      Value from = b.add(first, inPanel), count = b.sub(p.rows, from);
      auto copy = [&](bool isFull) {
        b.forColumns(p.columns, width, [&](Value column, Value mask) {
          SmallVector<Value> rows;
          for (int64_t k = 0; k < lanes; ++k) {
            Value row = b.add(from, k), inside;
            if (!isFull) {
              inside = b.compare(arith::CmpIPredicate::slt, row, p.rows);
              row = b.min(row, last);
            }
            Value position[] = {b.add(p.row, row), b.add(p.column, column)}, loaded;
            if (isVNNI)
              loaded = vector::BitCastOp::create(b, words, b.loadVNNI(p.matrix, position, mask));
            else
              loaded = b.load(p.matrix, position, mask);
            if (!isFull) {
              Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(words)));
              loaded = arith::SelectOp::create(b, inside, loaded, zero);
            }
            rows.push_back(loaded);
          }
          transpose(b, rows);
          // With a mask, the rows after the last column are zero.
          auto store = [&](int64_t begin, int64_t end) {
            for (int64_t k = begin; k < end; ++k) {
              Value row = rows[k], offset = b.add(base, b.mul(b.add(column, k * inWord), panel));
              if (isVNNI)
                row = vector::BitCastOp::create(b, VectorType::get({width}, b.getBF16Type()), row);
              vector::StoreOp::create(b, row, p.target, b.add(offset, b.mul(inPanel, inWord)));
            }
          };
          // The depth of panels is a multiple of their width, which may be half of that of the source's vectors.
          const int64_t atOnce = std::min(lanes, panel / inWord);
          store(0, atOnce);
          if (atOnce < lanes)
            b.ifThen(b.compare(arith::CmpIPredicate::slt, b.add(column, panel), p.columns),
                     [&] { store(atOnce, lanes); });
        });
      };
      b.ifElse(b.compare(arith::CmpIPredicate::sge, count, b.index(lanes)), [&] { copy(true); }, [&] { copy(false); });
    });
    fillTail(b, p.target, base, b.mul(b.ceilDiv(p.columns, width), width));
  });
}

void KernelLibrary::packTransposed(HostBuilder &b, const PackRight &arguments) {
  PackRight p = arguments;
  p.matrix = b.asRows(p.matrix);
  call(b, "pack_transposed", p, emitTransposed);
}

static void emitStoreTransposed(HostBuilder &b, const StoreTransposed &p) {
  int64_t lanes = b.tiles.lanes;
  Value zero = b.index(0), last = b.sub(p.rows, b.index(1)), width = b.index(lanes);
  b.loop(zero, p.columns, lanes, [&](Value j) {
    b.loop(zero, p.rows, lanes, [&](Value i) {
      auto tile = [&](bool isFull) {
        SmallVector<Value> vectors;
        for (int64_t k = 0; k < lanes; ++k) {
          Value sourceRow = isFull ? b.add(i, k) : b.min(b.add(i, k), last);
          vectors.push_back(b.load(p.source, b.add(b.add(p.offset, b.mul(sourceRow, p.stride)), j)));
        }
        transpose(b, vectors);
        Value count = b.sub(p.rows, i);
        for (int64_t k = 0; k < lanes; ++k) {
          Value mask, targetRow = b.add(j, k);
          if (!isFull) {
            Value inside = b.compare(arith::CmpIPredicate::slt, targetRow, p.columns);
            mask = b.mask(b.select(inside, count, zero));
          }
          b.store(vectors[k], p.target, {b.add(p.row, targetRow), b.add(p.column, i)}, mask);
        }
      };
      Value isFull = b.createOrFold<arith::AndIOp>(b.compare(arith::CmpIPredicate::sge, b.sub(p.rows, i), width),
                                                   b.compare(arith::CmpIPredicate::sge, b.sub(p.columns, j), width));
      b.ifElse(isFull, [&] { tile(true); }, [&] { tile(false); });
    });
  });
}

void KernelLibrary::storeTransposed(HostBuilder &b, const StoreTransposed &arguments) {
  StoreTransposed p = arguments;
  p.target = b.asRows(p.target);
  call(b, "store_transposed", p, emitStoreTransposed);
}

static void emitVNNI(HostBuilder &b, const PackVNNI &p) {
  int64_t panel = b.tiles.panel, lanes = b.tiles.lanes;
  b.loop(p.panels, [&](Value q) {
    Value base = b.add(p.offset, b.mul(q, p.stride));
    auto interleave = [&](Value row, bool hasSecond) {
      // Read both rows before the first pairs overwrite them.
      SmallVector<Value> pairs;
      Value at = b.add(base, b.mul(row, panel));
      for (int64_t v = 0; v < b.tiles.vectors; ++v) {
        Value first = b.loadUnconverted(p.buffer, b.add(at, v * lanes), lanes);
        pairs.push_back(b.interleave(first, hasSecond ? b.loadUnconverted(p.buffer, b.add(at, panel + v * lanes), lanes)
                                                      : Value()));
      }
      for (auto [v, value] : llvm::enumerate(pairs))
        vector::StoreOp::create(b, value, p.buffer, b.add(at, int64_t(v) * 2 * lanes));
    };
    Value odd = b.createOrFold<arith::AndIOp>(p.rows, b.index(1)), whole = b.sub(p.rows, odd);
    b.loop(b.index(0), whole, 2, [&](Value row) { interleave(row, true); });
    b.ifThen(b.compare(arith::CmpIPredicate::ne, odd, b.index(0)), [&] { interleave(whole, false); });
    if (b.tiles.usesAMX())
      fillTail(b, p.buffer, base, b.add(whole, b.mul(odd, 2)));
  });
}

void KernelLibrary::packVNNI(HostBuilder &b, const PackVNNI &arguments) {
  call(b, "pack_vnni", arguments, emitVNNI);
}
