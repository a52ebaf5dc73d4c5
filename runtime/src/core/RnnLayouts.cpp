// RnnLayouts.cpp - computes the layouts, with every size checked against 64 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/RnnLayouts.h"
#include "core/Checked.h"

using namespace rnnrt;

/// Problems with more layers than this are refused before tables of that length are made.
static constexpr int64_t maxLayers = 1 << 16;

Status ParamsLayout::make(const RnnProblem &p) {
  if (p.layers > maxLayers)
    return outOfRange("expects L (the layers) to be at most %lld, but got %lld", (long long)maxLayers,
                      (long long)p.layers);
  const int64_t count = p.layers * p.directions();
  layers.resize(size_t(count));
  const Checked rows = Checked(p.gates()) * p.hidden;
  Checked offset = 0;
  auto place = [&](int64_t &where, Checked size) {
    where = offset.get();
    offset = offset + size;
  };
  for (int64_t k = 0; k < count; ++k) {
    PseudoLayer &layer = layers[size_t(k)];
    const int64_t index = k / p.directions();
    // Layer 0 reads x, which has another width than the layers' outputs, or with skip_input takes it as it is.
    const Checked columns = index > 0 ? Checked(p.directions()) * p.projection : Checked(p.skipInput ? 0 : p.input);
    place(layer.inputWeights, rows * columns);
    place(layer.recurrentWeights, rows * p.projection);
    place(layer.projection, p.projected() ? Checked(p.projection) * p.hidden : Checked(0));
  }
  for (PseudoLayer &layer : layers) {
    place(layer.inputBias, rows);
    place(layer.recurrentBias, rows);
  }
  if (offset.overflowed() || (offset * 8).overflowed())
    return outOfRange("the size of the parameters in bytes exceeds 64 bits");
  elements = offset.get();
  return Status();
}

Status ReserveLayout::make(const RnnProblem &p, int64_t elementBytes) {
  const Checked points = Checked(p.steps) * p.batch;
  const Checked cells = points * p.hidden;
  const int64_t unit = 64 / elementBytes;
  Checked offset = 0;
  auto place = [&](int64_t &where, Checked size) {
    where = offset.get();
    offset = (offset + size).roundUp(unit);
  };
  pseudo.resize(size_t(p.layers * p.directions()));
  states.resize(size_t(p.layers));
  for (PseudoLayer &layer : pseudo) {
    place(layer.gates, cells * p.gates());
    place(layer.cell, p.isLstm() ? cells : Checked(0));
    place(layer.linear, p.mode == Mode::Gru ? cells : Checked(0));
    place(layer.hidden, p.projected() ? cells : Checked(0));
    place(layer.delta, p.projected() ? points * p.projection : Checked(0));
  }
  for (int64_t &where : states)
    place(where, points * p.directions() * p.projection);
  const Checked total = offset * elementBytes + int64_t(sizeof(ReserveHeader));
  // Operands and results that the reserve does not bound.
  const Checked input = points * p.input * 8, state = Checked(p.layers) * p.directions() * p.batch * p.hidden * 8;
  if (total.overflowed() || input.overflowed() || state.overflowed())
    return outOfRange("the size of a tensor in bytes exceeds 64 bits");
  bytes = total.get();
  return Status();
}
