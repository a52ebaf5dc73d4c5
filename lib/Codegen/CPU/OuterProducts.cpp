//===- OuterProducts.cpp - sums of a few outer products, stored row by row ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmLoops.h"
#include "rnn/Codegen/CPU/KernelLibrary.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

static void emitOuterProducts(HostBuilder &b, const OuterProducts &p) {
  constexpr int64_t height = OuterProducts::rowsAtOnce;
  std::unique_ptr<MicroKernel> kernel = createMicroKernel(b, p.a, p.b);
  int64_t panel = b.tiles.panel, lanes = b.tiles.lanes, depthStep = kernel->depthStep();
  const Tile tile = {height, Value(), Value(), Value()};
  // A store that misses the caches must first fetch its cache line. So, before a tile is computed, this prefetches the
  // elements of c that the next tile overwrites: the next panel of the same rows, or after the last panel, the first
  // panel of the next rows.
  auto prefetchNext = [&](Value first, Value column) {
    Value next = b.add(column, panel), isEnd = b.compare(arith::CmpIPredicate::sge, next, p.columns);
    next = b.add(p.column, b.select(isEnd, b.index(0), next));
    Value top = b.select(isEnd, b.add(first, height), first), last = b.sub(p.end, b.index(1));
    for (int64_t row = 0; row < height; ++row)
      b.prefetchRow(p.c, b.add(p.row, b.min(b.add(top, row), last)), next, panel, /*isWrite=*/true);
  };
  b.loop(p.first, p.end, height, [&](Value first) {
    Value q = b.div(first, b.index(panel)), inPanel = b.sub(first, b.mul(q, panel));
    Value aOffset = b.add(b.add(p.aOffset, b.mul(q, p.aPanel)), b.mul(inPanel, depthStep));
    Value count = b.sub(p.end, first), firstRow = b.add(p.row, first);
    b.loop(b.ceilDiv(p.columns, panel), [&](Value k) {
      Value column = b.mul(k, panel), bOffset = b.add(p.bOffset, b.mul(k, p.bPanel));
      b.forPanel(column, p.columns, [&](ArrayRef<Value> masks) {
        prefetchNext(first, column);
        SmallVector<Value> zeros(height * b.tiles.vectors, b.constant(0));
        SmallVector<Value> sums = b.loop(b.index(0), p.depth, depthStep, zeros, [&](Value row, ValueRange carried) {
          SmallVector<Value> next(carried);
          Value inRow = b.mul(row, panel);
          kernel->multiply(tile, next, {p.a, b.add(aOffset, inRow), depthStep}, {p.b, b.add(bOffset, inRow), Value()});
          return next;
        });
        for (int64_t row = 0; row < height; ++row) {
          auto storeRow = [&] {
            for (int64_t v = 0; v < b.tiles.vectors; ++v)
              b.store(sums[row * b.tiles.vectors + v], p.c,
                      {b.add(firstRow, row), b.add(b.add(p.column, column), v * lanes)},
                      masks.empty() ? Value() : masks[v]);
          };
          if (row == 0)
            storeRow();
          else
            b.ifThen(b.compare(arith::CmpIPredicate::slt, b.index(row), count), storeRow);
        }
      });
    });
  });
}

void KernelLibrary::outerProducts(HostBuilder &b, const OuterProducts &arguments) {
  OuterProducts p = arguments;
  p.c = b.asRows(p.c);
  call(b, "outer_products", p, emitOuterProducts);
}
