// GoldenTest.cpp - compares the host runtime with the results of TensorFlow and PyTorch stored in test/golden, through
// the entries that compiled code calls. Result buffers are NaN before each run and fenced on both sides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GoldenFiles.h"
#include "rnn_runtime/api.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>

using namespace golden;

namespace {

const char *const goldenFolder = RNN_GOLDEN_DIR;

/// Memory for one result. Every byte is 0xff, which is NaN in every element type; a fence of another value on either
/// side shows a write outside.
class Result {
public:
  explicit Result(size_t bytes) : memory(bytes + 2 * fence, char(0xff)), bytes(bytes) {
    std::memset(memory.data(), mark, fence);
    std::memset(memory.data() + fence + bytes, mark, fence);
  }
  void *data() { return memory.data() + fence; }
  size_t size() const { return bytes; }
  bool intact() const {
    for (size_t k = 0; k < fence; ++k)
      if (memory[k] != mark || memory[fence + bytes + k] != mark)
        return false;
    return true;
  }

private:
  static constexpr size_t fence = 64; // keeps the data as aligned as the vector
  static constexpr char mark = 0x5a;
  std::vector<char> memory;
  size_t bytes;
};

using Results = std::map<std::string, Result>;

/// A pointer for the entry, or null when the result is absent.
void *pointer(Results &results, const std::string &name) {
  auto it = results.find(name);
  return it == results.end() ? nullptr : it->second.data();
}

class GoldenTest : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    current = readCase(goldenFolder, GetParam());
    ASSERT_EQ(rnnrt_device_create("host", /*options=*/nullptr, &device), nullptr);
    ASSERT_EQ(rnnrt_call_create(device, /*stream=*/nullptr, /*options=*/nullptr, &call), nullptr);
  }
  void TearDown() override {
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  /// The operand's bytes; null when the case has no such tensor, as `c0` outside lstm.
  const void *in(const std::string &name) const {
    return current.has(name) ? current.tensor(name).bytes.data() : nullptr;
  }
  int64_t elements(const std::string &name) const { return current.tensor(name).elements(); }

  int32_t dtype() const {
    const std::string &name = current.words.at("dtype");
    if (name == "f16")
      return RNNRT_DTYPE_F16;
    return name == "f32" ? RNNRT_DTYPE_F32 : RNNRT_DTYPE_F64;
  }

  Results poisoned(const std::vector<std::string> &names) const {
    Results results;
    for (const std::string &name : names)
      if (current.has(name))
        results.emplace(name, Result(current.tensor(name).bytes.size()));
    return results;
  }

  /// No entry failed so far.
  void expectOk(const char *after) {
    rnnrt_status_t status = rnnrt_call_status(call);
    ASSERT_EQ(status, nullptr) << after << ": " << rnnrt_status_message(status) << "\n" << repeat();
  }

  void expectGolden(Results &results) {
    double tolerance = current.number("tolerance");
    for (auto &[name, result] : results) {
      EXPECT_LE(relativeError(current.tensor(name), result.data()), tolerance) << "result " << name << repeat();
      EXPECT_TRUE(result.intact()) << "result " << name << " was written outside its memory" << repeat();
    }
  }

  /// Runs `entry` again for each result alone: the values must equal those of a run with all results.
  void expectEachAlone(Results &all, const std::function<void(Results &)> &entry) {
    for (auto &[name, result] : all) {
      Results one = poisoned({name});
      entry(one);
      expectOk("one result alone");
      EXPECT_EQ(std::memcmp(one.at(name).data(), result.data(), result.size()), 0)
          << "result " << name << " differs when it is the only one requested" << repeat();
      EXPECT_TRUE(one.at(name).intact()) << "result " << name << " alone was written outside its memory" << repeat();
    }
  }

  std::string repeat() const {
    return "\n  case: " + current.line + "\n  repeat: rnn_golden_tests --gtest_filter='*/" + current.name() + "'";
  }

  /// Passes the resets of a case, if any, to the next pass.
  void setResets() {
    if (current.has("resets"))
      rnnrt_abi_set_resets(call, current.words.at("reset_to") == "initial", in("resets"));
  }

  rnnrt_plan_t *networkPlan(bool training);
  void runBlock();
  void runNetwork();
  void packParameters();

  Case current;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
};

