// CudaBackend.cpp - the backend of devices `cuda`: combines the device with the plans of cuDNN and the GEMM of
// cuBLASLt, which use the device. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/CudaBackend.h"
#include "core/Device.h"
#include "core/FusedRnnPlan.h"
#include "core/RnnChecks.h"
#include "cublas/CublasGemm.h"
#include "cuda/CudaDevice.h"
#include "cuda/CudaModule.h"
#include "cuda/CudaWavefront.h"
#include "cuda/LaunchGraphs.h"
#include "cudnn/CudnnPlans.h"

#include <cstdlib>

using namespace rnnrt;
using namespace rnnrt::cuda;

namespace {

/// A module that the program owns. It keeps the device alive.
class OwnedModule final : public Module {
public:
  explicit OwnedModule(std::shared_ptr<CudaDevice> device) : device(std::move(device)), code(*this->device) {}
  ~OwnedModule() override {
    // Kernels of the module may still run.
    ContextScope scope(*device);
    if (scope.status.ok())
      (void)device->driver().cuCtxSynchronize();
  }

  Status load(const rnnrt_image_t *images, int64_t count) { return code.load(images, count); }
  Status kernel(const char *name, rnnrt_kernel *&kernel) override {
    CudaKernel *found = nullptr;
    RNNRT_TRY(code.kernel(name, found));
    kernel = found;
    return Status();
  }
  int64_t image() const override { return code.image(); }

private:
  const std::shared_ptr<CudaDevice> device;
  CudaModule code;
};

class CudaFusedMemory final : public FusedMemory {
public:
  explicit CudaFusedMemory(std::shared_ptr<CudaDevice> device) : device(std::move(device)) {}

  bool checksHeaders() const override { return checking; }
  Status canWait(const RunContext &context, bool &can) override {
    bool capturing = false;
    RNNRT_TRY(device->isCapturing(nativeStream(context, *device), capturing));
    can = !capturing && !context.refusesWaits;
    return Status();
  }
  Status copy(rnnrt_stream_t *stream, void *target, const void *source, int64_t bytes) override {
    return device->copy(nativeStream(stream, *device), target, source, bytes);
  }
  Status wait(rnnrt_stream_t *stream) override { return device->synchronize(nativeStream(stream, *device)); }

private:
  const std::shared_ptr<CudaDevice> device;
  const bool checking = isCheckingEnabled();
};

class CudaBackend final : public Backend {
public:
  explicit CudaBackend(std::shared_ptr<CudaDevice> device)
      : Backend(cudaKind), device(device), cublasGemm(std::move(device)) {}

  rnnrt_device_properties_t properties() const override { return device->allProperties(); }

  Status allocate(int64_t bytes, void *&pointer) override { return device->allocate(bytes, pointer); }
  Status release(void *pointer) override { return device->release(pointer); }
  Status allocate(rnnrt_stream_t *stream, int64_t bytes, void *&pointer) override {
    return device->allocate(stream, bytes, pointer);
  }
  Status release(rnnrt_stream_t *stream, void *pointer) override { return device->release(stream, pointer); }

  Status copy(rnnrt_stream_t *stream, void *target, const void *source, int64_t bytes) override {
    const CUstream cudaStream = nativeStream(stream, *device);
    RNNRT_TRY(device->copy(cudaStream, target, source, bytes));
    if (!bytes || (!device->isPinnedHost(target) && !device->isPinnedHost(source)))
      return Status();
    // A captured copy executes with its graph, so that there is nothing to wait for.
    bool capturing = false;
    RNNRT_TRY(device->isCapturing(cudaStream, capturing));
    return capturing ? Status() : device->synchronize(cudaStream);
  }

  rnnrt_memory_stats_t memoryStats() const override { return device->memoryStats(); }

