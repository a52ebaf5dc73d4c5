//===- LinalgToHostTest.cpp - compiled linalg ops beside naive loops ---------===//
//
// Contractions of many forms, shapes and types, and elementwise ops, reductions, gathers and functions of `math`. The
// reference computes in f64, one scalar at a time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "rnn/Emit/JIT.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace mlir::rnn;
using llvm::formatv;

namespace {

using Sizes = std::map<char, int64_t>;

class LinalgToHostTest : public ::testing::Test {
protected:
  LinalgToHostTest() {
    DialectRegistry registry;
    registerJITDialects(registry);
    context.appendDialectRegistry(registry);
    EXPECT_EQ(rnnrt_device_create("host", nullptr, &device), nullptr);
    EXPECT_EQ(rnnrt_call_create(device, nullptr, nullptr, &call), nullptr);
  }
  ~LinalgToHostTest() override {
    compiled.reset();
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  void compile(llvm::StringRef source) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module) << source.str();
    size_t count;
    const rnnrt_abi_symbol_t *table = rnnrt_abi_symbols(&count);
    SmallVector<RuntimeSymbol> symbols;
    for (size_t index = 0; index < count; ++index)
      symbols.push_back({table[index].name, table[index].address});
    JITOptions options;
    options.symbols = symbols;
    auto result = CompiledModule::compile(*module, options);
    ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
    compiled = std::move(*result);
  }

  HostTensor run(llvm::StringRef function, ArrayRef<HostTensor> inputs) {
    rnnrt_call_reset(call);
    auto results = llvm::cantFail(compiled->invoke(function, call, inputs));
    EXPECT_EQ(rnnrt_call_status(call), nullptr) << rnnrt_status_message(rnnrt_call_status(call));
    return std::move(results.front());
  }

  HostTensor makeTensor(ElementKind kind, ArrayRef<int64_t> shape) {
    HostTensor tensor = llvm::cantFail(HostTensor::allocate(kind, shape));
    bool isInteger = kind == ElementKind::I8 || kind == ElementKind::I32 || kind == ElementKind::I64;
    for (int64_t index = 0; index < tensor.getNumElements(); ++index) {
      double value = std::uniform_real_distribution<double>(-1, 1)(random);
      tensor.setFromDouble(index, isInteger ? std::round(value * 9) : value);
    }
    return tensor;
  }

  MLIRContext context;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  std::unique_ptr<CompiledModule> compiled;
  std::mt19937 random{7};
};

