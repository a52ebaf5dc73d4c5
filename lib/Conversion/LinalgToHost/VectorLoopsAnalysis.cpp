//===- VectorLoopsAnalysis.cpp - which loop of a linalg op has vectors --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

static bool isSupported(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.isSignless() && llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
  return element.isIndex() || isHalf(element) || element.isF32() || element.isF64();
}

/// Whether the loops support an operation of the op's body. `hasF64`: buffers have elements of f64.
static bool isSupported(Operation *op, bool hasF64) {
  if (isa<linalg::IndexOp, linalg::YieldOp, arith::ConstantOp>(op))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    SmallVector<int64_t> strides;
    int64_t offset;
    return isSupported(load.getType()) && load.getMemRefType().getRank() > 0 &&
           succeeded(load.getMemRefType().getStridesAndOffset(strides, offset)) && strides.back() == 1;
  }
  // Upstream lowers the first group on scalars only, and the second on vectors of f32 only.
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp, math::AcoshOp, math::AsinhOp, math::AtanhOp>(
          op) ||
      (isa<math::CbrtOp, math::ErfOp, math::ErfcOp>(op) && op->getResult(0).getType().isF64()) ||
      (isa<math::ExpM1Op>(op) && op->getResult(0).getType().isF64() && !hasF64))
    return false;
  auto isScalar = [](Type type) { return isSupported(type) || type.isInteger(1); };
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperandTypes(), isScalar) && isScalar(op->getResult(0).getType());
}

/// Whether scalar code is faster than a short vector: LLVM unrolls loops over so few elements, and keeps these in
/// registers. Bodies with functions are excluded, for which scalar code calls the C library.
bool VectorLoops::isShortScalarCode() const {
  constexpr uint64_t mostIterations = 3;
  auto isFunction = [](Operation &inner) {
    return isa<math::MathDialect>(inner.getDialect()) &&
           !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp, math::SqrtOp>(inner);
  };
  return !ShapedType::isDynamicShape(staticSizes) &&
         countIterations(staticSizes, /*unknown=*/1, [](unsigned) { return true; }) <= mostIterations &&
         llvm::none_of(body, isFunction);
}

LogicalResult VectorLoops::analyze() {
  if (!op.hasPureBufferSemantics() || op.getNumLoops() == 0)
    return failure();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!type && (!isSupported(operand.get().getType()) || op.isDpsInit(&operand)))
      return failure();
    if (type && (!(isSupported(type.getElementType()) || type.getElementType().isInteger(1)) ||
                 !map.isProjectedPermutation() || failed(type.getStridesAndOffset(strides, offset))))
      return failure();
    buffers.push_back({operand.get(), map, type});
  }
  if (!llvm::all_of(body, [&](Operation &op) { return isSupported(&op, hasF64()); }))
    return failure();
  iterators = op.getIteratorTypesArray();
  staticSizes = op.getStaticLoopRanges();
  if (isShortScalarCode())
    return failure();
  for (unsigned result = 0; result < op.getNumDpsInits(); ++result) {
    const Buffer &buffer = buffers[numInputs + result];
    Combiner combiner;
    SmallVector<Operation *> ops;
    BlockArgument argument = op.getRegionOutputArgs()[result];
    // Without a reduction loop, `outs + x * y` is no sum: each operation is rounded.
    if (op.getNumReductionLoops() > 0 && matchReduction(op.getRegionOutputArgs(), result, ops) && ops.size() == 1 &&
        argument.hasOneUse())
      if (auto kind = linalg::getCombinerOpKind(ops.front()))
        combiner = {ops.front(), *kind};
    combiners.push_back(combiner);
    for (auto [loop, iterator] : llvm::enumerate(iterators))
      if ((buffer.along(loop) == Access::Invariant) != isReduction(loop))
        return failure();
  }
  matchSelection();
  collapse();
  return chooseLoop();
}

bool VectorLoops::startFromZero() {
  if (blocks || combiners.size() != 1 || !isa_and_nonnull<arith::AddFOp>(combiners.front().op))
    return false;
  startsFromZero = true;
  return true;
}

