// SimtWavefront.cpp - a wavefront of layers on the emulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simt/SimtWavefront.h"

#include <cstdlib>
#include <utility>

using namespace rnnrt;

SimtWavefront::SimtWavefront(int64_t count, const std::string &schedule)
    : Wavefront(count), layers(size_t(count)), order(schedule == "fifo"      ? First
                                                     : schedule == "reverse" ? Last
                                                                             : Random) {
  // random or random:SEED, which the emulator has checked.
  if (const size_t colon = schedule.find(':'); colon != std::string::npos)
    seed = std::strtoull(schedule.c_str() + colon + 1, nullptr, 10);
}

Status SimtWavefront::begin(int64_t layer) {
  if (layer < 0 || size_t(layer) >= layers.size())
    return internalError("a task of layer %lld in a wavefront of %zu layers", (long long)layer, layers.size());
  current = layer;
  if (layer)
    layers[size_t(layer)].items.push_back({nullptr, layers[size_t(layer) - 1].added});
  return Status();
}

bool SimtWavefront::defer(std::function<Status()> work) {
  if (current < 0)
    return false;
  Layer &layer = layers[size_t(current)];
  layer.items.push_back({std::move(work), 0});
  ++layer.added;
  return true;
}

bool SimtWavefront::canRun(size_t layer) const {
  const std::deque<Item> &items = layers[layer].items;
  return !items.empty() && (items.front().work || layers[layer - 1].done >= items.front().count);
}

Status SimtWavefront::finish(bool discard) {
  current = -1;
  std::vector<size_t> ready;
  while (!discard) {
    ready.clear();
    for (size_t layer = 0; layer < layers.size(); ++layer)
      if (canRun(layer))
        ready.push_back(layer);
    if (ready.empty())
      return Status();
    seed = seed * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX generator
    const size_t chosen = order == First  ? ready.front()
                          : order == Last ? ready.back()
                                          : ready[size_t(seed >> 33) % ready.size()];
    Layer &layer = layers[chosen];
    Item item = std::move(layer.items.front());
    layer.items.pop_front();
    if (!item.work)
      continue;
    RNNRT_TRY(item.work());
    ++layer.done;
  }
  return Status();
}