/// The rounding unit of a type; 0 for integers.
double getEpsilon(ElementKind kind) {
  switch (kind) {
  case ElementKind::BF16:
    return 0x1p-8;
  case ElementKind::F16:
    return 0x1p-11;
  case ElementKind::F32:
    return 0x1p-24;
  case ElementKind::F64:
    return 0x1p-53;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// c += a b by index letters, as in Einstein notation.
struct Contraction {
  std::string a, b, c;
  Sizes sizes;
  ElementKind in = ElementKind::F32, out = ElementKind::F32;
  bool isDynamic = false;
  bool isZero = false; ///< c is zero, by a linalg.fill
};

std::string getLoops(const Contraction &test) {
  std::string loops;
  for (char letter : test.c + test.a + test.b)
    if (loops.find(letter) == std::string::npos)
      loops += letter;
  return loops;
}

SmallVector<int64_t> getShape(const Contraction &test, llvm::StringRef letters) {
  SmallVector<int64_t> shape;
  for (char letter : letters)
    shape.push_back(test.sizes.at(letter));
  return shape;
}

std::string getType(const Contraction &test, llvm::StringRef letters, ElementKind kind) {
  std::string text = "tensor<";
  for (int64_t size : getShape(test, letters))
    text += (test.isDynamic ? "?" : std::to_string(size)) + "x";
  return text + stringifyElementKind(kind).str() + ">";
}

std::string getFunction(const Contraction &test, llvm::StringRef name) {
  auto list = [](llvm::StringRef letters) {
    SmallVector<std::string> names;
    for (char letter : letters)
      names.push_back(std::string(1, letter));
    return llvm::join(names, ", ");
  };
  std::string loops = getLoops(test);
  auto map = [&](llvm::StringRef letters) { return "affine_map<(" + list(loops) + ") -> (" + list(letters) + ")>"; };
  std::string iterators;
  for (char letter : loops)
    iterators += std::string(iterators.empty() ? "" : ", ") +
                 (test.c.find(letter) == std::string::npos ? "\"reduction\"" : "\"parallel\"");
  std::string in = stringifyElementKind(test.in).str(), out = stringifyElementKind(test.out).str();
  std::string body = "    %p = arith.mulf %x, %y : " + out + "\n";
  if (test.in != test.out)
    body = formatv("    %u = arith.extf %x : {0} to {1}\n    %v = arith.extf %y : {0} to {1}\n"
                   "    %p = arith.mulf %u, %v : {1}\n",
                   in, out)
               .str();
  if (getEpsilon(test.out) == 0)
    body = "    %p = arith.muli %x, %y : " + out + "\n";
  std::string add = getEpsilon(test.out) == 0 ? "addi" : "addf";
  std::string fill;
  if (test.isZero)
    fill = formatv("  %zero = arith.constant 0.0 : {0}\n  %init = linalg.fill ins(%zero : {0}) outs(%c : {1}) -> {1}\n",
                   out, getType(test, test.c, test.out))
               .str();
  return formatv(
             "func.func @{0}(%a: {1}, %b: {2}, %c: {3}) -> {3} {{\n{10}  %r = linalg.generic {{indexing_maps = [{4}, "
             "{5}, {6}], iterator_types = [{7}]}\n      ins(%a, %b : {1}, {2}) outs({11} : {3}) {{\n"
             "  ^bb0(%x: {8}, %y: {8}, %z: {9}):\n",
             name, getType(test, test.a, test.in), getType(test, test.b, test.in), getType(test, test.c, test.out),
             map(test.a), map(test.b), map(test.c), iterators, in, out, fill, test.isZero ? "%init" : "%c")
             .str() +
         body +
         formatv("    %s = arith.{0} %z, %p : {1}\n    linalg.yield %s : {1}\n  } -> {2}\n  return %r : {2}\n}\n", add,
                 out, getType(test, test.c, test.out))
             .str();
}

/// Elements from one iteration of a loop to the next.
int64_t getStride(const Contraction &test, llvm::StringRef letters, char loop) {
  size_t position = letters.find(loop);
  if (position == llvm::StringRef::npos)
    return 0;
  int64_t stride = 1;
  for (char letter : letters.drop_front(position + 1))
    stride *= test.sizes.at(letter);
  return stride;
}

void expectEqual(const Contraction &test, const HostTensor &a, const HostTensor &b, const HostTensor &c,
                 const HostTensor &result) {
  std::string loops = getLoops(test);
  std::vector<double> sums(c.getNumElements()), magnitudes(c.getNumElements());
  int64_t depth = 1;
  for (char letter : loops)
    if (test.c.find(letter) == std::string::npos)
      depth *= test.sizes.at(letter);
  for (int64_t index = 0; index < c.getNumElements(); ++index)
    sums[index] = test.isZero ? 0 : c.getAsDouble(index), magnitudes[index] = std::abs(sums[index]);
  std::function<void(size_t, int64_t, int64_t, int64_t)> visit = [&](size_t loop, int64_t inA, int64_t inB,
                                                                     int64_t inC) {
    if (loop == loops.size()) {
      double product = a.getAsDouble(inA) * b.getAsDouble(inB);
      sums[inC] += product, magnitudes[inC] += std::abs(product);
      return;
    }
    char letter = loops[loop];
    int64_t strideA = getStride(test, test.a, letter), strideB = getStride(test, test.b, letter);
    int64_t strideC = getStride(test, test.c, letter);
    for (int64_t k = 0; k < test.sizes.at(letter); ++k)
      visit(loop + 1, inA + k * strideA, inB + k * strideB, inC + k * strideC);
  };
  visit(0, 0, 0, 0);
  // Sums are accumulated in f32 at least and rounded once.
  double inner = std::min(getEpsilon(test.out), 0x1p-24), outer = getEpsilon(test.out);
  for (int64_t index = 0; index < c.getNumElements(); ++index) {
    double bound = (depth + 2) * inner * magnitudes[index] + outer * std::abs(sums[index]);
    ASSERT_NEAR(result.getAsDouble(index), sums[index], bound)
        << test.a << "," << test.b << "->" << test.c << " of " << getType(test, test.a, test.in) << ", "
        << getType(test, test.b, test.in) << ": element " << index;
  }
}

class ContractionTest : public LinalgToHostTest {
protected:
  void check(ArrayRef<Contraction> tests) {
    std::string source;
    for (auto [index, test] : llvm::enumerate(tests))
      source += getFunction(test, "f" + std::to_string(index));
    compile(source);
    if (HasFatalFailure())
      return;
    for (auto [index, test] : llvm::enumerate(tests)) {
      HostTensor a = makeTensor(test.in, getShape(test, test.a)), b = makeTensor(test.in, getShape(test, test.b));
      HostTensor c = makeTensor(test.out, getShape(test, test.c));
      expectEqual(test, a, b, c, run("f" + std::to_string(index), {a, b, c}));
      if (HasFatalFailure())
        return;
    }
  }
};

/// Operands of a matrix product in every order of their dimensions.
const std::array<const char *, 3> forms[] = {{"mk", "kn", "mn"}, {"km", "kn", "mn"}, {"mk", "nk", "mn"},
                                             {"km", "nk", "mn"}, {"mk", "kn", "nm"}, {"km", "nk", "nm"}};

TEST_F(ContractionTest, EveryTranspositionOfSmallMatrices) {
  std::vector<Contraction> tests;
  for (auto [a, b, c] : forms)
    for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{
             {1, 1, 1}, {3, 5, 7}, {6, 16, 8}, {7, 65, 3}, {13, 33, 17}, {1, 40, 9}, {40, 1, 9}})
      for (bool isDynamic : {false, true})
        tests.push_back({a, b, c, {{'m', m}, {'n', n}, {'k', k}}, ElementKind::F32, ElementKind::F32, isDynamic});
  check(tests);
}

TEST_F(ContractionTest, EveryTranspositionOfLargeMatrices) {
  std::vector<Contraction> tests;
  for (auto [a, b, c] : forms)
    for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{
             {100, 70, 300}, {128, 128, 128}, {97, 260, 530}, {500, 63, 128}, {8, 500, 300}})
      for (bool isDynamic : {false, true})
        tests.push_back(
            {a, b, c, {{'m', m}, {'n', n}, {'k', k}}, ElementKind::F32, ElementKind::F32, isDynamic, isDynamic});
  check(tests);
}

