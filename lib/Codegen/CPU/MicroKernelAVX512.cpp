//===- MicroKernelAVX512.cpp - bf16 dot products by VDPBF16PS ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

class AVX512MicroKernel final : public DotMicroKernel {
public:
  using DotMicroKernel::DotMicroKernel;

protected:
  Value dot(Value left, Value right, Value sum) override {
    std::string name = "llvm.x86.avx512bf16.dpbf16ps." + std::to_string(b.tiles.sum.getWidth() * b.tiles.lanes);
    return LLVM::CallIntrinsicOp::create(b, sum.getType(), b.getStringAttr(name), ValueRange{sum, left, right})
        .getResult(0);
  }
};

} // namespace

std::unique_ptr<MicroKernel> cpu::createAVX512MicroKernel(HostBuilder &b) {
  return std::make_unique<AVX512MicroKernel>(b);
}
