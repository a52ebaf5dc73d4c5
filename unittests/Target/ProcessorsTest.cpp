//===- ProcessorsTest.cpp - the processor table and what follows from it -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/Processors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "gtest/gtest.h"

using namespace mlir::rnn;

namespace {

const llvm::Triple x86("x86_64-linux-gnu"), arm("aarch64-linux-gnu");

/// The features that LLVM's x86 processor `name` has.
llvm::StringSet<> featuresOf(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> features;
  llvm::X86::getFeaturesForCPU(name, features);
  // Those of levels such as x86-64-v4 are without the ones that they imply.
  llvm::StringMap<bool> implied;
  for (llvm::StringRef feature : features)
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, implied);
  llvm::StringSet<> set;
  for (llvm::StringRef feature : features)
    set.insert(feature);
  for (const auto &feature : implied)
    set.insert(feature.getKey());
  return set;
}

HostProcessor getX86(llvm::StringRef name, const llvm::StringSet<> &features) {
  return getHostProcessor(x86, name, [&](llvm::StringRef feature) { return features.contains(feature); });
}

HostProcessor getX86(llvm::StringRef name) {
  return getX86(name, featuresOf(name));
}

std::string resolve(llvm::StringRef name, const llvm::StringSet<> &features) {
  return resolveProcessorName(name, [&](llvm::StringRef feature) { return features.contains(feature); }).str();
}

class ProcessorFamilyTest : public ::testing::TestWithParam<ProcessorFamily> {};

TEST_P(ProcessorFamilyTest, AgreesWithLLVM) {
  const ProcessorFamily &family = GetParam();
  for (llvm::StringRef name : llvm::split(family.names, ' ')) {
    SCOPED_TRACE(name.str());
    EXPECT_NE(llvm::X86::parseArchX86(name, /*Only64Bit=*/true), llvm::X86::CK_None);
    llvm::StringSet<> features = featuresOf(name);
    EXPECT_TRUE(features.contains("avx512f"));
    EXPECT_EQ(features.contains("avx512bf16"), family.bf16DotRate > 0);
    EXPECT_EQ(features.contains("amx-bf16"), family.hasAMXBF16);
    EXPECT_EQ(resolve(name, features), name);
  }
}

TEST_P(ProcessorFamilyTest, HasSources) {
  const ProcessorFamily &family = GetParam();
  EXPECT_FALSE(family.sources.empty());
  EXPECT_TRUE(family.fmaUnits == 1 || family.fmaUnits == 2);
  EXPECT_TRUE(family.vectorBits == 256 || family.vectorBits == 512);
  if (family.fmaUnits == 2)
    EXPECT_EQ(family.vectorBits, 512u);
}