/// An elementwise op on dense buffers of one shape is one loop, and so is a reduction of dense inputs to one element.
void VectorLoops::collapse() {
  auto isDense = [&](const Buffer &buffer) {
    return !buffer.type || buffer.map.getNumResults() == 0 ||
           (buffer.map.isIdentity() &&
            (buffer.type.getLayout().isIdentity() || memref::isStaticShapeAndContiguousRowMajor(buffer.type)));
  };
  if (op.getNumLoops() < 2 || !llvm::all_equal(iterators) || (isReduction(0) && !hasCombiners()) ||
      !llvm::all_of(buffers, isDense) ||
      !llvm::all_of(body, [](Operation &op) { return !isa<linalg::IndexOp, memref::LoadOp>(op); }))
    return;
  isCollapsed = true;
  iterators.resize(1);
  bool isStatic = !ShapedType::isDynamicShape(staticSizes);
  staticSizes.assign(1, isStatic ? ShapedType::getNumElements(staticSizes) : ShapedType::kDynamic);
}

/// What the inputs of a loop cost that are not contiguous along it, in the order of importance.
struct VectorLoops::Score {
  int64_t gathers, transposes;
  bool isReduction; ///< A horizontal reduction costs more than a loop whose lanes are independent.

  bool operator<=(const Score &other) const {
    return std::tie(gathers, transposes, isReduction) <= std::tie(other.gathers, other.transposes, other.isReduction);
  }
};

/// The loop along which most inputs are contiguous that are strided along `loop`, if they are transposed.
std::optional<unsigned> VectorLoops::chooseTransposedRows(unsigned loop) const {
  if (llvm::is_contained(iterators, utils::IteratorType::reduction))
    return std::nullopt;
  std::optional<unsigned> best;
  int64_t most = 0;
  for (unsigned rows = 0; rows < iterators.size(); ++rows) {
    int64_t count = llvm::count_if(ArrayRef(buffers).take_front(numInputs),
                                   [&](const Buffer &buffer) { return isTransposed(buffer, loop, rows); });
    if (staticSizes[rows] != 1 && count > most)
      best = rows, most = count;
  }
  return best;
}

/// How often the op reads each element of an input. If `isSmall`, loops of unknown size count as one iteration,
/// otherwise as so many that a copy pays.
uint64_t VectorLoops::countUses(const Buffer &input) const {
  return countIterations(staticSizes, /*unknown=*/isSmall ? 1 : fewestUses,
                         [&](unsigned loop) { return !input.map.isFunctionOfDim(loop); });
}

/// The inputs of a contraction that are strided along the loop of its result's vectors. Without copies of them, each
/// element of the result would be a sum over the lanes of a vector, or vectors would be gathered. Selects that loop.
SmallVector<unsigned> VectorLoops::chooseStridedFactors() {
  const Buffer &result = buffers.back();
  auto loops = llvm::seq<unsigned>(0, iterators.size());
  auto found = llvm::find_if(
      loops, [&](unsigned loop) { return staticSizes[loop] != 1 && result.along(loop) == Access::Contiguous; });
  SmallVector<unsigned> factors;
  if (found == loops.end())
    return factors;
  for (unsigned index = 0; index < numInputs; ++index)
    if (isWorthCopying(index, *found))
      factors.push_back(index);
  if (!factors.empty())
    vectorLoop = *found;
  return factors;
}

/// Whether an input is strided along a loop, contiguous along another one, and used so often that a copy of it pays.
bool VectorLoops::isWorthCopying(unsigned input, unsigned loop) const {
  return countUses(buffers[input]) >= fewestUses &&
         llvm::any_of(llvm::seq<unsigned>(0, iterators.size()),
                      [&](unsigned other) { return isTransposed(buffers[input], loop, other); });
}

/// The result, if vectors along a loop along which it is strided would gather fewer elements of the inputs, and the
/// inputs that are then copied as well. Selects that loop. The result of long sums is short beside the inputs.
SmallVector<unsigned> VectorLoops::chooseStridedResult() {
  constexpr uint64_t assumed = 64, fewestLanes = 8; // iterations of a loop of unknown size, and of vectors
  auto count = [&](function_ref<bool(unsigned)> isCounted) { return countIterations(staticSizes, assumed, isCounted); };
  if (op.getNumDpsInits() != 1 || count([&](unsigned loop) { return isReduction(loop); }) < fewestUses)
    return {};
  auto countGathered = [&](unsigned loop) {
    uint64_t gathered = 0;
    for (unsigned input = 0; input < numInputs; ++input)
      if (const Buffer &buffer = buffers[input];
          buffer.type && buffer.along(loop) == Access::Strided && !isWorthCopying(input, loop))
        gathered += count([&](unsigned other) { return buffer.map.isFunctionOfDim(other); });
    return gathered;
  };
  uint64_t fewest = countGathered(vectorLoop);
  std::optional<unsigned> best;
  for (unsigned loop = 0; loop < iterators.size(); ++loop)
    if (uint64_t gathered = countGathered(loop); gathered < fewest &&
                                                 count([&](unsigned other) { return other == loop; }) >= fewestLanes &&
                                                 buffers.back().along(loop) == Access::Strided)
      best = loop, fewest = gathered;
  if (!best)
    return {};
  vectorLoop = *best;
  SmallVector<unsigned> operands;
  for (unsigned input = 0; input < numInputs; ++input)
    if (isWorthCopying(input, vectorLoop))
      operands.push_back(input);
  operands.push_back(numInputs);
  return operands;
}

