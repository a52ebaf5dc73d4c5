//===- TargetInfo.cpp - what a target and its libraries can do ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/TargetInfo.h"

using namespace mlir::rnn;

std::optional<unsigned> mlir::rnn::parseComputeCapability(llvm::StringRef chip) {
  unsigned capability = 0;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, capability) || chip.size() > 1)
    return std::nullopt;
  return capability;
}

bool TargetInfo::hasClusters() const {
  return kind == TargetKind::Simt ||
         (kind == TargetKind::Cuda && parseComputeCapability(chip).value_or(0) >= 90);
}
