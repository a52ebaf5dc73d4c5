// Experiments.cpp - runs the kernels of ExperimentKernels.cpp and prints the answers for
// docs/internals/hardware-notes.md. Each answer names the constant of benchmarks/gpu/latency.py or the decision that it
// determines. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Experiments.h"
#include "Tensors.h"
#include "Watch.h"

#include <algorithm>
#include <chrono>

using namespace bundle;

namespace {

/// As in ExperimentKernels.cpp.
struct Result {
  uint64_t cycles, nanoseconds, failures, value;
};

constexpr int64_t largeShared = 222 << 10; // of a persistent kernel with H = 768 in f16
constexpr int64_t exchangeShared = 64 << 10;
constexpr uint32_t blocks = 16, threads = 256;

class Experiments {
public:
  Experiments(rnnrt_device_t *device, const char *code) : device(device), code(code) {
    check(rnnrt_stream_create(device, &stream));
    check(rnnrt_memory_alloc(device, sizeof(Result), &result));
    check(rnnrt_memory_alloc(device, sizeof(uint32_t), &counter));
  }
  Experiments(const Experiments &) = delete;
  ~Experiments() {
    rnnrt_status_release(rnnrt_stream_synchronize(stream));
    rnnrt_module_release(module);
    for (void *memory : {result, counter, stored})
      if (memory)
        rnnrt_status_release(rnnrt_memory_free(device, memory));
    rnnrt_stream_release(stream);
  }

  void run() {
    const rnnrt_image_t image = {code, 0, nullptr};
    if (rnnrt_status_t status = rnnrt_module_load(device, &image, 1, &module)) {
      std::printf("experiments: %s\n", rnnrt_status_message(status));
      return rnnrt_status_release(status);
    }
    const struct {
      const char *name;
      void (Experiments::*ask)();
    } all[] = {{"resident clusters", &Experiments::askResident},
               {"shared memory", &Experiments::askShared},
               {"memory order", &Experiments::askMemoryOrder},
               {"packets", &Experiments::askPackets},
               {"MMAs", &Experiments::askProducts},
               {"launches of steps", &Experiments::askLaunches}};
    for (const auto &one : all) {
      Watch::begin(one.name);
      (this->*one.ask)();
      Watch::finish();
      std::fflush(stdout);
    }
  }

private:
  struct Shape {
    int64_t grid = 1, cluster = 0, block = threads, shared = 0;
  };

  /// Launches `name` with the arguments behind `result` and waits. Returns false, with a printed reason, if it fails.
  template <typename... Args> bool launch(const char *name, const Shape &shape, Result &read, Args... args) {
    rnnrt_kernel_t *kernel = nullptr;
    check(rnnrt_module_kernel(module, name, &kernel));
    rnnrt_launch_t launch;
    rnnrt_launch_init(&launch);
    launch.grid[0] = shape.grid;
    launch.block[0] = shape.block;
    launch.dynamic_shared = shape.shared;
    if (shape.cluster) {
      launch.cluster[0] = shape.cluster;
      launch.cluster[1] = launch.cluster[2] = 1;
    }
    read = {};
    void *arguments[] = {&args...};
    rnnrt_status_t status = rnnrt_memory_copy(device, stream, result, &read, sizeof read);
    if (!status)
      status = rnnrt_kernel_launch(kernel, stream, &launch, arguments);
    if (!status)
      status = rnnrt_memory_copy(device, stream, &read, result, sizeof read);
    if (!status)
      status = rnnrt_stream_synchronize(stream);
    if (!status)
      return true;
    std::printf(" refused (%s);", rnnrt_status_message(status));
    rnnrt_status_release(status);
    return false;
  }

  /// The median of seven launches, after one.
  template <typename... Args> bool measure(const char *name, const Shape &shape, Result &median, Args... args) {
    std::vector<Result> all(8);
    for (Result &one : all)
      if (!launch(name, shape, one, args...))
        return false;
    all.erase(all.begin());
    std::nth_element(all.begin(), all.begin() + 3, all.end(),
                     [](const Result &a, const Result &b) { return a.cycles < b.cycles; });
    median = all[3];
    for (const Result &one : all)
      median.failures = std::max(median.failures, one.failures);
    return true;
  }

