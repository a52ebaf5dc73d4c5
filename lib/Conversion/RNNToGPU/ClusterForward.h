//===- ClusterForward.h - a forward recurrence in one launch of clusters -*- C++ -*-===//
//
// A block multiplies the states of all units with the weights of its own units' gates, computes its states, and sends them
// to every block of the cluster. `ClusterForwardLayer` says what a layer computes in a place; the kernel knows none of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFORWARD_H
#define RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFORWARD_H

#include "Cluster.h"

namespace mlir::rnn {

/// How a layer is cut. A tile is 16 rows of the weights: four gates (a cell with three leaves one out) of four units, or
/// the only gate of 16 units.
struct ClusterForwardShape {
  int64_t numGates, H;
  int64_t blocks; ///< of a cluster
  int64_t warps;  ///< of a block
  int64_t tiles;  ///< of a warp
  int64_t bits;   ///< of an element
  bool isSplit;   ///< as ClusterWeights
  /// Of the pieces that a warp multiplies with, so many stand in registers, the rest in workgroup memory.
  int64_t piecesInRegisters;

  /// Of a piece.
  int64_t getDepth() const { return 256 / bits; }
  bool hasOneGate() const { return numGates == 1; }
  int64_t getUnitsOfTile() const { return hasOneGate() ? 16 : 4; }
  int64_t getUnits() const { return warps * tiles * getUnitsOfTile(); }
  int64_t getThreads() const { return warps * 32; }
  /// Pieces along the depth: the states of all units.
  int64_t getPieces() const { return llvm::divideCeil(H, getDepth()); }
  ClusterWeights getWeights() const { return {blocks, warps, tiles, getPieces(), piecesInRegisters, isSplit}; }
  /// Columns of states that are sent, and that a row has room for.
  int64_t getSentColumns() const { return blocks * getUnits(); }
  int64_t getColumns() const { return llvm::alignTo(std::max(getSentColumns(), getPieces() * getDepth()), 16); }
  // Four words between rows of a tile of states, so that the lanes of a warp read from 32 banks.
  int64_t getStride() const { return getColumns() + 128 / bits; }
  int64_t getTileElements() const { return ClusterKernel::maxRows * getStride(); }

  // Bytes of workgroup memory.
  int64_t getTileBytes() const { return 2 * getTileElements() * bits / 8; }
  int64_t getBytes() const { return getTileBytes() + getWeights().getBytes() + ClusterKernel::barrierBytes; }

  /// A shape for `H` units in clusters of `blocks` (0: any), or why there is none.
  static FailureOr<ClusterForwardShape> choose(int64_t H, int64_t numGates, Type element, const KernelOptions &options,
                                               int64_t blocks, std::string &reason);
};

/// A layer, as the kernel of its forward recurrence asks. Everything is asked inside of kernels; values are of the type of
/// the sums, or indices.
class ClusterForwardLayer {
public:
  struct Place {
    Value direction, b, unit;
  };
  /// What a step computes in a place.
  struct Result {
    Value h;                    ///< the state, which the product of the next step takes, rounded
    SmallVector<Value> carried; ///< to the next step
    SmallVector<Value> others;  ///< that `store` wants
  };

  virtual ~ClusterForwardLayer() = default;

  /// By which the state of unit `from` enters a gate of `unit`; an element.
  virtual Value getWeight(const Emitter &e, Value direction, Value gate, Value unit, Value from) const = 0;
  /// The state before the first step; an element.
  virtual Value getState(const Emitter &e, const Place &place) const = 0;
  /// What a place needs in every step.
  virtual SmallVector<Value> readOnce(const Emitter &e, const Place &place) const { return {}; }
  /// What is carried to the first step.
  virtual SmallVector<Value> start(const Emitter &e, const Place &place) const = 0;
  /// What a step needs, other than from the step before it.
  virtual SmallVector<Value> read(const Emitter &e, const Place &place, const Step &step) const = 0;
  /// Arithmetic. `sums`: what comes to the gates by the product.
  virtual Result step(const Emitter &e, const Step &step, ArrayRef<Value> once, ArrayRef<Value> values,
                      ArrayRef<Value> sums, ValueRange carried) const = 0;
  virtual void store(const Emitter &e, const Place &place, const Step &step, const Result &result) const = 0;
  /// `carried` behind the last step; nothing ran if there is none.
  virtual void finish(const Emitter &e, const Place &place, ValueRange carried) const {}
};

/// Launches the kernel, and one in front that brings the weights into order.
void launchClusterForward(const Emitter &host, const ClusterRecurrence &recurrence, const ClusterForwardShape &shape,
                          const ClusterForwardLayer &layer);

/// The forward recurrence of a block LSTM. Buffers are those of the block op.
struct LSTMForwardRecurrence : ClusterRecurrence {
  /// [.., 4H] and the row at which the recurrent weights begin; first column of each gate as LSTMGates has them.
  Value weights, firstRow;
  int64_t gateColumns[4];
  Value arguments; ///< [steps*B, 4H]: of the gates, where they come from the input
  Value cellBefore, stateBefore;
  Value wci, wcf, wco;                ///< peephole, or null
  Value i, cells, f, o, g, u, states; ///< [T,B,H], results, or null; u = tanh(cells)
  double forgetBias, clip;
};
void launchLSTMForward(const Emitter &host, const LSTMForwardRecurrence &recurrence, const ClusterForwardShape &shape);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_CLUSTERFORWARD_H
