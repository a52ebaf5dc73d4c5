//===- Cluster.h - a whole recurrence in one launch of clusters -*- C++ -*-===//
//
// The recurrent weights stay on the chip over all steps. A cluster of blocks owns some examples of the batch, in one
// direction; each of its blocks owns some units of the layer. `ClusterKernel` is what such kernels are made of; the rest is
// the backward recurrence: a block multiplies the gates' gradients of its units with its part of the weights, and sends the
// partial sums to the blocks that own the other units. Nobody waits for anything but the values that it needs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_CLUSTER_H
#define RNN_LIB_CONVERSION_RNNTOGPU_CLUSTER_H

#include "Cells.h"
#include "Layers.h"

namespace mlir::rnn {

//===----------------------------------------------------------------------===//
// What kernels of clusters are made of
//===----------------------------------------------------------------------===//

/// Pieces of a matrix as mma.sync takes it from the left: 16 rows; 16 columns of f16 or bf16, 8 of f32, which is rounded to
/// tf32 or split in every step. A lane has four registers of a piece.
struct ClusterPieces {
  static constexpr int64_t rows = 16, registers = 4, lanes = 32;

  explicit ClusterPieces(Type element) : element(element) {}

  int64_t getDepth() const { return 8 * getPerRegister(); }
  /// Elements in a register.
  int64_t getPerRegister() const { return 32 / element.getIntOrFloatBitWidth(); }
  /// `count` pieces in the order of registers: by piece, lane and register, then elements.
  MemRefType getBufferType(int64_t count) const {
    return MemRefType::get({count, lanes * registers, getPerRegister()}, element);
  }

  Type element;
};

/// Whether clusters multiply f32 in its full precision: each factor is split into two that tf32 can hold.
inline bool splitsFactors(Type element, const KernelOptions &options) { return element.isF32() && !options.tf32; }

/// Where the weights stand that clusters multiply with. A warp has tiles of 16 rows.
struct ClusterWeights {
  static constexpr int64_t maskBytes = 16; ///< of the buffer that loadWeights adds where it splits

  int64_t blocks;      ///< of a cluster
  int64_t warps;       ///< of a block
  int64_t tiles;       ///< of a warp
  int64_t pieces;      ///< of a tile, along the depth
  int64_t inRegisters; ///< of the pieces of a warp; the rest is in workgroup memory
  bool isSplit;        ///< factors are f32 in full precision

  int64_t getPiecesOfWarp() const { return tiles * pieces; }
  /// Registers of a thread, if all of them were there.
  int64_t getRegisters() const { return getPiecesOfWarp() * ClusterPieces::registers; }
  int64_t getPiecesInMemory() const { return warps * (getPiecesOfWarp() - inRegisters); }
  int64_t getPieceBytes() const { return getPiecesInMemory() * ClusterPieces::lanes * ClusterPieces::registers * 4; }
  /// Of workgroup memory.
  int64_t getBytes() const { return getPieceBytes() + (isSplit ? maskBytes : 0); }
  /// Pieces of all blocks, with their padding: by direction, block, warp, tile of the warp, and piece along the depth.
  MemRefType getBufferType(Type element, int64_t numDirections) const {
    return ClusterPieces(element).getBufferType(numDirections * blocks * warps * getPiecesOfWarp());
  }
};

/// Launches a kernel that fills `ordered`, a buffer of ClusterPieces::getBufferType. `read` gives the element in a row and
/// a column of a piece.
void orderPieces(const Emitter &host, StringRef name, const ClusterPieces &pieces, Value ordered,
                 function_ref<Value(const Emitter &e, Value piece, Value row, Value column)> read);

/// A launch of clusters under construction.
class ClusterKernel {
public:
  /// The columns of one piece of mma.sync: the examples of a cluster, at most.
  static constexpr int64_t maxRows = 8;
  static constexpr int64_t barrierBytes = 16; ///< of the buffer that startBarriers adds
  static constexpr int64_t maxBytes = 227 * 1024; ///< of a block, on GPUs of compute capability 9.0

  ClusterKernel(const Emitter &host, StringRef name, Type element);

protected:
  /// As few examples in a cluster as let all clusters of all directions run at once.
  static Value chooseRows(const Emitter &host, Value B, int64_t numDirections, int64_t blocks);
  /// From here on, the builder stands in the kernel. A cluster has `rows` examples of one direction. `bytes`: of all buffers
  /// that will be added.
  void launch(Value B, int64_t numDirections, int64_t blocks, int64_t threads, int64_t bytes = 0);
  /// A block stays until nobody sends to it any more. The builder then stands behind the launch.
  void finish();

