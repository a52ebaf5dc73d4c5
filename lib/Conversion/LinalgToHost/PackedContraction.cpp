//===- PackedContraction.cpp - large contractions by packed GEMMs ------------===//
//
// A contraction c += a b over the loops (batch, m, n, k) uses the packed GEMM of the recurrent layers. Threads pack
// both operands together, then each computes some rows or some columns of c.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/AccumulatorType.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;
using namespace mlir::rnn::cpu;

namespace {

/// Smaller contractions are faster without packing: few rows or columns use a packed element only a few times.
constexpr int64_t leastSize = 24, leastWork = 1 << 16;
/// The vector loops read a right operand with contiguous rows as fast as packed panels while L2 holds it.
constexpr int64_t rightInL2 = 3 << 18;
/// Elements of one panel of a right operand: smaller ones are mostly padding.
constexpr int64_t leastPanel = 1 << 12;
/// Sums of a block that c does not hold: rows, and panels of columns.
constexpr int64_t blockRows = Tiles::blockRows, blockPanels = 8;
/// The same with AMX, also of blocks that c holds: their sums (512 KiB) stay in L2 while the depth is read once.
constexpr int64_t amxBlockRows = 256, amxBlockPanels = 16;
/// With AMX, the most elements of a right operand that every thread packs for itself (256 KiB).
constexpr int64_t mostOwnRight = 1 << 17;

/// The loops that a dimension of a matrix consists of.
enum Group : unsigned { M, N, K, numGroups };

/// An operand as a matrix inside of batch dimensions.
struct Matrix {
  Value buffer;
  SmallVector<ReassociationIndices> merged; ///< consecutive dimensions of `buffer` that are one of `type`
  MemRefType type;
  SmallVector<unsigned> batchDims; ///< the dimension of each batch loop
  Group rows = M, columns = N;     ///< elements of a row are contiguous
  unsigned rowDim = 0;
};

class PackedContraction {
public:
  PackedContraction(linalg::LinalgOp op, const HostVectors &vectors, KernelLibrary &library)
      : op(op), vectors(vectors), library(library) {}

  LogicalResult analyze();
  /// `isZero`: the result is zero before the op. Fails if the op remains in a branch for small sizes; otherwise erases
  /// it and returns whether the result is overwritten without being read.
  FailureOr<bool> emit(bool isZero);

private:
  bool matchBody();
  FailureOr<Matrix> analyzeOperand(OpOperand &operand, Group rows, Group columns);
  Tiles makeTiles() const;
  int64_t leastRight() const;
  bool canReadLeft() const;
  std::optional<bool> isKnownLarge();
  Value isLarge(HostBuilder &b) const;

  void emitBatch(HostBuilder &b, SmallVector<Value> batch);
  void emitGemm(HostBuilder &b, ValueRange batch);
  Value view(HostBuilder &b, const Matrix &matrix, ValueRange batch) const;
  void packRight(HostBuilder &b, Value first, Value end) const;
  void packLeft(HostBuilder &b, Value first, Value end, Value firstRow, Value endRow) const;
  void copyLeft(HostBuilder &b, Value first, Value end, Value firstRow, Value endRow) const;
  void multiply(HostBuilder &b, Value firstRow, Value rows, Value firstPanel, Value count) const;
  void multiplyBlock(HostBuilder &b, Value block, Value firstRow, Value rows, Value firstPanel, Value count) const;
  void callGemm(HostBuilder &b, Gemm gemm, Value firstRow, Value rows, Value firstPanel, Value count) const;

  linalg::LinalgOp op;
  const HostVectors &vectors;
  KernelLibrary &library;
  SmallVector<unsigned> batchLoops, loops[numGroups];
  Matrix left, right, result;

  bool startsFromZero = false;
  bool readsLeft = false; ///< tiles of the left operand are loaded from the matrix itself

  // Values of the generated code.
  Value sizes[numGroups];
  SmallVector<Value> batchSizes;
  Value panels, depthPanels; ///< of the columns, and of the reduction
  Value packedLeft, leftPanel, packedRight, rightPanel;
  Value leftView, rightView, resultView; ///< the current matrices
  Value zeros;                           ///< a row of a panel, if the sums start from zero
};

} // namespace

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

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

