//===- DistributeLoops.cpp - products of all iterations at once ---------------===//
//
// A recurrent cell in a loop multiplies one time step by the weights, and its gradient adds a product to the gradient
// of the weights in each iteration. Products that no later iteration needs are computed before the loop or after
// it, as one product with the rows of all iterations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarriedSums.h"
#include "LoopRows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/ZeroTensors.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNDISTRIBUTELOOPSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// The most bytes of the tensors that are added for one loop.
static constexpr int64_t mostBytes = int64_t(1) << 28;

/// Elements of a tensor; unknown sizes, of batches, are assumed.
static int64_t countElements(Value tensor) {
  constexpr int64_t assumed = 16;
  int64_t count = 1;
  for (int64_t size : cast<RankedTensorType>(tensor.getType()).getShape())
    count = llvm::SaturatingMultiply<uint64_t>(count, ShapedType::isDynamic(size) ? assumed : size);
  return count;
}

namespace {
/// Offsets, sizes and strides of one row of a tensor.
struct RowRange {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  RowRange(OpBuilder &b, Value index, ArrayRef<OpFoldResult> sizesOfRow) {
    offsets.assign(sizesOfRow.size() + 1, b.getIndexAttr(0)), strides.assign(sizesOfRow.size() + 1, b.getIndexAttr(1));
    offsets[0] = index;
    sizes.push_back(b.getIndexAttr(1));
    llvm::append_range(sizes, sizesOfRow);
  }
};

/// A linalg op of which all iterations can be computed at once.
struct Candidate {
  bool hasSlices() const {
    return llvm::any_of(slices, [](const auto &slice) { return slice.has_value(); });
  }

  linalg::LinalgOp op;
  bool descend;                                ///< the order of iterations in the added dimension
  SmallVector<std::optional<RowSlice>> slices; ///< of the operands that are rows in that order
  SmallVector<Value> computed;                 ///< operands that are computed in the loop
  unsigned carried = 0;      ///< the number of the loop's value that holds the results; if it is used after the loop
  linalg::LinalgOp addition; ///< adds the result to that value; null if the value has the results as rows
};

/// Moves ops out of one loop.
class Distribution {
public:
  Distribution(scf::ForOp loop, int64_t count)
      : loop(loop), count(count), b(loop.getContext()), sizes(loop->getParentOfType<FunctionOpInterface>()),
        loopRows(loop, count, sizes) {}
  void run();

private:
  bool hasKnownCount() const { return !ShapedType::isDynamic(count); }
  /// Whether the number of iterations can be the size of a tensor: it is a constant or such a size, thus not negative.
  bool canStack() const { return hasKnownCount() || loopRows.getCount().isOfTensor(); }
  bool hasKnownSizes(Value tensor);
  OpFoldResult getSize(const TensorSize &size, bool isDynamic);
  SmallVector<OpFoldResult> getSizes(Value tensor);
  OpFoldResult getCount() { return getSize(loopRows.getCount(), !hasKnownCount()); }
  Value createStack(Value row);
  std::optional<RowSlice> getSlice(Value value);
  std::optional<Candidate> getCandidate(linalg::LinalgOp op);
  Value getAllRows(const RowSlice &slice);
  Value computeAll(const Candidate &candidate, Value init, const DenseMap<Value, Value> &stacks);
  void hoist(const Candidate &candidate);
  void getAddends(unsigned carried, SmallVectorImpl<Candidate> &candidates);
  void getRowsOfResult(unsigned carried, SmallVectorImpl<Candidate> &candidates);
  void sink();
  void dropInits();
  bool reserve(ArrayRef<Value> rows);

  scf::ForOp loop;
  const int64_t count; ///< of iterations; dynamic if it is not known
  IRRewriter b;
  TensorSizes sizes; ///< until the loop is replaced
  LoopRows loopRows; ///< the same
  int64_t bytes = 0; ///< of added tensors
};
} // namespace

