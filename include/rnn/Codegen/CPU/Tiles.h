//===- Tiles.h - tile and block sizes of packed GEMMs -*- C++ -*-===//
//
// Matrices that are GEMM operands are stored in panels: `panel` columns (`vectors` vectors), all rows, then the next
// `panel` columns. Missing columns of the last panel are zero. A panel is a left operand as stored. It is a right
// operand if its rows are the dimension of the reduction, so no matrix is packed twice.
//
// Scratch has the accumulation type. If operands stay bf16, right operands are in VNNI packing: two consecutive rows
// interleaved element by element, with a zero row after an odd last row.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_TILES_H
#define RNN_CODEGEN_CPU_TILES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "rnn/Codegen/CPU/Options.h"
#include <algorithm>

namespace mlir::rnn::cpu {

/// Types and sizes of the packed GEMMs of one element type. All code generated for one op uses the same ones.
struct Tiles {
  Type element;   ///< of the tensors
  FloatType sum;  ///< of accumulators: f64 for f64, else f32
  FloatType left; ///< of computed operands in scratch: `sum`, or bf16 for GEMMs of bf16 dot products
  BF16Gemm bf16Gemm;
  int64_t lanes;   ///< elements of one vector of `sum`
  int64_t vectors; ///< vectors in one row of a tile
  int64_t panel;   ///< columns of a tile and of a panel: lanes * vectors
  /// Rows of a tile. 6 x 2 vectors leave 4 of 16 registers for operands, 6 x 4 leave 8 of 32. Both are enough
  /// independent accumulators to hide the FMA latency (4 cycles at 2 per cycle on Zen and Intel cores).
  static constexpr int64_t rows = 6;
  /// At most this many rows do not reuse the right operand enough: a separate loop nest reads several panels at once.
  static constexpr int64_t fewRows = 2;
  /// The most panels in the depth of a sweep (Gemm::Traversal).
  static constexpr int64_t sweepDepth = 16;
  /// The most rows of a tile that is half a panel wide, 12 x 2 vectors.
  static constexpr int64_t tallRows = 12;
  /// Rows of a block: 96 rows of a depth of 256 floats fit an L2 cache.
  static constexpr int64_t blockRows = 96;
  /// Depth of a block: 256 rows of a panel fill half of an L1 cache (16 KiB at 64 bytes a row).
  static constexpr int64_t depth = 256;
  /// Columns of a panel with AMX: a row of a left tile has 32 bf16 (64 bytes), and two right tiles have 32 columns.
  static constexpr int64_t amxPanel = 32;
  unsigned fmaUnits;  ///< HostVectors::fmaUnits
  int64_t blockDepth; ///< of a block of the right operand: HostVectors::blockDepth
  /// The same in panels.
  int64_t blockPanels() const { return std::max<int64_t>(blockDepth / panel, 1); }
  /// Whether L1 holds a block of a panel beside a tile. All blocks of a panel then follow each other, so that the tiles
  /// of its column stay in L1 as well.
  bool areBlocksInL1() const { return blockDepth < depth; }

  Tiles(Type element, const HostVectors &vectors);
  /// Makes panels narrower if the GEMMs of a layer with `units` units and inputs and states of these sizes then pad
  /// fewer columns.
  void fitPanel(int64_t units, ArrayRef<int64_t> inputs);
  /// Whether both operands of a GEMM stay bf16. Right operands are then in VNNI packing.
  bool usesBF16Dot() const { return left != sum; }
  /// Whether AMX tiles multiply more than one row. A panel is then one tile row wide.
  bool usesAMX() const { return usesBF16Dot() && bf16Gemm == BF16Gemm::AMX && panel == amxPanel; }
  /// Whether blocks of a panel are large enough for sweeps (Gemm::Traversal). With AVX2 (1 KiB) the loops of so many
  /// blocks take longer than the cache misses that sweeps avoid; with AVX-512 a block has 16 KiB.
  bool hasSweeps() const;
  /// Whether the processor has an instruction that rounds f32 to bf16.
  bool hasBF16Rounding() const { return rnn::hasBF16Rounding(bf16Gemm); }
  /// The type of `count` packed weights that a GEMM multiplies by `rows` rows: `sum`, or bf16 in VNNI packing.
  FloatType weightsFor(Value rows, Value count) const;
};

} // namespace mlir::rnn::cpu

#endif // RNN_CODEGEN_CPU_TILES_H
