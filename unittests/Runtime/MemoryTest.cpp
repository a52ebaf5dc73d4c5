// MemoryTest.cpp - memory of devices, custom allocators, and memory of compiled code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StatusText.h"
#include "TestSupport.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

using namespace rnntest;

namespace {

TEST(MemoryTest, AlignedAndCounted) {
  Session session;
  rnnrt_memory_stats_t stats;
  std::vector<void *> pointers;
  int64_t total = 0;
  for (int64_t bytes : {0, 1, 63, 64, 65, 4096, 1 << 20}) {
    void *pointer = nullptr;
    ASSERT_EQ(take(rnnrt_memory_alloc(session.device, bytes, &pointer)), "");
    ASSERT_NE(pointer, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % RNNRT_MEMORY_ALIGNMENT, 0u);
    // The whole block is writable.
    const std::vector<char> ones(size_t(bytes), char(1));
    std::vector<char> back(size_t(bytes), char(0));
    EXPECT_EQ(take(rnnrt_memory_copy(session.device, nullptr, pointer, ones.data(), bytes)), "");
    EXPECT_EQ(take(rnnrt_memory_copy(session.device, nullptr, back.data(), pointer, bytes)), "");
    EXPECT_EQ(ones, back);
    pointers.push_back(pointer);
    total += bytes;
  }
  ASSERT_EQ(take(rnnrt_memory_stats(session.device, &stats)), "");
  EXPECT_EQ(stats.live_bytes, total);
  EXPECT_EQ(stats.live_blocks, int64_t(pointers.size()));
  for (void *pointer : pointers)
    EXPECT_EQ(take(rnnrt_memory_free(session.device, pointer)), "");
  ASSERT_EQ(take(rnnrt_memory_stats(session.device, &stats)), "");
  EXPECT_EQ(stats.live_bytes, 0);
  EXPECT_EQ(stats.live_blocks, 0);
  EXPECT_EQ(stats.peak_bytes, total);
}

TEST(MemoryTest, RejectsInvalidSizesAndForeignPointers) {
  Session one, other;
  void *pointer = &one;
  EXPECT_EQ(take(rnnrt_memory_alloc(one.device, -1, &pointer)),
            "INVALID_ARGUMENT: expects `bytes` to be at least 0, but got -1");
  EXPECT_EQ(pointer, nullptr);
  for (int64_t bytes : {INT64_MAX, INT64_MAX - 64, int64_t(1) << 62})
    EXPECT_EQ(take(rnnrt_memory_alloc(one.device, bytes, &pointer)).rfind("RESOURCE_EXHAUSTED", 0), 0u);
  EXPECT_EQ(take(rnnrt_memory_free(one.device, nullptr)), "");
  ASSERT_EQ(take(rnnrt_memory_alloc(one.device, 10, &pointer)), "");
  EXPECT_NE(take(rnnrt_memory_free(other.device, pointer)), "");
  EXPECT_NE(take(rnnrt_memory_free(one.device, static_cast<char *>(pointer) + 8)), "");
  EXPECT_NE(take(rnnrt_memory_free(one.device, static_cast<char *>(pointer) + RNNRT_MEMORY_ALIGNMENT)), "");
  EXPECT_EQ(take(rnnrt_memory_free(one.device, pointer)), "");
  EXPECT_EQ(take(rnnrt_memory_free(one.device, pointer)),
            "INVALID_ARGUMENT: the pointer was not allocated on this device, or was freed already");
  // A large block goes back to the system, so that a second free must not read it.
  ASSERT_EQ(take(rnnrt_memory_alloc(one.device, int64_t(1) << 28, &pointer)), "");
  EXPECT_EQ(take(rnnrt_memory_free(one.device, pointer)), "");
  rnnrt_memory_trim();
  EXPECT_NE(take(rnnrt_memory_free(one.device, pointer)), "");
  EXPECT_NE(take(rnnrt_memory_free(one.device, reinterpret_cast<void *>(uintptr_t(4096)))), "");
}

TEST(MemoryTest, Copies) {
  Session session;
  char source[] = "abcdef", target[7] = {};
  EXPECT_EQ(take(rnnrt_memory_copy(session.device, nullptr, target, source, 7)), "");
  EXPECT_STREQ(target, source);
  EXPECT_EQ(take(rnnrt_memory_copy(session.device, nullptr, nullptr, nullptr, 0)), "");
  EXPECT_NE(take(rnnrt_memory_copy(session.device, nullptr, nullptr, source, 1)), "");
  EXPECT_NE(take(rnnrt_memory_copy(session.device, nullptr, target, source, -1)), "");
}

/// A custom allocator that counts blocks and fails on request.
struct TestAllocator {
  int64_t live = 0, calls = 0, failFrom = INT64_MAX;
  rnnrt_allocator_t functions() {
    return {[](void *user, size_t alignment, size_t bytes) -> void * {
              auto &self = *static_cast<TestAllocator *>(user);
              if (self.calls++ >= self.failFrom)
                return nullptr;
              self.live += int64_t(bytes);
              return std::aligned_alloc(alignment, bytes);
            },
            [](void *user, void *pointer, size_t, size_t bytes) {
              static_cast<TestAllocator *>(user)->live -= int64_t(bytes);
              std::free(pointer);
            },
            this};
  }
};

TEST(MemoryTest, AllocatorServesMemoryAndScratch) {
  TestAllocator allocator;
  rnnrt_device_options_t options;
  rnnrt_device_options_init(&options);
  options.allocator = allocator.functions();
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  ASSERT_EQ(take(rnnrt_device_create("host", &options, &device)), "");
  ASSERT_EQ(take(rnnrt_call_create(device, nullptr, nullptr, &call)), "");
  rnnrt_plan_t *plan = rnnrt_abi_rnn_plan(call, RNNRT_DTYPE_F32, 2, 0, 1, 0, 0, 0, 0, 0, 3, 2, 2, 2, 2, 2);
  const int64_t count = rnnrt_abi_rnn_params_size(call, plan);
  std::vector<float> x(12), h0(16), c0(16), params(static_cast<size_t>(count)), y(24);
  auto run = [&] {
    rnnrt_abi_rnn_forward(call, plan, nullptr, x.data(), h0.data(), c0.data(), params.data(), count, y.data(), nullptr,
                          nullptr, nullptr, 0);
  };
  run();
  EXPECT_EQ(rnnrt_call_status(call), nullptr);
  const int64_t needed = allocator.calls;
  EXPECT_GT(needed, 0);
  EXPECT_EQ(allocator.live, 0);
  // For each failing allocation, the status reports it and nothing leaks.
  for (int64_t k = 0; k < needed; ++k) {
    allocator.calls = 0;
    allocator.failFrom = k;
    run();
    EXPECT_EQ(rnnrt_status_code(rnnrt_call_status(call)), RNNRT_STATUS_RESOURCE_EXHAUSTED);
    EXPECT_EQ(allocator.live, 0);
    rnnrt_call_reset(call);
    allocator.failFrom = INT64_MAX;
    plan = rnnrt_abi_rnn_plan(call, RNNRT_DTYPE_F32, 2, 0, 1, 0, 0, 0, 0, 0, 3, 2, 2, 2, 2, 2);
  }
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  options.allocator.release = nullptr;
  EXPECT_NE(take(rnnrt_device_create("host", &options, &device)), "");
}

TEST(CompiledMemoryTest, AlignedAndCounted) {
  rnnrt_memory_reset_peak();
  const int64_t before = rnnrt_memory_live_bytes();
  void *a = _mlir_memref_to_llvm_alloc(1000), *b = _mlir_memref_to_llvm_aligned_alloc(4096, 100);
  void *c = _mlir_memref_to_llvm_aligned_alloc(4, 100), *d = _mlir_memref_to_llvm_alloc(0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 4096, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(c) % 64, 0u);
  EXPECT_NE(d, nullptr);
  EXPECT_EQ(rnnrt_memory_live_bytes(), before + 1200);
  _mlir_memref_to_llvm_free(a);
  _mlir_memref_to_llvm_free(b);
  rnnrt_memory_free_result(c);
  _mlir_memref_to_llvm_free(d);
  _mlir_memref_to_llvm_free(nullptr);
  EXPECT_EQ(rnnrt_memory_live_bytes(), before);
  EXPECT_EQ(rnnrt_memory_peak_bytes(), before + 1200);
}

TEST(CompiledMemoryDeathTest, FailuresAbortWithAMessage) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(_mlir_memref_to_llvm_alloc(-8), "requests -8 bytes; a dimension is negative");
  EXPECT_DEATH(_mlir_memref_to_llvm_alloc(INT64_MAX), "not enough memory for 9223372036854775807 bytes");
  EXPECT_DEATH(_mlir_memref_to_llvm_aligned_alloc(3, 8), "alignment of 3");
  EXPECT_DEATH(_mlir_memref_to_llvm_free(reinterpret_cast<char *>(_mlir_memref_to_llvm_alloc(200)) + 8),
               "did not allocate");
  // A small block stays in the cache, so that its header can be read a second time.
  auto freeTwice = [] {
    void *block = _mlir_memref_to_llvm_alloc(200);
    _mlir_memref_to_llvm_free(block);
    _mlir_memref_to_llvm_free(block);
  };
  EXPECT_DEATH(freeTwice(), "memory that it did not allocate, or frees it twice|AddressSanitizer");
  auto freeOfDevice = [] {
    Session session;
    void *block = nullptr;
    ASSERT_EQ(take(rnnrt_memory_alloc(session.device, 200, &block)), "");
    rnnrt_memory_free_result(block);
  };
  EXPECT_DEATH(freeOfDevice(), "memory that it did not allocate, or frees it twice");
}

/// A failure handler may throw, here through a function with unwind tables, as JIT-compiled code has.
TEST(CompiledMemoryTest, HandlerMayThrow) {
  static int64_t seen;
  rnnrt_memory_set_failure_handler(
      [](void *user, int64_t bytes, const char *message) {
        *static_cast<int64_t *>(user) = bytes;
        throw std::runtime_error(message);
      },
      &seen);
  EXPECT_THROW(_mlir_memref_to_llvm_alloc(-77), std::runtime_error);
  EXPECT_EQ(seen, -77);
  EXPECT_THROW(rnnrt_abi_fail("at most 7 elements"), std::runtime_error);
  EXPECT_EQ(seen, 0);
  rnnrt_memory_set_failure_handler(nullptr, nullptr);
}

} // namespace
