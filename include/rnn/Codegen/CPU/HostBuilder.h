//===- HostBuilder.h - builder of index, vector and loop code -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_HOSTBUILDER_H
#define RNN_CODEGEN_CPU_HOSTBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "rnn/Codegen/CPU/Tiles.h"

namespace mlir::rnn::cpu {

/// Builds index arithmetic (folded), vectors of `tiles.lanes` elements, and structured control flow.
class HostBuilder : public ImplicitLocOpBuilder {
public:
  HostBuilder(Location loc, Operation *at, const Tiles &tiles) : ImplicitLocOpBuilder(loc, at), tiles(tiles) {}
  HostBuilder(Location loc, Block *block, const Tiles &tiles)
      : ImplicitLocOpBuilder(loc, block, block->end()), tiles(tiles) {}

  Tiles tiles;

  //===--- Indices ---===//
  Value index(int64_t value) { return arith::ConstantIndexOp::create(*this, value); }
  Value add(Value a, Value b) { return createOrFold<arith::AddIOp>(a, b); }
  Value add(Value a, int64_t b) { return b ? add(a, index(b)) : a; }
  Value sub(Value a, Value b) { return createOrFold<arith::SubIOp>(a, b); }
  Value mul(Value a, Value b) { return createOrFold<arith::MulIOp>(a, b); }
  Value mul(Value a, int64_t b) { return mul(a, index(b)); }
  Value min(Value a, Value b) { return createOrFold<arith::MinSIOp>(a, b); }
  Value max(Value a, Value b) { return createOrFold<arith::MaxSIOp>(a, b); }
  /// Requires operands that are not negative.
  Value div(Value a, Value b) { return createOrFold<arith::DivUIOp>(a, b); }
  Value ceilDiv(Value a, int64_t b) { return div(add(a, b - 1), index(b)); }
  Value ceilDiv(Value a, Value b) { return div(add(a, sub(b, index(1))), b); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return createOrFold<arith::CmpIOp>(predicate, a, b);
  }
  Value select(Value condition, Value trueValue, Value falseValue) {
    return createOrFold<arith::SelectOp>(condition, trueValue, falseValue);
  }

  //===--- Control flow ---===//
  void loop(Value from, Value to, int64_t step, function_ref<void(Value)> body);
  void loop(Value to, function_ref<void(Value)> body) { loop(index(0), to, 1, body); }
  /// A loop with loop-carried values.
  SmallVector<Value> loop(Value from, Value to, int64_t step, ValueRange initial,
                          function_ref<SmallVector<Value>(Value, ValueRange)> body);
  /// A constant condition generates one of the bodies and no `scf.if`.
  void ifThen(Value condition, function_ref<void()> thenBody) { ifElse(condition, thenBody, nullptr); }
  void ifElse(Value condition, function_ref<void()> thenBody, function_ref<void()> elseBody);

  //===--- Vectors ---===//
  VectorType vectorType(Type element) { return VectorType::get({tiles.lanes}, element); }
  Value constant(double value);
  Value splat(Value scalar) { return vector::BroadcastOp::create(*this, vectorType(scalar.getType()), scalar); }
  Value mulf(Value a, Value b);
  Value addf(Value a, Value b);
  Value subf(Value a, Value b);
  Value divf(Value a, Value b);
  /// a * b + c. Fused only where the processor has the instruction: `math.fma` would call libm for every element
  /// elsewhere.
  Value fma(Value a, Value b, Value c) { return LLVM::FMulAddOp::create(*this, a, b, c); }
  Value exp(Value x);
  Value expm1(Value x);
  Value sigmoid(Value x);
  Value tanh(Value x);
  /// True in the first `count` lanes; `count` may be negative or exceed the lanes.
  Value mask(Value count) { return mask(count, tiles.lanes); }
  Value mask(Value count, int64_t lanes) {
    return vector::CreateMaskOp::create(*this, VectorType::get({lanes}, getI1Type()), ValueRange{count});
  }
  /// `vector`, or zero where a non-null mask is not set.
  Value selectOrZero(Value mask, Value vector);
  /// A vector in the accumulation type; zero where a non-null mask is not set.
  Value load(Value buffer, ValueRange indices, Value mask = Value());
  void store(Value vector, Value buffer, ValueRange indices, Value mask = Value());
  Value loadScalar(Value buffer, ValueRange indices);
  /// `count` elements in the element type of the buffer; zero where a non-null mask is not set.
  Value loadUnconverted(Value buffer, ValueRange indices, int64_t count, Value mask = Value());
  /// The number of elements of a buffer in a cache line.
  static int64_t elementsOfLine(Value buffer);
  /// Prefetches the cache line of element `offset`, which may be past the end of the buffer. Locality 3 is L1, 2 is L2.
  void prefetchLine(Value scratch, Value offset, unsigned locality);
  /// Prefetches a row of a panel from element `offset` on. Rows of scratch are aligned to cache lines.
  void prefetch(Value scratch, Value offset, unsigned locality);
  /// Prefetches `count` elements of a row of a matrix, from column `column` on, to L1. They may be past its end.
  void prefetchRow(Value matrix, Value row, Value column, int64_t count, bool isWrite);
  /// Runs `body` with the first column and the mask (null for a full vector) of each vector of `width` columns in a row
  /// of `count` columns.
  void forColumns(Value count, int64_t width, function_ref<void(Value, Value)> body);
  void forColumns(Value count, function_ref<void(Value, Value)> body) { forColumns(count, tiles.lanes, body); }
  /// Runs `body` for the panel whose first column is `first`, with the masks of its vectors; without masks for a full
  /// panel.
  void forPanel(Value first, Value columns, function_ref<void(ArrayRef<Value>)> body);