/// Whether all sizes of a tensor are constants or are computed before the loop.
bool Distribution::hasKnownSizes(Value tensor) {
  return llvm::all_of(llvm::seq(cast<RankedTensorType>(tensor.getType()).getRank()), [&](int64_t dim) {
    const TensorSize size = sizes.getSize(tensor, dim);
    return !size.value || loop.isDefinedOutsideOfLoop(size.value);
  });
}

/// A size as a value that is available before the loop: an attribute if it is not dynamic in the tensor's type.
OpFoldResult Distribution::getSize(const TensorSize &size, bool isDynamic) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  if (!isDynamic)
    return b.getIndexAttr(size.number);
  if (!size.value)
    return arith::ConstantIndexOp::create(b, loop.getLoc(), size.number).getResult();
  if (size.isOfTensor())
    return tensor::DimOp::create(b, loop.getLoc(), size.value, size.number).getResult();
  return b.createOrFold<arith::IndexCastOp>(loop.getLoc(), b.getIndexType(), size.value);
}

/// The sizes of a tensor for which hasKnownSizes() holds.
SmallVector<OpFoldResult> Distribution::getSizes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return llvm::map_to_vector(llvm::seq(type.getRank()),
                             [&](int64_t dim) { return getSize(sizes.getSize(tensor, dim), type.isDynamicDim(dim)); });
}

/// An empty tensor for a row of each iteration.
Value Distribution::createStack(Value row) {
  SmallVector<OpFoldResult> shape = {getCount()};
  llvm::append_range(shape, getSizes(row));
  return tensor::EmptyOp::create(b, loop.getLoc(), shape, getElementTypeOrSelf(row));
}

/// The slice that has the elements of `value`, if the tensor does not change in the loop.
std::optional<RowSlice> Distribution::getSlice(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !loop.isDefinedOutsideOfLoop(slice.getSource()) ||
      slice.getSourceType().getShape().drop_front() != slice.getType().getShape())
    return std::nullopt;
  Value index = loopRows.getIndex(slice, slice.getSource());
  std::optional<Rows> rows = index ? loopRows.getRows(index) : std::nullopt;
  if (!rows)
    return std::nullopt;
  const bool hasRows = hasKnownCount() ? rows->first >= 0 && rows->first + count <= slice.getSourceType().getDimSize(0)
                                       : sizes.getSize(slice.getSource(), 0) == loopRows.getCount();
  if (!hasRows)
    return std::nullopt;
  return RowSlice{slice.getSource(), index, *rows};
}

/// Matches sums of products and of elements, of sizes that are known before the loop, that start from zeros, whose
/// operands are the same in all iterations, rows of such tensors in one order, or values that the loop computes.
std::optional<Candidate> Distribution::getCandidate(linalg::LinalgOp op) {
  if (!op || op->getBlock() != loop.getBody() || !(isSumOfProducts(op) || isSum(op)) ||
      !isZero(op.getDpsInits().front()) ||
      !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); }) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        auto tensor = dyn_cast<RankedTensorType>(operand.getType());
        return tensor && tensor.getElementType().isIntOrFloat() && hasKnownSizes(operand);
      }))
    return std::nullopt;
  Candidate candidate;
  candidate.op = op;
  std::optional<bool> descend;
  for (Value input : op.getDpsInputs()) {
    candidate.slices.emplace_back();
    if (loop.isDefinedOutsideOfLoop(input))
      continue;
    if (std::optional<RowSlice> slice = getSlice(input);
        slice && descend.value_or(slice->rows.descend) == slice->rows.descend)
      descend = slice->rows.descend, candidate.slices.back() = slice;
    else
      candidate.computed.push_back(input);
  }
  if (!descend && candidate.computed.empty())
    return std::nullopt;
  candidate.descend = descend.value_or(false);
  return candidate;
}

