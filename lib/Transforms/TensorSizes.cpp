//===- TensorSizes.cpp - which sizes of tensors are equal ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnn;

/// Longer chains of ops have unknown sizes.
static constexpr unsigned mostDepth = 64;

TensorSizes::TensorSizes(Operation *root) {
  root->walk([&](scf::ForOp loop) {
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (type.isDynamicDim(dim))
            kept.insert({argument, dim});
  });
  // Assume that each carried tensor keeps its sizes, and remove the assumptions that do not follow from the others.
  // When none is left to remove, the rest hold by induction over the iterations.
  auto isChanged = [&](std::pair<Value, int64_t> entry) {
    auto argument = cast<BlockArgument>(entry.first);
    auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return getSize(loop.getTiedLoopYieldedValue(argument)->get(), entry.second) !=
           getSize(loop.getTiedLoopInit(argument)->get(), entry.second);
  };
  while (kept.remove_if(isChanged))
    ;
}

bool TensorSizes::haveEqualShapes(Value tensor, Value other) const {
  const int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return cast<RankedTensorType>(other.getType()).getRank() == rank &&
         llvm::all_of(llvm::seq<int64_t>(0, rank),
                      [&](int64_t dim) { return getSize(tensor, dim) == getSize(other, dim); });
}

bool TensorSizes::coversDim(OffsetSizeAndStrideOpInterface slice, Value whole, unsigned dim) const {
  if (slice.isDynamicOffset(dim) || slice.isDynamicStride(dim) || slice.getStaticOffset(dim) != 0 ||
      slice.getStaticStride(dim) != 1)
    return false;
  const TensorSize size =
      slice.isDynamicSize(dim) ? getIndex(slice.getDynamicSize(dim)) : TensorSize{Value(), slice.getStaticSize(dim)};
  return size == getSize(whole, dim);
}

TensorSize TensorSizes::getCarried(scf::ForOp loop, unsigned carried, Value unknown, int64_t dim,
                                   unsigned depth) const {
  if (kept.contains({loop.getRegionIterArg(carried), dim}))
    return getSize(loop.getInits()[carried], dim, depth);
  return {unknown, dim};
}

TensorSize TensorSizes::getSize(Value tensor, int64_t dim, unsigned depth) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  const TensorSize unknown = {tensor, dim};
  if (!type || ++depth > mostDepth)
    return unknown;
  if (!type.isDynamicDim(dim))
    return {Value(), type.getDimSize(dim)};
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument.getArgNumber() == 0)
      return unknown;
    return getCarried(loop, argument.getArgNumber() - 1, tensor, dim, depth);
  }
  Operation *op = tensor.getDefiningOp();
  const unsigned result = cast<OpResult>(tensor).getResultNumber();
  return llvm::TypeSwitch<Operation *, TensorSize>(op)
      .Case([&](tensor::EmptyOp empty) { return getIndex(empty.getDynamicSize(dim), depth); })
      .Case([&](tensor::CastOp cast) {
        return isa<RankedTensorType>(cast.getSource().getType()) ? getSize(cast.getSource(), dim, depth) : unknown;
      })
      .Case([&](tensor::InsertSliceOp insert) { return getSize(insert.getDest(), dim, depth); })
      .Case([&](tensor::ExtractSliceOp slice) {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        SmallVector<OpFoldResult> sizes;
        for (auto [index, size] : llvm::enumerate(slice.getMixedSizes()))
          if (!dropped[index])
            sizes.push_back(size);
        return getIndex(sizes[dim], depth);
      })
      .Case([&](tensor::ExpandShapeOp expand) { return getIndex(expand.getMixedOutputShape()[dim], depth); })
      .Case([&](tensor::CollapseShapeOp collapse) {
        // If one dimension of the group has another size than 1, the collapsed size is that size.
        std::optional<int64_t> from;
        const ReassociationIndices group = collapse.getReassociationIndices()[dim];
        for (int64_t source : group) {
          if (collapse.getSrcType().getDimSize(source) == 1)
            continue;
          if (from)
            return unknown;
          from = source;
        }
        return from ? getSize(collapse.getSrc(), *from, depth) : unknown;
      })
      .Case([&](scf::ForOp loop) { return getCarried(loop, result, tensor, dim, depth); })
      .Case([&](DestinationStyleOpInterface op) {
        return getSize(op.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim, depth);
      })
      .Default(unknown);
}

TensorSize TensorSizes::getIndex(OpFoldResult index, unsigned depth) const {
  if (auto value = dyn_cast<Value>(index))
    return getIndex(value, depth);
  return {Value(), *getConstantIntValue(index)};
}

TensorSize TensorSizes::getIndex(Value index, unsigned depth) const {
  const TensorSize unknown = {index, 0};
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return {Value(), *constant};
  Operation *op = index.getDefiningOp();
  if (!op || ++depth > mostDepth)
    return unknown;
  auto getIfEqual = [&](Value left, Value right) {
    TensorSize size = getIndex(left, depth);
    return size == getIndex(right, depth) ? size : unknown;
  };
  return llvm::TypeSwitch<Operation *, TensorSize>(op)
      .Case([&](tensor::DimOp op) {
        std::optional<int64_t> dim = op.getConstantIndex();
        return dim && isa<RankedTensorType>(op.getSource().getType()) ? getSize(op.getSource(), *dim, depth) : unknown;
      })
      // Programs with 32-bit sizes have none that need more.
      .Case([&](arith::IndexCastOp cast) { return getIndex(cast.getIn(), depth); })
      .Case([&](arith::SelectOp select) { return getIfEqual(select.getTrueValue(), select.getFalseValue()); })
      .Case<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
          [&](auto op) { return getIfEqual(op.getLhs(), op.getRhs()); })
      .Default(unknown);
}
