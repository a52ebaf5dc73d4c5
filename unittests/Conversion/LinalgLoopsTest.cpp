//===- LinalgLoopsTest.cpp - compiled elementwise ops and reductions ------===//
//
// Elementwise ops, reductions and gathers. The reference computes in f64, one scalar at a time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToHostTest.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

/// One function of several ops on a matrix x [rows, columns], static and dynamic.
class LoopsTest : public LinalgToHostTest {
protected:
  /// Replaces ROWS, COLS and the text of the element types.
  static std::string fill(std::string text, bool isDynamic, int64_t rows, int64_t columns) {
    auto replace = [&](const std::string &from, const std::string &to) {
      for (size_t at; (at = text.find(from)) != std::string::npos;)
        text.replace(at, from.size(), to);
    };
    replace("ROWS", isDynamic ? "?" : std::to_string(rows));
    replace("COLS", isDynamic ? "?" : std::to_string(columns));
    return text;
  }

  /// Compiles the function for each shape and calls `check` with the input and the result.
  void forShapes(const std::string &text, ElementKind kind,
                 llvm::function_ref<void(const HostTensor &, const HostTensor &, int64_t, int64_t)> check,
                 ElementKind second = ElementKind::I32, ArrayRef<int64_t> secondShape = {}) {
    for (auto [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 1}, {3, 15}, {5, 16}, {4, 63}, {9, 65}, {2, 130}, {600, 8}, {300, 257}})
      for (bool isDynamic : {false, true}) {
        compile(fill(text, isDynamic, rows, columns));
        if (HasFatalFailure())
          return;
        HostTensor x = makeTensor(kind, {rows, columns});
        check(x, run("main", {x}), rows, columns);
        if (HasFatalFailure())
          return;
      }
  }
};

const char *reduceText = R"(
  func.func @main(%argument: tensor<ROWSxCOLSxTYPE>) -> RESULT {
    %zero = arith.constant INIT : TYPE
    %c0 = arith.constant 0 : index
    %x = tensor.cast %argument : tensor<ROWSxCOLSxTYPE> to tensor<?x?xTYPE>
    %size = tensor.dim %x, %c0 : tensor<?x?xTYPE>
    EMPTY
    %init = linalg.fill ins(%zero : TYPE) outs(%empty : RESULT) -> RESULT
    %r = linalg.reduce { OP } ins(%x : tensor<?x?xTYPE>) outs(%init : RESULT) dimensions = [DIMS]
    return %r : RESULT
  })";

std::string replaceAll(std::string text, std::initializer_list<std::pair<std::string, std::string>> pairs) {
  for (const auto &[from, to] : pairs)
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
  return text;
}

TEST_F(LoopsTest, SumsOfEachRow) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::F16, ElementKind::BF16, ElementKind::I32}) {
    bool isInteger = kind == ElementKind::I32;
    std::string text = replaceAll(reduceText, {{"EMPTY", "%empty = tensor.empty(%size) : tensor<?xTYPE>"},
                                               {"RESULT", "tensor<?xTYPE>"},
                                               {"DIMS", "1"},
                                               {"OP", isInteger ? "arith.addi" : "arith.addf"},
                                               {"INIT", isInteger ? "0" : "0.0"},
                                               {"TYPE", stringifyElementKind(kind).str()}});
    forShapes(text, kind, [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
      for (int64_t row = 0; row < rows; ++row) {
        double sum = 0, magnitude = 0;
        for (int64_t column = 0; column < columns; ++column) {
          double value = x.getAsDouble(row * columns + column);
          sum += value, magnitude += std::abs(value);
        }
        double inner = std::min(getEpsilon(kind), 0x1p-24);
        ASSERT_NEAR(y.getAsDouble(row), sum, columns * inner * magnitude + getEpsilon(kind) * std::abs(sum))
            << stringifyElementKind(kind).str() << ": " << rows << "x" << columns << ", row " << row;
      }
    });
  }
}

