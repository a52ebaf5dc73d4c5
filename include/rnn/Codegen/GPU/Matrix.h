//===- Matrix.h - row-major matrices inside of flat buffers -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_MATRIX_H
#define RNN_CODEGEN_GPU_MATRIX_H

#include "rnn/Codegen/GPU/Gemm.h"

namespace mlir::rnn {

/// A row-major matrix inside of a one-dimensional buffer: element (row, column) is at first + row * stride + column.
struct Matrix {
  Value buffer, first, stride;

  Value place(const Emitter &e, Value row, Value column) const {
    return e.add(first, e.add(e.mul(row, stride), column));
  }
  Value load(const Emitter &e, Value row, Value column) const { return e.load(buffer, {place(e, row, column)}); }
  /// Converts to the element type of the buffer.
  void store(const Emitter &e, Value value, Value row, Value column) const;
  Value address(const Emitter &e, Value row, Value column) const { return e.address(buffer, {place(e, row, column)}); }
  /// The matrix without its first `row` rows.
  Matrix from(const Emitter &e, Value row) const { return {buffer, e.add(first, e.mul(row, stride)), stride}; }
};

/// `condition ? yes : no`, for matrices of one element type.
Matrix select(const Emitter &e, Value condition, const Matrix &yes, const Matrix &no);

/// Collapses a dense buffer to one dimension.
Value flatten(const Emitter &e, Value buffer);

/// An operand in memory whose depth runs along the columns of `matrix` (`depthIsContiguous`) or along its rows.
/// `matrix` is called while the kernel is built.
GemmOperand operandOf(std::function<Matrix(const Emitter &e, int64_t panel)> matrix, bool depthIsContiguous);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_MATRIX_H
