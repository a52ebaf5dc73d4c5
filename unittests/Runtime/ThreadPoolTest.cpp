// ThreadPoolTest.cpp - parts, team barriers, concurrent callers, blocking waits, fork.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/ThreadPool.h"
#include "core/Exit.h"

#include <cfenv>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace rnnrt;

namespace {

using Part = std::function<void(rnnrt_team &, int64_t, int64_t)>;

/// Enough multiply-adds for any number of threads.
constexpr int64_t much = int64_t(1) << 40;

void run(ThreadPool &pool, int64_t most, const Part &part, int64_t work = much) {
  pool.run([](void *context, void *team, int64_t index,
              int64_t parts) { (*static_cast<const Part *>(context))(*static_cast<rnnrt_team *>(team), index, parts); },
           const_cast<Part *>(&part), most, work);
}

TEST(ThreadPoolTest, everyPartRunsOnce) {
  for (int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    for (int64_t most : {0, 1, 2, 4, 100}) {
      std::atomic<int> seen[8] = {}, total{0};
      int64_t expected = std::max<int64_t>(std::min<int64_t>(most, threads), 1);
      run(pool, most, [&](rnnrt_team &, int64_t part, int64_t parts) {
        EXPECT_EQ(parts, expected);
        ++seen[part];
        ++total;
      });
      EXPECT_EQ(total, expected);
      for (int64_t part = 0; part < expected; ++part)
        EXPECT_EQ(seen[part], 1) << part << " of " << expected;
    }
  }
}

// Values written before a barrier are visible to the other parts after it, without other synchronization.
TEST(ThreadPoolTest, barriersSeparateRounds) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    int64_t values[3] = {-1, -1, -1};
    int wrong = 0;
    run(pool, 3, [&](rnnrt_team &team, int64_t part, int64_t parts) {
      ASSERT_EQ(parts, 3);
      for (int64_t round = 0; round < 200; ++round) {
        values[part] = round;
        team.wait();
        if (part == round % 3)
          for (int64_t value : values)
            wrong += value != round;
        team.wait();
      }
    });
    EXPECT_EQ(wrong, 0);
  }
}

/// Sets the rounding mode of this thread. The control register that holds it also has the flag which flushes subnormal
/// numbers to zero, so results show whether a worker has the register of its caller.
struct Rounding {
  explicit Rounding(int mode) : before(std::fegetround()) { std::fesetround(mode); }
  ~Rounding() { std::fesetround(before); }
  [[gnu::noinline]] static float divide() { // else the compiler moves the division
    volatile float one = 1, three = 3;
    return one / three;
  }
  const int before;
};

void expectRoundingOfCaller(ThreadPool &pool) {
  // The workers begin with the mode of the first caller.
  for (int mode : {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD}) {
    Rounding scope(mode);
    const float expected = Rounding::divide();
    run(pool, 2, [&](rnnrt_team &, int64_t, int64_t parts) {
      EXPECT_EQ(parts, 2);
      EXPECT_EQ(Rounding::divide(), expected);
    });
  }
}

TEST(ThreadPoolTest, partsComputeAsTheCaller) {
  Rounding up(FE_UPWARD);
  const float upper = Rounding::divide();
  Rounding down(FE_DOWNWARD);
  ASSERT_LT(Rounding::divide(), upper);
  ThreadPool pool(2);
  expectRoundingOfCaller(pool);
}

