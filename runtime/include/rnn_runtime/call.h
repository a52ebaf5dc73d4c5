// call.h - one invocation of compiled code. A compiled function takes a call first; after it returned, the call says
// whether everything went well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CALL_H
#define RNN_RUNTIME_CALL_H

#include "rnn_runtime/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Options of a call. Fill it with rnnrt_call_options_init, then change what matters.
typedef struct rnnrt_call_options {
  /// Which draw of the dropout stream every training forward of this call takes. -1: the next one of its plan, so that
  /// masks differ from step to step as in TensorFlow. 0 or more: that draw, for runs that must repeat.
  int64_t dropout_draw;
} rnnrt_call_options_t;

/// Defaults: draw -1, or the number in the environment variable RNNRT_DROPOUT_DRAW.
RNNRT_API void rnnrt_call_options_init(rnnrt_call_options_t *options);

/// Makes a call on `device` and `stream`; it keeps both alive. `stream` NULL is the device's own order, `options` NULL
/// the defaults. One call is used by one thread at a time; it may be used again after rnnrt_call_reset.
RNNRT_API rnnrt_status_t rnnrt_call_create(rnnrt_device_t *device, rnnrt_stream_t *stream,
                                           const rnnrt_call_options_t *options, rnnrt_call_t **out_call);

/// The first failure since the call was made or reset; NULL when there was none. Lent: do not release it. Once there is
/// one, every entry of abi.h returns at once. INVALID_ARGUMENT when `call` is NULL.
RNNRT_API rnnrt_status_t rnnrt_call_status(const rnnrt_call_t *call);

/// Records a failure of the caller's own unless there is one already. Takes the ownership of `status`.
RNNRT_API void rnnrt_call_fail(rnnrt_call_t *call, rnnrt_status_t status);

/// Why a launch of clusters was left out since the call was made or reset, so that other kernels did its work; NULL when none
/// was. Lent until the call is used again.
RNNRT_API const char *rnnrt_call_left_out(const rnnrt_call_t *call);

/// Who left it out. The numbers are stable.
typedef enum rnnrt_left_out {
  RNNRT_LEFT_OUT_NOTHING = 0,  ///< every launch happened
  RNNRT_LEFT_OUT_UNWANTED = 1, ///< the environment, by RNNRT_CLUSTERS=0, which says nothing about the device
  RNNRT_LEFT_OUT_REFUSED = 2   ///< the device, which holds no such cluster
} rnnrt_left_out_t;

/// The same as a number; RNNRT_LEFT_OUT_NOTHING for NULL.
RNNRT_API rnnrt_left_out_t rnnrt_call_left_out_by(const rnnrt_call_t *call);

/// Forgets the failure and what was left out, and gives back the plans that were handed out.
RNNRT_API void rnnrt_call_reset(rnnrt_call_t *call);

/// The device and the stream, lent; the stream is NULL when the call was made without.
RNNRT_API rnnrt_device_t *rnnrt_call_device(const rnnrt_call_t *call);
RNNRT_API rnnrt_stream_t *rnnrt_call_stream(const rnnrt_call_t *call);

/// Ends the call. NULL is allowed.
RNNRT_API void rnnrt_call_release(rnnrt_call_t *call);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_CALL_H