TEST_F(ContractionTest, ElementTypes) {
  using Kind = ElementKind;
  std::vector<Contraction> tests;
  for (auto [in, out] : std::vector<std::pair<Kind, Kind>>{{Kind::F64, Kind::F64},
                                                           {Kind::F32, Kind::F64},
                                                           {Kind::F16, Kind::F32},
                                                           {Kind::BF16, Kind::F32},
                                                           {Kind::F16, Kind::F16},
                                                           {Kind::BF16, Kind::BF16},
                                                           {Kind::I32, Kind::I32},
                                                           {Kind::I64, Kind::I64}})
    for (auto [a, b, c] : forms)
      for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{5, 19, 30}, {101, 66, 150}})
        tests.push_back({a, b, c, {{'m', m}, {'n', n}, {'k', k}}, in, out, m == 5});
  check(tests);
}

TEST_F(ContractionTest, BatchesAndSeveralDimensions) {
  std::vector<Contraction> tests;
  for (bool isDynamic : {false, true})
    for (auto [a, b, c] : std::vector<std::array<const char *, 3>>{{"zmk", "zkn", "zmn"},
                                                                   {"zkm", "zkn", "zmn"},
                                                                   {"zmk", "znk", "zmn"},
                                                                   {"tbk", "kn", "tbn"},
                                                                   {"tbk", "tbn", "kn"},
                                                                   {"tbn", "kn", "tbk"},
                                                                   {"mzk", "zkn", "mzn"},
                                                                   {"ztk", "zbk", "ztb"},
                                                                   {"mtk", "tkn", "mn"},
                                                                   {"mkt", "tkn", "nm"},
                                                                   {"yzmk", "yznk", "yzmn"}}) {
      Sizes sizes;
      for (char letter : std::string(a) + b)
        sizes[letter] =
            std::map<char, int64_t>{{'z', 5}, {'y', 2}, {'t', 9}, {'b', 8}, {'m', 50}, {'n', 70}, {'k', 60}}.at(letter);
      tests.push_back({a, b, c, sizes, ElementKind::F32, ElementKind::F32, isDynamic, isDynamic});
    }
  check(tests);
}