LogicalResult PackedContraction::analyze() {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<MemRefType>(operand.get().getType()) || !op.getMatchingIndexingMap(&operand).isProjectedPermutation())
      return failure();
  OpOperand *leftOperand = op.getDpsInputOperand(0), *rightOperand = op.getDpsInputOperand(1);
  OpOperand &resultOperand = *op.getDpsInitOperand(0);
  Type element = getElement(leftOperand->get()), sum = getElement(resultOperand.get());
  bool isFloat = element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  if (!isFloat || getElement(rightOperand->get()) != element ||
      (sum != element && sum != getAccumulatorType(element)) || !matchBody())
    return failure();
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty() ||
      dims->batch.size() + dims->m.size() + dims->n.size() + dims->k.size() != op.getNumLoops())
    return failure();
  // The order of a group is that of the dimensions of an operand.
  auto sort = [&](ArrayRef<unsigned> group, OpOperand *operand) {
    SmallVector<unsigned> sorted;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
      if (unsigned loop = cast<AffineDimExpr>(expr).getPosition(); llvm::is_contained(group, loop))
        sorted.push_back(loop);
    return sorted;
  };
  batchLoops = sort(dims->batch, &resultOperand);
  loops[M] = sort(dims->m, &resultOperand), loops[N] = sort(dims->n, &resultOperand);
  loops[K] = sort(dims->k, leftOperand);
  // The columns of c are contiguous: c^T = b^T a^T.
  FailureOr<Matrix> matrix = analyzeOperand(resultOperand, M, N);
  if (succeeded(matrix) && matrix->columns == M) {
    std::swap(loops[M], loops[N]);
    std::swap(leftOperand, rightOperand);
    matrix = analyzeOperand(resultOperand, M, N);
  }
  FailureOr<Matrix> first = analyzeOperand(*leftOperand, M, K), second = analyzeOperand(*rightOperand, K, N);
  if (failed(matrix) || failed(first) || failed(second))
    return failure();
  left = *first, right = *second, result = *matrix;
  return success(isKnownLarge() != false);
}

Tiles PackedContraction::makeTiles() const {
  HostVectors used = vectors;
  Tiles tiles(left.type.getElementType(), used);
  // Only AMX has a kernel that packs a transposed left operand in bf16. Widening weights in registers does not pay.
  bool isTransposed = left.rows == K;
  if (left.type.getElementType().isBF16() && (!tiles.usesBF16Dot() || (isTransposed && !tiles.usesAMX())))
    used.bf16Gemm = BF16Gemm::F32;
  return Tiles(left.type.getElementType(), used);
}

/// The fewest elements of the right operand that are worth packing.
int64_t PackedContraction::leastRight() const {
  Type element = right.type.getElementType();
  // The loops gather a right operand without contiguous rows, and convert f16 and bf16 again for each tile of rows.
  if (right.rows != K || element.isBF16())
    return 0;
  return element.isF16() ? leastPanel : rightInL2 / (element.getIntOrFloatBitWidth() / 8);
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
    if (size < leastSize)
      return false;
    work *= size;
  }
  if (!isKnown)
    return std::nullopt;
  return work >= leastWork && known[N] * known[K] >= leastRight();
}

