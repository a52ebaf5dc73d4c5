//===- RowDots.cpp - products with rows of a matrix that is not packed -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"
#include "rnn/Codegen/CPU/Transpose.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

/// One row of a is multiplied with one whole row of w after the other, or with two that have fewer bytes than this. On
/// Zen 4, eight rows of w at a time took up to 1.36 times as long, but not where only parts of the rows are read
/// (benchmarks/results/2026-11-28-zen4.md).
static constexpr int64_t bytesOfLongRow = 1024;
/// The independent sums of these loops, which hide the FMA latency.
static constexpr int64_t sumsInOrder = 4;

namespace {
/// The dot products of rows of a with rows of w.
class RowDotsKernel {
public:
  RowDotsKernel(HostBuilder &b, const RowDots &p)
      : b(b), p(p), kernel(MicroKernel::create(b, b.tiles.left, b.tiles.left)), panel(b.tiles.panel),
        lanes(b.tiles.lanes), width(b.tiles.usesBF16Dot() ? 2 * lanes : lanes), zero(b.index(0)),
        rest(b.createOrFold<arith::RemUIOp>(p.depth, b.index(width))), whole(b.sub(p.depth, rest)) {}

  void emit() {
    Value isOneRow = b.compare(arith::CmpIPredicate::eq, p.rows, b.index(1));
    Value rowSize = memref::DimOp::create(b, p.w, cast<MemRefType>(p.w.getType()).getRank() - 1);
    Value readsWholeRows = b.compare(arith::CmpIPredicate::eq, p.depth, rowSize);
    b.ifElse(b.createOrFold<arith::AndIOp>(isOneRow, readsWholeRows), [&] { emitInOrder(); }, [&] { emitRows(); });
  }

private:
  /// A vector of factors in panel q, or the same elements of panels q and q + 1 if a panel has half as many.
  Value loadFactorsOf(Value q, Value inPanel, Value mask = {}) {
    Value offset = b.add(b.add(p.aOffset, b.mul(q, p.aPanel)), inPanel);
    if (panel >= width)
      return b.loadUnconverted(p.a, offset, width, mask);
    auto load = [&](int64_t half) {
      Value ofHalf =
          mask ? vector::ExtractStridedSliceOp::create(b, mask, half * panel, panel, 1).getResult() : Value();
      return b.loadUnconverted(p.a, half ? b.add(offset, p.aPanel) : offset, panel, ofHalf);
    };
    return vector::ShuffleOp::create(b, load(0), load(1), llvm::to_vector(llvm::seq<int64_t>(width)));
  }
  /// Elements k to k + width of row `row` of a, which is in panels.
  Value loadFactors(Value row, Value k, Value mask = {}) {
    Value q = b.div(k, b.index(panel)), inPanel = b.sub(k, b.mul(q, panel));
    return loadFactorsOf(q, b.add(b.mul(row, panel), inPanel), mask);
  }
  Value loadWeights(Value row, Value k, Value mask = {}) {
    Value column = b.add(p.column, k);
    if (b.tiles.usesBF16Dot())
      return b.loadUnconverted(p.w, {row, column}, width, mask);
    return b.load(p.w, {row, column}, mask);
  }
  void emitInOrder();
  void addInOrder(Value column, int64_t rows);
  void emitRows();
  void addRows(Value column, ArrayRef<Value> matrixRows, Value firstRow, int64_t rows);

  HostBuilder &b;
  const RowDots &p;
  std::unique_ptr<MicroKernel> kernel;
  int64_t panel, lanes;
  int64_t width; ///< elements of a vector of factors
  Value zero, rest, whole;
};
} // namespace

