//===- TensorSizes.h - which sizes of tensors are equal -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_TENSORSIZES_H
#define RNN_LIB_TRANSFORMS_TENSORSIZES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::rnn {

/// A size or an index: a number, an index value, or the size of a tensor along a dimension. Equal ones are equal at run
/// time; different ones may be equal, too.
struct TensorSize {
  Value value;    ///< an index or another integer, a tensor, or null for a number
  int64_t number; ///< the number, or the dimension of the tensor; 0 for an integer

  bool isIndex() const { return value && value.getType().isIndex(); }
  bool isOfTensor() const { return value && isa<TensorType>(value.getType()); }

  bool operator==(const TensorSize &other) const { return value == other.value && number == other.number; }
  bool operator!=(const TensorSize &other) const { return !(*this == other); }
};

/// Finds the sizes of tensors and the values of indices, through loops that do not change sizes. Unlike
/// `ValueBoundsConstraintSet`, it assumes that a carried tensor keeps its size to show that it does. Loops must not
/// change during its life. The value of a size dominates the tensor or index that it was found for.
class TensorSizes {
public:
  explicit TensorSizes(Operation *root);
  TensorSize getSize(Value tensor, int64_t dim) const { return getSize(tensor, dim, 0); }
  TensorSize getIndex(Value index) const { return getIndex(index, 0); }
  /// Whether two ranked tensors have the same rank and sizes.
  bool haveEqualShapes(Value tensor, Value other) const;
  /// Whether a slice of the tensor `whole` has all indices of dimension `dim`, in their order.
  bool coversDim(OffsetSizeAndStrideOpInterface slice, Value whole, unsigned dim) const;

private:
  TensorSize getSize(Value tensor, int64_t dim, unsigned depth) const;
  TensorSize getIndex(Value index, unsigned depth) const;
  TensorSize getIndex(OpFoldResult index, unsigned depth) const;
  TensorSize getCarried(scf::ForOp loop, unsigned carried, Value unknown, int64_t dim, unsigned depth) const;

  llvm::SetVector<std::pair<Value, int64_t>>
      kept; ///< carried tensors and dimensions whose sizes stay those of the init
};

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_TENSORSIZES_H