Value PackedContraction::isLarge(HostBuilder &b) const {
  Value work = b.mul(b.mul(sizes[M], sizes[N]), sizes[K]);
  Value condition = b.compare(arith::CmpIPredicate::sge, work, b.index(leastWork));
  auto require = [&](Value value, int64_t least) {
    Value isMet = b.compare(arith::CmpIPredicate::sge, value, b.index(least));
    condition = b.createOrFold<arith::AndIOp>(condition, isMet);
  };
  for (Value size : sizes)
    require(size, leastSize);
  if (int64_t least = leastRight())
    require(b.mul(sizes[N], sizes[K]), least);
  return condition;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Whether tiles of the left operand are loaded from the matrix itself. Packing pays for larger depths, and for strides
/// that place the 16 rows of a tile in a few sets of an L1 cache.
bool PackedContraction::canReadLeft() const {
  constexpr int64_t mostDepth = 128, conflictingBytes = 512;
  SmallVector<int64_t> strides;
  int64_t offset;
  std::optional<int64_t> depth = getConstantIntValue(sizes[K]);
  if (left.rows != M || !depth || *depth % Tiles::amxPanel != 0 || *depth > mostDepth ||
      failed(left.type.getStridesAndOffset(strides, offset)))
    return false;
  int64_t stride = strides[left.rowDim];
  return !ShapedType::isDynamic(stride) && stride * 2 % conflictingBytes != 0;
}

FailureOr<bool> PackedContraction::emit(bool isZero) {
  HostBuilder b(op.getLoc(), op, makeTiles());
  SmallVector<Value> ranges;
  for (Range range : op.createLoopRanges(b, op.getLoc()))
    ranges.push_back(getValueOrCreateConstantIndexOp(b, op.getLoc(), range.size));
  for (unsigned group = 0; group < numGroups; ++group) {
    sizes[group] = b.index(1);
    for (unsigned loop : loops[group])
      sizes[group] = b.mul(sizes[group], ranges[loop]);
  }
  for (unsigned loop : batchLoops)
    batchSizes.push_back(ranges[loop]);
  bool isKnown = isKnownLarge().has_value();
  readsLeft = b.tiles.usesAMX() && canReadLeft();
  // Other kernels than those of tiles add to c.
  startsFromZero = isZero && isKnown && b.tiles.usesAMX();
  if (!isKnown) {
    auto branch = scf::IfOp::create(b, isLarge(b), /*withElseRegion=*/true);
    op->moveBefore(branch.elseYield());
    b.setInsertionPointToStart(branch.thenBlock());
  }
  auto body = [&] {
    int64_t panel = b.tiles.panel;
    panels = b.ceilDiv(sizes[N], panel), depthPanels = b.ceilDiv(sizes[K], panel);
    // Panels that are read together start in different cache sets.
    Value paddedRows = b.mul(b.ceilDiv(sizes[M], panel), panel);
    leftPanel = b.mul(b.add(paddedRows, b.tiles.usesBF16Dot() ? 6 : 7), panel);
    rightPanel = b.mul(depthPanels, panel * panel);
    if (!readsLeft)
      packedLeft = b.allocate(b.mul(leftPanel, depthPanels), b.tiles.left);
    packedRight = b.allocate(b.mul(rightPanel, panels), b.tiles.left);
    if (startsFromZero) {
      zeros = b.allocate(b.index(panel));
      b.fillZero(zeros, b.index(0), b.index(panel));
    }
    emitBatch(b, {});
    if (packedLeft)
      b.free(packedLeft);
    b.free(packedRight);
    if (zeros)
      b.free(zeros);
  };
  if (b.tiles.usesAMX()) {
    Value call = rnnrt::CurrentCallOp::create(b, rnnrt::CallType::get(b.getContext()));
    Value isEnabled = rnnrt::EnableAMXOp::create(b, b.getIndexType(), call);
    b.ifThen(b.compare(arith::CmpIPredicate::ne, isEnabled, b.index(0)), body);
  } else {
    body();
  }
  if (!isKnown)
    return failure();
  op->erase();
  return startsFromZero;
}

void PackedContraction::emitBatch(HostBuilder &b, SmallVector<Value> batch) {
  if (batch.size() == batchSizes.size())
    return emitGemm(b, batch);
  b.loop(batchSizes[batch.size()], [&](Value index) {
    batch.push_back(index);
    emitBatch(b, batch);
  });
}

/// The matrix of one batch element, with contiguous rows.
Value PackedContraction::view(HostBuilder &b, const Matrix &matrix, ValueRange batch) const {
  Value buffer = matrix.buffer;
  if (matrix.type != buffer.getType())
    buffer = memref::CollapseShapeOp::create(b, buffer, matrix.merged);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  auto toValue = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), value); };
  SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
  Value offset = toValue(metadata.getConstifiedMixedOffset());
  for (auto [dim, index] : llvm::zip_equal(matrix.batchDims, batch))
    offset = b.add(offset, b.mul(index, toValue(strides[dim])));
  constexpr int64_t any = ShapedType::kDynamic;
  auto type =
      MemRefType::get({any, any}, matrix.type.getElementType(), StridedLayoutAttr::get(b.getContext(), any, {any, 1}));
  auto dynamic = [&](Value value) -> OpFoldResult { return value; };
  return memref::ReinterpretCastOp::create(
      b, type, metadata.getBaseBuffer(), dynamic(offset),
      ArrayRef<OpFoldResult>{dynamic(sizes[matrix.rows]), dynamic(sizes[matrix.columns])},
      ArrayRef<OpFoldResult>{dynamic(toValue(strides[matrix.rowDim])), b.getIndexAttr(1)});
}

