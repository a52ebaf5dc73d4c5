// RnnPlan.cpp - the host plan of a stack of recurrent layers: creation, operand checks and the parameter buffer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/RnnPlan.h"
#include "host/HostPlans.h"

#include <algorithm>

using namespace rnnrt;

Status rnnrt::createHostRnnPlan(const RnnProblem &problem, std::shared_ptr<MemoryPool> pool,
                                std::shared_ptr<Plan> &plan) {
  auto prepare = [&](auto made) {
    RNNRT_TRY(made->prepare());
    plan = std::move(made);
    return Status();
  };
  if (problem.dtype == RNNRT_DTYPE_F64)
    return prepare(std::make_shared<HostRnnPlan<double>>(problem, std::move(pool)));
  return prepare(std::make_shared<HostRnnPlan<float>>(problem, std::move(pool)));
}

template <typename A> Status HostRnnPlan<A>::prepare() {
  RNNRT_TRY(layout.make(p));
  return reserveLayout.make(p, sizeof(A));
}

//===-- Checks ---------------------------------------------------------------------------------------------------===//

template <typename A>
Status HostRnnPlan<A>::readSequences(const int32_t *lengths, const RunContext &context, Cuts &cuts) const {
  bool full = true;
  if (lengths)
    RNNRT_TRY(checkLengths(p, lengths, full));
  cuts = {context.resets, {full ? nullptr : lengths}, p.steps, p.batch, order()};
  return Status();
}

template <typename A> uint64_t HostRnnPlan<A>::hashSequences(const Cuts &cuts) const {
  return rnnrt::hashSequences(p, cuts.lengths.values, cuts.resets);
}

template <typename A>
Status HostRnnPlan<A>::checkReserve(const void *reserve, int64_t bytes, const Cuts &cuts, uint32_t state) const {
  RNNRT_TRY(checkReserveBytes(reserveSize(), bytes));
  if (bytes == 0)
    return Status();
  RNNRT_REQUIRE(reserve, "reserve");
  if (reinterpret_cast<uintptr_t>(reserve) % alignof(ReserveHeader))
    return invalidArgument("expects `reserve` to be aligned to %d bytes", int(alignof(ReserveHeader)));
  if (!state)
    return Status();

  return static_cast<const ReserveHeader *>(reserve)->check(ReserveHeader::loweringHost, keyHash, hashSequences(cuts),
                                                            state);
}

//===-- Views ----------------------------------------------------------------------------------------------------===//

template <typename A> LayerParams<const A> HostRnnPlan<A>::paramsOf(const A *params, int64_t pseudo) const {
  const ParamsLayout::PseudoLayer &where = layout.layers[size_t(pseudo)];
  const bool skips = p.skipInput && pseudo < p.directions();
  return {skips ? nullptr : params + where.inputWeights, params + where.recurrentWeights,
          p.projected() ? params + where.projection : nullptr, params + where.inputBias, params + where.recurrentBias};
}

template <typename A> Saved<A> HostRnnPlan<A>::savedOf(void *reserve, int64_t layer, int64_t direction) const {
  A *base = reinterpret_cast<A *>(static_cast<char *>(reserve) + sizeof(ReserveHeader));
  const ReserveLayout::PseudoLayer &where = reserveLayout.pseudo[size_t(layer * p.directions() + direction)];
  return {base + where.gates,  base + where.cell,  base + where.linear,
          base + where.hidden, base + where.delta, base + reserveLayout.states[size_t(layer)]};
}

template <typename A>
Sequence<const A> HostRnnPlan<A>::maskedOperand(const void *source, int64_t width, const Lengths &lengths,
                                                Scratch &scratch) const {
  if (!lengths.values)
    return asSequence<A>(source, p.dtype, width, order(), p.steps, scratch);
  A *target = scratch.get<A>(rows() * width);
  for (int64_t t = 0; t < p.steps; ++t)
    for (int64_t b = 0; b < p.batch; ++b) {
      const int64_t row = (t * p.batch + b) * width;
      if (lengths.padded(t, b))
        std::fill_n(target + row, width, A(0));
      else
        load(target + row, source, p.dtype, order().row(t, b) * width, width);
    }
  return timeMajor(target, width);
}

//===-- The parameter buffer -------------------------------------------------------------------------------------===//

static Status copyBytes(void *target, const void *source, int64_t bytes) {
  std::memcpy(target, source, size_t(bytes));
  return Status();
}

template <typename A>
Status HostRnnPlan<A>::packParams(const RunContext &, int64_t numWeights, int64_t numBiases, const void *const *tensors,
                                  const int64_t *elements, void *params, int64_t paramsElements) {
  return packCanonical(p, layout.elements, numWeights, numBiases, tensors, elements, params, paramsElements, copyBytes);
}

template <typename A>
Status HostRnnPlan<A>::unpackParams(const RunContext &, int64_t numWeights, int64_t numBiases, void *const *tensors,
                                    const int64_t *elements, const void *params, int64_t paramsElements) {
  return unpackCanonical(p, layout.elements, numWeights, numBiases, tensors, elements, params, paramsElements,
                         copyBytes);
}

template class rnnrt::HostRnnPlan<float>;
template class rnnrt::HostRnnPlan<double>;
