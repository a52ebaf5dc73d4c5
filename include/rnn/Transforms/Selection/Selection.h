//===- Selection.h - candidates of an rnn op and what they cost -*- C++ -*-===//
//
// Shared by rnn-select-lowering and by who measures the candidates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_SELECTION_SELECTION_H
#define RNN_TRANSFORMS_SELECTION_SELECTION_H

#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Target/TargetInfo.h"
#include "rnn/Tuning/Measurements.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::rnn {

/// The facts that selection reads, besides the ops.
struct SelectionContext {
  explicit SelectionContext(TargetInfo info) : info(std::move(info)) {}

  TargetInfo info;
  std::string device; ///< as in TuningQuery
  TuningRecords records;
};
/// Reads `records` from a file, if a path is given. Errors go to `diagnostics`.
LogicalResult readTuningRecords(SelectionContext &context, StringRef path, MLIRContext &diagnostics);

inline bool isFused(Candidate candidate) {
  return candidate != Candidate::Plan;
}

/// A way to run an op, and how long that takes.
struct CandidateCost {
  Candidate candidate;
  double microseconds;
  int64_t cluster = 0; ///< of `Persistent`: thread blocks of a cluster
};

/// The sizes of a layer or its gradient; none for ops on parameters and sizes, whose time does not matter. Dynamic
/// dimensions are assumed, and named in `assumed`.
std::optional<LayerProblem> getLayerProblem(LayerOpInterface op, bool tf32, std::string &assumed);
/// "T=64 B=32 I=256 H=256 f32", as far as known.
std::string describeProblem(LayerOpInterface op);

/// Names an op for TuningRecord::op: all that its time depends on and that is known. Empty for ops that have no problem.
std::string getTuningKey(LayerOpInterface op, bool tf32);

/// Whether plans of the target run the op.
bool hasPlan(LayerOpInterface op, const TargetInfo &info);
/// What could run the op, with estimated times (0 for ops without a problem): a plan first, then fused candidates. Explicit
/// attributes are not asked.
SmallVector<CandidateCost> getCandidates(LayerOpInterface op, const SelectionContext &context);
/// Why no persistent kernel can run the op; empty if one can.
std::string getReasonAgainstPersistent(LayerOpInterface op, const SelectionContext &context);
/// Of the fused candidates, those with the kernel that the op's attribute or else `preference` names; all if there are none,
/// since per-step kernels replace persistent ones that do not fit.
SmallVector<CandidateCost> restrictToKernel(LayerOpInterface op, SmallVector<CandidateCost> candidates,
                                            KernelPreference preference);
/// What the file decides for an op, as far as it is about `candidates`: where its choice is none of them, the fastest of
/// those that were measured. None if there is no such time.
std::optional<TuningRecord> findTuningRecord(LayerOpInterface op, const SelectionContext &context,
                                     ArrayRef<CandidateCost> candidates);

/// Ops that run as plans all of them or as fused kernels all of them, each with what getCandidates says.
struct WeighedOp {
  LayerOpInterface op;
  SmallVector<CandidateCost> candidates;
  /// The key of another op that does the same, whose plan counts where `op` has none measured and both were alone.
  std::string planKey = {};
};
struct JointChoice {
  bool isFused = false;
  double plan = 0, fused = 0; ///< microseconds, in the sum over the ops
  bool isMeasured = false;
  std::string basis; ///< what the times are, and of what the file has too little
};
/// Measured where the file has plans and fused kernels of all `ops`, else estimated: sums of both would compare what cannot
/// be compared. `preference` as in restrictToKernel.
JointChoice chooseTogether(ArrayRef<WeighedOp> ops, const SelectionContext &context, KernelPreference preference);

/// The forward whose results a gradient reads, or null.
BlockLSTMOp findForward(BlockLSTMGradOp op);
/// Why rnn-block-to-cudnn could not rewrite a block op, whatever is faster; empty if it can.
std::string getReasonAgainstCudnn(LayerOpInterface op);
/// getCandidates of a block op that is rewritten to cudnn ops together with others or not at all, with the plan that this would
/// give: times of the op as cudnn ops that run as plans are filed under the block op's own key, as `runtime`.
SmallVector<CandidateCost> getBlockCandidates(LayerOpInterface op, const SelectionContext &context);

/// `function` and those that calls of it reach.
llvm::SetVector<Operation *> collectReached(Operation *function);
/// The public functions of a module after selection that reach one op with a tuning key, if there is more than one way to run
/// it: which, and in which way they do. Functions with more ops are left out, since their time is not that of one.
SmallVector<CompiledCandidate> listCompiledCandidates(ModuleOp module, const SelectionContext &context);

/// Writes the lowering of a candidate that getCandidates returned for the op.
void applyCandidate(LayerOpInterface op, const CandidateCost &candidate);

/// Cudnn ops that must agree on a lowering where plans and fused kernels lay out parameters and reserve spaces each in
/// their own way.
struct BufferGroup {
  SmallVector<LayerOpInterface> ops;
  /// Where a buffer comes from or goes to something that is not one of these ops: all their lowerings must then be what
  /// those outside take. Empty if the group is closed.
  std::string open;
};
/// All cudnn layer and parameter ops in `root`, in groups, in the order of the text. Ops that give sizes are left out.
SmallVector<BufferGroup> collectBufferGroups(Operation *root);

} // namespace mlir::rnn

#endif // RNN_TRANSFORMS_SELECTION_SELECTION_H
