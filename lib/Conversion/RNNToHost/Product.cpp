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
  // A matrix may be a tensor of the op or have the type of sums, and scratch may hold factors.
  for (Type input : inputs)
    if (auto type = dyn_cast<MemRefType>(input);
        type && type.getElementType() != (type.getRank() == 2 ? b.tiles.element : b.tiles.sum))
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

/// A tile of c in registers: some rows of one panel, or of a group of panels.
class Tile {
public:
  /// `cPanel` and `bPanel`: elements from panel to panel; one panel alone does not need them.
  Tile(HostBuilder &b, int64_t rows, Value c, Value cOffset, Value cRow, int64_t group = 1, Value cPanel = Value(),
       Value bPanel = Value())
      : b(b), rows(rows), group(group), c(c), cOffset(cOffset), cRow(cRow), cPanel(cPanel), bPanel(bPanel) {}

  SmallVector<Value> load() {
    SmallVector<Value> sums;
    forPlaces([&](Value place) { sums.push_back(b.load(c, place)); });
    return sums;
  }

  SmallVector<Value> loadUnless(Value isZero) {
    SmallVector<Type> types(rows * group * b.tiles.vectors, b.vectorType(b.tiles.sum));
    auto choice = scf::IfOp::create(b, types, isZero, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, SmallVector<Value>(types.size(), b.constant(0)));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, load());
    return SmallVector<Value>(choice.getResults());
  }

  /// Adds row `bOffset` of b times one column of a, whose elements are `aStep` apart. Of pairs it is two rows and two
  /// columns.
  void multiply(SmallVectorImpl<Value> &sums, Value a, Value aOffset, int64_t aStep, Value right, Value bOffset) {
    bool isPairs = HostBuilder::isPairs(right), isDot = HostBuilder::isPairs(a);
    SmallVector<Value> columns;
    for (int64_t k = 0; k < group; ++k)
      for (int64_t v = 0; v < b.tiles.vectors; ++v) {
        Value place = b.add(panelAt(bOffset, bPanel, k), v * b.tiles.lanes * (isPairs ? 2 : 1));
        columns.push_back(isPairs ? b.loadPairs(right, place) : b.load(right, place));
      }
    // Adds a factor of each row times some of the columns, from number `first` on.
    auto addAll = [&](size_t first, ArrayRef<Value> taken, function_ref<Value(Value)> load,
                      function_ref<Value(Value, Value, Value)> add) {
      for (int64_t row = 0; row < rows; ++row) {
        Value factor = load(b.add(aOffset, row * aStep));
        for (auto [k, column] : llvm::enumerate(taken)) {
          Value &sum = sums[row * columns.size() + first + k];
          sum = add(factor, column, sum);
        }
      }
    };
    if (isDot)
      return addAll(
          0, columns, [&](Value place) { return b.splatPair(a, place); },
          [&](Value factor, Value column, Value sum) { return b.dot(factor, column, sum); });
    // Pairs become two vectors each: as few at a time as there are registers for beside the sums.
    size_t atOnce = isPairs && rows <= Tiles::fewRows ? 1 : columns.size();
    for (size_t first = 0; first < columns.size(); first += atOnce) {
      auto some = ArrayRef(columns).slice(first, atOnce);
      for (bool second : {false, true}) {
        if (second && !isPairs)
          break;
        auto taken = llvm::map_to_vector(some, [&](Value pairs) { return isPairs ? b.unzip(pairs, second) : pairs; });
        addAll(
            first, taken, [&](Value place) { return b.splat(b.loadScalar(a, b.add(place, second))); },
            [&](Value factor, Value column, Value sum) { return b.fma(factor, column, sum); });
      }
    }
  }

  void store(ArrayRef<Value> sums) {
    auto sum = sums.begin();
    forPlaces([&](Value place) { b.store(*sum++, c, place); });
  }

private:
  Value panelAt(Value offset, Value stride, int64_t k) { return k == 0 ? offset : b.add(offset, b.mul(stride, k)); }

  void forPlaces(function_ref<void(Value)> body) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < group; ++k)
        for (int64_t v = 0; v < b.tiles.vectors; ++v)
          body(b.add(panelAt(b.add(cOffset, b.mul(cRow, row)), cPanel, k), v * b.tiles.lanes));
  }

  HostBuilder &b;
  int64_t rows, group;
  Value c, cOffset, cRow, cPanel, bPanel;
};

