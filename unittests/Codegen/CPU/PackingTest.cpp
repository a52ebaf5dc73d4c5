//===- PackingTest.cpp - packed operands element by element ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledKernel.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

/// The element types of the matrix and of the packed operand.
struct Types {
  const char *name;
  ElementKind matrix, packed;
};

const Types allTypes[] = {{"f32", ElementKind::F32, ElementKind::F32},
                          {"f64", ElementKind::F64, ElementKind::F64},
                          {"f16", ElementKind::F16, ElementKind::F32},
                          {"bf16_to_f32", ElementKind::BF16, ElementKind::F32},
                          {"bf16", ElementKind::BF16, ElementKind::BF16}};

struct Registers {
  unsigned bits, count;
  bool narrowPanels = false; ///< as those of small layers
};

/// Value of the scratch behind a packed operand.
constexpr double untouched = 77;

class PackingTest : public ::testing::TestWithParam<std::tuple<Types, Registers>> {
protected:
  const Types &types = std::get<0>(GetParam());
  KernelContext context;
  Tiles tiles = [&] {
    HostVectors vectors;
    vectors.bits = std::get<1>(GetParam()).bits, vectors.registers = std::get<1>(GetParam()).count;
    vectors.bf16Gemm = types.packed == ElementKind::BF16 ? BF16Gemm::Dot : BF16Gemm::F32;
    Tiles tiles(context.getType(types.matrix), vectors);
    if (std::get<1>(GetParam()).narrowPanels)
      tiles.fitPanel(1, {1});
    return tiles;
  }();
  Type matrix = context.getMatrix(types.matrix), packed = context.getBuffer(types.packed),
       index = IndexType::get(&context.context);
  const bool isVNNI = types.packed == ElementKind::BF16;
  const int64_t panel = tiles.panel;

  /// Small integers, exact in every type; none of them is zero.
  static int64_t element(int64_t row, int64_t column) { return (row * 31 + column * 7) % 97 + 1; }

  HostTensor makeMatrix(int64_t rows, int64_t columns) {
    HostTensor tensor = makeTensor(types.matrix, {rows, columns});
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        tensor.setFromDouble(row * columns + column, element(row, column));
    return tensor;
  }

  HostTensor makePacked(int64_t count) {
    HostTensor tensor = makeTensor(types.packed, {count});
    for (int64_t k = 0; k < count; ++k)
      tensor.setFromDouble(k, untouched);
    return tensor;
  }

  static int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
  /// Of element [row, column] of a panel of a right operand.
  int64_t rightOffset(int64_t row, int64_t column) const {
    return isVNNI ? row / 2 * 2 * panel + 2 * column + row % 2 : row * panel + column;
  }

  void expectEqual(const HostTensor &actual, ArrayRef<double> expected) {
    ASSERT_EQ(actual.getNumElements(), static_cast<int64_t>(expected.size()));
    int64_t different = 0, first = -1;
    for (auto [k, value] : llvm::enumerate(expected))
      if (actual.getAsDouble(k) != value && different++ == 0)
        first = k;
    EXPECT_EQ(different, 0) << "first at " << first << ": " << actual.getAsDouble(std::max<int64_t>(first, 0));
  }

