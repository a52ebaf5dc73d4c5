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
  query.numGates = numGates;
  query.isProjected = isProjected;
  query.clusterSize = lowering.getCluster().value_or(0);
  query.options = options;
  return query;
}
