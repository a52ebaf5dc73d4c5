// CudnnRnnPlan.cpp - the cuDNN plan of a stack of recurrent layers: creation, operand checks and the parameter buffer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnRnnPlan.h"
#include "core/Checked.h"
#include "core/Trace.h"
#include "cudnn/CudnnAlgorithm.h"
#include "cudnn/CudnnPlans.h"
#include "rnn_runtime/abi.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace rnnrt;
using namespace rnnrt::cudnn;

Status cudnn::createCudnnPlan(const std::shared_ptr<cuda::CudaDevice> &device, const RnnProblem &problem,
                              std::shared_ptr<Plan> &plan) {
  auto create = [&] {
    std::shared_ptr<CudnnContext> context;
    RNNRT_TRY(CudnnContext::get(device, context));
    auto made = std::make_shared<CudnnRnnPlan>(std::move(context), problem);
    RNNRT_TRY(made->prepare());
    plan = std::move(made);
    return Status();
  };
  Status status = create();
  if (status.ok())
    return status;
  const std::string message = std::string(rnnrt_status_message(status.get())) + "; in " + problem.describe();
  return Status(rnnrt_status_create(rnnrt_status_code(status.get()), message.c_str()));
}

Status cudnn::createCudnnPlan(const std::shared_ptr<cuda::CudaDevice> &, const BlockProblem &problem,
                              std::shared_ptr<Plan> &) {
  // cuDNN could run block LSTMs without peephole and cell_clip, with seq_len_max = T, and with cs_grad zero before the
  // last step. Only the compiler could prove the latter.
  const char *reason = problem.peephole       ? "it has no peephole connections"
                       : problem.cellClip > 0 ? "it does not return the gates that the gradient reads"
                                              : "its gradient accepts cs_grad of the last step only";
  return unimplemented(
      "cuDNN does not support block_lstm: %s; compile for target `host`, or with lowering `fused`; in %s", reason,
      problem.describe().c_str());
}

//===-- Engine ---------------------------------------------------------------------------------------------------===//

Engine::Lease::~Lease() {
  if (!engine)
    return;
  std::lock_guard<std::mutex> lock(engine->mutex);
  --engine->leased;
  engine->idle.push_back(std::move(owner)); // acquire() reserved the capacity
}

