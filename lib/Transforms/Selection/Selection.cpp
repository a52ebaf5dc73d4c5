//===- Selection.cpp - candidates of an rnn op and their cost ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Transforms/Selection/Selection.h"
#include "mlir/IR/TypeUtilities.h"
#include "rnn/Codegen/GPU/PersistentShape.h"

using namespace mlir;
using namespace mlir::rnn;

static bool isLayer(Operation *op) {
  return isa<BlockLSTMOp, BlockLSTMGradOp, CudnnForwardOp, CudnnBackpropOp>(op);
}

static Type getElement(LayerOpInterface op) {
  return getElementTypeOrSelf(op->getOperand(0).getType());
}

/// Whether result `index` of the signature has uses, or an out operand.
static bool isRequested(LayerOpInterface op, unsigned index) {
  ResultRange results = op.getResultsOf(index);
  return llvm::any_of(results, [](Value result) { return !result.use_empty(); }) ||
         !op.getOperandsOf(op.getSignature().outIndex(index)).empty();
}

static bool requestsOneOf(LayerOpInterface op, ArrayRef<StringRef> names) {
  for (auto [index, result] : llvm::enumerate(op.getSignature().results))
    if (llvm::is_contained(names, result.name) && isRequested(op, index))
      return true;
  return false;
}

std::optional<LayerProblem> rnn::getLayerProblem(LayerOpInterface op, bool tf32, std::string &assumed) {
  if (!isLayer(op))
    return std::nullopt;
  ShapeRules rules = getShapeRules(op);
  auto getSize = [&](char name) {
    if (std::optional<int64_t> value = rules.getStaticValue(StringRef(&name, 1)))
      return *value;
    assumed += (assumed.empty() ? "" : ", ") + std::string(1, name);
    return LayerProblem::assume(name);
  };
  LayerProblem p;
  p.T = getSize('T');
  p.B = getSize('B');
  p.I = getSize('I');
  p.H = getSize('H');
  p.P = p.H;
  p.L = p.D = 1;
  p.gates = 4;
  auto stack = [&](auto layer) {
    p.L = getSize('L');
    p.D = layer.getDirection() == Direction::Bidirectional ? 2 : 1;
    p.P = int64_t(layer.getNumProj()) > 0 ? int64_t(layer.getNumProj()) : p.H;
    // Half of the pairs belong to the input.
    p.gates = getNumParamPairs(layer.getMode()) / 2;
  };
  if (auto forward = dyn_cast<CudnnForwardOp>(op.getOperation()))
    stack(forward);
  else if (auto backprop = dyn_cast<CudnnBackpropOp>(op.getOperation()))
    stack(backprop);
  std::string element;
  llvm::raw_string_ostream(element) << getElement(op);
  p.element = symbolizeElementKind(element).value_or(ElementKind::F32);
  p.backward = isa<BlockLSTMGradOp, CudnnBackpropOp>(op.getOperation());
  p.inputGradient = requestsOneOf(op, {"x_grad", "input_backprop"});
  p.weightGradient = requestsOneOf(op, {"w_grad", "params_backprop"});
  p.tf32 = tf32;
  return p;
}

std::string rnn::describeProblem(LayerOpInterface op) {
  ShapeRules rules = getShapeRules(op);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const ShapeRules::Symbol &symbol : rules.getSymbols()) {
    // The number of parameters follows from the others.
    if (symbol.name == "N")
      continue;
    os << symbol.name << "=";
    if (symbol.value)
      os << *symbol.value;
    else
      os << "?";
    os << " ";
  }
  os << getElement(op);
  return text;
}