/// How many steps of the depth one turn of the inner loop does.
constexpr int64_t unroll = 4;

/// How many steps are one `multiply`.
int64_t rowsAtOnce(Value right) {
  return HostBuilder::isPairs(right) ? 2 : 1;
}

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
    step = b.choose(isLate, b.index(0), b.index(b.tiles.panel));
  }

  /// In the turn of the inner loop that begins with row `row`: some rows of the next block.
  void fetchBlock(HostBuilder &b, Value row) {
    // To the second cache: the first one is full of this block.
    constexpr int64_t rows = 2;
    Value first = b.mul(b.div(row, b.index(unroll)), rows);
    b.prefetch(buffer, b.add(start, b.mul(first, step)), /*locality=*/2, /*isWrite=*/false, rows);
  }

  /// The rows of a panel of the left side that a later block reads, as many as a tile has.
  void fetchLeft(HostBuilder &b, Value a, Value place) {
    for (int64_t row = 0; row < Tiles::rows; ++row)
      b.prefetch(a, b.add(place, row * b.tiles.panel), /*locality=*/2);
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

/// The sums of `tile` down `panels` panels of the depth; `eachTurn` runs in each turn, with the row of b that it begins with.
static SmallVector<Value> runDown(HostBuilder &b, const Library::Product &p, Tile &tile, Value aOffset, Value bOffset,
                                  Value panels, function_ref<void(Value)> eachTurn) {
  int64_t panel = b.tiles.panel;
  Value zero = b.index(0);
  return b.loop(zero, panels, 1, tile.load(), [&](Value k, ValueRange carried) {
    Value aPlace = b.add(aOffset, b.mul(k, p.aPanel)), bPlace = b.add(bOffset, b.mul(k, panel * panel));
    return b.loop(zero, b.index(panel), unroll, carried, [&](Value column, ValueRange inner) {
      SmallVector<Value> sums(inner);
      eachTurn(b.add(b.mul(k, panel), column));
      Value a = b.add(aPlace, column), right = b.add(bPlace, b.mul(column, panel));
      for (int64_t u = 0; u < unroll; u += rowsAtOnce(p.b))
        tile.multiply(sums, p.a, b.add(a, u), panel, p.b, b.add(right, u * panel));
      return sums;
    });
  });
}

/// At most Tiles::fewRows rows: nothing is used again, and what counts is how fast b comes. Several panels at once are as many
/// streams that the processor fetches ahead by itself, which one stream from the last cache is too slow for, and enough sums to
/// hide the latency of one.
static void emitFewRows(HostBuilder &b, const Library::Product &p, int64_t rows) {
  Value done = b.index(0);
  for (int64_t group = 4 / rows; group > 0; group /= 2) {
    Value end = b.mul(b.div(p.columns, b.index(group)), group);
    b.loop(done, end, group, [&](Value column) {
      Tile tile(b, rows, p.c, b.add(p.cOffset, b.mul(column, p.cPanel)), p.cRow, group, p.cPanel, p.bPanel);
      Value bOffset = b.add(p.bOffset, b.mul(column, p.bPanel));
      tile.store(runDown(b, p, tile, p.aOffset, bOffset, p.depth, [](Value) {}));
    });
    done = end;
  }
}

/// More than Tiles::fewRows rows, at most a block of them. `hasMore`: more blocks follow.
static void emitRows(HostBuilder &b, const Library::Product &p, Value hasMore) {
  int64_t panel = b.tiles.panel, depthPanels = Tiles::depthPanels(panel);
  auto kernel = [&](int64_t rows, Value aOffset, Value bOffset, Value cOffset, Value cNext, Value panels, Ahead &next) {
    Tile tile(b, rows, p.c, cOffset, p.cRow);
    next.fetchTile(b, p.c, cNext, p.cRow);
    tile.store(runDown(b, p, tile, aOffset, bOffset, panels, [&](Value row) { next.fetchBlock(b, row); }));
  };
  // Rows are dealt out evenly, so that no tile is much shorter than the others.
  constexpr int64_t fewest = Tiles::rows / 2;
  static_assert(fewest == Tiles::fewRows + 1, "no tile has fewer");
  Value count = b.ceilDiv(p.rows, Tiles::rows);
  b.loop(b.index(0), p.depth, depthPanels, [&](Value k) {
    Value panels = b.min(b.sub(p.depth, k), b.index(depthPanels)), depth = b.mul(panels, panel);
    // After the last column the next block of the depth begins, after that the next rows, and after these, as callers go
    // on panel by panel, the next panel.
    Value behind = b.add(k, panels), isEnd = b.compare(arith::CmpIPredicate::eq, behind, p.depth);
    Value below = b.choose(b.createOrFold<arith::AndIOp>(isEnd, hasMore), b.index(0), b.mul(behind, panel * panel));
    // The left side of the next block comes with the columns of this one, a panel with each: it may be far away, and the first
    // column would wait for it. A product of one column is a step's, whose left side was just made.
    Value hasColumns = b.compare(arith::CmpIPredicate::sgt, p.columns, b.index(1));
    Value nextLeft = b.add(p.aOffset, b.choose(isEnd, b.index(Tiles::blockRows * panel), b.mul(behind, p.aPanel)));
    Value lastColumn = b.sub(p.columns, b.index(1));
    b.loop(p.columns, [&](Value column) {
      Value leftPanel = b.add(nextLeft, b.mul(b.min(column, b.index(depthPanels - 1)), p.aPanel));
      Value bOffset = b.add(b.add(p.bOffset, b.mul(column, p.bPanel)), b.mul(k, panel * panel));
      Value cTop = b.add(p.cOffset, b.mul(column, p.cPanel));
      Value isLast = b.compare(arith::CmpIPredicate::eq, column, lastColumn);
      Value nextPlace = b.choose(isLast, b.add(p.bOffset, below), b.add(bOffset, p.bPanel));
      b.loop(count, [&](Value tile) {
        Value row = b.div(b.mul(p.rows, tile), count), to = b.div(b.mul(p.rows, b.add(tile, 1)), count);
        Value aOffset = b.add(b.add(p.aOffset, b.mul(row, panel)), b.mul(k, p.aPanel));
        Value cPlace = b.add(cTop, b.mul(row, p.cRow));
        Value isBottom = b.compare(arith::CmpIPredicate::eq, b.add(tile, 1), count);
        Value cNext = b.choose(isBottom, b.add(cTop, p.cPanel), b.add(cTop, b.mul(to, p.cRow)));
        Ahead next;
        next.setBlock(b, p.b, nextPlace, depth, tile);
        b.branch(hasColumns, [&] { next.fetchLeft(b, p.a, b.add(leftPanel, b.mul(row, panel))); });
        SmallVector<int64_t> cases;
        for (int64_t height = fewest; height < Tiles::rows; ++height)
          cases.push_back(height);
        auto height = scf::IndexSwitchOp::create(b, TypeRange(), b.sub(to, row), cases, cases.size());
        OpBuilder::InsertionGuard guard(b);
        for (int64_t k = fewest; k <= Tiles::rows; ++k) {
          Region &region = k < Tiles::rows ? height.getCaseRegions()[k - fewest] : height.getDefaultRegion();
          b.setInsertionPointToStart(&region.emplaceBlock());
          kernel(k, aOffset, bOffset, cPlace, cNext, panels, next);
          scf::YieldOp::create(b);
        }
      });
    });
  });
}

static void emitProduct(HostBuilder &b, const Library::Product &p) {
  b.loop(b.index(0), p.rows, Tiles::blockRows, [&](Value firstRow) {
    Library::Product block = p;
    block.aOffset = b.add(p.aOffset, b.mul(firstRow, b.tiles.panel));
    block.cOffset = b.add(p.cOffset, b.mul(firstRow, p.cRow));
    block.rows = b.min(b.sub(p.rows, firstRow), b.index(Tiles::blockRows));
    Value hasMore = b.compare(arith::CmpIPredicate::slt, b.add(firstRow, block.rows), p.rows);
    auto few = llvm::to_vector(llvm::seq_inclusive<int64_t>(1, Tiles::fewRows));
    auto rows = scf::IndexSwitchOp::create(b, TypeRange(), block.rows, few, few.size());
    OpBuilder::InsertionGuard guard(b);
    for (int64_t k : few) {
      b.setInsertionPointToStart(&rows.getCaseRegions()[k - 1].emplaceBlock());
      emitFewRows(b, block, k);
      scf::YieldOp::create(b);
    }
    b.setInsertionPointToStart(&rows.getDefaultRegion().emplaceBlock());
    emitRows(b, block, hasMore);
    scf::YieldOp::create(b);
  });
}

static void emitTransposedProduct(HostBuilder &b, const Library::TransposedProduct &p) {
  int64_t panel = b.tiles.panel, atOnce = rowsAtOnce(p.b);
  b.loop(p.columns, [&](Value column) {
    Value bOffset = b.add(p.bOffset, b.mul(column, p.bPanel));
    Value nextColumn = b.min(b.add(column, 1), b.sub(p.columns, b.index(1)));
    Value nextPlace = b.add(p.bOffset, b.mul(nextColumn, p.bPanel));
    b.loop(p.tiles, [&](Value index) {
      Ahead next;
      next.setBlock(b, p.b, nextPlace, p.depth, index);
      Value aOffset = b.mul(index, Tiles::rows * Tiles::depth);
      Value cTop = b.add(p.cOffset, b.mul(column, panel)),
            cOffset = b.add(cTop, b.mul(b.mul(index, Tiles::rows), p.cRow));
      Value isBottom = b.compare(arith::CmpIPredicate::eq, b.add(index, 1), p.tiles);
      Value cNext = b.choose(isBottom, b.add(cTop, panel), b.add(cOffset, b.mul(p.cRow, Tiles::rows)));
      Tile tile(b, Tiles::rows, p.c, cOffset, p.cRow);
      auto steps = [&](int64_t count) {
        return [&, count](Value k, ValueRange carried) {
          SmallVector<Value> sums(carried);
          if (count == unroll)
            next.fetchBlock(b, k);
          Value a = b.add(aOffset, b.mul(k, Tiles::rows)), right = b.add(bOffset, b.mul(k, panel));
          for (int64_t u = 0; u < count; u += atOnce)
            tile.multiply(sums, p.a, b.add(a, u * Tiles::rows), atOnce, p.b, b.add(right, u * panel));
          return sums;
        };
      };
      Value whole = b.mul(b.div(p.depth, b.index(unroll)), unroll);
      auto initial = tile.loadUnless(p.isFirst);
      next.fetchTile(b, p.c, cNext, p.cRow);
      SmallVector<Value> sums = b.loop(b.index(0), whole, unroll, initial, steps(unroll));
      sums = b.loop(whole, p.depth, atOnce, sums, steps(atOnce));
      tile.store(sums);
    });
  });
}

void Library::product(HostBuilder &b, const Product &p) {
  Type a = p.a.getType(), right = p.b.getType(), c = p.c.getType(), index = b.getIndexType();
  func::FuncOp function =
      get(b, "product", {a, index, index, right, index, index, c, index, index, index, index, index, index},
          [](HostBuilder &b, ValueRange v) {
            emitProduct(b, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12]});
          });
  call(b, function,
       {p.a, p.aOffset, p.aPanel, p.b, p.bOffset, p.bPanel, p.c, p.cOffset, p.cRow, p.cPanel, p.rows, p.columns,
        p.depth});
}

void Library::transposedProduct(HostBuilder &b, const TransposedProduct &p) {
  Type a = p.a.getType(), right = p.b.getType(), c = p.c.getType(), index = b.getIndexType();
  func::FuncOp function =
      get(b, "transposed_product", {a, right, index, index, c, index, index, index, index, index, b.getI1Type()},
          [](HostBuilder &b, ValueRange v) {
            emitTransposedProduct(b, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]});
          });
  call(b, function, {p.a, p.b, p.bOffset, p.bPanel, p.c, p.cOffset, p.cRow, p.tiles, p.columns, p.depth, p.isFirst});
}
