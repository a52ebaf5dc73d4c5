// TestSupport.cpp - test cases, tensors, and problems that run through the ABI entries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include "host/Convert.h"

#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>

using namespace rnntest;

static const double nan_ = std::numeric_limits<double>::quiet_NaN();

//===-- Tensor ---------------------------------------------------------------------------------------------------===//

static constexpr unsigned char mark = 0x5a;

Tensor::Tensor(int32_t dtype, int64_t count)
    : dtype(dtype), count(count), memory(size_t(count * rnnrt_dtype_size(dtype) + 2 * fence), mark) {
  poison();
}

void Tensor::poison() {
  std::fill(memory.begin() + fence, memory.end() - fence, 0xff);
}

void Tensor::set(int64_t index, double value) {
  char *at = static_cast<char *>(data()) + index * rnnrt_dtype_size(dtype);
  float single = float(value);
  uint16_t half = dtype == RNNRT_DTYPE_F16 ? rnnrt::floatToF16(single) : rnnrt::floatToBf16(single);
  switch (dtype) {
  case RNNRT_DTYPE_F64:
    std::memcpy(at, &value, 8);
    break;
  case RNNRT_DTYPE_F32:
    std::memcpy(at, &single, 4);
    break;
  default:
    std::memcpy(at, &half, 2);
  }
}

double Tensor::get(int64_t index) const {
  const char *at = static_cast<const char *>(data()) + index * rnnrt_dtype_size(dtype);
  double value;
  float single;
  uint16_t half;
  switch (dtype) {
  case RNNRT_DTYPE_F64:
    std::memcpy(&value, at, 8);
    return value;
  case RNNRT_DTYPE_F32:
    std::memcpy(&single, at, 4);
    return single;
  default:
    std::memcpy(&half, at, 2);
    return dtype == RNNRT_DTYPE_F16 ? rnnrt::f16ToFloat(half) : rnnrt::bf16ToFloat(half);
  }
}

void Tensor::set(const std::vector<double> &values) {
  ASSERT_EQ(int64_t(values.size()), count);
  for (int64_t k = 0; k < count; ++k)
    set(k, values[size_t(k)]);
}

std::vector<double> Tensor::values() const {
  std::vector<double> result;
  for (int64_t k = 0; k < count; ++k)
    result.push_back(get(k));
  return result;
}

bool Tensor::intact() const {
  for (int64_t k = 0; k < fence; ++k)
    if (memory[size_t(k)] != mark || memory[memory.size() - 1 - size_t(k)] != mark)
      return false;
  return true;
}

double rnntest::relativeError(const std::vector<double> &value, const std::vector<double> &reference) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (value.size() != reference.size())
    return infinity;
  double scale = 0, difference = 0;
  for (size_t k = 0; k < value.size(); ++k) {
    if (!std::isfinite(value[k]) || !std::isfinite(reference[k]))
      return infinity;
    scale = std::max(scale, std::fabs(reference[k]));
    difference = std::max(difference, std::fabs(value[k] - reference[k]));
  }
  return difference == 0 ? 0 : difference / scale; // infinite if the reference is zero
}

//===-- Case -----------------------------------------------------------------------------------------------------===//

Case::Case(const std::string &line) : line(line) {
  std::istringstream stream(line);
  std::string sizes, pair;
  stream >> op >> sizes;
  long long l, t, b, i, h, d;
  if (std::sscanf(sizes.c_str(), "l%lld_t%lld_b%lld_i%lld_h%lld_d%lld", &l, &t, &b, &i, &h, &d) != 6)
    throw std::runtime_error("not a case: " + line);
  L = l, T = t, B = b, I = i, H = h, D = d;
  while (stream >> pair) {
    size_t at = pair.find('=');
    if (at == std::string::npos)
      throw std::runtime_error("not a case: " + line);
    words[pair.substr(0, at)] = pair.substr(at + 1);
  }
}

std::string Case::word(const std::string &key, const std::string &otherwise) const {
  auto it = words.find(key);
  return it == words.end() ? otherwise : it->second;
}

double Case::number(const std::string &key, double otherwise) const {
  auto it = words.find(key);
  return it == words.end() ? otherwise : std::stod(it->second);
}

