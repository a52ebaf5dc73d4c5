//===- MathTest.cpp - errors of generated sigmoid and tanh -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledKernel.h"
#include "llvm/TargetParser/Host.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

struct Function {
  Value (HostBuilder::*generated)(Value);
  long double (*reference)(long double);
};

long double sigmoid(long double x) {
  return 1 / (1 + std::exp(-x));
}
long double hyperbolicTangent(long double x) {
  return std::tanh(x);
}

const Function functions[] = {{&HostBuilder::sigmoid, sigmoid}, {&HostBuilder::tanh, hyperbolicTangent}};

/// Results of the generated function for `inputs`; their count must be a multiple of all vector lengths.
std::vector<double> evaluate(const Function &function, ElementKind kind, const HostVectors &vectors,
                             const std::vector<double> &inputs) {
  KernelContext context;
  Tiles tiles(context.getType(kind), vectors);
  Type buffer = context.getBuffer(kind);
  CompiledKernel kernel(context, {buffer, IndexType::get(&context.context)}, tiles,
                        [&](HostBuilder &b, KernelLibrary &, ValueRange arguments) {
                          b.loop(b.index(0), arguments[1], b.tiles.lanes, [&](Value k) {
                            b.store((b.*function.generated)(b.load(arguments[0], k)), arguments[0], k);
                          });
                        });
  HostTensor values = makeTensor(kind, {static_cast<int64_t>(inputs.size())});
  for (size_t k = 0; k < inputs.size(); ++k)
    values.setFromDouble(k, inputs[k]);
  kernel({values, makeIndex(inputs.size())});
  std::vector<double> results;
  for (size_t k = 0; k < inputs.size(); ++k)
    results.push_back(values.getAsDouble(k));
  return results;
}

HostVectors withBits(unsigned bits) {
  HostVectors vectors;
  vectors.bits = bits;
  return vectors;
}

class MathTest : public ::testing::TestWithParam<std::tuple<ElementKind, unsigned>> {};

// Errors in units of the rounding error u of the type (2^-24 for f32, 2^-53 for f64), relative to the result. Each of
// the operations behind the polynomial contributes at most u: the reduction (Cody and Waite, "Software Manual for the
// Elementary Functions", 1980: r is exact to u * ln(2) / 2), the polynomial's last FMA, the multiplication by r, one or
// two FMAs with the scale, the addition and the division. The truncation of the Taylor polynomial is less than u / 4.
// Without FMA instructions a product adds its own rounding. Measured with them: 2.3 for sigmoid, 3.9 for tanh. Denormal
// results are excluded from the relative bound.
constexpr double bound = 6;

TEST_P(MathTest, RelativeErrorIsBounded) {
  auto [kind, bits] = GetParam();
  bool isDouble = kind == ElementKind::F64;
  double unit = isDouble ? 0x1p-53 : 0x1p-24, limit = isDouble ? 700 : 86;
  std::vector<double> inputs;
  for (double x = 0x1p-30; x < limit; x *= 1.00073)
    for (double sign : {-1.0, 1.0})
      inputs.push_back(isDouble ? sign * x : double(float(sign * x)));
  inputs.resize(inputs.size() / 16 * 16);
  for (const Function &function : functions) {
    std::vector<double> results = evaluate(function, kind, withBits(bits), inputs);
    double worst = 0, at = 0;
    for (size_t k = 0; k < inputs.size(); ++k) {
      long double exact = function.reference(inputs[k]);
      double error = std::abs(double((results[k] - exact) / exact)) / unit;
      if (error > worst)
        worst = error, at = inputs[k];
    }
    RecordProperty(function.reference == sigmoid ? "sigmoid" : "tanh", std::to_string(worst));
    EXPECT_LE(worst, bound) << (function.reference == sigmoid ? "sigmoid" : "tanh") << " at " << at;
  }
}

TEST_P(MathTest, LimitsAndNaN) {
  auto [kind, bits] = GetParam();
  double infinity = INFINITY;
  std::vector<double> inputs = {0.0, infinity, -infinity, NAN, 1e30, -1e30, 1e-30, -1e-30, -1000, 1000, -710, 87.5};
  inputs.resize(16);
  std::vector<double> s = evaluate(functions[0], kind, withBits(bits), inputs);
  EXPECT_EQ(s[0], 0.5);
  EXPECT_EQ(s[1], 1);
  EXPECT_EQ(s[2], 0);
  EXPECT_TRUE(std::isnan(s[3]));
  EXPECT_EQ(s[4], 1);
  EXPECT_EQ(s[5], 0);
  EXPECT_EQ(s[8], 0);
  EXPECT_EQ(s[9], 1);
  EXPECT_EQ(s[10], 0);
  EXPECT_EQ(s[11], 1);
  std::vector<double> t = evaluate(functions[1], kind, withBits(bits), inputs);
  EXPECT_EQ(t[0], 0);
  EXPECT_EQ(t[1], 1);
  EXPECT_EQ(t[2], -1);
  EXPECT_TRUE(std::isnan(t[3]));
  EXPECT_EQ(t[5], -1);
  EXPECT_NEAR(t[6], 1e-30, 1e-36);
  EXPECT_NEAR(t[7], -1e-30, 1e-36);
}

