//===- CheckSizes.cpp - run-time checks of sizes that ops assume to be equal -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeChecks.h"
#include "TensorSizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
  Value shaped;
  int64_t dim;

  bool isDynamic() const { return cast<ShapedType>(shaped.getType()).isDynamicDim(dim); }
  ValueBoundsConstraintSet::Variable getVariable() const { return getSizeVariable(shaped, dim); }
};

/// Checks of one function. Those that depend on its arguments alone, and whose op is in no branch, run at its start.
class SizeChecker {
public:
  explicit SizeChecker(func::FuncOp function) : function(function), sizes(function) {
    for (BlockArgument argument : function.getArguments())
      if (auto type = dyn_cast<ShapedType>(argument.getType()); type && type.hasRank())
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (type.isDynamicDim(dim))
            known.emplace_back(argument, dim);
  }

  /// Checks that `size` is `expected`, which `op` assumes, unless they are known to be equal.
  void check(Operation *op, bool isInBranch, const Size &expected, const Size &size) {
    if (!expected.isDynamic() && !size.isDynamic())
      return; // as the op's verifier requires
    if (sizes.getSize(expected.shaped, expected.dim) == sizes.getSize(size.shaped, size.dim))
      return;
    FailureOr<bool> areEqual = ValueBoundsConstraintSet::areEqual(expected.getVariable(), size.getVariable());
    if (succeeded(areEqual) && *areEqual)
      return;
    std::optional<SizeExpression> wanted = compute(expected), given = compute(size);
    if (!wanted || !given)
      return checkBefore(op, expected, traceSize(expected.shaped, expected.dim), size,
                         traceSize(size.shaped, size.dim));
    if (isInBranch)
      return checkBefore(op, expected, *wanted, size, *given);
    if (*wanted == *given || isChecked(*wanted, *given))
      return;
    checked.push_back({nullptr, *wanted, *given});
    OpBuilder builder(function.getContext());
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(&function.getBody().front());
    last = emit(builder, op, expected, *wanted, size, *given);
  }

private:
  /// A check that has been emitted: before an op of `block`, or at the start of the function.
  struct Check {
    Block *block;
    SizeExpression wanted, given;
  };

  /// The size as a function of those of the arguments, if it follows from them.
  std::optional<SizeExpression> compute(const Size &size) const {
    SizeExpression expression;
    if (failed(ValueBoundsConstraintSet::computeDependentBound(expression.map, expression.operands,
                                                               presburger::BoundType::EQ, size.getVariable(), known)))
      return std::nullopt;
    return expression;
  }

  /// Whether a check of the same sizes runs before `op`, or, without `op`, at the start of the function.
  bool isChecked(const SizeExpression &wanted, const SizeExpression &given, Operation *op = nullptr) const {
    return llvm::any_of(checked, [&](const Check &check) {
      const bool isSame =
          (check.wanted == wanted && check.given == given) || (check.wanted == given && check.given == wanted);
      return isSame && (!check.block || (op && check.block->findAncestorOpInBlock(*op)));
    });
  }

  void checkBefore(Operation *op, const Size &expected, const SizeExpression &wanted, const Size &size,
                   const SizeExpression &given) {
    if (wanted == given || isChecked(wanted, given, op))
      return;
    ValueDimList operands = wanted.operands;
    llvm::append_range(operands, given.operands);
    Operation *place = getPlaceOfCheck(op, operands);
    if (!place)
      return;
    checked.push_back({place->getBlock(), wanted, given});
    OpBuilder builder(place);
    emit(builder, op, expected, wanted, size, given);
  }

