//===- VectorLoops.h - a linalg op as loops over vectors -*- C++ -*-===//
//
// One loop of the op is executed in vectors: a parallel loop along which the results are contiguous, or a reduction
// loop, whose lanes are added at the end. Reduction loops are innermost and keep their sums in registers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_LINALGTOHOST_VECTORLOOPS_H
#define RNN_LIB_CONVERSION_LINALGTOHOST_VECTORLOOPS_H

#include "Internal.h"

namespace mlir::rnn::host {

using cpu::HostBuilder;
using cpu::KernelLibrary;
using cpu::Team;
using cpu::Tiles;

/// How the address of an operand changes from one iteration of a loop to the next.
enum class Access { Invariant, Contiguous, Strided };

/// An operand of the op. A scalar operand has no type.
struct Buffer {
  Value value;
  AffineMap map;
  MemRefType type;

  Access along(unsigned loop) const {
    for (auto [position, expr] : llvm::enumerate(map.getResults()))
      if (expr.isFunctionOfDim(loop)) {
        SmallVector<int64_t> strides;
        int64_t offset;
        (void)type.getStridesAndOffset(strides, offset);
        bool isLast = position + 1 == map.getNumResults();
        return isLast && strides.back() == 1 ? Access::Contiguous : Access::Strided;
      }
    return Access::Invariant;
  }
};

/// A result whose lanes can be combined after the loop.
struct Combiner {
  Operation *op = nullptr;
  vector::CombiningKind kind;
};

/// Results that are the largest or smallest value of a reduction and its index. The first one of equal values counts,
/// and NaN before all numbers.
struct Selection {
  unsigned value = 0;                          ///< the result with the value; the other one is the index
  std::optional<arith::CmpFPredicate> ordered; ///< of values in floating point
  std::optional<arith::CmpIPredicate> integer; ///< of integers
};

inline bool isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
}

inline bool isHalf(Type type) {
  return type.isF16() || type.isBF16();
}

/// The loops of a contraction in blocks: all tiles of a block read the same part of the operand with vectors. The sums
/// of a block are added to the result.
struct Blocks {
  size_t numOuter = 0;          ///< the first of the outer loops are outside of the blocks
  SmallVector<unsigned> depth;  ///< reduction loops with one iteration in a block
  std::optional<unsigned> part; ///< a reduction loop with `partSize` iterations in a block
  int64_t partSize = 1;
  Value firstColumn; ///< the vectors of the current block, and their masks
  SmallVector<Value> masks;
};

class VectorLoops {
public:
  /// `isSmall`: the op runs only if its unknown sizes are small.
  VectorLoops(linalg::LinalgOp op, bool isSmall, const HostVectors &vectors, KernelLibrary &library)
      : op(op), body(*op.getBlock()), library(library), vectors(vectors), numInputs(op.getNumDpsInputs()),
        isSmall(isSmall) {}

  LogicalResult analyze();
  /// Selects the loops over tiles. The op has its final operands.
  void chooseTiles();
  /// Sums start from zero instead of the result. Returns false if the op is not a sum, or if it is computed in blocks.
  bool startFromZero();
  /// The operands that are strided along the vectorized loop, in an order in which they are contiguous along it, if
  /// copies of them pay. May select another loop.
  SmallVector<OperandOrder> chooseCopies();
  void emit();

private:
  bool isReduction(unsigned loop) const { return iterators[loop] == utils::IteratorType::reduction; }
  bool isVectorized(unsigned loop) const { return loop == vectorLoop; }
  bool isCombiner(Operation *inner) const {
    return llvm::any_of(combiners, [&](const Combiner &combiner) { return combiner.op == inner; });
  }
  /// Whether lanes and parts of a reduction can be combined.
  bool hasCombiners() const {
    return selection || llvm::all_of(combiners, [](const Combiner &combiner) { return combiner.op != nullptr; });
  }
  void matchSelection();
  SmallVector<Value> combine(HostBuilder &b, ValueRange left, ValueRange right);
  SmallVector<Value> combineLanes(HostBuilder &b, ValueRange vectors);
  void collapse();
  LogicalResult chooseLoop();
  struct Score;
  std::optional<Score> getScore(unsigned loop) const;
  std::optional<unsigned> chooseTransposedRows(unsigned loop) const;
  uint64_t countUses(const Buffer &input) const;
  SmallVector<unsigned> chooseStridedFactors();
  SmallVector<unsigned> chooseStridedResult();
  bool isWorthCopying(unsigned input, unsigned loop) const;
  SmallVector<unsigned> getInputsOfLongBody() const;
  bool isTransposed(const Buffer &buffer, unsigned vectors, unsigned rows) const {
    return buffer.type && buffer.along(vectors) == Access::Strided && buffer.along(rows) == Access::Contiguous;
  }
  int64_t getUnroll() const;
  /// Whether vectors have f64 sums.
  bool hasF64() const {
    return llvm::any_of(buffers,
                        [](const Buffer &buffer) { return buffer.type && buffer.type.getElementType().isF64(); });
  }
  HostVectors getVectors(unsigned width) const;
  bool isShortScalarCode() const;
  /// The rows of a tile.
  int64_t getTileRows(HostBuilder &b) const { return transposes ? b.tiles.lanes : Tiles::rows; }
  bool hasSimpleSums() const;
  Value getWork(HostBuilder &b);
  std::optional<unsigned> chooseRows() const;
  const Buffer *findVectorOperand() const;
  void chooseBlocks(const Buffer &operand);

