// HostBackend.h - the host device: its memory is the process's, its streams run at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_HOSTBACKEND_H
#define RNNRT_HOST_HOSTBACKEND_H

#include "core/Backend.h"

namespace rnnrt {

/// `detail` must be null: there is one host.
Status createHostBackend(const char *detail, const rnnrt_device_options_t &options, std::unique_ptr<Backend> &backend);

/// Target simt: the host device, on which kernels can be launched too. `schedule` null: RNNRT_SIMT_SCHEDULE, else fifo.
Status createSimtBackend(const char *schedule, const rnnrt_device_options_t &options,
                         std::unique_ptr<Backend> &backend);

} // namespace rnnrt

#endif // RNNRT_HOST_HOSTBACKEND_H
