// Sequences.h - sequences in either layout, sequence lengths and resets of one run of a host plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_SEQUENCES_H
#define RNNRT_HOST_SEQUENCES_H

#include "core/Plan.h"
#include "host/Convert.h"
#include "host/Kernels.h"

#include <algorithm>

namespace rnnrt {

/// The order of the rows of a sequence: [T,B,.], or [B,T,.] if `batchMajor`.
struct RowOrder {
  int64_t steps, batch;
  bool batchMajor = false;

  int64_t row(int64_t t, int64_t b) const { return batchMajor ? b * steps + t : t * batch + b; }
};

/// A sequence of rows of `width` elements.
template <typename A> struct Sequence {
  A *data;
  int64_t width;
  RowOrder order;

  A *row(int64_t t, int64_t b) const { return data + order.row(t, b) * width; }
  /// The rows of step `t`, [B,width].
  View<A> step(int64_t t) const { return {row(t, 0), order.batchMajor ? order.steps * width : width}; }

  /// Runs `body(t, rows, view)` for each part of the first `steps` steps that is one matrix, from row `t`, 0 on: all
  /// steps in time-major order, else each step.
  template <typename Body> void forMatrices(int64_t steps, Body &&body) const {
    if (!order.batchMajor)
      return body(int64_t(0), steps * order.batch, step(0));
    for (int64_t t = 0; t < steps; ++t)
      body(t, order.batch, step(t));
  }
};

/// Returns the first `steps` steps of an operand as A. Converted copies are time-major.
template <typename A>
Sequence<const A> asSequence(const void *source, int32_t dtype, int64_t width, const RowOrder &order, int64_t steps,
                             Scratch &scratch) {
  if (!order.batchMajor || isNative<A>(dtype))
    return {asOperand<A>(source, dtype, steps * order.batch * width, scratch), width, order};
  A *target = scratch.get<A>(steps * order.batch * width);
  for (int64_t t = 0; t < steps; ++t)
    for (int64_t b = 0; b < order.batch; ++b)
      load(target + (t * order.batch + b) * width, source, dtype, order.row(t, b) * width, width);
  return {target, width, {steps, order.batch}};
}

/// The sequence lengths of one run. If `values` is null, all are T.
struct Lengths {
  const int32_t *values = nullptr;

  /// Returns true if step `t` of sequence `b` is padding: its operands are not read, its results are zero.
  bool padded(int64_t t, int64_t b) const { return values && t >= values[b]; }
};

/// The cuts of one run (docs/Semantics.md, "Resets"). A mark at (t, b) cuts sequence `b` between the steps t-1 and t,
/// for both directions.
struct Cuts {
  Resets resets;
  Lengths lengths;
  int64_t steps, batch;
  RowOrder order; ///< of the marks

  explicit operator bool() const { return resets.marks; }
  /// Returns true if direction `d` resets the states of sequence `b` before its step `t`.
  bool before(int64_t d, int64_t t, int64_t b) const {
    const int64_t later = d ? t + 1 : t; // of the two steps that the cut separates
    return resets.marks && later < steps && resets.marks[order.row(later, b)] && !lengths.padded(later, b);
  }

  /// Returns the states that direction `d` uses in step `t`: `states` [B,width], or `scratch` with the reset rows
  /// replaced. `initial` is [B,width].
  template <typename A>
  View<const A> apply(int64_t d, int64_t t, View<const A> states, int64_t width, const A *initial, A *scratch) const {
    View<const A> result = states;
    for (int64_t b = 0; resets.marks && b < batch; ++b) {
      if (!before(d, t, b))
        continue;
      if (result.data != scratch) {
        for (int64_t row = 0; row < batch; ++row)
          std::copy_n(states.data + row * states.stride, width, scratch + row * width);
        result = {scratch, width};
      }
      if (resets.toInitial)
        std::copy_n(initial + b * width, width, scratch + b * width);
      else
        std::fill_n(scratch + b * width, width, A(0));
    }
    return result;
  }

  /// Backward: ends the gradient [B,width] of the states before step `t` at the cuts. With a reset to the initial
  /// states, adds it to `initial` [B,width].
  template <typename A> void end(int64_t d, int64_t t, A *gradient, int64_t width, A *initial) const {
    for (int64_t b = 0; resets.marks && b < batch; ++b) {
      if (!before(d, t, b))
        continue;
      A *row = gradient + b * width;
      for (int64_t j = 0; resets.toInitial && j < width; ++j)
        initial[b * width + j] += row[j];
      std::fill_n(row, width, A(0));
    }
  }
};

} // namespace rnnrt

#endif // RNNRT_HOST_SEQUENCES_H
