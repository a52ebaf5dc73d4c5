//===- GemmTest.cpp - packed GEMMs beside sums in double ---------------------===//
//
// Elements are small integers, so every sum is exact in each accumulation type and results are compared for equality.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledKernel.h"
#include "rnn_runtime/abi.h"
#include "llvm/TargetParser/Host.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

/// Operand types of a GEMM: of the tensors, and the arithmetic of bf16.
struct Arithmetic {
  const char *name;
  ElementKind element;
  BF16Gemm bf16Gemm;
  ElementKind left, right, sum;
};

const Arithmetic arithmetics[] = {
    {"f32", ElementKind::F32, BF16Gemm::F32, ElementKind::F32, ElementKind::F32, ElementKind::F32},
    {"f64", ElementKind::F64, BF16Gemm::F32, ElementKind::F64, ElementKind::F64, ElementKind::F64},
    {"f16", ElementKind::F16, BF16Gemm::F32, ElementKind::F32, ElementKind::F32, ElementKind::F32},
    {"bf16_f32", ElementKind::BF16, BF16Gemm::F32, ElementKind::F32, ElementKind::F32, ElementKind::F32},
    {"bf16_vnni", ElementKind::BF16, BF16Gemm::VNNI, ElementKind::F32, ElementKind::BF16, ElementKind::F32},
    {"bf16_dot", ElementKind::BF16, BF16Gemm::Dot, ElementKind::BF16, ElementKind::BF16, ElementKind::F32},
    {"bf16_avx512", ElementKind::BF16, BF16Gemm::AVX512, ElementKind::BF16, ElementKind::BF16, ElementKind::F32},
    {"bf16_amx", ElementKind::BF16, BF16Gemm::AMX, ElementKind::BF16, ElementKind::BF16, ElementKind::F32},
    {"bf16_neon", ElementKind::BF16, BF16Gemm::NEON, ElementKind::BF16, ElementKind::BF16, ElementKind::F32},
};

struct Registers {
  unsigned bits, count, blockDepth = 256;
};

class GemmTest : public ::testing::TestWithParam<std::tuple<Arithmetic, Registers>> {
protected:
  void SetUp() override {
    auto [arithmetic, registers] = GetParam();
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    // With AMX, one row uses AVX512-BF16.
    if ((arithmetic.bf16Gemm == BF16Gemm::AVX512 || arithmetic.bf16Gemm == BF16Gemm::AMX) &&
        !(features.lookup("avx512bf16") && features.lookup("avx512vl")))
      GTEST_SKIP() << "the processor has no AVX512-BF16";
    // The processor's, or the emulator's of the test rnn_codegen_cpu_tests_amx.
    if (arithmetic.bf16Gemm == BF16Gemm::AMX && !rnnrt_abi_enable_amx(context.call))
      GTEST_SKIP() << rnnrt_status_message(rnnrt_call_status(context.call));
    if (arithmetic.bf16Gemm == BF16Gemm::NEON && !features.lookup("bf16"))
      GTEST_SKIP() << "the processor has no BFDOT";
  }

  const Arithmetic &arithmetic = std::get<0>(GetParam());
  KernelContext context;
  Tiles tiles = [&] {
    HostVectors vectors;
    vectors.bits = std::get<1>(GetParam()).bits, vectors.registers = std::get<1>(GetParam()).count;
    vectors.blockDepth = std::get<1>(GetParam()).blockDepth;
    vectors.bf16Gemm = arithmetic.bf16Gemm;
    return Tiles(context.getType(arithmetic.element), vectors);
  }();
  bool isVNNI = arithmetic.right == ElementKind::BF16;

  /// A small integer that depends on all of its arguments.
  static int64_t element(int64_t operand, int64_t row, int64_t column) {
    return (operand * 31 + row * 7919 + column * 104729 + row * column) % 7 - 3;
  }

