// KernelsImpl.cpp - the kernels for one instruction set. The build compiles this file once per set, with the compiler
// flags of the set and with its name in RNNRT_KERNELS.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each set has its own Eigen namespace. Otherwise the linker would merge inline functions that were compiled with
// different flags.
#define RNNRT_CONCAT2(a, b) a##b
#define RNNRT_CONCAT(a, b) RNNRT_CONCAT2(a, b)
#define Eigen RNNRT_CONCAT(Eigen_, RNNRT_KERNELS)

#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_DEBUG

#include "host/Kernels.h"

#include <Eigen/Core>

#include <cmath>
#include <cstring>

using namespace rnnrt;

namespace {

//===-- GEMM -----------------------------------------------------------------------------------------------------===//

/// Column-major C^T [n,m] += B^T [n,k] * A^T [k,m], the transposed form of the row-major GEMM. Calls Eigen's kernel
/// directly, as Eigen's BLAS does: for small sizes, expression templates select code whose order of summation depends
/// on the alignment of the operands.
template <int OrderB, int OrderA, typename A>
void gemm(int64_t m, int64_t n, int64_t k, View<const A> a, View<const A> b, View<A> c) {
  if (m <= 0 || n <= 0 || k <= 0)
    return;
  using namespace Eigen;
  internal::gemm_blocking_space<ColMajor, A, A, Dynamic, Dynamic, Dynamic> blocking(n, m, k, 1, true);
  internal::general_matrix_matrix_product<Index, A, OrderB, false, A, OrderA, false, ColMajor, 1>::run(
      n, m, k, b.data, b.stride, a.data, a.stride, c.data, 1, c.stride, A(1), blocking, nullptr);
}

/// Up to this number of rows, packing the other operand costs more than it saves.
constexpr int64_t fewRows = 4;

template <typename A> void multiply(int64_t m, int64_t n, int64_t k, View<const A> a, View<const A> b, View<A> c) {
  if (m > fewRows)
    return gemm<Eigen::ColMajor, Eigen::ColMajor>(m, n, k, a, b, c);
  for (int64_t row = 0; row < m; ++row) {
    const A *left = a.data + row * a.stride;
    A *__restrict target = c.data + row * c.stride;
    int64_t p = 0;
    // Four rows of b per pass: one load and store of the target for four multiply-adds.
    for (; p + 4 <= k; p += 4) {
      const A *__restrict b0 = b.data + p * b.stride, *__restrict b1 = b0 + b.stride;
      const A *__restrict b2 = b1 + b.stride, *__restrict b3 = b2 + b.stride;
      const A f0 = left[p], f1 = left[p + 1], f2 = left[p + 2], f3 = left[p + 3];
      for (int64_t column = 0; column < n; ++column)
        target[column] += f0 * b0[column] + f1 * b1[column] + (f2 * b2[column] + f3 * b3[column]);
    }
    for (; p < k; ++p) {
      const A *__restrict b0 = b.data + p * b.stride;
      const A f0 = left[p];
      for (int64_t column = 0; column < n; ++column)
        target[column] += f0 * b0[column];
    }
  }
}

/// Dot product with a fixed number of interleaved partial sums, so that the result does not depend on the vector width.
template <typename A> A dot(const A *x, const A *y, int64_t count) {
  constexpr int lanes = 128 / sizeof(A);
  A sums[lanes] = {};
  int64_t p = 0;
  for (; p + lanes <= count; p += lanes)
    for (int lane = 0; lane < lanes; ++lane)
      sums[lane] += x[p + lane] * y[p + lane];
  A tail = 0;
  for (; p < count; ++p)
    tail += x[p] * y[p];
  for (int width = lanes / 2; width; width /= 2)
    for (int lane = 0; lane < width; ++lane)
      sums[lane] += sums[lane + width];
  return sums[0] + tail;
}

template <typename A> void multiplyBT(int64_t m, int64_t n, int64_t k, View<const A> a, View<const A> b, View<A> c) {
  if (m > fewRows)
    return gemm<Eigen::RowMajor, Eigen::ColMajor>(m, n, k, a, b, c);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column)
      c.data[row * c.stride + column] += dot(a.data + row * a.stride, b.data + column * b.stride, k);
}

template <typename A> void multiplyAT(int64_t m, int64_t n, int64_t k, View<const A> a, View<const A> b, View<A> c) {
  gemm<Eigen::ColMajor, Eigen::RowMajor>(m, n, k, a, b, c);
}

//===-- Activations ----------------------------------------------------------------------------------------------===//

/// exp(x) - 1 = scale - 1 + scale * reduced, with scale = 2^n and reduced = exp(r) - 1 for |r| <= ln(2) / 2. The
/// relative error in double is below 1e-11, so that results rounded to float are correctly rounded except for rare
/// ties. Branchless, for vectorization.
struct Exponential {
  double scale, reduced;
};

inline Exponential exponential(double x) {
  // Outside these bounds, float results are saturated. NaN propagates, since comparisons with it are false.
  x = x < -700 ? -700 : x;
  x = x > 700 ? 700 : x;
  // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
  const double magic = 0x1.8p52;
  double shifted = x * 0x1.71547652b82fep0 + magic;
  int64_t n;
  std::memcpy(&n, &shifted, 8);
  double whole = shifted - magic;
  double r = x - whole * 0x1.62e42fefa39efp-1; // a single-constant reduction suffices for 1e-11
  uint64_t bits = (uint64_t(n) + 1023) << 52;
  Exponential result;
  std::memcpy(&result.scale, &bits, 8);
  // The Taylor polynomial of exp(r) - 1 to r^11: the next term is below 1e-14.
  double p = 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  result.reduced = p * r;
  return result;
}

void sigmoid(float *target, const float *source, int64_t count) {
  for (int64_t k = 0; k < count; ++k) {
    Exponential e = exponential(-double(source[k]));
    target[k] = float(1 / (1 + e.scale + e.scale * e.reduced));
  }
}

void tanhOf(float *target, const float *source, int64_t count) {
  for (int64_t k = 0; k < count; ++k) {
    // (exp(2x) - 1) / (exp(2x) + 1); the numerator keeps its relative precision around 0.
    Exponential e = exponential(2 * double(source[k]));
    double minus1 = (e.scale - 1) + e.scale * e.reduced;
    target[k] = float(minus1 / (minus1 + 2));
  }
}

// f64 is for reference results and gradient checks: precision matters more than speed.

void sigmoid(double *target, const double *source, int64_t count) {
  for (int64_t k = 0; k < count; ++k)
    target[k] = 1 / (1 + std::exp(-source[k]));
}

void tanhOf(double *target, const double *source, int64_t count) {
  for (int64_t k = 0; k < count; ++k)
    target[k] = std::tanh(source[k]);
}

} // namespace

namespace rnnrt::RNNRT_KERNELS {

// Declared and selected in Kernels.cpp.
extern const Kernels<float> float32;
extern const Kernels<double> float64;
const Kernels<float> float32{multiply<float>, multiplyBT<float>, multiplyAT<float>, sigmoid, tanhOf};
const Kernels<double> float64{multiply<double>, multiplyBT<double>, multiplyAT<double>, sigmoid, tanhOf};

} // namespace rnnrt::RNNRT_KERNELS
