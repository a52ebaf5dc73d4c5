// CallsFuzzer.cpp - libFuzzer for sequences of calls of the runtime's C API: bytes select calls and arguments. Objects
// are used and released in any valid order, sizes and pointers are arbitrary within the host's buffers; every failure
// has a message, and nothing is left at the end. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Checks that a failure has a message, and releases it. Returns true for success.
bool check(rnnrt_status_t status) {
  if (!status)
    return true;
  if (rnnrt_status_code(status) == RNNRT_STATUS_OK || !*rnnrt_status_message(status))
    fail("a failure without code or message");
  rnnrt_status_release(status);
  return false;
}

class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : data(data), end(data + size) {}
  bool empty() const { return data == end; }
  uint8_t next() { return data == end ? 0 : *data++; }
  /// Mostly small sizes, and a few extreme ones.
  int64_t size() {
    static const int64_t extremes[] = {-1,    INT64_MIN, INT64_MAX, INT64_MAX / 2, int64_t(1) << 31, int64_t(1) << 40,
                                       65536, 0};
    const uint8_t byte = next();
    return byte < 200 ? byte % 7 : extremes[byte % 8];
  }
  int32_t choice(int32_t count) {
    const uint8_t byte = next();
    return byte < 240 ? byte % count : int32_t(byte) - 248;
  }

private:
  const uint8_t *data, *end;
};

/// Operands of plans: a plan that needs more than this is not run.
constexpr int64_t room = 1 << 14;

class Sequence {
public:
  explicit Sequence(Bytes bytes) : bytes(bytes), floats(room, 0.5f), reserve(room) {}
  ~Sequence() {
    for (rnnrt_weights_t *one : weights)
      rnnrt_weights_release(one);
    for (rnnrt_call_t *call : calls)
      rnnrt_call_release(call);
    for (rnnrt_event_t *event : events)
      rnnrt_event_release(event);
    for (void *block : blocks)
      check(rnnrt_memory_free(device, block));
    for (rnnrt_stream_t *stream : streams)
      rnnrt_stream_release(stream);
    rnnrt_device_release(device);
    if (rnnrt_memory_live_bytes() != 0)
      fail("memory of compiled code is left");
  }

  void run() {
    if (!check(rnnrt_device_create("host", nullptr, &device)))
      fail("no device");
    for (int step = 0; step < 64 && !bytes.empty(); ++step)
      call();
  }

private:
  template <typename T> T *pick(const std::vector<T *> &list) {
    const uint8_t byte = bytes.next();
    return list.empty() ? nullptr : list[byte % list.size()];
  }
  template <typename T> void release(std::vector<T *> &list, void (*function)(T *)) {
    if (list.empty())
      return;
    const size_t index = bytes.next() % list.size();
    function(list[index]);
    list.erase(list.begin() + int64_t(index));
  }

  void call() {
    rnnrt_stream_t *stream = nullptr;
    rnnrt_event_t *event = nullptr;
    rnnrt_call_t *one = nullptr;
    switch (bytes.next() % 18) {
    case 0:
      if (check(rnnrt_stream_create(device, &stream)))
        streams.push_back(stream);
      return;
    case 1:
      if (check(rnnrt_event_create(device, &event)))
        events.push_back(event);
      return;
    case 2:
    case 3:
      if (check(rnnrt_call_create(device, pick(streams), nullptr, &one)))
        calls.push_back(one);
      return;
    case 4: {
      void *block = nullptr;
      const int64_t size = bytes.size();
      if (size < (1 << 20) && check(rnnrt_memory_alloc(device, size, &block)))
        blocks.push_back(block);
      return;
    }
    case 5: {
      // A second free of a pointer is an error, not undefined.
      void *block = bytes.next() & 1 ? floats.data() : pick(blocks);
      if (check(rnnrt_memory_free(device, block)))
        for (size_t index = 0; index < blocks.size(); ++index)
          if (blocks[index] == block) {
            blocks.erase(blocks.begin() + int64_t(index));
            break;
          }
      return;
    }
    case 6:
      check(rnnrt_memory_copy(device, pick(streams), bytes.next() & 1 ? floats.data() + 64 : nullptr,
                              bytes.next() & 1 ? floats.data() : nullptr, int64_t(bytes.next()) - 8));
      return;
    case 7:
      check(rnnrt_event_record(pick(events), pick(streams)));
      return;
    case 8: {
      double milliseconds;
      check(rnnrt_event_elapsed(pick(events), pick(events), &milliseconds));
      return;
    }
    case 9:
      if (rnnrt_call_t *call = pick(calls)) {
        check(rnnrt_status_clone(rnnrt_call_status(call)));
        rnnrt_call_reset(call);
      }
      return;
    case 10:
    case 11:
      return runLayer(pick(calls));
    case 12:
      return runBlock(pick(calls));
    case 13: {
      rnnrt_weights_t *made = nullptr;
      if (check(rnnrt_weights_create(device, bytes.next() & 3 ? floats.data() : nullptr, int64_t(bytes.next()) - 4,
                                     &made)))
        weights.push_back(made);
      return;
    }
    case 14:
      check(rnnrt_call_use_weights(pick(calls), pick(weights)));
      return;
    case 15:
      release(calls, rnnrt_call_release);
      return;
    case 16:
      check(rnnrt_device_clear_plans(device));
      return;
    default: {
      rnnrt_call_t *call = pick(calls);
      void *block = rnnrt_abi_alloc(call, int64_t(bytes.next()) - 4);
      rnnrt_abi_free(call, block);
    }
    }
  }

