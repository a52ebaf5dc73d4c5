//===- Product.cpp - tiled matrix products and their micro-kernels -----------===//
//
// A block copies a tile of each side to workgroup memory, waits, and adds the products of the tiles to sums in registers.
// While it computes, the next tiles are on their way into registers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

/// Threads form a grid over the tile, neighbours along its columns. A thread's rows, and its columns, lie a whole grid
/// apart, so that neighbours read and write neighbours.
class ScalarMicroKernel : public MicroKernel {
public:
  using MicroKernel::MicroKernel;

  // One element between rows, or threads that store neighbours along the depth would all meet in few memory banks.
  SmallVector<int64_t> getLeftShape() const override { return {shape.rows, shape.depth + 1}; }
  SmallVector<int64_t> getRightShape() const override { return {shape.depth, shape.panels * shape.columns + 1}; }

  SmallVector<Value> start(const Emitter &e) const override {
    Value zero = e.number(0.0, getAccumulatorType(element));
    return SmallVector<Value>(shape.threadRows * shape.threadColumns * shape.panels, zero);
  }

  SmallVector<Value> accumulate(const Emitter &e, Value thread, Value left, Value right,
                                ValueRange sums) const override {
    auto [firstRow, firstColumn] = getFirst(e, thread);
    return e.loop(e.index(0), e.index(shape.depth), 1, sums, [&, row = firstRow, column = firstColumn](
                                                                 Value k, ValueRange before) {
      SmallVector<Value> a, b, after;
      Type accumulator = getAccumulatorType(element);
      for (int64_t i = 0; i < shape.threadRows; ++i)
        a.push_back(e.convert(e.load(left, {e.add(row, e.index(i * threadsDown())), k}), accumulator));
      for (int64_t panel = 0; panel < shape.panels; ++panel)
        for (int64_t j = 0; j < shape.threadColumns; ++j)
          b.push_back(e.convert(
              e.load(right, {k, e.add(column, e.index(panel * shape.columns + j * threadsAcross()))}), accumulator));
      for (Value rowValue : a)
        for (Value columnValue : b)
          after.push_back(e.multiplyAdd(rowValue, columnValue, before[after.size()]));
      return after;
    });
  }

  void forEachSum(const Emitter &e, Value thread, ValueRange sums,
                  function_ref<void(Value, Value, ArrayRef<Value>)> use) const override {
    auto [firstRow, firstColumn] = getFirst(e, thread);
    for (int64_t i = 0; i < shape.threadRows; ++i)
      for (int64_t j = 0; j < shape.threadColumns; ++j) {
        SmallVector<Value> panels;
        for (int64_t panel = 0; panel < shape.panels; ++panel)
          panels.push_back(sums[(i * shape.panels + panel) * shape.threadColumns + j]);
        use(e.add(firstRow, e.index(i * threadsDown())), e.add(firstColumn, e.index(j * threadsAcross())), panels);
      }
  }

private:
  int64_t threadsAcross() const { return shape.columns / shape.threadColumns; }
  int64_t threadsDown() const { return shape.rows / shape.threadRows; }

  std::pair<Value, Value> getFirst(const Emitter &e, Value thread) const {
    Value across = e.index(threadsAcross());
    return {e.div(thread, across), e.remainder(thread, across)};
  }
};

/// One side of a product on its way to a tile: each thread takes every `threads`th element.
class TileCopy {
public:
  TileCopy(const ProductOperand &operand, Type element, int64_t threads, int64_t outerSize, int64_t depthSize,
           int64_t panels)
      : operand(operand), element(element), threads(threads), outerSize(outerSize), depthSize(depthSize),
        panels(panels) {}

  int64_t getNumValues() const { return outerSize * depthSize * panels / threads; }

  /// This thread's elements of the tile at `firstOuter`, `firstDepth`; zero outside of the matrix.
  SmallVector<Value> read(const Emitter &e, Value thread, Value firstOuter, Value endOuter, Value firstDepth,
                          Value endDepth) const {
    SmallVector<Value> values;
    forEachPlace(e, thread, [&](int64_t panel, Value outer, Value depth) {
      Value globalOuter = e.add(firstOuter, outer), globalDepth = e.add(firstDepth, depth);
      Value inside = e.both(e.isLess(globalOuter, endOuter), e.isLess(globalDepth, endDepth));
      values.push_back(e.choose(
          inside, [&] { return operand.read(e, panel, globalOuter, globalDepth); },
          [&] { return e.number(0.0, element); }));
    });
    return values;
  }

  /// `place` gives the indices in the tile.
  void write(const Emitter &e, Value thread, Value tile, ValueRange values,
             function_ref<SmallVector<Value>(int64_t panel, Value outer, Value depth)> place) const {
    unsigned next = 0;
    forEachPlace(e, thread, [&](int64_t panel, Value outer, Value depth) {
      e.store(values[next++], tile, place(panel, outer, depth));
    });
  }

private:
  void forEachPlace(const Emitter &e, Value thread,
                    function_ref<void(int64_t panel, Value outer, Value depth)> use) const {
    int64_t fast = operand.depthIsContiguous ? depthSize : outerSize;
    for (int64_t panel = 0; panel < panels; ++panel)
      for (int64_t first = 0; first < outerSize * depthSize; first += threads) {
        Value number = e.add(thread, e.index(first));
        Value slow = e.div(number, e.index(fast)), quick = e.remainder(number, e.index(fast));
        if (operand.depthIsContiguous)
          use(panel, slow, quick);
        else
          use(panel, quick, slow);
      }
  }

  const ProductOperand &operand;
  Type element;
  int64_t threads, outerSize, depthSize, panels;
};

} // namespace

