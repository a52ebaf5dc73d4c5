//===- Tiles.cpp - tile sizes and operand types ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/Tiles.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/AccumulatorType.h"

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
