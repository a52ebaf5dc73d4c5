// Barriers.cpp - the barriers of a block, and collectives of the lanes of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Barriers.h"
#include "emulator/Checker.h"

#include <algorithm>

using namespace rnnrt::simt;

//===-- Barriers of a block --------------------------------------------------------------------------------------===//

/// bar.sync is an aligned instruction: all lanes of a warp execute it together (PTX ISA, bar.sync).
static void checkAligned(const Thread &thread, uint32_t id, const char *site) {
  const Warp &warp = *thread.warp;
  if (!warp.atBarrier || (warp.barrier == id && warp.barrierSite == site))
    return;
  fault("divergent barrier", thread, site, "other lanes 0x%08x of the same warp, first %s, wait at barrier %u at %s",
        warp.atBarrier, describe(warp.lanes[__builtin_ctz(warp.atBarrier)]).c_str(), warp.barrier, warp.barrierSite);
}

uint32_t rnnrt::simt::countPending(const Thread &thread, uint32_t id) {
  const Block &block = *thread.block;
  const std::vector<Thread *> &passers = block.barriers[id].passers;
  uint32_t count = 0;
  for (const Thread &other : block.threads)
    count += &other != &thread && other.state != State::Exited &&
             !(other.state == State::AtBarrier && other.barrier == id) &&
             std::find(passers.begin(), passers.end(), &other) == passers.end();
  return count;
}

/// Checks an arrival and counts it.
static Barrier &arrive(Thread &thread, uint32_t id, uint32_t count, const char *site) {
  Block &block = *thread.block;
  uint32_t all = uint32_t(block.threads.size());
  if (id >= numBarriers)
    fault("invalid barrier", thread, site, "expects a barrier of 0 to 15, but got %d", int32_t(id));
  uint32_t rounded = (all + warpSize - 1) / warpSize * warpSize;
  if (count % warpSize || count > rounded)
    fault("invalid barrier", thread, site,
          "expects a number of threads that is a multiple of 32 and at most %u, but got %d", rounded, int32_t(count));
  // The hardware counts lanes that the block does not have as arrived.
  bool isWhole = !count || count == rounded;
  uint32_t expected = isWhole ? all : count;
  Barrier &barrier = block.barriers[id];
  if (barrier.arrived && barrier.expected != expected)
    fault("divergent barrier", thread, site, "barrier %u is for %u threads here, but for %u at %s, where %s waits", id,
          expected, barrier.expected, barrier.site, describe(*barrier.first).c_str());
  // Warps may reach a named barrier at different ops, but the barrier of the whole block is one op.
  if (barrier.arrived && !count && barrier.site != site)
    fault("divergent barrier", thread, site, "%u other threads of the block, first %s, wait at another barrier, at %s",
          barrier.arrived, describe(*barrier.first).c_str(), barrier.site);
  if (!barrier.arrived) {
    barrier.expected = expected;
    barrier.site = site;
    barrier.first = &thread;
    barrier.trueCount = 0;
  }
  ++barrier.arrived;
  if (block.live != all && barrier.arrived + countPending(thread, id) < barrier.expected)
    fault("divergent barrier", thread, site, "barrier %u is for %u threads, but %u threads of the block have exited",
          id, barrier.expected, all - block.live);
  return barrier;
}

/// Releases the barrier once every thread has arrived.
static void releaseIfComplete(Block &block, uint32_t id) {
  Barrier &barrier = block.barriers[id];
  if (barrier.arrived != barrier.expected)
    return;
  Emulator &self = emulator();
  std::vector<Thread *> &waiting = self.scratch;
  waiting.clear();
  for (Thread &thread : block.threads)
    if (thread.state == State::AtBarrier && thread.barrier == id) {
      waiting.push_back(&thread);
      thread.warp->atBarrier = 0;
    }
  if (Checker *checker = self.getChecker())
    if (!waiting.empty())
      checker->synchronize(waiting, barrier.passers);
  barrier.lastTrue = barrier.trueCount;
  barrier.lastTotal = barrier.arrived;
  barrier.arrived = 0;
  barrier.passers.clear();
  self.wake(waiting);
}

void rnnrt::simt::waitAtBarrier(Thread &thread, uint32_t id, uint32_t count, bool predicate, const char *site) {
  checkAligned(thread, id, site);
  Barrier &barrier = arrive(thread, id, count, site);
  barrier.trueCount += predicate;
  thread.state = State::AtBarrier;
  thread.barrier = id;
  thread.site = site;
  thread.warp->atBarrier |= 1u << thread.lane;
  thread.warp->barrier = id;
  thread.warp->barrierSite = site;
  releaseIfComplete(*thread.block, id);
  emulator().suspend(thread);
}

void rnnrt::simt::passBarrier(Thread &thread, uint32_t id, uint32_t count, const char *site) {
  // The other lanes may be at a later barrier by now, so the warp cannot be checked.
  arrive(thread, id, count, site).passers.push_back(&thread);
  releaseIfComplete(*thread.block, id);
}

//===-- Meetings of a warp ---------------------------------------------------------------------------------------===//

void rnnrt::simt::collective(CollectiveFunction function, const char *what, uint32_t mask, void *argument,
                             const char *site, bool whole) {
  Thread &thread = *running;
  Warp &warp = *thread.warp;
  if (whole && warp.present != ~0u)
    fault("misused collective", thread, site, "%s needs all 32 lanes, but the last warp of this block has %d", what,
          __builtin_popcount(warp.present));
  if (!(mask >> thread.lane & 1))
    fault("misused collective", thread, site, "lane %u calls %s with the mask 0x%08x, in which it is not", thread.lane,
          what, mask);
  if (mask & warp.exited)
    fault("divergent collective", thread, site, "%s waits for lanes 0x%08x, which have exited", what,
          mask & warp.exited);
  // A mask may name lanes that the block does not have.
  uint32_t lanes = mask & warp.present;
  Rendezvous *meeting = nullptr;
  for (Rendezvous &other : warp.waiting) {
    if (other.mask == lanes) {
      meeting = &other;
      break;
    }
    if ((other.mask & lanes) && other.site == site)
      fault("divergent collective", thread, site, "lanes of one warp call %s with the masks 0x%08x and 0x%08x", what,
            mask, other.mask);
  }
  if (!meeting) {
    warp.waiting.push_back({function, what, site, lanes, 0, {}});
    meeting = &warp.waiting.back();
  }
  if (meeting->function != function || meeting->site != site)
    fault("divergent collective", thread, site,
          "%s is reached while lanes 0x%08x of the same warp, first %s, wait at %s at %s", what, meeting->arrived,
          describe(warp.lanes[__builtin_ctz(meeting->arrived)]).c_str(), meeting->what, meeting->site);
  meeting->arrived |= 1u << thread.lane;
  meeting->arguments[thread.lane] = argument;
  thread.state = State::AtCollective;
  thread.site = site;
  if (meeting->arrived == lanes) {
    function(warp, lanes, meeting->arguments);
    *meeting = warp.waiting.back();
    warp.waiting.pop_back();
    std::vector<Thread *> &together = emulator().scratch;
    together.clear();
    forEachLane(lanes, [&](uint32_t lane) { together.push_back(&warp.lanes[lane]); });
    emulator().wake(together);
  }
  emulator().suspend(thread);
}
