//===- FoldTransposes.cpp - time-major layers between transposes -------------===//
//
// Layers whose sequences all come from transposes of batch-major data, and all go to such transposes, become
// batch-major. Layers that pass sequences or reserve spaces to each other, such as a stack of ops or a layer and its
// gradient, are rewritten together.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "rnn/Dialect/RNN/IR/Sequences.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

/// The largest group that is rewritten, which bounds the time of the search.
constexpr size_t mostLayers = 64;

bool isLayer(Operation *op) {
  return isa_and_nonnull<CudnnForwardOp, CudnnBackpropOp, BlockLSTMOp, BlockLSTMGradOp>(op);
}

/// Returns the source of a transposition that exchanges the first two dimensions, or null.
Value getTransposed(Value value) {
  auto transpose = value.getDefiningOp<linalg::TransposeOp>();
  if (!transpose)
    return {};
  const int64_t rank = transpose.getPermutation().size();
  bool exchanges = rank >= 2 && transpose.getPermutation() == ArrayRef<int64_t>(getSequencePermutation(rank));
  return exchanges ? transpose.getInput() : Value();
}

/// The description of an operand of a layer in value form.
const NamedValue &getSpec(OpOperand &operand) {
  auto op = cast<LayerOpInterface>(operand.getOwner());
  ArrayRef<NamedValue> specs = op.getSignature().operands;
  unsigned index = 0;
  while (operand.getOperandNumber() >= op.getOperandsOf(index).getBeginOperandIndex() + op.getOperandsOf(index).size())
    ++index;
  return specs[index];
}

/// The description of a result of a layer.
const NamedValue &getSpec(OpResult result) {
  auto op = cast<LayerOpInterface>(result.getOwner());
  unsigned index = 0;
  while (!llvm::is_contained(op.getResultsOf(index), result))
    ++index;
  return op.getSignature().results[index];
}

/// Whether a layer passes the value to another layer as what it is. A sequence as a state, or the reverse, has another
/// order of dimensions.
bool isPassedOn(const NamedValue &result, const NamedValue &operand) {
  return result.isSequence() ? operand.isSequence()
                             : result.kind == ValueKind::Reserve && operand.kind == ValueKind::Reserve;
}

/// Layers that must have the same order of sequences.
class Group {
public:
  /// Returns failure if a value prevents the rewrite.
  LogicalResult collect(LayerOpInterface first) {
    layers.insert(first);
    for (size_t next = 0; next < layers.size(); ++next)
      if (layers.size() > mostLayers || failed(visit(cast<LayerOpInterface>(layers[next]))))
        return failure();
    // A member that transposes a sequence of a member would need it in both orders.
    bool isMixed = llvm::any_of(sources, [&](Value source) { return layers.contains(source.getDefiningOp()); });
    return success(hasTransposes && !isMixed);
  }

  void rewrite(PatternRewriter &rewriter) {
    for (Operation *op : layers)
      rewriteOperands(cast<LayerOpInterface>(op), rewriter);
    for (Operation *op : layers)
      rewriteResults(cast<LayerOpInterface>(op), rewriter);
  }

private:
  static bool canChange(Operation *op) {
    auto layer = cast<LayerOpInterface>(op);
    return layer.isValueForm() && !layer.getLowering() && !op->hasAttr("batch_major");
  }

  LogicalResult visit(LayerOpInterface op) {
    if (!canChange(op))
      return failure();
    for (auto [index, spec] : llvm::enumerate(op.getSignature().operands))
      for (Value value : op.getOperandsOf(index))
        if (failed(visitOperand(spec, value)))
          return failure();
    for (auto [index, spec] : llvm::enumerate(op.getSignature().results))
      for (Value value : op.getResultsOf(index))
        if (failed(visitResult(spec, value)))
          return failure();
    return success();
  }

  LogicalResult visitOperand(const NamedValue &spec, Value value) {
    Operation *definition = value.getDefiningOp();
    if (spec.kind == ValueKind::Reserve) {
      // The forward op is unknown: it may be a cuDNN plan, whose order must be that of the gradient.
      if (!isLayer(definition))
        return failure();
    } else if (!spec.isSequence()) {
      return success();
    }
    if (isLayer(definition)) {
      layers.insert(definition);
      return success(isPassedOn(getSpec(cast<OpResult>(value)), spec));
    }
    Value source = getTransposed(value);
    if (!source)
      return failure();
    sources.push_back(source);
    hasTransposes = true;
    return success();
  }

  LogicalResult visitResult(const NamedValue &spec, Value value) {
    if (!spec.isSequence() && spec.kind != ValueKind::Reserve)
      return success();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isLayer(user)) {
        if (!isPassedOn(spec, getSpec(use)))
          return failure();
        layers.insert(user);
        continue;
      }
      auto transpose = dyn_cast<linalg::TransposeOp>(user);
      bool isInput = transpose && use.get() == transpose.getInput() && use.getOperandNumber() == 0;
      if (spec.kind == ValueKind::Reserve || !isInput || !getTransposed(transpose->getResult(0)))
        return failure();
      hasTransposes = true;
    }
    return success();
  }

  void rewriteOperands(LayerOpInterface op, PatternRewriter &rewriter) {
    rewriter.modifyOpInPlace(op, [&] {
      for (auto [index, spec] : llvm::enumerate(op.getSignature().operands)) {
        OperandRange values = op.getOperandsOf(index);
        if (!spec.isSequence() || values.empty() || isLayer(values.front().getDefiningOp()))
          continue;
        op->setOperand(values.getBeginOperandIndex(), getTransposed(values.front()));
      }
      op->setAttr("batch_major", rewriter.getUnitAttr());
    });
  }

  void rewriteResults(LayerOpInterface op, PatternRewriter &rewriter) {
    for (auto [index, spec] : llvm::enumerate(op.getSignature().results)) {
      if (!spec.isSequence())
        continue;
      Value result = op.getResultsOf(index).front();
      auto type = cast<RankedTensorType>(result.getType());
      rewriter.modifyOpInPlace(op, [&] { result.setType(getTransposedSequence(type)); });
      for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
        auto transpose = dyn_cast<linalg::TransposeOp>(user);
        if (!transpose)
          continue;
        Value replaced = result;
        if (transpose->getResult(0).getType() != result.getType()) {
          rewriter.setInsertionPoint(transpose);
          replaced = tensor::CastOp::create(rewriter, transpose.getLoc(), transpose->getResult(0).getType(), result);
        }
        rewriter.replaceOp(transpose, replaced);
      }
    }
  }

  llvm::SetVector<Operation *> layers;
  SmallVector<Value> sources;
  bool hasTransposes = false;
};

struct FoldTransposes : public OpInterfaceRewritePattern<LayerOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(LayerOpInterface op, PatternRewriter &rewriter) const override {
    Group group;
    if (!isLayer(op) || failed(group.collect(op)))
      return rewriter.notifyMatchFailure(op, "not all sequences are transposed");
    group.rewrite(rewriter);
    return success();
  }
};

} // namespace

void rnn::detail::addTransposeFolds(RewritePatternSet &patterns) {
  patterns.add<FoldTransposes>(patterns.getContext());
}
