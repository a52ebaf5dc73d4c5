//===- Layers.cpp - sizes, positions and rows of a layer -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

/// Measured: benchmarks/results/2026-11-28-cascade-lake.md, "Rows of saved values".
static constexpr int64_t rowsAhead = 2;

void Problem::finish(HostBuilder &b) {
  panels = b.ceilDiv(H, b.tiles.panel), padded = b.mul(panels, b.tiles.panel);
  statePanels = b.ceilDiv(P, b.tiles.panel), statePadded = b.mul(statePanels, b.tiles.panel);
}

Value Layer::getStepWeights() {
  return b.mul(b.mul(p.padded, recurrent.count), p.statePadded);
}

Value Layer::areWeightsInL2(int64_t mostBytes) {
  return b.compare(arith::CmpIPredicate::sle, getStepWeights(), b.index(mostBytes * 8 / b.tiles.left.getWidth()));
}

/// Steps of few rows are bound by the bandwidth of L2 if their weights exceed L1 (48 KiB). Alternating sweeps read up
/// to two thirds of 64 KiB from L1. They read a tenth of 256 KiB, which is less than their sums in memory cost.
Value Layer::getTraversal(Value step, Value depthPanels) {
  if (!b.tiles.hasSweeps())
    return b.index(Gemm::Panels);
  constexpr int64_t mostBytes = 3 << 16;
  auto isAtMost = [&](Value a, int64_t most) { return b.compare(arith::CmpIPredicate::sle, a, b.index(most)); };
  Value sweeps = b.createOrFold<arith::AndIOp>(isAtMost(p.B, Tiles::fewRows), isAtMost(depthPanels, Tiles::sweepDepth));
  sweeps = b.createOrFold<arith::AndIOp>(sweeps, areWeightsInL2(mostBytes));
  Value direction = b.add(b.createOrFold<arith::AndIOp>(step, b.index(1)), b.index(Gemm::SweepUp));
  return b.select(sweeps, direction, b.index(Gemm::Panels));
}

Value Layer::stepAt(Value s) {
  if (!isReverse)
    return s;
  return b.select(isReverse, b.sub(b.sub(p.T, b.index(1)), s), s);
}

void Layer::storeAt(const Position &at, Value vector, Value tensor, Value column) {
  auto indices = [&](Value row) -> SmallVector<Value, 3> {
    if (cast<MemRefType>(tensor.getType()).getRank() == 3)
      return {at.t, row, column};
    return {b.add(b.mul(at.t, p.B), row), column};
  };
  b.store(vector, tensor, indices(at.row), at.mask);
  if (at.later && at.inRow % HostBuilder::elementsOfLine(tensor) == 0)
    memref::PrefetchOp::create(b, tensor, indices(at.later), /*isWrite=*/true, /*localityHint=*/3,
                               /*isDataCache=*/true);
}

/// Generates `body` for every vector of a row of a panel.
static void forVectors(Layer &layer, Value t, Value row, Value panel, Value padded, Value reset, Value later,
                       ArrayRef<Value> masks, function_ref<void(const Position &)> body) {
  HostBuilder &b = layer.b;
  int64_t width = b.tiles.panel;
  Value first = b.mul(panel, width);
  for (int64_t v = 0; v < b.tiles.vectors; ++v) {
    int64_t offset = v * b.tiles.lanes;
    Value inPanel = b.add(b.mul(row, width), offset);
    Value inState = b.add(b.mul(b.add(b.mul(panel, layer.p.B), row), width), offset);
    Value column = b.add(first, offset);
    body({t, row, column, masks.empty() ? Value() : masks[v], inPanel, inState, padded, panel, reset, later, offset});
  }
}

/// Whether a step is past the end of the example of a row; null without lengths.
static Value isPadded(Layer &layer, Value t, Value row) {
  HostBuilder &b = layer.b;
  if (!layer.lengths)
    return Value();
  Value length = memref::LoadOp::create(b, layer.lengths, row);
  length = arith::IndexCastOp::create(b, b.getIndexType(), length);
  return b.compare(arith::CmpIPredicate::sge, t, length);
}

void Layer::forPositions(Value columns, Value t, Value panel, function_ref<void(const Position &)> body) {
  b.forPanel(b.mul(panel, b.tiles.panel), columns, [&](ArrayRef<Value> masks) {
    Value end = endRow ? endRow : p.B, last = b.sub(end, b.index(1));
    b.loop(firstRow ? firstRow : b.index(0), end, 1, [&](Value row) {
      Value later = b.min(b.add(row, rowsAhead), last); // other threads write the rows behind
      forVectors(*this, t, row, panel, isPadded(*this, t, row), isReset(t, row), later, masks, body);
    });
  });
}

