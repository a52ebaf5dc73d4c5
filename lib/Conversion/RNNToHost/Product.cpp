//===- Product.cpp - the packed micro-kernel and the blocks around it --------===//
//
// One kernel serves all products: a tile of 1 to 6 rows and one panel stays in registers while it runs down the depth.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

void host::markHandTiled(Operation *function) {
  auto attributes = function->getAttrOfType<ArrayAttr>("passthrough");
  SetVector<Attribute> all;
  if (attributes)
    all.insert_range(attributes);
  for (StringRef mark : {StringRef(handTiledAttribute), StringRef("noinline")})
    all.insert(StringAttr::get(function->getContext(), mark));
  function->setAttr("passthrough", ArrayAttr::get(function->getContext(), all.getArrayRef()));
}

func::FuncOp Library::get(HostBuilder &b, StringRef name, TypeRange inputs,
                          function_ref<void(HostBuilder &, ValueRange)> body) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << "rnn_host_" << name << "_" << b.tiles.element;
  // A matrix may be a tensor of the op or have the type of sums.
  for (Type input : inputs)
    if (auto type = dyn_cast<MemRefType>(input); type && type.getRank() == 2 && type.getElementType() != b.tiles.element)
      stream << "_" << type.getElementType();
  // The loops that call it are as long.
  Operation *caller = b.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface>(caller))
    caller = caller->getParentOp();
  markHandTiled(caller);
  func::FuncOp &function = functions[key];
  if (function)
    return function;
  OpBuilder detached(b.getContext());
  function = func::FuncOp::create(detached, b.getLoc(), key, detached.getFunctionType(inputs, {}));
  function.setPrivate();
  // LLVM then drops what is never used of the buffers' descriptors.
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  markHandTiled(function);
  Block *block = function.addEntryBlock();
  HostBuilder inner(b.getLoc(), block, b.tiles);
  body(inner, block->getArguments());
  func::ReturnOp::create(inner);
  // Gives it another name where the module has this one already.
  symbols.insert(function);
  return function;
}

namespace {

/// A tile of c in registers.
class Tile {
public:
  Tile(HostBuilder &b, int64_t rows, Value c, Value cOffset, Value cRow)
      : b(b), rows(rows), c(c), cOffset(cOffset), cRow(cRow),
        // A short tile has too few sums to hide the latency of one; several sets of them take turns.
        sets(rows == 1 ? 4 : rows == 2 ? 2 : 1) {}

  SmallVector<Value> load() {
    SmallVector<Value> sums;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t v = 0; v < b.tiles.vectors; ++v)
        sums.push_back(b.load(c, place(row, v)));
    sums.append((sets - 1) * sums.size(), b.constant(0));
    return sums;
  }

  SmallVector<Value> loadUnless(Value isZero) {
    SmallVector<Type> types(rows * sets * b.tiles.vectors, b.vectorType(b.tiles.sum));
    auto choice = scf::IfOp::create(b, types, isZero, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, SmallVector<Value>(types.size(), b.constant(0)));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, load());
    return SmallVector<Value>(choice.getResults());
  }

  /// Adds row `bOffset` of b times one column of a, whose elements are `aStep` apart.
  void multiply(SmallVectorImpl<Value> &sums, Value a, Value aOffset, int64_t aStep, Value right, Value bOffset,
                int64_t turn) {
    SmallVector<Value> columns;
    for (int64_t v = 0; v < b.tiles.vectors; ++v)
      columns.push_back(b.load(right, b.add(bOffset, v * b.tiles.lanes)));
    int64_t first = turn % sets * rows * b.tiles.vectors;
    for (int64_t row = 0; row < rows; ++row) {
      Value factor = b.splat(b.loadScalar(a, b.add(aOffset, row * aStep)));
      for (int64_t v = 0; v < b.tiles.vectors; ++v) {
        Value &sum = sums[first + row * b.tiles.vectors + v];
        sum = b.fma(factor, columns[v], sum);
      }
    }
  }

  void store(ArrayRef<Value> sums) {
    int64_t count = rows * b.tiles.vectors;
    for (int64_t row = 0, k = 0; row < rows; ++row)
      for (int64_t v = 0; v < b.tiles.vectors; ++v, ++k) {
        Value sum = sums[k];
        for (int64_t set = 1; set < sets; ++set)
          sum = b.addf(sum, sums[set * count + k]);
        b.store(sum, c, place(row, v));
      }
  }

private:
  Value place(int64_t row, int64_t v) {
    return b.add(b.add(cOffset, b.mul(cRow, row)), v * b.tiles.lanes);
  }

  HostBuilder &b;
  int64_t rows;
  Value c, cOffset, cRow;
  int64_t sets;
};

/// How many steps of the depth one turn of the inner loop does; a multiple of every number of sets.
constexpr int64_t unroll = 4;

