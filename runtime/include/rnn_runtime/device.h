// device.h - devices: made by name, shared by threads, counted by reference from everything made on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_DEVICE_H
#define RNN_RUNTIME_DEVICE_H

#include "rnn_runtime/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a device is made. Fill it with rnnrt_device_options_init, then change what matters.
typedef struct rnnrt_device_options {
  /// Host memory for rnnrt_memory_alloc and for the scratch of plans. Copied; `user` must outlive the device.
  rnnrt_allocator_t allocator;
} rnnrt_device_options_t;

/// Defaults: the C library's memory.
RNNRT_API void rnnrt_device_options_init(rnnrt_device_options_t *options);

/// Makes the device `name`: "host", or "simt", the host with emulated kernels, whose threads take turns by the schedule
/// in "simt:SCHEDULE" (fifo, reverse, random:SEED) or in the environment variable RNNRT_SIMT_SCHEDULE. `options` may be NULL. The caller releases it. UNAVAILABLE for a device that this
/// machine or this build lacks (the message says what is missing), INVALID_ARGUMENT for a name nobody knows.
/// A device may be used by several threads; threads that share none never wait for each other.
RNNRT_API rnnrt_status_t rnnrt_device_create(const char *name, const rnnrt_device_options_t *options,
                                             rnnrt_device_t **out_device);

/// The name it was made by, lent.
RNNRT_API const char *rnnrt_device_name(const rnnrt_device_t *device);

/// Adds an owner.
RNNRT_API void rnnrt_device_retain(rnnrt_device_t *device);

/// Gives one ownership back; streams and calls keep the device alive on their own. NULL is allowed.
RNNRT_API void rnnrt_device_release(rnnrt_device_t *device);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_DEVICE_H
