// Checker.cpp - the checks of an access.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Checker.h"
#include "emulator/Cluster.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace rnnrt;
using namespace rnnrt::simt;

/// The values of Block::sharedState.
enum SharedState : uint8_t { notWritten, written, copyPending, barrierObject };

//===-- Cells ----------------------------------------------------------------------------------------------------===//

Checker::Page &Checker::getPage(uintptr_t number) {
  auto &slot = recent[number % 16];
  if (slot.number != number) {
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
      page = std::make_unique<Page>();
    slot = {number, page.get()};
  }
  return *slot.page;
}

void Checker::refine(Page &page, uint32_t shift) {
  size_t copies = size_t(1) << (page.shift - shift);
  std::vector<Cell> finer;
  finer.reserve(page.cells.size() * copies);
  for (const Cell &cell : page.cells)
    finer.insert(finer.end(), copies, cell);
  page.cells = std::move(finer);
  page.shift = shift;
}

template <typename Body> void Checker::forEachCell(const void *pointer, int64_t bytes, Body &&body) {
  auto address = reinterpret_cast<uintptr_t>(pointer), end = address + uintptr_t(bytes);
  uint32_t shift = std::min(2, __builtin_ctzll(address | uintptr_t(bytes) | 4));
  while (address < end) {
    Page &page = getPage(address >> 12);
    if (page.shift > shift)
      refine(page, shift);
    uintptr_t pageEnd = std::min(end, (address | 4095) + 1);
    for (; address < pageEnd; address += uintptr_t(1) << page.shift)
      body(page.cells[(address & 4095) >> page.shift]);
  }
}

void Checker::startBlock(Block &block, int64_t sharedBytes) {
  // Accesses of earlier blocks to the same memory precede this block.
  block.firstStamp = ++now;
  block.sharedState.assign(size_t(sharedBytes), notWritten);
  for (Thread &thread : block.threads)
    thread.history = std::make_unique<ThreadHistory>();
}

//===-- Who has seen what ----------------------------------------------------------------------------------------===//

static uint32_t lookUp(const std::map<uint32_t, uint32_t> &map, uint32_t key) {
  auto found = map.find(key);
  return found == map.end() ? 0 : found->second;
}

/// True if the access of `other` at `stamp` happens before the current access of `thread`.
bool Checker::hasSeen(const Thread &thread, const Who &other, uint32_t stamp) const {
  if (stamp < gridStamp || other == whoIs(thread))
    return true;
  const Knowledge *known = thread.history->known.get();
  if (!known)
    return false;
  if (other.block == thread.block->linear)
    return stamp < known->threads[other.thread];
  uint32_t count = uint32_t(thread.block->threads.size());
  return stamp < lookUp(known->blocks, other.block) ||
         stamp < lookUp(known->remote, other.block * count + other.thread);
}

bool Checker::hasSeenWrite(const Thread &thread, const Cell &cell) const {
  if (!cell.writeAsync)
    return hasSeen(thread, cell.writer, cell.writeStamp);
  // The arrival is not ordered for the issuing thread either.
  const Knowledge *known = thread.history->known.get();
  uint32_t count = uint32_t(thread.block->threads.size());
  return known && cell.writeStamp < lookUp(known->stores, cell.writer.block * count + cell.writer.thread);
}

/// True for blocks of one cluster.
bool Checker::areNeighbours(uint32_t block, uint32_t other) const {
  if (block == other || launch.blocksPerCluster() == 1)
    return block == other;
  const int64_t *grid = launch.grid, *size = launch.cluster;
  return block % grid[0] / size[0] == other % grid[0] / size[0] &&
         block / grid[0] % grid[1] / size[1] == other / grid[0] % grid[1] / size[1] &&
         block / grid[0] / grid[1] / size[2] == other / grid[0] / grid[1] / size[2];
}

/// A fast conservative test: false may be wrong.
bool Checker::hasSeenAll(const Thread &thread, const Cell &cell) const {
  if (cell.readStamp < gridStamp)
    return true;
  const Knowledge *known = thread.history->known.get();
  return known && cell.span < Span::Cluster && cell.readStamp < known->least &&
         cell.reader.block == thread.block->linear;
}

