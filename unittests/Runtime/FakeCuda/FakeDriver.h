// FakeDriver.h - the controls of the fake CUDA driver: a libcuda.so.1 for machines without a GPU. Memory of the device
// is memory of the host, and work is done when it is given; but what may run at the same time on a GPU is found out,
// and its use of the same memory is a misuse. Tests find these functions by name in the library that the runtime
// loaded. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_FAKEDRIVER_H
#define RNN_UNITTESTS_RUNTIME_FAKEDRIVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs in the place of a kernel, with the pointers to its arguments.
typedef void (*fake_cuda_kernel_t)(void **arguments);

// Code: PTX is text with `.entry NAME` for each kernel; `.reqnctapercluster N` before the first one is the cluster that
// they are compiled for. Machine code is "\177ELF chip=sm_90a kernels=NAME,NAME", or a real cubin.
#define FAKE_CUDA_CONTROLS(X)                                                                                          \
  /* Everything as at the start, but for live objects. */                                                              \
  X(void, fake_cuda_reset, (void))                                                                                     \
  /* The calls since the reset that do something, one a line: `cuMemcpyAsync stream=2 bytes=12`. Lent until the next   \
     call. */                                                                                                          \
  X(const char *, fake_cuda_log, (void))                                                                               \
  /* Uses that the real driver may answer with a crash or with wrong numbers, one a line. Lent. */                     \
  X(const char *, fake_cuda_misuse, (void))                                                                            \
  /* Objects made and not destroyed: of `kind` (context stream event pool block module graph region), NULL for all. */ \
  X(int64_t, fake_cuda_live, (const char *kind))                                                                       \
  /* Calls since the reset that could have failed. */                                                                  \
  X(int64_t, fake_cuda_calls, (void))                                                                                  \
  /* The n-th of these (from 0) fails with `result`; negative: none. */                                                \
  X(void, fake_cuda_fail_nth, (int64_t n, uint32_t result))                                                            \
  /* Name of the call that was made to fail, "" when it did not come to that. */                                       \
  X(const char *, fake_cuda_failed, (void))                                                                            \
  /* 1 GPU of compute capability 9.0 with 8 GiB. */                                                                    \
  X(void, fake_cuda_set_devices, (int32_t count))                                                                      \
  X(void, fake_cuda_set_capability, (int32_t capability))                                                              \
  X(void, fake_cuda_set_memory, (int64_t bytes))                                                                       \
  /* Multiprocessors that may hold blocks of clusters: 132, or FAKE_CUDA_FOR_CLUSTERS. */                               \
  X(void, fake_cuda_set_multiprocessors_for_clusters, (int32_t count))                                                 \
  /* Kernels of this name run `kernel`; others do nothing. */                                                          \
  X(void, fake_cuda_set_kernel, (const char *name, fake_cuda_kernel_t kernel))                                         \
  /* For other fakes: work on `stream` uses the memory at `pointer`. */                                                \
  X(void, fake_cuda_use, (void *stream, const void *pointer, const char *user))

#define FAKE_CUDA_DECLARE(result, name, parameters) result name parameters;
FAKE_CUDA_CONTROLS(FAKE_CUDA_DECLARE)
#undef FAKE_CUDA_DECLARE

#ifdef __cplusplus
}
#endif

#endif // RNN_UNITTESTS_RUNTIME_FAKEDRIVER_H
