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
  Sequence<const A> sequence(const void *source, int64_t width, int64_t steps) {
    return asSequence<A>(source, p.dtype, width, plan.order(), steps, scratch);
  }

  const A *csPrev = operand(a.csPrev, state);
  const A *w = operand(a.w, (I + H) * 4 * H);
  const Sequence<const A> i = sequence(a.i, H, n), f = sequence(a.f, H, n), o = sequence(a.o, H, n),
                          ci = sequence(a.ci, H, n), co = sequence(a.co, H, n);
  // Only wco_grad reads the cell of the last step.
  const Sequence<const A> cs = sequence(a.cs, H, p.peephole ? n : n - 1);
  const Sequence<const A> csGrad = sequence(a.csGrad, H, n), hGrad = sequence(a.hGrad, H, n);
  const A *wci = p.peephole ? operand(a.wci, H) : nullptr, *wcf = p.peephole ? operand(a.wcf, H) : nullptr,
          *wco = p.peephole ? operand(a.wco, H) : nullptr;
  A *dG = scratch.get<A>(n * B * 4 * H); // gradient of the pre-activations
  A *Kc = scratch.get<A>(state), *Kh = scratch.get<A>(state);
  const Cuts cuts;
  /// A state before a step with resets, and the gradients that resets to the initial states add to those.
  A *resetState = cuts ? scratch.get<A>(state) : nullptr, *initialKc = cuts ? scratch.get<A>(state) : nullptr,
    *initialKh = cuts ? scratch.get<A>(state) : nullptr;

  BackwardRun(const HostBlockLstmPlan &plan, const BlockBackward &a, const Resets &resets, Scratch &scratch)
      : plan(plan), a(a), n(a.seqLenMax), scratch(scratch), cuts{resets, {}, n, plan.p.batch, plan.order()} {}

  /// The cell before step `t`.
  View<const A> cellBefore(int64_t t) {
    return cuts.apply(0, t, t ? cs.step(t - 1) : View<const A>{csPrev, H}, H, csPrev, resetState);
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
      const View<const A> before = cellBefore(t);
      for (int64_t b = 0; b < B; ++b) {
        A *gate = dG + (t * B + b) * 4 * H;
        A *gi = gate + column.i, *gc = gate + column.c, *gf = gate + column.f, *go = gate + column.o;
        const A *ib = i.row(t, b), *fb = f.row(t, b), *ob = o.row(t, b), *cib = ci.row(t, b), *cob = co.row(t, b),
                *csGradB = csGrad.row(t, b), *hGradB = hGrad.row(t, b), *beforeB = before.data + b * before.stride;
        for (int64_t j = 0; j < H; ++j) {
          const int64_t s = b * H + j;
          const A gradH = Kh[s] + hGradB[j];
          const A dout = ob[j] * (1 - ob[j]) * gradH * cob[j];
          A dcs = (1 - cob[j] * cob[j]) * gradH * ob[j] + (Kc[s] + csGradB[j]);
          if (p.peephole)
            dcs += dout * wco[j];
          const A dci = (1 - cib[j] * cib[j]) * dcs * ib[j];
          const A df = fb[j] * (1 - fb[j]) * dcs * beforeB[j];
          const A di = ib[j] * (1 - ib[j]) * dcs * cib[j];
          gi[j] = di;
          gc[j] = dci;
          gf[j] = df;
          go[j] = dout;
          Kc[s] = dcs * fb[j];
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
    sequence(a.x, I, n).forMatrices(n, [&](int64_t t, int64_t rows, View<const A> part) {
      k.multiplyAT(I, 4 * H, rows, part, {dG + t * B * 4 * H, 4 * H}, {dw, 4 * H});
    });
    const View<A> lower{dw + I * 4 * H, 4 * H};
    if (cuts)
      return k.multiplyAT(H, 4 * H, n * B, {statesBefore(), H}, {dG, 4 * H}, lower);
    k.multiplyAT(H, 4 * H, B, {operand(a.hPrev, state), H}, {dG, 4 * H}, lower);
    sequence(a.h, H, n - 1).forMatrices(n - 1, [&](int64_t t, int64_t rows, View<const A> part) {
      k.multiplyAT(H, 4 * H, rows, part, {dG + (t + 1) * B * 4 * H, 4 * H}, lower);
    });
  }

  /// With resets: the state before each step, [n,B,H].
  const A *statesBefore() {
    const Sequence<const A> h = sequence(a.h, H, n - 1);
    const A *hPrev = operand(a.hPrev, state);
    A *used = scratch.get<A>(n * state);
    for (int64_t t = 0; t < n; ++t) {
      A *target = used + t * state;
      for (int64_t b = 0; b < B; ++b)
        std::copy_n(t ? h.row(t - 1, b) : hPrev + b * H, H, target + b * H);
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
      const View<const A> cell = after ? cs.step(t) : cellBefore(t);
      for (int64_t b = 0; b < B; ++b)
        for (int64_t j = 0; j < H; ++j)
          target[j] += dG[(t * B + b) * 4 * H + column + j] * cell.data[b * cell.stride + j];
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
    // Batch-major: the steps that do not run lie between those that do.
    const int64_t count = (p.batchMajor ? T : n) * B * I;
    ResultBuffer<A> dx(a.dx, p.dtype, count, scratch);
    std::fill_n(dx.data(), count, A(0));
    Sequence<A>{dx.data(), I, order()}.forMatrices(n, [&](int64_t t, int64_t rows, View<A> part) {
      run.k.multiplyBT(rows, I, 4 * H, {run.dG + t * B * 4 * H, 4 * H}, {run.w, 4 * H}, part);
    });
    dx.finish();
    zeroSteps(a.dx, I, n);
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