  Status createStream(void *&native) override {
    ContextScope scope(*device);
    RNNRT_TRY(std::move(scope.status));
    CUstream stream = nullptr;
    RNNRT_TRY(device->check(device->driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
    native = stream;
    return Status();
  }
  Status adoptStream(void *&native) override {
    if (!native)
      native = legacyStream();
    return device->checkContext(static_cast<CUstream>(native));
  }
  bool isAsynchronous() const override { return true; }
  Status synchronize(void *native) override {
    return device->synchronize(native ? static_cast<CUstream>(native) : device->defaultStream());
  }
  void releaseStream(void *native) override {
    // The driver completes the work of the stream first.
    ContextScope scope(*device);
    (void)device->driver().cuStreamDestroy(static_cast<CUstream>(native));
  }

  Status createEvent(void *&native) override {
    ContextScope scope(*device);
    RNNRT_TRY(std::move(scope.status));
    CUevent event = nullptr;
    RNNRT_TRY(device->check(device->driver().cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate"));
    native = event;
    return Status();
  }
  Status recordEvent(void *native, rnnrt_stream_t *stream) override {
    ContextScope scope(*device);
    RNNRT_TRY(std::move(scope.status));
    return device->check(device->driver().cuEventRecord(static_cast<CUevent>(native), nativeStream(stream, *device)),
                         "cuEventRecord");
  }
  Status waitEvent(void *native, rnnrt_stream_t *stream) override {
    ContextScope scope(*device);
    RNNRT_TRY(std::move(scope.status));
    return device->check(
        device->driver().cuStreamWaitEvent(nativeStream(stream, *device), static_cast<CUevent>(native), 0),
        "cuStreamWaitEvent");
  }
  Status synchronizeEvent(void *native) override {
    ContextScope scope(*device);
    RNNRT_TRY(std::move(scope.status));
    return device->check(device->driver().cuEventSynchronize(static_cast<CUevent>(native)), "cuEventSynchronize");
  }
  Status elapsed(void *start, void *end, double &milliseconds) override {
    ContextScope scope(*device);
    RNNRT_TRY(std::move(scope.status));
    float result = 0;
    RNNRT_TRY(device->check(
        device->driver().cuEventElapsedTime(&result, static_cast<CUevent>(start), static_cast<CUevent>(end)),
        "cuEventElapsedTime"));
    milliseconds = result;
    return Status();
  }
  void releaseEvent(void *native) override {
    ContextScope scope(*device);
    (void)device->driver().cuEventDestroy(static_cast<CUevent>(native));
  }

  Status loadCode(const void *address) override { return cuda::loadCode(*device, address); }
  Status loadModule(const rnnrt_image_t *images, int64_t count, std::unique_ptr<Module> &module) override {
    auto made = std::make_unique<OwnedModule>(device);
    RNNRT_TRY(made->load(images, count));
    module = std::move(made);
    return Status();
  }

  Status createPlan(const RnnProblem &problem, std::shared_ptr<Plan> &plan) override {
    if (problem.fused)
      return createFusedRnnPlan(problem, std::make_unique<CudaFusedMemory>(device), plan);
    return cudnn::createCudnnPlan(device, problem, plan);
  }
  Status createPlan(const BlockProblem &problem, std::shared_ptr<Plan> &plan) override {
    return cudnn::createCudnnPlan(device, problem, plan);
  }

  Status beginChain(rnnrt_call_t &call) override {
    if (!call.usesGraphs)
      return Status();
    if (!call.chain)
      call.chain = std::make_unique<LaunchChain>();
    static_cast<LaunchChain &>(*call.chain).begin(call.nextChain++);
    call.inChain = true;
    return Status();
  }
  Status endChain(rnnrt_call_t &call) override {
    const auto &chain = static_cast<const LaunchChain &>(*call.chain);
    // In a wavefront, a chain is of one task.
    return chain.count() ? chain.first().getGraphs().run(nativeStream(call.launchStream(), *device), chain) : Status();
  }

  Status runGemm(rnnrt_stream_t *stream, const Gemm &gemm, bool &done) override {
    return cublasGemm.run(stream, gemm, done);
  }

  Status createWavefront(rnnrt_stream_t *stream, Wavefront::Sizes sizes,
                         std::unique_ptr<Wavefront> &wavefront) override {
    return CudaWavefront::create(device, nativeStream(stream, *device), sizes, wavefront);
  }

  CudaDevice *getDevice() const { return device.get(); }

private:
  /// Shared with plans and modules, which may outlive the device handle.
  const std::shared_ptr<CudaDevice> device;
  cublas::CublasGemm cublasGemm;
};

} // namespace

CudaDevice *cuda::cudaDevice(const Backend &backend) {
  return &backend.kind == &cudaKind ? static_cast<const CudaBackend &>(backend).getDevice() : nullptr;
}

/// `detail` is the ordinal of the GPU, null for the first one. Loads the driver.
static Status create(const char *detail, const rnnrt_device_options_t &, std::unique_ptr<Backend> &backend) {
  int ordinal = 0;
  if (detail) {
    const char *at = detail;
    for (; *at >= '0' && *at <= '9' && at - detail < 6; ++at)
      ordinal = ordinal * 10 + (*at - '0');
    if (*at || at == detail)
      return invalidArgument("there is no device `cuda:%.64s`, expected a number as in `cuda:0`", detail);
  }
  std::shared_ptr<CudaDevice> device;
  RNNRT_TRY(CudaDevice::create(ordinal, device));
  backend = std::make_unique<CudaBackend>(std::move(device));
  return Status();
}

const BackendKind rnnrt::cudaKind = {"cuda", /*takesHostTensors=*/false, /*takesDeviceTensors=*/true, create,
                                     /*entries=*/nullptr};
