// SimtTest.cpp - the emulator through its entries, with kernels in C++ of the form that the compiler generates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include "rnn_runtime/emulator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

/// A device `simt` with a current call.
class Session {
public:
  explicit Session(const char *name = "simt") {
    status = rnnrt_device_create(name, nullptr, &device);
    if (status)
      return;
    rnnrt_status_release(rnnrt_call_create(device, nullptr, nullptr, &call));
    rnnrt_abi_make_current(call);
  }
  ~Session() {
    rnnrt_status_release(status);
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  /// Returns "CODE: message" of the call, or "OK", and resets the call.
  std::string take() {
    rnnrt_status_t first = rnnrt_call_status(call);
    std::string text = rnnrt_status_code_name(rnnrt_status_code(first));
    if (first)
      text += std::string(": ") + rnnrt_status_message(first);
    rnnrt_call_reset(call);
    return text;
  }

  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_status_t status = nullptr;
};

struct Sizes {
  int64_t grid = 1, block = 64, shared = 0;
  int32_t flags = 0;
};

constexpr int32_t cooperative = 1, checked = 2;

std::string launch(Session &session, void (*kernel)(void **), void *argument, const Sizes &sizes = {}) {
  void *arguments[] = {argument};
  rnnrt_abi_simt_launch(kernel, "test::kernel", "test.mlir:1:2", sizes.flags, sizes.grid, 1, 1, sizes.block, 1, 1, 0, 0,
                        0, 0, sizes.shared, 0, arguments, 0, 0);
  return session.take();
}

int32_t thread() {
  return rnnrt_abi_simt_thread_id(0);
}
int32_t globalThread() {
  return rnnrt_abi_simt_block_id(0) * rnnrt_abi_simt_block_dim(0) + thread();
}

const char *const schedules[] = {"simt:fifo", "simt:reverse", "simt:random", "simt:random:1", "simt:random:99"};

} // namespace

static void recordOrder(void **arguments) {
  static_cast<std::vector<int32_t> *>(arguments[0])->push_back(globalThread());
}

TEST(Simt, SchedulesSetTheOrder) {
  std::vector<int32_t> fifo, reverse, random, again, other;
  auto run = [](const char *device, std::vector<int32_t> &order) {
    Session session(device);
    EXPECT_EQ(launch(session, recordOrder, &order, {3, 64}), "OK");
  };
  run("simt:fifo", fifo);
  run("simt:reverse", reverse);
  run("simt:random:5", random);
  run("simt:random:5", again);
  run("simt:random:6", other);
  std::vector<int32_t> expected(192);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(fifo, expected);
  EXPECT_EQ(reverse, std::vector<int32_t>(expected.rbegin(), expected.rend()));
  EXPECT_EQ(random, again);
  EXPECT_NE(random, other);
  std::sort(random.begin(), random.end());
  EXPECT_EQ(random, expected);
}

TEST(Simt, UnknownSchedulesAreRejected) {
  for (const char *name : {"simt:", "simt:lifo", "simt:random:", "simt:random:x", "simt:random:-1", "simt:random:1x",
                           "simt:random:99999999999999999999", "simt:fifo:1"}) {
    Session session(name);
    ASSERT_NE(session.status, nullptr) << name;
    EXPECT_NE(std::string(rnnrt_status_message(session.status)).find("unknown schedule"), std::string::npos) << name;
  }
  Session session("simtx");
  EXPECT_EQ(rnnrt_status_code(session.status), RNNRT_STATUS_INVALID_ARGUMENT);
}

static void sumInTree(void **arguments) {
  auto *shared = static_cast<int32_t *>(rnnrt_abi_simt_dynamic_shared());
  int32_t size = rnnrt_abi_simt_block_dim(0);
  shared[thread()] = thread();
  for (int32_t step = size / 2; step > 0; step /= 2) {
    rnnrt_abi_simt_barrier(0, 0, "tree.mlir:1:1");
    if (thread() < step)
      shared[thread()] += shared[thread() + step];
  }
  if (thread() == 0)
    static_cast<int32_t *>(arguments[0])[rnnrt_abi_simt_block_id(0)] = shared[0];
}

