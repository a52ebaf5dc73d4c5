// MatrixProduct.h - one product of matrices, as compiled code asks for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_MATRIXPRODUCT_H
#define RNNRT_CORE_MATRIXPRODUCT_H

#include "core/Status.h"

#include <string>

namespace rnnrt {

/// Numbers of `flags` in rnnrt_abi_matrix_product.
enum MatrixProductFlags : int32_t {
  LeftTransposed = 1,  ///< left lies in memory as [depth, rows]
  RightTransposed = 2, ///< right lies in memory as [columns, depth]
  Accumulate = 4,      ///< what the result holds is added
  RoundToTf32 = 8,     ///< factors of f32 may be rounded to tf32
};

/// result = left * right, + bias in every row, + result. All are row major, with `stride` elements from row to row.
struct MatrixProduct {
  struct Operand {
    const void *data;
    int64_t stride;
  };

  int32_t dtype;       ///< of left and right
  int32_t resultDtype; ///< of result and bias: the same, or f32 where that is f16 or bf16
  int32_t flags;
  int64_t rows, columns, depth;
  Operand left, right;
  void *result;
  int64_t resultStride;
  const void *bias; ///< [columns], or null; not with f64

  bool has(MatrixProductFlags flag) const { return flags & flag; }
  /// As `r64_c1024_k512 dtype=f16 result=f32`.
  std::string describe() const;
  /// INVALID_ARGUMENT names what compiled code got wrong.
  Status check() const;
};

} // namespace rnnrt

#endif // RNNRT_CORE_MATRIXPRODUCT_H