TEST_F(LoopsTest, LargestOfEachColumn) {
  std::string text = replaceAll(
      reduceText, {{"%size = tensor.dim %x, %c0", "%c1 = arith.constant 1 : index\n%size = tensor.dim %x, %c1"},
                   {"EMPTY", "%empty = tensor.empty(%size) : tensor<?xf32>"},
                   {"RESULT", "tensor<?xf32>"},
                   {"DIMS", "0"},
                   {"OP", "arith.maximumf"},
                   {"INIT", "0xFF800000"},
                   {"TYPE", "f32"}});
  forShapes(text, ElementKind::F32, [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
    for (int64_t column = 0; column < columns; ++column) {
      double largest = -INFINITY;
      for (int64_t row = 0; row < rows; ++row)
        largest = std::max(largest, x.getAsDouble(row * columns + column));
      ASSERT_EQ(y.getAsDouble(column), largest);
    }
  });
}

TEST_F(LoopsTest, SmallestOfAll) {
  std::string text = replaceAll(reduceText, {{"EMPTY", "%empty = tensor.empty() : tensor<f32>"},
                                             {"RESULT", "tensor<f32>"},
                                             {"DIMS", "0, 1"},
                                             {"OP", "arith.minimumf"},
                                             {"INIT", "0x7F800000"},
                                             {"TYPE", "f32"}});
  forShapes(text, ElementKind::F32, [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
    double smallest = INFINITY;
    for (int64_t index = 0; index < rows * columns; ++index)
      smallest = std::min(smallest, x.getAsDouble(index));
    ASSERT_EQ(y.getAsDouble(0), smallest);
  });
}

TEST_F(LoopsTest, SumOfAll) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::BF16, ElementKind::I32}) {
    std::string text = replaceAll(reduceText, {{"EMPTY", "%empty = tensor.empty() : tensor<TYPE>"},
                                               {"RESULT", "tensor<TYPE>"},
                                               {"DIMS", "0, 1"},
                                               {"OP", kind == ElementKind::I32 ? "arith.addi" : "arith.addf"},
                                               {"INIT", kind == ElementKind::I32 ? "0" : "0.0"},
                                               {"TYPE", stringifyElementKind(kind).str()}});
    forShapes(text, kind, [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
      double sum = 0, magnitude = 0;
      for (int64_t index = 0; index < rows * columns; ++index)
        sum += x.getAsDouble(index), magnitude += std::abs(x.getAsDouble(index));
      double inner = std::min(getEpsilon(kind), 0x1p-24);
      ASSERT_NEAR(y.getAsDouble(0), sum, rows * columns * inner * magnitude + getEpsilon(kind) * std::abs(sum));
    });
  }
}

/// Elements of i1 as results, inputs and sums.
TEST_F(LoopsTest, Booleans) {
  std::string text = R"(
    func.func @main(%x: tensor<ROWSxCOLSxf32>) -> tensor<ROWSxCOLSxi1> {
      %limit = arith.constant 0.25 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %rows = tensor.dim %x, %c0 : tensor<ROWSxCOLSxf32>
      %columns = tensor.dim %x, %c1 : tensor<ROWSxCOLSxf32>
      %any = tensor.empty(%rows, %columns) : tensor<?x?xi1>
      %empty = tensor.cast %any : tensor<?x?xi1> to tensor<ROWSxCOLSxi1>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<ROWSxCOLSxf32>) outs(%empty : tensor<ROWSxCOLSxi1>) {
      ^bb0(%v: f32, %old: i1):
        %isMore = arith.cmpf ogt, %v, %limit : f32
        linalg.yield %isMore : i1
      } -> tensor<ROWSxCOLSxi1>
      return %r : tensor<ROWSxCOLSxi1>
    }
    func.func @select(%m: tensor<ROWSxCOLSxi1>, %x: tensor<ROWSxCOLSxf32>) -> tensor<ROWSxCOLSxf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%m : tensor<ROWSxCOLSxi1>) outs(%x : tensor<ROWSxCOLSxf32>) {
      ^bb0(%isMore: i1, %v: f32):
        %minus = arith.negf %v : f32
        %s = arith.select %isMore, %v, %minus : f32
        linalg.yield %s : f32
      } -> tensor<ROWSxCOLSxf32>
      return %r : tensor<ROWSxCOLSxf32>
    }
    func.func @any(%m: tensor<ROWSxCOLSxi1>) -> tensor<i1> {
      %false = arith.constant false
      %empty = tensor.empty() : tensor<i1>
      %init = linalg.fill ins(%false : i1) outs(%empty : tensor<i1>) -> tensor<i1>
      %r = linalg.reduce { arith.ori } ins(%m : tensor<ROWSxCOLSxi1>) outs(%init : tensor<i1>) dimensions = [0, 1]
      return %r : tensor<i1>
    })";
  forShapes(text, ElementKind::F32, [&](const HostTensor &x, const HostTensor &m, int64_t rows, int64_t columns) {
    HostTensor r = run("select", {m, x}), any = run("any", {m});
    bool isAny = false;
    for (int64_t index = 0; index < rows * columns; ++index) {
      double value = x.getAsDouble(index);
      ASSERT_EQ(m.getAsDouble(index) != 0, value > 0.25) << rows << "x" << columns << ": " << index;
      ASSERT_EQ(r.getAsDouble(index), value > 0.25 ? value : -value);
      isAny |= value > 0.25;
    }
    ASSERT_EQ(any.getAsDouble(0) != 0, isAny);
  });
}

