//===- InPlaceWeights.cpp - GEMMs by weights that are not packed beforehand --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/InPlaceWeights.h"
#include "Layers.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

bool Layer::addsRows(Pass pass) {
  return getGateWeights(Weights::State, 0).gatesAreRows == (pass == Pass::Backward);
}

Value Layer::areFewRows(Value rows, Pass pass) {
  const bool isBackward = pass == Pass::Backward;
  // Sums reuse weights in registers for several rows, dot products for two, and with few registers (AVX2) for one. The
  // dot products of a gradient are short: one for each gate, and each ends with a sum over lanes.
  // Pairs of bf16 are interleaved again for each group of rows. With more than four rows,
  // packing the weights and multiplying them by AMX takes less time.
  const int64_t mostOfSums = b.tiles.usesAMX() ? 4 : b.tiles.usesBF16Dot() ? 16 : 24;
  const int64_t mostOfDots = b.tiles.vectors >= 4 && !isBackward && !b.tiles.usesAMX() ? 8 : 4;
  return b.compare(arith::CmpIPredicate::sle, rows, b.index(addsRows(pass) ? mostOfSums : mostOfDots));
}

Value Layer::mostStepsInPlace(Pass pass) {
  Value one = b.index(1), areFew = areFewRows(p.B, pass);
  if (b.tiles.usesAMX()) // more steps were not measured
    return b.select(areFew, one, b.index(0));
  // Sums read pieces of the rows, which are short if threads divide the columns: packing pays earlier.
  const int64_t slower = addsRows(pass) ? 2 : 1;
  const int64_t greatest = !addsRows(pass) && b.tiles.vectors >= 4 ? InPlaceProducts::most : InPlaceProducts::most / 2;
  FloatType type = b.tiles.weightsFor(p.B, getStepWeights());
  Value bytes = b.mul(getStepWeights(), type.getWidth() / 8);
  Value products = b.add(b.div(bytes, b.index(slower * InPlaceProducts::bytesOfProduct)), 1);
  products = b.max(b.min(products, b.index(greatest)), b.index(InPlaceProducts::fewest));
  Value most = b.max(b.div(products, b.max(p.B, one)), one);
  // Bandwidth limits few rows, for any number of steps, and these weights have more bytes if they are packed.
  if (b.tiles.vectors >= 4 && b.tiles.element.getIntOrFloatBitWidth() < type.getWidth()) {
    constexpr int64_t bytesOfRow = 1 << 22;
    Value isLarge = b.compare(arith::CmpIPredicate::sge, bytes, b.mul(p.B, slower * bytesOfRow));
    Value isBound = b.compare(arith::CmpIPredicate::sle, p.B, b.index(Tiles::fewRows));
    isBound = b.createOrFold<arith::AndIOp>(isBound, isLarge);
    most = b.select(isBound, b.index(std::numeric_limits<int64_t>::max()), most);
  }
  return b.select(areFew, most, b.index(0));
}

cpu::UnpackedRight Layer::getUnpacked(Pass pass, Weights weights, int64_t block, const Gemm &gemm, Value firstPanel) {
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
  return right;
}

void Layer::multiplyInPlace(Pass pass, Weights weights, int64_t block, const Gemm &gemm, Value firstPanel) {
  library.gemmInPlace(b, gemm, getUnpacked(pass, weights, block, gemm, firstPanel));
}

void Layer::multiplyStepInPlace(Pass pass, Value step, Value firstPanel, function_ref<Gemm(int64_t)> describe) {
  if (addsRows(pass)) {
    for (int64_t block = 0; block < recurrent.count; ++block)
      multiplyInPlace(pass, Weights::State, block, describe(block), firstPanel);
    return;
  }
  // Odd steps traverse the panels backward: L2 still has the rows that the step before read last.
  Value isOdd = b.compare(arith::CmpIPredicate::ne, b.createOrFold<arith::AndIOp>(step, b.index(1)), b.index(0));
  Value count = describe(0).columns, last = b.sub(count, b.index(1));
  b.loop(count, [&](Value number) {
    Value panel = b.select(isOdd, b.sub(last, number), number);
    for (int64_t block = 0; block < recurrent.count; ++block) {
      Gemm gemm = describe(block);
      gemm.cOffset = b.add(gemm.cOffset, b.mul(panel, gemm.cPanel)), gemm.columns = b.index(1);
      multiplyInPlace(pass, Weights::State, block, gemm, b.add(firstPanel, panel));
    }
  });
}