/// Adds the dot products of one row of a with `rows` rows of w from row `column` on, in the order of memory: blocks of
/// whole panels, whose addresses need no division, then vectors.
void RowDotsKernel::addInOrder(Value column, int64_t rows) {
  const int64_t unit = std::max(panel, width), ofUnit = unit / width;
  const int64_t units = std::max<int64_t>(1, sumsInOrder / rows / ofUnit), vectors = units * ofUnit;
  const int64_t block = units * unit;
  SmallVector<Value> matrixRows;
  for (int64_t row = 0; row < rows; ++row)
    matrixRows.push_back(b.add(b.add(p.row, column), row));
  auto add = [&](Value factors, Value k, ValueRange sums, Value mask = {}) {
    SmallVector<Value> next;
    for (auto [row, sum] : llvm::zip_equal(matrixRows, sums))
      next.push_back(kernel->multiplyLanes(factors, loadWeights(row, k, mask), sum));
    return next;
  };
  Value blocks = b.div(p.depth, b.index(block));
  SmallVector<Value> zeros(vectors * rows, b.constant(0));
  SmallVector<Value> all = b.loop(zero, blocks, 1, zeros, [&](Value number, ValueRange carried) {
    SmallVector<Value> next;
    for (int64_t v = 0; v < vectors; ++v) {
      Value q = b.mul(b.add(b.mul(number, units), v / ofUnit), unit / panel);
      Value factors = loadFactorsOf(q, b.index(v % ofUnit * width));
      llvm::append_range(next, add(factors, b.add(b.mul(number, block), v * width), carried.slice(v * rows, rows)));
    }
    return next;
  });
  for (int64_t half = vectors / 2; half > 0; half /= 2)
    for (int64_t k = 0; k < half * rows; ++k)
      all[k] = b.addf(all[k], all[k + half * rows]);
  SmallVector<Value> sums = b.loop(b.mul(blocks, block), whole, width, ArrayRef(all).take_front(rows),
                                   [&](Value k, ValueRange carried) { return add(loadFactors(zero, k), k, carried); });
  if (getConstantIntValue(rest) != 0) {
    Value mask = b.mask(rest, width);
    sums = add(loadFactors(zero, whole, mask), whole, sums, mask);
  }
  for (auto [row, sum] : llvm::enumerate(sums)) {
    Value total = vector::ReductionOp::create(b, vector::CombiningKind::ADD, sum, arith::FastMathFlags::reassoc);
    Value offset = b.add(b.add(p.cOffset, column), row);
    memref::StoreOp::create(b, b.addf(memref::LoadOp::create(b, p.c, offset), total), p.c, offset);
  }
}

/// One row of a, whole rows of w: most of the time is that of reading w.
void RowDotsKernel::emitInOrder() {
  Value isShort = b.compare(arith::CmpIPredicate::slt, p.depth,
                            b.index(bytesOfLongRow * 8 / b.tiles.element.getIntOrFloatBitWidth()));
  Value pairs = b.select(isShort, b.div(p.columns, b.index(2)), zero), even = b.mul(pairs, 2);
  b.loop(zero, even, 2, [&](Value column) { addInOrder(column, 2); });
  b.loop(even, p.columns, 1, [&](Value column) { addInOrder(column, 1); });
}

/// Eight rows of w at a time. A vector of results has one vector of sums per lane (addRows).
void RowDotsKernel::emitRows() {
  Value last = b.sub(p.columns, b.index(1));
  b.loop(zero, p.columns, lanes, [&](Value column) {
    SmallVector<Value> matrixRows;
    for (int64_t k = 0; k < lanes; ++k) // rows past the last one are not stored
      matrixRows.push_back(b.add(p.row, b.min(b.add(column, k), last)));
    // Two rows load a vector of weights once, if there are enough registers for the sums.
    const int64_t together = b.tiles.vectors >= 4 ? 2 : 1;
    Value even = b.mul(b.div(p.rows, b.index(together)), together);
    b.loop(zero, even, together, [&](Value row) { addRows(column, matrixRows, row, together); });
    if (together > 1)
      b.loop(even, p.rows, 1, [&](Value row) { addRows(column, matrixRows, row, 1); });
  });
}

/// Adds the dot products of `rows` rows of a with a vector of rows of w. Its sums are transposed and added at the end.
void RowDotsKernel::addRows(Value column, ArrayRef<Value> matrixRows, Value firstRow, int64_t rows) {
  SmallVector<SmallVector<Value>> sums(rows);
  for (int64_t first = 0; first < lanes; first += rowsAtOnce) {
    auto group = matrixRows.slice(first, std::min(rowsAtOnce, lanes - first));
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
    Value offset = b.add(b.add(p.cOffset, b.mul(b.add(firstRow, row), p.cRow)), column);
    Value mask = b.mask(b.sub(p.columns, column));
    b.store(b.addf(b.load(p.c, offset, mask), lanesOfRow[0]), p.c, offset, mask);
  }
}

static void emitRowDots(HostBuilder &b, const RowDots &p) {
  RowDotsKernel(b, p).emit();
}

void KernelLibrary::rowDots(HostBuilder &b, const RowDots &arguments) {
  RowDots p = arguments;
  p.w = b.asRows(p.w);
  call(b, "row_dots", p, emitRowDots);
}