void Layer::forRows(Value columns, Value t, Value first, Value end, function_ref<void(const Position &)> body,
                    bool onlyReset) {
  int64_t width = b.tiles.panel;
  Value whole = b.div(columns, b.index(width)), rest = b.sub(columns, b.mul(whole, width));
  Value wholeEnd = b.min(end, whole);
  SmallVector<Value> masks;
  for (int64_t v = 0; v < b.tiles.vectors; ++v)
    masks.push_back(b.mask(b.sub(rest, b.index(v * b.tiles.lanes))));
  auto one = [&](Value row) {
    // Before the loop: the stores of its body may alias the marks.
    Value padded = isPadded(*this, t, row), reset = isReset(t, row);
    b.loop(first, wholeEnd, 1,
           [&](Value panel) { forVectors(*this, t, row, panel, padded, reset, Value(), {}, body); });
    if (getConstantIntValue(rest) == 0)
      return;
    b.ifThen(b.compare(arith::CmpIPredicate::slt, whole, end),
             [&] { forVectors(*this, t, row, whole, padded, reset, Value(), masks, body); });
  };
  b.loop(firstRow ? firstRow : b.index(0), endRow ? endRow : p.B, 1, [&](Value row) {
    if (onlyReset)
      b.ifThen(isReset(t, row), [&] { one(row); });
    else
      one(row);
  });
}

Value Layer::isReset(Value t, Value row) {
  if (!resets)
    return Value();
  // A mark at time t separates t - 1 and t, so the reverse direction is reset before t - 1.
  Value later = t, isMarked;
  if (isReverse) {
    later = b.select(isReverse, b.add(t, 1), t);
    isMarked = b.compare(arith::CmpIPredicate::slt, later, p.T);
    later = b.min(later, b.sub(p.T, b.index(1)));
  }
  Value mark = memref::LoadOp::create(b, resets, ValueRange{later, row});
  isMarked = isMarked ? b.createOrFold<arith::AndIOp>(isMarked, mark) : mark;
  Value padded = isPadded(*this, later, row);
  return padded ? arith::SelectOp::create(b, padded, arith::ConstantOp::create(b, b.getBoolAttr(false)), isMarked)
                : isMarked;
}

void host::alternate(HostBuilder &b, Gemm &gemm, Value step) {
  Value zero = b.index(0), last = b.sub(gemm.columns, b.index(1));
  Value isOdd = b.compare(arith::CmpIPredicate::ne, b.createOrFold<arith::AndIOp>(step, b.index(1)), zero);
  auto reverse = [&](Value &offset, Value &stride) {
    offset = b.select(isOdd, b.add(offset, b.mul(last, stride)), offset);
    stride = b.select(isOdd, b.sub(zero, stride), stride);
  };
  reverse(gemm.bOffset, gemm.bPanel);
  reverse(gemm.cOffset, gemm.cPanel);
}

void host::fillRows(HostBuilder &b, Value rows, Value from, Value to, Value columns) {
  b.loop(from, to, 1, [&](Value row) {
    b.forColumns(columns, [&](Value column, Value mask) { b.store(b.constant(0), rows, {row, column}, mask); });
  });
}

void host::fillSteps(HostBuilder &b, Value tensor, Value from, Value to, Value batch, Value columns) {
  b.loop(from, to, 1, [&](Value t) {
    b.loop(batch, [&](Value row) {
      b.forColumns(columns, [&](Value column, Value mask) { b.store(b.constant(0), tensor, {t, row, column}, mask); });
    });
  });
}

void host::storePanels(HostBuilder &b, Value source, Value from, Value rows, Value columns, Value target,
                       Value firstRow) {
  int64_t panel = b.tiles.panel;
  b.loop(b.ceilDiv(columns, panel), [&](Value q) {
    Value first = b.mul(q, panel), count = b.min(b.sub(columns, first), b.index(panel));
    b.loop(rows, [&](Value row) {
      b.storeRow(source, b.add(from, b.mul(b.add(b.mul(q, rows), row), panel)), target, {b.add(firstRow, row)}, first,
                 count);
    });
  });
}

Value host::asMatrix(HostBuilder &b, Value buffer, Value offset, Value rows, Value columns, Value rowStride) {
  auto source = cast<MemRefType>(buffer.getType());
  if (!source.getLayout().isIdentity()) {
    auto parts = memref::ExtractStridedMetadataOp::create(b, buffer);
    offset = b.add(parts.getOffset(), offset);
  }
  constexpr int64_t any = ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(b.getContext(), any, {any, 1});
  auto type = MemRefType::get({any, any}, source.getElementType(), layout);
  SmallVector<OpFoldResult> extents = {rows, columns}, strides = {rowStride ? rowStride : columns, b.getIndexAttr(1)};
  return memref::ReinterpretCastOp::create(b, type, buffer, OpFoldResult(offset), extents, strides);
}

void host::copyRows(HostBuilder &b, Value source, Value sourceRow, Value rows, Value columns, Value target,
                    Value targetRow) {
  b.loop(rows, [&](Value row) {
    b.forColumns(columns, [&](Value column, Value mask) {
      Value value = b.load(source, b.rowIndices(source, b.add(sourceRow, row), column), mask);
      b.store(value, target, b.rowIndices(target, b.add(targetRow, row), column), mask);
    });
  });
}
