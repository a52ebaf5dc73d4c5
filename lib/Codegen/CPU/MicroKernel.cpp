//===- MicroKernel.cpp - choice of a micro-kernel, and tiles of vectors ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

std::unique_ptr<MicroKernel> MicroKernel::create(HostBuilder &b, Type left, Type right) {
  if (!right.isBF16())
    return createFMAMicroKernel(b);
  if (!left.isBF16())
    return createVNNIMicroKernel(b);
  int64_t bits = b.tiles.sum.getWidth() * b.tiles.lanes;
  bool hasVDPBF16PS = b.tiles.bf16Gemm == BF16Gemm::AVX512 || b.tiles.bf16Gemm == BF16Gemm::AMX;
  if (hasVDPBF16PS && bits >= 128 && bits <= 512)
    return createAVX512MicroKernel(b);
  if (b.tiles.bf16Gemm == BF16Gemm::NEON && bits == 128)
    return createNEONMicroKernel(b);
  return createF32DotMicroKernel(b);
}

/// The offset of panel `k` of a group.
static Value panelOffset(HostBuilder &b, Value offset, Value stride, int64_t k) {
  return k == 0 ? offset : b.add(offset, b.mul(stride, k));
}

void VectorMicroKernel::forVectors(const Tile &tile, function_ref<void(Value)> body) {
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t k = 0; k < tile.group; ++k)
      for (int64_t v = 0; v < b.tiles.vectors / tile.parts; ++v) {
        Value rowOffset = b.add(tile.offset, b.mul(tile.row, row));
        body(b.add(panelOffset(b, rowOffset, tile.panel, k), v * b.tiles.lanes));
      }
}

SmallVector<Value> VectorMicroKernel::load(const Tile &tile) {
  SmallVector<Value> sums;
  forVectors(tile, [&](Value offset) { sums.push_back(b.load(tile.c, offset)); });
  return sums;
}

SmallVector<Value> VectorMicroKernel::loadOrZero(const Tile &tile, Value isZero) {
  SmallVector<Type> types(tile.rows * tile.group * b.tiles.vectors / tile.parts, b.vectorType(b.tiles.sum));
  auto choice = scf::IfOp::create(b, types, isZero, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, SmallVector<Value>(types.size(), b.constant(0)));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, load(tile));
  return SmallVector<Value>(choice.getResults());
}

void VectorMicroKernel::store(const Tile &tile, ArrayRef<Value> sums) {
  auto sum = sums.begin();
  forVectors(tile, [&](Value offset) { b.store(*sum++, tile.c, offset); });
}

SmallVector<Value> VectorMicroKernel::loadRow(const Tile &tile, const RightRow &right, int64_t width,
                                              function_ref<Value(Value)> load) {
  SmallVector<Value> columns;
  for (int64_t k = 0; k < tile.group; ++k)
    for (int64_t v = 0; v < b.tiles.vectors / tile.parts; ++v)
      columns.push_back(load(b.add(panelOffset(b, right.offset, right.panel, k), v * width)));
  return columns;
}

void VectorMicroKernel::accumulate(const Tile &tile, MutableArrayRef<Value> sums, const LeftColumn &a, size_t first,
                                   ArrayRef<Value> columns, function_ref<Value(Value)> load,
                                   function_ref<Value(Value, Value, Value)> add) {
  size_t perRow = tile.group * b.tiles.vectors / tile.parts;
  for (int64_t row = 0; row < tile.rows; ++row) {
    Value factor = load(b.add(a.offset, row * a.stride));
    for (auto [k, column] : llvm::enumerate(columns)) {
      Value &sum = sums[row * perRow + first + k];
      sum = add(factor, column, sum);
    }
  }
}

void DotMicroKernel::multiply(const Tile &tile, MutableArrayRef<Value> sums, const LeftColumn &a,
                              const RightRow &right) {
  SmallVector<Value> columns =
      loadRow(tile, right, 2 * b.tiles.lanes, [&](Value offset) { return b.loadVNNI(right.buffer, offset); });
  accumulate(
      tile, sums, a, 0, columns, [&](Value offset) { return b.splatVNNI(a.buffer, offset); },
      [&](Value factor, Value column, Value sum) { return dot(factor, column, sum); });
}
