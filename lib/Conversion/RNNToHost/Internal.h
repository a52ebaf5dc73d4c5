//===- Internal.h - the parts of the host's compiled loops -*- C++ -*-===//
//
// Matrices that take part in products are kept in panels: `panel` columns (two or four vectors), all rows, then the
// next columns; what is missing in the last panel is zero. A panel is the left operand of a product as it stands, and
// the right one where its rows are what is summed over, so nothing is packed twice. Scratch has the accumulation type;
// but where factors stay bf16, right operands have their rows in pairs, element beside element of both, and rows that
// are not there are zero.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOHOST_INTERNAL_H
#define RNN_LIB_CONVERSION_RNNTOHOST_INTERNAL_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "rnn/Conversion/RNNToHost/RNNToHost.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::rnn::host {

/// Sizes of tiles for one element type; all code of an op agrees on them.
struct Tiles {
  Type element;    ///< of the op's tensors
  FloatType sum;   ///< what is computed in: f64 for f64, else f32
  FloatType left;  ///< what computed factors are kept in: the same, or bf16 where there are dot products of it
  BF16Products bf16Products;
  int64_t lanes;   ///< of one vector
  int64_t vectors; ///< side by side in a tile of the product
  int64_t panel;   ///< columns of a tile and of a panel: lanes * vectors
  /// Rows of a tile. 6 x 2 vectors leave 4 of 16 registers for operands, 6 x 4 leave 8 of 32, and are enough to hide the
  /// latency of a fused multiply-add (4 cycles, 2 each cycle on Zen and on Intel's cores).
  static constexpr int64_t rows = 6;
  /// So few rows use nothing of the right operand twice: they have products of their own, fastest for many panels at once.
  static constexpr int64_t fewRows = 2;
  /// Rows of a block: 96 rows of a depth of 256 floats stay in a second-level cache.
  static constexpr int64_t blockRows = 96;
  /// Depth of a block: 256 rows of a panel are half of a first-level cache (16 KiB at 64 bytes a row).
  static constexpr int64_t depth = 256;
  /// The same in panels.
  static int64_t depthPanels(int64_t panel) { return std::max<int64_t>(depth / panel, 1); }

  Tiles(Type element, const HostVectors &vectors);
  /// Computed factors are bf16; as right operands they need their rows in pairs.
  bool hasDots() const { return left != sum; }
  /// What `count` weights are packed as that are multiplied by `rows` rows at a time: sums' type, or bf16 in pairs of
  /// rows.
  FloatType weightsFor(Value rows, Value count) const;
};

