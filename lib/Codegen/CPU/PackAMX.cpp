//===- PackAMX.cpp - transposed left operands of AMX tiles -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/KernelLibrary.h"
#include "rnn/Codegen/CPU/Transpose.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

/// A row of one of the matrices.
struct Row {
  Row(HostBuilder &b, Value matrix, Value row, Value isInside = Value())
      : matrix(matrix), indices(b.rowIndices(matrix, row)), isInside(isInside) {}

  Value matrix;
  SmallVector<Value, 3> indices;
  Value isInside; ///< null: true
};

} // namespace

/// `lanes` columns of a row in bf16, or zeros.
static Value loadRow(HostBuilder &b, const Row &row, Value column, Value mask) {
  SmallVector<Value, 3> indices = row.indices;
  indices.push_back(column);
  Value loaded = b.loadUnconverted(row.matrix, indices, b.tiles.lanes, mask);
  auto type = VectorType::get({b.tiles.lanes}, b.getBF16Type());
  if (loaded.getType() != type)
    loaded = arith::TruncFOp::create(b, type, loaded);
  if (!row.isInside)
    return loaded;
  Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
  return arith::SelectOp::create(b, row.isInside, loaded, zero);
}

static void emitLeftTransposed(HostBuilder &b, const PackLeftTransposed &p) {
  constexpr int64_t panel = Tiles::amxPanel;
  int64_t lanes = b.tiles.lanes;
  Value last = b.sub(p.rows, b.index(1)), firstEnd = b.add(p.firstFrom, p.firstRows);
  VectorType words = b.vectorType(b.getI32Type());
  auto isAtMost = [&](Value a, Value c) { return b.compare(arith::CmpIPredicate::sle, a, c); };
  auto both = [&](Value a, Value c) { return b.createOrFold<arith::AndIOp>(a, c); };
  b.loop(b.ceilDiv(p.rows, panel), [&](Value block) {
    Value from = b.mul(block, panel), to = b.add(from, panel);
    Value base = b.add(p.offset, b.mul(block, p.stride));
    // Pairs of rows become words, whose transpose has the pairs of a column in consecutive words.
    auto pack = [&](ArrayRef<Row> rows) {
      b.forColumns(p.columns, [&](Value column, Value mask) {
        Value source = b.add(p.column, column);
        for (int64_t group = 0; group < panel; group += 2 * lanes) {
          SmallVector<Value> vectors;
          for (int64_t k = group; k < group + 2 * lanes; k += 2) {
            Value pairs = b.interleave(loadRow(b, rows[k], source, mask), loadRow(b, rows[k + 1], source, mask));
            vectors.push_back(vector::BitCastOp::create(b, words, pairs));
          }
          transpose(b, vectors);
          for (auto [k, vector] : llvm::enumerate(vectors)) {
            Value pairs = vector::BitCastOp::create(b, VectorType::get({2 * lanes}, b.getBF16Type()), vector);
            Value offset = b.add(base, b.mul(b.add(column, int64_t(k)), panel));
            vector::StoreOp::create(b, pairs, p.target, b.add(offset, group));
          }
        }
      });
    };
    auto packOne = [&](Value matrix, Value firstRow) {
      SmallVector<Row> rows;
      for (int64_t k = 0; k < panel; ++k)
        rows.push_back(Row(b, matrix, b.add(firstRow, k)));
      pack(rows);
    };
    auto packMixed = [&] {
      SmallVector<Row> rows;
      for (int64_t k = 0; k < panel; ++k) {
        Value r = b.add(from, k), row = b.min(r, last);
        Value isFirst = both(isAtMost(p.firstFrom, row), b.compare(arith::CmpIPredicate::slt, row, firstEnd));
        Value inFirst = b.add(p.firstRow, b.sub(row, p.firstFrom));
        Value inSecond = b.add(p.secondRow, b.sub(row, p.secondFrom));
        rows.push_back(Row(b, arith::SelectOp::create(b, isFirst, p.first, p.second),
                           b.select(isFirst, inFirst, inSecond), isAtMost(r, last)));
      }
      pack(rows);
    };
    Value isWhole = isAtMost(to, p.rows);
    Value isFirst = both(isAtMost(p.firstFrom, from), isAtMost(to, firstEnd));
    Value isSecond = b.createOrFold<arith::OrIOp>(isAtMost(to, p.firstFrom), isAtMost(firstEnd, from));
    b.ifElse(
        both(isWhole, isFirst), [&] { packOne(p.first, b.add(p.firstRow, b.sub(from, p.firstFrom))); },
        [&] {
          b.ifElse(
              both(isWhole, isSecond), [&] { packOne(p.second, b.add(p.secondRow, b.sub(from, p.secondFrom))); },
              packMixed);
        });
  });
}

void KernelLibrary::packLeftTransposed(HostBuilder &b, const PackLeftTransposed &arguments) {
  PackLeftTransposed p = arguments;
  p.first = b.asRows(p.first), p.second = b.asRows(p.second);
  if (HostBuilder::hasSteps(p.first) && !HostBuilder::hasSteps(p.second))
    p.second = b.asOneStep(p.second);
  if (HostBuilder::hasSteps(p.second) && !HostBuilder::hasSteps(p.first))
    p.first = b.asOneStep(p.first);
  call(b, "pack_left_transposed", p, emitLeftTransposed);
}
