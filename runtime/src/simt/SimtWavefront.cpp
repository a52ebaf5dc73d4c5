// SimtWavefront.cpp - a wavefront on the emulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simt/SimtWavefront.h"

#include <cstdlib>
#include <utility>

using namespace rnnrt;

SimtWavefront::SimtWavefront(Sizes sizes, const std::string &schedule)
    : Wavefront(sizes), stages(size_t(sizes.stages)), order(schedule == "fifo"      ? First
                                                            : schedule == "reverse" ? Last
                                                                                    : Random) {
  // random or random:SEED, which the emulator has checked.
  if (const size_t colon = schedule.find(':'); colon != std::string::npos)
    seed = std::strtoull(schedule.c_str() + colon + 1, nullptr, 10);
}

Status SimtWavefront::begin(int64_t stage, bool reuses) {
  RNNRT_TRY(check(stage));
  current = stage;
  const auto number = size_t(stage);
  if (number)
    stages[number].items.push_back({nullptr, number - 1, stages[number - 1].added});
  if (reuses && number + 1 < stages.size())
    stages[number].items.push_back({nullptr, number + 1, stages[number + 1].beforeLast});
  stages[number].beforeLast = stages[number].added;
  return Status();
}

bool SimtWavefront::defer(std::function<Status()> work) {
  if (current < 0)
    return false;
  Stage &stage = stages[size_t(current)];
  stage.items.push_back({std::move(work), 0, 0});
  ++stage.added;
  return true;
}

bool SimtWavefront::canRun(const Stage &stage) const {
  if (stage.items.empty())
    return false;
  const Item &next = stage.items.front();
  return next.work || stages[next.stage].done >= next.count;
}

Status SimtWavefront::finish(bool discard) {
  current = -1;
  std::vector<size_t> ready;
  while (!discard) {
    ready.clear();
    for (size_t stage = 0; stage < stages.size(); ++stage)
      if (canRun(stages[stage]))
        ready.push_back(stage);
    if (ready.empty())
      return Status();
    seed = seed * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX generator
    const size_t chosen = order == First  ? ready.front()
                          : order == Last ? ready.back()
                                          : ready[size_t(seed >> 33) % ready.size()];
    Stage &stage = stages[chosen];
    Item item = std::move(stage.items.front());
    stage.items.pop_front();
    if (!item.work)
      continue;
    RNNRT_TRY(item.work());
    ++stage.done;
  }
  return Status();
}
