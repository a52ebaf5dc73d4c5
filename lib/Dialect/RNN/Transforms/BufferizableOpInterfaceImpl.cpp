//===- BufferizableOpInterfaceImpl.cpp - bufferize the rnn ops ---------------===//
//
// A layer op reads its operands and writes new buffers, one per result with uses. `rnn.cudnn_backprop` with lowering
// `runtime` also writes its reserve space. The reserve space is copied if it has other uses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::bufferization;

namespace {

/// Returns true if a forward op of the same block writes `reserve`, and its only reader is `user`.
bool isPrivateReserve(Value reserve, Operation *user) {
  while (auto cast = reserve.getDefiningOp<tensor::CastOp>()) {
    if (!reserve.hasOneUse())
      return false;
    reserve = cast.getSource();
  }
  auto forward = reserve.getDefiningOp<CudnnForwardOp>();
  return forward && reserve.hasOneUse() && forward->getBlock() == user->getBlock();
}

template <typename OpTy> struct LayerOpModel : public BufferizableOpInterface::ExternalModel<LayerOpModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const { return true; }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const { return false; }
  AliasingValueList getAliasingValues(Operation *, OpOperand &, const AnalysisState &) const { return {}; }
  bool bufferizesToAllocation(Operation *, Value) const { return true; }

  LogicalResult resolveConflicts(Operation *op, RewriterBase &rewriter, const AnalysisState &analysisState,
                                 const BufferizationState &state) const {
    auto bufferizable = cast<BufferizableOpInterface>(op);
    if (failed(bufferizable.resolveTensorOpOperandConflicts(rewriter, analysisState, state)))
      return failure();
    auto backprop = dyn_cast<CudnnBackpropOp>(op);
    // The analysis only models writes through results, so the copy of the reserve space is inserted here. In memref
    // form the op overwrites the buffer.
    if (!backprop || !backprop.isValueForm() || backprop.getLowering() == Lowering::Fused ||
        isPrivateReserve(backprop.getReserveSpace(), op))
      return success();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    FailureOr<Value> copy = allocateTensorForShapedValue(rewriter, op->getLoc(), backprop.getReserveSpace(),
                                                         analysisState.getOptions(), state, /*copy=*/true);
    if (failed(copy))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { backprop.getReserveSpaceMutable().set(*copy); });
    return success();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto layer = cast<LayerOpInterface>(op);
    const OpSignature &signature = layer.getSignature();
    Location loc = op->getLoc();
    IRMapping buffers;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.map(operand, *buffer);
      operands.push_back(*buffer);
    }
    FailureOr<SmallVector<SmallVector<OpFoldResult>>> sizes = getResultSizes(layer, rewriter, buffers);
    if (failed(sizes))
      return op->emitError("cannot be bufferized: the sizes of its results cannot be computed");
    SmallVector<int32_t> segments;
    for (unsigned index = 0, end = signature.operands.size(); index < end; ++index)
      segments.push_back(layer.getOperandsOf(index).size());
    for (unsigned index = 0, end = signature.results.size(); index < end; ++index) {
      ResultRange results = layer.getResultsOf(index);
      // A list of outs must be complete. A single result without uses gets no buffer and is not computed.
      bool needed =
          signature.results[index].variadic || llvm::any_of(results, [](Value result) { return !result.use_empty(); });
      segments.push_back(needed ? results.size() : 0);
      if (!needed)
        continue;
      for (OpResult result : results) {
        auto type = cast<RankedTensorType>(result.getType());
        SmallVector<Value> dynamic;
        for (auto [dim, size] : llvm::enumerate((*sizes)[result.getResultNumber()]))
          if (type.isDynamicDim(dim))
            dynamic.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, size));
        FailureOr<Value> buffer =
            options.createAlloc(rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()), dynamic);
        if (failed(buffer))
          return failure();
        operands.push_back(*buffer);
        buffers.map(result, *buffer);
      }
    }
    NamedAttrList attributes(op->getAttrDictionary());
    if (attributes.get("operandSegmentSizes"))
      attributes.set("operandSegmentSizes", rewriter.getDenseI32ArrayAttr(segments));
    if (attributes.get("resultSegmentSizes"))
      attributes.set("resultSegmentSizes",
                     rewriter.getDenseI32ArrayAttr(SmallVector<int32_t>(signature.results.size(), 0)));
    OperationState newState(loc, op->getName(), operands, /*types=*/{}, attributes.getAttrs());
    rewriter.create(newState);
    for (OpResult result : op->getResults()) {
      if (Value buffer = buffers.lookupOrNull(result))
        rewriter.replaceAllUsesWith(result, ToTensorOp::create(rewriter, loc, result.getType(), buffer).getResult());
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Computes the sizes of all results from the buffers of the operands.
  static FailureOr<SmallVector<SmallVector<OpFoldResult>>> getResultSizes(LayerOpInterface op, RewriterBase &rewriter,
                                                                          const IRMapping &buffers) {
    SmallVector<SmallVector<OpFoldResult>> sizes(op->getNumResults());
    Location loc = op.getLoc();
    if (isa<CudnnCanonicalToParamsOp, CudnnParamsToCanonicalOp>(op.getOperation())) {
      // The sizes are index operands, so reification does not read tensors.
      ReifiedRankedShapedTypeDims shapes;
      if (failed(cast<ReifyRankedShapedTypeOpInterface>(op.getOperation()).reifyResultShapes(rewriter, shapes)))
        return failure();
      return SmallVector<SmallVector<OpFoldResult>>(shapes.begin(), shapes.end());
    }
    auto sizeOf = [&](Value operand, unsigned dim) {
      return memref::getMixedSize(rewriter, loc, buffers.lookup(operand), dim);
    };
    ShapeRules rules = getShapeRules(op);
    SmallVector<OpFoldResult> symbols = materializeSymbolicDims(rewriter, loc, rules, sizeOf);
    for (const ShapeRules::Rule &rule : rules.getResultRules()) {
      OpResult result = *op.getResultsOf(rule.resultIndex).begin();
      if (result.use_empty())
        continue;
      auto type = cast<RankedTensorType>(result.getType());
      for (auto [dim, expr] : llvm::enumerate(rule.dims)) {
        OpFoldResult size;
        if (type.isDynamicDim(dim))
          size = expr ? materializeDim(rewriter, loc, expr, symbols)
                      : OpFoldResult(createReserveSize(rewriter, cast<CudnnForwardOp>(op.getOperation()), sizeOf));
        sizes[result.getResultNumber()].push_back(size);
      }
    }
    return sizes;
  }
};

} // namespace

void rnn::registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RNNDialect *) {
    BlockLSTMOp::attachInterface<LayerOpModel<BlockLSTMOp>>(*context);
    BlockLSTMGradOp::attachInterface<LayerOpModel<BlockLSTMGradOp>>(*context);
    CudnnForwardOp::attachInterface<LayerOpModel<CudnnForwardOp>>(*context);
    CudnnBackpropOp::attachInterface<LayerOpModel<CudnnBackpropOp>>(*context);
    CudnnCanonicalToParamsOp::attachInterface<LayerOpModel<CudnnCanonicalToParamsOp>>(*context);
    CudnnParamsToCanonicalOp::attachInterface<LayerOpModel<CudnnParamsToCanonicalOp>>(*context);
  });
}
