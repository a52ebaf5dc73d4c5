// CompareTest.cpp - comparisons that must succeed, and those that must fail.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn/Support/Compare.h"
#include "TestSupport.h"

using namespace mlir::rnn;
using namespace support_test;

namespace {

std::string compare(ElementKind kind, llvm::ArrayRef<double> got, llvm::ArrayRef<double> expected,
                    const CompareOptions &options = {}) {
  int64_t size = got.size();
  return messageOf(
      compareTensors("result 0", makeTensor(kind, {size}, got), makeTensor(kind, {size}, expected), options));
}

bool passes(double got, double expected, const CompareOptions &options = {}) {
  return compare(ElementKind::F64, {got}, {expected}, options).empty();
}

TEST(CompareTest, EqualTensorsOfEveryKind) {
  for (ElementKind kind : allKinds) {
    EXPECT_EQ(compare(kind, {0, 1, 1}, {0, 1, 1}), "") << stringifyElementKind(kind).str();
    EXPECT_NE(compare(kind, {0, 1, 1}, {0, 1, 0}), "") << stringifyElementKind(kind).str();
    EXPECT_EQ(compare(kind, {}, {}), "");
  }
}

TEST(CompareTest, TheMessage) {
  HostTensor got = makeTensor(ElementKind::F32, {2, 3}, {1, 2.5, 3, 4, 5, 7});
  HostTensor expected = makeTensor(ElementKind::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(
      messageOf(compareTensors("result 1", got, expected, {0.25, 0.0})),
      "result 1: 2 of 6 elements (2x3xf32) differ by more than 0.25 + 0 * |expected|; the worst is at [1, 2]: got 7, "
      "expected 6, absolute error 1, relative error 0.166667; got has 0 NaN and 0 infinities, expected has 0 and 0");
  EXPECT_EQ(
      compare(ElementKind::I8, {3}, {0}),
      "result 0: 1 of 1 elements (1xi8) differ by more than 0 + 0 * |expected|; the worst is at [0]: got 3, expected "
      "0, absolute error 3, relative error inf");
  EXPECT_EQ(compare(ElementKind::F64, {notANumber, infinity, 1}, {1, infinity, notANumber}),
            "result 0: 2 of 3 elements (3xf64) differ by more than 0 + 0 * |expected|; the worst is at [0]: got nan, "
            "expected 1, absolute error nan, relative error nan; got has 1 NaN and 1 infinities, expected has 1 and 1");
}

TEST(CompareTest, OneUlpIsADifferenceWithoutTolerance) {
  EXPECT_FALSE(passes(std::nextafter(1.0, 2.0), 1.0));
  EXPECT_FALSE(passes(5e-324, 0.0));
  EXPECT_TRUE(passes(0.0, -0.0));
  // The smallest step of 16 bits.
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16}) {
    HostTensor got = makeTensor(kind, {1}, {1}), expected = makeTensor(kind, {1}, {1});
    got.getDataAs<uint16_t>()[0] ^= 1;
    EXPECT_NE(messageOf(compareTensors("x", got, expected, {})), "");
  }
}

TEST(CompareTest, TolerancesAreInclusiveAndNotMore) {
  EXPECT_TRUE(passes(1.5, 1.0, {0.5, 0}));
  EXPECT_FALSE(passes(std::nextafter(1.5, 2.0), 1.0, {0.5, 0}));
  EXPECT_TRUE(passes(-3.0, -2.0, {0, 0.5}));
  EXPECT_FALSE(passes(std::nextafter(-3.0, -4.0), -2.0, {0, 0.5}));
  EXPECT_TRUE(passes(3.5, 2.0, {0.5, 0.5}));
  EXPECT_FALSE(passes(3.75, 2.0, {0.5, 0.5}));
  // The relative tolerance scales with the expected value, not with the actual one.
  EXPECT_TRUE(passes(1.0, 2.0, {0, 0.5}));
  EXPECT_FALSE(passes(2.0, 1.0, {0, 0.5}));
  EXPECT_FALSE(passes(1e-30, 0.0, {0, 0.5}));
  // The sign is part of the value.
  EXPECT_FALSE(passes(-1.0, 1.0, {0.5, 0.5}));
}

