//===- MicroKernel.h - the inside of a block's product -*- C++ -*-===//
//
// A block multiplies tiles in workgroup memory. A micro-kernel says which of its threads holds which sum, and reads the
// tiles in its own way; nobody else knows either.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_MICROKERNEL_H
#define RNN_LIB_CONVERSION_RNNTOGPU_MICROKERNEL_H

#include "Internal.h"
#include <memory>

namespace mlir::rnn {

/// How a product is cut. A block computes `rows` x `columns` sums for each of `panels` right matrices, `depth` terms at a
/// time, with `down` x `across` equal parts, which are threads (multiply-adds) or warps (tensor cores).
struct TileShape {
  int64_t rows, columns, panels, depth, down, across;
};

/// How a tile lies in workgroup memory: as its matrix does in that of the device, with some room between rows.
struct TileLayout {
  bool depthIsContiguous;
  int64_t outer, depth; ///< `outer`: rows of a left tile, columns of all panels of a right one
  int64_t room;

  int64_t getStride() const { return (depthIsContiguous ? depth : outer) + room; }
  int64_t getSize() const { return (depthIsContiguous ? outer : depth) * getStride(); }
};

/// A tile: elements of `buffer` from `first` on.
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
  /// Elements between rows of a tile, which keep threads that read together off each other's memory banks. Rows of
  /// 16-byte vectors must stay such.
  virtual int64_t getRoom(bool depthIsContiguous) const = 0;
  /// This thread's sums before the first term.
  virtual SmallVector<Value> start(const Emitter &e) const = 0;
  /// The sums with the terms of one pair of tiles.
  virtual SmallVector<Value> accumulate(const Emitter &e, Value thread, const Tile &left, const Tile &right,
                                        ValueRange sums) const = 0;
  /// Calls `use` for each place in the block's tile that this thread has, with the sum of each panel.
  virtual void forEachSum(const Emitter &e, Value thread, ValueRange sums,
                          function_ref<void(Value row, Value column, ArrayRef<Value> sums)> use) const = 0;

protected:
  TileShape shape;
  Type element;
};

/// Of multiply-adds, for every type.
std::unique_ptr<MicroKernel> createScalarMicroKernel(const TileShape &shape, Type element);
/// Of the tensor cores (mma.sync): f16, bf16, f64, and f32 rounded to tf32. A warp's part of the tile is a multiple of
/// 16 x 8 (f64: 8 x 8), the depth of 16 (f32: 8).
std::unique_ptr<MicroKernel> createTensorMicroKernel(const TileShape &shape, Type element);

struct ProductOperand;

/// One side of a product on its way to a tile.
class TileCopy {
public:
  /// `panelSize`: rows, or columns of one panel.
  TileCopy(const ProductOperand &operand, Type element, const TileLayout &layout, int64_t panelSize, int64_t threads)
      : operand(operand), element(element), layout(layout), panelSize(panelSize), threads(threads) {}

  /// The part of the matrix that a tile holds; zeros stand for what is outside.
  struct Part {
    Value firstOuter, endOuter, firstDepth, endDepth;
  };
  /// Starts this thread's share: elements that are on their way into registers are returned, others find their way.
  SmallVector<Value> begin(const Emitter &e, Value thread, const Tile &tile, const Part &part) const;
  /// Writes what `begin` returned.
  void end(const Emitter &e, Value thread, const Tile &tile, ValueRange values) const;

private:
  struct Place {
    int64_t panel;
    Value outer, depth; ///< in the panel's part of the tile
    Value tileOuter;    ///< in the tile
  };
  void forEachPlace(const Emitter &e, Value thread, int64_t length, function_ref<void(const Place &)> use) const;
  void copyVector(const Emitter &e, const Tile &tile, const Part &part, const Place &place) const;

  const ProductOperand &operand;
  Type element;
  TileLayout layout;
  int64_t panelSize, threads;
};

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_MICROKERNEL_H
