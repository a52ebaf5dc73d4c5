//===- IterationSpace.h - the batch as a loop over a layer -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_DIALECT_RNN_TRANSFORMS_ITERATIONSPACE_H
#define RNN_LIB_DIALECT_RNN_TRANSFORMS_ITERATIONSPACE_H

#include "mlir/IR/AffineMap.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

namespace mlir::rnn {

/// The loops of an op on tensors, as interfaces for tiling and sharding describe them: loop 0 runs over the batch, and
/// each other dimension has a loop of its own, which cannot be split.
struct IterationSpace {
  /// From the loops to the dimensions of a value: one map for each operand, then one for each result.
  SmallVector<AffineMap> maps;
  /// The names of operands and results, as in `maps`.
  SmallVector<StringRef> values;
  /// The dimension that each loop stands for, such as "T" or "4*H".
  SmallVector<std::string> names;
  static constexpr unsigned batch = 0;

  /// The dimension of a value that is the batch.
  std::optional<unsigned> getBatchDim(unsigned value) const {
    return maps[value].getResultPosition(getAffineDimExpr(batch, maps[value].getContext()));
  }
};

IterationSpace getIterationSpace(LayerOpInterface op);

} // namespace mlir::rnn

#endif // RNN_LIB_DIALECT_RNN_TRANSFORMS_ITERATIONSPACE_H
