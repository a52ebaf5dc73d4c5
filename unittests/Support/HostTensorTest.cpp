// HostTensorTest.cpp - sizes, memory and element conversion.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

using namespace mlir::rnn;
using namespace support_test;

namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();
constexpr int64_t least = std::numeric_limits<int64_t>::min();

TEST(HostTensorTest, NamesOfKindsReadBack) {
  for (ElementKind kind : allKinds)
    EXPECT_EQ(symbolizeElementKind(stringifyElementKind(kind)), kind);
  EXPECT_EQ(stringifyElementKind(ElementKind::BF16), "bf16");
  EXPECT_EQ(symbolizeElementKind("f8"), std::nullopt);
  EXPECT_EQ(symbolizeElementKind(""), std::nullopt);
}

TEST(HostTensorTest, NumBytes) {
  EXPECT_EQ(getNumBytes({}, ElementKind::F64), 8);
  EXPECT_EQ(getNumBytes({2, 3}, ElementKind::BF16), 12);
  EXPECT_EQ(getNumBytes({0, 3}, ElementKind::F32), 0);
  EXPECT_EQ(getNumBytes({most}, ElementKind::I8), most);
  EXPECT_EQ(getNumBytes({most}, ElementKind::I16), std::nullopt);
  EXPECT_EQ(getNumBytes({int64_t(1) << 32, int64_t(1) << 32}, ElementKind::I8), std::nullopt);
  EXPECT_EQ(getNumBytes({-1}, ElementKind::I8), std::nullopt);
  // Sizes before and after a zero must be valid too.
  EXPECT_EQ(getNumBytes({0, -1}, ElementKind::I8), std::nullopt);
  EXPECT_EQ(getNumBytes({most, most, 0}, ElementKind::I8), std::nullopt);
  EXPECT_EQ(getNumBytes({0, most, most}, ElementKind::I8), std::nullopt);
}

TEST(HostTensorTest, MemoryIsZeroAndAligned) {
  HostTensor tensor = valueOf(HostTensor::allocate(ElementKind::F32, {3, 5}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.getData()) % 64, 0u);
  EXPECT_EQ(tensor.getNumBytes(), 60);
  for (int64_t index = 0; index < 15; ++index)
    EXPECT_EQ(tensor.getAsDouble(index), 0.0);
  EXPECT_NE(valueOf(HostTensor::allocate(ElementKind::F32, {0})).getData(), nullptr);
}

TEST(HostTensorTest, ImpossibleAllocations) {
  EXPECT_EQ(errorOf(HostTensor::allocate(ElementKind::F32, {most, 2})),
            "a tensor 9223372036854775807x2xf32 has more bytes than 63 bits can count");
  EXPECT_EQ(errorOf(HostTensor::allocate(ElementKind::I8, {most})),
            "a tensor 9223372036854775807xi8 has more bytes than 63 bits can count");
  EXPECT_EQ(errorOf(HostTensor::allocate(ElementKind::F32, {-1})),
            "a tensor -1xf32 has more bytes than 63 bits can count");
  EXPECT_EQ(errorOf(HostTensor::allocate(ElementKind::I8, {int64_t(1) << 60})),
            "no memory for a tensor 1152921504606846976xi8 of 1152921504606846976 bytes");
}

TEST(HostTensorTest, CopiesShareMemory) {
  HostTensor one = makeTensor(ElementKind::I32, {2}, {1, 2});
  HostTensor other = one;
  other.setFromInteger(1, 7);
  EXPECT_EQ(one.getAsInteger(1), 7);
}

TEST(HostTensorTest, EveryKindHoldsItsValues) {
  for (ElementKind kind : allKinds) {
    SCOPED_TRACE(stringifyElementKind(kind).str());
    HostTensor tensor = makeTensor(kind, {3}, {1, 0, 1});
    EXPECT_EQ(tensor.getAsDouble(0), 1.0);
    EXPECT_EQ(tensor.getAsInteger(1), 0);
    EXPECT_EQ(tensor.getAsInteger(2), 1);
    if (kind == ElementKind::I1)
      continue;
    tensor.setFromInteger(1, -100);
    EXPECT_EQ(tensor.getAsInteger(1), -100);
    EXPECT_EQ(tensor.getAsDouble(1), -100.0);
    // The neighbours are untouched.
    EXPECT_EQ(tensor.getAsInteger(0), 1);
    EXPECT_EQ(tensor.getAsInteger(2), 1);
  }
}

TEST(HostTensorTest, HalvesRoundToNearestEven) {
  HostTensor half = makeTensor(ElementKind::F16, {5}, {2049, 2051, 65519, 65520, notANumber});
  EXPECT_EQ(half.getAsDouble(0), 2048.0);
  EXPECT_EQ(half.getAsDouble(1), 2052.0);
  EXPECT_EQ(half.getAsDouble(2), 65504.0);
  EXPECT_EQ(half.getAsDouble(3), infinity);
  EXPECT_TRUE(std::isnan(half.getAsDouble(4)));
  HostTensor brain = makeTensor(ElementKind::BF16, {3}, {257, 259, -1.5});
  EXPECT_EQ(brain.getAsDouble(0), 256.0);
  EXPECT_EQ(brain.getAsDouble(1), 260.0);
  EXPECT_EQ(brain.getDataAs<uint16_t>()[2], 0xbfc0);
}

TEST(HostTensorTest, IntegersSaturateAndTruncate) {
  HostTensor tensor = makeTensor(ElementKind::I64, {6}, {1e300, -infinity, notANumber, -2.9, 0x1p63, -0x1p63});
  EXPECT_EQ(tensor.getAsInteger(0), most);
  EXPECT_EQ(tensor.getAsInteger(1), least);
  EXPECT_EQ(tensor.getAsInteger(2), 0);
  EXPECT_EQ(tensor.getAsInteger(3), -2);
  EXPECT_EQ(tensor.getAsInteger(4), most);
  EXPECT_EQ(tensor.getAsInteger(5), least);
  EXPECT_EQ(makeTensor(ElementKind::F64, {1}, {1e300}).getAsInteger(0), most);
}

TEST(HostTensorTest, TypeStrings) {
  EXPECT_EQ(makeTensor(ElementKind::F32, {1, 2}, {1, 2}).getTypeString(), "1x2xf32");
  EXPECT_EQ(makeTensor(ElementKind::Index, {}, {1}).getTypeString(), "index");
}

} // namespace
