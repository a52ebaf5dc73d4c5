// GoldenFiles.h - reads the cases of test/golden and compares tensors with them. Depends on no other library, like the
// test of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_GOLDEN_GOLDENFILES_H
#define RNN_UNITTESTS_GOLDEN_GOLDENFILES_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace golden {

/// A dense array: `type` is numpy's, `<f2`, `<f4`, `<f8` or `<i4`.
struct Tensor {
  std::string type;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  int64_t elements() const;
  int64_t elementBytes() const { return type.back() - '0'; }
  /// Element `index` as a double; `bytes` may be that of another array of the same type.
  double at(const void *data, int64_t index) const;
};

/// One line of cases.txt and the tensors of its file.
struct Case {
  std::string line;                         ///< for messages
  std::string op;                           ///< `block_lstm`, or the mode of a network
  std::map<std::string, std::string> words; ///< the `key=value` pairs
  std::map<std::string, int64_t> sizes;     ///< `l t b i h d`
  std::map<std::string, Tensor> tensors;

  std::string name() const { return words.at("name"); }
  double number(const std::string &key) const { return std::stod(words.at(key)); }
  int64_t size(const char *letter) const { return sizes.at(letter); }
  bool has(const std::string &tensor) const { return tensors.count(tensor) != 0; }
  const Tensor &tensor(const std::string &name) const;
};

/// Parses a line; throws std::runtime_error with the reason.
Case parseLine(const std::string &line);

/// Reads `count` npy records (format 1.0, C order) from the bytes of a file; throws unless they fill it exactly.
std::vector<Tensor> parseRecords(const std::string &file, size_t count);

/// The lines of `folder`/cases.txt.
std::vector<std::string> readLines(const std::string &folder);

/// The case of `line` with its tensors.
Case readCase(const std::string &folder, const std::string &line);

/// Largest difference between `data` and `reference` over the largest absolute value of `reference`; infinity when one
/// of them is not finite, or when the reference is all zero and `data` is not.
double relativeError(const Tensor &reference, const void *data);

} // namespace golden

#endif // RNN_UNITTESTS_GOLDEN_GOLDENFILES_H
