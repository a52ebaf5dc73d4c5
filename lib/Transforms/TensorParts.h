//===- TensorParts.h - boxes and concatenations of tensors -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_TENSORPARTS_H
#define RNN_LIB_TRANSFORMS_TENSORPARTS_H

#include "TensorSizes.h"

namespace mlir::rnn {

/// A part of a tensor: the offset and the size along each dimension. A dynamic size stands for the whole dimension,
/// with offset 0.
struct Box {
  SmallVector<int64_t> offsets, sizes;

  explicit Box(RankedTensorType type) : offsets(type.getRank(), 0), sizes(type.getShape()) {}
  Box(ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) : offsets(offsets), sizes(sizes) {}

  unsigned getRank() const { return sizes.size(); }
  int64_t getEnd(unsigned dim) const { return offsets[dim] + sizes[dim]; }
  bool operator==(const Box &other) const { return offsets == other.offsets && sizes == other.sizes; }
  bool covers(RankedTensorType type) const { return type.getShape() == ArrayRef(sizes); }
  bool isDisjointFrom(const Box &other) const {
    return llvm::any_of(llvm::seq(getRank()), [&](unsigned dim) {
      if (ShapedType::isDynamic(sizes[dim]) || ShapedType::isDynamic(other.sizes[dim]))
        return false;
      return getEnd(dim) <= other.offsets[dim] || other.getEnd(dim) <= offsets[dim];
    });
  }
  void extendTo(const Box &other) {
    for (unsigned dim = 0; dim < getRank(); ++dim) {
      if (ShapedType::isDynamic(sizes[dim]))
        continue;
      if (ShapedType::isDynamic(other.sizes[dim])) {
        offsets[dim] = 0, sizes[dim] = ShapedType::kDynamic;
        continue;
      }
      const int64_t end = std::max(getEnd(dim), other.getEnd(dim));
      offsets[dim] = std::min(offsets[dim], other.offsets[dim]);
      sizes[dim] = end - offsets[dim];
    }
  }
};

/// Tensors that are beside each other in a larger one.
struct Concatenation {
  int64_t dim;
  SmallVector<Value> pieces;
};

/// The sizes of a part of a tensor.
SmallVector<OpFoldResult> getSizes(OpBuilder &b, Location loc, Value tensor, const Box &box);

/// The part of the tensor `whole` that a slice of known offsets and sizes has, without steps.
std::optional<Box> getBox(OffsetSizeAndStrideOpInterface slice, Value whole, const TensorSizes &sizes);

/// Matches `tensor.concat`, and insertions that fill an empty tensor.
std::optional<Concatenation> getConcatenation(Value value, const TensorSizes &sizes);

/// Inserts pieces into an empty tensor, beside each other along dimension `dim`.
Value concatenate(OpBuilder &b, Location loc, int64_t dim, ArrayRef<Value> pieces);

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_TENSORPARTS_H
