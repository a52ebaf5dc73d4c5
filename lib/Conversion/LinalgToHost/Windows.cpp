//===- Windows.cpp - linalg ops that read windows of their operands ----------===//
//
// Convolutions and poolings read elements at sums of loops. Their inputs become strided views that have one dimension
// for each loop; the ops are then contractions and reductions like others. If the vectors of a convolution would not be
// contiguous, its filter is copied in another order, and the result is computed in another order and copied at the end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {
/// The indices of an operand as linear functions of the loops.
struct Access {
  /// For each dimension of the operand, the coefficients of the loops, then a constant.
  std::vector<SmallVector<int64_t, 8>> dims;
  /// The loops with coefficients, in the order of the dimensions. If several loops index one dimension, such as those
  /// over an image and over a window, reduction loops come first: vectors are along the last dimension of a view, and
  /// those along a parallel loop need no horizontal sums.
  SmallVector<unsigned> loops;

  bool hasWindows() const {
    return llvm::any_of(dims, [&](ArrayRef<int64_t> dim) {
      return llvm::count_if(loops, [&](unsigned loop) { return dim[loop] != 0; }) > 1;
    });
  }
};
} // namespace

/// Fails if an index is not linear.
static FailureOr<Access> analyze(AffineMap map, ArrayRef<utils::IteratorType> iterators) {
  Access access;
  if (map.getNumSymbols() > 0 || failed(getFlattenedAffineExprs(map, &access.dims, /*cst=*/nullptr)))
    return failure();
  for (ArrayRef<int64_t> dim : access.dims) {
    if (dim.size() != map.getNumDims() + 1) // columns of divisions and remainders
      return failure();
    for (auto kind : {utils::IteratorType::reduction, utils::IteratorType::parallel})
      for (auto [loop, iterator] : llvm::enumerate(iterators))
        if (dim[loop] != 0 && iterator == kind && !llvm::is_contained(access.loops, loop))
          access.loops.push_back(loop);
  }
  return access;
}

/// The elements of `buffer` at the indices of `access`, in a memref with one dimension for each of its loops.
static Value createView(ImplicitLocOpBuilder &b, Value buffer, const Access &access, ArrayRef<OpFoldResult> loopSizes) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
  // The sum of the strides times the coefficients in column `column`, and of `start`.
  auto sum = [&](unsigned column, OpFoldResult start) {
    AffineExpr expr = b.getAffineSymbolExpr(0);
    SmallVector<OpFoldResult> operands = {start};
    for (auto [stride, dim] : llvm::zip_equal(strides, access.dims)) {
      expr = expr + b.getAffineSymbolExpr(operands.size()) * dim[column];
      operands.push_back(stride);
    }
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
  };
  SmallVector<OpFoldResult> viewSizes, viewStrides;
  for (unsigned loop : access.loops) {
    viewSizes.push_back(loopSizes[loop]);
    viewStrides.push_back(sum(loop, b.getIndexAttr(0)));
  }
  OpFoldResult offset = sum(loopSizes.size(), metadata.getConstifiedMixedOffset());
  auto toStatic = [](ArrayRef<OpFoldResult> values) {
    SmallVector<int64_t> result;
    for (OpFoldResult value : values)
      result.push_back(getConstantIntValue(value).value_or(ShapedType::kDynamic));
    return result;
  };
  auto layout = StridedLayoutAttr::get(b.getContext(), toStatic(offset).front(), toStatic(viewStrides));
  auto bufferType = cast<MemRefType>(buffer.getType());
  auto type = MemRefType::get(toStatic(viewSizes), bufferType.getElementType(), layout, bufferType.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, type, metadata.getBaseBuffer(), offset, viewSizes, viewStrides);
}

/// The loops that views keep: all, but without those of one iteration if the last dimension of an operand is one of
/// them. Vectors are along the last dimension.
static SmallVector<unsigned> getKeptLoops(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto isUnit = [&](unsigned loop) { return sizes[loop] == 1; };
  bool hasLastUnit = llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    auto isLast = [&](unsigned loop) { return map.getResults().back() == getAffineDimExpr(loop, op.getContext()); };
    return map.getNumResults() > 0 && llvm::any_of(llvm::seq<unsigned>(0, sizes.size()),
                                                   [&](unsigned loop) { return isUnit(loop) && isLast(loop); });
  });
  auto kept = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  if (hasLastUnit && !op.hasIndexSemantics() && !llvm::all_of(kept, isUnit))
    llvm::erase_if(kept, isUnit);
  return kept;
}

