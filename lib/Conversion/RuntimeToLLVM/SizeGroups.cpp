//===- SizeGroups.cpp - dynamic sizes that a function requires to be equal ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::rnn;

static Value skipCasts(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer;
}

/// The dimension of an argument that `size` is read from; otherwise the value itself.
static SizeGroups::Key getKey(Value size) {
  Operation *op = size.getDefiningOp();
  while (op && op->getNumOperands() == 1 && isa<arith::IndexCastOp, UnrealizedConversionCastOp>(op)) {
    size = op->getOperand(0);
    op = size.getDefiningOp();
  }
  auto dim = size.getDefiningOp<memref::DimOp>();
  if (std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt)
    if (auto argument = dyn_cast<BlockArgument>(skipCasts(dim.getSource())))
      return {argument.getAsOpaquePointer(), *index};
  return {size.getAsOpaquePointer(), -1};
}

SizeGroups::SizeGroups(func::FuncOp function) {
  // Checks in loops and branches are conditional.
  for (auto call : function.getBody().front().getOps<LLVM::CallOp>())
    if (call.getCallee() == "rnnrt_abi_expect_equal")
      classes.unionSets(getKey(call.getArgOperands()[1]), getKey(call.getArgOperands()[2]));
}

/// The key of each dynamic size of `value`, which callers see as `type`. A result has keys if it is allocated here.
static SmallVector<std::optional<SizeGroups::Key>> getKeys(Value value, Type type) {
  SmallVector<std::optional<SizeGroups::Key>> keys;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return keys;
  Value buffer = skipCasts(value);
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
    std::optional<SizeGroups::Key> &key = keys.emplace_back();
    if (!tensor.isDynamicDim(dim))
      continue;
    if (isa<BlockArgument>(buffer))
      key = SizeGroups::Key{buffer.getAsOpaquePointer(), dim};
    else if (alloc && alloc.getType().isDynamicDim(dim))
      key = getKey(alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(dim)]);
  }
  return keys;
}

void SizeGroups::add(Value value, Type type) {
  for (std::optional<Key> key : getKeys(value, type))
    if (key) {
      classes.insert(*key);
      ++counts[*key];
    }
}

int64_t SizeGroups::getNumber(const Key &key) {
  int64_t count = 0;
  for (const Key &member : classes.members(key))
    count += counts.lookup(member);
  return count > 1 ? numbers.try_emplace(classes.getLeaderValue(key), numbers.size() + 1).first->second : 0;
}

SmallVector<int64_t> SizeGroups::getNumbers(Value value, Type type) {
  SmallVector<int64_t> result;
  for (std::optional<Key> key : getKeys(value, type))
    result.push_back(key ? getNumber(*key) : 0);
  return llvm::any_of(result, [](int64_t number) { return number > 0; }) ? result : SmallVector<int64_t>();
}
