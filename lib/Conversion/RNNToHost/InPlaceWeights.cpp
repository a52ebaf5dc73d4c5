//===- InPlaceWeights.cpp - products with weights that are not packed --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

Value Layer::areFewRows(Value rows, Pass pass) {
  const bool isBackward = pass == Pass::Backward;
  // Sums reuse weights in registers for several rows, dot products for two, and with few registers (AVX2) for one. The
  // dot products of a gradient are short: one for each gate, and each ends with a sum over lanes.
  // Pairs of bf16 are interleaved again for each group of rows. With more than four rows,
  // packing the weights and multiplying them by AMX takes less time.
  const int64_t mostOfSums = b.tiles.usesAMX() ? 4 : b.tiles.usesBF16Dot() ? 16 : 24;
  const int64_t mostOfDots = b.tiles.vectors >= 4 && !isBackward && !b.tiles.usesAMX() ? 8 : 4;
  const bool isSum = getGateWeights(Weights::State, 0).gatesAreRows == isBackward;
  return b.compare(arith::CmpIPredicate::sle, rows, b.index(isSum ? mostOfSums : mostOfDots));
}

void Layer::multiplyInPlace(Pass pass, Weights weights, int64_t block, const Gemm &gemm, Value firstPanel) {
  int64_t panel = b.tiles.panel;
  GateWeights from = getGateWeights(weights, block);
  const bool isBackward = pass == Pass::Backward;
  Value states = weights == Weights::Input ? p.I : p.P;
  Value depth = isBackward ? p.H : states, first = b.mul(firstPanel, panel);
  cpu::UnpackedRight right;
  right.matrix = from.matrix, right.isTransposed = from.gatesAreRows != isBackward;
  right.row = from.row, right.column = from.column, right.depth = depth;
  right.columns = b.min(b.sub(isBackward ? states : p.H, first), b.mul(gemm.columns, panel));
  Value &start = right.isTransposed ? right.row : right.column;
  start = b.add(start, first);
  library.gemmInPlace(b, gemm, right);
}