  /// Packs submatrices as right operands; a row of the reduction is a row of the matrix, or a column if `transposed`.
  void checkRight(bool transposed) {
    CompiledKernel kernel(context, {matrix, index, index, index, index, packed, index, index}, tiles,
                          [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                            PackRight pack = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
                            transposed ? library.packTransposed(b, pack) : library.packColumns(b, pack);
                          });
    auto check = [&](int64_t row, int64_t rows, int64_t column, int64_t columns) {
      SCOPED_TRACE("rows " + std::to_string(rows) + ", columns " + std::to_string(columns));
      int64_t depth = transposed ? columns : rows, width = transposed ? rows : columns;
      int64_t panels = roundUp(width, panel) / panel, padded = roundUp(depth, panel);
      int64_t offset = 2 * panel, stride = padded * panel + 2 * panel;
      HostTensor target = makePacked(offset + panels * stride);
      kernel({makeMatrix(row + rows + 1, column + columns + 3), makeIndex(row), makeIndex(rows), makeIndex(column),
              makeIndex(columns), target, makeIndex(offset), makeIndex(stride)});
      std::vector<double> expected(target.getNumElements(), untouched);
      for (int64_t q = 0; q < panels; ++q)
        for (int64_t k = 0; k < padded; ++k)
          for (int64_t j = 0; j < panel; ++j) {
            int64_t inWidth = q * panel + j;
            int64_t value = transposed ? element(row + inWidth, column + k) : element(row + k, column + inWidth);
            expected[offset + q * stride + rightOffset(k, j)] = k < depth && inWidth < width ? value : 0;
          }
      expectEqual(target, expected);
    };
    for (int64_t rows : {1, 2, 3, 7, 16, 33})
      for (int64_t columns : {1, 5, 16, 17, 64, 129})
        check(2, rows, 1, columns);
    check(0, 130, 0, 130);
  }
};

TEST_P(PackingTest, ColumnsBecomeColumnsOfPanels) {
  checkRight(/*transposed=*/false);
}
TEST_P(PackingTest, RowsBecomeColumnsOfPanels) {
  checkRight(/*transposed=*/true);
}

TEST_P(PackingTest, RowsAsLeftOperand) {
  CompiledKernel kernel(context, {matrix, index, index, index, index, packed}, tiles,
                        [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          library.packRows(b, {v[0], v[1], v[2], v[3], v[4], v[5]});
                        });
  auto check = [&](int64_t rows, int64_t steps, int64_t step, int64_t columns) {
    SCOPED_TRACE("rows " + std::to_string(rows) + ", steps " + std::to_string(steps) + " of " + std::to_string(step) +
                 " rows, columns " + std::to_string(columns));
    int64_t panels = roundUp(columns, panel) / panel, all = rows * steps;
    HostTensor target = makePacked(panels * all * panel + panel);
    kernel({makeMatrix(step * steps + 3, columns), makeIndex(2), makeIndex(rows), makeIndex(steps), makeIndex(step),
            target});
    std::vector<double> expected(target.getNumElements(), untouched);
    for (int64_t row = 0; row < all; ++row)
      for (int64_t k = 0; k < panels * panel; ++k)
        expected[k / panel * all * panel + row * panel + k % panel] =
            k < columns ? element(2 + row / rows * step + row % rows, k) : 0;
    expectEqual(target, expected);
  };
  for (int64_t columns : {1, 5, 16, 17, 64, 129}) {
    for (int64_t rows = 1; rows <= 7; ++rows)
      check(rows, 1, rows, columns);
    check(4, 3, 4, columns);
    check(4, 3, 9, columns);
    check(1, 5, 2, columns);
  }
}

TEST_P(PackingTest, LeftOperandOfTransposedGemm) {
  constexpr int64_t height = Tiles::rows, depth = Tiles::depth;
  CompiledKernel kernel(context, {matrix, index, index, index, index, packed, index}, tiles,
                        [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          library.packLeft(b, {v[0], v[1], v[2], v[3], v[4], v[5], v[6]});
                        });
  for (int64_t rows : {1, 2, 5, 64})
    for (int64_t columns : {1, 5, 6, 7, 12, 13, 20})
      for (int64_t firstRow : {0, 3}) {
        SCOPED_TRACE("rows " + std::to_string(rows) + ", columns " + std::to_string(columns) + ", first row " +
                     std::to_string(firstRow));
        int64_t count = roundUp(columns, height) / height;
        HostTensor target = makePacked(count * height * depth);
        kernel({makeMatrix(rows + 1, columns + 2), makeIndex(1), makeIndex(rows), makeIndex(1), makeIndex(columns),
                target, makeIndex(firstRow)});
        // Vectors of 8 elements may overwrite the rows after the last one; they are not compared.
        int64_t different = 0;
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t k = 0; k < count * height; ++k) {
            int64_t to = firstRow + row;
            int64_t inTile = isVNNI ? to / 2 * 2 * height + k % height * 2 + to % 2 : to * height + k % height;
            double expected = k < columns ? element(1 + row, 1 + k) : 0;
            different += target.getAsDouble(k / height * height * depth + inTile) != expected;
          }
        EXPECT_EQ(different, 0);
      }
}

