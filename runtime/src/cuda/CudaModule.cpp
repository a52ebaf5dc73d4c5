// CudaModule.cpp - loads modules and launches kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/CudaModule.h"
#include "core/Device.h"
#include "core/Trace.h"
#include "cuda/CudaBackend.h"
#include "cuda/CudaImages.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace rnnrt;
using namespace rnnrt::cuda;

static uint64_t nextSerial() {
  static std::atomic<uint64_t> serial{0};
  return ++serial;
}

CompiledImage::CompiledImage(const rnnrt_image_t &image) : image(image), serial(nextSerial()) {}

static Status withCode(const Status &status, const std::string &message) {
  return Status(rnnrt_status_create(rnnrt_status_code(status.get()), message.c_str()));
}

//===-- Module ---------------------------------------------------------------------------------------------------===//

CudaModule::~CudaModule() {
  if (!native)
    return;
  graphs.clear();
  ContextScope scope(device);
  (void)device.driver().cuModuleUnload(native);
}

/// Joins the lines of the driver's JIT log, since a status message is one line.
static std::string joinLines(const char *text) {
  std::string words;
  for (; *text; ++text) {
    const bool space = std::strchr(" \t\r\n", *text);
    if (!space)
      words += *text;
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  while (!words.empty() && words.back() == ' ')
    words.pop_back();
  return words;
}

Status CudaModule::tryImage(const rnnrt_image_t &image, bool isText) {
  const void *data = image.data;
  std::string text;
  if (isText && image.bytes) { // the driver requires zero-terminated text
    const char *begin = static_cast<const char *>(image.data);
    text.assign(begin, strnlen(begin, size_t(image.bytes)));
    data = text.c_str();
  }
  char log[2048] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  Status status =
      device.check(device.driver().cuModuleLoadDataEx(&native, data, 2, options, values), "cuModuleLoadDataEx");
  if (status.ok())
    return status;
  native = nullptr;
  log[sizeof(log) - 1] = 0;
  const std::string words = joinLines(log);
  return words.empty() ? std::move(status) : withCode(status, rnnrt_status_message(status.get()) + (": " + words));
}

Status CudaModule::load(const rnnrt_image_t *images, int64_t count) {
  std::vector<ImageTarget> targets(static_cast<size_t>(count));
  std::string imageList;
  for (int64_t index = 0; index < count; ++index) {
    ImageTarget &target = targets[size_t(index)];
    RNNRT_TRY(readImageTarget(images[index], index, target));
    imageList += (index ? ", " : "") + target.describe();
  }
  const std::string target = "device `" + device.name() + "` (sm_" + std::to_string(device.computeCapability()) + ")";
  const std::vector<int64_t> order = chooseImages(targets, device.computeCapability());
  if (order.empty())
    return Status(rnnrt_status_create(RNNRT_STATUS_UNIMPLEMENTED,
                                      ("no code for " + target + ": the module has " + imageList +
                                       "; compile it for chip sm_" + std::to_string(device.computeCapability()))
                                          .c_str()));
  ContextScope scope(device);
  RNNRT_TRY(std::move(scope.status));
  Status first;
  std::string reasons;
  for (int64_t index : order) {
    Status status = tryImage(images[index], targets[size_t(index)].isText);
    if (status.ok()) {
      chosen = index;
      if (tracing(TraceKind::Plan))
        trace("rnnrt,module,load,cuda,%s", targets[size_t(index)].describe().c_str());
      return Status();
    }
    reasons +=
        (reasons.empty() ? "" : "; ") + targets[size_t(index)].describe() + ": " + rnnrt_status_message(status.get());
    if (first.ok())
      first = std::move(status);
  }
  return withCode(first, "no code of the module loads on " + target + ": " + reasons);
}

Status CudaModule::kernel(const char *name, CudaKernel *&kernel) {
  std::lock_guard<std::mutex> lock(mutex);
  if (auto it = kernels.find(std::string_view(name)); it != kernels.end()) {
    kernel = it->second.get();
    return Status();
  }
  ContextScope scope(device);
  RNNRT_TRY(std::move(scope.status));
  CUfunction function = nullptr;
  const CUresult result = device.driver().cuModuleGetFunction(&function, native, name);
  if (result == CUDA_ERROR_NOT_FOUND)
    return invalidArgument("the module has no kernel `%.256s`", name);
  RNNRT_TRY(device.check(result, "cuModuleGetFunction"));
  auto made = std::make_unique<CudaKernel>(device, graphs, function, name);
  RNNRT_TRY(made->initialize());
  kernel = kernels.emplace(name, std::move(made)).first->second.get();
  return Status();
}

Status CudaModule::loadKernels() {
  const DriverApi &driver = device.driver();
  if (!driver.cuModuleGetFunctionCount || !driver.cuModuleEnumerateFunctions || !driver.cuFuncLoad)
    return Status();
  ContextScope scope(device);
  RNNRT_TRY(std::move(scope.status));
  unsigned int count = 0;
  RNNRT_TRY(device.check(driver.cuModuleGetFunctionCount(&count, native), "cuModuleGetFunctionCount"));
  std::vector<CUfunction> functions(count);
  if (count)
    RNNRT_TRY(
        device.check(driver.cuModuleEnumerateFunctions(functions.data(), count, native), "cuModuleEnumerateFunctions"));
  for (CUfunction function : functions)
    RNNRT_TRY(device.check(driver.cuFuncLoad(function), "cuFuncLoad"));
  return Status();
}

//===-- Kernel ---------------------------------------------------------------------------------------------------===//

Status CudaKernel::initialize() {
  auto get = [&](CUfunction_attribute which, int &value) {
    return device.check(device.driver().cuFuncGetAttribute(&value, which, function), "cuFuncGetAttribute");
  };
  int threads = 0, shared = 0, local = 0, registers = 0, dynamic = 0, cluster[3] = {};
  RNNRT_TRY(get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, threads));
  RNNRT_TRY(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shared));
  RNNRT_TRY(get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, local));
  RNNRT_TRY(get(CU_FUNC_ATTRIBUTE_NUM_REGS, registers));
  RNNRT_TRY(get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, dynamic));
  if (device.computeCapability() >= 90) {
    RNNRT_TRY(get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, cluster[0]));
    RNNRT_TRY(get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, cluster[1]));
    RNNRT_TRY(get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, cluster[2]));
  }
  usage = {registers, threads, shared, local};
  dynamicShared = dynamic;
  for (int blocks : cluster)
    compiledCluster *= blocks > 0 ? blocks : 1;
  return Status();
}

