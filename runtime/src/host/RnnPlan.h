// RnnPlan.h - the host plan of a stack of recurrent layers, one instantiation per accumulation type A. Each pass has a
// file of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_RNNPLAN_H
#define RNNRT_HOST_RNNPLAN_H

#include "core/Memory.h"
#include "core/Plan.h"
#include "core/RnnLayouts.h"
#include "host/Convert.h"
#include "host/Kernels.h"
#include "host/Sequences.h"

#include <atomic>

namespace rnnrt {

/// The parameters of one pseudo layer, or their gradients.
template <typename A> struct LayerParams {
  A *inputWeights, *recurrentWeights, *projection, *inputBias, *recurrentBias;
};

/// The saved tensors of one direction of one layer (see ReserveLayout).
template <typename A> struct Saved {
  A *gates = nullptr, *cell = nullptr, *linear = nullptr, *hidden = nullptr, *delta = nullptr;
  A *states = nullptr; ///< of both directions, [T,B,D*P]
};

template <typename A> class HostRnnPlan final : public RnnPlan {
public:
  HostRnnPlan(const RnnProblem &problem, std::shared_ptr<MemoryPool> pool)
      : RnnPlan(problem.describe()), p(problem), pool(std::move(pool)), keyHash(problem.hashReserve()) {}
  /// Computes the layouts. Must precede every other function.
  Status prepare();

  uint64_t numDraws() const override { return draws.load(); }
  void startDraws(uint64_t first) override { draws.store(first); }
  int64_t paramsSize() const override { return layout.elements; }
  int64_t reserveSize() const override { return p.training ? reserveLayout.bytes : 0; }
  bool hasResets() const override { return true; }
  Status forward(const RunContext &context, const RnnForward &arguments) override;
  Status backwardData(const RunContext &context, const RnnBackwardData &arguments) override;
  Status backwardWeights(const RunContext &context, const RnnBackwardWeights &arguments) override;
  Status packParams(const RunContext &context, int64_t numWeights, int64_t numBiases, const void *const *tensors,
                    const int64_t *elements, void *params, int64_t paramsElements) override;
  Status unpackParams(const RunContext &context, int64_t numWeights, int64_t numBiases, void *const *tensors,
                      const int64_t *elements, const void *params, int64_t paramsElements) override;

private:
  struct ForwardRun;
  struct BackwardRun;
  struct WeightsRun;

  /// Rows of a sequence tensor: T*B.
  int64_t rows() const { return p.steps * p.batch; }
  /// Elements per row of all gates: G*H.
  int64_t gateWidth() const { return p.gates() * p.hidden; }
  /// Elements per row of a layer's output: D*P.
  int64_t outputWidth() const { return p.directions() * p.projection; }
  /// The time step that direction `d` processes in iteration `s`.
  int64_t stepAt(int64_t d, int64_t s) const { return d ? p.steps - 1 - s : s; }
  /// Reads the lengths and the resets of a run.
  Status readSequences(const int32_t *lengths, const RunContext &context, Cuts &cuts) const;
  /// Checks the size, the alignment and, unless `state` is 0, the header.
  Status checkReserve(const void *reserve, int64_t bytes, const Cuts &cuts, uint32_t state) const;
  uint64_t hashSequences(const Cuts &cuts) const;
  LayerParams<const A> paramsOf(const A *params, int64_t pseudo) const;
  Saved<A> savedOf(void *reserve, int64_t layer, int64_t direction) const;

  RowOrder order() const { return {p.steps, p.batch, p.batchMajor}; }
  /// Rows of a tensor of the plan's own, which is time-major.
  Sequence<const A> timeMajor(const A *data, int64_t width) const { return {data, width, {p.steps, p.batch}}; }
  /// Returns an operand of T*B rows as A. Padding is zero; `source` is not read there.
  Sequence<const A> maskedOperand(const void *source, int64_t width, const Lengths &lengths, Scratch &scratch) const;

  const RnnProblem p;
  const std::shared_ptr<MemoryPool> pool;
  const uint64_t keyHash;
  ParamsLayout layout;
  ReserveLayout reserveLayout;
  /// Number of dropout draws; each training forward uses the next one.
  std::atomic<uint64_t> draws{0};
};

} // namespace rnnrt

#endif // RNNRT_HOST_RNNPLAN_H
