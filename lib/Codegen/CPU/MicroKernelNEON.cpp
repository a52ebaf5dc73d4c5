//===- MicroKernelNEON.cpp - bf16 dot products by BFDOT ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

class NEONMicroKernel final : public DotMicroKernel {
public:
  using DotMicroKernel::DotMicroKernel;

protected:
  Value dot(Value left, Value right, Value sum) override {
    StringAttr name = b.getStringAttr("llvm.aarch64.neon.bfdot.v4f32.v8bf16");
    return LLVM::CallIntrinsicOp::create(b, sum.getType(), name, ValueRange{sum, left, right}).getResult(0);
  }
};

} // namespace

std::unique_ptr<MicroKernel> cpu::createNEONMicroKernel(HostBuilder &b) {
  return std::make_unique<NEONMicroKernel>(b);
}