TEST_F(ContractionTest, Vectors) {
  std::vector<Contraction> tests;
  for (bool isDynamic : {false, true})
    for (auto [a, b, c] : std::vector<std::array<const char *, 3>>{{"mk", "k", "m"},
                                                                   {"km", "k", "m"},
                                                                   {"k", "kn", "n"},
                                                                   {"k", "nk", "n"},
                                                                   {"k", "k", ""},
                                                                   {"m", "n", "mn"},
                                                                   {"zk", "zk", "z"}})
      for (int64_t size : {7, 64, 333}) {
        Sizes sizes;
        for (char letter : std::string(a) + b)
          sizes[letter] = letter == 'k' ? size : size / 2 + 3;
        tests.push_back({a, b, c, sizes, ElementKind::F32, ElementKind::F32, isDynamic});
      }
  check(tests);
}

TEST_F(ContractionTest, NoElements) {
  std::vector<Contraction> tests;
  for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{0, 4, 4}, {4, 0, 4}, {4, 4, 0}, {100, 100, 0}})
    for (bool isDynamic : {false, true})
      tests.push_back(
          {"mk", "kn", "mn", {{'m', m}, {'n', n}, {'k', k}}, ElementKind::F32, ElementKind::F32, isDynamic});
  check(tests);
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

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

TEST_F(LoopsTest, TransposedInput) {
  std::string text = R"(
    func.func @main(%argument: tensor<ROWSxCOLSxf32>) -> tensor<?x?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %x = tensor.cast %argument : tensor<ROWSxCOLSxf32> to tensor<?x?xf32>
      %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
      %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
      %empty = tensor.empty(%columns, %rows) : tensor<?x?xf32>
      %r = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) permutation = [1, 0]
      return %r : tensor<?x?xf32>
    })";
  forShapes(text, ElementKind::F32, [&](const HostTensor &x, const HostTensor &y, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        ASSERT_EQ(y.getAsDouble(column * rows + row), x.getAsDouble(row * columns + column));
  });
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
    auto round = [&](float value) {
      HostTensor rounded = llvm::cantFail(HostTensor::allocate(kind, {}));
      rounded.setFromDouble(0, value);
      return static_cast<float>(rounded.getAsDouble(0));
    };
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

//===----------------------------------------------------------------------===//
// Functions of the math dialect
//===----------------------------------------------------------------------===//

