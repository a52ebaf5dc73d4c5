//===- PackedContractionAnalysis.cpp - which contractions have a packed form -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedContraction.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "rnn/Codegen/AccumulatorType.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;
using namespace mlir::rnn::cpu;

/// Smaller contractions are faster as vector loops. One row reads the right operand once in any order.
constexpr int64_t leastSizes[] = {/*M=*/2, /*N=*/24, /*K=*/24}, leastWork = 1 << 16;
/// The vector loops read a right operand with contiguous rows as fast as packed panels while L2 holds it, and for fewer
/// than `manyRows` rows if L2 holds most of it.
constexpr int64_t rightMostlyInL2 = 5 << 18;
/// Elements of one panel of a right operand: smaller ones are mostly padding.
constexpr int64_t leastPanel = 1 << 12;

static Type getElement(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

/// Whether the body adds the product of both inputs, possibly extended, to the result.
bool PackedContraction::matchBody() {
  Block &body = *op.getBlock();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  bool isFirst = add.getLhs() == body.getArgument(2);
  Value product = isFirst ? add.getRhs() : add.getLhs();
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply || (!isFirst && add.getRhs() != body.getArgument(2)))
    return false;
  size_t count = 3;
  auto skipExtension = [&](Value value) -> Value {
    auto extension = value.getDefiningOp<arith::ExtFOp>();
    count += bool(extension);
    return extension ? extension.getIn() : value;
  };
  Value factors[] = {skipExtension(multiply.getLhs()), skipExtension(multiply.getRhs())};
  if (factors[0] == body.getArgument(1))
    std::swap(factors[0], factors[1]);
  return factors[0] == body.getArgument(0) && factors[1] == body.getArgument(1) && body.getOperations().size() == count;
}

/// Collapses the dimensions of each group, and checks that the elements of rows or of columns are contiguous. The
/// contiguous group becomes `columns`.
FailureOr<Matrix> PackedContraction::analyzeOperand(OpOperand &operand, Group rows, Group columns) {
  Matrix matrix;
  matrix.buffer = operand.get();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = cast<MemRefType>(operand.get().getType());
  std::optional<unsigned> dims[numGroups];
  matrix.batchDims.resize(batchLoops.size());
  const unsigned *expected = nullptr; // the loop that continues the current group
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (auto found = llvm::find(batchLoops, loop); found != batchLoops.end()) {
      matrix.batchDims[found - batchLoops.begin()] = matrix.merged.size();
      matrix.merged.push_back({static_cast<int64_t>(position)});
      expected = nullptr;
      continue;
    }
    Group group = llvm::is_contained(loops[rows], loop) ? rows : columns;
    const unsigned *found = llvm::find(loops[group], loop);
    if (found == expected) {
      matrix.merged.back().push_back(position);
    } else if (found == loops[group].begin() && !dims[group]) {
      dims[group] = matrix.merged.size();
      matrix.merged.push_back({static_cast<int64_t>(position)});
    } else {
      return failure();
    }
    expected = std::next(found) == loops[group].end() ? nullptr : std::next(found);
  }
  bool isMerged = matrix.merged.size() != static_cast<size_t>(type.getRank());
  if (isMerged && !memref::CollapseShapeOp::isGuaranteedCollapsible(type, matrix.merged))
    return failure();
  matrix.type = isMerged ? memref::CollapseShapeOp::computeCollapsedType(type, matrix.merged) : type;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(matrix.type.getStridesAndOffset(strides, offset)))
    return failure();
  if (strides[*dims[columns]] != 1)
    std::swap(rows, columns);
  if (strides[*dims[columns]] != 1)
    return failure();
  matrix.rows = rows, matrix.columns = columns, matrix.rowDim = *dims[rows];
  return matrix;
}

/// The loop over the last dimension of an operand that is no batch dimension.
unsigned PackedContraction::getLastLoop(unsigned operand) {
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
  return *llvm::find_if(llvm::reverse(llvm::map_range(
                            map.getResults(), [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); })),
                        [&](unsigned loop) { return !llvm::is_contained(batchLoops, loop); });
}