/// Builds arithmetic on indices and vectors, and structured control flow. Index arithmetic is folded on the way.
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
  /// Of numbers that are not negative.
  Value div(Value a, Value b) { return createOrFold<arith::DivUIOp>(a, b); }
  Value ceilDiv(Value a, int64_t b) { return div(add(a, b - 1), index(b)); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return createOrFold<arith::CmpIOp>(predicate, a, b);
  }
  Value choose(Value condition, Value then, Value otherwise) {
    return createOrFold<arith::SelectOp>(condition, then, otherwise);
  }

  //===--- Control flow ---===//
  void loop(Value from, Value to, int64_t step, function_ref<void(Value)> body);
  void loop(Value to, function_ref<void(Value)> body) { loop(index(0), to, 1, body); }
  /// A loop that carries values.
  SmallVector<Value> loop(Value from, Value to, int64_t step, ValueRange initial,
                          function_ref<SmallVector<Value>(Value, ValueRange)> body);
  /// No branch is made where the condition is a constant.
  void branch(Value condition, function_ref<void()> then, function_ref<void()> otherwise = nullptr);

  //===--- Vectors ---===//
  VectorType vectorType(Type element) { return VectorType::get({tiles.lanes}, element); }
  Value constant(double value);
  Value splat(Value scalar) { return vector::BroadcastOp::create(*this, vectorType(scalar.getType()), scalar); }
  Value mulf(Value a, Value b);
  Value addf(Value a, Value b);
  Value subf(Value a, Value b);
  Value divf(Value a, Value b);
  /// a * b + c, rounded once where the processor can: a call of the C library for every element would be the price elsewhere.
  Value fma(Value a, Value b, Value c) { return LLVM::FMulAddOp::create(*this, a, b, c); }
  Value sigmoid(Value x);
  Value tanh(Value x);
  /// True in the first `count` lanes; `count` may be negative or more than there are.
  Value mask(Value count) { return mask(count, tiles.lanes); }
  Value mask(Value count, int64_t lanes) {
    return vector::CreateMaskOp::create(*this, VectorType::get({lanes}, getI1Type()), ValueRange{count});
  }
  /// Zero where the mask, if there is one, is not set.
  Value select(Value mask, Value vector);
  /// A vector of a tensor, in the accumulation type; zero where the mask, if there is one, is not set.
  Value load(Value buffer, ValueRange indices, Value mask = Value());
  void store(Value vector, Value buffer, ValueRange indices, Value mask = Value());
  Value loadScalar(Value buffer, ValueRange indices);
  /// Asks for rows of a panel, from a place on that may be behind the end of the buffer: locality 3 is the first cache,
  /// 2 the second one. Scratch has its rows at the beginning of a line; those of tensors may lie across one more.
  void prefetch(Value scratch, Value place, unsigned locality, bool isWrite = false, int64_t rows = 1);
  void prefetchTensor(Value tensor, ValueRange indices);
  /// Runs `body` with the first column and the mask (or null) of each vector in a row of `count` columns; `width`:
  /// columns of a vector.
  void forColumns(Value count, int64_t width, function_ref<void(Value, Value)> body);
  void forColumns(Value count, function_ref<void(Value, Value)> body) { forColumns(count, tiles.lanes, body); }

  /// Runs `body` for the panel whose first column is `first`, with the masks of its vectors; with none in a full panel.
  void forPanel(Value first, Value columns, function_ref<void(ArrayRef<Value>)> body);

  //===--- Pairs of bf16: first and second element of each, side by side ---===//
  static bool isPairs(Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType().isBF16(); }
  /// Some elements in their own type; zero where the mask, if there is one, is not set.
  Value loadAsIs(Value buffer, ValueRange indices, int64_t count, Value mask = Value());
  Value loadPairs(Value buffer, ValueRange indices, Value mask = Value()) {
    return loadAsIs(buffer, indices, 2 * tiles.lanes, mask);
  }
  /// Both side by side; null: zeros.
  Value zip(Value first, Value second);
  Value unzip(Value pairs, bool second); ///< one element of each pair, in the accumulation type
  /// One pair in all lanes.
  Value splatPair(Value buffer, Value place);
  /// sum + first * first + second * second
  Value dot(Value a, Value b, Value sum);

  //===--- Scratch ---===//
  MemRefType scratchType(Type element) { return MemRefType::get({ShapedType::kDynamic}, element); }
  MemRefType scratchType() { return scratchType(tiles.sum); }
  Value allocate(Value count, Type element);
  Value allocate(Value count) { return allocate(count, tiles.sum); }
  void free(Value buffer) { memref::DeallocOp::create(*this, buffer); }
  /// `count` is a multiple of the panel.
  void fillZero(Value buffer, Value from, Value count);

  /// [T, B, C] as [T*B, C], and any matrix as one with dynamic sizes.
  Value asRows(Value tensor);
  /// The elements of a dense matrix of the accumulation type as those of scratch.
  Value asElements(Value matrix);

private:
  std::pair<Value, Value> exponential(Value x);
  Value words(int64_t value);
  Value roundToBF16(Value vector);
};

/// The threads that run a loop together, as one of them sees them.
struct Team {
  Value handle; ///< null: there is one alone
  Value part, parts;

  /// The first of `count` things that belong to this part; those of the next part begin at its end.
  Value begin(HostBuilder &b, Value count) const { return b.div(b.mul(count, part), parts); }
  Value end(HostBuilder &b, Value count) const { return b.div(b.mul(count, b.add(part, 1)), parts); }
};