int32_t Case::dtype() const {
  for (int32_t dtype = RNNRT_DTYPE_F16; dtype <= RNNRT_DTYPE_F64; ++dtype)
    if (word("dtype", "f64") == rnnrt_dtype_name(dtype))
      return dtype;
  throw std::runtime_error("not a dtype: " + line);
}

int32_t Case::mode() const {
  const std::map<std::string, int32_t> modes = {{"rnn_relu", 0}, {"rnn_tanh", 1}, {"lstm", 2}, {"gru", 3}};
  return modes.at(op);
}

std::vector<int32_t> Case::lengths() const {
  std::vector<int32_t> result;
  std::istringstream stream(word("lengths", ""));
  for (std::string item; std::getline(stream, item, ',');)
    result.push_back(std::stoi(item));
  return result;
}

bool Case::padded(int64_t t, int64_t b) const {
  if (isBlock())
    return t >= steps();
  std::vector<int32_t> all = lengths();
  return !all.empty() && t >= all[size_t(b)];
}

std::vector<uint8_t> Case::resets() const {
  const std::string text = word("resets", "");
  if (text.empty())
    return {};
  std::vector<uint8_t> marks(size_t(T * B), text == "all");
  if (text == "random") {
    std::mt19937 engine(seed() + 1);
    for (int64_t k = 0; k < T * B; ++k)
      marks[size_t(row(k / B, k % B))] = engine() % 3 == 0;
  } else if (text != "all" && text != "none") {
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, ',');) {
      long long t, b;
      if (std::sscanf(item.c_str(), "%lld:%lld", &t, &b) != 2)
        throw std::runtime_error("not a case: " + line);
      marks.at(size_t(row(t, b))) = 1;
    }
  }
  return marks;
}

Case Case::with(const std::string &key, const std::string &value) const {
  std::istringstream stream(line);
  std::string text, item;
  while (stream >> item)
    if (item.rfind(key + "=", 0) != 0)
      text += (text.empty() ? "" : " ") + item;
  return Case(text + " " + key + "=" + value);
}

std::string rnntest::nameOf(const testing::TestParamInfo<std::string> &info) {
  std::string name;
  for (char ch : info.param)
    name += std::isalnum(static_cast<unsigned char>(ch)) ? ch : '_';
  return name;
}

std::string rnntest::repeat(const Case &c) {
  const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
  return "\n  case: " + c.line + "\n  repeat: rnn_runtime_tests --gtest_filter='" + info->test_suite_name() + "." +
         info->name() + "'";
}

//===-- Session --------------------------------------------------------------------------------------------------===//

const char *rnntest::deviceName() {
  const char *name = std::getenv("RNN_TEST_DEVICE");
  return name ? name : "host";
}

Session::Session(int64_t dropoutDraw) {
  EXPECT_EQ(rnnrt_device_create(deviceName(), nullptr, &device), nullptr);
  rnnrt_call_options_t options;
  rnnrt_call_options_init(&options);
  options.dropout_draw = dropoutDraw;
  EXPECT_EQ(rnnrt_call_create(device, nullptr, &options, &call), nullptr);
}

Session::~Session() {
  rnnrt_call_release(call);
  rnnrt_device_release(device);
}

//===-- Problem --------------------------------------------------------------------------------------------------===//

