//===- Gemm.h - arguments of the packed GEMMs -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_GEMM_H
#define RNN_CODEGEN_CPU_GEMM_H

#include "mlir/IR/Value.h"

namespace mlir::rnn::cpu {

class HostBuilder;

/// c += a b for packed operands. Offsets and strides count elements. The order of summation depends on the sizes and
/// on `traversal` only.
struct Gemm {
  Value a, aOffset; ///< `depth` panels of `rows` rows
  Value aPanel;     ///< from panel to panel
  Value b, bOffset; ///< `columns` panels; each has a row for every column of a. bf16: in VNNI packing
  Value bPanel;     ///< from panel to panel
  Value c, cOffset; ///< `rows` rows in each of `columns` panels
  Value cRow;       ///< from row to row
  Value cPanel;     ///< from panel to panel
  Value rows;       ///< of a and c
  Value columns;    ///< of b and c, in panels
  Value depth;      ///< of the reduction, in panels
  /// Rows of b in the last one of each `groupPanels` panels of the depth; behind them, a and b have zeros. Null: all
  Value lastRows, groupPanels;
  // The offsets that the next GEMM begins with, which this one prefetches. Null: the rows of a behind these, and the
  // elements of b behind the first panel.
  Value aNext, bNext;
  /// With at most Tiles::fewRows rows, and if Tiles::hasSweeps: how b is traversed. The results of both sweeps have the
  /// same bits. Null: Panels
  Value traversal;
  Value isZero; ///< i1: c = a b, and c is not read; not with sweeps. Null: false

  /// Values of `traversal`: several panels at once; or, at most Tiles::sweepDepth panels deep, one block of a panel at
  /// a time, from the first one to the last or back. If sweeps alternate, an L1 cache still has the blocks that the
  /// last GEMM read at its end.
  enum Traversal { Panels, SweepUp, SweepDown };

  /// Sets the depth to `groups` groups (null: one) of `rows` rows, each in panels of its own.
  void setDepth(HostBuilder &builder, Value rows, Value groups = {});
  /// Sets what is null and has a default.
  void setDefaults(HostBuilder &builder);

  /// The order of the generated function's arguments.
  static constexpr Value Gemm::*arguments[] = {&Gemm::a,       &Gemm::aOffset,   &Gemm::aPanel,      &Gemm::b,
                                               &Gemm::bOffset, &Gemm::bPanel,    &Gemm::c,           &Gemm::cOffset,
                                               &Gemm::cRow,    &Gemm::cPanel,    &Gemm::rows,        &Gemm::columns,
                                               &Gemm::depth,   &Gemm::lastRows,  &Gemm::groupPanels, &Gemm::aNext,
                                               &Gemm::bNext,   &Gemm::traversal, &Gemm::isZero};
};

/// A row that the sums of a GEMM by AMX start from, instead of c.
struct GemmStart {
  Value row, offset;
  Value panel; ///< elements from panel to panel
};

/// A right operand that is a part of a row-major matrix in the element type. For a few rows of a, packing it would take
/// longer than the products.
struct UnpackedRight {
  Value matrix;
  bool isTransposed = false; ///< rows of the matrix are columns of b
  Value row, column;         ///< of the matrix, for the first row and column of b
  Value depth;               ///< rows of b
  Value columns;             ///< of b; the last panel of c may be wider
};

/// c += a^T b for one block of the reduction. Offsets and strides count elements.
struct TransposedGemm {
  Value a;          ///< from `packLeft`, `tiles` tiles
  Value b, bOffset; ///< panels of `depth` rows. bf16: in VNNI packing
  Value bPanel;     ///< from panel to panel
  Value c, cOffset; ///< rows in each of `columns` panels
  Value cRow;       ///< from row to row
  Value cPanel;     ///< from panel to panel
  Value tiles;      ///< of a: Tiles::rows rows of c each
  Value columns;    ///< of b and c, in panels
  Value depth;      ///< of the reduction, in rows: at most Tiles::depth
  Value isFirst;    ///< i1: c is overwritten

  /// The order of the generated function's arguments.
  static constexpr Value TransposedGemm::*arguments[] = {
      &TransposedGemm::a,     &TransposedGemm::b,       &TransposedGemm::bOffset, &TransposedGemm::bPanel,
      &TransposedGemm::c,     &TransposedGemm::cOffset, &TransposedGemm::cRow,    &TransposedGemm::cPanel,
      &TransposedGemm::tiles, &TransposedGemm::columns, &TransposedGemm::depth,   &TransposedGemm::isFirst};
};

/// c = a^T b for few rows of a and b, stored to rows [row + first, row + end) and columns [column, column + columns) of
/// a row-major matrix c in the element type. Offsets and strides count elements. Each sum adds the rows in their order.
struct OuterProducts {
  Value a, aOffset; ///< panels of `depth` rows. bf16: in VNNI packing
  Value aPanel;     ///< from panel to panel
  Value b, bOffset; ///< the same
  Value bPanel;     ///< from panel to panel
  Value c;
  Value row, column; ///< of c, for the first columns of a and b
  Value first, end;  ///< columns of a; `first` is a multiple of `rowsAtOnce`
  Value columns;     ///< of b
  Value depth;       ///< of the reduction, in rows