std::string rnn::getTuningKey(LayerOpInterface op, bool tf32) {
  if (!isLayer(op))
    return "";
  std::string key;
  llvm::raw_string_ostream os(key);
  os << op->getName();
  // The lowering, discardable attributes and seeds do not change the time.
  for (NamedAttribute attribute : op->getAttrs()) {
    StringRef name = attribute.getName();
    if (name == "lowering" || name.contains('.') || name.ends_with("SegmentSizes") || name.starts_with("seed") ||
        (name == "reset_to" && !hasResets(op)))
      continue;
    os << " " << name << "=";
    attribute.getValue().print(os, /*elideType=*/true);
  }
  os << " " << describeProblem(op);
  for (auto [index, operand] : llvm::enumerate(op.getSignature().operands))
    if (operand.optional && !op.getOperandsOf(index).empty())
      os << " with " << operand.name;
  StringRef separator = " -> ";
  for (auto [index, result] : llvm::enumerate(op.getSignature().results))
    if (isRequested(op, index)) {
      os << separator << result.name;
      separator = ", ";
    }
  if (tf32 && getElement(op).isF32())
    os << " (tf32)";
  return key;
}

bool rnn::hasPlan(LayerOpInterface op, const TargetInfo &info) {
  if (hasResets(op) && !info.plansHaveResets())
    return false;
  return isa<BlockLSTMOp, BlockLSTMGradOp>(op) ? info.hasBlockPlans() : info.hasRuntimePlans();
}

/// The problem with what the target knows about kernels.
static std::optional<LayerProblem> getProblem(LayerOpInterface op, const SelectionContext &context,
                                              std::string &assumed) {
  std::optional<LayerProblem> problem = getLayerProblem(op, context.info.allowsTF32(), assumed);
  if (problem) {
    problem->wavefrontChunk = context.wavefrontChunk;
    // The kernels that are compiled: without a chip, those of sm_80.
    problem->overlapsLaunches = context.info.hasClusters();
    problem->splitsSteps = problem->overlapsLaunches && !StringRef(assumed).contains('H');
  }
  return problem;
}

/// The cluster size of the op's persistent kernel, or why there is none.
static FailureOr<int64_t> findCluster(LayerOpInterface op, const SelectionContext &context, std::string &reason) {
  std::string assumed;
  std::optional<LayerProblem> problem = getProblem(op, context, assumed);
  if (!problem) {
    reason = "the op has no kernels of its own";
    return failure();
  }
  PersistentQuery query;
  query.backward = problem->backward;
  query.element = getElement(op);
  if (!StringRef(assumed).contains('H'))
    query.H = problem->H;
  query.numGates = problem->gates;
  query.isProjected = problem->P != problem->H;
  if (LoweringAttr lowering = op.getLoweringAttr())
    query.clusterSize = lowering.getCluster().value_or(0);
  query.resets = hasResets(op);
  query.resetsToInitial = hasResetsToInitial(op);
  query.options = {context.info.allowsTF32(), context.info.hasClusters()};
  return findPersistentShape(query, reason);
}

std::string rnn::getReasonAgainstPersistent(LayerOpInterface op, const SelectionContext &context) {
  std::string reason;
  (void)findCluster(op, context, reason);
  return reason;
}

SmallVector<CandidateCost> rnn::getCandidates(LayerOpInterface op, const SelectionContext &context) {
  std::string assumed, reason;
  std::optional<LayerProblem> problem = getProblem(op, context, assumed);
  const TargetKind target = context.info.getKind();
  SmallVector<CandidateCost> candidates;
  auto add = [&](Candidate candidate, int64_t cluster = 0) {
    double cost = problem && target != TargetKind::Simt
                      ? estimateMicroseconds(*problem, candidate, context.info, /*threads=*/1, cluster)
                      : 0.0;
    candidates.push_back({candidate, cost, cluster});
  };
  if (hasPlan(op, context.info))
    add(Candidate::Plan);
  if (context.info.isHost()) {
    add(Candidate::Loops);
    return candidates;
  }
  add(Candidate::PerStep);
  if (FailureOr<int64_t> cluster = findCluster(op, context, reason); succeeded(cluster))
    add(Candidate::Persistent, *cluster);
  return candidates;
}

