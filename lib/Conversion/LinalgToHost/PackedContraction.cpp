//===- PackedContraction.cpp - large contractions by GEMMs -------------------===//
//
// A contraction c += a b over the loops (batch, m, n, k) uses the packed GEMM of the recurrent layers. Each thread
// computes some rows or some columns of c. With rows, all threads read b; with columns, all read a. Each thread packs
// that operand for itself if it is small; otherwise the threads pack it together. If c has few rows, b is read where it
// is, or packed in groups of columns.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedContraction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;
using namespace mlir::rnn::cpu;

/// Sums of a block that c does not hold: rows, and panels of columns.
constexpr int64_t blockRows = Tiles::blockRows, blockPanels = 8;
/// The same with AMX, also of blocks that c holds: their sums (512 KiB) stay in L2 while the depth is read once.
constexpr int64_t amxBlockRows = 256, amxBlockPanels = 16;
/// A packed operand of at most these bytes (the second with AMX) is packed by each thread for itself.
constexpr int64_t mostOwn = 1 << 20, amxMostOwn = 1 << 18;

namespace {

/// A block of sums in scratch.
struct BlockShape {
  explicit BlockShape(const Tiles &tiles)
      : rows(tiles.usesAMX() ? amxBlockRows : blockRows), panels(tiles.usesAMX() ? amxBlockPanels : blockPanels) {}

