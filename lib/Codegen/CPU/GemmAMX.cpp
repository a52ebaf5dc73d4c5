//===- GemmAMX.cpp - packed GEMMs of bf16 by AMX tiles -----------------------===//
//
// A left tile is 16 rows of a panel. A right tile is 16 pairs of rows of a panel in VNNI packing, 16 columns of them.
// So one panel of the depth is one tile multiplication, and packed operands are the same as those of the other
// micro-kernels.
//
// LLVM configures the tiles at the entry of each function that uses them, with one shape per tile register. Therefore
// blocks of 32 rows and the last rows have a function each.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmLoops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

namespace {

constexpr int64_t tileRows = 16, tileBytes = 64;
/// Rows of a block: 2 x 2 tiles of 16 rows and 16 columns.
constexpr int64_t blockRows = 2 * tileRows;
/// Elements of one cache line.
constexpr int64_t lineElements = 32;
/// Depth of a chunk in panels. The chunk of a left block (16 KiB) stays in L1 while all columns use it.
constexpr int64_t chunkDepth = 8;
/// A left operand of at most this many elements (768 KiB) stays in L2 for the whole depth.
constexpr int64_t leftInL2 = 3 << 17;
/// A right operand of at most this many elements (2 MiB) is expected in L2.
constexpr int64_t rightInL2 = 1 << 20;

/// Emits instructions on tiles. Upstream's amx dialect has static shapes only: the last rows of a GEMM need fewer rows.
class TileBuilder {
public:
  explicit TileBuilder(HostBuilder &b)
      : type(LLVM::LLVMX86AMXType::get(b.getContext())), full(integer(b, tileRows)), b(b),
        bytes(integer(b, tileBytes)) {}

  const Type type;
  const Value full; ///< i16: all rows of a tile

  /// A row count as i16.
  Value rows(Value count) { return arith::IndexCastOp::create(b, b.getI16Type(), count); }

  /// The memory of a buffer of scratch.
  Value base(Value buffer) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), toI64(address));
  }
  Value address(Value base, Type element, Value offset) {
    return LLVM::GEPOp::create(b, base.getType(), element, base, ValueRange{toI64(offset)});
  }

  /// `stride` is in bytes, from row to row.
  Value load(Value rows, Value address, Value stride) {
    return call("llvm.x86.tileloadd64.internal", type, {rows, bytes, address, toI64(stride)}).getResult(0);
  }
  void store(Value rows, Value address, Value stride, Value tile) {
    call("llvm.x86.tilestored64.internal", {}, {rows, bytes, address, toI64(stride), tile});
  }
  /// sum + left * right, with `rows` rows of the sum and of the left tile.
  Value multiply(Value rows, Value sum, Value left, Value right) {
    return call("llvm.x86.tdpbf16ps.internal", type, {rows, bytes, bytes, sum, left, right}).getResult(0);
  }

private:
  static Value integer(HostBuilder &b, int64_t value) {
    return arith::ConstantOp::create(b, b.getI16IntegerAttr(value));
  }
  Value toI64(Value index) { return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index); }
  LLVM::CallIntrinsicOp call(StringRef name, TypeRange results, ValueRange operands) {
    if (results.empty())
      return LLVM::CallIntrinsicOp::create(b, b.getStringAttr(name), operands);
    return LLVM::CallIntrinsicOp::create(b, results.front(), b.getStringAttr(name), operands);
  }

  HostBuilder &b;
  Value bytes;
};

/// c = start + a b by tiles.
struct TileGemm {
  Value a, aOffset, aPanel, aRow; ///< aRow: of a matrix that is not packed
  Value b, bOffset, bPanel;
  Value c, cOffset, cRow, cPanel;
  Value rows, columns, depth;                     ///< as in Gemm
  Value start, startOffset, startRow, startPanel; ///< c, or a row with the stride 0
  // The prefetch of operands to L2: the distance in elements from the current ones, and the cache lines of each panel
  // that an iteration of the innermost loop prefetches (0: none).
  Value aAhead, aLines, bAhead, bLines;

  static constexpr Value TileGemm::*arguments[] = {
      &TileGemm::a,           &TileGemm::aOffset,  &TileGemm::aPanel,     &TileGemm::aRow,    &TileGemm::b,
      &TileGemm::bOffset,     &TileGemm::bPanel,   &TileGemm::c,          &TileGemm::cOffset, &TileGemm::cRow,
      &TileGemm::cPanel,      &TileGemm::rows,     &TileGemm::columns,    &TileGemm::depth,   &TileGemm::start,
      &TileGemm::startOffset, &TileGemm::startRow, &TileGemm::startPanel, &TileGemm::aAhead,  &TileGemm::aLines,
      &TileGemm::bAhead,      &TileGemm::bLines};
};

