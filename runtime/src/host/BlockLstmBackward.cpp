// BlockLstmBackward.cpp - the gradient of the block LSTM (docs/Semantics.md, "Block LSTM", "Gradient").
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Require.h"
#include "host/BlockLstmPlan.h"

#include <algorithm>

using namespace rnnrt;

template <typename A> struct HostBlockLstmPlan<A>::BackwardRun {
  const HostBlockLstmPlan &plan;
  const BlockBackward &a;
  const int64_t n;
  Scratch &scratch;
  const Kernels<A> &k = kernels<A>();
  const BlockProblem &p = plan.p;
  const int64_t B = p.batch, I = p.input, H = p.hidden, state = B * H;

  const A *operand(const void *source, int64_t count) { return asOperand<A>(source, p.dtype, count, scratch); }

  const A *csPrev = operand(a.csPrev, state);
  const A *w = operand(a.w, (I + H) * 4 * H);
  const A *i = operand(a.i, n *state), *f = operand(a.f, n *state), *o = operand(a.o, n *state),
          *ci = operand(a.ci, n *state), *co = operand(a.co, n *state);
  // Only wco_grad reads the cell of the last step.
  const A *cs = operand(a.cs, p.peephole ? n *state : (n - 1) * state);
  const A *csGrad = operand(a.csGrad, n *state), *hGrad = operand(a.hGrad, n *state);
  const A *wci = p.peephole ? operand(a.wci, H) : nullptr, *wcf = p.peephole ? operand(a.wcf, H) : nullptr,
          *wco = p.peephole ? operand(a.wco, H) : nullptr;
  A *dG = scratch.get<A>(n * B * 4 * H); // gradient of the pre-activations
  A *Kc = scratch.get<A>(state), *Kh = scratch.get<A>(state);
  const Cuts cuts;
  /// A state before a step with resets, and the gradients that resets to the initial states add to those.
  A *resetState = cuts ? scratch.get<A>(state) : nullptr, *initialKc = cuts ? scratch.get<A>(state) : nullptr,
    *initialKh = cuts ? scratch.get<A>(state) : nullptr;

  BackwardRun(const HostBlockLstmPlan &plan, const BlockBackward &a, const Resets &resets, Scratch &scratch)
      : plan(plan), a(a), n(a.seqLenMax), scratch(scratch), cuts{resets, {}, n, plan.p.batch} {}

  /// The cell before step `t`.
  const A *cellBefore(int64_t t) {
    return cuts.apply(0, t, View<const A>{t ? cs + (t - 1) * state : csPrev, H}, H, csPrev, resetState).data;
  }

  /// Computes dG, Kc and, if requested, Kh, from the last step to the first.
  void steps() {
    const Gates column = plan.gates();
    std::fill_n(Kc, state, A(0));
    std::fill_n(Kh, state, A(0));
    for (A *sums : {initialKc, initialKh})
      if (sums)
        std::fill_n(sums, state, A(0));
    for (int64_t t = n - 1; t >= 0; --t) {
      const A *before = cellBefore(t);
      for (int64_t b = 0; b < B; ++b) {
        A *gate = dG + (t * B + b) * 4 * H;
        A *gi = gate + column.i, *gc = gate + column.c, *gf = gate + column.f, *go = gate + column.o;
        for (int64_t j = 0; j < H; ++j) {
          const int64_t e = t * state + b * H + j, s = b * H + j;
          const A gradH = Kh[s] + hGrad[e];
          const A dout = o[e] * (1 - o[e]) * gradH * co[e];
          A dcs = (1 - co[e] * co[e]) * gradH * o[e] + (Kc[s] + csGrad[e]);
          if (p.peephole)
            dcs += dout * wco[j];
          const A dci = (1 - ci[e] * ci[e]) * dcs * i[e];
          const A df = f[e] * (1 - f[e]) * dcs * before[s];
          const A di = i[e] * (1 - i[e]) * dcs * ci[e];
          gi[j] = di;
          gc[j] = dci;
          gf[j] = df;
          go[j] = dout;
          Kc[s] = dcs * f[e];
          if (p.peephole)
            Kc[s] += di * wci[j] + df * wcf[j];
        }
      }
      if (t || a.dhPrev) {
        std::fill_n(Kh, state, A(0));
        k.multiplyBT(B, H, 4 * H, {dG + t * B * 4 * H, 4 * H}, {w + I * 4 * H, 4 * H}, {Kh, H});
      }
      cuts.end(0, t, Kc, H, initialKc);
      cuts.end(0, t, Kh, H, initialKh);
    }
    for (int64_t j = 0; cuts && j < state; ++j) {
      Kc[j] += initialKc[j];
      Kh[j] += initialKh[j];
    }
  }

  /// dw = concat(x[t], h[t-1])^T dG, a reduction over the n*B rows.
  void weights(A *dw) {
    std::fill_n(dw, (I + H) * 4 * H, A(0));
    k.multiplyAT(I, 4 * H, n * B, {operand(a.x, n * B * I), I}, {dG, 4 * H}, {dw, 4 * H});
    const View<A> lower{dw + I * 4 * H, 4 * H};
    if (cuts)
      return k.multiplyAT(H, 4 * H, n * B, {statesBefore(), H}, {dG, 4 * H}, lower);
    k.multiplyAT(H, 4 * H, B, {operand(a.hPrev, state), H}, {dG, 4 * H}, lower);
    k.multiplyAT(H, 4 * H, (n - 1) * B, {operand(a.h, (n - 1) * state), H}, {dG + B * 4 * H, 4 * H}, lower);
  }

  /// With resets: the state before each step, [n,B,H].
  const A *statesBefore() {
    const A *h = operand(a.h, (n - 1) * state), *hPrev = operand(a.hPrev, state);
    A *used = scratch.get<A>(n * state);
    for (int64_t t = 0; t < n; ++t) {
      A *target = used + t * state;
      std::copy_n(t ? h + (t - 1) * state : hPrev, state, target);
      cuts.apply(0, t, View<const A>{target, H}, H, hPrev, target);
    }
    return used;
  }

  void bias(A *db) {
    std::fill_n(db, 4 * H, A(0));
    for (int64_t row = 0; row < n * B; ++row)
      for (int64_t j = 0; j < 4 * H; ++j)
        db[j] += dG[row * 4 * H + j];
  }

  /// target = sum over steps and batch of a gate's gradient times the cell before or after the step.
  void peephole(A *target, int64_t column, bool after) {
    std::fill_n(target, H, A(0));
    for (int64_t t = 0; t < n; ++t) {
      const A *cell = after ? cs + t * state : cellBefore(t);
      for (int64_t b = 0; b < B; ++b)
        for (int64_t j = 0; j < H; ++j)
          target[j] += dG[(t * B + b) * 4 * H + column + j] * cell[b * H + j];
    }
  }
};