  int64_t rows, panels;
};

} // namespace

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
  startsFromZero = isZero;
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
    leftPanel = b.mul(b.add(paddedRows, leftPadding(b)), panel);
    rightPanel = b.mul(depthPanels, panel * panel);
    byRows = b.compare(arith::CmpIPredicate::sge, sizes[M], sizes[N]);
    chooseRight(b);
    chooseOwn(b);
    auto allocateUnless = [&](Value isUnused, Value panel, Value count) {
      return b.allocate(b.select(isUnused, b.index(1), b.mul(panel, count)), b.tiles.left);
    };
    if (!readsLeft)
      packedLeft = allocateUnless(hasOwnLeft, leftPanel, depthPanels);
    packedRight = allocateUnless(b.createOrFold<arith::OrIOp>(readsRight, hasOwnRight), rightPanel, panels);
    if (startsFromZero && b.tiles.usesAMX()) {
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

/// Chooses what happens to the right operand if threads divide the columns. Few rows use each element too few times
/// for packing. For more rows, each thread packs some columns right before their product, into the same memory, which
/// stays in L2. If there are several blocks of rows, all of it is packed once. The limits were measured
/// (docs/internals/linalg-on-host.md); those of layers (Layer::areFewRows) are others, as their alternative is to pack
/// all weights.
void PackedContraction::chooseRight(HostBuilder &b) {
  const bool isAMX = b.tiles.usesAMX(), isTransposed = right.rows == N;
  const int64_t mostOfSums = isAMX ? 4 : 16, mostOfDots = isAMX ? 2 : b.tiles.vectors >= 4 ? 8 : 4;
  // A group of panels contains several consecutive cache lines of each row of the matrix, because the hardware does not
  // prefetch isolated lines. The rows of a large matrix lie in more pages than the TLB has entries, so that each group
  // misses the TLB once per row. Wider groups then have fewer TLB misses in total.
  constexpr int64_t rowBits = 256 * 8, rowBitsOfLarge = 1024 * 8, bitsOfLarge = 8 * (int64_t(8) << 20);
  auto panelsOf = [&](int64_t bits) {
    return b.index(std::max<int64_t>(bits / (b.tiles.panel * b.tiles.left.getWidth()), 1));
  };
  Value bits = b.mul(b.mul(sizes[K], sizes[N]), right.type.getElementTypeBitWidth()), atOnce = panelsOf(rowBits);
  if (!isAMX && !isTransposed) // wider groups were not measured for AMX and for transposed operands
    atOnce =
        b.select(b.compare(arith::CmpIPredicate::sgt, bits, b.index(bitsOfLarge)), panelsOf(rowBitsOfLarge), atOnce);
  groupPanels = b.min(atOnce, panels);
  Value isFalse = arith::ConstantOp::create(b, b.getBoolAttr(false));
  auto areAtMost = [&](int64_t rows) {
    Value areFew = b.compare(arith::CmpIPredicate::sle, sizes[M], b.index(rows));
    return getConstantIntValue(areFew) == 0 ? isFalse : b.select(byRows, isFalse, areFew);
  };
  readsRight = readsLeft ? isFalse : areAtMost(isTransposed ? mostOfDots : mostOfSums);
  packsGroups = b.select(readsRight, isFalse, areAtMost(isAMX ? amxBlockRows : blockRows));
  isRightLate = b.createOrFold<arith::OrIOp>(readsRight, packsGroups);
}

/// Reading what another core has packed takes longer than packing an operand again that stays in L2: 15 to 20 ns per
/// cache line. Then each thread packs all of the operand that it would share, nothing else is shared, and no barrier is
/// needed.
void PackedContraction::chooseOwn(HostBuilder &b) {
  const bool isAMX = b.tiles.usesAMX();
  const int64_t bytes = b.tiles.left.getIntOrFloatBitWidth() / 8;
  Value isFalse = arith::ConstantOp::create(b, b.getBoolAttr(false));
  Value isTrue = arith::ConstantOp::create(b, b.getBoolAttr(true));
  auto isSmall = [&](Value stride, Value count, int64_t most) {
    return b.compare(arith::CmpIPredicate::sle, b.mul(stride, count), b.index(most / bytes));
  };
  const int64_t most = isAMX ? amxMostOwn : mostOwn;
  Value isRightSmall = isSmall(rightPanel, panels, most);
  Value isLeftSmall = readsLeft ? isTrue : isSmall(leftPanel, depthPanels, most);
  if (isAMX) // with more rows, not measured
    isLeftSmall = b.createOrFold<arith::AndIOp>(isRightLate, isLeftSmall);
  // The kernel of AMX that transposes a left operand packs all rows.
  sharesNothing = isAMX && left.rows == K ? isFalse : b.select(byRows, isRightSmall, isLeftSmall);
  hasOwnRight = b.createOrFold<arith::OrIOp>(packsGroups, b.createOrFold<arith::AndIOp>(sharesNothing, byRows));
  hasOwnLeft = readsLeft ? isFalse : sharesNothing;
  if (isAMX) // threads that divide the rows pack theirs into one buffer
    hasOwnLeft = b.select(byRows, isFalse, hasOwnLeft);
}

void PackedContraction::emitGemm(HostBuilder &b, ValueRange batch) {
  leftView = view(b, left, batch), rightView = view(b, right, batch), resultView = view(b, result, batch);
  Value rows = sizes[M], zero = b.index(0);
  int64_t unit = b.tiles.usesAMX() ? 2 * 16 : Tiles::rows;
  // Threads divide the longer side of c.
  Value units = b.ceilDiv(rows, unit), perRow = b.mul(sizes[N], sizes[K]), work = b.mul(rows, perRow);
  if (b.tiles.usesAMX()) {
    // Small products by AMX take less time than the start of a thread. A tile has 16 rows.
    Value byTiles = b.div(b.mul(b.max(rows, b.index(16)), perRow), b.index(64));
    work = b.select(readsRight, work, byTiles);
  } else {
    work = b.div(work, b.index(leastShare));
  }
  Value sharedRight = packedRight, sharedLeft = packedLeft, sharedPanel = leftPanel;
  library.parallel(b, b.select(byRows, units, panels), work, [&](const Team &team) {
    Part part;
    part.firstRow = b.select(byRows, b.mul(team.begin(b, units), unit), zero);
    part.endRow = b.select(byRows, b.min(b.mul(team.end(b, units), unit), rows), rows);
    part.firstPanel = b.select(byRows, zero, team.begin(b, panels));
    part.endPanel = b.select(byRows, panels, team.end(b, panels));
    SmallVector<Value> own = allocateOwn(b, part);
    packAtOnce(b, team, part);
    multiplyPart(b, part);
    for (Value buffer : own)
      b.free(buffer);
  });
  packedRight = sharedRight, packedLeft = sharedLeft, leftPanel = sharedPanel;
}

/// Replaces shared buffers by those of the current thread. Returns what the caller frees.
SmallVector<Value> PackedContraction::allocateOwn(HostBuilder &b, const Part &part) {
  SmallVector<Value> buffers;
  leftOrigin = rightOrigin = b.index(0);
  auto replace = [&](Value isOwn, Value size, Value &buffer) {
    buffers.push_back(b.allocate(b.select(isOwn, size, b.index(1)), b.tiles.left));
    buffer = arith::SelectOp::create(b, isOwn, buffers.back(), buffer);
  };
  if (getConstantIntValue(hasOwnRight) != 0)
    replace(hasOwnRight, b.mul(rightPanel, b.select(packsGroups, groupPanels, panels)), packedRight);
  if (getConstantIntValue(hasOwnLeft) != 0) {
    int64_t panel = b.tiles.panel;
    Value height = b.mul(b.ceilDiv(b.sub(part.endRow, part.firstRow), panel), panel);
    leftPanel = b.select(hasOwnLeft, b.mul(b.add(height, leftPadding(b)), panel), leftPanel);
    leftOrigin = b.select(hasOwnLeft, part.firstRow, leftOrigin);
    replace(hasOwnLeft, b.mul(leftPanel, depthPanels), packedLeft);
  }
  return buffers;
}

/// Packs what is packed before the products, and waits for what other threads pack of it.
void PackedContraction::packAtOnce(HostBuilder &b, const Team &team, const Part &part) const {
  Value zero = b.index(0);
  auto pick = [&](Value condition, Value first, Value end, Value count) {
    return std::pair(b.select(condition, first, team.begin(b, count)), b.select(condition, end, team.end(b, count)));
  };
  auto otherwise = [&](Value condition, function_ref<void()> body) { b.ifElse(condition, [] {}, body); };
  otherwise(isRightLate, [&] {
    auto [first, end] = pick(hasOwnRight, zero, panels, panels);
    packRight(b, first, end);
  });
  if (!readsLeft) {
    auto [first, end] = pick(sharesNothing, zero, depthPanels, depthPanels);
    packLeft(b, first, end, b.select(sharesNothing, part.firstRow, zero),
             b.select(sharesNothing, part.endRow, sizes[M]));
  }
  otherwise(sharesNothing, [&] { team.wait(b); });
}

/// The products of a part, each after the right operand's columns are packed, if that is late.
void PackedContraction::multiplyPart(HostBuilder &b, const Part &part) {
  Value block, count = b.sub(part.endPanel, part.firstPanel);
  if (needsBlock(b)) {
    BlockShape shape(b.tiles);
    block = b.allocate(b.index(shape.rows * shape.panels * b.tiles.panel));
  }
  if (getConstantIntValue(packsGroups) == 0) {
    multiply(b, block, part);
  } else {
    Value atOnce = b.select(packsGroups, groupPanels, b.max(count, b.index(1)));
    b.loop(b.ceilDiv(count, atOnce), [&](Value group) {
      Part columns = part;
      columns.firstPanel = b.add(part.firstPanel, b.mul(group, atOnce));
      columns.endPanel = b.min(b.add(columns.firstPanel, atOnce), part.endPanel);
      rightOrigin = b.select(packsGroups, columns.firstPanel, b.index(0));
      b.ifThen(packsGroups, [&] { packRight(b, columns.firstPanel, columns.endPanel); });
      multiply(b, block, columns);
    });
  }
  if (block)
    b.free(block);
}

/// Packs panels [first, end) of the right operand.
void PackedContraction::packRight(HostBuilder &b, Value first, Value end) const {
  bool isTransposed = right.rows == N;
  Value column = b.mul(first, b.tiles.panel), limit = b.min(b.mul(end, b.tiles.panel), sizes[N]);
  b.ifThen(b.compare(arith::CmpIPredicate::slt, first, end), [&] {
    PackRight pack;
    pack.matrix = rightView, pack.target = packedRight, pack.offset = b.mul(b.sub(first, rightOrigin), rightPanel);
    pack.stride = rightPanel;
    pack.row = b.index(0), pack.rows = sizes[K], pack.column = column, pack.columns = b.sub(limit, column);
    if (!isTransposed)
      return library.packColumns(b, pack);
    std::swap(pack.row, pack.column);
    std::swap(pack.rows, pack.columns);
    library.packTransposed(b, pack);
  });
}

/// Packs rows [firstRow, endRow) of panels [first, end) of the left operand, from row `leftOrigin` on. With AMX, a
/// transposed operand is packed with all rows.
void PackedContraction::packLeft(HostBuilder &b, Value first, Value end, Value firstRow, Value endRow) const {
  bool isTransposed = left.rows == K;
  if (b.tiles.usesBF16Dot() && !isTransposed)
    return copyLeft(b, first, end, firstRow, endRow);
  Value k = b.mul(first, b.tiles.panel), limit = b.min(b.mul(end, b.tiles.panel), sizes[K]), zero = b.index(0);
  b.ifThen(b.compare(arith::CmpIPredicate::slt, first, end), [&] {
    Value depth = b.sub(limit, k), offset = b.mul(first, leftPanel), rows = b.sub(endRow, firstRow);
    if (b.tiles.usesBF16Dot())
      return library.packLeftTransposed(
          b, {leftView, k, zero, depth, leftView, k, zero, depth, zero, sizes[M], packedLeft, offset, leftPanel});
    if (isTransposed)
      return library.packTransposed(b, {leftView, k, depth, firstRow, rows, packedLeft, offset, leftPanel});
    library.packColumns(b, {leftView, firstRow, rows, k, depth, packedLeft, offset, leftPanel});
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
          Value target = b.add(base, b.mul(b.sub(row, leftOrigin), panel));
          vector::StoreOp::create(b, loaded, packedLeft, b.add(target, v * b.tiles.lanes));
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
      b, b.scratchType(cast<MemRefType>(matrix.getType()).getElementType()), metadata.getBaseBuffer(),
      b.getIndexAttr(0), ArrayRef<OpFoldResult>{b.add(offset, b.mul(rows, stride))},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  return {buffer, offset, stride};
}

/// The GEMM of `callGemm` for few rows, with columns of the right operand from panel `firstPanel` on.
void PackedContraction::multiplyInPlace(HostBuilder &b, const Gemm &gemm, Value firstPanel) const {
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0), column = b.mul(firstPanel, panel);
  if (startsFromZero)
    b.loop(gemm.columns, [&](Value q) {
      b.loop(gemm.rows, [&](Value row) {
        Value offset = b.add(gemm.cOffset, b.add(b.mul(q, gemm.cPanel), b.mul(row, gemm.cRow)));
        b.fillZero(gemm.c, offset, b.index(panel));
      });
    });
  UnpackedRight operand;
  operand.matrix = rightView, operand.isTransposed = right.rows == N;
  operand.row = zero, operand.column = column, operand.depth = sizes[K];
  operand.columns = b.min(b.sub(sizes[N], column), b.mul(gemm.columns, panel));
  if (operand.isTransposed)
    std::swap(operand.row, operand.column);
  library.gemmInPlace(b, gemm, operand);
}

void PackedContraction::callGemm(HostBuilder &b, Gemm gemm, Value firstRow, Value rows, Value firstPanel,
                                 Value count) const {
  gemm.a = packedLeft, gemm.aOffset = b.mul(b.sub(firstRow, leftOrigin), b.tiles.panel), gemm.aPanel = leftPanel;
  gemm.b = packedRight, gemm.bOffset = b.mul(b.sub(firstPanel, rightOrigin), rightPanel), gemm.bPanel = rightPanel;
  gemm.rows = rows, gemm.columns = count;
  gemm.setDepth(b, sizes[K]);
  b.ifElse(readsRight, [&] { multiplyInPlace(b, gemm, firstPanel); }, [&] { callPackedGemm(b, gemm, firstRow); });
}

/// The GEMM of `callGemm` with the packed right operand.
void PackedContraction::callPackedGemm(HostBuilder &b, Gemm gemm, Value firstRow) const {
  if (!b.tiles.usesAMX()) {
    if (startsFromZero)
      gemm.isZero = arith::ConstantOp::create(b, b.getBoolAttr(true));
    return library.gemm(b, gemm);
  }
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

/// Whether some columns of c have their sums in scratch: c has another type, or only some columns of a panel.
bool PackedContraction::needsBlock(HostBuilder &b) const {
  std::optional<int64_t> columns = getConstantIntValue(sizes[N]);
  return result.type.getElementType() != b.tiles.sum || !columns || *columns % b.tiles.panel != 0;
}

/// Computes a part of c. `block` is scratch, null if it is not needed.
void PackedContraction::multiply(HostBuilder &b, Value block, const Part &part) const {
  int64_t panel = b.tiles.panel;
  bool isAMX = b.tiles.usesAMX();
  Value firstRow = part.firstRow, lastRow = part.endRow, rows = b.sub(lastRow, firstRow);
  Value firstPanel = part.firstPanel, end = part.endPanel, direct = firstPanel;
  if (result.type.getElementType() == b.tiles.sum) {
    // Whole panels of c hold their sums.
    direct = b.max(b.min(end, b.div(sizes[N], b.index(panel))), firstPanel);
    Elements elements = asElements(b, resultView, sizes[M]);
    auto multiplyDirect = [&](Value row, Value height, Value first, Value width) {
      Gemm gemm;
      gemm.c = elements.buffer, gemm.cRow = elements.stride, gemm.cPanel = b.index(panel);
      gemm.cOffset = b.add(b.add(elements.offset, b.mul(row, elements.stride)), b.mul(first, panel));
      callGemm(b, gemm, row, height, first, width);
    };
    if (!isAMX)
      multiplyDirect(firstRow, rows, firstPanel, b.sub(direct, firstPanel));
    else
      b.loop(firstPanel, direct, amxBlockPanels, [&](Value first) {
        b.loop(firstRow, lastRow, amxBlockRows, [&](Value row) {
          multiplyDirect(row, b.min(b.sub(lastRow, row), b.index(amxBlockRows)), first,
                         b.min(b.sub(direct, first), b.index(amxBlockPanels)));
        });
      });
  }
  if (!block)
    return;
  BlockShape shape(b.tiles);
  b.loop(direct, end, shape.panels, [&](Value first) {
    b.loop(firstRow, lastRow, shape.rows, [&](Value row) {
      multiplyBlock(b, block, row, b.min(b.sub(lastRow, row), b.index(shape.rows)), first,
                    b.min(b.sub(end, first), b.index(shape.panels)));
    });
  });
}

/// Computes a block of c in scratch.
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
  return succeeded(contraction.analyze()) ? contraction.emit(isZero) : contraction.arrange(isZero);
}
