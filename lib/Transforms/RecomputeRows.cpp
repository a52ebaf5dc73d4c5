//===- RecomputeRows.cpp - rows that are computed again, not stored -----------===//
//
// Automatic differentiation lets the loop of a cell store what the loop of its gradient needs: for a sigmoid both s and
// s (1 - s). The second follows from the first in two instructions, which take less time than the memory traffic.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgForms.h"
#include "LoopRows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "rnn/Transforms/Passes.h"
#include <map>

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNRECOMPUTEROWSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

namespace {
/// The ops that compute a row from one row of another tensor.
struct Recipe {
  SmallVector<Operation *> ops; ///< in their order
  std::optional<unsigned> from; ///< the carried number of the other tensor
};

/// Replaces what one loop stores.
class Recomputation {
public:
  Recomputation(scf::ForOp loop, int64_t count)
      : loop(loop), b(loop.getContext()), sizes(loop), rows(loop, count, sizes) {}
  void run();

private:
  bool addTo(Recipe &recipe, Value value, Value index);
  SmallVector<tensor::ExtractSliceOp> getReaders(unsigned carried, Value row);
  tensor::ExtractSliceOp getSlice(Value whole, tensor::ExtractSliceOp reader);
  void recompute(tensor::ExtractSliceOp reader, Value row, const Recipe &recipe);

  scf::ForOp loop;
  IRRewriter b;
  TensorSizes sizes;
  LoopRows rows;
  std::map<unsigned, RowSlice> stored; ///< rows that each iteration stores, by carried number
};
} // namespace

/// Whether an op computes each element by a few instructions.
static bool isCheap(linalg::LinalgOp op) {
  constexpr size_t mostOps = 4;
  auto isFast = [](Operation &op) {
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
               arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::SelectOp, arith::ConstantOp>(op);
  };
  Block &body = *op.getBlock();
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 && op.getNumParallelLoops() == op.getNumLoops() &&
         !op.payloadUsesValueFromOperand(&op.getDpsInitsMutable()[0]) && body.getOperations().size() <= mostOps + 1 &&
         llvm::all_of(body.without_terminator(), isFast) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); });
}

/// Adds the ops that compute `value` in the loop from a row that is stored at `index`. Returns false if there are none.
bool Recomputation::addTo(Recipe &recipe, Value value, Value index) {
  constexpr size_t mostOps = 6;
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  for (auto &[carried, slice] : stored)
    if (slice.tensor == value && slice.index == index) {
      if (recipe.from.value_or(carried) != carried)
        return false;
      recipe.from = carried;
      return true;
    }
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || recipe.ops.size() == mostOps)
    return false;
  if (llvm::is_contained(recipe.ops, op))
    return true;
  if (!isa<tensor::EmptyOp, arith::ConstantOp>(op)) {
    auto elementwise = dyn_cast<linalg::LinalgOp>(op);
    if (!elementwise || !isCheap(elementwise))
      return false;
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    if (!llvm::all_of(captured, [&](Value value) { return loop.isDefinedOutsideOfLoop(value); }))
      return false;
  }
  for (Value operand : op->getOperands())
    if (!addTo(recipe, operand, index))
      return false;
  recipe.ops.push_back(op);
  return true;
}

/// The slices that read the stored rows, if nothing else does.
SmallVector<tensor::ExtractSliceOp> Recomputation::getReaders(unsigned carried, Value row) {
  SmallVector<tensor::ExtractSliceOp> readers;
  Value result = loop.getResult(carried);
  for (Operation *user : result.getUsers()) {
    auto reader = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!reader || !rows.isRow(reader, result) || reader.getType() != row.getType())
      return {};
    readers.push_back(reader);
  }
  return readers;
}

/// The slice of the tensor `whole` with the position of `reader`, before it.
tensor::ExtractSliceOp Recomputation::getSlice(Value whole, tensor::ExtractSliceOp reader) {
  auto slice = cast<tensor::ExtractSliceOp>(b.clone(*reader));
  slice.getSourceMutable().assign(whole);
  for (Operation *user : whole.getUsers())
    if (user != slice && user->getBlock() == reader->getBlock() &&
        OperationEquivalence::isEquivalentTo(user, slice, OperationEquivalence::IgnoreLocations)) {
      b.eraseOp(slice);
      if (reader->isBeforeInBlock(user))
        b.moveOpBefore(user, reader);
      return cast<tensor::ExtractSliceOp>(user);
    }
  return slice;
}

/// Replaces a slice of the stored rows by the ops of the recipe, on a slice of the other tensor.
void Recomputation::recompute(tensor::ExtractSliceOp reader, Value row, const Recipe &recipe) {
  b.setInsertionPoint(reader);
  tensor::ExtractSliceOp source = getSlice(loop.getResult(*recipe.from), reader);
  IRMapping mapping;
  mapping.map(stored.at(*recipe.from).tensor, source.getResult());
  for (Operation *op : recipe.ops)
    b.clone(*op, mapping);
  b.replaceOp(reader, mapping.lookup(row));
}

void Recomputation::run() {
  for (unsigned carried = 0; carried < loop.getNumResults(); ++carried)
    if (std::optional<RowSlice> slice = rows.getInsertion(carried))
      if (auto type = dyn_cast<RankedTensorType>(slice->tensor.getType());
          type && cast<RankedTensorType>(loop.getResult(carried).getType()).getShape().drop_front() == type.getShape())
        stored.emplace(carried, *slice);
  bool isChanged = false;
  for (unsigned carried = 0; carried < loop.getNumResults(); ++carried) {
    auto entry = stored.find(carried);
    if (entry == stored.end())
      continue;
    const RowSlice slice = entry->second;
    SmallVector<tensor::ExtractSliceOp> readers = getReaders(carried, slice.tensor);
    if (readers.empty())
      continue;
    stored.erase(entry); // else the row would be computed from itself
    Recipe recipe;
    if (!addTo(recipe, slice.tensor, slice.index) || !recipe.from ||
        stored.at(*recipe.from).tensor.getType() != slice.tensor.getType() ||
        !sizes.haveEqualShapes(stored.at(*recipe.from).tensor, slice.tensor)) {
      stored.emplace(carried, slice);
      continue;
    }
    for (tensor::ExtractSliceOp reader : readers)
      recompute(reader, slice.tensor, recipe);
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    b.modifyOpInPlace(yield, [&] { yield.setOperand(carried, loop.getRegionIterArg(carried)); });
    isChanged = true;
  }
  if (isChanged)
    dropUnchanged(b, loop);
}

namespace {
struct RecomputeRows : public rnn::impl::RNNRecomputeRowsPassBase<RecomputeRows> {
  void runOnOperation() override {
    for (auto [loop, count] : getCountedLoops(getOperation()))
      Recomputation(loop, count).run();
  }
};
} // namespace