/// Whether memory is left for a row of each of the values in each iteration.
bool Distribution::reserve(ArrayRef<Value> rows) {
  constexpr int64_t assumed = 64;
  int64_t more = 0;
  for (Value row : rows)
    more += (hasKnownCount() ? count : assumed) * countElements(row) *
            llvm::divideCeil(getElementTypeOrSelf(row).getIntOrFloatBitWidth(), 8);
  if (more > mostBytes - bytes)
    return false;
  bytes += more;
  return true;
}

/// The rows of all iterations.
Value Distribution::getAllRows(const RowSlice &slice) {
  auto type = cast<RankedTensorType>(slice.tensor.getType());
  if (type.getDimSize(0) == count || !hasKnownCount())
    return slice.tensor;
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loop.getLoc(), slice.tensor);
  offsets[0] = b.getIndexAttr(slice.rows.first), sizes[0] = b.getIndexAttr(count);
  return tensor::ExtractSliceOp::create(b, loop.getLoc(), slice.tensor, offsets, sizes, strides);
}

/// Creates the op with another loop in front, over the iterations. `stacks` has the values of all iterations for those
/// that the loop computes.
Value Distribution::computeAll(const Candidate &candidate, Value init, const DenseMap<Value, Value> &stacks) {
  linalg::LinalgOp op = candidate.op;
  SmallVector<AffineMap> maps;
  auto addMap = [&](OpOperand &operand, bool hasIterations) {
    AffineMap map = op.getMatchingIndexingMap(&operand).shiftDims(1); // the first loop is that of the iterations
    maps.push_back(hasIterations ? map.insertResult(b.getAffineDimExpr(0), 0) : map);
  };
  SmallVector<Value> inputs;
  for (auto [operand, slice] : llvm::zip_equal(op.getDpsInputOperands(), candidate.slices)) {
    Value input = operand->get();
    bool hasIterations = !loop.isDefinedOutsideOfLoop(input);
    if (Value stacked = stacks.lookup(input))
      input = stacked;
    else if (hasIterations)
      input = getAllRows(*slice);
    inputs.push_back(input);
    addMap(*operand, hasIterations);
  }
  addMap(op.getDpsInitsMutable()[0], !candidate.addition);
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.insert(kinds.begin(), candidate.addition ? utils::IteratorType::reduction : utils::IteratorType::parallel);
  return createWithBody(b, op, inputs, init, maps, kinds).getResult(0);
}

/// Computes all iterations of an op, whose operands the loop does not compute, before the loop.
void Distribution::hoist(const Candidate &candidate) {
  linalg::LinalgOp op = candidate.op;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  b.setInsertionPoint(loop);
  const RowSlice &slice = **llvm::find_if(candidate.slices, [](const auto &slice) { return slice.has_value(); });
  Value result = op->getResult(0);
  Value zeros = fillWithZeros(b, op.getLoc(), createStack(result));
  Value all = computeAll(candidate, zeros, DenseMap<Value, Value>());
  b.setInsertionPoint(op);
  Value index = slice.index;
  if (slice.rows.first != 0)
    index =
        arith::SubIOp::create(b, op.getLoc(), index, arith::ConstantIndexOp::create(b, op.getLoc(), slice.rows.first));
  RowRange row(b, index, getSizes(result));
  b.replaceOpWithNewOp<tensor::ExtractSliceOp>(op, type, all, row.offsets, row.sizes, row.strides);
}

/// Matches such ops that each iteration adds to a carried tensor, which is not used otherwise.
void Distribution::getAddends(unsigned carried, SmallVectorImpl<Candidate> &candidates) {
  Value sum = loop.getRegionIterArg(carried);
  for (linalg::LinalgOp addition : getAdditions(loop, carried)) {
    Value added = getAddend(addition, sum);
    sum = addition->getResult(0);
    std::optional<Candidate> candidate = getCandidate(added.getDefiningOp<linalg::LinalgOp>());
    if (!candidate || !added.hasOneUse())
      continue;
    candidate->carried = carried, candidate->addition = addition;
    candidates.push_back(*candidate);
  }
}