/// Divisions of integers by a constant and by another value in each lane.
TEST_F(LoopsTest, IntegerDivisions) {
  std::string text = R"(
    func.func @main(%x: tensor<ROWSxCOLSxi32>) -> tensor<ROWSxCOLSxi32> {
      %seven = arith.constant 7 : i32
      %c1 = arith.constant 1 : index
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%x : tensor<ROWSxCOLSxi32>) {
      ^bb0(%v: i32):
        %j = linalg.index 1 : index
        %j1 = arith.addi %j, %c1 : index
        %divisor = arith.index_cast %j1 : index to i32
        %scaled = arith.muli %v, %seven : i32
        %a = arith.remsi %scaled, %divisor : i32
        %b = arith.divsi %v, %seven : i32
        %s = arith.addi %a, %b : i32
        linalg.yield %s : i32
      } -> tensor<ROWSxCOLSxi32>
      return %r : tensor<ROWSxCOLSxi32>
    }
    func.func @quotient(%x: tensor<ROWSxCOLSxi32>, %y: tensor<ROWSxCOLSxi32>) -> tensor<ROWSxCOLSxi32> {
      %r = linalg.div ins(%x, %y : tensor<ROWSxCOLSxi32>, tensor<ROWSxCOLSxi32>) outs(%x : tensor<ROWSxCOLSxi32>)
          -> tensor<ROWSxCOLSxi32>
      return %r : tensor<ROWSxCOLSxi32>
    })";
  forShapes(text, ElementKind::I32, [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
    HostTensor divisors = makeTensor(ElementKind::I32, {rows, columns});
    for (int64_t index = 0; index < rows * columns; ++index)
      divisors.setFromDouble(index, index % 5 - 6);
    HostTensor quotients = run("quotient", {x, divisors});
    for (int64_t index = 0; index < rows * columns; ++index) {
      int64_t v = x.getAsDouble(index);
      ASSERT_EQ(y.getAsDouble(index), v * 7 % (index % columns + 1) + v / 7);
      ASSERT_EQ(quotients.getAsDouble(index), v / (index % 5 - 6));
    }
  });
}

/// A slice of a larger matrix is written, and read again with an offset of a column.
TEST_F(LoopsTest, StridedCopies) {
  std::string text = R"(
    func.func @main(%x: tensor<ROWSxCOLSxf32>) -> tensor<?x?xf32> {
      %seven = arith.constant 7.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %rows = tensor.dim %x, %c0 : tensor<ROWSxCOLSxf32>
      %columns = tensor.dim %x, %c1 : tensor<ROWSxCOLSxf32>
      %more_rows = arith.addi %rows, %c3 : index
      %more_columns = arith.addi %columns, %c3 : index
      %empty = tensor.empty(%more_rows, %more_columns) : tensor<?x?xf32>
      %sevens = linalg.fill ins(%seven : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %dynamic = tensor.cast %x : tensor<ROWSxCOLSxf32> to tensor<?x?xf32>
      %large = tensor.insert_slice %dynamic into %sevens[1, 2] [%rows, %columns] [1, 1]
          : tensor<?x?xf32> into tensor<?x?xf32>
      %slice = tensor.extract_slice %large[1, 1] [%rows, %columns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      return %slice : tensor<?x?xf32>
    })";
  forShapes(text, ElementKind::F32, [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        ASSERT_EQ(y.getAsDouble(row * columns + column), column == 0 ? 7 : x.getAsDouble(row * columns + column - 1));
  });
}

TEST_F(LoopsTest, TransposedInput) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::F16, ElementKind::BF16, ElementKind::I8,
                           ElementKind::I16, ElementKind::I32, ElementKind::I64, ElementKind::Index, ElementKind::I1}) {
    std::string text = replaceAll(R"(
      func.func @main(%argument: tensor<ROWSxCOLSxTYPE>) -> tensor<?x?xTYPE> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %x = tensor.cast %argument : tensor<ROWSxCOLSxTYPE> to tensor<?x?xTYPE>
        %rows = tensor.dim %x, %c0 : tensor<?x?xTYPE>
        %columns = tensor.dim %x, %c1 : tensor<?x?xTYPE>
        %empty = tensor.empty(%columns, %rows) : tensor<?x?xTYPE>
        %r = linalg.transpose ins(%x : tensor<?x?xTYPE>) outs(%empty : tensor<?x?xTYPE>) permutation = [1, 0]
        return %r : tensor<?x?xTYPE>
      })",
                                  {{"TYPE", stringifyElementKind(kind).str()}});
    forShapes(text, kind, [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          ASSERT_EQ(y.getAsDouble(column * rows + row), x.getAsDouble(row * columns + column))
              << stringifyElementKind(kind).str() << ": " << rows << "x" << columns;
    });
  }
}

