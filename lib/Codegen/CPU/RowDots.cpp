//===- RowDots.cpp - products with rows of a matrix that is not packed -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "Transpose.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

/// A vector of results has one vector of sums per lane, which are transposed and added at the end.
static void emitRowDots(HostBuilder &b, const RowDots &p) {
  std::unique_ptr<MicroKernel> kernel = MicroKernel::create(b, b.tiles.left, b.tiles.left);
  int64_t panel = b.tiles.panel, lanes = b.tiles.lanes, width = b.tiles.usesBF16Dot() ? 2 * lanes : lanes;
  Value zero = b.index(0), last = b.sub(p.columns, b.index(1));
  Value rest = b.createOrFold<arith::RemUIOp>(p.depth, b.index(width)), whole = b.sub(p.depth, rest);
  auto loadFactors = [&](Value row, Value k, Value mask) {
    Value q = b.div(k, b.index(panel)), inPanel = b.sub(k, b.mul(q, panel));
    Value offset = b.add(b.add(p.aOffset, b.mul(q, p.aPanel)), b.add(b.mul(row, panel), inPanel));
    return b.loadUnconverted(p.a, offset, width, mask);
  };
  auto loadWeights = [&](Value row, Value k, Value mask) {
    Value column = b.add(p.column, k);
    if (b.tiles.usesBF16Dot())
      return b.loadUnconverted(p.w, {row, column}, width, mask);
    return b.load(p.w, {row, column}, mask);
  };
  b.loop(zero, p.columns, lanes, [&](Value column) {
    Value count = b.sub(p.columns, column);
    SmallVector<Value> matrixRows;
    for (int64_t k = 0; k < lanes; ++k) // rows past the last one are not stored
      matrixRows.push_back(b.add(p.row, b.min(b.add(column, k), last)));
    auto addRows = [&](Value firstRow, int64_t rows) {
      SmallVector<SmallVector<Value>> sums(rows);
      for (int64_t first = 0; first < lanes; first += rowsAtOnce) {
        auto group = ArrayRef(matrixRows).slice(first, std::min(rowsAtOnce, lanes - first));
        auto add = [&](Value k, ValueRange carried, Value mask) {
          SmallVector<Value> factors, next(carried);
          for (int64_t row = 0; row < rows; ++row)
            factors.push_back(loadFactors(b.add(firstRow, row), k, mask));
          auto sum = next.begin();
          for (Value matrixRow : group) {
            Value weights = loadWeights(matrixRow, k, mask);
            for (Value factor : factors) {
              *sum = kernel->multiplyLanes(factor, weights, *sum);
              ++sum;
            }
          }
          return next;
        };
        SmallVector<Value> some = b.loop(zero, whole, width, SmallVector<Value>(rows * group.size(), b.constant(0)),
                                         [&](Value k, ValueRange carried) { return add(k, carried, Value()); });
        // All lanes are masked if none is left: a vector there may be past the end of the operands.
        if (getConstantIntValue(rest) != 0)
          some = add(whole, some, b.mask(rest, width));
        for (auto [k, sum] : llvm::enumerate(some))
          sums[k % rows].push_back(sum);
      }
      for (auto [row, lanesOfRow] : llvm::enumerate(sums)) {
        transpose(b, lanesOfRow);
        for (int64_t step = 1; step < lanes; step *= 2)
          for (int64_t k = 0; k < lanes; k += 2 * step)
            lanesOfRow[k] = b.addf(lanesOfRow[k], lanesOfRow[k + step]);
        Value offset = b.add(b.add(p.cOffset, b.mul(b.add(firstRow, row), p.cRow)), column), mask = b.mask(count);
        b.store(b.addf(b.load(p.c, offset, mask), lanesOfRow[0]), p.c, offset, mask);
      }
    };
    // Two rows load a vector of weights once, if there are enough registers for the sums.
    const int64_t together = b.tiles.vectors >= 4 ? 2 : 1;
    Value even = b.mul(b.div(p.rows, b.index(together)), together);
    b.loop(zero, even, together, [&](Value row) { addRows(row, together); });
    if (together > 1)
      b.loop(even, p.rows, 1, [&](Value row) { addRows(row, 1); });
  });
}

void KernelLibrary::rowDots(HostBuilder &b, const RowDots &arguments) {
  RowDots p = arguments;
  p.w = b.asRows(p.w);
  call(b, "row_dots", p, emitRowDots);
}
