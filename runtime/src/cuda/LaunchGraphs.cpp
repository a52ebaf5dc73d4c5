// LaunchGraphs.cpp - captures, updates and launches graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/LaunchGraphs.h"
#include "core/Trace.h"
#include "cuda/CudaModule.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

using namespace rnnrt;
using namespace rnnrt::cuda;

Status cuda::launchAll(CUstream stream, const LaunchChain &chain) {
  return chain.forEach([&](CudaKernel &kernel, const rnnrt_launch_t &launch, void *const *parameters) {
    return kernel.launch(stream, launch, parameters);
  });
}

//===-- LaunchChain ----------------------------------------------------------------------------------------------===//

bool LaunchChain::Launch::operator==(const Launch &other) const {
  const rnnrt_launch_t &a = launch, &b = other.launch;
  return kernel == other.kernel && std::equal(a.grid, a.grid + 3, b.grid) &&
         std::equal(a.block, a.block + 3, b.block) && std::equal(a.cluster, a.cluster + 3, b.cluster) &&
         a.dynamic_shared == b.dynamic_shared && a.cooperative == b.cooperative && a.programmatic == b.programmatic;
}

void LaunchChain::add(CudaKernel &kernel, const rnnrt_launch_t &launch, const std::vector<size_t> &sizes,
                      void *const *parameters) {
  if (size == launches.size())
    launches.emplace_back();
  Launch &added = launches[size++];
  added.kernel = &kernel;
  added.launch = launch;
  added.arguments.clear();
  for (size_t index = 0; index < sizes.size(); ++index) {
    const size_t offset = (bytes.size() + 15) / 16 * 16; // the alignment of any parameter
    bytes.resize(offset + sizes[index]);
    std::memcpy(bytes.data() + offset, parameters[index], sizes[index]);
    added.arguments.push_back(offset);
  }
}

bool LaunchChain::hasSameLaunches(const LaunchChain &other) const {
  return size == other.size && std::equal(launches.begin(), launches.begin() + size, other.launches.begin());
}

//===-- LaunchGraphs ---------------------------------------------------------------------------------------------===//

void LaunchGraphs::destroy(const Graph &graph) {
  ContextScope scope(device);
  (void)device.driver().cuGraphExecDestroy(graph.native);
  numLaunches -= graph.chain.count();
}

void LaunchGraphs::clear() {
  for (const Graph &graph : graphs)
    destroy(graph);
  graphs.clear();
}

