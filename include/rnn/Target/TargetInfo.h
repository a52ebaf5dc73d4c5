//===- TargetInfo.h - capabilities of a target and its libraries -*- C++ -*-===//
//
// Facts only; passes read them and decide. Built from `#rnn.target` (`TargetAttr::getInfo`).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_TARGETINFO_H
#define RNN_TARGET_TARGETINFO_H

#include "rnn/Target/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::rnn {

/// The capabilities of a target. Every target has fused kernels for every layer op.
class TargetInfo {
public:
  /// `chip`: on target cuda a GPU, as `sm_90a`; on target host a processor, by LLVM's name; may be empty.
  explicit TargetInfo(TargetKind kind, llvm::StringRef chip = "", bool tf32 = false)
      : kind(kind), chip(chip.str()), tf32(tf32) {}

  TargetKind getKind() const { return kind; }
  llvm::StringRef getName() const { return stringifyTargetKind(kind); }
  llvm::StringRef getChip() const { return chip; }
  bool isHost() const { return kind == TargetKind::Host; }

  /// Whether fused kernels may round operands of f32 GEMMs to tf32.
  bool allowsTF32() const { return tf32; }

  /// Whether runtime plans execute the cudnn ops.
  bool hasRuntimePlans() const { return true; }
  /// Whether runtime plans execute the block LSTM ops. cuDNN has no equivalent.
  bool hasBlockPlans() const { return kind != TargetKind::Cuda; }
  /// Whether plans reset states inside a sequence. cuDNN does not; compiled code does on every target.
  bool plansHaveResets() const { return kind != TargetKind::Cuda; }
  /// Whether a plan can read the parameters and the reserve space of a fused kernel, and the reverse. cuDNN's layouts
  /// are opaque.
  bool plansShareBuffers() const { return kind != TargetKind::Cuda; }

  /// Whether the GPU has thread-block clusters and programmatic dependent launch: compute capability 9.0 or later. The
  /// emulator has both.
  bool hasClusters() const;

private:
  TargetKind kind;
  std::string chip;
  bool tf32;
};

/// The GPUs that kernels can be compiled for, as `sm_90a`: compute capability 8.0 or later, and known to LLVM.
llvm::ArrayRef<llvm::StringLiteral> getChips();

/// The compute capability of one of `getChips()`, as 90 of `sm_90a`; otherwise none.
std::optional<unsigned> parseComputeCapability(llvm::StringRef chip);

} // namespace mlir::rnn

#endif // RNN_TARGET_TARGETINFO_H