TEST(Simt, BarriersOrderABlock) {
  for (const char *name : schedules) {
    Session session(name);
    std::vector<int32_t> sums(5);
    EXPECT_EQ(launch(session, sumInTree, sums.data(), {5, 1024, 4096}), "OK") << name;
    EXPECT_EQ(sums, std::vector<int32_t>(5, 1023 * 512)) << name;
  }
}

static int32_t counter = 0;

static void countSteps(void **arguments) {
  auto &value = *static_cast<int32_t *>(arguments[0]);
  for (int32_t step = 0; step < 20; ++step) {
    if (globalThread() == step)
      ++value;
    rnnrt_abi_simt_grid_barrier(&counter, "grid.mlir:1:1");
    if (value != step + 1)
      rnnrt_abi_simt_assert("a thread is out of step", "grid.mlir:2:1");
    rnnrt_abi_simt_grid_barrier(&counter, "grid.mlir:3:1");
  }
}

TEST(Simt, GridBarriersOrderAGrid) {
  for (const char *name : schedules) {
    Session session(name);
    int32_t value = 0;
    EXPECT_EQ(launch(session, countSteps, &value, {33, 32, 0, cooperative}), "OK") << name;
    EXPECT_EQ(value, 20) << name;
  }
}

static void waitForever(void **) {
  if (thread() < 32)
    rnnrt_abi_simt_barrier(1, 64, "stuck.mlir:1:1");
  else
    rnnrt_abi_simt_barrier(2, 64, "stuck.mlir:2:2");
}

TEST(Simt, DeadlocksAreDescribed) {
  Session session;
  EXPECT_EQ(
      launch(session, waitForever, nullptr),
      "FAILED_PRECONDITION: deadlock in kernel `test::kernel`: block (0,0,0) threads 0 to 31 wait at barrier 1 at "
      "stuck.mlir:1:1; block (0,0,0) threads 32 to 63 wait at barrier 2 at stuck.mlir:2:2");
}

static void poll(void **) {
  while (true)
    rnnrt_abi_simt_yield("poll.mlir:1:1");
}

TEST(Simt, LivelocksEnd) {
  Session session;
  EXPECT_EQ(
      launch(session, poll, nullptr, {4, 32}),
      "FAILED_PRECONDITION: livelock (threads poll memory that no thread changes) in kernel `test::kernel`: block "
      "(0,0,0) "
      "threads 0 to 31 poll at poll.mlir:1:1; 3 blocks have not started, which only a cooperative launch would run "
      "together with these");
}

static void failInTheMiddle(void **arguments) {
  rnnrt_abi_simt_barrier(0, 0, "middle.mlir:1:1");
  if (globalThread() == 70)
    rnnrt_abi_simt_assert("enough", "middle.mlir:2:1");
  rnnrt_abi_simt_barrier(0, 0, "middle.mlir:3:1");
  ++*static_cast<int32_t *>(arguments[0]);
}

TEST(Simt, FailuresEndOnlyTheLaunch) {
  Session session;
  for (int run = 0; run < 3; ++run) {
    int32_t finished = 0;
    EXPECT_EQ(
        launch(session, failInTheMiddle, &finished, {4, 64}),
        "FAILED_PRECONDITION: assertion failed in kernel `test::kernel`: enough, at middle.mlir:2:1 in block (1,0,0) "
        "thread (6,0,0)");
    EXPECT_EQ(finished, 64) << "block 0 was done";
    std::vector<int32_t> sums(2);
    EXPECT_EQ(launch(session, sumInTree, sums.data(), {2, 64, 256}), "OK");
    EXPECT_EQ(sums[1], 63 * 32);
  }
}

