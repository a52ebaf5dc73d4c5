// RnnChecks.cpp - checks of the operands of a network's plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/RnnChecks.h"
#include "core/Environment.h"
#include "rnn_runtime/abi.h"

using namespace rnnrt;

ReserveHeader ReserveHeader::written(uint32_t lowering, uint64_t problem, uint64_t lengths) {
  ReserveHeader header{};
  header.magic = magicValue;
  header.abiVersion = RNNRT_ABI_VERSION;
  header.lowering = lowering;
  header.problem = problem;
  header.lengths = lengths;
  header.state = Written;
  return header;
}

bool rnnrt::isCheckingEnabled() {
  return readFlag("RNNRT_CHECK", false);
}

Status ReserveHeader::check(uint32_t lowering, uint64_t problem, uint64_t lengths, uint32_t required) const {
  if (magic != magicValue)
    return failedPrecondition("`reserve` was not written by a training forward pass");
  if (abiVersion != RNNRT_ABI_VERSION || this->lowering != lowering)
    return failedPrecondition("`reserve` was written by another lowering or version of the runtime; run the forward "
                              "pass again with this one");
  if (this->problem != problem)
    return failedPrecondition("`reserve` was written by the forward pass of another problem");
  if (this->lengths != lengths)
    return failedPrecondition("`reserve` was written by a forward pass with other `lengths` or `resets`");
  if (state != Written && state != Consumed)
    return failedPrecondition("`reserve` was not finished by its forward pass");
  if (required == Written && state == Consumed)
    return failedPrecondition("`reserve` was consumed by an earlier backward_data; copy it before, or run the forward "
                              "pass again");
  if (required == Consumed && state == Written)
    return failedPrecondition("backward_weights reads what backward_data leaves in `reserve`, and that did not run");
  return Status();
}

Status rnnrt::checkParamsElements(int64_t expected, int64_t elements) {
  if (elements != expected)
    return invalidArgument("expects `params` to have %lld elements, but got %lld [C7]", (long long)expected,
                           (long long)elements);
  return Status();
}

Status rnnrt::checkReserveBytes(int64_t expected, int64_t bytes) {
  if (bytes == expected)
    return Status();
  const char *hint = bytes ? "" : "; a forward pass with is_training = false saves nothing";
  return invalidArgument("expects `reserve` to have %lld bytes, but got %lld%s", (long long)expected, (long long)bytes,
                         hint);
}

Status rnnrt::checkLengths(const RnnProblem &p, const int32_t *values, bool &full) {
  full = true;
  for (int64_t b = 0; b < p.batch; ++b) {
    if (values[b] < 0 || values[b] > p.steps)
      return invalidArgument("expects element %lld of `lengths` to be in [0, T = %lld], but got %d", (long long)b,
                             (long long)p.steps, values[b]);
    full = full && values[b] == p.steps;
  }
  return Status();
}

uint64_t rnnrt::hashSequences(const RnnProblem &p, const int32_t *lengths, const Resets &resets) {
  uint64_t hash = lengths ? hashBytes(lengths, size_t(p.batch) * sizeof(int32_t)) : 0;
  if (!resets.marks)
    return hash;
  hash += 1 + resets.toInitial;
  if (!p.batchMajor)
    return hashBytes(resets.marks, size_t(p.steps * p.batch), hash);
  for (int64_t t = 0; t < p.steps; ++t)
    for (int64_t b = 0; b < p.batch; ++b)
      hash = hashBytes(resets.marks + b * p.steps + t, 1, hash);
  return hash;
}

std::vector<int64_t> rnnrt::canonicalSizes(const RnnProblem &p) {
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

Status rnnrt::checkCanonical(const RnnProblem &p, int64_t paramsSize, int64_t numWeights, int64_t numBiases,
                             const void *const *tensors, const int64_t *elements, const void *params,
                             int64_t paramsElements) {
  const int64_t pseudoLayers = p.layers * p.directions();
  const int64_t weights = pseudoLayers * (2 * p.gates() + p.projected()), biases = pseudoLayers * 2 * p.gates();
  if (numWeights != weights)
    return invalidArgument("expects %lld weights, but got %lld", (long long)weights, (long long)numWeights);
  if (numBiases != biases)
    return invalidArgument("expects %lld biases, but got %lld", (long long)biases, (long long)numBiases);
  RNNRT_TRY(checkParamsElements(paramsSize, paramsElements));
  RNNRT_REQUIRE(tensors, "tensors");
  RNNRT_REQUIRE(elements, "elements");
  RNNRT_REQUIRE(params, "params");
  const std::vector<int64_t> sizes = canonicalSizes(p);
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

Status rnnrt::checkForwardOperands(const RnnProblem &p, const void *x, const void *h0, const void *c0,
                                   const void *params) {
  RNNRT_REQUIRE(x, "x");
  RNNRT_REQUIRE(h0, "h0");
  if (p.isLstm())
    RNNRT_REQUIRE(c0, "c0");
  RNNRT_REQUIRE(params, "params");
  return Status();
}

static Status checkTraining(const RnnProblem &p) {
  if (!p.training)
    return failedPrecondition("a backward pass needs a plan made with training = 1");
  return Status();
}

Status rnnrt::checkBackwardDataOperands(const RnnProblem &p, const void *h0, const void *c0, const void *params,
                                        const void *dy, const void *dhn, const void *dcn) {
  RNNRT_TRY(checkTraining(p));
  RNNRT_REQUIRE(h0, "h0");
  RNNRT_REQUIRE(params, "params");
  RNNRT_REQUIRE(dy, "dy");
  RNNRT_REQUIRE(dhn, "dhn");
  if (p.isLstm()) {
    RNNRT_REQUIRE(c0, "c0");
    RNNRT_REQUIRE(dcn, "dcn");
  }
  return Status();
}

Status rnnrt::checkBackwardWeightsOperands(const RnnProblem &p, const void *x, const void *h0) {
  RNNRT_TRY(checkTraining(p));
  RNNRT_REQUIRE(x, "x");
  RNNRT_REQUIRE(h0, "h0");
  return Status();
}