bool Checker::hasSeenReaders(const Thread &thread, const Cell &cell) const {
  uint32_t count = uint32_t(thread.block->threads.size()), block = cell.reader.block;
  auto seen = [&](uint32_t other) { return hasSeen(thread, {block, uint16_t(other)}, cell.readStamp); };
  bool all = true;
  switch (cell.span) {
  case Span::None:
    return true;
  case Span::Thread:
    return seen(cell.reader.thread);
  case Span::Warp:
    forEachLane(cell.readers, [&](uint32_t lane) { all = all && seen(cell.reader.warp() * warpSize + lane); });
    return all;
  case Span::Block:
    if (hasSeenAll(thread, cell))
      return true;
    forEachLane(cell.readers, [&](uint32_t warp) {
      for (uint32_t other = warp * warpSize; all && other < std::min(count, (warp + 1) * warpSize); ++other)
        all = seen(other);
    });
    return all;
  case Span::Cluster:
    if (areNeighbours(block, thread.block->linear)) {
      for (const Block *member : thread.block->cluster->blocks)
        for (uint32_t other = 0; all && other < count; ++other)
          all = hasSeen(thread, {member->linear, uint16_t(other)}, cell.readStamp);
      return all;
    }
    [[fallthrough]];
  case Span::Grid: {
    if (cell.readStamp < gridStamp)
      return true;
    const Knowledge *known = thread.history->known.get();
    if (!known || cell.readStamp >= known->least)
      return false;
    for (uint32_t other = 0, end = uint32_t(launch.numBlocks()); all && other < end; ++other)
      all = other == thread.block->linear || cell.readStamp < lookUp(known->blocks, other);
    return all;
  }
  }
  return all;
}

void Checker::synchronize(const std::vector<Thread *> &threads, const std::vector<Thread *> &passers) {
  uint32_t stamp = ++now;
  auto merged = std::make_shared<Knowledge>();
  size_t count = threads.front()->block->threads.size();
  merged->threads.assign(count, 0);
  const Knowledge *last = nullptr;
  auto add = [&](const std::vector<Thread *> &list) {
    for (Thread *thread : list) {
      const Knowledge *known = thread->history->known.get();
      // Threads share a clock after a barrier.
      if (known && known != last) {
        for (size_t index = 0; index < count; ++index)
          merged->threads[index] = std::max(merged->threads[index], known->threads[index]);
        for (auto [block, time] : known->blocks)
          raise(merged->blocks, block, time);
        for (auto [other, time] : known->remote)
          raise(merged->remote, other, time);
        for (auto [issuer, time] : known->stores)
          raise(merged->stores, issuer, time);
      }
      last = known;
    }
    for (Thread *thread : list)
      settle(*thread);
  };
  add(threads);
  add(passers);
  for (Thread *thread : threads)
    merged->threads[thread->linear] = stamp;
  for (Thread *thread : passers)
    merged->threads[thread->linear] = stamp;
  merged->least = *std::min_element(merged->threads.begin(), merged->threads.end());
  for (Thread *thread : threads)
    thread->history->known = merged;
}

//===-- Atomics and fences ---------------------------------------------------------------------------------------===//

void Message::join(const Message &other) {
  for (auto [block, time] : other.blocks)
    raise(blocks, block, time);
  for (auto [thread, time] : other.threads)
    raise(threads, thread, time);
  for (auto [issuer, time] : other.stores)
    raise(stores, issuer, time);
}

/// The whole clock of `thread`, its own accesses included.
std::shared_ptr<const Message> Checker::makeMessage(Thread &thread) {
  auto message = std::make_shared<Message>();
  uint32_t first = thread.block->linear * uint32_t(thread.block->threads.size());
  if (const Knowledge *known = thread.history->known.get()) {
    message->blocks = known->blocks;
    message->threads = known->remote;
    message->stores = known->stores;
    if (known->least)
      raise(message->blocks, thread.block->linear, known->least);
    for (size_t index = 0; index < known->threads.size(); ++index)
      if (known->threads[index] > known->least)
        message->threads[first + uint32_t(index)] = known->threads[index];
  }
  message->threads[thread.globalId()] = ++now;
  return message;
}

void Checker::merge(Thread &thread, const Message &message) {
  uint32_t count = uint32_t(thread.block->threads.size()), own = thread.block->linear;
  const Knowledge *old = thread.history->known.get();
  auto known = old ? std::make_shared<Knowledge>(*old) : std::make_shared<Knowledge>();
  known->threads.resize(count, 0);
  for (auto [block, time] : message.blocks) {
    if (block != own) {
      raise(known->blocks, block, time);
      continue;
    }
    for (uint32_t &stamp : known->threads)
      stamp = std::max(stamp, time);
  }
  for (auto [other, time] : message.threads) {
    if (other / count != own)
      raise(known->remote, other, time);
    else
      known->threads[other % count] = std::max(known->threads[other % count], time);
  }
  for (auto [issuer, time] : message.stores)
    raise(known->stores, issuer, time);
  known->least = *std::min_element(known->threads.begin(), known->threads.end());
  thread.history->known = known;
}

void Checker::fence(Thread &thread) {
  ThreadHistory &history = *thread.history;
  if (!history.acquiring.threads.empty())
    merge(thread, history.acquiring);
  history.acquiring = Message();
  history.released = makeMessage(thread);
}

