//===- Selection.h - candidates of an rnn op and their cost -*- C++ -*-===//
//
// Shared by the selection passes, --autotune and --emit-candidates.
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
  std::string device;          ///< as in TuningQuery
  int64_t wavefrontChunk = -1; ///< of the target attribute
  TuningRecords records;
};
/// Reads `records` from a file, if a path is given. Errors go to `diagnostics`.
LogicalResult readTuningRecords(SelectionContext &context, StringRef path, MLIRContext &diagnostics);

inline bool isFused(Candidate candidate) {
  return candidate != Candidate::Plan;
}

/// A way to execute an op, and its time.
struct CandidateCost {
  Candidate candidate;
  double microseconds;
  int64_t cluster = 0; ///< of `Persistent`: thread blocks of a cluster
};

/// The sizes of a layer or its gradient, or nullopt for ops on parameters and sizes, whose time does not matter.
/// Dynamic dimensions get assumed sizes; their symbols are added to `assumed`.
std::optional<LayerProblem> getLayerProblem(LayerOpInterface op, bool tf32, std::string &assumed);
/// "T=64 B=32 I=256 H=256 f32"; a dynamic dimension is `?`.
std::string describeProblem(LayerOpInterface op);

/// The value of TuningRecord::op: everything known that the op's time depends on. Empty for ops without a LayerProblem.
std::string getTuningKey(LayerOpInterface op, bool tf32);

/// Whether plans of the target execute the op.
bool hasPlan(LayerOpInterface op, const TargetInfo &info);
/// The candidates of the op with estimated times (0 for ops without a LayerProblem): a plan first, then fused
/// candidates. Ignores the op's lowering, except for a cluster size in it.
SmallVector<CandidateCost> getCandidates(LayerOpInterface op, const SelectionContext &context);
/// Why no persistent kernel can execute the op; empty if one can.
std::string getReasonAgainstPersistent(LayerOpInterface op, const SelectionContext &context);
/// Of the fused candidates, those with the kernel that the op's attribute or else `preference` names; all if there are
/// none, since per-step kernels replace persistent ones that do not fit.
SmallVector<CandidateCost> restrictToKernel(LayerOpInterface op, SmallVector<CandidateCost> candidates,
                                            KernelPreference preference);
/// The op's tuning record, restricted to `candidates`. If its choice is not among them, the fastest of the others is
/// chosen. Nullopt if no time is left.
std::optional<TuningRecord> findTuningRecord(LayerOpInterface op, const SelectionContext &context,
                                             ArrayRef<CandidateCost> candidates);

/// One of several ops that must all run as plans or all as fused kernels.
struct WeighedOp {
  LayerOpInterface op;
  SmallVector<CandidateCost> candidates; ///< from getCandidates
  /// The key of an equivalent op. Its measured plan is used if `op` has none and both were measured alone.
  std::string planKey = {};
};
struct JointChoice {
  bool isFused = false;
  double plan = 0, fused = 0; ///< microseconds, summed over the ops
  std::string basis;          ///< the rule for remarks: tuning record or cost model, and why no record was used
};
/// Compares sums of measured times if the file has plans and fused kernels of all `ops`, else sums of estimates; never
/// a mix of both. `preference` as in restrictToKernel.
JointChoice chooseTogether(ArrayRef<WeighedOp> ops, const SelectionContext &context, KernelPreference preference);

/// The forward whose results a gradient reads, or null.
BlockLSTMOp findForward(BlockLSTMGradOp op);
/// Why rnn-block-to-cudnn cannot rewrite a block op; empty if it can.
std::string getReasonAgainstCudnn(LayerOpInterface op);
/// getCandidates of a block op, with the plan that it would have as cudnn ops. Records have the time of that plan under
/// the block op's key, as `runtime`.
SmallVector<CandidateCost> getBlockCandidates(LayerOpInterface op, const SelectionContext &context);

/// `function` and all functions that it calls, directly or not.
llvm::SetVector<Operation *> collectReached(Operation *function);
/// After selection: the public functions that reach exactly one op with a tuning key, if that has several candidates,
/// with the candidate that was selected. The time of a function with more such ops is not that of one op.
SmallVector<CompiledCandidate> listCompiledCandidates(ModuleOp module, const SelectionContext &context);

/// Writes the lowering of a candidate that getCandidates returned for the op.
void applyCandidate(LayerOpInterface op, const CandidateCost &candidate);

/// Cudnn ops that share parameters or reserve spaces. They need one lowering if plans and fused kernels have different
/// layouts of these buffers.
struct BufferGroup {
  SmallVector<LayerOpInterface> ops;
  /// Names a buffer that comes from or goes to an op outside of the group, which requires lowering `runtime`. Empty if
  /// there is none.
  std::string open;
};
/// All cudnn layer and parameter ops in `root`, except those that compute sizes, in groups, in program order.
SmallVector<BufferGroup> collectBufferGroups(Operation *root);

} // namespace mlir::rnn

#endif // RNN_TRANSFORMS_SELECTION_SELECTION_H
