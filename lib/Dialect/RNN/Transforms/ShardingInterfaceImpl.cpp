//===- ShardingInterfaceImpl.cpp - layers on a grid of processes -------------===//
//
// The models of upstream's shard::ShardingInterface. The rows of a batch do not depend on each other, so a layer can
// be split along B: each process runs the op on its rows. A result without the dimension B, such as the gradient of the
// parameters, is then the sum over the processes. Every other dimension stays whole: a step needs the states of the
// step before (T), and a row of a product needs all hidden units (H).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Shard/Interfaces/ShardingInterfaceImpl.h"
#include "IterationSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::rnn;
using shard::GridAxis;
using shard::Sharding;
using shard::ShardingOption;

namespace {

ArrayRef<GridAxis> getAxes(const Sharding &sharding, unsigned dim) {
  return dim < sharding.getSplitAxes().size() ? sharding.getSplitAxes()[dim].asArrayRef() : ArrayRef<GridAxis>();
}

/// Calls `visit` with the index of the value in `loops`, the dimension and its loop, for each dimension of each value
/// with a sharding. Stops if it returns false.
void forEachDim(const IterationSpace &loops, ArrayRef<Sharding> shardings, unsigned firstValue,
                function_ref<bool(unsigned, unsigned, unsigned)> visit) {
  for (auto [index, sharding] : llvm::enumerate(shardings)) {
    if (!sharding)
      continue;
    for (auto [dim, expr] : llvm::enumerate(loops.maps[firstValue + index].getResults()))
      if (!visit(firstValue + index, dim, cast<AffineDimExpr>(expr).getPosition()))
        return;
  }
}

/// Whether the program requires the sharding of a value at this op: an annotation that is not for another op.
bool isRequired(Operation *op, unsigned value) {
  if (value < op->getNumOperands()) {
    auto annotation = op->getOperand(value).getDefiningOp<shard::ShardOp>();
    return annotation && annotation.getAnnotateForUsers();
  }
  return llvm::any_of(op->getResult(value - op->getNumOperands()).getUsers(), [](Operation *user) {
    auto annotation = dyn_cast<shard::ShardOp>(user);
    return annotation && !annotation.getAnnotateForUsers();
  });
}

InFlightDiagnostic emitUnsplittable(LayerOpInterface op, StringRef loop) {
  InFlightDiagnostic diagnostic = op->emitOpError("cannot be split along ") << loop << ": ";
  if (loop == "T")
    diagnostic << "every step needs the states of the step before";
  else if (loop == "I")
    diagnostic << "every hidden unit needs all inputs of a step";
  else if (StringRef(loop).contains('H') || StringRef(loop).contains('P'))
    diagnostic << "every step needs all hidden units of the step before";
  else if (StringRef(loop).contains('L'))
    diagnostic << "a layer needs the output of the layer below";
  else
    diagnostic << "the layout of the data is that of the whole op";
  diagnostic << "; expected a split along B only, with all other dimensions whole";
  return diagnostic;
}

/// Reports what forbids to split the batch along `axes` of `grid`.
LogicalResult verifySplit(LayerOpInterface op, FlatSymbolRefAttr gridName, ArrayRef<GridAxis> axes) {
  if (axes.empty())
    return success();
  auto refuseDropout = [&](auto layer) -> LogicalResult {
    return layer.emitOpError("draws dropout masks by the position in the batch, and every process would draw the same "
                             "masks for its rows; expected `dropout = 0` with a split batch");
  };
  if (auto forward = dyn_cast<CudnnForwardOp>(op.getOperation()); forward && forward.drawsDropout())
    return refuseDropout(forward);
  if (auto backprop = dyn_cast<CudnnBackpropOp>(op.getOperation());
      backprop && backprop.getDropout().convertToDouble() > 0)
    return refuseDropout(backprop);

  SymbolTableCollection symbols;
  shard::GridOp grid = shard::getGridOrNull(op, gridName, symbols);
  if (!grid)
    return op->emitOpError("is split over the grid ") << gridName << ", which the module does not have";
  for (GridAxis axis : axes)
    if (axis < 0 || axis >= grid.getRank())
      return op->emitOpError("is split along axis ")
             << axis << " of the grid " << gridName << ", which has rank " << grid.getRank();
  int64_t processes = shard::collectiveProcessGroupSize(axes, grid);
  ShapeRules rules = getShapeRules(op);
  std::optional<int64_t> rows = rules.getStaticValue("B");
  if (rows && !ShapedType::isDynamic(processes) && *rows % processes != 0)
    return op->emitOpError("cannot split a batch of ")
           << *rows << " rows (" << rules.describe(rules.getSymbols()[rules.getSymbolIndex("B")]) << ") over "
           << processes << " processes evenly; pad the batch to " << (*rows / processes + 1) * processes
           << " rows whose gradients are zero";
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()), SmallVector<Value>(op->getResults()))) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getElementType().isInteger(8) && type.hasStaticShape() && type.getNumElements() > 0)
      return op->emitOpError("with a split batch expects a reserve space of type tensor<?xi8>, but got ")
             << type << ", which is that of the whole batch";
  }
  return success();
}