  /// One exchange of 16 blocks, in steps of ns and cycles.
  void exchange(const char *text, const char *kernel, uint32_t packets, uint32_t stride, bool stores = false) {
    const uint32_t steps = 1024;
    if (stores && !stored)
      check(rnnrt_memory_alloc(device, int64_t(64) * blocks * threads * 4, &stored));
    std::printf("  %s:", text);
    Result median;
    if (measure(kernel, {blocks, blocks, threads, exchangeShared}, median, result, steps, packets, stride,
                stores ? stored : nullptr)) {
      if (median.failures)
        std::printf(" FAILED: a barrier did not complete");
      else if (!median.cycles)
        std::printf(" NO RESULT");
      else
        std::printf(" %.0f cycles, %.0f ns a step", double(median.cycles) / steps, double(median.nanoseconds) / steps);
    }
    std::printf("\n");
  }

  void askResident() {
    std::printf("How many clusters of 16 blocks with 222 KB each run at the same time? (rows per cluster, and whether "
                "B = 16 at H = 768 takes two waves; ResidentClusters.h queries the occupancy)\n ");
    for (int64_t clusters = 9; clusters >= 1; --clusters) {
      const uint32_t zero = 0;
      check(rnnrt_memory_copy(device, stream, counter, &zero, sizeof zero));
      check(rnnrt_stream_synchronize(stream));
      Result read;
      if (!launch("resident", {clusters * blocks, blocks, threads, largeShared}, read, counter, result,
                  uint32_t(clusters)))
        break;
      std::printf(" %lld: %s;", (long long)clusters, read.value == uint64_t(clusters) ? "together" : "not together");
      if (read.value == uint64_t(clusters))
        break;
    }
    std::printf("\n");
  }

  void askShared() {
    std::printf("Can a block have 227 KB of dynamic shared memory? (if not: the largest H, PersistentShape.h)\n ");
    for (int64_t bytes : {int64_t(227) << 10, (int64_t(227) << 10) - 16, largeShared})
      for (int64_t cluster : {int64_t(0), int64_t(16)}) {
        std::printf(" %lld bytes, %s:", (long long)bytes, cluster ? "in a cluster of 16" : "no cluster");
        Result read;
        if (launch("touch", {cluster ? cluster : 1, cluster, threads, bytes}, read, result, uint32_t(bytes)))
          std::printf(" %s;", read.value == 42 ? "yes" : "NO RESULT");
      }
    std::printf("\n");
  }

  void askMemoryOrder() {
    std::printf(
        "What do memory order of arrival and of wait cost? 256 packets of 8 bytes per block and step (constants "
        "`exchange`, `device_fence`, `device_fence_stores`; decides that both stay relaxed)\n");
    for (bool stores : {false, true}) {
      const std::string before = stores ? "a store of every thread before, " : "";
      exchange((before + "arrival and wait relaxed").c_str(), "exchange_relaxed", 256, 8, stores);
      exchange((before + "arrival with release (MEMBAR.GPU)").c_str(), "exchange_release", 256, 8, stores);
      exchange((before + "wait with acquire (CCTL.IVALL)").c_str(), "exchange_acquire", 256, 8, stores);
      exchange((before + "both").c_str(), "exchange_release_acquire", 256, 8, stores);
    }
  }

  void askPackets() {
    std::printf(
        "What does an exchange of 16 blocks cost by packets per block and their distance? (constants `exchange`, "
        "`packet`; decides between adjacent packets, and 8 or 16 bytes)\n");
    for (uint32_t packets : {64, 128, 256, 512, 768})
      for (uint32_t stride : {8, 32}) {
        char text[64];
        std::snprintf(text, sizeof text, "%u packets of 8 bytes, %u bytes apart", packets, stride);
        exchange(text, "exchange_relaxed", packets, stride);
      }
    for (uint32_t packets : {32, 64, 128, 256, 384}) {
      char text[64];
      std::snprintf(text, sizeof text, "%u packets of 16 bytes, 16 bytes apart", packets);
      exchange(text, "exchange_wide", packets, 16);
    }
  }

