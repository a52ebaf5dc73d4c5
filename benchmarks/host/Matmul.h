//===- Matmul.h - one implementation of a matrix product, timed on demand -*- C++ -*-===//
//
// Workers of the part `linalg`: c = a b with --shape=M,N,K, by the protocol of Worker.h. With --shape=M,N,K,t, b is
// stored transposed, as the weights of PyTorch's linear layers. `forward` computes c, `save` writes it as f32.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_BENCHMARKS_HOST_MATMUL_H
#define RNN_BENCHMARKS_HOST_MATMUL_H

#include "Worker.h"

namespace worker {

struct MatmulProblem {
  int64_t M = 0, N = 0, K = 0;
  bool isTransposed = false; ///< b has N rows and K columns
  Problem common;            ///< threads and type

  /// Returns true if `flag` is one of these flags. A wrong value ends the program.
  bool read(const std::string &flag) {
    if (flag.rfind("--cell=", 0) == 0)
      return true;
    if (flag.rfind("--shape=", 0) != 0)
      return common.read(flag);
    long long m, n, k;
    int read = 0;
    std::sscanf(flag.c_str(), "--shape=%lld,%lld,%lld%n", &m, &n, &k, &read);
    std::string rest = flag.substr(read);
    isTransposed = rest == ",t";
    if (read == 0 || (!rest.empty() && !isTransposed) || m < 1 || n < 1 || k < 1)
      fail("expects --shape=M,N,K or --shape=M,N,K,t with positive numbers, but got `" + flag + "`");
    M = m, N = n, K = k;
    return true;
  }

  /// The elements of a and b, as bf16 or f32.
  std::vector<char> makeOperand(Numbers::Tensor name, int64_t count) const {
    Problem scaled = common;
    scaled.H = K;
    Numbers numbers(name, scaled);
    std::vector<char> result(count * (common.isBF16 ? 2 : 4));
    for (int64_t index = 0; index < count; ++index) {
      float value = numbers[index];
      if (common.isBF16)
        reinterpret_cast<uint16_t *>(result.data())[index] = toBF16(value);
      else
        reinterpret_cast<float *>(result.data())[index] = value;
    }
    return result;
  }
  std::vector<char> makeA() const { return makeOperand(Numbers::X, M * K); }
  std::vector<char> makeB() const { return makeOperand(Numbers::WX, K * N); }
  std::vector<float> toFloats(const void *c) const {
    std::vector<float> result(M * N);
    for (int64_t index = 0; index < M * N; ++index)
      result[index] =
          common.isBF16 ? fromBF16(static_cast<const uint16_t *>(c)[index]) : static_cast<const float *>(c)[index];
    return result;
  }
};

/// A product as the layer of a worker.
class Matmul : public Layer {
public:
  void backward() override { fail("a product has no backward pass"); }
  Gradients gradients() override {
    Gradients g;
    g.dx = result();
    return g;
  }

private:
  virtual std::vector<float> result() = 0;
};

} // namespace worker

#endif // RNN_BENCHMARKS_HOST_MATMUL_H
