//===- TilesTest.cpp - panels that fit the sizes of a layer ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/Tiles.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

struct TilesTest : public testing::Test {
  /// The columns of a panel for a layer with I inputs and H units.
  int64_t fit(Type element, HostVectors vectors, int64_t I, int64_t H) {
    Tiles tiles(element, vectors);
    tiles.fitPanel(H, {I, H});
    EXPECT_EQ(tiles.panel, tiles.lanes * tiles.vectors);
    return tiles.panel;
  }
  HostVectors avx512(BF16Gemm gemm = BF16Gemm::VNNI) {
    HostVectors vectors;
    vectors.bits = 512, vectors.registers = 32, vectors.bf16Gemm = gemm;
    return vectors;
  }

  MLIRContext context;
  Builder b{&context};
};

TEST_F(TilesTest, WidePanelsOfWholeSizes) {
  for (int64_t H : {64, 128, 256, 1024})
    EXPECT_EQ(fit(b.getF32Type(), avx512(), H, H), 64);
  // Padding of a few percent.
  EXPECT_EQ(fit(b.getF32Type(), avx512(), 1000, 1000), 64);
  EXPECT_EQ(fit(b.getF32Type(), avx512(), 500, 500), 64);
}

TEST_F(TilesTest, NarrowPanelsOfSmallSizes) {
  EXPECT_EQ(fit(b.getF32Type(), avx512(), 16, 16), 16);
  EXPECT_EQ(fit(b.getF32Type(), avx512(), 5, 7), 16);
  EXPECT_EQ(fit(b.getF32Type(), avx512(), 48, 48), 16);
  EXPECT_EQ(fit(b.getF32Type(), avx512(), 32, 32), 32);
  EXPECT_EQ(fit(b.getF32Type(), avx512(), 96, 96), 32);
  // Few inputs of many units.
  EXPECT_EQ(fit(b.getF32Type(), avx512(), 3, 64), 32);
  EXPECT_EQ(fit(b.getF32Type(), avx512(), 3, 1024), 64);
  EXPECT_EQ(fit(b.getF64Type(), avx512(), 16, 16), 16);
  EXPECT_EQ(fit(b.getF16Type(), avx512(), 16, 16), 16);
}

/// Narrow panels are as fast as wide ones.
TEST_F(TilesTest, OneFMAUnit) {
  HostVectors vectors = avx512();
  vectors.fmaUnits = 1;
  for (int64_t H : {64, 128, 512, 1000})
    EXPECT_EQ(fit(b.getF32Type(), vectors, H, H), 64);
  for (int64_t H : {7, 16, 72, 100, 112, 200, 300})
    EXPECT_EQ(fit(b.getF32Type(), vectors, H, H), 16);
  for (int64_t H : {32, 96, 224})
    EXPECT_EQ(fit(b.getF32Type(), vectors, H, H), 32);
  // That was not measured for dot products.
  vectors.bf16Gemm = BF16Gemm::AVX512;
  EXPECT_EQ(fit(b.getBF16Type(), vectors, 112, 112), 64);
}

TEST_F(TilesTest, BF16) {
  for (BF16Gemm gemm : {BF16Gemm::VNNI, BF16Gemm::Dot, BF16Gemm::AVX512, BF16Gemm::F32})
    EXPECT_EQ(fit(b.getBF16Type(), avx512(gemm), 16, 16), 16);
  // Dot products lose more in narrow panels.
  EXPECT_EQ(fit(b.getBF16Type(), avx512(BF16Gemm::VNNI), 48, 48), 16);
  EXPECT_EQ(fit(b.getBF16Type(), avx512(BF16Gemm::AVX512), 48, 48), 64);
  EXPECT_EQ(fit(b.getBF16Type(), avx512(BF16Gemm::F32), 80, 80), 16);
  EXPECT_EQ(fit(b.getBF16Type(), avx512(BF16Gemm::AVX512), 80, 80), 32);
  EXPECT_EQ(fit(b.getBF16Type(), avx512(BF16Gemm::F32), 112, 112), 64);
  EXPECT_EQ(fit(b.getBF16Type(), avx512(BF16Gemm::AVX512), 112, 112), 64);
  // A panel of AMX is as wide as its tiles.
  EXPECT_EQ(fit(b.getBF16Type(), avx512(BF16Gemm::AMX), 16, 16), Tiles::amxPanel);
}

TEST_F(TilesTest, OtherVectors) {
  HostVectors avx2;
  for (int64_t H : {7, 16, 32, 1024})
    EXPECT_EQ(fit(b.getF32Type(), avx2, H, H), 16);
  HostVectors half = avx512();
  half.bits = 256;
  EXPECT_EQ(fit(b.getF32Type(), half, 16, 16), 16);
  EXPECT_EQ(fit(b.getF32Type(), half, 128, 128), 32);
}

} // namespace