  void runLayer(rnnrt_call_t *call) {
    if (!call)
      return;
    const int32_t dtype = bytes.choice(4), mode = bytes.choice(4), inputMode = bytes.choice(2),
                  direction = bytes.choice(2), training = bytes.choice(2), batchMajor = bytes.choice(2);
    const double dropout = bytes.next() / 200.0;
    const int64_t T = bytes.size(), B = bytes.size(), I = bytes.size(), H = bytes.size(),
                  P = bytes.next() & 3 ? H : bytes.size(), L = bytes.size();
    rnnrt_plan_t *plan = rnnrt_abi_rnn_plan(call, dtype, mode, inputMode, direction, training, batchMajor, dropout, 1,
                                            2, T, B, I, H, P, L);
    if (!plan)
      return;
    const int64_t params = rnnrt_abi_rnn_params_size(call, plan), size = rnnrt_abi_rnn_reserve_size(call, plan);
    // Sizes that the buffers hold. Lengths are arbitrary.
    const int64_t most = room / 4;
    if (params > most || size > room || T > 64 || B > 64 || I > 64 || L > 16 || H > 64 || T * B * I > most ||
        T * B * 2 * H > most || L * 2 * B * H > most)
      return;
    int32_t lengths[64];
    for (int64_t row = 0; row < B; ++row)
      lengths[row] = bytes.next() - 1;
    float *data = floats.data();
    auto pointer = [&](float *valid) { return bytes.next() == 255 ? nullptr : valid; };
    const int32_t *given = bytes.next() & 1 ? lengths : nullptr;
    rnnrt_abi_rnn_forward(call, plan, given, pointer(data), pointer(data), pointer(data), pointer(data),
                          bytes.next() == 255 ? bytes.size() : params, data, data, data, reserve.data(),
                          bytes.next() == 255 ? bytes.size() : size);
    if (bytes.next() & 1)
      reserve[bytes.next()] ^= 1;
    rnnrt_abi_rnn_backward_data(call, plan, given, data, data, data, data, params, data, data, data, data, data, data,
                                data, reserve.data(), size);
    rnnrt_abi_rnn_backward_weights(call, plan, given, data, data, data, data, params, reserve.data(), size);
  }

  void runBlock(rnnrt_call_t *call) {
    if (!call)
      return;
    const int32_t dtype = bytes.choice(4), layout = bytes.choice(2), peephole = bytes.choice(2),
                  batchMajor = bytes.choice(2);
    const int64_t T = bytes.size(), B = bytes.size(), I = bytes.size(), H = bytes.size(), n = bytes.size();
    rnnrt_plan_t *plan = rnnrt_abi_block_lstm_plan(call, dtype, layout, peephole, batchMajor, 0, 0, T, B, I, H);
    const int64_t most = room / 4;
    if (!plan || T > 64 || B > 64 || I > 64 || H > 32 || T * B * I > most || T * B * H > most || (I + H) * 4 * H > most)
      return;
    float *data = floats.data(), *out = bytes.next() == 255 ? nullptr : data;
    rnnrt_abi_block_lstm_forward(call, plan, n, data, data, data, data, data, data, data, data, out, out, out, out, out,
                                 out, out);
  }

  Bytes bytes;
  std::vector<float> floats;
  std::vector<char> reserve;
  rnnrt_device_t *device = nullptr;
  std::vector<rnnrt_stream_t *> streams;
  std::vector<rnnrt_event_t *> events;
  std::vector<rnnrt_call_t *> calls;
  std::vector<rnnrt_weights_t *> weights;
  std::vector<void *> blocks;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Sequence(Bytes(data, size)).run();
  return 0;
}
