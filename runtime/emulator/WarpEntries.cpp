// WarpEntries.cpp - collectives of a warp: sync, shuffle, vote, match, redux, elect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Checker.h"
#include "rnn_runtime/emulator.h"

#include <algorithm>

using namespace rnnrt::simt;

namespace {

struct ShuffleArgument {
  uint32_t value, offset, clamp;
  int32_t kind;
  uint32_t result;
  bool valid;
};

struct VoteArgument {
  bool predicate;
  int32_t kind;
  uint32_t result;
};

struct MatchArgument {
  uint64_t value;
  int32_t kind;
  uint32_t result;
  bool all;
};

struct ReduxArgument {
  uint32_t value;
  int32_t kind;
};

} // namespace

static void runSync(Warp &warp, uint32_t mask, void *const *) {
  // Of the collectives only this one orders memory (PTX ISA, bar.warp.sync).
  Emulator &self = emulator();
  if (!self.getChecker())
    return;
  self.scratch.clear();
  forEachLane(mask, [&](uint32_t lane) { self.scratch.push_back(&warp.lanes[lane]); });
  self.getChecker()->synchronize(self.scratch, {});
}

/// The pseudocode of PTX's shfl.sync.
static void runShuffle(Warp &warp, uint32_t mask, void *const *arguments) {
  forEachLane(mask, [&](uint32_t lane) {
    auto &argument = *static_cast<ShuffleArgument *>(arguments[lane]);
    uint32_t offset = argument.offset & 31, clamp = argument.clamp & 31, segment = argument.clamp >> 8 & 31;
    int32_t last = int32_t((lane & segment) | (clamp & ~segment)), first = int32_t(lane & segment), source;
    switch (argument.kind) {
    case 0: // bfly
      source = int32_t(lane ^ offset);
      argument.valid = source <= last;
      break;
    case 1: // up, whose clamp is the lowest lane
      source = int32_t(lane) - int32_t(offset);
      argument.valid = source >= last;
      break;
    case 2: // down
      source = int32_t(lane + offset);
      argument.valid = source <= last;
      break;
    default: // idx
      source = first | int32_t(offset & ~segment);
      argument.valid = source <= last;
      break;
    }
    if (!argument.valid)
      source = int32_t(lane);
    if (!(mask >> source & 1))
      fault("misused collective", warp.lanes[lane], warp.lanes[lane].site,
            "a shuffle reads lane %d, which does not take part: the mask is 0x%08x", source, mask);
    argument.result = static_cast<ShuffleArgument *>(arguments[source])->value;
  });
}

static void runVote(Warp &, uint32_t mask, void *const *arguments) {
  uint32_t ballot = 0;
  forEachLane(mask, [&](uint32_t lane) {
    ballot |= uint32_t(static_cast<VoteArgument *>(arguments[lane])->predicate) << lane;
  });
  forEachLane(mask, [&](uint32_t lane) {
    auto &argument = *static_cast<VoteArgument *>(arguments[lane]);
    const uint32_t results[] = {ballot != 0, ballot == mask, ballot, ballot == 0 || ballot == mask};
    argument.result = results[argument.kind & 3];
  });
}

static void runMatch(Warp &, uint32_t mask, void *const *arguments) {
  auto valueOf = [&](uint32_t lane) { return static_cast<MatchArgument *>(arguments[lane])->value; };
  forEachLane(mask, [&](uint32_t lane) {
    auto &argument = *static_cast<MatchArgument *>(arguments[lane]);
    uint32_t same = 0;
    forEachLane(mask, [&](uint32_t other) { same |= uint32_t(valueOf(other) == argument.value) << other; });
    argument.all = same == mask;
    argument.result = argument.kind == 1 && !argument.all ? 0 : same;
  });
}

static void runRedux(Warp &, uint32_t mask, void *const *arguments) {
  bool first = true;
  uint32_t sum = 0;
  forEachLane(mask, [&](uint32_t lane) {
    auto &argument = *static_cast<ReduxArgument *>(arguments[lane]);
    uint32_t value = argument.value;
    if (!first)
      switch (argument.kind) { // NVVM's ReduxKind
      case 1:
        value += sum;
        break;
      case 2:
        value &= sum;
        break;
      case 3:
        value = uint32_t(std::max(int32_t(value), int32_t(sum)));
        break;
      case 4:
        value = uint32_t(std::min(int32_t(value), int32_t(sum)));
        break;
      case 5:
        value |= sum;
        break;
      case 6:
        value = std::max(value, sum);
        break;
      case 7:
        value = std::min(value, sum);
        break;
      default:
        value ^= sum;
        break;
      }
    sum = value;
    first = false;
  });
  forEachLane(mask, [&](uint32_t lane) { static_cast<ReduxArgument *>(arguments[lane])->value = sum; });
}

static void runElect(Warp &, uint32_t mask, void *const *arguments) {
  forEachLane(mask,
              [&](uint32_t lane) { *static_cast<int32_t *>(arguments[lane]) = int32_t(lane) == __builtin_ctz(mask); });
}

extern "C" {

void rnnrt_abi_simt_warp_sync(int32_t mask, const char *site) {
  collective(runSync, "bar.warp.sync", uint32_t(mask), nullptr, site);
}

int32_t rnnrt_abi_simt_shuffle(int32_t mask, int32_t value, int32_t offset, int32_t clamp, int32_t kind,
                               int32_t *out_valid, const char *site) {
  ShuffleArgument argument{uint32_t(value), uint32_t(offset), uint32_t(clamp), kind, 0, false};
  collective(runShuffle, "shfl.sync", uint32_t(mask), &argument, site);
  *out_valid = argument.valid;
  return int32_t(argument.result);
}

int32_t rnnrt_abi_simt_vote(int32_t mask, int32_t predicate, int32_t kind, const char *site) {
  VoteArgument argument{predicate != 0, kind, 0};
  collective(runVote, "vote.sync", uint32_t(mask), &argument, site);
  return int32_t(argument.result);
}

int32_t rnnrt_abi_simt_match(int32_t mask, int64_t value, int32_t kind, int32_t *out_all, const char *site) {
  MatchArgument argument{uint64_t(value), kind, 0, false};
  collective(runMatch, "match.sync", uint32_t(mask), &argument, site);
  *out_all = argument.all;
  return int32_t(argument.result);
}

int32_t rnnrt_abi_simt_redux(int32_t mask, int32_t value, int32_t kind, const char *site) {
  ReduxArgument argument{uint32_t(value), kind};
  collective(runRedux, "redux.sync", uint32_t(mask), &argument, site);
  return int32_t(argument.value);
}

int32_t rnnrt_abi_simt_elect(int32_t mask, const char *site) {
  int32_t result = 0;
  collective(runElect, "elect.sync", uint32_t(mask), &result, site);
  return result;
}

} // extern "C"
