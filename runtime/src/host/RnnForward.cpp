// RnnForward.cpp - the forward pass of a stack of recurrent layers (docs/Semantics.md, "cuDNN layers").
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/Philox.h"
#include "host/RnnPlan.h"
#include "rnn_runtime/abi.h"

#include <algorithm>

using namespace rnnrt;
using rnn_layout::GruGate, rnn_layout::LstmGate, rnn_layout::stackBlock;

/// One run. Computes in type A and rounds once, when a result is stored.
template <typename A> struct HostRnnPlan<A>::ForwardRun {
  const HostRnnPlan &plan;
  const Cuts cuts;
  const Lengths lengths = cuts.lengths;
  Scratch &scratch;
  const Kernels<A> &k = kernels<A>();
  const RnnProblem &p = plan.p;
  const int64_t T = p.steps, B = p.batch, H = p.hidden, P = p.projection, gateWidth = plan.gateWidth(),
                width = plan.outputWidth();
  /// gru: the recurrent GEMM result of one step, [B,3H]. lstm: tanh(c), [H].
  A *step = scratch.get<A>(std::max(B, int64_t(1)) * gateWidth);
  /// The states before a step with resets.
  A *resetState = cuts ? scratch.get<A>(B * P) : nullptr,
    *resetCell = cuts && p.isLstm() ? scratch.get<A>(B * H) : nullptr;

  ForwardRun(const HostRnnPlan &plan, const Cuts &cuts, Scratch &scratch) : plan(plan), cuts(cuts), scratch(scratch) {}

  /// gates[t,b] = W x + biases, one GEMM for all steps (batch-major: for each step).
  void inputGemm(const LayerParams<const A> &w, const Sequence<const A> &x, A *gates) {
    // For gru, the recurrent bias of the new gate is multiplied by the reset gate; see gru().
    const int64_t both = p.mode == Mode::Gru ? 2 * H : gateWidth;
    for (int64_t r = 0; r < both; ++r)
      gates[r] = w.inputBias[r] + w.recurrentBias[r];
    std::copy(w.inputBias + both, w.inputBias + gateWidth, gates + both);
    for (int64_t row = 1; row < plan.rows(); ++row)
      std::copy_n(gates, gateWidth, gates + row * gateWidth);
    if (w.inputWeights)
      return x.forMatrices(T, [&](int64_t t, int64_t rows, View<const A> part) {
        k.multiplyBT(rows, gateWidth, x.width, part, {w.inputWeights, x.width}, {gates + t * B * gateWidth, gateWidth});
      });
    // skip_input: W is the identity for every gate.
    for (int64_t t = 0; t < T; ++t)
      for (int64_t b = 0; b < B; ++b)
        for (int64_t gate = 0; gate < p.gates(); ++gate)
          for (int64_t j = 0; j < H; ++j)
            gates[(t * B + b) * gateWidth + gate * H + j] += x.row(t, b)[j];
  }

  /// Runs one direction of one layer from the initial state h0 [B,P], c0 [B,H].
  void direction(const LayerParams<const A> &w, int64_t d, const A *h0, const A *c0, const Saved<A> &saved) {
    View<const A> before{h0, P}; // h of the previous step
    const A *cellBefore = c0;
    for (int64_t s = 0; s < T; ++s) {
      const int64_t t = plan.stepAt(d, s);
      before = cuts.apply(d, t, before, P, h0, resetState);
      if (p.isLstm())
        cellBefore = cuts.apply(d, t, View<const A>{cellBefore, H}, H, c0, resetCell).data;
      A *gates = saved.gates + t * B * gateWidth;
      View<A> state{saved.states + t * B * width + d * P, width};
      View<A> out = p.projected() ? View<A>{saved.hidden + t * B * H, H} : state;
      A *cell = p.isLstm() ? saved.cell + t * B * H : nullptr;
      if (p.mode == Mode::Gru) {
        for (int64_t b = 0; b < B; ++b) {
          std::fill_n(step + b * gateWidth, 2 * H, A(0));
          std::copy_n(w.recurrentBias + 2 * H, H, step + b * gateWidth + 2 * H);
        }
        k.multiplyBT(B, gateWidth, P, before, {w.recurrentWeights, P}, {step, gateWidth});
      } else {
        k.multiplyBT(B, gateWidth, P, before, {w.recurrentWeights, P}, {gates, gateWidth});
      }
      for (int64_t b = 0; b < B; ++b) {
        A *gate = gates + b * gateWidth, *h = out.data + b * out.stride;
        if (lengths.padded(t, b)) {
          copyState(b, t, before, cellBefore, gate, h, cell, saved);
          continue;
        }
        switch (p.mode) {
        case Mode::Lstm:
          lstm(gate, cellBefore + b * H, cell + b * H, h);
          break;
        case Mode::Gru:
          gru(gate, step + b * gateWidth, before.data + b * before.stride, saved.linear + (t * B + b) * H, h);
          break;
        case Mode::RnnTanh:
          k.tanh(h, gate, H);
          break;
        case Mode::RnnRelu:
          for (int64_t j = 0; j < H; ++j)
            h[j] = gate[j] <= 0 ? A(0) : gate[j]; // NaN propagates
          break;
        }
      }
      if (p.projected())
        project(w, t, before, {out.data, out.stride}, state);
      before = {state.data, state.stride};
      cellBefore = cell;
    }
  }

  /// A padded step: copies the state. Gates are zeroed, since the backward pass multiplies them by zero: they must be
  /// finite.
  void copyState(int64_t b, int64_t t, View<const A> before, const A *cellBefore, A *gate, A *h, A *cell,
                 const Saved<A> &saved) {
    std::fill_n(gate, gateWidth, A(0));
    if (p.projected())
      std::fill_n(h, H, A(0)); // project() copies the state
    else
      std::copy_n(before.data + b * before.stride, H, h);
    if (cell)
      std::copy_n(cellBefore + b * H, H, cell + b * H);
    if (p.mode == Mode::Gru)
      std::fill_n(saved.linear + (t * B + b) * H, H, A(0));
  }

  // i, f, g, o = activations;  c = f*c' + i*g;  h = o*tanh(c)
  void lstm(A *gate, const A *cellBefore, A *cell, A *h) {
    A *i = gate + stackBlock(LstmGate::Input) * H, *f = gate + stackBlock(LstmGate::Forget) * H,
      *g = gate + stackBlock(LstmGate::Cell) * H, *o = gate + stackBlock(LstmGate::Output) * H;
    static_assert(stackBlock(LstmGate::Forget) == stackBlock(LstmGate::Input) + 1, "one call for both");
    k.sigmoid(i, i, 2 * H);
    k.tanh(g, g, H);
    k.sigmoid(o, o, H);
    for (int64_t j = 0; j < H; ++j)
      cell[j] = f[j] * cellBefore[j] + i[j] * g[j];
    k.tanh(step, cell, H);
    for (int64_t j = 0; j < H; ++j)
      h[j] = o[j] * step[j];
  }

  // r, z = sigmoid;  q = Rn h' + bRn;  m = tanh(Wn x + bWn + r*q);  h = (1-z)*m + z*h'
  void gru(A *gate, const A *recurrent, const A *before, A *linear, A *h) {
    A *r = gate + stackBlock(GruGate::Reset) * H, *z = gate + stackBlock(GruGate::Update) * H,
      *m = gate + stackBlock(GruGate::New) * H;
    for (int64_t j = 0; j < 2 * H; ++j)
      gate[j] += recurrent[j];
    k.sigmoid(gate, gate, 2 * H);
    std::copy_n(recurrent + 2 * H, H, linear);
    for (int64_t j = 0; j < H; ++j)
      m[j] += r[j] * linear[j];
    k.tanh(m, m, H);
    for (int64_t j = 0; j < H; ++j)
      h[j] = (1 - z[j]) * m[j] + z[j] * before[j];
  }

  /// state = Wr h
  void project(const LayerParams<const A> &w, int64_t t, View<const A> before, View<const A> h, View<A> state) {
    for (int64_t b = 0; b < B; ++b)
      std::fill_n(state.data + b * state.stride, P, A(0));
    k.multiplyBT(B, P, H, h, {w.projection, H}, state);
    for (int64_t b = 0; b < B; ++b)
      if (lengths.padded(t, b))
        std::copy_n(before.data + b * before.stride, P, state.data + b * state.stride);
  }

  /// Stores y from the states; padding is zero.
  void output(void *y, const A *states) {
    if (!lengths.values && !p.batchMajor)
      return store(y, states, p.dtype, 0, plan.rows() * width);
    const int64_t rowBytes = width * rnnrt_dtype_size(p.dtype);
    for (int64_t t = 0; t < T; ++t)
      for (int64_t b = 0; b < B; ++b) {
        const int64_t row = plan.order().row(t, b);
        if (lengths.padded(t, b))
          std::memset(static_cast<char *>(y) + row * rowBytes, 0, size_t(rowBytes));
        else
          store(y, states + (t * B + b) * width, p.dtype, row * width, width);
      }
  }
};

