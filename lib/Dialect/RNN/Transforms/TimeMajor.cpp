//===- TimeMajor.cpp - transposes around batch-major layers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Dialect/RNN/Transforms/TimeMajor.h"
#include "rnn/Dialect/RNN/IR/Sequences.h"
#include "rnn/Dialect/RNN/Transforms/TensorBuilder.h"

using namespace mlir;
using namespace mlir::rnn;

static Value transposeSequence(OpBuilder &b, Location loc, Value source) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> permutation = getSequencePermutation(type.getRank());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, source);
  applyPermutationToVector(sizes, permutation);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  return linalg::TransposeOp::create(b, loc, source, empty, permutation)->getResult(0);
}

void rnn::makeTimeMajor(OpBuilder &b, LayerOpInterface op) {
  if (!op->hasAttr("batch_major"))
    return;
  const OpSignature &signature = op.getSignature();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  for (auto [index, spec] : llvm::enumerate(signature.operands)) {
    OperandRange values = op.getOperandsOf(index);
    if (spec.isSequence() && !values.empty())
      op->setOperand(values.getBeginOperandIndex(), transposeSequence(b, op.getLoc(), values.front()));
  }
  b.setInsertionPointAfter(op);
  for (auto [index, spec] : llvm::enumerate(signature.results)) {
    if (!spec.isSequence())
      continue;
    Value result = op.getResultsOf(index).front();
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(getTransposedSequence(type));
    if (result.use_empty())
      continue;
    SmallVector<OpOperand *> uses = llvm::map_to_vector(result.getUses(), [](OpOperand &use) { return &use; });
    TensorBuilder t(b, op.getLoc(), type.getElementType());
    Value transposed = t.withType(transposeSequence(b, op.getLoc(), result), type);
    for (OpOperand *use : uses)
      use->set(transposed);
  }
  op->removeAttr("batch_major");
}
