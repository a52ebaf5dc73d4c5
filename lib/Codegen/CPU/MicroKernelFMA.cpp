//===- MicroKernelFMA.cpp - f32 and f64 by fused multiply-add ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

class FMAMicroKernel final : public VectorMicroKernel {
public:
  using VectorMicroKernel::VectorMicroKernel;

  int64_t depthStep() const override { return 1; }

  void multiply(const Tile &tile, MutableArrayRef<Value> sums, const LeftColumn &a, const RightRow &right) override {
    SmallVector<Value> columns =
        loadRow(tile, right, b.tiles.lanes, [&](Value offset) { return b.load(right.buffer, offset); });
    accumulate(
        tile, sums, a, 0, columns, [&](Value offset) { return b.splat(b.loadScalar(a.buffer, offset)); },
        [&](Value factor, Value column, Value sum) { return b.fma(factor, column, sum); });
  }
};

} // namespace

std::unique_ptr<MicroKernel> cpu::createFMAMicroKernel(HostBuilder &b) {
  return std::make_unique<FMAMicroKernel>(b);
}
