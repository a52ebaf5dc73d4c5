//===- LinalgMathTest.cpp - compiled functions of the math dialect --------===//
//
// The reference computes in f64.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToHostTest.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>
#include <random>

using namespace mlir;
using namespace mlir::rnn;
using llvm::formatv;

namespace {

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

class LinalgMathTest : public LinalgToHostTest {
public:
  /// Compiles @main, a function of the math dialect on `count` elements.
  void compileUnary(const char *name, int64_t count, const char *type = "f32") {
    compile(formatv(R"(
      func.func @main(%x: tensor<{0}x{2}>) -> tensor<{0}x{2}> {{
        %y = math.{1} %x : tensor<{0}x{2}>
        return %y : tensor<{0}x{2}>
      })",
                    count, name, type)
                .str());
  }
};

struct MathFunction {
  const char *name;
  double (*exact)(double);
  double low = 0, high = 0; ///< the inputs that are compared, besides special values
  double ulps = 0;
};

/// Functions that are computed on scalars, in tensors and alone.
struct ScalarFunction {
  const char *name;
  double (*exact)(double);
};

class ScalarMathTest : public LinalgToHostTest, public ::testing::WithParamInterface<ScalarFunction> {};

TEST_P(ScalarMathTest, IsAccurate) {
  ScalarFunction f = GetParam();
  const int64_t count = 37;
  for (ElementKind kind : {ElementKind::F64, ElementKind::F32, ElementKind::BF16})
    for (const char *shape : {"37x", ""}) {
      compile(formatv(R"(
        func.func @main(%x: tensor<{0}>) -> tensor<{0}> {{
          %y = math.{1} %x : tensor<{0}>
          return %y : tensor<{0}>
        })",
                      shape + stringifyElementKind(kind).str(), f.name)
                  .str());
      if (HasFatalFailure())
        return;
      const double epsilon = kind == ElementKind::F64 ? 0x1p-51 : kind == ElementKind::F32 ? 0x1p-21 : 0x1p-8;
      const int64_t length = *shape ? count : 1;
      HostTensor x = makeTensor(kind, *shape ? SmallVector<int64_t>{count} : SmallVector<int64_t>{});
      for (int64_t first = 0; first < count; first += length) {
        for (int64_t k = 0; k < length; ++k) {
          // From 2^-30 to 2^6, beyond the domain of atanh and acosh.
          x.setFromDouble(k, std::ldexp(1.25, static_cast<int>(first + k) - 30));
        }
        HostTensor y = run("main", {x});
        for (int64_t k = 0; k < length; ++k) {
          const double input = x.getAsDouble(k), exact = f.exact(input), value = y.getAsDouble(k);
          if (std::isnan(exact))
            EXPECT_TRUE(std::isnan(value)) << f.name << " of " << input;
          else if (std::abs(exact) > 1e-38)
            EXPECT_NEAR(value / exact, 1, epsilon) << f.name << " of " << input;
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, ScalarMathTest,
                         ::testing::Values(ScalarFunction{"acosh", std::acosh}, ScalarFunction{"asinh", std::asinh},
                                           ScalarFunction{"atanh", std::atanh}, ScalarFunction{"cbrt", std::cbrt},
                                           ScalarFunction{"erf", std::erf}, ScalarFunction{"erfc", std::erfc},
                                           ScalarFunction{"expm1", std::expm1}, ScalarFunction{"log1p", std::log1p}),
                         [](const auto &info) { return std::string(info.param.name); });

class MathTest : public LinalgMathTest, public ::testing::WithParamInterface<MathFunction> {};

TEST_P(MathTest, IsAccurate) {
  MathFunction f = GetParam();
  const int64_t count = 200000;
  compileUnary(f.name, count);
  if (HasFatalFailure())
    return;
  HostTensor x = makeTensor(ElementKind::F32, {count});
  for (int64_t index = 0; index < count; ++index)
    x.setFromDouble(index, f.low + (f.high - f.low) * index / (count - 1));
  // Small values of both signs, down to the smallest denormal, and special ones.
  const int64_t smallValues = 3000;
  for (int64_t index = 0; index < smallValues; ++index) {
    double small = std::ldexp(index % 2 && f.low < 0 ? -1 : 1, -static_cast<int>(index / 20)) * (1 + index % 20 / 20.0);
    if (small >= f.low && small <= f.high)
      x.setFromDouble(index, small);
  }
  double special[] = {0.0, -0.0, INFINITY, NAN, f.low < 0 || f.exact(-1) != f.exact(-1) ? -INFINITY : 1};
  for (auto [index, value] : llvm::enumerate(special))
    x.setFromDouble(smallValues + index, value);
  HostTensor y = run("main", {x});
  double worst = 0, where = 0;
  for (int64_t index = 0; index < count; ++index) {
    const double input = x.getAsDouble(index), exact = f.exact(input), value = y.getAsDouble(index);
    if (input == 0)
      EXPECT_EQ(std::signbit(value), std::signbit(exact)) << f.name << " of " << input;
    double ulps = getUlps(exact, value);
    if (ulps > worst)
      worst = ulps, where = input;
  }
  RecordProperty("ulps", std::to_string(worst));
  EXPECT_LE(worst, f.ulps) << f.name << " at " << where;
}

INSTANTIATE_TEST_SUITE_P(
    F32, MathTest,
    ::testing::Values(MathFunction{"exp", std::exp, -110, 95, 3}, MathFunction{"exp2", std::exp2, -155, 135, 2},
                      MathFunction{"expm1", std::expm1, -20, 95, 2}, MathFunction{"log", std::log, 1e-45, 100, 2},
                      MathFunction{"log2", std::log2, 1e-45, 100, 2}, MathFunction{"log10", std::log10, 1e-45, 100, 2},
                      MathFunction{"log1p", std::log1p, -0.999, 100, 2}, MathFunction{"tanh", std::tanh, -12, 12, 3},
                      MathFunction{"erf", std::erf, -5, 5, 4}, MathFunction{"erfc", std::erfc, -5, 5, 3},
                      MathFunction{"sin", std::sin, -100, 100, 0.52}, MathFunction{"cos", std::cos, -100, 100, 0.52},
                      MathFunction{"tan", std::tan, -1.5, 1.5, 0.52}, MathFunction{"atan", std::atan, -50, 50, 0.52},
                      MathFunction{"asin", std::asin, -1, 1, 0.52}, MathFunction{"acos", std::acos, -1, 1, 0.52},
                      MathFunction{"cbrt", std::cbrt, -100, 100, 0.52}, MathFunction{"sinh", std::sinh, -80, 80, 2},
                      MathFunction{"cosh", std::cosh, -80, 80, 2}, MathFunction{"sqrt", std::sqrt, 0, 100, 2},
                      MathFunction{"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1e-45, 100, 2}),
    [](const auto &info) { return std::string(info.param.name); });

/// Functions of f64 vectors, with the reference in long double.
struct LongFunction {
  const char *name;
  long double (*exact)(long double);
  double low; ///< of the inputs
  double ulps;
};

class LongMathTest : public LinalgMathTest, public ::testing::WithParamInterface<LongFunction> {};

TEST_P(LongMathTest, IsAccurate) {
  if (std::numeric_limits<long double>::digits < 64)
    GTEST_SKIP() << "long double is not longer than double";
  LongFunction f = GetParam();
  const int64_t count = 100003;
  compileUnary(f.name, count, "f64");
  if (HasFatalFailure())
    return;
  HostTensor x = makeTensor(ElementKind::F64, {count});
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> exponents(-1074, 1023.9), nearOne(-0.5, 0.5);
  for (int64_t k = 0; k < count; ++k) {
    // Numbers of every magnitude, numbers around 1, where log vanishes, and numbers around 0.
    double value = k % 3 == 0   ? std::exp2(exponents(engine))
                   : k % 3 == 1 ? 1 + nearOne(engine)
                                : std::exp2(exponents(engine) / 32);
    x.setFromDouble(k, k % 2 && -value > f.low ? -value : value);
  }
  const double special[] = {0.0,
                            -0.0,
                            1,
                            -1,
                            -2,
                            INFINITY,
                            -INFINITY,
                            NAN,
                            0x1p-1074,
                            0x1p-1022,
                            -0x1p-1074,
                            0x1.fffffffffffffp1023,
                            0x1.fffffffffffffp-1,
                            0x1.0000000000001p0,
                            -0x1.fffffffffffffp-1,
                            0x1p-53,
                            -0x1p-54,
                            709.7,
                            709.8,
                            -745};
  for (auto [k, value] : llvm::enumerate(special))
    x.setFromDouble(k, value);
  HostTensor y = run("main", {x});
  double worst = 0, where = 0;
  for (int64_t k = 0; k < count; ++k) {
    const double input = x.getAsDouble(k), value = y.getAsDouble(k);
    const long double exact = f.exact(input);
    const double rounded = exact;
    if (std::isnan(rounded) || std::isinf(rounded)) {
      EXPECT_TRUE(std::isnan(rounded) ? std::isnan(value) : value == rounded)
          << f.name << " of " << input << ": " << value;
      continue;
    }
    if (input == 0)
      EXPECT_EQ(std::signbit(value), std::signbit(rounded)) << f.name << " of " << input;
    const int exponent = std::max(rounded == 0 ? -1022 : std::ilogb(rounded), -1022);
    const double ulps = std::abs(exact - value) / std::ldexp(1.0L, exponent - 52);
    if (!(ulps <= worst))
      worst = ulps, where = input;
  }
  RecordProperty("ulps", std::to_string(worst));
  EXPECT_LE(worst, f.ulps) << f.name << " at " << where;
}

INSTANTIATE_TEST_SUITE_P(F64, LongMathTest,
                         ::testing::Values(LongFunction{"log", std::log, 0, 1},
                                           LongFunction{"log1p", std::log1p, -1, 1},
                                           LongFunction{"expm1", std::expm1, -INFINITY, 2}),
                         [](const auto &info) { return std::string(info.param.name); });

// Angles of every magnitude, among them those beyond 2^28, which the C library computes, beside others.
TEST_F(LinalgMathTest, LargeAngles) {
  for (MathFunction f : {MathFunction{"sin", std::sin}, MathFunction{"cos", std::cos}, MathFunction{"tan", std::tan}}) {
    const int64_t count = 20011;
    compileUnary(f.name, count);
    HostTensor x = makeTensor(ElementKind::F32, {count});
    for (int64_t k = 0; k < count; ++k)
      x.setFromDouble(k, std::ldexp(1 + k % 1009 / 1009.0, static_cast<int>(k * 7 % 276) - 148) * (k % 2 ? -1 : 1));
    // The multiples of pi / 2 that f32 is closest to, and infinities and NaN between other angles.
    const double special[] = {1.5707964, 3.1415927, 4.712389, 6.2831855, 16367173.0 * 0x1p49, INFINITY, -INFINITY, NAN};
    for (auto [k, value] : llvm::enumerate(special))
      x.setFromDouble(11 * k, value);
    HostTensor y = run("main", {x});
    for (int64_t k = 0; k < count; ++k) {
      const double input = x.getAsDouble(k);
      EXPECT_LE(getUlps(f.exact(input), y.getAsDouble(k)), 1) << f.name << " of " << input;
    }
  }
}

// An element does not depend on the others of its vector, although one of them may take another path.
TEST_F(LinalgMathTest, ElementsAreIndependent) {
  const int64_t count = 64;
  compileUnary("sin", count);
  HostTensor alone = makeTensor(ElementKind::F32, {count}), mixed = makeTensor(ElementKind::F32, {count});
  for (int64_t k = 0; k < count; ++k) {
    alone.setFromDouble(k, 0.37 * k);
    mixed.setFromDouble(k, k % 16 == 5 ? 1e30 : 0.37 * k);
  }
  HostTensor expected = run("main", {alone}), result = run("main", {mixed});
  for (int64_t k = 0; k < count; ++k)
    if (k % 16 != 5)
      EXPECT_EQ(result.getAsDouble(k), expected.getAsDouble(k)) << k;
}

struct BinaryFunction {
  const char *name;
  double (*exact)(double, double);
};

class BinaryMathTest : public LinalgMathTest, public ::testing::WithParamInterface<BinaryFunction> {};

// All pairs of values of every kind.
TEST_P(BinaryMathTest, IsAccurate) {
  BinaryFunction f = GetParam();
  std::vector<double> values = {0,
                                1,
                                2,
                                3,
                                0.5,
                                2.5,
                                1e-3,
                                0x1p-149,
                                0x1p-126,
                                0x1.fffffep127,
                                16777215,
                                16777216,
                                0x1.fffffep-1,
                                0x1.000002p0,
                                0x1.6a09e6p-1,
                                0x1.6a09e8p-1,
                                0.41421357,
                                INFINITY,
                                NAN};
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> exponents(-149, 128), small(-8, 8);
  for (int k = 0; k < 200; ++k)
    values.push_back(float(std::exp2(k % 2 ? exponents(engine) : small(engine))));
  const int64_t half = values.size();
  for (int64_t k = 0; k < half; ++k)
    values.push_back(-values[k]);
  const int64_t count = values.size();
  compile(formatv(R"(
    func.func @main(%x: tensor<{0}xf32>, %y: tensor<{0}xf32>) -> tensor<{0}xf32> {{
      %z = math.{1} %x, %y : tensor<{0}xf32>
      return %z : tensor<{0}xf32>
    })",
                  count * count, f.name)
              .str());
  if (HasFatalFailure())
    return;
  HostTensor x = makeTensor(ElementKind::F32, {count * count}), y = makeTensor(ElementKind::F32, {count * count});
  for (int64_t k = 0; k < count * count; ++k) {
    x.setFromDouble(k, values[k / count]);
    y.setFromDouble(k, values[k % count]);
  }
  HostTensor z = run("main", {x, y});
  for (int64_t k = 0; k < count * count; ++k) {
    const double left = x.getAsDouble(k), right = y.getAsDouble(k), exact = f.exact(left, right);
    const double value = z.getAsDouble(k);
    ASSERT_LE(getUlps(exact, value), 0.52) << f.name << " of " << left << " and " << right;
    if (exact == 0 || value == 0)
      ASSERT_EQ(std::signbit(value), std::signbit(exact)) << f.name << " of " << left << " and " << right;
  }
}

INSTANTIATE_TEST_SUITE_P(F32, BinaryMathTest,
                         ::testing::Values(BinaryFunction{"powf", std::pow}, BinaryFunction{"atan2", std::atan2}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