/// In an op with three loops, a transposed input together with one in the order of the result, a vector, and indices.
/// If the body is long, the input is copied before.
TEST_F(LoopsTest, TransposedBesideOthers) {
  std::string text = R"(
    func.func @main(%x: tensor<ROWSxCOLSxf32>) -> tensor<3xCOLSxROWSxf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %rows = tensor.dim %x, %c0 : tensor<ROWSxCOLSxf32>
      %columns = tensor.dim %x, %c1 : tensor<ROWSxCOLSxf32>
      %shape = tensor.from_elements %columns, %rows : tensor<2xindex>
      %same = tensor.reshape %x(%shape) : (tensor<ROWSxCOLSxf32>, tensor<2xindex>) -> tensor<COLSxROWSxf32>
      %slice = tensor.extract_slice %x[0, 0] [1, %columns] [1, 1] : tensor<ROWSxCOLSxf32> to tensor<?xf32>
      %row = tensor.cast %slice : tensor<?xf32> to tensor<COLSxf32>
      %empty = tensor.empty(SIZES) : tensor<3xCOLSxROWSxf32>
      %r = linalg.generic {indexing_maps = [affine_map<(z, j, i) -> (i, j)>, affine_map<(z, j, i) -> (j, i)>,
                                            affine_map<(z, j, i) -> (j)>, affine_map<(z, j, i) -> (z, j, i)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x, %same, %row : tensor<ROWSxCOLSxf32>, tensor<COLSxROWSxf32>, tensor<COLSxf32>)
          outs(%empty : tensor<3xCOLSxROWSxf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32, %old: f32):
        %z = linalg.index 0 : index
        %j = linalg.index 1 : index
        %i = linalg.index 2 : index
        %ten = arith.constant 10 : index
        %positive = arith.constant 1.0 : f32
        %negative = arith.constant -1.0 : f32
        %zt = arith.muli %z, %ten : index
        %iz = arith.addi %i, %zt : index
        %ijz = arith.subi %iz, %j : index
        %int = arith.index_cast %ijz : index to i32
        %float = arith.sitofp %int : i32 to f32
        %p = arith.mulf %a, %b : f32
        %q = arith.subf %p, %c : f32
        %s0 = arith.addf %q, %float : f32
        NEGATIONS
        linalg.yield %s : f32
      } -> tensor<3xCOLSxROWSxf32>
      return %r : tensor<3xCOLSxROWSxf32>
    })";
  const std::string one = "%s = arith.mulf %s0, %positive : f32";
  std::string many;
  for (int k = 0; k < 30; ++k)
    many +=
        "%s" + (k == 29 ? "" : std::to_string(k + 1)) + " = arith.mulf %s" + std::to_string(k) + ", %negative : f32\n";
  for (auto [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{1, 40}, {40, 1}, {16, 32}, {17, 15}, {35, 70}})
    for (auto [isDynamic, isLong] : {std::pair(false, false), {false, true}, {true, false}, {true, true}}) {
      compile(replaceAll(fill(text, isDynamic, rows, columns),
                         {{"SIZES", isDynamic ? "%columns, %rows" : ""}, {"NEGATIONS", isLong ? many : one}}));
      ASSERT_FALSE(HasFatalFailure());
      HostTensor x = makeTensor(ElementKind::F32, {rows, columns}), y = run("main", {x});
      auto at = [&](int64_t index) { return static_cast<float>(x.getAsDouble(index)); };
      for (int64_t z = 0; z < 3; ++z)
        for (int64_t j = 0; j < columns; ++j)
          for (int64_t i = 0; i < rows; ++i) {
            float product = at(i * columns + j) * at(j * rows + i), difference = product - at(j);
            ASSERT_EQ(y.getAsDouble((z * columns + j) * rows + i), difference + (i + 10 * z - j))
                << rows << "x" << columns << ": " << z << ", " << j << ", " << i;
          }
    }
}

