// Kernels.h - vectorized inner loops: GEMM, sigmoid, tanh. They are compiled once per instruction set. The process
// selects one set at its first use, so that results are reproducible bit for bit on one machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_KERNELS_H
#define RNNRT_HOST_KERNELS_H

#include <cstdint>

namespace rnnrt {

/// A row-major matrix with `stride` elements between rows.
template <typename A> struct View {
  A *data;
  int64_t stride;
};

/// All matrices are row-major. The order of summation depends on the sizes only, never on addresses.
template <typename A> struct Kernels {
  /// c [m,n] += a [m,k] * b [k,n]
  void (*multiply)(int64_t m, int64_t n, int64_t k, View<const A> a, View<const A> b, View<A> c);
  /// c [m,n] += a [m,k] * b [n,k] transposed
  void (*multiplyBT)(int64_t m, int64_t n, int64_t k, View<const A> a, View<const A> b, View<A> c);
  /// c [m,n] += a [k,m] transposed * b [k,n]
  void (*multiplyAT)(int64_t m, int64_t n, int64_t k, View<const A> a, View<const A> b, View<A> c);
  /// target[k] = 1 / (1 + exp(-source[k])); in-place operation is allowed.
  void (*sigmoid)(A *target, const A *source, int64_t count);
  /// target[k] = tanh(source[k]); in-place operation is allowed.
  void (*tanh)(A *target, const A *source, int64_t count);
};

/// Returns the set for this processor, limited by RNNRT_HOST_CPU (api.h).
template <typename A> const Kernels<A> &kernels();

} // namespace rnnrt

#endif // RNNRT_HOST_KERNELS_H