Status Engine::acquire(Handle handle, bool capturing, Lease &lease) {
  RnnOwner owner;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      owner = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!owner.get()) {
    RNNRT_TRY(makeRnn(context.library, p, config, dropout, owner));
    if (config.algorithm == RnnAlgo::PersistDynamic) {
      if (capturing)
        return failedPrecondition(
            "persist_dynamic compiles a kernel per concurrent call, which cannot be captured; run "
            "as many concurrent calls before the capture");
      RNNRT_TRY(context.library->check(context.library->api().cudnnBuildRNNDynamic(handle, owner.get(), int(p.batch)),
                                       "cudnnBuildRNNDynamic"));
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  idle.reserve(idle.size() + leased + 1); // the destructor of the lease must not allocate
  ++leased;
  lease.engine = this;
  lease.owner = std::move(owner);
  return Status();
}

Status Engine::querySizes(Handle handle, RnnDescriptor descriptor, Sequences &sequences) const {
  const ForwardMode mode = p.training ? ForwardMode::Training : ForwardMode::Inference;
  sequences.reserve = 0;
  return context.library->check(
      context.library->api().cudnnGetRNNTempSpaceSizes(handle, descriptor, mode, sequences.x.get(),
                                                       &sequences.workspace, p.training ? &sequences.reserve : nullptr),
      "cudnnGetRNNTempSpaceSizes");
}

//===-- Creation -------------------------------------------------------------------------------------------------===//

CudnnRnnPlan::CudnnRnnPlan(std::shared_ptr<CudnnContext> owner, const RnnProblem &problem)
    : RnnPlan(problem.describe()), p(problem), keyHash(hashBytes(key.data(), key.size())), context(std::move(owner)),
      shared(std::make_shared<Shared>()) {}

CudnnRnnPlan::~CudnnRnnPlan() {
  // The device may still use the descriptors.
  try {
    context->retire(shared);
  } catch (...) { // out of memory
    cuda::ContextScope scope(*context->device);
    if (scope.status.ok())
      (void)context->device->driver().cuCtxSynchronize();
  }
}

Status CudnnRnnPlan::prepare() {
  const cuda::CudaDevice &device = *context->device;
  RNNRT_TRY(checkSizes(p));
  RNNRT_TRY(context->library->checkElementType(p.dtype, device.computeCapability()));
  const Checked bytes = Checked(p.steps) * p.batch * std::max(p.input, outputWidth()) * elementSize();
  const Checked states = Checked(p.layers) * p.directions() * p.batch * p.hidden * elementSize();
  if (bytes.overflowed() || states.overflowed())
    return outOfRange("the size of a tensor in bytes exceeds 64 bits");
  checking = isCheckingEnabled();
  Preferences preferences;
  RNNRT_TRY(Preferences::read(preferences));
  packed = preferences.packed;
  if (packed && p.batchMajor)
    return unimplemented("cuDNN has no packed batch-major sequences; unset RNNRT_CUDNN_PACKED");

  cuda::ContextScope scope(device);
  RNNRT_TRY(std::move(scope.status));
  HandlePool::Lease handle;
  RNNRT_TRY(context->handles.acquire(device.defaultStream(), /*capturing=*/false, handle));
  RNNRT_TRY(makeStates(context->library, p, p.projection, shared->hidden));
  RNNRT_TRY(makeStates(context->library, p, p.hidden, shared->cell));
  shared->full = std::make_shared<Sequences>();
  RNNRT_TRY(shared->full->make(context->library, p, std::vector<int32_t>(size_t(p.batch), int32_t(p.steps)), packed));
  return selectAlgorithm(preferences, handle.get(), device.defaultStream());
}

Status CudnnRnnPlan::selectAlgorithm(const Preferences &preferences, Handle handle, cuda::CUstream stream) {
  const cuda::CudaDevice &device = *context->device;
  const RnnAlgo preferred = preferences.forced
                                ? preferences.algorithm
                                : preferredAlgorithm(p, {device.computeCapability(), device.multiprocessors()});
  DropoutDescriptor dropout = nullptr;
  if (p.drops()) {
    shared->generator = context->dropouts.get(p.dropoutSeed());
    RNNRT_TRY(shared->generator->descriptor(p.dropout, handle, stream, dropout));
  } else {
    RNNRT_TRY(context->dropouts.none(handle, dropout));
  }

  // The standard algorithm supports every problem and sequences of different lengths. It defines the layout of the
  // parameters and the size of the reserve space.
  Engine::Lease rnn;
  shared->standard =
      std::make_unique<Engine>(*context, p, RnnConfig{RnnAlgo::Standard, preferences.tf32, packed}, dropout);
  RNNRT_TRY(shared->standard->acquire(handle, /*capturing=*/false, rnn));
  RNNRT_TRY(WeightLayout::query(*context, p, rnn.get(), handle, stream, layout));
  RNNRT_TRY(shared->standard->querySizes(handle, rnn.get(), *shared->full));
  reserveBytes = int64_t(shared->full->reserve);

  std::string reason = preferences.forced ? "RNNRT_CUDNN_ALGO" : "preferred";
  if (preferred != RnnAlgo::Standard) {
    Status status = tryAlgorithm(preferred, preferences, dropout, handle, stream);
    const rnnrt_status_code_t code = rnnrt_status_code(status.get());
    // An algorithm forced by RNNRT_CUDNN_ALGO fails if unsupported; a preferred one falls back to standard.
    const bool unsupported = code == RNNRT_STATUS_UNIMPLEMENTED || code == RNNRT_STATUS_UNAVAILABLE;
    if (!status.ok() && (preferences.forced || !unsupported))
      return status;
    if (!status.ok())
      reason = std::string("instead of ") + algorithmName(preferred) + ": " + rnnrt_status_message(status.get());
  }
  if (tracing(TraceKind::Plan))
    trace("rnnrt,plan,algorithm,%s,%s,cudnn=%s,tf32=%d,packed=%d,%s", key.c_str(), algorithm(),
          context->library->versionText().c_str(), preferences.tf32, packed, reason.c_str());
  return Status();
}

Status CudnnRnnPlan::tryAlgorithm(RnnAlgo candidate, const Preferences &preferences, DropoutDescriptor dropout,
                                  Handle handle, cuda::CUstream stream) {
  auto engine = std::make_unique<Engine>(*context, p, RnnConfig{candidate, preferences.tf32, packed}, dropout);
  Sequences sizes;
  {
    Engine::Lease rnn;
    RNNRT_TRY(engine->acquire(handle, /*capturing=*/false, rnn));
    // Packed parameters do not record the algorithm: all algorithms must agree on the layout.
    WeightLayout candidateLayout;
    RNNRT_TRY(WeightLayout::query(*context, p, rnn.get(), handle, stream, candidateLayout));
    if (!(candidateLayout == layout))
      return unimplemented("the parameter layout of %s differs from that of standard", algorithmName(candidate));
    RNNRT_TRY(sizes.make(context->library, p, shared->full->lengths, packed));
    RNNRT_TRY(engine->querySizes(handle, rnn.get(), sizes));
    if (!shared->generator) {
      RNNRT_TRY(probe(rnn, handle, sizes, stream));
    } else {
      // Probe without dropout, which would advance the random stream.
      DropoutDescriptor none = nullptr;
      RNNRT_TRY(context->dropouts.none(handle, none));
      Engine other(*context, p, engine->config, none);
      Engine::Lease plain;
      Sequences plainSizes;
      RNNRT_TRY(other.acquire(handle, /*capturing=*/false, plain));
      RNNRT_TRY(plainSizes.make(context->library, p, shared->full->lengths, packed));
      RNNRT_TRY(other.querySizes(handle, plain.get(), plainSizes));
      RNNRT_TRY(probe(plain, handle, plainSizes, stream));
    }
  }
  shared->full->workspace = sizes.workspace;
  shared->full->reserve = sizes.reserve;
  // One size for both algorithms: only the run determines whether the lengths differ.
  reserveBytes = std::max(reserveBytes, int64_t(sizes.reserve));
  shared->persistent = std::move(engine);
  return Status();
}

Status CudnnRnnPlan::probe(Engine::Lease &rnn, Handle handle, Sequences &s, cuda::CUstream stream) {
  // Zero operands and parameters yield zero results in every pass: one buffer of zeros serves as all of them.
  cuda::CudaDevice &device = *context->device;
  const int64_t bytes = std::max({rows() * std::max(p.input, outputWidth()) * elementSize(), layout.bytes,
                                  p.layers * p.directions() * p.batch * p.hidden * elementSize()});
  const size_t weights = size_t(layout.bytes);
  void *zeros = nullptr, *work = nullptr, *reserve = nullptr;
  auto run = [&] {
    RNNRT_TRY(device.allocate(stream, bytes, zeros));
    RNNRT_TRY(device.allocate(stream, int64_t(s.workspace), work));
    RNNRT_TRY(device.allocate(stream, int64_t(s.reserve), reserve));
    RNNRT_TRY(device.fillZero(stream, zeros, bytes));
    const ForwardMode mode = p.training ? ForwardMode::Training : ForwardMode::Inference;
    const RnnDataDescriptor x = s.x.get(), y = s.y.get();
    const TensorDescriptor h = shared->hidden.get(), c = shared->cell.get();
    void *cell = p.isLstm() ? zeros : nullptr;
    RNNRT_TRY(
        check(api().cudnnRNNForward(handle, rnn.get(), mode, nullptr, x, zeros, y, zeros, h, zeros, zeros, c, cell,
                                    cell, weights, zeros, s.workspace, work, s.reserve, p.training ? reserve : nullptr),
              "cudnnRNNForward"));
    if (p.training) {
      RNNRT_TRY(check(api().cudnnRNNBackwardData_v8(handle, rnn.get(), nullptr, y, zeros, zeros, x, zeros, h, zeros,
                                                    zeros, zeros, c, cell, cell, cell, weights, zeros, s.workspace,
                                                    work, s.reserve, reserve),
                      "cudnnRNNBackwardData_v8"));
      RNNRT_TRY(check(api().cudnnRNNBackwardWeights_v8(handle, rnn.get(), WgradMode::Add, nullptr, x, zeros, h, zeros,
                                                       y, zeros, weights, zeros, s.workspace, work, s.reserve, reserve),
                      "cudnnRNNBackwardWeights_v8"));
    }
    return device.synchronize(stream);
  };
  Status status = run();
  for (void *pointer : {reserve, work, zeros})
    if (pointer) {
      Status released = device.release(stream, pointer);
      if (status.ok())
        status = std::move(released);
    }
  return status;
}

//===-- Sizes and checks -----------------------------------------------------------------------------------------===//

int64_t CudnnRnnPlan::paramsSize() const {
  return (layout.bytes + elementSize() - 1) / elementSize();
}

// The header follows cuDNN's part, which requires an aligned base.
static int64_t headerOffset(int64_t reserveBytes) {
  return (reserveBytes + 63) / 64 * 64;
}

int64_t CudnnRnnPlan::reserveSize() const {
  return p.training ? headerOffset(reserveBytes) + int64_t(sizeof(ReserveHeader)) : 0;
}

Status CudnnRnnPlan::checkReserve(const void *reserve, int64_t bytes) const {
  RNNRT_TRY(checkReserveBytes(reserveSize(), bytes));
  if (bytes == 0)
    return Status();
  RNNRT_REQUIRE(reserve, "reserve");
  if (reinterpret_cast<uintptr_t>(reserve) % 16)
    return invalidArgument("expects `reserve` to be aligned to 16 bytes");
  return Status();
}

Status CudnnRnnPlan::writeHeader(cuda::CUstream stream, void *reserve, const Sequences &sequences,
                                 uint32_t state) const {
  ReserveHeader header = ReserveHeader::written(ReserveHeader::loweringCudnn, keyHash, sequences.hash());
  header.state = state;
  RNNRT_TRY(context->device->copy(stream, static_cast<char *>(reserve) + headerOffset(reserveBytes), &header,
                                  sizeof(header)));
  return context->device->synchronize(stream);
}

Status CudnnRnnPlan::checkHeader(cuda::CUstream stream, const void *reserve, const Sequences &sequences,
                                 uint32_t state) const {
  ReserveHeader header{};
  RNNRT_TRY(context->device->copy(stream, &header, static_cast<const char *>(reserve) + headerOffset(reserveBytes),
                                  sizeof(header)));
  RNNRT_TRY(context->device->synchronize(stream));
  return header.check(ReserveHeader::loweringCudnn, keyHash, sequences.hash(), state);
}

Status CudnnRnnPlan::readSequences(const int32_t *lengths, cuda::CUstream stream, bool capturing, bool refusesWaits,
                                   Handle handle, std::shared_ptr<const Sequences> &sequences) {
  sequences = shared->full;
  if (!lengths)
    return Status();
  // cuDNN requires the lengths in host memory; reading them waits for the stream.
  if (capturing)
    return failedPrecondition("`lengths` cannot be read while the stream is being captured; capture without "
                              "`lengths`, or run without a capture");
  if (refusesWaits)
    return failedPrecondition("cuDNN needs `lengths` on the host, but the call refuses to wait for the device "
                              "(host_waits); use the lowering `fused`, or allow waits");
  std::vector<int32_t> values(size_t(p.batch));
  {
    const auto finished = shared->sequences.takeRunning(stream);
    RNNRT_TRY(context->device->copy(stream, values.data(), lengths, p.batch * int64_t(sizeof(int32_t))));
    RNNRT_TRY(context->device->synchronize(stream));
  }
  bool full = true;
  RNNRT_TRY(checkLengths(p, values.data(), full));
  if (full)
    return Status();
  sequences = shared->sequences.find(values);
  if (!sequences) {
    auto made = std::make_shared<Sequences>();
    RNNRT_TRY(made->make(context->library, p, std::move(values), packed));
    Engine::Lease rnn;
    RNNRT_TRY(shared->standard->acquire(handle, capturing, rnn));
    RNNRT_TRY(shared->standard->querySizes(handle, rnn.get(), *made));
    if (int64_t(made->reserve) > reserveBytes)
      return internalError(
          "cuDNN %s requires a reserve space of %lld bytes for these lengths, but %lld for full sequences",
          context->library->versionText().c_str(), (long long)made->reserve, (long long)reserveBytes);
    shared->sequences.insert(made);
    sequences = std::move(made);
  }
  shared->sequences.use(stream, sequences);
  return Status();
}

//===-- The parameter buffer -------------------------------------------------------------------------------------===//

Status CudnnRnnPlan::packParams(const RunContext &run, int64_t numWeights, int64_t numBiases,
                                const void *const *tensors, const int64_t *elements, void *params,
                                int64_t paramsElements) {
  RNNRT_TRY(checkCanonical(p, paramsSize(), numWeights, numBiases, tensors, elements, params, paramsElements));
  cuda::CudaDevice &device = *context->device;
  const cuda::CUstream stream = cuda::nativeStream(run, device);
  if (!layout.dense || layout.bytes % elementSize())
    RNNRT_TRY(device.fillZero(stream, params, paramsSize() * elementSize()));
  for (size_t k = 0; k < layout.regions.size(); ++k)
    if (const WeightLayout::Region &region = layout.regions[k]; region.bytes)
      RNNRT_TRY(device.copy(stream, static_cast<char *>(params) + region.offset, tensors[k], region.bytes));
  return Status();
}

Status CudnnRnnPlan::unpackParams(const RunContext &run, int64_t numWeights, int64_t numBiases, void *const *tensors,
                                  const int64_t *elements, const void *params, int64_t paramsElements) {
  RNNRT_TRY(checkCanonical(p, paramsSize(), numWeights, numBiases, tensors, elements, params, paramsElements));
  cuda::CudaDevice &device = *context->device;
  const cuda::CUstream stream = cuda::nativeStream(run, device);
  for (size_t k = 0; k < layout.regions.size(); ++k)
    if (const WeightLayout::Region &region = layout.regions[k]; region.bytes)
      RNNRT_TRY(device.copy(stream, tensors[k], static_cast<const char *>(params) + region.offset, region.bytes));
  return Status();
}