/// Whether an operand is indexed by the loop of each dimension.
static bool isPlain(AffineMap map) {
  return map.isProjectedPermutation();
}

/// Returns the op with views of its operands, or none if an index is not linear, or if none is necessary: all maps are
/// projected permutations, and all loops remain. Sets `image` to the index of an input that has windows.
static linalg::GenericOp createViews(linalg::LinalgOp op, unsigned &image) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!op.hasPureBufferSemantics() || !llvm::all_of(ArrayRef(maps).drop_front(op.getNumDpsInputs()), isPlain))
    return {};
  SmallVector<unsigned> kept = getKeptLoops(op);
  bool keepsLoops = kept.size() == op.getNumLoops() || op.getNumReductionLoops() > 0;
  if (llvm::all_of(maps, isPlain) && keepsLoops)
    return {};
  SmallVector<Value> operands(op->getOperands());
  SmallVector<std::optional<Access>> accesses(maps.size());
  for (auto [operand, map, access] : llvm::zip_equal(operands, maps, accesses)) {
    auto isKept = [&](AffineExpr expr) { return llvm::is_contained(kept, cast<AffineDimExpr>(expr).getPosition()); };
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || (isPlain(map) && llvm::all_of(map.getResults(), isKept)))
      continue;
    SmallVector<int64_t> strides;
    int64_t offset;
    FailureOr<Access> found = analyze(map, op.getIteratorTypesArray());
    if (failed(found) || failed(type.getStridesAndOffset(strides, offset)))
      return {};
    access = std::move(*found);
    llvm::erase_if(access->loops, [&](unsigned loop) { return !llvm::is_contained(kept, loop); });
  }

  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<OpFoldResult> loopSizes;
  for (const Range &range : op.createLoopRanges(b, op.getLoc()))
    loopSizes.push_back(range.size);
  for (auto [index, access] : llvm::enumerate(accesses)) {
    SmallVector<unsigned> loops;
    if (access) {
      if (access->hasWindows())
        image = index;
      operands[index] = createView(b, operands[index], *access, loopSizes);
      loops = access->loops;
    } else {
      for (AffineExpr expr : maps[index].getResults())
        loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    }
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops)
      exprs.push_back(b.getAffineDimExpr(llvm::find(kept, loop) - kept.begin()));
    maps[index] = AffineMap::get(kept.size(), 0, exprs, b.getContext());
  }
  return replaceOperands(b, op, kept, operands, maps);
}

namespace {
/// A contraction of the windows of an image and of a filter.
class Convolution {
public:
  Convolution(linalg::GenericOp op, unsigned image)
      : op(op), operands(op->getOperands()), maps(op.getIndexingMapsArray()), sizes(op.getStaticLoopRanges()),
        image(image), filter(1 - image) {}

  /// Whether `op` is a convolution.
  static bool matches(linalg::GenericOp op);
  /// Appends the op, and copies before and after it that make its vectors contiguous.
  void arrange(SmallVectorImpl<linalg::LinalgOp> &ops);

private:
  bool uses(unsigned operand, unsigned loop) const { return maps[operand].isFunctionOfDim(loop); }
  /// Whether elements along `loop` are contiguous.
  bool isContiguous(unsigned operand, unsigned loop) const;
  /// The number of iterations of the loops of which `isOne` is true. Unknown sizes count as large.
  uint64_t count(function_ref<bool(unsigned)> isOne) const { return countIterations(sizes, unknown, isOne); }
  uint64_t getSize(unsigned loop) const {
    return count([&](unsigned other) { return other == loop; });
  }
  uint64_t countSums() const {
    return count([&](unsigned loop) { return !uses(result, loop); });
  }
  bool isColumnFuller(unsigned loop) const;
  /// The loop over the columns of the filter that has the most iterations.
  unsigned getLongestColumns() const;
  /// A new buffer for the elements of an operand, with the dimension of `loop` last, and its indexing map.
  std::pair<Value, AffineMap> allocate(ImplicitLocOpBuilder &b, unsigned operand, unsigned loop) const;

  static constexpr unsigned result = 2;
  /// Vectors along shorter loops are mostly masked.
  static constexpr uint64_t shortest = 8;
  static constexpr uint64_t unknown = 1 << 10;

  linalg::GenericOp op;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> sizes;
  unsigned image, filter;
};
} // namespace

bool Convolution::isContiguous(unsigned operand, unsigned loop) const {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto last = dyn_cast<AffineDimExpr>(maps[operand].getResults().back());
  return last && last.getPosition() == loop &&
         succeeded(cast<MemRefType>(operands[operand].getType()).getStridesAndOffset(strides, offset)) &&
         strides.back() == 1;
}