/// Matches a carried tensor into which each iteration inserts the result of such an op as one row.
void Distribution::getRowsOfResult(unsigned carried, SmallVectorImpl<Candidate> &candidates) {
  std::optional<RowSlice> insertion = loopRows.getInsertion(carried);
  if (!insertion)
    return;
  Value row = insertion->tensor;
  auto rows = cast<RankedTensorType>(loop.getRegionIterArg(carried).getType());
  if (cast<RankedTensorType>(row.getType()).getShape() != rows.getShape().drop_front())
    return;
  std::optional<Candidate> candidate = getCandidate(row.getDefiningOp<linalg::LinalgOp>());
  if (!candidate || !row.hasOneUse() || candidate->computed.empty())
    return;
  // Slices have the order of the insertion already, or are copied.
  if (candidate->hasSlices() && candidate->descend != insertion->rows.descend)
    return;
  candidate->carried = carried, candidate->descend = insertion->rows.descend;
  candidates.push_back(*candidate);
}

/// Replaces ops whose results no iteration reads by one op after the loop for all iterations. The loop stores the
/// operands that it computes.
void Distribution::sink() {
  SmallVector<Candidate> matched, candidates;
  for (auto match : {&Distribution::getAddends, &Distribution::getRowsOfResult})
    for (unsigned carried = 0; carried < loop.getNumRegionIterArgs(); ++carried)
      (this->*match)(carried, matched);

  using Stack = std::pair<Value, unsigned>; // a value, and 1 if the last iteration comes first
  llvm::SetVector<Stack> stacks;
  auto addStacks = [&](Candidate &candidate) {
    auto isStored = [&](Value value, bool descend) { return stacks.contains({value, descend}); };
    if (candidate.addition && !candidate.hasSlices()) // a sum may have any order
      candidate.descend = llvm::any_of(candidate.computed, [&](Value value) { return isStored(value, true); });
    SmallVector<Value> added;
    int64_t stored = 0, saved = 0; // elements per iteration
    for (Value value : candidate.computed)
      if (!isStored(value, candidate.descend) && !llvm::is_contained(added, value))
        added.push_back(value), stored += countElements(value);
    if (candidate.addition)
      saved = 2 * countElements(candidate.op->getResult(0)); // read and written
    for (Value input : candidate.op.getDpsInputs())
      if (loop.isDefinedOutsideOfLoop(input))
        saved += countElements(input);
    if (stored > saved || !reserve(added))
      return false;
    for (Value value : added)
      stacks.insert({value, candidate.descend});
    return true;
  };
  // The gradients of biases are sums of tensors that are stored for the products.
  for (bool isProduct : {true, false})
    for (Candidate &candidate : matched)
      if (isSumOfProducts(candidate.op) == isProduct && addStacks(candidate))
        candidates.push_back(candidate);
  if (candidates.empty())
    return;

  b.setInsertionPoint(loop);
  Value last; // iteration
  if (llvm::any_of(stacks, [](const Stack &stack) { return stack.second; }))
    last = arith::SubIOp::create(b, loop.getLoc(), getValueOrCreateConstantIndexOp(b, loop.getLoc(), getCount()),
                                 arith::ConstantIndexOp::create(b, loop.getLoc(), 1));
  SmallVector<Value> inits;
  SmallVector<SmallVector<OpFoldResult>> sizesOfRows;
  for (auto [value, descend] : stacks) {
    inits.push_back(createStack(value));
    sizesOfRows.push_back(getSizes(value));
  }
  // The tensors that hold results as rows start from zeros.
  DenseMap<unsigned, Value> zerosOfRows;
  for (const Candidate &candidate : candidates)
    if (!candidate.addition)
      zerosOfRows[candidate.carried] =
          fillWithZeros(b, loop.getLoc(), createStack(linalg::LinalgOp(candidate.op)->getResult(0)));
  auto store = [&](OpBuilder &b, Location loc, ArrayRef<BlockArgument> tensors) {
    SmallVector<Value> stored;
    for (auto [entry, tensor, sizesOfRow] : llvm::zip_equal(stacks, tensors, sizesOfRows)) {
      auto [value, descend] = entry;
      Value index = tensor.getOwner()->getArgument(0);
      if (!index.getType().isIndex())
        index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
      if (descend)
        index = arith::SubIOp::create(b, loc, last, index);
      RowRange row(b, index, sizesOfRow);
      stored.push_back(tensor::InsertSliceOp::create(b, loc, value, tensor, row.offsets, row.sizes, row.strides));
    }
    return stored;
  };
  const unsigned first = loop.getNumResults();
  auto replaced = cast<LoopLikeOpInterface>(loop.getOperation())
                      .replaceWithAdditionalYields(b, inits, /*replaceInitOperandUsesInLoop=*/false, store);
  loop = cast<scf::ForOp>(replaced->getOperation());

  b.setInsertionPointAfter(loop);
  SmallVector<Value> results(loop.getResults());
  SmallVector<SmallVector<OpOperand *>> uses;
  for (Value result : results)
    uses.push_back(llvm::to_vector(llvm::make_pointer_range(result.getUses())));
  for (const Candidate &candidate : candidates) {
    DenseMap<Value, Value> stacked;
    for (auto [index, entry] : llvm::enumerate(stacks))
      if (entry.second == candidate.descend && llvm::is_contained(candidate.computed, entry.first))
        stacked[entry.first] = loop.getResult(first + index);
    Value &result = results[candidate.carried];
    BlockArgument argument = loop.getRegionIterArg(candidate.carried);
    if (linalg::LinalgOp addition = candidate.addition) {
      result = computeAll(candidate, result, stacked);
      Value added = candidate.op->getResult(0);
      b.replaceAllUsesWith(addition->getResult(0), getAddend(addition, added));
    } else {
      result = computeAll(candidate, zerosOfRows[candidate.carried], stacked);
      auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
      b.modifyOpInPlace(yield, [&] { yield.setOperand(candidate.carried, argument); });
    }
  }
  for (unsigned carried = 0; carried < results.size(); ++carried)
    for (OpOperand *use : uses[carried])
      b.modifyOpInPlace(use->getOwner(), [&] { use->set(results[carried]); });
  dropUnchanged(b, loop);
}

