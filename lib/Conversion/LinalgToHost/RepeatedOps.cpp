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

/// The values from outside that an op uses: its operands, and those that its regions use.
static SmallVector<Value> getUsedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::append_range(values, captured);
  return values;
}

/// For each value that is not a constant, the index of the first one that is the same.
static SmallVector<unsigned> getFirstUses(ArrayRef<Value> values) {
  SmallVector<unsigned> uses;
  for (Value value : values)
    if (!isConstant(value))
      uses.push_back(llvm::find(values, value) - values.begin());
  return uses;
}

static bool areEqual(Operation *left, Operation *right) {
  const SmallVector<Value> leftValues = getUsedValues(left), rightValues = getUsedValues(right);
  if (leftValues.size() != rightValues.size() || getFirstUses(leftValues) != getFirstUses(rightValues))
    return false;
  llvm::DenseMap<Value, Value> inside; // values of the regions of `left`, and those of `right` that are the same
  auto compare = [&](Value a, Value b) {
    auto *found = llvm::find(leftValues, a);
    if (found == leftValues.end())
      return success(inside.lookup(a) == b);
    Attribute first, second;
    const bool isFirst = matchPattern(a, m_Constant(&first)), isSecond = matchPattern(b, m_Constant(&second));
    const bool isSame =
        isFirst ? first == second : found - leftValues.begin() == llvm::find(rightValues, b) - rightValues.begin();
    return success(isFirst == isSecond && isSame && a.getType() == b.getType());
  };
  return OperationEquivalence::isEquivalentTo(
      left, right, compare, [&](Value a, Value b) { inside[a] = b; }, OperationEquivalence::IgnoreLocations);
}

/// Groups equal items, in the order of the first ones. `getOp` returns the op of an item, or null if the item is a
/// group by itself.
template <typename Item>
static SmallVector<SmallVector<Item>> groupEqual(ArrayRef<Item> items, function_ref<Operation *(Item)> getOp,
                                                 function_ref<bool(Item, Item)> areEqual) {
  SmallVector<SmallVector<Item>> groups;
  llvm::DenseMap<llvm::hash_code, SmallVector<size_t, 1>> groupsOfHash;
  for (const Item &item : items) {
    if (Operation *op = getOp(item)) {
      llvm::hash_code hash = OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                               OperationEquivalence::ignoreHashValue,
                                                               OperationEquivalence::IgnoreLocations);
      SmallVector<size_t, 1> &known = groupsOfHash[hash];
      auto found = llvm::find_if(known, [&](size_t index) { return areEqual(groups[index].front(), item); });
      if (found != known.end()) {
        groups[*found].push_back(item);
        continue;
      }
      known.push_back(groups.size());
    }
    groups.push_back({item});
  }
  return groups;
}

SmallVector<SmallVector<host::ZeroedOp>> host::groupEqualOps(ArrayRef<ZeroedOp> ops) {
  return groupEqual<ZeroedOp>(
      ops, [](ZeroedOp zeroed) { return canBeOutlined(zeroed.op) ? zeroed.op.getOperation() : nullptr; },
      [](ZeroedOp left, ZeroedOp right) {
        return bool(left.zeros) == bool(right.zeros) && areEqual(left.op, right.op);
      });
}

/// Replaces equal ops by calls of a new function. Returns the op in the function.
static Operation *outline(ArrayRef<Operation *> ops, SymbolTable &symbols) {
  Operation *first = ops.front();
  const SmallVector<Value> values = getUsedValues(first);
  llvm::SmallSetVector<unsigned, 4> used;
  used.insert_range(getFirstUses(values));
  SmallVector<Type> types;
  for (unsigned index : used)
    types.push_back(values[index].getType());

  OpBuilder b(first->getContext());
  auto function = func::FuncOp::create(b, first->getLoc(), "rnn_host_op", b.getFunctionType(types, {}));
  function.setPrivate();
  // Internal linkage lets LLVM remove unused parts of the buffers' descriptors.
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  // LLVM would inline and unroll short loops in each caller.
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  symbols.insert(function);
  Block *block = function.addEntryBlock();
  b.setInsertionPointToStart(block);
  IRMapping mapping;
  for (auto [index, argument] : llvm::zip_equal(used, block->getArguments()))
    mapping.map(values[index], argument);
  for (Value value : values)
    if (isConstant(value) && !mapping.contains(value))
      b.clone(*value.getDefiningOp(), mapping);
  Operation *inside = b.clone(*first, mapping);
  func::ReturnOp::create(b, first->getLoc());

  for (Operation *op : ops) {
    const SmallVector<Value> others = getUsedValues(op);
    SmallVector<Value> operands;
    for (unsigned index : used)
      operands.push_back(others[index]);
    b.setInsertionPoint(op);
    func::CallOp::create(b, op->getLoc(), function, operands);
    op->erase();
  }
  return inside;
}

linalg::LinalgOp host::outlineEqualOps(ArrayRef<ZeroedOp> ops, SymbolTable &symbols) {
  auto outlined = llvm::map_to_vector(ops, [](ZeroedOp zeroed) { return zeroed.op.getOperation(); });
  return cast<linalg::LinalgOp>(outline(outlined, symbols));
}

void host::outlineEqualLoops(SmallVectorImpl<SharedLoop> &loops, SymbolTable &symbols) {
  // A loop inside of another one stays, as an op does.
  SmallVector<SmallVector<SharedLoop>> groups = groupEqual<SharedLoop>(
      loops,
      [](SharedLoop shared) {
        return shared.loop->getParentOfType<LoopLikeOpInterface>() ? nullptr : shared.loop.getOperation();
      },
      [](SharedLoop left, SharedLoop right) { return areEqual(left.loop, right.loop); });
  loops.clear();
  for (ArrayRef<SharedLoop> group : groups) {
    loops.push_back(group.front());
    if (group.size() == 1)
      continue;
    auto equal = llvm::map_to_vector(group, [](SharedLoop shared) { return shared.loop.getOperation(); });
    loops.back().loop = cast<scf::ForallOp>(outline(equal, symbols));
  }
}