std::unique_ptr<MicroKernel> rnn::createScalarMicroKernel(const TileShape &shape, Type element) {
  return std::make_unique<ScalarMicroKernel>(shape, element);
}

void rnn::launchProduct(const Emitter &host, const Product &product) {
  const TileShape &shape = product.shape;
  const int64_t threads = shape.getThreads();
  assert(shape.rows * shape.depth % threads == 0 && shape.columns * shape.depth % threads == 0 &&
         "every thread copies equally many elements");
  std::unique_ptr<MicroKernel> micro = createScalarMicroKernel(shape, product.element);

  // One dimension of blocks, since the other two have 65535 at most.
  Value columnBlocks = host.parts(product.columns, shape.columns);
  Value blocks = host.mul(host.parts(product.rows, shape.rows), columnBlocks);
  Kernel kernel(host, product.name, blocks, threads);
  Value leftTile = kernel.addWorkgroupBuffer(micro->getLeftShape(), product.element);
  Value rightTile = kernel.addWorkgroupBuffer(micro->getRightShape(), product.element);
  const Emitter &e = host;
  Value thread = kernel.getThread(), block = kernel.getBlock();
  Value firstRow = e.mul(e.div(block, columnBlocks), e.index(shape.rows));
  Value firstColumn = e.mul(e.remainder(block, columnBlocks), e.index(shape.columns));
  Value validRows = product.validRows ? product.validRows : product.rows;

  TileCopy left(product.left, product.element, threads, shape.rows, shape.depth, 1);
  TileCopy right(product.right, product.element, threads, shape.columns, shape.depth, shape.panels);
  Emitter reading = e.named(product.name.str() + ": read"), writing = e.named(product.name.str() + ": tile"),
          multiplying = e.named(product.name.str() + ": multiply"), ending = e.named(product.name.str() + ": finish");
  auto read = [&](Value depth) {
    SmallVector<Value> values = left.read(reading, thread, firstRow, validRows, depth, product.depth);
    llvm::append_range(values, right.read(reading, thread, firstColumn, product.columns, depth, product.depth));
    return values;
  };

  // Carried: the sums, and the elements of the tiles to come.
  SmallVector<Value> carried = micro->start(e);
  const unsigned numSums = carried.size(), numLeft = left.getNumValues();
  llvm::append_range(carried, read(e.index(0)));
  carried = e.loop(e.index(0), product.depth, shape.depth, carried, [&](Value depth, ValueRange before) {
    ValueRange values = before.drop_front(numSums);
    // The tiles' last readers are done.
    writing.barrier();
    left.write(writing, thread, leftTile, values.take_front(numLeft),
               [&](int64_t, Value row, Value k) { return SmallVector<Value>{row, k}; });
    right.write(writing, thread, rightTile, values.drop_front(numLeft), [&](int64_t panel, Value column, Value k) {
      return SmallVector<Value>{k, e.add(column, e.index(panel * shape.columns))};
    });
    writing.barrier();
    SmallVector<Value> next = read(e.add(depth, e.index(shape.depth)));
    SmallVector<Value> after =
        micro->accumulate(multiplying, thread, leftTile, rightTile, before.take_front(numSums));
    llvm::append_range(after, next);
    return after;
  });

  micro->forEachSum(ending, thread, ArrayRef(carried).take_front(numSums),
                    [&](Value row, Value column, ArrayRef<Value> sums) {
                      Value globalRow = ending.add(firstRow, row), globalColumn = ending.add(firstColumn, column);
                      Value inside = ending.both(ending.isLess(globalRow, product.rows),
                                                 ending.isLess(globalColumn, product.columns));
                      ending.when(inside, [&] {
                        SmallVector<Value> valid(sums);
                        // Not merely zeros on the left: the right side may hold what is no number.
                        if (product.validRows)
                          for (Value &sum : valid)
                            sum = ending.select(ending.isLess(globalRow, validRows), sum,
                                                ending.number(0.0, sum.getType()));
                        product.finish(ending, globalRow, globalColumn, valid);
                      });
                    });
  kernel.finish();
}

void rnn::launchColumnSums(const Emitter &host, const ColumnSums &sums) {
  // A block has 32 columns; its warps share the rows, and the first one adds what they have.
  constexpr int64_t width = 32, warps = 8;
  Kernel kernel(host, sums.name, host.parts(sums.columns, width), width * warps);
  Value parts = kernel.addWorkgroupBuffer({sums.count, warps, width}, sums.accumulator);
  Emitter e = host.named(sums.name);
  Value lane = e.remainder(kernel.getThread(), e.index(width)), warp = e.div(kernel.getThread(), e.index(width));
  Value column = e.add(e.mul(kernel.getBlock(), e.index(width)), lane), inside = e.isLess(column, sums.columns);
  SmallVector<Value> zeros(sums.count, e.number(0.0, sums.accumulator));
  e.when(inside, [&] {
    SmallVector<Value> partial = e.loop(warp, sums.rows, warps, zeros, [&](Value row, ValueRange before) {
      SmallVector<Value> after = sums.terms(e, row, column);
      for (auto [term, sum] : llvm::zip(after, before))
        term = e.add(sum, term);
      return after;
    });
    for (auto [index, value] : llvm::enumerate(partial))
      e.store(value, parts, {e.index(index), warp, lane});
  });
  e.barrier();
  e.when(e.both(inside, e.isEqual(warp, e.index(0))), [&] {
    SmallVector<Value> total = zeros;
    for (int64_t w = 0; w < warps; ++w)
      for (auto [index, sum] : llvm::enumerate(total))
        sum = e.add(sum, e.load(parts, {e.index(index), e.index(w), lane}));
    sums.finish(e, column, total);
  });
  kernel.finish();
}
