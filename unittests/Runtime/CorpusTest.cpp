// CorpusTest.cpp - wrong calls of the runtime's C API and of the entries for compiled code, from test/Corpus/api.txt:
// each returns its status and message, releases everything, and the same call with valid arguments succeeds afterwards.
// RNN_CORPUS_UPDATE=1 prints all cases with current messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// `name key=value ...` with a default for each key.
class Words {
public:
  explicit Words(const std::string &line) {
    std::istringstream stream(line);
    stream >> name;
    for (std::string word; stream >> word;) {
      const size_t at = word.find('=');
      values[word.substr(0, at)] = at == std::string::npos ? "1" : word.substr(at + 1);
    }
  }
  std::string text(const std::string &key, const std::string &otherwise) const {
    used.insert({key, true});
    auto found = values.find(key);
    return found == values.end() ? otherwise : found->second;
  }
  int64_t integer(const std::string &key, int64_t otherwise) const {
    const std::string value = text(key, "");
    return value.empty() ? otherwise : std::strtoll(value.c_str(), nullptr, 10);
  }
  double number(const std::string &key, double otherwise) const {
    const std::string value = text(key, "");
    return value.empty() ? otherwise : std::strtod(value.c_str(), nullptr);
  }
  std::vector<int64_t> list(const std::string &key, std::vector<int64_t> otherwise) const {
    const std::string value = text(key, "");
    if (value.empty())
      return otherwise;
    std::vector<int64_t> numbers;
    std::istringstream stream(value == "none" ? "" : value);
    for (std::string item; std::getline(stream, item, ',');)
      numbers.push_back(std::strtoll(item.c_str(), nullptr, 10));
    return numbers;
  }
  /// A key that no call has read, or an empty text.
  std::string unused() const {
    for (const auto &[key, value] : values)
      if (!used.count(key))
        return key;
    return "";
  }

  std::string name;

private:
  std::map<std::string, std::string> values;
  mutable std::map<std::string, bool> used;
};

std::string describe(rnnrt_status_t status) {
  return status ? std::string(rnnrt_status_code_name(rnnrt_status_code(status))) + " | " + rnnrt_status_message(status)
                : "";
}
std::string take(rnnrt_status_t status) {
  std::string text = describe(status);
  rnnrt_status_release(status);
  return text;
}

/// A device and a call.
struct Session {
  explicit Session(const std::string &name) {
    EXPECT_EQ(take(rnnrt_device_create(name.c_str(), nullptr, &device)), "");
    EXPECT_EQ(take(rnnrt_call_create(device, nullptr, nullptr, &call)), "");
  }
  ~Session() {
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }
  std::string status() const { return describe(rnnrt_call_status(call)); }

  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
};

/// Host memory for operands, large enough for every valid call.
struct Memory {
  std::vector<float> data = std::vector<float>(4096, 0.25f);
  std::vector<double> reserve = std::vector<double>(8192);
  void *get(const Words &words, const char *name) { return words.text("null", "") == name ? nullptr : data.data(); }
};

rnnrt_plan_t *makeRnnPlan(rnnrt_call_t *call, const Words &w) {
  return rnnrt_abi_rnn_plan(
      call, int32_t(w.integer("dtype", 2)), int32_t(w.integer("mode", 2)), int32_t(w.integer("input_mode", 0)),
      int32_t(w.integer("direction", 0)), int32_t(w.integer("training", 1)), int32_t(w.integer("batch_major", 0)),
      w.number("dropout", 0), w.integer("seed", 0), w.integer("seed2", 0), w.integer("T", 3), w.integer("B", 2),
      w.integer("I", 4), w.integer("H", 4), w.integer("P", 4), w.integer("L", 1));
}
rnnrt_plan_t *makeBlockPlan(rnnrt_call_t *call, const Words &w) {
  return rnnrt_abi_block_lstm_plan(call, int32_t(w.integer("dtype", 2)), int32_t(w.integer("layout", 0)),
                                   int32_t(w.integer("peephole", 0)), int32_t(w.integer("batch_major", 0)),
                                   w.number("forget_bias", 0), w.number("cell_clip", 0), w.integer("T", 3),
                                   w.integer("B", 2), w.integer("I", 4), w.integer("H", 4));
}