  int64_t getStep(HostBuilder &b, unsigned loop) const;
  void chooseShared(HostBuilder &b);
  bool isShared(unsigned loop) const { return llvm::is_contained(shared, loop); }
  std::pair<Value, Value> getShare(HostBuilder &b, unsigned loop, const Team &team);
  void emitLoops(HostBuilder &b, ArrayRef<unsigned> loops, const Team &team);
  void emitSharedLoops(HostBuilder &b, ArrayRef<unsigned> loops, const Team &team);
  void emitRows(HostBuilder &b, unsigned loop, const Team &team);
  void emitVectorLoop(HostBuilder &b, const Team &team);
  void emitBlocks(HostBuilder &b, ArrayRef<unsigned> loops, const Team &team);
  void emitDepthBlocks(HostBuilder &b, ArrayRef<unsigned> loops, function_ref<void()> body);
  void forVectorGroups(HostBuilder &b, Value from, Value to, function_ref<void(Value, ArrayRef<Value>)> body);
  SmallVector<Value> getMasks(HostBuilder &b, Value rest, int64_t count);
  void emitParallelGroup(HostBuilder &b, Value first, ArrayRef<Value> masks);
  void emitReduction(HostBuilder &b);
  void emitFullReduction(HostBuilder &b);
  SmallVector<Value> reduceLanes(HostBuilder &b);
  Type getSumType(HostBuilder &b, const Buffer &buffer);
  /// The value that does not change the result of `combiner`. Upstream's function crashes on minima and maxima of index
  /// values.
  static TypedAttr getNeutralElement(Operation *combiner);
  void addToResults(HostBuilder &b, ValueRange sums);
  Value getBegin(HostBuilder &b, unsigned loop) { return loop == partLoop ? partBegin : b.index(0); }
  Value getEnd(unsigned loop) { return loop == partLoop ? partEnd : sizes[loop]; }
  SmallVector<Value> forReductions(HostBuilder &b, ArrayRef<unsigned> loops, ValueRange sums,
                                   function_ref<SmallVector<Value>(ValueRange)> inner);
  bool isLongSum() const;
  SmallVector<Value> addSums(HostBuilder &b, ValueRange sums, function_ref<SmallVector<Value>(ValueRange)> emitPart);
  SmallVector<Value> sumLoop(HostBuilder &b, Value begin, Value end, int64_t step, ValueRange sums,
                             function_ref<SmallVector<Value>(Value, ValueRange)> body);
  SmallVector<Value> emitBody(HostBuilder &b, Value first, ArrayRef<Value> masks, ValueRange sums);

  SmallVector<Value> getIndices(HostBuilder &b, const Buffer &buffer, Value first = Value());
  Value addressOf(HostBuilder &b, Value buffer, ValueRange indices);
  Value loadBits(HostBuilder &b, Value buffer, ValueRange indices, Value mask);
  void storeBits(HostBuilder &b, Value vector, Value buffer, ValueRange indices, Value mask);
  Value loadVector(HostBuilder &b, const Buffer &buffer, Value first, Value mask);
  SmallVector<Value> loadTransposed(HostBuilder &b, const Buffer &buffer, Value first, Value mask);
  Value gather(HostBuilder &b, Value buffer, ValueRange position, function_ref<Value(unsigned, Value)> offset,
               Value mask);
  Value emitLoad(HostBuilder &b, memref::LoadOp load, Value first, Value mask, function_ref<Value(Value)> getVector,
                 function_ref<Value(Value)> getUniform);
  Value emitVectorOp(HostBuilder &b, Operation &scalar, ArrayRef<Value> operands);
  void store(HostBuilder &b, Value vector, const Buffer &buffer, Value first, Value mask);

  linalg::LinalgOp op;
  Block &body;
  KernelLibrary &library;
  const HostVectors &vectors;

  size_t numInputs;
  const bool isSmall;
  SmallVector<Buffer> buffers; ///< inputs, then results
  SmallVector<utils::IteratorType> iterators;
  SmallVector<int64_t> staticSizes;
  SmallVector<Combiner> combiners; ///< of each result; `op` is null if there is none
  std::optional<Selection> selection;
  unsigned vectorLoop = 0;
  bool isCollapsed = false;
  bool startsFromZero = false;

  SmallVector<Value> sizes;    ///< of the loops
  SmallVector<Value> position; ///< the current iteration of each loop
  /// A reduction loop of which only iterations [partBegin, partEnd) are computed.
  std::optional<unsigned> partLoop;
  Value partBegin, partEnd;
  SmallVector<unsigned> outer;  ///< the parallel loops outside of the vectorized loop; `rowLoop` is the last one
  SmallVector<unsigned> inner;  ///< the reduction loops inside of the vectorized loop, from the outermost on
  SmallVector<unsigned> shared; ///< the loops that threads divide: one, or consecutive ones of `outer`
  /// A parallel loop whose iterations share operands, and its iterations that one tile computes.
  std::optional<unsigned> rowLoop;
  SmallVector<Value> rows;
  /// Whether tiles are squares of as many rows as lanes, and inputs that are contiguous along `rowLoop` and strided
  /// along the vectorized loop are transposed in registers.
  bool transposes = false;
  llvm::SmallDenseMap<size_t, SmallVector<Value>> transposed; ///< for each such input, the vectors of the tile's rows
  size_t currentRow = 0;                                      ///< the row of the tile that `emitBody` computes
  std::optional<Blocks> blocks;
};

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_LINALGTOHOST_VECTORLOOPS_H
