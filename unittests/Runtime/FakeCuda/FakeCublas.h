// FakeCublas.h - the controls of the fake cuBLASLt, a libcublasLt.so.13 for machines without a GPU. It computes on the
// host in memory of the fake driver, rejects what the real library rejects, and logs every GEMM. Tests look up these
// functions by name in the library that the runtime loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_FAKECUBLAS_H
#define RNN_UNITTESTS_RUNTIME_FAKECUBLAS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAKE_CUBLAS_CONTROLS(X)                                                                                        \
  /* Resets everything except live objects. */                                                                         \
  X(void, fake_cublas_reset, (void))                                                                                   \
  /* Log of the calls since the reset, one per line: `cublasLtMatmul m=4 n=2 k=3 ...`. Borrowed. */                    \
  X(const char *, fake_cublas_log, (void))                                                                             \
  /* Invalid uses, one per line, on which the real library may crash or return wrong results. Borrowed. */             \
  X(const char *, fake_cublas_misuse, (void))                                                                          \
  /* Number of live handles and descriptors. */                                                                        \
  X(int64_t, fake_cublas_live, (void))                                                                                 \
  /* The heuristic returns no algorithm. */                                                                            \
  X(void, fake_cublas_deny, (int32_t denies))                                                                          \
  /* Sets the workspace size of algorithms in bytes, initially 1024. */                                                \
  X(void, fake_cublas_set_workspace, (uint64_t bytes))                                                                 \
  /* Makes the function `name` fail with `result`; NULL: none. */                                                      \
  X(void, fake_cublas_fail, (const char *name, uint32_t result))                                                       \
  /* Makes the n-th call from now on (from 0) that can fail do so with `result`; negative: none. */                    \
  X(void, fake_cublas_fail_nth, (int64_t n, uint32_t result))                                                          \
  /* Name of the call that fake_cublas_fail_nth made fail, "" if there was none. */                                    \
  X(const char *, fake_cublas_failed, (void))                                                                          \
  X(void, fake_cublas_set_version, (uint64_t version))

#define FAKE_CUBLAS_DECLARE(result, name, parameters) result name parameters;
FAKE_CUBLAS_CONTROLS(FAKE_CUBLAS_DECLARE)
#undef FAKE_CUBLAS_DECLARE

#ifdef __cplusplus
}
#endif

#endif // RNN_UNITTESTS_RUNTIME_FAKECUBLAS_H
