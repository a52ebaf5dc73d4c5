// FusedRnnPlan.cpp - the checks, sizes and parameter copies around fused kernels, the same for every device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/FusedRnnPlan.h"
#include "core/RnnLayouts.h"

#include <atomic>
#include <vector>

using namespace rnnrt;

namespace {

class FusedRnnPlan final : public RnnPlan {
  auto copyOn(const RunContext &context) {
    return [this, &context](void *target, const void *source, int64_t bytes) {
      return memory->copy(context.stream, target, source, bytes);
    };
  }

public:
  FusedRnnPlan(const RnnProblem &problem, std::unique_ptr<FusedMemory> memory)
      : RnnPlan(problem.describe()), p(problem), memory(std::move(memory)), keyHash(problem.hashReserve()) {}

  Status prepare() {
    RNNRT_TRY(layout.make(p));
    return reserveLayout.make(p, p.dtype == RNNRT_DTYPE_F64 ? 8 : 4);
  }

  const char *algorithm() const override { return "fused"; }
  uint64_t numDraws() const override { return draws.load(); }
  void startDraws(uint64_t first) override { draws.store(first); }
  int64_t paramsSize() const override { return layout.elements; }
  int64_t reserveSize() const override { return p.training ? reserveLayout.bytes : 0; }
  bool hasResets() const override { return true; } // compiled code applies them

  Status begin(const RunContext &context, const RnnBegin &a) override {
    RNNRT_TRY(checkParamsElements(layout.elements, a.paramsElements));
    if (p.training != (a.pass != FusedPass::Inference))
      return failedPrecondition(p.training ? "an inference needs a plan made with training = 0"
                                           : "a training or backward pass needs a plan made with training = 1");
    RNNRT_TRY(checkReserveBytes(reserveSize(), a.reserveBytes));
    bool canWait = true;
    if (a.lengths || memory->checksHeaders())
      RNNRT_TRY(memory->canWait(context, canWait));
    uint64_t lengths = 0;
    if (canWait && (a.lengths || (context.resets.marks && memory->checksHeaders())))
      RNNRT_TRY(takeSequences(context, a.lengths, lengths));
    if (!p.training)
      return Status();

    RNNRT_REQUIRE(a.reserve, "reserve");
    if (reinterpret_cast<uintptr_t>(a.reserve) % 16)
      return invalidArgument("expects `reserve` to be aligned to 16 bytes");
    ReserveHeader header{};
    if (a.pass == FusedPass::Training) {
      header = ReserveHeader::written(ReserveHeader::loweringHost, keyHash, lengths);
      if (p.drops())
        header.draw = context.dropoutDraw >= 0 ? uint64_t(context.dropoutDraw) : draws.fetch_add(1);
      return memory->copy(context.stream, a.reserve, &header, sizeof(header));
    }
    if (!memory->checksHeaders() || !canWait)
      return Status();
    RNNRT_TRY(memory->copy(context.stream, &header, a.reserve, sizeof(header)));
    RNNRT_TRY(memory->wait(context.stream));
    // Fused kernels only read the reserve space, so its state stays `Written`.
    return header.check(ReserveHeader::loweringHost, keyHash, lengths, ReserveHeader::Written);
  }

  Status forward(const RunContext &, const RnnForward &) override { return hasNoPasses(); }
  Status backwardData(const RunContext &, const RnnBackwardData &) override { return hasNoPasses(); }
  Status backwardWeights(const RunContext &, const RnnBackwardWeights &) override { return hasNoPasses(); }

  Status packParams(const RunContext &context, int64_t numWeights, int64_t numBiases, const void *const *tensors,
                    const int64_t *elements, void *params, int64_t paramsElements) override {
    return packCanonical(p, layout.elements, numWeights, numBiases, tensors, elements, params, paramsElements,
                         copyOn(context));
  }

  Status unpackParams(const RunContext &context, int64_t numWeights, int64_t numBiases, void *const *tensors,
                      const int64_t *elements, const void *params, int64_t paramsElements) override {
    return unpackCanonical(p, layout.elements, numWeights, numBiases, tensors, elements, params, paramsElements,
                           copyOn(context));
  }

private:
  static Status hasNoPasses() {
    return invalidArgument("a plan of rnnrt_abi_rnn_fused_plan runs no passes; use one of rnnrt_abi_rnn_plan");
  }

  /// Checks the lengths (null: all T) and returns the hash of lengths and resets.
  Status takeSequences(const RunContext &context, const int32_t *lengths, uint64_t &hash) {
    std::vector<int32_t> values(lengths ? size_t(p.batch) : 0);
    // Devices with memory of their own check headers only if asked to: without a check, resets need no copy.
    std::vector<uint8_t> marks(context.resets.marks && memory->checksHeaders() ? size_t(p.steps * p.batch) : 0);
    RNNRT_TRY(memory->copy(context.stream, values.data(), lengths, int64_t(values.size() * sizeof(int32_t))));
    RNNRT_TRY(memory->copy(context.stream, marks.data(), context.resets.marks, int64_t(marks.size())));
    RNNRT_TRY(memory->wait(context.stream));
    bool full = true;
    if (lengths)
      RNNRT_TRY(checkLengths(p, values.data(), full));
    Resets resets = context.resets;
    resets.marks = marks.empty() ? nullptr : marks.data();
    hash = hashSequences(p, full ? nullptr : values.data(), resets);
    return Status();
  }

  const RnnProblem p;
  const std::unique_ptr<FusedMemory> memory;
  const uint64_t keyHash;
  ParamsLayout layout;
  ReserveLayout reserveLayout;
  std::atomic<uint64_t> draws{0};
};

} // namespace

Status rnnrt::createFusedRnnPlan(const RnnProblem &problem, std::unique_ptr<FusedMemory> memory,
                                 std::shared_ptr<Plan> &plan) {
  auto made = std::make_shared<FusedRnnPlan>(problem, std::move(memory));
  RNNRT_TRY(made->prepare());
  plan = std::move(made);
  return Status();
}