void GoldenTest::runBlock() {
  auto makePlan = [&](double forgetBias, double cellClip) {
    return rnnrt_abi_block_lstm_plan(call, dtype(), current.words.at("layout") == "ifco",
                                     current.words.at("peephole") == "1", 0, forgetBias, cellClip, current.size("t"),
                                     current.size("b"), current.size("i"), current.size("h"));
  };
  const int64_t n = std::stoll(current.words.at("n"));

  rnnrt_plan_t *plan = makePlan(current.number("forget_bias"), current.number("cell_clip"));
  expectOk("rnnrt_abi_block_lstm_plan");
  auto forward = [&](Results &r) {
    rnnrt_abi_block_lstm_forward(call, plan, n, in("x"), in("cs_prev"), in("h_prev"), in("w"), in("wci"), in("wcf"),
                                 in("wco"), in("b"), pointer(r, "i"), pointer(r, "cs"), pointer(r, "f"),
                                 pointer(r, "o"), pointer(r, "ci"), pointer(r, "co"), pointer(r, "h"));
  };
  Results saved = poisoned({"i", "cs", "f", "o", "ci", "co", "h"});
  forward(saved);
  expectOk("rnnrt_abi_block_lstm_forward");
  expectGolden(saved);
  expectEachAlone(saved, forward);

  // The gradient has neither attribute; it reads TensorFlow's saved results, and no value of the bias.
  plan = makePlan(0, 0);
  expectOk("rnnrt_abi_block_lstm_plan");
  std::vector<char> bias(current.tensor("b").bytes.size(), char(0xff));
  auto backward = [&](Results &r) {
    rnnrt_abi_block_lstm_backward(call, plan, n, in("x"), in("cs_prev"), in("h_prev"), in("w"), in("wci"), in("wcf"),
                                  in("wco"), bias.data(), in("saved_i"), in("saved_cs"), in("saved_f"), in("saved_o"),
                                  in("saved_ci"), in("saved_co"), in("saved_h"), in("cs_grad"), in("h_grad"),
                                  pointer(r, "dx"), pointer(r, "dcs_prev"), pointer(r, "dh_prev"), pointer(r, "dw"),
                                  pointer(r, "dwci"), pointer(r, "dwcf"), pointer(r, "dwco"), pointer(r, "db"));
  };
  Results gradients = poisoned({"dx", "dcs_prev", "dh_prev", "dw", "dwci", "dwcf", "dwco", "db"});
  backward(gradients);
  expectOk("rnnrt_abi_block_lstm_backward");
  expectGolden(gradients);
  expectEachAlone(gradients, backward);
}

rnnrt_plan_t *GoldenTest::networkPlan(bool training) {
  const std::map<std::string, int32_t> modes = {{"rnn_relu", 0}, {"rnn_tanh", 1}, {"lstm", 2}, {"gru", 3}};
  int64_t projection = std::stoll(current.words.at("num_proj"));
  return rnnrt_abi_rnn_plan(call, dtype(), modes.at(current.op), current.words.at("input_mode") == "skip_input",
                            current.size("d") - 1, training, 0, current.number("dropout"), /*seed=*/0, /*seed2=*/0,
                            current.size("t"), current.size("b"), current.size("i"), current.size("h"),
                            projection ? projection : current.size("h"), current.size("l"));
}

