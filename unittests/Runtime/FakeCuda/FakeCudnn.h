// FakeCudnn.h - the controls of the fake cuDNN, a libcudnn.so.9 for machines without a GPU. It computes with the host
// plans in memory of the fake driver and logs every call. It can reject calls, fail, or use other layouts, as the real
// library may. Tests look up these functions by name in the library that the runtime loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_FAKECUDNN_H
#define RNN_UNITTESTS_RUNTIME_FAKECUDNN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The layout of the parameter buffer.
enum FakeCudnnLayout {
  FAKE_CUDNN_DENSE = 0,        ///< canonical order without gaps
  FAKE_CUDNN_SCATTERED = 1,    ///< in reverse order, with gaps
  FAKE_CUDNN_PER_ALGORITHM = 2 ///< dense for the standard algorithm, scattered for the others
};

/// The result of cudnnGetRNNWeightParams for a null base.
enum FakeCudnnNullBase {
  FAKE_CUDNN_OFFSETS = 0, ///< addresses are offsets
  FAKE_CUDNN_REJECT = 1,  ///< BAD_PARAM
  FAKE_CUDNN_NULLS = 2    ///< success with null addresses
};

/// Bits of `steps` for deny: the steps of an algorithm that return NOT_SUPPORTED.
enum FakeCudnnStep {
  FAKE_CUDNN_SET = 1,
  FAKE_CUDNN_BUILD = 2,
  FAKE_CUDNN_SIZES = 4,
  FAKE_CUDNN_FORWARD = 8,
  FAKE_CUDNN_DATA = 16,
  FAKE_CUDNN_WEIGHTS = 32
};

#define FAKE_CUDNN_CONTROLS(X)                                                                                         \
  /* Resets everything except live objects. */                                                                         \
  X(void, fake_cudnn_reset, (void))                                                                                    \
  /* Log of the calls since the reset, one per line: `cudnnRNNForward stream=2 algo=standard ...`. Borrowed. */        \
  X(const char *, fake_cudnn_log, (void))                                                                              \
  /* Invalid uses, one per line, on which the real library may crash or return wrong results. Borrowed. */             \
  X(const char *, fake_cudnn_misuse, (void))                                                                           \
  /* Number of live handles and descriptors. */                                                                        \
  X(int64_t, fake_cudnn_live, (void))                                                                                  \
  /* Number of calls since the reset that can fail. */                                                                 \
  X(int64_t, fake_cudnn_calls, (void))                                                                                 \
  /* Makes the n-th of these calls (from 0) fail with `result`; negative: none. */                                     \
  X(void, fake_cudnn_fail_nth, (int64_t n, uint32_t result))                                                           \
  X(void, fake_cudnn_set_layout, (int32_t layout))                                                                     \
  X(void, fake_cudnn_set_null_base, (int32_t behaviour))                                                               \
  /* Makes the given `steps` of `algorithm` (cuDNN's value) unsupported. */                                            \
  X(void, fake_cudnn_deny, (int32_t algorithm, int32_t steps))                                                         \
  X(void, fake_cudnn_set_version, (uint64_t version))

#define FAKE_CUDNN_DECLARE(result, name, parameters) result name parameters;
FAKE_CUDNN_CONTROLS(FAKE_CUDNN_DECLARE)
#undef FAKE_CUDNN_DECLARE

#ifdef __cplusplus
}
#endif

#endif // RNN_UNITTESTS_RUNTIME_FAKECUDNN_H