/// The order of C++ atomics: a release, or a fence before the write, publishes the clock of the writer. An acquire, or
/// a fence after the read, merges it into that of the reader.
void Checker::atomicOrder(Thread &thread, uintptr_t address, int32_t kind) {
  ThreadHistory &history = *thread.history;
  auto found = messages.find(address);
  if (found != messages.end() && (!(kind & accessWrite) || (kind & accessUpdate))) {
    if (kind & accessAcquire)
      merge(thread, *found->second);
    else
      history.acquiring.join(*found->second);
  }
  if (!(kind & accessWrite))
    return;
  std::shared_ptr<const Message> published = kind & accessRelease ? makeMessage(thread) : history.released;
  if (!published)
    return;
  // An atomic update continues the release sequence, so the messages of all updates accumulate.
  auto joined = std::make_shared<Message>(*published);
  if (found != messages.end() && (kind & accessUpdate))
    joined->join(*found->second);
  messages[address] = joined;
}

//===-- Accesses -------------------------------------------------------------------------------------------------===//

void Checker::race(const Thread &thread, const char *what, const char *site, const Side &other) {
  const Block &block = *thread.block;
  char where[96] = "global memory";
  if (const Block *owner = findOwner(thread, currentPointer)) {
    auto offset = (long long)(static_cast<const char *>(currentPointer) - owner->shared);
    if (owner == &block)
      std::snprintf(where, sizeof(where), "shared memory at offset %lld", offset);
    else
      std::snprintf(where, sizeof(where), "shared memory of %.48s at offset %lld", describe(*owner).c_str(), offset);
  }
  fault("data race", thread, site, "%s of %lld bytes of %s is not ordered after the %s by %s at %s", what,
        (long long)currentBytes, where, other.what,
        describe(launch, other.thread.block * uint32_t(block.threads.size()) + other.thread.thread).c_str(),
        other.site);
}

void Checker::addReader(const Thread &thread, Cell &cell, bool atomic, const char *site) {
  Who self = whoIs(thread);
  uint32_t lane = 1u << thread.lane, warp = 1u << self.warp();
  if (cell.span == Span::None || (cell.span == Span::Thread && cell.reader == self) || hasSeenAll(thread, cell)) {
    cell.span = Span::Thread;
    cell.readers = lane;
    cell.readAtomic = atomic;
  } else {
    if (cell.reader.block != self.block || cell.span >= Span::Cluster) {
      bool isCluster = cell.span != Span::Grid && areNeighbours(cell.reader.block, self.block);
      cell.span = isCluster ? Span::Cluster : Span::Grid;
    } else if (cell.span != Span::Block && cell.reader.warp() == self.warp()) {
      cell.span = Span::Warp;
      cell.readers |= lane;
    } else {
      cell.readers = (cell.span == Span::Block ? cell.readers : 1u << cell.reader.warp()) | warp;
      cell.span = Span::Block;
    }
    cell.readAtomic &= atomic;
  }
  cell.reader = self;
  cell.readStamp = now;
  cell.readSite = site;
}

void Checker::read(Thread &thread, Cell &cell, bool atomic, const char *site) {
  if (cell.writeStamp && !(atomic && cell.writeAtomic) && !hasSeenWrite(thread, cell))
    race(thread, atomic ? "atomic load" : "load", site, {cell.writeName(), cell.writer, cell.writeSite});
  addReader(thread, cell, atomic, site);
}

void Checker::write(Thread &thread, Cell &cell, bool atomic, const char *site, bool checkOnly) {
  const char *what = atomic ? "atomic" : currentAsync ? "asynchronous store" : "store";
  Who self = whoIs(thread);
  if (cell.writeStamp && !(atomic && cell.writeAtomic) && !hasSeenWrite(thread, cell)) {
    bool sameInstruction = !atomic && !cell.writeAtomic && !currentAsync && cell.writeSite == site &&
                           cell.writer.block == self.block && cell.writer.warp() == self.warp();
    if (!sameInstruction)
      race(thread, what, site, {cell.writeName(), cell.writer, cell.writeSite});
    auto &doubled = thread.history->doubled;
    if (!doubled.address) {
      doubled.address = static_cast<const char *>(currentPointer);
      doubled.bytes = uint32_t(std::min<int64_t>(currentBytes, sizeof(doubled.before)));
      doubled.otherBlock = cell.writer.block;
      doubled.otherThread = cell.writer.thread;
      doubled.site = site;
      std::memcpy(doubled.before, currentPointer, doubled.bytes);
    }
  }
  if (cell.span != Span::None && !(atomic && cell.readAtomic) && !hasSeenReaders(thread, cell))
    race(thread, what, site, {cell.readAtomic ? "atomic load" : "load", cell.reader, cell.readSite});
  if (checkOnly)
    return;
  cell.writer = self;
  cell.writeStamp = now;
  cell.writeSite = site;
  cell.writeAtomic = atomic;
  cell.writeAsync = currentAsync;
  cell.span = Span::None;
  cell.readers = 0;
}