LogicalResult PackedContraction::analyze() {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<MemRefType>(operand.get().getType()) || !op.getMatchingIndexingMap(&operand).isProjectedPermutation())
      return failure();
  OpOperand &resultOperand = *op.getDpsInitOperand(0);
  Type element = getElement(op->getOperand(leftIndex)), sum = getElement(resultOperand.get());
  bool isFloat = element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  if (!isFloat || getElement(op->getOperand(rightIndex)) != element ||
      (sum != element && sum != getAccumulatorType(element)) || !matchBody())
    return failure();
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty() ||
      dims->batch.size() + dims->m.size() + dims->n.size() + dims->k.size() != op.getNumLoops())
    return failure();
  // The order of a group is that of the dimensions of an operand.
  auto sort = [&](ArrayRef<unsigned> group, OpOperand &operand) {
    SmallVector<unsigned> sorted;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      if (unsigned loop = cast<AffineDimExpr>(expr).getPosition(); llvm::is_contained(group, loop))
        sorted.push_back(loop);
    return sorted;
  };
  batchLoops = sort(dims->batch, resultOperand);
  loops[M] = sort(dims->m, resultOperand), loops[N] = sort(dims->n, resultOperand);
  loops[K] = sort(dims->k, op->getOpOperand(leftIndex));
  // The columns of c are contiguous: c^T = b^T a^T.
  unsigned resultIndex = resultOperand.getOperandNumber();
  FailureOr<Matrix> matrix = analyzeOperand(resultOperand, M, N);
  if (succeeded(matrix) ? matrix->columns == M : llvm::is_contained(loops[M], getLastLoop(resultIndex))) {
    std::swap(loops[M], loops[N]);
    std::swap(leftIndex, rightIndex);
  }
  auto analyzeInto = [&](Matrix &matrix, unsigned operand, Group rows, Group columns) {
    FailureOr<Matrix> found = analyzeOperand(op->getOpOperand(operand), rows, columns);
    if (failed(found))
      return scattered.push_back(operand);
    matrix = *found;
  };
  analyzeInto(left, leftIndex, M, K), analyzeInto(right, rightIndex, K, N);
  analyzeInto(result, resultIndex, M, N);
  return success(scattered.empty() && isKnownLarge() != false);
}

/// Whether bf16 is not converted. Only AMX has a kernel that packs a transposed left operand in bf16. Widening weights
/// in registers does not pay.
bool PackedContraction::hasDotProducts(Type element, bool isLeftTransposed) const {
  const Tiles tiles(element, vectors);
  return element.isBF16() && tiles.usesBF16Dot() && (!isLeftTransposed || tiles.usesAMX());
}

Tiles PackedContraction::makeTiles() const {
  HostVectors used = vectors;
  Type element = left.type.getElementType();
  if (element.isBF16() && !hasDotProducts(element, left.rows == K))
    used.bf16Gemm = BF16Gemm::F32;
  return Tiles(element, used);
}

/// The fewest elements of the right operand that are worth packing.
int64_t PackedContraction::leastRight(bool hasManyRows) const {
  Type element = right.type.getElementType();
  // The loops gather a right operand without contiguous rows, and convert f16 and bf16 again for each tile of rows.
  if (right.rows != K || element.isBF16())
    return 0;
  return element.isF16() ? leastPanel
                         : (hasManyRows ? rightInL2 : rightMostlyInL2) / (element.getIntOrFloatBitWidth() / 8);
}

/// Whether packing pays, or none if it depends on dynamic sizes.
std::optional<bool> PackedContraction::isKnownLarge() {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool isKnown = true;
  int64_t work = 1, known[numGroups];
  for (unsigned group = 0; group < numGroups; ++group) {
    int64_t &size = known[group] = 1;
    for (unsigned loop : loops[group]) {
      if (ShapedType::isDynamic(ranges[loop]))
        size = ShapedType::kDynamic;
      else if (!ShapedType::isDynamic(size))
        size *= ranges[loop];
    }
    if (ShapedType::isDynamic(size)) {
      isKnown = false;
      continue;
    }
    if (size < leastSizes[group])
      return false;
    work *= size;
  }
  if (!isKnown)
    return std::nullopt;
  return work >= leastWork && known[N] * known[K] >= leastRight(known[M] >= manyRows);
}

Value PackedContraction::isLarge(HostBuilder &b) const {
  Value work = b.mul(b.mul(sizes[M], sizes[N]), sizes[K]);
  Value condition = b.compare(arith::CmpIPredicate::sge, work, b.index(leastWork));
  auto require = [&](Value value, Value least) {
    Value isMet = b.compare(arith::CmpIPredicate::sge, value, least);
    condition = b.createOrFold<arith::AndIOp>(condition, isMet);
  };
  for (auto [size, least] : llvm::zip_equal(sizes, leastSizes))
    require(size, b.index(least));
  if (leastRight(false) == 0)
    return condition;
  Value hasManyRows = b.compare(arith::CmpIPredicate::sge, sizes[M], b.index(manyRows));
  Value least = b.select(hasManyRows, b.index(leastRight(true)), b.index(leastRight(false)));
  require(b.mul(sizes[N], sizes[K]), least);
  return condition;
}
