//===- Problem.h - one line that describes a measurement -*- C++ -*-===//
//
//   lstm l2_t8_b4_i32_h64_d2 dtype=f16 prop=backward lowering=runtime
//
// The cell, then the sizes (layers, steps, batch, input, hidden, directions), then options. `block_lstm` is the block
// op and has one layer and one direction. Traces of the runtime contain the same line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_BENCHMARKS_PROBLEM_H
#define RNN_BENCHMARKS_PROBLEM_H

#include <cstdint>
#include <string>
#include <vector>

struct Problem {
  std::string line;     ///< as written, for the report
  bool isBlock = false; ///< block_lstm
  int32_t mode = 2;     ///< as in abi.def
  int32_t dtype = 2;    ///< rnnrt_dtype_t
  bool isBackward = false;
  int64_t layers = 0, steps = 0, batch = 0, input = 0, hidden = 0, directions = 0;

  int64_t gates() const { return mode == 2 ? 4 : mode == 3 ? 3 : 1; }
  /// Multiplications and additions of the GEMMs, which every implementation executes. Backward: data and weights.
  double flops() const;
};

/// Parses one line. On failure `error` names the rule, the expected and the actual value.
bool parseProblem(const std::string &line, Problem &problem, std::string &error);

/// Reads a file, one problem a line; empty lines and those that begin with `#` are skipped.
bool readProblems(const std::string &path, std::vector<Problem> &problems, std::string &error);

#endif // RNN_BENCHMARKS_PROBLEM_H