  /// Element [row, column] of a panel of a right operand.
  int64_t rightOffset(int64_t row, int64_t column) const {
    return isVNNI ? row / 2 * 2 * tiles.panel + 2 * column + row % 2 : row * tiles.panel + column;
  }
};

/// Elements beside the result that must keep their value.
constexpr double untouched = 77;

TEST_P(GemmTest, MatchesReference) {
  Type left = context.getBuffer(arithmetic.left), right = context.getBuffer(arithmetic.right),
       sum = context.getBuffer(arithmetic.sum), index = IndexType::get(&context.context);
  // Offsets and strides are larger than needed.
  CompiledKernel kernel(context, {left, right, sum, index, index, index, index}, tiles,
                        [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          int64_t panel = b.tiles.panel;
                          Gemm gemm;
                          gemm.rows = v[3], gemm.columns = v[4], gemm.depth = v[5];
                          gemm.a = v[0], gemm.aOffset = b.index(panel), gemm.aPanel = b.mul(b.add(v[3], 1), panel);
                          gemm.b = v[1], gemm.bOffset = b.index(2 * panel);
                          gemm.bPanel = b.mul(b.add(b.mul(v[5], panel), 2), panel);
                          gemm.c = v[2], gemm.cOffset = b.index(panel);
                          gemm.cRow = b.mul(b.add(v[4], 1), panel), gemm.cPanel = b.index(panel);
                          gemm.traversal = v[6];
                          library.gemm(b, gemm);
                        });
  int64_t panel = tiles.panel;
  auto check = [&](int64_t rows, int64_t columns, int64_t depth, int64_t traversal = Gemm::Panels) {
    SCOPED_TRACE("rows " + std::to_string(rows) + ", columns " + std::to_string(columns) + ", depth " +
                 std::to_string(depth) + ", traversal " + std::to_string(traversal));
    int64_t aPanel = (rows + 1) * panel, bPanel = (depth * panel + 2) * panel, cRow = (columns + 1) * panel;
    // Prefetches may pass the end of a buffer, loads may not.
    HostTensor a = makeTensor(arithmetic.left, {panel + depth * aPanel}),
               b = makeTensor(arithmetic.right, {2 * panel + columns * bPanel}),
               c = makeTensor(arithmetic.sum, {panel + rows * cRow});
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < depth * panel; ++k)
        a.setFromDouble(panel + k / panel * aPanel + row * panel + k % panel, element(1, row, k));
    for (int64_t k = 0; k < depth * panel; ++k)
      for (int64_t column = 0; column < columns * panel; ++column)
        b.setFromDouble(2 * panel + column / panel * bPanel + rightOffset(k, column % panel), element(2, k, column));
    for (int64_t k = 0; k < c.getNumElements(); ++k)
      c.setFromDouble(k, untouched);
    kernel({a, b, c, makeIndex(rows), makeIndex(columns), makeIndex(depth), makeIndex(traversal)});
    int64_t different = 0;
    for (int64_t k = 0; k < c.getNumElements(); ++k) {
      int64_t row = k >= panel ? (k - panel) / cRow : rows, column = k >= panel ? (k - panel) % cRow : 0;
      double expected = untouched;
      if (row < rows && column < columns * panel)
        for (int64_t d = 0; d < depth * panel; ++d)
          expected += element(1, row, d) * element(2, d, column);
      different += c.getAsDouble(k) != expected;
    }
    EXPECT_EQ(different, 0);
  };
  for (int64_t rows = 1; rows <= Tiles::tallRows + 1; ++rows)
    for (int64_t columns : {1, 2, 3, 5})
      for (int64_t depth : {1, 3})
        check(rows, columns, depth);
  check(Tiles::blockRows + Tiles::tallRows, 2, tiles.blockPanels() + 1);
  for (int64_t traversal : {Gemm::SweepUp, Gemm::SweepDown})
    for (int64_t rows : {1, 2, 3})
      for (int64_t columns : {1, 3})
        for (int64_t depth : {int64_t(1), int64_t(4), Tiles::sweepDepth})
          check(rows, columns, depth, traversal);
  // More than one block of rows, and of the depth.
  check(Tiles::blockRows + 1, 2, 1);
  check(Tiles::blockRows + 4, 1, tiles.blockPanels() + 1);
  check(1, 3, tiles.blockPanels() + 1);
  // Several columns of several blocks.
  check(Tiles::blockRows + 5, 3, 2 * tiles.blockPanels() + 1);
  // Few tiles, which use blocks of half the depth.
  check(16, 2, tiles.blockPanels() + 1);
  check(0, 1, 1);
  check(4, 1, 0);
  if (tiles.usesAMX()) {
    // Blocks of 32 rows, last rows of one and two tiles, chunks of the depth.
    for (int64_t rows : {15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 95})
      for (int64_t columns : {1, 2, 3})
        check(rows, columns, 3);
    check(256, 3, 50);
    check(300, 2, 43);
  }
}

