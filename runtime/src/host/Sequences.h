// Sequences.h - sequence lengths and resets of one run of a host plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_SEQUENCES_H
#define RNNRT_HOST_SEQUENCES_H

#include "core/Plan.h"
#include "host/Kernels.h"

#include <algorithm>

namespace rnnrt {

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

  explicit operator bool() const { return resets.marks; }
  /// Returns true if direction `d` resets the states of sequence `b` before its step `t`.
  bool before(int64_t d, int64_t t, int64_t b) const {
    const int64_t later = d ? t + 1 : t; // of the two steps that the cut separates
    return resets.marks && later < steps && resets.marks[later * batch + b] && !lengths.padded(later, b);
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
