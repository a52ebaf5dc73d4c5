// TestSupport.h - shared parts of the runtime tests: cases as one line of text, tensors with guard zones and poison,
// and both kinds of problems, run through the ABI entries.
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

/// A tensor in memory of its exact size, between two guard zones.
class Tensor {
public:
  Tensor() = default;
  Tensor(int32_t dtype, int64_t count);

  /// Sets every element to NaN and every padding bit to 1.
  void poison();
  /// Stores a value, rounded to the element type.
  void set(int64_t index, double value);
  double get(int64_t index) const;
  void set(const std::vector<double> &values);
  std::vector<double> values() const;

  void *data() { return memory.data() + fence; }
  const void *data() const { return memory.data() + fence; }
  int64_t size() const { return count; }
  int64_t bytes() const { return int64_t(memory.size()) - 2 * fence; }
  /// Returns true if the guard zones are intact.
  bool intact() const;

private:
  static constexpr int64_t fence = 64; // elements; preserves the alignment of the vector
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
  bool batchMajor() const { return number("batch_major", 0) != 0; }
  /// The row of step `t` of example `b` in a sequence.
  int64_t row(int64_t t, int64_t b) const { return batchMajor() ? b * T + t : t * B + b; }
  bool padded(int64_t t, int64_t b) const;
  /// The marks of `resets=`, [T,B], or [B,T] in batch-major data: `all`, `none`, `random`, or a list of the marked
  /// steps t:b such as `0:1,3:0`. Empty if the case has no `resets=`.
  std::vector<uint8_t> resets() const;
  int32_t resetTo() const { return word("reset_to", "zero") == "initial"; }
  /// The same case with one word changed.
  Case with(const std::string &key, const std::string &value) const;
};

/// Test names for INSTANTIATE_TEST_SUITE_P and for failure messages.
std::string nameOf(const testing::TestParamInfo<std::string> &info);
std::string repeat(const Case &c);

/// The device of the conformance tests: the environment variable RNN_TEST_DEVICE, default `host`.
const char *deviceName();

/// The device of the conformance tests and a call.
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

/// Fails the test if the call has failed.
#define EXPECT_CALL_OK(session) EXPECT_EQ((session).message(), "")

/// One case of either kind: random operands from the seed of the case, the forward pass and the backward pass. Elements
/// that the ops must not read are NaN. Results are poisoned before every run, and guard zones are checked after it.
class Problem {
public:
  Problem(Session &session, const Case &c);

  /// Operands by name, as in docs/Semantics.md; `d` + name is a gradient. Stacks: x h0 c0 params. Block: x cs_prev
  /// h_prev w wci wcf wco b.
  Tensors operands;
  /// Gradients of the results. Stacks: dy dhn dcn. Block: cs_grad h_grad.
  Tensors seeds;
  /// Results of forward() and backward().
  Tensors outputs, gradients;

  void forward(bool training = true);
  /// Uses the reserve space or the outputs of the last forward(). If `only` is set, requests only this gradient.
  void backward(const std::string &only = "");
  /// Returns the sum of outputs times their incoming gradients, over all defined elements.
  double loss() const;
  /// Returns the names of the operands that have a gradient.
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

  /// Passes the resets of the case to the next pass.
  void setResets();

  Session &session;
  std::vector<int32_t> lengths;
  std::vector<uint8_t> resets;
};

/// Returns max |a - b| / max |b|; infinity if either contains a non-finite value, 0 if both are zero.
double relativeError(const std::vector<double> &value, const std::vector<double> &reference);

} // namespace rnntest

#endif // RNN_UNITTESTS_RUNTIME_TESTSUPPORT_H
