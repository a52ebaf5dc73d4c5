// PrecisionTest.cpp - errors of f16, bf16 and f32 results against f64 on the same rounded operands. The thresholds are
// based on measurements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include "host/Convert.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace rnntest;

namespace {

/// Copies values between element types; NaN stays NaN.
void copyInto(Tensors &target, const Tensors &source) {
  for (auto &[name, tensor] : target)
    tensor.set(source.at(name).values());
}

struct Row {
  const char *line;
  /// The result, and its largest allowed error relative to its largest element.
  std::map<std::string, double> thresholds;
};

class PrecisionTest : public testing::TestWithParam<int> {
public:
  static const std::vector<Row> rows;
};

TEST_P(PrecisionTest, AgainstF64) {
  const Row &row = rows[size_t(GetParam())];
  const Case c(row.line);
  Session session;
  Problem narrow(session, c), wide(session, c.with("dtype", "f64"));
  copyInto(wide.operands, narrow.operands);
  copyInto(wide.seeds, narrow.seeds);
  narrow.forward();
  wide.forward();
  std::map<std::string, double> errors;
  for (auto &[name, tensor] : narrow.outputs)
    errors[name] = relativeError(tensor.values(), wide.outputs.at(name).values());
  // The gradient of the block op reads the rounded results of the forward pass, and so does the reference.
  if (c.isBlock())
    copyInto(wide.outputs, narrow.outputs);
  narrow.backward();
  wide.backward();
  ASSERT_EQ(session.message(), "") << repeat(c);
  for (auto &[name, tensor] : narrow.gradients)
    errors[name] = relativeError(tensor.values(), wide.gradients.at(name).values());

  // RNN_PRINT_ERRORS=1 prints the lines of the table below.
  if (std::getenv("RNN_PRINT_ERRORS")) {
    std::string text = std::string("    // ") + row.line + ":";
    for (auto &[name, error] : errors) {
      char number[64];
      std::snprintf(number, sizeof(number), " %s %.1e", name.c_str(), error);
      text += number;
    }
    std::printf("%s\n", text.c_str());
  }
  ASSERT_EQ(errors.size(), row.thresholds.size()) << repeat(c);
  for (auto &[name, error] : errors)
    EXPECT_LE(error, row.thresholds.at(name)) << "result " << name << repeat(c);
}

// f16 and bf16 results are computed in f32 and rounded once, so that the error is about half a unit in the last place
// of the largest element. Rounding twice exceeds the threshold.
constexpr double onceF16 = 0x1p-11 + 2e-6, onceBf16 = 0x1p-8 + 2e-6;

// Weights are U(-1/sqrt(H), 1/sqrt(H)), so that the recurrence does not amplify errors. f32 thresholds are twice the
// larger measurement of the instruction sets baseline and avx2.
const std::vector<Row> PrecisionTest::rows = {
    // measured: y 1.7e-07, hn 1.6e-07, dx 2.1e-07, dh0 2.0e-07, dparams 2.7e-07
    {"rnn_relu l2_t16_b8_i32_h32_d2 weight_scale=0.18 dtype=f32",
     {{"y", 4e-7}, {"hn", 4e-7}, {"dx", 5e-7}, {"dh0", 4e-7}, {"dparams", 6e-7}}},
    // measured: y 4.9e-07, hn 4.0e-07, dx 3.3e-07, dh0 3.1e-07, dparams 4.0e-07
    {"rnn_tanh l2_t16_b8_i64_h64_d2 weight_scale=0.125 dtype=f32",
     {{"y", 1e-6}, {"hn", 8e-7}, {"dx", 7e-7}, {"dh0", 7e-7}, {"dparams", 8e-7}}},
    // measured: y 2.8e-07, hn 2.1e-07, cn 1.9e-07, dx 6.7e-07, dh0 9.1e-07, dc0 3.0e-07, dparams 4.4e-07
    {"lstm l2_t16_b8_i64_h128_d2 weight_scale=0.09 dtype=f32",
     {{"y", 6e-7}, {"hn", 5e-7}, {"cn", 4e-7}, {"dx", 2e-6}, {"dh0", 2e-6}, {"dc0", 6e-7}, {"dparams", 9e-7}}},
    // measured: y 4.6e-07, hn 1.0e-07, cn 1.5e-07, dx 3.2e-07, dh0 2.3e-07, dc0 7.6e-08, dparams 2.9e-07
    {"lstm l2_t16_b8_i64_h96_d2 num_proj=48 lengths=16,0,7,16,1,12,15,3 dropout=0.25 weight_scale=0.1 dtype=f32",
     {{"y", 1e-6}, {"hn", 2e-7}, {"cn", 3e-7}, {"dx", 7e-7}, {"dh0", 5e-7}, {"dc0", 2e-7}, {"dparams", 6e-7}}},
    // measured: y 2.5e-07, hn 2.9e-07, dx 3.9e-07, dh0 1.7e-07, dparams 5.9e-07
    {"gru l2_t16_b8_i64_h128_d2 weight_scale=0.09 dtype=f32",
     {{"y", 5e-7}, {"hn", 6e-7}, {"dx", 8e-7}, {"dh0", 4e-7}, {"dparams", 2e-6}}},
    // measured: i 1.9e-07, cs 2.5e-07, f 1.9e-07, o 1.7e-07, ci 4.6e-07, co 3.6e-07, h 3.6e-07, dx 8.9e-07,
    // dcs_prev 2.1e-07, dh_prev 6.7e-07, dw 7.2e-07, dwci 6.0e-07, dwcf 6.9e-07, dwco 7.7e-07, db 6.0e-07
    {"block_lstm l1_t32_b16_i128_h128_d1 layout=icfo peephole=1 forget_bias=1 cell_clip=3 weight_scale=0.09 dtype=f32",
     {{"i", 4e-7},
      {"cs", 5e-7},
      {"f", 4e-7},
      {"o", 4e-7},
      {"ci", 1e-6},
      {"co", 8e-7},
      {"h", 8e-7},
      {"dx", 2e-6},
      {"dcs_prev", 5e-7},
      {"dh_prev", 2e-6},
      {"dw", 2e-6},
      {"dwci", 2e-6},
      {"dwcf", 2e-6},
      {"dwco", 2e-6},
      {"db", 2e-6}}},
    // measured: i 1.7e-07, cs 2.7e-07, f 1.7e-07, o 1.7e-07, ci 4.6e-07, co 3.0e-07, h 2.7e-07, dx 6.8e-07,
    // dcs_prev 1.5e-07, dh_prev 8.3e-07, dw 6.3e-07, dwci 0.0e+00, dwcf 0.0e+00, dwco 0.0e+00, db 9.1e-07
    {"block_lstm l1_t32_b16_i128_h128_d1 layout=ifco n=20 weight_scale=0.09 dtype=f32",
     {{"i", 4e-7},
      {"cs", 6e-7},
      {"f", 4e-7},
      {"o", 4e-7},
      {"ci", 1e-6},
      {"co", 6e-7},
      {"h", 6e-7},
      {"dx", 2e-6},
      {"dcs_prev", 3e-7},
      {"dh_prev", 2e-6},
      {"dw", 2e-6},
      {"dwci", 0},
      {"dwcf", 0},
      {"dwco", 0},
      {"db", 2e-6}}},
    // measured: y 3.1e-04, hn 4.4e-04, dx 3.3e-04, dh0 2.5e-04, dparams 2.6e-04
    {"rnn_relu l2_t16_b8_i32_h32_d2 weight_scale=0.18 dtype=f16",
     {{"y", onceF16}, {"hn", onceF16}, {"dx", onceF16}, {"dh0", onceF16}, {"dparams", onceF16}}},
    // measured: y 2.7e-04, hn 2.8e-04, dx 3.0e-04, dh0 4.2e-04, dparams 2.7e-04
    {"rnn_tanh l2_t16_b8_i64_h64_d2 weight_scale=0.125 dtype=f16",
     {{"y", onceF16}, {"hn", onceF16}, {"dx", onceF16}, {"dh0", onceF16}, {"dparams", onceF16}}},
    // measured: y 3.3e-04, hn 2.2e-04, cn 3.4e-04, dx 3.5e-04, dh0 3.7e-04, dc0 2.6e-04, dparams 2.7e-04
    {"lstm l2_t16_b8_i64_h128_d2 weight_scale=0.09 dtype=f16",
     {{"y", onceF16},
      {"hn", onceF16},
      {"cn", onceF16},
      {"dx", onceF16},
      {"dh0", onceF16},
      {"dc0", onceF16},
      {"dparams", onceF16}}},
    // measured: y 3.1e-04, hn 7.4e-05, cn 2.8e-04, dx 2.8e-04, dh0 1.2e-04, dc0 2.4e-04, dparams 1.8e-04
    {"lstm l2_t16_b8_i64_h96_d2 num_proj=48 lengths=16,0,7,16,1,12,15,3 dropout=0.25 weight_scale=0.1 dtype=f16",
     {{"y", onceF16},
      {"hn", onceF16},
      {"cn", onceF16},
      {"dx", onceF16},
      {"dh0", onceF16},
      {"dc0", onceF16},
      {"dparams", onceF16}}},
    // measured: y 3.4e-04, hn 2.2e-04, dx 3.2e-04, dh0 3.3e-04, dparams 3.3e-04
    {"gru l2_t16_b8_i64_h128_d2 weight_scale=0.09 dtype=f16",
     {{"y", onceF16}, {"hn", onceF16}, {"dx", onceF16}, {"dh0", onceF16}, {"dparams", onceF16}}},
    // measured: i 3.1e-04, cs 3.9e-04, f 2.6e-04, o 3.0e-04, ci 2.6e-04, co 2.9e-04, h 2.3e-04, dx 3.7e-04,
    // dcs_prev 4.2e-04, dh_prev 2.7e-04, dw 3.0e-04, dwci 3.1e-04, dwcf 3.1e-04, dwco 2.7e-04, db 4.0e-04
    {"block_lstm l1_t32_b16_i128_h128_d1 layout=icfo peephole=1 forget_bias=1 cell_clip=3 weight_scale=0.09 dtype=f16",
     {{"i", onceF16},
      {"cs", onceF16},
      {"f", onceF16},
      {"o", onceF16},
      {"ci", onceF16},
      {"co", onceF16},
      {"h", onceF16},
      {"dx", onceF16},
      {"dcs_prev", onceF16},
      {"dh_prev", onceF16},
      {"dw", onceF16},
      {"dwci", onceF16},
      {"dwcf", onceF16},
      {"dwco", onceF16},
      {"db", onceF16}}},
    // measured: i 3.1e-04, cs 2.7e-04, f 3.0e-04, o 3.0e-04, ci 2.7e-04, co 3.4e-04, h 3.7e-04, dx 2.5e-04,
    // dcs_prev 3.6e-04, dh_prev 3.5e-04, dw 2.7e-04, dwci 0.0e+00, dwcf 0.0e+00, dwco 0.0e+00, db 3.5e-04
    {"block_lstm l1_t32_b16_i128_h128_d1 layout=ifco n=20 weight_scale=0.09 dtype=f16",
     {{"i", onceF16},
      {"cs", onceF16},
      {"f", onceF16},
      {"o", onceF16},
      {"ci", onceF16},
      {"co", onceF16},
      {"h", onceF16},
      {"dx", onceF16},
      {"dcs_prev", onceF16},
      {"dh_prev", onceF16},
      {"dw", onceF16},
      {"dwci", 0},
      {"dwcf", 0},
      {"dwco", 0},
      {"db", onceF16}}},
    // measured: y 2.1e-03, hn 3.4e-03, dx 3.4e-03, dh0 2.0e-03, dparams 1.8e-03
    {"rnn_relu l2_t16_b8_i32_h32_d2 weight_scale=0.18 dtype=bf16",
     {{"y", onceBf16}, {"hn", onceBf16}, {"dx", onceBf16}, {"dh0", onceBf16}, {"dparams", onceBf16}}},
    // measured: y 2.2e-03, hn 2.2e-03, dx 2.4e-03, dh0 2.6e-03, dparams 1.8e-03
    {"rnn_tanh l2_t16_b8_i64_h64_d2 weight_scale=0.125 dtype=bf16",
     {{"y", onceBf16}, {"hn", onceBf16}, {"dx", onceBf16}, {"dh0", onceBf16}, {"dparams", onceBf16}}},
    // measured: y 2.5e-03, hn 1.8e-03, cn 2.8e-03, dx 2.9e-03, dh0 2.9e-03, dc0 1.9e-03, dparams 2.6e-03
    {"lstm l2_t16_b8_i64_h128_d2 weight_scale=0.09 dtype=bf16",
     {{"y", onceBf16},
      {"hn", onceBf16},
      {"cn", onceBf16},
      {"dx", onceBf16},
      {"dh0", onceBf16},
      {"dc0", onceBf16},
      {"dparams", onceBf16}}},
    // measured: y 2.5e-03, hn 5.5e-04, cn 2.3e-03, dx 1.4e-03, dh0 9.7e-04, dc0 1.9e-03, dparams 2.8e-03
    {"lstm l2_t16_b8_i64_h96_d2 num_proj=48 lengths=16,0,7,16,1,12,15,3 dropout=0.25 weight_scale=0.1 dtype=bf16",
     {{"y", onceBf16},
      {"hn", onceBf16},
      {"cn", onceBf16},
      {"dx", onceBf16},
      {"dh0", onceBf16},
      {"dc0", onceBf16},
      {"dparams", onceBf16}}},
    // measured: y 2.7e-03, hn 1.8e-03, dx 2.5e-03, dh0 2.3e-03, dparams 2.8e-03
    {"gru l2_t16_b8_i64_h128_d2 weight_scale=0.09 dtype=bf16",
     {{"y", onceBf16}, {"hn", onceBf16}, {"dx", onceBf16}, {"dh0", onceBf16}, {"dparams", onceBf16}}},
    // measured: i 2.5e-03, cs 3.0e-03, f 2.1e-03, o 2.4e-03, ci 2.1e-03, co 2.3e-03, h 3.5e-03, dx 3.0e-03,
    // dcs_prev 3.3e-03, dh_prev 2.1e-03, dw 2.4e-03, dwci 2.3e-03, dwcf 2.6e-03, dwco 2.4e-03, db 2.7e-03
    {"block_lstm l1_t32_b16_i128_h128_d1 layout=icfo peephole=1 forget_bias=1 cell_clip=3 weight_scale=0.09 dtype=bf16",
     {{"i", onceBf16},
      {"cs", onceBf16},
      {"f", onceBf16},
      {"o", onceBf16},
      {"ci", onceBf16},
      {"co", onceBf16},
      {"h", onceBf16},
      {"dx", onceBf16},
      {"dcs_prev", onceBf16},
      {"dh_prev", onceBf16},
      {"dw", onceBf16},
      {"dwci", onceBf16},
      {"dwcf", onceBf16},
      {"dwco", onceBf16},
      {"db", onceBf16}}},
    // measured: i 2.5e-03, cs 2.2e-03, f 2.4e-03, o 2.4e-03, ci 2.2e-03, co 2.7e-03, h 1.9e-03, dx 2.0e-03,
    // dcs_prev 3.2e-03, dh_prev 2.8e-03, dw 2.1e-03, dwci 0.0e+00, dwcf 0.0e+00, dwco 0.0e+00, db 2.7e-03
    {"block_lstm l1_t32_b16_i128_h128_d1 layout=ifco n=20 weight_scale=0.09 dtype=bf16",
     {{"i", onceBf16},
      {"cs", onceBf16},
      {"f", onceBf16},
      {"o", onceBf16},
      {"ci", onceBf16},
      {"co", onceBf16},
      {"h", onceBf16},
      {"dx", onceBf16},
      {"dcs_prev", onceBf16},
      {"dh_prev", onceBf16},
      {"dw", onceBf16},
      {"dwci", 0},
      {"dwcf", 0},
      {"dwco", 0},
      {"db", onceBf16}}},
};

INSTANTIATE_TEST_SUITE_P(Types, PrecisionTest, testing::Range(0, int(PrecisionTest::rows.size())),
                         [](const testing::TestParamInfo<int> &info) {
                           return nameOf({PrecisionTest::rows[size_t(info.param)].line, 0});
                         });

//===-- The number formats ---------------------------------------------------------------------------------------===//

/// The value of a half, computed from its fields by the definition of binary16.
double f16ByDefinition(uint16_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return mantissa ? std::nan("") : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24));
}

