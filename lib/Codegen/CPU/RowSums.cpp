//===- RowSums.cpp - sums of rows of a matrix that is not packed -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

/// Rows of w that one iteration reads. There are no prefetch instructions for them: the hardware prefetcher follows
/// the rows, and with prefetch instructions the loop took up to 1.5 times as long on Zen 5.
static constexpr int64_t depthAtOnce = rowsAtOnce;
/// Rows of c whose sums are in registers.
static constexpr int64_t tileRows = 4;

static void emitRowSums(HostBuilder &b, const RowSums &p) {
  // VDPBF16PS has half the rate of the f32 FMA on processors with AMX, and needs interleaved rows.
  const bool isVNNI = b.tiles.usesBF16Dot() && !b.tiles.usesAMX();
  FloatType factor = isVNNI ? b.tiles.left : b.tiles.sum;
  std::unique_ptr<MicroKernel> kernel = MicroKernel::create(b, factor, factor);
  int64_t panel = b.tiles.panel, lanes = b.tiles.lanes, depthStep = kernel->depthStep();
  // The factors of `depthStep` rows of w, from row `k + u` on.
  auto loadFactor = [&](Value row, Value k, int64_t u) {
    if (panel % depthAtOnce != 0)
      k = b.add(k, u), u = 0;
    Value q = b.div(k, b.index(panel)), inPanel = b.sub(k, b.mul(q, panel));
    Value offset = b.add(b.add(p.aOffset, b.mul(q, p.aPanel)), b.add(b.mul(row, panel), inPanel));
    offset = b.add(offset, u);
    return isVNNI ? b.splatVNNI(p.a, offset) : b.splat(b.loadScalar(p.a, offset));
  };
  auto loadRow = [&](Value row, Value column, Value mask) {
    return isVNNI ? b.loadUnconverted(p.w, {row, column}, lanes, mask) : b.load(p.w, {row, column}, mask);
  };
  // Adds rows [k, k + count) of w. An odd last row has no second row.
  auto addRows = [&](Value k, int64_t count, bool hasSecond, Value column, ArrayRef<Value> masks) {
    Value cPanel = b.add(p.cOffset, b.mul(b.div(column, b.index(panel)), p.cPanel));
    auto addTile = [&](Value firstRow, int64_t rows) {
      SmallVector<SmallVector<Value>> sums(rows);
      auto at = [&](int64_t row, int64_t v) {
        return b.add(b.add(cPanel, b.mul(b.add(firstRow, row), p.cRow)), v * lanes);
      };
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t v = 0; v < b.tiles.vectors; ++v)
          sums[row].push_back(b.load(p.c, at(row, v)));
      for (int64_t u = 0; u < count; u += depthStep) {
        SmallVector<Value> right;
        for (int64_t v = 0; v < b.tiles.vectors; ++v) {
          Value mask = masks.empty() ? Value() : masks[v], from = b.add(b.add(p.column, column), v * lanes);
          Value row = b.add(b.add(p.row, k), u), first = loadRow(row, from, mask);
          if (isVNNI)
            first = b.interleave(first, hasSecond ? loadRow(b.add(row, 1), from, mask) : Value());
          right.push_back(first);
        }
        for (int64_t row = 0; row < rows; ++row) {
          Value factor = loadFactor(b.add(firstRow, row), k, u);
          for (auto [sum, vector] : llvm::zip_equal(sums[row], right))
            sum = kernel->multiplyLanes(factor, vector, sum);
        }
      }
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t v = 0; v < b.tiles.vectors; ++v)
          b.store(sums[row][v], p.c, at(row, v));
    };
    b.loop(b.index(0), p.rows, tileRows, [&](Value firstRow) {
      auto cases = llvm::to_vector(llvm::seq<int64_t>(1, tileRows));
      auto height = scf::IndexSwitchOp::create(b, TypeRange(), b.sub(p.rows, firstRow), cases, cases.size());
      OpBuilder::InsertionGuard guard(b);
      for (int64_t rows = 1; rows <= tileRows; ++rows) {
        Region &region = rows < tileRows ? height.getCaseRegions()[rows - 1] : height.getDefaultRegion();
        b.setInsertionPointToStart(&region.emplaceBlock());
        addTile(firstRow, rows);
        scf::YieldOp::create(b);
      }
    });
  };
  auto forPanels = [&](function_ref<void(Value, ArrayRef<Value>)> body) {
    b.loop(b.ceilDiv(p.columns, panel), [&](Value q) {
      Value column = b.mul(q, panel);
      b.forPanel(column, p.columns, [&](ArrayRef<Value> masks) { body(column, masks); });
    });
  };
  Value whole = b.mul(b.div(p.depth, b.index(depthAtOnce)), depthAtOnce);
  Value paired = b.mul(b.div(p.depth, b.index(depthStep)), depthStep);
  b.loop(b.index(0), whole, depthAtOnce, [&](Value k) {
    forPanels([&](Value column, ArrayRef<Value> masks) { addRows(k, depthAtOnce, true, column, masks); });
  });
  b.loop(whole, paired, depthStep, [&](Value k) {
    forPanels([&](Value column, ArrayRef<Value> masks) { addRows(k, depthStep, true, column, masks); });
  });
  b.ifThen(b.compare(arith::CmpIPredicate::slt, paired, p.depth),
           [&] { forPanels([&](Value column, ArrayRef<Value> masks) { addRows(paired, 1, false, column, masks); }); });
}

void KernelLibrary::rowSums(HostBuilder &b, const RowSums &arguments) {
  RowSums p = arguments;
  p.w = b.asRows(p.w);
  call(b, "row_sums", p, emitRowSums);
}
