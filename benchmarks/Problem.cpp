//===- Problem.cpp - one line that describes a measurement -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

double Problem::flops() const {
  double perRow = 0;
  for (int64_t layer = 0; layer < layers; ++layer) {
    double width = layer == 0 ? input : directions * hidden;
    perRow += 2.0 * gates() * hidden * (width + hidden) * directions;
  }
  return perRow * steps * batch * (isBackward ? 2 : 1);
}

/// Position of `word` in a list, or -1.
static int find(const std::string &word, std::initializer_list<const char *> words) {
  int index = 0;
  for (const char *candidate : words) {
    if (word == candidate)
      return index;
    ++index;
  }
  return -1;
}

/// Reads "l2_t8_b4_i32_h64_d2".
static bool parseSizes(const std::string &word, Problem &problem, std::string &error) {
  struct {
    char letter;
    int64_t *size;
  } const fields[] = {{'l', &problem.layers}, {'t', &problem.steps},  {'b', &problem.batch},
                      {'i', &problem.input},  {'h', &problem.hidden}, {'d', &problem.directions}};
  const char *place = word.c_str();
  for (const auto &field : fields) {
    char *end = nullptr;
    errno = 0;
    if (*place == field.letter && place[1] >= '0' && place[1] <= '9')
      *field.size = std::strtoll(place + 1, &end, 10);
    if (!end || errno || *field.size < 1 || *field.size > (int64_t(1) << 31)) {
      error = "expected sizes such as l2_t8_b4_i32_h64_d2, each at least 1, but got `" + word + "`";
      return false;
    }
    place = *end == '_' && field.letter != 'd' ? end + 1 : end;
  }
  if (*place || problem.directions > 2) {
    error = *place ? "expected sizes such as l2_t8_b4_i32_h64_d2, but got `" + word + "`"
                   : "expected d1 or d2, but got d" + std::to_string(problem.directions);
    return false;
  }
  return true;
}

bool parseProblem(const std::string &line, Problem &problem, std::string &error) {
  std::istringstream words(line);
  std::string cell, sizes, option;
  words >> cell >> sizes;
  problem = Problem();
  problem.line = line;
  problem.isBlock = cell == "block_lstm";
  problem.mode = problem.isBlock ? 2 : find(cell, {"rnn_relu", "rnn_tanh", "lstm", "gru"});
  if (problem.mode < 0) {
    error = "unknown cell `" + cell + "`; expected lstm, gru, rnn_relu, rnn_tanh or block_lstm";
    return false;
  }
  if (!parseSizes(sizes, problem, error))
    return false;
  if (problem.isBlock && (problem.layers != 1 || problem.directions != 1)) {
    error = "block_lstm has one layer and one direction, so it takes l1 and d1, but got `" + sizes + "`";
    return false;
  }
  bool hasProp = false;
  while (words >> option) {
    size_t equal = option.find('=');
    std::string name = option.substr(0, equal), value = equal == std::string::npos ? "" : option.substr(equal + 1);
    int index = -1;
    if (name == "dtype") {
      index = problem.dtype = find(value, {"f16", "bf16", "f32", "f64"});
    } else if (name == "prop") {
      index = find(value, {"forward", "backward"});
      problem.isBackward = index == 1;
      hasProp = true;
    } else if (name == "lowering") {
      index = find(value, {"runtime"});
    } else {
      error = "unknown option `" + option + "`; expected dtype=, prop= or lowering=";
      return false;
    }
    if (index < 0) {
      error = "unknown value in `" + option + "`; expected " +
              (name == "dtype"  ? "f16, bf16, f32 or f64"
               : name == "prop" ? "forward or backward"
                                : "runtime (there are no fused host kernels yet)");
      return false;
    }
  }
  if (!hasProp)
    error = "prop=forward or prop=backward is missing";
  return hasProp;
}

bool readProblems(const std::string &path, std::vector<Problem> &problems, std::string &error) {
  std::ifstream file(path);
  if (!file) {
    error = "cannot read `" + path + "`: " + std::strerror(errno);
    return false;
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#')
      continue;
    Problem problem;
    std::string what;
    if (!parseProblem(line, problem, what)) {
      error = path + ":" + std::to_string(number) + ": " + what;
      return false;
    }
    problems.push_back(problem);
  }
  if (problems.empty()) {
    error = "`" + path + "` has no problem; write lines such as `lstm l1_t64_b32_i256_h256_d1 dtype=f32 prop=backward`";
    return false;
  }
  return true;
}
