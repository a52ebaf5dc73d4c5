// RnnBackwardData.cpp - gradients of the input and the initial states of a stack of recurrent layers
// (docs/Semantics.md, "cuDNN layers"). The gradients of the gates replace the gates in the reserve space, for
// backward_weights.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/Philox.h"
#include "host/RnnPlan.h"
#include "rnn_runtime/abi.h"

#include <algorithm>

using namespace rnnrt;
using rnn_layout::GruGate, rnn_layout::LstmGate, rnn_layout::stackBlock;

template <typename A> struct HostRnnPlan<A>::BackwardRun {
  const HostRnnPlan &plan;
  const Cuts cuts;
  const Lengths lengths = cuts.lengths;
  Scratch &scratch;
  const Kernels<A> &k = kernels<A>();
  const RnnProblem &p = plan.p;
  const int64_t T = p.steps, B = p.batch, H = p.hidden, P = p.projection, gateWidth = plan.gateWidth(),
                width = plan.outputWidth();
  /// Gradients of the state and of the cell, carried from step to step.
  A *dh = scratch.get<A>(B * P), *dhNext = scratch.get<A>(B * P), *dc = p.isLstm() ? scratch.get<A>(B * H) : nullptr;
  /// Total gradient of the new state of a step; with a projection, also of h before the projection.
  A *delta = scratch.get<A>(B * P), *deltaHidden = p.projected() ? scratch.get<A>(B * H) : nullptr;
  A *tanhCell = p.isLstm() ? scratch.get<A>(H) : nullptr;
  /// The states before a step with resets, and the gradients that resets to the initial states add to those.
  A *resetState = cuts ? scratch.get<A>(B * P) : nullptr,
    *resetCell = cuts && p.isLstm() ? scratch.get<A>(B * H) : nullptr;
  A *initialDh = cuts ? scratch.get<A>(B * P) : nullptr,
    *initialDc = cuts && p.isLstm() ? scratch.get<A>(B * H) : nullptr;

  BackwardRun(const HostRnnPlan &plan, const Cuts &cuts, Scratch &scratch) : plan(plan), cuts(cuts), scratch(scratch) {}

  /// Runs one direction, from its last step to its first. On entry dh and dc hold the gradients of the final state, on
  /// exit those of the initial state. If `needsInitialState` is false, dh is incomplete on exit. dy is zero in padding.
  void direction(const LayerParams<const A> &w, int64_t d, const A *h0, const A *c0, const Sequence<const A> &dy,
                 const Saved<A> &saved, bool needsInitialState) {
    if (cuts) {
      std::fill_n(initialDh, B * P, A(0));
      if (p.isLstm())
        std::fill_n(initialDc, B * H, A(0));
    }
    for (int64_t s = T - 1; s >= 0; --s) {
      const int64_t t = plan.stepAt(d, s), earlier = s ? plan.stepAt(d, s - 1) : 0;
      A *gates = saved.gates + t * B * gateWidth;
      View<const A> before =
          s ? View<const A>{saved.states + earlier * B * width + d * P, width} : View<const A>{h0, P};
      before = cuts.apply(d, t, before, P, h0, resetState);
      const View<const A> state{saved.states + t * B * width + d * P, width};
      const A *cellBefore = !p.isLstm() ? nullptr : s ? saved.cell + earlier * B * H : c0;
      if (p.isLstm())
        cellBefore = cuts.apply(d, t, View<const A>{cellBefore, H}, H, c0, resetCell).data;

      A *total = p.projected() ? saved.delta + t * B * P : delta;
      for (int64_t b = 0; b < B; ++b)
        for (int64_t j = 0; j < P; ++j)
          total[b * P + j] = lengths.padded(t, b) ? A(0) : dh[b * P + j] + dy.row(t, b)[d * P + j];
      const A *deltaH = total;
      if (p.projected()) {
        // Gradient of h before the projection: Wr^T delta.
        std::fill_n(deltaHidden, B * H, A(0));
        k.multiply(B, H, P, {total, P}, {w.projection, H}, {deltaHidden, H});
        deltaH = deltaHidden;
      }
      for (int64_t b = 0; b < B; ++b) {
        A *gate = gates + b * gateWidth, *next = dhNext + b * P;
        if (lengths.padded(t, b)) {
          // Zero gates contribute nothing to the GEMMs. The carried gradients are copied.
          std::fill_n(gate, gateWidth, A(0));
          if (p.mode == Mode::Gru)
            std::fill_n(saved.linear + (t * B + b) * H, H, A(0));
          std::copy_n(dh + b * P, P, next);
          continue;
        }
        const A *dhb = deltaH + b * H;
        std::fill_n(next, P, A(0));
        switch (p.mode) {
        case Mode::Lstm:
          lstm(gate, dhb, cellBefore + b * H, saved.cell + (t * B + b) * H, dc + b * H);
          break;
        case Mode::Gru:
          gru(gate, dhb, before.data + b * before.stride, saved.linear + (t * B + b) * H, next);
          break;
        case Mode::RnnTanh:
          for (int64_t j = 0; j < H; ++j) {
            const A h = state.data[b * state.stride + j];
            gate[j] = dhb[j] * (1 - h * h);
          }
          break;
        case Mode::RnnRelu:
          for (int64_t j = 0; j < H; ++j)
            gate[j] = state.data[b * state.stride + j] > 0 ? dhb[j] : A(0);
          break;
        }
      }
      if (s || needsInitialState) {
        // dh' = R^T da, summed over the gates. For the new gate of gru, it is R^T dq, since the reset gate multiplies R
        // h'.
        if (p.mode == Mode::Gru) {
          k.multiply(B, P, 2 * H, {gates, gateWidth}, {w.recurrentWeights, P}, {dhNext, P});
          k.multiply(B, P, H, {saved.linear + t * B * H, H}, {w.recurrentWeights + 2 * H * P, P}, {dhNext, P});
        } else {
          k.multiply(B, P, gateWidth, {gates, gateWidth}, {w.recurrentWeights, P}, {dhNext, P});
        }
      }
      std::swap(dh, dhNext);
      cuts.end(d, t, dh, P, initialDh);
      if (p.isLstm())
        cuts.end(d, t, dc, H, initialDc);
    }
    for (int64_t j = 0; cuts && j < B * P; ++j)
      dh[j] += initialDh[j];
    for (int64_t j = 0; cuts && p.isLstm() && j < B * H; ++j)
      dc[j] += initialDc[j];
  }

  // u = tanh(c);  dc += dh*o*(1-u^2);  the gates become da;  dc' = dc*f
  void lstm(A *gate, const A *deltaH, const A *cellBefore, const A *cell, A *dcb) {
    A *gi = gate + stackBlock(LstmGate::Input) * H, *gf = gate + stackBlock(LstmGate::Forget) * H,
      *gg = gate + stackBlock(LstmGate::Cell) * H, *go = gate + stackBlock(LstmGate::Output) * H;
    k.tanh(tanhCell, cell, H);
    for (int64_t j = 0; j < H; ++j) {
      const A i = gi[j], f = gf[j], g = gg[j], o = go[j], u = tanhCell[j];
      const A dcell = dcb[j] + deltaH[j] * o * (1 - u * u);
      gi[j] = dcell * g * i * (1 - i);
      gf[j] = dcell * cellBefore[j] * f * (1 - f);
      gg[j] = dcell * i * (1 - g * g);
      go[j] = deltaH[j] * u * o * (1 - o);
      dcb[j] = dcell * f;
    }
  }

  // The gates become da, q becomes dq;  next = dh*z
  void gru(A *gate, const A *deltaH, const A *before, A *linear, A *next) {
    A *gr = gate + stackBlock(GruGate::Reset) * H, *gz = gate + stackBlock(GruGate::Update) * H,
      *gm = gate + stackBlock(GruGate::New) * H;
    for (int64_t j = 0; j < H; ++j) {
      const A r = gr[j], z = gz[j], m = gm[j], q = linear[j];
      const A dm = deltaH[j] * (1 - z) * (1 - m * m);
      gz[j] = deltaH[j] * (before[j] - m) * z * (1 - z);
      gm[j] = dm;
      gr[j] = dm * q * r * (1 - r);
      linear[j] = dm * r;
      next[j] = deltaH[j] * z;
    }
  }

  /// dx += W^T da, one GEMM for all steps (batch-major: for each step).
  void inputGradient(const LayerParams<const A> &w, const A *gates, const Sequence<A> &dx) {
    if (w.inputWeights)
      return dx.forMatrices(T, [&](int64_t t, int64_t rows, View<A> part) {
        k.multiply(rows, dx.width, gateWidth, {gates + t * B * gateWidth, gateWidth}, {w.inputWeights, dx.width}, part);
      });
    for (int64_t t = 0; t < T; ++t)
      for (int64_t b = 0; b < B; ++b)
        for (int64_t gate = 0; gate < p.gates(); ++gate)
          for (int64_t j = 0; j < H; ++j)
            dx.row(t, b)[j] += gates[(t * B + b) * gateWidth + gate * H + j];
  }
};

