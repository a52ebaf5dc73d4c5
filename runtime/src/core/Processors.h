// Processors.h - the number of CPUs that this process may use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_PROCESSORS_H
#define RNNRT_CORE_PROCESSORS_H

#include <string>

namespace rnnrt {

/// The CPUs of the affinity mask, and at most the CPU quota of the control groups (Linux, cgroup v1 and v2), which in a
/// container is often far below the CPUs of the machine. At least 1.
int countProcessors();

/// The CPU quota of the control groups in CPUs, rounded up; 0: no quota. `root` is prepended to all paths.
int readProcessorQuota(const std::string &root);

} // namespace rnnrt

#endif // RNNRT_CORE_PROCESSORS_H