  //===--- VNNI packing: vectors of `tiles.lanes` pairs of bf16 ---===//
  static bool isVNNI(Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType().isBF16(); }
  Value loadVNNI(Value buffer, ValueRange indices, Value mask = Value()) {
    return loadUnconverted(buffer, indices, 2 * tiles.lanes, mask);
  }
  /// Elements of two vectors alternately; a null `second` is all zeros.
  Value interleave(Value first, Value second);
  /// The first or second element of each pair, in the accumulation type.
  Value deinterleave(Value pairs, bool second);
  /// One pair of the buffer in all lanes.
  Value splatVNNI(Value buffer, Value offset);

  //===--- Scratch ---===//
  MemRefType scratchType(Type element) { return MemRefType::get({ShapedType::kDynamic}, element); }
  MemRefType scratchType() { return scratchType(tiles.sum); }
  Value allocate(Value count, Type element);
  Value allocate(Value count) { return allocate(count, tiles.sum); }
  void free(Value buffer) { memref::DeallocOp::create(*this, buffer); }
  /// `count` must be a multiple of the panel.
  void fillZero(Value buffer, Value from, Value count);
  /// Copies `columns` elements of scratch from `from` on to a row of a tensor. `indices` precede the column index.
  void storeRow(Value source, Value from, Value target, ArrayRef<Value> indices, Value firstColumn, Value columns);

  /// A tensor [T, B, C] as [T*B, C], and any matrix with dynamic sizes. The rows of a tensor whose steps are not
  /// contiguous (batch-major data) have two indices: `rowIndices`.
  Value asRows(Value tensor);
  /// The indices of a row of `asRows`.
  SmallVector<Value, 3> rowIndices(Value rows, Value row);
  /// The same, and a column.
  SmallVector<Value, 3> rowIndices(Value rows, Value row, Value column) {
    SmallVector<Value, 3> indices = rowIndices(rows, row);
    indices.push_back(column);
    return indices;
  }
  /// The rows of step `t` of a tensor [T, B, C]: [B, C].
  Value stepRows(Value tensor, Value t);
  /// A matrix of `asRows` with two row indices: one step.
  Value asOneStep(Value matrix);
  /// Whether a matrix of `asRows` has two row indices.
  static bool hasSteps(Value matrix) { return cast<MemRefType>(matrix.getType()).getRank() == 3; }
  /// A dense matrix of the accumulation type as scratch.
  Value asScratch(Value matrix);

private:
  std::pair<Value, Value> splitExp(Value x, double limit = std::numeric_limits<double>::infinity(),
                                   bool halvesScale = false);
  Value callAVX512(StringRef name, ArrayRef<Value> operands, bool rounds = false);
  Value reduce(Value x, bool toNearest);
  /// The first coefficient is the constant one.
  Value polynomial(Value x, ArrayRef<double> coefficients);
  Value shortSigmoid(Value x);
  Value shortTanh(Value x);
  Value splatInteger(int64_t value);
  Value roundToBF16(Value vector);
};

} // namespace mlir::rnn::cpu

#endif // RNN_CODEGEN_CPU_HOSTBUILDER_H
