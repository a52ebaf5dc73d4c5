// CudnnRnnPlan.h - the cuDNN plan of a stack of recurrent layers. CudnnRnnPlan.cpp defines creation, checks and
// parameters; each pass has a file of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNRNNPLAN_H
#define RNNRT_CUDNN_CUDNNRNNPLAN_H

#include "core/Plan.h"
#include "core/RnnChecks.h"
#include "cudnn/CudnnAlgorithm.h"
#include "cudnn/CudnnContext.h"
#include "cudnn/CudnnSequences.h"
#include "cudnn/CudnnWeights.h"

#include <atomic>

namespace rnnrt::cudnn {

/// One algorithm with a pool of RNN descriptors, one per concurrent call. Calls do not share a descriptor, because
/// cuDNN does not document that it only reads it.
class Engine {
public:
  /// A descriptor for the duration of a call.
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

  Engine(CudnnContext &context, const RnnProblem &problem, RnnConfig config, DropoutDescriptor dropout)
      : config(config), context(context), p(problem), dropout(dropout) {}

  /// Returns UNIMPLEMENTED if the algorithm does not support the problem.
  Status acquire(Handle handle, bool capturing, Lease &lease);
  /// Queries the workspace and reserve sizes of `sequences`.
  Status querySizes(Handle handle, RnnDescriptor descriptor, Sequences &sequences) const;

  const RnnConfig config;

private:
  CudnnContext &context;
  const RnnProblem &p;
  const DropoutDescriptor dropout;
  std::mutex mutex;
  std::vector<RnnOwner> idle;
  size_t leased = 0;
};

class CudnnRnnPlan final : public RnnPlan {
public:
  CudnnRnnPlan(std::shared_ptr<CudnnContext> context, const RnnProblem &problem);
  ~CudnnRnnPlan() override;
  /// Creates the descriptors, queries the sizes and selects the algorithm. Must precede every other function.
  Status prepare();

  const char *algorithm() const override { return algorithmName(engine()->config.algorithm); }
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

  /// Objects that the device may still use after the plan is destroyed.
  struct Shared {
    std::shared_ptr<DropoutGenerator> generator;
    std::unique_ptr<Engine> standard; ///< for sequences of different lengths, and the reference of the parameter layout
    std::unique_ptr<Engine> persistent; ///< for sequences of T steps; null: `standard` runs them
    TensorOwner hidden, cell;
    std::shared_ptr<Sequences> full;
    SequenceCache sequences;
  };

  Engine *engine() const { return shared->persistent ? shared->persistent.get() : shared->standard.get(); }
  /// Prepares and probes `candidate`. Returns UNIMPLEMENTED or UNAVAILABLE if it does not support the problem.
  Status tryAlgorithm(RnnAlgo candidate, const Preferences &preferences, DropoutDescriptor dropout, Handle handle,
                      cuda::CUstream stream);
  /// Runs all passes once with zero operands, because cuDNN reports some unsupported cases only at execution.
  Status probe(Engine::Lease &rnn, Handle handle, Sequences &sequences, cuda::CUstream stream);
  Status selectAlgorithm(const Preferences &preferences, Handle handle, cuda::CUstream stream);
  /// Reads the lengths and finds or creates their descriptors.
  Status readSequences(const int32_t *lengths, cuda::CUstream stream, bool capturing, bool refusesWaits, Handle handle,
                       std::shared_ptr<const Sequences> &sequences);

  Status checkReserve(const void *reserve, int64_t bytes) const;
  /// RNNRT_CHECK=1: write or check the header that follows cuDNN's part of the reserve space. Both wait for the stream.
  Status writeHeader(cuda::CUstream stream, void *reserve, const Sequences &sequences, uint32_t state) const;
  Status checkHeader(cuda::CUstream stream, const void *reserve, const Sequences &sequences, uint32_t state) const;
  Status check(Result result, const char *what) const { return context->library->check(result, what); }
  const CudnnApi &api() const { return context->library->api(); }

  int64_t outputWidth() const { return p.directions() * p.projection; }
  int64_t rows() const { return p.steps * p.batch; }
  int64_t elementSize() const { return rnnrt_dtype_size(p.dtype); }

  const RnnProblem p;
  const uint64_t keyHash;
  const std::shared_ptr<CudnnContext> context;
  std::shared_ptr<Shared> shared;
  WeightLayout layout;
  int64_t reserveBytes = 0; ///< of cuDNN's part
  bool checking = false;
  bool packed = false; ///< RNNRT_CUDNN_PACKED
  /// Passes that have run outside a capture. cuDNN loads device code in the first run, which cannot be captured.
  std::atomic<bool> warm[numSteps] = {};
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNRNNPLAN_H