template <typename A> Status HostRnnPlan<A>::backwardData(const RunContext &context, const RnnBackwardData &a) {
  Cuts cuts;
  RNNRT_TRY(checkBackwardDataOperands(p, a.h0, a.c0, a.params, a.dy, a.dhn, a.dcn));
  RNNRT_TRY(checkParamsElements(layout.elements, a.paramsElements));
  RNNRT_TRY(readSequences(a.lengths, context, cuts));
  RNNRT_TRY(checkReserve(a.reserve, a.reserveBytes, cuts, ReserveHeader::Written));

  Scratch scratch(*pool);
  BackwardRun run(*this, cuts, scratch);
  const int64_t D = p.directions(), B = p.batch, H = p.hidden, P = p.projection, pseudoLayers = p.layers * D;
  const A *params = asOperand<A>(a.params, p.dtype, layout.elements, scratch);
  const A *h0 = asOperand<A>(a.h0, p.dtype, pseudoLayers * B * P, scratch);
  const A *c0 = p.isLstm() ? asOperand<A>(a.c0, p.dtype, pseudoLayers * B * H, scratch) : nullptr;
  ResultBuffer<A> dx(a.dx, p.dtype, rows() * p.input, scratch);
  Sequence<const A> dy = maskedOperand(a.dy, outputWidth(), cuts.lengths, scratch);
  A *between[2] = {};
  for (int64_t n = 0; n < std::min<int64_t>(p.layers - 1, 2); ++n)
    between[n] = scratch.get<A>(rows() * outputWidth());

  // The gates are overwritten from here on: the reserve space cannot serve another backward_data.
  auto &header = *static_cast<ReserveHeader *>(a.reserve);
  header.state = ReserveHeader::Consumed;
  for (int64_t layer = p.layers - 1; layer >= 0; --layer) {
    // The gradient of the layer's input. For layer 0 it is `dx`, null if not requested.
    const int64_t columns = p.inputOf(layer);
    A *target = layer == 0 ? dx.data() : between[(layer - 1) & 1];
    if (target)
      std::fill_n(target, rows() * columns, A(0));
    for (int64_t d = 0; d < D; ++d) {
      const int64_t pseudo = layer * D + d;
      const LayerParams<const A> w = paramsOf(params, pseudo);
      const Saved<A> saved = savedOf(a.reserve, layer, d);
      load(run.dh, a.dhn, p.dtype, pseudo * B * P, B * P);
      if (p.isLstm())
        load(run.dc, a.dcn, p.dtype, pseudo * B * H, B * H);
      run.direction(w, d, h0 + pseudo * B * P, c0 ? c0 + pseudo * B * H : nullptr, dy, saved, a.dh0);
      if (a.dh0)
        store(a.dh0, run.dh, p.dtype, pseudo * B * P, B * P);
      if (p.isLstm() && a.dc0)
        store(a.dc0, run.dc, p.dtype, pseudo * B * H, B * H);
      if (target)
        run.inputGradient(w, saved.gates, {target, columns, layer == 0 ? order() : RowOrder{p.steps, B}});
    }
    if (layer > 0 && p.drops()) {
      const A scale = p.dropout < 1 ? A(1 / (1 - p.dropout)) : A(0);
      DropoutMask(p.dropoutSeed(), p.dropout, header.draw, layer - 1).apply(target, target, 0, rows() * columns, scale);
    }
    dy = timeMajor(target, columns);
  }
  dx.finish();
  return Status();
}

template Status rnnrt::HostRnnPlan<float>::backwardData(const RunContext &, const RnnBackwardData &);
template Status rnnrt::HostRnnPlan<double>::backwardData(const RunContext &, const RnnBackwardData &);
