// FiberTest.cpp - stack switching as the emulator uses it. Built twice: with the native and the portable
// implementation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Fiber.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace rnnrt::simt;

namespace {

constexpr size_t stackBytes = 65536;

/// A ring of fibers that pass a token on, with work in between.
struct Ring {
  struct Member {
    Ring *ring;
    size_t index;
    Fiber fiber;
  };
  Fiber host;
  std::vector<Member> members;
  std::vector<size_t> order;
  std::vector<double> sums;
  size_t rounds = 0;

  void run(StackPool &pool, size_t count, size_t numRounds) {
    members = std::vector<Member>(count);
    sums.assign(count, 0);
    rounds = numRounds;
    for (size_t index = 0; index < count; ++index) {
      members[index].ring = this;
      members[index].index = index;
      void *stack = pool.take();
      ASSERT_NE(stack, nullptr);
      members[index].fiber.start(stack, pool.getStackBytes(), enter, &members[index]);
    }
    Fiber::switchTo(host, members[0].fiber);
  }

  static void enter(void *argument) {
    auto &self = *static_cast<Member *>(argument);
    Ring &ring = *self.ring;
    // Values that are live across switches: in integer registers, floating-point registers and on the stack.
    double sum = 0, factor = double(self.index) + 0.5;
    std::string text = "member " + std::to_string(self.index);
    for (size_t round = 0; round < ring.rounds; ++round) {
      ring.order.push_back(self.index);
      sum += factor * double(round);
      Fiber &next = self.index + 1 < ring.members.size() ? ring.members[self.index + 1].fiber : ring.members[0].fiber;
      if (&next != &self.fiber)
        Fiber::switchTo(self.fiber, next);
      if (text != "member " + std::to_string(self.index))
        sum = NAN;
    }
    ring.sums[self.index] = sum;
    text = std::string();
    text.shrink_to_fit();
    self.fiber.end();
    if (self.index + 1 == ring.members.size())
      Fiber::switchTo(self.fiber, ring.host);
    Fiber::switchTo(self.fiber, ring.members[self.index + 1].fiber);
  }
};

} // namespace

TEST(Fiber, SwitchingPreservesValues) {
  StackPool pool;
  pool.reset(stackBytes);
  Ring ring;
  ring.run(pool, 5, 100);
  ASSERT_EQ(ring.order.size(), 500u);
  for (size_t turn = 0; turn < ring.order.size(); ++turn)
    ASSERT_EQ(ring.order[turn], turn % 5) << "turn " << turn;
  for (size_t index = 0; index < 5; ++index)
    EXPECT_EQ(ring.sums[index], (double(index) + 0.5) * 4950) << "member " << index;
}

TEST(Fiber, StacksAreReused) {
  StackPool pool;
  for (int life = 0; life < 3; ++life) {
    pool.reset(stackBytes);
    Ring ring;
    ring.run(pool, 3, 10);
    EXPECT_EQ(ring.order.size(), 30u);
  }
}

TEST(Fiber, ManyFibers) {
  StackPool pool;
  pool.reset(stackBytes);
  Ring ring;
  ring.run(pool, 3000, 2);
  EXPECT_EQ(ring.order.size(), 6000u);
  EXPECT_EQ(ring.sums[2999], 2999.5);
}

/// Resident memory of this process in bytes.
static long getResidentBytes() {
  std::ifstream file("/proc/self/statm");
  long all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

// Sanitizers have memory for each fiber, which they free when it ends.
TEST(Fiber, EndedFibersUseNoMemory) {
  StackPool pool;
  long before = 0;
  for (int life = 0; life < 12; ++life) {
    pool.reset(stackBytes);
    Ring ring;
    ring.run(pool, 1000, 2);
    if (life == 1)
      before = getResidentBytes();
  }
  EXPECT_LT(getResidentBytes() - before, 64 << 20);
}

TEST(Fiber, RunsInSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (size_t index = 0; index < sums.size(); ++index)
    threads.emplace_back([&sums, index] {
      StackPool pool;
      pool.reset(stackBytes);
      Ring ring;
      ring.run(pool, 8, 1000);
      sums[index] = ring.sums[7];
    });
  for (std::thread &thread : threads)
    thread.join();
  for (double sum : sums)
    EXPECT_EQ(sum, 7.5 * 499500);
}

namespace {
struct Thrower {
  Fiber host, fiber;
  std::string caught;
  bool aligned = false;

  static void enter(void *argument) {
    auto &self = *static_cast<Thrower *>(argument);
    // movaps requires an aligned stack.
    alignas(16) volatile char local[16];
    self.aligned = reinterpret_cast<uintptr_t>(&local) % 16 == 0;
    try {
      throw std::runtime_error("on a fiber");
    } catch (const std::exception &error) {
      self.caught = error.what();
    }
    Fiber::switchTo(self.fiber, self.host);
  }
};
} // namespace

TEST(Fiber, ExceptionsStayInTheFiber) {
  StackPool pool;
  pool.reset(stackBytes);
  Thrower thrower;
  thrower.fiber.start(pool.take(), pool.getStackBytes(), Thrower::enter, &thrower);
  Fiber::switchTo(thrower.host, thrower.fiber);
  EXPECT_EQ(thrower.caught, "on a fiber");
  EXPECT_TRUE(thrower.aligned);
}

TEST(StackPool, StacksAreApartAndGrowOnRequest) {
  StackPool pool;
  pool.reset(1000);
  EXPECT_GE(pool.getStackBytes(), 1000u);
  auto *first = static_cast<char *>(pool.take()), *second = static_cast<char *>(pool.take());
  std::memset(first, 1, pool.getStackBytes());
  std::memset(second, 2, pool.getStackBytes());
  EXPECT_EQ(first[pool.getStackBytes() - 1], 1);
  pool.reset(200000);
  EXPECT_GE(pool.getStackBytes(), 200000u);
  std::memset(pool.take(), 3, pool.getStackBytes());
  // A smaller request reuses the larger stack.
  pool.reset(10);
  EXPECT_GE(pool.getStackBytes(), 200000u);
}