static bool hasCluster(const rnnrt_launch_t &launch) {
  return launch.cluster[0] || launch.cluster[1] || launch.cluster[2];
}

static std::string triple(const int64_t *sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" + std::to_string(sizes[2]);
}

std::string CudaKernel::describe(const rnnrt_launch_t &launch) const {
  std::string text = "kernel=" + name + " grid=" + triple(launch.grid) + " block=" + triple(launch.block);
  if (hasCluster(launch))
    text += " cluster=" + triple(launch.cluster);
  text += " shared=" + std::to_string(launch.dynamic_shared);
  return text + (launch.cooperative ? " cooperative" : "") + (launch.programmatic ? " programmatic" : "");
}

Status CudaKernel::check(const rnnrt_launch_t &launch) const {
  // The limits of every GPU since compute capability 3.0 (CUDA C++ programming guide, "Technical specifications").
  static constexpr int64_t maxGrid[] = {INT32_MAX, 65535, 65535}, maxBlock[] = {1024, 1024, 64};
  auto bad = [&](const char *what, int dim, long long low, long long high, long long got) {
    return invalidArgument("expects dim %d of `%s` to be in [%lld, %lld], but got %lld; in %s", dim, what, low, high,
                           got, describe(launch).c_str());
  };
  int64_t threads = 1;
  for (int dim = 0; dim < 3; ++dim) {
    if (launch.grid[dim] < 0 || launch.grid[dim] > maxGrid[dim])
      return bad("grid", dim, 0, maxGrid[dim], launch.grid[dim]);
    if (launch.block[dim] < 1 || launch.block[dim] > maxBlock[dim])
      return bad("block", dim, 1, maxBlock[dim], launch.block[dim]);
    threads *= launch.block[dim];
    if (!hasCluster(launch))
      continue;
    if (launch.cluster[dim] < 1 || launch.cluster[dim] > 16)
      return bad("cluster", dim, 1, 16, launch.cluster[dim]);
    if (launch.grid[dim] % launch.cluster[dim])
      return invalidArgument("expects dim %d of `grid` to be a multiple of `cluster`; in %s", dim,
                             describe(launch).c_str());
  }
  if (launch.dynamic_shared < 0)
    return invalidArgument("expects `dynamic_shared` to be at least 0; in %s", describe(launch).c_str());
  if (threads > usage.max_threads)
    return unimplemented("the kernel supports at most %d threads per block, but %lld are requested; in %s",
                         usage.max_threads, (long long)threads, describe(launch).c_str());
  const int64_t shared = device.allProperties().shared_memory_per_block;
  if (launch.dynamic_shared > shared - usage.static_shared)
    return unimplemented("the kernel needs %lld + %lld bytes of shared memory per block, but `%s` has %lld; in %s",
                         (long long)usage.static_shared, (long long)launch.dynamic_shared, device.name().c_str(),
                         (long long)shared, describe(launch).c_str());
  if (hasCluster(launch) && device.computeCapability() < 90)
    return unimplemented("clusters need compute capability 9.0, but `%s` has %d.%d; in %s", device.name().c_str(),
                         device.computeCapability() / 10, device.computeCapability() % 10, describe(launch).c_str());
  return Status();
}