  void askProducts() {
    std::printf(
        "How long do 32 MMAs take? (constants `hmma_latency`, `hmma_issue`; decides the number of accumulators, "
        "and whether warpgroup MMAs are worth the change)\n");
    const uint32_t rounds = 256;
    const struct {
      const char *kernel, *text;
      int64_t least;
    } all[] = {{"multiply_1", "m16n8k16, one chain", 32},
               {"multiply_4", "m16n8k16, 4 chains of 8", 32},
               {"multiply_8", "m16n8k16, 8 chains of 4", 32},
               {"multiply_warpgroup", "warpgroup m64n8k16, one chain", 128}};
    for (const auto &one : all)
      for (int64_t block : {32, 128, 256, 512}) {
        if (block < one.least)
          continue;
        std::printf("  %s, %lld warps:", one.text, (long long)(block / 32));
        Result median;
        if (measure(one.kernel, {1, 0, block, 4096}, median, result, rounds))
          std::printf(median.cycles ? " %.1f cycles for each" : " NO RESULT", double(median.cycles) / (32 * rounds));
        std::printf("\n");
      }
  }

  void askLaunches() {
    std::printf("What does the launch of a time step cost? 256 launches of 16 blocks (constant `step_launch`; decides "
                "whether chains are launched as CUDA graphs)\n");
    for (const char *graphs : {"0", "1"})
      for (int32_t flags : {0, int32_t(RNNRT_LAUNCH_PROGRAMMATIC)})
        launchSteps(graphs, flags);
  }

  void launchSteps(const char *graphs, int32_t flags) {
    using Clock = std::chrono::steady_clock;
    const int count = 256;
    std::printf("  %s, %s:", *graphs == '1' ? "one CUDA graph" : "one by one",
                flags ? "programmatic dependent launches" : "plain launches");
    // A call reads the variable when it is created.
    const char *before = std::getenv("RNNRT_GRAPHS");
    const std::string old = before ? before : "";
    setenv("RNNRT_GRAPHS", graphs, /*overwrite=*/1);
    rnnrt_call_t *call = nullptr;
    check(rnnrt_call_create(device, stream, nullptr, &call));
    before ? setenv("RNNRT_GRAPHS", old.c_str(), /*overwrite=*/1) : unsetenv("RNNRT_GRAPHS");
    void *compiled = rnnrt_abi_gpu_module_load_jit(const_cast<char *>(code), 0);
    void *function = rnnrt_abi_gpu_module_get_function(compiled, "step");
    void *parameters[] = {&result};
    rnnrt_event_t *start = nullptr, *end = nullptr;
    check(rnnrt_event_create(device, &start));
    check(rnnrt_event_create(device, &end));
    std::vector<double> onDevice, onHost;
    for (int round = 0; round < 9 && !rnnrt_call_status(call); ++round) {
      check(rnnrt_stream_synchronize(stream));
      check(rnnrt_event_record(start, stream));
      const Clock::time_point begin = Clock::now();
      rnnrt_abi_make_current(call);
      rnnrt_abi_begin_chain(call);
      for (int step = 0; step < count; ++step)
        rnnrt_abi_gpu_launch(function, 0, 0, 0, 16, 1, 1, 128, 1, 1, 0, parameters, flags);
      rnnrt_abi_end_chain(call);
      const double host = std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / count;
      check(rnnrt_event_record(end, stream));
      double milliseconds = 0;
      check(rnnrt_event_elapsed(start, end, &milliseconds));
      if (round < 2) // loads code, captures
        continue;
      onHost.push_back(host);
      onDevice.push_back(milliseconds * 1e6 / count);
    }
    if (rnnrt_status_t status = rnnrt_call_status(call)) {
      std::printf(" refused (%s)\n", rnnrt_status_message(status));
    } else {
      std::sort(onHost.begin(), onHost.end());
      std::sort(onDevice.begin(), onDevice.end());
      std::printf(" %.0f ns each, %.0f ns on the host\n", onDevice[onDevice.size() / 2], onHost[onHost.size() / 2]);
    }
    rnnrt_event_release(start);
    rnnrt_event_release(end);
    rnnrt_call_release(call);
    rnnrt_abi_gpu_module_unload(compiled);
  }

  rnnrt_device_t *device;
  const char *code;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_module_t *module = nullptr;
  void *result = nullptr, *counter = nullptr, *stored = nullptr;
};

} // namespace

void bundle::runExperiments(rnnrt_device_t *device, const char *code) {
  Experiments(device, code).run();
}
