//===- LoopRows.h - rows of tensors that iterations read and write -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_LOOPROWS_H
#define RNN_LIB_TRANSFORMS_LOOPROWS_H

#include "TensorSizes.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Rows of a tensor of which each iteration uses one: in their order, or from the last one to the first.
struct Rows {
  int64_t first;
  bool descend;
};

/// A slice of one row.
struct RowSlice {
  Value tensor;
  Value index;
  Rows rows;
};

/// Finds which row of a tensor each iteration of a loop from 0 with step 1 uses. The loop must not change during its
/// life.
class LoopRows {
public:
  /// `count` is the number of iterations, dynamic if it is not known.
  LoopRows(scf::ForOp loop, int64_t count, const TensorSizes &sizes) : loop(loop), count(count), sizes(sizes) {}

  /// The rows that have this index in the iterations. None if the number of iterations is not known.
  std::optional<Rows> getRows(Value index);
  /// Whether a slice of the tensor `whole` has one index in dimension 0 and all of the other dimensions.
  bool isRow(OffsetSizeAndStrideOpInterface slice, Value whole) const;
  /// The index of such a slice, null if it is a constant or the slice has another form.
  Value getIndex(OffsetSizeAndStrideOpInterface slice, Value whole) const;
  /// The rows of a carried tensor that the iterations insert, if they do nothing else with it, and write all of it. Its
  /// tensor is the row.
  std::optional<RowSlice> getInsertion(unsigned carried);

private:
  std::optional<int64_t> evaluate(Value index, int64_t iteration);
  std::optional<Rows> computeRows(Value index);

  scf::ForOp loop;
  const int64_t count;
  const TensorSizes &sizes;
  DenseMap<Value, std::optional<Rows>> rowsOf;
};

/// The loops from 0 with step 1, and their numbers of iterations, which are dynamic if they are not known. Without
/// those of one iteration and of too many to evaluate indices in each.
SmallVector<std::pair<scf::ForOp, int64_t>> getCountedLoops(Operation *root);

/// Erases ops of a block whose results have no uses, and those that only they used.
void eraseDeadOps(RewriterBase &b, Block &block);

/// Removes values that the loop carries unchanged, and ops without uses. Upstream's canonicalization patterns would do
/// that, but they also change the sizes of tensors that grow in a loop (LLVM 22).
void dropUnchanged(RewriterBase &b, scf::ForOp &loop);

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_LOOPROWS_H
