// Plan.h - the interface of plans, which a backend implements. A plan runs any number of times from any thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_PLAN_H
#define RNNRT_CORE_PLAN_H

#include "core/Problem.h"

#include <string>

namespace rnnrt {
class RnnPlan;
class BlockLstmPlan;
} // namespace rnnrt

/// The opaque type of the C API is the base of all plans.
struct rnnrt_plan {
  explicit rnnrt_plan(std::string key) : key(std::move(key)) {}
  virtual ~rnnrt_plan() = default;
  rnnrt_plan(const rnnrt_plan &) = delete;

  virtual rnnrt::RnnPlan *asRnn() { return nullptr; }
  virtual rnnrt::BlockLstmPlan *asBlockLstm() { return nullptr; }
  /// Whether the passes apply RunContext::resets. Otherwise the entries reject them.
  virtual bool hasResets() const { return false; }
  /// Static string.
  virtual const char *algorithm() const { return "reference"; }

  /// Dropout draws of a plan that counts them itself; the first one is that of `startDraws`.
  virtual uint64_t numDraws() const { return 0; }
  virtual void startDraws(uint64_t) {}

  const std::string key;
};

namespace rnnrt {

using Plan = ::rnnrt_plan;

/// Marks of the steps before which the states are reset (docs/Semantics.md, "Resets").
struct Resets {
  const uint8_t *marks = nullptr; ///< [T,B], or [B,T] in batch-major data, in memory of the device; null: none
  bool toInitial = false;         ///< to the initial states instead of zero
};

/// The parts of a call that a plan uses.
struct RunContext {
  rnnrt_stream_t *stream = nullptr;
  int64_t dropoutDraw = -1;  ///< -1: the next draw
  Resets resets = {};        ///< of one pass
  bool refusesWaits = false; ///< RNNRT_HOST_WAITS_REFUSED
};

/// Operands and results as abi.def lists them; sizes follow from the plan.
struct RnnForward {
  const int32_t *lengths;
  const void *x, *h0, *c0, *params;
  int64_t paramsElements;
  void *y, *hn, *cn, *reserve;
  int64_t reserveBytes;
};

struct RnnBackwardData {
  const int32_t *lengths;
  const void *x, *h0, *c0, *params;
  int64_t paramsElements;
  const void *y, *dy, *dhn, *dcn;
  void *dx, *dh0, *dc0, *reserve;
  int64_t reserveBytes;
};

struct RnnBackwardWeights {
  const int32_t *lengths;
  const void *x, *h0, *y;
  void *dparams;
  int64_t paramsElements;
  void *reserve;
  int64_t reserveBytes;
};

/// The pass that compiled kernels are about to run.
enum class FusedPass : int32_t { Inference = 0, Training = 1, Backward = 2 };

struct RnnBegin {
  FusedPass pass;
  const int32_t *lengths;
  int64_t paramsElements;
  void *reserve;
  int64_t reserveBytes;
};

struct BlockForward {
  int64_t seqLenMax;
  const void *x, *csPrev, *hPrev, *w, *wci, *wcf, *wco, *b;
  void *i, *cs, *f, *o, *ci, *co, *h;
};

struct BlockBackward {
  int64_t seqLenMax;
  const void *x, *csPrev, *hPrev, *w, *wci, *wcf, *wco, *b;
  const void *i, *cs, *f, *o, *ci, *co, *h, *csGrad, *hGrad;
  void *dx, *dcsPrev, *dhPrev, *dw, *dwci, *dwcf, *dwco, *db;
};

class RnnPlan : public Plan {
public:
  using Plan::Plan;
  RnnPlan *asRnn() final { return this; }

  virtual int64_t paramsSize() const = 0;  ///< elements
  virtual int64_t reserveSize() const = 0; ///< bytes
  /// For compiled kernels: checks their operands. A training forward pass writes the header of the reserve space; a
  /// backward pass checks it.
  virtual Status begin(const RunContext &, const RnnBegin &) {
    return invalidArgument("expects a plan of rnnrt_abi_rnn_fused_plan");
  }
  virtual Status forward(const RunContext &context, const RnnForward &arguments) = 0;
  virtual Status backwardData(const RunContext &context, const RnnBackwardData &arguments) = 0;
  virtual Status backwardWeights(const RunContext &context, const RnnBackwardWeights &arguments) = 0;
  virtual Status packParams(const RunContext &context, int64_t numWeights, int64_t numBiases,
                            const void *const *tensors, const int64_t *elements, void *params,
                            int64_t paramsElements) = 0;
  virtual Status unpackParams(const RunContext &context, int64_t numWeights, int64_t numBiases, void *const *tensors,
                              const int64_t *elements, const void *params, int64_t paramsElements) = 0;
};

class BlockLstmPlan : public Plan {
public:
  using Plan::Plan;
  BlockLstmPlan *asBlockLstm() final { return this; }

  virtual Status forward(const RunContext &context, const BlockForward &arguments) = 0;
  virtual Status backward(const RunContext &context, const BlockBackward &arguments) = 0;
};

} // namespace rnnrt

#endif // RNNRT_CORE_PLAN_H
