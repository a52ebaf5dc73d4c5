//===- ReductionPatterns.cpp - smaller forms of an op -------------------------===//
//
// Upstream's `reduction-tree` removes ops, and applies the patterns of the dialects. Removing alone keeps every op
// whose results have uses, which are nearly all ops of a generated module.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNNRT/IR/ArgumentName.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnn;

static constexpr StringLiteral mainName = "main";

//===----------------------------------------------------------------------===//
// Arguments and results of @main
//===----------------------------------------------------------------------===//

void mlir::rnn::fuzz::nameArguments(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>(mainName);
  if (!function)
    return;
  auto name = [&](char kind, unsigned index) {
    return StringAttr::get(module.getContext(), Twine(kind) + Twine(index));
  };
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (!function.getArgAttr(index, kArgumentNameAttr))
      function.setArgAttr(index, kArgumentNameAttr, name('a', index));
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (!function.getResultAttr(index, kArgumentNameAttr))
      function.setResultAttr(index, kArgumentNameAttr, name('r', index));
}

/// The number in a name of `nameArguments`, or `index`.
static unsigned getIndex(Attribute attribute, unsigned index) {
  auto name = dyn_cast_if_present<StringAttr>(attribute);
  unsigned original;
  return name && !name.getValue().drop_front().getAsInteger(10, original) ? original : index;
}

SmallVector<unsigned> mlir::rnn::fuzz::getArgumentIndices(ModuleOp module) {
  SmallVector<unsigned> indices;
  if (auto function = module.lookupSymbol<func::FuncOp>(mainName))
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      indices.push_back(getIndex(function.getArgAttr(index, kArgumentNameAttr), index));
  return indices;
}

SmallVector<unsigned> mlir::rnn::fuzz::getResultIndices(ModuleOp module) {
  SmallVector<unsigned> indices;
  if (auto function = module.lookupSymbol<func::FuncOp>(mainName))
    for (unsigned index = 0; index < function.getNumResults(); ++index)
      indices.push_back(getIndex(function.getResultAttr(index, kArgumentNameAttr), index));
  return indices;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

namespace {

/// Changes an op in place, or fails without a change. Runs on a clone of the module first.
using Change = std::function<LogicalResult(RewriterBase &, Operation *)>;

} // namespace

/// A zero of a static type, or null.
static Value makeZero(OpBuilder &builder, Location loc, Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (isa<ShapedType>(type) && (!shaped || !shaped.hasStaticShape()))
    return {};
  TypedAttr zero = builder.getZeroAttr(type);
  return zero ? arith::ConstantOp::create(builder, loc, type, zero) : Value();
}

/// Replaces the results of an op by operands, arguments of its function or zeros, of the same types.
static LogicalResult replaceResults(RewriterBase &rewriter, Operation *op, bool byOperands) {
  if (op->getNumResults() == 0)
    return rewriter.eraseOp(op), success();
  SmallVector<Value> values;
  auto function = op->getParentOfType<func::FuncOp>();
  rewriter.setInsertionPoint(op);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    auto hasType = [type = result.getType()](Value value) { return value.getType() == type; };
    Value value;
    if (result.use_empty()) {
      values.push_back(nullptr);
      continue;
    }
    if (byOperands) {
      auto operand = llvm::find_if(op->getOperands(), hasType);
      value = operand == op->operand_end() ? Value() : *operand;
    } else {
      value = makeZero(rewriter, op->getLoc(), result.getType());
    }
    if (!value && function)
      if (auto argument = llvm::find_if(function.getArguments(), hasType); argument != function.getArguments().end())
        value = *argument;
    if (!value)
      return failure();
    values.push_back(value);
  }
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    if (value)
      rewriter.replaceAllUsesWith(result, value);
  rewriter.eraseOp(op);
  return success();
}

/// Replaces an op by the operations of one of its blocks. `arguments` replace the block's.
static LogicalResult inlineBlock(RewriterBase &rewriter, Operation *op, Block &block, ValueRange arguments) {
  Operation *terminator = block.getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  if (results.size() != op->getNumResults() || arguments.getTypes() != block.getArgumentTypes())
    return failure();
  rewriter.eraseOp(terminator);
  // The results may be arguments of the block.
  for (Value &result : results)
    if (auto argument = dyn_cast<BlockArgument>(result); argument && argument.getOwner() == &block)
      result = arguments[argument.getArgNumber()];
  rewriter.inlineBlockBefore(&block, op, arguments);
  rewriter.replaceOp(op, results);
  return success();
}

static LogicalResult eraseArgument(RewriterBase &rewriter, func::FuncOp function, unsigned index) {
  if (!function.getArgument(index).use_empty())
    return failure();
  LogicalResult done = failure();
  rewriter.modifyOpInPlace(function, [&] { done = function.eraseArgument(index); });
  return done;
}

static LogicalResult eraseResult(RewriterBase &rewriter, func::FuncOp function, unsigned index) {
  LogicalResult done = failure();
  rewriter.modifyOpInPlace(function, [&] { done = function.eraseResult(index); });
  if (succeeded(done))
    function.walk(
        [&](func::ReturnOp op) { rewriter.modifyOpInPlace(op, [&] { op.getOperandsMutable().erase(index, 1); }); });
  return done;
}

