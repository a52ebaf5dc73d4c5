//===- TargetInfo.cpp - capabilities of a target and its libraries -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::rnn;

// The processors of LLVM's NVPTX target (NVPTX.td) that have all instructions of the generated kernels, cp.async among
// them. LLVM ends the process if it gets another name.
static constexpr llvm::StringLiteral chips[] = {
    "sm_80",   "sm_86",  "sm_87",   "sm_88",   "sm_89",  "sm_90",   "sm_90a",  "sm_100", "sm_100a",
    "sm_100f", "sm_101", "sm_101a", "sm_101f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a",
    "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"};

llvm::ArrayRef<llvm::StringLiteral> mlir::rnn::getChips() {
  return chips;
}

std::optional<unsigned> mlir::rnn::parseComputeCapability(llvm::StringRef chip) {
  unsigned capability = 0;
  if (!llvm::is_contained(chips, chip) || !chip.consume_front("sm_") || chip.consumeInteger(10, capability))
    return std::nullopt;
  return capability;
}

bool TargetInfo::hasClusters() const {
  return kind == TargetKind::Simt || (kind == TargetKind::Cuda && parseComputeCapability(chip).value_or(0) >= 90);
}
