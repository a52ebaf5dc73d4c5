//===- CostModel.h - estimated times of rnn ops -*- C++ -*-===//
//
// Depends on no IR and no device. One table has all constants with their sources: a measurement with machine and date,
// or an estimate. docs/Selection.md explains the terms.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_COSTMODEL_H
#define RNN_TARGET_COSTMODEL_H

#include "rnn/Support/HostTensor.h"
#include "rnn/Target/TargetInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace mlir::rnn {

/// The ways to execute an op.
enum class Candidate {
  Plan,       ///< lowering `runtime`: host plan or cuDNN
  Loops,      ///< lowering `fused` on a host
  PerStep,    ///< lowering `fused` on a GPU, one kernel per time step
  Persistent, ///< lowering `fused` on a GPU, one kernel for all steps, in thread-block clusters
};
/// "runtime", "fused", "fused/per_step", "fused/persistent".
llvm::StringRef stringifyCandidate(Candidate candidate);
std::optional<Candidate> symbolizeCandidate(llvm::StringRef name);

/// One layer op. Dynamic sizes have the values of `assume`.
struct LayerProblem {
  int64_t T, B, I, H, P, L, D;
  int64_t gates; ///< of the cell: 4 (lstm), 3 (gru) or 1
  ElementKind element = ElementKind::F32;
  bool backward = false;
  bool inputGradient = true, weightGradient = true; ///< of a backward pass: requested
  bool tf32 = false;
  // Of kernels of a GPU.
  int64_t wavefrontChunk = -1;  ///< of the target attribute: see docs/internals/wavefront.md
  bool splitsSteps = true;      ///< the depth of a per-step kernel is split over a cluster: known sizes, and clusters
  bool overlapsLaunches = true; ///< programmatic dependent launches, from sm_90 on

  /// The assumed value of a symbolic dimension that is dynamic.
  static int64_t assume(char symbol);

  /// Multiply-adds of the GEMMs with recurrent weights, for one time step of one layer and direction.
  double getStepMacs() const;
  /// Multiply-adds of all other GEMMs together.
  double getOtherMacs() const;
  /// Bytes of the recurrent weights of one layer and direction.
  double getStepWeightBytes() const;
  /// Weights of all layers.
  double getWeights() const;
  /// Values of all gates, for all steps, layers and directions.
  double getGateValues() const;
};

/// One constant of the model. `source` begins with "estimate", "measured on DEVICE, DATE" or "choice".
struct CostConstant {
  llvm::StringLiteral name;
  double value;
  llvm::StringLiteral unit, source;
};
/// The table; names are unique.
llvm::ArrayRef<CostConstant> getCostConstants();

/// Microseconds of one call. There are no estimates for target `simt`. On target `host`, the constants are those of the
/// family of the target's processor, or of Zen 3 if it has none. `cluster`: thread blocks of a cluster, for
/// `Candidate::Persistent`. `threads`: of the host.
double estimateMicroseconds(const LayerProblem &problem, Candidate candidate, const TargetInfo &target,
                            unsigned threads = 1, int64_t cluster = 0);

/// Returns false if an estimate alone must not prefer `candidate` to a plan: per-step kernels of a GPU, until one has
/// measured them.
bool mayReplacePlan(Candidate candidate, TargetKind target);

/// Whether `other` is at least 5 % and 2 us faster than a plan. Plans win ties and very short calls, since they compile
/// in a tenth of the time.
bool isWorthMoreThanPlan(double other, double plan);

/// "12.3 us", "4.56 ms".
std::string formatMicroseconds(double microseconds);

} // namespace mlir::rnn

#endif // RNN_TARGET_COSTMODEL_H
