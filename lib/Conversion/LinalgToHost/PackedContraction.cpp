//===- PackedContraction.cpp - large contractions by packed GEMMs ------------===//
//
// A contraction c += a b over the loops (batch, m, n, k) uses the packed GEMM of the recurrent layers. Each thread
// computes some rows or some columns of c. With rows, all threads read b; with columns, all read a. Each thread packs
// that operand for itself if it is small; otherwise the threads pack it together.
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
/// The most bytes of an operand that every thread packs for itself; with AMX, of the right one.
constexpr int64_t mostOwn = 1 << 20, amxMostOwn = 1 << 18;

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
  startsFromZero = isZero && isKnown;
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
    packsOwn = packOwn(b);
    packsOwnRight = packsGroups;
    if (packsOwn)
      packsOwnRight = b.createOrFold<arith::OrIOp>(packsGroups, b.createOrFold<arith::AndIOp>(packsOwn, byRows));
    Value sharesNone = b.createOrFold<arith::OrIOp>(readsRight, packsOwnRight);
    Value leftSize = b.mul(leftPanel, depthPanels);
    Value rightSize = b.select(sharesNone, b.index(1), b.mul(rightPanel, panels));
    if (hasOwnLeft(b))
      leftSize = b.select(packsOwn, b.index(1), leftSize);
    if (!readsLeft)
      packedLeft = b.allocate(leftSize, b.tiles.left);
    packedRight = b.allocate(rightSize, b.tiles.left);
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
/// (docs/internals/linalg-on-host.md).
void PackedContraction::chooseRight(HostBuilder &b) {
  const bool isAMX = b.tiles.usesAMX(), isTransposed = right.rows == N;
  const int64_t mostOfSums = isAMX ? 4 : 16, mostOfDots = isAMX ? 2 : b.tiles.vectors >= 4 ? 8 : 4;
  // Each row of the matrix is read in parts of some cache lines: the hardware does not prefetch isolated ones.
  constexpr int64_t rowBits = 256 * 8;
  const int64_t atOnce = std::max<int64_t>(rowBits / (b.tiles.panel * b.tiles.left.getWidth()), 1);
  groupPanels = b.min(b.index(atOnce), panels);
  Value isFalse = arith::ConstantOp::create(b, b.getBoolAttr(false));
  auto areAtMost = [&](int64_t rows) {
    Value areFew = b.compare(arith::CmpIPredicate::sle, sizes[M], b.index(rows));
    return b.select(byRows, isFalse, areFew);
  };
  readsRight = readsLeft ? isFalse : areAtMost(isTransposed ? mostOfDots : mostOfSums);
  packsGroups = b.select(readsRight, isFalse, areAtMost(isAMX ? amxBlockRows : blockRows));
}

/// Reading what another core has packed takes longer than packing an operand again that stays in L2: 15 to 20 ns per
/// cache line. Then each thread packs all of the operand that it would share, nothing else is shared, and no barrier is
/// needed.
Value PackedContraction::packOwn(HostBuilder &b) const {
  const bool isAMX = b.tiles.usesAMX();
  if (isAMX && left.rows == K)
    return {};
  const int64_t bytes = b.tiles.left.getIntOrFloatBitWidth() / 8;
  auto isSmall = [&](Value stride, Value count, int64_t most) {
    return b.compare(arith::CmpIPredicate::sle, b.mul(stride, count), b.index(most / bytes));
  };
  Value condition;
  if (isAMX)
    condition = b.createOrFold<arith::AndIOp>(byRows, isSmall(rightPanel, panels, amxMostOwn));
  else
    condition = b.select(byRows, isSmall(rightPanel, panels, mostOwn), isSmall(leftPanel, depthPanels, mostOwn));
  return getConstantIntValue(condition) == 0 ? Value() : condition;
}

/// Whether `packsOwn` means the left operand too. With AMX, threads pack their rows into one buffer.
bool PackedContraction::hasOwnLeft(HostBuilder &b) const {
  return packsOwn && !readsLeft && !b.tiles.usesAMX();
}

