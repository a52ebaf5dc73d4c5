//===- MicroKernelVNNI.cpp - bf16 weights by f32 arithmetic ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

class VNNIMicroKernel final : public VectorMicroKernel {
public:
  using VectorMicroKernel::VectorMicroKernel;

  int64_t depthStep() const override { return 2; }

  void multiply(const Tile &tile, MutableArrayRef<Value> sums, const LeftColumn &a, const RightRow &right) override {
    SmallVector<Value> columns =
        loadRow(tile, right, 2 * b.tiles.lanes, [&](Value offset) { return b.loadVNNI(right.buffer, offset); });
    // A vector of pairs widens to two vectors. A group of panels leaves registers for one at a time beside the sums.
    size_t atOnce = tile.rows <= Tiles::fewRows ? 1 : columns.size();
    for (size_t first = 0; first < columns.size(); first += atOnce) {
      auto some = ArrayRef(columns).slice(first, atOnce);
      for (bool second : {false, true}) {
        auto widened = llvm::map_to_vector(some, [&](Value pairs) { return b.deinterleave(pairs, second); });
        accumulate(
            tile, sums, a, first, widened,
            [&](Value offset) { return b.splat(b.loadScalar(a.buffer, b.add(offset, second))); },
            [&](Value factor, Value column, Value sum) { return b.fma(factor, column, sum); });
      }
    }
  }
};

} // namespace

std::unique_ptr<MicroKernel> cpu::createVNNIMicroKernel(HostBuilder &b) {
  return std::make_unique<VNNIMicroKernel>(b);
}