template <typename A> Status HostBlockLstmPlan<A>::backward(const RunContext &context, const BlockBackward &a) {
  const int64_t n = a.seqLenMax, T = p.steps, B = p.batch, I = p.input, H = p.hidden;
  RNNRT_TRY(checkSteps(n));
  const int64_t bytes = rnnrt_dtype_size(p.dtype);
  auto zero = [&](void *result, int64_t first, int64_t count) {
    if (result && count)
      std::memset(static_cast<char *>(result) + first * bytes, 0, size_t(count * bytes));
  };
  const bool runs = n > 0 && B > 0;
  if (!runs || !p.peephole)
    for (void *result : {a.dwci, a.dwcf, a.dwco})
      zero(result, 0, H);
  if (!runs) {
    zero(a.dx, 0, T * B * I);
    zero(a.dcsPrev, 0, B * H);
    zero(a.dhPrev, 0, B * H);
    zero(a.dw, 0, (I + H) * 4 * H);
    zero(a.db, 0, 4 * H);
    return Status();
  }
  if (I > 0)
    RNNRT_REQUIRE(a.x, "x");
  RNNRT_REQUIRE(a.csPrev, "cs_prev");
  RNNRT_REQUIRE(a.hPrev, "h_prev");
  RNNRT_REQUIRE(a.w, "w");
  if (p.peephole) {
    RNNRT_REQUIRE(a.wci, "wci");
    RNNRT_REQUIRE(a.wcf, "wcf");
    RNNRT_REQUIRE(a.wco, "wco");
  }
  RNNRT_REQUIRE(a.i, "i");
  RNNRT_REQUIRE(a.cs, "cs");
  RNNRT_REQUIRE(a.f, "f");
  RNNRT_REQUIRE(a.o, "o");
  RNNRT_REQUIRE(a.ci, "ci");
  RNNRT_REQUIRE(a.co, "co");
  RNNRT_REQUIRE(a.h, "h");
  RNNRT_REQUIRE(a.csGrad, "cs_grad");
  RNNRT_REQUIRE(a.hGrad, "h_grad");

  Scratch scratch(*pool);
  BackwardRun run(*this, a, context.resets, scratch);
  run.steps();
  if (a.dcsPrev)
    store(a.dcsPrev, run.Kc, p.dtype, 0, B * H);
  if (a.dhPrev)
    store(a.dhPrev, run.Kh, p.dtype, 0, B * H);
  if (a.dx) {
    ResultBuffer<A> dx(a.dx, p.dtype, n * B * I, scratch);
    std::fill_n(dx.data(), n * B * I, A(0));
    run.k.multiplyBT(n * B, I, 4 * H, {run.dG, 4 * H}, {run.w, 4 * H}, {dx.data(), I});
    dx.finish();
    zero(a.dx, n * B * I, (T - n) * B * I);
  }
  auto compute = [&](void *target, int64_t count, auto &&body) {
    if (!target)
      return;
    ResultBuffer<A> result(target, p.dtype, count, scratch);
    body(result.data());
    result.finish();
  };
  compute(a.dw, (I + H) * 4 * H, [&](A *dw) { run.weights(dw); });
  compute(a.db, 4 * H, [&](A *db) { run.bias(db); });
  if (p.peephole) {
    compute(a.dwci, H, [&](A *target) { run.peephole(target, gates().i, false); });
    compute(a.dwcf, H, [&](A *target) { run.peephole(target, gates().f, false); });
    compute(a.dwco, H, [&](A *target) { run.peephole(target, gates().o, true); });
  }
  return Status();
}

template Status rnnrt::HostBlockLstmPlan<float>::backward(const RunContext &, const BlockBackward &);
template Status rnnrt::HostBlockLstmPlan<double>::backward(const RunContext &, const BlockBackward &);
