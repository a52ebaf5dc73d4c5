//===- SelectLowering.cpp - runtime call or fused kernel, per op -------------===//
//
// What is written on an op is kept; the pipeline's wish comes next, then a measured tuning record, then the cost model.
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
    std::optional<TargetInfo> info = TargetInfo::get(target);
    if (!info) {
      InFlightDiagnostic diag = emitError(UnknownLoc::get(&getContext()), "unknown target `") << target
                                                                                              << "`; expected ";
      llvm::interleave(TargetInfo::getNames(), diag, [&](StringRef name) { diag << "`" << name << "`"; }, " or ");
      return signalPassFailure();
    }
    std::optional<Lowering> preferred = symbolizeLowering(prefer);
    if (!preferred && prefer != "auto") {
      emitError(UnknownLoc::get(&getContext()), "unknown lowering `")
          << prefer << "`; expected `auto`, `runtime` or `fused`";
      return signalPassFailure();
    }
    if (kernelFamily != "auto" && kernelFamily != "step" && kernelFamily != "cluster") {
      emitError(UnknownLoc::get(&getContext()), "unknown kernel family `")
          << kernelFamily << "`; expected `auto`, `step` or `cluster`";
      return signalPassFailure();
    }
    SelectionContext context(*info);
    context.chip = chip;
    context.device = device;
    context.tf32 = tf32;
    if (failed(readTuningRecords(context, tuningRecords, getContext())))
      return signalPassFailure();
    if (failed(checkExplicit(*info, preferred)))
      return signalPassFailure();
    if (!preferred && !info->plansShareBuffers())
      for (const BufferGroup &group : collectBufferGroups(getOperation()))
        selectGroup(group, context);
    getOperation()->walk([&](LayerOpInterface op) { select(op, context, preferred); });
    if (!info->plansShareBuffers() && failed(checkPairs()))
      signalPassFailure();
  }