void Checker::settle(Thread &thread) {
  auto &doubled = thread.history->doubled;
  if (!doubled.address)
    return;
  const char *address = doubled.address;
  doubled.address = nullptr;
  if (!std::memcmp(address, doubled.before, doubled.bytes))
    return;
  currentPointer = address;
  currentBytes = doubled.bytes;
  race(thread, "store", doubled.site,
       {"store of another value in the same instruction", {doubled.otherBlock, doubled.otherThread}, doubled.site});
}

/// "" for the own block, else " of block (1,0,0)".
static std::string ofBlock(const Thread &thread, const Block &owner) {
  return &owner == thread.block ? std::string() : std::string(" of ") + describe(owner).c_str();
}

void Checker::checkShared(Thread &thread, Block &owner, const void *pointer, int64_t bytes, int32_t kind,
                          const char *site) {
  int64_t offset = static_cast<const char *>(pointer) - owner.shared, size = int64_t(owner.sharedState.size());
  const char *what = currentAsync ? "asynchronous store" : kind & accessWrite ? "store" : "load";
  if (offset < 0 || offset + bytes > size)
    fault("out of bounds", thread, site, "%s of %lld bytes at offset %lld of the block's %lld bytes of shared memory",
          what, (long long)bytes, (long long)offset, (long long)size);
  if (!owner.live)
    faultEnded(thread, what, owner, site);
  uint8_t *state = owner.sharedState.data() + offset;
  if (kind & accessBarrier) {
    std::memset(state, barrierObject, size_t(bytes));
    return;
  }
  // The texts are built only for a fault, which runs no destructor.
  auto complain = [&](const char *kindOfFault, const char *text) {
    char place[64];
    std::snprintf(place, sizeof(place), "%s", ofBlock(thread, owner).c_str());
    fault(kindOfFault, thread, site, text, what, (long long)bytes, place, (long long)offset);
  };
  for (int64_t index = 0; index < bytes; ++index) {
    if (state[index] == barrierObject)
      complain("misused mbarrier", "%s of %lld bytes of shared memory%s at offset %lld, where there is an mbarrier");
    if (state[index] == written || (kind & accessWrite))
      continue;
    if (state[index] == copyPending)
      complain("missing wait",
               "%s of %lld bytes of shared memory%s at offset %lld, where an asynchronous copy is still "
               "under way");
    complain("uninitialised shared memory", "%s of %lld bytes%s at offset %lld, which no thread has written");
  }
  if (kind & accessWrite)
    std::memset(state, written, size_t(bytes));
}

void Checker::access(Thread &thread, const void *pointer, int64_t bytes, int32_t kind, const char *site) {
  settle(thread);
  bool isWrite = kind & accessWrite, isAtomic = kind & accessAtomic;
  // Generic pointers may point into shared memory as well.
  Block *owner = findOwner(thread, pointer);
  if (!owner && (kind & accessCluster))
    fault("out of bounds", thread, site,
          "%s of %lld bytes outside of the %zu bytes of shared memory of the cluster's "
          "blocks",
          isWrite ? "store" : "load", (long long)bytes, thread.block->sharedState.size());
  if ((kind & accessShared) && owner != thread.block)
    owner = thread.block; // reports it as out of bounds
  if (owner) {
    // An atomic that changes a value reads it first.
    if (kind & accessUpdate)
      checkShared(thread, *owner, pointer, bytes, kind & ~accessWrite, site);
    checkShared(thread, *owner, pointer, bytes, kind, site);
  }
  currentPointer = pointer;
  currentBytes = bytes;
  uint32_t first = owner ? owner->firstStamp : 0;
  forEachCell(pointer, bytes, [&](Cell &cell) {
    if (std::max(cell.writeStamp, cell.span == Span::None ? 0 : cell.readStamp) < first)
      cell = Cell();
    if (isWrite)
      write(thread, cell, isAtomic, site);
    else
      read(thread, cell, isAtomic, site);
  });
  if (isAtomic && !(kind & accessBarrier))
    atomicOrder(thread, reinterpret_cast<uintptr_t>(pointer), kind);
}

void Checker::copyIssued(Thread &thread, const AsyncCopy &copy) {
  access(thread, copy.source, copy.sourceBytes, 0, copy.site);
  access(thread, copy.target, copy.bytes, accessWrite | accessShared, copy.site);
  std::memset(thread.block->sharedState.data() + (copy.target - thread.block->shared), copyPending, copy.bytes);
}

void Checker::copyArrived(Thread &thread, const AsyncCopy &copy) {
  access(thread, copy.source, copy.sourceBytes, 0, copy.site);
  access(thread, copy.target, copy.bytes, accessWrite | accessShared, copy.site);
}