void GoldenTest::runNetwork() {
  const auto *lengths = static_cast<const int32_t *>(in("lengths"));
  const int64_t count = elements("params");
  rnnrt_plan_t *plan = networkPlan(/*training=*/true);
  expectOk("rnnrt_abi_rnn_plan");
  ASSERT_EQ(rnnrt_abi_rnn_params_size(call, plan), count) << repeat();

  Result reserve(rnnrt_abi_rnn_reserve_size(call, plan));
  Results outputs = poisoned({"y", "hn", "cn"});
  setResets();
  rnnrt_abi_rnn_forward(call, plan, lengths, in("x"), in("h0"), in("c0"), in("params"), count, pointer(outputs, "y"),
                        pointer(outputs, "hn"), pointer(outputs, "cn"), reserve.data(), reserve.size());
  expectOk("rnnrt_abi_rnn_forward");
  expectGolden(outputs);
  EXPECT_TRUE(reserve.intact()) << repeat();

  // A reserve serves one backward, which may write it.
  auto backward = [&](Results &r) {
    Result copy(reserve.size());
    std::memcpy(copy.data(), reserve.data(), reserve.size());
    setResets();
    rnnrt_abi_rnn_backward_data(call, plan, lengths, in("x"), in("h0"), in("c0"), in("params"), count, in("y"),
                                in("dy"), in("dhn"), in("dcn"), pointer(r, "dx"), pointer(r, "dh0"), pointer(r, "dc0"),
                                copy.data(), copy.size());
    expectOk("rnnrt_abi_rnn_backward_data");
    if (r.count("dparams")) {
      setResets();
      rnnrt_abi_rnn_backward_weights(call, plan, lengths, in("x"), in("h0"), in("y"), pointer(r, "dparams"), count,
                                     copy.data(), copy.size());
    }
    EXPECT_TRUE(copy.intact()) << repeat();
  };
  Results gradients = poisoned({"dx", "dh0", "dc0", "dparams"});
  backward(gradients);
  expectOk("rnnrt_abi_rnn_backward_weights");
  expectGolden(gradients);
  expectEachAlone(gradients, backward);

  if (current.number("dropout") != 0)
    return; // inference applies no dropout, so its results differ
  plan = networkPlan(/*training=*/false);
  EXPECT_EQ(rnnrt_abi_rnn_reserve_size(call, plan), 0) << repeat();
  auto infer = [&](Results &r) {
    setResets();
    rnnrt_abi_rnn_forward(call, plan, lengths, in("x"), in("h0"), in("c0"), in("params"), count, pointer(r, "y"),
                          pointer(r, "hn"), pointer(r, "cn"), nullptr, 0);
  };
  outputs = poisoned({"y", "hn", "cn"});
  infer(outputs);
  expectOk("rnnrt_abi_rnn_forward in inference");
  expectGolden(outputs);
  expectEachAlone(outputs, infer);
}

/// Unpacks the parameters to canonical tensors and packs them again. The buffer is dense, so that the
/// tensors one after the other are the buffer itself.
void GoldenTest::packParameters() {
  const std::map<std::string, int64_t> gates = {{"rnn_relu", 1}, {"rnn_tanh", 1}, {"lstm", 4}, {"gru", 3}};
  const int64_t g = gates.at(current.op), hidden = current.size("h"), dirs = current.size("d");
  const int64_t projection = std::stoll(current.words.at("num_proj")), width = projection ? projection : hidden;
  std::vector<int64_t> sizes;
  for (int64_t pseudo = 0; pseudo < current.size("l") * dirs; ++pseudo) {
    int64_t columns = pseudo < dirs ? current.size("i") : dirs * width;
    if (pseudo < dirs && current.words.at("input_mode") == "skip_input")
      columns = 0;
    sizes.insert(sizes.end(), g, hidden * columns);
    sizes.insert(sizes.end(), g, hidden * width);
    if (projection)
      sizes.push_back(projection * hidden);
  }
  const int64_t numWeights = sizes.size(), numBiases = 2 * g * current.size("l") * dirs;
  sizes.insert(sizes.end(), numBiases, hidden);

  const Tensor &params = current.tensor("params");
  const int64_t width1 = params.elementBytes();
  std::vector<Result> pieces;
  std::vector<void *> pointers;
  std::vector<const void *> constants;
  pieces.reserve(sizes.size());
  for (int64_t size : sizes) {
    pieces.emplace_back(size * width1);
    pointers.push_back(pieces.back().data());
    constants.push_back(pieces.back().data());
  }
  rnnrt_plan_t *plan = networkPlan(/*training=*/true);
  rnnrt_abi_rnn_unpack_params(call, plan, numWeights, numBiases, pointers.data(), sizes.data(), in("params"),
                              params.elements());
  expectOk("rnnrt_abi_rnn_unpack_params");
  int64_t offset = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    EXPECT_EQ(std::memcmp(pieces[k].data(), params.bytes.data() + offset, pieces[k].size()), 0)
        << "canonical tensor " << k << repeat();
    EXPECT_TRUE(pieces[k].intact()) << "canonical tensor " << k << repeat();
    offset += pieces[k].size();
  }
  ASSERT_EQ(offset, static_cast<int64_t>(params.bytes.size())) << repeat();
  Result packed(params.bytes.size());
  rnnrt_abi_rnn_pack_params(call, plan, numWeights, numBiases, constants.data(), sizes.data(), packed.data(),
                            params.elements());
  expectOk("rnnrt_abi_rnn_pack_params");
  EXPECT_EQ(std::memcmp(packed.data(), params.bytes.data(), packed.size()), 0) << repeat();
  EXPECT_TRUE(packed.intact()) << repeat();
}

