//===- PersistentChoice.cpp - persistent or per-step kernels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PersistentChoice.h"

using namespace mlir;
using namespace mlir::rnn;

std::optional<PersistentQuery> rnn::getPersistentQuery(LayerOpInterface op, const KernelOptions &options, Type element,
                                                       int64_t numGates, bool isProjected) {
  LoweringAttr lowering = op.getLoweringAttr();
  if (lowering.getKernel() != FusedKernel::Persistent)
    return std::nullopt;
  PersistentQuery query;
  query.element = element;
  ShapeRules rules = getShapeRules(op);
  for (const ShapeRules::Symbol &symbol : rules.getSymbols())
    if (symbol.name == "H")
      query.H = symbol.value;
    else if (symbol.name == "B")
      query.examples = symbol.value;
  if (auto forward = dyn_cast<CudnnForwardOp>(op.getOperation()); forward && query.examples)
    *query.examples *= forward.getDirection() == Direction::Bidirectional ? 2 : 1;
  if (auto backward = dyn_cast<CudnnBackpropOp>(op.getOperation()); backward && query.examples)
    *query.examples *= backward.getDirection() == Direction::Bidirectional ? 2 : 1;
  if (auto forward = dyn_cast<CudnnForwardOp>(op.getOperation()))
    query.batchMajor = forward.getBatchMajor();
  if (auto backward = dyn_cast<CudnnBackpropOp>(op.getOperation()))
    query.batchMajor = backward.getBatchMajor();
  query.numGates = numGates;
  query.isProjected = isProjected;
  query.clusterSize = lowering.getCluster().value_or(0);
  query.resets = hasResets(op);
  query.resetsToInitial = hasResetsToInitial(op);
  query.options = options;
  return query;
}