std::string runRnn(Session &session, const Words &w) {
  rnnrt_plan_t *plan = makeRnnPlan(session.call, w);
  if (!plan)
    return session.status();
  Memory m;
  const int64_t elements = w.integer("params", rnnrt_abi_rnn_params_size(session.call, plan));
  const int64_t bytes = w.integer("reserve", rnnrt_abi_rnn_reserve_size(session.call, plan));
  const std::vector<int64_t> given = w.list("lengths", {});
  std::vector<int32_t> lengths(given.begin(), given.end());
  const int32_t *pointer = lengths.empty() ? nullptr : lengths.data();
  auto *reserve = reinterpret_cast<char *>(m.reserve.data()) + w.integer("offset", 0);
  rnnrt_abi_rnn_forward(session.call, plan, pointer, m.get(w, "x"), m.get(w, "h"), m.get(w, "c"), m.get(w, "params"),
                        elements, m.data.data() + 1024, m.data.data() + 2048, m.data.data() + 2304, reserve, bytes);
  const std::string backward = w.text("backward", "");
  if (backward.empty() || !session.status().empty())
    return session.status();
  float *gradients = m.data.data() + 3000;
  if (backward == "corrupt")
    reserve[0] = char(reserve[0] + 1);
  if (backward != "weights")
    rnnrt_abi_rnn_backward_data(session.call, plan, pointer, m.data.data(), m.data.data(), m.data.data(), m.data.data(),
                                elements, m.data.data() + 1024, m.data.data(), m.data.data(), m.data.data(), gradients,
                                gradients + 256, gradients + 512, reserve, w.integer("reserve2", bytes));
  if (backward == "twice")
    rnnrt_abi_rnn_backward_data(session.call, plan, pointer, m.data.data(), m.data.data(), m.data.data(), m.data.data(),
                                elements, m.data.data() + 1024, m.data.data(), m.data.data(), m.data.data(), gradients,
                                gradients + 256, gradients + 512, reserve, bytes);
  rnnrt_abi_rnn_backward_weights(session.call, plan, pointer, m.data.data(), m.data.data(), m.data.data() + 1024,
                                 gradients, w.integer("dparams", elements), reserve, bytes);
  return session.status();
}

std::string runBlock(Session &session, const Words &w) {
  rnnrt_plan_t *plan = makeBlockPlan(session.call, w);
  if (!plan)
    return session.status();
  Memory m;
  void *out = m.data.data() + 2048;
  rnnrt_abi_block_lstm_forward(session.call, plan, w.integer("n", 3), m.get(w, "x"), m.get(w, "cs_prev"),
                               m.get(w, "h_prev"), m.get(w, "w"), m.get(w, "wci"), m.get(w, "wcf"), m.get(w, "wco"),
                               m.get(w, "b"), out, out, out, out, out, out, out);
  return session.status();
}

std::string runPack(Session &session, const Words &w) {
  rnnrt_plan_t *plan = makeRnnPlan(session.call, w);
  if (!plan)
    return session.status();
  Memory m;
  // lstm with I = H = 4: eight matrices and eight vectors.
  std::vector<int64_t> sizes = w.list("sizes", {16, 16, 16, 16, 16, 16, 16, 16, 4, 4, 4, 4, 4, 4, 4, 4});
  std::vector<void *> tensors(sizes.size(), m.data.data());
  if (const int64_t index = w.integer("null", -1); index >= 0)
    tensors[size_t(index)] = nullptr;
  const int64_t weights = w.integer("weights", 8), biases = w.integer("biases", 8), params = w.integer("params", 160);
  if (w.text("unpack", "").empty())
    rnnrt_abi_rnn_pack_params(session.call, plan, weights, biases, tensors.data(), sizes.data(), m.data.data() + 1024,
                              params);
  else
    rnnrt_abi_rnn_unpack_params(session.call, plan, weights, biases, tensors.data(), sizes.data(), m.data.data() + 1024,
                                params);
  return session.status();
}

std::string runMemory(Session &session, const Words &w) {
  void *pointer = nullptr;
  std::string failure = take(rnnrt_memory_alloc(session.device, w.integer("bytes", 64), &pointer));
  if (!failure.empty())
    return failure;
  float source[16] = {};
  if (w.text("copy", "") == "negative")
    failure = take(rnnrt_memory_copy(session.device, nullptr, pointer, source, -4));
  else if (!w.text("copy", "").empty())
    failure = take(rnnrt_memory_copy(session.device, nullptr, w.text("copy", "") == "target" ? nullptr : pointer,
                                     w.text("copy", "") == "source" ? nullptr : source, 64));
  const std::string free = w.text("free", "");
  if (free == "inside")
    failure = take(rnnrt_memory_free(session.device, static_cast<char *>(pointer) + 8));
  else if (free == "other")
    failure = take(rnnrt_memory_free(session.device, source));
  const std::string last = take(rnnrt_memory_free(session.device, pointer));
  if (free == "twice")
    return take(rnnrt_memory_free(session.device, pointer));
  return failure.empty() ? last : failure;
}

std::string runAbiMemory(Session &session, const Words &w) {
  void *pointer = rnnrt_abi_alloc(session.call, w.integer("bytes", 64));
  rnnrt_abi_free(session.call, pointer);
  return session.status();
}

std::string runWeights(Session &session, const Words &w) {
  float data[16] = {};
  rnnrt_weights_t *weights = nullptr;
  std::string failure = take(rnnrt_weights_create(session.device, w.text("null", "") == "data" ? nullptr : data,
                                                  w.integer("bytes", 64), &weights));
  rnnrt_weights_release(weights);
  return failure;
}