/// Asks for what the next tiles read while one is computed.
class Ahead {
public:
  /// The first tiles of a block fetch the next one of b, `depth` rows from element `place` on; `tile` is the number of
  /// the one that runs. Without that the first tile of a block waits for each line.
  void setBlock(HostBuilder &b, Value right, Value place, Value depth, Value tile) {
    buffer = right;
    // Two tiles fetch half each: three are what a batch of 16 has. Later ones ask for the same line again and again.
    Value half = b.createOrFold<arith::MinUIOp>(tile, b.index(2));
    start = b.add(place, b.mul(b.mul(half, b.div(depth, b.index(2))), b.tiles.panel));
    Value isLate = b.compare(arith::CmpIPredicate::eq, half, b.index(2));
    step = b.createOrFold<arith::SelectOp>(isLate, b.index(0), b.index(b.tiles.panel));
  }

  /// In the turn of `turn` rows that begins with row `row`: `lines` rows of the next block.
  void fetchBlock(HostBuilder &b, Value row, int64_t turn, int64_t lines) {
    // To the second cache: the first one is full of this block.
    Value first = b.mul(b.div(row, b.index(turn)), lines);
    for (int64_t k = 0; k < lines; ++k)
      b.prefetch(buffer, b.add(start, b.mul(b.add(first, k), step)), /*locality=*/2);
  }

  /// The tile of c that comes next: its rows are far from each other, so nobody guesses them.
  void fetchTile(HostBuilder &b, Value c, Value place, Value rowStride) {
    for (int64_t row = 0; row < Tiles::rows; ++row)
      b.prefetch(c, b.add(place, b.mul(rowStride, row)), /*locality=*/3);
  }

private:
  Value buffer, start, step;
};

} // namespace

static void emitProduct(HostBuilder &b, const Library::Product &p) {
  const Tiles &tiles = b.tiles;
  int64_t panel = tiles.panel, depthPanels = Tiles::depthPanels(panel);
  auto kernel = [&](int64_t rows, Value aOffset, Value bOffset, Value cOffset, Value cNext, Value panels, Ahead &next) {
    Tile tile(b, rows, p.c, cOffset, p.cRow);
    SmallVector<Value> sums = tile.load();
    // One or two rows are alone in their block, and read weights as fast as these come: the processor guesses what is next by
    // itself, and the loop must not hold it up.
    int64_t turn = rows > 2 ? unroll : std::min<int64_t>(panel, 16), lines = rows > 2 ? 2 : turn / unroll;
    if (rows > 2)
      next.fetchTile(b, p.c, cNext, p.cRow);
    sums = b.loop(b.index(0), panels, 1, sums, [&](Value k, ValueRange carried) {
      Value aPlace = b.add(aOffset, b.mul(k, p.aPanel)), bPlace = b.add(bOffset, b.mul(k, panel * panel));
      return b.loop(b.index(0), b.index(panel), turn, carried, [&](Value column, ValueRange inner) {
        SmallVector<Value> sums(inner);
        next.fetchBlock(b, b.add(b.mul(k, panel), column), turn, lines);
        Value a = b.add(aPlace, column), right = b.add(bPlace, b.mul(column, panel));
        for (int64_t u = 0; u < turn; ++u)
          tile.multiply(sums, p.a, b.add(a, u), panel, p.b, b.add(right, u * panel), u);
        return sums;
      });
    });
    tile.store(sums);
  };
  b.loop(b.index(0), p.rows, Tiles::blockRows, [&](Value firstRow) {
    Value rows = b.min(b.sub(p.rows, firstRow), b.index(Tiles::blockRows));
    // Rows are dealt out evenly, so that no tile is much shorter than the others.
    Value count = b.ceilDiv(rows, Tiles::rows);
    Value hasMore = b.compare(arith::CmpIPredicate::slt, b.add(firstRow, rows), p.rows);
    b.loop(b.index(0), p.depth, depthPanels, [&](Value k) {
      Value panels = b.min(b.sub(p.depth, k), b.index(depthPanels)), depth = b.mul(panels, panel);
      // After the last column the next block of the depth begins, after that the next rows, and after these, as callers go
      // on panel by panel, the next panel.
      Value behind = b.add(k, panels), isEnd = b.compare(arith::CmpIPredicate::eq, behind, p.depth);
      Value below = b.createOrFold<arith::SelectOp>(b.createOrFold<arith::AndIOp>(isEnd, hasMore), b.index(0),
                                                    b.mul(behind, panel * panel));
      Value lastColumn = b.sub(p.columns, b.index(1));
      b.loop(p.columns, [&](Value column) {
        Value bOffset = b.add(b.add(p.bOffset, b.mul(column, p.bPanel)), b.mul(k, panel * panel));
        Value cOffset = b.add(p.cOffset, b.mul(column, p.cPanel));
        Value cTop = b.add(cOffset, b.mul(firstRow, p.cRow));
        Value isLast = b.compare(arith::CmpIPredicate::eq, column, lastColumn);
        Value nextPlace = b.createOrFold<arith::SelectOp>(isLast, b.add(p.bOffset, below), b.add(bOffset, p.bPanel));
        b.loop(count, [&](Value tile) {
          Value from = b.div(b.mul(rows, tile), count), to = b.div(b.mul(rows, b.add(tile, 1)), count);
          Value row = b.add(firstRow, from);
          Value aOffset = b.add(b.add(p.aOffset, b.mul(row, panel)), b.mul(k, p.aPanel));
          Value cPlace = b.add(cOffset, b.mul(row, p.cRow));
          Value isBottom = b.compare(arith::CmpIPredicate::eq, b.add(tile, 1), count);
          Value cBelow = b.add(cOffset, b.mul(b.add(firstRow, to), p.cRow));
          Value cNext = b.createOrFold<arith::SelectOp>(isBottom, b.add(cTop, p.cPanel), cBelow);
          Ahead next;
          next.setBlock(b, p.b, nextPlace, depth, tile);
          SmallVector<int64_t> cases;
          for (int64_t height = 1; height < Tiles::rows; ++height)
            cases.push_back(height);
          auto height = scf::IndexSwitchOp::create(b, TypeRange(), b.sub(to, from), cases, cases.size());
          OpBuilder::InsertionGuard guard(b);
          for (int64_t k = 0; k < Tiles::rows; ++k) {
            Region &region = k + 1 < Tiles::rows ? height.getCaseRegions()[k] : height.getDefaultRegion();
            b.setInsertionPointToStart(&region.emplaceBlock());
            kernel(k + 1, aOffset, bOffset, cPlace, cNext, panels, next);
            scf::YieldOp::create(b);
          }
        });
      });
    });
  });
}