TEST(Simt, FirstFailureIsKept) {
  Session session;
  void *arguments[] = {nullptr};
  int32_t finished = 0;
  void *counting[] = {&finished};
  rnnrt_abi_simt_launch(waitForever, "first", "a.mlir:1:1", 0, 1, 1, 1, 64, 1, 1, 0, 0, 0, 0, 0, 0, arguments, 0, 0);
  rnnrt_abi_simt_launch(failInTheMiddle, "second", "a.mlir:2:1", 0, 1, 1, 1, 64, 1, 1, 0, 0, 0, 0, 0, 0, counting, 0,
                        0);
  EXPECT_EQ(rnnrt_abi_simt_alloc(64), nullptr);
  EXPECT_EQ(session.take().substr(0, 49), "FAILED_PRECONDITION: deadlock in kernel `first`: ");
  EXPECT_EQ(finished, 0);
}

TEST(Simt, CallsOfOtherDevicesAreRejected) {
  Session session("host");
  std::vector<int32_t> order;
  EXPECT_EQ(
      launch(session, recordOrder, &order),
      "FAILED_PRECONDITION: the function was compiled for target simt, but its call is on device `host`; make the call "
      "on a device `simt`");
  EXPECT_TRUE(order.empty());
}

TEST(Simt, LaunchesWithoutACallDoNothing) {
  rnnrt_abi_make_current(nullptr);
  std::vector<int32_t> order;
  void *arguments[] = {&order};
  rnnrt_abi_simt_launch(recordOrder, "none", "a.mlir:1:1", 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, arguments, 0, 0);
  EXPECT_TRUE(order.empty());
}

TEST(Simt, HardwareLimits) {
  Session session;
  auto run = [&](std::vector<int64_t> grid, std::vector<int64_t> block, int64_t fixed, int64_t dynamic) {
    void *arguments[] = {nullptr};
    rnnrt_abi_simt_launch(waitForever, "k", "a.mlir:1:1", 0, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0,
                          0, 0, fixed, dynamic, 0, arguments, 0, 0);
    std::string text = session.take();
    return text.substr(0, text.find(", but got"));
  };
  const std::string prefix = "INVALID_ARGUMENT: launch of kernel `k`: expects ";
  EXPECT_EQ(run({0, 1, 1}, {1, 1, 1}, 0, 0), prefix + "sizes of at least 1");
  EXPECT_EQ(run({1, 1, 1}, {1, -5, 1}, 0, 0), prefix + "sizes of at least 1");
  EXPECT_EQ(run({1, 65536, 1}, {1, 1, 1}, 0, 0), prefix + "a grid of at most (2147483647,65535,65535) blocks");
  EXPECT_EQ(run({int64_t(1) << 40, 1, 1}, {1, 1, 1}, 0, 0),
            prefix + "a grid of at most (2147483647,65535,65535) blocks");
  EXPECT_EQ(run({1, 1, 1}, {1, 1, 65}, 0, 0), prefix + "at most 1024 threads in a block and 64 in z");
  EXPECT_EQ(run({1, 1, 1}, {INT64_MAX, 2, 1}, 0, 0), prefix + "at most 1024 threads in a block and 64 in z");
  EXPECT_EQ(run({1 << 30, 1, 1}, {32, 1, 1}, 0, 0), prefix + "less than 2^32 threads");
  EXPECT_EQ(run({1 << 30, 60000, 60000}, {1, 1, 1}, 0, 0), prefix + "less than 2^32 threads");
  EXPECT_EQ(run({1, 1, 1}, {1, 1, 1}, 232449, 0), prefix + "at most 232448 bytes of shared memory in a block");
  EXPECT_EQ(run({1, 1, 1}, {1, 1, 1}, 1, INT64_MAX), prefix + "at most 232448 bytes of shared memory in a block");
  EXPECT_EQ(run({1, 1, 1}, {1, 1, 1}, 0, -1), prefix + "at most 232448 bytes of shared memory in a block");
}

static void readPoison(void **arguments) {
  auto *shared = static_cast<float *>(rnnrt_abi_simt_dynamic_shared());
  static_cast<float *>(arguments[0])[globalThread()] = shared[thread()];
  shared[thread()] = 1;
}

TEST(Simt, SharedMemoryIsPoisonedForEveryBlock) {
  Session session;
  std::vector<float> values(128, 0);
  EXPECT_EQ(launch(session, readPoison, values.data(), {2, 64, 256}), "OK");
  for (float value : values)
    EXPECT_NE(value, value);
}