/// Distance in units in the last place of the exact result.
double getUlps(double exact, float value) {
  if (std::isnan(exact) || std::isnan(value))
    return std::isnan(exact) && std::isnan(value) ? 0 : INFINITY;
  float rounded = exact;
  if (std::isinf(rounded) || std::isinf(value))
    return rounded == value ? 0 : INFINITY;
  int exponent = std::max(rounded == 0 ? -126 : std::ilogb(rounded), -126);
  return std::abs(exact - value) / std::ldexp(1.0, exponent - 23);
}

struct MathFunction {
  const char *name;
  double (*exact)(double);
  double low, high; ///< the inputs that are compared, besides special values
  double ulps;
};

class MathTest : public LinalgToHostTest, public ::testing::WithParamInterface<MathFunction> {};

TEST_P(MathTest, IsAccurate) {
  MathFunction f = GetParam();
  const int64_t count = 200000;
  compile(formatv(R"(
    func.func @main(%x: tensor<{0}xf32>) -> tensor<{0}xf32> {{
      %y = math.{1} %x : tensor<{0}xf32>
      return %y : tensor<{0}xf32>
    })",
                  count, f.name)
              .str());
  if (HasFatalFailure())
    return;
  HostTensor x = makeTensor(ElementKind::F32, {count});
  for (int64_t index = 0; index < count; ++index)
    x.setFromDouble(index, f.low + (f.high - f.low) * index / (count - 1));
  // Small values of both signs, and special ones.
  for (int64_t index = 0; index < 2000; ++index) {
    double small = std::ldexp(index % 2 && f.low < 0 ? -1 : 1, -static_cast<int>(index / 20)) * (1 + index % 20 / 20.0);
    if (small >= f.low && small <= f.high)
      x.setFromDouble(index, small);
  }
  double special[] = {0.0, INFINITY, NAN, f.low < 0 || f.exact(-1) != f.exact(-1) ? -INFINITY : 1};
  for (auto [index, value] : llvm::enumerate(special))
    x.setFromDouble(2000 + index, value);
  HostTensor y = run("main", {x});
  double worst = 0, where = 0;
  for (int64_t index = 0; index < count; ++index) {
    double ulps = getUlps(f.exact(x.getAsDouble(index)), y.getAsDouble(index));
    if (ulps > worst)
      worst = ulps, where = x.getAsDouble(index);
  }
  RecordProperty("ulps", std::to_string(worst));
  EXPECT_LE(worst, f.ulps) << f.name << " at " << where;
}

INSTANTIATE_TEST_SUITE_P(
    F32, MathTest,
    ::testing::Values(MathFunction{"exp", std::exp, -110, 95, 3}, MathFunction{"exp2", std::exp2, -155, 135, 2},
                      MathFunction{"expm1", std::expm1, -20, 95, 2}, MathFunction{"log", std::log, 1e-30, 100, 2},
                      MathFunction{"log2", std::log2, 1e-30, 100, 2}, MathFunction{"log10", std::log10, 1e-30, 100, 2},
                      MathFunction{"log1p", std::log1p, -0.999, 100, 2}, MathFunction{"tanh", std::tanh, -12, 12, 3},
                      MathFunction{"erf", std::erf, -5, 5, 4}, MathFunction{"erfc", std::erfc, -5, 5, 3},
                      MathFunction{"sin", std::sin, -100, 100, 2}, MathFunction{"cos", std::cos, -100, 100, 2},
                      MathFunction{"tan", std::tan, -1.5, 1.5, 2}, MathFunction{"atan", std::atan, -50, 50, 2},
                      MathFunction{"asin", std::asin, -1, 1, 2}, MathFunction{"acos", std::acos, -1, 1, 2},
                      MathFunction{"sinh", std::sinh, -80, 80, 2}, MathFunction{"cosh", std::cosh, -80, 80, 2},
                      MathFunction{"sqrt", std::sqrt, 0, 100, 2},
                      MathFunction{"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1e-30, 100, 2}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
