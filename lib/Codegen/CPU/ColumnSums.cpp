//===- ColumnSums.cpp - sums of columns of a matrix that is not packed -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"
#include "rnn/Codegen/CPU/Transpose.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

/// Transposes a and c, so that lane k of a vector belongs to their row k. Each element of w is then broadcast and
/// multiplied by vectors of a, so that w needs no packing. The sums are transposed back into c.
static void emitColumnSums(HostBuilder &b, const ColumnSums &p) {
  const int64_t panel = b.tiles.panel, lanes = b.tiles.lanes, width = ColumnSums::vectorsOfRows * lanes;
  Value zero = b.index(0), lastRow = b.sub(p.rows, b.index(1)), lastColumn = b.sub(p.columns, b.index(1));
  // Copies one vector of columns, from element `start` of each of the `p.rows` rows on, to scratch. A column becomes a
  // row of `width` elements there. `stride` is that of the rows in `buffer`. Lanes without a row repeat the last row,
  // and their sums are not stored.
  auto transposeTo = [&](Value target, Value buffer, Value start, Value stride) {
    b.loop(zero, p.rows, lanes, [&](Value first) {
      SmallVector<Value> vectors;
      for (int64_t row = 0; row < lanes; ++row)
        vectors.push_back(b.load(buffer, b.add(start, b.mul(b.min(b.add(first, row), lastRow), stride))));
      transpose(b, vectors);
      for (auto [k, vector] : llvm::enumerate(vectors))
        b.store(vector, p.scratch, b.add(b.add(target, static_cast<int64_t>(k) * width), first));
    });
  };
  Value left = p.scratchOffset;
  b.loop(zero, p.depth, lanes, [&](Value k) {
    Value q = b.div(k, b.index(panel)), inPanel = b.sub(k, b.mul(q, panel));
    transposeTo(b.add(left, b.mul(k, width)), p.a, b.add(b.add(p.aOffset, b.mul(q, p.aPanel)), inPanel),
                b.index(panel));
  });
  Value sums = b.add(left, b.mul(b.mul(b.ceilDiv(p.depth, lanes), lanes), width));
  b.loop(b.ceilDiv(p.columns, panel), [&](Value q) {
    Value c = b.add(p.cOffset, b.mul(q, p.cPanel)), firstColumn = b.mul(q, panel);
    // One panel of c, transposed: its sums start from c, as those of a GEMM.
    b.loop(zero, b.index(panel), lanes,
           [&](Value column) { transposeTo(b.add(sums, b.mul(column, width)), p.c, b.add(c, column), p.cRow); });
    auto multiply = [&](int64_t vectorsOfRows) {
      b.loop(zero, b.min(b.sub(p.columns, firstColumn), b.index(panel)), rowsAtOnce, [&](Value column) {
        auto at = [&](int64_t k, int64_t v) { return b.add(b.add(sums, b.mul(column, width)), k * width + v * lanes); };
        SmallVector<Value> rows, initial;
        for (int64_t k = 0; k < rowsAtOnce; ++k) {
          rows.push_back(b.add(p.row, b.min(b.add(b.add(firstColumn, column), k), lastColumn)));
          for (int64_t v = 0; v < vectorsOfRows; ++v)
            initial.push_back(b.load(p.scratch, at(k, v)));
        }
        SmallVector<Value> found = b.loop(zero, p.depth, 1, initial, [&](Value k, ValueRange carried) {
          SmallVector<Value> vectors, next;
          for (int64_t v = 0; v < vectorsOfRows; ++v)
            vectors.push_back(b.load(p.scratch, b.add(b.add(left, b.mul(k, width)), v * lanes)));
          for (Value row : rows) {
            Value factor = b.splat(b.loadScalar(p.w, {row, b.add(p.column, k)}));
            for (Value vector : vectors)
              next.push_back(b.fma(factor, vector, carried[next.size()]));
          }
          return next;
        });
        for (auto [k, sum] : llvm::enumerate(found))
          b.store(sum, p.scratch, at(static_cast<int64_t>(k) / vectorsOfRows, static_cast<int64_t>(k) % vectorsOfRows));
      });
    };
    b.ifElse(
        b.compare(arith::CmpIPredicate::sle, p.rows, b.index(lanes)), [&] { multiply(1); },
        [&] { multiply(ColumnSums::vectorsOfRows); });
    b.loop(zero, b.index(panel), lanes, [&](Value column) {
      Value mask = b.mask(b.sub(b.sub(p.columns, firstColumn), column));
      b.loop(zero, p.rows, lanes, [&](Value first) {
        SmallVector<Value> vectors;
        for (int64_t k = 0; k < lanes; ++k)
          vectors.push_back(b.load(p.scratch, b.add(b.add(sums, b.mul(b.add(column, k), width)), first)));
        transpose(b, vectors);
        for (int64_t k = 0; k < lanes; ++k) {
          Value row = b.add(first, k);
          b.ifThen(b.compare(arith::CmpIPredicate::slt, row, p.rows),
                   [&] { b.store(vectors[k], p.c, b.add(b.add(c, b.mul(row, p.cRow)), column), mask); });
        }
      });
    });
  });
}

void KernelLibrary::gemmInPlace(HostBuilder &b, const Gemm &gemm, const UnpackedRight &right, Value scratch,
                                Value scratchOffset) {
  assert(!gemm.isZero && !gemm.traversal && right.isTransposed && b.tiles.element == b.tiles.sum);
  ColumnSums sums;
  sums.a = gemm.a, sums.aOffset = gemm.aOffset, sums.aPanel = gemm.aPanel, sums.rows = gemm.rows;
  sums.w = b.asRows(right.matrix), sums.row = right.row, sums.column = right.column;
  sums.columns = right.columns, sums.depth = right.depth;
  sums.c = gemm.c, sums.cOffset = gemm.cOffset, sums.cRow = gemm.cRow, sums.cPanel = gemm.cPanel;
  sums.scratch = scratch, sums.scratchOffset = scratchOffset;
  call(b, "column_sums", sums, emitColumnSums);
}
