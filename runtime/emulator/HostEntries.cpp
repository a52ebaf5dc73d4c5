// HostEntries.cpp - the entries of simt.def that host code calls: launches and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/ResidentClusters.h"
#include "emulator/Emulator.h"
#include "emulator/Interface.h"
#include "rnn_runtime/emulator.h"
#include "rnn_runtime/memory.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace rnnrt;
using namespace rnnrt::simt;

/// Runs `body(emulation)` unless the thread's current call prevents it, and records the status that it returns in the
/// call.
template <typename Body> static void enter(Body &&body) {
  rnnrt_emulation_t emulation;
  if (!rnnrt_internal_emulation(&emulation))
    return;
  if (Status status = guarded([&] { return body(emulation); }); !status.ok())
    rnnrt_call_fail(emulation.call, status.take());
}

static void abandonKernel(rnnrt_status_t failure) {
  emulator().abandon(Status(failure));
}

/// While it exists, kernels run on other stacks.
struct KernelScope {
  KernelScope() { rnnrt_internal_emulation_kernel(abandonKernel); }
  ~KernelScope() { rnnrt_internal_emulation_kernel(nullptr); }
};

void rnnrt::simt::advanceWavefront() {
  rnnrt_internal_emulation_kernel(nullptr);
  rnnrt_internal_emulation_advance();
  rnnrt_internal_emulation_kernel(abandonKernel); // of the launch that goes on
}

namespace {

/// A launch and what it needs to be executed later.
struct HostLaunch {
  Launch launch;
  Schedule schedule;
  std::string text; ///< for traces
  bool traces = false;
  // Copies, if it is deferred.
  std::vector<std::max_align_t> bytes;
  std::vector<void *> arguments;