TEST_P(PackingTest, InterleaveRowsInPlace) {
  if (!isVNNI)
    GTEST_SKIP() << "VNNI packing is of bf16";
  CompiledKernel kernel(context, {packed, index, index, index, index}, tiles,
                        [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          library.packVNNI(b, {v[0], v[1], v[2], v[3], v[4]});
                        });
  for (int64_t rows : {1, 2, 3, 8, 9}) {
    SCOPED_TRACE("rows " + std::to_string(rows));
    int64_t panels = 3, padded = roundUp(rows, 2), offset = panel, stride = (padded + 1) * panel;
    HostTensor buffer = makePacked(offset + panels * stride);
    std::vector<double> expected(buffer.getNumElements(), untouched);
    for (int64_t q = 0; q < panels; ++q)
      for (int64_t row = 0; row < padded; ++row)
        for (int64_t j = 0; j < panel; ++j) {
          if (row < rows)
            buffer.setFromDouble(offset + q * stride + row * panel + j, element(row, q * panel + j));
          expected[offset + q * stride + rightOffset(row, j)] = row < rows ? element(row, q * panel + j) : 0;
        }
    kernel({buffer, makeIndex(offset), makeIndex(stride), makeIndex(panels), makeIndex(rows)});
    expectEqual(buffer, expected);
  }
}

TEST_P(PackingTest, TransposedLeftOperand) {
  if (types.matrix != ElementKind::F32 && types.matrix != ElementKind::BF16)
    GTEST_SKIP() << "AMX multiplies bf16";
  HostVectors vectors;
  vectors.bits = std::get<1>(GetParam()).bits, vectors.bf16Gemm = BF16Gemm::AMX;
  Tiles amx(context.getType(ElementKind::BF16), vectors);
  ASSERT_TRUE(amx.usesAMX());
  Type left = context.getBuffer(ElementKind::BF16);
  CompiledKernel kernel(context, {matrix, index, index, index, matrix, index, index, index, index, index, left, index},
                        amx, [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          library.packLeftTransposed(b, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9],
                                                         v[10], b.index(0), v[11]});
                        });
  const int64_t width = Tiles::amxPanel;
  auto check = [&](int64_t firstFrom, int64_t firstRows, int64_t secondFrom, int64_t rows, int64_t columns) {
    SCOPED_TRACE("first " + std::to_string(firstFrom) + "+" + std::to_string(firstRows) + " of " +
                 std::to_string(rows) + ", columns " + std::to_string(columns));
    int64_t panels = roundUp(rows, width) / width, stride = roundUp(columns, 16) * width + width;
    HostTensor first = makeMatrix(firstRows + 2, columns + 3), second = makeMatrix(rows + 40, columns + 3);
    HostTensor target = makeTensor(ElementKind::BF16, {panels * stride});
    kernel({first, makeIndex(2), makeIndex(firstFrom), makeIndex(firstRows), second, makeIndex(1),
            makeIndex(secondFrom), makeIndex(rows), makeIndex(1), makeIndex(columns), target, makeIndex(stride)});
    int64_t different = 0;
    for (int64_t row = 0; row < panels * width; ++row)
      for (int64_t k = 0; k < columns; ++k) {
        bool isFirst = row >= firstFrom && row < firstFrom + firstRows;
        double expected = element(isFirst ? 2 + row - firstFrom : 1 + row - secondFrom, 1 + k);
        different += target.getAsDouble(row / width * stride + k * width + row % width) != (row < rows ? expected : 0);
      }
    EXPECT_EQ(different, 0);
  };
  for (int64_t columns : {1, 16, 33}) {
    check(0, 5, 5, 70, columns);   // h_prev before h
    check(64, 32, 0, 96, columns); // the other direction
    check(61, 4, 0, 65, columns);
    check(0, 64, 0, 64, columns);
    check(0, 1, 1, 1, columns);
  }
}