// A part that leaves compiled code aborts the team: the others leave at their barriers, and the caller gets false.
TEST(ThreadPoolTest, partsLeave) {
  ThreadPool pool(3);
  int unused;
  // The pool does not use the invocation.
  Exit exit(reinterpret_cast<Invocation *>(&unused), nullptr);
  struct Job {
    std::atomic<int> left{0}, ends{0};
    int part, round;
  };
  auto body = [](void *context, void *team, int64_t part, int64_t) {
    auto &job = *static_cast<Job *>(context);
    for (int round = 0; round < 20; ++round) {
      if (part == job.part && round == job.round) {
        ++job.left;
        Exit::current()->leave();
      }
      static_cast<rnnrt_team *>(team)->wait();
    }
    ++job.ends;
  };
  for (int repeat = 0; repeat < 300; ++repeat) {
    Job job;
    // Every fourth job is complete.
    job.part = repeat % 4, job.round = repeat % 20;
    const bool isComplete = pool.run(body, &job, 3, much);
    EXPECT_EQ(Exit::current(), &exit);
    EXPECT_EQ(isComplete, job.part == 3);
    EXPECT_EQ(job.left, job.part == 3 ? 0 : 1);
    EXPECT_EQ(job.ends, job.part == 3 ? 3 : 0);
  }
  // Two parts leave at the same time.
  Job both;
  auto leave = [](void *context, void *team, int64_t part, int64_t) {
    if (part < 2)
      Exit::current()->leave();
    static_cast<rnnrt_team *>(team)->wait();
    ++static_cast<Job *>(context)->ends;
  };
  for (int repeat = 0; repeat < 300; ++repeat)
    EXPECT_FALSE(pool.run(leave, &both, 3, much));
  EXPECT_EQ(both.ends, 0);
}

TEST(ThreadPoolTest, sleepersAreWoken) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::atomic<int> total{0};
    run(pool, 3, [&](rnnrt_team &team, int64_t part, int64_t) {
      // Also parts that block while waiting for a late part.
      if (part == repeat % 3)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      team.wait();
      ++total;
    });
    EXPECT_EQ(total, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// The caller runs a part that no thread has begun: a blocked worker begins later than an empty part ends.
TEST(ThreadPoolTest, callersRunPartsOfSleepers) {
  ThreadPool pool(3);
  const std::thread::id caller = std::this_thread::get_id();
  int byCaller = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::atomic<int> seen[3] = {};
    std::thread::id threads[3];
    run(pool, 3, [&](rnnrt_team &, int64_t part, int64_t) {
      ++seen[part];
      threads[part] = std::this_thread::get_id();
    });
    for (int part = 0; part < 3; ++part) {
      EXPECT_EQ(seen[part], 1) << part;
      byCaller += part > 0 && threads[part] == caller;
    }
    EXPECT_EQ(threads[0], caller);
    // Long enough to block, in some of the pauses.
    std::this_thread::sleep_for(std::chrono::microseconds(20 * repeat));
  }
  EXPECT_GT(byCaller, 0);
}

int64_t partsFor(ThreadPool &pool, int64_t work) {
  int64_t parts = 0;
  run(
      pool, 4,
      [&](rnnrt_team &, int64_t part, int64_t count) {
        if (part == 0)
          parts = count;
      },
      work);
  return parts;
}

/// Retries for a short time until the count is `expected`: other load on the machine, and more threads than processors,
/// reduce it temporarily.
int64_t partsSoon(ThreadPool &pool, int64_t work, int64_t expected) {
  int64_t parts = partsFor(pool, work);
  for (int attempt = 0; attempt < 100 && parts != expected; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    parts = partsFor(pool, work);
  }
  return parts;
}

TEST(ThreadPoolTest, smallWorkUsesFewerThreads) {
  ThreadPool pool(4);
  EXPECT_EQ(partsFor(pool, 0), 1);
  EXPECT_EQ(partsFor(pool, 2 * RNNRT_LEAST_WORK - 1), 1);
  EXPECT_EQ(partsSoon(pool, 2 * RNNRT_LEAST_WORK, 2), 2);
  EXPECT_EQ(partsSoon(pool, 3 * RNNRT_LEAST_WORK, 3), 3);
  EXPECT_EQ(partsFor(pool, much), 4);
}

