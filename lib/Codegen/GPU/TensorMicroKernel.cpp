//===- TensorMicroKernel.cpp - GEMM of tiles by tensor cores -------------------===//
//
// Warps compute 16x8 fragments (8x8 in f64) by mma.sync, whose layouts are in the PTX ISA, "matrix fragments for mma".
// With lane = 4 * group + member, a lane holds the sums of rows `group` and `group` + 8, columns 2 * member and 2 *
// member + 1.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

constexpr int64_t lanes = 32;

/// The part that all element types share: fragments of `fragmentRows` x 8 sums with `fragmentDepth` terms per
/// instruction.
class TensorMicroKernel : public MicroKernel {
public:
  TensorMicroKernel(const TileShape &shape, Type element, int64_t fragmentRows, int64_t fragmentDepth)
      : MicroKernel(shape, element), fragmentRows(fragmentRows), fragmentDepth(fragmentDepth),
        fragmentsDown(shape.rows / shape.down / fragmentRows),
        fragmentsAcross(shape.columns / shape.across / fragmentColumns) {
    assert(fragmentsDown * shape.down * fragmentRows == shape.rows &&
           fragmentsAcross * shape.across * fragmentColumns == shape.columns && "warps compute whole fragments");
  }

  int64_t getThreads() const override { return shape.down * shape.across * lanes; }

  SmallVector<Value> start(const Emitter &e) const override {
    Value zero = e.number(0.0, getAccumulatorType(element));
    return SmallVector<Value>(fragmentsDown * shape.panels * fragmentsAcross * numSums(), zero);
  }

  void forEachSum(const Emitter &e, Value thread, ValueRange sums,
                  function_ref<void(Value, Value, ArrayRef<Value>)> use) const override {
    Lane lane(*this, e, thread);
    for (int64_t down = 0; down < fragmentsDown; ++down)
      for (int64_t across = 0; across < fragmentsAcross; ++across)
        for (int64_t number = 0; number < numSums(); ++number) {
          SmallVector<Value> panels;
          for (int64_t panel = 0; panel < shape.panels; ++panel)
            panels.push_back(sums[firstSum(down, panel, across) + number]);
          Value row = e.add(e.add(lane.row, lane.group), e.index(down * fragmentRows + number / 2 * 8));
          Value column =
              e.add(e.add(lane.column, e.mul(lane.member, e.index(2))), e.index(across * fragmentColumns + number % 2));
          use(row, column, panels);
        }
  }

protected:
  static constexpr int64_t fragmentColumns = 8;

  /// The indices of a thread in its warp, and the first row and column of the warp's part of the tile.
  struct Lane {
    Lane(const TensorMicroKernel &kernel, const Emitter &e, Value thread) {
      const TileShape &shape = kernel.shape;
      Value warp = e.div(thread, e.index(lanes));
      number = e.remainder(thread, e.index(lanes));
      group = e.div(number, e.index(4));
      member = e.remainder(number, e.index(4));
      row = e.mul(e.div(warp, e.index(shape.across)), e.index(shape.rows / shape.down));
      column = e.mul(e.remainder(warp, e.index(shape.across)), e.index(shape.columns / shape.across));
    }
    Value number, group, member, row, column;
  };

  int64_t numSums() const { return fragmentRows * fragmentColumns / lanes; }
  int64_t firstSum(int64_t down, int64_t panel, int64_t across) const {
    return ((down * shape.panels + panel) * fragmentsAcross + across) * numSums();
  }

  /// sums += a * b, one mma.sync.
  void multiply(const Emitter &e, ArrayRef<Value> a, ArrayRef<Value> b, MutableArrayRef<Value> sums,
                NVVM::MMATypes type) const {
    SmallVector<Type> types(sums.size(), sums.front().getType());
    Type result = LLVM::LLVMStructType::getLiteral(e.builder.getContext(), types);
    int64_t fragmentShape[] = {fragmentRows, fragmentColumns, fragmentDepth};
    Value product =
        NVVM::MmaOp::create(e.builder, e.loc, result, a, b, ValueRange(sums), fragmentShape, std::nullopt, std::nullopt,
                            std::array{type, type}, std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [index, sum] : llvm::enumerate(sums))
      sum = LLVM::ExtractValueOp::create(e.builder, e.loc, product, index);
  }

  int64_t fragmentRows, fragmentDepth, fragmentsDown, fragmentsAcross;
};

/// f16 and bf16: ldmatrix loads the registers of 16 x 16 elements at once, from tiles of either order.
class HalfMicroKernel : public TensorMicroKernel {
public:
  HalfMicroKernel(const TileShape &shape, Type element) : TensorMicroKernel(shape, element, 16, 16) {
    assert(shape.depth % 32 == 0 && "one ldmatrix loads the right fragments of two instructions");
  }

  // 16 bytes: the eight rows of 16 bytes that ldmatrix reads together are then in eight different groups of banks.
  int64_t getRoom(bool) const override { return 8; }

