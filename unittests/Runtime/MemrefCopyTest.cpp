// MemrefCopyTest.cpp - copies between strided buffers by the entry memrefCopy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/abi.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace {

/// A descriptor as MLIR lays it out.
template <int Rank> struct Descriptor {
  float *allocated, *aligned;
  int64_t offset, sizes[Rank], strides[Rank];
};

struct Unranked {
  int64_t rank;
  const void *descriptor;
};

TEST(MemrefCopy, StridesAndOffsets) {
  std::vector<float> source(100), target(100, -1);
  std::iota(source.begin(), source.end(), 0.f);
  // A transposed 2x3x4 source, and a target with gaps between rows.
  Descriptor<3> from{source.data(), source.data(), 5, {2, 3, 4}, {1, 2, 6}};
  Descriptor<3> to{target.data(), target.data(), 7, {2, 3, 4}, {40, 10, 1}};
  Unranked a{3, &from}, b{3, &to};
  memrefCopy(sizeof(float), &a, &b);
  int written = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k, ++written)
        EXPECT_EQ(target[7 + 40 * i + 10 * j + k], 5 + i + 2 * j + 6 * k);
  for (float value : target)
    written -= value != -1;
  EXPECT_EQ(written, 0);
}

TEST(MemrefCopy, DenseScalarAndEmpty) {
  std::vector<float> source = {1, 2, 3, 4, 5, 6}, target(6);
  Descriptor<2> from{source.data(), source.data(), 0, {2, 3}, {3, 1}},
      to{target.data(), target.data(), 0, {2, 3}, {3, 1}};
  Unranked a{2, &from}, b{2, &to};
  memrefCopy(sizeof(float), &a, &b);
  EXPECT_EQ(target, source);
  Descriptor<1> one{source.data(), source.data(), 4, {}, {}}, other{target.data(), target.data(), 0, {}, {}};
  Unranked c{0, &one}, d{0, &other};
  memrefCopy(sizeof(float), &c, &d);
  EXPECT_EQ(target[0], 5);
  Descriptor<2> none{nullptr, nullptr, 0, {0, 3}, {3, 1}};
  Unranked e{2, &none};
  memrefCopy(sizeof(float), &e, &e);
}

} // namespace
