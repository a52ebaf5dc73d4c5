// module.h - GPU code at run time: modules of machine code or PTX, and launches of their kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_MODULE_H
#define RNN_RUNTIME_MODULE_H

#include "rnn_runtime/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Code on one device.
typedef struct rnnrt_module rnnrt_module_t;

/// A function of a module that can be launched.
typedef struct rnnrt_kernel rnnrt_kernel_t;

/// One form of a program.
typedef struct rnnrt_image {
  const void *data; ///< machine code of a GPU (cubin, fatbin) or PTX text; the runtime sees which
  int64_t bytes;    ///< its size; 0 for PTX that ends with a zero, and for machine code, which knows its size
  /// What it was compiled for: "sm_90", "sm_90a", "compute_80". NULL when that is not known: PTX says it itself, and
  /// machine code is then tried.
  const char *chip;
} rnnrt_image_t;

/// Loads the best of `count` images for `device`: machine code before PTX, code for exactly this chip ("sm_90a") before
/// code for its generation, and of those the newest; when the driver refuses one, the next. UNIMPLEMENTED when none
/// fits (the message names all of them, and the device), INVALID_ARGUMENT for what is no code. The images are not
/// needed afterwards. The module keeps `device` alive; the caller releases it.
RNNRT_API rnnrt_status_t rnnrt_module_load(rnnrt_device_t *device, const rnnrt_image_t *images, int64_t count,
                                           rnnrt_module_t **out_module);

/// Which of the images was loaded, by its number. -1 for NULL.
RNNRT_API int64_t rnnrt_module_image(const rnnrt_module_t *module);

/// The kernel `name`, lent as long as the module. INVALID_ARGUMENT when there is none.
RNNRT_API rnnrt_status_t rnnrt_module_kernel(rnnrt_module_t *module, const char *name, rnnrt_kernel_t **out_kernel);

/// Waits for the device and gives the module back, with its kernels. NULL is allowed.
RNNRT_API void rnnrt_module_release(rnnrt_module_t *module);

/// How a kernel is launched. Fill it with rnnrt_launch_init, then change what matters.
typedef struct rnnrt_launch {
  int64_t grid[3];        ///< blocks; with a 0 nothing is launched
  int64_t block[3];       ///< threads of a block
  int64_t cluster[3];     ///< blocks of a cluster, which divide the grid; all 0: as the kernel was compiled
  int64_t dynamic_shared; ///< bytes of shared memory of a block beside those that the kernel declares
  int32_t cooperative;    ///< 1: all blocks run at the same time (UNIMPLEMENTED when they do not fit)
  int32_t programmatic;   ///< 1: may begin before the work in front of it ends, until it waits (griddepcontrol)
} rnnrt_launch_t;

/// One block of one thread.
RNNRT_API void rnnrt_launch_init(rnnrt_launch_t *launch);

/// Launches in the order of `stream` (NULL: the device's own order). `arguments` holds a pointer to every argument.
/// Large shared memory and clusters of more than 8 blocks are enabled as needed. INVALID_ARGUMENT for numbers that make
/// no launch, UNIMPLEMENTED for more than the device has. What fails while the kernel runs is seen by a later function,
/// as rnnrt_stream_synchronize.
RNNRT_API rnnrt_status_t rnnrt_kernel_launch(rnnrt_kernel_t *kernel, rnnrt_stream_t *stream,
                                             const rnnrt_launch_t *launch, void *const *arguments);

/// How many clusters of this launch run at the same time on an idle device; 0: it cannot be launched.
RNNRT_API rnnrt_status_t rnnrt_kernel_max_clusters(rnnrt_kernel_t *kernel, const rnnrt_launch_t *launch,
                                                   int64_t *out_clusters);

/// What a kernel takes of a processor.
typedef struct rnnrt_kernel_properties {
  int32_t registers;     ///< of a thread
  int32_t max_threads;   ///< of a block
  int64_t static_shared; ///< bytes of shared memory of a block that the kernel declares
  int64_t local_bytes;   ///< of a thread, with what did not fit in registers
} rnnrt_kernel_properties_t;

RNNRT_API rnnrt_status_t rnnrt_kernel_properties(const rnnrt_kernel_t *kernel,
                                                 rnnrt_kernel_properties_t *out_properties);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_MODULE_H
