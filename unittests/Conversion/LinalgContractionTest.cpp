//===- LinalgContractionTest.cpp - compiled contractions ------------------===//
//
// Contractions of many forms, shapes and types. The reference computes in f64, one scalar at a time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToHostTest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;
using namespace mlir::rnn;
using llvm::formatv;

namespace {

using Sizes = std::map<char, int64_t>;

/// c += a b in Einstein notation: `a`, `b` and `c` hold one subscript per dimension, such as "mk", "kn" and "mn".
struct Contraction {
  std::string a, b, c;
  Sizes sizes;
  ElementKind in = ElementKind::F32, out = ElementKind::F32;
  bool isDynamic = false;
  bool isZero = false; ///< c is zero, by a linalg.fill
};

std::string getLoops(const Contraction &test) {
  std::string loops;
  for (char subscript : test.c + test.a + test.b)
    if (loops.find(subscript) == std::string::npos)
      loops += subscript;
  return loops;
}

SmallVector<int64_t> getShape(const Contraction &test, llvm::StringRef subscripts) {
  SmallVector<int64_t> shape;
  for (char subscript : subscripts)
    shape.push_back(test.sizes.at(subscript));
  return shape;
}

std::string getType(const Contraction &test, llvm::StringRef subscripts, ElementKind kind) {
  std::string text = "tensor<";
  for (int64_t size : getShape(test, subscripts))
    text += (test.isDynamic ? "?" : std::to_string(size)) + "x";
  return text + stringifyElementKind(kind).str() + ">";
}

std::string getFunction(const Contraction &test, llvm::StringRef name) {
  auto list = [](llvm::StringRef subscripts) {
    SmallVector<std::string> names;
    for (char subscript : subscripts)
      names.push_back(std::string(1, subscript));
    return llvm::join(names, ", ");
  };
  std::string loops = getLoops(test);
  auto map = [&](llvm::StringRef subscripts) {
    return "affine_map<(" + list(loops) + ") -> (" + list(subscripts) + ")>";
  };
  std::string iterators;
  for (char subscript : loops)
    iterators += std::string(iterators.empty() ? "" : ", ") +
                 (test.c.find(subscript) == std::string::npos ? "\"reduction\"" : "\"parallel\"");
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
int64_t getStride(const Contraction &test, llvm::StringRef subscripts, char loop) {
  size_t position = subscripts.find(loop);
  if (position == llvm::StringRef::npos)
    return 0;
  int64_t stride = 1;
  for (char subscript : subscripts.drop_front(position + 1))
    stride *= test.sizes.at(subscript);
  return stride;
}

void expectEqual(const Contraction &test, const HostTensor &a, const HostTensor &b, const HostTensor &c,
                 const HostTensor &result) {
  std::string loops = getLoops(test);
  std::vector<double> sums(c.getNumElements()), magnitudes(c.getNumElements());
  int64_t depth = 1;
  for (char subscript : loops)
    if (test.c.find(subscript) == std::string::npos)
      depth *= test.sizes.at(subscript);
  for (int64_t index = 0; index < c.getNumElements(); ++index)
    sums[index] = test.isZero ? 0 : c.getAsDouble(index), magnitudes[index] = std::abs(sums[index]);
  std::function<void(size_t, int64_t, int64_t, int64_t)> visit = [&](size_t loop, int64_t inA, int64_t inB,
                                                                     int64_t inC) {
    if (loop == loops.size()) {
      double product = a.getAsDouble(inA) * b.getAsDouble(inB);
      sums[inC] += product, magnitudes[inC] += std::abs(product);
      return;
    }
    char subscript = loops[loop];
    int64_t strideA = getStride(test, test.a, subscript), strideB = getStride(test, test.b, subscript);
    int64_t strideC = getStride(test, test.c, subscript);
    for (int64_t k = 0; k < test.sizes.at(subscript); ++k)
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
             {100, 70, 300}, {97, 260, 530}, {500, 63, 128}, {8, 500, 300}, {59, 450, 450}, {450, 59, 450}})
      for (bool isDynamic : {false, true})
        tests.push_back(
            {a, b, c, {{'m', m}, {'n', n}, {'k', k}}, ElementKind::F32, ElementKind::F32, isDynamic, isDynamic});
  check(tests);
}

// Sums that start from zero. Threads divide rows or columns, and pack the other operand for themselves if it is small.
TEST_F(ContractionTest, SumsFromZero) {
  using Kind = ElementKind;
  std::vector<Contraction> tests;
  auto add = [&](ArrayRef<std::array<const char *, 3>> forms, std::array<int64_t, 3> sizes, Kind kind, bool isDynamic) {
    for (auto [a, b, c] : forms)
      tests.push_back({a, b, c, {{'m', sizes[0]}, {'n', sizes[1]}, {'k', sizes[2]}}, kind, kind, isDynamic, true});
  };
  const std::array<const char *, 3> two[] = {forms[0], forms[3]};
  add(forms, {65, 64, 3100}, Kind::F32, false);
  for (bool isDynamic : {false, true})
    for (std::array<int64_t, 3> sizes : {std::array<int64_t, 3>{40, 100, 2000}, {65, 64, 4200}, {66, 70, 4000}})
      add(two, sizes, Kind::F32, isDynamic);
  for (Kind kind : {Kind::F16, Kind::BF16})
    for (std::array<int64_t, 3> sizes : {std::array<int64_t, 3>{130, 70, 300}, {70, 130, 300}})
      add(forms, sizes, kind, false);
  check(tests);
}

// A c with few rows: the right operand is not packed, or in groups of columns. In the forms with the result "nm", c has
// few columns, and its transpose is computed.
TEST_F(ContractionTest, FewRows) {
  using Kind = ElementKind;
  std::vector<Contraction> tests;
  auto add = [&](Kind in, Kind out, std::array<int64_t, 2> right, ArrayRef<int64_t> rows, bool isDynamic = false) {
    for (auto [a, b, c] : forms)
      for (auto [index, m] : llvm::enumerate(rows))
        tests.push_back({a, b, c, {{'m', m}, {'n', right[0]}, {'k', right[1]}}, in, out, isDynamic, index % 2 == 0});
  };
  add(Kind::F32, Kind::F32, {701, 477}, {2, 4, 5, 9, 17});
  add(Kind::F32, Kind::F32, {640, 512}, {3, 8, 16, 41}, /*isDynamic=*/true);
  add(Kind::F64, Kind::F64, {333, 500}, {4});
  // Each of these has at least 65536 multiply-adds. Smaller contractions become vector loops instead of GEMMs.
  add(Kind::F16, Kind::F16, {301, 177}, {3, 30});
  add(Kind::BF16, Kind::BF16, {301, 177}, {2, 3, 4, 5});
  add(Kind::BF16, Kind::F32, {256, 129}, {4, 40}, /*isDynamic=*/true);
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
      for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{5, 19, 30}, {101, 66, 96}, {101, 66, 150}})
        tests.push_back({a, b, c, {{'m', m}, {'n', n}, {'k', k}}, in, out, m == 5});
  tests.push_back({"mk", "kn", "mn", {{'m', 33}, {'n', 300}, {'k', 330}}, Kind::F64, Kind::F64});
  check(tests);
}