/// The inputs that would be transposed in registers. The code of a tile has the body once for each of its rows, so that
/// tiles of a long body would take long to compile. Returns none if the body is short.
SmallVector<unsigned> VectorLoops::getInputsOfLongBody() const {
  constexpr size_t mostOps = 24, opsOfFunction = 8;
  size_t ops = body.getOperations().size();
  for (Operation &inner : body)
    ops += isa<math::MathDialect>(inner.getDialect()) ? opsOfFunction : 0;
  SmallVector<unsigned> inputs;
  if (ops <= mostOps)
    return inputs;
  if (std::optional<unsigned> rows = chooseTransposedRows(vectorLoop))
    for (unsigned index = 0; index < numInputs; ++index)
      if (isTransposed(buffers[index], vectorLoop, *rows))
        inputs.push_back(index);
  return inputs;
}

SmallVector<OperandOrder> VectorLoops::chooseCopies() {
  if (isCollapsed)
    return {};
  bool isContraction = linalg::isaContractionOpInterface(op);
  SmallVector<unsigned> operands = isContraction ? chooseStridedFactors() : getInputsOfLongBody();
  if (operands.empty())
    operands = chooseStridedResult();
  SmallVector<OperandOrder> orders;
  for (unsigned operand : operands) {
    SmallVector<unsigned> loops;
    for (unsigned loop = 0; loop < iterators.size(); ++loop)
      if (loop != vectorLoop && buffers[operand].map.isFunctionOfDim(loop))
        loops.push_back(loop);
    loops.push_back(vectorLoop);
    orders.push_back({operand, loops});
  }
  return orders;
}

/// The cost of vectors along a loop, or none if it cannot be vectorized.
std::optional<VectorLoops::Score> VectorLoops::getScore(unsigned loop) const {
  if (staticSizes[loop] == 1 && iterators.size() > 1)
    return std::nullopt;
  bool hasContiguous = false;
  std::optional<unsigned> rows = chooseTransposedRows(loop);
  Score score = {0, 0, isReduction(loop)};
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    Access access = buffer.type ? buffer.along(loop) : Access::Invariant;
    bool isResult = index >= numInputs, isInTile = !isResult && rows && isTransposed(buffer, loop, *rows);
    // There is no gather of i1.
    if (access == Access::Strided && !isInTile && (isResult || buffer.type.getElementType().isInteger(1)))
      return std::nullopt;
    hasContiguous |= access == Access::Contiguous;
    (isInTile ? score.transposes : score.gathers) += access == Access::Strided;
  }
  if (!hasContiguous)
    return std::nullopt;
  if (isReduction(loop) && !hasCombiners())
    return std::nullopt;
  return score;
}

LogicalResult VectorLoops::chooseLoop() {
  if (isCollapsed)
    return success();
  std::optional<Score> best;
  for (unsigned loop = 0; loop < iterators.size(); ++loop)
    if (std::optional<Score> score = getScore(loop); score && (!best || *score <= *best))
      best = score, vectorLoop = loop;
  return success(best.has_value());
}

/// Whether the op sums one value in a few operations.
bool VectorLoops::hasSimpleSums() const {
  return llvm::is_contained(iterators, utils::IteratorType::reduction) && combiners.size() == 1 &&
         body.getOperations().size() <= 6;
}

/// Vectors of one iteration: enough independent sums to hide the latency of an addition.
int64_t VectorLoops::getUnroll() const {
  if (transposes)
    return 1;
  if (rowLoop)
    return vectors.registers >= 32 ? 4 : 2;
  // One row of sums: long runs of each row of the operand, since rows may be far apart.
  if (hasSimpleSums() && !isReduction(vectorLoop))
    return vectors.registers >= 32 ? 16 : 8;
  int64_t ops = body.getOperations().size();
  bool hasReduction = llvm::is_contained(iterators, utils::IteratorType::reduction);
  return ops <= 8 ? 4 : ops <= 16 && hasReduction ? 2 : 1;
}