SmallVector<CandidateCost> rnn::getBlockCandidates(LayerOpInterface op, const SelectionContext &context) {
  SmallVector<CandidateCost> candidates = getCandidates(op, context);
  std::string assumed;
  std::optional<LayerProblem> problem = getProblem(op, context, assumed);
  if (problem && !hasPlan(op, context.info))
    candidates.insert(candidates.begin(),
                      {Candidate::Plan, estimateMicroseconds(*problem, Candidate::Plan, context.info)});
  return candidates;
}

LogicalResult rnn::readTuningRecords(SelectionContext &context, StringRef path, MLIRContext &diagnostics) {
  if (path.empty())
    return success();
  llvm::Expected<TuningRecords> read = TuningRecords::read(path);
  if (!read)
    return emitError(UnknownLoc::get(&diagnostics), llvm::toString(read.takeError()));
  context.records = std::move(*read);
  return success();
}

/// Erases the fused candidates with other kernels than the preferred ones, if a preferred one exists.
template <typename List, typename GetCandidate>
static void keepKernel(List &list, KernelPreference preference, GetCandidate get) {
  const Candidate kept = preference == KernelPreference::PerStep ? Candidate::PerStep : Candidate::Persistent;
  auto isKept = [&](const auto &entry) { return get(entry) == kept; };
  if (preference != KernelPreference::Auto && llvm::any_of(list, isKept))
    llvm::erase_if(list, [&](const auto &entry) { return isFused(get(entry)) && !isKept(entry); });
}

/// The kernel of the op's attribute, else `preference`, the option of the pipeline.
static KernelPreference getKernelPreference(LayerOpInterface op, KernelPreference preference) {
  LoweringAttr lowering = op.getLoweringAttr();
  if (!lowering || !lowering.getKernel())
    return preference;
  return *lowering.getKernel() == FusedKernel::PerStep ? KernelPreference::PerStep : KernelPreference::Persistent;
}

SmallVector<CandidateCost> rnn::restrictToKernel(LayerOpInterface op, SmallVector<CandidateCost> candidates,
                                                 KernelPreference preference) {
  keepKernel(candidates, getKernelPreference(op, preference), [](const CandidateCost &cost) { return cost.candidate; });
  return candidates;
}

/// The record of the file. Its candidates may include some that the op does not have here.
static const TuningRecord *lookUp(StringRef key, StringRef device, const SelectionContext &context) {
  return key.empty() ? nullptr : context.records.find({key, context.info.getName(), context.info.getChip(), device});
}
static const TuningRecord *lookUp(LayerOpInterface op, const SelectionContext &context) {
  return lookUp(getTuningKey(op, context.info.allowsTF32()), context.device, context);
}

/// Chooses the fastest candidate if the recorded choice is not among the times. Returns false if there are no times.
static bool chooseAmongTimes(TuningRecord &record) {
  if (llvm::none_of(record.times, [&](const auto &time) { return time.first == record.choice; }) &&
      !record.times.empty())
    record.choose();
  return !record.times.empty();
}

std::optional<TuningRecord> rnn::findTuningRecord(LayerOpInterface op, const SelectionContext &context,
                                                  ArrayRef<CandidateCost> candidates) {
  const TuningRecord *found = lookUp(op, context);
  if (!found)
    return std::nullopt;
  TuningRecord record = *found;
  llvm::erase_if(record.times, [&](const auto &time) {
    return llvm::none_of(candidates, [&](const CandidateCost &cost) { return cost.candidate == time.first; });
  });
  return chooseAmongTimes(record) ? std::optional(record) : std::nullopt;
}

/// The fastest time of fused candidates, or of plans.
static std::optional<double> findBest(ArrayRef<std::pair<Candidate, double>> times, bool fused) {
  std::optional<double> best;
  for (auto [candidate, time] : times)
    if (isFused(candidate) == fused)
      best = best ? std::min(*best, time) : time;
  return best;
}