TEST_P(GoldenTest, HostRuntime) {
  if (current.op == "block_lstm") {
    runBlock();
    return;
  }
  runNetwork();
  packParameters();
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTest, testing::ValuesIn(readLines(goldenFolder)),
                         [](const testing::TestParamInfo<std::string> &info) { return parseLine(info.param).name(); });

// --- The reader and the comparer -----------------------------------------------------------------------------------

/// Checks that there are cases: an empty or missing list would pass without any test.
TEST(GoldenFilesTest, EveryOpHasCases) {
  std::map<std::string, int> counts;
  for (const std::string &line : readLines(goldenFolder))
    ++counts[parseLine(line).op];
  for (const char *op : {"block_lstm", "lstm", "gru", "rnn_tanh", "rnn_relu"})
    EXPECT_GE(counts[op], 10) << op;
}

Tensor numbers(std::vector<float> values) {
  Tensor tensor{"<f4", {static_cast<int64_t>(values.size())}, {}};
  tensor.bytes.resize(values.size() * sizeof(float));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

double errorOf(std::vector<float> reference, std::vector<float> data) {
  return relativeError(numbers(std::move(reference)), data.data());
}

TEST(GoldenFilesTest, ComparerFindsDifferences) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(errorOf({1, 2, 4}, {1, 2, 4}), 0);
  EXPECT_EQ(errorOf({1, 2, -4}, {1, 3, -4}), 0.25);
  EXPECT_EQ(errorOf({1, 2, 4}, {1, 2, 6}), 0.5); // the last element counts
  EXPECT_EQ(errorOf({0, 0}, {0, 0}), 0);
  EXPECT_EQ(errorOf({0, 0}, {0, 1e-30f}), std::numeric_limits<double>::infinity());
  for (float bad : {nan, infinity}) {
    EXPECT_EQ(errorOf({1, 2}, {bad, 2}), std::numeric_limits<double>::infinity());
    EXPECT_EQ(errorOf({1, bad}, {1, 2}), std::numeric_limits<double>::infinity());
    EXPECT_EQ(errorOf({1, bad}, {1, bad}), std::numeric_limits<double>::infinity());
  }
}

TEST(GoldenFilesTest, Halves) {
  Tensor tensor{"<f2", {1}, {}};
  for (auto [bits, value] : std::map<uint16_t, double>{
           {0x3c00, 1}, {0xc000, -2}, {0x3555, 0.333251953125}, {0x7bff, 65504}, {0x0001, std::ldexp(1, -24)}, {0, 0}})
    EXPECT_EQ(tensor.at(&bits, 0), value);
  uint16_t poison = 0xffff, infinity = 0x7c00;
  EXPECT_TRUE(std::isnan(tensor.at(&poison, 0)));
  EXPECT_TRUE(std::isinf(tensor.at(&infinity, 0)));
}

TEST(GoldenFilesTest, FencesShowWritesOutside) {
  Result result(8);
  EXPECT_TRUE(result.intact());
  static_cast<char *>(result.data())[8] = 0;
  EXPECT_FALSE(result.intact());
  Result other(8);
  static_cast<char *>(other.data())[-1] = 0;
  EXPECT_FALSE(other.intact());
}

TEST(GoldenFilesTest, MalformedFilesAreErrors) {
  EXPECT_THROW(parseLine("lstm"), std::runtime_error);
  EXPECT_THROW(parseLine("lstm l1_t1 dtype"), std::runtime_error);
  EXPECT_THROW(parseLine("lstm l1_t1 dtype=f32 name=a tensors=x"), std::runtime_error); // no tolerance
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
  std::string record = std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + char(0) + header + "abcd";
  EXPECT_EQ(parseRecords(record + record, 2).size(), 2u);
  EXPECT_THROW(parseRecords(record, 2), std::runtime_error);
  EXPECT_THROW(parseRecords(record + "x", 1), std::runtime_error);
  EXPECT_THROW(parseRecords(record.substr(0, record.size() - 1), 1), std::runtime_error);
  EXPECT_THROW(parseRecords("\x93NUMPY\x02", 1), std::runtime_error);
}

} // namespace
