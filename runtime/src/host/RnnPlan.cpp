// RnnPlan.cpp - the host's plan of a network: creation, checks of what a run is given, and the parameter buffer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/RnnPlan.h"
#include "host/HostPlans.h"
#include "rnn_runtime/abi.h"

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

template <typename A> Status HostRnnPlan<A>::checkParams(int64_t elements) const {
  if (elements != layout.elements)
    return invalidArgument("expects `params` to have %lld elements, but got %lld", (long long)layout.elements,
                           (long long)elements);
  return Status();
}

template <typename A> Status HostRnnPlan<A>::checkLengths(const int32_t *values, Lengths &lengths) const {
  lengths.values = nullptr;
  if (!values)
    return Status();
  bool full = true;
  for (int64_t b = 0; b < p.batch; ++b) {
    if (values[b] < 0 || values[b] > p.steps)
      return invalidArgument("expects element %lld of `lengths` to be in [0, T = %lld], but got %d", (long long)b,
                             (long long)p.steps, values[b]);
    full = full && values[b] == p.steps;
  }
  if (!full)
    lengths.values = values;
  return Status();
}

template <typename A> uint64_t HostRnnPlan<A>::hashLengths(const Lengths &lengths) const {
  return lengths.values ? hashBytes(lengths.values, size_t(p.batch) * sizeof(int32_t)) : 0;
}