/// Each thread of a block writes its own slot of global memory and, after a barrier, that of its neighbor.
static void neighbours(void **arguments) {
  auto *values = static_cast<int32_t *>(arguments[0]);
  int32_t *own = values + 1 + thread(), *next = values + 1 + (thread() + 1) % 64;
  rnnrt_abi_simt_access(own, 4, 1, "own.mlir:1:1");
  *own = thread();
  if (values[0])
    rnnrt_abi_simt_barrier(0, 0, "barrier.mlir:1:1");
  rnnrt_abi_simt_access(next, 4, 1, "next.mlir:1:1");
  *next = -thread();
}

TEST(Simt, TheCheckerRequiresBarriers) {
  for (const char *name : schedules) {
    Session session(name);
    std::vector<int32_t> values(65);
    values[0] = 1;
    EXPECT_EQ(launch(session, neighbours, values.data(), {1, 64, 0, checked}), "OK") << name;
    values[0] = 0;
    std::string text = launch(session, neighbours, values.data(), {1, 64, 0, checked});
    EXPECT_EQ(text.substr(0, 56), "FAILED_PRECONDITION: data race in kernel `test::kernel`:") << name;
    EXPECT_NE(text.find("store of 4 bytes of global memory is not ordered after the store by block (0,0,0) thread ("),
              std::string::npos)
        << name << ": " << text;
    EXPECT_EQ(launch(session, neighbours, values.data()), "OK") << name << ": not checked";
  }
}

/// Thread 0 polls a value of the last thread by plain loads.
static void pollWithoutAtomics(void **arguments) {
  auto *flag = static_cast<volatile int32_t *>(arguments[0]);
  if (thread() == 63) {
    rnnrt_abi_simt_access(const_cast<int32_t *>(flag), 4, 1, "write.mlir:1:1");
    *flag = 1;
  }
  while (thread() == 0 && !*flag)
    rnnrt_abi_simt_access(const_cast<int32_t *>(flag), 4, 0, "poll.mlir:1:1");
}

TEST(Simt, PollingByPlainLoadsIsARace) {
  Session session;
  int32_t flag = 0;
  EXPECT_EQ(
      launch(session, pollWithoutAtomics, &flag, {1, 64, 0, checked}),
      "FAILED_PRECONDITION: data race in kernel `test::kernel`: store of 4 bytes of global memory is not ordered after "
      "the load by block (0,0,0) thread (0,0,0) at poll.mlir:1:1, at write.mlir:1:1 in block (0,0,0) thread (63,0,0)");
}

/// Two threads share four bytes, one byte or two each: only overlapping bytes conflict.
static void narrow(void **arguments) {
  auto &values = *static_cast<std::vector<int32_t> *>(arguments[0]);
  auto *bytes = reinterpret_cast<char *>(values.data());
  if (thread() < 2)
    rnnrt_abi_simt_access(bytes + thread() * values[1], values[2], 1, thread() ? "b.mlir:1:1" : "a.mlir:1:1");
}

TEST(Simt, TheCheckerTracksBytes) {
  struct Case {
    int32_t distance, bytes;
    bool race;
  } cases[] = {{1, 1, false}, {2, 2, false}, {1, 2, true}, {0, 1, true}, {2, 1, false}, {2, 4, true}, {4, 4, false}};
  for (const Case &one : cases) {
    Session session;
    std::vector<int32_t> values{0, one.distance, one.bytes, 0};
    std::string text = launch(session, narrow, &values, {1, 32, 0, checked});
    EXPECT_EQ(text != "OK", one.race) << one.distance << " " << one.bytes << ": " << text;
  }
}

