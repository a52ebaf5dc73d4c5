// FakeDriver.h - the controls of the fake CUDA driver, a libcuda.so.1 for machines without a GPU. Device memory is host
// memory, and work executes when it is enqueued. Vector clocks determine which operations may be concurrent on a GPU;
// concurrent use of the same memory is a misuse. Tests look up these functions by name in the library that the runtime
// loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_FAKEDRIVER_H
#define RNN_UNITTESTS_RUNTIME_FAKEDRIVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A host function that runs in place of a kernel, with pointers to the kernel arguments.
typedef void (*fake_cuda_kernel_t)(void **arguments);

// Code: PTX is text with `.entry NAME` for each kernel. `.reqnctapercluster N` before the first one sets their cluster
// size. Machine code is "\177ELF chip=sm_90a kernels=NAME,NAME", or a real cubin.
#define FAKE_CUDA_CONTROLS(X)                                                                                          \
  /* Resets everything except live objects. */                                                                         \
  X(void, fake_cuda_reset, (void))                                                                                     \
  /* Log of the calls since the reset, one per line: `cuMemcpyAsync stream=2 bytes=12`. Borrowed until the next        \
     call. */                                                                                                          \
  X(const char *, fake_cuda_log, (void))                                                                               \
  /* Invalid uses, one per line, on which the real driver may crash or return wrong results. Borrowed. */              \
  X(const char *, fake_cuda_misuse, (void))                                                                            \
  /* Number of live objects of `kind` (context stream event pool block module graph region); NULL for all. */          \
  X(int64_t, fake_cuda_live, (const char *kind))                                                                       \
  /* Number of calls since the reset that can fail. */                                                                 \
  X(int64_t, fake_cuda_calls, (void))                                                                                  \
  /* Makes the n-th of these calls (from 0) fail with `result`; negative: none. */                                     \
  X(void, fake_cuda_fail_nth, (int64_t n, uint32_t result))                                                            \
  /* Makes the next call of the function `name` fail with `result`. */                                                 \
  X(void, fake_cuda_fail_next, (const char *name, uint32_t result))                                                    \
  X(void, fake_cuda_clear_log, (void))                                                                                 \
  /* Name of the call that was made to fail, "" if there was none. */                                                  \
  X(const char *, fake_cuda_failed, (void))                                                                            \
  /* Default: 1 GPU of compute capability 9.0 with 8 GiB. */                                                           \
  X(void, fake_cuda_set_devices, (int32_t count))                                                                      \
  X(void, fake_cuda_set_capability, (int32_t capability))                                                              \
  X(void, fake_cuda_set_capability_of, (int32_t device, int32_t capability))                                           \
  X(void, fake_cuda_set_memory, (int64_t bytes))                                                                       \
  /* Multiprocessors available to clusters; default FAKE_CUDA_FOR_CLUSTERS, else 132. */                               \
  X(void, fake_cuda_set_multiprocessors_for_clusters, (int32_t count))                                                 \
  /* Whether new devices report that streams wait for and write values in memory, and whether they do. Default: 1, 1   \
   */                                                                                                                  \
  X(void, fake_cuda_set_stream_values, (int32_t reported, int32_t accepted))                                           \
  /* Makes kernels of this name run `kernel`; other kernels do nothing. */                                             \
  X(void, fake_cuda_set_kernel, (const char *name, fake_cuda_kernel_t kernel))                                         \
  /* For other fakes: reports that work on `stream` uses the memory at `pointer`. */                                   \
  X(void, fake_cuda_use, (void *stream, const void *pointer, const char *user))

#define FAKE_CUDA_DECLARE(result, name, parameters) result name parameters;
FAKE_CUDA_CONTROLS(FAKE_CUDA_DECLARE)
#undef FAKE_CUDA_DECLARE

#ifdef __cplusplus
}
#endif

#endif // RNN_UNITTESTS_RUNTIME_FAKEDRIVER_H
