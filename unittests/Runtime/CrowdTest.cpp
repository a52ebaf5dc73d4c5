// CrowdTest.cpp - limits of parts after regions that took too long, with times of a fake clock.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Crowd.h"

#include <gtest/gtest.h>

using namespace rnnrt;
using namespace std::chrono_literals;

namespace {

using Duration = PartLimit::Duration;

/// A machine that runs regions one after the other.
struct Machine {
  PartLimit limit;
  PartLimit::Time now{1h};

  /// Returns the parts of the region.
  int64_t run(int64_t threads, Duration time, Duration stalled) {
    const int64_t parts = std::min(threads, limit.get(now));
    const PartLimit::Time start = now;
    // One thread takes the busy time of all parts.
    now += parts > 1 ? time : (time - stalled) * threads;
    if (parts > 1)
      limit.add(start, now - stalled, now, parts, 0us);
    return parts;
  }
  /// The regions in the first milliseconds after a pause are no sign.
  void wake(int64_t threads = 2) { run(threads, 5ms, 0us); }
  /// Regions of 5 ms, of which 4.2 ms are the time slice of another process, for `time`. Returns the part of the
  /// regions that had several parts.
  double runCrowded(Duration time, int64_t threads = 2) {
    int all = 0, several = 0;
    for (const auto end = now + time; now < end; ++all)
      several += run(threads, 5ms, 4200us) > 1;
    return double(several) / all;
  }
};

TEST(CrowdTest, signsLastForSomeTime) {
  Crowd crowd;
  const PartLimit::Time now{1h};
  EXPECT_FALSE(crowd.isThere(now));
  crowd.notice(now);
  EXPECT_TRUE(crowd.isThere(now));
  EXPECT_TRUE(crowd.isThere(now + 99ms));
  EXPECT_FALSE(crowd.isThere(now + 101ms));
}

TEST(CrowdTest, undisturbedRegionsHaveAllParts) {
  Machine machine;
  // The work of three units, two of them on one thread: half of the time is stalled.
  for (Duration stalled : {Duration(0us), Duration(400us), Duration(500us)})
    for (int region = 0; region < 1000; ++region)
      ASSERT_EQ(machine.run(2, 1ms, stalled), 2);
  // CPUs of different speed.
  for (int region = 0; region < 1000; ++region)
    ASSERT_EQ(machine.run(8, 1ms, 590us), 8);
}

TEST(CrowdTest, oneLostTimeSliceIsNoCrowd) {
  Machine machine;
  for (int repeat = 0; repeat < 100; ++repeat) {
    ASSERT_EQ(machine.run(2, 5ms, 4200us), 2);
    // A tenth of the time is lost.
    for (int region = 0; region < 50; ++region)
      ASSERT_EQ(machine.run(2, 800us, 0us), 2);
  }
}

TEST(CrowdTest, crowdedRegionsRunOnOneThread) {
  Machine machine;
  machine.wake();
  machine.run(2, 5ms, 4200us);
  machine.run(2, 5ms, 4200us);
  EXPECT_EQ(machine.limit.get(machine.now), 1);
  // Regions of some milliseconds in every period try again, and the periods grow.
  machine.runCrowded(2s);
  EXPECT_LT(machine.runCrowded(10s), 0.01);
}

TEST(CrowdTest, partsReturnAfterTheCrowd) {
  Machine machine;
  machine.runCrowded(10s);
  const auto end = machine.now;
  while (machine.run(2, 800us, 0us) == 1)
    ASSERT_LE(machine.now - end, 1s);
  for (int region = 0; region < 1000; ++region)
    ASSERT_EQ(machine.run(2, 800us, 0us), 2);
  // The next crowd is a new one: its first period is short.
  machine.run(2, 5ms, 4200us);
  machine.run(2, 5ms, 4200us);
  EXPECT_EQ(machine.limit.get(machine.now + 99ms), 1);
  EXPECT_GT(machine.limit.get(machine.now + 101ms), 1);
}

TEST(CrowdTest, regionsThatWakeThreadsAreNoSign) {
  Machine machine;
  for (int repeat = 0; repeat < 100; ++repeat) {
    for (int region = 0; region < 3; ++region)
      ASSERT_EQ(machine.run(2, 2ms, 1800us), 2);
    ASSERT_EQ(machine.run(2, 800us, 0us), 2);
    machine.now += 1ms;
  }
  // The other two threads pause while two run.
  for (int repeat = 0; repeat < 100; ++repeat) {
    ASSERT_EQ(machine.run(4, 5ms, 4200us), 4);
    ASSERT_EQ(machine.run(2, 1ms, 0us), 2);
  }
}

TEST(CrowdTest, regionsOfFewThreadsBetweenDoNotHideLosses) {
  Machine machine;
  machine.wake(4);
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_EQ(machine.run(4, 5ms, 4200us), 4);
    machine.run(2, 500us, 0us);
  }
  EXPECT_EQ(machine.limit.get(machine.now), 3);
}

TEST(CrowdTest, waitsAtBarriersAreLosses) {
  Machine machine;
  machine.wake();
  for (int repeat = 0; repeat < 3; ++repeat) {
    const PartLimit::Time start = machine.now;
    machine.now += 5ms;
    machine.limit.add(start, machine.now, machine.now, 2, 4200us);
  }
  EXPECT_EQ(machine.limit.get(machine.now), 1);
}

TEST(CrowdTest, aLimitTakesOnePartAtATime) {
  Machine machine;
  while (machine.limit.get(machine.now) > 8)
    machine.run(8, 5ms, 4200us);
  EXPECT_EQ(machine.limit.get(machine.now), 7);
  // Seven threads find enough CPUs.
  for (int region = 0; region < 50; ++region)
    EXPECT_EQ(machine.run(8, 800us, 0us), 7);
  // Another process takes another CPU.
  machine.run(8, 5ms, 4200us);
  machine.run(8, 5ms, 4200us);
  EXPECT_EQ(machine.limit.get(machine.now), 6);
}

TEST(CrowdTest, longRegionsShareACPU) {
  Machine machine;
  // Half of a CPU: each region takes as long as on one thread.
  for (int region = 0; region < 100; ++region)
    ASSERT_EQ(machine.run(2, 80ms, 40ms), 2);
}

} // namespace
