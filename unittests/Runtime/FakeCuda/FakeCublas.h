// FakeCublas.h - the controls of the fake cuBLASLt: a libcublasLt.so.13 for machines without a GPU. It multiplies on the
// host in the fake driver's memory, refuses what the real one refuses, and writes down every product. Tests find these
// functions by name in the library that the runtime loaded. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_FAKECUBLAS_H
#define RNN_UNITTESTS_RUNTIME_FAKECUBLAS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAKE_CUBLAS_CONTROLS(X)                                                                                        \
  /* Everything as at the start, but for live objects. */                                                              \
  X(void, fake_cublas_reset, (void))                                                                                   \
  /* The calls since the reset that do something, one a line: `cublasLtMatmul m=4 n=2 k=3 ...`. Lent. */               \
  X(const char *, fake_cublas_log, (void))                                                                             \
  /* Uses that the real library may answer with a crash or with wrong numbers, one a line. Lent. */                    \
  X(const char *, fake_cublas_misuse, (void))                                                                          \
  /* Handles and descriptions made and not destroyed. */                                                               \
  X(int64_t, fake_cublas_live, (void))                                                                                 \
  /* There is no algorithm for any product. */                                                                         \
  X(void, fake_cublas_deny, (int32_t denies))                                                                          \
  /* Algorithms need so much memory; at the start 1024 bytes. */                                                       \
  X(void, fake_cublas_set_workspace, (uint64_t bytes))                                                                 \
  /* The function of this name fails with `result`; NULL: none. */                                                     \
  X(void, fake_cublas_fail, (const char *name, uint32_t result))                                                       \
  X(void, fake_cublas_set_version, (uint64_t version))

#define FAKE_CUBLAS_DECLARE(result, name, parameters) result name parameters;
FAKE_CUBLAS_CONTROLS(FAKE_CUBLAS_DECLARE)
#undef FAKE_CUBLAS_DECLARE

#ifdef __cplusplus
}
#endif

#endif // RNN_UNITTESTS_RUNTIME_FAKECUBLAS_H