  /// The text for a size in a message: the dimension of an argument that it is read from, otherwise `size.name`.
  static std::string describe(const Size &size, const SizeExpression &expression) {
    AffineExpr result = expression.map.getResult(0);
    if (expression.operands.size() != 1 || !isa<AffineDimExpr, AffineSymbolExpr>(result) ||
        !expression.operands[0].second)
      return size.name;
    auto argument = dyn_cast<BlockArgument>(expression.operands[0].first);
    auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
    if (!function || !argument.getOwner()->isEntryBlock())
      return size.name;
    std::string text =
        ("dim " + Twine(*expression.operands[0].second) + " of argument " + Twine(argument.getArgNumber())).str();
    StringAttr name = findArgumentName(function, argument);
    return name ? text + " (`" + name.str() + "`)" : text;
  }

  static Operation *emit(OpBuilder &builder, Operation *op, const Size &expected, const SizeExpression &wanted,
                         const Size &size, const SizeExpression &given) {
    // A constant is what is expected.
    if (given.map.isConstant() && !wanted.map.isConstant())
      return emit(builder, op, size, given, expected, wanted);
    Location loc = op->getLoc();
    Value call = rnnrt::CurrentCallOp::create(builder, loc, rnnrt::CallType::get(builder.getContext()));
    std::string message =
        ("'" + getSourceName(op) + "' op expects " + describe(size, given) + " to be " + describe(expected, wanted))
            .str();
    Value actual = given.materialize(builder, loc), needed = wanted.materialize(builder, loc);
    return rnnrt::ExpectEqualOp::create(builder, loc, call, actual, needed, builder.getStringAttr(message));
  }

  func::FuncOp function;
  const TensorSizes sizes;
  ValueDimList known; ///< dynamic sizes of arguments
  SmallVector<Check> checked;
  Operation *last = nullptr; ///< the last check at the start of the function
};
} // namespace

/// The dimensions of the operands of `op` that each of its loops accesses by its index, in the order of the operands.
static SmallVector<SmallVector<Size>> getSizesOfLoops(linalg::LinalgOp op) {
  SmallVector<SmallVector<Size>> loops(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    for (auto [dim, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expression))
        loops[loop.getPosition()].push_back(
            {("dim " + Twine(dim) + " of operand " + Twine(operand.getOperandNumber())).str(), operand.get(),
             static_cast<int64_t>(dim)});
  }
  return loops;
}

/// Whether `op` runs under a condition: programs branch on sizes, and in a branch that does not run, different sizes
/// are no error.
static bool isInBranch(Operation *op, func::FuncOp function) {
  for (; op != function; op = op->getParentOp()) {
    Operation *parent = op->getParentOp();
    const bool isRegionBranch = isa<RegionBranchOpInterface>(parent) && !isa<LoopLikeOpInterface>(parent);
    if (isRegionBranch || !op->getBlock()->isEntryBlock())
      return true;
  }
  return false;
}

static void checkSizes(SizeChecker &checker, func::FuncOp function, Operation *op) {
  const bool inBranch = isInBranch(op, function);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (ArrayRef<Size> sizes : getSizesOfLoops(linalgOp))
      for (const Size &size : sizes.drop_front(std::min<size_t>(1, sizes.size())))
        checker.check(op, inBranch, sizes.front(), size);
    return;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = dyn_cast<MemRefType>(copy.getSource().getType());
    for (int64_t dim = 0; type && isa<MemRefType>(copy.getTarget().getType()) && dim < type.getRank(); ++dim)
      checker.check(op, inBranch, {("dim " + Twine(dim) + " of the source").str(), copy.getSource(), dim},
                    {("dim " + Twine(dim) + " of the target").str(), copy.getTarget(), dim});
  }
}

namespace {
struct CheckSizes : public rnn::impl::RNNCheckSizesPassBase<CheckSizes> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::GPUModuleOp, gpu::LaunchOp>(op)) // kernels have no call
        return WalkResult::skip();
      if (isa<linalg::LinalgOp, memref::CopyOp>(op))
        ops.push_back(op);
      return isa<linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    SizeChecker checker(function);
    for (Operation *op : ops)
      checkSizes(checker, function, op);
  }
};
} // namespace