/// The parallel loop whose iterations read the same vectors, as the rows of a product. A tile of several rows loads
/// them once.
std::optional<unsigned> VectorLoops::chooseRows() const {
  if (isReduction(vectorLoop) || !hasSimpleSums())
    return std::nullopt;
  std::optional<unsigned> best;
  for (unsigned loop = 0; loop < iterators.size(); ++loop) {
    auto isShared = [&](const Buffer &buffer) {
      return buffer.type && buffer.along(vectorLoop) == Access::Contiguous && buffer.along(loop) == Access::Invariant;
    };
    if (isReduction(loop) || isVectorized(loop) || staticSizes[loop] == 1 ||
        llvm::none_of(ArrayRef(buffers).drop_back(), isShared))
      continue;
    if (!best || staticSizes[loop] >= staticSizes[*best])
      best = loop;
  }
  return best;
}

/// The operand of a contraction that the tiles read in vectors, or null.
const Buffer *VectorLoops::findVectorOperand() const {
  if (!linalg::isaContractionOpInterface(op))
    return nullptr;
  ArrayRef<Buffer> inputs = ArrayRef(buffers).drop_back();
  auto *found =
      llvm::find_if(inputs, [&](const Buffer &input) { return input.along(vectorLoop) == Access::Contiguous; });
  return found == inputs.end() ? nullptr : found;
}

void VectorLoops::chooseTiles() {
  if (!isCollapsed)
    rowLoop = chooseTransposedRows(vectorLoop);
  transposes = rowLoop.has_value();
  if (!rowLoop)
    rowLoop = chooseRows();
  for (unsigned loop = 0; loop < iterators.size(); ++loop)
    if (isReduction(loop) && !isVectorized(loop))
      inner.push_back(loop);
    else if (!isVectorized(loop) && loop != rowLoop)
      outer.push_back(loop);
  if (rowLoop)
    outer.push_back(*rowLoop);
  const Buffer *operand = findVectorOperand();
  if (!operand)
    return;
  // The vectors in the order of their addresses.
  llvm::sort(inner, [&](unsigned left, unsigned right) {
    auto position = [&](unsigned loop) {
      return operand->map.getResultPosition(getAffineDimExpr(loop, op.getContext())).value_or(0);
    };
    return position(left) < position(right);
  });
  if (rowLoop && !transposes)
    chooseBlocks(*operand);
}

/// Each tile of a contraction reads the vectors of one operand, in all rows of which it uses a few cache lines. If the
/// operand is larger than L2, the tiles are computed in blocks that use the same vectors, as far as these fit into L2.
void VectorLoops::chooseBlocks(const Buffer &operand) {
  // Parts of the sums are in memory, in the type of the result.
  if (ShapedType::isDynamicShape(staticSizes) || isHalf(buffers.back().type.getElementType()))
    return;
  const int64_t elementBytes = operand.type.getElementTypeBitWidth() / 8;
  auto count = [&](function_ref<bool(unsigned)> isCounted) {
    return countIterations(staticSizes, /*unknown=*/1, isCounted);
  };
  const uint64_t elements = count([&](unsigned loop) { return operand.map.isFunctionOfDim(loop); });
  const uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(elements, elementBytes);
  const uint64_t allRows = count([&](unsigned loop) { return llvm::is_contained(outer, loop); });
  if (bytes <= uint64_t(rightInL2) || allRows < uint64_t(manyRows))
    return;

  blocks.emplace();
  // Fewer rows would load vectors from L3 too often.
  constexpr int64_t leastRows = 256;
  blocks->numOuter = outer.size();
  for (int64_t rows = 1; blocks->numOuter > 0 && rows < leastRows;)
    rows *= staticSizes[outer[--blocks->numOuter]];
  // Cache lines whose addresses differ by a multiple of a power of two share a part of the sets.
  constexpr int64_t bytesInL2 = 1 << 19, leastDepth = 128, mostDepth = 1024;
  const int64_t wanted = std::clamp(bytesInL2 / (staticSizes[vectorLoop] * elementBytes), leastDepth, mostDepth);
  // The innermost loops are in a block as a whole, and a part of the next one.
  int64_t depth = 1;
  size_t numDepth = inner.size();
  while (numDepth > 0 && depth * staticSizes[inner[numDepth - 1]] <= wanted)
    depth *= staticSizes[inner[--numDepth]];
  if (numDepth > 0 && wanted / depth > 1) {
    blocks->part = inner[--numDepth];
    const int64_t size = staticSizes[*blocks->part];
    blocks->partSize = llvm::divideCeil(size, llvm::divideCeil(size, wanted / depth));
  }
  blocks->depth.assign(inner.begin(), inner.begin() + numDepth);
  inner.erase(inner.begin(), inner.begin() + numDepth);
}