std::string runDevice(Session &, const Words &w) {
  rnnrt_device_t *device = nullptr;
  std::string name = w.text("name", "host");
  std::string failure = take(rnnrt_device_create(name == "empty" ? "" : name.c_str(), nullptr, &device));
  rnnrt_device_release(device);
  return failure;
}

/// f(x: tensor<2x?xf32>, k: i64) -> tensor<?xf32>
std::string runEnter(Session &session, const Words &w) {
  const int64_t matrix[] = {2, -1}, vector[] = {-1};
  const rnnrt_argument_t inputs[] = {{"x", matrix, RNNRT_DTYPE_F32, 2, RNNRT_ARGUMENT_TENSOR, 0, nullptr},
                                     {"k", nullptr, RNNRT_DTYPE_I64, 0, RNNRT_ARGUMENT_SCALAR, 0, nullptr}};
  const rnnrt_argument_t output = {"y", vector, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr};
  const rnnrt_function_t function = {
      int32_t(w.integer("version", RNNRT_ABI_VERSION)), 0, "f", inputs, &output, 2, 1, nullptr};
  Memory m;
  std::vector<int64_t> shape = w.list("shape", {2, 3}), scalarShape = w.list("scalar_shape", {});
  const auto rank = int32_t(w.integer("rank", int64_t(shape.size()))), scalarRank = int32_t(scalarShape.size());
  shape.resize(RNNRT_MAX_RANK + 1), scalarShape.resize(RNNRT_MAX_RANK + 1);
  int64_t k = 1;
  rnnrt_tensor_t x = rnnrt_tensor_make(m.get(w, "x"), int32_t(w.integer("dtype", RNNRT_DTYPE_F32)), rank, shape.data());
  rnnrt_tensor_t scalar =
      rnnrt_tensor_make(w.text("null", "") == "k" ? nullptr : &k, int32_t(w.integer("scalar_dtype", RNNRT_DTYPE_I64)),
                        scalarRank, scalarShape.data());
  rnnrt_tensor_t y, second;
  const rnnrt_tensor_t *arguments[] = {w.text("null", "") == "tensor" ? nullptr : &x, &scalar, &x};
  rnnrt_tensor_t *results[] = {w.text("null", "") == "out" ? nullptr : &y, &second};
  int64_t xSlot[7], kSlot[1];
  void *slots[] = {xSlot, kSlot};
  rnnrt_abi_enter(session.call, &function, w.text("null", "") == "inputs" ? nullptr : arguments, w.integer("inputs", 2),
                  w.text("null", "") == "outs" ? nullptr : results, w.integer("outs", 1), slots);
  return session.status();
}

using Entry = std::string (*)(Session &, const Words &);
const std::map<std::string, Entry> entries = {{"rnn", runRnn},       {"block", runBlock},      {"pack", runPack},
                                              {"memory", runMemory}, {"buffer", runAbiMemory}, {"weights", runWeights},
                                              {"device", runDevice}, {"enter", runEnter}};

class CorpusTest : public testing::TestWithParam<const char *> {};

TEST_P(CorpusTest, WrongCalls) {
  std::ifstream file(RNN_CORPUS);
  ASSERT_TRUE(file.is_open()) << RNN_CORPUS;
  const bool update = std::getenv("RNN_CORPUS_UPDATE") != nullptr;
  int count = 0, number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') {
      if (update)
        std::printf("%s\n", line.c_str());
      continue;
    }
    const size_t bar = line.find(" | ");
    const std::string call = line.substr(0, bar), expected = bar == std::string::npos ? "" : line.substr(bar + 3);
    const Words words(call);
    auto entry = entries.find(words.name);
    ASSERT_NE(entry, entries.end()) << RNN_CORPUS << ":" << number << ": no entry `" << words.name << "`";
    Session session(GetParam());
    const int64_t live = rnnrt_memory_live_bytes();
    std::string got = entry->second(session, words);
    if (update) {
      std::printf("%s | %s\n", call.c_str(), got.c_str());
      continue;
    }
    EXPECT_EQ(words.unused(), "") << RNN_CORPUS << ":" << number << ": the entry has no such argument";
    EXPECT_FALSE(got.empty()) << RNN_CORPUS << ":" << number << ": accepted: " << call;
    EXPECT_NE(expected, "") << RNN_CORPUS << ":" << number << ": expected `| CODE | message`";
    EXPECT_NE(got.find(expected), std::string::npos)
        << RNN_CORPUS << ":" << number << ": " << call << "\n got: " << got;
    EXPECT_EQ(rnnrt_memory_live_bytes(), live) << number;
    // The device remains usable. Only device host has packed weights.
    rnnrt_call_reset(session.call);
    if (words.name != "weights" || std::string(GetParam()) == "host")
      EXPECT_EQ(entry->second(session, Words(words.name)), "") << RNN_CORPUS << ":" << number;
    ++count;
  }
  if (!update)
    EXPECT_GE(count, 100);
}

// Target simt runs the plans of the host.
INSTANTIATE_TEST_SUITE_P(Devices, CorpusTest, testing::Values("host", "simt"));

} // namespace
