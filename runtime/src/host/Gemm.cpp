// Gemm.cpp - a reference GEMM in plain loops; device `simt` uses it in place of cuBLASLt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/Gemm.h"
#include "host/Convert.h"

#include <algorithm>
#include <vector>

using namespace rnnrt;

namespace {

/// Copies an operand, possibly stored transposed, to a dense [rows, columns] matrix of the accumulator type.
template <typename A>
std::vector<A> gather(const Gemm::Operand &operand, int32_t dtype, int64_t rows, int64_t columns, bool transposed) {
  std::vector<A> result(size_t(rows * columns)), line(size_t(transposed ? rows : columns));
  for (int64_t k = 0, count = transposed ? columns : rows; k < count; ++k) {
    load<A>(line.data(), operand.data, dtype, k * operand.stride, int64_t(line.size()));
    for (size_t j = 0; j < line.size(); ++j)
      result[transposed ? j * size_t(columns) + size_t(k) : size_t(k) * line.size() + j] = line[j];
  }
  return result;
}

template <typename A> void multiply(const Gemm &p) {
  const std::vector<A> left = gather<A>(p.left, p.dtype, p.rows, p.depth, p.has(LeftTransposed));
  const std::vector<A> right = gather<A>(p.right, p.dtype, p.depth, p.columns, p.has(RightTransposed));
  std::vector<A> sums(size_t(p.columns)), addend(size_t(p.columns));
  for (int64_t row = 0; row < p.rows; ++row) {
    std::fill(sums.begin(), sums.end(), A(0));
    for (int64_t k = 0; k < p.depth; ++k)
      for (int64_t column = 0; column < p.columns; ++column)
        sums[size_t(column)] += left[size_t(row * p.depth + k)] * right[size_t(k * p.columns + column)];
    auto add = [&](const void *data, int64_t first) {
      load<A>(addend.data(), data, p.resultDtype, first, p.columns);
      for (size_t column = 0; column < sums.size(); ++column)
        sums[column] += addend[column];
    };
    if (p.bias)
      add(p.bias, 0);
    if (p.has(Accumulate))
      add(p.result, row * p.resultStride);
    store<A>(p.result, sums.data(), p.resultDtype, row * p.resultStride, p.columns);
  }
}

} // namespace

void rnnrt::hostGemm(const Gemm &gemm) {
  if (gemm.dtype == RNNRT_DTYPE_F64)
    multiply<double>(gemm);
  else
    multiply<float>(gemm);
}
