// Schedule.h - the order in which ready threads run. Programs with missing barriers depend on it.
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
    Fifo,    ///< lowest block and thread first, then round robin
    Reverse, ///< highest first
    Random   ///< any ready thread, and up to four blocks at once
  };
  Order order = Order::Fifo;
  /// Of `random`. Also selects behaviour that the hardware does not specify, as the layout of wmma fragments.
  uint64_t seed = 0;

  /// Reads "fifo", "reverse", "random" or "random:SEED".
  static Status parse(const char *text, Schedule &schedule);
  std::string toString() const;
};

/// The generator splitmix64: the same numbers on every machine.
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

/// The threads that are ready.
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
    // Remove the popped prefix once it is most of the list, so that the length is bounded by the number of threads.
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