/// A loop carries two values, of which one is used for both: one op computes them.
TEST_F(LoopsTest, ValuesWithSeveralUses) {
  std::string text = R"(
    #id = affine_map<(i, j) -> (i, j)>
    func.func @main(%x: tensor<ROWSxCOLSxf32>) -> tensor<ROWSxCOLSxf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %half = arith.constant 0.5 : f32
      %rows = tensor.dim %x, %c0 : tensor<ROWSxCOLSxf32>
      %columns = tensor.dim %x, %c1 : tensor<ROWSxCOLSxf32>
      %empty = tensor.empty(SIZES) : tensor<ROWSxCOLSxf32>
      %r:2 = scf.for %t = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>) {
        %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%a, %b : tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>) outs(%empty : tensor<ROWSxCOLSxf32>) {
        ^bb0(%u: f32, %v: f32, %old: f32):
          %w = arith.addf %u, %v : f32
          linalg.yield %w : f32
        } -> tensor<ROWSxCOLSxf32>
        %product = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%sum : tensor<ROWSxCOLSxf32>) outs(%empty : tensor<ROWSxCOLSxf32>) {
        ^bb0(%u: f32, %old: f32):
          %w = arith.mulf %u, %half : f32
          linalg.yield %w : f32
        } -> tensor<ROWSxCOLSxf32>
        %difference = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%product, %a, %sum : tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>)
            outs(%empty : tensor<ROWSxCOLSxf32>) {
        ^bb0(%u: f32, %v: f32, %w: f32, %old: f32):
          %d = arith.subf %u, %v : f32
          %e = arith.mulf %d, %w : f32
          linalg.yield %e : f32
        } -> tensor<ROWSxCOLSxf32>
        scf.yield %sum, %difference : tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>
      }
      %s = linalg.sub ins(%r#0, %r#1 : tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>)
          outs(%empty : tensor<ROWSxCOLSxf32>) -> tensor<ROWSxCOLSxf32>
      return %s : tensor<ROWSxCOLSxf32>
    })";
  for (auto [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {3, 15}, {70, 900}})
    for (bool isDynamic : {false, true}) {
      compile(replaceAll(fill(text, isDynamic, rows, columns), {{"SIZES", isDynamic ? "%rows, %columns" : ""}}));
      ASSERT_FALSE(HasFatalFailure());
      HostTensor x = makeTensor(ElementKind::F32, {rows, columns}), y = run("main", {x});
      for (int64_t index = 0; index < rows * columns; ++index) {
        float a = x.getAsDouble(index), b = a;
        for (int step = 0; step < 5; ++step) {
          float sum = a + b, difference = sum * 0.5f - a;
          a = sum, b = difference * sum;
        }
        ASSERT_EQ(y.getAsDouble(index), a - b) << rows << "x" << columns << ": " << index;
      }
    }
}