/// The changes to try, those that remove most first.
static SmallVector<Change> getChanges(Operation *op) {
  SmallVector<Change> changes;
  auto add = [&](Change change) { changes.push_back(std::move(change)); };
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    if (function.getName() != mainName || function.isDeclaration())
      return changes;
    for (unsigned index = function.getNumResults(); index-- > 0 && function.getNumResults() > 1;)
      add([index](RewriterBase &rewriter, Operation *op) {
        return eraseResult(rewriter, cast<func::FuncOp>(op), index);
      });
    for (unsigned index = function.getNumArguments(); index-- > 0;)
      if (function.getArgument(index).use_empty())
        add([index](RewriterBase &rewriter, Operation *op) {
          return eraseArgument(rewriter, cast<func::FuncOp>(op), index);
        });
    return changes;
  }
  if (op->hasTrait<OpTrait::IsTerminator>() || matchPattern(op, m_Constant()) || isa<ModuleOp>(op))
    return changes;
  add([](RewriterBase &rewriter, Operation *op) { return replaceResults(rewriter, op, true); });
  if (op->getNumResults() > 0)
    add([](RewriterBase &rewriter, Operation *op) { return replaceResults(rewriter, op, false); });
  if (isa<scf::IfOp>(op))
    for (unsigned region : {0, 1})
      add([region](RewriterBase &rewriter, Operation *op) {
        return op->getRegion(region).empty() ? failure() : inlineBlock(rewriter, op, op->getRegion(region).front(), {});
      });
  if (isa<scf::ForOp>(op))
    add([](RewriterBase &rewriter, Operation *op) {
      auto loop = cast<scf::ForOp>(op);
      SmallVector<Value> arguments = {loop.getLowerBound()};
      llvm::append_range(arguments, loop.getInitArgs());
      return inlineBlock(rewriter, op, *loop.getBody(), arguments);
    });
  if (isa<scf::WhileOp>(op))
    add([](RewriterBase &rewriter, Operation *op) {
      auto loop = cast<scf::WhileOp>(op);
      return inlineBlock(rewriter, op, *loop.getAfterBody(), loop.getInits());
    });
  if (isa_and_present<RNNDialect>(op->getDialect())) {
    for (NamedAttribute attribute : op->getAttrDictionary())
      add([name = attribute.getName()](RewriterBase &rewriter, Operation *op) {
        rewriter.modifyOpInPlace(op, [&] { op->removeAttr(name); });
        return success();
      });
    // Optional operands of the layer ops: lengths and resets.
    add([](RewriterBase &rewriter, Operation *op) {
      return llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case<CudnnForwardOp, CudnnBackpropOp, BlockLSTMOp, BlockLSTMGradOp>([&](auto layer) {
            if (!layer.getResets())
              return failure();
            rewriter.modifyOpInPlace(layer, [&] { layer.getResetsMutable().clear(); });
            return success();
          })
          .Default([](Operation *) { return failure(); });
    });
    add([](RewriterBase &rewriter, Operation *op) {
      return llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case<CudnnForwardOp, CudnnBackpropOp>([&](auto layer) {
            if (!layer.getSequenceLengths())
              return failure();
            rewriter.modifyOpInPlace(layer, [&] { layer.getSequenceLengthsMutable().clear(); });
            return success();
          })
          .Default([](Operation *) { return failure(); });
    });
  }
  return changes;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Applies the first change after which the module still has the problem.
struct ReduceOp : RewritePattern {
  ReduceOp(MLIRContext *context, Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context), tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto module = op->getParentOfType<ModuleOp>();
    if (!module)
      return rewriter.notifyMatchFailure(op, "no module to test");
    const size_t size = print(module).size();
    for (const Change &change : getChanges(op)) {
      IRMapping mapping;
      OwningOpRef<Operation *> clone = module->clone(mapping);
      IRRewriter cloneRewriter(op->getContext());
      if (succeeded(change(cloneRewriter, mapping.lookup(op))) && isInteresting(cast<ModuleOp>(*clone), size)) {
        [[maybe_unused]] LogicalResult done = change(rewriter, op);
        assert(succeeded(done) && "the change applied to the clone");
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no change keeps the problem");
  }

private:
  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os, OpPrintingFlags().useLocalScope());
    return text;
  }

  /// Whether the module has the problem and less text than `size`. Attributes with a default cannot be removed.
  bool isInteresting(ModuleOp module, size_t size) const {
    if (failed(verify(module)))
      return false;
    std::string text = print(module);
    if (text.size() >= size)
      return false;
    auto [known, isNew] = tested.try_emplace(text, false);
    if (isNew)
      known->second = tester.isInteresting(module).first == Tester::Interestingness::True;
    return known->second;
  }

  Tester &tester;
  /// The tree applies the patterns to overlapping ranges of ops.
  mutable llvm::StringMap<bool> tested;
};

struct ReductionInterface : DialectReductionPatternInterface {
  explicit ReductionInterface(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns, Tester &tester) const override {
    patterns.add<ReduceOp>(patterns.getContext(), tester);
  }
};

} // namespace

void mlir::rnn::fuzz::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, RNNDialect *dialect) {
    dialect->addInterface(std::make_unique<ReductionInterface>(dialect));
  });
}