void PackedContraction::emitGemm(HostBuilder &b, ValueRange batch) {
  leftView = view(b, left, batch), rightView = view(b, right, batch), resultView = view(b, result, batch);
  Value rows = sizes[M], zero = b.index(0);
  int64_t unit = b.tiles.usesAMX() ? 2 * 16 : Tiles::rows, panel = b.tiles.panel;
  // Threads divide the longer side of c.
  Value units = b.ceilDiv(rows, unit);
  // Small products by AMX take less time than the start of a thread. A tile has 16 rows.
  Value work = b.mul(b.mul(b.tiles.usesAMX() ? b.max(rows, b.index(16)) : rows, sizes[N]), sizes[K]);
  if (b.tiles.usesAMX())
    work = b.div(work, b.index(64));
  Value sharedRight = packedRight, sharedLeft = packedLeft, sharedPanel = leftPanel;
  library.parallel(b, b.select(byRows, units, panels), work, [&](const Team &team) {
    Value firstRow = b.select(byRows, b.mul(team.begin(b, units), unit), zero);
    Value endRow = b.select(byRows, b.min(b.mul(team.end(b, units), unit), rows), rows);
    Value firstRight = team.begin(b, panels), endRight = team.end(b, panels), ownRight, ownLeft;
    Value firstDepth = team.begin(b, depthPanels), endDepth = team.end(b, depthPanels);
    Value firstLeft = zero, endLeft = rows;
    Value firstPanel = b.select(byRows, zero, team.begin(b, panels));
    Value endPanel = b.select(byRows, panels, team.end(b, panels));
    leftOrigin = rightOrigin = zero;
    auto own = [&](Value isOwn, Value size, Value shared) {
      Value buffer = b.allocate(b.select(isOwn, size, b.index(1)), b.tiles.left);
      return std::pair(buffer, arith::SelectOp::create(b, isOwn, buffer, shared).getResult());
    };
    if (getConstantIntValue(packsOwnRight) != 0) {
      Value count = b.select(packsGroups, groupPanels, panels);
      std::tie(ownRight, packedRight) = own(packsOwnRight, b.mul(rightPanel, count), sharedRight);
    }
    if (packsOwn) {
      firstRight = b.select(packsOwnRight, zero, firstRight), endRight = b.select(packsOwnRight, panels, endRight);
      firstDepth = b.select(packsOwn, zero, firstDepth), endDepth = b.select(packsOwn, depthPanels, endDepth);
      firstLeft = b.select(packsOwn, firstRow, zero), endLeft = b.select(packsOwn, endRow, rows);
      if (hasOwnLeft(b)) {
        Value height = b.mul(b.ceilDiv(b.sub(endLeft, firstLeft), panel), panel);
        leftPanel = b.mul(b.add(height, leftPadding(b)), panel), leftOrigin = firstLeft;
        std::tie(ownLeft, packedLeft) = own(packsOwn, b.mul(leftPanel, depthPanels), sharedLeft);
      }
    }
    Value isLate = b.createOrFold<arith::OrIOp>(readsRight, packsGroups);
    b.ifElse(isLate, [] {}, [&] { packRight(b, firstRight, endRight); });
    if (!readsLeft)
      packLeft(b, firstDepth, endDepth, firstLeft, endLeft);
    auto wait = [&] { team.wait(b); };
    if (!packsOwn)
      wait();
    else if (getConstantIntValue(packsOwn) != 1)
      b.ifElse(packsOwn, [] {}, wait);
    Value count = b.sub(endPanel, firstPanel), ownRows = b.sub(endRow, firstRow);
    if (getConstantIntValue(packsGroups) == 0) {
      multiply(b, firstRow, ownRows, firstPanel, count);
    } else {
      Value atOnce = b.select(packsGroups, groupPanels, b.max(count, b.index(1)));
      b.loop(b.div(b.add(count, b.sub(atOnce, b.index(1))), atOnce), [&](Value group) {
        Value first = b.add(firstPanel, b.mul(group, atOnce)), end = b.min(b.add(first, atOnce), endPanel);
        rightOrigin = b.select(packsGroups, first, zero);
        b.ifThen(packsGroups, [&] { packRight(b, first, end); });
        multiply(b, firstRow, ownRows, first, b.sub(end, first));
      });
    }
    for (Value buffer : {ownLeft, ownRight})
      if (buffer)
        b.free(buffer);
  });
  packedRight = sharedRight, packedLeft = sharedLeft, leftPanel = sharedPanel;
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
  UnpackedRight operand = {rightView, right.rows == N, zero, column, sizes[K], Value()};
  operand.columns = b.min(b.sub(sizes[N], column), b.mul(gemm.columns, panel));
  if (operand.isTransposed)
    std::swap(operand.row, operand.column);
  library.gemmInPlace(b, gemm, operand);
}

void PackedContraction::callGemm(HostBuilder &b, Gemm gemm, Value firstRow, Value rows, Value firstPanel,
                                 Value count) const {
  gemm.a = packedLeft, gemm.aOffset = b.mul(b.sub(firstRow, leftOrigin), b.tiles.panel), gemm.aPanel = leftPanel;
  gemm.b = packedRight, gemm.bOffset = b.mul(b.sub(firstPanel, rightOrigin), rightPanel), gemm.bPanel = rightPanel;
  gemm.rows = rows, gemm.columns = count, gemm.depth = depthPanels;
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