/// The rows of groups that do not fill their last panel. At most three rows of zeros are multiplied behind them.
TEST_P(GemmTest, PartialPanelsMatchReference) {
  Type left = context.getBuffer(arithmetic.left), right = context.getBuffer(arithmetic.right),
       sum = context.getBuffer(arithmetic.sum), index = IndexType::get(&context.context);
  const int64_t panel = tiles.panel, columns = 2;
  CompiledKernel kernel(context, {left, right, sum, index, index, index, index}, tiles,
                        [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          Gemm gemm;
                          gemm.rows = v[3], gemm.columns = b.index(columns);
                          gemm.setDepth(b, v[4], v[5]);
                          gemm.a = v[0], gemm.aOffset = b.index(0), gemm.aPanel = b.mul(v[3], panel);
                          gemm.b = v[1], gemm.bOffset = b.index(0), gemm.bPanel = b.mul(gemm.depth, panel * panel);
                          gemm.c = v[2], gemm.cOffset = b.index(0);
                          gemm.cRow = b.index(panel), gemm.cPanel = b.mul(v[3], panel);
                          gemm.traversal = v[6];
                          library.gemm(b, gemm);
                        });
  auto check = [&](int64_t rows, int64_t height, int64_t groups, int64_t traversal) {
    SCOPED_TRACE("rows " + std::to_string(rows) + ", " + std::to_string(groups) + " groups of " +
                 std::to_string(height) + ", traversal " + std::to_string(traversal));
    const int64_t panelsOfGroup = llvm::divideCeil(height, panel), depth = panelsOfGroup * groups;
    HostTensor a = makeTensor(arithmetic.left, {depth * rows * panel}),
               b = makeTensor(arithmetic.right, {columns * depth * panel * panel}),
               c = makeTensor(arithmetic.sum, {columns * rows * panel});
    auto inGroup = [&](int64_t k) { return k % (panelsOfGroup * panel); };
    // AMX multiplies whole panels.
    auto isZero = [&](int64_t k) {
      return inGroup(k) >= height && (tiles.usesAMX() || inGroup(k) < int64_t(llvm::alignTo(height, 4)));
    };
    for (int64_t k = 0; k < depth * panel; ++k) {
      for (int64_t row = 0; row < rows; ++row)
        a.setFromDouble(k / panel * rows * panel + row * panel + k % panel, isZero(k) ? 0 : element(1, row, k));
      for (int64_t column = 0; column < columns * panel; ++column)
        b.setFromDouble(column / panel * depth * panel * panel + rightOffset(k, column % panel),
                        isZero(k) ? 0 : element(2, k, column));
    }
    for (int64_t k = 0; k < c.getNumElements(); ++k)
      c.setFromDouble(k, untouched);
    kernel({a, b, c, makeIndex(rows), makeIndex(height), makeIndex(groups), makeIndex(traversal)});
    int64_t different = 0;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns * panel; ++column) {
        double expected = untouched;
        for (int64_t k = 0; k < depth * panel; ++k)
          if (inGroup(k) < height)
            expected += element(1, row, k) * element(2, k, column);
        different += c.getAsDouble(column / panel * rows * panel + row * panel + column % panel) != expected;
      }
    EXPECT_EQ(different, 0);
  };
  for (int64_t rows : {1, 2, 5, 13, 100})
    for (int64_t height : {int64_t(0), int64_t(1), int64_t(3), panel - 1, panel, panel + 5, 2 * panel + 6})
      for (int64_t groups : {1, 2, 3})
        check(rows, height, groups, Gemm::Panels);
  // Blocks of the depth begin inside of a group.
  check(40, tiles.blockPanels() * panel + panel + 2, 2, Gemm::Panels);
  check(40, 2 * panel + 2, tiles.blockPanels(), Gemm::Panels);
  for (int64_t traversal : {Gemm::SweepUp, Gemm::SweepDown})
    for (int64_t rows : {1, 2})
      check(rows, panel + 5, 3, traversal);
}

