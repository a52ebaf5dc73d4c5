//===- Tiles.cpp - tile sizes and operand types ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/Tiles.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/AccumulatorType.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

Tiles::Tiles(Type element, const HostVectors &hostVectors)
    : element(element), sum(getAccumulatorType(element)), left(sum), blockDepth(hostVectors.blockDepth),
      bf16Gemm(hostVectors.bf16Gemm), lanes(hostVectors.bits / sum.getWidth()),
      // A panel has at least as many columns as one iteration of the inner loop of a GEMM.
      vectors(std::max<int64_t>(hostVectors.registers >= 32 ? 4 : 2, 4 / lanes)), panel(lanes * vectors) {
  if (element.isBF16() && bf16Gemm != BF16Gemm::F32 && bf16Gemm != BF16Gemm::VNNI)
    left = cast<FloatType>(element);
  if (left != sum && bf16Gemm == BF16Gemm::AMX && 2 * lanes <= amxPanel)
    vectors = amxPanel / lanes, panel = amxPanel;
}

void Tiles::fitPanel(int64_t columns, ArrayRef<int64_t> depths) {
  // The accumulators of a tile of 6 rows and a panel of one vector are 6 registers, each with its own chain of FMAs.
  // Processors that begin two FMAs of 512 bits per cycle, with a latency of 4 cycles, need 8 chains for their full
  // rate; Zen 4 begins one, and is as fast with one vector as with four. The percentages are the assumed time of an
  // FMA, relative to that in panels of four vectors. That of dot products in panels of one vector was measured on
  // Zen 4.
  constexpr int64_t fewest = 16, percentOfTwo = 110;
  const int64_t percentOfOne = usesBF16Dot() ? 160 : 125;
  if (usesAMX())
    return;
  const int64_t least = std::max(fewest, lanes);
  auto countPadded = [&](int64_t panel) {
    int64_t depth = 0;
    for (int64_t size : depths)
      depth += llvm::alignTo(size, panel);
    return llvm::SaturatingMultiply<uint64_t>(llvm::alignTo(columns, panel), depth);
  };
  uint64_t best = llvm::SaturatingMultiply<uint64_t>(countPadded(panel), 100);
  for (int64_t count = vectors / 2; count * lanes >= least; count /= 2) {
    uint64_t cost =
        llvm::SaturatingMultiply<uint64_t>(countPadded(count * lanes), count == 1 ? percentOfOne : percentOfTwo);
    if (cost < best)
      best = cost, vectors = count;
  }
  panel = lanes * vectors;
}

bool Tiles::hasSweeps() const {
  constexpr int64_t leastBits = 8192 * 8;
  FloatType type = sum;
  return panel * panel * type.getWidth() >= leastBits;
}

FloatType Tiles::weightsFor(Value rows, Value count) const {
  if (!element.isBF16() || usesBF16Dot())
    return left;
  // Few rows are limited by the bandwidth of L3 or memory, which bf16 weights halve. More rows, or weights in L2, are
  // limited by the widening to f32.
  constexpr int64_t countInL2 = 1 << 18;
  auto isInRange = [](Value size, int64_t from, int64_t to) {
    std::optional<int64_t> known = getConstantIntValue(size);
    return known && *known >= from && *known <= to;
  };
  bool isBandwidthBound = isInRange(rows, 1, fewRows) && isInRange(count, countInL2 + 1, INT64_MAX);
  return bf16Gemm == BF16Gemm::VNNI && isBandwidthBound ? cast<FloatType>(element) : sum;
}