private:
  /// What a choice rests on, for remarks.
  struct Choice {
    Candidate candidate;
    std::string reason;
  };

  /// What is asked for must be there.
  LogicalResult checkExplicit(const TargetInfo &info, std::optional<Lowering> preferred) {
    WalkResult result = getOperation()->walk([&](LayerOpInterface op) {
      std::optional<Lowering> wanted = op.getLowering() ? op.getLowering() : preferred;
      if (wanted != Lowering::Runtime || hasPlan(op, info))
        return WalkResult::advance();
      op->emitError("lowering `runtime` is not available for '")
          << op->getName() << "' on target `" << info.getName()
          << "`, which has plans for the cudnn ops alone, and this op could not be rewritten to them (the remarks of "
             "rnn-block-to-cudnn say why); use `fused` or `auto`";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Reserve spaces and parameters go from an op to one that reads them as it wrote them.
  LogicalResult checkPairs() {
    WalkResult result = getOperation()->walk([&](LayerOpInterface reader) {
      auto check = [&](Value buffer, StringRef what) {
        while (auto cast = buffer ? buffer.getDefiningOp<tensor::CastOp>() : tensor::CastOp())
          buffer = cast.getSource();
        auto writer = buffer ? buffer.getDefiningOp<LayerOpInterface>() : LayerOpInterface();
        if (!writer || writer.getLowering() == reader.getLowering())
          return success();
        InFlightDiagnostic diag = reader->emitError("runs as `")
                                  << stringifyLowering(*reader.getLowering()) << "`, but `" << what << "` is written by '"
                                  << writer->getName() << "', which runs as `"
                                  << stringifyLowering(*writer.getLowering()) << "` and lays it out in another way on target `"
                                  << target << "`; give both the same lowering";
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
    return restrictToFamily(op, getCandidates(op, context), kernelFamily);
  }

  /// The fastest of `candidates`; a plan wins ties. There is at least one.
  static CandidateCost getFastest(ArrayRef<CandidateCost> candidates) {
    CandidateCost best = candidates.front();
    for (const CandidateCost &candidate : candidates.drop_front())
      if (best.candidate == Candidate::Plan ? isWorthMoreThanPlan(candidate.microseconds, best.microseconds)
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

  /// The choice for one op among candidates (at least one).
  static Choice choose(LayerOpInterface op, const SelectionContext &context, ArrayRef<CandidateCost> candidates) {
    if (candidates.size() == 1)
      return {candidates.front().candidate, isFused(candidates.front().candidate)
                                                ? "the target has no plans for this op"
                                                : "the only candidate"};
    if (std::optional<TuningRecord> record = findTuningRecord(op, context, candidates)) {
      SmallVector<CandidateCost> measured;
      for (auto [candidate, time] : record->times)
        measured.push_back({candidate, time});
      return {record->choice, "measured in calls of `" + record->function + "` on " + record->device + ": " +
                                    describeCosts(measured, record->choice)};
    }
    std::string assumed;
    if (!getLayerProblem(op, context.tf32, assumed))
      return {candidates.front().candidate, "its time does not matter"};
    CandidateCost best = getFastest(candidates);
    std::string reason = "estimated: " + describeCosts(candidates, best.candidate) + " for " + describeProblem(op);
    if (!assumed.empty())
      reason += ", with assumed sizes for " + assumed;
    return {best.candidate, reason};
  }

  /// The lowering of ops whose plans and kernels do not share buffers.
  void selectGroup(const BufferGroup &group, const SelectionContext &context) {
    std::optional<Lowering> chosen;
    std::string reason;
    for (LayerOpInterface op : group.ops)
      if (!chosen && op.getLowering()) {
        chosen = op.getLowering();
        reason = "'" + op->getName().getStringRef().str() + "', with which it shares a buffer, asks for that";
      }
    if (!chosen && !group.open.empty()) {
      chosen = Lowering::Runtime;
      reason = group.open + ", where this pass does not see how it is laid out";
    }
    if (!chosen)
      std::tie(chosen, reason) = chooseForGroup(group, context);
    for (LayerOpInterface op : group.ops)
      if (!op.getLowering())
        set(op, *chosen, reason);
  }

  std::pair<Lowering, std::string> chooseForGroup(const BufferGroup &group, const SelectionContext &context) {
    SmallVector<WeighedOp> weighed;
    for (LayerOpInterface op : group.ops)
      weighed.push_back({op, findCandidates(op, context)});
    JointChoice choice = chooseTogether(weighed, context, kernelFamily);
    auto one = [&](bool kernels) {
      return (kernels ? "`fused` " : "`runtime` ") + formatMicroseconds(kernels ? choice.fused : choice.plan);
    };
    std::string reason = (choice.isMeasured ? "measured" : choice.basis) + ", in all of the " +
                         std::to_string(group.ops.size()) + " op(s) that share its buffers: " + one(choice.isFused) +
                         ", " + one(!choice.isFused);
    return {choice.isFused ? Lowering::Fused : Lowering::Runtime, reason};
  }

  void select(LayerOpInterface op, const SelectionContext &context, std::optional<Lowering> preferred) {
    if (!op.getLowering()) {
      if (preferred) {
        set(op, *preferred, "asked for by the pipeline");
      } else if (StringRef reason = getReasonForPlan(op, context.info); !reason.empty()) {
        set(op, Lowering::Runtime, reason);
      } else {
        Choice choice = choose(op, context, findCandidates(op, context));
        set(op, isFused(choice.candidate) ? Lowering::Fused : Lowering::Runtime, choice.reason);
      }
    }
    if (op.getLowering() == Lowering::Fused && context.info.getName() != "host")
      selectFamily(op, context);
  }

  /// Where nothing is to be weighed.
  static StringRef getReasonForPlan(LayerOpInterface op, const TargetInfo &info) {
    if (!hasPlan(op, info))
      return "";
    if (info.getName() == "simt")
      return "times of the emulator mean nothing, and plans run without it";
    if (isa<CudnnParamsSizeOp, CudnnReserveSizeOp>(op.getOperation()))
      return info.plansShareBuffers() ? "its time does not matter" : "sizes are those of plans unless asked for otherwise";
    return "";
  }

  /// Steps or clusters, for ops that have both and are not told.
  void selectFamily(LayerOpInterface op, const SelectionContext &context) {
    if (getKernelFamily(op) || getTuningKey(op, context.tf32).empty())
      return;
    SmallVector<CandidateCost> candidates = getCandidates(op, context);
    llvm::erase_if(candidates, [](const CandidateCost &c) { return !isFused(c.candidate); });
    if (kernelFamily != "auto") {
      op->setDiscardableAttr(kKernelFamilyAttr, StringAttr::get(op->getContext(), kernelFamily.getValue()));
      return;
    }
    if (candidates.size() < 2 || context.info.getName() == "simt")
      return;
    Choice choice = choose(op, context, candidates);
    applyCandidate(op, choice.candidate);
    remark::passed(op->getLoc(), remark::RemarkOpts::name("KernelFamily").category(DEBUG_TYPE))
        << ("'" + op->getName().getStringRef() + "' runs as `" + stringifyCandidate(choice.candidate) + "`").str()
        << remark::reason("{0}", choice.reason);
  }

  static void set(LayerOpInterface op, Lowering lowering, StringRef reason) {
    op.setLoweringAttr(LoweringAttr::get(op->getContext(), lowering));
    remark::passed(op->getLoc(), remark::RemarkOpts::name("Lowering").category(DEBUG_TYPE))
        << ("'" + op->getName().getStringRef() + "' runs as `" + stringifyLowering(lowering) + "`").str()
        << remark::reason("{0}", reason);
  }
};

} // namespace