/// Sums of fractions depend on the order of the additions.
TEST_P(GemmTest, SweepsHaveTheSameBits) {
  Type left = context.getBuffer(arithmetic.left), right = context.getBuffer(arithmetic.right),
       sum = context.getBuffer(arithmetic.sum), index = IndexType::get(&context.context);
  int64_t panel = tiles.panel, columns = 3, depth = 5;
  CompiledKernel kernel(context, {left, right, sum, index, index}, tiles,
                        [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          Gemm gemm;
                          gemm.rows = v[3], gemm.columns = b.index(columns), gemm.depth = b.index(depth);
                          gemm.a = v[0], gemm.aOffset = b.index(0), gemm.aPanel = b.mul(v[3], panel);
                          gemm.b = v[1], gemm.bOffset = b.index(0), gemm.bPanel = b.index(depth * panel * panel);
                          gemm.c = v[2], gemm.cOffset = b.index(0);
                          gemm.cRow = b.index(panel), gemm.cPanel = b.mul(v[3], panel);
                          gemm.traversal = v[4];
                          library.gemm(b, gemm);
                        });
  for (int64_t rows : {1, 2}) {
    HostTensor a = makeTensor(arithmetic.left, {depth * rows * panel}),
               b = makeTensor(arithmetic.right, {columns * depth * panel * panel});
    for (int64_t k = 0; k < a.getNumElements(); ++k)
      a.setFromDouble(k, std::sin(k + 1.0));
    for (int64_t k = 0; k < b.getNumElements(); ++k)
      b.setFromDouble(k, std::cos(k * 1.7));
    auto multiply = [&](int64_t traversal) {
      HostTensor c = makeTensor(arithmetic.sum, {columns * rows * panel});
      for (int64_t k = 0; k < c.getNumElements(); ++k)
        c.setFromDouble(k, 1.0 / (k + 3));
      kernel({a, b, c, makeIndex(rows), makeIndex(traversal)});
      return c;
    };
    HostTensor up = multiply(Gemm::SweepUp), down = multiply(Gemm::SweepDown);
    int64_t different = 0;
    for (int64_t k = 0; k < up.getNumElements(); ++k)
      different += up.getAsDouble(k) != down.getAsDouble(k);
    EXPECT_EQ(different, 0);
  }
}