static void emitTransposedProduct(HostBuilder &b, const Library::TransposedProduct &p) {
  int64_t panel = b.tiles.panel;
  b.loop(p.columns, [&](Value column) {
    Value bOffset = b.add(p.bOffset, b.mul(column, p.bPanel));
    Value nextColumn = b.min(b.add(column, 1), b.sub(p.columns, b.index(1)));
    Value nextPlace = b.add(p.bOffset, b.mul(nextColumn, p.bPanel));
    b.loop(p.tiles, [&](Value index) {
      Ahead next;
      next.setBlock(b, p.b, nextPlace, p.depth, index);
      Value aOffset = b.mul(index, Tiles::rows * Tiles::depth);
      Value cOffset = b.add(b.mul(b.mul(index, Tiles::rows), p.cRow), b.mul(column, panel));
      Value isBottom = b.compare(arith::CmpIPredicate::eq, b.add(index, 1), p.tiles);
      Value cNext = b.createOrFold<arith::SelectOp>(isBottom, b.mul(b.add(column, 1), panel),
                                                    b.add(cOffset, b.mul(p.cRow, Tiles::rows)));
      Tile tile(b, Tiles::rows, p.c, cOffset, p.cRow);
      auto steps = [&](int64_t count) {
        return [&, count](Value k, ValueRange carried) {
          SmallVector<Value> sums(carried);
          if (count > 1)
            next.fetchBlock(b, k, unroll, 2);
          Value a = b.add(aOffset, b.mul(k, Tiles::rows)), right = b.add(bOffset, b.mul(k, panel));
          for (int64_t u = 0; u < count; ++u)
            tile.multiply(sums, p.a, b.add(a, u * Tiles::rows), 1, p.b, b.add(right, u * panel), u);
          return sums;
        };
      };
      Value whole = b.mul(b.div(p.depth, b.index(unroll)), unroll);
      auto initial = tile.loadUnless(p.isFirst);
      next.fetchTile(b, p.c, cNext, p.cRow);
      SmallVector<Value> sums = b.loop(b.index(0), whole, unroll, initial, steps(unroll));
      sums = b.loop(whole, p.depth, 1, sums, steps(1));
      tile.store(sums);
    });
  });
}

void Library::product(HostBuilder &b, const Product &p) {
  Type buffer = b.scratchType(), index = b.getIndexType();
  func::FuncOp function =
      get(b, "product", {buffer, index, index, buffer, index, index, buffer, index, index, index, index, index, index},
          [](HostBuilder &b, ValueRange v) {
            emitProduct(b, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12]});
          });
  call(b, function,
       {p.a, p.aOffset, p.aPanel, p.b, p.bOffset, p.bPanel, p.c, p.cOffset, p.cRow, p.cPanel, p.rows, p.columns,
        p.depth});
}

void Library::transposedProduct(HostBuilder &b, const TransposedProduct &p) {
  Type buffer = b.scratchType(), index = b.getIndexType();
  func::FuncOp function =
      get(b, "transposed_product", {buffer, buffer, index, index, buffer, index, index, index, index, b.getI1Type()},
          [](HostBuilder &b, ValueRange v) {
            emitTransposedProduct(b, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]});
          });
  call(b, function, {p.a, p.b, p.bOffset, p.bPanel, p.c, p.cRow, p.tiles, p.columns, p.depth, p.isFirst});
}
