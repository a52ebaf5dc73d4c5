// module.h - GPU modules (machine code or PTX) and kernel launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_MODULE_H
#define RNN_RUNTIME_MODULE_H

#include "rnn_runtime/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A loaded module of GPU code on one device.
typedef struct rnnrt_module rnnrt_module_t;

/// A kernel of a module.
typedef struct rnnrt_kernel rnnrt_kernel_t;

/// One compiled form of a module.
typedef struct rnnrt_image {
  const void *data; ///< GPU machine code (cubin, fatbin) or PTX text; the format is detected
  int64_t bytes;    ///< size; 0 is allowed for zero-terminated PTX, and for machine code, which contains its size
  /// Target: "sm_90", "sm_90a", "compute_80". NULL: PTX contains its target, and machine code of unknown target is
  /// tried.
  const char *chip;
} rnnrt_image_t;

/// Loads the best of `count` images for `device`. Machine code is preferred to PTX, code for exactly this chip
/// ("sm_90a") to code for its generation, then the newest target. If the driver rejects an image, the next one is
/// tried. Returns UNIMPLEMENTED if no image fits (the message lists all images and the device) and INVALID_ARGUMENT for
/// an image that is not GPU code. The images may be freed afterwards. The caller owns the module; it keeps `device`
/// alive.
RNNRT_API rnnrt_status_t rnnrt_module_load(rnnrt_device_t *device, const rnnrt_image_t *images, int64_t count,
                                           rnnrt_module_t **out_module);

/// Returns the index of the loaded image; -1 for NULL.
RNNRT_API int64_t rnnrt_module_image(const rnnrt_module_t *module);

/// Returns the kernel `name`, borrowed: it lives as long as the module. Returns INVALID_ARGUMENT if it does not exist.
RNNRT_API rnnrt_status_t rnnrt_module_kernel(rnnrt_module_t *module, const char *name, rnnrt_kernel_t **out_kernel);

/// Waits for the device and unloads the module and its kernels. NULL is allowed.
RNNRT_API void rnnrt_module_release(rnnrt_module_t *module);

/// Configuration of a kernel launch. Initialize with rnnrt_launch_init, then set individual members.
typedef struct rnnrt_launch {
  int64_t grid[3];        ///< blocks per dimension; if one is 0, nothing is launched
  int64_t block[3];       ///< threads per block
  int64_t cluster[3];     ///< blocks per cluster, divisors of the grid; all 0: the kernel's compiled cluster size
  int64_t dynamic_shared; ///< bytes of dynamic shared memory per block
  int32_t cooperative;    ///< 1: cooperative launch, all blocks co-resident (UNIMPLEMENTED if they do not fit)
  int32_t programmatic;   ///< 1: programmatic dependent launch; the kernel synchronizes by griddepcontrol
} rnnrt_launch_t;

/// Sets the defaults: one block of one thread.
RNNRT_API void rnnrt_launch_init(rnnrt_launch_t *launch);

/// Launches a kernel on `stream` (NULL: the default stream). `arguments` holds a pointer to each kernel argument.
/// Enables large shared memory and clusters of more than 8 blocks as needed. Returns INVALID_ARGUMENT for an invalid
/// configuration and UNIMPLEMENTED for one that exceeds the limits of the device or the kernel. A failure during
/// execution is returned by a later function, e.g. rnnrt_stream_synchronize.
RNNRT_API rnnrt_status_t rnnrt_kernel_launch(rnnrt_kernel_t *kernel, rnnrt_stream_t *stream,
                                             const rnnrt_launch_t *launch, void *const *arguments);

/// Returns the maximum number of co-resident clusters of this launch on an idle device; 0 if it cannot be launched.
RNNRT_API rnnrt_status_t rnnrt_kernel_max_clusters(rnnrt_kernel_t *kernel, const rnnrt_launch_t *launch,
                                                   int64_t *out_clusters);

/// Resource usage of a kernel.
typedef struct rnnrt_kernel_properties {
  int32_t registers;     ///< registers per thread
  int32_t max_threads;   ///< maximum threads per block
  int64_t static_shared; ///< bytes of static shared memory per block
  int64_t local_bytes;   ///< bytes of local memory per thread, including register spills
} rnnrt_kernel_properties_t;

/// Returns the resource usage of `kernel`.
RNNRT_API rnnrt_status_t rnnrt_kernel_properties(const rnnrt_kernel_t *kernel,
                                                 rnnrt_kernel_properties_t *out_properties);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_MODULE_H