Status CudaKernel::enable(const rnnrt_launch_t &launch) {
  auto set = [&](CUfunction_attribute which, int64_t value) {
    return device.check(device.driver().cuFuncSetAttribute(function, which, int(value)), "cuFuncSetAttribute");
  };
  const int64_t cluster =
      hasCluster(launch) ? launch.cluster[0] * launch.cluster[1] * launch.cluster[2] : compiledCluster;
  const bool isLarge = cluster > 8;
  // Without the context: chains of short launches are bound by their time on the host.
  if (launch.dynamic_shared <= dynamicShared.load(std::memory_order_acquire) &&
      (!isLarge || largeClusters.load(std::memory_order_acquire)))
    return Status();
  ContextScope scope(device);
  RNNRT_TRY(std::move(scope.status));
  std::lock_guard<std::mutex> lock(mutex);
  if (launch.dynamic_shared > dynamicShared) {
    RNNRT_TRY(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, launch.dynamic_shared));
    dynamicShared.store(launch.dynamic_shared, std::memory_order_release);
  }
  if (isLarge && !largeClusters) {
    RNNRT_TRY(set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    largeClusters.store(true, std::memory_order_release);
  }
  return Status();
}

/// The launch configuration of the driver.
struct CudaKernel::Configuration {
  Configuration(const rnnrt_launch_t &launch, CUstream stream) {
    native.gridDimX = unsigned(launch.grid[0]);
    native.gridDimY = unsigned(launch.grid[1]);
    native.gridDimZ = unsigned(launch.grid[2]);
    native.blockDimX = unsigned(launch.block[0]);
    native.blockDimY = unsigned(launch.block[1]);
    native.blockDimZ = unsigned(launch.block[2]);
    native.sharedMemBytes = unsigned(launch.dynamic_shared);
    native.hStream = stream;
    native.attrs = attributes;
    if (hasCluster(launch))
      add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {unsigned(launch.cluster[0]), unsigned(launch.cluster[1]),
                                                               unsigned(launch.cluster[2])};
    if (launch.cooperative)
      add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
    if (launch.programmatic)
      add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  }
  Configuration(const Configuration &) = delete;

  CUlaunchConfig native{};

private:
  CUlaunchAttributeValue &add(CUlaunchAttributeID id) {
    CUlaunchAttribute &attribute = attributes[native.numAttrs++];
    attribute.id = id;
    return attribute.value;
  }
  CUlaunchAttribute attributes[3]{};
};

Status CudaKernel::launch(const rnnrt_stream_t *stream, const rnnrt_launch_t &launch, void *const *arguments) {
  if (stream && cudaDevice(*stream->device->backend) != &device)
    return invalidArgument("expects `stream` to belong to the device of `kernel`");
  return this->launch(nativeStream(stream, device), launch, arguments);
}

