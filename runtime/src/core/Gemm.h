// Gemm.h - the description of one GEMM that compiled code requests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_GEMM_H
#define RNNRT_CORE_GEMM_H

#include "core/Status.h"

#include <string>

namespace rnnrt {

/// Bits of `flags` in rnnrt_abi_gemm.
enum GemmFlags : int32_t {
  LeftTransposed = 1,  ///< left is stored as [depth, rows]
  RightTransposed = 2, ///< right is stored as [columns, depth]
  Accumulate = 4,      ///< beta = 1: adds to the result instead of overwriting it
  RoundToTf32 = 8,     ///< f32 operands may be rounded to TF32
};

/// result = left * right + bias (+ result with Accumulate); left is [rows, depth], right is [depth, columns]. All
/// matrices are row-major; `stride` is the distance between rows in elements.
struct Gemm {
  struct Operand {
    const void *data;
    int64_t stride;
  };

  int32_t dtype;       ///< of left and right
  int32_t resultDtype; ///< of result and bias: `dtype`, or f32 if `dtype` is f16 or bf16
  int32_t flags;
  int64_t rows, columns, depth;
  Operand left, right;
  void *result;
  int64_t resultStride;
  const void *bias; ///< [columns], added to every row, or null; must be null for f64

  bool has(GemmFlags flag) const { return flags & flag; }
  /// The name in traces, e.g. `r64_c1024_k512 dtype=f16 result=f32`.
  std::string describe() const;
  /// Returns INVALID_ARGUMENT if a type, size, stride or pointer is invalid.
  Status check() const;
};

} // namespace rnnrt

#endif // RNNRT_CORE_GEMM_H
