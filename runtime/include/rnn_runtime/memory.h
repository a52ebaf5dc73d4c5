// memory.h - memory of a device, the allocator that an embedder may supply, and the memory of compiled code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_MEMORY_H
#define RNN_RUNTIME_MEMORY_H

#include "rnn_runtime/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Every pointer that the runtime gives out is aligned to this many bytes.
#define RNNRT_MEMORY_ALIGNMENT 64

/// Where host memory comes from. All zero means the C library. Both functions may be called from several threads.
typedef struct rnnrt_allocator {
  /// Returns `bytes` bytes aligned to `alignment` (a power of two, at least 64; `bytes` is a multiple of it), or NULL.
  void *(*allocate)(void *user, size_t alignment, size_t bytes);
  /// Takes back what `allocate` returned, with the same numbers. Never called with NULL.
  void (*release)(void *user, void *pointer, size_t alignment, size_t bytes);
  /// Handed to both.
  void *user;
} rnnrt_allocator_t;

/// Counters of one device, scratch of running plans included.
typedef struct rnnrt_memory_stats {
  int64_t live_bytes;  ///< allocated and not yet freed, as requested (without headers)
  int64_t peak_bytes;  ///< the most that was ever live
  int64_t live_blocks; ///< allocations not yet freed
} rnnrt_memory_stats_t;

/// Allocates memory of `device`; the caller frees it with rnnrt_memory_free. Zero bytes give a pointer too.
/// INVALID_ARGUMENT for a negative size, RESOURCE_EXHAUSTED when there is not enough; `*out_pointer` is then NULL.
RNNRT_API rnnrt_status_t rnnrt_memory_alloc(rnnrt_device_t *device, int64_t bytes, void **out_pointer);

/// Frees what rnnrt_memory_alloc gave for the same device. NULL is allowed. A pointer that is recognized as freed or as
/// another device's gives INVALID_ARGUMENT and is left alone.
RNNRT_API rnnrt_status_t rnnrt_memory_free(rnnrt_device_t *device, void *pointer);

/// Copies in the order of `stream` (NULL: the device's own order). The ranges must not overlap.
RNNRT_API rnnrt_status_t rnnrt_memory_copy(rnnrt_device_t *device, rnnrt_stream_t *stream, void *target,
                                           const void *source, int64_t bytes);

/// The counters of `device` now.
RNNRT_API rnnrt_status_t rnnrt_memory_stats(const rnnrt_device_t *device, rnnrt_memory_stats_t *out_stats);

/// Bytes that compiled code holds through _mlir_memref_to_llvm_alloc in the whole process, and the most that it ever
/// held. Those entries know no device, so they are counted here and not in a device.
RNNRT_API int64_t rnnrt_memory_live_bytes(void);
RNNRT_API int64_t rnnrt_memory_peak_bytes(void);

/// Starts the peak anew from what is live now.
RNNRT_API void rnnrt_memory_reset_peak(void);

/// Host memory of the C library that was freed is kept for the next allocation of its size when it is large, because new pages
/// cost more than what small layers compute. Never more is kept than was in use at one time, nor than the environment
/// variable RNNRT_MEMORY_CACHE says (MiB; 1024 where it says nothing, 0: nothing is kept). Bytes that are kept now, and a
/// function that gives them back to the system. An embedder's own allocator sees every block.
RNNRT_API int64_t rnnrt_memory_kept_bytes(void);
RNNRT_API void rnnrt_memory_trim(void);

/// Frees a result that compiled code allocated and handed to its caller; the same as _mlir_memref_to_llvm_free.
RNNRT_API void rnnrt_memory_free_result(void *pointer);

/// Called when compiled code asks for memory that cannot be had (none left, or a negative size: a dimension that
/// overflowed) or frees what is not its own. Such code has no error branch and would go on to use the pointer, so the
/// process cannot continue there: the handler may end the process or leave by longjmp or an exception. When it returns,
/// and when there is none, the runtime prints `message` to stderr and aborts: a clean end with a sentence, never a
/// write through a bad pointer.
typedef void (*rnnrt_memory_failure_handler_t)(void *user, int64_t bytes, const char *message);

/// Sets the handler of the process; NULL restores the default. Set it before compiled code runs.
RNNRT_API void rnnrt_memory_set_failure_handler(rnnrt_memory_failure_handler_t handler, void *user);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_MEMORY_H
