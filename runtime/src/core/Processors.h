// Processors.h - how many processors are ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_PROCESSORS_H
#define RNNRT_CORE_PROCESSORS_H

#include <string>

namespace rnnrt {

/// Processors that this process may use: those of its affinity, and no more than the time that its control groups give
/// it (Linux, both versions: in a container that is often far less than the machine has). At least 1.
int countProcessors();

/// The processors whose time the control groups allow, rounded up; 0: any number. `root` is in front of all paths.
int readProcessorQuota(const std::string &root);

} // namespace rnnrt

#endif // RNNRT_CORE_PROCESSORS_H
