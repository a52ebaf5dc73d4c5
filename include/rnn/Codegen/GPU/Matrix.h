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
/// A batch-major sequence is one too: its row t * batch + b is at first + t * step + b * stride.
struct Matrix {
  Value buffer, first, stride;
  Value batch = nullptr, step = nullptr; ///< null unless the matrix is a batch-major sequence

  Value place(const Emitter &e, Value row, Value column) const {
    if (batch)
      return atStep(e, e.div(row, batch), batch).place(e, e.remainder(row, batch), column);
    return e.add(first, e.add(e.mul(row, stride), column));
  }
  Value load(const Emitter &e, Value row, Value column) const { return e.load(buffer, {place(e, row, column)}); }
  /// Converts to the element type of the buffer.
  void store(const Emitter &e, Value value, Value row, Value column) const;
  Value address(const Emitter &e, Value row, Value column) const { return e.address(buffer, {place(e, row, column)}); }
  /// The matrix without its first `row` rows; not for a batch-major sequence.
  Matrix from(const Emitter &e, Value row) const {
    assert(!batch && "the rows have two strides");
    return {buffer, e.add(first, e.mul(row, stride)), stride};
  }
  /// A batch-major sequence without the steps before `t`.
  Matrix fromStep(const Emitter &e, Value t) const {
    assert(batch && "the rows have one stride");
    return {buffer, e.add(first, e.mul(t, step)), stride, batch, step};
  }
  /// The rows t * B to t * B + B - 1: step t of a sequence with B examples.
  Matrix atStep(const Emitter &e, Value t, Value B) const {
    return batch ? Matrix{buffer, e.add(first, e.mul(t, step)), stride} : from(e, e.mul(t, B));
  }
  /// The place of row t * B + b.
  Value placeAt(const Emitter &e, Value t, Value b, Value B, Value column) const {
    return batch ? atStep(e, t, B).place(e, b, column) : place(e, e.add(e.mul(t, B), b), column);
  }
};

/// `condition ? yes : no`, for matrices of one element type.
Matrix select(const Emitter &e, Value condition, const Matrix &yes, const Matrix &no);

/// Launches a kernel that copies a matrix and converts its elements.
void launchCopy(const Emitter &host, StringRef name, Value rows, Value columns, const Matrix &from, const Matrix &to);

/// Collapses a dense buffer to one dimension.
Value flatten(const Emitter &e, Value buffer);

/// An operand in memory whose depth runs along the columns of `matrix` (`depthIsContiguous`) or along its rows.
/// `matrix` is called while the kernel is built. The rows of a batch-major sequence are affine as outer rows only.
GemmOperand operandOf(std::function<Matrix(const Emitter &e, int64_t panel)> matrix, bool depthIsContiguous,
                      bool isAffine = true);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_MATRIX_H
