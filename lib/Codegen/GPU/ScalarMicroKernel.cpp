//===- ScalarMicroKernel.cpp - GEMM of tiles by FMA ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

/// Threads form a grid over the tile, adjacent threads along its columns. The rows and columns of one thread are a
/// whole grid apart, so that adjacent threads access adjacent elements.
class ScalarMicroKernel : public MicroKernel {
public:
  using MicroKernel::MicroKernel;

  int64_t getThreads() const override { return shape.down * shape.across; }
  int64_t getRoom(bool) const override { return 128 / element.getIntOrFloatBitWidth(); }

  SmallVector<Value> start(const Emitter &e) const override {
    Value zero = e.number(0.0, getAccumulatorType(element));
    return SmallVector<Value>(threadRows() * threadColumns() * shape.panels, zero);
  }

  SmallVector<Value> accumulate(const Emitter &e, Value thread, const Tile &left, const Tile &right,
                                ValueRange sums) const override {
    auto [firstRow, firstColumn] = getFirst(e, thread);
    return e.loop(
        e.index(0), e.index(shape.depth), 1, sums,
        [&, row = firstRow, column = firstColumn](Value k, ValueRange before) {
          SmallVector<Value> a, b, after;
          Type accumulator = getAccumulatorType(element);
          for (int64_t i = 0; i < threadRows(); ++i)
            a.push_back(e.convert(left.load(e, e.add(row, e.index(i * shape.down)), k), accumulator));
          for (int64_t panel = 0; panel < shape.panels; ++panel)
            for (int64_t j = 0; j < threadColumns(); ++j)
              b.push_back(e.convert(right.load(e, e.add(column, e.index(panel * shape.columns + j * shape.across)), k),
                                    accumulator));
          for (Value rowValue : a)
            for (Value columnValue : b)
              after.push_back(e.multiplyAdd(rowValue, columnValue, before[after.size()]));
          return after;
        });
  }

  void forEachSum(const Emitter &e, Value thread, ValueRange sums,
                  function_ref<void(Value, Value, ArrayRef<Value>)> use) const override {
    auto [firstRow, firstColumn] = getFirst(e, thread);
    for (int64_t i = 0; i < threadRows(); ++i)
      for (int64_t j = 0; j < threadColumns(); ++j) {
        SmallVector<Value> panels;
        for (int64_t panel = 0; panel < shape.panels; ++panel)
          panels.push_back(sums[(i * shape.panels + panel) * threadColumns() + j]);
        use(e.add(firstRow, e.index(i * shape.down)), e.add(firstColumn, e.index(j * shape.across)), panels);
      }
  }

private:
  int64_t threadRows() const { return shape.rows / shape.down; }
  int64_t threadColumns() const { return shape.columns / shape.across; }

  std::pair<Value, Value> getFirst(const Emitter &e, Value thread) const {
    Value across = e.index(shape.across);
    return {e.div(thread, across), e.remainder(thread, across)};
  }
};

} // namespace

std::unique_ptr<MicroKernel> rnn::createScalarMicroKernel(const TileShape &shape, Type element) {
  return std::make_unique<ScalarMicroKernel>(shape, element);
}