Problem::Problem(Session &session, const Case &c) : c(c), session(session), lengths(c.lengths()), resets(c.resets()) {
  std::mt19937 engine(c.seed());
  auto draw = [&](Tensors &tensors, const char *name, int64_t count, double scale) {
    Tensor &tensor = tensors[name] = Tensor(c.dtype(), count);
    for (int64_t k = 0; k < count; ++k)
      tensor.set(k, std::uniform_real_distribution<double>(-scale, scale)(engine));
  };
  // Padded rows of a sequence of T*B rows, which must not be read.
  auto blind = [&](Tensor &tensor, int64_t width) {
    for (int64_t t = 0; t < c.T; ++t)
      for (int64_t b = 0; b < c.B; ++b)
        for (int64_t j = 0; c.padded(t, b) && j < width; ++j)
          tensor.set(c.row(t, b) * width + j, nan_);
  };
  const double scale = c.number("weight_scale", 0.6);
  draw(operands, "x", c.T * c.B * c.I, 1);
  blind(operands["x"], c.I);
  if (c.isBlock()) {
    const bool peephole = c.number("peephole", 0);
    draw(operands, "cs_prev", c.B * c.H, 0.8);
    draw(operands, "h_prev", c.B * c.H, 0.8);
    draw(operands, "w", (c.I + c.H) * 4 * c.H, scale);
    for (const char *name : {"wci", "wcf", "wco"}) {
      draw(operands, name, c.H, scale);
      if (!peephole)
        operands[name].poison();
    }
    draw(operands, "b", 4 * c.H, scale);
    for (const char *name : {"cs_grad", "h_grad"}) {
      draw(seeds, name, c.T * c.B * c.H, 1);
      blind(seeds[name], c.H);
    }
    makePlan(true);
    return;
  }
  const int64_t states = c.L * c.D * c.B, P = c.P();
  draw(operands, "h0", states * P, 0.8);
  if (c.isLstm())
    draw(operands, "c0", states * c.H, 0.8);
  makePlan(true);
  draw(operands, "params", rnnrt_abi_rnn_params_size(session.call, plan), scale);
  draw(seeds, "dy", c.T * c.B * c.D * P, 1);
  blind(seeds["dy"], c.D * P);
  draw(seeds, "dhn", states * P, 1);
  if (c.isLstm())
    draw(seeds, "dcn", states * c.H, 1);
}

void Problem::makePlan(bool training) {
  if (c.isBlock())
    plan = rnnrt_abi_block_lstm_plan(session.call, c.dtype(), c.word("layout", "icfo") == "ifco",
                                     int32_t(c.number("peephole", 0)), c.batchMajor(), c.number("forget_bias", 0),
                                     c.number("cell_clip", 0), c.T, c.B, c.I, c.H);
  else
    plan = rnnrt_abi_rnn_plan(session.call, c.dtype(), c.mode(), c.skip(), int32_t(c.D - 1), training, c.batchMajor(),
                              c.number("dropout", 0), int64_t(c.number("seed", 0)), int64_t(c.number("seed2", 0)), c.T,
                              c.B, c.I, c.H, c.P(), c.L);
}

void *Problem::out(Tensors &tensors, const std::string &name, int64_t count, const std::string &only) {
  if (!only.empty() && only != name) {
    tensors.erase(name);
    return nullptr;
  }
  Tensor &tensor = tensors[name];
  tensor = Tensor(c.dtype(), count);
  return tensor.data();
}

const void *Problem::in(const Tensors &tensors, const std::string &name) const {
  auto it = tensors.find(name);
  return it == tensors.end() ? nullptr : it->second.data();
}

void Problem::checkFences(Tensors &tensors) const {
  for (auto &[name, tensor] : tensors)
    EXPECT_TRUE(tensor.intact()) << name << " was written outside its memory" << repeat(c);
}

void Problem::setResets() {
  if (!resets.empty())
    rnnrt_abi_set_resets(session.call, c.resetTo(), resets.data());
}

void Problem::forward(bool training) {
  c.isBlock() ? forwardBlock() : forwardNetwork(training);
  checkFences(outputs);
}

void Problem::backward(const std::string &only) {
  c.isBlock() ? backwardBlock(only) : backwardNetwork(only);
  checkFences(gradients);
}

void Problem::forwardNetwork(bool training) {
  makePlan(training);
  reserve.assign(size_t(rnnrt_abi_rnn_reserve_size(session.call, plan)), char(0xff));
  void *y = out(outputs, "y", c.T * c.B * c.D * c.P(), "");
  void *hn = out(outputs, "hn", c.L * c.D * c.B * c.P(), "");
  void *cn = c.isLstm() ? out(outputs, "cn", c.L * c.D * c.B * c.H, "") : nullptr;
  setResets();
  rnnrt_abi_rnn_forward(session.call, plan, lengths.empty() ? nullptr : lengths.data(), in(operands, "x"),
                        in(operands, "h0"), in(operands, "c0"), in(operands, "params"), operands["params"].size(), y,
                        hn, cn, reserve.empty() ? nullptr : reserve.data(), int64_t(reserve.size()));
}