/// Operands as addresses, and the loop over the depth.
class TileLoop {
public:
  TileLoop(HostBuilder &b, const TileGemm &p, Value leftRow)
      : tiles(b), b(b), left(tiles.base(p.a)), right(tiles.base(p.b)), sums(tiles.base(p.c)),
        starts(tiles.base(p.start)), leftStride(b.mul(leftRow, 2)), rightStride(b.index(2 * tileBytes)),
        sumStride(b.mul(p.cRow, 4)), startStride(b.mul(p.startRow, 4)) {}

  TileBuilder tiles;

  Value loadLeft(Value rows, Value offset) {
    return tiles.load(rows, tiles.address(left, b.getBF16Type(), offset), leftStride);
  }
  /// The first or second half of a panel's columns.
  Value loadRight(Value offset, bool second) {
    Value at = b.add(offset, second ? tileBytes / 2 : 0);
    return tiles.load(tiles.full, tiles.address(right, b.getBF16Type(), at), rightStride);
  }
  Value loadStart(Value rows, Value offset, bool second) {
    return tiles.load(rows, half(starts, offset, second), startStride);
  }
  void storeSum(Value rows, Value offset, bool second, Value tile) {
    tiles.store(rows, half(sums, offset, second), sumStride, tile);
  }

  /// Prefetches `count` lines from element `offset` on.
  void prefetch(Value buffer, Value offset, Value count) {
    b.loop(count, [&](Value line) {
      memref::PrefetchOp::create(b, buffer, b.add(offset, b.mul(line, lineElements)), /*isWrite=*/false,
                                 /*localityHint=*/2, /*isDataCache=*/true);
    });
  }

private:
  Value half(Value base, Value offset, bool second) {
    return tiles.address(base, b.getF32Type(), b.add(offset, second ? tileRows : 0));
  }

  HostBuilder &b;
  Value left, right, sums, starts, leftStride, rightStride, sumStride, startStride;
};

} // namespace

/// `rows` is a multiple of 32. `aRow` is constant for packed operands.
static void emitBlocksOf(HostBuilder &b, const TileGemm &p, Value aRow) {
  TileLoop loop(b, p, aRow);
  Value full = loop.tiles.full, zero = b.index(0), below = b.mul(aRow, tileRows);
  b.loop(p.columns, [&](Value column) {
    Value bTop = b.add(p.bOffset, b.mul(column, p.bPanel)), cTop = b.add(p.cOffset, b.mul(column, p.cPanel));
    b.loop(b.div(p.rows, b.index(blockRows)), [&](Value block) {
      Value row = b.mul(block, blockRows), aTop = b.add(p.aOffset, b.mul(row, aRow));
      Value c0 = b.add(cTop, b.mul(row, p.cRow)), c1 = b.add(c0, b.mul(p.cRow, tileRows));
      SmallVector<Value> sums;
      Value start = b.add(b.add(p.startOffset, b.mul(column, p.startPanel)), b.mul(row, p.startRow));
      for (bool lower : {false, true})
        for (bool second : {false, true})
          sums.push_back(loop.loadStart(full, lower ? b.add(start, b.mul(p.startRow, tileRows)) : start, second));
      Value aAhead = b.add(b.add(aTop, p.aAhead), b.mul(b.mul(column, p.aLines), lineElements));
      Value bAhead = b.add(b.add(bTop, p.bAhead), b.mul(b.mul(b.mul(block, p.depth), p.bLines), lineElements));
      sums = b.loop(zero, p.depth, 1, sums, [&](Value k, ValueRange carried) {
        Value aOffset = b.mul(k, p.aPanel), a = b.add(aTop, aOffset);
        Value right = b.add(bTop, b.mul(k, Tiles::amxPanel * Tiles::amxPanel));
        Value a0 = loop.loadLeft(full, a), b0 = loop.loadRight(right, false);
        SmallVector<Value> result(carried);
        result[0] = loop.tiles.multiply(full, result[0], a0, b0);
        Value b1 = loop.loadRight(right, true);
        result[1] = loop.tiles.multiply(full, result[1], a0, b1);
        Value a1 = loop.loadLeft(full, b.add(a, below));
        result[2] = loop.tiles.multiply(full, result[2], a1, b0);
        result[3] = loop.tiles.multiply(full, result[3], a1, b1);
        loop.prefetch(p.a, b.add(aAhead, aOffset), p.aLines);
        loop.prefetch(p.b, b.add(bAhead, b.mul(b.mul(k, p.bLines), lineElements)), p.bLines);
        return result;
      });
      for (bool lower : {false, true})
        for (bool second : {false, true})
          loop.storeSum(full, lower ? c1 : c0, second, sums[2 * lower + second]);
    });
  });
}

