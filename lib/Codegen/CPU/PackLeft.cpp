//===- PackLeft.cpp - left operands of packed GEMMs --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

static void emitRows(HostBuilder &b, const PackRows &p) {
  int64_t panel = b.tiles.panel;
  const bool hasSteps = HostBuilder::hasSteps(p.matrix);
  Value columns = memref::DimOp::create(b, p.matrix, hasSteps ? 2 : 1);
  SmallVector<Value, 3> start = b.rowIndices(p.matrix, p.row);
  auto forRows = [&](function_ref<void(Value, ArrayRef<Value>)> body) {
    b.loop(p.steps, [&](Value step) {
      Value inTarget = b.mul(step, p.rows);
      b.loop(p.rows, [&](Value k) {
        SmallVector<Value> row(start.begin(), start.end());
        if (hasSteps)
          row[0] = b.add(row[0], step);
        else
          row[0] = b.add(row[0], b.mul(step, p.step));
        row.back() = b.add(row.back(), k);
        body(b.add(inTarget, k), row);
      });
    });
  };
  b.loop(b.ceilDiv(columns, panel), [&](Value q) {
    Value first = b.mul(q, panel), base = b.add(p.offset, b.mul(q, p.stride));
    b.forPanel(first, columns, [&](ArrayRef<Value> masks) {
      forRows([&](Value k, ArrayRef<Value> row) {
        for (int64_t v = 0; v < b.tiles.vectors; ++v) {
          int64_t offset = v * b.tiles.lanes;
          Value mask = masks.empty() ? Value() : masks[v];
          SmallVector<Value> position(row);
          position.push_back(b.add(first, offset));
          b.store(b.load(p.matrix, position, mask), p.target, b.add(b.add(base, b.mul(k, panel)), offset));
        }
      });
    });
  });
}

void KernelLibrary::packRows(HostBuilder &b, const PackRows &arguments) {
  PackRows p = arguments;
  p.matrix = b.asRows(p.matrix);
  if (!p.offset)
    p.offset = b.index(0);
  if (!p.stride)
    p.stride = b.mul(b.mul(p.rows, p.steps), b.tiles.panel);
  if (!HostBuilder::hasSteps(p.matrix)) {
    // All rows of consecutive steps: one loop instead of short ones.
    Value areWhole = b.compare(arith::CmpIPredicate::eq, p.rows, p.step);
    p.rows = b.select(areWhole, b.mul(p.rows, p.steps), p.rows);
    p.steps = b.select(areWhole, b.index(1), p.steps);
  }
  call(b, "pack_rows", p, emitRows);
}

static void emitLeft(HostBuilder &b, const PackLeft &p) {
  constexpr int64_t height = Tiles::rows, width = 8;
  static_assert(width >= height, "a vector has the columns of a tile");
  bool isVNNI = HostBuilder::isVNNI(p.target);
  Value zero = b.index(0), sourceColumns = memref::DimOp::create(b, p.matrix, 1);
  b.loop(b.ceilDiv(p.columns, height), [&](Value tile) {
    Value first = b.mul(tile, height), rest = b.sub(p.columns, first);
    Value base = b.mul(tile, height * Tiles::depth), from = b.add(p.column, first);
    auto copy = [&](Value firstCopied, function_ref<Value(Value row, Value column, int64_t k)> load) {
      b.loop(firstCopied, p.rows, 1, [&](Value r) {
        Value sourceRow = b.add(p.row, r), targetRow = b.add(p.firstRow, r);
        Value offset = b.mul(targetRow, height);
        if (isVNNI) {
          Value inPair = b.createOrFold<arith::AndIOp>(targetRow, b.index(1));
          offset = b.add(b.mul(b.sub(targetRow, inPair), height), inPair);
        }
        offset = b.add(base, offset);
        for (int64_t k = 0; k < height; ++k) {
          Value value = load(sourceRow, b.add(from, k), k);
          if (isVNNI)
            value = arith::TruncFOp::create(b, b.tiles.left, value);
          memref::StoreOp::create(b, value, p.target, b.add(offset, isVNNI ? 2 * k : k));
        }
      });
    };
    auto copyWhole = [&](Value firstCopied) {
      copy(firstCopied, [&](Value r, Value c, int64_t) { return b.loadScalar(p.matrix, {r, c}); });
    };
    // Vectors have more columns than a tile: the next row overwrites them. The last row is copied by elements.
    auto copyVectors = [&] {
      Value last = b.max(b.sub(p.rows, b.index(1)), zero);
      b.loop(last, [&](Value r) {
        Value vector = b.loadUnconverted(p.matrix, {b.add(p.row, r), from}, width);
        if (cast<VectorType>(vector.getType()).getElementType() != b.tiles.sum)
          vector = arith::ExtFOp::create(b, VectorType::get({width}, b.tiles.sum), vector);
        vector::StoreOp::create(b, vector, p.target, b.add(base, b.mul(b.add(p.firstRow, r), height)));
      });
      copyWhole(last);
    };
    b.ifElse(
        b.compare(arith::CmpIPredicate::sle, b.index(height), rest),
        [&] {
          if (isVNNI)
            return copyWhole(zero);
          b.ifElse(b.compare(arith::CmpIPredicate::sle, b.add(from, width), sourceColumns), copyVectors,
                   [&] { copyWhole(zero); });
        },
        [&] {
          Value none = arith::ConstantOp::create(b, b.getFloatAttr(b.tiles.sum, 0));
          copy(zero, [&](Value r, Value c, int64_t k) {
            auto inside = scf::IfOp::create(b, b.tiles.sum, b.compare(arith::CmpIPredicate::slt, b.index(k), rest),
                                            /*withElseRegion=*/true);
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToStart(inside.thenBlock());
            scf::YieldOp::create(b, b.loadScalar(p.matrix, {r, c}));
            b.setInsertionPointToStart(inside.elseBlock());
            scf::YieldOp::create(b, none);
            return inside.getResult(0);
          });
        });
  });
}

void KernelLibrary::packLeft(HostBuilder &b, const PackLeft &arguments) {
  PackLeft p = arguments;
  p.matrix = b.asRows(p.matrix);
  if (!HostBuilder::hasSteps(p.matrix))
    return call(b, "pack_left", p, emitLeft);
  // The rows of each step are a matrix.
  Value batch = b.max(memref::DimOp::create(b, p.matrix, 1), b.index(1));
  Value end = b.add(p.row, b.max(p.rows, b.index(0)));
  b.loop(b.div(p.row, batch), b.div(b.add(end, b.sub(batch, b.index(1))), batch), 1, [&](Value t) {
    Value stepRow = b.mul(t, batch), from = b.max(p.row, stepRow), to = b.min(end, b.add(stepRow, batch));
    PackLeft step = p;
    step.matrix = b.stepRows(p.matrix, t);
    step.row = b.sub(from, stepRow), step.rows = b.sub(to, from);
    step.firstRow = b.add(p.firstRow, b.sub(from, p.row));
    call(b, "pack_left", step, emitLeft);
  });
}