/// Asks LLVM to leave the loops of a function as they are, also by not copying them to a function without the mark.
void markHandTiled(Operation *function);

/// Functions that the loops call, made when they are first asked for.
class Library {
public:
  Library(ModuleOp module) : symbols(module) {}

  /// c += a b. a: `depth` panels of rows, from element aOffset, aPanel elements from panel to panel. b: packed,
  /// `columns` panels, bPanel elements from one to the next, each with a row for every column of a (bf16: in pairs). c:
  /// element cOffset, cRow elements from row to row, cPanel from panel to panel. The order of summation does not depend
  /// on addresses.
  struct Product {
    Value a, aOffset, aPanel, b, bOffset, bPanel, c, cOffset, cRow, cPanel, rows, columns, depth;
  };
  void product(HostBuilder &b, const Product &arguments);

  /// c += a^T b for one block: a packed by `packLeft`, `tiles` tiles of it; b in panels from element bOffset, bPanel
  /// from panel to panel, `depth` rows (at most Tiles::depth); c is row major from element cOffset on, `columns` panels
  /// wide. What stood in c does not count where `isFirst`.
  struct TransposedProduct {
    Value a, b, bOffset, bPanel, c, cOffset, cRow, tiles, columns, depth, isFirst;
  };
  void transposedProduct(HostBuilder &b, const TransposedProduct &arguments);

  /// A part of a matrix that becomes the right operand of a product: panel by panel from element `place` of the target on,
  /// `stride` elements from one to the next. Their rows are rounded up to whole panels with zeros.
  struct Part {
    Value matrix, row, rows, column, columns, target, place, stride;
  };
  /// Panels of columns, row after row.
  void packColumns(HostBuilder &b, const Part &part);
  /// Panels of rows, column after column.
  void packTransposed(HostBuilder &b, const Part &part);
  /// Rows [row, row + rows) of a matrix as panels of `rows` rows.
  void packRows(HostBuilder &b, Value source, Value row, Value rows, Value target);
  /// Rows [row, row + rows) and columns [column, column + columns) as rows from `firstRow` on of the left operand of a
  /// transposed product: tiles of Tiles::rows columns, in each row by row.
  void packLeft(HostBuilder &b, Value source, Value row, Value rows, Value column, Value columns, Value target,
                Value firstRow);
  /// Rows of panels of bf16, `panels` of them from element `place` on and `stride` elements from one to the next,
  /// become pairs where they stand; zeros follow an odd number of rows.
  void pairRows(HostBuilder &b, Value buffer, Value place, Value stride, Value panels, Value rows);
  /// The transpose of the block [rows, columns] of scratch, whose rows begin `sourceRow` elements apart, to a matrix from
  /// [row, column] on. The source has whole vectors of columns.
  void storeTransposed(HostBuilder &b, Value source, Value from, Value sourceRow, Value rows, Value columns, Value target,
                       Value row, Value column);

  /// Code for a team of at most `most` threads, and as few as one, that do `work` multiply-adds between two waits for
  /// each other. What it computes must not depend on their number, and it may not make teams itself.
  void parallel(HostBuilder &b, Value most, Value work, function_ref<void(const Team &)> body);
  /// What the others of the team wrote is there.
  void wait(HostBuilder &b, const Team &team);

private:
  func::FuncOp get(HostBuilder &b, StringRef name, TypeRange inputs,
                   function_ref<void(HostBuilder &, ValueRange)> body);
  void call(HostBuilder &b, func::FuncOp callee, ValueRange arguments) { func::CallOp::create(b, callee, arguments); }

  SymbolTable symbols;
  llvm::StringMap<func::FuncOp> functions;
};

/// A row of a scratch matrix, from element `from` on, to `columns` columns of a row of a tensor. `indices` are those in
/// front of the column.
void storeRow(HostBuilder &b, Value source, Value from, Value target, ArrayRef<Value> indices, Value firstColumn,
              Value columns);

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_RNNTOHOST_INTERNAL_H
