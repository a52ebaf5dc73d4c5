//===- SelectLowering.cpp - runtime call or fused kernel, per op -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Target/TargetInfo.h"
#include "rnn/Transforms/Selection/Passes.h"
#include "rnn/Transforms/Selection/Selection.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSELECTLOWERINGPASS
#include "rnn/Transforms/Selection/Passes.h.inc"
} // namespace mlir::rnn

#define DEBUG_TYPE "rnn-select-lowering"

using namespace mlir;
using namespace mlir::rnn;

namespace {

struct SelectLowering : public rnn::impl::RNNSelectLoweringPassBase<SelectLowering> {
  using RNNSelectLoweringPassBase::RNNSelectLoweringPassBase;

  void runOnOperation() override {
    rules.clear();
    replacedPlans.clear();
    TargetAttr target = TargetAttr::lookup(getOperation());
    SelectionContext context(target ? target.getInfo() : TargetInfo(TargetKind::Host));
    if (target)
      context.wavefrontChunk = target.getWavefrontChunk();
    context.device = device;
    if (failed(readTuningRecords(context, tuningRecords, getContext())))
      return signalPassFailure();
    if (failed(checkExplicit(context.info)))
      return signalPassFailure();
    if (prefer == LoweringPreference::Auto && !context.info.plansShareBuffers())
      for (const BufferGroup &group : collectBufferGroups(getOperation()))
        selectGroup(group, context);
    WalkResult result = getOperation()->walk([&](LayerOpInterface op) {
      return failed(select(op, context)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted() || (!context.info.plansShareBuffers() && failed(checkSharedBuffers(context.info))))
      return signalPassFailure();
  }

private:
  /// A candidate and the rule that chose it.
  struct Choice {
    CandidateCost candidate;
    std::string rule;
  };

  /// The lowering that the pipeline option requests for ops without the attribute.
  std::optional<Lowering> getPreferredLowering() const {
    if (prefer == LoweringPreference::Auto)
      return std::nullopt;
    return prefer == LoweringPreference::Fused ? Lowering::Fused : Lowering::Runtime;
  }

  /// Reports an error if an op requests a plan that the target does not have.
  LogicalResult checkExplicit(const TargetInfo &info) {
    WalkResult result = getOperation()->walk([&](LayerOpInterface op) {
      std::optional<Lowering> requested = op.getLowering() ? op.getLowering() : getPreferredLowering();
      if (requested != Lowering::Runtime || hasPlan(op, info))
        return WalkResult::advance();
      if (hasResets(op) && !info.plansHaveResets()) {
        op->emitError("'") << op->getName() << "' has `resets`, which lowering `runtime` does not support on target `"
                           << info.getName() << "`; use `fused` or `auto`";
        return WalkResult::interrupt();
      }
      op->emitError("lowering `runtime` is not available for '")
          << op->getName() << "' on target `" << info.getName()
          << "`, which has plans for the cudnn ops only, and this op could not be rewritten to them (the remarks of "
             "rnn-block-to-cudnn have the reason); use `fused` or `auto`";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Reports an error if an op reads a reserve space or parameters that an op of another lowering wrote.
  LogicalResult checkSharedBuffers(const TargetInfo &info) {
    WalkResult result = getOperation()->walk([&](LayerOpInterface reader) {
      auto check = [&](Value buffer, StringRef what) {
        while (auto cast = buffer ? buffer.getDefiningOp<tensor::CastOp>() : tensor::CastOp())
          buffer = cast.getSource();
        auto writer = buffer ? buffer.getDefiningOp<LayerOpInterface>() : LayerOpInterface();
        if (!writer || writer.getLowering() == reader.getLowering())
          return success();
        InFlightDiagnostic diag =
            reader->emitError("runs as `")
            << stringifyLowering(*reader.getLowering()) << "`, but `" << what << "` is written by '"
            << writer->getName() << "', which runs as `" << stringifyLowering(*writer.getLowering())
            << "` and uses another data layout on target `" << info.getName() << "`; give both the same lowering";
        diag.attachNote(writer->getLoc()) << "`" << what << "` is written here";
        return failure();
      };
      LogicalResult both = success();
      if (auto forward = dyn_cast<CudnnForwardOp>(reader.getOperation()))
        both = check(forward.getParams(), "params");
      else if (auto unpack = dyn_cast<CudnnParamsToCanonicalOp>(reader.getOperation()))
        both = check(unpack.getParams(), "params");
      else if (auto backprop = dyn_cast<CudnnBackpropOp>(reader.getOperation()))
        both = failed(check(backprop.getReserveSpace(), "reserve_space")) ? failure()
                                                                          : check(backprop.getParams(), "params");
      return failed(both) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  SmallVector<CandidateCost> findCandidates(LayerOpInterface op, const SelectionContext &context) {
    return restrictToKernel(op, getCandidates(op, context), fusedKernel);
  }

  /// The fastest of at least one candidate by estimates; a plan is the first one. It is preferred unless a kernel that
  /// may replace it is faster by the margin of `isWorthMoreThanPlan`.
  static CandidateCost getFastest(ArrayRef<CandidateCost> candidates, TargetKind target) {
    CandidateCost best = candidates.front();
    const bool hasPlan = best.candidate == Candidate::Plan;
    for (const CandidateCost &candidate : candidates.drop_front())
      if (hasPlan && !mayReplacePlan(candidate.candidate, target))
        continue;
      else if (best.candidate == Candidate::Plan ? isWorthMoreThanPlan(candidate.microseconds, best.microseconds)
                                                 : candidate.microseconds < best.microseconds)
        best = candidate;
    return best;
  }

  static std::string describeCosts(ArrayRef<CandidateCost> costs, Candidate chosen) {
    std::string text, others;
    for (const CandidateCost &cost : costs) {
      std::string one = "`" + stringifyCandidate(cost.candidate).str() + "` " + formatMicroseconds(cost.microseconds);
      if (cost.candidate == chosen)
        text = one;
      else
        others += ", " + one;
    }
    return text + others;
  }

  static bool isEstimate(StringRef rule) { return rule.starts_with("cost model"); }

  /// Selects one of at least one candidate by tuning record, else by cost model.
  static Choice choose(LayerOpInterface op, const SelectionContext &context, ArrayRef<CandidateCost> candidates) {
    if (candidates.size() == 1)
      return {candidates.front(), isFused(candidates.front().candidate)
                                      ? "legality: the target has no plans for this op"
                                      : "legality: the only candidate"};
    if (std::optional<TuningRecord> record = findTuningRecord(op, context, candidates)) {
      SmallVector<CandidateCost> measured;
      for (auto [candidate, time] : record->times)
        measured.push_back({candidate, time});
      auto isChoice = [&](const CandidateCost &cost) { return cost.candidate == record->choice; };
      return {*llvm::find_if(candidates, isChoice), "tuning record: measured in calls of `" + record->function +
                                                        "` on " + record->device + ": " +
                                                        describeCosts(measured, record->choice)};
    }
    std::string assumed;
    if (!getLayerProblem(op, context.info.allowsTF32(), assumed))
      return {candidates.front(), "legality: its time does not matter"};
    CandidateCost best = getFastest(candidates, context.info.getKind());
    std::string rule = "cost model: " + describeCosts(candidates, best.candidate) + " for " + describeProblem(op);
    if (!assumed.empty())
      rule += ", with assumed sizes for " + assumed;
    return {best, rule};
  }

  /// Selects one lowering for ops that share buffers, on targets where plans and kernels use different data layouts.
  void selectGroup(const BufferGroup &group, const SelectionContext &context) {
    std::optional<Lowering> chosen;
    std::string rule;
    for (LayerOpInterface op : group.ops)
      if (!chosen && op.getLowering()) {
        chosen = op.getLowering();
        rule = "legality: '" + op->getName().getStringRef().str() + "', which shares a buffer with it, requires this";
      }
    for (LayerOpInterface op : group.ops)
      if (!chosen && !hasPlan(op, context.info)) {
        chosen = Lowering::Fused;
        rule = "legality: cuDNN has no resets, which '" + op->getName().getStringRef().str() + "' has";
        if (!group.open.empty())
          rule += "; " + group.open + ", and its data layout must be that of fused layers";
      }
    if (!chosen && !group.open.empty()) {
      chosen = Lowering::Runtime;
      rule = "legality: " + group.open + ", so its data layout is unknown";
    }
    if (!chosen) {
      std::tie(chosen, rule) = chooseForGroup(group, context);
      if (chosen == Lowering::Fused && isEstimate(rule))
        replacedPlans.insert_range(group.ops);
    }
    for (LayerOpInterface op : group.ops)
      if (!op.getLowering()) {
        op.setLoweringAttr(LoweringAttr::get(op->getContext(), *chosen));
        rules[op] = rule;
      }
  }

  std::pair<Lowering, std::string> chooseForGroup(const BufferGroup &group, const SelectionContext &context) {
    SmallVector<WeighedOp> weighed;
    for (LayerOpInterface op : group.ops)
      weighed.push_back({op, findCandidates(op, context)});
    JointChoice choice = chooseTogether(weighed, context, fusedKernel);
    auto one = [&](bool kernels) {
      return (kernels ? "`fused` " : "`runtime` ") + formatMicroseconds(kernels ? choice.fused : choice.plan);
    };
    std::string rule = choice.basis + ", in all of the " + std::to_string(group.ops.size()) +
                       " op(s) that share buffers: " + one(choice.isFused) + ", " + one(!choice.isFused);
    return {choice.isFused ? Lowering::Fused : Lowering::Runtime, rule};
  }

  /// Completes the attribute of one op, and reports the rule.
  LogicalResult select(LayerOpInterface op, const SelectionContext &context) {
    std::string rule = "explicit attribute";
    if (auto found = rules.find(op); found != rules.end()) {
      rule = found->second;
    } else if (!op.getLowering()) {
      if (std::optional<Lowering> preferred = getPreferredLowering()) {
        op.setLoweringAttr(LoweringAttr::get(op->getContext(), *preferred));
        rule = ("pipeline option: `" + stringifyLowering(*preferred) + "` for all ops").str();
      } else if (StringRef reason = getReasonForPlan(op, context.info); !reason.empty()) {
        op.setLoweringAttr(LoweringAttr::get(op->getContext(), Lowering::Runtime));
        rule = reason.str();
      } else {
        Choice choice = choose(op, context, findCandidates(op, context));
        rule = choice.rule;
        if (isFused(choice.candidate.candidate) && hasPlan(op, context.info) && isEstimate(rule))
          replacedPlans.insert(op);
        op.setLoweringAttr(LoweringAttr::get(
            op->getContext(), isFused(choice.candidate.candidate) ? Lowering::Fused : Lowering::Runtime));
      }
    }
    Candidate selected = op.getLowering() == Lowering::Runtime ? Candidate::Plan : Candidate::Loops;
    const bool hasKernels = !getTuningKey(op, context.info.allowsTF32()).empty();
    if (selected != Candidate::Plan && !context.info.isHost() && hasKernels) {
      FailureOr<Choice> kernel = chooseKernel(op, context);
      if (failed(kernel))
        return failure();
      applyCandidate(op, kernel->candidate);
      selected = kernel->candidate.candidate;
      if (kernel->rule != rule)
        rule += "; its kernel: " + kernel->rule;
    }
    remark::passed(op->getLoc(), remark::RemarkOpts::name("Lowering").category(DEBUG_TYPE))
        << ("'" + op->getName().getStringRef() + "' runs as `" + stringifyCandidate(selected) + "`").str()
        << remark::reason("{0}", rule);
    return success();
  }

  /// The reason for a plan if times are not compared; empty if they are.
  static StringRef getReasonForPlan(LayerOpInterface op, const TargetInfo &info) {
    if (!hasPlan(op, info))
      return "";
    if (info.getKind() == TargetKind::Simt)
      return "target simt: plans run without the emulator, whose times do not predict those of a GPU";
    if (isa<CudnnParamsSizeOp, CudnnReserveSizeOp>(op.getOperation()))
      return info.plansShareBuffers() ? "legality: its time does not matter"
                                      : "legality: sizes are those of plans unless requested otherwise";
    return "";
  }

  /// Selects the kernel of a fused layer on a GPU. Reports an error if the op requests a persistent kernel that cannot
  /// be built.
  FailureOr<Choice> chooseKernel(LayerOpInterface op, const SelectionContext &context) {
    SmallVector<CandidateCost> candidates = getCandidates(op, context);
    llvm::erase_if(candidates, [](const CandidateCost &c) { return !isFused(c.candidate); });
    auto find = [&](Candidate kernel) -> const CandidateCost * {
      auto *found = llvm::find_if(candidates, [&](const CandidateCost &c) { return c.candidate == kernel; });
      return found == candidates.end() ? nullptr : found;
    };
    const CandidateCost *persistent = find(Candidate::Persistent);
    const CandidateCost &perStep = *find(Candidate::PerStep);
    if (std::optional<FusedKernel> kernel = op.getLoweringAttr().getKernel()) {
      if (*kernel == FusedKernel::PerStep)
        return Choice{perStep, "explicit attribute"};
      if (persistent)
        return Choice{*persistent, "explicit attribute"};
      return op->emitError("has no persistent kernel: ") << getReasonAgainstPersistent(op, context);
    }
    switch (fusedKernel) {
    case KernelPreference::PerStep:
      return Choice{perStep, "pipeline option"};
    case KernelPreference::Persistent:
      if (persistent)
        return Choice{*persistent, "pipeline option"};
      remark::missed(op->getLoc(), remark::RemarkOpts::name("Persistent").category(DEBUG_TYPE))
          << remark::reason("{0}", getReasonAgainstPersistent(op, context))
          << remark::suggest("{0}", "use `fused-kernel=per_step` or `auto`");
      return Choice{perStep,
                    "legality: there is no persistent kernel, since " + getReasonAgainstPersistent(op, context)};
    case KernelPreference::Auto:
      break;
    }
    if (!persistent)
      return Choice{perStep,
                    "legality: there is no persistent kernel, since " + getReasonAgainstPersistent(op, context)};
    if (context.info.getKind() == TargetKind::Simt)
      return Choice{perStep, "target simt: times of the emulator do not predict those of a GPU"};
    Choice choice = choose(op, context, candidates);
    // The estimate of a per-step kernel must not replace the plan through that of a persistent kernel either.
    if (replacedPlans.contains(op) && isEstimate(choice.rule) &&
        !mayReplacePlan(choice.candidate.candidate, context.info.getKind()))
      return Choice{*persistent, "cost model, whose estimate of per-step kernels does not replace a plan"};
    return choice;
  }

  llvm::DenseMap<Operation *, std::string> rules; ///< of ops whose lowering selectGroup has set
  llvm::DenseSet<Operation *> replacedPlans;      ///< ops that are fused because of estimated times
};

} // namespace