void PackedContraction::emitGemm(HostBuilder &b, ValueRange batch) {
  leftView = view(b, left, batch), rightView = view(b, right, batch), resultView = view(b, result, batch);
  Value rows = sizes[M], zero = b.index(0);
  int64_t unit = b.tiles.usesAMX() ? 2 * 16 : Tiles::rows;
  // Threads divide the longer side of c.
  Value units = b.ceilDiv(rows, unit), byRows = b.compare(arith::CmpIPredicate::sge, rows, sizes[N]);
  Value work = b.mul(b.mul(rows, sizes[N]), sizes[K]);
  // Small products by AMX take less time than the start of a thread.
  if (b.tiles.usesAMX())
    work = b.div(work, b.index(64));
  // Reading what another core has packed takes longer than packing a small right operand again: 15 ns per cache line.
  Value packsOwn;
  if (b.tiles.usesAMX() && left.rows != K) {
    Value isSmall = b.compare(arith::CmpIPredicate::sle, b.mul(rightPanel, panels), b.index(mostOwnRight));
    packsOwn = b.createOrFold<arith::AndIOp>(byRows, isSmall);
    if (getConstantIntValue(packsOwn) == 0)
      packsOwn = Value();
  }
  Value shared = packedRight;
  library.parallel(b, b.select(byRows, units, panels), work, [&](const Team &team) {
    Value firstRow = b.select(byRows, b.mul(team.begin(b, units), unit), zero);
    Value endRow = b.select(byRows, b.min(b.mul(team.end(b, units), unit), rows), rows);
    Value firstRight = team.begin(b, panels), endRight = team.end(b, panels), own;
    Value firstDepth = team.begin(b, depthPanels), endDepth = team.end(b, depthPanels);
    Value firstLeft = zero, endLeft = rows;
    if (packsOwn) {
      own = b.allocate(b.select(packsOwn, b.mul(rightPanel, panels), b.index(1)), b.tiles.left);
      packedRight = arith::SelectOp::create(b, packsOwn, own, shared);
      firstRight = b.select(packsOwn, zero, firstRight), endRight = b.select(packsOwn, panels, endRight);
      firstDepth = b.select(packsOwn, zero, firstDepth), endDepth = b.select(packsOwn, depthPanels, endDepth);
      firstLeft = b.select(packsOwn, firstRow, zero), endLeft = b.select(packsOwn, endRow, rows);
    }
    packRight(b, firstRight, endRight);
    if (!readsLeft)
      packLeft(b, firstDepth, endDepth, firstLeft, endLeft);
    team.wait(b);
    Value firstPanel = b.select(byRows, zero, team.begin(b, panels));
    Value endPanel = b.select(byRows, panels, team.end(b, panels));
    multiply(b, firstRow, b.sub(endRow, firstRow), firstPanel, b.sub(endPanel, firstPanel));
    if (own)
      b.free(own);
  });
  packedRight = shared;
}

/// Packs panels [first, end) of the right operand.
void PackedContraction::packRight(HostBuilder &b, Value first, Value end) const {
  bool isTransposed = right.rows == N;
  Value column = b.mul(first, b.tiles.panel), limit = b.min(b.mul(end, b.tiles.panel), sizes[N]);
  b.ifThen(b.compare(arith::CmpIPredicate::slt, first, end), [&] {
    PackRight pack;
    pack.matrix = rightView, pack.target = packedRight, pack.offset = b.mul(first, rightPanel);
    pack.stride = rightPanel;
    pack.row = b.index(0), pack.rows = sizes[K], pack.column = column, pack.columns = b.sub(limit, column);
    if (!isTransposed)
      return library.packColumns(b, pack);
    std::swap(pack.row, pack.column);
    std::swap(pack.rows, pack.columns);
    library.packTransposed(b, pack);
  });
}

