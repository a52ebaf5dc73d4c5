//===- CheckBounds.cpp - run-time checks of indices and slices of tensors ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCHECKBOUNDSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;
using Bounds = ValueBoundsConstraintSet;

static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

namespace {
/// Emits checks of one op, before it.
class BoundsChecker {
public:
  explicit BoundsChecker(Operation *op)
      : op(op), loc(op->getLoc()), builder(op), isInLoop(op->getParentOfType<LoopLikeOpInterface>() != nullptr) {}

  /// An index of the dimension `dim` of `tensor`.
  void checkIndex(Value index, Value tensor, int64_t dim, const Twine &name) {
    Bounds::Variable size = getSizeVariable(tensor, dim);
    if (!Bounds::compare(index, Bounds::GE, zero()) || !Bounds::compare(index, Bounds::LT, size))
      expectRange(index, 0, subtract(getSize(tensor, dim), get(1)), name + " to be in dim " + Twine(dim));
  }

  /// Indices of the dimension `dim` of `tensor`, from `least` to `greatest`. Without any, `least` is not negative and
  /// `greatest` is -1.
  void checkIndices(Value least, Value greatest, Value tensor, int64_t dim, const Twine &name) {
    Value last = subtract(getSize(tensor, dim), get(1));
    Value isLess = compare(arith::CmpIPredicate::slt, least, get(0));
    Value isGreater = compare(arith::CmpIPredicate::sgt, greatest, last);
    Value wrong = arith::SelectOp::create(builder, loc, isLess, least, greatest);
    expectRangeIf(arith::OrIOp::create(builder, loc, isLess, isGreater), wrong, get(0), last,
                  name + " to be in dim " + Twine(dim));
  }

  /// A slice of the dimension `dim` of `tensor`. An empty one may be at its end.
  void checkSlice(OpFoldResult offset, OpFoldResult size, OpFoldResult stride, Value tensor, int64_t dim) {
    std::optional<int64_t> step = getConstantIntValue(stride);
    const bool isDynamic = cast<ShapedType>(tensor.getType()).isDynamicDim(dim);
    if (step && !isDynamic && getConstantIntValue(offset) && getConstantIntValue(size))
      return; // as the op's verifier requires
    if (step && *step > 0) {
      AffineExpr end = builder.getAffineDimExpr(0) + (builder.getAffineDimExpr(1) - 1) * *step + 1;
      Bounds::Variable last(AffineMap::get(2, 0, end), {Bounds::Variable(offset), Bounds::Variable(size)});
      if (Bounds::compare(offset, Bounds::GE, zero()) && Bounds::compare(size, Bounds::GE, zero()) &&
          Bounds::compare(last, Bounds::LE, getSizeVariable(tensor, dim)))
        return;
    }
    Value first = get(offset), count = get(size), by = get(stride), total = getSize(tensor, dim);
    expectRange(by, 1, get(unlimited), "stride " + Twine(dim) + " of the slice to be positive");
    expectRange(first, 0, total, "offset " + Twine(dim) + " of the slice to be in dim " + Twine(dim));
    // The elements from the offset on are divided by the stride, rounded up. A function that is not exported continues
    // after a failed check, and must not divide by zero.
    by = builder.createOrFold<arith::MaxSIOp>(loc, by, get(1));
    Value most = builder.createOrFold<arith::AddIOp>(loc, subtract(total, first), subtract(by, get(1)));
    most = builder.createOrFold<arith::DivSIOp>(loc, most, by);
    expectRange(count, 0, most, "size " + Twine(dim) + " of the slice to fit in dim " + Twine(dim));
  }