/// Matrices that are not packed: whole rows of them, and parts.
TEST_P(GemmTest, InPlaceMatchesReference) {
  Type left = context.getBuffer(arithmetic.left), matrixType = context.getMatrix(arithmetic.element),
       sum = context.getBuffer(arithmetic.sum), index = IndexType::get(&context.context);
  int64_t panel = tiles.panel;
  for (bool isTransposed : {false, true}) {
    CompiledKernel kernel(context, {left, matrixType, sum, index, index, index, index, index}, tiles,
                          [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                            Gemm gemm;
                            gemm.rows = v[3], gemm.columns = b.ceilDiv(v[4], panel);
                            gemm.a = v[0], gemm.aOffset = b.index(panel), gemm.aPanel = b.mul(b.add(v[3], 1), panel);
                            gemm.c = v[2], gemm.cOffset = b.index(panel), gemm.cRow = b.index(panel),
                            gemm.cPanel = gemm.aPanel;
                            UnpackedRight right;
                            right.matrix = v[1], right.isTransposed = isTransposed, right.row = v[6],
                            right.column = v[7];
                            right.columns = v[4], right.depth = v[5];
                            library.gemmInPlace(b, gemm, right);
                          });
    auto check = [&](int64_t rows, int64_t columns, int64_t depth, int64_t firstRow, int64_t firstColumn) {
      SCOPED_TRACE("rows " + std::to_string(rows) + ", columns " + std::to_string(columns) + ", depth " +
                   std::to_string(depth) + ", from " + std::to_string(firstRow) + ", " + std::to_string(firstColumn));
      int64_t stride = (rows + 1) * panel, panels = (columns + panel - 1) / panel;
      HostTensor a = makeTensor(arithmetic.left, {panel + (depth + panel - 1) / panel * stride}),
                 c = makeTensor(arithmetic.sum, {panel + panels * stride});
      int64_t height = isTransposed ? columns : depth, width = isTransposed ? depth : columns;
      HostTensor w = makeTensor(arithmetic.element, {height + firstRow, width + firstColumn});
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t k = 0; k < depth; ++k)
          a.setFromDouble(panel + k / panel * stride + row * panel + k % panel, element(1, row, k));
      for (int64_t row = 0; row < height; ++row)
        for (int64_t k = 0; k < width; ++k)
          w.setFromDouble((row + firstRow) * (width + firstColumn) + k + firstColumn,
                          isTransposed ? element(2, k, row) : element(2, row, k));
      for (int64_t k = 0; k < c.getNumElements(); ++k)
        c.setFromDouble(k, untouched);
      kernel({a, w, c, makeIndex(rows), makeIndex(columns), makeIndex(depth), makeIndex(firstRow),
              makeIndex(firstColumn)});
      int64_t different = 0;
      for (int64_t k = 0; k < c.getNumElements(); ++k) {
        int64_t from = k - panel, row = from % stride / panel, column = from / stride * panel + from % panel;
        double expected = untouched;
        if (from >= 0 && row < rows && column < columns)
          for (int64_t d = 0; d < depth; ++d)
            expected += element(1, row, d) * element(2, d, column);
        different += c.getAsDouble(k) != expected;
      }
      EXPECT_EQ(different, 0);
    };
    for (int64_t rows : {1, 2, 3})
      for (int64_t columns : {int64_t(1), int64_t(2), panel - 1, panel + 5})
        for (int64_t depth : {0, 1, 7, 64, 100, 200, 513, 1200})
          for (int64_t first : {0, 1})
            check(rows, columns, depth, 2 * first, 3 * first);
  }
}