TEST_P(PackingTest, InterleaveRowsOfTiles) {
  if (!isVNNI)
    GTEST_SKIP() << "VNNI packing is of bf16";
  HostVectors vectors;
  vectors.bits = std::get<1>(GetParam()).bits, vectors.bf16Gemm = BF16Gemm::AMX;
  Tiles amx(context.getType(ElementKind::BF16), vectors);
  CompiledKernel kernel(context, {packed, index, index, index, index}, amx,
                        [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          library.packVNNI(b, {v[0], v[1], v[2], v[3], v[4]});
                        });
  const int64_t width = Tiles::amxPanel;
  for (int64_t rows : {1, 2, 31, 32, 35}) {
    SCOPED_TRACE("rows " + std::to_string(rows));
    int64_t padded = roundUp(rows, width), stride = padded * width;
    HostTensor buffer = makePacked(2 * stride);
    for (int64_t q = 0; q < 2; ++q)
      for (int64_t k = 0; k < rows * width; ++k)
        buffer.setFromDouble(q * stride + k, element(k / width, q * width + k % width));
    kernel({buffer, makeIndex(0), makeIndex(stride), makeIndex(2), makeIndex(rows)});
    int64_t different = 0;
    for (int64_t q = 0; q < 2; ++q)
      for (int64_t row = 0; row < padded; ++row)
        for (int64_t j = 0; j < width; ++j)
          different += buffer.getAsDouble(q * stride + row / 2 * 2 * width + 2 * j + row % 2) !=
                       (row < rows ? element(row, q * width + j) : 0);
    EXPECT_EQ(different, 0);
  }
}

TEST_P(PackingTest, StoreTransposed) {
  ElementKind sum = types.matrix == ElementKind::F64 ? ElementKind::F64 : ElementKind::F32;
  CompiledKernel kernel(context, {context.getBuffer(sum), index, index, index, index, matrix, index, index}, tiles,
                        [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
                          library.storeTransposed(b, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]});
                        });
  for (int64_t rows : {1, 3, 6, 16, 19})
    for (int64_t columns : {1, 5, 16, 33}) {
      SCOPED_TRACE("rows " + std::to_string(rows) + ", columns " + std::to_string(columns));
      int64_t stride = roundUp(columns, panel) + panel, offset = panel;
      HostTensor source = makeTensor(sum, {offset + rows * stride}), target = makeMatrix(columns + 3, rows + 2);
      std::vector<double> expected;
      for (int64_t k = 0; k < target.getNumElements(); ++k)
        expected.push_back(target.getAsDouble(k));
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
          source.setFromDouble(offset + row * stride + column, -element(row, column));
          expected[(2 + column) * (rows + 2) + 1 + row] = -element(row, column);
        }
      kernel({source, makeIndex(offset), makeIndex(stride), makeIndex(rows), makeIndex(columns), target, makeIndex(2),
              makeIndex(1)});
      expectEqual(target, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(All, PackingTest,
                         ::testing::Combine(::testing::ValuesIn(allTypes),
                                            ::testing::Values(Registers{128, 32}, Registers{256, 16},
                                                              Registers{512, 32},
                                                              Registers{512, 32, /*narrowPanels=*/true})),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::to_string(std::get<1>(info.param).bits) +
                                  (std::get<1>(info.param).narrowPanels ? "_narrow" : "");
                         });

} // namespace
