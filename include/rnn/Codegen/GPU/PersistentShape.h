//===- PersistentShape.h - how a persistent kernel divides a layer -*- C++ -*-===//
//
// A persistent kernel runs all steps of a recurrence in one launch of thread-block clusters, with the recurrent weights
// in registers and shared memory. This header has the arithmetic of its shapes and decides whether a layer fits. It
// depends on no op, so selection and lowering share it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_PERSISTENTSHAPE_H
#define RNN_CODEGEN_GPU_PERSISTENTSHAPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "rnn/Codegen/GPU/KernelOptions.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <string>

namespace mlir::rnn {

/// Limits of a thread block of a persistent kernel.
struct PersistentLimits {
  /// The columns of one MMA fragment of the right operand: the most examples per cluster.
  static constexpr int64_t maxRows = 8;
  static constexpr int64_t barrierBytes = 16;     ///< two mbarriers
  static constexpr int64_t taskBytes = 16;        ///< for the end of a task (PersistentKernel::forEachTask)
  static constexpr int64_t maxBytes = 227 * 1024; ///< shared memory of a block, compute capability 9.0
  static constexpr int64_t multiprocessors = 132; ///< of an H200
};

/// The most examples per cluster that a kernel supports; `examples`: of all directions, if known. The runtime queries
/// how many clusters of a kernel are resident together and divides the examples among them. This is enough for three
/// quarters of the clusters that the 132 multiprocessors of an H200 allow; on a device that holds fewer, the remaining
/// clusters run later. A known limit saves registers.
inline int64_t getMostRows(std::optional<int64_t> examples, int64_t blocks) {
  if (!examples)
    return PersistentLimits::maxRows;
  const int64_t resident = std::max<int64_t>(PersistentLimits::multiprocessors / blocks * 3 / 4, 1);
  return std::clamp<int64_t>(llvm::divideCeil(*examples, resident), 1, PersistentLimits::maxRows);
}

/// The left operand of mma.sync as fragments of 16 rows by 16 columns (f16, bf16) or 8 columns (f32, which is rounded
/// to tf32 or split in every step). A lane holds four 32-bit registers of a fragment.
struct Fragments {
  static constexpr int64_t rows = 16, registers = 4, lanes = 32;

  explicit Fragments(Type element) : element(element) {}

  int64_t getDepth() const { return 8 * getPerRegister(); }
  /// Elements in a register.
  int64_t getPerRegister() const { return 32 / element.getIntOrFloatBitWidth(); }
  /// `count` fragments in the order of registers: by fragment, lane and register, then elements.
  MemRefType getBufferType(int64_t count) const {
    return MemRefType::get({count, lanes * registers, getPerRegister()}, element);
  }

  Type element;
};

/// True if a persistent kernel multiplies f32 in full precision: each operand is split into two tf32 values.
inline bool splitsOperands(Type element, const KernelOptions &options) {
  return element.isF32() && !options.tf32;
}

/// Where the recurrent weights of a persistent kernel are kept. A warp multiplies tiles of 16 rows.
struct PersistentWeights {
  static constexpr int64_t maskBytes = 16; ///< of the buffer that `PersistentKernel::loadWeights` adds if `isSplit`

  int64_t blocks;      ///< per cluster
  int64_t warps;       ///< per block
  int64_t tiles;       ///< per warp
  int64_t fragments;   ///< per tile, along the depth
  int64_t inRegisters; ///< fragments per warp that are kept in registers; the others are in shared memory
  bool isSplit;        ///< see splitsOperands

  int64_t getFragmentsPerWarp() const { return tiles * fragments; }
  /// Registers per thread if all fragments were kept in registers.
  int64_t getRegisters() const { return getFragmentsPerWarp() * Fragments::registers; }
  int64_t getFragmentsInMemory() const { return warps * (getFragmentsPerWarp() - inRegisters); }
  int64_t getFragmentBytes() const { return getFragmentsInMemory() * Fragments::lanes * Fragments::registers * 4; }
  /// Shared memory of a block.
  int64_t getBytes() const { return getFragmentBytes() + (isSplit ? maskBytes : 0); }
  /// Fragments of all blocks, padding included: by direction, block, warp, tile of the warp, and fragment along the
  /// depth.
  MemRefType getBufferType(Type element, int64_t numDirections) const {
    return Fragments(element).getBufferType(numDirections * blocks * warps * getFragmentsPerWarp());
  }
};

/// A recurrence for which a persistent kernel is requested.
struct PersistentQuery {
  bool backward = false;
  Type element;
  std::optional<int64_t> H; ///< nullopt: dynamic
  int64_t numGates = 4;
  bool isProjected = false;
  int64_t clusterSize = 0; ///< requested blocks per cluster; 0: any
  /// Examples of all directions, if known. With one place per thread, more weights stay in registers.
  std::optional<int64_t> examples = std::nullopt;
  /// Resets need registers, those to the initial states more.
  bool resets = false, resetsToInitial = false;
  /// The recurrence runs in several launches, which needs registers too.
  bool inParts = false;
  /// So do sequences with two strides.
  bool batchMajor = false;
  KernelOptions options;