TEST_F(ContractionTest, BatchesAndSeveralDimensions) {
  std::vector<Contraction> tests;
  for (auto [kind, isDynamic] : std::vector<std::pair<ElementKind, bool>>{
           {ElementKind::F32, false}, {ElementKind::F32, true}, {ElementKind::BF16, false}})
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
      for (char subscript : std::string(a) + b)
        sizes[subscript] =
            std::map<char, int64_t>{{'z', 5}, {'y', 2}, {'t', 9}, {'b', 8}, {'m', 50}, {'n', 70}, {'k', 60}}.at(
                subscript);
      tests.push_back({a, b, c, sizes, kind, kind, isDynamic, isDynamic});
    }
  check(tests);
}

/// The dimensions of a group are not consecutive in some operands, or an operand has no contiguous dimension.
TEST_F(ContractionTest, CopiedOperands) {
  std::vector<Contraction> tests;
  for (auto [kind, isDynamic] : std::vector<std::pair<ElementKind, bool>>{{ElementKind::F32, false},
                                                                          {ElementKind::F32, true},
                                                                          {ElementKind::F64, false},
                                                                          {ElementKind::F16, false},
                                                                          {ElementKind::BF16, true},
                                                                          {ElementKind::BF16, false}})
    for (auto [a, b, c] : std::vector<std::array<const char *, 3>>{{"tkm", "nk", "tmn"},
                                                                   {"bhtd", "hdn", "btn"},
                                                                   {"bhtd", "btn", "hdn"},
                                                                   {"btn", "hnd", "bhtd"},
                                                                   {"btn", "bhtd", "hnd"},
                                                                   {"bthd", "hnd", "btn"},
                                                                   {"mzk", "zkn", "mnz"},
                                                                   {"mkz", "nkz", "mnz"},
                                                                   {"zhtd", "zhnd", "ztn"},
                                                                   {"dmh", "hnd", "nm"}})
      for (bool isZero : {false, true}) {
        Sizes sizes;
        for (char subscript : std::string(a) + b)
          sizes[subscript] = std::map<char, int64_t>{{'z', 3}, {'h', 4},  {'d', 17}, {'t', 9},
                                                     {'b', 8}, {'m', 50}, {'n', 70}, {'k', 60}}
                                 .at(subscript);
        tests.push_back({a, b, c, sizes, kind, kind, isDynamic, isZero});
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
        for (char subscript : std::string(a) + b)
          sizes[subscript] = subscript == 'k' ? size : size / 2 + 3;
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

} // namespace
