//===- MicroKernel.h - GEMM of tiles in shared memory -*- C++ -*-===//
//
// A block multiplies tiles in shared memory. Which thread holds which sum, and how threads read the tiles, is internal
// to a micro-kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CODEGEN_GPU_MICROKERNEL_H
#define RNN_LIB_CODEGEN_GPU_MICROKERNEL_H

#include "rnn/Codegen/GPU/Gemm.h"
#include <memory>

namespace mlir::rnn {

/// The tile of a block: `rows` x `columns` sums for each of `panels` right matrices, `depth` terms per iteration. The
/// tile is divided into `down` x `across` equal parts, one per thread (FMA) or warp (tensor cores).
struct TileShape {
  int64_t rows, columns, panels, depth, down, across;
};

/// The layout of a tile in shared memory: that of its matrix in global memory, with padding between rows.
struct TileLayout {
  bool depthIsContiguous;
  int64_t outer, depth; ///< `outer`: rows of a left tile, columns of all panels of a right one
  int64_t room;         ///< padding, in elements

  int64_t getStride() const { return (depthIsContiguous ? depth : outer) + room; }
  int64_t getSize() const { return (depthIsContiguous ? outer : depth) * getStride(); }
};

/// A tile that starts at element `first` of `buffer`.
struct Tile {
  TileLayout layout;
  Value buffer, first;

  /// The index of an element in the buffer.
  Value place(const Emitter &e, Value outer, Value depth) const;
  Value load(const Emitter &e, Value outer, Value depth) const { return e.load(buffer, {place(e, outer, depth)}); }
};

class MicroKernel {
public:
  MicroKernel(const TileShape &shape, Type element) : shape(shape), element(element) {}
  virtual ~MicroKernel() = default;

  virtual int64_t getThreads() const = 0;
  /// Padding between rows of a tile, in elements, that avoids bank conflicts. Must keep rows aligned to 16 bytes.
  virtual int64_t getRoom(bool depthIsContiguous) const = 0;
  /// Zeros for this thread's sums.
  virtual SmallVector<Value> start(const Emitter &e) const = 0;
  /// `sums` plus the terms of one pair of tiles.
  virtual SmallVector<Value> accumulate(const Emitter &e, Value thread, const Tile &left, const Tile &right,
                                        ValueRange sums) const = 0;
  /// Calls `use` for each row and column of the tile whose sums this thread holds, with the sum of each panel.
  virtual void forEachSum(const Emitter &e, Value thread, ValueRange sums,
                          function_ref<void(Value row, Value column, ArrayRef<Value> sums)> use) const = 0;

protected:
  TileShape shape;
  Type element;
};

/// FMA on every element type.
std::unique_ptr<MicroKernel> createScalarMicroKernel(const TileShape &shape, Type element);
/// Tensor cores (mma.sync): f16, bf16, f64, and f32 rounded to tf32. The rows and columns of
/// a warp's part of the tile must be multiples of 16 and 8 (f64: 8 and 8), its depth a multiple of 16 (f32: 8).
std::unique_ptr<MicroKernel> createTensorMicroKernel(const TileShape &shape, Type element);

/// Copies one operand from global memory to tiles, which follow each other along the depth.
class TileCopy {
public:
  /// The part of the matrix that the tiles hold; elements outside of the matrix are zero. `extent`: the size of the
  /// dimension that is contiguous in memory. The multiples are known at compile time: of the outer size, and of the
  /// depth.
  struct Part {
    Value firstOuter, endOuter, firstDepth, endDepth, extent;
    int64_t outerMultiple, depthMultiple;
  };
  /// `panelSize`: rows, or columns of one panel.
  TileCopy(const GemmOperand &operand, Type element, const TileLayout &layout, int64_t panelSize, int64_t threads)
      : operand(operand), element(element), layout(layout), panelSize(panelSize), threads(threads) {}

  /// Emits what does not depend on the tile: pointers to this thread's vectors of the first tile, and the test whether
  /// all vectors are aligned.
  void prepare(const Emitter &e, Value thread, const Part &newPart);
  /// Starts this thread's share of the copy of the tile that begins `done` after the first depth: asynchronously for an
  /// operand in memory, else by computing the elements, which are returned.
  SmallVector<Value> begin(const Emitter &e, Value thread, const Tile &tile, Value done) const;
  /// Stores the elements that `begin` returned.
  void end(const Emitter &e, Value thread, const Tile &tile, ValueRange values) const;

private:
  struct Place {
    int64_t panel;
    Value outer, depth; ///< relative to the panel's part of the tile
    Value tileOuter;    ///< relative to the tile
  };
  /// A vector of this thread. Null if the operand is not affine.
  struct Vector {
    Value pointer; ///< in the first tile
    Value limit;   ///< i32: the vector is inside of the matrix in tiles with `done` < limit
  };
  int64_t getLength() const { return 16 * 8 / element.getIntOrFloatBitWidth(); }
  void forEachPlace(const Emitter &e, Value thread, int64_t length, function_ref<void(const Place &)> use,
                    bool isGuarded = true) const;
  Value emitAlignmentTest(const Emitter &e, Value thread) const;
  Vector prepareVector(const Emitter &e, const Place &place) const;
  void copyAligned(const Emitter &e, Value thread, const Tile &tile, Value done) const;
  void copyVector(const Emitter &e, const Tile &tile, const Place &place, Value done) const;
  void copyElements(const Emitter &e, const Tile &tile, const Place &place, Value source, Value count) const;

  const GemmOperand &operand;
  Type element;
  TileLayout layout;
  int64_t panelSize, threads;
  Part part;
  Value areAligned; ///< i1: every vector of an affine operand
  Value step;       ///< i64: bytes between elements that are adjacent along the depth
  SmallVector<Vector> vectors;
};

} // namespace mlir::rnn

#endif // RNN_LIB_CODEGEN_GPU_MICROKERNEL_H
