//===- CompiledCandidates.cpp - the candidate that each function contains ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "rnn/Transforms/Selection/Selection.h"

using namespace mlir;
using namespace mlir::rnn;

llvm::SetVector<Operation *> rnn::collectReached(Operation *function) {
  llvm::SetVector<Operation *> reached;
  reached.insert(function);
  // The loop also visits callees that it adds to `reached`.
  for (size_t index = 0; index < reached.size(); ++index)
    reached[index]->walk([&](CallOpInterface call) {
      if (Operation *callee = call.resolveCallable(); isa_and_nonnull<FunctionOpInterface>(callee))
        reached.insert(callee);
    });
  return reached;
}

/// The candidate of the `lowering` attribute of an op.
static Candidate getCompiledCandidate(LayerOpInterface op, const SelectionContext &context) {
  if (op.getLowering() == Lowering::Runtime)
    return Candidate::Plan;
  if (context.info.isHost())
    return Candidate::Loops;
  return op.getLoweringAttr().getKernel() == FusedKernel::Persistent ? Candidate::Persistent : Candidate::PerStep;
}

SmallVector<CompiledCandidate> rnn::listCompiledCandidates(ModuleOp module, const SelectionContext &context) {
  SmallVector<CompiledCandidate> list;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (!function.isPublic())
      continue;
    SmallVector<LayerOpInterface> ops;
    for (Operation *one : collectReached(function))
      one->walk([&](LayerOpInterface op) {
        if (!getTuningKey(op, context.info.allowsTF32()).empty())
          ops.push_back(op);
      });
    if (ops.size() != 1 || !ops.front().getLowering())
      continue;
    CompiledCandidate one;
    one.function = function.getName().str();
    one.op = getTuningKey(ops.front(), context.info.allowsTF32());
    one.target = context.info.getName().str();
    one.chip = context.info.getChip().str();
    for (const CandidateCost &cost : getCandidates(ops.front(), context))
      one.all.push_back(cost.candidate);
    one.candidate = getCompiledCandidate(ops.front(), context);
    if (one.all.size() > 1)
      list.push_back(std::move(one));
  }
  return list;
}
