// Range.h - named ranges in NVIDIA's profilers: one for each step of a plan, with the plan's key.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_RANGE_H
#define RNNRT_CORE_RANGE_H

#include <string>

namespace rnnrt {

/// True when a profiler listens: NVTX was there when the library was built, and the process runs under a tool that injects
/// itself (Nsight Systems, Nsight Compute).
bool rangesAreSeen();

/// A range from here to the end of the scope. Costs a look at one pointer when nobody listens.
class Range {
public:
  Range(const std::string &key, const char *what);
  Range(const Range &) = delete;
  ~Range();

private:
  bool open = false;
};

} // namespace rnnrt

#endif // RNNRT_CORE_RANGE_H
