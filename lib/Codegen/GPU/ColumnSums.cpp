//===- ColumnSums.cpp - reductions over the rows of matrices -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/ColumnSums.h"
#include "rnn/Codegen/GPU/Kernel.h"

using namespace mlir;
using namespace mlir::rnn;

void rnn::launchColumnSums(const Emitter &host, const ColumnSums &sums) {
  // A block reduces 32 columns. Each warp sums some of the rows; the first warp adds the partial sums.
  constexpr int64_t width = 32, warps = 8;
  Kernel kernel(host, sums.name, host.parts(sums.columns, width), width * warps);
  Value parts = kernel.addWorkgroupBuffer({sums.count, warps, width}, sums.accumulator);
  Emitter e = host.named(sums.name);
  Value lane = e.remainder(kernel.getThread(), e.index(width)), warp = e.div(kernel.getThread(), e.index(width));
  Value column = e.add(e.mul(kernel.getBlock(), e.index(width)), lane), inside = e.isLess(column, sums.columns);
  SmallVector<Value> zeros(sums.count, e.number(0.0, sums.accumulator));
  e.ifThen(inside, [&] {
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
  e.ifThen(e.both(inside, e.isEqual(warp, e.index(0))), [&] {
    SmallVector<Value> total = zeros;
    for (int64_t w = 0; w < warps; ++w)
      for (auto [index, sum] : llvm::enumerate(total))
        sum = e.add(sum, e.load(parts, {e.index(index), e.index(w), lane}));
    sums.finish(e, column, total);
  });
  kernel.finish();
}
