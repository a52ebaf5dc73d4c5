// memory.h - device memory, custom allocators of host memory, and the memory of compiled code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_MEMORY_H
#define RNN_RUNTIME_MEMORY_H

#include "rnn_runtime/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An allocator of host memory. Zero-initialized, it is the C library. Both functions must be thread-safe.
typedef struct rnnrt_allocator {
  /// Returns `bytes` bytes aligned to `alignment` (a power of two, at least 64; `bytes` is a multiple of it), or NULL.
  void *(*allocate)(void *user, size_t alignment, size_t bytes);
  /// Frees a pointer of `allocate`, with the same `alignment` and `bytes`. Never called with NULL.
  void (*release)(void *user, void *pointer, size_t alignment, size_t bytes);
  /// Passed to both functions.
  void *user;
} rnnrt_allocator_t;

/// Memory counters of one device, including scratch memory of running plans.
typedef struct rnnrt_memory_stats {
  int64_t live_bytes;  ///< requested bytes of live allocations, without headers
  int64_t peak_bytes;  ///< maximum of live_bytes
  int64_t live_blocks; ///< number of live allocations
} rnnrt_memory_stats_t;

/// Allocates memory of `device`; the caller frees it with rnnrt_memory_free. Zero bytes return a valid pointer. Returns
/// INVALID_ARGUMENT for a negative size and RESOURCE_EXHAUSTED if memory is insufficient; `*out_pointer` is then NULL.
RNNRT_API rnnrt_status_t rnnrt_memory_alloc(rnnrt_device_t *device, int64_t bytes, void **out_pointer);

/// Frees memory of rnnrt_memory_alloc of the same device. NULL is allowed. Returns INVALID_ARGUMENT, and frees nothing,
/// for a pointer that is not a live allocation of the device. Like free(), it cannot recognize a pointer that was freed
/// and whose address belongs to a newer allocation.
RNNRT_API rnnrt_status_t rnnrt_memory_free(rnnrt_device_t *device, void *pointer);

/// Copies `bytes` bytes, ordered on `stream` (NULL: the default stream). Each range may be in device or host memory.
/// The ranges must not overlap.
RNNRT_API rnnrt_status_t rnnrt_memory_copy(rnnrt_device_t *device, rnnrt_stream_t *stream, void *target,
                                           const void *source, int64_t bytes);

/// Returns the current counters of `device`.
RNNRT_API rnnrt_status_t rnnrt_memory_stats(const rnnrt_device_t *device, rnnrt_memory_stats_t *out_stats);

/// Live and peak bytes of host memory that compiled code allocated by _mlir_memref_to_llvm_alloc, in the whole process.
/// Those entries have no device parameter; rnnrt_memory_stats does not include them.
RNNRT_API int64_t rnnrt_memory_live_bytes(void);
RNNRT_API int64_t rnnrt_memory_peak_bytes(void);

/// Resets the peak to the live bytes.
RNNRT_API void rnnrt_memory_reset_peak(void);

/// Large blocks of the C library's allocator are cached when freed, because page faults of new blocks cost more time
/// than small layers. The cache holds at most RNNRT_MEMORY_CACHE MiB (an environment variable; default 1024, 0 disables
/// the cache), and together with the bytes in use at most one and a half times their peak. Blocks of a custom allocator
/// are not cached. `kept_bytes` returns the bytes in the cache; `trim` returns them to the system.
RNNRT_API int64_t rnnrt_memory_kept_bytes(void);
RNNRT_API void rnnrt_memory_trim(void);

/// Frees a result that compiled code allocated and returned; equivalent to _mlir_memref_to_llvm_free.
RNNRT_API void rnnrt_memory_free_result(void *pointer);

/// Called if an allocation fails, an invalid pointer is freed, or an assertion fails (`bytes` is 0), in compiled code
/// that no exported function called (function.h), such as a function whose address another program looked up. A failure
/// inside an exported function is the status of its call, and all memory of the function is freed. A failure inside a
/// kernel on the emulator ends the kernel and is the status of its call. The handler must not return: it may end the
/// process, longjmp or throw. If it returns, or if there is none, the runtime prints `message` to stderr and aborts.
typedef void (*rnnrt_memory_failure_handler_t)(void *user, int64_t bytes, const char *message);

/// Sets the handler of the process; NULL restores the default. Call it before compiled code runs.
RNNRT_API void rnnrt_memory_set_failure_handler(rnnrt_memory_failure_handler_t handler, void *user);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_MEMORY_H
