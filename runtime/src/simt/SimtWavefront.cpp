// SimtWavefront.cpp - a wavefront on the emulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simt/SimtWavefront.h"

#include <cstdlib>
#include <utility>

using namespace rnnrt;

/// The wavefront that this thread executes, or null.
static thread_local SimtWavefront *executing = nullptr;

SimtWavefront::SimtWavefront(Sizes sizes, const std::string &schedule)
    : Wavefront(sizes), stages(size_t(sizes.stages)), words(sizes.clusters ? size_t(sizes.words()) : 0),
      order(schedule == "fifo"      ? First
            : schedule == "reverse" ? Last
                                    : Random) {
  // random or random:SEED, which the emulator has checked.
  if (const size_t colon = schedule.find(':'); colon != std::string::npos)
    seed = std::strtoull(schedule.c_str() + colon + 1, nullptr, 10);
  // Stage 0 follows no other stage.
  for (int64_t task = 0; !words.empty() && task < sizes.tasks; ++task)
    words[size_t(sizes.flag(0, task))] = 1;
}

void *SimtWavefront::signals() const {
  if (words.empty() || current < 0)
    return nullptr;
  return const_cast<int32_t *>(&words[size_t(sizes.counter(current, 0))]);
}

void SimtWavefront::wait(Stage &stage, size_t other, size_t task, size_t count) {
  const int64_t clusters = stages[other].published[task];
  const int32_t *counter = clusters ? &words[size_t(sizes.counter(int64_t(other), int64_t(task)))] : nullptr;
  stage.items.push_back({nullptr, other, clusters ? size_t(clusters) : count, counter, nullptr});
}

void SimtWavefront::endTask() {
  if (current < 0)
    return;
  const auto number = size_t(std::exchange(current, -1));
  Stage &stage = stages[number];
  const auto task = int64_t(stage.published.size()) - 1;
  if (!words.empty() && number + 1 < stages.size())
    stage.items.push_back({nullptr, number, 0, nullptr, &words[size_t(sizes.flag(int64_t(number) + 1, task))]});
}

Status SimtWavefront::begin(int64_t stage, bool reuses) {
  RNNRT_TRY(check(stage));
  endTask();
  const auto number = size_t(stage);
  Stage &own = stages[number];
  RNNRT_TRY(checkTask(own.published.size()));
  current = stage;
  if (number && !stages[number - 1].published.empty())
    wait(own, number - 1, stages[number - 1].published.size() - 1, stages[number - 1].added);
  if (reuses && number + 1 < stages.size() && stages[number + 1].published.size() > 1)
    wait(own, number + 1, stages[number + 1].published.size() - 2, stages[number + 1].beforeLast);
  own.beforeLast = own.added;
  own.published.push_back(0);
  return Status();
}

bool SimtWavefront::defer(std::function<Status()> work) {
  if (current < 0)
    return false;
  Stage &stage = stages[size_t(current)];
  stage.items.push_back({std::move(work), 0, 0, nullptr, nullptr});
  ++stage.added;
  return true;
}

void SimtWavefront::launched(int64_t clusters) {
  if (current >= 0)
    stages[size_t(current)].published.back() = words.empty() ? 0 : clusters;
}

bool SimtWavefront::canRun(const Stage &stage) const {
  if (stage.isRunning || stage.items.empty())
    return false;
  const Item &next = stage.items.front();
  if (next.work)
    return true;
  return next.counter ? *next.counter >= int64_t(next.count) : stages[next.stage].done >= next.count;
}

uint64_t SimtWavefront::next() {
  seed = seed * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX generator
  return seed >> 33;
}

bool SimtWavefront::runOne() {
  std::vector<Stage *> ready;
  for (Stage &stage : stages)
    if (canRun(stage))
      ready.push_back(&stage);
  if (ready.empty())
    return false;
  Stage &stage = order == First  ? *ready.front()
                 : order == Last ? *ready.back()
                                 : *ready[size_t(next()) % ready.size()];
  Item item = std::move(stage.items.front());
  stage.items.pop_front();
  if (item.flag)
    *item.flag = 1;
  if (!item.work)
    return true;
  stage.isRunning = true;
  Status status = guarded(item.work);
  stage.isRunning = false;
  if (!status.ok() && failure.ok())
    failure = std::move(status);
  ++stage.done;
  return true;
}

void SimtWavefront::advance() {
  SimtWavefront *wavefront = executing;
  if (!wavefront || wavefront->order == Last)
    return;
  while (wavefront->failure.ok() && (wavefront->order == First || wavefront->next() % 4) && wavefront->runOne()) {
  }
}

Status SimtWavefront::finish(bool discard) {
  endTask();
  if (discard)
    return Status();
  SimtWavefront *const outer = std::exchange(executing, this);
  while (failure.ok() && runOne()) {
  }
  executing = outer;
  RNNRT_TRY(std::move(failure));
  for (size_t stage = 0; stage < stages.size(); ++stage)
    if (!stages[stage].items.empty())
      return internalError("a wavefront does not advance: stage %zu waits for a counter of stage %zu, which is %d "
                           "instead of %zu",
                           stage, stages[stage].items.front().stage,
                           stages[stage].items.front().counter ? int(*stages[stage].items.front().counter) : -1,
                           stages[stage].items.front().count);
  return Status();
}
