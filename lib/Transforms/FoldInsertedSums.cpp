//===- FoldInsertedSums.cpp - sums of tensors that are zero elsewhere ---------===//
//
// The gradient of a split is a sum of gradients, each inserted into a tensor of zeros; an interleaving is a sum of two
// tensors with zeros between their elements. If no element has two addends, one tensor holds all of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldInsertedZeros.h"
#include "LinalgForms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "rnn/Transforms/ZeroTensors.h"

using namespace mlir;
using namespace mlir::rnn;

/// Insertions into a tensor of zeros, the last one first. Empty if the value has another form, or if another op uses
/// one of the results.
static SmallVector<tensor::InsertSliceOp> getInsertions(Value value) {
  SmallVector<tensor::InsertSliceOp> insertions;
  while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
    if (!insert->hasOneUse() || insert.getSourceType().getRank() != insert.getType().getRank() ||
        !insert.getSourceType().hasStaticShape() || !insert.getType().hasStaticShape() ||
        ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
        !llvm::all_of(insert.getStaticStrides(), [](int64_t stride) { return stride > 0; })) // nor dynamic
      return {};
    insertions.push_back(insert);
    value = insert.getDest();
  }
  Value zero = value;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    zero = fill.getInputs().front();
  if (!matchPattern(zero, m_PosZeroFloat()) && !matchPattern(zero, m_Zero()))
    return {};
  return insertions;
}

/// Whether no element is in both slices. Conservative for different strides.
static bool areDisjoint(tensor::InsertSliceOp a, tensor::InsertSliceOp b) {
  for (unsigned dim = 0; dim < a.getType().getRank(); ++dim) {
    int64_t first = a.getStaticOffsets()[dim], second = b.getStaticOffsets()[dim];
    int64_t stride = a.getStaticStrides()[dim], other = b.getStaticStrides()[dim];
    int64_t last = first + (a.getSourceType().getDimSize(dim) - 1) * stride;
    int64_t otherLast = second + (b.getSourceType().getDimSize(dim) - 1) * other;
    if (last < second || otherLast < first || (stride == other && (first - second) % stride != 0))
      return true;
  }
  return false;
}

/// Whether the op is the result of addZero().
static bool isZeroAdded(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || !llvm::hasNItems(*op.getBody(), 2))
    return false;
  auto sum = dyn_cast<arith::AddFOp>(op.getBody()->front());
  return sum && matchPattern(sum.getRhs(), m_PosZeroFloat());
}

/// Adds zero to each element, which changes -0 to 0. Insertions that nothing else uses stay the last ops, so that their
/// sources can be computed in place.
static Value addZero(OpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!isa<FloatType>(type.getElementType()) || isZero(value) || value.getDefiningOp<tensor::EmptyOp>() ||
      isZeroAdded(value))
    return value;
  OpBuilder::InsertionGuard guard(b);
  if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>(); insert && insert->hasOneUse()) {
    b.setInsertionPoint(insert);
    insert.getSourceMutable().assign(addZero(b, insert.getSource()));
    insert.getDestMutable().assign(addZero(b, insert.getDest()));
    return value;
  }
  Location loc = value.getLoc();
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, value), type.getElementType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto add = [&](OpBuilder &b, Location loc, ValueRange elements) {
    linalg::YieldOp::create(b, loc, Value(arith::AddFOp::create(b, loc, elements.front(), zero)));
  };
  return linalg::GenericOp::create(b, loc, type, value, empty, maps, loops, add).getResult(0);
}

void rnn::foldSumOfInsertions(RewriterBase &b, linalg::LinalgOp op) {
  // x + 0 is x, except for x = -0.
  if (!isa_and_present<arith::AddFOp, arith::AddIOp, arith::OrIOp, arith::XOrIOp>(getCombiner(op)))
    return;
  SmallVector<tensor::InsertSliceOp> left = getInsertions(op.getDpsInputs()[0]);
  SmallVector<tensor::InsertSliceOp> right = getInsertions(op.getDpsInputs()[1]);
  if (left.empty() || right.empty())
    return;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto insertions = llvm::to_vector(llvm::concat<tensor::InsertSliceOp>(right, left));
  int64_t inserted = 0;
  bool overlap = false;
  for (auto [index, insert] : llvm::enumerate(insertions)) {
    inserted += insert.getSourceType().getNumElements();
    for (auto [earlier, other] : llvm::enumerate(ArrayRef(insertions).take_front(index))) {
      if (areDisjoint(insert, other))
        continue;
      // Of two insertions on one side, the later one replaces elements.
      if (earlier < right.size() && index >= right.size())
        return;
      overlap = true;
    }
  }
  b.setInsertionPoint(op);
  Value result = tensor::EmptyOp::create(b, op.getLoc(), type, ValueRange());
  if (overlap || inserted < type.getNumElements()) {
    Value zero = arith::ConstantOp::create(b, op.getLoc(), b.getZeroAttr(type.getElementType()));
    result = linalg::FillOp::create(b, op.getLoc(), zero, result).getResult(0);
  }
  for (tensor::InsertSliceOp insert : llvm::reverse(insertions)) {
    Value source = addZero(b, insert.getSource());
    result = tensor::InsertSliceOp::create(b, insert.getLoc(), source, result, insert.getMixedOffsets(),
                                           insert.getMixedSizes(), insert.getMixedStrides());
  }
  b.replaceOp(op, result);
  for (tensor::InsertSliceOp insert : insertions)
    b.eraseOp(insert);
}