  /// Copies the arguments, which are adjacent.
  void keepArguments(int32_t count, int64_t size) {
    bytes.resize((size_t(size) + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    std::memcpy(bytes.data(), launch.arguments[0], size_t(size));
    auto *start = static_cast<char *>(launch.arguments[0]), *copy = reinterpret_cast<char *>(bytes.data());
    for (int32_t index = 0; index < count; ++index)
      arguments.push_back(copy + (static_cast<char *>(launch.arguments[index]) - start));
    launch.arguments = arguments.data();
  }

  Status run() const {
    auto start = std::chrono::steady_clock::now();
    Status status = [&] {
      const KernelScope scope;
      return runLaunch(launch, schedule);
    }();
    if (traces) {
      std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
      rnnrt_internal_emulation_trace(text.c_str(), status.get(), ms.count());
    }
    return status;
  }
};

} // namespace

extern "C" {

void rnnrt_abi_simt_launch(void (*kernel)(void **), const char *name, const char *site, int32_t flags, int64_t grid_x,
                           int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z,
                           int32_t required_x, int32_t required_y, int32_t required_z, int64_t static_shared,
                           int64_t dynamic_shared, int64_t stack_bytes, void **arguments, int32_t num_arguments,
                           int64_t argument_bytes) {
  rnnrt_abi_simt_launch_clusters(kernel, name, site, flags, 1, 1, 1, 0, 0, 0, grid_x, grid_y, grid_z, block_x, block_y,
                                 block_z, required_x, required_y, required_z, static_shared, dynamic_shared,
                                 stack_bytes, arguments, num_arguments, argument_bytes);
}

void rnnrt_abi_simt_launch_clusters(void (*kernel)(void **), const char *name, const char *site, int32_t flags,
                                    int64_t cluster_x, int64_t cluster_y, int64_t cluster_z, int32_t required_cluster_x,
                                    int32_t required_cluster_y, int32_t required_cluster_z, int64_t grid_x,
                                    int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z,
                                    int32_t required_x, int32_t required_y, int32_t required_z, int64_t static_shared,
                                    int64_t dynamic_shared, int64_t stack_bytes, void **arguments,
                                    int32_t num_arguments, int64_t argument_bytes) {
  enter([&](const rnnrt_emulation_t &emulation) {
    auto made = std::make_unique<HostLaunch>();
    Schedule &schedule = made->schedule;
    Launch &launch = made->launch;
    RNNRT_TRY(Schedule::parse(emulation.schedule, schedule));
    launch.kernel = kernel;
    launch.name = name;
    launch.site = site;
    launch.cooperative = flags & 1;
    launch.checked = flags & 2;
    int64_t grid[] = {grid_x, grid_y, grid_z};
    const int64_t block[] = {block_x, block_y, block_z};
    const int64_t required[] = {required_x, required_y, required_z};
    std::memcpy(launch.block, block, sizeof(block));
    std::memcpy(launch.required, required, sizeof(required));
    const int64_t cluster[] = {cluster_x, cluster_y, cluster_z};
    const int64_t requiredCluster[] = {required_cluster_x, required_cluster_y, required_cluster_z};
    std::memcpy(launch.cluster, cluster, sizeof(cluster));
    std::memcpy(launch.requiredCluster, requiredCluster, sizeof(requiredCluster));
    if (const int64_t blocks = launch.blocksPerCluster(); blocks > 0)
      shareClusters(grid, cluster_x, blocks, std::min(132 / blocks, rnnrt_internal_emulation_most_clusters()),
                    flags >> RNNRT_LAUNCH_ITEMS_SHIFT, std::max<int64_t>(emulation.layers, 1));
    std::memcpy(launch.grid, grid, sizeof(grid));
    launch.staticShared = static_shared;
    launch.dynamicShared = dynamic_shared;
    launch.stackBytes = stack_bytes;
    launch.arguments = arguments;
    char clusters[96] = "", text[512];
    if (launch.blocksPerCluster() != 1)
      std::snprintf(clusters, sizeof(clusters), " cluster=%lldx%lldx%lld", (long long)cluster_x, (long long)cluster_y,
                    (long long)cluster_z);
    std::snprintf(text, sizeof(text), "kernel=%s grid=%lldx%lldx%lld block=%lldx%lldx%lld%s schedule=%s", name,
                  (long long)grid[0], (long long)grid[1], (long long)grid[2], (long long)block_x, (long long)block_y,
                  (long long)block_z, clusters, schedule.toString().c_str());
    if (launch.blocksPerCluster() != 1 && rnnrt_internal_emulation_skips(emulation.call, text))
      return Status();
    made->traces = emulation.traces;
    made->text = text;
    if (!emulation.layers || (num_arguments > 0 && !argument_bytes))
      return made->run();
    // Launches without items have no clusters of which the wavefront is aware.
    const int64_t numClusters = flags >> RNNRT_LAUNCH_ITEMS_SHIFT ? launch.numClusters() : 0;
    if (num_arguments > 0)
      made->keepArguments(num_arguments, argument_bytes);
    rnnrt_internal_emulation_defer(
        emulation.call, numClusters,
        [](void *deferred) { return guarded([&] { return static_cast<HostLaunch *>(deferred)->run(); }).take(); },
        [](void *deferred) { delete static_cast<HostLaunch *>(deferred); }, made.release());
    return Status();
  });
}

void *rnnrt_abi_simt_alloc(int64_t bytes) {
  bool isValid = false;
  enter([&](const rnnrt_emulation_t &) {
    if (bytes < 0)
      return invalidArgument("a buffer of %lld bytes: a dimension is negative or the size overflows", (long long)bytes);
    isValid = true;
    return Status();
  });
  if (!isValid)
    return nullptr;
  // From the pool of compiled code, so that either kind of deallocation may free it. It may leave the function, so this
  // frame has nothing to destroy.
  void *result = _mlir_memref_to_llvm_alloc(bytes);
  std::memset(result, 0xff, size_t(bytes));
  return result;
}

void rnnrt_abi_simt_free(void *pointer) {
  _mlir_memref_to_llvm_free(pointer);
}

void rnnrt_abi_simt_copy(void *target, const void *source, int64_t bytes) {
  enter([&](const rnnrt_emulation_t &) {
    if (bytes > 0)
      std::memmove(target, source, size_t(bytes));
    return Status();
  });
}

void rnnrt_abi_simt_fill(void *target, int32_t value, int64_t count, int32_t width) {
  enter([&](const rnnrt_emulation_t &) {
    for (int64_t index = 0; index < count; ++index)
      std::memcpy(static_cast<char *>(target) + index * width, &value, size_t(width));
    return Status();
  });
}

} // extern "C"