JointChoice rnn::chooseTogether(ArrayRef<WeighedOp> ops, const SelectionContext &context, KernelPreference preference) {
  JointChoice estimated, measured;
  std::string missing;
  bool anyMeasured = false, allFused = true, allPlans = true, mayReplacePlans = true;
  for (const auto &[op, candidates, planKey] : ops) {
    if (getTuningKey(op, context.info.allowsTF32()).empty())
      continue;
    SmallVector<std::pair<Candidate, double>> costs, trusted;
    for (const CandidateCost &cost : candidates) {
      costs.push_back({cost.candidate, cost.microseconds});
      if (mayReplacePlan(cost.candidate, context.info.getKind()))
        trusted.push_back(costs.back());
    }
    std::optional<double> plan = findBest(costs, /*fused=*/false), fused = findBest(trusted, /*fused=*/true);
    if (plan && !fused) {
      mayReplacePlans = false;
      fused = findBest(costs, /*fused=*/true);
    }
    estimated.plan += plan.value_or(0.0);
    estimated.fused += fused.value_or(0.0);
    auto isMissing = [&, op = op](const Twine &what) {
      if (missing.empty())
        missing = ("'" + op->getName().getStringRef() + "' was " + what).str();
    };
    const TuningRecord *found = lookUp(op, context);
    if (!found) {
      isMissing("not measured");
      continue;
    }
    anyMeasured = true;
    // Uses all times of the record, also of kernels that `op` does not have: ops that were measured together share
    // times.
    TuningRecord record = *found;
    keepKernel(record.times, getKernelPreference(op, preference), [](const auto &time) { return time.first; });
    plan = findBest(record.times, /*fused=*/false);
    fused = findBest(record.times, /*fused=*/true);
    std::string function = record.function;
    if (const TuningRecord *other = plan || !record.alone ? nullptr : lookUp(planKey, record.device, context);
        other && other->alone) {
      if (plan = findBest(other->times, /*fused=*/false); plan) {
        record.times.push_back({Candidate::Plan, *plan});
        record.choose();
        function += "` and, as a plan, `" + other->function;
      }
    }
    if (!plan || !fused) {
      isMissing(plan ? "measured as a plan alone" : "not measured as a plan");
      continue;
    }
    chooseAmongTimes(record);
    measured.plan += *plan;
    measured.fused += *fused;
    (isFused(record.choice) ? allPlans : allFused) = false;
    if (measured.basis.empty())
      measured.basis = "tuning record: measured in calls of `" + function + "` on " + record.device;
  }
  if (missing.empty() && anyMeasured) {
    // If all choices agree, use them. Times of functions that contain several of the ops cannot be summed.
    measured.isFused = allFused || (!allPlans && isWorthMoreThanPlan(measured.fused, measured.plan));
    return measured;
  }
  const bool isWorthMore = isWorthMoreThanPlan(estimated.fused, estimated.plan);
  estimated.isFused = mayReplacePlans && isWorthMore;
  estimated.basis = "cost model" + (anyMeasured ? ", since " + missing : std::string());
  if (isWorthMore && !mayReplacePlans)
    estimated.basis += ", whose estimate of per-step kernels does not replace a plan";
  return estimated;
}

void rnn::applyCandidate(LayerOpInterface op, const CandidateCost &candidate) {
  MLIRContext *context = op->getContext();
  LoweringAttr lowering;
  switch (candidate.candidate) {
  case Candidate::Plan:
    lowering = LoweringAttr::get(context, Lowering::Runtime);
    break;
  case Candidate::Loops:
    lowering = LoweringAttr::get(context, Lowering::Fused);
    break;
  case Candidate::PerStep:
    lowering = LoweringAttr::get(context, Lowering::Fused, FusedKernel::PerStep, std::nullopt);
    break;
  case Candidate::Persistent:
    lowering = LoweringAttr::get(context, Lowering::Fused, FusedKernel::Persistent, candidate.cluster);
    break;
  }
  op.setLoweringAttr(lowering);
}
