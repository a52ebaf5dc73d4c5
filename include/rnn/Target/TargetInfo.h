//===- TargetInfo.h - what a target and its libraries can do -*- C++ -*-===//
//
// Facts only: passes ask, and decide themselves. Built once from a name and passed along, so that tests can fake one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_TARGETINFO_H
#define RNN_TARGET_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::rnn {

/// What a target can do. Fused kernels there are for every op on all of them.
class TargetInfo {
public:
  /// The target with this name, or none; `getNames` lists what there is.
  static std::optional<TargetInfo> get(llvm::StringRef name);
  static llvm::ArrayRef<llvm::StringLiteral> getNames();

  llvm::StringRef getName() const { return name; }
  /// True if plans of the runtime library execute the cudnn ops on this target.
  bool hasRuntimePlans() const { return runtimePlans; }
  /// True if plans of the runtime library execute the block LSTM ops on this target. cuDNN has nothing like them.
  bool hasBlockPlans() const { return blockPlans; }
  /// True if a plan may go on with the parameters and the reserve space of a fused kernel, and the other way round. cuDNN's
  /// are its own.
  bool plansShareBuffers() const { return blockPlans; }

  /// Whether the GPU `chip` (as `sm_90a`; the emulator's is not asked for) has clusters of blocks, and launches that begin
  /// before the one in front has ended: compute capability 9.0 or later.
  bool hasClusters(llvm::StringRef chip) const;

private:
  TargetInfo(llvm::StringRef name, bool runtimePlans, bool blockPlans)
      : name(name), runtimePlans(runtimePlans), blockPlans(blockPlans) {}

  llvm::StringRef name;
  bool runtimePlans, blockPlans;
};

} // namespace mlir::rnn

#endif // RNN_TARGET_TARGETINFO_H