/// Returns the axes along which complete annotations split the batch. Reports an error if they split another dimension,
/// or values differently.
FailureOr<SmallVector<GridAxis>> getBatchAxes(LayerOpInterface op, const IterationSpace &loops,
                                              ArrayRef<Sharding> operandShardings, ArrayRef<Sharding> resultShardings,
                                              FlatSymbolRefAttr &grid) {
  std::vector<Sharding> all = operandShardings.vec();
  llvm::append_range(all, resultShardings);
  std::optional<SmallVector<GridAxis>> axes;
  StringRef first;
  for (auto [index, sharding] : llvm::enumerate(all)) {
    if (!sharding)
      continue;
    StringRef name = loops.values[index];
    if (grid && grid != sharding.getGridAttr())
      return op->emitOpError("expects one grid for all values, but `")
             << name << "` is on the grid " << sharding.getGridAttr() << " and other values are on " << grid;
    grid = sharding.getGridAttr();
    if (!sharding.getStaticShardedDimsOffsets().empty() || !sharding.getStaticHaloSizes().empty())
      return op->emitOpError("does not support offsets and halos, but `")
             << name << "` has them; expected an even split along B";
    for (auto [dim, expr] : llvm::enumerate(loops.maps[index].getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      ArrayRef<GridAxis> split = getAxes(sharding, dim);
      if (loop != IterationSpace::batch && !split.empty())
        return emitUnsplittable(op, loops.names[loop]) << "; dim " << dim << " of `" << name << "` is split";
      if (loop != IterationSpace::batch)
        continue;
      if (axes && ArrayRef<GridAxis>(*axes) != split)
        return op->emitOpError("expects all values to be split along B in the same way, but `")
               << first << "` and `" << name << "` differ";
      axes = llvm::to_vector(split);
      first = name;
    }
  }
  return axes.value_or(SmallVector<GridAxis>());
}

/// The sum of `value` over the processes along `axes`. 16-bit elements are summed in f32.
Value emitAllReduce(OpBuilder &b, Location loc, Value value, StringRef grid, ArrayRef<GridAxis> axes) {
  auto type = cast<RankedTensorType>(value.getType());
  bool isNarrow = type.getElementTypeBitWidth() < 32;
  if (isNarrow)
    value = arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), value);
  Value sum = shard::AllReduceOp::create(b, loc, value, grid, axes, shard::ReductionKind::Sum);
  return isNarrow ? arith::TruncFOp::create(b, loc, type, sum).getResult() : sum;
}

