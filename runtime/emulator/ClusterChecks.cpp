// ClusterChecks.cpp - the checker in clusters: the order by cluster barriers and mbarriers, and the end of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Checker.h"
#include "emulator/Cluster.h"

#include <algorithm>

using namespace rnnrt::simt;

//===-- Messages of mbarriers ------------------------------------------------------------------------------------===//

std::shared_ptr<const Message> Checker::release(Thread &thread, bool relaxed) {
  return relaxed ? thread.history->released : makeMessage(thread);
}

void Checker::acquire(Thread &thread, const std::shared_ptr<const Message> &message, bool relaxed) {
  ThreadHistory &history = *thread.history;
  if (relaxed)
    return history.acquiring.join(*message);
  uint32_t block = thread.block->linear;
  if (lastMerge.message == message && lastMerge.before == history.known && lastMerge.block == block) {
    history.known = lastMerge.after;
    return;
  }
  std::shared_ptr<const Knowledge> before = history.known;
  merge(thread, *message);
  lastMerge = {std::move(before), history.known, message, block};
}

//===-- The barrier of a cluster ---------------------------------------------------------------------------------===//

void Checker::arriveAtCluster(Thread &thread, bool relaxed) {
  ThreadHistory &history = *thread.history;
  settle(thread);
  history.arrivalReleases = !relaxed;
  history.arrivalMessage = relaxed ? history.released : nullptr;
  history.arrivalAccesses = history.accesses;
  history.arrivalStamp = ++now;
}

void Checker::completeCluster(Cluster &cluster) {
  auto message = std::make_shared<Message>();
  const Knowledge *last = nullptr;
  uint32_t stamp = ++now;
  for (Block *block : cluster.blocks) {
    // Threads without an access since their arrival are merged as one block stamp.
    bool isQuiet = std::all_of(block->threads.begin(), block->threads.end(), [](const Thread &thread) {
      const ThreadHistory &history = *thread.history;
      return thread.state != State::Exited && history.arrivalReleases && history.accesses == history.arrivalAccesses;
    });
    if (isQuiet)
      raise(message->blocks, block->linear, stamp);
    for (Thread &thread : block->threads) {
      const ThreadHistory &history = *thread.history;
      if (!thread.arrivedAtCluster)
        continue;
      if (history.arrivalMessage)
        message->join(*history.arrivalMessage);
      if (!history.arrivalReleases)
        continue;
      if (!isQuiet)
        raise(message->threads, thread.globalId(), history.arrivalStamp);
      const Knowledge *known = history.known.get();
      if (known && known != last)
        message->join({known->blocks, known->remote, known->stores});
      last = known;
    }
  }
  for (Block *block : cluster.blocks)
    for (Thread &thread : block->threads)
      thread.history->clusterMessage = message;
}

void Checker::waitAtCluster(Thread &thread) {
  acquire(thread, thread.history->clusterMessage, /*relaxed=*/false);
}

//===-- Barriers that count bytes --------------------------------------------------------------------------------===//

void Checker::completePhase(TransactionBarrier &barrier) {
  auto fromBlock = std::make_shared<Message>(), fromCluster = std::make_shared<Message>();
  uint32_t count = uint32_t(barrier.block->threads.size());
  for (auto &[source, message] : barrier.messages) {
    bool isNear = source.first / count == barrier.block->linear;
    if (isNear)
      fromBlock->join(*message);
    if (isNear || source.second)
      fromCluster->join(*message);
  }
  barrier.messages.clear();
  barrier.fromBlock = std::move(fromBlock);
  barrier.fromCluster = std::move(fromCluster);
}

std::shared_ptr<const Message> Checker::storeAsync(Thread &thread, void *target, int64_t bytes, const char *site) {
  currentAsync = true;
  access(thread, target, bytes, accessWrite | accessCluster, site);
  currentAsync = false;
  // The values depend on earlier reads, so the arrival publishes the whole clock of the thread.
  auto message = std::make_shared<Message>(*makeMessage(thread));
  raise(message->stores, thread.globalId(), now);
  return message;
}

//===-- The end of a block ---------------------------------------------------------------------------------------===//

void Checker::forgetShared(Block &block, const void *pointer, int64_t bytes) {
  auto offset = static_cast<const char *>(pointer) - block.shared;
  std::fill_n(block.sharedState.begin() + offset, bytes, uint8_t(0));
}

void Checker::endBlock(Thread &last) {
  Block &block = *last.block;
  if (block.cluster->blocks.size() == 1)
    return;
  // The shared memory exists until the last thread exits, so it suffices that one thread has observed an access.
  auto all = std::make_shared<Knowledge>();
  all->threads.assign(block.threads.size(), UINT32_MAX);
  all->least = UINT32_MAX;
  const Knowledge *previous = nullptr;
  for (Thread &thread : block.threads) {
    const Knowledge *known = thread.history->known.get();
    if (!known || known == previous)
      continue;
    previous = known;
    for (auto [other, time] : known->blocks)
      raise(all->blocks, other, time);
    for (auto [other, time] : known->remote)
      raise(all->remote, other, time);
    for (auto [issuer, time] : known->stores)
      raise(all->stores, issuer, time);
  }
  last.history->known = std::move(all); // a fault runs no destructor
  auto first = reinterpret_cast<uintptr_t>(block.shared), end = first + block.sharedState.size();
  for (uintptr_t number = first >> 12; number << 12 < end; ++number) {
    auto found = pages.find(number);
    if (found == pages.end())
      continue;
    Page &page = *found->second;
    for (size_t index = 0; index < page.cells.size(); ++index) {
      const Cell &cell = page.cells[index];
      uintptr_t address = (number << 12) + (index << page.shift);
      if (address < first || address >= end)
        continue;
      auto complain = [&](const char *what, const Who &who, const char *site) {
        fault("data race", last, "the end of the kernel",
              "the end of the block is not ordered after the %s of shared memory at offset %lld by %s at %s; let the "
              "blocks wait at the barrier of the cluster first",
              what, (long long)(address - first),
              describe(launch, who.block * uint32_t(block.threads.size()) + who.thread).c_str(), site);
      };
      if (cell.writeStamp >= block.firstStamp && cell.writer.block != block.linear && !hasSeenWrite(last, cell))
        complain(cell.writeName(), cell.writer, cell.writeSite);
      if (cell.span != Span::None && cell.readStamp >= block.firstStamp && cell.reader.block != block.linear &&
          !hasSeenReaders(last, cell))
        complain("load", cell.reader, cell.readSite);
    }
  }
}
