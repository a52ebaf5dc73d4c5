//===- TilingInterfaceImpl.cpp - tiles of the batch --------------------------===//
//
// The models of upstream's TilingInterface for the block ops: one parallel loop over the batch. An op of which a sum
// over the batch is used, or in memref form, has no loop. The cudnn ops have no model, since a tile is no part of their
// reserve space: it is that of the whole batch in training, and empty otherwise, where upstream's slices of empty
// tensors do not verify.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IterationSpace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

/// Returns a used result that is a sum over the batch, or none. Tiling clones the op, and clones have no uses: only the
/// methods that describe the loops see the original.
std::optional<unsigned> findUsedSum(LayerOpInterface op, const IterationSpace &space) {
  for (OpResult result : op->getResults())
    if (unsigned value = op->getNumOperands() + result.getResultNumber();
        !result.use_empty() && !space.getBatchDim(value))
      return value;
  return std::nullopt;
}

template <typename OpTy> struct TilingModel : public TilingInterface::ExternalModel<TilingModel<OpTy>, OpTy> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *operation) const {
    auto op = cast<LayerOpInterface>(operation);
    if (!op.isValueForm() || findUsedSum(op, getIterationSpace(op)))
      return {};
    return {utils::IteratorType::parallel};
  }

  SmallVector<Range> getIterationDomain(Operation *operation, OpBuilder &b) const {
    auto op = cast<LayerOpInterface>(operation);
    if (getLoopIteratorTypes(operation).empty())
      return {};
    ShapeRules rules = getShapeRules(op);
    SmallVector<OpFoldResult> sizes = materializeSymbolicDims(b, op->getLoc(), rules);
    return {{b.getIndexAttr(0), sizes[rules.getSymbolIndex("B")], b.getIndexAttr(1)}};
  }

  FailureOr<TilingResult> getTiledImplementation(Operation *operation, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes) const {
    auto op = cast<LayerOpInterface>(operation);
    if (offsets.empty()) // no loop
      return failure();
    IterationSpace space = getIterationSpace(op);
    Location loc = op->getLoc();
    TilingResult tiled;
    SmallVector<Value> operands;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      std::optional<unsigned> batch = space.getBatchDim(index);
      if (!batch) {
        operands.push_back(operand);
        continue;
      }
      SmallVector<OpFoldResult> sliceSizes = tensor::getMixedSizes(b, loc, operand);
      SmallVector<OpFoldResult> zeros(sliceSizes.size(), b.getIndexAttr(0)), ones(sliceSizes.size(), b.getIndexAttr(1));
      sliceSizes[*batch] = sizes[0];
      zeros[*batch] = offsets[0];
      auto slice = tensor::ExtractSliceOp::create(b, loc, operand, zeros, sliceSizes, ones);
      tiled.generatedSlices.push_back(slice);
      operands.push_back(slice);
    }
    SmallVector<Type> types;
    for (OpResult result : op->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      SmallVector<int64_t> shape(type.getShape());
      if (std::optional<unsigned> batch = space.getBatchDim(op->getNumOperands() + result.getResultNumber()))
        shape[*batch] = getConstantIntValue(sizes[0]).value_or(ShapedType::kDynamic);
      types.push_back(RankedTensorType::get(shape, type.getElementType()));
    }
    Operation *tile = mlir::clone(b, operation, types, operands);
    tiled.tiledOps.push_back(tile);
    tiled.tiledValues.assign(tile->result_begin(), tile->result_end());
    return tiled;
  }

  LogicalResult getResultTilePosition(Operation *operation, OpBuilder &b, unsigned resultNumber,
                                      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                      SmallVector<OpFoldResult> &resultOffsets,
                                      SmallVector<OpFoldResult> &resultSizes) const {
    auto op = cast<LayerOpInterface>(operation);
    ReifiedRankedShapedTypeDims shapes;
    if (failed(cast<ReifyRankedShapedTypeOpInterface>(operation).reifyResultShapes(b, shapes)))
      return failure();
    resultSizes = shapes[resultNumber];
    resultOffsets.assign(resultSizes.size(), b.getIndexAttr(0));
    if (std::optional<unsigned> batch = getIterationSpace(op).getBatchDim(op->getNumOperands() + resultNumber)) {
      resultOffsets[*batch] = offsets[0];
      resultSizes[*batch] = sizes[0];
    }
    return success();
  }

  /// A tile of a result is one of the op if it contains all of the other dimensions.
  LogicalResult getIterationDomainTileFromResultTile(Operation *operation, OpBuilder &, unsigned resultNumber,
                                                     ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                     SmallVectorImpl<OpFoldResult> &domainOffsets,
                                                     SmallVectorImpl<OpFoldResult> &domainSizes) const {
    auto op = cast<LayerOpInterface>(operation);
    std::optional<unsigned> batch = getIterationSpace(op).getBatchDim(op->getNumOperands() + resultNumber);
    auto type = cast<RankedTensorType>(operation->getResult(resultNumber).getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      bool isWhole = isConstantIntValue(offsets[dim], 0) && !type.isDynamicDim(dim) &&
                     isConstantIntValue(sizes[dim], type.getDimSize(dim));
      if (batch != static_cast<unsigned>(dim) && !isWhole)
        return failure();
    }
    if (!batch)
      return failure();
    domainOffsets.assign(1, offsets[*batch]);
    domainSizes.assign(1, sizes[*batch]);
    return success();
  }

  FailureOr<TilingResult> generateResultTileValue(Operation *operation, OpBuilder &b, unsigned resultNumber,
                                                  ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) const {
    SmallVector<OpFoldResult> domainOffsets, domainSizes;
    if (failed(getIterationDomainTileFromResultTile(operation, b, resultNumber, offsets, sizes, domainOffsets,
                                                    domainSizes)))
      return failure();
    FailureOr<TilingResult> tiled = getTiledImplementation(operation, b, domainOffsets, domainSizes);
    if (failed(tiled))
      return failure();
    tiled->tiledValues = {tiled->tiledOps.front()->getResult(resultNumber)};
    return tiled;
  }
};

template <typename... OpTys> void attachModels(MLIRContext *context) {
  (OpTys::template attachInterface<TilingModel<OpTys>>(*context), ...);
}

} // namespace

void rnn::registerTilingInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RNNDialect *) {
    attachModels<BlockLSTMOp, BlockLSTMGradOp>(context);
    context->loadDialect<affine::AffineDialect, arith::ArithDialect, tensor::TensorDialect>();
  });
}