  /// The dimension `dim` of `tensor` has as many elements as dimensions of the sizes `factors` together.
  void checkSize(Value tensor, int64_t dim, ArrayRef<OpFoldResult> factors, const Twine &rule) {
    if (factors.size() == 1) {
      FailureOr<bool> areEqual = Bounds::areEqual(getSizeVariable(tensor, dim), factors.front());
      if (succeeded(areEqual) && *areEqual)
        return;
    }
    Value expected = get(1);
    for (OpFoldResult factor : factors)
      expected = builder.createOrFold<arith::MulIOp>(loc, expected, get(factor));
    rnnrt::ExpectEqualOp::create(builder, loc, getCall(), getSize(tensor, dim), expected, getMessage(rule));
  }

private:
  OpFoldResult zero() { return builder.getIndexAttr(0); }
  Value get(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value get(OpFoldResult value) { return getValueOrCreateConstantIndexOp(builder, loc, value); }
  Value getSize(Value tensor, int64_t dim) { return traceSize(tensor, dim).materialize(builder, loc); }
  Value subtract(Value left, Value right) { return builder.createOrFold<arith::SubIOp>(loc, left, right); }
  Value getCall() { return rnnrt::CurrentCallOp::create(builder, loc, rnnrt::CallType::get(builder.getContext())); }

  StringAttr getMessage(const Twine &rule) {
    return builder.getStringAttr("'" + getSourceName(op) + "' op expects " + rule);
  }

  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, predicate, left, right);
  }

  void expectRange(Value value, int64_t low, Value high, const Twine &rule) {
    Value least = get(low);
    if (!isInLoop) {
      rnnrt::ExpectRangeOp::create(builder, loc, getCall(), value, least, high, getMessage(rule));
      return;
    }
    // In a loop, the comparison is inline, and the runtime is called for wrong values only.
    Value isLess = compare(arith::CmpIPredicate::slt, value, least);
    Value isGreater = compare(arith::CmpIPredicate::sgt, value, high);
    expectRangeIf(arith::OrIOp::create(builder, loc, isLess, isGreater), value, least, high, rule);
  }

  void expectRangeIf(Value condition, Value value, Value low, Value high, const Twine &rule) {
    OpBuilder::InsertionGuard guard(builder);
    Value call = getCall();
    builder.setInsertionPointToStart(scf::IfOp::create(builder, loc, condition).thenBlock());
    rnnrt::ExpectRangeOp::create(builder, loc, call, value, low, high, getMessage(rule));
  }

  Operation *op;
  Location loc;
  OpBuilder builder;
  const bool isInLoop;
};
} // namespace

static void checkIndices(Operation *op, Value tensor, ValueRange indices) {
  BoundsChecker checker(op);
  for (auto [dim, index] : llvm::enumerate(indices))
    checker.checkIndex(index, tensor, dim, "index " + Twine(dim));
}

static void checkSlice(OffsetSizeAndStrideOpInterface slice, Value tensor) {
  BoundsChecker checker(slice);
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(), slice.getMixedStrides()))
    checker.checkSlice(offset, size, stride, tensor, dim);
}

/// The source of an insertion has the sizes of the slice.
static void checkSource(tensor::InsertSliceOp insertion) {
  BoundsChecker checker(insertion);
  llvm::SmallBitVector dropped = insertion.getDroppedDims();
  int64_t next = 0;
  for (auto [dim, size] : llvm::enumerate(insertion.getMixedSizes()))
    if (!dropped.test(dim)) {
      checker.checkSize(insertion.getSource(), next, size,
                        "dim " + Twine(next) + " of its source to be size " + Twine(dim) + " of the slice");
      ++next;
    }
}

static void checkExpansion(tensor::ExpandShapeOp expansion) {
  BoundsChecker checker(expansion);
  SmallVector<OpFoldResult> sizes = expansion.getMixedOutputShape();
  for (auto [dim, group] : llvm::enumerate(expansion.getReassociationIndices())) {
    ArrayRef<OpFoldResult> factors = ArrayRef(sizes).slice(group.front(), group.size());
    const bool isStatic = llvm::all_of(factors, [](OpFoldResult factor) { return getConstantIntValue(factor); });
    if (!isStatic || expansion.getSrcType().isDynamicDim(dim))
      checker.checkSize(expansion.getSrc(), dim, factors,
                        "dim " + Twine(dim) + " of its operand to have the elements of its result");
  }
}

