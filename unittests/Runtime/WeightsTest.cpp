// WeightsTest.cpp - handles of weights, and the entries of compiled code that use them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace {

/// The message of a status, which is released; empty for success.
std::string take(rnnrt_status_t status) {
  std::string message = status ? rnnrt_status_message(status) : "";
  rnnrt_status_release(status);
  return message;
}

class WeightsTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(take(rnnrt_device_create("host", nullptr, &device)), "");
    ASSERT_EQ(take(rnnrt_call_create(device, nullptr, nullptr, &call)), "");
    ASSERT_EQ(take(rnnrt_weights_create(device, data.data(), bytes, &weights)), "");
    ASSERT_EQ(take(rnnrt_call_use_weights(call, weights)), "");
  }
  void TearDown() override {
    rnnrt_call_release(call);
    rnnrt_weights_release(weights);
    rnnrt_device_release(device);
    EXPECT_EQ(rnnrt_memory_live_bytes(), before);
  }

  rnnrt_packed_t *begin(rnnrt_call_t *in, int64_t form = 1, int64_t index = 0, const float *at = nullptr,
                        int64_t size = 16) {
    return rnnrt_abi_pack_begin(in, form, at ? at : data.data(), size, /*input=*/2, /*hidden=*/3, index, /*bytes=*/100,
                                /*memory=*/nullptr);
  }
  /// Packs if necessary; returns whether it was.
  bool pack(rnnrt_call_t *in, int64_t form = 1, int64_t index = 0, const float *at = nullptr, int64_t size = 16) {
    rnnrt_packed_t *packed = begin(in, form, index, at, size);
    const bool mustPack = packed->is_packed != 1;
    rnnrt_abi_pack_end(in, packed);
    return mustPack;
  }

  const int64_t before = rnnrt_memory_live_bytes();
  std::vector<float> data = std::vector<float>(16, 1.0f);
  const int64_t bytes = 64;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_weights_t *weights = nullptr;
};

} // namespace

TEST_F(WeightsTest, ArePackedOnce) {
  EXPECT_EQ(rnnrt_weights_packed_bytes(weights), 0);
  rnnrt_packed_t *first = begin(call);
  EXPECT_EQ(first->is_packed, 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first->data) % 64, 0u);
  std::fill_n(static_cast<char *>(first->data), 100, 'x');
  rnnrt_abi_pack_end(call, first);
  rnnrt_packed_t *second = begin(call);
  EXPECT_EQ(second->is_packed, 1);
  EXPECT_EQ(second->data, first->data);
  EXPECT_EQ(static_cast<char *>(second->data)[99], 'x');
  rnnrt_abi_pack_end(call, second);
  EXPECT_EQ(rnnrt_weights_packed_bytes(weights), 100);
  EXPECT_EQ(rnnrt_weights_packed_bytes(nullptr), 0);
}

TEST_F(WeightsTest, HaveOneCopyPerFormAndPlace) {
  EXPECT_TRUE(pack(call));
  EXPECT_TRUE(pack(call, /*form=*/2));
  EXPECT_TRUE(pack(call, 1, /*index=*/1));
  EXPECT_TRUE(pack(call, 1, 0, data.data() + 1));
  EXPECT_EQ(rnnrt_weights_packed_bytes(weights), 400);
  EXPECT_FALSE(pack(call));
  EXPECT_FALSE(pack(call, 1, 0, data.data() + 1));
}

TEST_F(WeightsTest, CoverTheirMemoryOnly) {
  const float other[4] = {};
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(pack(call, 1, 0, other)) << "other memory";
    EXPECT_TRUE(pack(call, 1, 0, data.data() + 13)) << "past the end";
    EXPECT_TRUE(pack(call, 1, 0, data.data(), 65)) << "too much";
    EXPECT_TRUE(pack(call, 1, 0, data.data(), 0)) << "nothing";
  }
  EXPECT_EQ(rnnrt_weights_packed_bytes(weights), 0);
  EXPECT_TRUE(pack(call, 1, 0, data.data() + 12));
  EXPECT_FALSE(pack(call, 1, 0, data.data() + 12));
}

TEST_F(WeightsTest, ThatAnotherCallPacksAreScratch) {
  rnnrt_call_t *other = nullptr;
  ASSERT_EQ(take(rnnrt_call_create(device, nullptr, nullptr, &other)), "");
  ASSERT_EQ(take(rnnrt_call_use_weights(other, weights)), "");
  rnnrt_packed_t *first = begin(call), *second = begin(other);
  EXPECT_EQ(second->is_packed, RNNRT_PACKED_SCRATCH);
  EXPECT_NE(second->data, first->data);
  rnnrt_abi_pack_end(other, second);
  EXPECT_EQ(rnnrt_weights_packed_bytes(weights), 100);
  rnnrt_abi_pack_end(call, first);
  EXPECT_FALSE(pack(other));
  rnnrt_call_release(other);
}

