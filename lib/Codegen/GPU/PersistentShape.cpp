//===- PersistentShape.cpp - how a persistent kernel divides a layer ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/PersistentShape.h"

using namespace mlir;
using namespace mlir::rnn;

/// Why `query` has no persistent kernel whatever its size, or an empty string.
static std::string findReasonAgainst(const PersistentQuery &query) {
  if (query.isProjected)
    return "the state goes through a projection in every step";
  if (!query.options.programmatic)
    return "clusters need compute capability 9.0; name the GPU, as --chip=sm_90a";
  if (!query.element.isF16() && !query.element.isBF16() && !query.element.isF32())
    return "persistent kernels support f16, bf16 and f32 only";
  if (!query.H)
    return "the number of units is known at run time only";
  return "";
}

/// Of the shapes that `getShape` makes for clusters of 2, 4, 8 and 16 blocks: the first that needs few registers, else
/// the largest that fits. Only the requested cluster size is considered if there is one.
template <typename Shape>
static FailureOr<Shape> findShape(const PersistentQuery &query, std::string &reason,
                                  function_ref<Shape(int64_t blocks)> getShape) {
  // A quarter of the registers keeps the chain of MMAs short; clusters of more than 8 blocks are not portable.
  // Estimates, not measured.
  constexpr int64_t goodRegisters = 64;
  reason = findReasonAgainst(query);
  if (!reason.empty())
    return failure();
  std::optional<Shape> best;
  for (int64_t blocks : {2, 4, 8, 16}) {
    if (query.clusterSize && blocks != query.clusterSize)
      continue;
    Shape shape = getShape(blocks);
    if (shape.getBytes() > PersistentLimits::maxBytes)
      continue;
    best = shape; // larger clusters keep a larger part of the weights in registers
    if (shape.getWeights().getRegisters() <= goodRegisters)
      break;
  }
  if (best)
    return *best;
  reason = "the recurrent weights of " + std::to_string(*query.H) +
           " units do not fit the registers and the shared memory of " +
           (query.clusterSize ? "a cluster of " + std::to_string(query.clusterSize) + " blocks"
                              : std::string("the largest cluster"));
  return failure();
}

FailureOr<PersistentBackwardShape> PersistentBackwardShape::get(const PersistentQuery &query, std::string &reason) {
  // With more registers of weights and sums per thread than this, ptxas spills (ptxas 13.0, sm_90a).
  constexpr int64_t maxRegisters = 160;
  return findShape<PersistentBackwardShape>(query, reason, [&](int64_t blocks) {
    PersistentBackwardShape shape{query.numGates,
                                  blocks,
                                  int64_t(llvm::divideCeil(*query.H, 16 * blocks)),
                                  8,
                                  query.element.getIntOrFloatBitWidth(),
                                  splitsOperands(query.element, query.options),
                                  0};
    while (blocks * shape.tiles % shape.warps != 0)
      --shape.warps;
    const PersistentWeights weights = shape.getWeights();
    // Registers for carried and loaded values of more than two places per thread come on top.
    const int64_t places = llvm::divideCeil(shape.getSums(), shape.getThreads());
    const int64_t others = shape.getTilesOfWarp() * 4 + 24 * std::max<int64_t>(places - 2, 0);
    shape.fragmentsInRegisters = weights.getFragmentsPerWarp();
    if (weights.getRegisters() + others > maxRegisters) {
      // The registers of the fragment that is being loaded, and the parts of split operands.
      const int64_t room = maxRegisters - 16 - (shape.isSplit ? 12 : 0) - others;
      shape.fragmentsInRegisters = std::max<int64_t>(room, 0) / Fragments::registers;
    } else if (shape.isSplit && query.numGates == 1 && weights.getRegisters() + others > 64) {
      // Close to 128 registers, ptxas spills one or two to leave room for a second block.
      shape.fragmentsInRegisters -= 1;
    }
    return shape;
  });
}

FailureOr<PersistentForwardShape> PersistentForwardShape::get(const PersistentQuery &query, std::string &reason) {
  // Registers of weights that do not spill (as above): without weights in shared memory, and with the fragment that is
  // being loaded from there.
  constexpr int64_t maxRegisters = 144, withMemory = 120, maxWarps = 8;
  return findShape<PersistentForwardShape>(query, reason, [&](int64_t blocks) {
    PersistentForwardShape shape{query.numGates,
                                 *query.H,
                                 blocks,
                                 1,
                                 1,
                                 query.element.getIntOrFloatBitWidth(),
                                 splitsOperands(query.element, query.options),
                                 0};
    // Only the trailing blocks may have idle warps.
    int64_t tiles = llvm::divideCeil(llvm::divideCeil(*query.H, blocks), shape.getUnitsOfTile());
    shape.tiles = llvm::divideCeil(tiles, maxWarps);
    shape.warps = llvm::divideCeil(tiles, shape.tiles);
    const PersistentWeights weights = shape.getWeights();
    shape.fragmentsInRegisters =
        weights.getRegisters() <= maxRegisters ? weights.getFragmentsPerWarp() : withMemory / Fragments::registers;
    // As in the backward shape: close to the registers that leave room for a second block.
    if (shape.isSplit && shape.tiles > 1 && shape.fragmentsInRegisters == weights.getFragmentsPerWarp())
      shape.fragmentsInRegisters -= 1;
    return shape;
  });
}

FailureOr<int64_t> rnn::findPersistentShape(const PersistentQuery &query, std::string &reason) {
  auto getBlocks = [](const auto &shape) -> FailureOr<int64_t> {
    if (failed(shape))
      return failure();
    return shape->blocks;
  };
  return query.backward ? getBlocks(PersistentBackwardShape::get(query, reason))
                        : getBlocks(PersistentForwardShape::get(query, reason));
}