/// The model of every op. An op without a batch, such as a conversion of parameters, stays whole.
template <typename OpTy>
struct ShardingModel : public shard::ShardingInterface::ExternalModel<ShardingModel<OpTy>, OpTy> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return SmallVector<utils::IteratorType>(getLoops(op).names.size(), utils::IteratorType::parallel);
  }

  SmallVector<shard::ReductionKind> getReductionLoopIteratorKinds(Operation *) const { return {}; }

  SmallVector<AffineMap> getIndexingMaps(Operation *op) const { return getLoops(op).maps; }

  /// Chooses the axes of the batch. An annotation that splits another dimension is an error if it is for this op
  /// (getShardingAnnotations reports it), and no option otherwise.
  FailureOr<ShardingOption> getShardingOption(Operation *op, ArrayRef<Sharding> operandShardings,
                                              ArrayRef<Sharding> resultShardings) const {
    IterationSpace loops = getLoops(op);
    std::vector<Sharding> all = operandShardings.vec();
    llvm::append_range(all, resultShardings);
    shard::ShardingArray option(1);
    FlatSymbolRefAttr grid;
    bool isConsistent = true, isKnown = false;
    forEachDim(loops, all, 0, [&](unsigned value, unsigned dim, unsigned loop) {
      ArrayRef<GridAxis> axes = getAxes(all[value], dim);
      isConsistent = !grid || grid == all[value].getGridAttr();
      grid = all[value].getGridAttr();
      // Values without a batch do not say how to split it.
      isKnown |= loop == IterationSpace::batch || !axes.empty();
      if (axes.empty() || !isConsistent)
        return isConsistent;
      if (loop != IterationSpace::batch) {
        isConsistent = isRequired(op, value);
        option.resize(loop + 1);
        option[loop].assign(axes.begin(), axes.end());
        return false;
      }
      isConsistent = option[loop].empty() || ArrayRef<GridAxis>(option[loop]) == axes;
      option[loop].assign(axes.begin(), axes.end());
      return isConsistent;
    });
    if (!isConsistent)
      return failure();
    if (!grid || (!isKnown && hasBatch(loops)))
      return ShardingOption::makeEmpty();
    return ShardingOption(option, grid);
  }

  FailureOr<std::vector<Sharding>> getShardingAnnotations(Operation *op, const ShardingOption &option) const {
    IterationSpace loops = getLoops(op);
    for (auto [loop, axes] : llvm::enumerate(option.shardingArray))
      if (loop != IterationSpace::batch && !axes.empty())
        return emitUnsplittable(cast<LayerOpInterface>(op), loops.names[loop]);
    if (!option.shardingArray.empty() &&
        failed(verifySplit(cast<LayerOpInterface>(op), option.grid, option.shardingArray[IterationSpace::batch])))
      return failure();
    return shard::detail::defaultGetShardingAnnotations(op, option);
  }

  /// As upstream's, which also annotates scalars, and does not annotate unused results.
  LogicalResult addShardingAnnotations(Operation *op, OpBuilder &b, const ShardingOption &option) const {
    FailureOr<std::vector<Sharding>> shardings = getShardingAnnotations(op, option);
    if (failed(shardings))
      return failure();
    OpBuilder::InsertionGuard guard(b);
    for (OpResult result : op->getResults()) {
      const Sharding &sharding = (*shardings)[op->getNumOperands() + result.getResultNumber()];
      if (!result.use_empty()) {
        shard::maybeInsertTargetShardingAnnotation(sharding, result, b);
        continue;
      }
      b.setInsertionPointAfter(op);
      Value annotation = shard::ShardingOp::create(b, op->getLoc(), sharding);
      shard::ShardOp::create(b, op->getLoc(), result, annotation, /*annotate_for_users=*/false);
    }
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        shard::maybeInsertSourceShardingAnnotation((*shardings)[operand.getOperandNumber()], operand, b);
    return success();
  }

  LogicalResult partition(Operation *op, ArrayRef<Value> partitionedOperands, ArrayRef<Sharding> operandShardings,
                          ArrayRef<Sharding> resultShardings, IRMapping &partitionMap, SymbolTableCollection &symbols,
                          OpBuilder &b) const {
    auto layer = cast<LayerOpInterface>(op);
    IterationSpace loops = getLoops(op);
    FlatSymbolRefAttr grid;
    FailureOr<SmallVector<GridAxis>> axes = getBatchAxes(layer, loops, operandShardings, resultShardings, grid);
    if (failed(axes) || failed(verifySplit(layer, grid, *axes)))
      return failure();
    shard::partitionTriviallyShardableOperation(*op, partitionedOperands, operandShardings, resultShardings,
                                                partitionMap, symbols, b);
    if (axes->empty())
      return success();
    for (OpResult result : op->getResults()) {
      AffineMap map = loops.maps[op->getNumOperands() + result.getResultNumber()];
      bool isUsed = llvm::any_of(result.getUsers(), [](Operation *user) { return !user->use_empty(); });
      if (isUsed && !map.isFunctionOfDim(IterationSpace::batch))
        partitionMap.map(Value(result),
                         emitAllReduce(b, op->getLoc(), partitionMap.lookup(Value(result)), grid.getValue(), *axes));
    }
    return success();
  }

private:
  static IterationSpace getLoops(Operation *op) { return getIterationSpace(cast<LayerOpInterface>(op)); }
  static bool hasBatch(const IterationSpace &loops) {
    return llvm::any_of(loops.maps, [](AffineMap map) { return map.isFunctionOfDim(IterationSpace::batch); });
  }
};

template <typename... OpTys> void attachModels(MLIRContext *context) {
  (OpTys::template attachInterface<ShardingModel<OpTys>>(*context), ...);
}

} // namespace

void rnn::registerShardingInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RNNDialect *) {
    attachModels<CudnnForwardOp, CudnnBackpropOp, CudnnCanonicalToParamsOp, CudnnParamsToCanonicalOp, BlockLSTMOp,
                 BlockLSTMGradOp>(context);
    context->loadDialect<arith::ArithDialect, shard::ShardDialect>();
  });
}