TEST_F(WeightsTest, OfAFailedCallAreNotPacked) {
  rnnrt_packed_t *packed = begin(call);
  rnnrt_abi_expect_equal(call, 1, 2, "a failed call");
  rnnrt_abi_pack_end(call, packed);
  EXPECT_TRUE(pack(call)) << "scratch, since the call has failed";
  EXPECT_TRUE(pack(nullptr));
  rnnrt_call_reset(call);
  EXPECT_TRUE(pack(call)) << "the copy of the handle";
  EXPECT_FALSE(pack(call));
  rnnrt_abi_pack_end(call, nullptr);
}

TEST_F(WeightsTest, LiveAsLongAsTheirCalls) {
  EXPECT_TRUE(pack(call));
  rnnrt_weights_release(weights);
  weights = nullptr;
  EXPECT_FALSE(pack(call));
}

TEST_F(WeightsTest, ServeThreads) {
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      rnnrt_call_t *own = nullptr;
      ASSERT_EQ(take(rnnrt_call_create(device, nullptr, nullptr, &own)), "");
      ASSERT_EQ(take(rnnrt_call_use_weights(own, weights)), "");
      for (int64_t round = 0; round < 200; ++round) {
        rnnrt_packed_t *packed = begin(own, 1, round % 3);
        auto *values = static_cast<char *>(packed->data);
        if (packed->is_packed != 1)
          std::fill_n(values, 100, char('a' + round % 3));
        EXPECT_EQ(values[0], 'a' + round % 3);
        EXPECT_EQ(values[99], 'a' + round % 3);
        rnnrt_abi_pack_end(own, packed);
      }
      rnnrt_call_release(own);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(rnnrt_weights_packed_bytes(weights), 300);
}

TEST_F(WeightsTest, OfAModuleArePackedInItsMemory) {
  alignas(64) char memory[RNNRT_PACKED_HEADER + 100] = {};
  rnnrt_call_t *other = nullptr;
  ASSERT_EQ(take(rnnrt_call_create(device, nullptr, nullptr, &other)), "");
  auto begin = [&](rnnrt_call_t *in) { return rnnrt_abi_pack_begin(in, 1, data.data(), 16, 2, 3, 0, 100, memory); };
  rnnrt_packed_t *failed = begin(other);
  EXPECT_EQ(failed->data, memory + RNNRT_PACKED_HEADER);
  rnnrt_abi_expect_equal(other, 1, 2, "a failed call");
  rnnrt_abi_pack_end(other, failed);
  rnnrt_call_reset(other);
  rnnrt_packed_t *first = begin(call), *meanwhile = begin(other);
  EXPECT_EQ(first->data, memory + RNNRT_PACKED_HEADER);
  EXPECT_NE(first->is_packed, 1);
  EXPECT_NE(meanwhile->data, first->data);
  EXPECT_NE(meanwhile->is_packed, 1);
  rnnrt_abi_pack_end(other, meanwhile);
  rnnrt_abi_pack_end(call, first);
  rnnrt_packed_t *second = begin(other);
  EXPECT_EQ(second, first);
  EXPECT_EQ(second->is_packed, 1);
  rnnrt_abi_pack_end(other, second);
  EXPECT_EQ(begin(call)->is_packed, 1);
  EXPECT_EQ(rnnrt_weights_packed_bytes(weights), 0);
  rnnrt_call_release(other);
}

TEST_F(WeightsTest, BadArgumentsAreRejected) {
  rnnrt_weights_t *bad = weights;
  EXPECT_EQ(take(rnnrt_weights_create(device, data.data(), -1, &bad)), "expects `bytes` to be at least 0, but got -1");
  EXPECT_EQ(bad, nullptr);
  EXPECT_EQ(take(rnnrt_weights_create(device, nullptr, 4, &bad)), "expects `data`, but got a null pointer");
  EXPECT_EQ(take(rnnrt_weights_create(nullptr, data.data(), 4, &bad)), "expects `device`, but got a null pointer");
  EXPECT_EQ(take(rnnrt_weights_create(device, data.data(), 4, nullptr)),
            "expects `out_weights`, but got a null pointer");
  EXPECT_EQ(take(rnnrt_call_use_weights(nullptr, weights)), "expects `call`, but got a null pointer");
  EXPECT_EQ(take(rnnrt_call_use_weights(call, nullptr)), "expects `weights`, but got a null pointer");
  EXPECT_EQ(take(rnnrt_weights_create(device, nullptr, 0, &bad)), "") << "no bytes cover nothing";
  rnnrt_weights_release(bad);
  rnnrt_weights_release(nullptr);
  rnnrt_device_t *otherDevice = nullptr;
  ASSERT_EQ(take(rnnrt_device_create("host", nullptr, &otherDevice)), "");
  ASSERT_EQ(take(rnnrt_weights_create(otherDevice, data.data(), 4, &bad)), "");
  EXPECT_EQ(take(rnnrt_call_use_weights(call, bad)), "expects `weights` to belong to the device of `call`");
  rnnrt_weights_release(bad);
  rnnrt_device_release(otherDevice);
}
