//===- Random.h - the pseudorandom numbers of rnn-fuzz -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_RANDOM_H
#define RNN_TOOLS_RNN_FUZZ_RANDOM_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mlir::rnn::fuzz {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the same numbers on every platform.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t value = state += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
  }
  /// In [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  /// In [-1, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1.0; }
  bool oneIn(unsigned count) { return next() % count == 0; }
  bool percent(unsigned chance) { return next() % 100 < chance; }
  template <typename T> const T &pick(llvm::ArrayRef<T> values) { return values[next() % values.size()]; }

private:
  uint64_t state;
};

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_RANDOM_H
