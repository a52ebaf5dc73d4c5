//===- SplitSums.cpp - sums of parts of a tensor that a loop carries ----------===//
//
// The gradient of a recurrent cell that multiplies parts of its weights adds a tensor of the size of all weights for
// each part in each iteration, which is zero elsewhere, or concatenates such parts. A sum for each part needs neither,
// and is the gradient of a product that other passes take out of the loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarriedSums.h"
#include "FoldInsertedZeros.h"
#include "LoopRows.h"
#include "TensorParts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/ZeroTensors.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSPLITSUMSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

namespace {
/// A tensor that is added to a part of a sum, or to all of it.
struct Addend {
  Value value;
  Box part;

  Addend(Value value, ArrayRef<int64_t> offsets)
      : value(value), part(offsets, cast<RankedTensorType>(value.getType()).getShape()) {}
};
} // namespace

/// If the value is a tensor beside zeros, at a place that is known, returns the tensor.
static std::optional<Addend> getPadded(Value value) {
  if (auto pad = value.getDefiningOp<tensor::PadOp>()) {
    Value padding = pad.getConstantPaddingValue();
    if (!padding || !isZero(padding) || ShapedType::isDynamicShape(pad.getStaticLow()) ||
        ShapedType::isDynamicShape(pad.getStaticHigh()) || !pad.getSourceType().hasStaticShape())
      return std::nullopt;
    // Negative padding removes elements.
    for (ArrayRef<int64_t> padding : {pad.getStaticLow(), pad.getStaticHigh()})
      if (llvm::any_of(padding, [](int64_t size) { return size < 0; }))
        return std::nullopt;
    return Addend(pad.getSource(), pad.getStaticLow());
  }
  tensor::InsertSliceOp insert = getInsertionIntoZeros(value);
  if (!insert || !insert.hasUnitStride() || !insert.getSourceType().hasStaticShape() ||
      !insert.getType().hasStaticShape())
    return std::nullopt;
  return Addend(insert.getSource(), insert.getStaticOffsets());
}

/// Collects what is added where, if the values between are not used otherwise.
static void collectAddends(Value value, ArrayRef<int64_t> offsets, Block *body, const TensorSizes &sizes,
                           SmallVectorImpl<Addend> &addends) {
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == body && op->hasOneUse()) {
    if (linalg::LinalgOp sum = getAddition(op)) {
      for (Value input : sum.getDpsInputs())
        collectAddends(input, offsets, body, sizes, addends);
      return;
    }
    if (std::optional<Concatenation> whole = getConcatenation(value, sizes)) {
      SmallVector<int64_t> offsetsOfPiece(offsets);
      for (Value piece : whole->pieces) {
        collectAddends(piece, offsetsOfPiece, body, sizes, addends);
        offsetsOfPiece[whole->dim] += cast<RankedTensorType>(piece.getType()).getDimSize(whole->dim);
      }
      return;
    }
    if (std::optional<Addend> padded = getPadded(value)) {
      for (auto [offset, more] : llvm::zip_equal(padded->part.offsets, offsets))
        offset += more;
      collectAddends(padded->value, padded->part.offsets, body, sizes, addends);
      return;
    }
  }
  addends.emplace_back(value, offsets);
}

/// Carries a sum of its own for each part of a carried sum. Returns the loop, or the one that replaces it.
static scf::ForOp splitSum(IRRewriter &b, scf::ForOp loop, unsigned carried) {
  BlockArgument argument = loop.getRegionIterArg(carried);
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  SmallVector<linalg::LinalgOp> additions = getAdditions(loop, carried);
  if (!type || !type.hasStaticShape() || additions.empty())
    return loop;
  SmallVector<Addend> addends;
  Value partial = argument;
  const TensorSizes sizes(loop);
  for (linalg::LinalgOp addition : additions) {
    collectAddends(getAddend(addition, partial), SmallVector<int64_t>(type.getRank(), 0), loop.getBody(), sizes,
                   addends);
    partial = addition->getResult(0);
  }
  SmallVector<SmallVector<Addend>> parts; // each has addends of one place
  SmallVector<Value> whole;
  for (const Addend &addend : addends) {
    if (addend.part.covers(type)) {
      whole.push_back(addend.value);
      continue;
    }
    bool isAdded = false;
    for (SmallVector<Addend> &part : parts)
      if (part.front().part == addend.part)
        part.push_back(addend), isAdded = true;
      else if (!part.front().part.isDisjointFrom(addend.part))
        return loop;
    if (!isAdded)
      parts.push_back({addend});
  }
  if (parts.empty())
    return loop;

  Location loc = loop.getLoc();
  linalg::LinalgOp like = additions.front();
  auto getSizes = [&](const Addend &addend) { return getAsIndexOpFoldResult(b.getContext(), addend.part.sizes); };
  const SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  b.setInsertionPoint(loop);
  SmallVector<Value> inits;
  Value init = loop.getInits()[carried];
  for (const SmallVector<Addend> &part : parts) {
    const Addend &first = part.front();
    if (whole.empty() && !isZero(init))
      inits.push_back(tensor::ExtractSliceOp::create(
          b, loc, init, getAsIndexOpFoldResult(b.getContext(), first.part.offsets), getSizes(first), strides));
    else
      inits.push_back(createZeros(b, first.value));
  }
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  b.setInsertionPoint(yield);
  Value rest = argument;
  for (Value addend : whole)
    rest = add(b, like, rest, addend);
  b.modifyOpInPlace(yield, [&] { yield.setOperand(carried, rest); });

  auto sumParts = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> arguments) {
    SmallVector<Value> sums;
    for (auto [sum, part] : llvm::zip_equal(arguments, parts)) {
      sums.push_back(sum);
      for (const Addend &addend : part)
        sums.back() = add(b, like, sums.back(), addend.value);
    }
    return sums;
  };
  const unsigned first = loop.getNumResults();
  auto replaced = cast<LoopLikeOpInterface>(loop.getOperation())
                      .replaceWithAdditionalYields(b, inits, /*replaceInitOperandUsesInLoop=*/false, sumParts);
  loop = cast<scf::ForOp>(replaced->getOperation());

  b.setInsertionPointAfter(loop);
  Value result = loop.getResult(carried);
  llvm::SmallPtrSet<Operation *, 4> readers;
  for (auto [index, part] : llvm::enumerate(parts)) {
    Value sum = loop.getResult(first + index);
    const SmallVector<OpFoldResult> offsets = getAsIndexOpFoldResult(b.getContext(), part.front().part.offsets),
                                    sizes = getSizes(part.front());
    if (!whole.empty()) {
      Value slice = tensor::ExtractSliceOp::create(b, loc, result, offsets, sizes, strides);
      readers.insert(slice.getDefiningOp());
      sum = add(b, like, slice, sum);
    }
    result = tensor::InsertSliceOp::create(b, loc, sum, result, offsets, sizes, strides);
    readers.insert(result.getDefiningOp());
  }
  b.replaceAllUsesExcept(loop.getResult(carried), result, readers);
  eraseDeadOps(b, *loop.getBody()); // additions, and tensors with zeros
  return loop;
}

namespace {
struct SplitSums : public rnn::impl::RNNSplitSumsPassBase<SplitSums> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter b(&getContext());
    for (scf::ForOp loop : loops)
      for (unsigned carried = 0, count = loop.getNumResults(); carried < count; ++carried)
        loop = splitSum(b, loop, carried);
  }
};
} // namespace