  SmallVector<Value> accumulate(const Emitter &e, Value thread, const Tile &left, const Tile &right,
                                ValueRange before) const override {
    Lane lane(*this, e, thread);
    SmallVector<Value> sums(before);
    // The 8x8 matrix (of four), and its row, whose address this lane passes to ldmatrix.
    Value matrix = e.div(lane.number, e.index(8)), line = e.remainder(lane.number, e.index(8));
    Value eight = e.index(8), half = e.mul(e.remainder(matrix, e.index(2)), eight);
    // Left matrices: two down, two along the depth. Right matrices: four along the depth.
    Value leftOuter = e.add(lane.row, half), leftDepth = e.mul(e.div(matrix, e.index(2)), eight);
    Value rightOuter = lane.column, rightDepth = e.mul(matrix, eight);
    (left.layout.depthIsContiguous ? leftOuter : leftDepth) =
        e.add(left.layout.depthIsContiguous ? leftOuter : leftDepth, line);
    (right.layout.depthIsContiguous ? rightOuter : rightDepth) =
        e.add(right.layout.depthIsContiguous ? rightOuter : rightDepth, line);
    for (int64_t depth = 0; depth < shape.depth; depth += 2 * fragmentDepth) {
      SmallVector<SmallVector<Value>> a;
      for (int64_t down = 0; down < fragmentsDown; ++down)
        for (int64_t step = 0; step < 2; ++step)
          a.push_back(load(e, left, e.add(leftOuter, e.index(down * fragmentRows)),
                           e.add(leftDepth, e.index(depth + step * fragmentDepth))));
      for (int64_t panel = 0; panel < shape.panels; ++panel)
        for (int64_t across = 0; across < fragmentsAcross; ++across) {
          Value outer = e.add(rightOuter, e.index(panel * shape.columns + across * fragmentColumns));
          SmallVector<Value> b = load(e, right, outer, e.add(rightDepth, e.index(depth)));
          for (int64_t step = 0; step < 2; ++step)
            for (int64_t down = 0; down < fragmentsDown; ++down)
              multiply(e, a[down * 2 + step], ArrayRef(b).slice(step * 2, 2),
                       MutableArrayRef(sums).slice(firstSum(down, panel, across), numSums()),
                       element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16);
        }
    }
    return sums;
  }

private:
  /// Four 8x8 matrices; this lane's row of 16 bytes starts at `outer` and `depth`.
  SmallVector<Value> load(const Emitter &e, const Tile &tile, Value outer, Value depth) const {
    OpBuilder &builder = e.builder;
    Type i32 = builder.getI32Type(), pair = VectorType::get({2}, element);
    Type result = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i32, i32, i32, i32});
    Value address = e.address(tile.buffer, {tile.place(e, outer, depth)});
    // `col` transposes each matrix: rows of the tile are columns of the fragment.
    auto layout = tile.layout.depthIsContiguous ? NVVM::MMALayout::row : NVVM::MMALayout::col;
    Value loaded = NVVM::LdMatrixOp::create(builder, e.loc, result, address, 4, layout,
                                            NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8),
                                            NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> registers;
    for (int64_t index = 0; index < 4; ++index) {
      registers.push_back(LLVM::ExtractValueOp::create(builder, e.loc, loaded, index));
      // The bf16 MMA has integer operands.
      if (element.isF16())
        registers.back() = LLVM::BitcastOp::create(builder, e.loc, pair, registers.back());
    }
    return registers;
  }
};

/// f64, and f32 as tf32: a register holds one element, loaded on its own.
class WideMicroKernel : public TensorMicroKernel {
public:
  WideMicroKernel(const TileShape &shape, Type element)
      : TensorMicroKernel(shape, element, element.isF64() ? 8 : 16, element.isF64() ? 4 : 8) {}

  // Puts groups 4 banks apart and members 8 (f64: pairs of banks, half a warp at a time).
  int64_t getRoom(bool depthIsContiguous) const override { return depthIsContiguous || element.isF64() ? 4 : 8; }

  SmallVector<Value> accumulate(const Emitter &e, Value thread, const Tile &left, const Tile &right,
                                ValueRange before) const override {
    Lane lane(*this, e, thread);
    SmallVector<Value> sums(before);
    Value leftOuter = e.add(lane.row, lane.group), rightOuter = e.add(lane.column, lane.group);
    for (int64_t depth = 0; depth < shape.depth; depth += fragmentDepth) {
      SmallVector<SmallVector<Value>> a(fragmentsDown);
      for (int64_t down = 0; down < fragmentsDown; ++down)
        for (int64_t k = 0; k < fragmentDepth; k += 4)
          for (int64_t row = 0; row < fragmentRows; row += 8)
            a[down].push_back(load(e, left, e.add(leftOuter, e.index(down * fragmentRows + row)),
                                   e.add(lane.member, e.index(depth + k))));
      for (int64_t panel = 0; panel < shape.panels; ++panel)
        for (int64_t across = 0; across < fragmentsAcross; ++across) {
          Value outer = e.add(rightOuter, e.index(panel * shape.columns + across * fragmentColumns));
          SmallVector<Value> b;
          for (int64_t k = 0; k < fragmentDepth; k += 4)
            b.push_back(load(e, right, outer, e.add(lane.member, e.index(depth + k))));
          for (int64_t down = 0; down < fragmentsDown; ++down)
            multiply(e, a[down], b, MutableArrayRef(sums).slice(firstSum(down, panel, across), numSums()),
                     element.isF64() ? NVVM::MMATypes::f64 : NVVM::MMATypes::tf32);
        }
    }
    return sums;
  }

private:
  Value load(const Emitter &e, const Tile &tile, Value outer, Value depth) const {
    Value value = tile.load(e, outer, depth);
    if (element.isF64())
      return value;
    return NVVM::ConvertFloatToTF32Op::create(e.builder, e.loc, e.builder.getI32Type(), value,
                                              NVVM::FPRoundingMode::RNA);
  }
};

} // namespace

std::unique_ptr<MicroKernel> rnn::createTensorMicroKernel(const TileShape &shape, Type element) {
  if (element.isF16() || element.isBF16())
    return std::make_unique<HalfMicroKernel>(shape, element);
  return std::make_unique<WideMicroKernel>(shape, element);
}