TEST(Simt, ConcurrentLaunches) {
  std::vector<std::thread> threads;
  std::vector<std::string> results(4);
  for (size_t index = 0; index < results.size(); ++index)
    threads.emplace_back([&results, index] {
      Session session(schedules[index]);
      std::vector<int32_t> sums(50);
      results[index] = launch(session, sumInTree, sums.data(), {50, 128, 512});
      if (sums != std::vector<int32_t>(50, 127 * 64))
        results[index] += " but wrong";
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &result : results)
    EXPECT_EQ(result, "OK");
}

/// Threads 0 and 1 allocate a little, the others too much.
static void allocateTooMuch(void **arguments) {
  const bool isSmall = thread() < 2;
  auto *own = static_cast<float *>(_mlir_memref_to_llvm_alloc(isSmall ? 64 : *static_cast<int64_t *>(arguments[0])));
  own[0] = 1;
  _mlir_memref_to_llvm_free(own);
}

/// A failed allocation inside a kernel ends the kernel with a status, also without an exported function around it.
TEST(Simt, AllocationsMayFail) {
  Session session;
  int64_t bytes = INT64_MAX;
  EXPECT_EQ(launch(session, allocateTooMuch, &bytes, {1, 4}),
            "RESOURCE_EXHAUSTED: not enough memory for 9223372036854775807 bytes; compiled code holds 0 already");
  bytes = -1;
  EXPECT_EQ(launch(session, allocateTooMuch, &bytes, {1, 4}).substr(0, 17), "INVALID_ARGUMENT:");
  bytes = 64;
  EXPECT_EQ(launch(session, allocateTooMuch, &bytes, {1, 4}), "OK");
  EXPECT_EQ(rnnrt_memory_live_bytes(), 0);
}

static void allocateAndFail(void **) {
  _mlir_memref_to_llvm_alloc(thread() < 2 ? 64 : INT64_MAX);
}

/// Inside an exported function, what the kernel allocated before is freed.
TEST(Simt, MemoryOfFailedKernelsIsFreed) {
  Session session;
  const rnnrt_function_t function = {RNNRT_ABI_VERSION, 0, "f", nullptr, nullptr, 0, 0, nullptr};
  auto body = [](rnnrt_call_t *, void *const *, void *const *) {
    void *arguments[] = {nullptr};
    rnnrt_abi_simt_launch(allocateAndFail, "test::kernel", "test.mlir:1:2", 0, 1, 1, 1, 4, 1, 1, 0, 0, 0, 0, 0, 0,
                          arguments, 0, 0);
  };
  rnnrt_tensor_t *outs[] = {nullptr};
  void *slots[] = {nullptr};
  ASSERT_EQ(rnnrt_abi_enter(session.call, &function, nullptr, 0, outs, 0, slots), 1);
  rnnrt_abi_execute(session.call, &function, body, slots, slots);
  EXPECT_EQ(session.take().substr(0, 19), "RESOURCE_EXHAUSTED:");
  EXPECT_EQ(rnnrt_memory_live_bytes(), 0);
}

//===-- Wavefronts -----------------------------------------------------------------------------------------------===//

static void append(void **arguments) {
  (*static_cast<std::string **>(arguments[0]))->push_back(*static_cast<char *>(arguments[1]));
}

/// The order in which the emulator executes the tasks that `emit(task)` begins by `task(stage, names, reuses)`, one
/// launch per name.
template <typename Emit> static std::string orderOfTasks(const char *device, int64_t stages, Emit &&emit) {
  Session session(device);
  rnnrt_abi_make_current(session.call);
  struct {
    std::string *order;
    char name;
  } packed;
  std::string order;
  void *arguments[] = {&packed.order, &packed.name};
  auto task = [&](int64_t stage, const char *names, bool reuses = false) {
    rnnrt_abi_wavefront_task(session.call, stage, reuses);
    for (; *names; ++names) {
      packed = {&order, *names};
      rnnrt_abi_simt_launch(append, "append", "a.mlir:1:1", 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, arguments, 2,
                            sizeof(packed));
    }
    packed = {nullptr, 0}; // the launches have copies
  };
  rnnrt_abi_wavefront_begin(session.call, stages, stages, 64, 0);
  emit(task);
  EXPECT_EQ(order, "");
  rnnrt_abi_wavefront_end(session.call);
  EXPECT_EQ(session.take(), "OK");
  return order;
}

/// A to D are of stage 0, and a to d of `upper`, the last stage.
static std::string orderOf(const char *device, int64_t upper = 1) {
  return orderOfTasks(device, upper + 1, [&](auto &task) {
    task(0, "AB");
    task(upper, "ab");
    task(0, "CD");
    task(upper, "cd");
  });
}

TEST(Simt, TasksRunInEveryOrder) {
  EXPECT_EQ(orderOf("simt:fifo"), "ABCDabcd");
  EXPECT_EQ(orderOf("simt:reverse"), "ABabCDcd");
  std::set<std::string> orders;
  for (int seed = 0; seed < 50; ++seed) {
    const std::string order = orderOf(("simt:random:" + std::to_string(seed)).c_str());
    for (const char *pair : {"AB", "BC", "CD", "ab", "bc", "cd", "Ba", "Dc"})
      EXPECT_LT(order.find(pair[0]), order.find(pair[1])) << order;
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6u); // all
}

TEST(Simt, ShowsAMissingDependence) {
  // Stage 2 waits for stage 1, which has no tasks: what `a` needs of `A` and `B` is missing.
  EXPECT_EQ(orderOf("simt:fifo", 2), "ABCDabcd");
  EXPECT_EQ(orderOf("simt:reverse", 2), "abcdABCD");
  std::set<char> first;
  for (int seed = 0; seed < 50; ++seed)
    first.insert(orderOf(("simt:random:" + std::to_string(seed)).c_str(), 2)[0]);
  EXPECT_EQ(first, (std::set<char>{'A', 'a'}));
}

// Two buffers alternate: C and D wait until the last stage but one task has read what they overwrite.
TEST(Simt, ATaskFollowsTheReadersOfItsMemory) {
  auto order = [](const char *device, bool reuses) {
    return orderOfTasks(device, 2, [&](auto &task) {
      task(0, "A", reuses);
      task(0, "B", reuses);
      task(1, "a");
      task(0, "C", reuses);
      task(1, "b");
      task(0, "D", reuses);
    });
  };
  EXPECT_EQ(order("simt:fifo", false), "ABCDab");
  EXPECT_EQ(order("simt:fifo", true), "ABCaDb");
}

TEST(Simt, AFailedWavefrontRunsNoFurtherTask) {
  Session session("simt");
  rnnrt_abi_make_current(session.call);
  std::string order, *pointer = &order;
  void *arguments[] = {&pointer};
  rnnrt_abi_wavefront_begin(session.call, 2, 2, 64, 0);
  rnnrt_abi_wavefront_task(session.call, 0, 0);
  rnnrt_abi_simt_launch(append, "append", "a.mlir:1:1", 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, arguments, 1,
                        sizeof(pointer));
  rnnrt_abi_wavefront_task(session.call, 5, 0);
  rnnrt_abi_wavefront_end(session.call);
  EXPECT_EQ(session.take(), "INTERNAL: a task of stage 5 in a wavefront of 2 stages");
  EXPECT_EQ(order, "");
}

//===-- Signals of a wavefront -----------------------------------------------------------------------------------===//

/// What a persistent kernel does with the signals of its stage. Appends `name` and the number of each task.
struct PersistentLaunch {
  std::string *order;
  int32_t *words;
  int64_t task, tasks;
  char name;
  bool publishes;
};

static void runPersistent(void **arguments) {
  const auto &launch = *static_cast<PersistentLaunch *>(arguments[0]);
  const int32_t cluster = rnnrt_abi_simt_cluster_id(0);
  if (launch.words[2 * launch.tasks + cluster] > launch.task || thread() || rnnrt_abi_simt_cluster_rank())
    return;
  for (int64_t task = launch.task; task < launch.tasks; ++task) {
    *launch.order += {launch.name, char('0' + task), char('x' + cluster), ' '};
    launch.words[2 * launch.tasks + cluster] = int32_t(task + 1);
    if (launch.publishes)
      rnnrt_abi_simt_add_signal(&launch.words[task]);
    if (task + 1 == launch.tasks || !rnnrt_abi_simt_read_signal(&launch.words[launch.tasks + task + 1]))
      break;
  }
}

/// The order of three tasks of two layers, with GEMMs A and B, and steps a and b in two clusters, x and y.
static std::string orderOfPersistent(const char *device, std::string &status, bool publishes = true) {
  Session session(device);
  constexpr int64_t tasks = 3, stages = 4;
  std::string order;
  rnnrt_abi_wavefront_begin(session.call, stages, 2, tasks, 2);
  for (int64_t wave = 0; wave < stages + tasks - 1; ++wave)
    for (int64_t stage = std::min(wave, stages - 1); stage >= std::max<int64_t>(wave - tasks + 1, 0); --stage) {
      const int64_t signals = rnnrt_abi_wavefront_task(session.call, stage, stage % 2 == 0);
      EXPECT_NE(signals, 0);
      PersistentLaunch packed{&order,   reinterpret_cast<int32_t *>(signals), wave - stage, tasks, "AaBb"[stage],
                              publishes};
      void *arguments[] = {&packed};
      if (stage % 2)
        rnnrt_abi_simt_launch_clusters(runPersistent, "steps", "a.mlir:1:1", 1 << RNNRT_LAUNCH_ITEMS_SHIFT, 2, 1, 1, 0,
                                       0, 0, 4, 1, 1, 32, 1, 1, 0, 0, 0, 0, 0, 0, arguments, 1, sizeof(packed));
      else
        rnnrt_abi_simt_launch(
            [](void **arguments) {
              const auto &launch = *static_cast<PersistentLaunch *>(arguments[0]);
              *launch.order += {launch.name, char('0' + launch.task), ' '};
            },
            "gemm", "a.mlir:2:1", 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, arguments, 1, sizeof(packed));
    }
  rnnrt_abi_wavefront_end(session.call);
  status = session.take();
  return order;
}

TEST(Simt, TheScheduleDecidesWhetherALaunchGoesOn) {
  std::string status;
  // With fifo, other launches run before a flag is read. So x goes on with task 1, for which A1 has run, but not with
  // task 2: A2 follows a0y. y goes on with both.
  EXPECT_EQ(orderOfPersistent("simt:fifo", status),
            "A0 A1 a0x a1x a0y A2 B0 b0x b0y a1y B1 b1x b1y a2y a2x B2 b2x b2y ");
  EXPECT_EQ(status, "OK");
  // With reverse, the last stage runs as soon as it can, and no launch goes on.
  EXPECT_EQ(orderOfPersistent("simt:reverse", status),
            "A0 a0y a0x B0 b0y b0x A1 a1y a1x B1 b1y b1x A2 a2y a2x B2 b2y b2x ");
  EXPECT_EQ(status, "OK");
  std::set<std::string> orders;
  for (int seed = 0; seed < 50; ++seed) {
    const std::string order = orderOfPersistent(("simt:random:" + std::to_string(seed)).c_str(), status);
    EXPECT_EQ(status, "OK");
    auto at = [&](std::string what) { return order.find(what + " "); };
    for (int task = 0; task < 3; ++task) {
      const std::string n = std::to_string(task);
      for (const char *cluster : {"x", "y"}) {
        // Each cluster completes each task once, after the GEMM, and before the GEMM of the next layer.
        EXPECT_EQ(order.find("a" + n + cluster), order.rfind("a" + n + cluster)) << order;
        EXPECT_LT(at("A" + n), at("a" + n + cluster)) << order;
        EXPECT_LT(at("a" + n + cluster), at("B" + n)) << order;
        EXPECT_LT(at("B" + n), at("b" + n + cluster)) << order;
        if (task == 2) // the GEMM overwrites memory of task 0
          EXPECT_LT(at(std::string("a0") + cluster), at("A2")) << order;
        EXPECT_NE(at("b" + n + cluster), std::string::npos) << order;
      }
    }
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 20u);
}

TEST(Simt, AMissingSignalIsAnError) {
  std::string status;
  for (const char *device : {"simt:fifo", "simt:reverse", "simt:random:3"}) {
    orderOfPersistent(device, status, /*publishes=*/false);
    EXPECT_EQ(status.substr(0, 69), "INTERNAL: a wavefront does not advance: stage 0 waits for a counter o") << status;
  }
}
