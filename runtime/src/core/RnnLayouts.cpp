// RnnLayouts.cpp - computes the layouts, with every size checked against 64 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/RnnLayouts.h"
#include "core/Checked.h"

using namespace rnnrt;

/// Larger problems are refused before tables of that length are made.
static constexpr int64_t maxLayers = 1 << 16;

namespace {

/// The arithmetic of `rnn_layout::StackLayout` on checked sizes.
struct CheckedArith {
  using Size = Checked;
  Size constant(int64_t value) const { return value; }
  Size add(Size a, Size b) const { return a + b; }
  Size sub(Size a, Size b) const { return a - b; }
  Size mul(Size a, Size b) const { return a * b; }
  Size roundUp(Size size, int64_t unit) const { return size.roundUp(unit); }
  Size selectFirst(Size layer, Size first, Size above) const { return layer.get() == 0 ? first : above; }
};

using Layout = rnn_layout::StackLayout<CheckedArith>;

Layout layoutOf(const RnnProblem &p, int64_t elementBytes) {
  return Layout(
      CheckedArith(),
      {p.steps, p.batch, p.input, p.hidden, p.projection, p.layers, p.directions(), p.mode, p.skipInput, p.projected()},
      elementBytes);
}

} // namespace

Status ParamsLayout::make(const RnnProblem &p) {
  if (p.layers > maxLayers)
    return outOfRange("expects L (the layers) to be at most %lld, but got %lld", (long long)maxLayers,
                      (long long)p.layers);
  const Layout layout = layoutOf(p, sizeof(double));
  const Checked all = layout.paramsSize();
  if (all.overflowed() || (all * 8).overflowed())
    return outOfRange("the size of the parameters in bytes exceeds 64 bits");
  elements = all.get();
  for (int64_t layer = 0; layer < p.layers; ++layer)
    for (int64_t direction = 0; direction < p.directions(); ++direction) {
      const Layout::Params at = layout.paramsOf(layer, direction);
      layers.push_back({at.inputWeights.get(), at.recurrentWeights.get(), at.projection.get(), at.inputBias.get(),
                        at.recurrentBias.get()});
    }
  return Status();
}

Status ReserveLayout::make(const RnnProblem &p, int64_t elementBytes) {
  const Layout layout = layoutOf(p, elementBytes);
  const Checked total = layout.reserveSize() * elementBytes + rnn_layout::reserveHeaderBytes;
  // Operands and results whose sizes the reserve does not bound.
  const Checked input = Checked(p.steps) * p.batch * p.input * 8,
                state = Checked(p.layers) * p.directions() * p.batch * p.hidden * 8;
  if (total.overflowed() || input.overflowed() || state.overflowed())
    return outOfRange("the size of a tensor in bytes exceeds 64 bits");
  bytes = total.get();
  for (int64_t layer = 0; layer < p.layers; ++layer)
    for (int64_t direction = 0; direction < p.directions(); ++direction) {
      const Layout::Reserve at = layout.reserveOf(layer, direction);
      pseudo.push_back({at.gates.get(), at.cell.get(), at.linear.get(), at.hidden.get(),
                        p.projected() ? layout.deltaOf(at).get() : 0});
      if (direction == 0)
        states.push_back(at.states.get());
    }
  return Status();
}