TEST(NumberFormatTest, EveryHalf) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const double expected = f16ByDefinition(uint16_t(bits));
    const float value = rnnrt::f16ToFloat(uint16_t(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(f16ByDefinition(rnnrt::floatToF16(value)))) << bits;
      continue;
    }
    ASSERT_EQ(double(value), expected) << bits;
    ASSERT_EQ(rnnrt::floatToF16(value), bits);
  }
}

/// Rounding between two adjacent values: to nearest, ties to even.
TEST(NumberFormatTest, HalvesRoundToNearestEven) {
  for (int bits = 0; bits < 0x7bff; ++bits) {
    const double low = f16ByDefinition(uint16_t(bits)), high = f16ByDefinition(uint16_t(bits + 1));
    const float middle = float((low + high) / 2);
    ASSERT_EQ(rnnrt::floatToF16(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(rnnrt::floatToF16(std::nextafter(middle, 1e9f)), bits + 1);
    ASSERT_EQ(rnnrt::floatToF16(middle), bits + (bits & 1));
    ASSERT_EQ(rnnrt::floatToF16(-middle), 0x8000 + bits + (bits & 1));
  }
  EXPECT_EQ(rnnrt::floatToF16(65519.99f), 0x7bff);
  EXPECT_EQ(rnnrt::floatToF16(65520.0f), 0x7c00);
  EXPECT_EQ(rnnrt::floatToF16(1e30f), 0x7c00);
  EXPECT_EQ(rnnrt::floatToF16(-INFINITY), 0xfc00);
  EXPECT_EQ(rnnrt::floatToF16(1e-30f), 0);
}

TEST(NumberFormatTest, EveryBf16) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const float value = rnnrt::bf16ToFloat(uint16_t(bits));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(rnnrt::bf16ToFloat(rnnrt::floatToBf16(value)))) << bits;
      continue;
    }
    ASSERT_EQ(rnnrt::floatToBf16(value), bits);
    if ((bits & 0x7fff) >= 0x7f00)
      continue; // the next value is infinite
    const double middle = (double(value) + double(rnnrt::bf16ToFloat(uint16_t(bits + 1)))) / 2;
    ASSERT_EQ(rnnrt::floatToBf16(float(middle)), bits + (bits & 1)) << bits;
    ASSERT_EQ(rnnrt::floatToBf16(std::nextafter(float(middle), 0.0f)), bits) << bits;
  }
}

} // namespace
