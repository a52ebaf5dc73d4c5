//===- CheckSizes.cpp - run-time checks of sizes that ops assume to be equal -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "rnn/Dialect/RNNRT/IR/ArgumentName.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCHECKSIZESPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

namespace {
/// A dimension of an operand.
struct Size {
  std::string name;
  ValueBoundsConstraintSet::Variable variable;
};

/// A size as a function of the sizes of the arguments.
struct Bound {
  AffineMap map;
  ValueDimList operands;

  bool operator==(const Bound &other) const { return map == other.map && operands == other.operands; }
};

/// Checks at the start of one function.
class SizeChecker {
public:
  explicit SizeChecker(func::FuncOp function) : function(function) {
    for (BlockArgument argument : function.getArguments())
      if (auto type = dyn_cast<ShapedType>(argument.getType()); type && type.hasRank())
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (type.isDynamicDim(dim))
            known.emplace_back(argument, dim);
  }

  bool hasDynamicSizes() const { return !known.empty(); }

  /// Checks that `size` is `expected`, which `op` assumes, unless they are known to be equal, or a size does not follow
  /// from those of the arguments.
  void check(Operation *op, const Size &expected, const Size &size) {
    FailureOr<bool> areEqual = ValueBoundsConstraintSet::areEqual(expected.variable, size.variable);
    if (succeeded(areEqual) && *areEqual)
      return;
    std::optional<Bound> wanted = compute(expected), given = compute(size);
    if (!wanted || !given || *wanted == *given)
      return;
    if (given->map.isConstant() && !wanted->map.isConstant())
      return emit(op, size, *given, expected, *wanted);
    emit(op, expected, *wanted, size, *given);
  }

private:
  std::optional<Bound> compute(const Size &size) const {
    Bound bound;
    if (failed(ValueBoundsConstraintSet::computeDependentBound(bound.map, bound.operands, presburger::BoundType::EQ,
                                                               size.variable, known)))
      return std::nullopt;
    return bound;
  }

  /// The text for a size in a message: the dimension of an argument that it is read from, otherwise `size.name`.
  static std::string describe(const Size &size, const Bound &bound) {
    AffineExpr expression = bound.map.getResult(0);
    if (bound.operands.size() != 1 || !isa<AffineDimExpr, AffineSymbolExpr>(expression) || !bound.operands[0].second)
      return size.name;
    auto argument = cast<BlockArgument>(bound.operands[0].first);
    std::string text =
        ("dim " + Twine(*bound.operands[0].second) + " of argument " + Twine(argument.getArgNumber())).str();
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    StringAttr name = findArgumentName(function, argument);
    return name ? text + " (`" + name.str() + "`)" : text;
  }

  /// The name of `op` in the program. Elementwise ops have become linalg.generic ops.
  static StringRef getName(Operation *op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && generic.getBody()->getOperations().size() == 2)
      return generic.getBody()->front().getName().getStringRef();
    return op->getName().getStringRef();
  }

  void emit(Operation *op, const Size &expected, const Bound &wanted, const Size &size, const Bound &given) {
    if (llvm::is_contained(checked, std::pair(wanted, given)) || llvm::is_contained(checked, std::pair(given, wanted)))
      return;
    checked.emplace_back(wanted, given);
    OpBuilder b(function.getContext());
    if (last)
      b.setInsertionPointAfter(last);
    else
      b.setInsertionPointToStart(&function.getBody().front());
    Location loc = op->getLoc();
    auto materialize = [&](const Bound &bound) {
      return getValueOrCreateConstantIndexOp(b, loc,
                                             affine::materializeComputedBound(b, loc, bound.map, bound.operands));
    };
    Value call = rnnrt::CurrentCallOp::create(b, loc, rnnrt::CallType::get(b.getContext()));
    std::string message =
        ("'" + getName(op) + "' op expects " + describe(size, given) + " to be " + describe(expected, wanted)).str();
    last =
        rnnrt::ExpectEqualOp::create(b, loc, call, materialize(given), materialize(wanted), b.getStringAttr(message));
  }

  func::FuncOp function;
  ValueDimList known; ///< dynamic sizes of arguments
  SmallVector<std::pair<Bound, Bound>> checked;
  Operation *last = nullptr;
};
} // namespace

/// The dimension `dim` of a shaped value. A static one is a constant: upstream takes the value of a splat of integers
/// for the size of its dimensions.
static ValueBoundsConstraintSet::Variable getVariable(Value value, int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (type.isDynamicDim(dim))
    return {value, dim};
  return {OpFoldResult(Builder(value.getContext()).getIndexAttr(type.getDimSize(dim)))};
}

/// The dimensions of the operands of `op` that each of its loops accesses by its index, in the order of the operands.
static SmallVector<SmallVector<Size>> getSizesOfLoops(linalg::LinalgOp op) {
  SmallVector<SmallVector<Size>> loops(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    for (auto [dim, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expression))
        loops[loop.getPosition()].push_back(
            {("dim " + Twine(dim) + " of operand " + Twine(operand.getOperandNumber())).str(),
             getVariable(operand.get(), dim)});
  }
  return loops;
}

static void checkSizes(SizeChecker &checker, Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (ArrayRef<Size> sizes : getSizesOfLoops(linalgOp))
      for (const Size &size : sizes.drop_front(std::min<size_t>(1, sizes.size())))
        checker.check(op, sizes.front(), size);
    return;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = dyn_cast<MemRefType>(copy.getSource().getType());
    for (int64_t dim = 0; type && isa<MemRefType>(copy.getTarget().getType()) && dim < type.getRank(); ++dim)
      checker.check(op, {("dim " + Twine(dim) + " of the source").str(), getVariable(copy.getSource(), dim)},
                    {("dim " + Twine(dim) + " of the target").str(), getVariable(copy.getTarget(), dim)});
  }
}

namespace {
struct CheckSizes : public rnn::impl::RNNCheckSizesPassBase<CheckSizes> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SizeChecker checker(function);
    if (function.isExternal() || !checker.hasDynamicSizes())
      return;
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // Programs branch on sizes: in a branch that does not run, different sizes are no error.
      const bool isConditional = isa<RegionBranchOpInterface>(op) && !isa<LoopLikeOpInterface>(op);
      if (op != function && (isConditional || !op->getBlock()->isEntryBlock()))
        return WalkResult::skip();
      if (isa<linalg::LinalgOp>(op) || isa<memref::CopyOp>(op))
        ops.push_back(op);
      return isa<linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : ops)
      checkSizes(checker, op);
  }
};
} // namespace
