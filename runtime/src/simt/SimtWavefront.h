// SimtWavefront.h - a wavefront on the emulator: executes launches in every order that a GPU might.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_SIMT_SIMTWAVEFRONT_H
#define RNNRT_SIMT_SIMTWAVEFRONT_H

#include "core/Wavefront.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace rnnrt {

/// Collects the launches of all tasks until `finish`, and then executes them one after the other in an order that only
/// the dependences between tasks restrict. Tests find a missing dependence, or two stages that write the same scratch
/// memory, by wrong results. The schedule of the device selects the order: of the stages that can run, `fifo` takes the
/// first one, `reverse` the last one, and `random` a random one.
class SimtWavefront final : public Wavefront {
public:
  SimtWavefront(Sizes sizes, const std::string &schedule);

  Status begin(int64_t stage, bool reuses) override;
  Status finish(bool discard) override;
  bool defer(std::function<Status()> work) override;

private:
  struct Item {
    std::function<Status()> work; ///< or empty: waits for the first `count` items with work of `stage`
    size_t stage, count;
  };
  struct Stage {
    std::deque<Item> items; ///< to be executed
    size_t added = 0, done = 0;
    size_t beforeLast = 0; ///< `added` at the start of the last task
  };
  bool canRun(const Stage &stage) const;

  std::vector<Stage> stages;
  enum { First, Last, Random } order;
  uint64_t seed = 0;
  int64_t current = -1;
};

} // namespace rnnrt

#endif // RNNRT_SIMT_SIMTWAVEFRONT_H
