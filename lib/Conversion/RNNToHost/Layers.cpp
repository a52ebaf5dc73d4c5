//===- Layers.cpp - sizes, positions and rows of a layer -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

void Problem::finish(HostBuilder &b) {
  panels = b.ceilDiv(H, b.tiles.panel), padded = b.mul(panels, b.tiles.panel);
  statePanels = b.ceilDiv(P, b.tiles.panel), statePadded = b.mul(statePanels, b.tiles.panel);
}

Value Layer::stepAt(Value s) {
  if (!isReverse)
    return s;
  return b.select(isReverse, b.sub(b.sub(p.T, b.index(1)), s), s);
}

void Layer::forPositions(Value columns, Value t, Value panel, function_ref<void(const Position &)> body) {
  int64_t width = b.tiles.panel;
  Value first = b.mul(panel, width);
  b.forPanel(first, columns, [&](ArrayRef<Value> masks) {
    b.loop(p.B, [&](Value row) {
      Value padded;
      if (lengths) {
        Value length = memref::LoadOp::create(b, lengths, row);
        length = arith::IndexCastOp::create(b, b.getIndexType(), length);
        padded = b.compare(arith::CmpIPredicate::sge, t, length);
      }
      for (int64_t v = 0; v < b.tiles.vectors; ++v) {
        int64_t offset = v * b.tiles.lanes;
        Value inPanel = b.add(b.mul(row, width), offset);
        Value inState = b.add(b.mul(b.add(b.mul(panel, p.B), row), width), offset);
        Value column = b.add(first, offset);
        body({t, row, column, masks.empty() ? Value() : masks[v], inPanel, inState, padded, panel});
      }
    });
  });
}

void host::fillRows(HostBuilder &b, Value rows, Value from, Value to, Value columns) {
  b.loop(from, to, 1, [&](Value row) {
    b.forColumns(columns, [&](Value column, Value mask) { b.store(b.constant(0), rows, {row, column}, mask); });
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