template <typename A>
Status HostRnnPlan<A>::checkReserve(const void *reserve, int64_t bytes, const Lengths &lengths, uint32_t state) const {
  if (bytes != reserveSize())
    return invalidArgument("expects `reserve` to have %lld bytes, but got %lld", (long long)reserveSize(),
                           (long long)bytes);
  if (bytes == 0)
    return Status();
  RNNRT_REQUIRE(reserve, "reserve");
  if (reinterpret_cast<uintptr_t>(reserve) % alignof(ReserveHeader))
    return invalidArgument("expects `reserve` to be aligned to %d bytes", int(alignof(ReserveHeader)));
  if (!state)
    return Status();

  const auto &header = *static_cast<const ReserveHeader *>(reserve);
  if (header.magic != ReserveHeader::magicValue)
    return failedPrecondition("`reserve` was not written by a training forward pass");
  if (header.abiVersion != RNNRT_ABI_VERSION || header.lowering != ReserveHeader::loweringHost)
    return failedPrecondition("`reserve` was written by another lowering or version of the runtime; run the forward "
                              "pass again with this one");
  if (header.problem != keyHash)
    return failedPrecondition("`reserve` was written by the forward pass of another problem");
  if (header.lengths != hashLengths(lengths))
    return failedPrecondition("`reserve` was written by a forward pass with other `lengths`");
  if (header.state != ReserveHeader::Written && header.state != ReserveHeader::Consumed)
    return failedPrecondition("`reserve` was not finished by its forward pass");
  if (state == ReserveHeader::Written && header.state == ReserveHeader::Consumed)
    return failedPrecondition("`reserve` was consumed by an earlier backward_data; copy it before, or run the forward "
                              "pass again");
  if (state == ReserveHeader::Consumed && header.state == ReserveHeader::Written)
    return failedPrecondition("backward_weights reads what backward_data leaves in `reserve`, and that did not run");
  return Status();
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
const A *HostRnnPlan<A>::maskedOperand(const void *source, int64_t width, const Lengths &lengths,
                                       Scratch &scratch) const {
  if (!lengths.values)
    return asOperand<A>(source, p.dtype, points() * width, scratch);
  A *target = scratch.get<A>(points() * width);
  for (int64_t t = 0; t < p.steps; ++t)
    for (int64_t b = 0; b < p.batch; ++b) {
      const int64_t row = (t * p.batch + b) * width;
      if (lengths.padded(t, b))
        std::fill_n(target + row, width, A(0));
      else
        load(target + row, source, p.dtype, row, width);
    }
  return target;
}

//===-- The parameter buffer -------------------------------------------------------------------------------------===//

template <typename A> std::vector<int64_t> HostRnnPlan<A>::canonicalSizes() const {
  std::vector<int64_t> sizes;
  const int64_t pseudoLayers = p.layers * p.directions(), gates = p.gates();
  for (int64_t k = 0; k < pseudoLayers; ++k) {
    const int64_t layer = k / p.directions();
    sizes.insert(sizes.end(), size_t(gates), layer == 0 && p.skipInput ? 0 : p.hidden * p.inputOf(layer));
    sizes.insert(sizes.end(), size_t(gates), p.hidden * p.projection);
    if (p.projected())
      sizes.push_back(p.projection * p.hidden);
  }
  sizes.insert(sizes.end(), size_t(2 * gates * pseudoLayers), p.hidden);
  return sizes;
}

template <typename A>
Status HostRnnPlan<A>::checkCanonical(int64_t numWeights, int64_t numBiases, const void *const *tensors,
                                      const int64_t *elements, const void *params, int64_t paramsElements) const {
  const int64_t pseudoLayers = p.layers * p.directions();
  const int64_t weights = pseudoLayers * (2 * p.gates() + p.projected()), biases = pseudoLayers * 2 * p.gates();
  if (numWeights != weights)
    return invalidArgument("expects %lld weights, but got %lld", (long long)weights, (long long)numWeights);
  if (numBiases != biases)
    return invalidArgument("expects %lld biases, but got %lld", (long long)biases, (long long)numBiases);
  RNNRT_TRY(checkParams(paramsElements));
  RNNRT_REQUIRE(tensors, "tensors");
  RNNRT_REQUIRE(elements, "elements");
  RNNRT_REQUIRE(params, "params");
  const std::vector<int64_t> sizes = canonicalSizes();
  for (int64_t k = 0; k < weights + biases; ++k) {
    const char *kind = k < weights ? "weights" : "biases";
    const long long index = k < weights ? k : k - weights;
    if (elements[k] != sizes[size_t(k)])
      return invalidArgument("expects tensor %lld of the %s to have %lld elements, but got %lld", index, kind,
                             (long long)sizes[size_t(k)], (long long)elements[k]);
    if (sizes[size_t(k)] && !tensors[k])
      return invalidArgument("expects tensor %lld of the %s, but got a null pointer", index, kind);
  }
  return Status();
}

// The dense buffer is the canonical tensors one after the other, so both directions are copies.

template <typename A>
Status HostRnnPlan<A>::packParams(const RunContext &, int64_t numWeights, int64_t numBiases, const void *const *tensors,
                                  const int64_t *elements, void *params, int64_t paramsElements) {
  RNNRT_TRY(checkCanonical(numWeights, numBiases, tensors, elements, params, paramsElements));
  auto *target = static_cast<char *>(params);
  for (int64_t k = 0; k < numWeights + numBiases; ++k) {
    const size_t bytes = size_t(elements[k] * rnnrt_dtype_size(p.dtype));
    if (bytes)
      std::memcpy(target, tensors[k], bytes);
    target += bytes;
  }
  return Status();
}

template <typename A>
Status HostRnnPlan<A>::unpackParams(const RunContext &, int64_t numWeights, int64_t numBiases, void *const *tensors,
                                    const int64_t *elements, const void *params, int64_t paramsElements) {
  RNNRT_TRY(checkCanonical(numWeights, numBiases, tensors, elements, params, paramsElements));
  auto *source = static_cast<const char *>(params);
  for (int64_t k = 0; k < numWeights + numBiases; ++k) {
    const size_t bytes = size_t(elements[k] * rnnrt_dtype_size(p.dtype));
    if (bytes)
      std::memcpy(tensors[k], source, bytes);
    source += bytes;
  }
  return Status();
}

template class rnnrt::HostRnnPlan<float>;
template class rnnrt::HostRnnPlan<double>;