// If a part of a short step is late by a time slice, the processors are oversubscribed.
TEST(ThreadPoolTest, shortStepsUseOneThreadIfOversubscribed) {
  ThreadPool pool(2);
  constexpr int64_t little = 2 * RNNRT_LEAST_WORK;
  ASSERT_EQ(partsSoon(pool, little, 2), 2);
  int64_t parts = 2;
  // Repeated, because this test itself may be scheduled too late to observe it.
  for (int attempt = 0; attempt < 100 && parts != 1; ++attempt) {
    run(
        pool, 2,
        [](rnnrt_team &team, int64_t part, int64_t) {
          if (part == 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          team.wait();
        },
        little);
    parts = partsFor(pool, little);
  }
  EXPECT_EQ(parts, 1);
  EXPECT_EQ(partsFor(pool, much), 2);
  EXPECT_EQ(partsSoon(pool, little, 2), 2);
}

// The same in regions without barriers: parts that end late for some milliseconds.
TEST(ThreadPoolTest, latePartsLimitLaterRegions) {
  ThreadPool pool(2);
  constexpr int64_t some = 1000 * RNNRT_LEAST_WORK;
  ASSERT_EQ(partsSoon(pool, some, 2), 2);
  auto sleepIn = [&](int64_t late, bool isEven) {
    pool.run(
        [](void *late, void *, int64_t part, int64_t) {
          if (part == *static_cast<int64_t *>(late))
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        },
        &late, 2, some, isEven);
  };
  for (int64_t late : {0, 1}) {
    // This test itself may be scheduled too late to observe it.
    int64_t parts = 2;
    for (int attempt = 0; attempt < 100 && parts != 1; ++attempt) {
      sleepIn(late, true);
      parts = partsFor(pool, some);
    }
    EXPECT_EQ(parts, 1);
    EXPECT_EQ(partsFor(pool, much), 2);
    EXPECT_EQ(partsSoon(pool, some, 2), 2);
  }
  // Parts of different work are no sign.
  for (int attempt = 0; attempt < 3; ++attempt)
    sleepIn(1, false);
  EXPECT_EQ(partsSoon(pool, some, 2), 2);
}

// The first region after a pause wakes blocked workers, which may take long; a limit of parts itself makes such pauses.
TEST(ThreadPoolTest, lateWakingDoesNotLimitLaterRegions) {
  constexpr int64_t some = 1000 * RNNRT_LEAST_WORK;
  for (int repeat = 0; repeat < 3; ++repeat) {
    // A pool of its own, so that no region before the last one counts.
    ThreadPool pool(2);
    ASSERT_EQ(partsFor(pool, some), 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    run(
        pool, 2,
        [](rnnrt_team &, int64_t part, int64_t) {
          if (part == 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        },
        some);
    EXPECT_EQ(partsFor(pool, some), 2);
  }
}

TEST(ThreadPoolTest, nestedRunsAreSerial) {
  ThreadPool pool(2);
  std::atomic<int> inner{0};
  run(pool, 2, [&](rnnrt_team &, int64_t, int64_t) {
    run(pool, 2, [&](rnnrt_team &team, int64_t part, int64_t parts) {
      EXPECT_EQ(part, 0);
      EXPECT_EQ(parts, 1);
      team.wait();
      ++inner;
    });
  });
  EXPECT_EQ(inner, 2);
}

TEST(ThreadPoolTest, concurrentCallersShareTheThreads) {
  ThreadPool pool(3);
  constexpr int callers = 4, calls = 100;
  std::atomic<int> teams{0}, done{0};
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller)
    threads.emplace_back([&] {
      for (int call = 0; call < calls; ++call)
        run(pool, 3, [&](rnnrt_team &team, int64_t part, int64_t parts) {
          bool isTeam = parts > 1 && part == 0;
          if (isTeam) {
            EXPECT_EQ(teams.fetch_add(1), 0) << "two teams at once";
          }
          team.wait();
          if (isTeam)
            teams.fetch_sub(1);
          team.wait();
          if (part == 0)
            ++done;
        });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(done, callers * calls);
}

// The thread sanitizer does not support threads in a forked child.
#ifdef __has_feature
#define RNN_HAS_FEATURE(feature) __has_feature(feature)
#else
#define RNN_HAS_FEATURE(feature) 0
#endif
#if !defined(__SANITIZE_THREAD__) && !RNN_HAS_FEATURE(thread_sanitizer)
TEST(ThreadPoolTest, forkedChildrenAreSerial) {
  ThreadPool pool(2);
  run(pool, 2, [](rnnrt_team &, int64_t, int64_t) {});
  pid_t child = fork();
  if (child == 0) {
    int64_t parts = 0;
    run(pool, 2, [&](rnnrt_team &, int64_t, int64_t count) { parts = count; });
    _exit(parts == 1 ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

/// An OpenMP runtime with two threads for one caller. A region inside a region has one thread.
struct FakeOpenMP {
  static inline thread_local int index = 0, count = 1;
  static inline std::atomic<int> most{2}, regions{0};

  static void parallel(void (*function)(void *), void *data, unsigned threads, unsigned) {
    ++regions;
    const int team = count > 1 ? 1 : std::min<int>(static_cast<int>(threads), 2);
    std::vector<std::thread> others;
    for (int k = 1; k < team; ++k)
      others.emplace_back([=] {
        index = k, count = team;
        Rounding own(FE_TOWARDZERO);
        function(data);
        EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
      });
    const int outerIndex = index, outerCount = count;
    index = 0, count = team;
    function(data);
    index = outerIndex, count = outerCount;
    for (std::thread &other : others)
      other.join();
  }
  static constexpr rnnrt_openmp_t functions = {parallel, [] { return index; }, [] { return count; },
                                               [] { return most.load(); }};
};

TEST(ThreadPoolTest, partsRunOnOpenMP) {
  ThreadPool pool(4);
  pool.useOpenMP(&FakeOpenMP::functions);
  auto countParts = [&] {
    std::atomic<int> total{0};
    int64_t parts = 0;
    int before = FakeOpenMP::regions;
    run(pool, 4, [&](rnnrt_team &team, int64_t part, int64_t count) {
      if (part == 0)
        parts = count;
      for (int round = 0; round < 50; ++round)
        team.wait();
      ++total;
    });
    EXPECT_EQ(total, parts);
    EXPECT_EQ(FakeOpenMP::regions - before, parts > 1 ? 1 : 0);
    return parts;
  };
  FakeOpenMP::most = 2;
  EXPECT_EQ(countParts(), 2);
  // More are requested than exist.
  FakeOpenMP::most = 3;
  EXPECT_EQ(countParts(), 2);
  FakeOpenMP::most = 1;
  EXPECT_EQ(countParts(), 1);
  FakeOpenMP::most = 2;
  pool.useOpenMP(nullptr);
  int before = FakeOpenMP::regions;
  run(pool, 4, [](rnnrt_team &, int64_t, int64_t count) { EXPECT_EQ(count, 4); });
  EXPECT_EQ(FakeOpenMP::regions, before);
}

TEST(ThreadPoolTest, partsComputeAsTheCallerOnOpenMP) {
  ThreadPool pool(2);
  FakeOpenMP::most = 2;
  pool.useOpenMP(&FakeOpenMP::functions);
  expectRoundingOfCaller(pool);
}

TEST(ThreadPoolTest, nestedOpenMPRegionsAreSerial) {
  ThreadPool pool(4);
  pool.useOpenMP(&FakeOpenMP::functions);
  FakeOpenMP::parallel(
      [](void *data) {
        if (FakeOpenMP::index == 0)
          run(*static_cast<ThreadPool *>(data), 4, [](rnnrt_team &team, int64_t, int64_t count) {
            EXPECT_EQ(count, 1);
            team.wait();
          });
      },
      &pool, 2, 0);
}

// A part that leaves compiled code aborts the team, as on the pool's threads.
TEST(ThreadPoolTest, partsLeaveOpenMP) {
  ThreadPool pool(2);
  pool.useOpenMP(&FakeOpenMP::functions);
  FakeOpenMP::most = 2;
  int unused;
  Exit exit(reinterpret_cast<Invocation *>(&unused), nullptr);
  auto body = [](void *context, void *team, int64_t part, int64_t) {
    if (part == *static_cast<int *>(context))
      Exit::current()->leave();
    static_cast<rnnrt_team *>(team)->wait();
  };
  for (int part : {0, 1, 2, 0, 2})
    EXPECT_EQ(pool.run(body, &part, 2, much), part == 2);
}

} // namespace