Status CudaKernel::prepare(const rnnrt_launch_t &launch, bool &isEmpty) {
  RNNRT_TRY(check(launch));
  isEmpty = !launch.grid[0] || !launch.grid[1] || !launch.grid[2];
  return isEmpty ? Status() : enable(launch);
}

Status CudaKernel::launch(CUstream stream, const rnnrt_launch_t &launch, void *const *arguments) {
  ContextScope scope(device);
  RNNRT_TRY(std::move(scope.status));
  bool isEmpty = false;
  RNNRT_TRY(prepare(launch, isEmpty));
  if (isEmpty)
    return Status();
  const Configuration configuration(launch, stream);
  auto start = std::chrono::steady_clock::now();
  Status status = device.check(
      device.driver().cuLaunchKernelEx(&configuration.native, function, const_cast<void **>(arguments), nullptr),
      "cuLaunchKernelEx");
  if (tracing(TraceKind::Dispatch)) {
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    trace("rnnrt,dispatch,%s,%s,%.3f", describe(launch).c_str(),
          rnnrt_status_code_name(rnnrt_status_code(status.get())), ms.count());
  }
  if (status.ok())
    return status;
  std::string message = rnnrt_status_message(status.get());
  // The driver's error code does not identify this cause.
  int clusters = 1;
  if (hasCluster(launch) &&
      device.driver().cuOccupancyMaxActiveClusters(&clusters, function, &configuration.native) == CUDA_SUCCESS &&
      !clusters)
    message += "; no cluster of this size fits on the device with this shared memory";
  return withCode(status, message + "; in " + describe(launch));
}

const std::vector<size_t> *CudaKernel::getParameterSizes(std::string &reason) {
  std::call_once(parametersOnce, [&] {
    const DriverApi &driver = device.driver();
    if (!driver.cuFuncGetParamInfo) {
      parametersReason = "graphs need a driver of CUDA 12.4 or later (cuFuncGetParamInfo)";
      return;
    }
    ContextScope scope(device);
    if (!scope.status.ok()) {
      parametersReason = rnnrt_status_message(scope.status.get());
      return;
    }
    size_t offset = 0, size = 0;
    CUresult result = CUDA_SUCCESS;
    // An index behind the last parameter is an invalid value.
    while ((result = driver.cuFuncGetParamInfo(function, parameterSizes.size(), &offset, &size)) == CUDA_SUCCESS)
      parameterSizes.push_back(size);
    if (result != CUDA_ERROR_INVALID_VALUE)
      parametersReason = rnnrt_status_message(device.check(result, "cuFuncGetParamInfo").get());
  });
  reason = parametersReason;
  return reason.empty() ? &parameterSizes : nullptr;
}

Status CudaKernel::maxClusters(const rnnrt_launch_t &launch, int64_t &clusters) {
  RNNRT_TRY(check(launch));
  ContextScope scope(device);
  RNNRT_TRY(std::move(scope.status));
  RNNRT_TRY(enable(launch));
  const Configuration configuration(launch, device.defaultStream());
  int count = 0;
  RNNRT_TRY(device.check(device.driver().cuOccupancyMaxActiveClusters(&count, function, &configuration.native),
                         "cuOccupancyMaxActiveClusters"));
  clusters = count;
  return Status();
}

const CudaKernel::Residency &CudaKernel::getResidency(const rnnrt_launch_t &launch) {
  std::array<int64_t, 7> shape;
  std::copy_n(launch.cluster, 3, shape.begin());
  std::copy_n(launch.block, 3, shape.begin() + 3);
  shape[6] = launch.dynamic_shared;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto it = residencies.find(shape); it != residencies.end())
      return it->second;
  }
  // The query is for one cluster: the grid of the launch may be empty.
  rnnrt_launch_t one = launch;
  std::copy_n(launch.cluster, 3, one.grid);
  Residency residency;
  // The query may fail on a device that does not support such clusters.
  const Status status = maxClusters(one, residency.clusters);
  if (!status.ok())
    residency.why = rnnrt_status_message(status.get());
  else if (!residency.clusters)
    residency.why = "no cluster of this size fits on the device with this shared memory";
  std::lock_guard<std::mutex> lock(mutex);
  return residencies.emplace(shape, std::move(residency)).first->second; // entries of a map do not move
}
