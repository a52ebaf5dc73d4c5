// LaunchGraphs.h - chains of kernel launches as CUDA graphs: captured at the first call, launched by one driver call
// afterwards. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_LAUNCHGRAPHS_H
#define RNNRT_CUDA_LAUNCHGRAPHS_H

#include "core/Backend.h"
#include "cuda/CudaDevice.h"
#include "rnn_runtime/module.h"

#include <list>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace rnnrt::cuda {

class CudaKernel;

/// The launches between rnnrt_abi_begin_chain and rnnrt_abi_end_chain, with copies of their arguments.
class LaunchChain final : public Chain {
public:
  struct Launch {
    CudaKernel *kernel;
    rnnrt_launch_t launch;
    std::vector<size_t> arguments; ///< offsets in `bytes`

    bool operator==(const Launch &other) const;
  };

  /// Removes all launches. `number`: of the chain in the call of the compiled function.
  void begin(int64_t number) {
    this->number = number;
    size = 0;
    bytes.clear();
  }
  /// `sizes`: of the kernel's parameters.
  void add(CudaKernel &kernel, const rnnrt_launch_t &launch, const std::vector<size_t> &sizes, void *const *parameters);
  /// True if the launches differ by their arguments only.
  bool hasSameLaunches(const LaunchChain &other) const;
  bool operator==(const LaunchChain &other) const { return bytes == other.bytes && hasSameLaunches(other); }
  /// Calls `enqueue(kernel, launch, parameters)` for each launch, until one fails.
  template <typename Enqueue> Status forEach(Enqueue &&enqueue) const {
    std::vector<void *> parameters;
    for (size_t index = 0; index < size; ++index) {
      const Launch &launch = launches[index];
      parameters.clear();
      for (size_t offset : launch.arguments)
        parameters.push_back(const_cast<char *>(bytes.data()) + offset);
      RNNRT_TRY(enqueue(*launch.kernel, launch.launch, parameters.data()));
    }
    return Status();
  }
  size_t count() const { return size; }
  int64_t getNumber() const { return number; }
  CudaKernel &first() const { return *launches.front().kernel; }

private:
  std::vector<Launch> launches; ///< the first `size` are valid; the others keep their memory
  size_t size = 0;
  int64_t number = 0;
  std::vector<char> bytes;
};

/// The graphs of a module. They refer to its kernels, so they are destroyed before it. Thread-safe.
///
/// Two tasks of a wavefront, or two threads, may use one graph in different streams. The driver orders a launch after
/// all earlier launches of the same graph, an update affects later launches only, and a graph that is destroyed while
/// it runs is freed at its end (CUDA driver API 13.0, cuGraphLaunch and cuGraphExecDestroy; CUDA C++ programming guide,
/// "Updating Instantiated Graphs").
class LaunchGraphs {
public:
  explicit LaunchGraphs(CudaDevice &device) : device(device) {}
  ~LaunchGraphs() { clear(); }
  LaunchGraphs(const LaunchGraphs &) = delete;
  /// Destroys all graphs.
  void clear();

  /// Chains with fewer launches than this are launched one by one.
  static constexpr size_t leastLaunches = 4;
  /// Limit of the launches of all graphs: 64 chunks of 64 steps of 4 layers. An estimate: a launch of a graph has some
  /// KiB in the driver.
  static constexpr size_t maxLaunches = 16384;
  /// Graphs that differ by their arguments only, by number of the chain in its call. Callers that pass other memory in
  /// each call update these graphs instead of instantiating more.
  static constexpr size_t maxGraphsOfLaunches = 4;
  /// A graph may be replaced if this many later chains have not used it. Not the least recently used one: if a call has
  /// more chains than there is space for, that graph is the next one to be used.
  static constexpr uint64_t idleChains = 4096;

  /// If the driver refuses a graph, memory may be short or a kernel may not be capturable. The chain of this number and
  /// first kernel, a layer or a chunk of it, is then launched one by one, and tried again after `chainsBetweenAttempts`
  /// chains of the module, `maxAttempts` times altogether. At most `maxRefusals` such chains are remembered; others are
  /// not tried.
  static constexpr unsigned maxAttempts = 3;
  static constexpr uint64_t chainsBetweenAttempts = 256;
  static constexpr size_t maxRefusals = 4096;

  /// Enqueues the launches of a chain, whose kernels belong to the module. Traces the reason of each refused attempt.
  Status run(CUstream stream, const LaunchChain &chain);

private:
  struct Graph {
    LaunchChain chain;
    CUgraphExec native = nullptr;
    uint64_t lastUse = 0;
  };

  using ChainKey = std::pair<int64_t, const CudaKernel *>;
  struct Refusal {
    unsigned attempts = 0;
    uint64_t lastUse = 0; ///< at the last attempt
  };

  /// True if `chain` is to be launched one by one because the driver has refused a graph.
  bool isRefused(const LaunchChain &chain) const;
  /// Returns the graph of `chain`, updated or new; null if there is no space.
  Status make(const LaunchChain &chain, Graph *&graph);
  bool makeSpace(size_t launches);
  Status capture(const LaunchChain &chain, CUgraph &graph);
  void destroy(const Graph &graph);

  CudaDevice &device;
  std::mutex mutex;
  std::list<Graph> graphs;
  size_t numLaunches = 0; ///< of all graphs
  uint64_t uses = 0;
  std::map<ChainKey, Refusal> refusals;
};

/// Enqueues the launches one by one.
Status launchAll(CUstream stream, const LaunchChain &chain);

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_LAUNCHGRAPHS_H
