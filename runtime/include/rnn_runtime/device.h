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
  /// Host memory for rnnrt_memory_alloc and for the scratch of plans. Copied; `user` must outlive the device. A device
  /// `cuda` has memory of its own and does not use it.
  rnnrt_allocator_t allocator;
} rnnrt_device_options_t;

/// Defaults: the C library's memory.
RNNRT_API void rnnrt_device_options_init(rnnrt_device_options_t *options);

/// Makes the device `name`; `options` may be NULL. The caller releases it. Names:
///   "host"           this processor
///   "cuda", "cuda:N" the GPU N (0) of the CUDA driver; its memory is the GPU's, and work is done when a stream gets to
///                    it. The driver is loaded here, cuDNN with the first plan.
///   "simt"           the host with emulated kernels, whose threads take turns by the schedule in "simt:SCHEDULE"
///   (fifo,
///                    reverse, random:SEED) or in the environment variable RNNRT_SIMT_SCHEDULE
/// UNAVAILABLE for a device that this machine lacks (the message says what is missing and where it was looked for; the
/// program can go on with "host"), INVALID_ARGUMENT for a name nobody knows.
/// A device may be used by several threads; threads that share none never wait for each other.
RNNRT_API rnnrt_status_t rnnrt_device_create(const char *name, const rnnrt_device_options_t *options,
                                             rnnrt_device_t **out_device);

/// What a device is. Numbers are 0 where they have no meaning.
typedef struct rnnrt_device_properties {
  char name[256];             ///< as the driver says, "NVIDIA H200"; of `host` the model of the processor where the system
                              ///< tells it; else the kind of the device
  int32_t ordinal;            ///< which of its kind
  int32_t compute_capability; ///< as 90 for 9.0
  int32_t multiprocessors;    ///< processors that run blocks of threads
  int32_t driver_version;     ///< as 13000 for CUDA 13.0
  int64_t memory_bytes;       ///< memory of the device
  int64_t shared_memory_per_block; ///< the most that a kernel may ask for
} rnnrt_device_properties_t;

/// Fills `out_properties`.
RNNRT_API rnnrt_status_t rnnrt_device_properties(const rnnrt_device_t *device,
                                                 rnnrt_device_properties_t *out_properties);

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
