// BlockLstmForward.cpp - the host plan of the block LSTM and its forward pass (docs/Semantics.md, "Block LSTM").
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Checked.h"
#include "core/Require.h"
#include "host/BlockLstmPlan.h"
#include "host/HostPlans.h"

#include <algorithm>

using namespace rnnrt;

Status rnnrt::createHostBlockLstmPlan(const BlockProblem &problem, std::shared_ptr<MemoryPool> pool,
                                      std::shared_ptr<Plan> &plan) {
  auto prepare = [&](auto made) {
    RNNRT_TRY(made->prepare());
    plan = std::move(made);
    return Status();
  };
  if (problem.dtype == RNNRT_DTYPE_F64)
    return prepare(std::make_shared<HostBlockLstmPlan<double>>(problem, std::move(pool)));
  return prepare(std::make_shared<HostBlockLstmPlan<float>>(problem, std::move(pool)));
}

template <typename A> Status HostBlockLstmPlan<A>::prepare() {
  const Checked rows = Checked(p.steps) * p.batch, columns = Checked(p.hidden) * 4;
  for (Checked bytes : {rows * p.input * 8, rows * columns * 8, (Checked(p.input) + p.hidden) * columns * 8,
                        Checked(p.batch) * columns * 8})
    if (bytes.overflowed())
      return outOfRange("the size of a tensor in bytes exceeds 64 bits");
  return Status();
}

template <typename A> Status HostBlockLstmPlan<A>::checkSteps(int64_t n) const {
  if (n < 0 || n > p.steps)
    return invalidArgument("expects `seq_len_max` to be in [0, T = %lld], but got %lld", (long long)p.steps,
                           (long long)n);
  return Status();
}

template <typename A> void HostBlockLstmPlan<A>::zeroSteps(void *result, int64_t width, int64_t first) const {
  const int64_t bytes = width * rnnrt_dtype_size(p.dtype), steps = p.steps - first;
  auto zero = [&](int64_t row, int64_t rows) {
    if (rows && bytes)
      std::memset(static_cast<char *>(result) + row * bytes, 0, size_t(rows * bytes));
  };
  if (!result)
    return;
  if (!p.batchMajor)
    return zero(first * p.batch, steps * p.batch);
  for (int64_t b = 0; b < p.batch; ++b)
    zero(order().row(first, b), steps);
}

