//===- MicroKernelF32Dot.cpp - bf16 dot products by f32 arithmetic -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

class F32DotMicroKernel final : public DotMicroKernel {
public:
  using DotMicroKernel::DotMicroKernel;

protected:
  Value dot(Value left, Value right, Value sum) override {
    for (bool second : {false, true})
      sum = b.fma(b.deinterleave(left, second), b.deinterleave(right, second), sum);
    return sum;
  }
};

} // namespace

std::unique_ptr<MicroKernel> cpu::createF32DotMicroKernel(HostBuilder &b) {
  return std::make_unique<F32DotMicroKernel>(b);
}
