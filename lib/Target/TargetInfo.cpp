//===- TargetInfo.cpp - the table of targets ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/TargetInfo.h"

using namespace mlir::rnn;

static constexpr llvm::StringLiteral names[] = {"host"};

llvm::ArrayRef<llvm::StringLiteral> TargetInfo::getNames() { return names; }

std::optional<TargetInfo> TargetInfo::get(llvm::StringRef name) {
  if (name == "host")
    return TargetInfo(names[0], /*runtimePlans=*/true, /*fusedKernels=*/false);
  return std::nullopt;
}