Status LaunchGraphs::capture(const LaunchChain &chain, CUgraph &graph) {
  // A stream of our own: another thread may enqueue work on that of the call.
  return device.withCaptureStream([&](CUstream stream) {
    RNNRT_TRY(device.check(device.driver().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                           "cuStreamBeginCapture"));
    Status status = guarded([&] {
      bool isFirst = true;
      return chain.forEach([&](CudaKernel &kernel, rnnrt_launch_t launch, void *const *parameters) {
        // The graph follows all earlier work, so that its first launch has nothing to overlap with.
        launch.programmatic = launch.programmatic && !std::exchange(isFirst, false);
        return kernel.launch(stream, launch, parameters);
      });
    });
    // Ends the capture also after a failure. An invalidated capture has no graph.
    Status ended = device.check(device.driver().cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
    if (status.ok())
      status = std::move(ended);
    if (status.ok() && !graph)
      status = internalError("cuStreamEndCapture returned no graph");
    return status;
  });
}

bool LaunchGraphs::makeSpace(size_t launches) {
  if (launches > maxLaunches)
    return false;
  if (numLaunches + launches > maxLaunches)
    graphs.remove_if([&](const Graph &graph) {
      const bool isIdle = uses - graph.lastUse > idleChains;
      if (isIdle)
        destroy(graph);
      return isIdle;
    });
  return numLaunches + launches <= maxLaunches;
}

Status LaunchGraphs::make(const LaunchChain &chain, Graph *&graph) {
  const bool hasSpace = makeSpace(chain.count());
  Graph *oldest = nullptr;
  size_t ofLaunches = 0;
  for (Graph &candidate : graphs) {
    if (candidate.chain.getNumber() != chain.getNumber() || !candidate.chain.hasSameLaunches(chain))
      continue;
    ++ofLaunches;
    if (!oldest || candidate.lastUse < oldest->lastUse)
      oldest = &candidate;
  }
  const bool isUpdate = oldest && (!hasSpace || ofLaunches >= maxGraphsOfLaunches);
  if (!hasSpace && !isUpdate)
    return Status();

  // No allocation may fail while a graph has no owner.
  std::list<Graph> added(1);
  added.front().chain = chain;
  const DriverApi &driver = device.driver();
  struct Captured {
    ~Captured() {
      if (graph)
        (void)driver.cuGraphDestroy(graph);
    }
    const DriverApi &driver;
    CUgraph graph = nullptr;
  } captured{driver};
  RNNRT_TRY(capture(chain, captured.graph));
  CUgraphExecUpdateResultInfo info{};
  if (isUpdate) {
    if (driver.cuGraphExecUpdate(oldest->native, captured.graph, &info) == CUDA_SUCCESS) {
      std::swap(oldest->chain, added.front().chain);
      graph = oldest;
      return Status();
    }
    // Its arguments are unknown now.
    destroy(*oldest);
    graphs.remove_if([&](const Graph &candidate) { return &candidate == oldest; });
  }
  RNNRT_TRY(device.check(driver.cuGraphInstantiate(&added.front().native, captured.graph, 0), "cuGraphInstantiate"));
  graphs.splice(graphs.end(), added);
  numLaunches += chain.count();
  graph = &graphs.back();
  return Status();
}

bool LaunchGraphs::isRefused(const LaunchChain &chain) const {
  auto found = refusals.find({chain.getNumber(), &chain.first()});
  if (found == refusals.end())
    return refusals.size() >= maxRefusals;
  return found->second.attempts >= maxAttempts || uses - found->second.lastUse < chainsBetweenAttempts;
}

Status LaunchGraphs::run(CUstream stream, const LaunchChain &chain) {
  ContextScope scope(device);
  RNNRT_TRY(std::move(scope.status));
  // Captures of the program get the launches, since it may keep its graph longer than we keep ours.
  bool capturing = false;
  RNNRT_TRY(device.isCapturing(stream, capturing));
  std::unique_lock<std::mutex> lock(mutex);
  auto launchOneByOne = [&](const char *reason) {
    lock.unlock();
    if (reason && tracing(TraceKind::Dispatch))
      trace("rnnrt,dispatch,graph launches=%zu,SKIPPED,%s", chain.count(), reason);
    return launchAll(stream, chain);
  };
  if (capturing || chain.count() < leastLaunches)
    return launchOneByOne(nullptr);
  ++uses;
  if (isRefused(chain))
    return launchOneByOne(nullptr);
  auto found = std::find_if(graphs.begin(), graphs.end(), [&](const Graph &graph) { return graph.chain == chain; });
  Graph *graph = found == graphs.end() ? nullptr : &*found;
  if (!graph) {
    if (const Status status = make(chain, graph); !status.ok()) {
      Refusal &refusal = refusals[{chain.getNumber(), &chain.first()}];
      ++refusal.attempts;
      refusal.lastUse = uses;
      return launchOneByOne(rnnrt_status_message(status.get()));
    }
    refusals.erase({chain.getNumber(), &chain.first()});
    if (!graph)
      return launchOneByOne("the graphs of the module already have the most launches");
  }
  graph->lastUse = uses;
  auto start = std::chrono::steady_clock::now();
  Status status = device.check(device.driver().cuGraphLaunch(graph->native, stream), "cuGraphLaunch");
  if (tracing(TraceKind::Dispatch)) {
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    trace("rnnrt,dispatch,graph launches=%zu,%s,%.3f", chain.count(),
          rnnrt_status_code_name(rnnrt_status_code(status.get())), ms.count());
  }
  return status;
}