static void emitBlocks(HostBuilder &b, const TileGemm &p) {
  emitBlocksOf(b, p, b.index(Tiles::amxPanel));
}
static void emitMatrixBlocks(HostBuilder &b, const TileGemm &p) {
  emitBlocksOf(b, p, p.aRow);
}

/// 1 to 16 rows: two panels at once, then the last one.
static void emitLastRowsOf(HostBuilder &b, const TileGemm &p, Value aRow) {
  TileLoop loop(b, p, aRow);
  Value rows = loop.tiles.rows(p.rows), zero = b.index(0), done = zero;
  for (int64_t group : {2, 1}) {
    Value end = b.mul(b.div(p.columns, b.index(group)), group);
    b.loop(done, end, group, [&](Value column) {
      SmallVector<Value> sums, cOffsets, bOffsets;
      for (int64_t k = 0; k < group; ++k) {
        Value next = b.add(column, k);
        bOffsets.push_back(b.add(p.bOffset, b.mul(next, p.bPanel)));
        cOffsets.push_back(b.add(p.cOffset, b.mul(next, p.cPanel)));
        for (bool second : {false, true})
          sums.push_back(loop.loadStart(rows, b.add(p.startOffset, b.mul(next, p.startPanel)), second));
      }
      sums = b.loop(zero, p.depth, 1, sums, [&](Value k, ValueRange carried) {
        Value a = loop.loadLeft(rows, b.add(p.aOffset, b.mul(k, p.aPanel)));
        Value right = b.mul(k, Tiles::amxPanel * Tiles::amxPanel);
        SmallVector<Value> result;
        for (auto [index, sum] : llvm::enumerate(carried))
          result.push_back(
              loop.tiles.multiply(rows, sum, a, loop.loadRight(b.add(bOffsets[index / 2], right), index % 2 != 0)));
        return result;
      });
      for (auto [index, sum] : llvm::enumerate(sums))
        loop.storeSum(rows, cOffsets[index / 2], index % 2 != 0, sum);
    });
    done = end;
  }
}

static void emitLastRows(HostBuilder &b, const TileGemm &p) {
  emitLastRowsOf(b, p, b.index(Tiles::amxPanel));
}
static void emitMatrixLastRows(HostBuilder &b, const TileGemm &p) {
  emitLastRowsOf(b, p, p.aRow);
}

static void emitOneRow(HostBuilder &b, const Gemm &p) {
  emitFewRows(b, p, *createMicroKernel(b, p.a, p.b), 1);
}