void Layer::multiplyInParts(Pass pass, Weights weights, int64_t block, const Gemm &gemm, Value firstPanel, Value packed,
                            Value packedOffset) {
  assert(!b.tiles.usesAMX() && "larger parts than a panel were not measured with AMX");
  cpu::UnpackedRight right = getUnpacked(pass, weights, block, gemm, firstPanel);
  auto multiplyPacked = [&] { multiplyPackedParts(gemm, right, packed, packedOffset); };
  // The sums of `vectorsOfRows` vectors must fit in registers.
  constexpr int64_t vectorsOfRows = cpu::ColumnSums::vectorsOfRows;
  if (!right.isTransposed || b.tiles.vectors < 2 * vectorsOfRows || b.tiles.element != b.tiles.sum)
    return multiplyPacked();
  auto multiplyInPlace = [&] {
    // The space of a packed panel is free, but without a panel there is none.
    b.ifThen(b.compare(arith::CmpIPredicate::sgt, b.min(gemm.rows, gemm.columns), b.index(0)),
             [&] { library.gemmInPlace(b, gemm, right, packed, packedOffset); });
  };
  b.ifElse(b.compare(arith::CmpIPredicate::sle, gemm.rows, b.index(vectorsOfRows * b.tiles.lanes)), multiplyInPlace,
           multiplyPacked);
}

void Layer::multiplyPackedParts(const Gemm &gemm, const cpu::UnpackedRight &right, Value packed, Value packedOffset) {
  const int64_t panel = b.tiles.panel;
  // Transposed: a panel is packed from whole rows of the matrix, which are contiguous, so each panel is a part.
  // Otherwise a part is packed from one piece of each of many rows. Rows of a large matrix are in different pages, so
  // wide pieces cause fewer TLB misses. The number of rows is limited so that a part fits in an L2 cache.
  const int64_t partPanels = right.isTransposed ? 1 : partColumns / panel;
  Value depthPanels = b.ceilDiv(right.depth, panel);
  Value atOnce = right.isTransposed ? depthPanels : b.min(depthPanels, b.index(Tiles::depth / panel));
  atOnce = b.max(atOnce, b.index(1));
  Value stride = b.mul(atOnce, panel * panel);
  b.loop(b.index(0), gemm.columns, partPanels, [&](Value q) {
    Value column = b.mul(q, panel), count = b.min(b.sub(gemm.columns, q), b.index(partPanels));
    Value width = b.min(b.sub(right.columns, column), b.mul(count, panel));
    b.loop(b.ceilDiv(depthPanels, atOnce), [&](Value index) {
      Value k = b.mul(index, atOnce), row = b.mul(k, panel);
      Value rows = b.min(b.sub(right.depth, row), b.mul(atOnce, panel));
      Gemm part = gemm;
      part.b = packed, part.bOffset = packedOffset, part.bPanel = stride, part.bNext = packedOffset;
      part.columns = count, part.setDepth(b, rows);
      part.aOffset = b.add(gemm.aOffset, b.mul(k, gemm.aPanel));
      part.aNext = b.add(part.aOffset, b.mul(part.depth, gemm.aPanel));
      part.cOffset = b.add(gemm.cOffset, b.mul(q, gemm.cPanel));
      if (right.isTransposed)
        library.packTransposed(b, {right.matrix, b.add(right.row, column), width, b.add(right.column, row), rows,
                                   packed, packedOffset, stride});
      else
        library.packColumns(b, {right.matrix, b.add(right.row, row), rows, b.add(right.column, column), width, packed,
                                packedOffset, stride});
      library.gemm(b, part);
    });
  });
}
