//===- Packing.h - arguments of the packing kernels -*- C++ -*-===//
//
// Packing converts elements to the type of the target and fills the last panel with zeros.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_PACKING_H
#define RNN_CODEGEN_CPU_PACKING_H

#include "mlir/IR/Value.h"

namespace mlir::rnn::cpu {

/// A submatrix that becomes a right operand. Its columns are the panel's columns, or with `packTransposed` its rows.
/// The reduction dimension of a panel is padded to whole panels with zeros.
struct PackRight {
  Value matrix;
  Value row, rows;
  Value column, columns;
  Value target, offset; ///< the first panel
  Value stride;         ///< elements from panel to panel

  /// The order of the generated function's arguments.
  static constexpr Value PackRight::*arguments[] = {&PackRight::matrix, &PackRight::row,     &PackRight::rows,
                                                    &PackRight::column, &PackRight::columns, &PackRight::target,
                                                    &PackRight::offset, &PackRight::stride};
};

/// Rows of a matrix that become `rows * steps` rows of panels.
struct PackRows {
  Value matrix;
  Value row;         ///< of the first step
  Value rows, steps; ///< rows of each step, which are consecutive
  Value step;        ///< rows from step to step
  Value target;
  Value offset = {}; ///< of the first row. Null: 0
  Value stride = {}; ///< elements from panel to panel. Null: panels have no other rows

  static constexpr Value PackRows::*arguments[] = {&PackRows::matrix, &PackRows::row,   &PackRows::rows,
                                                   &PackRows::steps,  &PackRows::step,  &PackRows::target,
                                                   &PackRows::offset, &PackRows::stride};
};

/// A submatrix that becomes rows of the left operand of a transposed GEMM: tiles of Tiles::rows columns, each
/// row-major.
struct PackLeft {
  Value matrix;
  Value row, rows;
  Value column, columns;
  Value target;
  Value firstRow; ///< of the target

  static constexpr Value PackLeft::*arguments[] = {&PackLeft::matrix,  &PackLeft::row,     &PackLeft::rows,
                                                   &PackLeft::column,  &PackLeft::columns, &PackLeft::target,
                                                   &PackLeft::firstRow};
};

/// Columns of two matrices that become rows of a left operand in bf16. Rows of the matrices are the dimension of the
/// reduction: rows [firstFrom, firstFrom + firstRows) are of `first`, the others of `second`. Fills the last panel with
/// zeros. For panels of AMX.
struct PackLeftTransposed {
  Value first, firstRow, firstFrom, firstRows;
  Value second, secondRow, secondFrom;
  Value rows; ///< of both
  Value column, columns;
  Value target, offset; ///< the first panel
  Value stride;         ///< elements from panel to panel; at least `columns` rows, rounded up to whole vectors

  static constexpr Value PackLeftTransposed::*arguments[] = {
      &PackLeftTransposed::first,      &PackLeftTransposed::firstRow, &PackLeftTransposed::firstFrom,
      &PackLeftTransposed::firstRows,  &PackLeftTransposed::second,   &PackLeftTransposed::secondRow,
      &PackLeftTransposed::secondFrom, &PackLeftTransposed::rows,     &PackLeftTransposed::column,
      &PackLeftTransposed::columns,    &PackLeftTransposed::target,   &PackLeftTransposed::offset,
      &PackLeftTransposed::stride};
};

/// Panels of bf16 rows that are interleaved to VNNI packing in place. A zero row follows an odd last row; with
/// AMX, zero rows fill the last tile.
struct PackVNNI {
  Value buffer, offset; ///< the first panel
  Value stride;         ///< elements from panel to panel
  Value panels, rows;

  static constexpr Value PackVNNI::*arguments[] = {&PackVNNI::buffer, &PackVNNI::offset, &PackVNNI::stride,
                                                   &PackVNNI::panels, &PackVNNI::rows};
};

/// A block of scratch whose transpose is stored to a matrix from [row, column] on. The source has whole vectors of
/// columns.
struct StoreTransposed {
  Value source, offset;
  Value stride; ///< elements from row to row
  Value rows, columns;
  Value target;
  Value row, column;

  static constexpr Value StoreTransposed::*arguments[] = {
      &StoreTransposed::source,  &StoreTransposed::offset, &StoreTransposed::stride, &StoreTransposed::rows,
      &StoreTransposed::columns, &StoreTransposed::target, &StoreTransposed::row,    &StoreTransposed::column};
};

} // namespace mlir::rnn::cpu

#endif // RNN_CODEGEN_CPU_PACKING_H