  /// Rows of a tile. It divides the columns of a panel, and leaves enough accumulators to hide the FMA latency.
  static constexpr int64_t rowsAtOnce = 4;

  /// The order of the generated function's arguments.
  static constexpr Value OuterProducts::*arguments[] = {
      &OuterProducts::a,       &OuterProducts::aOffset, &OuterProducts::aPanel, &OuterProducts::b,
      &OuterProducts::bOffset, &OuterProducts::bPanel,  &OuterProducts::c,      &OuterProducts::row,
      &OuterProducts::column,  &OuterProducts::first,   &OuterProducts::end,    &OuterProducts::columns,
      &OuterProducts::depth};
};

/// c += a w^T for one panel of c, by dot products with rows of a row-major matrix w that is not packed. The order of
/// summation depends on the sizes only (of a, of c and of w), and differs from that of Gemm.
struct RowDots {
  Value a, aOffset; ///< as in Gemm
  Value aPanel;     ///< from panel to panel
  Value w;          ///< a matrix in the element type
  Value row;        ///< the row of w for the first column of c
  Value column;     ///< the column of w for the first column of a
  Value columns;    ///< of c, at most a panel; the others are not changed
  Value depth;      ///< of the reduction, in columns of w
  Value c, cOffset; ///< a row of a panel for each row of a
  Value cRow;       ///< from row to row
  Value rows;       ///< of a and c

  /// The order of the generated function's arguments.
  static constexpr Value RowDots::*arguments[] = {&RowDots::a,   &RowDots::aOffset, &RowDots::aPanel,  &RowDots::w,
                                                  &RowDots::row, &RowDots::column,  &RowDots::columns, &RowDots::depth,
                                                  &RowDots::c,   &RowDots::cOffset, &RowDots::cRow,    &RowDots::rows};
};

/// c += a w for a row-major matrix w that is not packed. Each sum adds the rows of w in their order.
struct RowSums {
  Value a, aOffset; ///< as in Gemm
  Value aPanel;     ///< from panel to panel
  Value w;          ///< a matrix in the element type
  Value row;        ///< the row of w for the first column of a
  Value column;     ///< the column of w for the first column of c
  Value columns;    ///< of w; to the other columns of the last panel of c, products with zeros are added
  Value depth;      ///< of the reduction, in rows of w
  Value c, cOffset; ///< rows in panels
  Value cRow;       ///< from row to row
  Value cPanel;     ///< from panel to panel
  Value rows;       ///< of a and c

  /// The order of the generated function's arguments.
  static constexpr Value RowSums::*arguments[] = {&RowSums::a,   &RowSums::aOffset, &RowSums::aPanel,  &RowSums::w,
                                                  &RowSums::row, &RowSums::column,  &RowSums::columns, &RowSums::depth,
                                                  &RowSums::c,   &RowSums::cOffset, &RowSums::cRow,    &RowSums::cPanel,
                                                  &RowSums::rows};
};

/// c += a w^T for a row-major matrix w that is not packed. The element type must be the accumulation type, and a and c
/// must have at most as many rows as `vectorsOfRows` vectors have lanes. The result has the same bits as that of Gemm
/// with packed weights: each element starts from c and adds its products in the order of the columns of w. Offsets and
/// strides are numbers of elements.
struct ColumnSums {
  Value a, aOffset;             ///< as in Gemm
  Value aPanel;                 ///< stride from panel to panel
  Value w;                      ///< a matrix in the element type
  Value row;                    ///< the row of w for the first column of c
  Value column;                 ///< the column of w for the first column of a
  Value columns;                ///< of c; those behind them in its last panel are not changed
  Value depth;                  ///< of the reduction, in columns of w
  Value c, cOffset;             ///< rows in panels
  Value cRow;                   ///< stride from row to row
  Value cPanel;                 ///< stride from panel to panel
  Value rows;                   ///< of a and c, at least 1
  Value scratch, scratchOffset; ///< space for the transposes of a (its depth rounded up to vectors) and of a panel of
                                ///< c: `vectorsOfRows` vectors for each column; less than a packed panel

  static constexpr int64_t vectorsOfRows = 2;

  /// The order of the generated function's arguments.
  static constexpr Value ColumnSums::*arguments[] = {
      &ColumnSums::a,      &ColumnSums::aOffset, &ColumnSums::aPanel, &ColumnSums::w,       &ColumnSums::row,
      &ColumnSums::column, &ColumnSums::columns, &ColumnSums::depth,  &ColumnSums::c,       &ColumnSums::cOffset,
      &ColumnSums::cRow,   &ColumnSums::cPanel,  &ColumnSums::rows,   &ColumnSums::scratch, &ColumnSums::scratchOffset};
};

} // namespace mlir::rnn::cpu

#endif // RNN_CODEGEN_CPU_GEMM_H
