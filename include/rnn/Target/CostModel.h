//===- CostModel.h - how long an rnn op takes, as far as is known -*- C++ -*-===//
//
// Numbers alone: no IR, no device. Every constant stands in one table, with where it comes from: a measurement with its machine
// and date, or an estimate, which says so. docs/Selection.md explains the terms.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_COSTMODEL_H
#define RNN_TARGET_COSTMODEL_H

#include "rnn/Support/HostTensor.h"
#include "rnn/Target/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace mlir::rnn {

/// The ways to run an op that there are.
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
  bool inputGradient = true, weightGradient = true; ///< of a backward pass: wanted by somebody
  bool tf32 = false;

  /// The assumed value of a symbolic dimension that is dynamic.
  static int64_t assume(char symbol);

  /// Multiply-adds of the products with recurrent weights, of one time step in one layer and direction.
  double getStepMacs() const;
  /// Of all other products together.
  double getOtherMacs() const;
  /// Bytes of the recurrent weights of one layer and direction.
  double getStepWeightBytes() const;
  /// Weights of all layers.
  double getWeights() const;
  /// Gates' values of the whole problem.
  double getGateValues() const;
};

/// One number of the model.
struct CostConstant {
  llvm::StringLiteral name;
  double value;
  llvm::StringLiteral unit, source;
};
/// The table; names are unique.
llvm::ArrayRef<CostConstant> getCostConstants();

/// Microseconds of one call. `target` is not `simt`, whose times mean nothing. `cluster`: thread blocks of a cluster, for
/// `Candidate::Persistent`. `threads`: of the host.
double estimateMicroseconds(const LayerProblem &problem, Candidate candidate, TargetKind target, unsigned threads = 1,
                            int64_t cluster = 0);

/// Whether `other` is so much faster than a plan that it is taken: plans compile in a tenth of the time, so they win ties
/// and calls that are over at once.
bool isWorthMoreThanPlan(double other, double plan);

/// "12.3 us", "4.56 ms".
std::string formatMicroseconds(double microseconds);

} // namespace mlir::rnn

#endif // RNN_TARGET_COSTMODEL_H