/// Packs panels [first, end) of the left operand: rows [firstRow, endRow) by `copyLeft`, else all rows.
void PackedContraction::packLeft(HostBuilder &b, Value first, Value end, Value firstRow, Value endRow) const {
  bool isTransposed = left.rows == K;
  if (b.tiles.usesBF16Dot() && !isTransposed)
    return copyLeft(b, first, end, firstRow, endRow);
  Value k = b.mul(first, b.tiles.panel), limit = b.min(b.mul(end, b.tiles.panel), sizes[K]), zero = b.index(0);
  b.ifThen(b.compare(arith::CmpIPredicate::slt, first, end), [&] {
    Value depth = b.sub(limit, k), offset = b.mul(first, leftPanel);
    if (b.tiles.usesBF16Dot())
      return library.packLeftTransposed(
          b, {leftView, k, zero, depth, leftView, k, zero, depth, zero, sizes[M], packedLeft, offset, leftPanel});
    if (isTransposed)
      return library.packTransposed(b, {leftView, k, depth, zero, sizes[M], packedLeft, offset, leftPanel});
    library.packColumns(b, {leftView, zero, sizes[M], k, depth, packedLeft, offset, leftPanel});
  });
}

/// `packLeft` of bf16 rows, which `packColumns` would interleave.
void PackedContraction::copyLeft(HostBuilder &b, Value first, Value end, Value firstRow, Value endRow) const {
  int64_t panel = b.tiles.panel;
  b.loop(first, end, 1, [&](Value q) {
    Value k = b.mul(q, panel), base = b.mul(q, leftPanel);
    b.forPanel(k, sizes[K], [&](ArrayRef<Value> masks) {
      b.loop(firstRow, endRow, 1, [&](Value row) {
        for (int64_t v = 0; v < b.tiles.vectors; ++v) {
          Value loaded = b.loadUnconverted(leftView, {row, b.add(k, v * b.tiles.lanes)}, b.tiles.lanes,
                                           masks.empty() ? Value() : masks[v]);
          vector::StoreOp::create(b, loaded, packedLeft, b.add(b.add(base, b.mul(row, panel)), v * b.tiles.lanes));
        }
      });
    });
  });
}

namespace {

/// A matrix with contiguous rows as scratch: its elements, the offset of the first one, and the stride of its rows.
struct Elements {
  Value buffer, offset, stride;
};

} // namespace

static Elements asElements(HostBuilder &b, Value matrix, Value rows) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, matrix);
  Value offset = metadata.getOffset(), stride = metadata.getStrides()[0];
  Value buffer = memref::ReinterpretCastOp::create(
      b, b.scratchType(getElement(matrix)), metadata.getBaseBuffer(), b.getIndexAttr(0),
      ArrayRef<OpFoldResult>{b.add(offset, b.mul(rows, stride))}, ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  return {buffer, offset, stride};
}

void PackedContraction::callGemm(HostBuilder &b, Gemm gemm, Value firstRow, Value rows, Value firstPanel,
                                 Value count) const {
  gemm.a = packedLeft, gemm.aOffset = b.mul(firstRow, b.tiles.panel), gemm.aPanel = leftPanel;
  gemm.b = packedRight, gemm.bOffset = b.mul(firstPanel, rightPanel), gemm.bPanel = rightPanel;
  gemm.rows = rows, gemm.columns = count, gemm.depth = depthPanels;
  if (!b.tiles.usesAMX())
    return library.gemm(b, gemm);
  std::optional<GemmStart> start;
  if (startsFromZero)
    start = GemmStart{zeros, b.index(0), b.index(0)};
  Value leftRow;
  if (readsLeft) {
    auto [flat, offset, stride] = asElements(b, leftView, sizes[M]);
    gemm.a = flat, gemm.aOffset = b.add(offset, b.mul(firstRow, stride)), gemm.aPanel = b.index(b.tiles.panel);
    leftRow = stride;
  }
  library.tileGemm(b, gemm, start, /*sharesRows=*/true, leftRow);
}

