//===- Sequences.h - the order of steps and batch in sequences -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_SEQUENCES_H
#define RNN_DIALECT_RNN_IR_SEQUENCES_H

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::rnn {

/// The permutation of a transpose between a time-major sequence `[T, B, ...]` and a batch-major one.
inline SmallVector<int64_t> getSequencePermutation(int64_t rank) {
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[0], permutation[1]);
  return permutation;
}

/// The type of the transposed sequence.
inline RankedTensorType getTransposedSequence(RankedTensorType type) {
  return type.clone(applyPermutation(type.getShape(), getSequencePermutation(type.getRank())));
}

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNN_IR_SEQUENCES_H
