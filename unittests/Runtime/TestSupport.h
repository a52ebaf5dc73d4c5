// TestSupport.h - what the tests of the runtime share: cases as one line of text, tensors with fences and poison, and
// the two kinds of problem run through the entries of compiled code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_TESTSUPPORT_H
#define RNN_UNITTESTS_RUNTIME_TESTSUPPORT_H

#include "rnn_runtime/api.h"

#include "gtest/gtest.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rnntest {

/// A tensor of one element type in memory of its exact size between two fences.
class Tensor {
public:
  Tensor() = default;
  Tensor(int32_t dtype, int64_t count);

  /// Makes every element NaN and every padding bit set.
  void poison();
  /// Rounds to the element type.
  void set(int64_t index, double value);
  double get(int64_t index) const;
  void set(const std::vector<double> &values);
  std::vector<double> values() const;

  void *data() { return memory.data() + fence; }
  const void *data() const { return memory.data() + fence; }
  int64_t size() const { return count; }
  int64_t bytes() const { return int64_t(memory.size()) - 2 * fence; }
  /// Nothing was written outside.
  bool intact() const;

private:
  static constexpr int64_t fence = 64; // keeps the alignment of the vector
  int32_t dtype = RNNRT_DTYPE_F64;
  int64_t count = 0;
  std::vector<unsigned char> memory;
};

using Tensors = std::map<std::string, Tensor>;

/// "lstm l2_t5_b3_i2_h4_d2 dtype=f64 num_proj=3 lengths=5,2,0", the form of the runtime's traces.
struct Case {
  explicit Case(const std::string &line);
  std::string op, line;
  int64_t L, T, B, I, H, D;
  std::map<std::string, std::string> words;

  std::string word(const std::string &key, const std::string &otherwise) const;
  double number(const std::string &key, double otherwise) const;
  bool isBlock() const { return op == "block_lstm"; }
  bool isLstm() const { return op == "lstm"; }
  int32_t dtype() const;
  int32_t mode() const;
  bool skip() const { return word("input_mode", "linear_input") == "skip_input"; }
  int64_t P() const { return int64_t(number("num_proj", double(H))); }
  int64_t gates() const { return op == "lstm" ? 4 : op == "gru" ? 3 : 1; }
  int64_t steps() const { return int64_t(number("n", double(T))); } ///< seq_len_max
  uint32_t seed() const { return uint32_t(number("data_seed", 1)); }
  std::vector<int32_t> lengths() const; ///< empty: all T
  bool padded(int64_t t, int64_t b) const;
  /// The same case with one word changed.
  Case with(const std::string &key, const std::string &value) const;
};

/// Names for INSTANTIATE_TEST_SUITE_P, and what a failure prints.
std::string nameOf(const testing::TestParamInfo<std::string> &info);
std::string repeat(const Case &c);

/// The device of the tests of what every device promises: RNN_TEST_DEVICE, `host` without it.
const char *deviceName();

/// That device and a call.
class Session {
public:
  explicit Session(int64_t dropoutDraw = -1);
  ~Session();
  Session(const Session &) = delete;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;

  rnnrt_status_code_t code() const { return rnnrt_status_code(rnnrt_call_status(call)); }
  std::string message() const { return rnnrt_status_message(rnnrt_call_status(call)); }
};

/// Fails the test when the call holds an error.
#define EXPECT_CALL_OK(session) EXPECT_EQ((session).message(), "")

/// One case of either kind: operands drawn from the case's seed, the forward pass, the backward pass. What the ops must
/// not read is NaN, results are poisoned before every run, and fences are checked after it.
class Problem {
public:
  Problem(Session &session, const Case &c);

  /// By name as in semantics.md; `d` + name is a gradient. Networks: x h0 c0 params. Block: x cs_prev h_prev w wci wcf
  /// wco b.
  Tensors operands;
  /// Gradients of the results. Networks: dy dhn dcn. Block: cs_grad h_grad.
  Tensors seeds;
  /// What forward() and backward() wrote.
  Tensors outputs, gradients;

  void forward(bool training = true);
  /// Uses the reserve or the outputs of the last forward(). `only`: ask for this gradient alone.
  void backward(const std::string &only = "");
  /// Sum of outputs times their gradients' seeds, over what is defined.
  double loss() const;
  /// Names of the operands that have a gradient.
  std::vector<std::string> differentiable() const;

  rnnrt_plan_t *plan = nullptr;
  std::vector<char> reserve;
  const Case c;

private:
  void *out(Tensors &tensors, const std::string &name, int64_t count, const std::string &only);
  const void *in(const Tensors &tensors, const std::string &name) const;
  void makePlan(bool training);
  void checkFences(Tensors &tensors) const;
  void forwardNetwork(bool training);
  void backwardNetwork(const std::string &only);
  void forwardBlock();
  void backwardBlock(const std::string &only);

  Session &session;
  std::vector<int32_t> lengths;
};

/// max |a - b| / max |b|; infinite when either holds something that is not finite, 0 when both are zero.
double relativeError(const std::vector<double> &value, const std::vector<double> &reference);

} // namespace rnntest

#endif // RNN_UNITTESTS_RUNTIME_TESTSUPPORT_H