/// Tensors that the loop overwrites need no elements before it.
void Distribution::dropInits() {
  for (unsigned carried = 0; carried < loop.getNumRegionIterArgs(); ++carried) {
    OpOperand &init = loop.getInitsMutable()[carried];
    if (init.get().getDefiningOp<tensor::EmptyOp>() || !loopRows.getInsertion(carried))
      continue;
    b.setInsertionPoint(loop);
    Value empty = tensor::EmptyOp::create(b, loop.getLoc(), getSizes(init.get()), getElementTypeOrSelf(init.get()));
    b.modifyOpInPlace(loop, [&] { init.set(empty); });
  }
}

void Distribution::run() {
  if (!canStack())
    return;
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    std::optional<Candidate> candidate = getCandidate(dyn_cast<linalg::LinalgOp>(op));
    if (!candidate || !candidate->computed.empty())
      continue;
    int64_t saved = 0;
    for (Value input : candidate->op.getDpsInputs())
      if (loop.isDefinedOutsideOfLoop(input))
        saved += countElements(input);
    Value result = op.getResult(0);
    if (countElements(result) <= saved && reserve(result))
      hoist(*candidate);
  }
  dropInits();
  sink();
}

namespace {
struct DistributeLoops : public rnn::impl::RNNDistributeLoopsPassBase<DistributeLoops> {
  void runOnOperation() override {
    for (auto [loop, count] : getCountedLoops(getOperation()))
      Distribution(loop, count).run();
  }
};
} // namespace
