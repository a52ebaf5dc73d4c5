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
    : element(element), sum(getAccumulatorType(element)), left(sum), bf16Gemm(hostVectors.bf16Gemm),
      lanes(hostVectors.bits / sum.getWidth()),
      // A panel has at least as many columns as one iteration of the inner loop of a GEMM.
      vectors(std::max<int64_t>(hostVectors.registers >= 32 ? 4 : 2, 4 / lanes)), panel(lanes * vectors),
      fmaUnits(hostVectors.fmaUnits), blockDepth(hostVectors.blockDepth) {
  if (element.isBF16() && bf16Gemm != BF16Gemm::F32 && bf16Gemm != BF16Gemm::VNNI)
    left = cast<FloatType>(element);
  if (left != sum && bf16Gemm == BF16Gemm::AMX && 2 * lanes <= amxPanel)
    vectors = amxPanel / lanes, panel = amxPanel;
}

void Tiles::fitPanel(int64_t units, ArrayRef<int64_t> inputs) {
  // The accumulators of a tile of 6 rows and a panel of one vector are 6 registers, each with its own chain of FMAs.
  // Processors that begin two FMAs per cycle, with a latency of 4 cycles, need 8 chains for their full rate, and two
  // loads for each FMA of such a panel. With one FMA unit (Zen 4), narrow panels only have more loops. The constants
  // are the times of an FMA in panels of one and two vectors, relative to panels of four. Those for dot products and
  // for one unit were measured on Zen 4; the others are assumed.
  constexpr int64_t fewest = 16;
  const bool hasOneUnit = fmaUnits == 1;
  const double timeOfTwo = hasOneUnit ? 1.02 : 1.1, timeOfOne = usesBF16Dot() ? 1.6 : hasOneUnit ? 1.03 : 1.25;
  if (usesAMX())
    return;
  auto getTime = [&](int64_t panel, double timeOfFMA) {
    double depth = 0, columns = 0;
    for (int64_t size : inputs)
      depth += size, columns += llvm::alignTo(size, panel);
    // The forward pass and the gradients of weights, and the gradients of inputs and states.
    return timeOfFMA * (2. * llvm::alignTo(units, panel) * depth + units * columns);
  };
  double best = getTime(panel, 1);
  for (int64_t count = vectors / 2; count * lanes >= std::max(fewest, lanes); count /= 2)
    if (double time = getTime(count * lanes, count == 1 ? timeOfOne : timeOfTwo); time < best)
      best = time, vectors = count;
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
