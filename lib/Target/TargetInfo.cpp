//===- TargetInfo.cpp - the table of targets ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/TargetInfo.h"

using namespace mlir::rnn;

static constexpr llvm::StringLiteral names[] = {"host", "cuda", "simt"};

llvm::ArrayRef<llvm::StringLiteral> TargetInfo::getNames() { return names; }

std::optional<TargetInfo> TargetInfo::get(llvm::StringRef name) {
  if (name == "host")
    return TargetInfo(names[0], /*runtimePlans=*/true, /*blockPlans=*/true);
  if (name == "cuda")
    return TargetInfo(names[1], /*runtimePlans=*/true, /*blockPlans=*/false);
  if (name == "simt")
    return TargetInfo(names[2], /*runtimePlans=*/true, /*blockPlans=*/true);
  return std::nullopt;
}

bool TargetInfo::hasClusters(llvm::StringRef chip) const {
  unsigned capability = 0;
  return name == "simt" ||
         (name == "cuda" && chip.consume_front("sm_") && !chip.consumeInteger(10, capability) && capability >= 90);
}