TEST_P(ProcessorFamilyTest, Decides) {
  const ProcessorFamily &family = GetParam();
  for (llvm::StringRef name : llvm::split(family.names, ' ')) {
    SCOPED_TRACE(name.str());
    HostProcessor processor = getX86(name);
    EXPECT_EQ(processor.vectorBits, family.vectorBits);
    EXPECT_EQ(processor.maxVectorBits, 512u);
    EXPECT_EQ(processor.blockDepth, family.blockDepth);
    EXPECT_EQ(processor.fmaUnits, family.vectorBits == 512 ? family.fmaUnits : 2);
    EXPECT_EQ(processor.hasAVX512BF16, family.bf16DotRate > 0);
    EXPECT_EQ(processor.hasAMXBF16, family.hasAMXBF16);
    if (family.hasAMXBF16) {
      EXPECT_EQ(processor.bf16Gemm, BF16Gemm::AMX);
      EXPECT_EQ(processor.bf16GemmOneRow, BF16Gemm::AMX);
      continue;
    }
    EXPECT_EQ(processor.bf16Gemm, family.bf16DotRate > 1 ? BF16Gemm::AVX512 : BF16Gemm::VNNI);
    EXPECT_EQ(processor.bf16GemmOneRow, family.bf16DotRate > 0 ? BF16Gemm::AVX512 : BF16Gemm::VNNI);
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, ProcessorFamilyTest, ::testing::ValuesIn(getProcessorFamilies()),
                         [](const auto &info) {
                           std::string name = info.param.names.split(' ').first.str();
                           llvm::replace(name, '-', '_');
                           return name;
                         });

TEST(ProcessorsTest, ListsEachNameOnce) {
  llvm::StringSet<> names;
  for (const ProcessorFamily &family : getProcessorFamilies())
    for (llvm::StringRef name : llvm::split(family.names, ' '))
      EXPECT_TRUE(names.insert(name).second) << name.str();
}

TEST(ProcessorsTest, X86WithoutAVX512) {
  HostProcessor zen3 = getX86("znver3"), nehalem = getX86("nehalem");
  EXPECT_EQ(zen3.vectorBits, 256u);
  EXPECT_EQ(zen3.maxVectorBits, 256u);
  EXPECT_EQ(zen3.vectorRegisters, 16u);
  EXPECT_EQ(zen3.blockDepth, 256u);
  EXPECT_EQ(zen3.bf16Gemm, BF16Gemm::VNNI);
  EXPECT_EQ(nehalem.vectorBits, 128u);
}

TEST(ProcessorsTest, UnlistedProcessorWithAVX512) {
  HostProcessor processor = getX86("haswell", featuresOf("skylake-avx512"));
  EXPECT_EQ(processor.vectorBits, 256u);
  EXPECT_EQ(processor.maxVectorBits, 512u);
  EXPECT_EQ(processor.vectorRegisters, 32u);
}

// Virtual machines report models that lack features of the processor.
TEST(ProcessorsTest, FeaturesContradictTheName) {
  llvm::StringSet<> features = featuresOf("sapphirerapids");
  for (const char *name : {"rocketlake", "icelake-client", "generic", ""}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(resolve(name, features), "sapphirerapids");
    EXPECT_EQ(getX86(name, features).vectorBits, 512u);
    EXPECT_EQ(getX86(name, features).bf16Gemm, BF16Gemm::AMX);
  }
  EXPECT_EQ(resolve("graniterapids", featuresOf("graniterapids")), "graniterapids");
  EXPECT_EQ(resolve("generic", featuresOf("znver5")), "znver4");
  EXPECT_EQ(resolve("generic", featuresOf("znver3")), "generic");
}

// A hypervisor, or a kernel without AMX, may hide the tiles only.
TEST(ProcessorsTest, HiddenTiles) {
  llvm::StringSet<> features = featuresOf("sapphirerapids");
  features.erase("amx-bf16"), features.erase("amx-tile");
  HostProcessor processor = getX86("sapphirerapids", features);
  EXPECT_FALSE(processor.hasAMXBF16);
  EXPECT_EQ(processor.bf16Gemm, BF16Gemm::VNNI);
  EXPECT_EQ(processor.bf16GemmOneRow, BF16Gemm::AVX512);
}

// A hypervisor may hide features of the processor that the name tells.
TEST(ProcessorsTest, HiddenFeatures) {
  HostProcessor processor = getX86("sapphirerapids", featuresOf("haswell"));
  EXPECT_EQ(processor.vectorBits, 256u);
  EXPECT_EQ(processor.maxVectorBits, 256u);
  EXPECT_EQ(processor.vectorRegisters, 16u);
  EXPECT_EQ(processor.bf16GemmOneRow, BF16Gemm::VNNI);
}

TEST(ProcessorsTest, OtherArchitectures) {
  HostProcessor neoverse =
      getHostProcessor(arm, "neoverse-v1", [](llvm::StringRef feature) { return feature == "bf16"; });
  EXPECT_EQ(neoverse.vectorBits, 128u);
  EXPECT_EQ(neoverse.vectorRegisters, 32u);
  EXPECT_EQ(neoverse.bf16Gemm, BF16Gemm::NEON);
  EXPECT_EQ(neoverse.bf16GemmOneRow, BF16Gemm::NEON);
  HostProcessor z = getHostProcessor(llvm::Triple("s390x-linux-gnu"), "z16", [](llvm::StringRef) { return false; });
  EXPECT_EQ(z.bf16Gemm, BF16Gemm::F32);
}

} // namespace
