// Schedule.h - in which order threads run that could all run: where programs with missing barriers differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_EMULATOR_SCHEDULE_H
#define RNNRT_EMULATOR_SCHEDULE_H

#include "core/Status.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rnnrt::simt {

struct Thread;

struct Schedule {
  enum class Order {
    Fifo,    ///< lowest block and thread first, then by turns
    Reverse, ///< highest first
    Random   ///< any of those that can run, and up to four blocks at once
  };
  Order order = Order::Fifo;
  /// Of `random`; also decides what the hardware leaves open, as the layout of wmma fragments.
  uint64_t seed = 0;

  /// Reads "fifo", "reverse", "random" or "random:SEED".
  static Status parse(const char *text, Schedule &schedule);
  std::string toString() const;
};

/// A small generator (splitmix64), the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// Below `bound`.
  uint64_t next(uint64_t bound) { return next() % bound; }

private:
  uint64_t state;
};

/// The threads that can run.
class ReadyQueue {
public:
  void reset(const Schedule &schedule) {
    order = schedule.order;
    random = Random(schedule.seed);
    threads.clear();
    head = 0;
  }
  bool empty() const { return head == threads.size(); }
  void push(Thread *thread) { threads.push_back(thread); }
  Thread *pop() {
    if (order == Schedule::Order::Random)
      std::swap(threads[head], threads[head + random.next(threads.size() - head)]);
    Thread *thread = threads[head++];
    // Forget what was taken once it is most of the list, so that its length stays that of the threads.
    if (head == threads.size()) {
      threads.clear();
      head = 0;
    } else if (head > 4096 && head > threads.size() / 2) {
      threads.erase(threads.begin(), threads.begin() + head);
      head = 0;
    }
    return thread;
  }
  Random &getRandom() { return random; }

private:
  Schedule::Order order = Schedule::Order::Fifo;
  Random random{0};
  std::vector<Thread *> threads;
  size_t head = 0;
};

} // namespace rnnrt::simt

#endif // RNNRT_EMULATOR_SCHEDULE_H
