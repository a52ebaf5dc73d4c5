//===- RepeatedOps.cpp - one function for equal ops -----------------------------===//
//
// The layers of a model and the steps of its optimizer repeat the same ops on other buffers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::rnn;

/// A call of an op with fewer elements could take longer than the op.
static constexpr int64_t fewestElements = 64;

static bool isConstant(Value value) {
  return value.getDefiningOp() && matchPattern(value, m_Constant());
}

/// Returns true if the op may move to a function. An op in a loop stays: it may have few elements and would pay for a
/// call in each iteration. An op on constants of the module stays, since these are packed once only where the op
/// accesses them directly.
static bool canBeOutlined(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op->getParentOfType<LoopLikeOpInterface>())
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!ShapedType::isDynamicShape(ranges) && ShapedType::getNumElements(ranges) < fewestElements)
    return false;
  if (llvm::any_of(op->getOperands(),
                   [](Value operand) { return isa_and_nonnull<memref::GetGlobalOp>(operand.getDefiningOp()); }))
    return false;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::all_of(captured, isConstant);
}

/// For each operand that is not a constant, the index of the first operand with the same value.
static SmallVector<unsigned> getFirstUses(linalg::LinalgOp op) {
  SmallVector<unsigned> uses;
  for (Value operand : op->getOperands())
    if (!isConstant(operand))
      uses.push_back(llvm::find(op->getOperands(), operand).getIndex());
  return uses;
}

static bool areEqual(linalg::LinalgOp left, linalg::LinalgOp right) {
  llvm::DenseMap<Value, Value> inside; // values of the body of `left`, and those of `right` that are the same
  auto compare = [&](Value a, Value b) {
    if (left->getRegion(0).isAncestor(a.getParentRegion()))
      return success(inside.lookup(a) == b);
    Attribute first, second;
    const bool isFirst = matchPattern(a, m_Constant(&first)), isSecond = matchPattern(b, m_Constant(&second));
    return success(isFirst == isSecond && first == second && a.getType() == b.getType());
  };
  return OperationEquivalence::isEquivalentTo(
             left, right, compare, [&](Value a, Value b) { inside[a] = b; }, OperationEquivalence::IgnoreLocations) &&
         getFirstUses(left) == getFirstUses(right);
}

SmallVector<SmallVector<host::ZeroedOp>> host::groupEqualOps(ArrayRef<ZeroedOp> ops) {
  SmallVector<SmallVector<ZeroedOp>> groups;
  llvm::DenseMap<llvm::hash_code, SmallVector<size_t, 1>> candidates;
  for (const ZeroedOp &zeroed : ops) {
    if (!canBeOutlined(zeroed.op)) {
      groups.push_back({zeroed});
      continue;
    }
    llvm::hash_code hash =
        OperationEquivalence::computeHash(zeroed.op, OperationEquivalence::ignoreHashValue,
                                          OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
    SmallVector<size_t, 1> &known = candidates[hash];
    auto found = llvm::find_if(known, [&](size_t index) {
      const ZeroedOp &other = groups[index].front();
      return bool(other.zeros) == bool(zeroed.zeros) && areEqual(other.op, zeroed.op);
    });
    if (found != known.end()) {
      groups[*found].push_back(zeroed);
    } else {
      known.push_back(groups.size());
      groups.push_back({zeroed});
    }
  }
  return groups;
}

linalg::LinalgOp host::outlineEqualOps(ArrayRef<ZeroedOp> ops, SymbolTable &symbols) {
  linalg::LinalgOp first = ops.front().op;
  llvm::SmallSetVector<unsigned, 4> used;
  used.insert_range(getFirstUses(first));
  SmallVector<Type> types;
  for (unsigned operand : used)
    types.push_back(first->getOperand(operand).getType());

  OpBuilder b(first->getContext());
  auto function = func::FuncOp::create(b, first.getLoc(), "rnn_host_op", b.getFunctionType(types, {}));
  function.setPrivate();
  // Internal linkage lets LLVM remove unused parts of the buffers' descriptors.
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  // LLVM would inline and unroll short loops in each caller.
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  symbols.insert(function);
  Block *block = function.addEntryBlock();
  b.setInsertionPointToStart(block);
  IRMapping mapping;
  for (auto [operand, argument] : llvm::zip_equal(used, block->getArguments()))
    mapping.map(first->getOperand(operand), argument);
  SetVector<Value> constants;
  getUsedValuesDefinedAbove(first->getRegions(), constants);
  constants.insert_range(llvm::make_filter_range(first->getOperands(), isConstant));
  for (Value constant : constants)
    b.clone(*constant.getDefiningOp(), mapping);
  auto inside = cast<linalg::LinalgOp>(b.clone(*first, mapping));
  func::ReturnOp::create(b, first.getLoc());

  for (linalg::LinalgOp op : llvm::map_range(ops, [](const ZeroedOp &zeroed) { return zeroed.op; })) {
    SmallVector<Value> operands;
    for (unsigned operand : used)
      operands.push_back(op->getOperand(operand));
    b.setInsertionPoint(op);
    func::CallOp::create(b, op.getLoc(), function, operands);
    op->erase();
  }
  return inside;
}