bool Convolution::matches(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.hasIndexSemantics())
    return false;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()); !type || type.getRank() == 0)
      return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool hasRows = false, hasColumns = false, hasSums = false;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool left = maps[0].isFunctionOfDim(loop), right = maps[1].isFunctionOfDim(loop);
    bool isSum = !maps[result].isFunctionOfDim(loop);
    if (isSum && !(left && right))
      return false;
    hasRows |= left && !right, hasColumns |= right && !left, hasSums |= isSum;
  }
  return hasRows && hasColumns && hasSums;
}

unsigned Convolution::getLongestColumns() const {
  std::optional<unsigned> longest;
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (!uses(image, loop) && (!longest || getSize(loop) > getSize(*longest)))
      longest = loop;
  return *longest;
}

/// Whether vectors along the columns of the filter use more of their lanes than those along `loop`, a row of an image,
/// so that a copy of the result pays.
bool Convolution::isColumnFuller(unsigned loop) const {
  constexpr uint64_t lanes = 32;       // two vectors of f32
  constexpr uint64_t fewestSums = 256; // beside so many products, the copy takes little time
  auto getFill = [&](unsigned loop) { return double(getSize(loop)) / llvm::alignTo<lanes>(getSize(loop)); };
  return countSums() >= fewestSums && getFill(getLongestColumns()) > getFill(loop);
}

std::pair<Value, AffineMap> Convolution::allocate(ImplicitLocOpBuilder &b, unsigned operand, unsigned loop) const {
  // Sums first: the rows of a matrix.
  SmallVector<unsigned> order;
  auto append = [&](function_ref<bool(unsigned)> isNext) {
    for (AffineExpr expr : maps[operand].getResults())
      if (unsigned other = cast<AffineDimExpr>(expr).getPosition(); isNext(other))
        order.push_back(other);
  };
  append([&](unsigned other) { return other != loop && !uses(result, other); });
  append([&](unsigned other) { return other != loop && uses(result, other); });
  append([&](unsigned other) { return other == loop; });
  return allocatePermuted(b, operands[operand], maps[operand], order);
}

void Convolution::arrange(SmallVectorImpl<linalg::LinalgOp> &ops) {
  // Vectors are along the last dimension of the result, or along columns of the filter. The windows are not copied:
  // their copy may be larger than the image by the number of elements of a window.
  unsigned loop = cast<AffineDimExpr>(maps[result].getResults().back()).getPosition();
  bool keepsResult =
      getSize(loop) >= shortest && isContiguous(result, loop) && (!uses(image, loop) || isContiguous(image, loop));
  keepsResult = keepsResult && !(uses(image, loop) && isColumnFuller(loop));
  if (!keepsResult)
    loop = getLongestColumns();
  bool copiesFilter = uses(filter, loop) && !isContiguous(filter, loop);
  uint64_t rows = count([&](unsigned other) { return !uses(filter, other); });
  bool isWorthwhile = (!copiesFilter || rows >= fewestUses) && (keepsResult || countSums() >= fewestUses);
  if (getSize(loop) < shortest || !isWorthwhile)
    return ops.push_back(op);

  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> allocated;
  auto useCopy = [&](unsigned operand) {
    auto [buffer, map] = allocate(b, operand, loop);
    ops.push_back(createCopy(b, operands[operand], maps[operand], buffer, map));
    allocated.push_back(buffer);
    operands[operand] = buffer, maps[operand] = map;
  };
  if (copiesFilter)
    useCopy(filter);
  Value stored = operands[result];
  AffineMap storedMap = maps[result];
  if (!keepsResult)
    useCopy(result);
  b.setInsertionPointAfter(op);
  op = replaceOperands(b, op, operands, maps);
  ops.push_back(op);
  if (!keepsResult)
    ops.push_back(createCopy(b, operands[result], maps[result], stored, storedMap));
  for (Value buffer : allocated)
    memref::DeallocOp::create(b, buffer);
}

void host::prepareWindows(linalg::LinalgOp op, SmallVectorImpl<linalg::LinalgOp> &ops) {
  unsigned image = 0;
  const bool hasWindows = !llvm::all_of(op.getIndexingMapsArray(), isPlain);
  linalg::GenericOp views = createViews(op, image);
  if (views && hasWindows && Convolution::matches(views))
    return Convolution(views, image).arrange(ops);
  ops.push_back(views ? views : op);
}