  // --- Small things ---
  Emitter named(StringRef suffix) const { return host.named(name + ": " + suffix.str()); }
  Value toIndex(Value value) const;
  Value toI32(Value value) const;
  Value constant32(int64_t value) const;
  /// `pointer` + `place` elements.
  Value at(Value pointer, Type type, Value place) const;
  /// `values()` where the condition holds, else zeros; of floats and indices.
  SmallVector<Value> valuesIf(Value condition, function_ref<SmallVector<Value>()> values) const;

  /// A float as products take it: rounded to `element`, and f32 to tf32 unless it will be split.
  Value round(const Emitter &e, Value value) const;

  // --- Memory of the block ---
  /// A pointer to workgroup memory at a multiple of 16.
  Value addBuffer(int64_t bytes);
  /// `words` words of four bytes.
  void clear(Value buffer, int64_t words);
  /// The same place in the block with number `rank` (i32) of the cluster.
  Value getRemote(Value pointer, Value rank) const;

  // --- mbarriers ---
  /// One for each of two turns; behind it, all blocks of the cluster may send.
  void startBarriers();
  Value getBarrier(Value turn) const { return at(barriers, builder.getI64Type(), turn); }
  /// Says in which turn how many bytes will come, from one thread. The turn ends when they are there.
  void expect(const Emitter &e, Value turn, Value bytes) const;
  /// Waits for what was sent in a step: turns alternate.
  void waitFor(Value step) const;
  /// Sends two or four sums to memory of another block, and tells its mbarrier.
  void send(const Emitter &e, ValueRange values, Value target, Value barrier) const;

  // --- Products ---
  /// Fetches this lane's part of `ordered`, a buffer of ClusterWeights::getBufferType.
  void loadWeights(Value ordered, const ClusterWeights &where);
  /// The sums of the warp's tiles, four registers each: the weights times `tile`, of which `row` is this lane's.
  SmallVector<Value> multiplyAll(Value tile, Value row) const;
  /// The registers of a piece in order; `first` points to those of this lane in piece 0.
  SmallVector<Value> loadPiece(const Emitter &e, Value first, int64_t piece) const;
  /// The two registers of one piece on the right: `row` is that of this lane's group in the tile, `piece` along its rows.
  SmallVector<Value> loadRight(const Emitter &e, Value tile, Value row, int64_t piece) const;
  /// Rounds f32 to tf32, and returns what is lost by it. `mask` is that of loadMask.
  SmallVector<Value> splitOff(const Emitter &e, MutableArrayRef<Value> registers, Value mask) const;
  /// The bits of f32 that tf32 has; nobody knows them when compiling.
  Value loadMask(const Emitter &e) const;
  /// sums += a * b for one piece.
  void multiply(const Emitter &e, ValueRange a, ValueRange b, MutableArrayRef<Value> sums) const;

  const Emitter host;
  Emitter e;
  OpBuilder &builder;
  std::string name;
  ClusterPieces pieces;
  Type element, f32, i32;
  ClusterWeights where;                    ///< that loadWeights was told
  SmallVector<SmallVector<Value>> weights; ///< registers: by tile of the warp, then piece
  Value weightsInMemory;                   ///< those of this lane that follow
  Value maskInMemory;                      ///< null where nothing is split

  gpu::LaunchOp kernel;
  Value rows; ///< examples of a cluster
  Value thread, lane, warp, rank;
  Value group, member;             ///< lane / 4 and lane % 4, as PTX names the parts of mma.sync
  Value direction;                 ///< that the cluster works on
  Value firstRow;                  ///< of the batch
  Value barriers;                  ///< two, 8 bytes each
  Value dynamic;                   ///< workgroup memory whose size the launch tells, or null
  int64_t dynamicEnd = 0;          ///< of its buffers
};

/// The value of a discardable attribute of `op` or the innermost op around it that has it.
template <typename AttrTy>
AttrTy findAttr(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp())
    if (auto attr = dyn_cast_or_null<AttrTy>(op->getDiscardableAttr(name)))
      return attr;
  return {};
}

/// Whether `op`, or an op around it, asks for clusters by the attribute `rnn.kernel_family = "cluster"`.
bool wantsCluster(Operation *op);
/// Why kernels of clusters cannot run `H` units in `element`, however they are cut; empty: they can. The answer that selection
/// has too.
std::string findReasonAgainstCluster(Operation *op, Type element, Value H);
/// A remark that says why a wish for clusters is not fulfilled.
void remarkNoCluster(Operation *op, StringRef reason);