TEST(CompareTest, NoToleranceCoversNaNAndInfinity) {
  CompareOptions wide{1e300, 1e300};
  EXPECT_TRUE(passes(notANumber, notANumber));
  EXPECT_TRUE(passes(infinity, infinity));
  EXPECT_TRUE(passes(-infinity, -infinity));
  for (double number : {0.0, 1.0, 1e308}) {
    EXPECT_FALSE(passes(notANumber, number, wide));
    EXPECT_FALSE(passes(number, notANumber, wide));
    EXPECT_FALSE(passes(infinity, number, wide));
    EXPECT_FALSE(passes(number, infinity, wide));
    EXPECT_FALSE(passes(number, -infinity, wide));
  }
  EXPECT_FALSE(passes(infinity, -infinity, wide));
  EXPECT_FALSE(passes(notANumber, infinity, wide));
  EXPECT_FALSE(passes(infinity, notANumber, wide));
}

TEST(CompareTest, AnInfinityIsWorseThanAnyNumber) {
  std::string message = compare(ElementKind::F32, {100, infinity, 200}, {0, 0, 0});
  EXPECT_NE(message.find("3 of 3"), std::string::npos) << message;
  EXPECT_NE(message.find("worst is at [1]"), std::string::npos) << message;
  message = compare(ElementKind::F32, {100, notANumber, 200}, {0, 0, 0});
  EXPECT_NE(message.find("worst is at [1]"), std::string::npos) << message;
}

TEST(CompareTest, LargeIntegersAreExact) {
  int64_t large = (int64_t(1) << 53) + 1, most = std::numeric_limits<int64_t>::max();
  HostTensor got = makeTensor(ElementKind::I64, {1}, {0}), expected = makeTensor(ElementKind::I64, {1}, {0});
  auto differ = [&](int64_t gotValue, int64_t expectedValue, CompareOptions options = {}) {
    got.setFromInteger(0, gotValue);
    expected.setFromInteger(0, expectedValue);
    return !messageOf(compareTensors("x", got, expected, options)).empty();
  };
  EXPECT_TRUE(differ(large, large - 1)); // equal as doubles
  EXPECT_TRUE(differ(most, most - 1));
  EXPECT_TRUE(differ(most, -most - 1, {1e18, 0})); // the difference overflows 64 bits
  EXPECT_FALSE(differ(most, most));
  EXPECT_FALSE(differ(10, 8, {2, 0}));
  EXPECT_TRUE(differ(11, 8, {2, 0}));
}

TEST(CompareTest, TypeAndShapeAreCompared) {
  HostTensor matrix = makeTensor(ElementKind::F32, {2, 1}, {1, 2});
  EXPECT_EQ(messageOf(compareTensors("x", makeTensor(ElementKind::F32, {1, 2}, {1, 2}), matrix, {})),
            "x: expected 2x1xf32, but got 1x2xf32");
  EXPECT_EQ(messageOf(compareTensors("x", makeTensor(ElementKind::F64, {2, 1}, {1, 2}), matrix, {})),
            "x: expected 2x1xf32, but got 2x1xf64");
  EXPECT_EQ(
      messageOf(compareTensors("x", makeTensor(ElementKind::F32, {}, {1}), makeTensor(ElementKind::F32, {1}, {1}), {})),
      "x: expected 1xf32, but got f32");
  EXPECT_EQ(messageOf(compareTensors("x", makeTensor(ElementKind::F32, {0, 2}, {}),
                                     makeTensor(ElementKind::F32, {2, 0}, {}), {})),
            "x: expected 2x0xf32, but got 0x2xf32");
}

TEST(CompareTest, InvalidTolerances) {
  for (double bad : {-1.0, notANumber, infinity}) {
    EXPECT_FALSE(passes(1.0, 1.0, {bad, 0}));
    EXPECT_FALSE(passes(1.0, 1.0, {0, bad}));
  }
  std::string message = compare(ElementKind::F32, {1}, {1}, {-1, 0});
  EXPECT_NE(message.find("expected tolerances that are finite and not negative, but got atol = -1"), std::string::npos)
      << message;
}

TEST(CompareTest, TensorsWithoutMemory) {
  HostTensor none(ElementKind::F32, {2}, nullptr), some = makeTensor(ElementKind::F32, {2}, {1, 2});
  EXPECT_NE(messageOf(compareTensors("x", none, some, {})), "");
  EXPECT_NE(messageOf(compareTensors("x", some, none, {})), "");
  EXPECT_NE(messageOf(compareTensors("x", none, none, {})), "");
}

} // namespace