  /// Limit of the shared memory of the shape's buffers.
  int64_t getMaxBytes() const { return PersistentLimits::maxBytes - (inParts ? PersistentLimits::taskBytes : 0); }
};

/// The cluster size of the persistent kernel that `convert-rnn-to-gpu` generates for `query`. On failure `reason`
/// states why there is none.
FailureOr<int64_t> findPersistentShape(const PersistentQuery &query, std::string &reason);

/// The shape of a backward kernel for `H` units.
struct PersistentBackwardShape {
  int64_t numGates;
  int64_t blocks; ///< per cluster
  int64_t tiles;  ///< of 16 units, owned by a block
  int64_t warps;  ///< per block
  int64_t bits;   ///< of an element
  bool isSplit;   ///< see splitsOperands
  /// Fragments of weights per warp that are kept in registers; the others are in shared memory.
  int64_t fragmentsInRegisters;
  int64_t mostRows; ///< see getMostRows

  /// Depth of a fragment.
  int64_t getDepth() const { return 256 / bits; }

  int64_t getUnits() const { return tiles * 16; }
  int64_t getThreads() const { return warps * 32; }
  /// Tiles of 16 units of the whole layer for which a warp computes partial sums.
  int64_t getTilesOfWarp() const { return blocks * tiles / warps; }
  /// Fragments along the depth: the gate gradients of the block's units.
  int64_t getFragmentsPerTile() const { return numGates * getUnits() / getDepth(); }
  PersistentWeights getWeights() const {
    return {blocks, warps, getTilesOfWarp(), getFragmentsPerTile(), fragmentsInRegisters, isSplit};
  }
  /// Places of a thread. Pairs of examples come first.
  int64_t getPlacesOfThread() const { return llvm::divideCeil(llvm::alignTo(mostRows, 2) * getUnits(), getThreads()); }
  /// Sums owned by a block.
  int64_t getSums() const { return PersistentLimits::maxRows * getUnits(); }
  /// Stride of the tile of gradients. Four words of padding: the lanes of a warp read from 32 different banks.
  int64_t getTileStride() const { return numGates * getUnits() + 128 / bits; }
  int64_t getTileElements() const { return PersistentLimits::maxRows * getTileStride(); }

  // Bytes of shared memory.
  int64_t getSlotBytes() const { return 2 * blocks * getSums() * 4; }
  int64_t getTileBytes() const { return 2 * getTileElements() * bits / 8; }
  int64_t getBytes() const {
    return getSlotBytes() + getTileBytes() + getWeights().getBytes() + PersistentLimits::barrierBytes;
  }

  static FailureOr<PersistentBackwardShape> get(const PersistentQuery &query, std::string &reason);
};

/// The shape of a forward kernel for `H` units. A tile is 16 rows of the weights: four gates (three in a cell with
/// three) of four units, or the only gate of 16 units. A warp multiplies a group of the block's tiles, mostly all of
/// them, with a slice of the states.
struct PersistentForwardShape {
  int64_t numGates, H;
  int64_t blocks; ///< per cluster
  int64_t slices; ///< of the states
  int64_t groups; ///< of the block's tiles
  int64_t tiles;  ///< per warp
  int64_t bits;   ///< of an element
  bool isSplit;   ///< see splitsOperands
  /// Fragments of weights per warp that are kept in registers; the others are in shared memory.
  int64_t fragmentsInRegisters;
  int64_t mostRows; ///< see getMostRows

  int64_t getWarps() const { return slices * groups; }
  /// Depth of a fragment.
  int64_t getDepth() const { return 256 / bits; }
  bool hasOneGate() const { return numGates == 1; }
  int64_t getUnitsOfTile() const { return hasOneGate() ? 16 : 4; }
  int64_t getUnits() const { return groups * tiles * getUnitsOfTile(); }
  int64_t getThreads() const { return getWarps() * 32; }
  int64_t getPlacesOfThread() const { return llvm::divideCeil(mostRows * getUnits(), getThreads()); }
  /// Units of a block for all examples.
  int64_t getPlaces() const { return PersistentLimits::maxRows * getUnits(); }
  /// Fragments along the depth, the states of all units, for a warp.
  int64_t getFragmentsPerSlice() const { return llvm::divideCeil(llvm::divideCeil(H, getDepth()), slices); }
  PersistentWeights getWeights() const {
    return {blocks, getWarps(), tiles, getFragmentsPerSlice(), fragmentsInRegisters, isSplit};
  }
  /// Adjacent units whose states are sent together, at most 16 bytes.
  int64_t getUnitsPerSend() const { return bits == 16 && getUnits() % 8 == 0 ? 8 : 4; }
  /// Columns of states that the blocks send, and columns of the tile that receives them.
  int64_t getSentColumns() const { return blocks * getUnits(); }
  int64_t getColumns() const {
    return llvm::alignTo(std::max(getSentColumns(), slices * getFragmentsPerSlice() * getDepth()), 16);
  }
  /// Stride of a tile of states. Four words of padding: the lanes of a warp read from 32 different banks.
  int64_t getStride() const { return getColumns() + 128 / bits; }
  int64_t getTileElements() const { return PersistentLimits::maxRows * getStride(); }
  /// Partial sums of a slice between two examples. Four words of padding: pairs of examples are in different banks.
  int64_t getPartialStride() const { return groups * tiles * 16 + 4; }
  int64_t getPartialSumsOfSlice() const { return PersistentLimits::maxRows * getPartialStride(); }

  // Bytes of shared memory.
  int64_t getTileBytes() const { return 2 * getTileElements() * bits / 8; }
  int64_t getPartialBytes() const { return slices * getPartialSumsOfSlice() * 4; }
  int64_t getBytes() const {
    return getTileBytes() + getPartialBytes() + getWeights().getBytes() + PersistentLimits::barrierBytes;
  }

  static FailureOr<PersistentForwardShape> get(const PersistentQuery &query, std::string &reason);
};

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_PERSISTENTSHAPE_H
