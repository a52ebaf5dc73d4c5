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

//===----------------------------------------------------------------------===//
// Left operands
//===----------------------------------------------------------------------===//

static void emitRows(HostBuilder &b, Value source, Value row, Value rows, Value target) {
  int64_t panel = b.tiles.panel;
  Value columns = memref::DimOp::create(b, source, 1);
  b.loop(b.ceilDiv(columns, panel), [&](Value q) {
    Value first = b.mul(q, panel), base = b.mul(b.mul(q, rows), panel);
    b.forPanel(first, columns, [&](ArrayRef<Value> masks) {
      b.loop(rows, [&](Value k) {
        for (int64_t v = 0; v < b.tiles.vectors; ++v) {
          int64_t offset = v * b.tiles.lanes;
          Value mask = masks.empty() ? Value() : masks[v];
          b.store(b.load(source, {b.add(row, k), b.add(first, offset)}, mask), target,
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
  constexpr int64_t height = Tiles::rows, width = 8;
  static_assert(width >= height, "a vector has the columns of a tile");
  bool isPairs = HostBuilder::isPairs(target);
  Value zero = b.index(0), sourceColumns = memref::DimOp::create(b, source, 1);
  b.loop(b.ceilDiv(columns, height), [&](Value tile) {
    Value first = b.mul(tile, height), rest = b.sub(columns, first);
    Value base = b.mul(tile, height * Tiles::depth), from = b.add(column, first);
    auto copy = [&](Value firstCopied, function_ref<Value(Value row, Value column, int64_t k)> load) {
      b.loop(firstCopied, rows, 1, [&](Value r) {
        Value sourceRow = b.add(row, r), targetRow = b.add(firstRow, r);
        Value place = b.mul(targetRow, height);
        if (isPairs) {
          Value inPair = b.createOrFold<arith::AndIOp>(targetRow, b.index(1));
          place = b.add(b.mul(b.sub(targetRow, inPair), height), inPair);
        }
        place = b.add(base, place);
        for (int64_t k = 0; k < height; ++k) {
          Value value = load(sourceRow, b.add(from, k), k);
          if (isPairs)
            value = arith::TruncFOp::create(b, b.tiles.left, value);
          memref::StoreOp::create(b, value, target, b.add(place, isPairs ? 2 * k : k));
        }
      });
    };
    auto copyWhole = [&](Value firstCopied) {
      copy(firstCopied, [&](Value r, Value c, int64_t) { return b.loadScalar(source, {r, c}); });
    };
    // A vector of each row, with some columns more than a tile has: the next row takes their place. The last one has
    // none.
    auto copyVectors = [&] {
      Value last = b.max(b.sub(rows, b.index(1)), zero);
      b.loop(last, [&](Value r) {
        Value vector = b.loadAsIs(source, {b.add(row, r), from}, width);
        if (cast<VectorType>(vector.getType()).getElementType() != b.tiles.sum)
          vector = arith::ExtFOp::create(b, VectorType::get({width}, b.tiles.sum), vector);
        vector::StoreOp::create(b, vector, target, b.add(base, b.mul(b.add(firstRow, r), height)));
      });
      copyWhole(last);
    };
    b.branch(
        b.compare(arith::CmpIPredicate::sle, b.index(height), rest),
        [&] {
          if (isPairs)
            return copyWhole(zero);
          b.branch(b.compare(arith::CmpIPredicate::sle, b.add(from, width), sourceColumns), copyVectors,
                   [&] { copyWhole(zero); });
        },
        [&] {
          Value none = arith::ConstantOp::create(b, b.getFloatAttr(b.tiles.sum, 0));
          copy(zero, [&](Value r, Value c, int64_t k) {
            auto inside = scf::IfOp::create(b, b.tiles.sum, b.compare(arith::CmpIPredicate::slt, b.index(k), rest),
                                            /*withElseRegion=*/true);
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToStart(inside.thenBlock());
            scf::YieldOp::create(b, b.loadScalar(source, {r, c}));
            b.setInsertionPointToStart(inside.elseBlock());
            scf::YieldOp::create(b, none);
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

static void emitPairRows(HostBuilder &b, Value buffer, Value place, Value stride, Value panels, Value rows) {
  int64_t panel = b.tiles.panel, lanes = b.tiles.lanes;
  b.loop(panels, [&](Value q) {
    Value base = b.add(place, b.mul(q, stride));
    auto pair = [&](Value row, bool hasSecond) {
      // All of both rows is read before the first pairs are written over it.
      SmallVector<Value> pairs;
      Value at = b.add(base, b.mul(row, panel));
      for (int64_t v = 0; v < b.tiles.vectors; ++v) {
        Value first = b.loadAsIs(buffer, b.add(at, v * lanes), lanes);
        pairs.push_back(b.zip(first, hasSecond ? b.loadAsIs(buffer, b.add(at, panel + v * lanes), lanes) : Value()));
      }
      for (auto [v, value] : llvm::enumerate(pairs))
        vector::StoreOp::create(b, value, buffer, b.add(at, int64_t(v) * 2 * lanes));
    };
    Value odd = b.createOrFold<arith::AndIOp>(rows, b.index(1)), whole = b.sub(rows, odd);
    b.loop(b.index(0), whole, 2, [&](Value row) { pair(row, true); });
    b.branch(b.compare(arith::CmpIPredicate::ne, odd, b.index(0)), [&] { pair(whole, false); });
  });
}

void Library::pairRows(HostBuilder &b, Value buffer, Value place, Value stride, Value panels, Value rows) {
  Type index = b.getIndexType();
  func::FuncOp function = get(b, "pair_rows", {buffer.getType(), index, index, index, index},
                              [](HostBuilder &b, ValueRange v) { emitPairRows(b, v[0], v[1], v[2], v[3], v[4]); });
  call(b, function, {buffer, place, stride, panels, rows});
}
