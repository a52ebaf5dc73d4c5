//===- TensorParts.cpp - boxes and concatenations of tensors ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorParts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rnn;

SmallVector<OpFoldResult> rnn::getSizes(OpBuilder &b, Location loc, Value tensor, const Box &box) {
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(box.sizes))
    sizes.push_back(ShapedType::isDynamic(size) ? tensor::getMixedSize(b, loc, tensor, dim)
                                                : OpFoldResult(b.getIndexAttr(size)));
  return sizes;
}

std::optional<Box> rnn::getBox(OffsetSizeAndStrideOpInterface slice, Value whole, const TensorSizes &sizes) {
  if (ShapedType::isDynamicShape(slice.getStaticOffsets()) || !slice.hasUnitStride())
    return std::nullopt;
  Box box(slice.getStaticOffsets(), slice.getStaticSizes());
  for (unsigned dim = 0; dim < box.getRank(); ++dim) {
    if (!slice.isDynamicSize(dim))
      continue;
    if (!sizes.coversDim(slice, whole, dim))
      return std::nullopt;
    box.sizes[dim] = cast<RankedTensorType>(whole.getType()).getDimSize(dim);
  }
  return box;
}

std::optional<Concatenation> rnn::getConcatenation(Value value, const TensorSizes &sizes) {
  auto type = cast<RankedTensorType>(value.getType());
  if (auto concat = value.getDefiningOp<tensor::ConcatOp>())
    return Concatenation{int64_t(concat.getDim()), llvm::to_vector(concat.getInputs())};
  SmallVector<std::pair<Box, Value>> pieces;
  while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
    std::optional<Box> box = getBox(insert, insert.getDest(), sizes);
    if (!box || insert.getSourceType().getRank() != type.getRank())
      return std::nullopt;
    pieces.emplace_back(*box, insert.getSource());
    value = insert.getDest();
  }
  if (pieces.size() < 2 || !value.getDefiningOp<tensor::EmptyOp>())
    return std::nullopt;
  const Box &first = pieces.front().first;
  Concatenation result;
  result.dim = 0;
  while (result.dim < type.getRank() && first.sizes[result.dim] == type.getDimSize(result.dim))
    ++result.dim;
  if (result.dim == type.getRank() || type.isDynamicDim(result.dim))
    return std::nullopt;
  llvm::sort(pieces,
             [&](const auto &a, const auto &b) { return a.first.offsets[result.dim] < b.first.offsets[result.dim]; });
  Box expected(type);
  expected.sizes[result.dim] = 0;
  for (auto &[box, piece] : pieces) {
    expected.offsets[result.dim] += expected.sizes[result.dim];
    expected.sizes[result.dim] = box.sizes[result.dim];
    if (box.offsets != expected.offsets || box.sizes != expected.sizes)
      return std::nullopt;
    result.pieces.push_back(piece);
  }
  return expected.getEnd(result.dim) == type.getDimSize(result.dim) ? std::optional(result) : std::nullopt;
}

Value rnn::concatenate(OpBuilder &b, Location loc, int64_t dim, ArrayRef<Value> pieces) {
  if (pieces.size() == 1)
    return pieces.front();
  RankedTensorType type = tensor::ConcatOp::inferResultType(dim, ValueRange(pieces).getTypes());
  Box box(type);
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  auto getSizesOfBox = [&] { return getSizes(b, loc, pieces.front(), box); };
  Value result = tensor::EmptyOp::create(b, loc, getSizesOfBox(), type.getElementType());
  for (Value piece : pieces) {
    box.sizes[dim] = cast<RankedTensorType>(piece.getType()).getDimSize(dim);
    result = tensor::InsertSliceOp::create(b, loc, piece, result, getAsIndexOpFoldResult(b.getContext(), box.offsets),
                                           getSizesOfBox(), strides);
    box.offsets[dim] += box.sizes[dim];
  }
  return result;
}
