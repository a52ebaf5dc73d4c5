//===- Packing.cpp - from tensors to panels and tiles -------------------------===//
//
// Elements become the accumulation type on the way, and what is missing in the last panel becomes zero.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

static constexpr auto le = arith::CmpIPredicate::sle;

/// Runs `body` for the vectors of one panel whose first column is `first`: with the vector's offset in the panel, and a
/// mask if the panel is not full.
static void forPanel(HostBuilder &b, Value first, Value columns, function_ref<void(function_ref<Value(int64_t)>)> body) {
  Value rest = b.sub(columns, first);
  b.branch(
      b.compare(le, b.index(b.tiles.panel), rest), [&] { body([](int64_t) { return Value(); }); },
      [&] {
        SmallVector<Value> masks;
        for (int64_t v = 0; v < b.tiles.vectors; ++v)
          masks.push_back(b.mask(b.sub(rest, b.index(v * b.tiles.lanes))));
        body([&](int64_t v) { return masks[v]; });
      });
}

//===----------------------------------------------------------------------===//
// Left operands
//===----------------------------------------------------------------------===//

static void emitRows(HostBuilder &b, Value source, Value row, Value rows, Value target) {
  int64_t panel = b.tiles.panel;
  Value columns = memref::DimOp::create(b, source, 1);
  b.loop(b.ceilDiv(columns, panel), [&](Value q) {
    Value first = b.mul(q, panel), base = b.mul(b.mul(q, rows), panel);
    forPanel(b, first, columns, [&](function_ref<Value(int64_t)> mask) {
      b.loop(rows, [&](Value k) {
        for (int64_t v = 0; v < b.tiles.vectors; ++v) {
          int64_t offset = v * b.tiles.lanes;
          b.store(b.load(source, {b.add(row, k), b.add(first, offset)}, mask(v)), target,
                  b.add(b.add(base, b.mul(k, panel)), offset));
        }
      });
    });
  });
}

void Library::packRows(HostBuilder &b, Value source, Value row, Value rows, Value target) {
  Value matrix = b.asRows(source);
  Type index = b.getIndexType();
  func::FuncOp function = get(b, "pack_rows", {matrix.getType(), index, index, target.getType()},
                              [](HostBuilder &b, ValueRange v) { emitRows(b, v[0], v[1], v[2], v[3]); });
  call(b, function, {matrix, row, rows, target});
}

static void emitLeft(HostBuilder &b, Value source, Value row, Value rows, Value column, Value columns, Value target,
                     Value firstRow) {
  constexpr int64_t height = Tiles::rows;
  b.loop(b.ceilDiv(columns, height), [&](Value tile) {
    Value first = b.mul(tile, height), rest = b.sub(columns, first);
    Value base = b.mul(tile, height * Tiles::depth), from = b.add(column, first);
    auto copy = [&](function_ref<Value(Value row, Value column, int64_t k)> load) {
      b.loop(rows, [&](Value r) {
        Value sourceRow = b.add(row, r), place = b.add(base, b.mul(b.add(firstRow, r), height));
        for (int64_t k = 0; k < height; ++k)
          memref::StoreOp::create(b, load(sourceRow, b.add(from, k), k), target, b.add(place, k));
      });
    };
    b.branch(
        b.compare(le, b.index(height), rest),
        [&] { copy([&](Value r, Value c, int64_t) { return b.loadScalar(source, {r, c}); }); },
        [&] {
          Value zero = arith::ConstantOp::create(b, b.getFloatAttr(b.tiles.sum, 0));
          copy([&](Value r, Value c, int64_t k) {
            auto inside = scf::IfOp::create(b, b.tiles.sum, b.compare(arith::CmpIPredicate::slt, b.index(k), rest),
                                            /*withElseRegion=*/true);
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToStart(inside.thenBlock());
            scf::YieldOp::create(b, b.loadScalar(source, {r, c}));
            b.setInsertionPointToStart(inside.elseBlock());
            scf::YieldOp::create(b, zero);
            return inside.getResult(0);
          });
        });
  });
}

void Library::packLeft(HostBuilder &b, Value source, Value row, Value rows, Value column, Value columns, Value target,
                       Value firstRow) {
  Value matrix = b.asRows(source);
  Type index = b.getIndexType();
  func::FuncOp function =
      get(b, "pack_left", {matrix.getType(), index, index, index, index, target.getType(), index},
          [](HostBuilder &b, ValueRange v) { emitLeft(b, v[0], v[1], v[2], v[3], v[4], v[5], v[6]); });
  call(b, function, {matrix, row, rows, column, columns, target, firstRow});
}
