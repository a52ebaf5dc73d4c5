// Range.h - named ranges for profilers (NVTX): one per run of a plan, with the key of the plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_RANGE_H
#define RNNRT_CORE_RANGE_H

#include <string>

namespace rnnrt {

/// True if a profiler records ranges: the library was built with NVTX, and the process runs under a tool that injects
/// itself (Nsight Systems, Nsight Compute).
bool rangesAreSeen();

/// A range to the end of the scope. Without a profiler it costs one test.
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
