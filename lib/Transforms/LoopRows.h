//===- LoopRows.h - rows of tensors that iterations read and write -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_LOOPROWS_H
#define RNN_LIB_TRANSFORMS_LOOPROWS_H

#include "TensorSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::rnn {

/// Rows of a tensor of which each iteration uses one: in their order, or from the last one to the first.
struct Rows {
  int64_t first;
  bool descend;
};

/// An index as a sum of multiples of the number of the iteration, of the number of all iterations unless that is known,
/// and of 1.
struct Linear {
  int64_t iteration, count, constant;

  Linear operator*(int64_t factor) const { return {iteration * factor, count * factor, constant * factor}; }
  Linear operator+(const Linear &other) const {
    return {iteration + other.iteration, count + other.count, constant + other.constant};
  }
  Linear operator-(const Linear &other) const { return *this + other * -1; }
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
  LoopRows(scf::ForOp loop, int64_t count, const TensorSizes &sizes);

  /// The number of iterations.
  const TensorSize &getCount() const { return countSize; }
  /// The rows that have this index in the iterations. If their number is not known, only all rows from 0 on.
  std::optional<Rows> getRows(Value index) const;
  /// Whether a slice of the tensor `whole` has one index in dimension 0 and all of the other dimensions.
  bool isRow(OffsetSizeAndStrideOpInterface slice, Value whole) const;
  /// The index of such a slice, null if it is a constant or the slice has another form.
  Value getIndex(OffsetSizeAndStrideOpInterface slice, Value whole) const;
  /// The rows of a carried tensor that the iterations insert, if they do nothing else with it, and write all of it. Its
  /// tensor is the row.
  std::optional<RowSlice> getInsertion(unsigned carried);

private:
  bool isNeverNegative(const Linear &form) const;
  std::optional<bool> isLess(const Linear &left, const Linear &right) const;
  std::optional<bool> compare(mlir::arith::CmpIOp op, unsigned depth) const;
  std::optional<Linear> getLinear(Value index, unsigned depth) const;
  std::optional<Linear> computeLinear(Value index, unsigned depth) const;

  scf::ForOp loop;
  const Value iteration;
  const int64_t count;
  const TensorSize countSize;
  const TensorSizes &sizes;
};

/// The loops from 0 with step 1, and their numbers of iterations, which are dynamic if they are not known. Without
/// those of one iteration and of more than 2^16.
SmallVector<std::pair<scf::ForOp, int64_t>> getCountedLoops(Operation *root);

/// Erases ops of a block whose results have no uses, and those that only they used.
void eraseDeadOps(RewriterBase &b, Block &block);

/// Removes values that the loop carries unchanged, and ops without uses. Upstream's canonicalization patterns would do
/// that, but they also change the sizes of tensors that grow in a loop (LLVM 22).
void dropUnchanged(RewriterBase &b, scf::ForOp &loop);

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_LOOPROWS_H
