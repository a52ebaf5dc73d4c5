//===- TargetInfoTest.cpp - names of GPUs -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/TargetInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include "gtest/gtest.h"

using namespace mlir::rnn;

TEST(TargetInfo, ComputeCapabilities) {
  EXPECT_EQ(parseComputeCapability("sm_80"), 80u);
  EXPECT_EQ(parseComputeCapability("sm_90a"), 90u);
  EXPECT_EQ(parseComputeCapability("sm_121f"), 121u);
  for (const char *wrong : {"", "sm_", "sm_75", "sm_12", "sm90a", "sm_90b", "sm_90aa", "foo", "sm_80 ", "SM_80"})
    EXPECT_EQ(parseComputeCapability(wrong), std::nullopt) << wrong;
}

TEST(TargetInfo, ChipsAreThoseOfLLVM) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargetMCs();
  std::string error;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    GTEST_SKIP() << error;
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  std::vector<std::string> expected, actual;
  for (const llvm::SubtargetSubTypeKV &processor : info->getAllProcessorDescriptions()) {
    llvm::StringRef digits = processor.Key;
    unsigned capability = 0;
    if (digits.consume_front("sm_") && !digits.consumeInteger(10, capability) && capability >= 80)
      expected.push_back(processor.Key);
  }
  for (llvm::StringRef chip : getChips())
    actual.push_back(chip.str());
  std::sort(expected.begin(), expected.end());
  std::sort(actual.begin(), actual.end());
  EXPECT_EQ(actual, expected);
}
