// FaultInjection.h - makes the n-th allocation or thread creation of a program fail. FaultInjection.cpp replaces the
// functions of the C and C++ libraries in the program that links it, also for its shared libraries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_FAULTINJECTION_H
#define RNN_UNITTESTS_RUNTIME_FAULTINJECTION_H

#include <cstdint>

namespace rnntest {

/// Counts the allocations (operator new, aligned_alloc) and thread creations of all threads during its life, and makes
/// number `n` (from 0) fail; negative: none. The program itself must not allocate then, or handle std::bad_alloc.
class Fault {
public:
  enum Kind { Allocation, Thread };
  Fault(Kind kind, int64_t n);
  Fault(const Fault &) = delete;
  ~Fault();

  /// Whether number `n` was reached.
  bool hasHappened() const;
};

} // namespace rnntest

#endif // RNN_UNITTESTS_RUNTIME_FAULTINJECTION_H
