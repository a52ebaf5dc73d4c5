// RnnBackwardWeights.cpp - gradient of the parameters of a stack of recurrent layers (docs/Semantics.md, "cuDNN
// layers"). Reads the gradients of the gates that backward_data stored in the reserve space. Each weight gradient is
// one GEMM with a reduction over the T*B rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/Philox.h"
#include "host/RnnPlan.h"
#include "rnn_runtime/abi.h"

#include <algorithm>

using namespace rnnrt;

template <typename A> struct HostRnnPlan<A>::WeightsRun {
  const HostRnnPlan &plan;
  const Kernels<A> &k = kernels<A>();
  const RnnProblem &p = plan.p;
  const int64_t B = p.batch, H = p.hidden, P = p.projection, gateWidth = plan.gateWidth(), width = plan.outputWidth(),
                rows = plan.rows();
  const Cuts cuts;
  A *used = nullptr; ///< with resets: the state before each step, [T,B,P]

  WeightsRun(const HostRnnPlan &plan, const Cuts &cuts, Scratch &scratch) : plan(plan), cuts(cuts) {
    if (cuts)
      used = scratch.get<A>(rows * P);
  }

  /// Fills `used` for one direction.
  void collectStates(int64_t d, const A *h0, const A *states) {
    for (int64_t s = 0; s < p.steps; ++s) {
      const int64_t t = plan.stepAt(d, s);
      A *target = used + t * B * P;
      const View<const A> before =
          s ? View<const A>{states + plan.stepAt(d, s - 1) * B * width + d * P, width} : View<const A>{h0, P};
      for (int64_t b = 0; b < B; ++b)
        std::copy_n(before.data + b * before.stride, P, target + b * P);
      cuts.apply(d, t, View<const A>{target, P}, P, h0, target);
    }
  }

  /// target[j] = sum of gates[row, j] over all T*B rows.
  void sum(A *target, const A *gates, int64_t columns, int64_t stride) {
    std::fill_n(target, columns, A(0));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t j = 0; j < columns; ++j)
        target[j] += gates[row * stride + j];
  }

  /// dR [count,P] += gates^T h', a reduction over the T*B rows. h' is h0 at the first step of the direction, else the
  /// state of its previous step.
  void recurrent(A *dr, const A *gates, int64_t stride, int64_t count, int64_t d, const A *h0, const A *states) {
    if (used)
      return k.multiplyAT(count, P, rows, {gates, stride}, {used, P}, {dr, P});
    const int64_t first = plan.stepAt(d, 0) * B;
    k.multiplyAT(count, P, B, {gates + first * stride, stride}, {h0, P}, {dr, P});
    // Forward: steps 1..T-1 with states 0..T-2. Reverse: steps 0..T-2 with states 1..T-1. Either is one GEMM.
    const int64_t later = d ? 0 : B, earlier = d ? B : 0;
    k.multiplyAT(count, P, rows - B, {gates + later * stride, stride}, {states + earlier * width + d * P, width},
                 {dr, P});
  }

  void pseudoLayer(const LayerParams<A> &dw, int64_t d, const Sequence<const A> &input, const A *h0,
                   const Saved<A> &saved) {
    if (dw.inputWeights)
      input.forMatrices(p.steps, [&](int64_t t, int64_t count, View<const A> part) {
        k.multiplyAT(gateWidth, input.width, count, {saved.gates + t * B * gateWidth, gateWidth}, part,
                     {dw.inputWeights, input.width});
      });
    sum(dw.inputBias, saved.gates, gateWidth, gateWidth);
    std::copy_n(dw.inputBias, gateWidth, dw.recurrentBias);
    if (used)
      collectStates(d, h0, saved.states);
    if (p.mode == Mode::Gru) {
      recurrent(dw.recurrentWeights, saved.gates, gateWidth, 2 * H, d, h0, saved.states);
      recurrent(dw.recurrentWeights + 2 * H * P, saved.linear, H, H, d, h0, saved.states);
      sum(dw.recurrentBias + 2 * H, saved.linear, H, H);
    } else {
      recurrent(dw.recurrentWeights, saved.gates, gateWidth, gateWidth, d, h0, saved.states);
    }
    if (dw.projection)
      k.multiplyAT(P, H, rows, {saved.delta, P}, {saved.hidden, H}, {dw.projection, H});
  }
};

template <typename A> Status HostRnnPlan<A>::backwardWeights(const RunContext &context, const RnnBackwardWeights &a) {
  Cuts cuts;
  RNNRT_TRY(checkBackwardWeightsOperands(p, a.x, a.h0));
  RNNRT_TRY(checkParamsElements(layout.elements, a.paramsElements));
  RNNRT_TRY(readSequences(a.lengths, context, cuts));
  RNNRT_TRY(checkReserve(a.reserve, a.reserveBytes, cuts, ReserveHeader::Consumed));
  if (!a.dparams)
    return Status(); // not requested

  Scratch scratch(*pool);
  WeightsRun run(*this, cuts, scratch);
  const int64_t D = p.directions(), B = p.batch, P = p.projection;
  const A *h0 = asOperand<A>(a.h0, p.dtype, p.layers * D * B * P, scratch);
  ResultBuffer<A> dparams(a.dparams, p.dtype, layout.elements, scratch);
  std::fill_n(dparams.data(), layout.elements, A(0));
  const Sequence<const A> x = maskedOperand(a.x, p.input, cuts.lengths, scratch);
  A *dropped = p.drops() ? scratch.get<A>(rows() * outputWidth()) : nullptr;
  const auto &header = *static_cast<const ReserveHeader *>(a.reserve);

  for (int64_t layer = 0; layer < p.layers; ++layer) {
    Sequence<const A> input = x;
    if (layer > 0)
      input = timeMajor(savedOf(a.reserve, layer - 1, 0).states, outputWidth());
    if (layer > 0 && dropped) {
      const A scale = p.dropout < 1 ? A(1 / (1 - p.dropout)) : A(0);
      DropoutMask(p.dropoutSeed(), p.dropout, header.draw, layer - 1)
          .apply(dropped, input.data, 0, rows() * outputWidth(), scale);
      input.data = dropped;
    }
    for (int64_t d = 0; d < D; ++d) {
      const int64_t pseudo = layer * D + d;
      const LayerParams<const A> where = paramsOf(dparams.data(), pseudo);
      auto writable = [](const A *pointer) { return const_cast<A *>(pointer); };
      run.pseudoLayer({writable(where.inputWeights), writable(where.recurrentWeights), writable(where.projection),
                       writable(where.inputBias), writable(where.recurrentBias)},
                      d, input, h0 + pseudo * B * P, savedOf(a.reserve, layer, d));
    }
  }
  dparams.finish();
  return Status();
}

template Status rnnrt::HostRnnPlan<float>::backwardWeights(const RunContext &, const RnnBackwardWeights &);
template Status rnnrt::HostRnnPlan<double>::backwardWeights(const RunContext &, const RnnBackwardWeights &);
