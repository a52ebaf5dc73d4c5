//===- GemmInPlace.cpp - products with a right operand that is not packed ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/KernelLibrary.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

void KernelLibrary::gemmInPlace(HostBuilder &b, const Gemm &gemm, const UnpackedRight &right) {
  assert(!gemm.isZero && !gemm.traversal && "the kernels add to c, and read the right operand in its own order");
  if (!right.isTransposed) {
    RowSums sums;
    sums.a = gemm.a, sums.aOffset = gemm.aOffset, sums.aPanel = gemm.aPanel, sums.rows = gemm.rows;
    sums.w = right.matrix, sums.row = right.row, sums.column = right.column;
    sums.columns = right.columns, sums.depth = right.depth;
    sums.c = gemm.c, sums.cOffset = gemm.cOffset, sums.cRow = gemm.cRow, sums.cPanel = gemm.cPanel;
    return rowSums(b, sums);
  }
  int64_t panel = b.tiles.panel;
  b.loop(gemm.columns, [&](Value q) {
    Value first = b.mul(q, panel);
    RowDots dots;
    dots.a = gemm.a, dots.aOffset = gemm.aOffset, dots.aPanel = gemm.aPanel, dots.rows = gemm.rows;
    dots.w = right.matrix, dots.row = b.add(right.row, first), dots.column = right.column;
    dots.columns = b.min(b.sub(right.columns, first), b.index(panel)), dots.depth = right.depth;
    dots.c = gemm.c, dots.cOffset = b.add(gemm.cOffset, b.mul(q, gemm.cPanel)), dots.cRow = gemm.cRow;
    rowDots(b, dots);
  });
}
