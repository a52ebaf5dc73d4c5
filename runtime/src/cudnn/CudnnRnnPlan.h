// CudnnRnnPlan.h - a network on cuDNN. Creation, checks and parameters are in CudnnRnnPlan.cpp, the passes in files of
// their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNRNNPLAN_H
#define RNNRT_CUDNN_CUDNNRNNPLAN_H

#include "core/Plan.h"
#include "core/RnnChecks.h"
#include "cudnn/CudnnContext.h"
#include "cudnn/CudnnSequences.h"
#include "cudnn/CudnnWeights.h"

#include <atomic>

namespace rnnrt::cudnn {

/// One algorithm made ready: RNN descriptors, one for each call that runs at the same time. (Sharing one would do for
/// most calls, but nothing says that cuDNN only reads it.)
class Engine {
public:
  /// A descriptor for the time of a call.
  class Lease {
  public:
    Lease() = default;
    Lease(const Lease &) = delete;
    ~Lease();
    RnnDescriptor get() const { return owner.get(); }

  private:
    friend class Engine;
    Engine *engine = nullptr;
    RnnOwner owner;
  };

  Engine(CudnnContext &context, const RnnProblem &problem, Choice choice, DropoutDescriptor dropout)
      : choice(choice), context(context), p(problem), dropout(dropout) {}

  /// UNIMPLEMENTED when the algorithm cannot do the problem.
  Status acquire(Handle handle, bool capturing, Lease &lease);
  /// Fills the sizes that cuDNN wants for `sequences`.
  Status querySizes(Handle handle, RnnDescriptor descriptor, Sequences &sequences) const;

  const Choice choice;

private:
  CudnnContext &context;
  const RnnProblem &p;
  const DropoutDescriptor dropout;
  std::mutex mutex;
  std::vector<RnnOwner> idle;
  size_t lent = 0;
};

class CudnnRnnPlan final : public RnnPlan {
public:
  CudnnRnnPlan(std::shared_ptr<CudnnContext> context, const RnnProblem &problem);
  ~CudnnRnnPlan() override;
  /// Asks cuDNN for everything that the problem needs, and chooses the algorithm; before anything else.
  Status prepare();

  const char *algorithm() const override { return algorithmName(engine()->choice.algorithm); }
  int64_t paramsSize() const override;
  int64_t reserveSize() const override;
  Status forward(const RunContext &context, const RnnForward &arguments) override;
  Status backwardData(const RunContext &context, const RnnBackwardData &arguments) override;
  Status backwardWeights(const RunContext &context, const RnnBackwardWeights &arguments) override;
  Status packParams(const RunContext &context, int64_t numWeights, int64_t numBiases, const void *const *tensors,
                    const int64_t *elements, void *params, int64_t paramsElements) override;
  Status unpackParams(const RunContext &context, int64_t numWeights, int64_t numBiases, void *const *tensors,
                      const int64_t *elements, const void *params, int64_t paramsElements) override;

private:
  friend class Run;
  enum Step { Forward, BackwardData, BackwardWeights, numSteps };

  /// What the device may still be using when the plan ends.
  struct Shared {
    std::shared_ptr<DropoutGenerator> generator;
    std::unique_ptr<Engine> standard;   ///< for sequences of several lengths, and what any other is compared with
    std::unique_ptr<Engine> persistent; ///< for sequences that all have T steps; null: `standard` does them
    TensorOwner hidden, cell;
    std::shared_ptr<Sequences> full;
    SequenceCache sequences;
  };

  Engine *engine() const { return shared->persistent ? shared->persistent.get() : shared->standard.get(); }
  /// Makes `candidate` ready and tries it. UNIMPLEMENTED or UNAVAILABLE: it cannot do this problem.
  Status tryAlgorithm(RnnAlgo candidate, bool tf32, DropoutDescriptor dropout, Handle handle, cuda::CUstream stream);
  /// Runs the three steps once on zeros, which shows what only a run shows.
  Status probe(Engine::Lease &rnn, Handle handle, Sequences &sequences, cuda::CUstream stream);
  Status chooseAlgorithm(Handle handle, cuda::CUstream stream);
  /// Reads the lengths and finds or makes their descriptors.
  Status takeSequences(const int32_t *lengths, cuda::CUstream stream, bool capturing, Handle handle,
                       std::shared_ptr<const Sequences> &sequences);

  Status checkReserve(const void *reserve, int64_t bytes) const;
  /// RNNRT_CHECK=1: the header behind cuDNN's part of the reserve. Both wait for the stream.
  Status writeHeader(cuda::CUstream stream, void *reserve, const Sequences &sequences, uint32_t state) const;
  Status checkHeader(cuda::CUstream stream, const void *reserve, const Sequences &sequences, uint32_t state) const;
  Status check(Result result, const char *what) const { return context->library->check(result, what); }
  const CudnnApi &api() const { return context->library->api(); }

  int64_t outputWidth() const { return p.directions() * p.projection; }
  int64_t points() const { return p.steps * p.batch; }
  int64_t elementSize() const { return rnnrt_dtype_size(p.dtype); }

  const RnnProblem p;
  const uint64_t keyHash;
  const std::shared_ptr<CudnnContext> context;
  std::shared_ptr<Shared> shared;
  WeightLayout layout;
  int64_t reserveBytes = 0; ///< cuDNN's part
  bool checking = false;
  /// Steps that ran outside a capture: cuDNN loads device code at the first run, which cannot be captured.
  std::atomic<bool> warm[numSteps] = {};
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNRNNPLAN_H
