//===- PersistentChoice.h - persistent or per-step kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTCHOICE_H
#define RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTCHOICE_H

#include "Layers.h"
#include "rnn/Codegen/GPU/PersistentShape.h"

namespace mlir::rnn {

/// True if `op`, or an op around it, requests persistent kernels by the attribute `rnn.kernel_family = "cluster"`.
bool prefersPersistent(Operation *op);
/// The cluster size that the attribute `rnn.cluster_blocks` of `op`, or of an op around it, requests, or 0.
int64_t getRequestedClusterSize(Operation *op);
/// Emits a remark that says why `op` gets no persistent kernel although it requests one.
void remarkNotPersistent(Operation *op, StringRef reason);

/// The shape of the persistent kernel of a recurrence of `H` units, or nullopt if `op` requests none or the recurrence
/// does not fit; the latter emits a remark.
template <typename Shape>
std::optional<Shape> choosePersistentShape(Operation *op, const Emitter &host, Type element, Value H, int64_t numGates,
                                           bool isProjected = false) {
  if (!prefersPersistent(op))
    return std::nullopt;
  PersistentQuery query;
  query.element = element;
  query.H = getConstantIntValue(H);
  query.numGates = numGates;
  query.isProjected = isProjected;
  query.clusterSize = getRequestedClusterSize(op);
  query.options = host.options;
  std::string reason;
  FailureOr<Shape> shape = Shape::get(query, reason);
  if (succeeded(shape))
    return *shape;
  remarkNotPersistent(op, reason);
  return std::nullopt;
}

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTCHOICE_H