/// Rows of a table by computed indices, columns by computed indices, and the position as a value.
TEST_F(LoopsTest, GathersAndPositions) {
  std::string text = R"(
    func.func @main(%x: tensor<ROWSxCOLSxf32>) -> tensor<ROWSxCOLSxf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %rows = tensor.dim %x, %c0 : tensor<ROWSxCOLSxf32>
      %columns = tensor.dim %x, %c1 : tensor<ROWSxCOLSxf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%x : tensor<ROWSxCOLSxf32>) {
      ^bb0(%old: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %i1 = arith.subi %rows, %i : index
        %other_row = arith.subi %i1, %c1 : index
        %j1 = arith.subi %columns, %j : index
        %other_column = arith.subi %j1, %c1 : index
        %a = tensor.extract %x[%other_row, %j] : tensor<ROWSxCOLSxf32>
        %b = tensor.extract %x[%other_row, %other_column] : tensor<ROWSxCOLSxf32>
        %c = tensor.extract %x[%i, %other_column] : tensor<ROWSxCOLSxf32>
        %ji = arith.index_cast %j : index to i32
        %jf = arith.sitofp %ji : i32 to f32
        %isLeft = arith.cmpi slt, %j, %other_column : index
        %ab = arith.select %isLeft, %a, %b : f32
        %abc = arith.addf %ab, %c : f32
        %s = arith.addf %abc, %jf : f32
        linalg.yield %s : f32
      } -> tensor<ROWSxCOLSxf32>
      return %r : tensor<ROWSxCOLSxf32>
    })";
  forShapes(text, ElementKind::F32, [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
    auto at = [&](int64_t row, int64_t column) { return static_cast<float>(x.getAsDouble(row * columns + column)); };
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        int64_t row = rows - 1 - i, column = columns - 1 - j;
        float sum = (j < column ? at(row, j) : at(row, column)) + at(i, column);
        sum += j;
        ASSERT_EQ(y.getAsDouble(i * columns + j), sum) << rows << "x" << columns << ": " << i << ", " << j;
      }
  });
}

/// The value of the type that is nearest to `value`.
float roundTo(ElementKind kind, float value) {
  HostTensor rounded = llvm::cantFail(HostTensor::allocate(kind, {}));
  rounded.setFromDouble(0, value);
  return static_cast<float>(rounded.getAsDouble(0));
}

/// f16 and bf16 are rounded after every operation, so the results have the bits of scalar code.
TEST_F(LoopsTest, HalfPrecisionIsRoundedAfterEachOperation) {
  std::string text = R"(
    func.func @main(%x: tensor<ROWSxCOLSxTYPE>) -> tensor<ROWSxCOLSxTYPE> {
      %third = arith.constant 0.333 : TYPE
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%x : tensor<ROWSxCOLSxTYPE>) {
      ^bb0(%v: TYPE):
        %a = arith.mulf %v, %third : TYPE
        %b = arith.addf %a, %v : TYPE
        %c = arith.divf %b, %third : TYPE
        %isNegative = arith.cmpf olt, %c, %a : TYPE
        %d = arith.select %isNegative, %a, %c : TYPE
        linalg.yield %d : TYPE
      } -> tensor<ROWSxCOLSxTYPE>
      return %r : tensor<ROWSxCOLSxTYPE>
    })";
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16}) {
    auto round = [&](float value) { return roundTo(kind, value); };
    forShapes(replaceAll(text, {{"TYPE", stringifyElementKind(kind).str()}}), kind,
              [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
                for (int64_t index = 0; index < rows * columns; ++index) {
                  float v = x.getAsDouble(index), third = round(0.333f), a = round(v * third), b = round(a + v);
                  float c = round(b / third);
                  ASSERT_EQ(y.getAsDouble(index), c < a ? a : c);
                }
              });
  }
}

/// Without a reduction loop, the sum of `outs` and a product is rounded twice, in every type.
TEST_F(LoopsTest, ProductsOutsideOfReductionsAreRounded) {
  std::string text = R"(
    func.func @main(%x: tensor<ROWSxCOLSxTYPE>) -> tensor<ROWSxCOLSxTYPE> {
      %third = arith.constant 0.333 : TYPE
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<ROWSxCOLSxTYPE>) outs(%x : tensor<ROWSxCOLSxTYPE>) {
      ^bb0(%v: TYPE, %out: TYPE):
        %p = arith.mulf %v, %third : TYPE
        %s = arith.addf %out, %p : TYPE
        linalg.yield %s : TYPE
      } -> tensor<ROWSxCOLSxTYPE>
      return %r : tensor<ROWSxCOLSxTYPE>
    })";
  for (ElementKind kind : {ElementKind::F32, ElementKind::BF16}) {
    auto round = [&](float value) { return roundTo(kind, value); };
    forShapes(replaceAll(text, {{"TYPE", stringifyElementKind(kind).str()}}), kind,
              [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
                for (int64_t index = 0; index < rows * columns; ++index) {
                  const float v = x.getAsDouble(index), product = round(v * round(0.333f));
                  ASSERT_EQ(y.getAsDouble(index), round(v + product));
                }
              });
  }
}

} // namespace
