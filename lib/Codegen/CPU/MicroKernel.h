//===- MicroKernel.h - interface of the GEMM's innermost tile -*- C++ -*-===//
//
// A micro-kernel keeps a tile of c in registers and adds products of a column of a and a row of b. The loops of
// Gemm.cpp carry the tile as SSA values and call the micro-kernel for all arithmetic, so support for an instruction set
// is one more implementation, listed in MicroKernel::create.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CODEGEN_CPU_MICROKERNEL_H
#define RNN_LIB_CODEGEN_CPU_MICROKERNEL_H

#include "rnn/Codegen/CPU/HostBuilder.h"
#include <memory>

namespace mlir::rnn::cpu {

/// Rows of a row-major matrix that a kernel reads at the same time. The lines of 16 rows of 4 KiB are in one set of an
/// L1 cache, which has 8 to 12 ways.
inline constexpr int64_t rowsAtOnce = 8;

/// A tile of c: `rows` rows in each of `group` panels. Strides count elements.
struct Tile {
  int64_t rows;
  Value c, offset;
  Value row; ///< from row to row
  int64_t group = 1;
  Value panel = {};        ///< from panel to panel; null in a group of one
  int64_t parts = 1;       ///< a row of the tile is this part of a panel's
  bool readsAhead = false; ///< prefetches the rows of b that it loads later
};

/// One depth step of the left operand: a factor for each row of the tile, `stride` elements apart. A factor is an
/// element, or with VNNI packing a pair.
struct LeftColumn {
  Value buffer, offset;
  int64_t stride;
};

/// One depth step of the right operand: a row of each panel of the group, or with VNNI packing two interleaved rows.
struct RightRow {
  Value buffer, offset;
  Value panel; ///< elements from panel to panel; null in a group of one
};

class MicroKernel {
public:
  /// Chooses the implementation for operands of these element types.
  static std::unique_ptr<MicroKernel> create(HostBuilder &b, Type left, Type right);
  virtual ~MicroKernel() = default;

  /// The rows of b that one `multiply` processes.
  virtual int64_t depthStep() const = 0;

  virtual SmallVector<Value> load(const Tile &tile) = 0;
  /// Zeros if `isZero`, otherwise `load`.
  virtual SmallVector<Value> loadOrZero(const Tile &tile, Value isZero) = 0;
  virtual void store(const Tile &tile, ArrayRef<Value> sums) = 0;
  /// sums += a b
  virtual void multiply(const Tile &tile, MutableArrayRef<Value> sums, const LeftColumn &a, const RightRow &right) = 0;
  /// sum + a * right, lane by lane, for vectors of consecutive elements of the depth. With VNNI packing, a lane is a
  /// pair of elements, and both products are added.
  virtual Value multiplyLanes(Value a, Value right, Value sum) = 0;
};

/// A tile of vectors of the accumulation type: `sums` are ordered by row, then panel, then vector.
class VectorMicroKernel : public MicroKernel {
public:
  explicit VectorMicroKernel(HostBuilder &b) : b(b) {}

  SmallVector<Value> load(const Tile &tile) override;
  SmallVector<Value> loadOrZero(const Tile &tile, Value isZero) override;
  void store(const Tile &tile, ArrayRef<Value> sums) override;
  Value multiplyLanes(Value a, Value right, Value sum) override { return b.fma(a, right, sum); }

protected:
  /// The vectors of a row of b by `load`, which gets their offsets; each has `width` elements.
  SmallVector<Value> loadRow(const Tile &tile, const RightRow &right, int64_t width, function_ref<Value(Value)> load);
  /// Adds the product of each row's factor and `columns`, the vectors of the tile from `first` on. `load` returns the
  /// factor at an offset, `add` the new sum of (factor, column, sum).
  void accumulate(const Tile &tile, MutableArrayRef<Value> sums, const LeftColumn &a, size_t first,
                  ArrayRef<Value> columns, function_ref<Value(Value)> load,
                  function_ref<Value(Value, Value, Value)> add);

  HostBuilder &b;

private:
  void forVectors(const Tile &tile, function_ref<void(Value)> body);
};

/// Both operands bf16 in VNNI packing; implementations differ in the dot product of pairs.
class DotMicroKernel : public VectorMicroKernel {
public:
  using VectorMicroKernel::VectorMicroKernel;

  int64_t depthStep() const override { return 2; }
  void multiply(const Tile &tile, MutableArrayRef<Value> sums, const LeftColumn &a, const RightRow &right) override;
  Value multiplyLanes(Value a, Value right, Value sum) override { return dot(a, right, sum); }

protected:
  /// sum + first(a) * first(b) + second(a) * second(b) for each pair of elements
  virtual Value dot(Value a, Value b, Value sum) = 0;
};

/// Both operands in the accumulation type.
std::unique_ptr<MicroKernel> createFMAMicroKernel(HostBuilder &b);
/// a in f32, b in bf16 in VNNI packing: b is widened to f32 in registers.
std::unique_ptr<MicroKernel> createVNNIMicroKernel(HostBuilder &b);
/// A DotMicroKernel by f32 arithmetic.
std::unique_ptr<MicroKernel> createF32DotMicroKernel(HostBuilder &b);
/// A DotMicroKernel by VDPBF16PS; vectors of 128 to 512 bits.
std::unique_ptr<MicroKernel> createAVX512MicroKernel(HostBuilder &b);
/// A DotMicroKernel by BFDOT; vectors of 128 bits.
std::unique_ptr<MicroKernel> createNEONMicroKernel(HostBuilder &b);

} // namespace mlir::rnn::cpu

#endif // RNN_LIB_CODEGEN_CPU_MICROKERNEL_H
