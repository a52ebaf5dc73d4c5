//===- ArrangedContraction.cpp - packed GEMMs of copied operands --------------===//
//
// A packed GEMM reads matrices: the dimensions of each group of loops are consecutive in each operand. Others, such as
// `bhtd,hde->bte`, are copied first, or the result afterwards, if each element is used often enough.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedContraction.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

/// Whether different indices are one element, as in the windows of an image. Their copy would be larger by the number
/// of elements of a window.
static bool overlaps(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  SmallVector<std::pair<int64_t, int64_t>> dims; // stride and size
  for (auto [stride, size] : llvm::zip_equal(strides, type.getShape()))
    if (!ShapedType::isDynamic(stride) && size != 1)
      dims.push_back({stride, size});
  llvm::sort(dims);
  for (size_t k = 1; k < dims.size(); ++k)
    if (auto [stride, size] = dims[k - 1];
        ShapedType::isDynamic(size) ? dims[k].first == stride : dims[k].first < stride * size)
      return true;
  return false;
}

/// Whether a packed GEMM of the copies pays. Unknown sizes count as large.
bool PackedContraction::areCopiesWorthwhile() {
  // Vector loops read a left operand one element at a time, in any order. They gather a right operand whose last loop
  // is not that of the result.
  unsigned resultIndex = op.getNumDpsInputs();
  right.type = cast<MemRefType>(op->getOperand(rightIndex).getType());
  right.rows = getLastLoop(rightIndex) == getLastLoop(resultIndex) ? K : N;
  if (isKnownLarge() == false)
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  // The loops compute windows without a copy, as fast as the GEMM does, unless this has dot products.
  const bool copiesWindows =
      hasDotProducts(getElementTypeOrSelf(right.type), llvm::is_contained(loops[M], getLastLoop(leftIndex)));
  return llvm::all_of(scattered, [&](unsigned operand) {
    if (!copiesWindows && overlaps(cast<MemRefType>(op->getOperand(operand).getType())))
      return false;
    // The elements of an operand are used once for each iteration of the loops that it does not have.
    Group others = operand == leftIndex ? N : operand == rightIndex ? M : K;
    uint64_t uses = 1;
    for (unsigned loop : loops[others])
      if (ShapedType::isDynamic(ranges[loop]) || (uses *= ranges[loop]) >= fewestUses)
        return true;
    return false;
  });
}

/// The loops of an operand in the order of the dimensions of a copy. The last dimension stays in the last group, so
/// that most copies read and write contiguous elements.
SmallVector<unsigned> PackedContraction::getArrangedLoops(unsigned operand) {
  Group first = operand == rightIndex ? K : M, second = operand == leftIndex ? K : N;
  if (llvm::is_contained(loops[first], getLastLoop(operand)))
    std::swap(first, second);
  SmallVector<unsigned> arranged(batchLoops);
  llvm::append_range(arranged, loops[first]);
  llvm::append_range(arranged, loops[second]);
  return arranged;
}

FailureOr<bool> PackedContraction::arrange(bool isZero) {
  if (scattered.empty() || !areCopiesWorthwhile())
    return failure();
  SmallVector<OperandOrder> orders;
  for (unsigned operand : scattered)
    orders.push_back({operand, getArrangedLoops(operand)});
  return convertOnCopies(op, orders, isZero, vectors, library, [&](linalg::LinalgOp arranged) {
    return convertToPackedOrLoops(arranged, isZero, vectors, library);
  });
}