TEST_P(GemmTest, TransposedMatchesReference) {
  if (tiles.usesAMX())
    GTEST_SKIP() << "AMX multiplies the operand of packLeftTransposed by the other GEMM";
  // An f32 left operand has no VNNI right operand here: see Tiles::left.
  ElementKind right = arithmetic.left == ElementKind::BF16 ? ElementKind::BF16 : arithmetic.sum;
  isVNNI = right == ElementKind::BF16;
  Type leftType = context.getBuffer(arithmetic.left), rightType = context.getBuffer(right),
       sum = context.getBuffer(arithmetic.sum), index = IndexType::get(&context.context);
  Type i1 = IntegerType::get(&context.context, 1);
  CompiledKernel kernel(context, {leftType, rightType, sum, index, index, index, i1, index, index}, tiles,
                        [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          int64_t panel = b.tiles.panel;
                          TransposedGemm gemm;
                          gemm.tiles = v[3], gemm.columns = v[4], gemm.depth = v[5], gemm.isFirst = v[6];
                          gemm.a = v[0];
                          gemm.b = v[1], gemm.bOffset = b.index(panel), gemm.bPanel = b.mul(b.add(v[5], 3), panel);
                          gemm.c = v[2], gemm.cOffset = b.index(panel);
                          gemm.cRow = v[7], gemm.cPanel = v[8];
                          library.transposedGemm(b, gemm);
                        });
  int64_t panel = tiles.panel, height = Tiles::rows;
  // The result is row-major, or in contiguous panels of rows.
  auto checkLayout = [&](int64_t tileCount, int64_t columns, int64_t depth, bool isFirst, bool isRowMajor) {
    SCOPED_TRACE("tiles " + std::to_string(tileCount) + ", columns " + std::to_string(columns) + ", depth " +
                 std::to_string(depth));
    int64_t bPanel = (depth + 3) * panel, rows = tileCount * height;
    int64_t cRow = isRowMajor ? (columns + 1) * panel : panel, cPanel = isRowMajor ? panel : rows * panel;
    HostTensor a = makeTensor(arithmetic.left, {tileCount * height * Tiles::depth}),
               b = makeTensor(right, {panel + columns * bPanel}),
               c = makeTensor(arithmetic.sum, {panel + rows * (columns + 1) * panel});
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < depth; ++k) {
        int64_t inTile = isVNNI ? k / 2 * 2 * height + row % height * 2 + k % 2 : k * height + row % height;
        a.setFromDouble(row / height * height * Tiles::depth + inTile, element(1, row, k));
      }
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t column = 0; column < columns * panel; ++column)
        b.setFromDouble(panel + column / panel * bPanel + rightOffset(k, column % panel), element(2, k, column));
    for (int64_t k = 0; k < c.getNumElements(); ++k)
      c.setFromDouble(k, untouched);
    HostTensor first = makeTensor(ElementKind::I1, {});
    first.setFromInteger(0, isFirst);
    kernel({a, b, c, makeIndex(tileCount), makeIndex(columns), makeIndex(depth), first, makeIndex(cRow),
            makeIndex(cPanel)});
    int64_t different = 0;
    for (int64_t k = 0; k < c.getNumElements(); ++k) {
      int64_t row = rows, column = 0, from = k - panel;
      if (from >= 0 && isRowMajor)
        row = from / cRow, column = from % cRow;
      else if (from >= 0)
        row = from % cPanel / panel, column = from / cPanel * panel + from % panel;
      double expected = untouched;
      if (row < rows && column < columns * panel) {
        expected = isFirst ? 0 : untouched;
        for (int64_t d = 0; d < depth; ++d)
          expected += element(1, row, d) * element(2, d, column);
      }
      different += c.getAsDouble(k) != expected;
    }
    EXPECT_EQ(different, 0);
  };
  auto check = [&](int64_t tileCount, int64_t columns, int64_t depth, bool isFirst) {
    for (bool isRowMajor : {false, true})
      checkLayout(tileCount, columns, depth, isFirst, isRowMajor);
  };
  for (int64_t depth : {1, 2, 3, 4, 5, 7, 64, 255, 256})
    for (bool isFirst : {false, true})
      check(3, 2, depth, isFirst);
  check(1, 1, 9, true);
  check(4, 5, 10, false);
}

INSTANTIATE_TEST_SUITE_P(All, GemmTest,
                         ::testing::Combine(::testing::ValuesIn(arithmetics),
                                            ::testing::Values(Registers{128, 32}, Registers{256, 16},
                                                              Registers{512, 32}, Registers{512, 32, 64},
                                                              Registers{256, 16, 100})),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::to_string(std::get<1>(info.param).bits) + "_" +
                                  std::to_string(std::get<1>(info.param).blockDepth);
                         });

} // namespace
