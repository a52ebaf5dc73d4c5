// LaunchEntries.cpp - the entries of mgpu.def: upstream's GPU runtime on the current call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/CurrentCall.h"
#include "core/Device.h"
#include "core/ResidentClusters.h"
#include "core/Trace.h"
#include "cuda/CudaBackend.h"
#include "cuda/CudaModule.h"
#include "rnn_runtime/abi.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

using namespace rnnrt;
using namespace rnnrt::cuda;

namespace {

/// The result of rnnrt_abi_gpu_module_get_function. Which CudaKernel it is depends on the device of the call.
class CompiledKernel {
public:
  CompiledKernel(std::shared_ptr<const CompiledImage> image, std::string_view name)
      : image(std::move(image)), name(name) {}
  ~CompiledKernel() {
    for (const Found *found = first.load(); found;)
      delete std::exchange(found, found->next);
  }
  CompiledKernel(const CompiledKernel &) = delete;

  /// The kernel on a device. After the first call there, without locks: a chain of short kernels is bound by the time
  /// of a launch on the host. A device keeps the module as long as this object holds the image.
  Status on(CudaDevice &device, CudaKernel *&kernel) {
    for (const Found *found = first.load(std::memory_order_acquire); found; found = found->next)
      if (found->device == device.serial()) {
        kernel = found->kernel;
        return Status();
      }
    CudaModule *module = nullptr;
    RNNRT_TRY(device.compiledModule(image, module));
    RNNRT_TRY(module->kernel(name.c_str(), kernel));
    // Two threads may both add the same entry.
    auto *added = new Found{device.serial(), kernel, first.load()};
    while (!first.compare_exchange_weak(added->next, added, std::memory_order_release)) {
    }
    return Status();
  }

private:
  struct Found {
    uint64_t device;
    CudaKernel *kernel;
    const Found *next;
  };
  const std::shared_ptr<const CompiledImage> image;
  const std::string name;
  std::atomic<const Found *> first{nullptr}; ///< entries are added and never removed
};

/// The result of rnnrt_abi_gpu_module_load.
struct CompiledModule {
  explicit CompiledModule(const rnnrt_image_t &image) : image(std::make_shared<const CompiledImage>(image)) {}
  const std::shared_ptr<const CompiledImage> image;
  std::mutex mutex;
  std::map<std::string, CompiledKernel, std::less<>> kernels;
};

/// The live modules of the process.
struct CompiledModules {
  static CompiledModules &get() {
    static auto &all = *new CompiledModules;
    return all;
  }
  std::mutex mutex;
  std::set<const CompiledModule *> modules;
};

/// The start of the shared library or program that contains `address`; null for memory of a JIT compiler.
const void *objectOf(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

/// The object that all streams and events point to: they have no state.
char token;

/// Ends the chain of `call` and launches what it has collected, one by one.
Status leaveChain(rnnrt_call &call, CudaDevice &device) {
  call.inChain = false;
  return launchAll(nativeStream(call.launchStream(), device), static_cast<const LaunchChain &>(*call.chain));
}

/// Runs `body(call, device)` for the current call of the thread unless it has failed, and records the status in the
/// call. Everything but launches ends a chain.
template <bool isLaunch = false, typename Body> void enter(Body &&body) {
  rnnrt_call_t *call = currentCall();
  if (!call || !call->first.ok())
    return;
  call->record(guarded([&] {
    CudaDevice *device = cudaDevice(*call->device->backend);
    if (!device)
      return failedPrecondition("the function was compiled for target cuda, but its call is on device `%s`; create "
                                "the call on a device `cuda`, or compile the function for that device",
                                call->device->name.c_str());
    if (!isLaunch && call->inChain)
      RNNRT_TRY(leaveChain(*call, *device));
    return body(*call, *device);
  }));
}

Status addToChain(rnnrt_call &call, CudaDevice &device, CudaKernel &kernel, const rnnrt_launch_t &launch,
                  void *const *parameters) {
  bool isEmpty = false;
  RNNRT_TRY(kernel.prepare(launch, isEmpty));
  if (isEmpty)
    return Status();
  auto &chain = static_cast<LaunchChain &>(*call.chain);
  std::string reason;
  const std::vector<size_t> *sizes = kernel.getParameterSizes(reason);
  if (sizes && (!chain.count() || &chain.first().getGraphs() == &kernel.getGraphs())) {
    chain.add(kernel, launch, *sizes, parameters);
    return Status();
  }
  if (tracing(TraceKind::Dispatch))
    trace("rnnrt,dispatch,graph launches=%zu,SKIPPED,%s", chain.count(),
          sizes ? "the kernels belong to several modules" : reason.c_str());
  RNNRT_TRY(leaveChain(call, device));
  return kernel.launch(nativeStream(call.launchStream(), device), launch, parameters);
}

int64_t countClusters(const rnnrt_launch_t &launch) {
  return launch.grid[0] * launch.grid[1] * launch.grid[2] / (launch.cluster[0] * launch.cluster[1] * launch.cluster[2]);
}

void launchKernel(void *function, rnnrt_launch_t &launch, void **parameters, int64_t items = 0) {
  enter<true>([&](rnnrt_call &call, CudaDevice &device) {
    auto *compiled = static_cast<CompiledKernel *>(function);
    if (!compiled)
      return internalError("not enough memory for the kernels of compiled code");
    CudaKernel *kernel = nullptr;
    RNNRT_TRY(compiled->on(device, kernel));
    if (call.triesClusters && launch.cluster[0]) {
      if (clustersAreDisabled()) {
        skipDisabledClusters(call, kernel->describe(launch));
        return Status();
      }
      if (const CudaKernel::Residency &resident = kernel->getResidency(launch); !resident.why.empty()) {
        skipClusters(call, kernel->describe(launch), RNNRT_SKIPPED_BY_DEVICE, resident.why);
        return Status();
      }
    }
    if (items > 0 && launch.cluster[0])
      shareClusters(launch.grid, launch.cluster[0], launch.cluster[0] * launch.cluster[1] * launch.cluster[2],
                    std::min(kernel->getResidency(launch).clusters, getMostResidentClusters()), items,
                    call.wavefront ? call.wavefront->getNumLayers() : 1);
    RNNRT_TRY(call.inChain ? addToChain(call, device, *kernel, launch, parameters)
                           : kernel->launch(nativeStream(call.launchStream(), device), launch, parameters));
    if (call.wavefront)
      call.wavefront->launched(items > 0 && launch.cluster[0] ? countClusters(launch) : 0);
    return Status();
  });
}

void *loadModule(const void *data, int64_t bytes) {
  try {
    auto module = std::make_unique<CompiledModule>(rnnrt_image_t{data, bytes, nullptr});
    CompiledModules &all = CompiledModules::get();
    std::lock_guard<std::mutex> lock(all.mutex);
    all.modules.insert(module.get());
    return module.release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void waitForHost() {
  // Compiled code waits after every launch, also in a chain.
  enter<true>([&](rnnrt_call &call, CudaDevice &device) {
    if (!device.registeredRegions)
      return Status();
    if (call.refusesWaits())
      return failedPrecondition("compiled code reads registered host memory after its kernels, but the call refuses to "
                                "wait for the device (host_waits)");
    if (call.inChain)
      RNNRT_TRY(leaveChain(call, device));
    return device.synchronize(nativeStream(call.launchStream(), device));
  });
}

/// A view of a ranked memref descriptor.
struct MemRef {
  MemRef(void *descriptor, int64_t rank, int64_t elementBytes) {
    struct {
      char *allocated, *aligned;
      int64_t offset;
    } head;
    std::memcpy(&head, descriptor, sizeof(head));
    start = head.aligned + head.offset * elementBytes;
    sizes = reinterpret_cast<const int64_t *>(static_cast<const char *>(descriptor) + sizeof(head));
    strides = sizes + rank;
  }
  char *start;
  const int64_t *sizes, *strides;
};

/// Returns the address and the size of a dense memref; the size is 0 bytes if it is empty.
Status denseRange(int64_t rank, void *descriptor, int64_t elementBytes, void *&start, int64_t &bytes) {
  if (!descriptor || rank < 0)
    return invalidArgument("rnnrt_abi_gpu_mem_host_register_memref expects a memref");
  const MemRef memref(descriptor, rank, elementBytes);
  bytes = elementBytes;
  for (int64_t dim = rank; dim-- > 0;) {
    if (memref.sizes[dim] > 1 && memref.strides[dim] * elementBytes != bytes)
      return unimplemented("only dense memrefs can be registered");
    if (__builtin_mul_overflow(bytes, memref.sizes[dim], &bytes))
      return outOfRange("the size of a memref exceeds 64 bits");
  }
  start = memref.start;
  return Status();
}

CUdeviceptr addressOf(void *pointer) {
  return CUdeviceptr(reinterpret_cast<uintptr_t>(pointer));
}

} // namespace

Status cuda::loadCode(CudaDevice &device, const void *address) {
  const void *object = objectOf(address);
  std::vector<std::shared_ptr<const CompiledImage>> images;
  {
    CompiledModules &all = CompiledModules::get();
    std::lock_guard<std::mutex> lock(all.mutex);
    for (const CompiledModule *module : all.modules)
      if (objectOf(module->image->image.data) == object)
        images.push_back(module->image);
  }
  for (const auto &image : images) {
    CudaModule *module = nullptr;
    RNNRT_TRY(device.compiledModule(image, module));
    RNNRT_TRY(module->loadKernels());
  }
  return Status();
}

extern "C" {

//===-- Modules and launches -------------------------------------------------------------------------------------===//

void *rnnrt_abi_gpu_module_load(void *data, int64_t bytes) {
  return loadModule(data, bytes);
}
void *rnnrt_abi_gpu_module_load_jit(void *data, int32_t) {
  return loadModule(data, 0);
}
void rnnrt_abi_gpu_module_unload(void *module) {
  {
    CompiledModules &all = CompiledModules::get();
    std::lock_guard<std::mutex> lock(all.mutex);
    all.modules.erase(static_cast<CompiledModule *>(module));
  }
  delete static_cast<CompiledModule *>(module);
}

void *rnnrt_abi_gpu_module_get_function(void *module, const char *name) {
  auto *compiled = static_cast<CompiledModule *>(module);
  if (!compiled || !name)
    return nullptr;
  try {
    std::lock_guard<std::mutex> lock(compiled->mutex);
    if (auto it = compiled->kernels.find(std::string_view(name)); it != compiled->kernels.end())
      return &it->second;
    return &compiled->kernels.try_emplace(name, compiled->image, name).first->second;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void rnnrt_abi_gpu_launch(void *function, int64_t cluster_x, int64_t cluster_y, int64_t cluster_z, int64_t grid_x,
                          int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z,
                          int32_t dynamic_shared, void **parameters, int32_t flags) {
  rnnrt_launch_t launch{{grid_x, grid_y, grid_z},
                        {block_x, block_y, block_z},
                        {cluster_x, cluster_y, cluster_z},
                        dynamic_shared,
                        (flags & RNNRT_LAUNCH_COOPERATIVE) != 0,
                        (flags & RNNRT_LAUNCH_PROGRAMMATIC) != 0};
  launchKernel(function, launch, parameters, flags >> RNNRT_LAUNCH_ITEMS_SHIFT);
}

void rnnrt_abi_gpu_launch_kernel(void *function, int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                 int64_t block_y, int64_t block_z, int32_t dynamic_shared, void *, void **parameters,
                                 void **, int64_t) {
  rnnrt_launch_t launch{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {0, 0, 0}, dynamic_shared, 0, 0};
  launchKernel(function, launch, parameters);
}

void rnnrt_abi_gpu_launch_cluster_kernel(void *function, int64_t cluster_x, int64_t cluster_y, int64_t cluster_z,
                                         int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                         int64_t block_y, int64_t block_z, int32_t dynamic_shared, void *,
                                         void **parameters, void **) {
  rnnrt_launch_t launch{
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {cluster_x, cluster_y, cluster_z}, dynamic_shared, 0, 0};
  launchKernel(function, launch, parameters);
}

//===-- Streams and events ---------------------------------------------------------------------------------------===//

void *rnnrt_abi_gpu_stream_create() {
  return &token;
}
void rnnrt_abi_gpu_stream_destroy(void *) {}
void rnnrt_abi_gpu_stream_synchronize(void *) {
  waitForHost();
}
void rnnrt_abi_gpu_stream_wait_event(void *, void *) {}

void *rnnrt_abi_gpu_event_create() {
  return &token;
}
void rnnrt_abi_gpu_event_destroy(void *) {}
void rnnrt_abi_gpu_event_synchronize(void *) {
  waitForHost();
}
void rnnrt_abi_gpu_event_record(void *, void *) {}

//===-- Memory ---------------------------------------------------------------------------------------------------===//

void *rnnrt_abi_gpu_mem_alloc(int64_t bytes, void *, int32_t host_shared) {
  void *result = nullptr;
  enter([&](rnnrt_call &call, CudaDevice &) {
    if (host_shared & 0xff)
      return unimplemented("gpu.alloc host_shared is not supported; use device memory and gpu.memcpy");
    if (bytes < 0)
      return invalidArgument("cannot allocate a buffer of %lld bytes: a dimension is negative or the size overflows",
                             (long long)bytes);
    return call.device->backend->allocate(call.stream.get(), bytes, result);
  });
  return result;
}

void rnnrt_abi_gpu_mem_free(void *pointer, void *) {
  enter([](rnnrt_call &, CudaDevice &) { return Status(); }); // ends a chain
  // Runs also after a failure: earlier allocations must not leak.
  rnnrt_call_t *call = currentCall();
  if (call && pointer)
    call->record(guarded([&] { return call->device->backend->release(call->stream.get(), pointer); }));
}

void rnnrt_abi_gpu_memcpy(void *target, void *source, int64_t bytes, void *) {
  enter([&](rnnrt_call &call, CudaDevice &) {
    return bytes > 0 ? call.device->backend->copy(call.launchStream(), target, source, bytes) : Status();
  });
}

void rnnrt_abi_gpu_memset32(void *target, int32_t value, int64_t count, void *) {
  enter([&](rnnrt_call &call, CudaDevice &device) {
    if (count <= 0)
      return Status();
    ContextScope scope(device);
    RNNRT_TRY(std::move(scope.status));
    return device.check(device.driver().cuMemsetD32Async(addressOf(target), uint32_t(value), size_t(count),
                                                         nativeStream(call.launchStream(), device)),
                        "cuMemsetD32Async");
  });
}

void rnnrt_abi_gpu_memset16(void *target, int32_t value, int64_t count, void *) {
  enter([&](rnnrt_call &call, CudaDevice &device) {
    if (count <= 0)
      return Status();
    ContextScope scope(device);
    RNNRT_TRY(std::move(scope.status));
    return device.check(device.driver().cuMemsetD16Async(addressOf(target), uint16_t(value), size_t(count),
                                                         nativeStream(call.launchStream(), device)),
                        "cuMemsetD16Async");
  });
}

void rnnrt_abi_gpu_mem_host_register_memref(int64_t rank, void *descriptor, int64_t element_bytes) {
  enter([&](rnnrt_call &, CudaDevice &device) {
    void *start = nullptr;
    int64_t bytes = 0;
    RNNRT_TRY(denseRange(rank, descriptor, element_bytes, start, bytes));
    if (!bytes)
      return Status();
    ContextScope scope(device);
    RNNRT_TRY(std::move(scope.status));
    RNNRT_TRY(device.check(device.driver().cuMemHostRegister(start, size_t(bytes), 0), "cuMemHostRegister"));
    ++device.registeredRegions;
    return Status();
  });
}

void rnnrt_abi_gpu_mem_host_unregister_memref(int64_t rank, void *descriptor, int64_t element_bytes) {
  // Runs also after a failure, as a free does.
  rnnrt_call_t *call = currentCall();
  CudaDevice *device = call ? cudaDevice(*call->device->backend) : nullptr;
  if (!device)
    return;
  call->record(guarded([&] {
    void *start = nullptr;
    int64_t bytes = 0;
    RNNRT_TRY(denseRange(rank, descriptor, element_bytes, start, bytes));
    if (!bytes)
      return Status();
    ContextScope scope(*device);
    RNNRT_TRY(std::move(scope.status));
    RNNRT_TRY(device->check(device->driver().cuMemHostUnregister(start), "cuMemHostUnregister"));
    --device->registeredRegions;
    return Status();
  }));
}

void rnnrt_abi_gpu_set_default_device(int32_t) {}

void *rnnrt_abi_gpu_tensor_map_encode_tiled_memref(int64_t rank, void *descriptor, int32_t type, int32_t interleave,
                                                   int32_t swizzle, int32_t promotion, int32_t fill, int64_t *box) {
  void *result = nullptr;
  enter([&](rnnrt_call &, CudaDevice &device) {
    // Element size in bytes by CUtensorMapDataType.
    static constexpr int64_t elementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    if (rank < 1 || rank > 5 || type < 0 || type >= int32_t(std::size(elementBytes)) || !descriptor || !box)
      return invalidArgument("a tensor map has 1 to 5 dimensions and a known element type, but got rank %lld, type %d",
                             (long long)rank, type);
    const MemRef memref(descriptor, rank, elementBytes[type]);
    // The driver expects the innermost dimension first, and no stride for it.
    uint64_t sizes[5], strides[5];
    uint32_t boxSizes[5], elementStrides[5];
    for (int64_t dim = 0; dim < rank; ++dim) {
      const int64_t from = rank - 1 - dim;
      sizes[dim] = uint64_t(memref.sizes[from]);
      boxSizes[dim] = uint32_t(box[from]);
      elementStrides[dim] = 1;
      if (dim)
        strides[dim - 1] = uint64_t(memref.strides[from] * elementBytes[type]);
    }
    CUtensorMap map{};
    ContextScope scope(device);
    RNNRT_TRY(std::move(scope.status));
    RNNRT_TRY(device.check(device.driver().cuTensorMapEncodeTiled(
                               &map, CUtensorMapDataType(type), uint32_t(rank), memref.start, sizes, strides, boxSizes,
                               elementStrides, CUtensorMapInterleave(interleave), CUtensorMapSwizzle(swizzle),
                               CUtensorMapL2promotion(promotion), CUtensorMapFloatOOBfill(fill)),
                           "cuTensorMapEncodeTiled"));
    return device.tensorMap(map, result);
  });
  return result;
}

} // extern "C"