void KernelLibrary::tileGemm(HostBuilder &b, const Gemm &p, std::optional<GemmStart> start, bool sharesRows,
                             Value leftRow) {
  assert((sharesRows || !leftRow) && "the kernel of one row reads packed operands");
  Value zero = b.index(0), one = b.index(1), aRow = leftRow ? leftRow : b.index(Tiles::amxPanel);
  auto tilesFrom = [&](Value row, Value rows, Value firstDepth, Value depth, Value isFirst) {
    TileGemm t;
    t.a = p.a, t.aPanel = p.aPanel, t.aRow = aRow;
    t.aOffset = b.add(b.add(p.aOffset, b.mul(row, aRow)), b.mul(firstDepth, p.aPanel));
    t.b = p.b, t.bPanel = p.bPanel;
    t.bOffset = b.add(p.bOffset, b.mul(firstDepth, Tiles::amxPanel * Tiles::amxPanel));
    t.c = p.c, t.cOffset = b.add(p.cOffset, b.mul(row, p.cRow)), t.cRow = p.cRow, t.cPanel = p.cPanel;
    t.rows = rows, t.columns = p.columns, t.depth = depth;
    t.start = p.c, t.startOffset = t.cOffset, t.startRow = p.cRow, t.startPanel = p.cPanel;
    if (start && getConstantIntValue(isFirst) == 1) {
      t.start = start->row, t.startOffset = start->offset, t.startRow = zero, t.startPanel = start->panel;
    } else if (start) {
      t.start = arith::SelectOp::create(b, isFirst, start->row, p.c);
      t.startOffset = b.select(isFirst, start->offset, t.cOffset), t.startRow = b.select(isFirst, zero, p.cRow);
      t.startPanel = b.select(isFirst, start->panel, p.cPanel);
    }
    t.aAhead = t.aLines = t.bAhead = t.bLines = zero;
    return t;
  };
  auto emitMany = [&] {
    Value whole = b.mul(b.div(p.rows, b.index(blockRows)), blockRows), rest = b.sub(p.rows, whole);
    b.ifThen(b.compare(arith::CmpIPredicate::ne, whole, zero), [&] {
      Value blocks = b.div(whole, b.index(blockRows)), columns = b.max(p.columns, one);
      // If the left operand does not stay in L2, a chunk of the depth of both operands does.
      Value isChunked =
          b.compare(arith::CmpIPredicate::sgt, b.mul(b.mul(whole, p.depth), Tiles::amxPanel), b.index(leftInL2));
      Value chunk = b.select(isChunked, b.index(chunkDepth), b.max(p.depth, one));
      // The lines of one iteration's tiles of a panel, divided among the iterations that prefetch the panel.
      auto linesPer = [&](Value count) { return b.div(b.add(b.index(blockRows), b.sub(count, one)), count); };
      // With a start, depth 0 stores it.
      Value chunks = b.div(b.add(p.depth, b.sub(chunk, one)), chunk);
      b.loop(start ? b.max(chunks, one) : chunks, [&](Value number) {
        Value first = b.mul(number, chunk), depth = b.min(b.sub(p.depth, first), chunk);
        Value hasNext = b.compare(arith::CmpIPredicate::slt, b.add(first, depth), p.depth);
        TileGemm t = tilesFrom(zero, whole, first, depth, b.compare(arith::CmpIPredicate::eq, number, zero));
        t.aAhead = b.mul(depth, p.aPanel), t.aLines = leftRow ? zero : b.select(hasNext, linesPer(columns), zero);
        t.bAhead = b.select(isChunked, b.mul(depth, Tiles::amxPanel * Tiles::amxPanel), p.bPanel);
        // Four and more blocks of rows prefetch the whole next panel of b. With fewer, the hardware prefetcher alone is
        // faster, except for two blocks if b comes from L3: they prefetch half of the panel. More lines are slower.
        constexpr int64_t manyBlocks = 4, linesOfTwoBlocks = 8;
        auto isAtLeast = [&](Value value, int64_t least) {
          return b.compare(arith::CmpIPredicate::sge, value, b.index(least));
        };
        auto both = [&](Value x, Value y) { return b.createOrFold<arith::AndIOp>(x, y); };
        Value right = b.mul(b.mul(p.columns, p.depth), Tiles::amxPanel * Tiles::amxPanel);
        Value areTwo = b.compare(arith::CmpIPredicate::eq, blocks, b.index(2));
        Value isFromL3 = both(areTwo, isAtLeast(right, rightInL2 + 1));
        Value lines = b.select(isAtLeast(blocks, manyBlocks), linesPer(blocks),
                               b.select(isFromL3, b.index(linesOfTwoBlocks), zero));
        lines = b.select(isAtLeast(p.columns, 2), lines, zero);
        t.bLines = b.select(isChunked, b.select(hasNext, linesPer(blocks), zero), lines);
        if (leftRow)
          call(b, "tile_gemm_matrix", t, emitMatrixBlocks);
        else
          call(b, "tile_gemm", t, emitBlocks);
      });
    });
    Value parts = b.ceilDiv(rest, tileRows), isFirst = arith::ConstantIntOp::create(b, 1, 1);
    b.loop(parts, [&](Value part) {
      Value from = b.div(b.mul(rest, part), parts), to = b.div(b.mul(rest, b.add(part, 1)), parts);
      TileGemm t = tilesFrom(b.add(whole, from), b.sub(to, from), zero, p.depth, isFirst);
      if (leftRow)
        call(b, "tile_gemm_matrix_last_rows", t, emitMatrixLastRows);
      else
        call(b, "tile_gemm_last_rows", t, emitLastRows);
    });
  };
  if (sharesRows)
    return emitMany();
  // The bandwidth of the weights limits one row, and VDPBF16PS reads more streams at once. Its sums round differently.
  auto emitOne = [&] {
    if (start)
      b.loop(p.columns, [&](Value column) {
        for (int64_t k = 0; k < Tiles::amxPanel; k += b.tiles.lanes) {
          Value from = b.add(start->offset, b.mul(column, start->panel)), to = b.mul(column, p.cPanel);
          b.store(b.load(start->row, b.add(from, k)), p.c, b.add(b.add(p.cOffset, to), k));
        }
      });
    Gemm row = p;
    row.aNext = row.bNext = zero;
    row.setDefaults(b);
    call(b, "gemm_one_row", row, emitOneRow);
  };
  b.ifElse(b.compare(arith::CmpIPredicate::eq, p.rows, one), emitOne, emitMany);
}
