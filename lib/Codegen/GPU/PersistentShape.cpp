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
    if (shape.getBytes() > query.getMaxBytes())
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

/// Keeps more fragments in registers if threads have at most one place: the registers of another one are free. The
/// choice of the cluster does not depend on this. `others`: registers of sums and operands.
template <typename Shape>
static FailureOr<Shape> withFewExamples(FailureOr<Shape> shape, const PersistentQuery &query, int64_t others) {
  // As above: what does not spill. Loads from memory leave more room than weights in registers alone.
  constexpr int64_t maxRegisters = 166, withMemory = 176;
  if (failed(shape) || !query.examples || shape->isSplit)
    return shape;
  const int64_t all = shape->getWeights().getFragmentsPerWarp();
  auto getMost = [&](int64_t registers) { return (registers - others) / Fragments::registers; };
  int64_t more = getMost(shape->bits == 16 ? withMemory : maxRegisters);
  if (more >= all)
    more = std::min(getMost(maxRegisters), all);
  if (shape->getPlacesOfThread() == 1 && more > shape->fragmentsInRegisters)
    shape->fragmentsInRegisters = more;
  return shape;
}

FailureOr<PersistentBackwardShape> PersistentBackwardShape::get(const PersistentQuery &query, std::string &reason) {
  // With more registers of weights and sums per thread than this, ptxas spills (ptxas 13.0, sm_90a).
  constexpr int64_t maxRegisters = 150, withMemory = 156;
  constexpr int64_t withOneGate = 172; // few values per place
  const int64_t ofResets = query.resetsToInitial ? 12 : 0;
  auto found = findShape<PersistentBackwardShape>(query, reason, [&](int64_t blocks) {
    PersistentBackwardShape shape{query.numGates,
                                  blocks,
                                  int64_t(llvm::divideCeil(*query.H, 16 * blocks)),
                                  8,
                                  query.element.getIntOrFloatBitWidth(),
                                  splitsOperands(query.element, query.options),
                                  0,
                                  getMostRows(query.examples, blocks)};
    while (blocks * shape.tiles % shape.warps != 0)
      --shape.warps;
    const PersistentWeights weights = shape.getWeights();
    // Registers for carried and loaded values of more than two places per thread come on top; of f32, of more than one.
    const int64_t places = llvm::divideCeil(shape.getSums(), shape.getThreads());
    const int64_t others = shape.getTilesOfWarp() * 4 + 32 * std::max<int64_t>(places - 2, 0) +
                           (shape.bits == 32 && !shape.isSplit && shape.getPlacesOfThread() > 1 ? 24 : 0);
    shape.fragmentsInRegisters = weights.getFragmentsPerWarp();
    if (weights.getRegisters() + others > maxRegisters) {
      // The registers of the fragment that is being loaded, and the parts of split operands.
      const int64_t room = withMemory - 16 - (shape.isSplit ? 20 : 0) - others - ofResets;
      shape.fragmentsInRegisters = std::max<int64_t>(room, 0) / Fragments::registers;
      // Two places need a few more registers, unless the shared memory is full.
      if (shape.getPlacesOfThread() > 1 && shape.fragmentsInRegisters > 2) {
        shape.fragmentsInRegisters -= 2;
        if (shape.getBytes() > query.getMaxBytes()) {
          shape.fragmentsInRegisters += 2;
          // Resets of two places need registers too, and so do two strides with the range of steps. Half as many
          // examples per cluster leave one place per thread.
          if (query.resets || (query.inParts && query.batchMajor))
            shape.mostRows = PersistentLimits::maxRows / 2;
        }
      }
      // So that the largest ones fit.
      while (shape.numGates == 1 && shape.getBytes() > query.getMaxBytes() &&
             (shape.fragmentsInRegisters + 1) * Fragments::registers <= room + withOneGate - withMemory)
        ++shape.fragmentsInRegisters;
    } else if (shape.isSplit && query.numGates == 1 && weights.getRegisters() + others > 64) {
      // Close to 128 registers, ptxas spills one or two to leave room for a second block.
      shape.fragmentsInRegisters -= 1;
    }
    return shape;
  });
  return withFewExamples(found, query, succeeded(found) ? 16 + found->getTilesOfWarp() * 4 + ofResets : 0);
}

FailureOr<PersistentForwardShape> PersistentForwardShape::get(const PersistentQuery &query, std::string &reason) {
  // Registers of weights and of a slice of the states that do not spill (as above): without weights in shared memory,
  // and with the fragment that is being loaded from there. The partial sums of 104 tiles need 52 KB.
  constexpr int64_t maxRegisters = 168, withMemory = 156, maxWarps = 8, maxPartialTiles = 104;
  constexpr int64_t withOneGate = 160; // few values per place
  const int64_t ofResets = query.resetsToInitial ? 4 : 0;
  auto found = findShape<PersistentForwardShape>(query, reason, [&](int64_t blocks) {
    PersistentForwardShape shape{query.numGates,
                                 *query.H,
                                 blocks,
                                 1,
                                 1,
                                 1,
                                 query.element.getIntOrFloatBitWidth(),
                                 splitsOperands(query.element, query.options),
                                 0,
                                 getMostRows(query.examples, blocks)};
    const int64_t tiles = llvm::divideCeil(llvm::divideCeil(*query.H, blocks), shape.getUnitsOfTile());
    // As many slices as possible: short chains of MMAs, and each warp reads a small part of the states.
    const int64_t fragments = llvm::divideCeil(*query.H, shape.getDepth());
    while (shape.slices < maxWarps && 2 * shape.slices <= fragments && 2 * shape.slices * tiles <= maxPartialTiles)
      shape.slices *= 2;
    shape.tiles = llvm::divideCeil(tiles, maxWarps / shape.slices);
    shape.groups = llvm::divideCeil(tiles, shape.tiles); // only the trailing blocks may have idle warps
    const PersistentWeights weights = shape.getWeights();
    const int64_t right = shape.getFragmentsPerSlice() * (shape.isSplit ? 4 : 2);
    // Carried and loaded values of more than two places per thread.
    const int64_t places = llvm::divideCeil(shape.getPlaces(), shape.getThreads());
    const int64_t others = right + 12 * std::max<int64_t>(places - 2, 0);
    shape.fragmentsInRegisters = weights.getRegisters() + others <= maxRegisters
                                     ? weights.getFragmentsPerWarp()
                                     : std::max<int64_t>(withMemory - others - ofResets, 0) / Fragments::registers;
    // Two places and the range of steps are too many values for an LSTM, and for a GRU with resets or batch-major
    // sequences; see PersistentBackwardShape.
    if (query.inParts && (query.numGates == 4 || (query.numGates == 3 && (query.resets || query.batchMajor))) &&
        shape.fragmentsInRegisters < weights.getFragmentsPerWarp() && shape.getPlacesOfThread() > 1)
      shape.mostRows = PersistentLimits::maxRows / 2;
    // So that the largest ones fit.
    while (shape.hasOneGate() && shape.getBytes() > query.getMaxBytes() &&
           (shape.fragmentsInRegisters + 1) * Fragments::registers + right <= withOneGate)
      ++shape.fragmentsInRegisters;
    return shape;
  });
  return withFewExamples(found, query, succeeded(found) ? 2 * found->getFragmentsPerSlice() + ofResets : 0);
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
