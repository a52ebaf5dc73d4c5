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

/// Why a launch of clusters was skipped since the call was created or reset, so that other kernels did its work. NULL
/// if none was skipped. Valid until the call is used again.
RNNRT_API const char *rnnrt_call_skipped(const rnnrt_call_t *call);

/// What caused a launch to be skipped. The values are stable.
typedef enum rnnrt_skipped_by {
  RNNRT_SKIPPED_BY_NOTHING = 0,     ///< no launch was skipped
  RNNRT_SKIPPED_BY_ENVIRONMENT = 1, ///< RNNRT_CLUSTERS=0, which implies nothing about the device
  RNNRT_SKIPPED_BY_DEVICE = 2       ///< the device cannot hold one such cluster
} rnnrt_skipped_by_t;

/// The cause of the last skipped launch; RNNRT_SKIPPED_BY_NOTHING for NULL.
RNNRT_API rnnrt_skipped_by_t rnnrt_call_skipped_by(const rnnrt_call_t *call);

/// Clears the failure and what was skipped, and releases the plans that the call uses.
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