/// Computes a part of c.
void PackedContraction::multiply(HostBuilder &b, Value firstRow, Value rows, Value firstPanel, Value count) const {
  int64_t panel = b.tiles.panel;
  bool isAMX = b.tiles.usesAMX();
  Value end = b.add(firstPanel, count), lastRow = b.add(firstRow, rows), direct = firstPanel;
  if (result.type.getElementType() == b.tiles.sum) {
    // Whole panels of c hold their sums.
    direct = b.max(b.min(end, b.div(sizes[N], b.index(panel))), firstPanel);
    Elements elements = asElements(b, resultView, sizes[M]);
    auto part = [&](Value row, Value height, Value first, Value width) {
      Gemm gemm;
      gemm.c = elements.buffer, gemm.cRow = elements.stride, gemm.cPanel = b.index(panel);
      gemm.cOffset = b.add(b.add(elements.offset, b.mul(row, elements.stride)), b.mul(first, panel));
      callGemm(b, gemm, row, height, first, width);
    };
    if (!isAMX)
      part(firstRow, rows, firstPanel, b.sub(direct, firstPanel));
    else
      b.loop(firstPanel, direct, amxBlockPanels, [&](Value first) {
        b.loop(firstRow, lastRow, amxBlockRows, [&](Value row) {
          part(row, b.min(b.sub(lastRow, row), b.index(amxBlockRows)), first,
               b.min(b.sub(direct, first), b.index(amxBlockPanels)));
        });
      });
    if (std::optional<int64_t> columns = getConstantIntValue(sizes[N]); columns && *columns % panel == 0)
      return;
  }
  int64_t height = isAMX ? amxBlockRows : blockRows, width = isAMX ? amxBlockPanels : blockPanels;
  b.ifThen(b.compare(arith::CmpIPredicate::slt, direct, end), [&] {
    Value block = b.allocate(b.index(height * width * panel));
    b.loop(direct, end, width, [&](Value first) {
      b.loop(firstRow, lastRow, height, [&](Value row) {
        multiplyBlock(b, block, row, b.min(b.sub(lastRow, row), b.index(height)), first,
                      b.min(b.sub(end, first), b.index(width)));
      });
    });
    b.free(block);
  });
}

/// Computes a block of c in scratch, since c has another type or only some columns of a panel.
void PackedContraction::multiplyBlock(HostBuilder &b, Value block, Value firstRow, Value rows, Value firstPanel,
                                      Value count) const {
  int64_t panel = b.tiles.panel;
  Value blockPanel = b.mul(rows, panel);
  // Runs `body` with the position in c, the offset in the block and the mask of each vector.
  auto forVectors = [&](function_ref<void(ArrayRef<Value>, Value, Value)> body) {
    b.loop(count, [&](Value q) {
      Value column = b.mul(b.add(firstPanel, q), panel);
      b.forPanel(column, sizes[N], [&](ArrayRef<Value> masks) {
        b.loop(rows, [&](Value row) {
          Value offset = b.add(b.mul(q, blockPanel), b.mul(row, panel));
          for (int64_t v = 0; v < b.tiles.vectors; ++v)
            body({b.add(firstRow, row), b.add(column, v * b.tiles.lanes)}, b.add(offset, v * b.tiles.lanes),
                 masks.empty() ? Value() : masks[v]);
        });
      });
    });
  };
  if (!startsFromZero)
    forVectors([&](ArrayRef<Value> position, Value offset, Value mask) {
      b.store(b.load(resultView, position, mask), block, offset);
    });
  Gemm gemm;
  gemm.c = block, gemm.cOffset = b.index(0), gemm.cRow = b.index(panel), gemm.cPanel = blockPanel;
  callGemm(b, gemm, firstRow, rows, firstPanel, count);
  forVectors([&](ArrayRef<Value> position, Value offset, Value mask) {
    b.store(b.load(block, offset), resultView, position, mask);
  });
}

FailureOr<bool> host::convertToPackedGemm(linalg::LinalgOp op, bool isZero, const HostVectors &vectors,
                                          KernelLibrary &library) {
  PackedContraction contraction(op, vectors, library);
  if (failed(contraction.analyze()))
    return failure();
  return contraction.emit(isZero);
}
