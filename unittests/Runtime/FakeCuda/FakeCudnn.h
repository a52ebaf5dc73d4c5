// FakeCudnn.h - the controls of the fake cuDNN: a libcudnn.so.9 for machines without a GPU. It computes by the host
// plans on the fake driver's memory, writes down every call, and can refuse, fail or answer in other ways that the real
// one may. Tests find these functions by name in the library that the runtime loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_FAKECUDNN_H
#define RNN_UNITTESTS_RUNTIME_FAKECUDNN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where the parameters lie.
enum FakeCudnnLayout {
  FAKE_CUDNN_DENSE = 0,        ///< as semantics 3.5 says
  FAKE_CUDNN_SCATTERED = 1,    ///< in reverse order, with gaps
  FAKE_CUDNN_PER_ALGORITHM = 2 ///< dense for the standard algorithm, scattered for the others
};

/// What cudnnGetRNNWeightParams does with a null base.
enum FakeCudnnNullBase {
  FAKE_CUDNN_OFFSETS = 0, ///< addresses are offsets
  FAKE_CUDNN_REFUSE = 1,  ///< BAD_PARAM
  FAKE_CUDNN_NULLS = 2    ///< success with null addresses
};

/// Bits of `steps` for deny: what of an algorithm gives NOT_SUPPORTED.
enum FakeCudnnStep {
  FAKE_CUDNN_SET = 1,
  FAKE_CUDNN_BUILD = 2,
  FAKE_CUDNN_SIZES = 4,
  FAKE_CUDNN_FORWARD = 8,
  FAKE_CUDNN_DATA = 16,
  FAKE_CUDNN_WEIGHTS = 32
};

#define FAKE_CUDNN_CONTROLS(X)                                                                                         \
  /* Everything as at the start, but for live objects. */                                                              \
  X(void, fake_cudnn_reset, (void))                                                                                    \
  /* The calls since the reset, one a line: `cudnnRNNForward stream=2 algo=standard ...`. Lent until the next call. */ \
  X(const char *, fake_cudnn_log, (void))                                                                              \
  /* Uses that the real library may answer with a crash or with wrong numbers, one a line. Lent. */                    \
  X(const char *, fake_cudnn_misuse, (void))                                                                           \
  /* Handles and descriptors made and not destroyed. */                                                                \
  X(int64_t, fake_cudnn_live, (void))                                                                                  \
  /* Calls since the reset that could have failed. */                                                                  \
  X(int64_t, fake_cudnn_calls, (void))                                                                                 \
  /* The n-th of these (from 0) fails with `result`; negative: none. */                                                \
  X(void, fake_cudnn_fail_nth, (int64_t n, uint32_t result))                                                           \
  X(void, fake_cudnn_set_layout, (int32_t layout))                                                                     \
  X(void, fake_cudnn_set_null_base, (int32_t behaviour))                                                               \
  /* `algorithm` (cuDNN's number) does not support what `steps` say. */                                                \
  X(void, fake_cudnn_deny, (int32_t algorithm, int32_t steps))                                                         \
  X(void, fake_cudnn_set_version, (uint64_t version))

#define FAKE_CUDNN_DECLARE(result, name, parameters) result name parameters;
FAKE_CUDNN_CONTROLS(FAKE_CUDNN_DECLARE)
#undef FAKE_CUDNN_DECLARE

#ifdef __cplusplus
}
#endif

#endif // RNN_UNITTESTS_RUNTIME_FAKECUDNN_H