template <typename A> Status HostRnnPlan<A>::forward(const RunContext &context, const RnnForward &a) {
  Cuts cuts;
  RNNRT_TRY(checkForwardOperands(p, a.x, a.h0, a.c0, a.params));
  RNNRT_TRY(checkParamsElements(layout.elements, a.paramsElements));
  RNNRT_TRY(readSequences(a.lengths, context, cuts));
  RNNRT_TRY(checkReserve(a.reserve, a.reserveBytes, cuts, 0));

  Scratch scratch(*pool);
  ForwardRun run(*this, cuts, scratch);
  const int64_t D = p.directions(), B = p.batch, H = p.hidden, P = p.projection;
  const A *params = asOperand<A>(a.params, p.dtype, layout.elements, scratch);
  const A *h0 = asOperand<A>(a.h0, p.dtype, p.layers * D * B * P, scratch);
  const A *c0 = p.isLstm() ? asOperand<A>(a.c0, p.dtype, p.layers * D * B * H, scratch) : nullptr;

  ReserveHeader header{};
  Saved<A> shared;   // inference: all layers use the same memory
  A *states[2] = {}; // inference: double-buffered layer outputs
  A *dropped = p.drops() ? scratch.get<A>(rows() * outputWidth()) : nullptr;
  if (p.training) {
    // The header stays invalid until the pass is complete.
    std::memcpy(a.reserve, &header, sizeof(header));
    if (p.drops())
      header.draw = context.dropoutDraw >= 0 ? uint64_t(context.dropoutDraw) : draws.fetch_add(1);
  } else {
    shared.gates = scratch.get<A>(rows() * gateWidth());
    shared.cell = p.isLstm() ? scratch.get<A>(rows() * H) : nullptr;
    shared.linear = p.mode == Mode::Gru ? scratch.get<A>(rows() * H) : nullptr;
    shared.hidden = p.projected() ? scratch.get<A>(rows() * H) : nullptr;
    for (int64_t n = 0; n < std::min<int64_t>(p.layers, 2); ++n)
      states[n] = scratch.get<A>(rows() * outputWidth());
  }

  Sequence<const A> input = maskedOperand(a.x, p.input, cuts.lengths, scratch);
  for (int64_t layer = 0; layer < p.layers; ++layer) {
    Saved<A> saved;
    for (int64_t d = 0; d < D; ++d) {
      const int64_t pseudo = layer * D + d;
      saved = p.training ? savedOf(a.reserve, layer, d) : shared;
      if (!p.training)
        saved.states = states[layer & 1];
      const LayerParams<const A> w = paramsOf(params, pseudo);
      run.inputGemm(w, input, saved.gates);
      run.direction(w, d, h0 + pseudo * B * P, c0 ? c0 + pseudo * B * H : nullptr, saved);

      // The state of the last step is the final state for every length, since padded steps copy it.
      const int64_t last = stepAt(d, p.steps - 1);
      for (int64_t b = 0; a.hn && b < B; ++b)
        store(a.hn, saved.states + (last * B + b) * outputWidth() + d * P, p.dtype, (pseudo * B + b) * P, P);
      if (p.isLstm() && a.cn)
        store(a.cn, saved.cell + last * B * H, p.dtype, pseudo * B * H, B * H);
    }
    input = timeMajor(saved.states, outputWidth());
    if (layer + 1 == p.layers) {
      if (a.y)
        run.output(a.y, saved.states);
    } else if (dropped) {
      // Dropout applies to the next layer's input only, not to h.
      const A scale = p.dropout < 1 ? A(1 / (1 - p.dropout)) : A(0);
      DropoutMask(p.dropoutSeed(), p.dropout, header.draw, layer)
          .apply(dropped, saved.states, 0, rows() * outputWidth(), scale);
      input.data = dropped;
    }
  }

  if (p.training) {
    const uint64_t draw = header.draw;
    header = ReserveHeader::written(ReserveHeader::loweringHost, keyHash, hashSequences(cuts));
    header.draw = draw;
    std::memcpy(a.reserve, &header, sizeof(header));
  }
  return Status();
}

// Each pass is defined, and therefore instantiated, in a file of its own.
template Status rnnrt::HostRnnPlan<float>::forward(const RunContext &, const RnnForward &);
template Status rnnrt::HostRnnPlan<double>::forward(const RunContext &, const RnnForward &);
