// Gemm.cpp - checks and the trace name of a GEMM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Gemm.h"
#include "rnn_runtime/tensor.h"

using namespace rnnrt;

std::string Gemm::describe() const {
  std::string text = "r" + std::to_string(rows) + "_c" + std::to_string(columns) + "_k" + std::to_string(depth) +
                     " dtype=" + rnnrt_dtype_name(dtype);
  if (resultDtype != dtype)
    text += std::string(" result=") + rnnrt_dtype_name(resultDtype);
  if (has(LeftTransposed))
    text += " left=transposed";
  if (has(RightTransposed))
    text += " right=transposed";
  if (bias)
    text += " bias";
  if (has(Accumulate))
    text += " accumulate";
  return text;
}

Status Gemm::check() const {
  const bool isHalf = dtype == RNNRT_DTYPE_F16 || dtype == RNNRT_DTYPE_BF16;
  if (!isHalf && dtype != RNNRT_DTYPE_F32 && dtype != RNNRT_DTYPE_F64)
    return invalidArgument("a GEMM expects operands of f16, bf16, f32 or f64, but got dtype %d", dtype);
  if (resultDtype != dtype && !(isHalf && resultDtype == RNNRT_DTYPE_F32))
    return invalidArgument("a GEMM of %s expects a result of the same type or of f32, but got dtype %d",
                           rnnrt_dtype_name(dtype), resultDtype);
  if (rows < 0 || columns < 0 || depth < 0)
    return invalidArgument("a GEMM expects sizes of at least 0, but got %lld, %lld and %lld", (long long)rows,
                           (long long)columns, (long long)depth);
  const bool isEmpty = !rows || !columns;
  auto expect = [&](const char *name, const void *data, int64_t stride, int64_t width, bool used) {
    if (!used)
      return Status();
    if (!data)
      return invalidArgument("a GEMM expects `%s`, but got a null pointer", name);
    if (stride < width)
      return invalidArgument("a GEMM expects the stride of `%s` to be at least %lld, the width of a row, but "
                             "got %lld",
                             name, (long long)width, (long long)stride);
    return Status();
  };
  RNNRT_TRY(expect("left", left.data, left.stride, has(LeftTransposed) ? rows : depth, !isEmpty && depth));
  RNNRT_TRY(expect("right", right.data, right.stride, has(RightTransposed) ? depth : columns, !isEmpty && depth));
  RNNRT_TRY(expect("result", result, resultStride, columns, !isEmpty));
  if (bias && resultDtype == RNNRT_DTYPE_F64)
    return invalidArgument("a GEMM of f64 expects no bias, since cuBLASLt has no bias epilogue for f64");
  return Status();
}