/// Among the ways in which `cut` cuts a layer of `H` units for clusters of so many blocks, the smallest that needs few
/// registers, else the largest that fits; `wanted` blocks alone unless that is 0. Or why there is none.
template <typename Shape>
FailureOr<Shape> chooseClusterShape(int64_t H, int64_t wanted, std::string &reason,
                                    function_ref<Shape(int64_t blocks)> cut) {
  // A quarter of the registers keeps the product short; beyond 8 blocks, clusters are not portable. Estimates: no GPU
  // has measured them.
  constexpr int64_t goodRegisters = 64;
  std::optional<Shape> best;
  for (int64_t blocks : {2, 4, 8, 16}) {
    if (wanted && blocks != wanted)
      continue;
    Shape shape = cut(blocks);
    if (shape.getBytes() > ClusterKernel::maxBytes)
      continue;
    best = shape; // the larger the cluster, the more of the weights stands in registers
    if (shape.getWeights().getRegisters() <= goodRegisters)
      break;
  }
  if (best)
    return *best;
  reason = "the recurrent weights of " + std::to_string(H) + " units do not fit the registers and the shared memory of " +
           (wanted ? "a cluster of " + std::to_string(wanted) + " blocks" : std::string("the largest cluster"));
  return failure();
}

/// The shape for a recurrence of `H` units in `element`, if it is to run in clusters and fits; a remark says why it does not.
/// The attribute `rnn.cluster_blocks` sets the size. `reason`: why this layer cannot; empty: it can.
template <typename Shape>
std::optional<Shape> chooseCluster(Operation *op, Type element, Value H, int64_t numGates, std::string reason = "") {
  if (!wantsCluster(op))
    return std::nullopt;
  if (reason.empty())
    reason = findReasonAgainstCluster(op, element, H);
  if (reason.empty()) {
    auto blocks = findAttr<IntegerAttr>(op, "rnn.cluster_blocks");
    FailureOr<Shape> shape = Shape::choose(*getConstantIntValue(H), numGates, element, getKernelOptions(op),
                                           blocks ? blocks.getInt() : 0, reason);
    if (succeeded(shape))
      return *shape;
  }
  remarkNoCluster(op, reason);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The backward recurrence
//===----------------------------------------------------------------------===//

/// How a layer of `H` units is cut.
struct ClusterShape {
  int64_t numGates;
  int64_t blocks; ///< of a cluster
  int64_t tiles;  ///< of 16 units that a block owns
  int64_t warps;
  int64_t bits;  ///< of an element
  bool isSplit;  ///< as ClusterWeights
  /// Of the pieces that a warp multiplies with, so many stand in registers, the rest in workgroup memory.
  int64_t piecesInRegisters;

  /// Of a piece.
  int64_t getDepth() const { return 256 / bits; }

  int64_t getUnits() const { return tiles * 16; }
  int64_t getThreads() const { return warps * 32; }
  /// Tiles of 16 units of the whole layer that a warp computes partial sums for.
  int64_t getTilesOfWarp() const { return blocks * tiles / warps; }
  /// Pieces along the depth: the gates' gradients of the block's units.
  int64_t getPieces() const { return numGates * getUnits() / getDepth(); }
  ClusterWeights getWeights() const {
    return {blocks, warps, getTilesOfWarp(), getPieces(), piecesInRegisters, isSplit};
  }
  /// Sums that a block owns.
  int64_t getSums() const { return ClusterKernel::maxRows * getUnits(); }
  // Four words between rows of the tile of gradients, so that the lanes of a warp read from 32 banks.
  int64_t getTileStride() const { return numGates * getUnits() + 128 / bits; }
  int64_t getTileElements() const { return ClusterKernel::maxRows * getTileStride(); }

  // Bytes of workgroup memory.
  int64_t getSlotBytes() const { return 2 * blocks * getSums() * 4; }
  int64_t getTileBytes() const { return 2 * getTileElements() * bits / 8; }
  int64_t getBytes() const {
    return getSlotBytes() + getTileBytes() + getWeights().getBytes() + ClusterKernel::barrierBytes;
  }

  /// A shape for `H` units in clusters of `blocks` (0: any), or why there is none.
  static FailureOr<ClusterShape> choose(int64_t H, int64_t numGates, Type element, const KernelOptions &options,
                                        int64_t blocks, std::string &reason);
};

/// A layer, as the kernel of its backward recurrence asks. Everything is asked inside of kernels; values are of the type of
/// the sums, or indices.
class ClusterBackwardLayer {
public:
  struct Place {
    Value direction, b, unit;
  };
  /// What a step computes in a place.
  struct Gradients {
    SmallVector<Value> states;  ///< of the gates' arguments where they come from the state: the product takes them
    SmallVector<Value> inputs;  ///< and where they come from the input, if they differ
    SmallVector<Value> carried; ///< to the next step
  };

  virtual ~ClusterBackwardLayer() = default;

  /// By which the state of unit `from` enters a gate of `unit`.
  virtual Value getWeight(const Emitter &e, Value direction, Value gate, Value unit, Value from) const = 0;
  /// What a place needs in every step.
  virtual SmallVector<Value> readOnce(const Emitter &e, const Place &place) const { return {}; }
  /// What is carried to the last step.
  virtual SmallVector<Value> start(const Emitter &e, const Place &place) const = 0;
  /// What a step needs, other than from the step after it.
  virtual SmallVector<Value> read(const Emitter &e, const Place &place, const Step &step) const = 0;
  /// Arithmetic. `sum`: what comes to the state by the product.
  virtual Gradients stepBack(const Emitter &e, const Step &step, ArrayRef<Value> once, ArrayRef<Value> values, Value sum,
                             ValueRange carried) const = 0;
  virtual void store(const Emitter &e, const Place &place, const Step &step, const Gradients &gradients) const = 0;
  /// Whether anybody wants what the first step sends back.
  virtual bool wantsState() const = 0;
  /// `sum` (null unless `wantsState`) and `carried` behind the first step.
  virtual void finish(const Emitter &e, const Place &place, Value sum, ValueRange carried) const = 0;
};

/// A recurrence to launch.
struct ClusterRecurrence {
  std::string name;
  Type element;
  int64_t H, numDirections;
  Value steps, B;
  Value orderedWeights; ///< scratch of ClusterWeights::getBufferType

  /// The step that a direction does as number `number`.
  Step getStep(const Emitter &e, Value direction, Value number) const {
    Value last = e.sub(steps, e.index(1));
    return makeStep(e, direction, numDirections, number, last, e.isEqual(number, e.index(0)), e.isEqual(number, last));
  }
};

/// Launches the kernel, and one in front that brings the weights into order.
void launchClusterBackward(const Emitter &host, const ClusterRecurrence &recurrence, const ClusterShape &shape,
                           const ClusterBackwardLayer &layer);

/// The backward recurrence of a block LSTM. Buffers are those of the block op; those of results may be null.
struct LSTMRecurrence : ClusterRecurrence {
  /// [.., 4H] and the row at which the recurrent weights begin; first column of each gate as LSTMGates has them.
  Value weights, firstRow;
  int64_t gateColumns[4];
  Value i, g, f, o, u, cells; ///< [T,B,H] of the forward; u = tanh(cells)
  Value cellBefore;           ///< [B,H]
  Value cellGradients, stateGradients;
  Value wci, wcf, wco;                      ///< peephole, or null
  Value gateGradients;                      ///< [steps*B, 4H]
  Value cellGradientBefore, gradientBefore; ///< [B,H], or null
  /// Of each example: sums over the steps of the gates' gradients [B,4H], and of those of the peephole weights [B,3H], in the
  /// type of sums; or null.
  Value gateSums, peepholeSums;
};
void launchLSTMRecurrence(const Emitter &host, const LSTMRecurrence &layer, const ClusterShape &shape);

class Stack;

/// The backward recurrence of the layer of a stack that is in work. Buffers of one dimension; those of results may be null.
struct CudnnRecurrence : ClusterRecurrence {
  Value dy, between; ///< the gradient of the output of the last layer, and of the others
  Value dhn, dcn;
  Matrix states;                               ///< of the layer, [T*B, D*H]
  Value gradients, stateGradients, allColumns; ///< [T*B, allColumns], by the input and by the state
  Value dh0, dc0;
  /// Of each example: sums over the steps of `gradients` and `stateGradients`, [B, allColumns] in the type of sums; or null.
  Value sums, stateSums;
};
void launchCudnnRecurrence(const Stack &stack, const CudnnRecurrence &layer, const ClusterShape &shape);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_CLUSTER_H