template <typename A> Status HostBlockLstmPlan<A>::forward(const RunContext &context, const BlockForward &a) {
  const int64_t n = a.seqLenMax, B = p.batch, I = p.input, H = p.hidden;
  RNNRT_TRY(checkSteps(n));
  const bool runs = n > 0 && B > 0;
  if (runs) {
    if (I > 0)
      RNNRT_REQUIRE(a.x, "x");
    RNNRT_REQUIRE(a.csPrev, "cs_prev");
    RNNRT_REQUIRE(a.hPrev, "h_prev");
    RNNRT_REQUIRE(a.w, "w");
    RNNRT_REQUIRE(a.b, "b");
    if (p.peephole) {
      RNNRT_REQUIRE(a.wci, "wci");
      RNNRT_REQUIRE(a.wcf, "wcf");
      RNNRT_REQUIRE(a.wco, "wco");
    }
  }

  // TensorFlow leaves i, f, o, ci and co uninitialized at t >= seq_len_max. Here all seven results are zero there.
  for (void *result : {a.i, a.cs, a.f, a.o, a.ci, a.co, a.h})
    zeroSteps(result, H, n);
  if (!runs)
    return Status();

  Scratch scratch(*pool);
  const Kernels<A> &k = kernels<A>();
  const Sequence<const A> x = asSequence<A>(a.x, p.dtype, I, order(), n, scratch);
  const A *csPrev = asOperand<A>(a.csPrev, p.dtype, B * H, scratch);
  const A *hPrev = asOperand<A>(a.hPrev, p.dtype, B * H, scratch);
  const A *w = asOperand<A>(a.w, p.dtype, (I + H) * 4 * H, scratch);
  const A *bias = asOperand<A>(a.b, p.dtype, 4 * H, scratch);
  const A *wci = nullptr, *wcf = nullptr, *wco = nullptr;
  if (p.peephole) {
    wci = asOperand<A>(a.wci, p.dtype, H, scratch);
    wcf = asOperand<A>(a.wcf, p.dtype, H, scratch);
    wco = asOperand<A>(a.wco, p.dtype, H, scratch);
  }
  const Gates column = gates();
  const A forgetBias = A(p.forgetBias), clip = A(p.cellClip);

  // x*w + b: one GEMM for all steps (batch-major: for each step). Each step adds its GEMM with h.
  A *all = scratch.get<A>(n * B * 4 * H);
  for (int64_t row = 0; row < n * B; ++row)
    std::copy_n(bias, 4 * H, all + row * 4 * H);
  x.forMatrices(n, [&](int64_t t, int64_t rows, View<const A> part) {
    k.multiply(rows, 4 * H, I, part, {w, 4 * H}, {all + t * B * 4 * H, 4 * H});
  });

  // The state [B,H] is carried in type A, without rounding to the type of the results.
  A *cs = scratch.get<A>(B * H), *h = scratch.get<A>(B * H), *co = scratch.get<A>(H);
  std::copy_n(csPrev, B * H, cs);
  std::copy_n(hPrev, B * H, h);
  const Cuts cuts{context.resets, {}, n, B, order()};
  for (int64_t t = 0; t < n; ++t) {
    cuts.apply(0, t, View<const A>{cs, H}, H, csPrev, cs);
    cuts.apply(0, t, View<const A>{h, H}, H, hPrev, h);
    k.multiply(B, 4 * H, H, {h, H}, {w + I * 4 * H, 4 * H}, {all + t * B * 4 * H, 4 * H});
    for (int64_t b = 0; b < B; ++b) {
      A *gate = all + (t * B + b) * 4 * H, *cell = cs + b * H;
      A *i = gate + column.i, *ci = gate + column.c, *f = gate + column.f, *o = gate + column.o;
      for (int64_t j = 0; j < H; ++j)
        f[j] += forgetBias;
      if (p.peephole)
        for (int64_t j = 0; j < H; ++j) {
          i[j] += cell[j] * wci[j];
          f[j] += cell[j] * wcf[j];
        }
      k.sigmoid(i, i, H);
      k.sigmoid(f, f, H);
      k.tanh(ci, ci, H);
      for (int64_t j = 0; j < H; ++j)
        cell[j] = i[j] * ci[j] + f[j] * cell[j];
      if (clip > 0)
        for (int64_t j = 0; j < H; ++j) {
          cell[j] = cell[j] < -clip ? -clip : cell[j];
          cell[j] = cell[j] > clip ? clip : cell[j];
        }
      k.tanh(co, cell, H);
      if (p.peephole) // o uses the new cell; i and f use the previous one
        for (int64_t j = 0; j < H; ++j)
          o[j] += cell[j] * wco[j];
      k.sigmoid(o, o, H);
      for (int64_t j = 0; j < H; ++j)
        h[b * H + j] = o[j] * co[j];

      const int64_t row = order().row(t, b) * H;
      auto put = [&](void *result, const A *source) {
        if (result)
          store(result, source, p.dtype, row, H);
      };
      put(a.i, i);
      put(a.cs, cell);
      put(a.f, f);
      put(a.o, o);
      put(a.ci, ci);
      put(a.co, co);
      put(a.h, h + b * H);
    }
  }
  return Status();
}

template Status rnnrt::HostBlockLstmPlan<float>::forward(const RunContext &, const BlockForward &);
template Status rnnrt::HostBlockLstmPlan<double>::forward(const RunContext &, const BlockForward &);
template Status rnnrt::HostBlockLstmPlan<float>::checkSteps(int64_t) const;
template Status rnnrt::HostBlockLstmPlan<double>::checkSteps(int64_t) const;
template void rnnrt::HostBlockLstmPlan<float>::zeroSteps(void *, int64_t, int64_t) const;
template void rnnrt::HostBlockLstmPlan<double>::zeroSteps(void *, int64_t, int64_t) const;
