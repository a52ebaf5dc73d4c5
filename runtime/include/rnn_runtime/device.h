// device.h - devices: created by name, thread-safe, reference-counted by the objects created on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_DEVICE_H
#define RNN_RUNTIME_DEVICE_H

#include "rnn_runtime/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Options of a device. Initialize with rnnrt_device_options_init, then set individual members.
typedef struct rnnrt_device_options {
  /// Allocator of host memory, for rnnrt_memory_alloc and scratch memory of plans. It is copied; `user` must outlive
  /// the device. Device `cuda` does not use it.
  rnnrt_allocator_t allocator;
} rnnrt_device_options_t;

/// Sets the defaults: the allocator of the C library.
RNNRT_API void rnnrt_device_options_init(rnnrt_device_options_t *options);

/// Creates the device `name`; `options` may be NULL. The caller owns it. Names:
///   "host"           the host processor
///   "cuda", "cuda:N" GPU N (default 0) of the CUDA driver, with device memory and asynchronous streams. Loads the
///                    driver; cuDNN is loaded with the first plan
///   "simt"           the host with an emulator of GPU kernels. "simt:SCHEDULE" or the environment variable
///                    RNNRT_SIMT_SCHEDULE sets the order of its threads: fifo (default), reverse, random:SEED or
///                    random, which is random:0
/// Returns UNAVAILABLE if the machine lacks the device; the message lists what is missing and the paths that were
/// searched. Returns INVALID_ARGUMENT for an unknown name. A device may be used from several threads. Threads that use
/// different devices do not block each other.
RNNRT_API rnnrt_status_t rnnrt_device_create(const char *name, const rnnrt_device_options_t *options,
                                             rnnrt_device_t **out_device);

/// Properties of a device. A value that does not apply is 0.
typedef struct rnnrt_device_properties {
  char name[256];             ///< `cuda`: the driver's name ("NVIDIA H200"); `host`: the processor model if available;
                              ///< else the kind of device
  int32_t ordinal;            ///< index among the devices of its kind
  int32_t compute_capability; ///< e.g. 90 for 9.0
  int32_t multiprocessors;    ///< number of streaming multiprocessors
  int32_t driver_version;     ///< e.g. 13000 for CUDA 13.0
  int64_t memory_bytes;       ///< size of the device memory
  int64_t shared_memory_per_block; ///< maximum bytes per block, static and dynamic
} rnnrt_device_properties_t;

/// Returns the properties of `device` in `out_properties`.
RNNRT_API rnnrt_status_t rnnrt_device_properties(const rnnrt_device_t *device,
                                                 rnnrt_device_properties_t *out_properties);

/// Returns the name that the device was created with; borrowed, "" for NULL.
RNNRT_API const char *rnnrt_device_name(const rnnrt_device_t *device);

/// Adds a reference. NULL is allowed.
RNNRT_API void rnnrt_device_retain(rnnrt_device_t *device);

/// Releases a reference. Streams, calls, events and modules hold references of their own. NULL is allowed.
RNNRT_API void rnnrt_device_release(rnnrt_device_t *device);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_DEVICE_H
