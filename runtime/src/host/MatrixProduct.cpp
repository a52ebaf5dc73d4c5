// MatrixProduct.cpp - products of matrices one element at a time, in the place of a device's library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/MatrixProduct.h"
#include "host/Convert.h"

using namespace rnnrt;

namespace {

template <typename A> A at(const void *data, int32_t dtype, int64_t index) {
  A value;
  load<A>(&value, data, dtype, index, 1);
  return value;
}

template <typename A> void multiply(const MatrixProduct &p) {
  const bool leftTransposed = p.has(LeftTransposed), rightTransposed = p.has(RightTransposed);
  for (int64_t row = 0; row < p.rows; ++row)
    for (int64_t column = 0; column < p.columns; ++column) {
      A sum = 0;
      for (int64_t k = 0; k < p.depth; ++k)
        sum += at<A>(p.left.data, p.dtype, leftTransposed ? k * p.left.stride + row : row * p.left.stride + k) *
               at<A>(p.right.data, p.dtype, rightTransposed ? column * p.right.stride + k : k * p.right.stride + column);
      const int64_t place = row * p.resultStride + column;
      if (p.bias)
        sum += at<A>(p.bias, p.resultDtype, column);
      if (p.has(Accumulate))
        sum += at<A>(p.result, p.resultDtype, place);
      store<A>(p.result, &sum, p.resultDtype, place, 1);
    }
}

} // namespace

void rnnrt::hostMatrixProduct(const MatrixProduct &product) {
  if (product.dtype == RNNRT_DTYPE_F64)
    multiply<double>(product);
  else
    multiply<float>(product);
}