static void checkBounds(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([](tensor::ExtractOp extract) { checkIndices(extract, extract.getTensor(), extract.getIndices()); })
      .Case([](tensor::InsertOp insert) { checkIndices(insert, insert.getDest(), insert.getIndices()); })
      .Case([](tensor::ExtractSliceOp slice) { checkSlice(slice, slice.getSource()); })
      .Case([](tensor::InsertSliceOp slice) {
        checkSlice(slice, slice.getDest());
        checkSource(slice);
      })
      .Case([](tensor::ExpandShapeOp expansion) { checkExpansion(expansion); });
}

//===----------------------------------------------------------------------===//
// Indices in the bodies of linalg ops
//===----------------------------------------------------------------------===//

/// The operand of `op` whose elements are the values of `index` in its body, such as the rows of an embedding, or null.
/// `conversions` are the ops from an element to the index, in their order.
static OpOperand *findElements(linalg::GenericOp op, Value index, SmallVectorImpl<Operation *> &conversions) {
  while (Operation *definition = index.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(definition))
      return nullptr;
    conversions.insert(conversions.begin(), definition);
    index = definition->getOperand(0);
  }
  auto argument = cast<BlockArgument>(index);
  if (argument.getOwner() != op.getBody())
    return nullptr;
  OpOperand *elements = op.getMatchingOpOperand(argument);
  const bool isRead = op.isDpsInput(elements) && isa<RankedTensorType>(elements->get().getType());
  return isRead && op.getMatchingIndexingMap(elements).isProjectedPermutation() ? elements : nullptr;
}

/// The least and the greatest index among the elements of a tensor, of which `conversions` make indices. Scalar loops
/// need no memory.
static std::pair<Value, Value> findExtremes(OpBuilder &b, Location loc, Value elements,
                                            ArrayRef<Operation *> conversions) {
  const int64_t rank = cast<RankedTensorType>(elements.getType()).getRank();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(traceSize(elements, dim).materialize(b, loc));
  Value inits[] = {arith::ConstantIndexOp::create(b, loc, unlimited), arith::ConstantIndexOp::create(b, loc, -1)};
  scf::LoopNest nest = scf::buildLoopNest(
      b, loc, SmallVector<Value>(rank, zero), sizes, SmallVector<Value>(rank, one), inits,
      [&](OpBuilder &body, Location loc, ValueRange indices, ValueRange extremes) -> scf::ValueVector {
        Value index = tensor::ExtractOp::create(body, loc, elements, indices);
        for (Operation *conversion : conversions) {
          IRMapping mapping;
          mapping.map(conversion->getOperand(0), index);
          index = body.clone(*conversion, mapping)->getResult(0);
        }
        return {arith::MinSIOp::create(body, loc, extremes[0], index),
                arith::MaxSIOp::create(body, loc, extremes[1], index)};
      });
  return {nest.results[0], nest.results[1]};
}

static void checkGathers(linalg::GenericOp op) {
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
    for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
      SmallVector<Operation *> conversions;
      OpOperand *elements = findElements(op, index, conversions);
      if (!elements || extract.getTensor().getParentRegion() == &op.getRegion())
        continue;
      OpBuilder builder(op);
      auto [least, greatest] = findExtremes(builder, op.getLoc(), elements->get(), conversions);
      BoundsChecker(op).checkIndices(least, greatest, extract.getTensor(), dim,
                                     "the elements of operand " + Twine(elements->getOperandNumber()) +
                                         ", which 'tensor.extract' takes for indices,");
    }
}

namespace {
struct CheckBounds : public rnn::impl::RNNCheckBoundsPassBase<CheckBounds> {
  using RNNCheckBoundsPassBase::RNNCheckBoundsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      // Kernels and parallel loops have no call.
      if (isa<gpu::GPUModuleOp, gpu::LaunchOp, scf::ParallelOp, scf::ForallOp>(op))
        return WalkResult::skip();
      ops.push_back(op);
      return isa<linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : ops) {
      checkBounds(op);
      if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && elements)
        checkGathers(generic);
    }
  }
};
} // namespace