void Problem::backwardNetwork(const std::string &only) {
  void *dx = out(gradients, "dx", operands["x"].size(), only);
  void *dh0 = out(gradients, "dh0", operands["h0"].size(), only);
  void *dc0 = c.isLstm() ? out(gradients, "dc0", operands["c0"].size(), only) : nullptr;
  void *dparams = out(gradients, "dparams", operands["params"].size(), only);
  const int32_t *len = lengths.empty() ? nullptr : lengths.data();
  const int64_t count = operands["params"].size();
  setResets();
  rnnrt_abi_rnn_backward_data(session.call, plan, len, in(operands, "x"), in(operands, "h0"), in(operands, "c0"),
                              in(operands, "params"), count, in(outputs, "y"), in(seeds, "dy"), in(seeds, "dhn"),
                              in(seeds, "dcn"), dx, dh0, dc0, reserve.data(), int64_t(reserve.size()));
  if (!dparams)
    return;
  setResets();
  rnnrt_abi_rnn_backward_weights(session.call, plan, len, in(operands, "x"), in(operands, "h0"), in(outputs, "y"),
                                 dparams, count, reserve.data(), int64_t(reserve.size()));
}

void Problem::forwardBlock() {
  std::map<std::string, void *> to;
  for (const char *name : {"i", "cs", "f", "o", "ci", "co", "h"})
    to[name] = out(outputs, name, c.T * c.B * c.H, "");
  setResets();
  rnnrt_abi_block_lstm_forward(session.call, plan, c.steps(), in(operands, "x"), in(operands, "cs_prev"),
                               in(operands, "h_prev"), in(operands, "w"), in(operands, "wci"), in(operands, "wcf"),
                               in(operands, "wco"), in(operands, "b"), to["i"], to["cs"], to["f"], to["o"], to["ci"],
                               to["co"], to["h"]);
}

void Problem::backwardBlock(const std::string &only) {
  std::map<std::string, void *> to;
  for (const char *name : {"x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"})
    to[name] = out(gradients, std::string("d") + name, operands[name].size(), only);
  // Values that the gradient must not read (docs/Semantics.md, "Block LSTM", "Gradient"): rows at t >= seq_len_max, h
  // of the last step, cs of the last step without peephole, and the values of b.
  Tensors saved = outputs;
  const int64_t n = c.steps();
  for (auto &[name, tensor] : saved) {
    bool dropLast = name == "h" || (name == "cs" && !c.number("peephole", 0));
    for (int64_t t = std::max<int64_t>(n - dropLast, 0); t < c.T; ++t)
      for (int64_t k = 0; k < c.B * c.H; ++k)
        tensor.set(c.row(t, k / c.H) * c.H + k % c.H, nan_);
  }
  Tensor bias(c.dtype(), 4 * c.H);
  setResets();
  rnnrt_abi_block_lstm_backward(
      session.call, plan, n, in(operands, "x"), in(operands, "cs_prev"), in(operands, "h_prev"), in(operands, "w"),
      in(operands, "wci"), in(operands, "wcf"), in(operands, "wco"), bias.data(), in(saved, "i"), in(saved, "cs"),
      in(saved, "f"), in(saved, "o"), in(saved, "ci"), in(saved, "co"), in(saved, "h"), in(seeds, "cs_grad"),
      in(seeds, "h_grad"), to["x"], to["cs_prev"], to["h_prev"], to["w"], to["wci"], to["wcf"], to["wco"], to["b"]);
}

double Problem::loss() const {
  const std::map<std::string, std::string> pairs =
      c.isBlock() ? std::map<std::string, std::string>{{"cs", "cs_grad"}, {"h", "h_grad"}}
                  : std::map<std::string, std::string>{{"y", "dy"}, {"hn", "dhn"}, {"cn", "dcn"}};
  double sum = 0;
  for (const auto &[output, seed] : pairs) {
    auto it = outputs.find(output);
    if (it == outputs.end())
      continue;
    const Tensor &gradient = seeds.at(seed);
    for (int64_t k = 0; k < it->second.size(); ++k)
      if (!std::isnan(gradient.get(k))) // padding: the output is zero
        sum += it->second.get(k) * gradient.get(k);
  }
  return sum;
}

std::vector<std::string> Problem::differentiable() const {
  std::vector<std::string> names;
  for (const auto &[name, tensor] : operands)
    names.push_back(name);
  return names;
}
