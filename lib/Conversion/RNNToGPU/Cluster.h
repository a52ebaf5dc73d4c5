//===- Cluster.h - a whole recurrence in one launch of clusters -*- C++ -*-===//
//
// The recurrent weights stay in registers over all steps. A cluster of blocks owns some examples of the batch; each of its
// blocks owns some units of the layer, multiplies the gates' gradients of these with its part of the weights, and sends
// the partial sums to the blocks that own the other units. Nobody waits for anything but the values that it needs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_CLUSTER_H
#define RNN_LIB_CONVERSION_RNNTOGPU_CLUSTER_H

#include "Cells.h"

namespace mlir::rnn {

/// How a layer of `H` units is cut.
struct ClusterShape {
  /// The columns of one piece of mma.sync: the examples of a cluster, at most.
  static constexpr int64_t maxRows = 8;
  static constexpr int64_t numGates = 4;

  int64_t blocks; ///< of a cluster
  int64_t tiles;  ///< of 16 units that a block owns
  int64_t warps;

  int64_t getUnits() const { return tiles * 16; }
  int64_t getThreads() const { return warps * 32; }
  /// Tiles of 16 units of the whole layer that a warp computes partial sums for.
  int64_t getTilesOfWarp() const { return blocks * tiles / warps; }
  /// Pieces of 16 along the depth: the gates' gradients of the block's units.
  int64_t getPieces() const { return numGates * tiles; }
  /// Pieces of 16 x 16 weights of all blocks, with their padding, and the buffer that holds them as mma.sync wants them:
  /// by piece, lane and register, two elements in each.
  int64_t getNumPieces() const { return blocks * blocks * tiles * getPieces(); }
  MemRefType getWeightsType(Type element) const { return MemRefType::get({getNumPieces(), 32 * 4, 2}, element); }
  /// Registers of a thread that hold weights.
  int64_t getWeightRegisters() const { return getTilesOfWarp() * getPieces() * 4; }
  /// Sums that a block owns.
  int64_t getSums() const { return maxRows * getUnits(); }

  /// A shape for `H` units in clusters of `blocks` (0: any), or why there is none.
  static FailureOr<ClusterShape> choose(int64_t H, int64_t blocks, std::string &reason);
};

/// The backward recurrence of one LSTM layer. Buffers are those of the block op; those of results may be null.
struct LSTMRecurrence {
  StringRef name;
  Type element;
  int64_t H;
  Value steps, B;
  /// [.., 4H] and the row at which the recurrent weights begin; first column of each gate as LSTMGates has them.
  Value weights, firstRow;
  int64_t gateColumns[ClusterShape::numGates];
  Value orderedWeights;       ///< scratch of ClusterShape::getWeightsType
  Value i, g, f, o, u, cells; ///< [T,B,H] of the forward; u = tanh(cells)
  Value cellBefore;           ///< [B,H]
  Value cellGradients, stateGradients;
  Value wci, wcf, wco;                      ///< peephole, or null
  Value gateGradients;                      ///< [steps*B, 4H]
  Value cellGradientBefore, gradientBefore; ///< [B,H], or null
};

/// The shape for a recurrence of `H` units in `element`, if `op`, or an op around it, asks for clusters by the attribute
/// `rnn.kernel_family = "cluster"`, and it fits; a remark says why it does not. `rnn.cluster_blocks` sets the size.
std::optional<ClusterShape> chooseCluster(Operation *op, Type element, Value H);

/// Launches the kernel.
void launchLSTMRecurrence(const Emitter &host, const LSTMRecurrence &layer, const ClusterShape &shape);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_CLUSTER_H
