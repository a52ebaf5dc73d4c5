//===- StackGradients.cpp - small kernels of the backward pass of a stack ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stack.h"

using namespace mlir;
using namespace mlir::rnn;

/// The kernels of the steps have summed over time for each example. Both biases of a gate have the same gradient,
/// except those of gru's new gate.
void rnn::launchBiasGradients(const Stack &stack, StringRef name, Value sums, Value stateSums, Value columns,
                              Value dparams) {
  constexpr int64_t newGate = 2;
  const StackValues &sizes = stack.sizes;
  const bool differ = stack.cell->isGRU();
  // Without any step the sums are not written.
  ColumnSums reduction{name, sizes.compute, differ ? 2 : 1, stack.host.min(sizes.B, stack.rows), columns, {}, {}};
  reduction.terms = [=, &sizes](const Emitter &e, Value b, Value column) {
    auto load = [&](Value buffer) { return Matrix{buffer, e.index(0), columns}.load(e, b, column); };
    SmallVector<Value> terms{load(sums)};
    if (differ) {
      Value isOther = e.isLess(e.remainder(column, sizes.gateRows()), e.mul(sizes.H, e.index(newGate)));
      terms.push_back(e.ifElse(isOther, [&] { return terms[0]; }, [&] { return load(stateSums); }));
    }
    return terms;
  };
  reduction.finish = [=, &stack, &sizes](const Emitter &e, Value column, ArrayRef<Value> total) {
    Value ofDirection = e.div(column, sizes.gateRows()), row = e.remainder(column, sizes.gateRows());
    auto store = [&](Places places, Value value) {
      e.store(e.convert(value, sizes.element), dparams, {e.add(places.at(e, ofDirection), row)});
    };
    store(stack.inputBias, total.front());
    store(stack.recurrentBias, total.back());
  };
  launchColumnSums(stack.host, reduction);
}

void rnn::launchSkippedInputGradient(const Stack &stack, StringRef name, const Matrix &gradients, Value dx) {
  const StackValues &sizes = stack.sizes;
  launchElementwise(stack.host, name, stack.numRows, sizes.H, [&](const Emitter &e, Value row, Value column) {
    row = e.add(row, stack.firstRow);
    Value sum = e.number(0.0, sizes.compute);
    for (int64_t gate = 0; gate < sizes.G * sizes.D; ++gate)
      sum = e.add(sum, e.convert(gradients.load(e, row, e.add(e.mul(sizes.H, e.index(gate)), column)), sizes.compute));
    stack.sequence(e, dx, sizes.H).store(e, sum, row, column);
  });
}