INSTANTIATE_TEST_SUITE_P(All, MathTest,
                         ::testing::Combine(::testing::Values(ElementKind::F32, ElementKind::F64),
                                            ::testing::Values(128u, 256u, 512u)),
                         [](const auto &info) {
                           return stringifyElementKind(std::get<0>(info.param)).str() + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

// Cells of bf16 layers with AMX have short polynomials and reciprocals of 14 bits.
TEST(ShortMathTest, RelativeErrorIsBounded) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (!features.lookup("avx512vl"))
    GTEST_SKIP() << "the processor has no AVX-512";
  std::vector<double> inputs = {INFINITY, -INFINITY, NAN, 1e30, -1e30, 100, -100, 0};
  for (double x = 0x1p-20; x < 80; x *= 1.00073)
    for (double sign : {-1.0, 1.0})
      inputs.push_back(float(sign * x));
  inputs.resize(inputs.size() / 16 * 16);
  KernelContext context;
  Type buffer = context.getBuffer(ElementKind::F32);
  for (unsigned bits : {128u, 256u, 512u})
    for (const Function &function : functions) {
      HostVectors vectors = withBits(bits);
      vectors.bf16Gemm = BF16Gemm::AMX;
      CompiledKernel kernel(context, {buffer, IndexType::get(&context.context)},
                            Tiles(context.getType(ElementKind::BF16), vectors),
                            [&](HostBuilder &b, KernelLibrary &, ValueRange arguments) {
                              b.loop(b.index(0), arguments[1], b.tiles.lanes, [&](Value k) {
                                b.store((b.*function.generated)(b.load(arguments[0], k)), arguments[0], k);
                              });
                            });
      HostTensor values = makeTensor(ElementKind::F32, {static_cast<int64_t>(inputs.size())});
      for (size_t k = 0; k < inputs.size(); ++k)
        values.setFromDouble(k, inputs[k]);
      kernel({values, makeIndex(inputs.size())});
      double low = function.reference == sigmoid ? 0 : -1;
      const double limits[] = {1, low, NAN, 1, low, 1, low};
      for (size_t k = 0; k < std::size(limits); ++k)
        if (k != 2)
          EXPECT_NEAR(values.getAsDouble(k), limits[k], 1e-6) << inputs[k];
      EXPECT_TRUE(std::isnan(values.getAsDouble(2)));
      double worst = 0;
      for (size_t k = 7; k < inputs.size(); ++k) {
        long double exact = function.reference(inputs[k]);
        if (exact != 0)
          worst = std::max(worst, std::abs(double((values.getAsDouble(k) - exact) / exact)));
      }
      // The reciprocal, 2^-14. sigmoid: the polynomial, 2.6e-6, and the rounding of the exponent, at most 116 * 2^-24.
      // tanh: the polynomial, 1.5e-5, relative to 1 - 2^(-1/2) in the numerator, where it has half of the weight.
      EXPECT_LE(worst, 0x1p-14 + (function.reference == sigmoid ? 2.6e-6 + 7e-6 : 2.6e-5));
    }
}

// Stores of bf16 round to nearest, ties to even, with and without an instruction.
TEST(RoundingTest, BF16TiesToEven) {
  KernelContext context;
  Type f32 = context.getBuffer(ElementKind::F32), bf16 = context.getBuffer(ElementKind::BF16);
  CompiledKernel kernel(context, {f32, bf16}, Tiles(context.getType(ElementKind::BF16), HostVectors()),
                        [](HostBuilder &b, KernelLibrary &, ValueRange arguments) {
                          b.store(b.load(arguments[0], b.index(0)), arguments[1], b.index(0));
                        });
  const double inputs[] = {1, 1 + 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1p-8 + 0x1p-20, -1 - 0x1p-8, 3.4e38, INFINITY, NAN};
  const double expected[] = {1, 1, 1 + 4 * 0x1p-8, 1 + 2 * 0x1p-8, -1, 3.4e38, INFINITY, NAN};
  HostTensor from = makeTensor(ElementKind::F32, {8}), to = makeTensor(ElementKind::BF16, {8}),
             reference = makeTensor(ElementKind::BF16, {8});
  for (int k = 0; k < 8; ++k) {
    from.setFromDouble(k, inputs[k]);
    reference.setFromDouble(k, expected[k]);
  }
  kernel({from, to});
  for (int k = 0; k < 7; ++k)
    EXPECT_EQ(to.getAsDouble(k), reference.getAsDouble(k)) << inputs[k];
  EXPECT_TRUE(std::isnan(to.getAsDouble(7)));
}

} // namespace
